"""U106: in files that take TF2 as `tf`, what asks for TF1 is taken from `compat.v1`.

import tensorflow as tf                import tensorflow as tf
import compat.v1 as tf1
tf.compat.v1.train.SessionRunHook      tf1.train.SessionRunHook
tf.estimator.SessionRunHook            tf1.estimator.SessionRunHook
"""

from __future__ import annotations

from compat.migrate.upgrade.context import FileContext, Use
from compat.migrate.upgrade.fixers.root_imports import asks_for_tf1
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer


@fixer("U106", "TF1 parts of a TF2 file come from compat.v1", (DROPIN, KERAS), "chain")
def fix(context: FileContext, use: Use) -> bool:
    """Writes one use of tf.compat.v1 or tf.estimator with the namespace."""
    chain = use.chain
    if not context.tf2_style or not use.path.startswith("tensorflow."):
        return False
    if not asks_for_tf1(use.path):
        return False
    written = use.path.split(".")[1:]
    if list(chain.attributes) != written[len(written) - len(chain.attributes) :]:
        return False
    if len(chain.attributes) < len(written):
        return False  # The name was imported; the import is rewritten.
    count = 2 if written[:2] == ["compat", "v1"] else 0
    alias = context.namespace_alias(chain.scope, preferred="tf1")
    context.rename(chain, count, alias, "U106")
    return True
