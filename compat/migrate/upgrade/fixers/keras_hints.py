"""U302: says how each training call looks in Keras; the model itself is for a person to move."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.tree import descendants
from compat.migrate.upgrade.context import FileContext
from compat.migrate.upgrade.registry import KERAS, fixer

_SESSIONS = {
    "train.MonitoredTrainingSession",
    "train.SingularMonitoredSession",
    "train.MonitoredSession",
}
_FIT = "model.fit(dataset, callbacks=[*hooks]) runs the same hook objects"
_HINTS = {
    "train": f"estimator.train(hooks=…): {_FIT}; saving_listeners go into a "
    "compat.CheckpointSaverHook(listeners=…)",
    "evaluate": "estimator.evaluate(hooks=…): model.evaluate(dataset, callbacks=[*hooks])",
    "predict": "estimator.predict(hooks=…): model.predict(dataset, callbacks=[*hooks])",
}


@fixer("U302", "say how training calls look in Keras", (KERAS,), "file")
def fix(context: FileContext) -> None:
    """Adds a remark for every training call."""
    public = {}
    for use in context.uses:
        name = lookup.tensorflow_name(use.path) or ""
        public[id(use.chain.node)] = lookup.public_name(name) or name
    for call in _calls(context.module):
        name = public.get(id(call.func), "")
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if name in _SESSIONS:
            context.remark("U302", call, f"session loop: {_FIT}, with the step as train_step")
        elif name == "estimator.train_and_evaluate":
            text = f"train_and_evaluate: {_FIT}; validation_data=… evaluates"
            context.remark("U302", call, text)
        elif method in _HINTS and not name and _passes_hooks(call):
            context.remark("U302", call, _HINTS[method])


def _calls(module: cst.Module) -> Iterator[cst.Call]:
    return (node for node in descendants(module) if isinstance(node, cst.Call))


def _passes_hooks(call: cst.Call) -> bool:
    keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    return bool(keywords & {"hooks", "saving_listeners"})
