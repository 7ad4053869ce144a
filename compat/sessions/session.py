"""`Session`: TF1's session, run eagerly.

It is a `tf.compat.v1.Session` (savers, `eval()`, `as_default()` and `isinstance` see
one) that owns no C session: every run is a compiled function of the eager runtime, so
TensorFlow itself, and Keras 3 beside it, stay eager.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.engine.engine import Engine
from compat.engine.errors import translated
from compat.engine.running import run_mixed
from compat.engine.steps import FunctionStep, Step, is_step, step_key
from compat.engine.vocabulary import VocabularyGraph

v1 = tf.compat.v1


class _EagerlyRun:
    """What `Session` and `InteractiveSession` have in common: everything that runs."""

    _engine: Engine
    _graph: tf.Graph

    def _set_up(self, target: Any, graph: tf.Graph | None, config: Any) -> None:
        """Does the base class's construction without its C session."""
        if graph is not None and not isinstance(graph, tf.Graph):
            raise TypeError(
                f"Argument `graph` must be a tf.Graph, but got {type(graph).__name__!r}."
            )
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(
                f"Argument `target` must be a string, but got {type(target).__name__!r}. "
                "Pass a configuration by name: Session(config=…)."
            )
        if target:
            raise NotImplementedError(
                f"A session can't connect to the TensorFlow server {target!r}: steps run in "
                "this process. Use tf.distribute to train on several machines."
            )
        if config is not None and not isinstance(config, v1.ConfigProto):
            raise TypeError(
                f"Argument `config` must be a tf.ConfigProto, but got {type(config).__name__!r}."
            )
        self._graph = graph if graph is not None else v1.get_default_graph()
        self._target = b""
        self._config = config
        self._add_shapes = bool(config and config.graph_options.infer_shapes)
        self._timeout_in_ms = config.operation_timeout_in_ms if config else 0
        self._session = None
        self._closed = False
        self._delete_lock = threading.Lock()
        self._dead_handles: list = []
        self._running: set = set()
        self._offers_names = isinstance(self._graph, VocabularyGraph)
        self._engine = Engine(self._graph, self._graph.bound if self._offers_names else None)
        self._steps: dict[Any, FunctionStep] = {}
        self.step_values: dict[str, Any] = {}

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs operations and evaluates tensors, as `tf.compat.v1.Session.run`.

        Args:
          fetches: Tensors, operations, variables, names, composite tensors or steps
            (functions called once, eagerly), in any nesting of lists, tuples, dicts,
            named tuples, attrs classes and dataclasses.
          feed_dict: Values by tensor, name, variable or composite tensor; for a step,
            by argument name.
          options: A `tf.compat.v1.RunOptions`; timeout and trace level are honoured.
          run_metadata: A `tf.compat.v1.RunMetadata` to fill.

        Returns:
          The structure of `fetches` with NumPy values in place of tensors and None in
          place of operations.

        Raises:
          RuntimeError: The session is closed, or its graph is empty.
          TypeError: A fetch or feed is of a wrong type.
          ValueError: A fetch or feed is not in the graph, or a fed shape does not fit.
          tf.errors.OpError: What an op failed with.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        engine = self._engine
        try:
            plan = engine.plan(fetches, self._resolve_fetch)
        except (TypeError, ValueError):
            if not self._offers_names:
                engine.feeds(feed_dict, self._resolve_feed)  # TF1 minds wrong feeds first.
            raise
        if plan.pure and not self._offers_names:
            if self._graph.version == 0:
                raise RuntimeError(
                    "The Session graph is empty. Add operations to the graph before calling run()."
                )
            feeds = engine.feeds(feed_dict, self._resolve_feed)

            def call(cancellation: Any) -> list:
                return engine.run(plan.elements, feeds, cancellation)
        else:

            def call(cancellation: Any) -> list:
                return run_mixed(self, plan.elements, feed_dict or {}, cancellation)

        return plan.rebuild(self._call(call, options, run_metadata))

    def _call(self, call: Any, options: Any, run_metadata: Any) -> list:
        """Runs with this session's cancellation, time limit, tracing and error texts."""
        timeout = self._timeout_in_ms
        if options is not None:
            timeout = options.timeout_in_ms or timeout
            if options.trace_level:
                from compat.profiling.capture import traced_call

                plain = call

                def call(cancellation: Any) -> list:
                    return traced_call(
                        lambda: plain(cancellation), self._graph, options, run_metadata
                    )

        # One manager a run: TensorFlow cancels it with the run's first error, and an end of
        # the input that the caller catches must neither stop other threads nor later runs.
        cancellation = _tf.CancellationManager()
        self._running.add(cancellation)
        if self._closed:  # It may have been closed between the check and the line above.
            cancellation.start_cancel()
        try:
            if timeout:
                with _time_limit(cancellation, timeout):
                    return call(cancellation)
            return call(cancellation)
        except tf.errors.OpError as error:
            raise translated(error, self._graph, self._engine.state) from None
        finally:
            self._running.discard(cancellation)

    def _resolve_fetch(self, leaf: Any) -> Any:
        if isinstance(leaf, Step):
            return leaf
        try:
            return self._graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
        except (KeyError, ValueError, TypeError):
            name = self._graph.offered_name(leaf) if self._offers_names else None
            if name is not None:
                return name
            if isinstance(leaf, tf.Variable) and isinstance(leaf.handle, _tf.EagerTensor):
                return leaf
            if is_step(leaf):
                return self._steps.setdefault(step_key(leaf), FunctionStep(leaf))
            raise

    def _resolve_feed(self, key: Any) -> tf.Tensor:
        return self._graph.as_graph_element(key, allow_tensor=True, allow_operation=False)

    def make_callable(
        self, fetches: Any, feed_list: Sequence | None = None, accept_options: bool = False
    ) -> Any:
        """A function that runs `fetches`, given the values of `feed_list` in order.

        Args:
          fetches: As for `run`.
          feed_list: What the function's positional arguments feed.
          accept_options: Whether it takes `options` and `run_metadata` as well.

        Returns:
          The function.

        Raises:
          TypeError: `feed_list` is not a list.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"Argument `feed_list` must be a list or tuple; got {feed_list!r}.")
        feeds = list(feed_list or [])
        self._engine.plan(fetches, self._resolve_fetch)  # Wrong fetches fail here, as in TF1.

        def run_fetches(*values: Any, **settings: Any) -> Any:
            if len(values) != len(feeds):
                raise ValueError(f"Expected {len(feeds)} feed values; got {len(values)}.")
            if settings and not accept_options:
                raise TypeError(
                    f"Unexpected arguments {sorted(settings)}; set accept_options=True."
                )
            return self.run(fetches, dict(zip(feeds, values, strict=True)), **settings)

        return run_fetches

    def _make_callable_from_options(self, callable_options: Any) -> Any:
        """TF1's callables built from a `CallableOptions` proto."""
        fetches = list(callable_options.fetch)
        targets = list(callable_options.target)
        feeds = list(callable_options.feed)

        def run_options(*values: Any, run_metadata: Any = None) -> list:
            results = self.run(
                fetches + targets, dict(zip(feeds, values, strict=True)), run_metadata=run_metadata
            )
            return results[: len(fetches)]

        return run_options

    def list_devices(self) -> list[Device]:
        """The devices that runs may use, as `tf.compat.v1.Session.list_devices`."""
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        return [Device(device) for device in tf.config.list_logical_devices()]

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Not supported.

        Raises:
          NotImplementedError: Always; split the graph's work into several `run` calls.
        """
        raise NotImplementedError(
            "partial_run is not supported; fetch the intermediate tensor in one run and feed "
            "it in the next."
        )

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Not supported; see `partial_run_setup`."""
        return self.partial_run_setup(fetches)

    def close(self) -> None:
        """Ends the session: pending runs of other threads are cancelled, state is freed."""
        if self._closed:
            return
        self._closed = True
        for cancellation in list(self._running):
            cancellation.start_cancel()
        self._steps.clear()
        self.step_values = {}
        self._engine.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass  # At interpreter exit the runtime may be gone already.

    def _extend_graph(self) -> None:
        """Nothing to tell: programs are compiled from the graph as it stands."""

    def _register_dead_handle(self, handle: Any) -> None:
        """Nothing to free: kept tensors live in the eager runtime."""


