"""U201: a session loop around a train op becomes one around a tf.function step.

    loss = tf.losses.mean_squared_error(y, tf.matmul(x, w))
    train_op = optimizer.minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train_op)

The computation moves into `train_step`, the rest stays. Where it is not certain that the
numbers stay the same, U202 marks the loop with a TODO that says what is in the way.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from compat.migrate import lookup, surfaces
from compat.migrate.source.scopes import Scope
from compat.migrate.source.tree import descendants
from compat.migrate.upgrade import partition as kinds
from compat.migrate.upgrade.context import FileContext, local_name
from compat.migrate.upgrade.loops import Run, SessionLoop, Undecided, find_loops, read_loop
from compat.migrate.upgrade.partition import Partition
from compat.migrate.upgrade.registry import FUNCTION, fixer

EAGER_TF1 = "tensorflow.compat.v1"
_TODO = "TODO(compat U202)"
_STEP = "train_step"
_RESERVED = (_STEP, "outputs", "tape", "variables", "gradients")


@fixer("U201", "session loops become loops around a tf.function step", (FUNCTION,), "file")
def fix(context: FileContext) -> None:
    """Rewrites the session loop of a file, or marks each with a TODO."""
    loops = find_loops(context)
    for loop in loops:
        before = dict(context.edits), list(context.applied), list(context.remarks)
        try:
            if len(loops) > 1:
                raise Undecided("the file has several session loops")
            _rewrite(context, loop)
        except Undecided as reason:
            context.edits, context.applied, context.remarks = before
            context.new_imports.clear()
            _mark(context, loop, str(reason))


@fixer("U202", "session loops that are not certain get a TODO", (FUNCTION,), "file")
def mark(context: FileContext) -> None:
    """Stands for the TODOs in lists of fixers; `fix` makes them."""


def _mark(context: FileContext, loop: SessionLoop, reason: str) -> None:
    context.remark("U202", loop.call, f"the session loop stays: {reason}")
    statement = loop.statement
    lines = getattr(statement, "leading_lines", None)
    if lines is None:
        return
    if any(line.comment is not None and _TODO in line.comment.value for line in lines):
        return
    comment = f"# {_TODO}: turn this loop into one around a tf.function step by hand: {reason}."
    added = cst.EmptyLine(comment=cst.Comment(" ".join(comment.split())))

    def edit(updated: Any) -> Any:
        return updated.with_changes(leading_lines=[*updated.leading_lines, added])

    context.replace(statement, edit, "U202")


def _rewrite(context: FileContext, loop: SessionLoop) -> None:
    run = read_loop(loop)
    parts = Partition(context)
    position = list(loop.block).index(loop.statement)
    if loop.block is not context.module.body:
        for top in context.module.body:
            if not isinstance(top, (cst.FunctionDef, cst.ClassDef, cst.If)):
                parts.add(top)
        if parts.moved or parts.placeholders or parts.train is not None:
            raise Undecided("graph code stands outside the function with the loop")
    for statement in loop.block[:position]:
        parts.add(statement)
    parts.hooks(cst.Tuple([cst.Element(arg.value) for arg in loop.call.args]))
    _check(context, loop, run, parts, position)
    _imports(context)
    _write(context, loop, run, parts)


# Checks


def _check(
    context: FileContext, loop: SessionLoop, run: Run, parts: Partition, position: int
) -> None:
    graph = set(parts.kinds)
    for name in run.fetches:
        if parts.kinds.get(name) not in (kinds.TENSOR, kinds.TRAIN, kinds.STEP, kinds.VARIABLE):
            raise Undecided(f"it is not known what {name} is")
    for name in run.feeds:
        if parts.kinds.get(name) != kinds.PLACEHOLDER:
            raise Undecided(f"{name}, which is fed, is no placeholder made nearby")
    if {name for name, _, _ in parts.placeholders} != set(run.feeds):
        raise Undecided("the run does not feed every placeholder")
    assert isinstance(loop.statement, cst.With)
    later: list[cst.CSTNode] = [*loop.block[position + 1 :]]
    for line in loop.statement.body.body:
        inner = line.body.body if isinstance(line, cst.While) else [line]
        later += [statement for statement in inner if statement is not run.statement]
    for statement in later:
        for node in descendants(statement):
            if isinstance(node, cst.Name) and node.value in graph:
                raise Undecided(f"{node.value} is used outside the run")
    for value in run.feeds.values():
        for node in descendants(value):
            if isinstance(node, cst.Name) and node.value in graph:
                raise Undecided(f"{node.value} is used in what is fed")
    for name in _RESERVED:
        if not context.is_free(name):
            raise Undecided(f"the name {name} is taken")
    _check_single_bindings(context, loop, parts)
    _check_hooks(context)
    allowed = {n for line in (*parts.lines, loop.statement) for n in descendants(line)}
    allowed |= _helpers(context, parts)
    elsewhere = parts.outside(allowed)
    if elsewhere is not None:
        raise Undecided(f"tf.{elsewhere} is used outside the block with the loop")


def _check_single_bindings(context: FileContext, loop: SessionLoop, parts: Partition) -> None:
    """A step reads names when it runs, so none of them may change meaning."""
    used = {
        node.value
        for line in parts.moved
        for node in descendants(line)
        if isinstance(node, cst.Name)
    }
    for scope in (context.names.scope, _home(context, loop)):
        for name in used & set(scope.bindings):
            if len(scope.bindings[name]) > 1:
                raise Undecided(f"{name} has several meanings")


def _home(context: FileContext, loop: SessionLoop) -> Scope:
    """The scope in which a loop stands."""
    home = context.names.scope
    for node, scope in context.names.scope_of.items():
        if isinstance(node, cst.FunctionDef) and loop.statement in descendants(node):
            home = scope  # Inner functions come later and win.
    return home


def _check_hooks(context: FileContext) -> None:
    for site in context.names.classes:
        if not surfaces.interesting(surfaces.method_names(site.node)):
            continue
        traits = [(t.key, t.detail) for t in surfaces.find_traits(site, context.names)]
        verdict = next(s for s in surfaces.judge(traits) if s.name == surfaces.FUNCTION)
        if verdict.answer != surfaces.YES:
            raise Undecided(f"the hook {site.node.name.value} {verdict.reasons[0]}")


def _helpers(context: FileContext, parts: Partition) -> set[cst.CSTNode]:
    """The nodes of hook classes and of functions that the step may call."""
    allowed: set[cst.CSTNode] = set()
    for statement in context.module.body:
        if isinstance(statement, cst.ClassDef):
            allowed.update(descendants(statement))
        elif isinstance(statement, cst.FunctionDef):
            try:
                parts.check_pure(statement.body)
            except Undecided:
                continue
            allowed.update(descendants(statement))
    return allowed


# Writing


def _imports(context: FileContext) -> None:
    """`tf` becomes TF1's API without a graph, and the package itself is imported."""
    for imported in context.imports:
        name = lookup.tensorflow_name(imported.path)
        if name or imported.alias is None:
            raise Undecided("names are imported from TensorFlow one by one")
        if local_name(imported) == "tensorflow" or imported.scope is not context.names.scope:
            raise Undecided("TensorFlow is imported in another way than `import … as tf`")
    if not context.is_free("compat") and not _has_compat(context):
        raise Undecided("the name compat is taken")
    for imported in context.imports:
        alias = imported.alias
        assert alias is not None
        if imported.path == EAGER_TF1 and isinstance(imported.statement, cst.Import):
            continue
        if isinstance(imported.statement, cst.Import):
            path = cst.parse_expression(EAGER_TF1)
            context.replace(alias, alias.with_changes(name=path), "U201")
        else:
            if len(getattr(imported.statement, "names", ())) != 1:
                raise Undecided("names are imported from TensorFlow one by one")
            space = cst.SimpleWhitespace(" ")
            asname = cst.AsName(cst.Name(local_name(imported)), space, space)
            path = cst.parse_expression(EAGER_TF1)
            assert isinstance(path, cst.Attribute)
            new = cst.Import([cst.ImportAlias(path, asname)])
            context.replace(imported.statement, new, "U201")
    if not _has_compat(context):
        context.new_imports["import compat"] = None


