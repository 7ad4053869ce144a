"""Session hooks of the project."""
import os
import time

import tensorflow as tf
from tensorflow.python.training import session_run_hook
from tensorflow.python.training import training_util


class LossHistoryHook(session_run_hook.SessionRunHook):
  """Keeps all losses and writes them to a table in the end."""

  def __init__(self, loss, path, print_every):
    self._loss, self._path, self._print_every = loss, path, print_every
    self._history = []

  def begin(self):
    self._global_step = training_util.get_global_step()
    if self._global_step is None:
      raise RuntimeError('Global step should be created to use LossHistoryHook.')
    self._started = time.time()

  def before_run(self, run_context):
    return session_run_hook.SessionRunArgs((self._loss, self._global_step))

  def after_run(self, run_context, run_values):
    loss, step = run_values.results
    self._history.append((step, loss))
    if step % self._print_every == 0:
      print('step %d: loss %.7f (%.1f steps/sec)' % (
          step, loss, len(self._history) / (time.time() - self._started + 1e-9)))

  def end(self, session):
    directory = os.path.dirname(self._path)
    if not tf.gfile.IsDirectory(directory):
      tf.gfile.MakeDirs(directory)
    with tf.gfile.GFile(self._path, 'w') as f:
      f.write('step,loss\n')
      for step, loss in self._history[::10]:
        f.write('%d,%.7f\n' % (step, loss))


class StopOnPlateauHook(session_run_hook.SessionRunHook):
  """Requests a stop when the smoothed loss no longer falls by min_delta a step."""

  def __init__(self, loss, patience, min_delta):
    self._loss, self._patience, self._min_delta = loss, patience, min_delta

  def begin(self):
    self._best, self._smooth, self._bad = None, None, 0

  def before_run(self, run_context):
    return session_run_hook.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    loss = float(run_values.results)
    self._smooth = loss if self._smooth is None else 0.8 * self._smooth + 0.2 * loss
    if self._best is None or self._smooth < self._best - self._min_delta:
      self._best, self._bad = self._smooth, 0
    else:
      self._bad += 1
    if self._bad >= self._patience:
      print('no progress in %d steps, stopping' % self._patience)
      run_context.request_stop()
