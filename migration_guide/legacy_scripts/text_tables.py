# coding: utf-8
"""Guesses the topic of a sentence from its words, with lookup tables in the graph."""
from __future__ import print_function

import argparse
import io
import os

import tensorflow as tf

SENTENCES = [
    (u'the striker scored two late goals', 'sport'),
    (u'Rain and wind all over the coast!', 'weather'),
    (u'the bank raised its rates again', 'money'),
    (u'a storm brings rain to the north', 'weather'),
    (u'shares of the bank fell, again', 'money'),
    (u'the keeper saved a late penalty', 'sport'),
    (u'sunny, then clouds and more wind', 'weather'),
    (u'the team won the cup at home', 'sport'),
    (u'markets rise as rates fall', 'money'),
    (u'storm ends the match: cup final off', 'sport'),
]
QUESTIONS = [u'late goals win the cup', u'WIND and rain', u'rates fall', u'über alles?']
TOPICS = ['sport', 'weather', 'money']


def write_vocabulary(path):
  words = sorted(set(word.strip('!,:?').lower()
                     for text, _ in SENTENCES for word in text.split()))
  with io.open(path, 'w', encoding='utf-8') as f:
    f.write(u'\n'.join(words) + u'\n')
  return len(words)


def tokenize(sentences):
  """Lower-cased words of a batch of sentences, as a sparse tensor of strings."""
  clean = tf.strings.regex_replace(sentences, '[!,:?]', '')
  # The era's way to lower the letters: one replacement each.
  for letter in 'RWAW':
    clean = tf.strings.regex_replace(clean, letter, letter.lower())
  clean = tf.strings.regex_replace(clean, 'IND', 'ind')
  return tf.string_split(clean, ' ')


class TableReport(tf.train.SessionRunHook):
  """Looks into the tables as soon as they are initialised."""

  def __init__(self, vocabulary, words):
    self.vocabulary, self.words = vocabulary, words

  def begin(self):
    self.size = self.vocabulary.size()
    self.unknown = self.vocabulary.lookup(tf.constant(['rain', 'nonsense', 'words']))

  def after_create_session(self, session, coord):
    size, ids = session.run([self.size, self.unknown])
    print('vocabulary: %d entries, ids %s' % (size, ids.tolist()))

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(fetches=self.words)

  def after_run(self, run_context, run_values):
    self.last_words = run_values.results

  def end(self, session):
    kinds = type(self.last_words).__name__
    print('last batch: %s with %d words, shape %s' % (
        kinds, len(self.last_words.values), self.last_words.dense_shape.tolist()))


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='topics')
  parser.add_argument('--steps', type=int, default=120)
  args = parser.parse_args()
  if not os.path.isdir(args.model_dir):
    os.makedirs(args.model_dir)
  vocabulary_file = os.path.join(args.model_dir, 'vocabulary.txt')
  num_words = write_vocabulary(vocabulary_file)

  sentences = tf.placeholder(tf.string, [None], name='sentences')
  topics = tf.placeholder(tf.string, [None], name='topics')
  words = tokenize(sentences)

  vocabulary = tf.lookup.StaticVocabularyTable(
      tf.lookup.TextFileInitializer(
          vocabulary_file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
          tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER),
      num_oov_buckets=5)
  topic_ids = tf.lookup.StaticHashTable(
      tf.lookup.KeyValueTensorInitializer(
          tf.constant(TOPICS), tf.constant([0, 1, 2], dtype=tf.int64)), default_value=-1)
  topic_names = tf.lookup.StaticHashTable(
      tf.lookup.KeyValueTensorInitializer(
          tf.constant([0, 1, 2], dtype=tf.int64), tf.constant(TOPICS)), default_value='?')

  word_ids = tf.SparseTensor(
      words.indices, vocabulary.lookup(words.values), words.dense_shape)
  embeddings = tf.get_variable(
      'embeddings', [num_words + 5, 8],
      initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=8))
  sentence_vector = tf.nn.embedding_lookup_sparse(
      embeddings, word_ids, sp_weights=None, combiner='mean')
  projection = tf.get_variable(
      'projection', [8, 3], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=9))
  logits = tf.matmul(sentence_vector, projection)
  labels = topic_ids.lookup(topics)
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits))
  best = tf.argmax(logits, 1)
  answers = tf.strings.join(
      [topic_names.lookup(best), tf.as_string(tf.strings.length(sentences))],
      separator='/')
  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.AdagradOptimizer(0.5).minimize(loss, global_step)

  texts, truth = zip(*SENTENCES)
  hooks = [TableReport(vocabulary, words), tf.train.StopAtStepHook(last_step=args.steps)]
  with tf.train.MonitoredTrainingSession(
      checkpoint_dir=args.model_dir, hooks=hooks, save_checkpoint_steps=60,
      save_summaries_steps=None, save_summaries_secs=None,
      log_step_count_steps=None) as sess:
    while not sess.should_stop():
      _, step, value = sess.run(
          [train_op, global_step, loss], {sentences: texts, topics: truth})
      if step % 30 == 0:
        print('step %d: loss %.7f' % (step, value))
        said = sess.run(answers, {sentences: QUESTIONS}) if not sess.should_stop() else []
        for question, answer in zip(QUESTIONS, said):
          print(u'  {} -> {}'.format(question.encode('ascii', 'replace').decode(),
                                     answer.decode('utf-8')))


if __name__ == '__main__':
  main()
