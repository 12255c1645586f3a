"""A headless Chromium told what to do through its debugging protocol over a pipe: nothing to install but itself."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds for an answer


def find() -> str | None:
    """The browser's program, if there is one."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One tab. ``events`` holds what the browser told of by itself, in order."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something and wait for the answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._receive], [], [], max(until - time.monotonic(), 0.0))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._receive, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, page: Path | str, width: int, height: int = 900, dark: bool = False) -> None:
        """Open a file, or an address, in a window of so many pixels and wait until it is loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.absolute().as_uri())
        self.loaded()

    def loaded(self) -> None:
        """Wait until the page that is on its way is there."""
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def value(self, script: str) -> Any:
        """What a JavaScript expression evaluates to."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, script: str) -> None:
        """Click what a JavaScript expression finds, and wait for the page that this leads to."""
        self.events.clear()
        self.value(f"({script}).click()")
        self.loaded()

    def key(self, name: str, code: int) -> None:
        """Press a key and let it go; ``code`` is its Windows virtual key code."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)

    def picture(self, target: Path) -> None:
        """A PNG of the whole page."""
        drawn = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(drawn["data"]))

    def requests(self) -> list[str]:
        """Addresses that were asked for since the page was opened, its own among them."""
        sent = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent]

    def complaints(self) -> list[str]:
        """What the page wrote to the console, and what the browser did."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self.events if event.get("method") in kinds]


@contextlib.contextmanager
def started(program: str, profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, gone at the end."""
    ends = [*os.pipe(), *os.pipe()]
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]  # out of the way of 3 and 4
    for end in ends:
        os.close(end)
    its_input, send, receive, its_output = high
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    actions = [
        *((os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)),
        (os.POSIX_SPAWN_DUP2, its_input, 3),
        (os.POSIX_SPAWN_DUP2, its_output, 4),
    ]
    words = [program, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = os.posix_spawn(program, words, os.environ, file_actions=actions)
    for end in (its_input, its_output, null):
        os.close(end)
    try:
        browser = Browser(send, receive)
        yield browser
    finally:
        for end in (send, receive):
            os.close(end)  # the browser ends when its pipe does
        for _ in range(100):
            if os.waitpid(process, os.WNOHANG)[0]:
                break
            time.sleep(0.05)
        else:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
