"""What the errors mean: one `Explanation` for each code, made of the error's class and of a file that is installed with
it.

The class gives the name, the Python exception and a summary (its docstring). ``diagnostics/explanations/TS301.md``
gives the
rest: text, an example that is refused with this code, and the example fixed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources
from inspect import getdoc

from tscript.diagnostics import Diagnostic
from tscript.frontend.diagnostics import callable_errors, class_errors, container_errors, dialect_errors, type_errors
from tscript.frontend.diagnostics import errors as frontend_errors
from tscript.late import dataclass
from tscript.passes import errors as pass_errors

MODULES = (
    frontend_errors,
    type_errors,
    container_errors,
    class_errors,
    callable_errors,
    pass_errors,
    dialect_errors,
)
"""Where errors are defined."""

GROUPS: Mapping[str, str] = {
    "TS1": "Syntax, and what the language leaves out",
    "TS2": "Types",
    "TS3": "Names",
    "TS4": "Calls and signatures",
    "TS5": "Source",
    "TS6": "Dtypes and ranks",
    "TS7": "The low-level dialect",
}
"""Titles of the hundreds."""

_EXAMPLE = re.compile(r"^```python (wrong|fixed)(?: (run|dialect))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One error, explained.

    Attributes:
        code: ``TS301``.
        name: Of its class.
        exception: The Python class that the raised `CompileError` also is, by name.
        summary: What is wrong, in a line.
        text: Why it is refused and what to do; paragraphs of Markdown.
        wrong: A program that is refused; empty when none is short.
        fixed: The program as it is accepted.
        how: What is done with the two: ``check`` reads them, ``run`` runs them with Python, ``dialect`` lowers the
            function ``f``.
    """

    code: str
    name: str
    exception: str
    summary: str
    text: str
    wrong: str
    fixed: str
    how: str

    @property
    def raised_as(self) -> str:
        """The Python class with its article: ``an OSError``."""
        return f"{'an' if self.exception[0] in 'AEIOU' else 'a'} {self.exception}"


@cache
def explanations() -> Mapping[str, Explanation]:
    """All explanations by code, in order."""
    classes = {c for m in MODULES for c in vars(m).values() if isinstance(c, type) and issubclass(c, Diagnostic)}
    found = sorted((c for c in classes if c.code != Diagnostic.code), key=lambda c: c.code)
    return {c.code: _explanation(c) for c in found}


def suggestions(code: str) -> list[str]:
    """The codes that may be meant by one that is none: alike, or the code of an error of that name."""
    known = explanations()
    by_name = {e.name.lower(): e.code for e in known.values()}
    names = [by_name[n] for n in get_close_matches(code.lower(), by_name, n=3, cutoff=0.8)]
    number = re.fullmatch(r"\d+", code)
    given = f"TS{code}" if number else code.upper()
    longer = [c for c in known if c.startswith(given) and len(given) > 2]
    return (names or longer or get_close_matches(given, known))[:3]


def _explanation(error: type[Diagnostic]) -> Explanation:
    file = resources.files("tscript.diagnostics").joinpath("explanations", f"{error.code}.md")
    page = file.read_text(encoding="utf-8") if file.is_file() else error.help
    examples = {m[1]: m[3] for m in _EXAMPLE.finditer(page)}
    how = next((m[2] for m in _EXAMPLE.finditer(page) if m[2]), "check")
    summary = (getdoc(error) or error.__name__).partition("\n")[0]
    text = _EXAMPLE.sub("", page).strip()
    wrong, fixed = examples.get("wrong", ""), examples.get("fixed", "")
    return Explanation(error.code, error.__name__, error.python.__name__, summary, text, wrong, fixed, how)
