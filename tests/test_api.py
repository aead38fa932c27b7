"""`script`, `save`, `load` and what stands behind the command line, from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.api import SignatureError, archive_of, complete_signature, functions_of_file
from tscript.archive import pack, unpack
from tscript.checking import check_file
from tscript.definitions.absent import REQUIRED
from tscript.types import BOOL, INT, TensorType, dtypes, parse_type

VECTOR = parse_type("Tensor[float32, 1]")
CUBE = parse_type("Tensor[float32, 3]")


@tscript.script
def affine(x: Tensor, w: float, b: float = 1.0) -> Tensor:
    """w x + b."""
    return x * w + b


@tscript.script
def defaults(
    n: int = 2**62, x: float = float("inf"), y: float = -0.0, *, flag: bool = True
) -> tuple[int, float, float, bool]:
    return n, x, y, flag


@tscript.script
def inner(n: int) -> int:
    assert n < 100, "n is too large"
    return n + 1


@tscript.script
def outer(n: int) -> int:
    return inner(n) * 2


@tscript.script
def total(x: Tensor, keepdim: bool = False) -> Tensor:
    return x.sum(0, keepdim)


@tscript.script
def both(x: Tensor, dim: int, first: bool, then: bool = True) -> tuple[Tensor, Tensor]:
    return x.sum(dim, first), x.mean(dim, then)


@tscript.script
def as_dtype(x: Tensor, dtype: tscript.dtype = tscript.float64) -> Tensor:
    return x.to(dtype)


def test_a_round_trip_keeps_everything(tmp_path: Path) -> None:
    tscript.save(affine, tmp_path / "a.tsa")
    module = tscript.load(tmp_path / "a.tsa")
    assert list(module) == ["affine"]
    found = module.affine
    assert (found.__name__, found.__doc__) == ("affine", "w x + b.")
    x = tscript.tensor([1.0, 2.0])
    assert found(x, 3.0).numpy().tolist() == affine(x, 3.0).numpy().tolist() == [4.0, 7.0]
    assert module(x, w=1.0, b=0.0).numpy().tolist() == [1.0, 2.0]
    assert found.code == affine.code  # type: ignore[attr-defined]


def test_defaults_survive(tmp_path: Path) -> None:
    tscript.save(defaults, tmp_path / "d.tsa", native=True)
    for trusted in (False, True):
        found = tscript.load(tmp_path / "d.tsa", trust_native=trusted).defaults
        assert repr(found()) == repr(defaults()) == "(4611686018427387904, inf, -0.0, True)"
        assert found(flag=False)[3] is False


def test_several_functions_and_functions_they_call(tmp_path: Path) -> None:
    tscript.save({"outer": outer, "other": affine}, tmp_path / "m.tsa")
    module = tscript.load(tmp_path / "m.tsa")
    assert module["outer"](20) == 42
    with pytest.raises(TypeError, match="name one: outer, other"):
        module(1)
    with pytest.raises(AttributeError, match="no function 'gone', only outer, other"):
        _ = module.gone
    with pytest.raises(KeyError):
        _ = module["gone"]


def test_an_archive_can_be_saved_again(tmp_path: Path) -> None:
    tscript.save(affine, tmp_path / "a.tsa", native=True, signatures=[(None, (VECTOR, parse_type("float")))])
    tscript.save(dict(tscript.load(tmp_path / "a.tsa")), tmp_path / "b.tsa")
    assert (tmp_path / "a.tsa").read_bytes() == (tmp_path / "b.tsa").read_bytes()


def test_errors_of_a_loaded_function_name_the_scripted_lines(tmp_path: Path) -> None:
    tscript.save(outer, tmp_path / "o.tsa", native=True)
    for trusted in (False, True):
        with pytest.raises(AssertionError, match="n is too large") as caught:
            tscript.load(tmp_path / "o.tsa", trust_native=trusted).outer(100)
        places = [(e.frame.code.raw.co_filename, e.frame.code.raw.co_name) for e in caught.traceback]
        assert places[-2:] == [("test_api.py", "outer"), ("test_api.py", "inner")]


def test_native_code_of_calls_so_far_is_kept(tmp_path: Path) -> None:
    @tscript.script
    def twice(x: Tensor) -> Tensor:
        return x + x

    twice(tscript.tensor([1, 2]))
    (native,) = archive_of({"twice": twice}, native=True).entries["twice"].native
    assert native.types == (TensorType(dtypes.int64, 1),)


def test_native_code_is_used_only_when_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tscript.runtime.session.linker import Linker

    used: list[str] = []
    load_native = Linker.load_native

    def watched(self: Linker, *args: Any, **kwargs: Any) -> Any:
        used.append("native")
        return load_native(self, *args, **kwargs)

    monkeypatch.setattr(Linker, "load_native", watched)
    path = tmp_path / "a.tsa"
    tscript.save(affine, path, native=True, signatures=[("affine", (VECTOR, parse_type("float")))])
    x = tscript.tensor([1.0])
    assert tscript.load(path).affine(x, 2.0).item() == 3.0
    assert used == []
    module = tscript.load(path, trust_native=True)
    assert module.affine(x, 2.0).item() == 3.0
    assert module.affine(x, 2).item() == 3.0, "an int where a float is declared"
    assert set(used) == {"native"}
    used.clear()
    assert module.affine(tscript.tensor([[1.0]]), 2.0).shape == (1, 1), "another rank is compiled from the IR"
    assert used == []


@pytest.mark.parametrize("field", ["triple", "abi", "features"])
def test_native_code_for_another_machine_is_not_used(tmp_path: Path, field: str) -> None:
    from dataclasses import replace

    from tscript.archive import pack

    archive = archive_of({"affine": affine}, native=True, signatures=[(None, (VECTOR, parse_type("float")))])
    entry = archive.entries["affine"]
    other = {"triple": "pdp11-dec-unix", "abi": 10**6, "features": "+imaginary"}[field]
    broken = replace(entry.native[0], data=b"not an object", **{field: other})  # type: ignore[arg-type]
    (tmp_path / "a.tsa").write_bytes(pack(replace(archive, entries={"affine": replace(entry, native=(broken,))})))
    module = tscript.load(tmp_path / "a.tsa", trust_native=True)
    assert module.affine(tscript.tensor([1.0]), 2.0).item() == 3.0


def test_damaged_native_code_that_is_trusted_is_passed_over(tmp_path: Path) -> None:
    from dataclasses import replace

    from tscript.archive import pack

    archive = archive_of({"affine": affine}, native=True, signatures=[(None, (VECTOR, parse_type("float")))])
    entry = archive.entries["affine"]
    for data in (b"", b"not an object", entry.native[0].data[:200]):
        broken = replace(entry.native[0], data=data)
        (tmp_path / "a.tsa").write_bytes(pack(replace(archive, entries={"affine": replace(entry, native=(broken,))})))
        module = tscript.load(tmp_path / "a.tsa", trust_native=True)
        assert module.affine(tscript.tensor([1.0]), 2.0).item() == 3.0


def test_loading_is_observed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsa"
    tscript.save(affine, path)
    seen: list[tuple[str, bool]] = []
    handle = tscript.add_global_callback(
        on_exit=lambda record, _: seen.append((record.name, record.failed)), scopes={tscript.RecordScope.LOAD}
    )
    try:
        tscript.load(path)
        path.write_bytes(b"")
        with pytest.raises(tscript.ArchiveError):
            tscript.load(path)
    finally:
        handle.remove()
    assert seen == [(str(path), False), (str(path), True)]


def test_loading_reads_no_ir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tsa"
    tscript.save(affine, path, native=True, signatures=[(None, (VECTOR, parse_type("float")))])

    def refuse(*args: object) -> None:
        raise AssertionError("the IR was parsed")

    monkeypatch.setattr("tscript.archive.EntryPoint.program", refuse)
    module = tscript.load(path, trust_native=True)
    assert module.affine(tscript.tensor([1.0]), 2.0).item() == 3.0


def test_another_process_needs_no_source(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "model.py").write_text(
        "import torch\n\n\ndef f(x: torch.Tensor, n: int = 2) -> torch.Tensor:\n"
        "    for i in range(n):\n        x = torch.tanh(x) * 0.5\n    return x\n"
    )
    functions = functions_of_file(source / "model.py")
    tscript.save(functions, tmp_path / "m.tsa", native=True, signatures=[("f", (VECTOR,))])
    (source / "model.py").unlink()
    source.rmdir()
    for options in ("", ", trust_native=True"):
        code = (
            "import numpy as np, tscript\n"
            f"m = tscript.load({str(tmp_path / 'm.tsa')!r}{options})\n"
            "print(m(tscript.from_numpy(np.ones(2, np.float32))).numpy().tolist())\n"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        expected = np.tanh(np.tanh(np.float32(1)) * np.float32(0.5)) * np.float32(0.5)
        assert json.loads(done.stdout) == pytest.approx([expected] * 2, rel=1e-6)


def test_equal_functions_give_equal_archives(tmp_path: Path) -> None:
    for name in ("a.tsa", "b.tsa"):
        tscript.save(affine, tmp_path / name, native=True, signatures=[(None, (VECTOR, parse_type("float")))])
    data = (tmp_path / "a.tsa").read_bytes()
    assert data == (tmp_path / "b.tsa").read_bytes()
    assert str(Path(__file__).parent).encode() not in data
    for entry in unpack(data).entries.values():
        assert str(Path(__file__).parent) not in entry.ir + entry.source


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="decorate it with"):
        tscript.save(len, tmp_path / "x.tsa")
    with pytest.raises(TypeError, match="decorate it with"):
        tscript.save({"f": 3}, tmp_path / "x.tsa")
    with pytest.raises(ValueError, match="not an identifier"):
        tscript.save({"a/b": affine}, tmp_path / "x.tsa")
    with pytest.raises(FileNotFoundError):
        tscript.save(affine, tmp_path / "gone" / "x.tsa")
    with pytest.raises(FileNotFoundError):
        tscript.load(tmp_path / "gone.tsa")
    assert list(tmp_path.iterdir()) == []


def test_signatures_are_completed_and_checked() -> None:
    params = affine.params  # type: ignore[attr-defined]
    assert params[2].default is not REQUIRED
    types = complete_signature("affine", params, (VECTOR, parse_type("int")))
    assert [str(t) for t in types] == ["Tensor[float32, 1]", "float", "float"]
    for wrong in ((), (VECTOR,), (parse_type("Tensor"), parse_type("float")), (VECTOR,) * 2, (VECTOR, *types)):
        with pytest.raises(SignatureError):
            complete_signature("affine", params, wrong)
    with pytest.raises(SignatureError, match="no function gone"):
        archive_of({"affine": affine}, native=True, signatures=[("gone", ())])
    with pytest.raises(SignatureError, match="'keepdim' of total is bool, the signature says 'x'"):
        archive_of({"total": total}, native=True, signatures=[("total", (CUBE, "x"))])
    with pytest.raises(SignatureError, match=r"'keepdim' of total cannot be \[\]"):
        archive_of({"total": total}, native=True, signatures=[("total", (CUBE, []))])


@pytest.mark.parametrize("how", ["signature", "calls"])
def test_values_that_code_depends_on_are_compiled_ahead(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tscript.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    functions: dict[str, Any] = {"total": total, "both": both, "as_dtype": as_dtype}
    signatures: list[tuple[str | None, Sequence[object]]] = [
        *[("total", (CUBE,)), ("both", (CUBE, INT, True)), ("both", (CUBE, INT, BOOL, BOOL))],
        *[("as_dtype", (CUBE,)), ("as_dtype", (CUBE, tscript.int64))],
    ]
    expected = [total(x), total(x, True), both(x, 1, True), both(x, 0, False), as_dtype(x), as_dtype(x, tscript.int64)]
    given = signatures if how == "signature" else ()
    archive = archive_of(functions, native=True, signatures=given)
    assert [len(e.native) for e in archive.entries.values()] == ([2, 4, 2] if how == "signature" else [2, 2, 2])
    assert unpack(pack(archive)) == archive
    path = tmp_path / "t.tsa"
    tscript.save(functions, path, native=True, signatures=given)
    monkeypatch.setattr("tscript.archive.EntryPoint.program", lambda *_: pytest.fail("the IR was read"))
    m = tscript.load(path, trust_native=True)
    found = [m.total(x), m.total(x, True), m.both(x, 1, True), m.both(x, 0, False)]
    found += [m.as_dtype(x), m.as_dtype(x, tscript.int64)]
    assert [repr(y) for y in found] == [repr(y) for y in expected]
    with pytest.raises(pytest.fail.Exception):
        m.as_dtype(x, tscript.uint8)


def test_static_parameters_survive(tmp_path: Path) -> None:
    tscript.save(total, tmp_path / "t.tsa")
    found = tscript.load(tmp_path / "t.tsa").total
    x = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert found(x).numpy().tolist() == [4.0, 6.0]
    assert found(x, True).numpy().tolist() == [[4.0, 6.0]]


def test_functions_of_a_file_that_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import torch\nimport not_installed\nN = 3\nprint('running')\n1 / 0\n\n\n"
        "def helper(n: int) -> int:\n    return n + N\n\n\n"
        "@torch.jit.script\ndef f(n: int) -> int:\n    return helper(n)\n\n\n"
        "if __name__ == '__main__':\n    f(1)\n"
    )
    functions = functions_of_file(tmp_path / "m.py")
    assert list(functions) == ["f"]
    assert functions["f"](4) == 7
    assert list(functions_of_file(tmp_path / "m.py", "helper")) == ["helper"]
    (tmp_path / "empty.py").write_text("")
    assert functions_of_file(tmp_path / "empty.py") == {}


def test_all_errors_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "def shared(n: int) -> int:\n    return a\n\n\n"
        "def f(n: int) -> int:\n    return shared(n) + b\n\n\ndef g(n: int) -> int:\n    return shared(n)\n"
    )
    found = check_file(tmp_path / "m.py")
    assert [d.span.line for d in found].count(2) == 1, "an error is said once, however many functions have it"
    assert {d.span.line for d in found} == {2, 6}
    with pytest.raises(tscript.CompileError) as caught:
        functions_of_file(tmp_path / "m.py")
    assert isinstance(caught.value, NameError)


def test_repr_shows_the_signature() -> None:
    @tscript.script
    def scale(x: tscript.Tensor, by: float = 2.0) -> tscript.Tensor:
        return x * by

    assert repr(scale) == "<tscript.ScriptFunction scale(x: Tensor, by: float) -> Tensor>"


def test_a_name_that_nothing_will_ever_define_is_an_error_at_once(tmp_path: Path) -> None:
    head = "import tscript\n\n@tscript.script\ndef f(n: int) -> int:\n    return {}\n"
    later = "\ndef later(n: int) -> int:\n    return n + 1\n"
    (tmp_path / "later.py").write_text(head.format("later(n)") + later + "print(f(1))\n")
    (tmp_path / "around.py").write_text(
        "import tscript\n\ndef outer():\n    @tscript.script\n    def f(n: int) -> int:\n        return inner(n)\n\n"
        "    def inner(n: int) -> int:\n        return n + 1\n\n    return f\n\nprint(outer()(1))\n"
    )
    for name in ("later.py", "around.py"):
        assert subprocess.run([sys.executable, tmp_path / name], capture_output=True, check=True).stdout == b"2\n"
    for body in ("nowhere(n)", "other", "m\n    m = n"):
        (tmp_path / "never.py").write_text(head.format(body) + "\ndef g() -> None:\n    other = 1\n\nprint(1)\n")
        done = subprocess.run([sys.executable, tmp_path / "never.py"], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stdout == "" and "[TS30" in done.stderr


def test_namespaces_of_torch() -> None:
    """``import tscript as torch`` finds functions where PyTorch has them, and nothing else there."""
    import tscript as torch
    import tscript.nn.functional as F

    x = torch.tensor([-1.0, 0.0, 2.0])
    assert F.relu(x).tolist() == torch.nn.functional.relu(input=x).tolist() == [0.0, 0.0, 2.0]
    assert torch.special.expit(torch.zeros(1)).tolist() == [0.5]
    assert torch.linalg.matmul(x, x).item() == 5.0
    assert F.relu is torch.relu
    assert "relu" in dir(F) and "matmul" in dir(torch.linalg) and "relu" not in dir(torch.linalg)
    with pytest.raises(
        AttributeError, match=r"module 'tscript\.linalg' has no attribute 'relu': it is 'tscript\.relu'"
    ):
        torch.linalg.relu  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"module 'tscript\.nn\.functional' has no attribute 'matmul'"):
        F.matmul  # type: ignore[attr-defined]

    @torch.script
    def f(x):
        return F.relu(x) + torch.nn.functional.relu(x) + torch.special.expit(x)

    assert f(x).tolist() == (2 * F.relu(x) + torch.sigmoid(x)).tolist()


def test_second_names_of_keywords() -> None:
    x = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum(axis=0).tolist() == tscript.sum(input=x, dim=0).tolist() == [4.0, 6.0]
    assert x.sum(1, keepdims=True).shape == (2, 1)
    assert tscript.swapaxes(x, axis0=0, axis1=1).tolist() == x.t().tolist()
    with pytest.raises(TypeError, match="got two values for 'dim'"):
        x.sum(0, axis=1)


def test_constants_are_there_eagerly_as_in_scripts() -> None:
    import math

    assert (tscript.pi, tscript.e, tscript.inf, tscript.newaxis) == (math.pi, math.e, math.inf, None)
    assert math.isnan(tscript.nan)
