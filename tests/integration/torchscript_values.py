"""Small programs for TorchScript: control flow, values of Python, tensors."""

# mypy: ignore-errors
# ruff: noqa: C406, C416, RUF005

import collections
import math
import sys
from collections.abc import Callable
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.integration.torchscript_cases import T, case, here
from tests.integration.torchscript_source import Color, _takes_int, _three, _work

# ---- control flow


@here(10)
def nested_breaks(n: int):
    found: List[int] = []
    for i in range(n):
        for j in range(i):
            if i * j == 12:
                break
            if j % 2 == 0:
                continue
            found.append(i * j)
        else:
            found.append(-1)
    return found


@case(27)
def collatz(n: int):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(3)
def early_return(n: int):
    for i in range(10):
        if i * i > n:
            return i
    return -1


@case(T(3), True)
def return_in_branches(x: Tensor, flag: bool):
    if flag:
        if x.sum() > 100:
            return x
        y = x + 1
    else:
        return x - 1
    return y * 2


@case(4)
def variables_of_branches(n: int):
    if n > 3:
        a, b = 1, "x"
    else:
        a, b = 2, "y"
    return a, b


@case(T(2, 2))
def loop_over_tensor(x: Tensor):
    total = torch.zeros(2)
    for row in x:
        total = total + row
    return total


@here([1, 2, 3], ["a", "b", "c"])
def loop_over_many(xs: List[int], ys: List[str]):
    text = ""
    for i, x in enumerate(xs, 1):
        text += str(i * x)
    for x, y in zip(xs, ys):
        text += y * x
    for x in reversed(xs):
        text += str(x)
    return text


@case({"b": 2, "a": 1})
def loop_over_dict(d: Dict[str, int]):
    found: List[str] = []
    for key in d:
        found.append(key)
    for key, value in d.items():
        found.append(key + str(value))
    for value in d.values():
        found.append(str(value))
    return found, sorted(d.keys()), [k for k in d.keys()]


@here(5)
def comprehensions(n: int):
    xs = [i * i for i in range(n)]
    evens = [x for x in xs if x % 2 == 0]
    d = {str(x): x for x in evens}
    return xs, evens, d, [(x, -x) for x in xs], sum([x for x in xs])


@case(3)
def conditions(n: int):
    a = 1 if n > 2 else 0
    b = (n > 1 and n < 5) or n == 7
    c = not b
    d = 1 < n <= 3
    e = n in [1, 2, 3]
    f = n is None
    return a, b, c, d, e, f, n not in [4], n != 3


@case(2)
def assigned_many(n: int):
    a, (b, c) = n, (n + 1, n + 2)
    a, b = b, a
    xs = [0, 0]
    xs[0], xs[1] = a, b
    xs[0] += c
    return a, b, c, xs


# ---- numbers


@here(7, 2)
def integers(a: int, b: int):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, divmod(a, b), a & b, a | b, a ^ b, a << b, a >> b


@here(-7, 2)
def negative_integers(a: int, b: int):
    return a // b, a % b, -a, abs(a), a / b, ~a, divmod(a, b), int(a / b)


@here(7.5, -2.0)
def floats(a: float, b: float):
    return a // b, a % b, a / b, a**b, -a, abs(b), divmod(a, b), round(a), round(1.25, 1), int(b), bool(a)


@here(3, 2.5)
def mixed_numbers(n: int, x: float):
    return n + x, n * x, x - n, n < x, n == 3.0, max(n, 4), min(x, 1.5), float(n), int(x), pow(x, 2), 2**n


@here("12", "-3.5e2")
def numbers_of_strings(a: str, b: str):
    return int(a), float(b), int("ff", 16), float("inf") > 0, str(1.0), str(True), bool(a)


@here("x")
def bad_number(a: str):
    try:
        return str(int(a))
    except ValueError as error:
        return str(error)


