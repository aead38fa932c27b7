"""Small programs for TorchScript: what its source is written with."""

# mypy: ignore-errors
# ruff: noqa: C419, F811, F841, PGH003, PLC0206, RUF005, RUF059

import math
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Sequence
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.integration.torchscript_cases import T, case, here, with_torch


# ---- slices, Ellipsis, range
@case([1, 2, 3, 4, 5])
def slice_value(xs: List[int]):
    s = slice(1, 4)
    return xs[s]


@case(T(3, 4))
def slice_tensor(x: Tensor):
    s = slice(0, 2)
    t = slice(None, None, 2)
    return x[s, t]


@case(T(3, 4), 1)
def slice_ints(x: Tensor, n: int):
    return x[slice(n, n + 2)]


@case("abcdef")
def slice_string(s: str):
    return s[slice(1, None, 2)]


@here(T(2, 3, 4))
def ellipsis_value(x: Tensor):
    e = Ellipsis
    return x[e, 0]


@case(T(2, 3, 4))
def ellipsis_name(x: Tensor):
    return x[Ellipsis, 1:, 0]


@case(4)
def range_value(n: int):
    r = range(n)
    t = 0
    for i in r:
        t += i
    return t


@here(4)
def range_twice(n: int):
    r = range(1, n)
    t = 0
    for i in r:
        for j in r:
            t += i * j
    return t, len(r)


@case(4)
def range_list(n: int):
    return list(range(n)), [i * 2 for i in range(1, n, 2)]


@here(5)
def range_index(n: int):
    r = range(2, 2 + n)
    return r[1], 3 in r


# ---- calls
def _base(x: Tensor, a: int = 1, b: float = 2.0) -> Tensor:
    return x * a + b


@here(T(3))
def kwargs_of_literal(x: Tensor):
    return _base(x, **{"a": 3, "b": 1.0})


def _three(a: int, b: int, c: int) -> int:
    return a * 100 + b * 10 + c


@here([1, 2, 3])
def star_list_fixed(xs: List[int]):
    return _three(*xs)


@case((1, 2, 3))
def star_tuple(xs: Tuple[int, int, int]):
    return _three(*xs)


@here(T(2, 3))
def star_size(x: Tensor):
    return torch.zeros(*x.shape), x.reshape(*x.size())


@here(complex(1, 2))
def complex_parts(z: complex):
    return z.real, z.imag, abs(z), z * z, z == complex(1, 2)


Point = namedtuple("Point", ["x", "y"])


@case(T(2))
def untyped_named(x: Tensor):
    p = Point(x, x + 1)
    return p.x + p.y


class Typed(NamedTuple):
    a: int
    b: Optional[Tensor] = None


@here(3)
def typed_named(n: int):
    t = Typed(n)
    u = t._replace(a=4)
    return t.a + u.a, u.b is None, len(t)


@here(3)
def ordered(n: int):
    d: Dict[str, int] = OrderedDict()
    d["a"] = n
    d["b"] = 2
    return list(d.keys()), d


@case(3)
def ordered2(n: int):
    d = OrderedDict([("a", n), ("b", 2)])
    return d["a"] + d["b"]


@case(T(3), 2)
def comment_signature(x, n):
    # type: (Tensor, int) -> Tuple[Tensor, int]
    return x * n, n


@here(T(3), 2)
def comment_each(
    x,  # type: Tensor
    n,  # type: int
):
    # type: (...) -> Tensor
    y = []  # type: List[Tensor]
    for i in range(n):
        y.append(x)
    k = None  # type: Optional[int]
    if n > 1:
        k = n
    assert k is not None
    return torch.stack(y) * k


@here(3)
def comment_tuple(n):
    # type: (int) -> int
    a, b = [], {}  # type: List[int], Dict[str, int]
    a.append(n)
    b["x"] = n
    return a[0] + b["x"]


@case(T(2))
def comment_with(x):
    # type: (Tensor) -> Tensor
    with torch.no_grad():  # type: ignore
        y = x * 2
    return y


@case(3)
def annotate_call(n: int):
    xs = torch.jit.annotate(List[int], [])
    xs.append(n)
    o = torch.jit.annotate(Optional[int], None)
    return xs, o


