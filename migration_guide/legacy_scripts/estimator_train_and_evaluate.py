"""Ridge regression on digits with train_and_evaluate: listeners, exporters, early stopping.

Usage:
  python estimator_train_and_evaluate.py --model_dir=ridge
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf


def load_data():
  data = load_digits()
  x = (data.data[:, 18:38] / 16).astype(np.float32)
  y = (data.target / 5).astype(np.float32)
  return (x[:1200], y[:1200]), (x[1200:1500], y[1200:1500])


class EvaluateOnTrainData(tf.train.CheckpointSaverListener):
  """Evaluates and predicts with the checkpoint that has just been written."""

  def __init__(self, estimator, input_fn):
    self._estimator = estimator
    self._input_fn = input_fn

  def after_save(self, session, global_step_value):
    del session
    metrics = self._estimator.evaluate(self._input_fn, steps=3, name='on_train')
    first = next(self._estimator.predict(self._input_fn))
    print('listener at step %d: loss %.6f, first prediction %.6f' % (
        global_step_value, metrics['loss'], first['value']))


class CountEvaluations(tf.train.SessionRunHook):
  """One object serves every evaluation."""

  def __init__(self):
    self.begins = 0
    self.runs = 0

  def begin(self):
    self.begins += 1

  def after_run(self, run_context, run_values):
    self.runs += 1


def model_fn(features, labels, mode, params):
  x = features['x']
  w = tf.get_variable('w', [20, 1], initializer=tf.zeros_initializer())
  b = tf.get_variable('b', [], initializer=tf.constant_initializer(1.0))
  value = tf.squeeze(tf.matmul(x, w), 1) + b
  predictions = {'value': value}
  export_outputs = {
      'predict': tf.estimator.export.PredictOutput(predictions),
      tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
          tf.estimator.export.RegressionOutput(value),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions, export_outputs=export_outputs)
  error = tf.losses.mean_squared_error(labels, value)
  loss = error + params['l2'] * tf.reduce_sum(tf.square(w))
  train_op = tf.train.MomentumOptimizer(params['learning_rate'], 0.9).minimize(
      loss, global_step=tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions=predictions, loss=loss, train_op=train_op,
      eval_metric_ops={
          'rmse': tf.metrics.root_mean_squared_error(labels, value),
          'mae': tf.metrics.mean_absolute_error(labels, value),
      })


def serving_input_fn():
  spec = {'x': tf.FixedLenFeature([20], tf.float32)}
  return tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)()


def raw_input_fn():
  x = tf.placeholder(tf.float32, [None, 20], name='x')
  return tf.estimator.export.ServingInputReceiver({'x': x}, {'x': x})


def serve(export_dir, rows):
  """What the newest export gives for serialized examples."""
  newest = os.path.join(export_dir, sorted(os.listdir(export_dir))[-1])
  examples = [
      tf.train.Example(features=tf.train.Features(feature={
          'x': tf.train.Feature(float_list=tf.train.FloatList(value=row))
      })).SerializeToString() for row in rows]
  with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(
        sess, [tf.saved_model.tag_constants.SERVING], newest)
    print('signatures', sorted(meta.signature_def))
    signature = meta.signature_def['serving_default']
    return sess.run(signature.outputs['outputs'].name,
                    {signature.inputs['inputs'].name: examples})


def main():
  parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
  parser.add_argument('--model_dir', default='ridge')
  parser.add_argument('--max_steps', type=int, default=200)
  args = parser.parse_args()
  tf.logging.set_verbosity(tf.logging.INFO)

  (train_x, train_y), (test_x, test_y) = load_data()
  train_input_fn = tf.estimator.inputs.numpy_input_fn(
      {'x': train_x}, train_y, batch_size=32, num_epochs=None, shuffle=False)
  train_once_fn = tf.estimator.inputs.numpy_input_fn(
      {'x': train_x}, train_y, batch_size=32, num_epochs=1, shuffle=False)
  test_input_fn = tf.estimator.inputs.numpy_input_fn(
      {'x': test_x}, test_y, batch_size=32, num_epochs=1, shuffle=False)

  estimator = tf.estimator.Estimator(
      model_fn, args.model_dir,
      tf.estimator.RunConfig(
          save_checkpoints_steps=20, save_summary_steps=50,
          log_step_count_steps=25),
      params={'learning_rate': 0.02, 'l2': 0.01})
  if not os.path.exists(estimator.eval_dir()):
    os.makedirs(estimator.eval_dir())

  early_stopping = tf.estimator.experimental.stop_if_no_decrease_hook(
      estimator, 'loss', max_steps_without_decrease=40, run_every_secs=None,
      run_every_steps=20)
  own_saver = tf.train.CheckpointSaverHook(
      args.model_dir, save_steps=20,
      listeners=[EvaluateOnTrainData(estimator, train_once_fn)])
  counter = CountEvaluations()
  train_spec = tf.estimator.TrainSpec(
      train_input_fn, max_steps=args.max_steps, hooks=[early_stopping, own_saver])
  eval_spec = tf.estimator.EvalSpec(
      test_input_fn, steps=None, hooks=[counter], throttle_secs=0,
      start_delay_secs=0,
      exporters=[
          tf.estimator.BestExporter(
              'best', serving_input_fn, exports_to_keep=2),
          tf.estimator.LatestExporter('latest', raw_input_fn, exports_to_keep=1),
          tf.estimator.FinalExporter(
              'final', raw_input_fn, assets_extra={'readme/code.py': __file__}),
      ])
  metrics, exports = tf.estimator.train_and_evaluate(
      estimator, train_spec, eval_spec)
  print('result: ' + ', '.join('%s=%.6f' % item for item in sorted(metrics.items())))
  print('exported', [export is not None for export in exports])
  print('evaluations', counter.begins, 'runs', counter.runs)
  print('served', ' '.join(
      '%.6f' % v for v in serve(os.path.join(args.model_dir, 'export', 'best'),
                                test_x[:4])))


if __name__ == '__main__':
  main()
