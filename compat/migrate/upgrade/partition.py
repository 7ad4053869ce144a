"""Sorts the statements before a session loop: what stays, and what goes into the step.

Each name gets a kind. Placeholders become the step's arguments, tensors and train ops go
into it, variables, optimizers and datasets stay outside. Where a statement has no
certain place, `Undecided` says why.
"""

from __future__ import annotations

import builtins
from typing import NamedTuple

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.tree import descendants, dotted, string_value
from compat.migrate.upgrade import purity
from compat.migrate.upgrade.context import FileContext
from compat.migrate.upgrade.loops import Undecided, given_arguments, public_names

PLACEHOLDER = "placeholder"
TENSOR = "tensor"
VARIABLE = "variable"
STEP = "global step"
OPTIMIZER = "optimizer"
TRAIN = "train op"
ITERATOR = "iterator"

# Kinds whose values exist only while a graph, or a step, is built.
_GRAPH_KINDS = {PLACEHOLDER, TENSOR, TRAIN}


class Train(NamedTuple):
    """A `minimize` call.

    Attributes:
      name: The train op's name.
      line: Its statement.
      optimizer: The optimizer's name, or the expression that makes it.
      loss: The loss's name.
      step: The global step's name, or the expression for it, or None.
    """

    name: str
    line: cst.SimpleStatementLine
    optimizer: str | cst.BaseExpression
    loss: str
    step: str | cst.BaseExpression | None


class Draw(NamedTuple):
    """A `get_next` call.

    Attributes:
      line: Its statement.
      target: What it is assigned to.
      iterator: The iterator's name, or None if it is made in the same statement.
      dataset: The dataset's expression, if it is.
    """

    line: cst.SimpleStatementLine
    target: cst.BaseExpression
    iterator: str | None
    dataset: cst.BaseExpression | None


