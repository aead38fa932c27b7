"""``tscript explain``: what an error means and how to fix it."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from tscript.cli.errors import UsageError
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.explaining import Explanation


def explain(
    codes: Annotated[list[str] | None, Argument(help="Codes such as TS301; all are listed without one.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Explain errors by their code: what each means, an example of it, and the example fixed.

    Example: tscript explain TS301
    """
    from tscript.explaining import explanations

    known = explanations()
    chosen = [_explanation(code) for code in codes] if codes else list(known.values())
    if as_json:
        print(json.dumps([_as_json(e) for e in chosen], indent=1))
    elif codes:
        print("\n\n".join(map(_page, chosen)))
    else:
        print(_list(chosen))


def _explanation(code: str) -> Explanation:
    """Raises `UsageError` with what may be meant when there is no such code."""
    from tscript.explaining import explanations, suggestions

    found = explanations().get(code.upper())
    if found is None:
        near = suggestions(code)
        hint = f"did you mean {' or '.join(near)}?" if near else "'tscript explain' lists all"
        raise UsageError(f"there is no error {code!r}; {hint}")
    return found


def _as_json(explanation: Explanation) -> dict[str, object]:
    return {key: value for key, value in asdict(explanation).items() if key != "how"}


def _page(explanation: Explanation) -> str:
    parts = [f"{explanation.code}: {explanation.summary}", f"Raised as {explanation.raised_as}. {explanation.text}"]
    if explanation.wrong:
        parts += ["This is refused:", textwrap.indent(explanation.wrong, "    ").rstrip()]
        parts += ["Fixed:", textwrap.indent(explanation.fixed, "    ").rstrip()]
    return "\n\n".join(parts)


def _list(explanations: list[Explanation]) -> str:
    from tscript.explaining import GROUPS

    parts = []
    for prefix, title in GROUPS.items():
        lines = [f"  {e.code}  {e.summary}" for e in explanations if e.code.startswith(prefix)]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)
