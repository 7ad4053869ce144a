"""Tells ops that ran without a kernel from those of branches that were not taken."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compat.profiling.graph import GraphView

_BRANCHES = ("/then/_", "/else/_", "/body/_", "/cond/_")
#: Nodes that lowering control flow makes; those that only order others have no kernel.
_LOWERED = re.compile(r".*/_\d+")
_ORDERING = "_control_node/_"
_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If"})


class Liveness:
    """Judges what the executor passed on without a kernel.

    It does so with constants and no-ops and, in the same way, with dead ops. What feeds
    a kernel was alive. Of the rest, a dead op has a dead input, and those begin at a
    `Switch` or at an argument of a branch.
    """

    def __init__(self, graph: GraphView, kernels: Mapping[str, str]):
        """Collects what feeds kernels.

        Args:
          graph: What is known of the graph.
          kernels: Name and type of the ops that ran with a kernel.
        """
        self._graph = graph
        self._kernels = kernels
        self._used: set[str] = set()
        for name, op in kernels.items():
            node = graph.node(name)
            if node is not None and op not in ("Merge", "RefMerge"):
                self._used.update(producer for producer, _ in node.inputs)
                self._used.update(node.controls)

    def executed(self, name: str) -> bool:
        """Whether an op that was passed on without a kernel counts as run."""
        if name in self._kernels:
            return False
        if self._graph.node(name) is None and _LOWERED.fullmatch(name):
            return _ORDERING in name
        return name in self._used or not self._is_dead(name)

    def type_of(self, name: str) -> str:
        """The op's type; what the graph computes from inputs was folded into a constant."""
        if name == "_SOURCE" or _ORDERING in name:
            return "NoOp"
        node = self._graph.node(name)
        if node is None:
            folded = name.startswith("ConstantFolding/") or "__cf__" in name
            return "Const" if folded else "unknown"
        if node.op in _CALLS:
            return "NoOp"  # Its function was inlined.
        return "Const" if node.inputs else node.op

    def _is_dead(self, name: str) -> bool:
        waiting, seen = [name], {name}
        while waiting:
            node = self._graph.node(waiting.pop())
            if node is None:
                continue
            for source in [*(producer for producer, _ in node.inputs), *node.controls]:
                if source in seen:
                    continue
                seen.add(source)
                origin = self._graph.node(source)
                if origin is None:
                    if any(part in source for part in _BRANCHES):
                        return True
                elif origin.op in ("Switch", "RefSwitch"):
                    if source in self._kernels:
                        return True
                elif source not in self._kernels:
                    waiting.append(source)
        return False
