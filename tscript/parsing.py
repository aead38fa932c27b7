"""Syntax trees: `parse` is `ast.parse` for several threads, `with_parts` copies a node with other parts.

Some releases of CPython 3.11 and 3.12 count the depth of nested nodes for all threads together: if another thread
parses at the same time, both may end with a `SystemError` (https://github.com/python/cpython/issues/106905). The text
is parsed again then.
"""

from __future__ import annotations

import ast
import copy
import time
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)

ATTEMPTS = 100
"""Times that a text is parsed until the error counts."""


def parse(text: str, filename: str = "<unknown>", mode: str = "exec") -> Any:
    """The syntax tree of a text; see `ast.parse`.

    Raises:
        SyntaxError: The text is not Python.

    Example:
        >>> type(parse("n + 1", mode="eval").body).__name__
        'BinOp'
    """
    for attempt in range(ATTEMPTS):
        try:
            return ast.parse(text, filename, mode)
        except SystemError as error:
            if "recursion depth mismatch" not in str(error):
                raise
            time.sleep(0.0001 * attempt)
    return ast.parse(text, filename, mode)


def with_parts(tree: Node, **parts: Any) -> Node:
    """A node at the same place, with some parts replaced; its other parts are those of the first.

    A node that was made by hand may lack parts that have defaults, such as `type_params`, which Python 3.12 added.

    Example:
        >>> ast.unparse(with_parts(parse("a + b", mode="eval").body, left=ast.Name("c")))
        'c + b'
    """
    found = copy.copy(tree)
    for name, part in parts.items():
        setattr(found, name, part)
    return found
