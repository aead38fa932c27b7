"""Methods whose parameters take types from the call: archives and frozen modules have a version for each overload."""

from __future__ import annotations

import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional, overload

import pytest

import tscript
from tscript import Tensor, nn
from tscript.nn.utils.rnn import PackedSequence, pack_padded_sequence

X = tscript.arange(30.0).reshape(5, 2, 3) / 10
H = tscript.arange(8.0).reshape(1, 2, 4) / 10


def loaded(value: Any, **options: Any) -> Any:
    file = io.BytesIO()
    tscript.save(value, file, **options)
    file.seek(0)
    return tscript.load(file, trust_native=bool(options))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a is b is None or bool(tscript.allclose(a, b, atol=1e-6))


FORMS: dict[str, Callable[[Any], Any]] = {
    "loaded": loaded,
    "frozen": tscript.freeze,
    "frozen and loaded": lambda scripted: loaded(tscript.freeze(scripted)),
    "loaded twice": lambda scripted: loaded(loaded(scripted)),
    "pickled": lambda scripted: pickle.loads(pickle.dumps(loaded(scripted))),
    "frozen and pickled": lambda scripted: pickle.loads(pickle.dumps(tscript.freeze(scripted))),
}


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("form", FORMS)
def test_recurrent_networks_take_states_and_packed_sequences(kind: str, form: str) -> None:
    net = getattr(nn, kind)(3, 4).eval()
    made = FORMS[form](tscript.script(net))
    state = (H, H + 1) if kind == "LSTM" else H
    packed = pack_padded_sequence(X, [5, 3])
    assert same(made(X), net(X))
    assert same(made(X, state), net(X, state))
    assert same(made(X, hx=None), net(X))
    assert same(made(packed), net(packed))
    assert same(made(packed, state), net(packed, state))
    with pytest.raises(TypeError, match="hx"):
        made(X, 1.0)


def test_the_types_may_change_after_loading() -> None:
    made = loaded(nn.GRU(3, 4).eval()).double()
    out, last = made(X.double(), H.double())
    assert out.dtype == last.dtype == tscript.float64
    assert made(pack_padded_sequence(X.double(), [5, 3]))[0].data.dtype == tscript.float64


def test_native_code_of_several_versions() -> None:
    scripted = tscript.script(nn.GRU(3, 4).eval())
    packed = pack_padded_sequence(X, [5, 3])
    wanted = scripted(X, H), scripted(packed, H)
    made = loaded(scripted, native=True)
    assert same(made(X, H), wanted[0])
    assert same(made(packed, H), wanted[1])


class Around(nn.Module):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor, h: Optional[Tensor] = None) -> Tensor:
        total: Tensor = self.inner(pack_padded_sequence(x, [5, 3]))[0].data.sum()
        if h is not None:
            return self.inner(x, h)[0] + total
        return self.inner(x)[0] + total


@pytest.mark.parametrize("form", ["loaded", "frozen", "frozen and loaded"])
def test_they_are_parts_of_others(form: str) -> None:
    net = nn.GRU(3, 4).eval()
    inner = FORMS[form](tscript.script(net))
    around, wanted = tscript.script(Around(inner).eval()), Around(net)
    assert same(around(X), wanted(X))
    for made in (around, loaded(around), tscript.freeze(around), loaded(tscript.freeze(around))):
        assert same(made(X, H), wanted(X, H))
    with ThreadPoolExecutor(2) as pool:
        assert all(same(r, wanted(X, H)) for r in pool.map(lambda _: around(X, H), range(4)))


def test_a_frozen_one_is_named_by_a_function() -> None:
    frozen = tscript.freeze(tscript.script(nn.GRU(3, 4).eval()))

    @tscript.script
    def both(x: Tensor, h: Tensor) -> Tensor:
        return frozen(x)[1] + frozen(x, h)[1]

    assert same(both(X, H), frozen(X)[1] + frozen(X, H)[1])
    assert same(loaded(both)(X, H), both(X, H))


class Masked(nn.Module):
    def forward(self, x, mask=None, by=2):  # type: ignore[no-untyped-def]
        if mask is None:
            return x * by
        return x * mask


@pytest.mark.parametrize("form", FORMS)
def test_a_parameter_that_is_none_by_default_is_a_tensor_or_none(form: str) -> None:
    made = FORMS[form](tscript.script(Masked().eval()))
    assert same(made(X), X * 2)
    assert same(made(X, by=3), X * 3)
    assert same(made(X, X), X * X)
    assert same(made(X, mask=X), X * X)
    with pytest.raises(TypeError, match="mask"):
        made(X, "a")


def test_functions_are_archived_in_the_same_way() -> None:
    @tscript.script
    def masked(x, mask=None):  # type: ignore[no-untyped-def]
        return x if mask is None else x * mask

    made = loaded(masked)
    assert same(made(X), X)
    assert same(made(X, X), X * X)


class Several(nn.Module):
    @overload
    def forward(self, x: Tensor) -> Tensor: ...

    @overload
    def forward(self, x: list[Tensor]) -> Tensor: ...

    @overload
    def forward(self, x: str) -> int: ...

    def forward(self, x):  # type: ignore[no-untyped-def]
        if isinstance(x, Tensor):
            return x + 1
        if isinstance(x, str):
            return len(x)
        return x[0] + x[1]


@pytest.mark.parametrize("form", FORMS)
def test_overloads_of_a_program(form: str) -> None:
    made = FORMS[form](tscript.script(Several().eval()))
    assert same(made(X), X + 1)
    assert same(made([X, X]), X + X)
    assert made("abc") == 3
    with pytest.raises(TypeError, match="cannot be int"):
        made(5)


def test_scripts_call_all_versions_of_a_loaded_module() -> None:
    archive = loaded(Several())

    class User(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = archive

        def forward(self, x: Tensor) -> Tensor:
            return self.parts(x) + self.parts([x, x]) + self.parts("ab")

    user = tscript.script(User().eval())
    for made in (user, loaded(user), tscript.freeze(user), loaded(tscript.freeze(user))):
        assert same(made(X), (X + 1) + X * 2 + 2)


class Renormed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", tscript.zeros(2))
        self.view = self.total[:1]
        self.steps = 0

    @tscript.export
    def step(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        self.steps += 1
        return self.total.clone()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.total + self.view + self.steps


def test_what_one_method_of_a_frozen_module_changes_stays_an_attribute_in_all() -> None:
    frozen = tscript.freeze(tscript.script(Renormed().eval()), ["step"])
    for made in (frozen, loaded(frozen)):
        made.step(tscript.ones(2))
        assert made.step(tscript.ones(2)).tolist() == [2.0, 2.0]
        assert made(tscript.zeros(2)).tolist() == [6.0, 6.0]


def test_a_frozen_embedding_that_renorms_its_rows() -> None:
    net = nn.Embedding(5, 3, max_norm=0.5).eval()
    frozen = tscript.freeze(tscript.script(net))
    made = loaded(frozen)
    index = tscript.tensor([0, 1, 1, 2])
    assert same(made(index), net(index))
    assert same(frozen(index), net(index))


def test_tuples_of_any_length_are_attributes() -> None:
    net = nn.MaxUnpool1d(2)
    made = loaded(net)
    args = tscript.rand(1, 2, 3), tscript.tensor([[[0, 2, 4], [1, 3, 5]]])
    assert same(made(*args), net(*args))
    assert made.kernel_size == (2,)


def test_packed_sequences_of_an_archive_are_those_of_the_library() -> None:
    made = loaded(nn.GRU(3, 4))
    assert type(made(pack_padded_sequence(X, [5, 3]))[0]) is PackedSequence