@contextlib.contextmanager
def _time_limit(cancellation: Any, milliseconds: int) -> Iterator[None]:
    """Cancels what runs inside when the time is up, and says so."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        cancellation.start_cancel()

    timer = threading.Timer(milliseconds / 1000, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except tf.errors.OpError as error:
        if not late.is_set():
            raise
        raise tf.errors.DeadlineExceededError(
            error.node_def, error.op, f"Timed out after {milliseconds} ms waiting for the run."
        ) from None
    finally:
        timer.cancel()


class Session(_EagerlyRun, tf.compat.v1.Session):
    """Runs a legacy graph eagerly; stands for `tf.compat.v1.Session`.

    Two sessions on one graph share no state; closing a session frees its variables,
    queues and tables. `run` may be called from several threads.

    Example:
      >>> graph = tf.Graph()
      >>> with graph.as_default():
      ...     x = tf.compat.v1.placeholder(tf.float32, name="x")
      ...     y = x * 2
      >>> with compat.Session(graph=graph) as sess:
      ...     sess.run(y, {x: 21.0})
      np.float32(42.0)
    """

    def __init__(self, target: str = "", graph: tf.Graph | None = None, config: Any = None):
        """Starts a session.

        Args:
          target: Must be empty; there is no server to connect to.
          graph: The graph to run; the default graph if None.
          config: A `tf.compat.v1.ConfigProto`; `operation_timeout_in_ms` is honoured.

        Raises:
          TypeError: An argument is of a wrong type.
          NotImplementedError: `target` names a server.
        """
        self._set_up(target, graph, config)
        self._default_graph_context_manager = None
        self._default_session_context_manager = None

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Does nothing: each session frees its own resources when it is closed."""


