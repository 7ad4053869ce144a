"""Finds session loops and reads the one shape that can be turned into steps.

    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            _, value = sess.run([train_op, loss], feed_dict={x: batch})

Everything else raises `Undecided` with the reason, which becomes the TODO.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.tree import children, descendants, dotted
from compat.migrate.upgrade.context import FileContext

SESSIONS = frozenset(
    {
        "train.MonitoredTrainingSession",
        "train.MonitoredSession",
        "train.SingularMonitoredSession",
    }
)


class Undecided(Exception):
    """It cannot be decided how to rewrite a loop; the message says why."""


class SessionLoop(NamedTuple):
    """A `with` statement that opens a monitored session.

    Attributes:
      statement: The `with`, or the assignment of a session without one.
      block: The statements among which it stands.
      call: The call that makes the session.
      creator: The session's name without `tf.`.
    """

    statement: cst.CSTNode
    block: Sequence[cst.CSTNode]
    call: cst.Call
    creator: str


class Run(NamedTuple):
    """The one `sess.run` of a loop.

    Attributes:
      session: The session's name.
      statement: The line it stands on.
      targets: The names its values get, None where nothing is kept; None if it is not
        assigned to a tuple of names.
      fetches: The names fetched.
      single: Whether one name was fetched, not a list.
      feeds: For each fed name the expression.
    """

    session: str
    statement: cst.SimpleStatementLine
    targets: list[str] | None
    fetches: list[str]
    single: bool
    feeds: dict[str, cst.BaseExpression]


def public_names(context: FileContext) -> dict[cst.CSTNode, str]:
    """The public TF1 name of every expression of a file that leads to one."""
    found = {}
    for use in context.uses:
        name = lookup.tensorflow_name(use.path) or ""
        found[use.chain.node] = lookup.public_name(name) or name
    return found


def find_loops(context: FileContext) -> list[SessionLoop]:
    """Lists the monitored sessions that a file opens."""
    names = public_names(context)
    return list(_find(context.module.body, names))


def _find(block: Sequence[cst.CSTNode], names: dict[cst.CSTNode, str]) -> Iterator[SessionLoop]:
    for statement in block:
        calls = [call for call in _own_calls(statement) if names.get(call.func) in SESSIONS]
        for call in calls:
            yield SessionLoop(statement, block, call, names[call.func])
        for inner in _inner_blocks(statement):
            yield from _find(inner, names)


def _own_calls(statement: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls of a statement that are not in its inner blocks."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Call):
            yield node
        stack += [n for n in children(node) if not isinstance(n, (cst.IndentedBlock, cst.Else))]
        if isinstance(node, cst.Try):
            stack = [n for n in stack if n not in (*node.handlers, node.finalbody)]


def _inner_blocks(statement: cst.CSTNode) -> Iterator[Sequence[cst.CSTNode]]:
    for node in children(statement):
        if isinstance(node, cst.IndentedBlock):
            yield node.body
        elif isinstance(
            node, (cst.If, cst.Else, cst.ExceptHandler, cst.Finally, cst.With, cst.MatchCase)
        ):
            yield from _inner_blocks(node)


def read_loop(loop: SessionLoop) -> Run:
    """Reads a loop of the known shape.

    Args:
      loop: The session.

    Returns:
      The session's run.

    Raises:
      Undecided: If the loop has another shape.
    """
    statement = loop.statement
    if not isinstance(statement, cst.With):
        raise Undecided("the session is not opened by `with … as …:`")
    if len(statement.items) != 1 or statement.items[0].item is not loop.call:
        raise Undecided("the `with` statement opens more than the session")
    asname = statement.items[0].asname
    if asname is None or not isinstance(asname.name, cst.Name):
        raise Undecided("the session has no name")
    name = asname.name.value
    loops = [line for line in statement.body.body if isinstance(line, cst.While)]
    if len(loops) != 1:
        raise Undecided("the `with` block holds not exactly one `while` loop")
    for line in statement.body.body:
        if line is not loops[0] and mentions(line, {name}):
            raise Undecided(f"{name} is used outside the loop")
    loop_statement = loops[0]
    test = loop_statement.test
    waits = (
        isinstance(test, cst.UnaryOperation)
        and isinstance(test.operator, cst.Not)
        and isinstance(test.expression, cst.Call)
        and dotted(test.expression.func) == f"{name}.should_stop"
    )
    if not waits or loop_statement.orelse is not None:
        raise Undecided(f"the loop is not `while not {name}.should_stop():`")
    return _read_run(name, loop_statement)


def mentions(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether one of some names stands in a node."""
    return any(isinstance(n, cst.Name) and n.value in names for n in descendants(node))


