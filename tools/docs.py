"""Runs the documentation: `python tools/docs.py [DOCUMENT...]` executes every snippet and exits with 1 if one fails.

Without arguments the documents are README.md and all of docs/. Each runs in a process and an empty folder of its own,
its snippets from top to bottom:

- Each ```` ```python ```` block has its own namespace and folder, as for a reader who copies one. A block that begins
  with the comment `# continued from above` has the names, and the folder, of all blocks above it. A block that begins
  with a comment naming a file, such as `# model.py`, is also written to that file, for all blocks. A block that is only
  shown (and written) but not run is marked ```` ```python no-run ````.
- In a document with the line `<!-- snippets: also as plain Python -->`, each of these blocks runs once more with
  `tscript.script` as if it were not there: what it asserts holds for Python too. Blocks marked ````
  ```python compiled ```` do not.
- ```` ```console ```` blocks that begin with `$ tscript` run their `$` lines in a shell; other lines are output and are
  not compared. Every command must succeed, except where the block names a status: ```` ```console exit=1 ````.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]

BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w+)(?P<options>[^\n`]*)\n(?P<text>.*?)^ *```$", re.M | re.S)
FILE_NAME = re.compile(r"# ([\w-]+\.\w+)$", re.M)
CONTINUED = "# continued from above\n"
ALSO_AS_PYTHON = "<!-- snippets: also as plain Python -->\n"
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.M)


class CommandError(Exception):
    """A command of a console block ended with another status than the document says."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block; `line` is that of its first line of text in the document."""

    language: str
    options: tuple[str, ...]
    line: int
    text: str


def documents(root: Path = ROOT) -> list[Path]:
    """The documents whose snippets run."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def snippets(text: str) -> list[Snippet]:
    """The fenced blocks of a document, in order, without the indentation of a list they may stand in."""
    found = []
    for match in BLOCK.finditer(text):
        body = re.sub(f"^{match['indent']}", "", match["text"], flags=re.M)
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(Snippet(match["language"], tuple(match["options"].split()), line, body))
    return found


@contextmanager
def alone() -> Iterator[None]:
    """An empty working folder; what is in it at the end is copied to the one before, for blocks that go on."""
    page = Path.cwd()
    folder = Path(tempfile.mkdtemp(dir=page.parent))
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(page)
        sys.path.remove(str(folder))
        shutil.copytree(folder, page, dirs_exist_ok=True)


@contextmanager
def plain_python() -> Iterator[None]:
    """`tscript.script` gives the function as it is."""
    import tscript

    compiling = tscript.script
    tscript.script = lambda function: function  # type: ignore[assignment]
    try:
        yield
    finally:
        tscript.script = compiling


def run_python(snippet: Snippet, namespace: dict[str, object]) -> None:
    """Executes a block from a file, so that its source can be inspected and errors name lines of the document."""
    match = FILE_NAME.match(snippet.text)
    if match:
        path, text = Path(match[1]), snippet.text
    else:
        path, text = Path(f"line_{snippet.line}.py"), "\n" * (snippet.line - 1) + snippet.text
    if "no-run" not in snippet.options:
        path.write_text(text, encoding="utf-8")
        exec(compile(text, path.absolute(), "exec"), namespace)
    elif match:
        path.write_text(text, encoding="utf-8")


def run_console(snippet: Snippet) -> None:
    """Runs the commands of a block one by one; the last may be expected to fail."""
    commands = COMMAND.findall(snippet.text)
    expected = next((int(option[5:]) for option in snippet.options if option.startswith("exit=")), 0)
    for command in commands:
        status = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, check=False).returncode
        wanted = expected if command is commands[-1] else 0
        if status != wanted:
            raise CommandError(f"status {status} instead of {wanted} from: {command}")


def run_snippets(document: Path) -> int:
    """Runs a document inside this process: changes the working folder and replaces `__main__`."""
    above: dict[str, object] = {}
    count = 0
    text = document.read_text(encoding="utf-8")
    for snippet in snippets(text):
        try:
            if snippet.language == "python":
                main = sys.modules["__main__"] = ModuleType("__main__")
                goes_on = snippet.text.startswith(CONTINUED)
                if goes_on:
                    main.__dict__.update(above)
                with nullcontext() if goes_on or FILE_NAME.match(snippet.text) else alone():
                    run_python(snippet, main.__dict__)
                above.update(main.__dict__)
                if ALSO_AS_PYTHON in text and not goes_on and "compiled" not in snippet.options:
                    again = sys.modules["__main__"] = ModuleType("__main__")
                    with alone(), plain_python():
                        run_python(snippet, again.__dict__)
                if "no-run" in snippet.options:
                    continue
            elif snippet.language == "console" and snippet.text.startswith("$ tscript"):
                run_console(snippet)
            else:
                continue
        except (Exception, SystemExit):  # noqa: BLE001 - whatever the snippet raises is the result
            traceback.print_exc()
            print(f"{document.name}:{snippet.line}: this snippet fails", file=sys.stderr)
            return 1
        count += 1
    print(f"{document.name}: {count} snippets")
    return 0


def run_document(document: Path) -> subprocess.CompletedProcess[str]:
    """Runs a document in a process of its own, in an empty folder, with the commands of this environment first."""
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page")
        page.mkdir()
        return subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--here", str(document.resolve())],
            cwd=page,
            env={**os.environ, "PATH": commands},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--here"]:
        sys.path[0] = os.getcwd()
        return run_snippets(Path(arguments[1]))
    failed = False
    for document in [Path(argument) for argument in arguments] or documents():
        result = run_document(document)
        print(result.stdout, end="")
        failed |= result.returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
