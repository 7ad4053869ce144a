"""What a random program is: plain data, so that it can be printed and made smaller."""

from __future__ import annotations

import dataclasses

from .graphs import GraphSpec


@dataclasses.dataclass
class Hook:
    """A hook of a program.

    A random hook does what `plan` says: callback name -> list of (when, action), where
    `when` is the number of the call (from 0, over the hook's life) or "always". A built-in
    hook has `arguments`; a saver hook's listeners are random hooks of their own kind.
    """

    kind: str = "random"
    base: str = "own"  # "own" class of the back end, "tensorflow" class, or "none".
    plan: dict = dataclasses.field(default_factory=dict)
    arguments: dict = dataclasses.field(default_factory=dict)
    listeners: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Phase:
    """One session of a program and what is done with it."""

    surface: str = "singular"  # "monitored" or "training".
    hooks: list = dataclasses.field(default_factory=list)
    chief_only_hooks: list = dataclasses.field(default_factory=list)
    loop: list = dataclasses.field(default_factory=list)
    arguments: dict = dataclasses.field(default_factory=dict)
    scaffold: list = dataclasses.field(default_factory=list)
    finalized_before: bool = False


@dataclasses.dataclass
class Program:
    """A whole program: phases run one after another in graphs built alike.

    The phases share a directory, so a later one restores what an earlier one saved.
    """

    seed: int = 0
    graph: GraphSpec = dataclasses.field(default_factory=GraphSpec)
    phases: list = dataclasses.field(default_factory=list)
    seconds_per_step: float = 1.0