class InteractiveSession(_EagerlyRun, tf.compat.v1.InteractiveSession):
    """A session that makes itself the default one; stands for TF1's of that name."""

    def __init__(self, target: str = "", graph: tf.Graph | None = None, config: Any = None):
        """Starts the session and installs it, and its graph, as the default.

        Args:
          target: Must be empty; there is no server to connect to.
          graph: The graph to run; the default graph if None.
          config: A `tf.compat.v1.ConfigProto`.

        Raises:
          TypeError: An argument is of a wrong type.
          NotImplementedError: `target` names a server.
        """
        self._set_up(target, graph, config)
        self._explicitly_closed = False
        self._installed = contextlib.ExitStack()
        if graph is not None:
            manager = graph.as_default()
            manager.enforce_nesting = False
            self._installed.enter_context(manager)
        manager = self.as_default()
        manager.enforce_nesting = False
        self._installed.enter_context(manager)

    def close(self) -> None:
        """Ends the session and gives back the default that was before it."""
        if not self._explicitly_closed:
            self._explicitly_closed = True
            self._installed.close()
        super().close()


class Device:
    """A device of a session: `name`, `device_type`, `memory_limit_bytes`, `incarnation`."""

    def __init__(self, logical: Any):
        self.name = _full_name(logical.name)
        self.device_type = logical.device_type
        self.memory_limit_bytes = 0
        self.incarnation = 0

    def __repr__(self) -> str:
        return f"Device({self.name!r}, {self.device_type!r})"


def _full_name(name: str) -> str:
    spec = tf.DeviceSpec.from_string(name)
    return tf.DeviceSpec(
        job="localhost",
        replica=0,
        task=0,
        device_type=spec.device_type,
        device_index=spec.device_index,
    ).to_string()
