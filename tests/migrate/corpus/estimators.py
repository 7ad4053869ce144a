import tensorflow as tf

tf.estimator.Estimator(None)  #= tf.estimator.Estimator
tf.estimator.experimental.stop_if_no_decrease_hook  #= tf.estimator.experimental.stop_if_no_decrease_hook
tf.estimator.BoostedTreesClassifier  #! C404 tf.estimator.BoostedTreesClassifier
tf.estimator.experimental.KMeans  #! C404 tf.estimator.experimental.KMeans
tf.keras.estimator.model_to_estimator  #! C404 tf.keras.estimator.model_to_estimator
tf.keras.layers.Dense(3)  #! C206 tf.keras.layers.Dense
tf.data.experimental.CheckpointInputPipelineHook  #! C405 tf.data.experimental.CheckpointInputPipelineHook
tf.contrib.training.StopAfterNEvalsHook(3)  #= tf.contrib.training.StopAfterNEvalsHook
tf.contrib.learn.monitors.ValidationMonitor()  #! C403 tf.contrib.learn.monitors.ValidationMonitor
tf.contrib.estimator.stop_if_no_decrease_hook  #= tf.contrib.estimator.stop_if_no_decrease_hook
