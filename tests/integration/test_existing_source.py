"""What existing TorchScript source writes, as it stands: compiled and as plain Python it gives the same."""

# mypy: disable-error-code="attr-defined,operator,index"

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, List, Optional, Tuple, Union

import pytest

import tscript as torch
from tscript import Tensor


def _both(function: Callable[..., Any], *args: object) -> Any:
    """The result of a function, compiled and as plain Python, which agree."""
    found, plain = torch.script(function)(*args), function(*args)
    assert str(found) == str(plain) and type(found) is type(plain)
    return found


# ---- optionals and unions


def test_an_optional_tensor_is_given_to_an_operator():
    def f(x: Tensor, w: Tensor, b: Optional[Tensor] = None) -> Tensor:
        return torch.nn.functional.conv2d(x, w, bias=b)

    x, w = torch.ones(1, 2, 3, 3), torch.ones(2, 2, 1, 1)
    assert _both(f, x, w).sum() == 36
    assert _both(f, x, w, torch.ones(2)).sum() == 54


def test_an_optional_string_is_given_to_an_operator():
    def f(x: Tensor, mode: Optional[str]) -> Tensor:
        return torch.div(x, 2, rounding_mode=mode)

    x = torch.tensor([3.0, -3.0])
    assert [_both(f, x, mode).tolist() for mode in (None, "floor", "trunc")] == [[1.5, -1.5], [1, -2], [1, -1]]


def test_an_optional_that_an_operator_does_not_take_is_refused():
    def f(x: Tensor, y: Optional[Tensor]) -> Tensor:
        return x + y

    with pytest.raises(torch.CompileError, match="None"):
        torch.script(f)(torch.ones(2), None)


def test_a_tuple_of_any_length_is_a_tuple():
    def f(x: Union[float, Tuple[int, ...], List[int]]) -> str:
        if isinstance(x, list):
            return "list"
        if isinstance(x, tuple):
            return "tuple"
        return "float"

    assert [_both(f, x) for x in (1.0, (1, 2), [1, 2])] == ["float", "tuple", "list"]


def test_a_tuple_of_any_length_is_matched():
    def f(x: Union[float, Tuple[int, ...]]) -> int:
        match x:
            case tuple():
                return len(x)
            case _:
                return -1

    assert [_both(f, x) for x in (1.0, (1, 2))] == [-1, 2]


def test_classes_in_nested_tuples():
    def f(x: Union[float, List[float], str]) -> int:
        if isinstance(x, (numbers.Number, (list, tuple))):
            return 1
        return 2

    assert [_both(f, x) for x in (1.0, [1.0], "a")] == [1, 1, 2]


def test_the_length_of_a_union():
    def f(x: Union[List[str], Tuple[int, ...]]) -> int:
        return len(x)

    assert [_both(f, x) for x in (["a"], (1, 2))] == [1, 2]


def test_a_bool_is_true():
    def f(b: bool) -> int:
        return 1 if b is True else 2

    assert [_both(f, b) for b in (True, False)] == [1, 2]


# ---- shapes, lists, tuples


def test_shapes_are_compared_with_tuples_of_any_length():
    @torch.script
    def f(x: Tensor, sizes: List[int]) -> Tuple[bool, bool, bool]:
        return x.shape[-2:] == torch.Size([8, 3]), x.shape == torch.Size(sizes), x.shape != tuple(sizes)

    assert f(torch.zeros(2, 8, 3), [2, 8, 3]) == (True, True, False)


def test_a_size_is_in_a_shape():
    def f(x: Tensor) -> Tuple[bool, bool]:
        return 0 in x.shape[-2:], 3 in x.shape

    assert _both(f, torch.zeros(2, 0, 3)) == (True, True)


def test_nested_lists_are_tensors():
    def f(n: int) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = [list(range(n)) for i in range(2)]
        pairs = [(1, 2), (3, 4)]
        flags = [[[i > 0] for i in range(n)]]
        return (
            torch.tensor(rows),
            torch.tensor(pairs, dtype=torch.float64),
            torch.tensor(flags),
            torch.tensor([rows[0]]),
        )

    for n in (1, 3):
        _both(f, n)
    assert [tuple(x.shape) for x in torch.script(f)(0)] == [(2, 0), (2, 2), (1, 0), (1, 0)]
    assert [x.dtype for x in torch.script(f)(1)] == [torch.int64, torch.float64, torch.bool, torch.int64]


def test_rows_of_different_lengths_are_no_tensor():
    @torch.script
    def f(n: int) -> Tensor:
        rows = [[1, 2], list(range(n))]
        return torch.tensor(rows)

    assert f(2).tolist() == [[1, 2], [0, 1]]
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 3\)"):
        f(3)


def test_literals_mix_ints_and_floats_in_rows():
    def f(x: Tensor) -> Tensor:
        return torch.tensor([[1, 0], [0, 1.5]], dtype=x.dtype, device=x.device)

    assert _both(f, torch.ones(1)).tolist() == [[1, 0], [0, 1.5]]


def test_nested_lists_are_indices():
    def f(x: Tensor) -> Tensor:
        rows = [[1, 0], [0, 1]]
        return x[:, [[0, 1], [2, 1]]].sum() + x[rows].sum() + x[(0, 1)]

    _both(f, torch.arange(6.0).view(2, 3))