def _work(x: Tensor, k: int = 2) -> Tensor:
    return x * k


@case(T(2))
def fork_wait(x: Tensor):
    f = torch.jit.fork(_work, x, k=3)
    g = torch.jit._fork(_work, x)
    return torch.jit.wait(f) + torch.jit._wait(g)


@case(T(2))
def futures_list(x: Tensor):
    fs: List[torch.jit.Future[Tensor]] = []
    for i in range(3):
        fs.append(torch.jit.fork(_work, x, i))
    return torch.stack([torch.jit.wait(f) for f in fs])


class MyFn(torch.autograd.Function if hasattr(torch, "autograd") else object):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


@with_torch(T(2))
def autograd_function(x: Tensor):
    if torch.jit.is_scripting():
        return x * 2
    return MyFn.apply(x)


@with_torch(T(2))
def autograd_not(x: Tensor):
    if not torch.jit.is_scripting():
        y = MyFn.apply(x)
    else:
        y = x * 2
    return y


@here(T(2))
def no_grad(x: Tensor):
    with torch.no_grad():
        y = x * 2
    with torch.enable_grad():
        y = y + 1
    with torch.inference_mode():
        z = y
    return z, torch.is_grad_enabled() if False else True


@with_torch(T(2))
def compiler_queries(x: Tensor):
    if torch.compiler.is_compiling():
        return x
    if torch.compiler.is_dynamo_compiling():
        return x
    return x + 1


@with_torch(T(2))
def has_tf(x: Tensor):
    if torch.overrides.has_torch_function((x,)):
        return x
    if torch.overrides.has_torch_function_unary(x):
        return x
    return x + 1


@here(3, 0.5)
def percent(n: int, v: float):
    return "%d and %s" % (n, v), "%05.2f" % v, "%s" % n, "%i%%" % n, "%r" % "a"


@here(3)
def format_calls(n: int):
    return "{} {}".format(n, "a"), "{0}{1}{0}".format(1, 2), "{:>5}|{:.3f}".format(n, 1.5), "{{}}".format()


@here(T(2, 3), 3)
def type_name(x: Tensor, n: int):
    return type(x).__name__, type(n).__name__, f"{type([n]).__name__}"


@here(torch.tensor(3))
def implicit_int(x: Tensor):
    n: int = int(x)
    if x > 2:
        n += 1
    while x < 5:
        x = x + 1
    return n, bool(x), float(x), range(int(x))[1]


def _takes_int(n: int) -> int:
    return n + 1


def _takes_float(n: float) -> float:
    return n + 1


@case(T(3), torch.tensor(2))
def implicit_op(x: Tensor, n: Tensor):
    return x.sum(dim=0) * n, x[n]


@here(torch.tensor(3))
def implicit_range(n: Tensor):
    t = 0
    for i in range(n):
        t += i
    return t


@case(torch.tensor(2), [1, 2, 3])
def implicit_index(n: Tensor, xs: List[int]):
    return xs[n]


@case(3)
def union_narrow(x: Union[int, List[int], str]):
    if isinstance(x, int):
        x = [x]
    elif isinstance(x, str):
        x = [len(x)]
    return x[0]


@case(None)
def optional_assign(x: Optional[int]):
    if x is None:
        x = 3
    return x + 1


@case(None)
def optional_or(x: Optional[List[int]]):
    if x is None or len(x) == 0:
        return 0
    return x[0]


@torch.jit._overload
def over(x: int) -> int: ...


@torch.jit._overload
def over(x: str) -> str: ...


def over(x):
    if isinstance(x, int):
        return x + 1
    return x + "!"


@case(3)
def overloads(n: int):
    return over(n), over("a")


@case((1, 2))
def list_param_tuple(xs: List[int]):
    return len(xs) + xs[0]


@case(T(2, 3).shape)
def list_param_size(xs: List[int]):
    return torch.zeros(xs)


@case("cpu")
def device_string(d: torch.device):
    return torch.zeros(2, device=d)