def _read_run(session: str, loop: cst.While) -> Run:
    found: list[Run] = []
    for line in loop.body.body:
        calls = [
            node
            for node in descendants(line)
            if isinstance(node, cst.Call) and dotted(node.func) == f"{session}.run"
        ]
        uses = sum(isinstance(n, cst.Name) and n.value == session for n in descendants(line))
        if uses != len(calls):
            raise Undecided(f"the loop does more with {session} than run it")
        if calls:
            if len(calls) > 1 or not isinstance(line, cst.SimpleStatementLine):
                raise Undecided("the session is run in more than one place")
            found.append(_run_of_line(session, line, calls[0]))
    if len(found) != 1:
        raise Undecided("the session is not run exactly once in the loop")
    return found[0]


def _run_of_line(session: str, line: cst.SimpleStatementLine, call: cst.Call) -> Run:
    if len(line.body) != 1:
        raise Undecided("several statements stand on the line of the run")
    small = line.body[0]
    targets: list[str] | None = []
    if isinstance(small, cst.Assign) and small.value is call and len(small.targets) == 1:
        targets = _names(small.targets[0].target)
        if targets is None:
            raise Undecided("the run's values are not assigned to plain names")
    elif not (isinstance(small, cst.Expr) and small.value is call):
        raise Undecided("the run stands inside a larger expression")
    arguments = given_arguments(call, ("fetches", "feed_dict"))
    if arguments is None:
        raise Undecided("the run has options or metadata")
    fetched = arguments.get("fetches")
    if fetched is None:
        raise Undecided("the run fetches nothing")
    fetches = _names(fetched)
    if fetches is None:
        raise Undecided("the run fetches something else than plain names")
    single = isinstance(fetched, cst.Name)
    if targets and single != isinstance(small.targets[0].target, cst.Name):  # type: ignore[union-attr]
        raise Undecided("the run's values are not kept in the shape of its fetches")
    if targets and len(targets) != len(fetches):
        raise Undecided("the run's values are not kept in the shape of its fetches")
    return Run(session, line, targets, fetches, single, _feeds(arguments.get("feed_dict")))


def given_arguments(
    call: cst.Call, parameters: Sequence[str]
) -> dict[str, cst.BaseExpression] | None:
    """The arguments of a call by parameter; None if there is one that is not listed."""
    given = {}
    for position, argument in enumerate(call.args):
        if argument.keyword is not None:
            key = argument.keyword.value
        else:
            key = parameters[position] if position < len(parameters) else ""
        if key not in parameters or argument.star:
            return None
        given[key] = argument.value
    return given


def _names(node: cst.CSTNode) -> list[str] | None:
    """The names of `a` or of `[a, b]`; None if something else is among them."""
    if isinstance(node, cst.Name):
        return [node.value]
    if isinstance(node, (cst.List, cst.Tuple)):
        values = [element.value for element in node.elements]
        if all(isinstance(value, cst.Name) for value in values):
            return [value.value for value in values if isinstance(value, cst.Name)]
    return None


def _feeds(node: cst.CSTNode | None) -> dict[str, cst.BaseExpression]:
    if node is None:
        return {}
    if not isinstance(node, cst.Dict):
        raise Undecided("feed_dict is not written out")
    feeds = {}
    for element in node.elements:
        if not isinstance(element, cst.DictElement) or not isinstance(element.key, cst.Name):
            raise Undecided("feed_dict has keys that are no plain names")
        feeds[element.key.value] = element.value
    return feeds