def _has_compat(context: FileContext) -> bool:
    return any(
        imported.path == "compat" and imported.alias is not None and not imported.alias.asname
        for imported in context.names.imports
    )


def _write(context: FileContext, loop: SessionLoop, run: Run, parts: Partition) -> None:
    tf = _tensorflow_alias(context)
    for name in parts.named:
        context.replace(name, cst.SimpleString(f'"{name.value}:0"'), "U201")
    before = _edit_data(context, parts)
    returned = dict.fromkeys([*parts.taken, *run.fetches])
    train = parts.train
    if train is not None:
        returned.pop(train.name, None)
    step_lines = _step_source(context, parts, tf, list(returned))
    anchor = train.line if train is not None else parts.moved[-1]
    gone = {*parts.moved, *parts.removed} - {anchor}
    for line in gone:
        context.replace(line, lambda updated: cst.RemoveFromParent(), "U201")
    function = _step_function(context, parts, tf, step_lines)
    made = [*before, function]
    if _keeps_checkpoints(loop) and train is not None:
        # Tracing the step makes the optimizer's slots before the session restores them.
        made.append(_statement(context, f"{_STEP}.get_concrete_function()"))
    context.replace(anchor, lambda updated: cst.FlattenSentinel(made), "U201")
    _edit_session(context, loop, parts, tf)
    _edit_run(context, run, parts)


