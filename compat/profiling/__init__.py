"""Timelines of what TensorFlow ran: from a profiler's capture to files that people open.

Stages, each usable alone:

    recording.record()     a block of code under tf.profiler     → XSpace
    xspace.read(path)      a capture that lies on disk           → XSpace
    parse.from_xspace()    what ran, where and when              → trace.Trace
    tensors.edges(),       who fed whom, what lived when           of a trace
    tensors.tensors()
    top_ops.costs()        which ops the time went to              of a trace
    chrome.write()         Chrome trace JSON in TF1's shape
    report.write()         one HTML page
    step_stats.fill()      the proto that TF1's own tools read

Example:
  >>> import tempfile
  >>> import tensorflow as tf
  >>> from compat.profiling import chrome, parse, top_ops
  >>> from compat.profiling.recording import record
  >>> step = tf.function(lambda x: tf.matmul(x, x, name="product"))
  >>> value = step(tf.ones([8, 8]))  # Tracing the function shall not be in it.
  >>> with record() as recording:
  ...     value = step(tf.ones([8, 8]))
  >>> trace = parse.from_xspace(recording.space)
  >>> [cost.type for cost in top_ops.costs([trace]) if cost.name == "product"]
  ['MatMul']
  >>> chrome.write(trace, tempfile.mkdtemp() + "/timeline.json")

`capture` does this for a session's runs. An op has a name, a type and a thread from the
host's plane; its edges come from the graph, which a capture does not hold
(`graph.graph_def_view`, or what `ProfilerHook(keep_xplane=True)` put beside it).

GPUs: the plane `/device:GPU:N` has a line `Stream #S(…)` for each stream, whose events are
kernels and copies with their `correlation_id`, `kernel_details` or `memcpy_details`, and
in `annotation` or `tf_op` the op, as `name:Type#shape=…#` within what was around it
(`around::name:Type`). On the host, the launch lies inside its op and has the same
`correlation_id`: that links a kernel to the very execution, and the name does if the launch
was not recorded. Other lines of the plane ("TensorFlow Ops", "Steps") are derived from the
streams, and are not read. This was built on constructed planes, not on a GPU.
"""
