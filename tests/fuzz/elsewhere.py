"""``python -m tests.fuzz.elsewhere``: a process that calls the scripted functions which are sent to it."""

from __future__ import annotations

import sys

from tests.travel.worker import outcome


def main() -> None:
    """Read payloads until there are no more, and write what the calls did."""
    while len(size := sys.stdin.buffer.read(8)) == 8:
        try:
            found = outcome(sys.stdin.buffer.read(int.from_bytes(size, "little")))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is reported
            found = f"failed: {type(error).__name__}: {error}"
        data = found.encode("utf-8", "surrogatepass")
        sys.stdout.buffer.write(len(data).to_bytes(8, "little") + data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
