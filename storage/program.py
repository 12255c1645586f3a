"""Which program this is, in words that another one on the same machine can check: does it still run?"""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path


def this_program() -> str:
    """Machine (and what of it this program sees), process and when that was started; parted by spaces."""
    pid = os.getpid()
    return f"{_machine()} {pid} {_birth(pid)}"


def runs_here(program: str) -> bool | None:
    """Does a program still run? None if it is one of another machine, of which that is not known."""
    machine, pid, birth = program.split(" ")
    if machine != _machine():
        return None
    if birth:
        return _birth(int(pid)) == birth
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        pass
    return True


def _machine() -> str:
    """The machine since it was started and, where processes of it are kept apart, the part that this one is in."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return platform.node().replace(" ", "-") or "unknown"


def _birth(pid: int) -> str:
    """When a process was started, in the system's count; nothing if it has ended, or where that is not told."""
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return "" if fields[0] == b"Z" else fields[19].decode()
    return ""
