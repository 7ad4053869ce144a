"""`MonitoredTrainingSession` around a step that calls `strategy.run`, in real processes."""

import os

import pytest
from jobs import run_job

#: Weights after each step of two replicas, and of three: their sum of shares times 1 + 2 + …
TWO = [0, 3, 9, 18, 30, 45, 63]
THREE = [0, 6, 18, 36, 60, 90, 126]
BY_STEPS = {"save_checkpoint_steps": 2, "save_checkpoint_secs": None}


def checkpoints(directory):
    return sorted(
        name.removesuffix(".index") for name in os.listdir(directory) if name.endswith(".index")
    )


def errors(processes):
    return [message for process in processes for message in process.of("message")]


@pytest.mark.parametrize("manager", [False, True])
def test_devices_of_one_machine(tmp_path, manager):
    """Under MirroredStrategy: saved, restored into every copy, and gone on with."""
    job = {"strategy": "mirrored", "checkpoint_dir": str(tmp_path), "session": BY_STEPS}
    (first,) = run_job(0, last_step=3, manager=manager, **job)
    assert errors([first]) == []
    assert first.of("loss", "user") == TWO[1:4]
    assert [first.of(key, "chief") for key in ("starts", "ends")] == [[0], [3]]
    (second,) = run_job(0, last_step=5, manager=manager, **job)
    assert errors([second]) == []
    assert second.of("starts") == [3, 3]
    assert second.of("loss", "user") == TWO[4:6]
    assert "ckpt-5" in " ".join(checkpoints(tmp_path))


def test_two_workers_stop_and_go_on_with_three(tmp_path):
    """One worker's stop is everybody's; the chief alone keeps files and has its hooks."""
    workers = run_job(2, checkpoint_dir=str(tmp_path), session=BY_STEPS, stop_at={"1": 3})
    assert errors(workers) == []
    assert [worker.of("final_step") for worker in workers] == [[3], [3]]
    assert [worker.of("ends", "user") for worker in workers] == [[3], [3]]
    assert [bool(worker.of("step", "chief")) for worker in workers] == [True, False]
    assert all(worker.of("loss", "user") == TWO[1:4] for worker in workers)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-2", "model.ckpt-3"]
    assert sum(".tfevents." in name for name in os.listdir(tmp_path)) == 1

    # The chief's clock says when to save; the chief has a job of its own; no scope.
    more = run_job(
        3,
        chief_job=True,
        in_scope=False,
        checkpoint_dir=str(tmp_path),
        session={"save_checkpoint_secs": 0.001},
        coordinator_stop_at={"1": 5},
    )
    assert errors(more) == []
    assert [worker.of("starts", "user") for worker in more] == [[3]] * 3
    assert [worker.of("final_step") for worker in more] == [[5]] * 3
    assert [worker.of("weight") for worker in more] == [[18 + 6 * 4 + 6 * 5]] * 3
    assert [bool(worker.of("step", "chief")) for worker in more] == [True, False, False]
    assert {"model.ckpt-4", "model.ckpt-5"} <= set(checkpoints(tmp_path))


def test_killed_worker(tmp_path):
    """The other is told within a minute; started again, the job ends as if nothing was."""
    job = {"checkpoint_dir": str(tmp_path), "session": BY_STEPS, "last_step": 5}
    chief, killed = run_job(2, kill_at={"1": 3}, **job)
    assert killed.code == -9
    assert chief.of("error") == ["UnavailableError"]
    assert "Start all workers again" in chief.of("message")[0]
    assert chief.code == 0 and chief.of("ends") == []
    assert chief.seconds_after(killed) < 60
    again = run_job(2, **job)
    assert errors(again) == []
    assert [worker.of("starts", "user") for worker in again] == [[2], [2]]
    assert [worker.of("weight") for worker in again] == [[TWO[5]]] * 2


def test_error_in_one_worker(tmp_path):
    """It comes out of that worker as itself; the other is told."""
    chief, failing = run_job(2, checkpoint_dir=str(tmp_path), raise_at={"1": 2})
    assert failing.of("error") == ["ValueError"]
    assert chief.of("error") == ["UnavailableError"]


def test_directories_that_are_not_shared(tmp_path):
    """Workers that would start at different steps don't start."""
    (alone,) = run_job(0, strategy="mirrored", checkpoint_dir=str(tmp_path / "a"), last_step=2)
    assert errors([alone]) == []
    each = [{"checkpoint_dir": str(tmp_path / name)} for name in "ab"]
    workers = run_job(2, each=each)
    for worker in workers:
        assert worker.of("error") == ["RuntimeError"]
        assert "one checkpoint_dir" in worker.of("message")[0]
