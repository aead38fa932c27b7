"""Type comments (``# type: …``). Types need annotations, so a type comment is an error and is never ignored."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.errors import UnsupportedStatement

if TYPE_CHECKING:
    from tscript.frontend.source.functions import PythonFunction

_COMMENT = re.compile(r"#\s*type:(?!\s*ignore\b)\s*(.*)")
_SIGNATURE = re.compile(r"\((.*)\)\s*->\s*(.+)")


def type_comments(function: PythonFunction) -> Iterator[UnsupportedStatement]:
    """An error for each type comment in a function, with the annotation to write."""
    tree = function.tree
    first = tree.lineno + function.line_offset
    last = (tree.end_lineno or tree.lineno) + function.line_offset
    # The text after the colon of a one-line function belongs to it, too.
    lines = list(function.lines[first - 1 : last])
    if not any("#" in line and "type:" in line for line in lines):
        return
    for row, column, text in _comments(lines):
        found = _COMMENT.match(text)
        if found is not None:
            line = first + row
            span = Span(function.source, line, column, line, column + len(text), function.name)
            yield UnsupportedStatement(span, "a type comment", _instead(function, found[1].strip(), line))


def _comments(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of the comments in some lines."""
    inner = lines[0][:1].isspace()
    text = "\n".join([*(["if 1:"] if inner else []), *(line.rstrip("\r\n") for line in lines)])
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0] - 1 - inner, token.start[1], token.string
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


def _instead(function: PythonFunction, type: str, line: int) -> str:
    signature = _SIGNATURE.fullmatch(type)
    if signature is not None:
        types = _split(signature[1])
        arguments = function.tree.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        if len(names) == len(types) + 1:
            names = names[1:]
        if len(names) == len(types):
            params = ", ".join(f"{name}: {t}" for name, t in zip(names, types, strict=True))
            return f"write annotations: 'def {function.name}({params}) -> {signature[2].strip()}:'"
        return f"write annotations: 'def {function.name}(x: int) -> {signature[2].strip()}:'"
    for node in ast.walk(function.tree):
        if isinstance(node, ast.Assign) and (node.end_lineno or 0) + function.line_offset == line:
            return f"write an annotation: '{ast.unparse(node.targets[0])}: {type} = {ast.unparse(node.value)}'"
        if isinstance(node, ast.arg) and node.lineno + function.line_offset == line:
            return f"write an annotation: '{node.arg}: {type}'"
    return f"write an annotation: 'x: {type} = ...'"


def _split(types: str) -> list[str]:
    """The types of a signature, which commas inside of brackets do not separate."""
    found, depth = [""], 0
    for sign in types:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return [t.strip() for t in found if t.strip()]
