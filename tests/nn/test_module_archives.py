"""Archives of modules: saved with their weights, loaded by a process that has neither source nor PyTorch."""

from __future__ import annotations

import copy
import enum
import hashlib
import math
import pickle
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Final, List, NamedTuple, Optional, Tuple

import pytest

import tscript
from tscript import Tensor, nn
from tscript.archive import read_archive
from tscript.archive.weights import WEIGHTS


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


@dataclass
class Size:
    rows: int
    scale: float


class Pair(NamedTuple):
    name: str
    value: float


class Scale(nn.Module):
    """Multiplies."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.by = nn.Parameter(tscript.arange(1.0, size + 1.0))
        self.register_buffer("calls", tscript.zeros((), dtype=tscript.int64))
        self.register_buffer("hidden", tscript.ones(1), persistent=False)
        self.offset = 0.5

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.by + self.offset


class Net(nn.Module):
    kind: Final[str]
    names: List[str]
    table: Dict[str, float]
    best: Optional[Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.first = Scale(3)
        self.second = self.first
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3, bias=False))
        self.named = nn.ModuleDict({"a": nn.Tanh(), "b c": nn.Hardtanh(-99.0, 99.0)})
        self.layers[2].weight = self.layers[0].weight
        self.down = None
        self.kind = "plain"
        self.names = ["a", "b"]
        self.table = {"inf": math.inf, "one": 1.0}
        self.best = None
        self.big = 2**60 + 1
        self.nan = math.nan
        self.pair = Pair("p", 2.0)
        self.size = Size(3, 1.5)
        self.color = Color.BLUE
        self.shape: Tuple[int, float] = (1, 2.5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.second(self.first(x))
        if self.down is not None:
            x = self.down(x)
        for module in self.named.values():
            x = module(x)
        self.best = x
        x = self.layers(x) * self.size.scale + self.pair.value
        if self.color == Color.BLUE:
            x = x + self.big % 7 + self.shape[1]
        return x * 2 if self.training else x

    def total(self) -> float:
        """Of a table."""
        return self.table["one"] + len(self.names)

    @property
    def width(self) -> int:
        return self.layers[0].weight.shape[0]


X = tscript.tensor([0.5, -1.0, 2.0])


def same(a: Any, b: Any) -> bool:
    return bool(tscript.equal(a, b))


@pytest.fixture(scope="module")
def scripted() -> Any:
    return tscript.script(Net())


@pytest.fixture
def archive(scripted: Any, tmp_path: Path) -> Path:
    tscript.save(scripted, tmp_path / "net.tsa", metadata={"git": "0123"}, extra_files={"labels.txt": "a"})
    return tmp_path / "net.tsa"


def test_what_is_loaded_computes_the_same(scripted: Any, archive: Path) -> None:
    net = tscript.load(archive)
    assert same(net(X), copy.deepcopy(scripted)(X))
    assert same(net.first(X), X * net.first.by + 0.5) and net.first.calls.item() == 3
    assert net.total() == 3.0 and net.width == 3
    assert same(net.eval()(X) * 2, net.train()(X))
    assert [*net.layers][1](X).tolist() == [0.5, 0.0, 2.0] and net.named["a"] is net.named.a and "b c" in net.named


def test_attributes_are_kept_with_their_types(archive: Path) -> None:
    net = tscript.load(archive)
    assert net.names == ["a", "b"] and net.table == {"inf": math.inf, "one": 1.0} and net.best is None
    assert net.big == 2**60 + 1 and math.isnan(net.nan) and net.shape == (1, 2.5) and net.kind == "plain"
    assert net.pair == ("p", 2.0) and net.pair.name == "p" and net.size.rows == 3 and net.color.name == "BLUE"
    assert net.metadata == {"git": "0123"} and net.extra_files["labels.txt"].text() == "a"
    net.first.offset = 1.0
    assert same(net.first(X), X * net.first.by + 1.0)
    with pytest.raises(TypeError, match="'offset' of a scripted Scale must be float, not str"):
        net.first.offset = "a"
    with pytest.raises(TypeError, match=r"must be Tensor\[float32, 1\], not Tensor\[float32, 2\]"):
        net.first.by = tscript.ones(1, 1)
    with pytest.raises(AttributeError, match="is a constant of compiled code"):
        net.kind = "other"
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        net.other = 1


def test_modules_and_tensors_that_are_one_stay_one(scripted: Any, archive: Path) -> None:
    net = tscript.load(archive)
    assert net.first is net.second and net.layers[0].weight is net.layers[2].weight
    assert [n for n, _ in net.named_parameters()] == [n for n, _ in scripted.named_parameters()]
    assert [n for n, _ in net.named_buffers()] == [n for n, _ in scripted.named_buffers()]
    assert [n for n, _ in net.named_modules()] == [n for n, _ in scripted.named_modules()]
    assert list(net.state_dict()) == list(scripted.state_dict()) and "first.hidden" not in net.state_dict()
    assert all(p.requires_grad and isinstance(p, nn.Parameter) for p in net.parameters())
    net.load_state_dict({n: t * 0 for n, t in net.state_dict().items()})
    assert same(net.first.by, tscript.zeros(3))


class Views(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        base = tscript.arange(12.0).reshape(3, 4)
        self.register_buffer("rows", base[1:])
        self.register_buffer("columns", base.T)
        self.register_buffer("gaps", tscript.arange(10.0)[::3])
        self.register_buffer("wide", tscript.ones(1).expand(4))
        self.register_buffer("images", tscript.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1))
        self.register_buffer("empty", tscript.zeros(0, 3))
        self.register_buffer("low", tscript.ones(3, dtype=tscript.bfloat16))
        self.register_buffer("flags", tscript.tensor([True, False]))
        self.register_buffer("z", tscript.tensor([1 + 2j, 3], dtype=tscript.complex128))

    def forward(self, x: Tensor) -> Tensor:
        self.rows += 1
        return x + self.columns


def test_views_stay_views(tmp_path: Path) -> None:
    module = tscript.script(Views())
    tscript.save(module, tmp_path / "views.tsa")
    net = tscript.load(tmp_path / "views.tsa")
    for name, tensor in module.named_buffers():
        found = getattr(net, name)
        assert same(found, tensor) and found.dtype is tensor.dtype and found.shape == tensor.shape, name
    assert net.columns.stride() == (1, 4) and net.images.stride() == module.images.stride()
    assert net.wide.stride() == (0,) and net.gaps.stride() == (1,)
    net.rows.zero_()
    assert same(net.columns, tscript.tensor([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]))


def test_equal_modules_give_equal_bytes(scripted: Any, archive: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"metadata": {"git": "0123"}, "extra_files": {"labels.txt": "a"}}
    tscript.save(scripted, tmp_path / "again.tsa", **options)
    assert (tmp_path / "again.tsa").read_bytes() == archive.read_bytes()


def test_what_was_loaded_is_saved_again(archive: Path, tmp_path: Path) -> None:
    net = tscript.load(archive)
    tscript.save(net, tmp_path / "again.tsa")
    again = tscript.load(tmp_path / "again.tsa", verify=True)
    assert same(net(X), again(X)) and again.metadata == {"git": "0123"} and type(again) is type(net)
    assert again.extra_files["labels.txt"].text() == "a"


def test_copies_and_pickles(archive: Path) -> None:
    net = tscript.load(archive)
    for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert type(made) is type(net) and made.first is made.second and made.first is not net.first
        made.first.by.zero_()
        assert net.first.by.sum() == 6
    assert copy.copy(net).first is net.first


_ELSEWHERE = """
import pickle, sys
import tscript
net = tscript.load(sys.argv[1], extra_files=(wanted := {"labels.txt": ""}))
print(net(tscript.tensor([0.5, -1.0, 2.0])).tolist(), wanted, net.size.rows, net.color.name, "torch" in sys.modules)
again = pickle.loads(pickle.dumps(net))
print(again.color is net.color, again.size == net.size)
print(pickle.load(open(sys.argv[2], "rb")).first.by.tolist())
"""


def test_a_process_without_the_source(archive: Path, tmp_path: Path) -> None:
    net = tscript.load(archive)
    (tmp_path / "net.pkl").write_bytes(pickle.dumps(net))
    command = [sys.executable, "-c", _ELSEWHERE, archive, tmp_path / "net.pkl"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == [
        f"{net(X).tolist()} {{'labels.txt': 'a'}} 3 BLUE False",
        "True True",
        "[1.0, 2.0, 3.0]",
    ]


class Large(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(300, 300)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


def test_large_weights_are_mapped_and_no_file_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "large.tsa"
    tscript.save(Large(), path)
    before = hashlib.sha256(path.read_bytes()).digest()
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        content = file.read(WEIGHTS)
    place = path.read_bytes().index(content)
    assert (place + 8 + int.from_bytes(content[:8], "little")) % 64 == 0
    one, two = tscript.load(path), tscript.load(path)
    with open("/proc/self/maps") as maps:
        assert str(path) in maps.read()
    one.linear.weight.zero_()
    assert two.linear.weight.abs().sum() > 0 and hashlib.sha256(path.read_bytes()).digest() == before


def test_weights_are_compared_with_their_digest_on_request(tmp_path: Path) -> None:
    path = tmp_path / "large.tsa"
    tscript.save(Large(), path)
    content = bytearray(path.read_bytes())
    at = content.index(b"safetensors") + 5000
    content[at] ^= 1
    path.write_bytes(content)
    assert tscript.load(path)(tscript.ones(300)).shape == (300,)
    with pytest.raises(tscript.ArchiveError, match="was altered: its digest"):
        tscript.load(path, verify=True)
    assert not [t for t in threading.enumerate() if t.name.startswith("tscript")]
    modules = read_archive(path).modules
    assert modules is not None
    with pytest.raises(tscript.ArchiveError, match="was altered: its digest"), modules.weights.verified():
        raise ValueError("whatever fails meanwhile")
    assert not [t for t in threading.enumerate() if t.name.startswith("tscript")]


def test_no_thread_is_needed_to_compare_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    path = tmp_path / "large.tsa"
    tscript.save(Large(), path)
    monkeypatch.setattr("tscript.archive.weights.beside", refuse)
    assert tscript.load(path, verify=True)(tscript.ones(300)).shape == (300,)


def test_several_modules_in_one_archive(tmp_path: Path) -> None:
    one, other = tscript.script(Large()), Scale(3)
    tscript.save({"a": one, "b": other, "c": one}, tmp_path / "several.tsa", metadata={"git": "1"})
    found = tscript.load(tmp_path / "several.tsa")
    assert list(found) == ["a", "b", "c"] and found["a"] is found["c"] and found.metadata == {"git": "1"}
    x = tscript.ones(300)
    assert same(found["a"](x), one(x)) and same(found["b"](X), other(X)) and [*found.keys()] == ["a", "b", "c"]
    assert len(found.state_dict()) == 6
    tscript.save(found, tmp_path / "again.tsa")
    assert same(tscript.load(tmp_path / "again.tsa")["b"](X), other(X))
    with pytest.raises(TypeError, match="functions or modules, not both"):
        tscript.save({"a": one, "f": one.forward}, tmp_path / "both.tsa")


def test_submodules_are_replaced(tmp_path: Path) -> None:
    module = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU()))
    scripted = tscript.script(module)
    tscript.save(scripted, tmp_path / "net.tsa")
    for net in (scripted, tscript.load(tmp_path / "net.tsa")):
        new = nn.Linear(3, 3)
        with tscript.no_grad():
            new.weight.copy_(tscript.eye(3))
            new.bias = nn.Parameter(tscript.zeros(3))
        net[0] = new
        assert same(net(X), net[1](X)) and net[0].weight is new.weight
        setattr(net, "1", nn.Sequential(new, nn.ReLU()))
        assert same(net(X), tscript.tensor([0.5, 0.0, 2.0])) and net[1][0].weight is new.weight
        net[1][0] = tscript.load(tmp_path / "net.tsa")[0]
        assert same(net(X), scripted[1][1](net[1][0](X)))
        for wrong, why in (
            (nn.Linear(3, 4), "'out_features' is 4, and the constant 3"),
            (nn.Linear(3, 3).double(), r"'weight' is Tensor\[float64, 2\], and Tensor\[float32, 2\] in compiled code"),
            (nn.Linear(3, 3, bias=False), "'bias' is None, and Tensor"),
            (nn.ReLU(), "another class than the Linear"),
        ):
            with pytest.raises(TypeError, match=why):
                net[0] = wrong


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(tscript.ArchiveError, match="has no forward"):
        tscript.save(nn.ModuleList([nn.ReLU()]), tmp_path / "list.tsa")
    assert not (tmp_path / "list.tsa").exists()


def test_dtypes_may_change(archive: Path, tmp_path: Path) -> None:
    net = tscript.load(archive)
    before = net(X)
    net.double()
    after = net(X.double())
    assert after.dtype is tscript.float64 and tscript.allclose(after.float(), before) and net.first is net.second
    again = pickle.loads(pickle.dumps(net))
    assert type(again) is type(net) and same(again(X.double()), net(X.double()))
    with pytest.raises(tscript.ArchiveError, match="has other dtypes than in the archive"):
        tscript.save(net, tmp_path / "double.tsa")
    assert same(net.to(tscript.float32)(X), before) and type(net) is type(tscript.load(archive))


class Nested(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Sequential(nn.ReLU()), nn.Tanh())
        self.second = nn.Sequential(nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))


def test_native_code_fits_whatever_the_order_of_classes(tmp_path: Path) -> None:
    tscript.save(Nested(), tmp_path / "a.tsa", native=True, signatures=[("forward", ("Tensor[float32, 1]",))])
    entry = read_archive(tmp_path / "a.tsa").entries["forward"]
    assert len(entry.native) == 1 and all(str(type) == name for name, type in entry.types.items())
    net = tscript.load(tmp_path / "a.tsa", trust_native=True)
    assert same(net(X), tscript.tanh(tscript.tanh(tscript.relu(X))))


CLASSES = """
import enum
import sys
from dataclasses import dataclass

