"""`ExamplesPerSecondHook`: the speed in steps and in examples."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.hooks.adapters import StepCounterHook

v1 = tf.compat.v1


class ExamplesPerSecondHook(StepCounterHook):
    """Logs and writes `global_step/sec` and `examples/sec`."""

    def __init__(
        self,
        batch_size: int,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ):
        """Takes what `StepCounterHook` takes, and the batch size.

        Args:
          batch_size: Examples in a step.
          every_n_steps: Steps between measures.
          every_n_secs: Seconds between measures.
          output_dir: Directory of the event file.
          summary_writer: In place of one for `output_dir`.
        """
        self._batch_size = batch_size
        super().__init__(every_n_steps, every_n_secs, output_dir, summary_writer)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        steps = elapsed_steps / elapsed_time
        rates = {"global_step/sec": steps, "examples/sec": self._batch_size * steps}
        for tag, value in rates.items():
            if self._summary_writer is not None:
                summary = v1.Summary(value=[v1.Summary.Value(tag=tag, simple_value=value)])
                self._summary_writer.add_summary(summary, global_step)
            v1.logging.info("%s: %g", tag, value)