def _tensorflow_alias(context: FileContext) -> str:
    return local_name(context.imports[0])


def _statement(context: FileContext, text: str) -> Any:
    return cst.parse_statement(text, config=context.module.config_for_parsing)


def _edit_data(context: FileContext, parts: Partition) -> list[Any]:
    """Makes iterators eager; returns statements that must come before the step."""
    before = []
    for line, dataset in parts.iterators.items():
        small = line.body[0]
        assert isinstance(small, cst.Assign)
        call = cst.Call(cst.Name("iter"), [cst.Arg(dataset)])
        context.replace(small.value, call, "U201")
    for draw in parts.draws.values():
        if draw.dataset is not None:
            if not context.is_free("iterator"):
                raise Undecided("the name iterator is taken")
            text = context.module.code_for_node(draw.dataset)
            before.append(_statement(context, f"iterator = iter({text})"))
    if sum(draw.dataset is not None for draw in parts.draws.values()) > 1:
        raise Undecided("several iterators feed the step")
    train = parts.train
    if train is not None and not isinstance(train.optimizer, str):
        if not context.is_free("optimizer"):
            raise Undecided("the name optimizer is taken")
        text = context.module.code_for_node(train.optimizer)
        before.append(_statement(context, f"optimizer = {text}"))
    if train is not None and train.step is not None and not isinstance(train.step, str):
        if not context.is_free("global_step"):
            raise Undecided("the name global_step is taken")
        text = context.module.code_for_node(train.step)
        before.append(_statement(context, f"global_step = {text}"))
    return before


def _optimizer_name(parts: Partition) -> str:
    assert parts.train is not None
    return parts.train.optimizer if isinstance(parts.train.optimizer, str) else "optimizer"


def _step_name(parts: Partition) -> str | None:
    if parts.train is None or parts.train.step is None:
        return next((n for n, kind in parts.kinds.items() if kind == kinds.STEP), None)
    return parts.train.step if isinstance(parts.train.step, str) else "global_step"


def _step_source(context: FileContext, parts: Partition, tf: str, returned: list[str]) -> list[str]:
    """The lines of the step after the computation."""
    lines = []
    if parts.train is not None:
        step = _step_name(parts) if parts.train.step is not None else None
        counted = f", global_step={step}" if step else ""
        lines += [
            "variables = tape.watched_variables()",
            f"gradients = tape.gradient({parts.train.loss}, variables)",
            f"{_optimizer_name(parts)}.apply_gradients(zip(gradients, variables){counted})",
        ]
    values = []
    for name in returned:
        # A variable fetched as itself has the value after the update, as in TF1.
        late = parts.kinds.get(name) in (kinds.STEP, kinds.VARIABLE)
        values.append(f'"{name}": {name}.read_value()' if late else f'"{name}": {name}')
    lines.append(f"return {{{', '.join(values)}}}")
    return lines


def _step_function(
    context: FileContext, parts: Partition, tf: str, after: list[str]
) -> cst.FunctionDef:
    names = ", ".join(name for name, _, _ in parts.placeholders)
    decorator = f"@{tf}.function"
    if parts.placeholders:
        specs = [f"{tf}.TensorSpec({shape}, {dtype})" for _, shape, dtype in parts.placeholders]
        decorator += f"(input_signature=[{', '.join(specs)}])"
    indent = context.module.default_indent
    text = f"{decorator}\ndef {_STEP}({names}):\n{indent}pass\n"
    function = _statement(context, text)
    body = [_moved(context, parts, line) for line in parts.moved]
    body[0] = body[0].with_changes(
        leading_lines=[line for line in body[0].leading_lines if line.comment is not None]
    )
    rest = [_statement(context, line) for line in after]
    if parts.train is not None:
        tape = _statement(context, f"with {tf}.GradientTape() as tape:\n{indent}pass\n")
        tape = tape.with_changes(body=tape.body.with_changes(body=body))
        inside = [tape, *rest]
    else:
        inside = [*body, *rest]
    result = function.with_changes(
        body=function.body.with_changes(body=inside, footer=[cst.EmptyLine(indent=False)]),
        leading_lines=[cst.EmptyLine(indent=False)],
    )
    assert isinstance(result, cst.FunctionDef)
    return result


