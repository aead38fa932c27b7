"""The snippets of the README and of the documentation run; how they are found and run is in tools/docs.py."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
docs = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "docs.py")))


@pytest.mark.parametrize("document", docs.documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_snippets_run(document: Path) -> None:
    result = docs.run_document(document)
    assert result.returncode == 0, result.stdout


def run(tmp_path: Path, text: str) -> tuple[int, str]:
    document = tmp_path / "page.md"
    document.write_text(text)
    result = docs.run_document(document)
    return result.returncode, result.stdout


def test_snippets_that_go_on_have_the_names_above_and_their_source(tmp_path: Path) -> None:
    text = """
```python
import inspect
def double(x):
    return 2 * x
```
Some text.
```python
assert "inspect" not in globals()
```
```python
# continued from above
assert "return 2 * x" in inspect.getsource(double)
assert inspect.getsourcelines(double)[1] == 4
```
"""
    assert run(tmp_path, text) == (0, "page.md: 3 snippets\n")


def test_a_snippet_that_does_not_go_on_runs_alone(tmp_path: Path) -> None:
    first = '```python\nopen("data.txt", "w").write("x")\nvalue = 1\n```\n'
    status, output = run(tmp_path, first + '```python\nopen("data.txt").read()\n```\n')
    assert status == 1 and "FileNotFoundError" in output
    assert (
        run(tmp_path, first + '```python\n# continued from above\nassert open("data.txt").read() == "x"\n```\n')[0] == 0
    )


def test_snippets_of_a_page_may_run_as_python_too(tmp_path: Path) -> None:
    head = "<!-- snippets: also as plain Python -->\n"
    text = (
        "```python\nimport tscript\n\n@tscript.script\ndef f(n: int) -> int:\n    return n\n\n"
        "assert repr(f).startswith('<tscript')\n```\n"
    )
    assert run(tmp_path, text)[0] == 0
    status, output = run(tmp_path, head + text)
    assert status == 1 and "AssertionError" in output
    assert run(tmp_path, head + text.replace("python\n", "python compiled\n", 1))[0] == 0


def test_a_failing_snippet_is_named_by_its_line(tmp_path: Path) -> None:
    status, output = run(tmp_path, "Title\n\n```python\nok = 1\nok / 0\n```\n")
    assert status == 1
    assert "line 5" in output
    assert "ZeroDivisionError" in output
    assert "page.md:4: this snippet fails" in output


def test_a_block_with_a_file_name_is_written(tmp_path: Path) -> None:
    text = """
1. In a list

   ```python
   # part.py
   value = 3
   ```

```python
import part
assert part.value == 3
```
"""
    assert run(tmp_path, text) == (0, "page.md: 2 snippets\n")


def test_blocks_that_are_only_shown(tmp_path: Path) -> None:
    text = "```python no-run\n1 / 0\n```\n```console\n$ make nothing\n```\n```\n1 / 0\n```\n"
    assert run(tmp_path, text) == (0, "page.md: 0 snippets\n")


@pytest.mark.parametrize(("options", "status"), [("", 1), (" exit=3", 0)])
def test_console_blocks_state_their_status(tmp_path: Path, options: str, status: int) -> None:
    snippet = f"```console{options}\n$ tscript --version; \\\n    exit 3\n$no prompt\n```\n"
    assert run(tmp_path, snippet)[0] == status
