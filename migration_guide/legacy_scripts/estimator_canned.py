"""Ready-made estimators on feature columns: linear, deep, and wide and deep.

Usage:
  python estimator_canned.py
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

CITIES = ['oslo', 'rome', 'lima', 'cairo']


def make_data(seed, count):
  rng = np.random.RandomState(seed)
  age = rng.uniform(18, 80, count).astype(np.float32)
  income = rng.uniform(0, 10, [count, 2]).astype(np.float32)
  city = np.array(CITIES)[rng.randint(0, 4, count)]
  score = (age / 20 + income.sum(axis=1) + (city == 'rome') * 3).astype(np.float32)
  return {'age': age, 'income': income, 'city': city}, score


def input_fn(seed, count, target, repeat=1):
  features, score = make_data(seed, count)
  labels = {
      'binary': (score > 13).astype(np.int64),
      'words': np.array(['low', 'mid', 'high'])[np.digitize(score, [10, 15])],
      'value': score,
      'pair': np.stack([score, -score], axis=1),
  }[target]
  weighted = dict(features, weight=np.linspace(0.5, 1.5, count).astype(np.float32))

  def run():
    data = tf.data.Dataset.from_tensor_slices((weighted, labels))
    return data.repeat(repeat).batch(20)

  return run


def columns():
  age = tf.feature_column.numeric_column('age')
  income = tf.feature_column.numeric_column('income', shape=[2])
  city = tf.feature_column.categorical_column_with_vocabulary_list('city', CITIES)
  ages = tf.feature_column.bucketized_column(age, [30, 50])
  crossed = tf.feature_column.crossed_column([ages, city], hash_bucket_size=20)
  wide = [income, ages, city, crossed]
  deep = [
      tf.feature_column.numeric_column('age', normalizer_fn=lambda x: x / 50),
      income,
      tf.feature_column.embedding_column(city, 3, initializer=tf.constant_initializer(0.1)),
      tf.feature_column.indicator_column(ages),
  ]
  return wide, deep


def weights_of(path, shapes):
  """Writes a checkpoint with known weights, to start from."""
  rng = np.random.RandomState(3)
  with tf.Graph().as_default(), tf.Session() as sess:
    for name in sorted(shapes):
      tf.get_variable(name, initializer=(
          rng.uniform(-0.3, 0.3, shapes[name]).astype(np.float32)))
    sess.run(tf.global_variables_initializer())
    return tf.train.Saver().save(sess, path)


def show(title, estimator, train, test):
  estimator.train(train, steps=30)
  metrics = estimator.evaluate(test)
  print(title, ', '.join('%s=%.5f' % item for item in sorted(metrics.items())))
  for i, prediction in enumerate(estimator.predict(test)):
    if i < 3:
      print('  ', '; '.join(
          '%s: %s' % (key, ' '.join(
              value.decode() if isinstance(value, bytes) else '%.5f' % value
              for value in np.ravel(prediction[key])))
          for key in sorted(prediction)))
  for name in estimator.get_variable_names():
    value = estimator.get_variable_value(name)
    print('  ', name, value.shape, '%.4f' % np.sum(value))


def main():
  tf.logging.set_verbosity(tf.logging.INFO)
  wide, deep = columns()
  config = tf.estimator.RunConfig(
      save_checkpoints_steps=15, save_summary_steps=10, log_step_count_steps=10)

  def data(target):
    return input_fn(1, 300, target, None), input_fn(2, 80, target)

  show('linear classifier', tf.estimator.LinearClassifier(
      wide, model_dir='linear_binary', config=config), *data('binary'))
  show('linear words', tf.estimator.LinearClassifier(
      wide, model_dir='linear_words', config=config, n_classes=3,
      label_vocabulary=['low', 'mid', 'high'], weight_column='weight',
      loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE), *data('words'))
  show('linear regressor', tf.estimator.LinearRegressor(
      wide, model_dir='linear_pair', config=config, label_dimension=2,
      optimizer=tf.train.GradientDescentOptimizer(1e-4)), *data('pair'))

  start = weights_of('start/deep.ckpt', {
      'dnn/hiddenlayer_0/kernel': [9, 8],
      'dnn/hiddenlayer_1/kernel': [8, 4],
      'dnn/logits/kernel': [4, 1],
  })
  settings = tf.estimator.WarmStartSettings(
      start, vars_to_warm_start='dnn/.*/kernel')
  show('deep classifier', tf.estimator.DNNClassifier(
      [8, 4], deep, model_dir='deep_binary', config=config,
      warm_start_from=settings), *data('binary'))
  show('deep regressor', tf.estimator.DNNRegressor(
      [8, 4], deep, model_dir='deep_value', config=config,
      optimizer=lambda: tf.train.GradientDescentOptimizer(0.005),
      loss_reduction=tf.losses.Reduction.MEAN, activation_fn=tf.nn.tanh,
      batch_norm=True, weight_column='weight', warm_start_from=settings),
       *data('value'))
  show('wide and deep classifier', tf.estimator.DNNLinearCombinedClassifier(
      model_dir='both_binary', linear_feature_columns=wide,
      dnn_feature_columns=deep, dnn_hidden_units=[8, 4], config=config,
      dnn_optimizer='SGD', warm_start_from=settings), *data('binary'))
  both = tf.estimator.DNNLinearCombinedRegressor(
      model_dir='both_value', linear_feature_columns=wide,
      dnn_feature_columns=deep, dnn_hidden_units=[8, 4], config=config,
      linear_optimizer=tf.train.FtrlOptimizer(0.01), dnn_optimizer='Adam',
      warm_start_from=settings)
  show('wide and deep regressor', both, *data('value'))
  spec = tf.feature_column.make_parse_example_spec(wide + deep)
  receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
  print(len(both.export_saved_model('export', receiver)) > 0)


if __name__ == '__main__':
  main()
