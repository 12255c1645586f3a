"""The process between the program and everything of Ray's: when the program is gone, so is all that it started.

``python guard.py BASE COMMAND...`` makes a private folder in BASE, runs the command with the folder's path added to
its arguments, and ends when the command does, or when the other end of the guard's standard input is closed: as the
system does for a program that ends in any way, ``kill -9`` included. Standard output is handed to the command. Before
the guard ends it kills whatever descends from it and removes the folder. On Linux orphans come to the guard, so none is
missed; elsewhere those are whose parents ended before the guard looked. A folder whose guard was killed is removed by
the next one.

Imports the standard library alone and nothing of the project: it must start fast, stay small and have nothing to go
wrong.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KILL_SECONDS = 10.0  # how long processes that do not die (in an uninterruptible call) are waited for
LOOK_SECONDS = 0.2  # how often the guard looks whether the command has ended
PREFIX, HELD = "hilltop-", "guard"  # how the private folder is called, and the file in it that its guard holds
SIGKILL_WITH_PARENT, SUBREAPER = 1, 36  # PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of Linux's prctl


def prctl(option: int, value: int) -> None:
    """Linux's ``prctl``; nothing elsewhere."""
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def descendants(ancestor: int) -> list[int]:
    """All processes that descend from one, those that have ended but not been waited for left out."""
    children: dict[int, list[int]] = {}
    for pid, parent in _processes():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    seen = [ancestor]
    while seen:
        below = children.get(seen.pop(), [])
        found += below
        seen += below
    return found


def _processes() -> list[tuple[int, int]]:
    """Process and parent of every process."""
    if not os.path.isdir("/proc/self"):
        listed = subprocess.run(["ps", "-axo", "pid=,ppid=,state="], capture_output=True, text=True, check=False)
        rows = [line.split() for line in listed.stdout.splitlines()]
        return [(int(row[0]), int(row[1])) for row in rows if len(row) == 3 and not row[2].startswith("Z")]
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state != b"Z":
                    found.append((int(name), int(parent)))
    return found


def members(session: int) -> list[int]:
    """All processes of a session, where the system tells; those that have ended but not been waited for left out."""
    found = []
    for pid, _ in _processes():
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
            if int(file.read().rpartition(b")")[2].split()[3]) == session:
                found.append(pid)
    return found


def birth(pid: int) -> str:
    """When a process was started, in the system's count; nothing if it has ended, or where that is not told."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return "" if fields[0] == b"Z" else fields[19].decode()
    return ""


def end_all() -> None:
    """Kill what descends from this process until nothing does."""
    end = time.monotonic() + KILL_SECONDS
    while (left := descendants(os.getpid())) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def hold(folder: str) -> None:
    """Show that a folder is in use, as long as this process runs."""
    file = os.open(os.path.join(folder, "holding"), os.O_CREAT | os.O_WRONLY, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.rename(os.path.join(folder, "holding"), os.path.join(folder, HELD))  # which nobody sees before it is held


def sweep(base: str) -> None:
    """Remove folders whose guard is gone."""
    for name in os.listdir(base):
        folder = os.path.join(base, name)
        with contextlib.suppress(OSError):
            if not name.startswith(PREFIX) or os.lstat(folder).st_uid != os.getuid():
                continue
            file = os.open(os.path.join(folder, HELD), os.O_WRONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(file)


def main(base: str, command: list[str]) -> int:
    """See the module; returns the exit code of the command, or 1 if it was killed."""
    for number in (signal.SIGINT, signal.SIGHUP):  # of a terminal: the program decides what they mean
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    prctl(SUBREAPER, 1)
    sweep(base)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=base)
    hold(folder)
    code = None
    try:
        # Should the guard itself be killed, the command goes with it, and Ray's processes go with the command.
        process = subprocess.Popen(
            [*command, folder],
            stdin=subprocess.DEVNULL,
            preexec_fn=lambda: prctl(SIGKILL_WITH_PARENT, signal.SIGKILL),
        )
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # so that the program sees it closed when the command ends
        while (code := process.poll()) is None and not select.select([0], [], [], LOOK_SECONDS)[0]:
            pass
    finally:
        end_all()
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if code is None or code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
