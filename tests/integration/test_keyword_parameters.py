"""``**names`` of functions that compiled code calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError
from tscript.jit import fork, wait

SOURCE = """
def reduce(x: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    return torch.sum(x, dim=dim, keepdim=keepdim)

def passed(x: Tensor, scale: float = 1.0, **kw) -> Tensor:
    dim = 7
    return reduce(x * scale, **kw) + (0 * dim)

def twice(x: Tensor, **options):
    return passed(x, **options) + passed(x, scale=2.0, **options)

def read(n: int, **given: int) -> int:
    if "unknown" in given:
        n += given["unknown"] * "a"
    if given:
        n += given["step"] if "step" in given else len(given)
    return n + given.get("more", 10)

def summed(n: int, **given: int) -> int:
    for name, value in given.items():
        n += value * len(name)
    return n + sum(given.values())

STEP = 4

def stepped(n: int, step: int = STEP + 1, **more: int) -> int:
    return n * step + len(more)

def none(n: int, **rest) -> int:
    return n

class Scaled:
    def __init__(self, by: float):
        self.by = by

    def of(self, x: Tensor, **kw) -> Tensor:
        return reduce(x * self.by, **kw)

    def again(self, x: Tensor, **kw) -> Tensor:
        return self.of(x, **kw) + self.of(x, dim=1 if "keepdim" in kw else 0)

    @staticmethod
    def counted(**names: int) -> int:
        return len(names) + sum(names.values())

    @classmethod
    def made(cls, **options: float) -> float:
        return Scaled(**options).by

class Named(Scaled):
    def __init__(self, name: str, by: float):
        super().__init__(**{"by": by})
        self.name = name

    def __call__(self, n: int, **more: int) -> int:
        return n + more.get("step", len(self.name))

def looped(n: int, **given: int) -> int:
    for name in given:
        n += given[name] * len(name)
    for name in given.keys():
        n += len(name)
    return n + len([v for v in given.values()]) + len(given.copy())

def changed(n: int, **given: int) -> int:
    given["more"] = 4
    given.update({"last": 3})
    if "a" in given:
        n += given.pop("a")
    for value in given.values():
        n += value
    return n + len(given)

def popped(x: Tensor, **kw) -> Tensor:
    scale = kw.pop("scale", 3.0)
    kw.pop("nothing", None)
    return passed(x, scale, **kw) + len(kw)

class Given:
    def __init__(self, n: int, **kw) -> None:
        self.n = n
        self.k = kw.get("k", 3)

class More(Given):
    def __init__(self, n: int, **kw: int) -> None:
        super().__init__(n, **kw)
        self.kw = kw

def inner(n: int, m: int) -> int:
    def add(k: int, **more: int) -> int:
        return k + m + sum(more.values()) + (more["deep"] if "deep" in more else 0)

    def both(**more: int) -> int:
        return add(n, **more) - add(m)

    return add(n) + add(n, a=1) + add(n, b=2, deep=m) + both(deep=2) + both()
"""

ARRAY = tscript.ones(2, 3).numpy()


@pytest.mark.parametrize(
    ("parameters", "body", "call"),
    [
        ("x: Tensor", "passed(x), passed(x, dim=1), passed(x, 2.0, keepdim=True, dim=1)", (ARRAY,)),
        ("x: Tensor", "twice(x, dim=1), twice(x)", (ARRAY,)),
        ("n: int", "read(n), read(n, step=2), read(n, a=1, b=2), read(n, more=n * 2, step=1)", (3,)),
        ("n: int", "summed(n, a=1, bcd=n)", (3,)),
        ("x: Tensor", "Scaled(2.0).of(x), Scaled(by=2.0).of(x, dim=1)", (ARRAY,)),
        ("x: Tensor", "Scaled(2.0).again(x), Scaled(2.0).again(x, keepdim=True)", (ARRAY,)),
        ("x: float", "Scaled.counted(), Scaled.counted(a=1, b=3), Scaled.made(by=x), Scaled(x).counted(c=4)", (1.5,)),
        ("n: int", "Named('ab', by=2.0).by, Named('ab', by=2.0)(n), Named('ab', by=2.0)(n, step=4)", (3,)),
        ("n: int", "inner(n, 2)", (3,)),
        ("n: int", "looped(n, a=1, bcd=n), looped(n)", (3,)),
        ("n: int", "changed(n, a=1, b=2), changed(n)", (3,)),
        ("x: Tensor", "popped(x), popped(x, scale=2.0, dim=1), popped(x, keepdim=True)", (ARRAY,)),
        ("n: int", "Given(n).k, Given(n, k=4).k, More(n, k=5).k, More(n, k=5, j=6).kw, More(n).kw", (3,)),
        ("n: int", "stepped(n), stepped(n, other=1), stepped(n, 2, other=1)", (3,)),
        ("n: int", "none(n), none(n, why=None, name='x')", (3,)),
        ("x: Tensor", "torch.sum(x, **{'dim': 1}), passed(x, **{'dim': 1}), passed(x, **dict(dim=0))", (ARRAY,)),
    ],
)
def test_calls(agree: Callable[..., Any], parameters: str, body: str, call: tuple[Any, ...]) -> None:
    agree(f"{SOURCE}\ndef f({parameters}):\n    return {body}\n", *call)


@pytest.mark.parametrize(
    ("parameters", "body", "message"),
    [
        ("x: Tensor", "passed(x, nothing=1)", "reduce() has no parameter 'nothing'"),
        ("x: Tensor, d: dict[str, int]", "passed(x, **d)", "arguments cannot be unpacked with '**'"),
        ("n: int", "read(n, step='a')", "expects int"),
        ("x: Tensor", "Scaled(2.0).of(x, nothing=1)", "reduce() has no parameter 'nothing'"),
        ("x: Tensor", "Scaled(2.0).of(x, **x)", "arguments cannot be unpacked with '**'"),
        ("n: int, **kw: int", "n", "'**kw' cannot be a parameter of a compiled function"),
    ],
)
def test_mistakes(parameters: str, body: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of(f"{SOURCE}\ndef f({parameters}):\n    return {body}\n"))
    assert message in str(caught.value)


def test_what_is_not_known_is_refused() -> None:
    """What a call gives on after the dict was changed, and the type of an empty one without annotation."""
    changed = "kw['b'] = 2\n    return summed(1, **kw)"
    early = "n = len(kw.values())\n    kw.pop('a')\n    return n"
    for body, call in ((changed, "a=1"), (early, "a=1"), ("return kw", "")):
        source = f"{SOURCE}\ndef kept(**kw):\n    {body}\n\ndef f() -> int:\n    kept({call})\n    return 1\n"
        with pytest.raises(CompileError, match="it can be given on"):
            tscript.script(function_of(source))


def test_modules_take_keywords() -> None:
    class Part(tscript.nn.Module):
        def forward(self, x: tscript.Tensor, scale: float = 1.0, **rest: float) -> tscript.Tensor:
            return x * scale + rest.get("bias", 0.5)

    class Whole(tscript.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = Part()

        def forward(self, x: tscript.Tensor) -> tscript.Tensor:
            task = fork(self.part, x, bias=3.0)
            found: tscript.Tensor = self.part(x) + self.part(x, bias=2.0, scale=3.0) + wait(task)
            return found

    x = tscript.ones(2)
    assert tscript.script(Whole())(x).tolist() == Whole()(x).tolist() == [10.5, 10.5]