@case(T(1, 1, 4, 4))
def interpolate(x: Tensor):
    return (
        F.interpolate(x, scale_factor=2.0, mode="nearest"),
        F.avg_pool2d(x, 2),
        F.pad(x, (1, 1)),
        F.adaptive_avg_pool2d(x, (1, 1)),
    )


@case(3)
def dev(n: int):
    d = torch.device("cpu")
    return d.type, str(d), torch.zeros(n, device="cpu", dtype=torch.float64).dtype == torch.float64


@here(T(3))
def dtype_value(x: Tensor):
    d = x.dtype
    return torch.ones(2, dtype=d), d == torch.float32, d.is_floating_point


@case(T(3))
def rounding(x: Tensor):
    m: Optional[str] = None
    y = x.div(2, rounding_mode="floor")
    x.div_(2, rounding_mode=m)
    return y, x


class Color(Enum):
    RED = 1
    BLUE = 2


@case(3)
def enum_use(n: int):
    c = Color.RED if n > 2 else Color.BLUE
    return c.name, c.value, c == Color.RED, [x.value for x in Color]


@case(3)
def sysmax(n: int):
    return min(n, sys.maxsize), math.inf > n, math.pi


@here(T(2, 3))
def shape_ops(x: Tensor):
    b, c = x.shape
    return x.shape[0] + c, x.size(), list(x.shape), x.shape[-1:], x.numel(), len(x.shape), x.view(-1).shape


@case(T(2, 3))
def shape_cat(x: Tensor):
    return x.view(x.shape[:-1] + (3, 1)), x.reshape(list(x.shape) + [1])


@case(T(2, 3))
def shape_eq(x: Tensor):
    return x.shape == (2, 3), x.size() == x.shape


@case([3, 1, 2])
def list_ops(xs: List[int]):
    xs.sort()
    xs.insert(1, 7)
    xs.extend([9, 8])
    xs.remove(9)
    y = xs.copy()
    y.reverse()
    return (
        xs,
        y,
        xs.index(7),
        xs.count(1),
        sorted(y),
        min(xs),
        max(xs),
        sum(xs),
        any([x > 2 for x in xs]),
        all([x > 0 for x in xs]),
    )


@case({"a": 1, "b": 2})
def dict_ops(d: Dict[str, int]):
    e = {k: v * 2 for k, v in d.items()}
    d.update({"c": 3})
    p = d.pop("a")
    s = d.setdefault("z", 9)
    return e, p, s, d.get("q"), d.get("q", 4), list(d.values()), "c" in d


@case("Hello World")
def str_ops(s: str):
    return (
        s.lower(),
        s.split(" "),
        s.replace("o", "0"),
        s.find("W"),
        s.startswith("He"),
        "-".join(["a", "b"]),
        s[::-1],
        s.upper().isupper(),
        s.center(20, "*"),
        s.partition(" "),
        s.zfill(13),
    )


@case(T(4))
def chunks(x: Tensor):
    a, b = x.chunk(2)
    c, d = torch.split(x, [1, 3])
    e, f, g, h = x.unbind(0)
    return a + b, c, d, e + f, g + h


@case(T(4))
def zip_enum(x: Tensor):
    t = 0.0
    for i, (a, b) in enumerate(zip(x, x + 1)):
        t += float(a * b) * i
    return t


@case(T(4))
def inplace_ops(x: Tensor):
    x += 1
    x *= 2
    x[0] = 5
    x[1:3] -= 1
    y = x
    y.add_(1)
    return x


@case(T(4))
def tensors_in_bool(x: Tensor):
    if x.sum() > 3 and x[0] == 0:
        return 1
    return 2


@case(5)
def while_else(n: int):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            continue
        if i == 4:
            break
    return i


@case(T(3, 3))
def lambdas(x: Tensor):
    return torch.relu(x).matmul(x).t().contiguous().view(-1).tolist() if False else x.trace()


@case(T(3))
def to_list(x: Tensor):
    v: List[float] = x.tolist()
    return v


@case(3)
def assertion(n: int):
    assert n > 2, f"n is {n}"
    torch._assert(n > 2, "no")
    return n


@case(T(3))
def data_attr(x: Tensor):
    return x.data, x.detach(), x.requires_grad, x.is_cuda, x.device, x.layout == torch.strided, x.T


