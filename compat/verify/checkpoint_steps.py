"""Which checkpoint of NEW belongs to which of OLD.

Checkpoints whose files are named alike are paired by the number in their names, others
by the step stored in them (TF1's `global_step`, an optimizer's iterations), so that
`model.ckpt-600` meets `epoch_3.weights.h5` saved after 600 batches.
"""

from __future__ import annotations

from compat.verify import wording
from compat.verify.checkpoints import UnreadableError, opened
from compat.verify.report import Difference, Report
from compat.verify.runs import CheckpointFile, Run

PART = "checkpoints"

#: Step (None if unknown), OLD's checkpoint, NEW's checkpoint.
Pair = tuple[int | None, CheckpointFile, CheckpointFile]


def pair_steps(old: Run, new: Run, one: str, other: str, report: Report) -> list[Pair]:
    """Puts the checkpoints of two families together by step; reports the others."""
    ones, others = old.checkpoints[one], new.checkpoints[other]
    single = old.single and new.single and len(ones) == len(others) == 1
    if single or (len(ones) == len(others) == 1 and ones[0].number == others[0].number is None):
        return [(_stored_step(ones[0]), ones[0], others[0])]
    alike = one.rpartition("/")[2] == other.rpartition("/")[2]
    if alike and all(file.number is not None for file in (*ones, *others)):
        first, second = _by_number(ones, "OLD", report), _by_number(others, "NEW", report)
    else:
        steps = [[_stored_step(file) for file in files] for files in (ones, others)]
        if len(ones) == len(others) and set(steps[0]) | set(steps[1]) == {None}:
            report.notes.append(
                f"checkpoints {one} and {other} hold no step; they are compared in the order "
                "of the numbers in their names"
            )
            return [
                (old_file.number, old_file, new_file)
                for old_file, new_file in zip(_ordered(ones), _ordered(others), strict=True)
            ]
        first = _by_step(ones, steps[0], "OLD", report)
        second = _by_step(others, steps[1], "NEW", report)
    common = sorted(set(first) & set(second))
    for kind, label, have, lack in (
        ("missing_steps", "NEW", first, second),
        ("extra_steps", "OLD", second, first),
    ):
        lost = sorted(set(have) - set(lack))
        if lost:
            end = f"; {label} ends at step {max(lack)}" if lack and lost[-1] > max(lack) else ""
            message = f"{label} has no checkpoint {one} of step {wording.steps(lost)}{end}"
            report.differences.append(
                Difference(PART, kind, one, message, lost[0], one, count=len(lost))
            )
    return [(step, first[step], second[step]) for step in common]


def _ordered(files: list[CheckpointFile]) -> list[CheckpointFile]:
    return sorted(files, key=lambda file: (file.number or 0, file.path))


def _by_number(
    files: list[CheckpointFile], label: str, report: Report
) -> dict[int, CheckpointFile]:
    return _by_step(files, [file.number for file in files], label, report)


def _by_step(
    files: list[CheckpointFile], steps: list[int | None], label: str, report: Report
) -> dict[int, CheckpointFile]:
    found: dict[int, CheckpointFile] = {}
    for file, step in zip(files, steps, strict=True):
        # Without any step a checkpoint still has a place: before the numbered ones.
        place = step if step is not None else file.number if file.number is not None else -1
        if place in found:
            report.notes.append(f"{label} has two checkpoints of step {place}; {file.path} counts")
        found[place] = file
    return found


def _stored_step(file: CheckpointFile) -> int | None:
    try:
        with opened(file) as checkpoint:
            return checkpoint.step
    except UnreadableError:
        return file.number
