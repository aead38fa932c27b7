"""Errors for type comments that cannot be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.errors import UnsupportedStatement
from tscript.frontend.source.comments import (
    SIGNATURE,
    Comment,
    comments_in,
    comments_of,
    parameters_of,
    said,
    split,
    type_in,
)
from tscript.frontend.source.functions import PythonFunction


def type_comments(function: PythonFunction) -> Iterator[UnsupportedStatement]:
    """An error for each type comment in a function that cannot be read."""
    tree, offset = function.tree, function.line_offset
    first = tree.lineno + offset
    last = (tree.end_lineno or tree.lineno) + offset
    lines = list(function.lines[first - 1 : last])
    if not any("#" in line and "type:" in line for line in lines):
        return
    comments = [(row + tree.lineno, column, text) for row, column, text in comments_in(lines)]
    for line, column, text in comments_of(tree, comments):
        problem = _problem(tree, (line, column, text))
        if problem:
            at = line + offset
            span = Span(function.source, at, column, at, column + len(text), function.name)
            yield UnsupportedStatement(span, "this type comment", problem)


def _problem(function: ast.FunctionDef, comment: Comment) -> str:
    """The help for a comment that cannot be read; empty if it can."""
    text = said(comment)
    signature = SIGNATURE.fullmatch(text)
    if signature is not None:
        types = split(signature[1])
        if types != ["..."] and parameters_of(function, len(types)) is None:
            return f"it has {len(types)} types: write one for each parameter, or '(...)' and one behind each"
        wrong = [
            t for t in (*([] if types == ["..."] else types), signature[2]) if type_in(t.lstrip("*"), comment) is None
        ]
        return f"'{wrong[0]}' is not a type" if wrong else ""
    for node in ast.walk(function):
        behind = isinstance(node, ast.Assign) and node.end_lineno == comment[0]
        if (behind or (isinstance(node, ast.arg) and node.lineno == comment[0])) and type_in(text, comment) is None:
            return f"write a type: '{ast.unparse(node)}  # type: int'"
    return ""


__all__ = ["type_comments"]
