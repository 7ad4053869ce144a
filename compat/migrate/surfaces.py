"""Judges on which surfaces a hook class can run, from what its methods do.

The surfaces are the graph session (the legacy script as it is), the session around a
tf.function step, and Keras fit. A hook that only counts, times, logs and asks for
named values runs on all three; one that restores iterators or walks into the session's
insides belongs to the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from compat.migrate import lookup, symbols
from compat.migrate.source.scopes import ClassSite, Names
from compat.migrate.source.tree import descendants, dotted, string_value

SESSION = "graph session"
FUNCTION = "tf.function step"
FIT = "Keras fit"
SURFACES = (SESSION, FUNCTION, FIT)

YES = "yes"
CHANGES = "with changes"
NO = "no"


class Effect(NamedTuple):
    """What one habit of a hook means for the surfaces.

    Attributes:
      function: Whether it runs around a tf.function step.
      fit: Whether it runs in Keras fit.
      reason: Why, or what to change; `{}` takes the name found.
    """

    function: str
    fit: str
    reason: str


#: Habits that matter, by key.
EFFECTS = {
    "constructor-tensor": Effect(
        CHANGES,
        CHANGES,
        'fetches `{}`, which the caller passes in: pass its name, such as "loss:0"',
    ),
    "named-tensor": Effect(
        CHANGES, CHANGES, "fetches {!r}: the step must return it, the model must have it"
    ),
    "named-operation": Effect(
        NO, NO, "runs the graph operation {!r}, which only the legacy graph has"
    ),
    "built-in-constructor": Effect(
        CHANGES, CHANGES, "builds graph ops with {} in __init__: move them to begin()"
    ),
    "initializer": Effect(NO, NO, "runs `{}`: input pipelines and tables belong to the graph"),
    "queues": Effect(NO, NO, "uses {}: queues belong to the graph"),
    "session-insides": Effect(NO, NO, "reaches into the session by `{}`"),
    "estimator": Effect(
        CHANGES, CHANGES, "calls `{}` of an Estimator: call the model's own in its place"
    ),
    "fed-tensor": Effect(
        CHANGES, CHANGES, 'feeds `{}`: feed by name ("x:0") or a placeholder made in begin()'
    ),
    "unfinalize": Effect(NO, NO, "changes a finished graph by `{}`"),
}


class Trait(NamedTuple):
    """One habit found in a class.

    Attributes:
      key: A key of `EFFECTS`.
      detail: The name it is about.
      node: Where.
    """

    key: str
    detail: str
    node: cst.CSTNode


class Surface(NamedTuple):
    """The verdict for one surface.

    Attributes:
      name: One of `SURFACES`.
      answer: `yes`, `with changes` or `no`.
      reasons: Why not simply yes.
    """

    name: str
    answer: str
    reasons: tuple[str, ...] = ()


_TENSOR_NAME = re.compile(r"^[\w./-]+:\d+$")
# Values that every surface offers by name.
_COMMON_TENSORS = {"loss", "global_step", "output", "x", "y", "sample_weight", "learning_rate"}
_ESTIMATOR_CALLS = {"evaluate", "predict", "train", "export_saved_model", "export_savedmodel"}
_INSIDES = {"_sess", "_tf_sess", "_coordinated_creator", "raw_session"}
_UNFINALIZE = {"_unsafe_unfinalize"}
_INITIALIZERS = {"initializer", "make_initializer"}
_QUEUE_NAMES = ("train.start_queue_runners", "GraphKeys.QUEUE_RUNNERS", "FIFOQueue")
# Calls that look something up in a graph or carry values, and build nothing.
_NOT_OPS = (
    "train.SessionRun",
    "train.SecondOrStepTimer",
    "train.get_",
    "get_default_graph",
    "get_collection",
    "GraphKeys",
    "logging.",
    "gfile.",
    "flags.",
    "app.",
    "compat.",
    "summary.FileWriter",
    "RunOptions",
    "RunMetadata",
    "ConfigProto",
    "errors.",
    "trainable_variables",
    "global_variables",
    "local_variables",
)


def judge(traits: list[tuple[str, str]]) -> tuple[Surface, ...]:
    """Gives the verdict on each surface.

    Args:
      traits: The keys and details of the habits found.

    Returns:
      One `Surface` for each of `SURFACES`.
    """
    answers = {SESSION: YES, FUNCTION: YES, FIT: YES}
    reasons: dict[str, dict[str, None]] = {name: {} for name in SURFACES}
    ranks = (YES, CHANGES, NO)
    for key, detail in traits:
        effect = EFFECTS[key]
        for surface, answer in ((FUNCTION, effect.function), (FIT, effect.fit)):
            answers[surface] = max(answers[surface], answer, key=ranks.index)
            if answer != YES:
                reasons[surface][effect.reason.format(detail)] = None
    return tuple(Surface(name, answers[name], tuple(reasons[name])) for name in SURFACES)


def find_traits(site: ClassSite, names: Names) -> list[Trait]:
    """Lists the habits of one class that matter to the surfaces.

    Args:
      site: The class.
      names: The names of its module.

    Returns:
      The habits, in the order of the text.
    """
    given = _attributes_from_parameters(site.node)
    tensorflow = _tensorflow_calls(site, names)
    found: list[Trait] = []
    for method in _methods(site.node):
        for node in descendants(method.body):
            if isinstance(node, cst.Call):
                found += _call_traits(node, given, tensorflow, method.name.value)
            elif isinstance(node, cst.Attribute):
                found += _attribute_traits(node, tensorflow)
    return found


def _methods(node: cst.ClassDef) -> list[cst.FunctionDef]:
    return [child for child in node.body.body if isinstance(child, cst.FunctionDef)]


def method_names(node: cst.ClassDef) -> tuple[str, ...]:
    """The methods a class defines itself."""
    return tuple(method.name.value for method in _methods(node))


def _attributes_from_parameters(node: cst.ClassDef) -> dict[str, str]:
    """`self._loss = loss` in __init__: {"self._loss": "loss"}."""
    found: dict[str, str] = {}
    for method in _methods(node):
        if method.name.value != "__init__":
            continue
        params = {p.name.value for p in (*method.params.params, *method.params.kwonly_params)}
        for statement in descendants(method.body):
            if not isinstance(statement, cst.Assign):
                continue
            value = statement.value
            for target in statement.targets:
                name = dotted(target.target)
                if name and isinstance(value, cst.Name) and value.value in params:
                    found[name] = value.value
    return found


def _tensorflow_calls(site: ClassSite, names: Names) -> dict[int, str]:
    """The TensorFlow name that each expression of the class leads to, by node."""
    inside = {id(node) for node in descendants(site.node)}
    found = {}
    for chain in names.chains:
        if id(chain.node) in inside:
            for path in names.resolve(chain):
                name = lookup.tensorflow_name(path)
                if name:
                    found[id(chain.node)] = lookup.public_name(name) or name
    return found


def _call_traits(
    node: cst.Call, given: dict[str, str], tensorflow: dict[int, str], method: str
) -> Iterator[Trait]:
    function = tensorflow.get(id(node.func), "")
    leaf = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
    if function.endswith("SessionRunArgs"):
        yield from _fetch_traits(node, given)
    elif leaf in ("get_tensor_by_name", "get_operation_by_name") and node.args:
        text = string_value(node.args[0].value)
        if leaf == "get_operation_by_name":
            yield Trait("named-operation", text or "…", node)
        elif text is not None and text.partition(":")[0] not in _COMMON_TENSORS:
            yield Trait("named-tensor", text, node)
    elif leaf in _ESTIMATOR_CALLS and "estimator" in (dotted(node.func) or "").lower():
        yield Trait("estimator", leaf, node)
    elif method == "__init__" and _builds_ops(function):
        yield Trait("built-in-constructor", f"tf.{function}", node)
    if function in _QUEUE_NAMES:
        yield Trait("queues", f"tf.{function}", node)
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value == "feed_dict":
            yield from _feed_traits(argument.value, given)


def _builds_ops(function: str) -> bool:
    leaf = function.rpartition(".")[2]
    return function[:1].islower() and not function.startswith(_NOT_OPS) and leaf[-4:] != "Hook"


def _fetch_traits(node: cst.Call, given: dict[str, str]) -> Iterator[Trait]:
    fetches = [
        argument.value
        for position, argument in enumerate(node.args)
        if (argument.keyword is None and position == 0)
        or (argument.keyword is not None and argument.keyword.value == "fetches")
    ]
    for fetch in fetches:
        for part in descendants(fetch):
            text = string_value(part)
            if text is not None and _TENSOR_NAME.match(text):
                if text.partition(":")[0] not in _COMMON_TENSORS:
                    yield Trait("named-tensor", text, part)
            elif isinstance(part, cst.Attribute) and dotted(part) in given:
                yield Trait("constructor-tensor", dotted(part) or "", part)


def _feed_traits(value: cst.BaseExpression, given: dict[str, str]) -> Iterator[Trait]:
    if isinstance(value, cst.Dict):
        for element in value.elements:
            if isinstance(element, cst.DictElement) and dotted(element.key) in given:
                yield Trait("fed-tensor", dotted(element.key) or "", element.key)
    elif dotted(value) in given:
        yield Trait("fed-tensor", dotted(value) or "", value)


def _attribute_traits(node: cst.Attribute, tensorflow: dict[int, str]) -> Iterator[Trait]:
    leaf = node.attr.value
    name = dotted(node) or leaf
    if leaf in _INITIALIZERS and id(node) not in tensorflow:
        yield Trait("initializer", name, node)
    elif leaf in _UNFINALIZE:
        yield Trait("unfinalize", name, node)
    elif leaf in _INSIDES and not name.startswith("self.") and id(node) not in tensorflow:
        yield Trait("session-insides", name, node)
    elif tensorflow.get(id(node), "") in _QUEUE_NAMES:
        yield Trait("queues", f"tf.{tensorflow[id(node)]}", node)


def looks_like_hook(methods: tuple[str, ...]) -> bool:
    """Whether a class without a known base has a hook's methods."""
    return "before_run" in methods and "after_run" in methods


def interesting(methods: tuple[str, ...]) -> bool:
    """Whether a class may turn out to be a hook or a listener."""
    return bool({*symbols.HOOK_METHODS, *symbols.LISTENER_METHODS} & set(methods))