def _moved(context: FileContext, parts: Partition, line: cst.SimpleStatementLine) -> Any:
    draw = parts.draws.get(line)
    if draw is None:
        return line
    small = line.body[0]
    assert isinstance(small, cst.Assign)
    value = cst.parse_expression(f"next({draw.iterator or 'iterator'})")
    return line.with_changes(body=[small.with_changes(value=value)])


def _keeps_checkpoints(loop: SessionLoop) -> bool:
    return any(
        a.keyword is not None and a.keyword.value == "checkpoint_dir" for a in loop.call.args
    )


def _edit_session(context: FileContext, loop: SessionLoop, parts: Partition, tf: str) -> None:
    call = loop.call
    leaf = loop.creator.rpartition(".")[2]
    added: list[str] = []
    step = _step_name(parts)
    keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    positional = sum(arg.keyword is None for arg in call.args)
    if positional:
        raise Undecided("the session has arguments without a keyword")
    if "checkpoint_dir" in keywords:
        if "scaffold" in keywords:
            raise Undecided("the session has a scaffold and a checkpoint directory")
        saved = [n for n, kind in parts.kinds.items() if kind in (kinds.VARIABLE, kinds.STEP)]
        if step and step not in saved:
            saved.append(step)
        if parts.train is not None:
            saved.append(_optimizer_name(parts))
        objects = ", ".join(f"{name}={name}" for name in dict.fromkeys(saved))
        saver = f"{tf}.compat.v2.train.Checkpoint({objects})"
        added.append(f"scaffold=compat.Scaffold(saver={saver})")
        context.remark(
            "U203", call, "checkpoints are object-based from here on; older ones are not restored"
        )
    elif "scaffold" in keywords or "session_creator" in keywords:
        raise Undecided("the session has a scaffold or a creator")
    if step:
        added.append(f"global_step={step}")
    arguments = [cst.parse_expression(f"f({text})").args[0] for text in added]  # type: ignore[attr-defined]

    def edit(updated: Any) -> Any:
        function = cst.parse_expression(f"compat.{leaf}")
        return updated.with_changes(func=function, args=_joined(updated.args, arguments))

    context.replace(call, edit, "U201")


def _joined(old: Any, added: list[Any]) -> list[Any]:
    """Arguments with others behind them, laid out as the first two are."""
    if not old or not added:
        return [*old, *added]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if len(old) > 1:
        comma = old[0].comma
    trailing = old[-1].comma
    inner = [argument.with_changes(comma=comma) for argument in (*old, *added)]
    return [*old[:-1], *inner[len(old) - 1 : -1], inner[-1].with_changes(comma=trailing)]


def _edit_run(context: FileContext, run: Run, parts: Partition) -> None:
    feeds = ", ".join(
        f'"{name}": {context.module.code_for_node(value)}' for name, value in run.feeds.items()
    )
    fed = f", feed_dict={{{feeds}}}" if feeds else ""
    call = f"{run.session}.run({_STEP}{fed})"
    targets = run.targets or []
    pairs = list(zip(targets, run.fetches, strict=not run.single and bool(targets)))
    train = parts.train.name if parts.train is not None else None
    lines = []
    for target, fetch in pairs:
        if fetch == train:
            if target != "_":
                lines.append(f"{target} = None")
        else:
            lines.append(f'{target} = outputs["{fetch}"]')
    first = f"outputs = {call}" if any("outputs" in line for line in lines) else call
    made = [_statement(context, text) for text in (first, *lines)]
    made[0] = made[0].with_changes(leading_lines=run.statement.leading_lines)
    made[-1] = made[-1].with_changes(trailing_whitespace=run.statement.trailing_whitespace)
    context.replace(run.statement, lambda updated: cst.FlattenSentinel(made), "U201")
