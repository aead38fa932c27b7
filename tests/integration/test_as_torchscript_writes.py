"""What existing source writes: defaults of None, shapes as lists, tests kept in names, attributes by name."""

# mypy: disable-error-code="attr-defined,operator"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional

import pytest

import tscript as torch
from tscript import Tensor
from tscript.checking import check_file


def _both(function: Callable[..., Any], *args: object) -> Any:
    """The result of a function, compiled and as plain Python, which agree."""
    scripted = torch.script(function)
    found, plain = scripted(*args), function(*args)
    assert str(found) == str(plain)
    return found


def test_the_default_none_makes_a_parameter_optional():
    def f(x: Tensor, size: int = None, weight: Tensor = None) -> Tensor:  # noqa: RUF013
        if weight is not None:
            x = x * weight
        return x if size is None else x + size

    x = torch.ones(2)
    assert _both(f, x).tolist() == [1, 1]
    assert _both(f, x, 3).tolist() == [4, 4]
    assert _both(f, x, None, x + 1).tolist() == [2, 2]


def test_a_shape_is_a_list_where_one_is_declared():
    @torch.script
    def f(x: Tensor) -> List[int]:
        y: List[int] = x.shape
        y.append(7)
        return y

    assert f(torch.ones(2, 3)) == [2, 3, 7]


def test_lists_are_joined_with_shapes_and_tuples():
    @torch.script
    def f(x: Tensor, sizes: List[int]) -> List[int]:
        return (4, 5) + sizes + x.shape[-1:] + [1]

    def g(x: Tensor, names: List[str]) -> List[str]:
        return x.shape + names

    with pytest.raises(torch.CompileError, match="does not take Size and list"):
        torch.script(g)
    assert f(torch.ones(2, 3), [7]) == [4, 5, 7, 3, 1]


def test_the_name_of_a_list_holds_a_tuple_in_a_branch():
    @torch.script
    def f(sizes: List[int], again: bool) -> List[int]:
        if len(sizes) == 1:
            sizes = (sizes[0], sizes[0])
        while again:
            sizes = (sizes[1], 3)
            again = False
        a, b = sizes
        sizes.append(a * b)
        return sizes

    assert f([2], False) == [2, 2, 4] and f([2, 5], True) == [5, 3, 15]


def test_a_list_is_taken_for_a_tuple_of_any_length():
    class Bad(ValueError):
        def __init__(self, text: str, shape: list[str] | tuple[int, ...] | None = None) -> None:
            super().__init__(text)
            self.shape = shape

    def total(sizes: tuple[int, ...]) -> int:
        return sum(sizes)

    def f(x: Tensor) -> int:
        if x.dim() > 2:
            raise Bad(f"{type(x)} of {x.dim()} dimensions", list(x.shape))
        return total(list(x.shape))

    assert _both(f, torch.ones(2, 3)) == 5
    with pytest.raises(ValueError, match=r"<class '.*Tensor'> of 3 dimensions"):
        torch.script(f)(torch.ones(1, 2, 3))


def test_the_class_of_a_value_in_a_message():
    def f(x: Optional[int], y: "float | Tensor") -> int:
        if x is not None and not isinstance(x, int):
            raise TypeError(f"expected a number, found {type(x)}")
        if not isinstance(y, (float, Tensor)):
            raise TypeError(f"expected a number, found {type(y)} {y.__class__}")
        if x is None:
            raise TypeError(f"no number, but {type(x)}")
        return x

    assert _both(f, 3, 2.0) == 3
    with pytest.raises(TypeError, match="no number, but <class 'NoneType'>"):
        torch.script(f)(None, 2.0)


def test_the_number_of_elements_of_a_shape():
    @torch.script
    def f(x: Tensor) -> tuple[int, int, int]:
        return x.shape.numel(), x[0].size().numel(), x.shape[2:].numel()

    assert f(torch.ones(2, 3)) == (6, 3, 1)


def test_the_size_of_a_dtype():
    def f(x: Tensor) -> tuple[int, int, int]:
        return x.dtype.itemsize, torch.complex128.itemsize, torch.bfloat16.itemsize

    assert _both(f, torch.ones(2)) == (4, 16, 2)
    assert _both(f, torch.ones(2, dtype=torch.bool)) == (1, 16, 2)


