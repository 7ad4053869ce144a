"""A toy adversarial game: two critic updates without hooks for each counted step."""
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('steps', 50, 'Generator steps.')
flags.DEFINE_integer('critic_steps', 2, 'Critic updates before each generator step.')
flags.DEFINE_string('model_dir', 'gan', 'Checkpoints.')
FLAGS = flags.FLAGS

BATCH = 64


def mlp(x, sizes, scope, seed, reuse=None):
  with tf.variable_scope(scope, reuse=reuse):
    for i, size in enumerate(sizes):
      w = tf.get_variable(
          'w%d' % i, [x.shape[1].value, size],
          initializer=tf.random_normal_initializer(stddev=0.3, seed=seed + i))
      b = tf.get_variable('b%d' % i, [size], initializer=tf.zeros_initializer())
      x = tf.matmul(x, w) + b
      if i < len(sizes) - 1:
        x = tf.nn.leaky_relu(x)
    return x


class CountingHook(tf.train.SessionRunHook):
  """Counts the runs that hooks get to see."""

  def begin(self):
    self.runs = 0

  def before_run(self, run_context):
    self.runs += 1
    return tf.train.SessionRunArgs('generator/loss:0')

  def after_run(self, run_context, run_values):
    if self.runs % 10 == 0:
      print('hooked run %d, generator loss %.6f' % (self.runs, run_values.results))

  def end(self, session):
    print('hooks saw %d runs' % self.runs)


def main(_):
  angles = np.linspace(0, 2 * np.pi, 256, endpoint=False)
  ring = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
  real = tf.gather(tf.constant(ring), tf.random_uniform(
      [BATCH], 0, len(ring), dtype=tf.int32, seed=71))
  noise = tf.random_normal([BATCH, 4], seed=72)
  fake = mlp(noise, [16, 2], 'gen', seed=100)
  real_score = mlp(real, [16, 1], 'critic', seed=200)
  fake_score = mlp(fake, [16, 1], 'critic', seed=200, reuse=True)

  xent = tf.nn.sigmoid_cross_entropy_with_logits
  critic_loss = tf.reduce_mean(
      xent(logits=real_score, labels=tf.ones_like(real_score)) +
      xent(logits=fake_score, labels=tf.zeros_like(fake_score)))
  with tf.name_scope('generator'):
    gen_loss = tf.reduce_mean(
        xent(logits=fake_score, labels=tf.ones_like(fake_score)), name='loss')

  global_step = tf.train.get_or_create_global_step()
  critic_vars = tf.trainable_variables('critic')
  gen_vars = tf.trainable_variables('gen')
  train_critic = tf.train.GradientDescentOptimizer(0.1).minimize(
      critic_loss, var_list=critic_vars,
      gate_gradients=tf.train.Optimizer.GATE_GRAPH)
  train_gen = tf.train.GradientDescentOptimizer(0.1).minimize(
      gen_loss, global_step=global_step, var_list=gen_vars)

  critic_losses = []

  def step_fn(step_context):
    for _ in range(FLAGS.critic_steps):
      _, value = step_context.session.run([train_critic, critic_loss])
      critic_losses.append(value)
    _, step = step_context.run_with_hooks([train_gen, global_step])
    if step >= FLAGS.steps:
      print('asking to stop at step %d' % step)
      step_context.request_stop()
    return step

  hooks = [CountingHook(),
           tf.train.CheckpointSaverHook(FLAGS.model_dir, save_steps=25)]
  with tf.train.MonitoredSession(
      tf.train.ChiefSessionCreator(checkpoint_dir=FLAGS.model_dir), hooks) as sess:
    step = 0
    while not sess.should_stop():
      step = sess.run_step_fn(step_fn)
      if step is not None and step % 20 == 0:
        print('step %d, mean critic loss %.6f' % (step, np.mean(critic_losses[-20:])))
  print('%d critic updates, last loss %.6f, last result %s'
        % (len(critic_losses), critic_losses[-1], step))


if __name__ == '__main__':
  tf.app.run()
