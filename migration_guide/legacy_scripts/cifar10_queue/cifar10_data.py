"""Writes pictures in the binary CIFAR-10 format.

A record is one byte for the label and 3072 bytes for the picture: the 32x32 red
plane, then the green one, then the blue one. The pictures are scikit-learn's digits,
enlarged, painted in two colours each and grainy.
"""
import os

import numpy as np
from sklearn.datasets import load_digits

TRAIN_FILES = ['data_batch_%d.bin' % i for i in range(1, 4)]
TEST_FILE = 'test_batch.bin'
RECORDS_PER_FILE = 160


def _paint(image, rng):
  """Turns an 8x8 picture of values 0..16 into 3x32x32 bytes."""
  big = np.kron(image, np.ones((4, 4))) / 16.0
  ink, paper = rng.randint(120, 256, size=3), rng.randint(0, 90, size=3)
  planes = [paper[c] + big * (ink[c] - paper[c]) for c in range(3)]
  grain = rng.randint(-20, 21, size=(3, 32, 32))
  return np.clip(np.stack(planes) + grain, 0, 255).astype(np.uint8)


def write_files(data_dir):
  """Writes all files that are not there yet."""
  if not os.path.exists(data_dir):
    os.makedirs(data_dir)
  digits = load_digits()
  rng = np.random.RandomState(0)
  order = rng.permutation(len(digits.target))
  for index, name in enumerate(TRAIN_FILES + [TEST_FILE]):
    chosen = order[index * RECORDS_PER_FILE:(index + 1) * RECORDS_PER_FILE]
    records = [
        np.concatenate([[digits.target[i]], _paint(digits.images[i], rng).ravel()])
        for i in chosen]
    path = os.path.join(data_dir, name)
    if not os.path.exists(path):
      np.stack(records).astype(np.uint8).tofile(path)
