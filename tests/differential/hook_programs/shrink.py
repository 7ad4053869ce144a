"""Makes a program that shows a difference smaller, while it still shows it."""

from __future__ import annotations

import copy


def shrink(program, differs, most=150):
    """Removes parts of a program as long as the difference stays.

    Args:
      program: The program.
      differs: Tells whether a program still shows the difference.
      most: How many smaller programs to try at most.

    Returns:
      The smallest program found.
    """
    tries = 0
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(program):
            tries += 1
            if tries > most:
                return program
            if differs(smaller):
                program, progress = smaller, True
                break
    return program


def _smaller(program):
    """Programs with one part less, the largest parts first."""
    for number in range(len(program.phases)):
        if len(program.phases) > 1:
            yield _without(program, lambda p: p.phases, number)
    for number, phase in enumerate(program.phases):
        yield from _shorter_lists(program, number, phase)
    for index in range(len(program.graph.parts)):
        yield _without(program, lambda p: p.graph.parts, index)


def _shorter_lists(program, number, phase):
    for name in ("loop", "hooks", "chief_only_hooks", "scaffold"):
        items = getattr(phase, name)
        for index in reversed(range(len(items))):
            yield _without(program, lambda p, n=name: getattr(p.phases[number], n), index)
    for key in phase.arguments:
        smaller = copy.deepcopy(program)
        del smaller.phases[number].arguments[key]
        yield smaller
    for name in ("hooks", "chief_only_hooks"):
        for index, hook in enumerate(getattr(phase, name)):

            def same(p, n=name, i=index):
                return getattr(p.phases[number], n)[i]

            for callback, actions in hook.plan.items():
                for action in range(len(actions)):
                    yield _without(program, lambda p, c=callback: same(p).plan[c], action)
            for listener in range(len(hook.listeners)):
                yield _without(program, lambda p: same(p).listeners, listener)
                for callback, actions in hook.listeners[listener].items():
                    for action in range(len(actions)):
                        yield _without(
                            program,
                            lambda p, n=listener, c=callback: same(p).listeners[n][c],
                            action,
                        )
    for index, item in enumerate(phase.loop):
        if item[0] == "step function":
            for action in range(len(item[2])):
                yield _without(program, lambda p, i=index: p.phases[number].loop[i][2], action)


def _without(program, place, index):
    smaller = copy.deepcopy(program)
    del place(smaller)[index]
    return smaller
