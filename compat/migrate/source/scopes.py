"""Follows names through one module: what does `slim.conv2d` at this place lead to?

Answers are dotted paths, as an import would write them: `tensorflow.contrib.slim.conv2d`.
Names of the module itself start with `@.` (`@.MyHook`), relative imports with their dots,
and what a star import may have brought has a `*` in its path (`tensorflow.*.Session`).
Nothing is executed, so an answer can have several paths: an import in a `try` and
another in its `except` are both possible.

A use in the same scope sees the bindings above it; a use in a function sees all
bindings of the scopes around it, since nobody knows when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from compat.migrate.source.tree import children, dotted, string_value

#: Calls that import the module named by their last string argument.
IMPORTERS = {"import_module", "__import__", "importorskip", "LazyLoader", "lazy_import"}
#: Stands in the path of a name that may come from `from … import *`, or be a built-in.
STAR = "*"
_DEEPEST_ALIAS = 12


class Binding:
    """One place where a scope gives a name a value.

    Attributes:
      order: When it happens, counted through the module.
      conditional: Whether it stands in a branch that may not run.
      path: The dotted path bound by an import, a class or a function.
      value: The expression assigned, where it may lead to a path.
    """

    __slots__ = ("conditional", "order", "path", "value")

    def __init__(
        self,
        order: int,
        conditional: bool,
        path: str | None = None,
        value: cst.BaseExpression | None = None,
    ):
        self.order = order
        self.conditional = conditional
        self.path = path
        self.value = value


class Scope:
    """A module, function, class, lambda or comprehension and the names it binds."""

    __slots__ = ("bindings", "borrowed", "kind", "outer", "qualname", "stars", "started")

    def __init__(self, kind: str, outer: Scope | None, qualname: str, started: int):
        self.kind = kind
        self.outer = outer
        self.qualname = qualname
        self.started = started
        self.bindings: dict[str, list[Binding]] = {}
        self.borrowed: dict[str, Scope] = {}
        self.stars: list[str] = []


class Chain:
    """One use of a name with the attributes taken from it.

    Attributes:
      node: The whole expression, `tf.train.Saver` of `tf.train.Saver()`.
      root: The leftmost name's node.
      attributes: The names after it.
      scope: Where it stands.
      order: When it is evaluated, comparable with `Binding.order`.
    """

    __slots__ = ("attributes", "node", "order", "root", "scope")

    def __init__(
        self,
        node: cst.CSTNode,
        root: cst.Name,
        attributes: tuple[str, ...],
        scope: Scope,
        order: int,
    ):
        self.node = node
        self.root = root
        self.attributes = attributes
        self.scope = scope
        self.order = order


class ImportedName:
    """One name of an import statement.

    Attributes:
      statement: The `Import` or `ImportFrom`.
      alias: The part of it for this name; None for a star import.
      path: The dotted path it leads to.
      scope: Where it binds.
    """

    __slots__ = ("alias", "path", "scope", "statement")

    def __init__(
        self,
        statement: cst.Import | cst.ImportFrom,
        alias: cst.ImportAlias | None,
        path: str,
        scope: Scope,
    ):
        self.statement = statement
        self.alias = alias
        self.path = path
        self.scope = scope


class ClassSite:
    """A class statement: its node, its scope's dotted name and where it stands."""

    __slots__ = ("node", "order", "qualname", "scope")

    def __init__(self, node: cst.ClassDef, qualname: str, scope: Scope, order: int):
        self.node = node
        self.qualname = qualname
        self.scope = scope
        self.order = order


