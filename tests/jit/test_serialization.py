"""`tscript.jit.save` and `load`, and what else ``torch.jit`` has around scripted functions and modules."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import jit, nn

DATA = Path(__file__).parent.parent / "data" / "torchscript"


@tscript.script
def twice(n: int) -> int:
    return 2 * n


@tscript.script
def doubled(x: tscript.Tensor, n: int) -> tscript.Tensor:
    return x * twice(n)


def network() -> Any:
    return tscript.script(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))


def test_paths_and_file_objects(tmp_path: Path) -> None:
    """A path as text, bytes or a `Path`, an open file, a buffer: read and written from its position on."""
    for path in (str(tmp_path / "a.pt"), tmp_path / "b.pt"):
        jit.save(doubled, path)
        assert jit.load(path)(tscript.ones(2), 1).tolist() == [2.0, 2.0]
    file = io.BytesIO(b"head")
    file.seek(4)
    jit.save(doubled, file)
    assert file.getvalue()[:4] == b"head"
    file.seek(4)
    assert jit.load(file)(tscript.ones(1), 2).tolist() == [4.0] and not file.read()
    with open(tmp_path / "c.pt", "wb", buffering=0) as raw:
        tscript.save(network(), raw)
    with open(tmp_path / "c.pt", "rb") as opened:
        assert isinstance(tscript.load(opened, verify=True), jit.ScriptModule)


def test_modules_and_functions_save_themselves(tmp_path: Path) -> None:
    """``module.save``, ``save_to_buffer``, those of a frozen module and of functions."""
    net, x = network(), tscript.ones(4, 2)
    wanted = net(x).tolist()
    net.save(tmp_path / "net.pt", _extra_files={"labels.txt": "a b"})
    files: dict[str, Any] = {"labels.txt": ""}
    assert jit.load(tmp_path / "net.pt", _extra_files=files)(x).tolist() == wanted
    assert files == {"labels.txt": b"a b"}
    again = jit.load(io.BytesIO(net.save_to_buffer({"a": b"b"})))
    assert again(x).tolist() == wanted and again.extra_files["a"].read() == b"b"
    frozen = tscript.freeze(net.eval())
    found = np.array(jit.load(io.BytesIO(frozen.save_to_buffer()))(x).tolist())
    assert np.allclose(found, wanted)
    doubled.save(str(tmp_path / "f.pt"), {"k": "v"})  # type: ignore[attr-defined]
    assert jit.load(tmp_path / "f.pt")(x, 1).tolist() == (x * 2).tolist()
    assert jit.load(io.BytesIO(doubled.save_to_buffer()))(x, 1).tolist() == (x * 2).tolist()  # type: ignore[attr-defined]


def test_extra_files_are_filled_as_by_torchscript() -> None:
    """Values become bytes whatever they were, those of no file become empty, names may be bytes."""
    data = twice.save_to_buffer({"a.txt": "ä", "b": b"\0\xff"})  # type: ignore[attr-defined]
    files: dict[Any, Any] = {"a.txt": "", "b": None, "none": "kept?", b"a.txt": 3}
    jit.load(io.BytesIO(data), _extra_files=files)
    assert files == {"a.txt": "ä".encode(), "b": b"\0\xff", "none": b"", b"a.txt": "ä".encode()}
    asked: dict[str, Any] = {"b": None, "none": None}
    tscript.load(io.BytesIO(data), extra_files=asked)
    assert asked == {"b": b"\0\xff", "none": None}


def test_archives_of_torchscript() -> None:
    """File objects and extra files of them, too."""
    with open(DATA / "module.pt", "rb") as file:
        files: dict[str, Any] = {"notes.txt": "", "none": ""}
        by_file = jit.load(file, map_location="cpu", _extra_files=files)
    assert isinstance(by_file, jit.RecursiveScriptModule)
    assert files["none"] == b"" and by_file.original_name == tscript.load(DATA / "module.pt").original_name


@pytest.mark.parametrize("device", [None, "cpu", "cpu:0", tscript.device("cpu")])
def test_devices(device: Any) -> None:
    """Tensors lie on the processor."""
    assert jit.load(io.BytesIO(twice.save_to_buffer()), map_location=device)(2) == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: jit.load(f, "cuda:0"), RuntimeError, "cannot be put on 'cuda:0'.*map_location=\"cpu\""),
        (lambda f: jit.load(f, {"cuda": "cpu"}), ValueError, "not 'dict'"),
        (lambda f: jit.load(3), TypeError, "not 'int': open"),
        (lambda f: jit.load(io.StringIO()), TypeError, "not a file of text"),
        (lambda f: jit.save(twice, io.StringIO()), TypeError, "open for writing bytes"),
        (lambda f: jit.save(twice, 3), TypeError, "not 'int'"),
        (lambda f: jit.load(io.BytesIO(b"no")), tscript.ArchiveError, "<BytesIO>: not a tscript archive"),
        (lambda f: tscript.load(f, pickle_by="path"), ValueError, "needs a path"),
        (lambda f: twice.get_debug_state(), RuntimeError, "graph_for"),  # type: ignore[attr-defined]
        (lambda f: network().get_debug_state(), RuntimeError, "graph_for"),
        (lambda f: network().define("def f(self): pass"), RuntimeError, "@tscript.export"),
        (lambda f: jit.ScriptModule(), TypeError, r"derive the class from nn\.Module"),
        (lambda f: jit.last_executed_optimized_graph(), RuntimeError, r"graph_for\(x\)"),
        (lambda f: jit.set_fusion_strategy([("SOME", 2)]), ValueError, "'STATIC' or 'DYNAMIC'"),
        (lambda f: jit.fuser("best").__enter__(), ValueError, "is no fuser"),
    ],
)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    """They say what to write."""
    with pytest.raises(error, match=text):
        call(io.BytesIO(twice.save_to_buffer()))  # type: ignore[attr-defined]


def test_members_of_functions_and_modules() -> None:
    """``name``, ``qualified_name``, ``inlined_graph``, ``code_with_constants``."""
    function: Any = doubled
    assert (function.name, function.qualified_name) == ("doubled", f"{__name__}.doubled")
    assert "call @" in str(function.graph) and "call @" not in str(function.inlined_graph)
    net = network()
    assert "call @" in str(net.graph) and "call @" not in str(net.inlined_graph)
    assert net.code_with_constants == (net.code, {}) and isinstance(function, jit.ScriptFunction)


def test_settings_change_nothing() -> None:
    """Contexts and functions that choose between TorchScript's optimisations, in Python and in compiled code."""

    @jit.script
    def added(x: tscript.Tensor) -> tscript.Tensor:
        with jit.strict_fusion():
            return x + 1

    with jit.optimized_execution(False), jit.fuser("fuser2"), jit.strict_fusion():
        assert added(tscript.ones(1)).tolist() == [2.0]
    assert jit.set_fusion_strategy([("DYNAMIC", 3)]) == [("STATIC", 2), ("DYNAMIC", 10)]
    jit.enable_onednn_fusion(True)
    jit.run_frozen_optimizations(tscript.freeze(network().eval()))
    assert not jit.onednn_fusion_enabled()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=jit.ScriptWarning)
        warnings.filterwarnings("ignore", category=jit.TracerWarning)


def test_a_text_is_a_compilation_unit() -> None:
    """Its functions are attributes."""
    unit = jit.CompilationUnit(
        "def f(n: int) -> int:\n    return n + 1\n\ndef g(n: int) -> int:\n    return f(n) * 2\n"
    )
    assert (unit.f(1), unit.g(1)) == (2, 4)
