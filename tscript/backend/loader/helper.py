"""A process that runs LLVM for this one, so that its compilations wait for nothing.

llvmlite holds one lock around every call, and LLVM takes part in the end of a process. So what is compiled in the
background is compiled by a helper: a Python process with a low priority, which gets LLVM text and returns objects. It
ends when its pipe is closed, or after `IDLE` seconds without work.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target

IDLE = 30.0
"""Seconds without work until a helper ends by itself, as processes may be copied together with its pipe."""
NICENESS = 5
"""How much lower its priority is."""

_HEAD = struct.Struct("<II")
_REPLY = struct.Struct("<BQ")
_COMMAND = "import sys; sys.path[:] = {path!r}; from tscript.backend.loader.helper import main; main()"


class HelperError(RuntimeError):
    """The helper has ended or cannot be started."""


def is_possible() -> bool:
    """Whether this program can start another Python interpreter: not where it is one file with its interpreter."""
    name = os.path.basename(sys.executable or "").lower()
    return name.startswith("python") and not getattr(sys, "frozen", False)


class Helper:
    """A helper process. One thread uses it at a time.

    Raises:
        HelperError: It cannot be started.
    """

    def __init__(self) -> None:
        command = [sys.executable, "-I", "-c", _COMMAND.format(path=[p for p in sys.path if isinstance(p, str)])]
        pipe = subprocess.PIPE
        try:
            # Without buffers, so that the child of a fork can close them whatever another thread was doing.
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)
        except OSError as error:
            raise HelperError(str(error)) from error

    def generate(self, text: str, target: Target, level: int, effort: Effort, place: int | None = None) -> bytes:
        """As `tscript.backend.loader.optimise.generate`.

        Raises:
            HelperError: It has ended.
            RuntimeError: LLVM rejects the text.
        """
        wanted = (target.triple, target.cpu, target.features, target.is_host, level, effort.value, place)
        head, body = json.dumps(wanted).encode(), text.encode("utf-8", "surrogatepass")
        try:
            self._write(_HEAD.pack(len(head), len(body)) + head + body)
            failed, size = _REPLY.unpack(self._read(_REPLY.size))
            found = self._read(size)
        except (OSError, EOFError, ValueError) as error:
            raise HelperError(f"the helper has ended: {error}") from error
        if failed:
            raise RuntimeError(found.decode("utf-8", "replace"))
        return found

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._process.stdin.fileno(), rest) :]

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        parts, left = [], size
        while left:
            part = os.read(self._process.stdout.fileno(), left)
            if not part:
                raise EOFError("its pipe is closed")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def kill(self) -> None:
        """End it, also while another thread waits for it; that gets a `HelperError`."""
        self._process.kill()

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._leave()

    def forget(self) -> None:
        """In the child of a fork: it belongs to the parent."""
        self._process.returncode = 0  # so that nothing waits for it here
        self._leave()

    def _leave(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def main() -> None:
    """The helper: answer until the pipe is closed."""
    import select
    import signal

    from tscript.backend.loader.optimise import generate

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    given, taken = sys.stdin.buffer, sys.stdout.buffer
    while True:
        if os.name == "posix" and not select.select([given], [], [], IDLE)[0]:
            return
        head = given.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        sizes = _HEAD.unpack(head)
        triple, cpu, features, is_host, level, effort, place = json.loads(given.read(sizes[0]))
        text = given.read(sizes[1]).decode("utf-8", "surrogatepass")
        target = Target(triple, cpu, features, is_host)
        try:
            failed, data = 0, generate(text, target, level, Effort(effort), place)
        except Exception as error:  # noqa: BLE001 - told to who asked
            failed, data = 1, f"{type(error).__name__}: {error}".encode()
        try:
            taken.write(_REPLY.pack(failed, len(data)) + data)
            taken.flush()
        except OSError:
            os._exit(0)  # nobody waits for it


__all__ = ["Helper", "HelperError", "is_possible", "main"]
