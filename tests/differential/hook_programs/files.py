"""What a run left in its directory: names, checkpoints' content, event files' records."""

from __future__ import annotations

import os
import re

import numpy as np
import tensorflow as tf

from .describe import describe

v1 = tf.compat.v1


def record_files(journal, directory):
    """Adds the directory's content to a journal and removes its event files.

    Event files carry the second of their making in their name: two sessions within one
    second would share one, were they kept.
    """
    v1.summary.FileWriterCache.clear()
    for folder, folders, files in os.walk(directory):
        folders.sort()
        place = os.path.relpath(folder, directory)
        events = sorted(name for name in files if ".tfevents." in name)
        others = sorted(name for name in files if ".tfevents." not in name)
        journal.add("files", folder=place, names=others, event_files=len(events))
        for name in others:
            path = os.path.join(folder, name)
            if name == "checkpoint":
                with open(path) as file:
                    journal.add("checkpoint state", lines=file.read().splitlines())
            elif name.endswith(".index"):
                journal.add("checkpoint", name=name, variables=_variables(path))
            elif name.endswith(".meta"):
                journal.add("meta graph", name=name, **_meta_graph(path))
        for name in events:
            path = os.path.join(folder, name)
            for event in v1.train.summary_iterator(path):
                if event.WhichOneof("what") != "file_version":
                    journal.add("event", folder=place, **_event(event))
            os.remove(path)


def _variables(path):
    reader = tf.train.load_checkpoint(path[: -len(".index")])
    names = sorted(reader.get_variable_to_shape_map())
    return [[name, describe(np.asarray(reader.get_tensor(name)))] for name in names]


def _meta_graph(path):
    meta_graph = v1.MetaGraphDef()
    with open(path, "rb") as file:
        meta_graph.ParseFromString(file.read())
    return {
        "nodes": len(meta_graph.graph_def.node),
        "collections": sorted(meta_graph.collection_def),
        "saver": bool(meta_graph.saver_def.save_tensor_name),
    }


def _event(event):
    what = event.WhichOneof("what")
    seen = {"step": event.step, "what": what}
    if what == "summary":
        seen["values"] = [_summary_value(value) for value in event.summary.value]
    elif what == "session_log":
        log = event.session_log
        seen["status"] = v1.SessionLog.SessionStatus.Name(log.status)
        seen["path"] = log.checkpoint_path
    elif what == "graph_def":
        seen["nodes"] = len(v1.GraphDef.FromString(event.graph_def).node)
    elif what == "tagged_run_metadata":
        seen["tag"] = event.tagged_run_metadata.tag
    return seen


def _summary_value(value):
    kind = value.WhichOneof("value")
    number = getattr(value, kind)
    if kind == "tensor":
        number = tf.make_ndarray(number).tolist()
    return [value.tag, kind, re.sub(r"\s+", " ", str(number))]
