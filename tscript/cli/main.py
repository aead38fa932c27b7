"""The entry point of the ``tscript`` command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Around imports, which make much and throw nothing away: the garbage collector would only look at it again and
    again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


def main() -> None:
    """Run the command line; the exit code says how it went (see `tscript.cli.errors.Exit`)."""
    if sys.argv[1:] == ["--version"]:
        from tscript._version import __version__

        print(f"tscript {__version__}")
        return
    from tscript.cli.errors import reported

    with reported():
        with importing():
            from tscript.cli.app import app

        app(prog_name="tscript")


if __name__ == "__main__":
    main()
