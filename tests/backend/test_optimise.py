"""Text to code: pipelines, errors, other targets; figures of the compiler itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tscript.abi.symbols import LOADED
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.loader.objects import read_symbols
from tscript.backend.loader.optimise import assembly, compile_text, optimised_text
from tscript.backend.module import emit_module
from tscript.diagnostics import InternalError
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.types import FLOAT

TARGET = Target.host()


def test_rejected_text_is_an_internal_error_with_its_line():
    text = "define i32 @f() {\nentry:\n  %x = add i32 1, %y\n  ret i32 %x\n}\n"
    with pytest.raises(InternalError, match=r"use of undefined value '%y', in line 3: %x = add i32 1, %y"):
        compile_text(text, TARGET)
    with pytest.raises(InternalError, match="in line 2: nonsense"):
        compile_text("define void @f() {\nnonsense\n}", TARGET)
    with pytest.raises(InternalError, match="LLVM rejects the code"):
        compile_text("define i32 @f() {\n  %x = phi i32 [ 0, %0 ]\n  ret i32 %x\n}", TARGET)


def ten_operators() -> Program:
    graph = Graph("f", [Param("x", FLOAT), Param("y", FLOAT)], FLOAT)
    b = Builder(graph.body)
    x, y = graph.body.params
    value = x
    for i in range(5):
        value = b.op(machine.ADD, b.op(machine.MUL, value, y), b.const(0.5 * i))
    with b.if_(b.op(machine.EQ, y, b.const(0.0))) as branch:
        with branch.then:
            b.raise_("ZeroDivisionError", "float division by zero")
        with branch.orelse:
            b.yield_(b.op(machine.DIV, value, y))
    b.return_(branch.output)
    return Program("f", [graph])


def emitted(program: Program) -> Emitted:
    return emit_module(program, target=TARGET, entry_symbols={"f": "f"}, bodies=None)  # type: ignore[arg-type]


def emit(program: Program) -> str:
    return emitted(program).text


def test_straight_code_takes_the_light_pipeline():
    module = emitted(ten_operators())
    assert module.effort is Effort.LIGHT
    after = optimised_text(module.text, TARGET, effort=module.effort)
    full = optimised_text(module.text, TARGET)
    for code in (after, full):
        body = code[code.index("define") :]
        assert body.count(" = fmul ") == 5
        assert body.count(" = fdiv ") == 1
        assert "alloca" not in body
        assert "call" not in body


def test_level_0_changes_nothing():
    text = emit(ten_operators())
    before, after = (
        t[t.index("define") : t.index("attributes")].split() for t in (text, optimised_text(text, TARGET, 0))
    )
    assert before.count("fmul") == after.count("fmul")
    assert "br" in after


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_every_level_gives_an_object(level):
    data = compile_text(emit(ten_operators()), TARGET, level)
    assert set(read_symbols(data).defined) == {"f", LOADED}


def test_objects_are_reproducible():
    assert compile_text(emit(ten_operators()), TARGET) == compile_text(emit(ten_operators()), TARGET)


def test_assembly_is_for_people():
    found = assembly(emit(ten_operators()), TARGET)
    assert "f:" in found
    assert "ZeroDivisionError" in found


@pytest.mark.parametrize(
    ("triple", "sign"),
    [
        ("x86_64-unknown-linux-gnu", b"\x7fELF"),
        ("aarch64-unknown-linux-gnu", b"\x7fELF"),
        ("arm64-apple-macosx13.0", b"\xcf\xfa\xed\xfe"),
        ("riscv64-unknown-linux-gnu", b"\x7fELF"),
        ("wasm32-unknown-unknown", b"\0asm"),
    ],
)
def test_other_targets(triple, sign):
    target = Target(triple)
    text = emit_module(ten_operators(), target=target, entry_symbols={"f": "f"}, bodies=None).text  # type: ignore[arg-type]
    assert f'target triple = "{triple}"' in text
    assert compile_text(text, target).startswith(sign)


def test_unknown_targets():
    with pytest.raises(ValueError, match="unknown target 'pdp11-dec-unix'"):
        compile_text("", Target("pdp11-dec-unix"))


def test_targets_describe_themselves():
    assert TARGET.is_host
    assert TARGET is Target.host()
    assert TARGET.vector_bits in (128, 256, 512)
    assert "nounwind" in TARGET.attributes and '"frame-pointer"="all"' in TARGET.attributes
    wide = Target("x86_64-unknown-linux-gnu", features="+avx512f,-avx10.1")
    assert (wide.vector_bits, wide.enabled) == (512, frozenset({"avx512f"}))
    assert '"prefer-vector-width"="512"' in wide.attributes
    assert Target("x86_64-unknown-linux-gnu", features="+avx2,+avx").vector_bits == 256
    assert Target("x86_64-unknown-linux-gnu").vector_bits == 128
    assert len({wide.key, TARGET.key, Target("aarch64-unknown-linux-gnu").key}) == 3


def test_backend_does_not_import_llvmlite():
    code = (
        "import sys, tscript.backend.module, tscript.backend.loader.session, tscript.backend.loader.cache; "
        "print('llvmlite' in sys.modules)"
    )
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, env={"PYTHONPATH": root}, cwd="/", capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_text_places_phis_and_allocas():
    text = Text()
    place = text.reserve()
    text.terminate("ret void")
    slot = text.alloca("i64", "n", "5")
    assert text.slot("ptr", 0) == text.slot("ptr", 0) != text.slot("ptr", 1)
    text.fill(place, ["%a = phi i64 [ 0, %b ]"])
    lines = text.function("define void @f()").splitlines()
    assert lines[2] == f"  {slot} = alloca i64"
    assert lines[3] == f"  store i64 5, ptr {slot}"
    assert lines[-3:] == ["  %a = phi i64 [ 0, %b ]", "  ret void", "}"]


def test_declarations_are_kept_once_by_symbol():
    text = Text()
    assert text.declare_function("f", "i32", ["ptr"]) == "@f"
    assert text.declare_function("f", "i32", ["ptr"], "nounwind") == "@f"
    assert text.declare_global("odd name") == '@"odd name"'
    assert text.declarations == {"f": "declare i32 @f(ptr)", "odd name": '@"odd name" = external global i8'}