import tscript
from tscript import Tensor, nn

class Mode(enum.Enum):
    UP = 1
    DOWN = 2

@dataclass
class Config:
    by: float
    mode: Mode = Mode.UP

    def twice(self) -> float:
        return self.by * 2

class Net(nn.Module):
    def forward(self, x: Tensor, config: Config) -> Tensor:
        return x * config.twice() if config.mode == Mode.UP else x

tscript.save(Net(), sys.argv[1])
"""


def test_classes_of_its_archive(tmp_path: Path) -> None:
    (tmp_path / "configured.py").write_text(CLASSES)
    subprocess.run([sys.executable, tmp_path / "configured.py", tmp_path / "net.tsa"], check=True)
    net = tscript.load(tmp_path / "net.tsa")
    assert {name.rpartition(".")[2] for name in net.classes} == {"Config", "Mode"}
    config, mode = (next(c for c in net.classes.values() if c.__name__ == name) for name in ("Config", "Mode"))
    x = tscript.ones(2)
    assert net(x, config(1.5)).tolist() == [3, 3] and net(x, config(by=1.5, mode=mode.DOWN)).tolist() == [1, 1]
    assert copy.deepcopy(net).classes.keys() == net.classes.keys()
    assert dict(tscript.script(nn.ReLU()).classes) == {}


class Loads(nn.Module):
    """Has methods whose types only a call says."""

    def forward(self, x: Tensor) -> Tensor:
        return x + 1.0

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *rest: Any) -> None:  # type: ignore[override, type-arg]
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def count(self, things: dict) -> int:  # type: ignore[type-arg]
        return len(things)


def test_methods_that_take_their_types_from_the_call_are_left_out(tmp_path: Path) -> None:
    tscript.save(tscript.script(Loads()), tmp_path / "loads.tsa")
    loaded = tscript.load(tmp_path / "loads.tsa")
    assert loaded(tscript.zeros(1)).item() == 1.0 and not hasattr(loaded, "count")
