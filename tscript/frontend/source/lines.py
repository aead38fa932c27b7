"""The lines that a function was compiled from.

`linecache` has those of files, notebook cells and doctests. Before Python 3.13 it has neither those of ``python -c``
nor those of the prompt: they are found in the command line and in the history of `readline`. Text that is found like
that is compiled again and counts only if the same code comes out.
"""

from __future__ import annotations
import __future__

import collections
import dataclasses
import functools
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

from tscript.digests import sha256

COMMAND = "<string>"
"""The file name of ``python -c``, and of code made with `exec` by default."""

PROMPT = "<stdin>"
"""The file name of statements at the prompt."""

LONGEST_STATEMENT = 2000
"""Lines of the prompt's history that are searched for a statement."""

_INSIDE = (" ", "\t", "\n", "else", "elif", "except", "finally")
"""What lines begin with that begin no statement."""

_FUTURE = functools.reduce(
    lambda found, name: found | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)


def lines_of(function: FunctionType, source: str | None = None) -> list[str]:
    """The lines of the file that a function stands in, each with its newline; none if they are not known.

    Args:
        function: A Python function.
        source: The text of that file, if the caller knows it.
    """
    code = function.__code__
    if source is not None:
        return source.splitlines(keepends=True) if defines(source, code) else []
    linecache.checkcache(code.co_filename)
    found = linecache.getlines(code.co_filename, function.__globals__)
    # Since Python 3.13 the text of ``python -c`` goes by the name that code made with `exec` has, too.
    if found and (code.co_filename != COMMAND or defines("".join(found), code)):
        return found
    texts = {COMMAND: _commands, PROMPT: _statements}.get(code.co_filename)
    match = next((text for text in texts() if defines(text, code)), "") if texts else ""
    return match.splitlines(keepends=True)


def defines(text: str, code: CodeType) -> bool:
    """Whether code that is compiled from a text contains a given code object.

    Example:
        >>> def double(n):
        ...     return 2 * n
        >>> defines("def double(n):\\n    return 3 * n", double.__code__)
        False
    """
    if code.co_name not in text:
        return False
    try:
        made = compile(text, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    pending = [made]
    while pending:
        found = pending.pop()
        if found == code:
            return True
        pending += [inner for inner in found.co_consts if isinstance(inner, CodeType)]
    return False


def is_generated(code: CodeType) -> bool:
    """Whether the standard library made a function: `dataclasses`, `collections.namedtuple`.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Point:
        ...     x: int
        >>> is_generated(Point.__init__.__code__)
        True
    """
    is_made = code.co_filename.startswith("<string") and code.co_qualname.startswith(("__create_fn__.", "<lambda>"))
    return is_made or code.co_filename in (dataclasses.__file__, collections.__file__)


def _commands() -> Iterator[str]:
    """What may be the text of ``python -c``."""
    for argument in sys.orig_argv[1:] if sys.argv[:1] == ["-c"] else ():
        yield argument
        if argument.startswith("-"):  # -c'text', -Bc'text'
            yield argument.partition("c")[2]


def _statements() -> Iterator[str]:
    """What may be statements of the prompt, the latest first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    last = readline.get_current_history_length()
    lines: list[str] = []
    for at in range(last, max(0, last - LONGEST_STATEMENT), -1):
        line = f"{readline.get_history_item(at) or ''}\n"
        if not line.startswith("@") and lines and not lines[0].startswith(_INSIDE):
            lines = []
        lines.insert(0, line)
        if not line.startswith(_INSIDE):
            yield "".join(lines)


def named_text(text: str) -> str:
    """A file name for a text that comes from no file: tracebacks show its lines.

    Example:
        >>> named_text("x = 1") == named_text("x = 1")
        True
    """
    name = f"<source {sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name
