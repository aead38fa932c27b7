"""What `perf` sees of a process: names of functions, and frame pointers to walk the stack by."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import pytest

import tscript
from tscript import Tensor
from tscript.abi.python import TUPLE_ITEMS
from tscript.abi.signature import parse_signature
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted, whole_module
from tscript.backend.stubs.module import fork_module
from tscript.runtime.boundary.dialect_modules import emit_modules
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.module import MODULES as POOL
from tscript.runtime.session.process import current


@tscript.script
def smooth(x: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        x = tscript.tanh(x * 0.5 + 1.0)
    return x.sum(0)


FRAME_POINTER = '"frame-pointer"="all"'


def frames(text: str) -> tuple[int, list[str]]:
    """How many functions a module defines, and the headers of those without frame pointers."""
    groups = dict(re.findall(r"attributes (#\d+) = \{(.*)\}", text))
    heads = re.findall(r"^define .*$", text, re.M)
    lacking = [h for h in heads if FRAME_POINTER not in h + "".join(groups.get(g, "") for g in re.findall(r"#\d+", h))]
    return len(heads), lacking


def test_compiled_functions_keep_frame_pointers() -> None:
    count, lacking = frames(
        smooth.llvm_for(  # type: ignore[attr-defined]
            tscript.tensor([1.0]), 1
        )
    )
    assert count >= 3
    assert lacking == []


def test_the_boundary_keeps_frame_pointers(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = current()
    seen: list[str] = []
    build = runtime.compiler.build

    def watched(module: Emitted) -> bytes:
        seen.append(module.text)
        return build(module)

    monkeypatch.setattr(runtime.compiler, "build", watched)
    text = (
        "define i64 @probe(ptr %code) noinline #0 {\n  %r = call i64 %code()\n  ret i64 %r\n}\n"
        "define internal i64 @helper() nounwind {\n  ret i64 1\n}\n"
    )
    module = whole_module(runtime.compiler.target, {}, [text], Effort.FULL)
    addresses, _ = runtime.load_module(lambda: module, ["probe"], {})
    assert addresses["probe"]
    assert frames(seen[0]) == (2, ["define internal i64 @helper() nounwind {"])


LEADS_ON = re.compile(
    r"call \w+ %\w+\(|call i32 %code\.\d+\(|call i32 %t\.\d+\(ptr %stack\.\d+, ptr %future\.p0\)"
    r"|@tsb_call\(|@run_row\(|@run\(|@serve\("
)
"""What says in the body of a function of the boundary that compiled code runs inside it."""


def test_what_leads_to_compiled_code_says_so() -> None:
    target = current().compiler.target
    signature = parse_signature("Tf:T")
    texts = (
        emit_modules(MODULES, target, [signature], TUPLE_ITEMS).text,
        emit_modules(POOL, target).text,
        fork_module(signature, TUPLE_ITEMS, target).text,
    )
    found = [match for text in texts for match in re.finditer(r"^(define .*?) \{\n(.*?)^\}$", text, re.M | re.S)]
    assert len(found) > 150
    for head, body in (match.groups() for match in found):
        assert "#0" in head or FRAME_POINTER in head or not LEADS_ON.search(body), head
        assert "#0" in head or "nounwind" in head, head


PROGRAM = """
import sys, os
import tscript
from tscript import Tensor

@tscript.script
def smooth(x: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        x = tscript.tanh(x * 0.5 + 1.0)
    return x.sum(0)

x = tscript.tensor([[0.5] * 1000] * 20)
smooth(x, 2)
if sys.argv[1:]:
    smooth(x, 40000)
print(os.getpid())
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A script with a fused group and a kernel."""
    path = tmp_path / "job.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


def test_the_map_of_a_real_program(program: Path) -> None:
    environment = {**os.environ, "TSCRIPT_PERF_MAP": "1"}
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    path = Path(f"/tmp/perf-{done.stdout.strip()}.map")
    lines = path.read_text().splitlines()
    path.unlink()
    entries = [(int(a, 16), int(s, 16), name) for a, s, name in (line.split(" ") for line in lines)]
    names = {name for _, _, name in entries}
    assert f"ts::smooth:{program}:7" in names
    group = re.compile(rf"ts::smooth:fused_mul_add_tanh\.\d+\.loop:{re.escape(str(program))}:7")
    assert any(group.fullmatch(name) for name in names)
    assert any(name.startswith("ts::sum_dim") for name in names), sorted(names)
    # Nothing overlaps: every address belongs to one function.
    entries.sort()
    for (start, size, name), (following, _, other) in pairwise(entries):
        assert start + size <= following, (name, other)


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_perf_finds_the_names(program: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TSCRIPT_PERF_MAP": "1"}
    data = str(tmp_path / "perf.data")
    record = [
        "perf",
        "record",
        "-q",
        "-F",
        "500",
        "-g",
        "-e",
        "cpu-clock",
        "-o",
        data,
        sys.executable,
        str(program),
        "long",
    ]
    done = subprocess.run(record, env=environment, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0:
        pytest.skip(f"perf cannot record here: {done.stderr.strip()[:200]}")
    path = Path(f"/tmp/perf-{done.stdout.split()[-1]}.map")
    report = subprocess.run(
        ["perf", "script", "-i", data, "-F", "ip,sym"], capture_output=True, text=True, timeout=240, check=False
    )
    path.unlink()
    stacks = [sample.strip().splitlines() for sample in report.stdout.split("\n\n")]
    hot = [stack for stack in stacks if stack and "ts::smooth:" in stack[0]]
    assert len(hot) > 10, report.stdout[:2000]
    # The frame pointers lead through the boundary to Python.
    walked = [s for s in hot if any("ts::tss_Ti_T" in a and ("ts::tsb_call" in b or "Py" in b) for a, b in pairwise(s))]
    assert len(walked) > 0.8 * len(hot), "\n".join(hot[0])
