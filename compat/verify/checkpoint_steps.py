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
    by_number = one == other or (_form(ones) == _form(others) == "v2" and not old.single)
    if not _numbered(ones, others):
        by_number = False
    first = _by_step(ones, by_number, "OLD", report)
    second = _by_step(others, by_number, "NEW", report)
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


def _form(files: list[CheckpointFile]) -> str:
    return files[0].form


def _numbered(ones: list[CheckpointFile], others: list[CheckpointFile]) -> bool:
    return all(file.number is not None for files in (ones, others) for file in files)


def _by_step(
    files: list[CheckpointFile], by_number: bool, label: str, report: Report
) -> dict[int, CheckpointFile]:
    found = {}
    for file in files:
        step = file.number if by_number else _stored_step(file)
        if step is None:
            step = file.number if file.number is not None else -1
        if step in found:
            report.notes.append(f"{label} has two checkpoints of step {step}; {file.path} counts")
        found[step] = file
    return found


def _stored_step(file: CheckpointFile) -> int | None:
    try:
        with opened(file) as checkpoint:
            return checkpoint.step
    except UnreadableError:
        return file.number