def test_tuples_several_times():
    def f(x: Tensor, n: int) -> Tensor:
        return x.view((1,) * x.dim() + x.shape).expand((2,) * n + x.shape)

    assert list(_both(f, torch.ones(2, 3), 2).shape) == [2, 2, 2, 3]
    with pytest.raises(RuntimeError):
        torch.script(f)(torch.ones(2, 3), 1)


def test_a_name_keeps_what_its_test_says():
    def f(x: Tensor, m: Optional[Tensor], flag: bool) -> Tensor:
        has = m is not None and flag
        none = m is None
        if has:
            x = x * m
        if not none:
            x = x + m
        return x

    x = torch.ones(2)
    assert _both(f, x, x + 1, True).tolist() == [4, 4]
    assert _both(f, x, x + 1, False).tolist() == [3, 3]
    assert _both(f, x, None, True).tolist() == [1, 1]


def test_a_test_says_nothing_of_later_values():
    def assigned(x: Tensor, m: Optional[Tensor], n: Optional[Tensor]) -> Tensor:
        has = m is not None
        m = n
        return x * m if has else x

    def in_a_loop(x: Tensor, m: Optional[Tensor], n: Optional[Tensor]) -> Tensor:
        has = m is not None
        for _ in range(2):
            if has:
                x = x * m
            m = n
        return x

    x = torch.ones(2)
    for f in (assigned, in_a_loop):
        with pytest.raises(torch.CompileError, match="None"):
            torch.script(f)(x, x, None)


def test_asserts_with_a_tuple():
    @torch.script
    def f(x: Tensor) -> int:
        assert x.dim() == 2, (x.shape, "bad")
        return 1

    with pytest.raises(AssertionError) as caught:
        f(torch.ones(3))
    assert caught.value.args == (((3,), "bad"),)


@dataclass
class Box:
    size: int

    def area(self) -> int:
        return self.size * self.size


def test_attributes_by_name():
    def f(x: Tensor, n: int) -> int:
        box = Box(n)
        out = getattr(box, "size") + getattr(box, "depth", 100)
        if hasattr(box, "depth"):
            out += box.depth
        if hasattr(box, "area") and hasattr(x, "device") and hasattr(torch, "einsum"):
            out += box.area()
        if hasattr(x, "no_such") or hasattr(torch, "no_such"):
            out += 1000
        return out

    assert _both(f, torch.ones(2), 3) == 112


def test_attributes_by_computed_names_are_refused():
    def f(x: Tensor, name: str) -> int:
        return getattr(x, name)

    with pytest.raises(torch.CompileError, match="getattr"):
        torch.script(f)(torch.ones(2), "ndim")


def test_tensors_of_one_element_are_numbers_of_operators():
    def f(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return torch.arange(n), torch.linspace(0, x.max(), 3), x.narrow(0, n - 1, 1), torch.zeros(n, n)

    for n in (torch.tensor(2), torch.tensor(2, dtype=torch.int32)):
        a, b, c, d = torch.script(f)(torch.tensor([1.0, 4.0]), n)
        assert a.tolist() == [0, 1]
        assert b.tolist() == [0, 2, 4]
        assert c.tolist() == [4]
        assert d.tolist() == [[0, 0], [0, 0]]


def test_their_dtype_counts():
    @torch.script
    def f(n: Tensor) -> Tensor:
        return torch.arange(n)

    assert f(torch.tensor(2.5)).tolist() == [0, 1, 2]
    assert f(torch.tensor(2.5)).dtype == torch.float32
    assert f(torch.tensor(2)).dtype == torch.int64


def test_other_tensors_are_refused():
    @torch.script
    def f(x: Tensor, n: Tensor) -> Tensor:
        return x.unsqueeze(n)

    with pytest.raises(TypeError, match="float32"):
        f(torch.ones(2), torch.tensor(1.0))
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        f(torch.ones(2), torch.tensor([0, 1]))


def test_tensors_where_no_number_is_taken_are_refused():
    def f(x: Tensor) -> Tensor:
        return x.to(x.max(), "no")

    with pytest.raises(torch.CompileError, match="to"):
        torch.script(f)(torch.ones(2))


def test_a_base_with_a_field_of_no_type_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "classes.py"
    path.write_text(
        "from dataclasses import dataclass\nimport torch\n\n"
        "@dataclass\nclass Base:\n    a: int\n    b: 'slice' = None\n\n"
        "class Derived(Base):\n    def __init__(self, a: int):\n        super().__init__(a)\n\n"
        "@torch.jit.script\ndef f(n: int) -> int:\n    return Derived(n).a\n"
    )
    assert check_file(path)
