"""Starts the processes of one distributed training and collects what they say."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def run_job(count, timeout=240, chief_job=False, script="worker.py", **settings):
    """Runs all processes of a job to their ends.

    Args:
      count: How many processes; 0 for one without a cluster.
      timeout: Seconds until all are killed.
      chief_job: Whether the first is called "chief" rather than "worker" 0.
      script: What each process runs.
      **settings: For the script; `each` is a list of further ones by process.

    Returns:
      A `Process` for each.
    """
    each = settings.pop("each", [{}] * max(count, 1))
    ports = _free_ports(count)
    addresses = [f"127.0.0.1:{port}" for port in ports]
    cluster = {"worker": addresses}
    if chief_job:
        cluster = {"chief": addresses[:1], "worker": addresses[1:]}
    processes = []
    for number in range(max(count, 1)):
        environment = dict(os.environ)
        environment.pop("TF_CONFIG", None)
        if count:
            task = {"type": "worker", "index": number}
            if chief_job:
                task = (
                    {"type": "worker", "index": number - 1}
                    if number
                    else {"type": "chief", "index": 0}
                )
            environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
        processes.append(Process(script, {**settings, **each[number]}, environment))
    deadline = time.monotonic() + timeout
    threads = [
        threading.Thread(target=process.finish, args=(deadline - time.monotonic(),))
        for process in processes
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for process in processes:
            process.kill()
    return processes


class Process:
    """One process.

    Attributes:
      said: The objects that it printed.
      code: Its exit code; None if it had to be killed for taking too long.
    """

    def __init__(self, script, settings, environment):
        self._child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, script), json.dumps(settings)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, seconds):
        try:
            output, self.stderr = self._child.communicate(timeout=max(seconds, 1))
            self.code = self._child.returncode
        except subprocess.TimeoutExpired:
            self._child.kill()
            output, self.stderr = self._child.communicate()
            self.code = None
        self._ended = time.monotonic()
        self.said = [json.loads(line) for line in output.splitlines() if line.startswith("{")]

    def seconds_after(self, other):
        """How long after another process it ended."""
        return self._ended - other._ended

    def kill(self):
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def of(self, key, hook=None):
        """The values of a key in what it said, of one hook if it is named."""
        return [
            fact[key]
            for fact in self.said
            if key in fact and (not hook or fact.get("hook") == hook)
        ]


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
