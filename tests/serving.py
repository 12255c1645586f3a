"""A service as users start it, in a process of its own, and a client that knows nothing of it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.program import command, environment

PATIENCE = 240.0  # seconds for what should take a few: tests must not fail on a busy machine


@dataclass
class Served:
    """A running service."""

    url: str
    process: subprocess.Popen[bytes]

    def ask(self, path: str, body: Any = None, method: str | None = None, **headers: str) -> tuple[int, Any]:
        """Status and answer, read as JSON if it is."""
        data = None if body is None else json.dumps(body).encode()
        heads = {"Content-Type": "application/json"} if data else {}
        request = urllib.request.Request(self.url + path, data, heads | headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text, kind = answer.status, answer.read(), answer.headers.get("Content-Type", "")
        except urllib.error.HTTPError as error:
            status, text, kind = error.code, error.read(), error.headers.get("Content-Type", "")
        return status, json.loads(text) if "json" in kind else text.decode()

    def until(self, path: str, key: str, *values: Any) -> Any:
        """Ask again until ``key`` of the answer is one of ``values``."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            _, answer = self.ask(path)
            if answer.get(key) in values:
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{path}: {answer}")

    def kill(self) -> None:
        """End it as ``kill -9`` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def serving(db: Path, *options: str, **changes: str) -> Iterator[Served]:
    """``hilltop serve`` on a file, ready; ended as Ctrl-C ends it."""
    port = free_port()
    words = command("serve", "--db", str(db), "--port", str(port), *options)
    process = subprocess.Popen(words, env=environment(**changes), stderr=subprocess.DEVNULL, cwd=db.parent)
    served = Served(f"http://127.0.0.1:{port}", process)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError):
                if served.ask("/healthz")[0] == 200:
                    break
            assert process.poll() is None, "the service ended"
            assert time.monotonic() < end, "the service does not answer"
            time.sleep(0.05)
        yield served
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
