"""Ray on this machine, tamed: loopback only, a private folder, no process that is not needed, time to start."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any

START_SECONDS = 300  # for a machine so busy that all else of Ray's gives up long before
STORE, SMALLEST_STORE = 8 << 20, 80 << 20  # bytes of the object store: for each worker, and at least (Ray wants 75 MB)
# Ray's own helpers for its web page, its printed logs and clouds that grow: 260 MB that nobody here looks at.
NOT_NEEDED = ("start_monitor", "start_log_monitor", "start_api_server")
_started: list[Any] = []  # nodes of Ray, as it knows them, that this process has begun to start


def environment(folder: Path) -> dict[str, str]:
    """What Ray's processes on this machine are told."""
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32))
    seconds = str(START_SECONDS)
    return {
        # Ray takes a loopback address for a mistake and listens on every interface, except where it knows no clusters.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_enable_metrics_collection": "0",
        "RAY_gcs_server_port_wait_time_s": seconds,
        "RAY_raylet_start_wait_time_s": seconds,
        "RAY_worker_register_timeout_seconds": seconds,
        "RAY_agent_register_timeout_ms": f"{seconds}000",
    }


def start(workers: int, folder: Path) -> None:
    """Start Ray with room for ``workers``; whatever is wrong is raised by Ray."""
    import ray
    from ray._private import node, services

    for name in NOT_NEEDED:
        if hasattr(node.Node, name):
            setattr(node.Node, name, lambda *_, **__: None)
    if hasattr(services, "get_node") and hasattr(node.Node, "start_head_processes"):
        _wait_for(node.Node, services)
    store = max(SMALLEST_STORE, STORE * workers)
    where: dict[str, Any] = {}
    with contextlib.suppress(OSError):
        # Shared memory that is too small (64 MB in a container) gives way to the folder.
        if not os.path.isdir("/dev/shm") or shutil.disk_usage("/dev/shm").free < 2 * store:
            where["_plasma_directory"] = str(folder)
    ray.init(
        address="local",
        num_cpus=workers,
        num_gpus=0,
        include_dashboard=False,
        object_store_memory=store,
        _temp_dir=str(folder / "ray"),  # which Ray opens to everyone
        logging_level=logging.ERROR,
        log_to_driver=False,
        **where,
    )


def _wait_for(node: Any, services: Any) -> None:
    """Ray asks for its own node for 30 seconds; ask as long as it may take, but not for one that has ended."""
    get_node, start_processes = services.get_node, node.start_head_processes

    def start_and_tell(self: Any) -> None:
        _started.append(self)
        start_processes(self)

    def asked(*arguments: Any) -> Any:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return get_node(*arguments)
            except RuntimeError as error:
                if dead := lost():
                    raise OSError(f"its {dead} has ended") from error
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    node.start_head_processes, services.get_node = start_and_tell, asked


def lost() -> str:
    """The name of a process of Ray's on this machine that has ended, or nothing."""
    with contextlib.suppress(RuntimeError):  # processes are being added just now
        for running in _started:
            if dead := running.dead_processes():
                return str(dead[0][0])
    return ""
