"""Reads the digits into tf.data pipelines."""
import numpy as np
from sklearn import datasets
import tensorflow as tf

from digits_lib.config import FLAGS

SPLITS = {'train': slice(0, 1437), 'test': slice(1437, None)}


def _arrays(split):
  digits = datasets.load_digits()
  features = (digits.data[SPLITS[split]] / 16.0).astype(np.float32)
  return features, digits.target[SPLITS[split]].astype(np.int64)


def input_fn(split, batch_size, epochs=None):
  features, labels = _arrays(split)
  if split == 'train' and FLAGS.shuffle:
    order = np.random.RandomState(4).permutation(len(labels))
    features, labels = features[order], labels[order]
  dataset = tf.data.Dataset.from_tensor_slices({'pixels': features, 'label': labels})
  batch = dataset.repeat(epochs).batch(batch_size).make_one_shot_iterator().get_next()
  return {'pixels': batch['pixels']}, batch['label']
