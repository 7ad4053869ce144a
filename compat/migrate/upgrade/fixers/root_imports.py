"""U101: every import of TensorFlow's API becomes one of `compat.v1`.

    import tensorflow as tf                      import compat.v1 as tf
    from tensorflow.train import Saver           from compat.v1.train import Saver
    from tensorflow.compat import v1 as tf       import compat.v1 as tf
    import tensorflow.keras.backend as K         import compat.v1.keras.backend as K

In files that take TF2 as `tf`, only what asks for TF1 is changed.
"""

from __future__ import annotations

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import NAMESPACE, FileContext
from compat.migrate.upgrade.private import keeps_full_paths
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer


@fixer("U101", "imports of TensorFlow become imports of compat.v1", (DROPIN, KERAS), "import")
def fix(context: FileContext, imported: ImportedName) -> str | None:
    """Gives the new path of an imported name."""
    name = lookup.tensorflow_name(imported.path)
    if name is None or imported.path.startswith("compat."):
        return None
    if name.startswith(("tensorflow.", "tensorflow_estimator.", "compat.v2")) or name == "compat":
        return None
    if context.tf2_style and not asks_for_tf1(imported.path):
        return None
    plain = isinstance(imported.statement, cst.Import) and imported.alias is not None
    if plain and imported.alias is not None and imported.alias.asname is None:
        # It binds the top name whatever the rest of the path is.
        return None if keeps_full_paths(context) else NAMESPACE
    return f"{NAMESPACE}.{name}" if name else NAMESPACE


def asks_for_tf1(path: str) -> bool:
    """Whether a path means TF1 even where `tf` is TF2."""
    name = lookup.tensorflow_name(path) or ""
    if path.startswith(("tensorflow.compat.v1", "tensorflow_estimator")):
        return True
    return name == "estimator" or name.startswith("estimator.")
