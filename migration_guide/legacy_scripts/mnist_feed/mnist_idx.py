"""Handwritten digits in the IDX files of the MNIST site.

`maybe_write` makes the four .gz files out of scikit-learn's digits, enlarged to
28x28; `read_data_sets` reads such files and hands out minibatches.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import gzip
import os
import struct

import numpy as np
from sklearn.datasets import load_digits

Datasets = collections.namedtuple('Datasets', ['train', 'test'])


def _write_images(path, images):
  with gzip.open(path, 'wb') as f:
    f.write(struct.pack('>IIII', 2051, len(images), 28, 28))
    f.write(images.astype(np.uint8).tobytes())


def _write_labels(path, labels):
  with gzip.open(path, 'wb') as f:
    f.write(struct.pack('>II', 2049, len(labels)))
    f.write(labels.astype(np.uint8).tobytes())


def maybe_write(data_dir, num_train=1200, num_test=400):
  if os.path.exists(os.path.join(data_dir, 'train-images-idx3-ubyte.gz')):
    return
  if not os.path.exists(data_dir):
    os.makedirs(data_dir)
  digits = load_digits()
  order = np.random.RandomState(3).permutation(len(digits.target))
  big = np.kron(digits.images[order], np.ones((1, 3, 3)))
  big = np.pad(big, ((0, 0), (2, 2), (2, 2)), 'constant') * 255.0 / 16.0
  labels = digits.target[order]
  for name, start, stop in [('train', 0, num_train),
                            ('t10k', num_train, num_train + num_test)]:
    prefix = os.path.join(data_dir, name)
    _write_images(prefix + '-images-idx3-ubyte.gz', big[start:stop])
    _write_labels(prefix + '-labels-idx1-ubyte.gz', labels[start:stop])


def _read_images(path):
  with gzip.open(path, 'rb') as f:
    magic, count, rows, cols = struct.unpack('>IIII', f.read(16))
    if magic != 2051:
      raise ValueError('Wrong magic number %d in %s' % (magic, path))
    pixels = np.frombuffer(f.read(), dtype=np.uint8)
    return pixels.reshape(count, rows * cols).astype(np.float32) / 255.0


def _read_labels(path):
  with gzip.open(path, 'rb') as f:
    magic, count = struct.unpack('>II', f.read(8))
    if magic != 2049:
      raise ValueError('Wrong magic number %d in %s' % (magic, path))
    return np.frombuffer(f.read(count), dtype=np.uint8).astype(np.int32)


class DataSet(object):

  def __init__(self, images, labels, seed):
    self.images, self.labels = images, labels
    self.num_examples = len(labels)
    self._rng = np.random.RandomState(seed)
    self._order = self._rng.permutation(self.num_examples)
    self._at = 0

  def next_batch(self, batch_size):
    if self._at + batch_size > self.num_examples:
      self._order = self._rng.permutation(self.num_examples)
      self._at = 0
    chosen = self._order[self._at:self._at + batch_size]
    self._at += batch_size
    return self.images[chosen], self.labels[chosen]


def read_data_sets(data_dir):
  sets = []
  for seed, name in enumerate(['train', 't10k']):
    prefix = os.path.join(data_dir, name)
    sets.append(DataSet(_read_images(prefix + '-images-idx3-ubyte.gz'),
                        _read_labels(prefix + '-labels-idx1-ubyte.gz'), seed))
  return Datasets(*sets)
