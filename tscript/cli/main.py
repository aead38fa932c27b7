"""The entry point of the ``tscript`` command."""

from __future__ import annotations

import os
import sys

from tscript.cli.importing import importing


def main() -> None:
    """Run the command line; the exit code says how it went (see `tscript.cli.errors.Exit`)."""
    if sys.argv[1:] == ["--version"]:
        from tscript._version import __version__

        print(f"tscript {__version__}")
        return
    from tscript.cli.errors import reported

    with reported():
        if "_ARGCOMPLETE" in os.environ:  # the shell asks what may come next
            from tscript.cli.app import complete

            complete()
        with importing():
            from tscript.cli.app import run

        run(sys.argv[1:])


if __name__ == "__main__":
    main()