class Names:
    """The names of one module.

    Args:
      module: The parsed module.

    Attributes:
      chains: Every use of a name, in order.
      imports: Every imported name, in order.
      classes: Every class statement, in order.
      scope: The module's own scope.
    """

    def __init__(self, module: cst.Module):
        self.chains: list[Chain] = []
        self.imports: list[ImportedName] = []
        self.classes: list[ClassSite] = []
        self.scope = Scope("module", None, "@", 0)
        self.scope_of: dict[cst.CSTNode, Scope] = {}
        _Builder(self).module(module)

    def resolve(self, chain: Chain) -> tuple[str, ...]:
        """The dotted paths a use may lead to; empty if nothing is known."""
        roots = self._name(chain.root.value, chain.scope, chain.order, 0)
        if not chain.attributes:
            return roots
        tail = ".".join(chain.attributes)
        return tuple(f"{root}.{tail}" for root in roots)

    def resolve_expression(
        self, node: cst.CSTNode, scope: Scope, order: int, depth: int = 0
    ) -> tuple[str, ...]:
        """The dotted paths an expression may lead to, evaluated at a place.

        Args:
          node: The expression.
          scope: Where it stands.
          order: When it is evaluated.
          depth: How many aliases led here.

        Returns:
          The paths, without repetition; empty if nothing is known.
        """
        if depth > _DEEPEST_ALIAS:
            return ()
        if isinstance(node, cst.Name):
            return self._name(node.value, scope, order, depth + 1)
        if isinstance(node, cst.Attribute):
            bases = self.resolve_expression(node.value, scope, order, depth)
            return tuple(f"{base}.{node.attr.value}" for base in bases)
        if isinstance(node, cst.IfExp):
            parts: list[cst.BaseExpression] = [node.body, node.orelse]
        elif isinstance(node, cst.BooleanOperation):
            parts = [node.left, node.right]
        elif isinstance(node, cst.NamedExpr):
            parts = [node.value]
        elif isinstance(node, cst.Call):
            return self._call(node, scope, order, depth)
        else:
            return ()
        found = [p for part in parts for p in self.resolve_expression(part, scope, order, depth)]
        return tuple(dict.fromkeys(found))

    def is_bound(self, name: str, scope: Scope) -> bool:
        """Whether a name means something of the module's own in a scope."""
        current: Scope | None = scope
        while current is not None:
            if name in current.bindings or name in current.borrowed:
                return True
            current = current.outer
        return False

    def exports(self) -> dict[str, tuple[str, ...]]:
        """What the module's own names lead to, for those that lead anywhere."""
        found = {
            name: self._name(name, self.scope, 10**9, 0, deferred=True)
            for name in self.scope.bindings
        }
        return {name: paths for name, paths in found.items() if paths}

    def _call(self, node: cst.Call, scope: Scope, order: int, depth: int) -> tuple[str, ...]:
        function = dotted(node.func)
        if function == "getattr" and len(node.args) >= 2:
            attribute = string_value(node.args[1].value)
            bases = self.resolve_expression(node.args[0].value, scope, order, depth)
            return tuple(f"{base}.{attribute}" for base in bases) if attribute else ()
        if function is not None and function.rpartition(".")[2] in IMPORTERS:
            texts = [string_value(arg.value) for arg in node.args]
            named = [text for text in texts if text]
            return (named[-1],) if named else ()
        return ()

    def _name(
        self, name: str, scope: Scope, order: int, depth: int, deferred: bool = False
    ) -> tuple[str, ...]:
        """Looks a name up from a scope outwards, as Python does."""
        current: Scope | None = scope
        while current is not None:
            if name in current.borrowed:
                current, deferred = current.borrowed[name], True
            skipped = current.kind == "class" and current is not scope
            if name in current.bindings and not skipped:
                return self._candidates(name, current, order, depth, deferred)
            if current.kind in ("function", "lambda"):
                deferred = True
            if current.outer is None:
                break
            current = current.outer
        return tuple(f"{star}.{STAR}.{name}" for star in self.scope.stars)

    def _candidates(
        self, name: str, scope: Scope, order: int, depth: int, deferred: bool
    ) -> tuple[str, ...]:
        bindings = scope.bindings[name]
        if not deferred:
            before = [b for b in bindings if b.order < order]
            bindings = before or bindings
            last = max((i for i, b in enumerate(bindings) if not b.conditional), default=0)
            bindings = bindings[last:]
        found: list[str] = []
        for binding in bindings:
            if binding.path is not None:
                found.append(binding.path)
            elif binding.value is not None:
                found.extend(
                    self.resolve_expression(binding.value, scope, binding.order, depth + 1)
                )
        return tuple(dict.fromkeys(found))


