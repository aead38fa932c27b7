"""Functions whose parameters have no annotations, when they are decorated: nothing is said of what these decide."""

from __future__ import annotations

import textwrap

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

FILLS = (
    "values.append(x)",
    "for i in range(3):\n    values.append(x)",
    "for v in x:\n    values.append(v)",
    "for i in range(3):\n    for j in range(3):\n        if i > j:\n            values.append(x)",
    "for i in range(3):\n    if i == 1:\n        continue\n    values.append(x)\n    break",
    "for i in range(3):\n    values += [x]",
    "for i in range(3):\n    pass\nelse:\n    values.append(x)",
    "while len(values) < 3:\n    values.append(x)",
    "while x > 0:\n    values.append(x)",
    "if len(values) < 3:\n    pass\nelse:\n    values.append(x)",
    "try:\n    values.append(x)\nexcept ValueError:\n    pass",
    "match 3:\n    case 3:\n        values.append(x)",
    "def add(v):\n    values.append(v)\nadd(x)",
    "def add(v):\n    values.append(v)\ndef twice(v):\n    add(v)\n    add(v)\nfor i in range(3):\n    twice(x)",
)
USES = ("np.array(values)", "[np.sqrt(v) for v in values]", "values[0].there()", "' '.join(values)", "sum(values)")
CARRIED = (
    "y = 0\nfor i in range(3):\n    y = x\nreturn y.there()",
    "y = 0\nwhile y < 3:\n    y += x\nreturn y.there()",
    "best = None\nfor v in x:\n    if best is None or v > best.z:\n        best = v\nreturn best.z",
    "best = None\nfor i in range(3):\n    if best is not None:\n        print(best.z)\n    best = x\nreturn best.z",
)


def _decorate(body: str) -> None:
    header = "import numpy as np\n\n\ndef f(x):\n"
    tscript.script(function_of(header + textwrap.indent(body, "    ")))


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("fill", FILLS)
def test_container_of_unknown_elements(fill: str, use: str) -> None:
    """An empty list that gets elements of an unknown type anywhere."""
    _decorate(f"values = []\n{fill}\nreturn {use}")


@pytest.mark.parametrize("body", CARRIED)
def test_carried(body: str) -> None:
    """A name to which a loop assigns a value of an unknown type."""
    _decorate(body)


def test_errors_that_stand_already() -> None:
    """What is wrong whatever the parameter is."""
    for body in (
        "y = 0\nfor i in range(3):\n    y.there()\n    y = x\nreturn y",
        "values = [1]\nfor i in range(3):\n    values.there()\nreturn x",
        "for i in range(3):\n    z = x + 1\n    y = 'a' - 1\nreturn x",
    ):
        with pytest.raises(CompileError):
            _decorate(body)