def test_a_tensor_of_any_depth_is_a_list():
    def f(x: Tensor) -> Tuple[List[List[List[List[int]]]], List[List[bool]], List[float]]:
        a: List[List[List[List[int]]]] = x.view(1, 2, -1, 1).long().tolist()
        b: List[List[bool]] = (x > 1).view(2, -1).tolist()
        c: List[float] = x.view(-1).tolist()
        return a, b, c

    _both(f, torch.arange(6.0))
    _both(f, torch.zeros(2, 2))


def test_a_list_of_the_wrong_depth_or_kind_is_refused():
    @torch.script
    def f(x: Tensor) -> List[List[bool]]:
        y: List[List[bool]] = x.tolist()
        return y

    with pytest.raises(TypeError, match="with 1 dimensions gives no list with 2"):
        f(torch.ones(2) > 0)
    with pytest.raises(TypeError, match="gives no list of bools"):
        f(torch.ones(2, 2))


def test_a_tuple_is_taken_for_a_list():
    def total(sizes: List[int], more: Optional[List[int]] = None) -> int:
        sizes.append(1)
        return sum(sizes) + (0 if more is None else sum(more))

    total = torch.script(total)

    @torch.script
    def f(x: Tensor, other: Tuple[int, ...]) -> Tuple[int, int, int]:
        pair = (2, 3)
        return total(pair) + total(pair, (4, 5)), total(x.shape), total(other)

    assert f(torch.zeros(2, 3), (4, 5)) == (6 + 15, 6, 10)


def test_the_default_of_a_list_is_a_tuple():
    @torch.script
    def f(x: Tensor, padding: List[int] = (1, 2), rows: Optional[List[List[int]]] = ((1,), (2,))) -> int:
        padding.append(3)
        return sum(padding) * 10 + (0 if rows is None else len(rows))

    @torch.script
    def g(x: Tensor) -> int:
        return f(x) + f(x, rows=None)

    x = torch.ones(1)
    assert [f(x), f(x), f(x, [1]), f(x, rows=[[1]])] == [62, 62, 42, 61]
    assert g(x) == 122


# ---- tensors for numbers, forms in place, dtypes


def test_a_tensor_is_taken_for_a_number():
    @torch.script
    def scaled(x: float, n: int, more: Optional[float] = None) -> float:
        return x * n + (0.0 if more is None else more)

    @torch.script
    def f(x: Tensor, n: Tensor) -> float:
        return scaled(x.sum(), n, x.max())

    assert f(torch.tensor([1.5, 2.0]), torch.tensor(3)) == 12.5
    with pytest.raises(TypeError, match="only tensors of ints"):
        f(torch.ones(2), torch.tensor(1.0))
    with pytest.raises(TypeError, match="1 dimensions was given for an int"):
        f(torch.ones(2), torch.tensor([1]))


def test_a_returned_tensor_is_the_declared_number():
    @torch.script
    def total(x: Tensor) -> float:
        return x.sum()

    @torch.script
    def place(x: Tensor) -> Optional[int]:
        if x.numel() == 0:
            return None
        return x.argmax()

    @torch.script
    def whole(x: Tensor) -> int:
        return x

    @torch.script
    def inner(x: Tensor) -> float:
        at = place(x)
        return total(x) + (0 if at is None else at)

    x = torch.tensor([1.5, 2.0])
    assert (total(x), inner(x)) == (3.5, 4.5)
    assert (whole(torch.tensor(3)), total(torch.tensor([1, 2]))) == (3, 3.0)
    assert isinstance(total(torch.tensor([1, 2])), float)
    with pytest.raises(TypeError, match="only tensors of ints"):
        whole(torch.tensor(1.0))
    with pytest.raises(TypeError, match="1 dimensions was given for an int"):
        whole(torch.tensor([1]))
    with pytest.raises(torch.CompileError, match="'f' is declared to return bool, but this returns Tensor"):

        @torch.script
        def f(x: Tensor) -> bool:
            return x.all()


def test_a_new_tensor_gets_another_form_in_place():
    @torch.script
    def f(x: Tensor, n: int) -> Tensor:
        grid = torch.linspace(0.0, 1.0, steps=n).unsqueeze_(-1)
        return (x * 2).t_() + grid + torch.where(x > 0, x, -x).transpose_(0, 1).squeeze_(dim=0)

    assert f(torch.ones(3, 3), 3).tolist() == [[3.0] * 3, [3.5] * 3, [4.0] * 3]


def test_a_tensor_with_a_name_keeps_its_form():
    def f(x: Tensor) -> Tensor:
        x.unsqueeze_(0)
        return x

    def g(x: Tensor) -> Tensor:
        pair = (x + 1, 2)
        return pair[0].unsqueeze_(0)

    def h(x: Tensor) -> Tensor:
        return x.contiguous().unsqueeze_(0)

    with pytest.raises(torch.CompileError, match=r"make a view, 'x = x\.unsqueeze\(0\)'"):
        torch.script(f)(torch.ones(2))
    for function in (g, h):
        with pytest.raises(torch.CompileError, match="unsqueeze_"):
            torch.script(function)(torch.ones(2))


def test_types_in_messages():
    def f(x: Union[int, List[str], None], y: Tensor) -> str:
        return f"{type(x)} and {type(y).__name__}, not {type(1.5)!s}"

    for x in (1, ["a"], None):
        _both(f, x, torch.ones(1))