@here(0)
def divided_by_zero(n: int):
    try:
        return str(1 // n)
    except ZeroDivisionError as error:
        return str(error)


@here(complex(1, 2), 0.5)
def complex_numbers(z: complex, x: float):
    return z + x, z * z, z / 2, z - 1, z == z, abs(z), z.real, z.imag, complex(x, 1.0), z != complex(1, 2), -z


@here(0.5)
def of_math(x: float):
    return (
        [math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.atan2(x, 2.0)],
        [math.exp(x), math.expm1(x), math.log(x), math.log1p(x), math.log2(8.0), math.log10(100.0), math.pow(x, 2.0)],
        [math.sinh(x), math.cosh(x), math.tanh(x), math.erf(x), math.gamma(3.0), math.lgamma(3.0), math.fabs(-x)],
        [math.isinf(x), math.isnan(math.nan), math.isfinite(x)],
        [math.floor(-x), math.ceil(-x), math.trunc(1.5)],
        [math.radians(180.0), math.degrees(math.pi)],
    )


# ---- strings


@here("Hello, World")
def asked_of_strings(s: str):
    return (
        len(s),
        s[0],
        s[-1],
        s[1:4],
        s[::2],
        s[-3:],
        "lo" in s,
        s.count("l"),
        s.index("o"),
        s.rfind("o"),
        s.isalpha(),
        "abc".isalpha(),
        "12".isdigit(),
        "aB".islower(),
        s.endswith("ld"),
        s.startswith(("x", "He")),
    )


@case("  a-b-c  ")
def changed_strings(s: str):
    t = s.strip()
    return (
        t,
        s.lstrip(),
        s.rstrip(),
        t.split("-"),
        t.rsplit("-", 1),
        t.split("-", 1),
        t.replace("-", "+"),
        t.upper(),
        t.title(),
        t.capitalize(),
        t.swapcase(),
        t.ljust(7, "."),
        t.rjust(7),
        t.center(9, "*"),
        "7".zfill(3),
        "+".join(t.split("-")),
        t.partition("-"),
        t.rpartition("-"),
        "a\nb".splitlines(),
        "a\tb".expandtabs(4),
    )


@here("ab", 3)
def joined_strings(s: str, n: int):
    found = s + "c" * n
    found += str(n) + "é"
    return found, s < "b", s == "ab", [c for c in found], ord(s[0]), chr(97 + n), "".join([c + c for c in s])


@here(5, 2.0, "q")
def filled_in(n: int, x: float, s: str):
    return "{} {} {}".format(n, x, s), "{0}-{0}-{1}".format(s, n), "%s is %d or %5.1f" % (s, n, x), f"{n}:{s}:{x}"


# ---- lists, tuples, dicts


@case([3, 1, 2])
def lists(xs: List[int]):
    ys = xs + [7]
    ys.append(8)
    ys.extend(xs)
    ys.insert(0, 9)
    popped = ys.pop()
    first = ys.pop(0)
    ys.sort(reverse=True)
    zs = ys[1:3] + ys[:1] * 2
    return ys, popped, first, zs, xs == [3, 1, 2], 3 in xs, xs[-1], len(zs), ys.index(7), [0] * 3, sorted(xs)


@here([[1, 2], [3]])
def nested_lists(rows: List[List[int]]):
    rows.append([4, 5])
    rows[0][1] = 9
    flat = [x for row in rows for x in row]
    return rows, flat, len(rows[2]), max([len(r) for r in rows])


@here([1.5, 2.5])
def lists_of_floats(xs: List[float]):
    return sum(xs), max(xs), min(xs), xs[0] == 1.5, [x * 2 for x in xs], sorted(xs, reverse=True), list(xs)


@here([1, 2])
def index_errors(xs: List[int]):
    try:
        return xs[5]
    except IndexError:
        return -1


@here({"a": 1})
def key_errors(d: Dict[str, int]):
    try:
        return d["q"]
    except KeyError as error:
        return len(str(error))


@here((1, "a", 2.5))
def tuples(t: Tuple[int, str, float]):
    a, b, c = t
    return t[0], t[-1], t[1:], a + c, b, len(t), (a, b) == (1, "a"), t + (3,)


@case({1: "a", 2: "b"})
def dicts(d: Dict[int, str]):
    d[3] = "c"
    e = d.copy()
    e.pop(1)
    e.update({7: "x"})
    del d[2]
    other = dict([(1, 2.0), (3, 4.0)])
    return d, e, other, len(d), d.get(9, "-"), 1 in d, list(d.keys()), list(e.items()), d.setdefault(5, "y")


@here(3)
def dicts_of_lists(n: int):
    groups: Dict[int, List[int]] = {}
    for i in range(10):
        if i % n not in groups:
            groups[i % n] = []
        groups[i % n].append(i)
    return groups


# ---- optionals and unions


@case(None, 3)
def optionals(a: Optional[int], b: Optional[int]):
    total = 0
    if a is not None:
        total += a
    if b is not None and b > 2:
        total += b
    c = b if b is not None else 0
    return total, c, a is None


@case([1, 2])
def optional_results(xs: List[int]):
    return _first(xs, 2), _first(xs, 9)


def _first(xs: List[int], wanted: int) -> Optional[int]:
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return None


@case(None)
def optional_tensors(x: Optional[Tensor]):
    y = torch.zeros(2)
    if x is None:
        x = y
    return x + y


@case(3)
def unions(x: Union[int, float, str]):
    if isinstance(x, str):
        return x
    elif isinstance(x, int):
        return str(x + 1)
    return str(x * 2)


@here([1, 2])
def unions_of_containers(x: Union[List[int], Dict[str, int], int]):
    if isinstance(x, int):
        return x
    if isinstance(x, dict):
        return len(x)
    return x[0] + x[1]


@case((1, 2))
def asked_types(x: Any):
    if isinstance(x, int):
        return 1
    if torch.jit.isinstance(x, Tuple[int, int]):
        return x[0] + 5
    return 3


# ---- exceptions


@here(3)
def raised(n: int):
    text = ""
    for kind in range(n):
        try:
            if kind == 0:
                raise ValueError("value")
            elif kind == 1:
                raise RuntimeError(f"runtime {kind}")
            text += "none"
        except ValueError as error:
            text += str(error)
        except RuntimeError:
            text += "runtime"
        finally:
            text += ";"
    return text


@here(3)
def asserted(n: int):
    assert n == 3
    assert n > 0, "positive"
    try:
        assert n == 4, "four"
    except AssertionError as error:
        return str(error)
    return ""


# ---- classes


class Counter2:
    def __init__(self, start: int):
        self.count = start
        self.names: List[str] = []

    def add(self, name: str, by: int = 1) -> int:
        self.count += by
        self.names.append(name)
        return self.count

    def __len__(self) -> int:
        return self.count

    def __add__(self, other: int) -> int:
        return self.count + other


@case(3)
def instances(n: int):
    c = Counter2(n)
    c.add("a")
    c.add("b", by=5)
    return c.count, c.names, len(c), c + 1


class Pair:
    def __init__(self, x: Tensor, y: Tensor):
        self.x = x
        self.y = y

    @staticmethod
    def zeros(n: int) -> "Pair":
        return Pair(torch.zeros(n), torch.zeros(n))

    def total(self) -> Tensor:
        return self.x + self.y


@case(T(2))
def instances_of_tensors(x: Tensor):
    p = Pair.zeros(2)
    p.x = x
    p.y += 1
    return p.total()


@here(3)
def enums(n: int):
    c = Color.BLUE
    if n == 3:
        c = Color(1)
    return c == Color.RED, c.name, c.value, c != Color.BLUE


# ---- tensors


@case(T(2, 3), T(3))
def arithmetic(x: Tensor, y: Tensor):
    return x + y, x - y, x * 2, x / 3, x // 2, x % 2, x**2, -x, x @ y, x == y, x > y, 2 - x, 1 / (x + 1), ~(x > 1)


@case(T(2, 3))
def reductions(x: Tensor):
    return (
        x.sum(),
        x.sum(0),
        x.sum(dim=1, keepdim=True),
        x.mean(-1),
        x.max(),
        x.argmax(1),
        x.std(0),
        x.prod(),
        x.cumsum(1),
        x.any(),
        x.all(),
        x.norm(),
        torch.sum(x, [0, 1]),
        x.amax(0),
        torch.var(x, 1),
        x.min(0).values,
    )


@case(T(2, 3))
def shapes(x: Tensor):
    return (
        x.t(),
        x.reshape(3, 2),
        x.view(-1),
        x.permute(1, 0),
        x.transpose(0, 1),
        x.unsqueeze(0),
        x.flatten(),
        x[None].squeeze(0),
        x.expand(2, 2, 3),
        x.repeat(2, 1),
        torch.cat([x, x], 0),
        torch.stack([x, x], 1),
        x.narrow(1, 0, 2),
        x.flip(0),
        torch.roll(x, 1),
        x.split([1, 2], 1)[1],
        x.chunk(2)[0],
        x.numel(),
        x.dim(),
    )


@case(T(3, 4))
def indices(x: Tensor):
    return (
        x[0],
        x[-1, 1:],
        x[:, ::2],
        x[..., -1],
        x[None, 0],
        x[x > 5],
        x[[0, 2]],
        x[:, [1, 3]],
        x[torch.tensor([1, 1])],
        x[1, 2].item(),
        x[0:2, torch.tensor([0, 1])],
        x[1][2],
    )


@case(T(3, 4))
def written(x: Tensor):
    x[0] = 1
    x[1, 1:3] = torch.tensor([7.0, 8.0])
    x[:, 3] += 5
    x[x > 10] = 0
    x[[2], :2] = -1
    return x


@case(T(2, 2))
def made(x: Tensor):
    return (
        torch.zeros(2, 3),
        torch.ones([2]),
        torch.full((2,), 3.5),
        torch.arange(3),
        torch.arange(1, 5, 2),
        torch.linspace(0, 1, 3),
        torch.eye(2),
        torch.tensor([1, 2]),
        torch.tensor([[1.5], [2.5]]),
        torch.zeros_like(x),
        x.new_zeros(2),
        torch.tensor(3),
        torch.empty(0),
        torch.ones(2, dtype=torch.int64),
        torch.full_like(x, 2),
    )


@here(T(4))
def converted(x: Tensor):
    return (
        x.to(torch.int64),
        x.int(),
        x.bool(),
        x.double(),
        x.half(),
        x.type_as(x.long()),
        x.to(x.long()),
        float(x[1]),
        int(x[2]),
        x.dtype == torch.float32,
        x.to("cpu"),
        x.to(device="cpu", dtype=torch.float64),
    )


@case(T(1, 1, 4, 4))
def of_networks(x: Tensor):
    w = torch.ones(1, 1, 2, 2)
    return (
        F.conv2d(x, w, stride=2),
        F.relu(x - 3),
        F.softmax(x, dim=-1),
        F.max_pool2d(x, 2),
        F.pad(x, [1, 0], value=2.0),
        F.linear(x, torch.ones(2, 4)),
        F.layer_norm(x, [4]),
        F.dropout(x, 0.5, training=False),
        F.one_hot(x[0, 0, 0].long()),
        F.interpolate(x, size=[2, 2], mode="bilinear", align_corners=False),
        F.mse_loss(x, x + 1),
        F.gelu(x * 0),
    )


@case(T(3))
def in_place(x: Tensor):
    y = x.clone()
    y.add_(1).mul_(2)
    y[0].fill_(9)
    z = y.view(3, 1)
    z.zero_()
    x.clamp_(max=1)
    x.copy_(x + y)
    return x, y


@case(T(3))
def chosen(x: Tensor):
    return (
        torch.where(x > 1, x, -x),
        x.masked_fill(x == 1, 9),
        x.index_select(0, torch.tensor([2, 0])),
        x.clamp(0.5, 1.5),
        torch.gather(x, 0, torch.tensor([1, 1])),
        x.topk(2)[0],
        torch.sort(-x)[1],
        x.nonzero(),
        torch.unique(x // 2),
    )


@case(T(2, 2))
def results_with_names(x: Tensor):
    values, where = x.max(dim=1)
    best = torch.topk(x, 1)
    return values, where, best.values, best.indices, torch.max(x, 0)[1], x.sort(0).values


@case([T(2), T(3)])
def lists_of_tensors(xs: List[Tensor]):
    total = torch.zeros(())
    for x in xs:
        total += x.sum()
    ys = [x * 2 for x in xs]
    ys.append(torch.ones(1))
    return total, torch.cat(ys), len(xs)


@case({"a": T(2)})
def dicts_of_tensors(d: Dict[str, Tensor]):
    d["b"] = d["a"] + 1
    out: Dict[str, Tensor] = {}
    for name, x in d.items():
        out[name + "2"] = x * 2
    return out


@case(T(2, 3))
def branches_on_tensors(x: Tensor):
    if x.sum() > 3 and not x.eq(0).all():
        x = x * 2
    while x.max() < 100:
        x = x * 2
    y = 1 if x[0, 0] == 0 else 2
    return x, y, bool((x > 3).any())


@case(T(4))
def scalars_of_tensors(x: Tensor):
    a = x[1].item()
    return a, x.sum().item() + 1, float(x[2]) * 2, int(x[3]), x[3] == 3, x.shape[0] * 2, x.size(0) - 1


# ---- functions


def _defaults(a: int, b: int = 2, *, c: str = "c") -> str:
    return c * (a + b)


@here(1)
def calls(n: int):
    return _defaults(n), _defaults(n, 3), _defaults(n, c="x"), _defaults(b=1, a=n), _defaults(*(1, 2), **{"c": "z"})


def _factorial(n: int) -> int:
    return 1 if n < 2 else n * _factorial(n - 1)


@here(10)
def recursive(n: int):
    return _factorial(n)


def _apply(f: Callable[[int], int], n: int) -> int:
    return f(f(n))


@here(3)
def functions_as_values(n: int):
    g = _takes_int
    return _apply(_takes_int, n), g(n), _apply(lambda k: k * n, 2)


def _unannotated(x, y):
    return x + y, x.shape


@here(T(2))
def tensors_by_default(x: Tensor):
    return _unannotated(x, x * 2)


@here([1, 2, 3])
def spread_lists(xs: List[int]):
    return _three(*xs), max(xs), torch.zeros(2, 3).view(*[3, 2]).shape[0]


@case(2)
def ordered_dicts(n: int):
    d = collections.OrderedDict([("b", n), ("a", 1)])
    d["c"] = 3
    return list(d.keys()), d["a"], len(d)


@case(T(2), T(2))
def forked(x: Tensor, y: Tensor):
    tasks = [torch.jit.fork(_work, t, 3) for t in [x, y]]
    found: List[Tensor] = []
    for task in tasks:
        found.append(torch.jit.wait(task))
    return found


@case(5)
def constants_of_math(n: int):
    return math.pi * n, math.e, math.inf > n, -math.inf < n, math.tau > 6, sys.maxsize > n


@case(T(2, 3))
def sizes(x: Tensor):
    n, m = x.shape
    size = x.size()
    return n, m, size[1], list(size), x.view([m, n]).shape[0], torch.zeros(size).shape[1], [d * 2 for d in x.shape]
