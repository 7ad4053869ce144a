"""The hook loop: the one place that calls hooks, in TF1's order.

    begin()  of every hook, while the graph may still grow
    (the graph is finalized; the session is created, initialized or restored)
    after_create_session()  of every hook
    for each run:
        before_run()  of every hook, in order
        RUN  once, with what the caller and all hooks asked for
        after_run()  of every hook, in order, each with the values it asked for
    end()  of every hook, unless an error ended the loop

A surface (graph session, tf.function step, Keras fit) only says what RUN does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

#: RUN: (fetches, feed_dict, options, run_metadata) -> values in the fetches' structure.
Run = Callable[[Any, Any, Any, Any], Any]

_CALLER = "caller"


class HookLoop:
    """Calls a list of hooks around runs and merges what they ask for.

    Attributes:
      hooks: The hooks, in the order in which they are called.
      should_stop: Whether a hook has asked to stop.
    """

    def __init__(self, hooks: Sequence[Any]):
        self.hooks = hooks
        self.should_stop = False

    def begin(self) -> None:
        """Lets hooks add to the default graph."""
        for hook in self.hooks:
            hook.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Tells hooks that `session` is ready to run."""
        for hook in self.hooks:
            hook.after_create_session(session, coord)

    def end(self, session: Any) -> None:
        """Tells hooks that the loop ended without an error."""
        for hook in self.hooks:
            hook.end(session)

    def run(
        self,
        session: Any,
        run: Run,
        fetches: Any,
        feed_dict: Mapping | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """One run with hooks.

        Args:
          session: The session without hooks, for `run_context.session`.
          run: What RUN does.
          fetches: What the caller wants.
          feed_dict: What the caller feeds.
          options: The caller's `RunOptions`; hooks' options are merged into it.
          run_metadata: The `RunMetadata` to fill; hooks see it too.

        Returns:
          The values of the caller's fetches.

        Raises:
          RuntimeError: The loop should have stopped, or a tensor is fed twice.
        """
        if self.should_stop:
            raise RuntimeError("Run called even after should_stop requested.")
        context = v1.train.SessionRunContext(
            original_args=v1.train.SessionRunArgs(fetches, feed_dict), session=session
        )
        options = options or v1.RunOptions()
        run_metadata = run_metadata or v1.RunMetadata()
        # Keyed by hook as in TF1: a hook listed twice gets its last request's values twice.
        merged: dict[Any, Any] = {_CALLER: fetches}
        feeds = self._before_run(context, merged, feed_dict, options)
        outputs = run(merged, feeds, options, run_metadata)
        for hook in self.hooks:
            hook.after_run(
                context,
                v1.train.SessionRunValues(
                    results=outputs.get(hook), options=options, run_metadata=run_metadata
                ),
            )
        self.should_stop = self.should_stop or context.stop_requested
        return outputs[_CALLER]

    def _before_run(
        self, context: Any, merged: dict, caller_feeds: Mapping | None, options: Any
    ) -> Mapping | None:
        hook_feeds: dict = {}
        for hook in self.hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                merged[hook] = request.fetches
            if request.feed_dict:
                _refuse_overlap(hook_feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                hook_feeds.update(request.feed_dict)
            if request.options:
                merge_run_options(options, request.options)
        if not hook_feeds:
            return caller_feeds
        if caller_feeds:
            _refuse_overlap(
                caller_feeds, hook_feeds, "Same tensor is fed by a SessionRunHook and user."
            )
            hook_feeds.update(caller_feeds)
        return hook_feeds


def _refuse_overlap(first: Mapping, second: Mapping, message: str) -> None:
    # By TF1's rule a name and the tensor it names count as two keys.
    def identity(key: Any) -> Any:
        return key.ref() if hasattr(key, "ref") and callable(key.ref) else key

    known = {identity(key) for key in first}
    conflicts = [key for key in second if identity(key) in known]
    if conflicts:
        raise RuntimeError(f"{message} Conflict(s): {conflicts}")


def merge_run_options(options: Any, incoming: Any) -> None:
    """Merges a hook's `RunOptions` into those of the run: the stronger wish wins.

    Args:
      options: The `tf.compat.v1.RunOptions` of the run; changed in place.
      incoming: The hook's.
    """
    options.trace_level = max(options.trace_level, incoming.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, incoming.timeout_in_ms)
    options.inter_op_thread_pool = max(options.inter_op_thread_pool, incoming.inter_op_thread_pool)
    options.output_partition_graphs |= incoming.output_partition_graphs
    options.report_tensor_allocations_upon_oom |= incoming.report_tensor_allocations_upon_oom
    options.debug_options.debug_tensor_watch_opts.extend(
        incoming.debug_options.debug_tensor_watch_opts
    )
    options.debug_options.reset_disk_byte_usage |= incoming.debug_options.reset_disk_byte_usage
