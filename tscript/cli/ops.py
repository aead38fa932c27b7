"""``tscript ops``: the operators of tensors."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Annotated

from tscript.cli.errors import UsageError
from tscript.cli.importing import importing
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.catalogue import Operator


def ops(
    names: Annotated[
        list[str] | None, Argument(help="Operators, by any of their names; all are listed without.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the operators of tensors, or describe some: signatures, methods, in-place forms, examples.

    Example: tscript ops cumsum nn.functional.conv2d
    """
    with importing():
        from tscript.catalogue import catalogue
        from tscript.operators.table import TABLE

    known = catalogue(TABLE)
    chosen = [_named(known, name) for name in names] if names else known
    if as_json:
        print(json.dumps([op.as_json() for op in chosen], indent=1))
    elif names:
        print("\n\n".join(map(_page, chosen)))
    else:
        width = max(len(op.name) for op in known)
        print("\n".join(f"{op.name:<{width}}  {op.summary}" for op in known))
        print(f"\n{len(known)} operators; 'tscript ops NAME' says more of one")


def _named(known: list[Operator], name: str) -> Operator:
    """Raises `UsageError` with what may be meant when there is no such operator."""
    plain = name.removeprefix("tscript.").removeprefix("torch.").removeprefix("F.")
    names: dict[str, Operator] = {}
    for op in known:
        for other in (op.in_place, f"Tensor.{op.in_place}", *op.methods, *(f"Tensor.{m}" for m in op.methods)):
            names.setdefault(other, op)
    for op in known:
        names.update(
            {
                path.rpartition(".")[2]: op
                for path in op.functions
                if "." in path and path.rpartition(".")[2] not in names
            }
        )
    for op in known:
        names.update(dict.fromkeys(op.functions, op))
    names.update({op.name: op for op in known})
    if plain in names:
        return names[plain]
    from difflib import get_close_matches

    near = get_close_matches(plain, names, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else "'tscript ops' lists all"
    raise UsageError(f"there is no operator {name!r}; {hint}")


def _page(op: Operator) -> str:
    lines = [*op.signatures, ""]
    functions = [f"tscript.{path}" for path in op.functions]
    for title, found in (("functions", functions), ("methods", [f"Tensor.{m}" for m in op.methods])):
        if found:
            lines.append(f"{title}: {', '.join(found)}")
    if op.in_place:
        lines.append(f"in place: Tensor.{op.in_place}")
    lines.append(f"implementation: {op.kind}")
    docs = dict.fromkeys(overload.doc for overload in op.overloads)
    return "\n".join([*lines, *(f"\n{textwrap.indent(doc, '    ')}" for doc in docs)])
