"""Exit codes, and exceptions turned into messages with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    PROGRAM = 1
    """A problem in the user's program; diagnostics were printed."""
    USAGE = 2
    """Wrong arguments, a file that cannot be read or written."""
    ARCHIVE = 3
    """The archive is unreadable, unsupported, or failed verification."""
    RAISED = 4
    """The program raised an exception when it ran."""
    THRESHOLD = 5
    """A comparison or a benchmark did not give what was asked for."""
    INTERNAL = 70
    INTERRUPTED = 130


class UsageError(Exception):
    """The command line asks for something that cannot be; the message says what was expected."""


class ProgramError(Exception):
    """The scripted program raised `__cause__` when it ran."""


class ThresholdError(Exception):
    """A comparison or a benchmark did not give what was asked for; the message says by how much."""


def fail(message: str, code: Exit) -> NoReturn:
    """Print ``error: message`` to stderr and leave with `code`."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


@contextmanager
def reported() -> Iterator[None]:
    """Turn exceptions into one message on stderr and the documented exit code; no traceback of ours is shown.

    Output is flushed inside, so that a full disk behind stdout is reported like any other file that cannot be written.
    """
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(Exit.INTERRUPTED)
    except UsageError as error:
        fail(str(error), Exit.USAGE)
    except ThresholdError as error:
        fail(str(error), Exit.THRESHOLD)
    except ProgramError as error:
        _print_program_error(error.__cause__ or error)
        sys.exit(Exit.RAISED)
    except BrokenPipeError:
        _drop_output()
        sys.exit(Exit.OK)
    except Exception as error:  # noqa: BLE001 - whatever is left is a bug of ours, and said so
        _report(error)


def _drop_output() -> None:
    """Send what is still buffered for stdout nowhere: its reader is gone, or its disk is full."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def _report(error: Exception) -> NoReturn:
    from tscript.diagnostics import CompileError, InternalError
    from tscript.diagnostics.archives import ArchiveError, MissingOperatorError
    from tscript.diagnostics.installation import CompilerNotInstalledError

    match error:
        case CompileError():
            print(str(error).strip("\n"), file=sys.stderr)
            count = len(error.diagnostics)
            print(f"\n{count} error{'s' if count > 1 else ''}", file=sys.stderr)
            sys.exit(Exit.PROGRAM)
        case MissingOperatorError():
            fail(f"{error}, with --import MODULE", Exit.ARCHIVE)
        case ArchiveError():
            fail(str(error), Exit.ARCHIVE)
        case CompilerNotInstalledError():
            fail(str(error), Exit.USAGE)
        case InternalError():
            fail(str(error), Exit.INTERNAL)
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            _drop_output()
            fail(f"{where}{error.strerror or error}", Exit.USAGE)
        case _:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error}"
            fail(f"{what} (at {last.name}:{last.lineno}; this is a bug in tscript, please report it)", Exit.INTERNAL)


def _print_program_error(error: BaseException) -> None:
    """The exception as CPython prints it, with the frames of scripted code only."""
    import traceback

    shown = traceback.TracebackException.from_exception(error)
    here = _print_program_error.__code__.co_filename.rsplit("cli", 1)[0]
    frames = [frame for frame in shown.stack if not frame.filename.startswith(here)]
    if frames:
        print("Traceback (most recent call last):", file=sys.stderr)
        print("".join(traceback.StackSummary.from_list(frames).format()), end="", file=sys.stderr)
    print("".join(shown.format_exception_only()), end="", file=sys.stderr)
