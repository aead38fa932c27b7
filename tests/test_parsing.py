"""`tscript.parsing.parse`: texts are parsed while other threads do so, too."""

from __future__ import annotations

import ast
import threading
from typing import Any

import pytest

from tscript.parsing import parse, with_parts


def test_a_text_is_parsed_again_after_the_error_of_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = [SystemError("AST constructor recursion depth mismatch (before=32, after=35)")] * 3
    original = ast.parse

    def parsed(*args: Any) -> Any:
        if errors:
            raise errors.pop()
        return original(*args)

    monkeypatch.setattr(ast, "parse", parsed)
    assert ast.dump(parse("x = 1")) == ast.dump(original("x = 1"))
    assert errors == []


def test_other_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SyntaxError):
        parse("x = ")

    def broken(*args: Any) -> Any:
        raise SystemError("something else")

    monkeypatch.setattr(ast, "parse", broken)
    with pytest.raises(SystemError, match="something else"):
        parse("x = 1")


def test_threads_parse_at_once() -> None:
    text = "".join(f"def f{i}(x):\n    return [(x + {j}) * 2 for j in range({i})]\n" for i, j in enumerate(range(60)))
    expected = ast.dump(ast.parse(text))
    found: list[bool] = []

    def work() -> None:
        found.extend(ast.dump(parse(text)) == expected for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80


def test_a_node_that_lacks_a_part_is_copied() -> None:
    tree = ast.FunctionDef("f", ast.arguments([], [], None, [], [], None, []), [ast.Pass()], [], None, lineno=3)
    vars(tree).pop("type_params", None)  # Python 3.13 makes it
    made = with_parts(tree, decorator_list=[ast.Name("d")])
    assert (made.name, made.lineno, len(made.decorator_list), tree.decorator_list) == ("f", 3, 1, [])
