"""Kills a training process again and again, and shows that nothing is lost by it.

    python tests/crash/kill_and_resume.py [--kills 50] [--surface graph|step] [--seed N]

Each life of the process resumes from the last checkpoint and is killed (SIGKILL) at a
random moment, most of them within or near a save. After each, the latest checkpoint must
be readable. The last life may end; its step and weights must be exactly those of a run
that nobody disturbed. Exit code: 0 if so, 1 if not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import training

#: Children have TensorFlow loaded from the start; this process never starts its runtime,
#: so that it can be forked.
_forked = multiprocessing.get_context("fork")
STEPS_A_LIFE = 12


class Life:
    """A process that trains from the last checkpoint on, until it ends or is killed."""

    def __init__(self, surface, directory, last_step):
        self._heard, told = _forked.Pipe(duplex=False)
        self._child = _forked.Process(target=_live, args=(surface, directory, last_step, told))
        self._child.start()
        told.close()

    def steps(self):
        """The (step, fingerprint) pairs that it reports, as long as it lives."""
        while True:
            try:
                yield self._heard.recv()
            except EOFError:
                return

    def kill(self):
        """Kills it, unless it has ended in the meantime."""
        self._child.kill()
        self.end()

    def end(self):
        """Waits for its end.

        Raises:
          RuntimeError: It failed.
        """
        self._child.join()
        if self._child.exitcode not in (0, -9):
            raise RuntimeError(f"a life failed with exit code {self._child.exitcode}")


def _live(surface, directory, last_step, told):
    training.train(surface, directory, last_step, lambda *seen: told.send(seen))


def disturbed(surface, kills, chance, directory, last_step, say):
    """Trains with kills; yields every (step, fingerprint) seen, in all lives."""
    for number in range(kills):
        life = Life(surface, directory, last_step)
        after = chance.randrange(1, STEPS_A_LIFE + 1)
        for count, seen in enumerate(life.steps(), 1):
            yield seen
            if count == after:
                time.sleep(chance.uniform(0, 0.02))
                break
        life.kill()
        step = training.latest_step(directory)
        say(f"kill {number + 1} of {kills}: the latest checkpoint is of step {step}")
    life = Life(surface, directory, last_step)
    yield from life.steps()
    life.end()


def check(surface, kills, seed, say):
    """Compares a disturbed with an undisturbed training; returns the differences."""
    last_step = 10 + kills * STEPS_A_LIFE
    with tempfile.TemporaryDirectory() as directory:
        whole = Life(surface, os.path.join(directory, "whole"), last_step)
        expected = dict(whole.steps())
        whole.end()
        last, differences = 0, []
        for step, fingerprint in disturbed(
            surface, kills, random.Random(seed), os.path.join(directory, "killed"), last_step, say
        ):
            last = max(last, step)
            if fingerprint != expected.get(step):
                differences.append(f"step {step}: {fingerprint}, was {expected.get(step)}")
    if last != last_step or max(expected) != last_step:
        differences.append(f"ended at {last} and {max(expected)}, not at {last_step}")
    return differences


def main(argv):
    """Returns 0 if the kills made no difference, 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=6, help="how many; 6 by default")
    parser.add_argument("--surface", choices=["graph", "step"], default="graph")
    parser.add_argument("--seed", type=int, default=0, help="of the random moments")
    args = parser.parse_args(argv)
    differences = check(args.surface, args.kills, args.seed, lambda text: print(text, flush=True))
    print("\n".join(differences) or f"{args.surface}: {args.kills} kills made no difference")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
