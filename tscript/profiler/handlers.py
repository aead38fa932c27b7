"""What to do with a trace that is ready."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tscript.profiler.session import profile


def tensorboard_trace_handler(
    dir_name: str | os.PathLike[str], worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """A value for ``on_trace_ready`` that writes each trace to a file of its own, where TensorBoard finds it.

    Args:
        dir_name: The folder; made when the first trace is written.
        worker_name: How file names begin; left out, host name and process id.
        use_gzip: Whether files are compressed.

    Example:
        >>> handler = tensorboard_trace_handler("traces", use_gzip=True)
    """
    folder = Path(dir_name)

    def write(finished: profile) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        # The time keeps names apart, and the end is what TensorBoard looks for.
        name = f"{worker}.{time.time_ns()}.pt.trace.json"
        finished.export_chrome_trace(folder / (f"{name}.gz" if use_gzip else name))

    return write
