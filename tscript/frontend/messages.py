"""Error messages of compiled functions: ``raise ValueError(f"size {n} is too large")`` and ``assert c, "text"``.

A message becomes the format string of a `Raise`: constant text with doubled braces, and ``{0}``, ``{1}`` … for values, which
are ints and floats.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.frontend import errors
from tscript.frontend.meanings import ExceptionMeaning, Meaning, UnknownMeaning
from tscript.frontend.names import describe
from tscript.frontend.scopes import article
from tscript.ir.graph import Value
from tscript.ops.opdef import MISSING
from tscript.types import DTYPE, FLOAT, INT

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering
    from tscript.frontend.lowering import Lowering


def escape(text: str) -> str:
    """Constant text as part of a format string."""
    return text.replace("{", "{{").replace("}", "}}")


def exception_name(lowering: Lowering, node: ast.expr) -> str:
    """Name of the builtin exception class that is raised."""
    meaning = _raised(lowering, node)
    if isinstance(meaning, ExceptionMeaning):
        return meaning.name
    what = "a value" if meaning is None else meaning.what if isinstance(meaning, UnknownMeaning) else describe(meaning)
    raise lowering.failure(errors.UnsupportedRaise(lowering.span(node), what))


def _raised(lowering: Lowering, node: ast.expr) -> Meaning | None:
    """What a raised name stands for; a class that cannot be used is said by the caller."""
    if isinstance(node, ast.Name) and node.id not in lowering.local_names and node.id not in lowering.scope:
        try:
            return lowering.program.resolver.meaning(lowering.function.environment.lookup(node.id))
        except KeyError:
            pass
    return lowering.static(node)


def lower_exception(lowering: LanguageLowering, node: ast.expr) -> tuple[str, str | None, list[Value]]:
    """Class, message and values of a raised expression."""
    if not isinstance(node, ast.Call):
        return exception_name(lowering, node), None, []
    name = exception_name(lowering, node.func)
    if node.keywords or len(node.args) > 1:
        raise lowering.failure(errors.UnsupportedRaise(lowering.span(node), "an exception with several arguments"))
    if not node.args:
        return name, None, []
    return name, *lower_message(lowering, node.args[0])


def lower_message(lowering: LanguageLowering, node: ast.expr) -> tuple[str, list[Value]]:
    """A message as a format string, and its values."""
    if not isinstance(node, ast.JoinedStr):
        if not isinstance(node, ast.Name | ast.Attribute | ast.Constant):
            raise lowering.failure(errors.MessageNotConstant(lowering.span(node), "a computed text"))
        text = lowering.value(node)
        if not isinstance(text.constant, str):
            raise lowering.failure(errors.MessageNotConstant(lowering.span(node), article(text.type)))
        return escape(text.constant), []
    out: list[str] = []
    values: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            out.append(_field(lowering, node, part, values))
        else:
            assert isinstance(part, ast.Constant)
            out.append(escape(str(part.value)))
    if len(values) > MAX_ERROR_ARGS:
        raise lowering.failure(errors.TooManyMessageValues(lowering.span(node), MAX_ERROR_ARGS, len(values)))
    return "".join(out), values


def _field(lowering: LanguageLowering, whole: ast.JoinedStr, part: ast.FormattedValue, values: list[Value]) -> str:
    if part.conversion != -1 or part.format_spec is not None:
        raise lowering.failure(errors.UnsupportedConversion(lowering.span(whole)))
    value = lowering.value(part.value)
    constant = value.constant
    if constant is not MISSING and isinstance(constant, bool | int | float | str | None):
        return escape(str(constant))
    if value.type not in (INT, FLOAT, DTYPE):
        raise lowering.failure(errors.MessageNotConstant(lowering.span(part.value), article(value.type)))
    values.append(value)
    return f"{{{len(values) - 1}}}"
