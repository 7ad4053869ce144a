"""When variables are read in a run: computed values before its updates, the rest after.

TF1's scripts rely on two outcomes that TensorFlow itself leaves to a race. What is
*computed* from a variable (a loss, `global_step + 0`) uses its value from before the
run's updates, unless a control dependency puts it behind them. A variable fetched *as
itself* holds the value after them (`_, step = sess.run([train_op, global_step])` gives
1, 2, 3, …). Control edges make both a rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import tensorflow as tf

from compat.engine.references import READ
from compat.engine.slices import NodeDef, Slice, split_input

_READS = (READ, "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape")
_HARMLESS = ("DestroyResourceOp", "VarHandleOp")
_HANDLES = (tf.resource.as_datatype_enum, tf.variant.as_datatype_enum)
_PASSING = ("Identity", "Enter", "Switch", "Merge", "Exit", "NextIteration")


@dataclasses.dataclass
class _Facts:
    """What is known of one node; sets of nodes are bit masks over `_Order.bits`."""

    reads: int = 0  # Reads among its ancestors and itself.
    updates: int = 0  # Updates among its ancestors and itself.
    branches: int = 0  # Depth of `tf.cond` branches, which may be skipped at run time.
    loops: int = 0  # Depth of while loop frames, which control edges from outside can't enter.


class VariableOrder:
    """Reads and updates of each variable in one slice, and who precedes whom."""

    def __init__(
        self, piece: Slice, reference_reads: set[str], extra_variables: Iterable[str] = ()
    ):
        """Studies the slice and gives each late look at a reference a read of its own.

        Args:
          piece: The slice, without reference variables.
          reference_reads: Reads that stand for a look at a reference; their consumers
            behind an update see the updated value.
          extra_variables: Names of placeholders that stand for a variable's handle.
        """
        self.piece = piece
        self.facts: dict[str, _Facts] = {}
        self.bits: dict[str, int] = {}
        self.variables: dict[str, frozenset[str]] = {}  # Handle tensor -> variables.
        self.reads: dict[str, list[str]] = {}
        self.calls: dict[str, list[str]] = {}
        self.updates: dict[str, list[str]] = {}
        self.looks = {name: name for name in reference_reads}  # Node -> the read it shows.
        self._branched: list[str] = []  # Reads in branches that have not merged yet.
        self._merges: dict[str, str] = {}  # Reads in branches -> where these have merged.
        self._bound = frozenset(extra_variables)
        if any(n.op == "VarHandleOp" or n.name in self._bound for n in piece.nodes.values()):
            for node in list(piece.nodes.values()):
                self._visit(node)

    def updated(self, variable: str) -> bool:
        """Whether the run changes `variable` (or hands it to a function that may)."""
        return bool(self.updates.get(variable) or self.calls.get(variable))

    def follows(self, later: str, earlier: str) -> bool:
        """Whether node `later` depends on the update `earlier`."""
        return bool(self.facts[later].updates & self.bits[earlier])

    def precedes_update(self, read: str, variable: str) -> bool:
        """Whether some update of `variable` depends on node `read`."""
        bit = self.bits.get(read, 0)
        changes = self.updates.get(variable, []) + self.calls.get(variable, [])
        return any(self.facts[change].reads & bit for change in changes)

    def order(self) -> None:
        """Adds the control edges that put early reads before updates."""
        for variable, updates in self.updates.items():
            early = self.reads.get(variable, []) + self.calls.get(variable, [])
            for update in updates:
                for read in early:
                    self._put_before(read, update)
        for variable, calls in self.calls.items():
            for call in calls:
                for read in self.reads.get(variable, []):
                    self._put_before(read, call)

    def _put_before(self, read: str, update: str) -> None:
        # A read that a branch may skip counts as done where its branches have merged.
        start = self._merges.get(read, read)
        first, second = self.facts[start], self.facts[update]
        if read == update or first.branches or first.loops or second.loops:
            return
        if second.reads & self.bits[read] and start == read:
            return  # The update depends on the read already.
        if first.updates & ~self.bits[read] and self._reaches(update, start):
            return
        self.piece.nodes[update].input.extend("^" + name for name in self._ends(start))
        second.reads |= self.bits[read]

    def _ends(self, name: str) -> list[str]:
        """Nodes that are done when all of `name` is.

        A control edge from a function call waits for the call's side effects alone, and a
        read is none; so the call's values, which are made from what it reads, count too.
        """
        if not any(name in calls for calls in self.calls.values()):
            return [name]
        call = self.piece.nodes[name]
        types = call.attr["Tout" if "Tout" in call.attr else "T"].list.type
        ends = [name]
        for index, dtype in enumerate(types):
            if dtype in _HANDLES:
                continue
            end = f"{name}/compat_end_{index}"
            if end not in self.piece.nodes:
                self.piece.new(end, "Identity", [f"{name}:{index}"], T=dtype)
            ends.append(end)
        return ends

    def _reaches(self, start: str, end: str) -> bool:
        """Whether `end` depends on `start`, edges added so far included."""
        waiting, met = [end], set()
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            if name in met:
                continue
            met.add(name)
            waiting += [split_input(reference)[0] for reference in self.piece.nodes[name].input]
        return False

    def _visit(self, node: NodeDef) -> None:
        facts = self.facts[node.name] = _Facts()
        late_looks = []
        for position, reference in enumerate(node.input):
            source = split_input(reference)[0]
            before = self.facts.get(source)
            if before is None:  # A loop's back edge.
                continue
            if reference[0] != "^" and source in self.looks:
                late_looks.append((position, source))
            facts.reads |= before.reads
            facts.updates |= before.updates
            facts.branches = max(facts.branches, before.branches)
            facts.loops = max(facts.loops, before.loops)
        self._enter_control_flow(node, facts)
        if node.op == "Merge" and not facts.branches:
            for read in [name for name in self._branched if facts.reads & self.bits[name]]:
                self._branched.remove(read)
                self._merges[read] = node.name
        if late_looks and not facts.loops:
            self._look_again(node, late_looks)
        self._note_variables(node, facts)
        if node.op == "Identity" and len(late_looks) == 1 and node.name not in self.looks:
            source = split_input(node.input[0])[0]
            self.looks[node.name] = self.looks.get(source, source)

    def _enter_control_flow(self, node: NodeDef, facts: _Facts) -> None:
        sources = [self.piece.nodes[split_input(reference)[0]].op for reference in node.input]
        if node.op == "Switch" and "LoopCond" not in sources:
            facts.branches += 1
        elif node.op == "Merge" and "Enter" not in sources:
            facts.branches -= 1
        elif node.op == "Enter":
            facts.loops += 1
        elif node.op == "Exit":
            facts.loops -= 1

    def _look_again(self, node: NodeDef, looks: list[tuple[int, str]]) -> None:
        """A consumer that an update precedes sees what the update made of the variable."""
        sources = {split_input(reference)[0] for reference in node.input}
        for position, source in looks:
            read = self.looks[source]
            variables = self.variables.get(_handle_of(self.piece.nodes[read]), frozenset())
            others = [name for name in sources if name != source and name in self.facts]
            seen = self.facts[read].updates
            behind = [
                name
                for name in others
                if any(
                    self.facts[name].updates & self.bits[update] & ~seen
                    for variable in variables
                    for update in self.updates.get(variable, [])
                )
            ]
            if not behind:
                continue
            fresh = self.piece.new(
                f"{node.name}/compat_look_{position}",
                READ,
                [_handle_of(self.piece.nodes[read]), *(f"^{name}" for name in behind)],
                dtype=self.piece.nodes[read].attr["dtype"].type,
            )
            node.input[position] = fresh.name
            self._visit(fresh)

    def _note_variables(self, node: NodeDef, facts: _Facts) -> None:
        if node.op == "VarHandleOp" or node.name in self._bound:
            self.variables[node.name] = frozenset([node.name])
            return
        held: frozenset[str] = frozenset()
        for reference in node.input:
            if reference[0] != "^":
                held |= self.variables.get(_plain(reference), frozenset())
        if not held:
            return
        if node.op in _PASSING:
            for output in (node.name, node.name + ":1"):
                self.variables[output] = held
            return
        if node.op in _HARMLESS:
            return
        bit = self.bits[node.name] = 1 << len(self.bits)
        if facts.branches:
            self._branched.append(node.name)
        if node.op in _READS:
            facts.reads |= bit
            group = self.reads
        else:
            facts.updates |= bit
            group = self.updates if _is_update(node.op) else self.calls
            if group is self.calls:  # A function may read and update.
                facts.reads |= bit
        for variable in held:
            group.setdefault(variable, []).append(node.name)


def _plain(reference: str) -> str:
    return reference.removesuffix(":0")


def _handle_of(read: NodeDef) -> str:
    return _plain(read.input[0])


def _is_update(op: str) -> bool:
    return op.startswith(("Assign", "Resource"))
