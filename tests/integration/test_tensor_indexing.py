"""Tensors by masks, index tensors and lists: eager, scripted and interpreted, and as PyTorch does it where that is
installed."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.ir.interpreter import interpret
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies
from tscript.runtime.session.scripted import scripted_of

BODIES = Bodies(TABLE).lower_body

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "x": np.arange(60, dtype=np.float32).reshape(3, 4, 5),
    "n": np.arange(12).reshape(3, 4),
    "i": np.array([0, 1]),
    "j": np.array([0, -1], np.int32),
    "c": np.array([[0], [2]]),
    "z": np.array(1),
    "m": np.array([True, False, True]),
    "mm": np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]], bool),
    "u": np.array([1, 0, 1], np.uint8),
    "t": np.array(True),
    "f": np.array(False),
    "e": np.zeros(0, np.int64),
    "v": np.arange(5, dtype=np.float32),
    "far": np.array([1, 3]),
    "half": np.array([0.5]),
}

READS = """
x[i] x[j] x[c] x[z] x[e] x[m] x[mm] x[u] x[t] x[f] x[i,j] x[c,i] x[i,:,i] x[:,i,i] x[:,i,None,i] x[i,None] x[z,i]
x[0,:,i] x[i,0] x[i,:,0] x[mm,1:] x[mm,None] x[mm,-1] x[...,i] x[i,...,i] x[m,1] x[:,m[:1].expand(4)] x[None,m]
x[t,i] x[:,t] x[i,1:3,None,i] x[::2][i] x.transpose(0,2)[i,:,i] x[:,:,1::2][m] x[...,-1][mm] x[[0,-1]]
x[[True,False,True]]
x[[]] x[True] x[False,i] x[z,...,z] x[i.reshape(1,2,1)] x[:0][e] x[z:z+1] x[m,i] x[n>3] n[n>3] n[i,i] x[:,e]
""".split()
WRITES = """
x[i]=1 x[i]=v x[i]=x[1:].clone() x[mm]=v x[mm]=0 x[mm]=v[:1] x[z]=2 x[z,i]+=v x[i,i]+=1 x[i,i]*=v x[:,i]-=x[:,i+1]
x[i]=True x[t]=5 x[f]=5
x[m]=x[None,1:].clone() x[i,0]=v x[x>20]=-1 x[c,i]=7 x[x>3]*=2 x[i,::2]=9 x[e]=5 x[[2,0]]=v x[m,1,2]=v[:2] n[n>3]=1.5
n[i]//=2
x[...,i]=v[:2] x[:,[0,1]]=x[:,[1,0]] n[:,i]=n.t()[i].t() x[i]=n[0,0]*1.5
""".split()
WRONG = """
x[far] x[-far-1] x[half] x[m[:2]] x[...,mm] x[i,i,i,i] x[n[:,0],i] x[mm,i] x[i,m[:1]] x[0,far] x[far]=1 x[i]=v[:2]
x[mm]=v[:3]
x[i]=v.double() x[far,i]+=1 x[m,1,2]=v x[n.to(tscript.int16)]
""".split()


def tensors(library: Any = tscript) -> dict[str, Any]:
    """The tensors that texts name."""
    return {name: library.from_numpy(array.copy()) for name, array in ARRAYS.items()}


def outcome(run: Any) -> Any:
    """What a program gives, or the exception that it raises."""
    try:
        return np.asarray(run())
    except Exception as error:  # noqa: BLE001
        return error


def eagerly(text: str, library: Any = tscript) -> Any:
    values = tensors(library)

    def run() -> Any:
        if text in READS:
            return eval(text, {"tscript": library}, values)
        exec(text, {"tscript": library}, values)
        return values[text[0]]

    return outcome(run)


def is_same(a: Any, b: Any) -> bool:
    if isinstance(a, Exception) or isinstance(b, Exception):
        return type(a) is type(b)
    return bool(a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b))


@pytest.mark.parametrize("text", [*READS, *WRITES, *WRONG])
def test_eager_is_as_pytorch(text: str) -> None:
    torch = pytest.importorskip("torch")
    found, expected = eagerly(text), eagerly(text, torch)
    assert is_same(found, expected), (found, expected)


@pytest.mark.parametrize("first", range(0, len([*READS, *WRITES, *WRONG]), 8))
def test_ways_to_run_agree(first: int, tmp_path: Any) -> None:
    texts = [*READS, *WRITES, *WRONG][first : first + 8]
    source = "import tscript\nfrom tscript import Tensor\n\n"
    for k, text in enumerate(texts):
        body = f"    return {text}\n" if text in READS else f"    {text}\n    return {text[0]}\n"
        source += f"def f{k}({', '.join(f'{n}: Tensor' for n in ARRAYS)}) -> Tensor:\n{body}\n"
    file = tmp_path / "texts.py"
    file.write_text(source)
    space: dict[str, Any] = {"__name__": "texts"}
    exec(compile(source, str(file), "exec"), space)
    linecache.cache[str(file)] = (len(source), None, source.splitlines(True), str(file))
    for k, text in enumerate(texts):
        function = tscript.script(space[f"f{k}"])
        expected = eagerly(text)
        found = outcome(lambda f=function: f(*tensors().values()))
        assert is_same(found, expected), (text, found, expected)
        arrays = {name: array.copy() for name, array in ARRAYS.items()}
        read = outcome(
            lambda g=scripted_of(function).program, a=arrays: interpret(g, (), a, step_limit=10_000, bodies=BODIES)
        )
        assert is_same(read, expected), (text, read, expected)
        if isinstance(found, Exception):
            assert str(found) == str(expected), text


def test_an_index_out_of_range_is_named() -> None:
    x = tscript.zeros(3, 4)
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 1 with size 4"):
        x[:, tscript.tensor([0, 7])]
    with pytest.raises(IndexError, match="index -4 is out of bounds for dimension 0 with size 3"):
        x[tscript.tensor([-4])] = 1
    with pytest.raises(IndexError, match=r"The shape of the mask \[2\] at index 0"):
        x[tscript.tensor([True, False])]


def test_nothing_is_written_before_an_error() -> None:
    x = tscript.zeros(2000)
    index = tscript.arange(2000)
    index[-1] = 2000
    with pytest.raises(IndexError):
        x[index] = 1
    assert x.sum().item() == 0


def test_an_index_tensor_without_dimensions_gives_a_view() -> None:
    x = tscript.zeros(2, 2)
    x[tscript.tensor(1)].fill_(3)
    assert x.tolist() == [[0, 0], [3, 3]]


def test_large_choices() -> None:
    array = np.random.default_rng(0).normal(size=(700, 3, 11))
    x = tscript.from_numpy(array)
    index = np.random.default_rng(1).integers(-700, 700, (40, 50))
    assert np.array_equal(x[tscript.from_numpy(index)], array[index])
    assert np.array_equal(x[:, 1][array[:, 1] > 0], array[:, 1][array[:, 1] > 0])
    assert np.array_equal(x[:, :, [3, 1]], array[:, :, [3, 1]])
    assert np.array_equal(
        x.transpose(0, 2)[:, [2, 0], tscript.from_numpy(index[:2, :1])], array.T[:, [2, 0], index[:2, :1]]
    )