class Partition:
    """The statements before one session loop, sorted.

    Args:
      context: The file.

    Attributes:
      kinds: The kind of each name.
      placeholders: For each placeholder its name, shape and dtype, as written.
      moved: The statements that go into the step, in order.
      removed: The statements that are not needed any more.
      iterators: For each line that makes an iterator, the dataset's expression.
      draws: The `get_next` calls by line.
      train: The `minimize` call, if there is one.
      named: Nodes in hook arguments that become tensor names.
      taken: Names of the tensors that hooks ask for.
    """

    def __init__(self, context: FileContext):
        self._context = context
        self._names = public_names(context)
        self.kinds: dict[str, str] = {}
        self.placeholders: list[tuple[str, str, str]] = []
        self.moved: list[cst.SimpleStatementLine] = []
        self.removed: list[cst.SimpleStatementLine] = []
        self.iterators: dict[cst.SimpleStatementLine, cst.BaseExpression] = {}
        self.draws: dict[cst.SimpleStatementLine, Draw] = {}
        self.train: Train | None = None
        self.named: list[cst.Name] = []
        self.taken: dict[str, None] = {}
        self.lines: list[cst.SimpleStatementLine] = []
        self._seeds: set[str] = set()

    # Statements

    def add(self, statement: cst.CSTNode) -> None:
        """Sorts one statement.

        Args:
          statement: A statement of the block, in order.

        Raises:
          Undecided: If it has no certain place.
        """
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            return
        if not isinstance(statement, cst.SimpleStatementLine):
            if self._touches_graph(statement):
                raise Undecided("graph code stands in a nested block")
            return
        self.lines.append(statement)
        for small in statement.body:
            if isinstance(small, (cst.Import, cst.ImportFrom, cst.Pass, cst.Global, cst.Nonlocal)):
                continue
            if not self._touches_graph(small):
                continue
            if len(statement.body) != 1:
                raise Undecided("several statements stand on one line")
            self._graph_statement(statement, small)

    def _graph_statement(
        self, line: cst.SimpleStatementLine, small: cst.BaseSmallStatement
    ) -> None:
        if isinstance(small, cst.Expr):
            if self._op(small.value) in purity.SWITCHES:
                self.removed.append(line)
                return
            if self._is_hooks(small.value):
                self.hooks(small.value)
                return
            raise Undecided(f"`{self._text(small)}` is run for its effect on the graph")
        if not isinstance(small, cst.Assign) or len(small.targets) != 1:
            raise Undecided(f"`{self._text(small)}` is no plain assignment")
        target = small.targets[0].target
        if isinstance(target, cst.Name):
            self._assign(line, target.value, small.value)
        elif isinstance(target, cst.Tuple):
            self._assign_many(line, target, small.value)
        else:
            raise Undecided(f"`{self._text(small)}` keeps a tensor in an object")

    def _assign(self, line: cst.SimpleStatementLine, name: str, value: cst.BaseExpression) -> None:
        op = self._op(value)
        if op == "placeholder":
            self._placeholder(line, name, value)
        elif op in ("Variable", "get_variable"):
            self._variable(name, value)
        elif op.startswith("train.") and op.endswith("_global_step"):
            self.kinds[name] = STEP
        elif op in purity.OPTIMIZERS:
            self._check_optimizer(value)
            self.kinds[name] = OPTIMIZER
        elif self._minimize(line, name, value) or self._data(line, name, value):
            return
        elif self._is_hooks(value):
            self.hooks(value)
        else:
            self._tensor(line, [name], value)

    def _assign_many(
        self, line: cst.SimpleStatementLine, target: cst.Tuple, value: cst.BaseExpression
    ) -> None:
        names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
        if len(names) != len(target.elements):
            raise Undecided(f"`{self._text(target)}` are no plain names")
        if self._draw(line, target, names, value):
            return
        self._tensor(line, names, value)

    # Kinds

    def _placeholder(
        self, line: cst.SimpleStatementLine, name: str, value: cst.BaseExpression
    ) -> None:
        assert isinstance(value, cst.Call)
        given = given_arguments(value, ("dtype", "shape", "name"))
        if given is None or "dtype" not in given:
            raise Undecided(f"the placeholder {name} has other arguments than dtype and shape")
        for argument in given.values():
            self._without_graph(argument, "the placeholder")
        shape = self._text(given["shape"]) if "shape" in given else "None"
        self.kinds[name] = PLACEHOLDER
        self.placeholders.append((name, shape, self._text(given["dtype"])))
        self.removed.append(line)

    def _variable(self, name: str, value: cst.BaseExpression) -> None:
        for node in descendants(value):
            op = self._names.get(node, "")
            known = purity.is_pure(op) or purity.is_neutral(op) or op in purity.INITIAL
            if op and not known and op not in ("Variable", "get_variable"):
                raise Undecided(f"tf.{op} gives the variable {name} its first value")
            if isinstance(node, cst.Name) and self.kinds.get(node.value) in _GRAPH_KINDS:
                raise Undecided(f"the variable {name} starts from a tensor")
            if isinstance(node, cst.Arg) and node.keyword and node.keyword.value == "seed":
                self._seed(self._text(node.value))
            positional = [a for a in getattr(node, "args", ()) if a.keyword is None]
            if self._op(node) in purity.INITIAL and len(positional) > 3:
                raise Undecided(f"the variable {name} may have a seed")
        self.kinds[name] = VARIABLE

    def _seed(self, seed: str) -> None:
        # Eagerly, two random ops with one seed share a sequence; in a graph each has its own.
        if seed in self._seeds:
            raise Undecided(f"two initial values use the seed {seed}")
        self._seeds.add(seed)

    def _minimize(
        self, line: cst.SimpleStatementLine, name: str, value: cst.BaseExpression
    ) -> bool:
        if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Attribute):
            return False
        if value.func.attr.value != "minimize":
            return False
        maker = value.func.value
        optimizer: str | cst.BaseExpression
        if isinstance(maker, cst.Name) and self.kinds.get(maker.value) == OPTIMIZER:
            optimizer = maker.value
        elif self._op(maker) in purity.OPTIMIZERS:
            self._check_optimizer(maker)
            optimizer = maker
        else:
            raise Undecided("the optimizer is not one of tf.train made nearby")
        if self.train is not None:
            raise Undecided("there are several train ops")
        given = given_arguments(value, ("loss", "global_step"))
        if given is None or not isinstance(given.get("loss"), cst.Name):
            raise Undecided("minimize has other arguments than the loss and the global step")
        loss = self._text(given["loss"])
        step = self._step(given["global_step"]) if "global_step" in given else None
        if self.kinds.get(loss) != TENSOR:
            raise Undecided("the loss is not computed nearby")
        self.kinds[name] = TRAIN
        self.train = Train(name, line, optimizer, loss, step)
        return True

    def _check_optimizer(self, value: cst.CSTNode) -> None:
        self._without_graph(value, "the optimizer")
        for node in descendants(value):
            op = self._names.get(node, "")
            if op and op not in purity.OPTIMIZERS and not purity.is_neutral(op):
                raise Undecided(f"the optimizer depends on tf.{op}")

    def _step(self, value: cst.BaseExpression) -> str | cst.BaseExpression:
        if isinstance(value, cst.Name) and self.kinds.get(value.value) == STEP:
            return value.value
        if self._op(value).endswith("_global_step"):
            return value
        raise Undecided("the global step is not made nearby")

    def _data(self, line: cst.SimpleStatementLine, name: str, value: cst.BaseExpression) -> bool:
        dataset = self._iterated(value)
        if dataset is not None:
            self.kinds[name] = ITERATOR
            self.iterators[line] = dataset
            return True
        return self._draw(line, cst.Name(name), [name], value)

    def _iterated(self, value: cst.BaseExpression) -> cst.BaseExpression | None:
        """The dataset of `dataset.make_one_shot_iterator()`, else None."""
        if not isinstance(value, cst.Call):
            return None
        if self._op(value) == "data.make_one_shot_iterator" and len(value.args) == 1:
            self._without_graph(value.args[0].value, "the dataset")
            return value.args[0].value
        function = value.func
        if isinstance(function, cst.Attribute) and not value.args:
            if function.attr.value == "make_one_shot_iterator":
                self._without_graph(function.value, "the dataset")
                return function.value
            if function.attr.value == "make_initializable_iterator":
                raise Undecided("an initializable iterator feeds the step")
        return None

    def _draw(
        self,
        line: cst.SimpleStatementLine,
        target: cst.BaseExpression,
        names: list[str],
        value: cst.BaseExpression,
    ) -> bool:
        if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Attribute):
            return False
        if value.func.attr.value != "get_next":
            return False
        source = value.func.value
        if isinstance(source, cst.Name) and self.kinds.get(source.value) == ITERATOR:
            self.draws[line] = Draw(line, target, source.value, None)
        else:
            dataset = self._iterated(source)
            if dataset is None:
                raise Undecided("an iterator from elsewhere feeds the step")
            self.draws[line] = Draw(line, target, None, dataset)
        self.kinds.update(dict.fromkeys(names, TENSOR))
        self.moved.append(line)
        return True

    def _tensor(
        self, line: cst.SimpleStatementLine, names: list[str], value: cst.BaseExpression
    ) -> None:
        self.check_pure(value)
        self.kinds.update(dict.fromkeys(names, TENSOR))
        self.moved.append(line)

    def check_pure(self, value: cst.CSTNode, depth: int = 0) -> None:
        """Makes sure that an expression has no state and makes no variable.

        Args:
          value: The expression, or the body of a function of the file.
          depth: How many calls led here.

        Raises:
          Undecided: If it may have.
        """
        for node in descendants(value):
            op = self._names.get(node, "")
            if op and not purity.is_pure(op) and not purity.is_neutral(op):
                raise Undecided(f"tf.{op} may keep state between steps")
            if isinstance(node, cst.Call) and not self._names.get(node.func):
                self._check_call(node, depth)

    def _check_call(self, call: cst.Call, depth: int) -> None:
        name = dotted(call.func)
        touched = any(self._touches_graph(argument) for argument in call.args)
        if isinstance(call.func, cst.Name) and name in vars(builtins):
            return
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in (
            "get_shape",
            "as_list",
        ):
            return
        function = self._function(name) if name else None
        if function is not None and depth < 5:
            if function.decorators or not all(self._plain_line(n) for n in function.body.body):
                raise Undecided(f"`{name}` does more than compute")
            self.check_pure(function.body, depth + 1)
        elif touched or depth:
            raise Undecided(f"`{name or self._text(call.func)}` is not known here")

    @staticmethod
    def _plain_line(line: cst.CSTNode) -> bool:
        return isinstance(line, cst.SimpleStatementLine) and all(
            isinstance(small, (cst.Assign, cst.Return))
            or (isinstance(small, cst.Expr) and string_value(small.value) is not None)
            for small in line.body
        )

    def _function(self, name: str) -> cst.FunctionDef | None:
        for statement in self._context.module.body:
            if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
                return statement
        return None

    # Hooks

    def _is_hooks(self, value: cst.BaseExpression) -> bool:
        return any(
            isinstance(node, cst.Call) and self._op(node) in purity.HOOKS
            for node in descendants(value)
        )

    def hooks(self, value: cst.CSTNode) -> None:
        """Reads an expression that makes hooks; tensors in it become names.

        Args:
          value: The expression.

        Raises:
          Undecided: If a tensor goes to something else than a built-in hook.
        """
        allowed: set[cst.CSTNode] = set()
        for node in descendants(value):
            op = self._op(node) if isinstance(node, cst.Call) else ""
            if isinstance(node, cst.Call) and purity.HOOKS.get(op) and node.args:
                allowed.update(descendants(node.args[0].value))
        for node in descendants(value):
            op = self._names.get(node, "")
            if op and op not in purity.HOOKS and not purity.is_neutral(op):
                raise Undecided(f"tf.{op} stands among the hooks")
            if node in allowed and string_value(node) is not None and not _is_key(value, node):
                raise Undecided("a hook asks for a tensor by its name in the graph")
            if isinstance(node, cst.Name) and self.kinds.get(node.value) in _GRAPH_KINDS:
                if node not in allowed or self.kinds[node.value] != TENSOR:
                    raise Undecided(f"a hook gets {node.value} itself")
                self.named.append(node)
                self.taken[node.value] = None

    # Helpers

    def _op(self, value: cst.CSTNode) -> str:
        """The TF1 name that a call calls."""
        return self._names.get(value.func, "") if isinstance(value, cst.Call) else ""

    def _touches_graph(self, node: cst.CSTNode) -> bool:
        """Whether a node mentions a graph value or a TF1 name that is not neutral."""
        for part in descendants(node):
            if isinstance(part, cst.Name) and part.value in self.kinds:
                return True
            op = self._names.get(part)
            if op and not purity.is_neutral(op):
                return True
            if isinstance(part, cst.Attribute) and part.attr.value in _GRAPH_METHODS:
                return True
        return False

    def _without_graph(self, node: cst.CSTNode, what: str) -> None:
        for part in descendants(node):
            if isinstance(part, cst.Name) and self.kinds.get(part.value, ITERATOR) != ITERATOR:
                raise Undecided(f"{what} depends on {part.value}")

    def _text(self, node: cst.CSTNode) -> str:
        return self._context.module.code_for_node(node).strip()

    def outside(self, allowed: set[cst.CSTNode]) -> str | None:
        """A TF1 name used elsewhere in the file that needs a graph, if there is one."""
        for use in self._context.uses:
            node = use.chain.node
            name = self._names[node]
            if node in allowed or purity.is_neutral(name) or name in purity.SWITCHES:
                continue
            if lookup.classify(lookup.tensorflow_name(use.path) or "") is None:
                continue
            return name
        return None


_SHAPE_METHODS = {"get_shape", "as_list"}
# Methods of datasets and optimizers that make graph values.
_GRAPH_METHODS = {"make_one_shot_iterator", "make_initializable_iterator", "get_next", "minimize"}


def _is_key(root: cst.CSTNode, node: cst.CSTNode) -> bool:
    return any(isinstance(n, cst.DictElement) and n.key is node for n in descendants(root))
