"""The vocabulary graph: where hooks look names up and build ops when no legacy graph exists.

On the tf.function and Keras surfaces the computation is not a legacy graph, yet hooks
ask a default graph for names, variables and collections. This graph offers them: bound
variables stand for live eager ones, and placeholders for values that a step supplies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

#: The name of the bound variable that counts steps, where there is one.
GLOBAL_STEP = "global_step"

_NOT_IN_OP_NAMES = re.compile(r"[^A-Za-z0-9_.\\/>-]")


class VocabularyGraph(tf.Graph):
    """A graph of names for what lives outside it.

    Attributes:
      bound: Variable nodes' names -> the eager variables that they stand for.
      wholes: Nodes' names -> what to assign to, where that is more than the one variable
        in `bound`: a variable with a copy on each device.
      offers: Tensor names (`"loss:0"`) -> placeholders whose values a step supplies.
      own_step: A global step that nobody else counts, so that each step's run does.
    """

    def __init__(self, spec_of: Callable[[str], tf.TensorSpec | None]):
        """Starts an empty vocabulary.

        Args:
          spec_of: Tells shape and dtype of what a step can supply under a name
            (`"loss:0"`), or None for a name that no step knows. Such a name becomes a
            placeholder when it is first looked up, as long as the graph may grow.
        """
        super().__init__()
        self.bound: dict[str, tf.Variable] = {}
        self.wholes: dict[str, Any] = {}
        self.offers: dict[str, tf.Tensor] = {}
        self.own_step: tf.Variable | None = None
        self._spec_of = spec_of
        self._aliases: dict[str, str] = {}
        self._nodes_by_object: dict[int, tuple[Any, tf.Tensor]] = {}
        self._names_by_object: dict[int, tuple[Any, str]] = {}
        with self.as_default(), v1.variable_scope(v1.get_variable_scope()):
            pass  # Makes the stores that entering a strategy's scope asks a finalized graph for.

    def bind(
        self,
        name: str,
        variable: tf.Variable,
        collections: Iterable[str],
        trainable: bool = False,
        aliases: Iterable[str] = (),
        objects: Iterable[Any] = (),
        whole: Any = None,
    ) -> tf.Variable:
        """Adds a variable node that stands for an eager variable.

        Args:
          name: The node's name, without `":0"`.
          variable: The eager variable.
          collections: Graph collections to add it to.
          trainable: Whether it counts as trainable.
          aliases: Other names under which it is found.
          objects: Other objects, such as a Keras variable, that stand for it in fetches.
          whole: What to assign to, if that is more than `variable` itself.

        Returns:
          The graph's variable.
        """
        with self.as_default():
            node = v1.Variable(
                initial_value=lambda: tf.zeros(_static(variable.shape), variable.dtype),
                name=_op_name(name),
                trainable=trainable,
                collections=list(collections),
                dtype=variable.dtype,
                use_resource=True,
                shape=variable.shape,
            )
        self.bound[node.op.name] = variable
        if whole is not None:
            self.wholes[node.op.name] = whole
        element = super().as_graph_element(node)
        for stand_in in (variable, *objects):
            self._nodes_by_object[id(stand_in)] = (stand_in, element)
        for alias in (name, *aliases):
            if alias != node.op.name:
                self._aliases[alias] = node.op.name
        return node

    def offer_as(self, obj: Any, name: str) -> None:
        """Lets an object, such as a layer's symbolic output, stand for a name in fetches."""
        self._names_by_object[id(obj)] = (obj, name)

    def offered_name(self, obj: Any) -> str | None:
        """The name (`"loss:0"`) by which a step is asked for what `obj` names or stands for."""
        if id(obj) in self._names_by_object:
            return self._names_by_object[id(obj)][1]
        if isinstance(obj, str):
            return obj if ":" in obj else obj + ":0"
        return None

    def variable_of(self, tensor: tf.Tensor) -> str | None:
        """The node of the bound variable that `tensor` is the handle or the value of."""
        op = tensor.op.inputs[0].op if tensor.op.type == "ReadVariableOp" else tensor.op
        return op.name if op.name in self.bound else None

    def assign(self, name: str, value: Any) -> None:
        """Sets a bound variable, on every device that has a copy of it."""
        self.wholes.get(name, self.bound[name]).assign(value)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """Like the base class, for aliases, bound objects and names that a step supplies."""
        known = self._nodes_by_object.get(id(obj))
        if known is not None:
            return known[1]
        if id(obj) in self._names_by_object:
            obj = self._names_by_object[id(obj)][1]
        try:
            return super().as_graph_element(obj, allow_tensor, allow_operation)
        except KeyError:
            if not isinstance(obj, str):
                raise
            stem, colon, index = obj.partition(":")
            if stem in self._aliases:
                return super().as_graph_element(
                    self._aliases[stem] + colon + index, allow_tensor, allow_operation
                )
            if obj in self.offers:
                return self.offers[obj]
            spec = self._spec_of(obj) if colon and allow_tensor and not self.finalized else None
            if spec is None:
                raise
            return self._offer(obj, spec)

    def get_tensor_by_name(self, name):
        """Like the base class, but a variable's name gives its value, not its handle.

        That is what TF1's own variables, which had no handles, gave.
        """
        tensor = super().get_tensor_by_name(name)
        if tensor.dtype == tf.resource:
            keys = (v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.LOCAL_VARIABLES)
            for variable in (item for key in keys for item in self.get_collection(key)):
                if getattr(variable, "handle", None) is tensor:
                    return self.as_graph_element(variable)
        return tensor

    def _offer(self, name: str, spec: tf.TensorSpec) -> tf.Tensor:
        with self.as_default(), v1.name_scope(None), tf.control_dependencies(None):
            stem = _op_name(name.removesuffix(":0"))
            self.offers[name] = v1.placeholder(spec.dtype, spec.shape, name=stem)
        return self.offers[name]


def _op_name(name: str) -> str:
    """A name without the characters that Keras allows and graphs don't."""
    name = _NOT_IN_OP_NAMES.sub("_", name)
    return name if name[:1].isalnum() or name[:1] == "." else "." + name


def _static(shape: tf.TensorShape) -> list[int]:
    return [size or 0 for size in shape.as_list()] if shape.rank is not None else []