@case(T(2, 3))
def isinst(x: Any):
    if torch.jit.isinstance(x, List[Tensor]):
        return 1
    if isinstance(x, Tensor):
        return 2
    return 3


@case([T(2), T(3)])
def isinst_list(x: Any):
    if torch.jit.isinstance(x, List[Tensor]):
        return len(x)
    if torch.jit.isinstance(x, (Dict[str, int], Tuple[int, str])):
        return -2
    return -1


@case(3)
def dict_tensor(n: int):
    d: Dict[str, Tensor] = {}
    d["a"] = torch.zeros(n)
    d["b"] = d["a"] + 1
    for k in d:
        d[k] = d[k] * 2
    return d


@case(3)
def fn_arg(n: int):
    f = _takes_int
    return f(n)


@here(3)
def nested_fn(n: int):
    def g(k: int) -> int:
        return k + n

    return g(2)


@here(T(3), 2)
def scalar_types(x: Tensor, n: int):
    return x * n, x + 1.5, n / 2, n // 2, n % 2, 2.0**n, x**2, -n, ~n, n & 1, n | 4, n ^ 1, n << 2, n >> 1


@case(T(3))
def ternary_none(x: Optional[Tensor]):
    y = x if x is not None else torch.zeros(1)
    return y


@case(T(3))
def unchecked(x: Optional[Tensor]):
    y = torch.jit._unwrap_optional(x)
    return y


@case(T(3))
def delete(x: Tensor):
    d = {"a": 1, "b": 2}
    del d["a"]
    xs = [1, 2, 3]
    del xs[0]
    y = x
    del y
    return d, xs


@here(T(3))
def multi_assign(x: Tensor):
    a = b = x + 1
    (c, d), e = (a, b), x
    *f, g = [1, 2, 3]
    return a + c, d + e, f, g


@here(3)
def int_funcs(n: int):
    return (
        divmod(7, n),
        pow(2, n),
        abs(-n),
        round(2.5),
        int(2.7),
        float("1.5"),
        bool(n),
        chr(65),
        ord("a"),
        hex(255),
        bin(5),
        oct(8),
        str(n),
        int("12"),
    )


@case(2.5)
def math_funcs(x: float):
    return (
        math.floor(x),
        math.ceil(x),
        math.sqrt(x),
        math.log(x, 2.0),
        math.isnan(x),
        math.gcd(4, 6),
        math.factorial(5),
        math.copysign(1.0, -x),
        math.fmod(x, 2.0),
        math.modf(x),
        math.frexp(x),
        math.ldexp(x, 2),
        math.degrees(x),
        math.hypot(3.0, 4.0) if False else 5.0,
    )


@case(3)
def named_result(n: int):
    r = torch.max(torch.arange(n).reshape(1, n), 1)
    v, i = torch.arange(n).sort(descending=True)
    return r.values, r.indices, v, i


@case(T(3))
def generator(x: Tensor):
    torch.manual_seed(3)
    y = torch.rand(3).sum()
    return x


@here(T(2, 2))
def unsq(x: Tensor):
    return x[None, :, 0], x[..., None].shape, x[:, [1, 0]], x[x > 1], x[torch.tensor([0])]


@here(T(2, 2))
def hasattr_(x: Tensor):
    if hasattr(x, "foo"):
        return 1
    return 2


@case(T(2, 2))
def getattr_(x: Tensor):
    return getattr(x, "ndim"), x.ndim


@case(T(2, 2))
def einsum(x: Tensor):
    return torch.einsum("ij,jk->ik", x, x), torch.einsum("ij,jk->ik", [x, x])


@here(2)
def seq_param(n: int):
    return _seq([n, 1])


def _seq(xs: Sequence[int]) -> int:
    return xs[0]


@here(T(2, 2))
def memfmt(x: Tensor):
    return x.contiguous(memory_format=torch.contiguous_format), torch.empty_like(
        x, memory_format=torch.preserve_format
    ).shape


@here(T(2, 2))
def finfo(x: Tensor):
    return torch.finfo(torch.float32).eps, torch.finfo(x.dtype).max, torch.iinfo(torch.int64).max