class _Builder:
    """Walks a module once, in the order in which Python evaluates it."""

    def __init__(self, names: Names):
        self._names = names
        self._scope = names.scope
        self._order = 0
        self._branches = 0

    def module(self, module: cst.Module) -> None:
        for statement in module.body:
            self._visit(statement)

    # Walking

    def _visit(self, node: cst.CSTNode | None) -> None:
        if node is None or isinstance(node, cst.MaybeSentinel):
            return
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for child in children(node):
            self._visit(child)

    def _tick(self) -> int:
        self._order += 1
        return self._order

    def _inner(self, kind: str, name: str, node: cst.CSTNode) -> Scope:
        scope = Scope(kind, self._scope, f"{self._scope.qualname}.{name}", self._order)
        self._names.scope_of[node] = scope
        return scope

    def _inside(self, scope: Scope, visit: Callable[[], None]) -> None:
        outer, branches = self._scope, self._branches
        self._scope, self._branches = scope, 0
        visit()
        self._scope, self._branches = outer, branches

    def _bind(
        self, name: str, path: str | None = None, value: cst.BaseExpression | None = None
    ) -> None:
        scope = self._scope
        conditional = self._branches > 0
        if name in scope.borrowed:
            scope, conditional = scope.borrowed[name], True
        binding = Binding(self._tick(), conditional, path, value)
        scope.bindings.setdefault(name, []).append(binding)

    def _bind_target(self, target: cst.CSTNode, value: cst.BaseExpression | None = None) -> None:
        if isinstance(target, cst.Name):
            self._bind(target.value, value=value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            values = self._unpacked(target, value)
            for element, part in zip(target.elements, values, strict=True):
                self._bind_target(element.value, part)
        elif isinstance(target, cst.StarredElement):
            self._bind_target(target.value)
        else:
            self._visit(target)

    @staticmethod
    def _unpacked(
        target: cst.Tuple | cst.List, value: cst.BaseExpression | None
    ) -> list[cst.BaseExpression | None]:
        size = len(target.elements)
        if isinstance(value, (cst.Tuple, cst.List)) and len(value.elements) == size:
            plain = all(isinstance(e, cst.Element) for e in (*target.elements, *value.elements))
            if plain:
                return [element.value for element in value.elements]
        return [None] * size

    # Expressions

    def _load(self, node: cst.Name) -> None:
        self._names.chains.append(Chain(node, node, (), self._scope, self._tick()))

    def _attribute(self, node: cst.Attribute) -> None:
        attributes: list[str] = []
        current: cst.BaseExpression = node
        while isinstance(current, cst.Attribute):
            attributes.append(current.attr.value)
            current = current.value
        if isinstance(current, cst.Name):
            chain = Chain(node, current, tuple(reversed(attributes)), self._scope, self._tick())
            self._names.chains.append(chain)
        else:
            self._visit(current)

    def _argument(self, node: cst.Arg) -> None:
        self._visit(node.value)

    def _call(self, node: cst.Call) -> None:
        # getattr(tf.train, "Saver") is a use of tf.train.Saver; hasattr only asks.
        function = dotted(node.func)
        if function in ("getattr", "hasattr") and len(node.args) >= 2:
            attribute = string_value(node.args[1].value)
            base = dotted(node.args[0].value)
            if attribute and base:
                if function == "getattr":
                    root: cst.CSTNode = node.args[0].value
                    while isinstance(root, cst.Attribute):
                        root = root.value
                    assert isinstance(root, cst.Name)
                    parts = (*base.split(".")[1:], attribute)
                    chain = Chain(node, root, parts, self._scope, self._tick())
                    self._names.chains.append(chain)
                for argument in node.args[2:]:
                    self._visit(argument)
                return
        self._visit(node.func)
        for argument in node.args:
            self._visit(argument.value)

    def _walrus(self, node: cst.NamedExpr) -> None:
        self._visit(node.value)
        scope = self._scope
        while self._scope.kind == "comprehension" and self._scope.outer is not None:
            self._scope = self._scope.outer
        self._bind_target(node.target, node.value)
        self._scope = scope

    def _lambda(self, node: cst.Lambda) -> None:
        self._defaults(node.params)
        scope = self._inner("lambda", "<lambda>", node)

        def body() -> None:
            self._parameters(node.params)
            self._visit(node.body)

        self._inside(scope, body)

    def _comprehension(
        self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp
    ) -> None:
        self._visit(node.for_in.iter)
        scope = self._inner("comprehension", "<comprehension>", node)

        def body() -> None:
            loop: cst.CompFor | None = node.for_in
            while loop is not None:
                if loop is not node.for_in:
                    self._visit(loop.iter)
                self._bind_target(loop.target)
                for condition in loop.ifs:
                    self._visit(condition.test)
                loop = loop.inner_for_in
            if isinstance(node, cst.DictComp):
                self._visit(node.key)
                self._visit(node.value)
            else:
                self._visit(node.elt)

        self._inside(scope, body)

    # Statements

    def _import(self, node: cst.Import) -> None:
        for alias in node.names:
            path = dotted(alias.name)
            assert path is not None
            if alias.asname is not None:
                self._bind_import(node, alias, path, path)
            else:
                top = path.partition(".")[0]
                self._names.imports.append(ImportedName(node, alias, path, self._scope))
                self._bind(top, top)

    def _import_from(self, node: cst.ImportFrom) -> None:
        module = "." * len(node.relative) + (dotted(node.module) or "")
        joint = "" if not node.module else "."
        if isinstance(node.names, cst.ImportStar):
            self._names.imports.append(ImportedName(node, None, module, self._scope))
            self._names.scope.stars.append(module.rstrip(".") if node.module else module)
            return
        for alias in node.names:
            self._bind_import(node, alias, f"{module}{joint}{dotted(alias.name)}", None)

    def _bind_import(
        self,
        node: cst.Import | cst.ImportFrom,
        alias: cst.ImportAlias,
        path: str,
        fallback: str | None,
    ) -> None:
        self._names.imports.append(ImportedName(node, alias, path, self._scope))
        if alias.asname is not None:
            target = alias.asname.name
            self._bind(target.value if isinstance(target, cst.Name) else "", path)
        else:
            self._bind(dotted(alias.name) or "", path)

    def _assign(self, node: cst.Assign) -> None:
        self._visit(node.value)
        for target in node.targets:
            self._bind_target(target.target, node.value)

    def _annotated(self, node: cst.AnnAssign) -> None:
        self._visit(node.annotation.annotation)
        self._visit(node.value)
        if node.value is not None:
            self._bind_target(node.target, node.value)

    def _augmented(self, node: cst.AugAssign) -> None:
        self._visit(node.target)
        self._visit(node.value)

    def _for(self, node: cst.For) -> None:
        self._visit(node.iter)
        self._branches += 1
        self._bind_target(node.target)
        self._visit(node.body)
        self._visit(node.orelse)
        self._branches -= 1

    def _branch(self, node: cst.CSTNode) -> None:
        self._branches += 1
        for child in children(node):
            self._visit(child)
        self._branches -= 1

    def _if(self, node: cst.If) -> None:
        self._visit(node.test)
        self._branches += 1
        self._visit(node.body)
        self._visit(node.orelse)
        self._branches -= 1

    def _with(self, node: cst.With) -> None:
        for item in node.items:
            self._visit(item.item)
            if item.asname is not None:
                self._bind_target(item.asname.name)
        self._visit(node.body)

    def _except(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> None:
        self._visit(node.type)
        if node.name is not None:
            self._bind_target(node.name.name)
        self._visit(node.body)

    def _function(self, node: cst.FunctionDef) -> None:
        for decorator in node.decorators:
            self._visit(decorator.decorator)
        self._defaults(node.params)
        if node.returns is not None:
            self._visit(node.returns.annotation)
        self._bind(node.name.value, f"{self._scope.qualname}.{node.name.value}")
        scope = self._inner("function", node.name.value, node)

        def body() -> None:
            self._parameters(node.params)
            self._visit(node.body)

        self._inside(scope, body)

    @staticmethod
    def _all_parameters(params: cst.Parameters) -> list[cst.Param]:
        stars = [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
        return [*params.posonly_params, *params.params, *params.kwonly_params, *stars]

    def _defaults(self, params: cst.Parameters) -> None:
        for param in self._all_parameters(params):
            self._visit(param.default)
            if param.annotation is not None:
                self._visit(param.annotation.annotation)

    def _parameters(self, params: cst.Parameters) -> None:
        for param in self._all_parameters(params):
            self._bind(param.name.value)

    def _class(self, node: cst.ClassDef) -> None:
        for decorator in node.decorators:
            self._visit(decorator.decorator)
        for argument in (*node.bases, *node.keywords):
            self._visit(argument.value)
        qualname = f"{self._scope.qualname}.{node.name.value}"
        self._names.classes.append(ClassSite(node, qualname, self._scope, self._tick()))
        scope = self._inner("class", node.name.value, node)
        self._inside(scope, lambda: self._visit(node.body))
        self._bind(node.name.value, qualname)

    def _global(self, node: cst.Global | cst.Nonlocal) -> None:
        for item in node.names:
            name = item.name.value
            target = self._names.scope
            if isinstance(node, cst.Nonlocal):
                outer = self._scope.outer
                while outer is not None and name not in outer.bindings:
                    outer = outer.outer
                target = outer or target
            self._scope.borrowed[name] = target

    def _delete(self, node: cst.Del) -> None:
        if isinstance(node.target, cst.Name):
            return
        self._visit(node.target)

    def _match_name(self, node: cst.MatchAs | cst.MatchStar) -> None:
        pattern = getattr(node, "pattern", None)
        self._visit(pattern)
        if node.name is not None:
            self._bind(node.name.value)

    def _match_mapping(self, node: cst.MatchMapping) -> None:
        for element in node.elements:
            self._visit(element.key)
            self._visit(element.pattern)
        if node.rest is not None:
            self._bind(node.rest.value)


# What to do at each kind of node; all others are walked through.
_HANDLERS: dict[type, Callable[[_Builder, Any], None]] = {
    cst.Attribute: _Builder._attribute,
    cst.Name: _Builder._load,
    cst.Arg: _Builder._argument,
    cst.Call: _Builder._call,
    cst.Import: _Builder._import,
    cst.ImportFrom: _Builder._import_from,
    cst.Assign: _Builder._assign,
    cst.AnnAssign: _Builder._annotated,
    cst.AugAssign: _Builder._augmented,
    cst.NamedExpr: _Builder._walrus,
    cst.For: _Builder._for,
    cst.While: _Builder._branch,
    cst.If: _Builder._if,
    cst.Try: _Builder._branch,
    cst.TryStar: _Builder._branch,
    cst.Match: _Builder._branch,
    cst.With: _Builder._with,
    cst.ExceptHandler: _Builder._except,
    cst.ExceptStarHandler: _Builder._except,
    cst.FunctionDef: _Builder._function,
    cst.Lambda: _Builder._lambda,
    cst.ClassDef: _Builder._class,
    cst.ListComp: _Builder._comprehension,
    cst.SetComp: _Builder._comprehension,
    cst.GeneratorExp: _Builder._comprehension,
    cst.DictComp: _Builder._comprehension,
    cst.Global: _Builder._global,
    cst.Nonlocal: _Builder._global,
    cst.Del: _Builder._delete,
    cst.MatchAs: _Builder._match_name,
    cst.MatchStar: _Builder._match_name,
    cst.MatchMapping: _Builder._match_mapping,
    cst.SimpleString: lambda builder, node: None,
}
