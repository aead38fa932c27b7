"""Random tensors: uniform, normal and other distributions, permutations, and draws by weights.

All is made of the numbers of a counter-based generator (`tscript.runtime.kernels.philox`): they follow from the seed
and the calls since, on however many threads. Distributions are those of PyTorch, the numbers are not.
"""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.abi.generator import BLOCKS, DEFAULT_SEED, SEED, Words, begin, default_words, new_words, system_seed
from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Generator, Size, Tensor, generic, torch
from tscript.definitions.opdef import DRAWS, FACTORY, Arg, Effects, OpDef, OperatorTypeError, PythonCall
from tscript.definitions.rules import tensor_of
from tscript.definitions.schema import parse_schema
from tscript.types import GENERATOR, INT, NONE, DType, Type, dtypes

# ---- the generator

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(key: int, counters: Array, upper: Array | None = None) -> Array:
    """The four words of each block, in NumPy; see `tscript.runtime.kernels.philox`. Counters have 128 bits, of which
    the `upper` 64 are 0 where they are left out."""
    upper = np.zeros_like(counters) if upper is None else upper
    c0, c1 = counters & _LOW, counters >> _HALF
    c2, c3 = upper & _LOW, upper >> _HALF
    k0, k1 = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(10):
        p0, p1 = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1 = (p1 >> _HALF) ^ c1 ^ np.uint64(k0), p1 & _LOW
        c2, c3 = (p0 >> _HALF) ^ c3 ^ np.uint64(k1), p0 & _LOW
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack((c0, c1, c2, c3), 1)


def _words(generator: Any) -> Words:
    if generator is None:
        return default_words()
    words: Words | None = getattr(generator, "words", None)
    if words is None:
        raise RuntimeError("expected a tscript.Generator, not a generator of NumPy")
    return words


def _random_fill(x: Array, generator: Any) -> Array:
    words = _words(generator)
    per = 4 if x.dtype == np.float32 else 2
    blocks = -(-x.size // per)
    first = int(words[BLOCKS])
    words[BLOCKS] = first + blocks
    made: Array
    drawn = philox(int(words[SEED]), np.arange(first, first + blocks).astype(np.uint64))
    if x.dtype == np.float32:
        made = ((drawn >> np.uint64(8)).astype(np.float32) * np.float32(2**-24)).ravel()
    elif x.dtype == np.float64:
        high, low = drawn[:, ::2] >> np.uint64(5), drawn[:, 1::2] >> np.uint64(6)
        made = ((high.astype(np.float64) * 67108864.0 + low.astype(np.float64)) * 2.0**-53).ravel()
    else:
        made = ((drawn[:, ::2] << _HALF | drawn[:, 1::2]) >> np.uint64(1)).astype(np.int64).ravel()
    x[...] = made[: x.size].reshape(x.shape)
    return x


def _random_normal(x: Array, generator: Any) -> Array:
    unit, per = (2.0**-24, 4) if x.dtype == np.float32 else (2.0**-53, 2)
    units = _random_fill(np.empty(-(-x.size // per) * per, x.dtype), generator).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(units[:, 0] + x.dtype.type(unit)))
    angle = units[:, 1] * x.dtype.type(2 * np.pi) - x.dtype.type(np.pi / 4 if per == 4 else 0)
    made = np.stack((radius * np.cos(angle), radius * np.sin(angle)), 1).ravel()
    x[...] = made[: x.size].reshape(x.shape)
    return x


def _normal_fills(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype not in (None, dtypes.float32, dtypes.float64):
        raise OperatorTypeError(f"random_normal_: expected float32 or float64, not {found.dtype}")
    return found


def _fills(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype not in (None, dtypes.float32, dtypes.float64, dtypes.int64):
        raise OperatorTypeError(f"random_fill_: expected float32, float64 or int64, not {found.dtype}")
    return found


def _random_seed(generator: Any, seed: int) -> None:
    begin(_words(generator), seed)


WRITES = Effects(writes=(0,), raises=True, world=True)
WORLD = Effects(raises=True, world=True)

FILL: OpDef = kernel(
    "random_fill_(Tensor(a!) self, Generator? generator) -> Tensor",
    _fills,
    _random_fill,
    "philox.random_fill_",
    "Overwrites a contiguous tensor: floats with numbers from 0 to below 1, int64 with ints from 0 on.",
    effects=WRITES,
    tags=(DRAWS,),
    names="",
)
NORMALS: OpDef = kernel(
    "random_normal_(Tensor(a!) self, Generator? generator) -> Tensor",
    _normal_fills,
    _random_normal,
    "philox.random_normal_",
    "Overwrites a contiguous tensor with numbers of the standard normal distribution.",
    effects=WRITES,
    tags=(DRAWS,),
    exact=False,
    names="",
)
SEEDS: OpDef = kernel(
    "random_seed(Generator? generator, int seed) -> None",
    lambda args: NONE,
    _random_seed,
    "philox.random_seed",
    "Puts a generator to the beginning of the numbers of a seed.",
    effects=WORLD,
    tags=(DRAWS,),
    names="",
)
INITIAL: OpDef = kernel(
    "random_initial(Generator? generator) -> int",
    lambda args: INT,
    lambda generator: int(_words(generator)[SEED]),
    "philox.random_initial",
    "The seed of a generator.",
    effects=WORLD,
    tags=(DRAWS,),
    names="",
)


class _Made:
    """What the interpreter has for a generator that compiled code makes."""

    def __init__(self) -> None:
        self.words = new_words(DEFAULT_SEED)


NEW: OpDef = kernel(
    "random_new() -> Generator",
    lambda args: GENERATOR,
    _Made,
    "philox.random_new",
    "A new generator.",
    effects=WORLD,
    tags=(DRAWS,),
    names="",
)
SYSTEM_SEED = OpDef(
    parse_schema("random_system_seed() -> int"),
    lambda args: INT,
    system_seed,
    PythonCall(system_seed),
    WORLD,
    "A seed from the system.",
    portable=True,
)


def manual_seed(seed: int) -> None:
    """Put the default generator to the beginning of the numbers of a seed.

    Args:
        seed: Any int of 64 bits.

    Example:
        >>> _ = tscript.manual_seed(7)
        >>> x = tscript.rand(2)
        >>> _ = tscript.manual_seed(7)
        >>> bool((x == tscript.rand(2)).all())
        True
    """
    SEEDS(None, seed)


def initial_seed() -> int:
    found: int = INITIAL(None)
    return found


# ---- uniform and normal


def unit_like(x: Tensor, generator: Generator | None) -> Tensor:
    """A new tensor of numbers from 0 to below 1, like a tensor of floats."""
    if x.dtype == torch.float32 or x.dtype == torch.float64:
        return FILL(torch.empty(x.shape, dtype=x.dtype), generator)
    if x.dtype == torch.float16:
        return (torch.floor(FILL(torch.empty(x.shape, dtype=torch.float32), generator) * 2048.0) / 2048.0).to(
            torch.float16
        )
    if x.dtype == torch.bfloat16:
        return (torch.floor(FILL(torch.empty(x.shape, dtype=torch.float32), generator) * 256.0) / 256.0).to(
            torch.bfloat16
        )
    raise NotImplementedError(f"random numbers are not implemented for '{x.dtype}': give a dtype of floats")


def normal_complex(x: Tensor, generator: Generator | None) -> Tensor:
    """The same of complex numbers."""
    real = torch.empty([*x.shape, 2], dtype=torch.float32 if x.dtype == torch.complex64 else torch.float64)
    return torch.view_as_complex(NORMALS(real, generator) * 0.7071067811865476)


@generic
def normal_like(x, generator):  # type: ignore[no-untyped-def]
    """A new tensor of numbers of the standard normal distribution, like a tensor of floats."""
    if x.dtype == torch.float32 or x.dtype == torch.float64:
        return NORMALS(torch.empty(x.shape, dtype=x.dtype), generator)
    if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        return NORMALS(torch.empty(x.shape, dtype=torch.float32), generator).to(x.dtype)
    if x.dtype == torch.complex64 or x.dtype == torch.complex128:
        return normal_complex(x, generator)
    raise NotImplementedError(f"random numbers are not implemented for '{x.dtype}': give a dtype of floats")


def rand(size: Size, generator: Generator | None, dtype: DType | None) -> Tensor:
    """Numbers from 0 to below 1, evenly spread.

    Args:
        size: The shape.
        generator: Gives the numbers; None for the default one, which `tscript.manual_seed` sets.
        dtype: Of floats; None for the default dtype.

    Raises:
        RuntimeError: A size is negative.
        NotImplementedError: `dtype` is not one of floats.

    Example:
        >>> x = tscript.rand(2, 3)
        >>> tuple(x.shape), bool((x >= 0).all() and (x < 1).all())
        ((2, 3), True)
    """
    return unit_like(torch.empty(size, dtype=torch.get_default_dtype() if dtype is None else dtype), generator)


def randn(size: Size, generator: Generator | None, dtype: DType | None) -> Tensor:
    """Numbers of the normal distribution with mean 0 and variance 1.

    The formula is that of Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958),
    doi:10.1214/aoms/1177706645.

    Args:
        size: The shape.
        generator: Gives the numbers; None for the default one, which `tscript.manual_seed` sets.
        dtype: Of floats or complex numbers, whose parts have a variance of one half; None for the default dtype.

    Raises:
        RuntimeError: A size is negative.
        NotImplementedError: `dtype` is one of ints.

    Example:
        >>> x = tscript.randn(1000)
        >>> bool(x.mean().abs() < 0.2), bool((x.std() - 1).abs() < 0.2)
        (True, True)
    """
    return normal_like(torch.empty(size, dtype=torch.get_default_dtype() if dtype is None else dtype), generator)


def rand_like(self: Tensor, dtype: DType | None) -> Tensor:
    return unit_like(torch.empty(self.shape, dtype=self.dtype if dtype is None else dtype), None)


def randn_like(self: Tensor, dtype: DType | None) -> Tensor:
    return normal_like(torch.empty(self.shape, dtype=self.dtype if dtype is None else dtype), None)


# ---- ints


@generic
def ints(size, low, high, generator):  # type: ignore[no-untyped-def]
    """int64 from `low` to below `high`."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return FILL(torch.empty(size, dtype=torch.int64), generator) % (high - low) + low


def randint(high: int, size: Size, generator: Generator | None, dtype: DType | None) -> Tensor:
    return ints(size, 0, high, generator).to(torch.int64 if dtype is None else dtype)


def randint_low(low: int, high: int, size: Size, generator: Generator | None, dtype: DType | None) -> Tensor:
    """Ints from `low` to below `high`, evenly spread.

    Args:
        low: The least; 0 if it is left out.
        high: One more than the largest.
        size: The shape.
        generator: Gives the numbers; None for the default one.
        dtype: None for int64.

    Raises:
        RuntimeError: `low` is not less than `high`, or a size is negative.

    Example:
        >>> x = tscript.randint(1, 7, (100,))
        >>> x.min().item() >= 1, x.max().item() <= 6
        (True, True)
    """
    return ints(size, low, high, generator).to(torch.int64 if dtype is None else dtype)


def randint_like(self: Tensor, high: int, dtype: DType | None) -> Tensor:
    return ints(self.shape, 0, high, None).to(self.dtype if dtype is None else dtype)


def randint_like_low(self: Tensor, low: int, high: int, dtype: DType | None) -> Tensor:
    return ints(self.shape, low, high, None).to(self.dtype if dtype is None else dtype)


def randperm(n: int, generator: Generator | None, dtype: DType | None) -> Tensor:
    """The ints below `n`, in random order.

    Raises:
        RuntimeError: `n` is negative.

    Example:
        >>> tscript.randperm(5).sort().values.tolist()
        [0, 1, 2, 3, 4]
    """
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    found = torch.argsort(FILL(torch.empty((n,), dtype=torch.int64), generator))
    return found if dtype is None else found.to(dtype)


# ---- distributions of given parameters


def check_probabilities(p: Tensor) -> None:
    """Refuse numbers outside of 0 to 1."""
    if not bool(((p >= 0) & (p <= 1)).all()):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false")


def bernoulli(self: Tensor, generator: Generator | None) -> Tensor:
    """Ones, each with the probability that the tensor has at its place, and zeros.

    Args:
        input: Probabilities, of floats.
        generator: Gives the numbers; None for the default one.

    Raises:
        RuntimeError: A number is not from 0 to 1.

    Example:
        >>> tscript.bernoulli(tscript.tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    check_probabilities(self)
    return (unit_like(self, generator) < self).to(self.dtype)


def bernoulli_p(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return (FILL(torch.empty(self.shape, dtype=torch.float64), generator) < p).to(self.dtype)


def bernoulli_(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    return self.copy_(bernoulli_p(self, p, generator))


def bernoulli_tensor_(self: Tensor, p: Tensor, generator: Generator | None) -> Tensor:
    check_probabilities(p)
    return self.copy_(unit_like(torch.empty(self.shape), generator) < p)


def uniform_(self: Tensor, low: float, high: float, generator: Generator | None) -> Tensor:
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return self.copy_(unit_like(self, generator) * (high - low) + low)


def check_std(std: float) -> None:
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")


def normal_(self: Tensor, mean: float, std: float, generator: Generator | None) -> Tensor:
    check_std(std)
    return self.copy_(normal_like(self, generator) * std + mean)


def normal_sized(mean: float, std: float, size: Size, generator: Generator | None, dtype: DType | None) -> Tensor:
    """Numbers of a normal distribution.

    Args:
        mean: A number, or a tensor of floats: one for each element.
        std: The standard deviation, likewise.
        size: The shape where both are numbers.
        generator: Gives the numbers; None for the default one.

    Raises:
        RuntimeError: A standard deviation is negative.

    Example:
        >>> tscript.normal(2.0, 0.0, (2,)).tolist()
        [2.0, 2.0]
    """
    check_std(std)
    made = torch.empty(size, dtype=torch.get_default_dtype() if dtype is None else dtype)
    return normal_like(made, generator) * std + mean


def normal_mean(mean: Tensor, std: float, generator: Generator | None) -> Tensor:
    check_std(std)
    return normal_like(mean, generator) * std + mean


def normal_std(mean: float, std: Tensor, generator: Generator | None) -> Tensor:
    if bool((std < 0).any()):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    return normal_like(std, generator) * std + mean


def normal_both(mean: Tensor, std: Tensor, generator: Generator | None) -> Tensor:
    if bool((std < 0).any()):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    wide = mean + std
    return normal_like(wide, generator) * std + mean


LEAST = 2.0**-25
"""Below all other numbers that the exponential distribution has here: none is 0."""


def exponential_like(self: Tensor, generator: Generator | None) -> Tensor:
    """Numbers of the exponential distribution with mean 1."""
    return torch.clamp(-torch.log(1.0 - unit_like(self, generator)), min=LEAST)


def exponential_(self: Tensor, lambd: float, generator: Generator | None) -> Tensor:
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return self.copy_(exponential_like(self, generator) / lambd)


def cauchy_(self: Tensor, median: float, sigma: float, generator: Generator | None) -> Tensor:
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    return self.copy_(torch.tan(3.141592653589793 * (unit_like(self, generator) - 0.5)) * sigma + median)


def log_normal_(self: Tensor, mean: float, std: float, generator: Generator | None) -> Tensor:
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    return self.copy_(torch.exp(normal_like(self, generator) * std + mean))


def geometric_(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    drawn = FILL(torch.empty(self.shape, dtype=torch.float64), generator)
    rest = torch.log1p(torch.tensor(-p, dtype=torch.float64))
    return self.copy_(torch.clamp(torch.ceil(torch.log1p(-drawn) / rest), min=1.0))


def random_(self: Tensor, generator: Generator | None) -> Tensor:
    return self.copy_(ints(self.shape, 0, largest(self) + 1, generator))


def largest(self: Tensor) -> int:
    """Up to where all ints have a number of a dtype, less one where an int64 would overflow."""
    if self.dtype == torch.int64 or self.dtype == torch.uint64 or self.dtype == torch.uint32:
        return 9223372036854775806
    if self.dtype == torch.int32:
        return 2147483647
    if self.dtype == torch.int16:
        return 32767
    if self.dtype == torch.uint16:
        return 65535
    if self.dtype == torch.int8:
        return 127
    if self.dtype == torch.uint8:
        return 255
    if self.dtype == torch.bool:
        return 1
    if self.dtype == torch.float64:
        return 9007199254740992
    if self.dtype == torch.float32:
        return 16777216
    return 2048 if self.dtype == torch.float16 else 256


def random_to_(self: Tensor, to: int, generator: Generator | None) -> Tensor:
    return self.copy_(ints(self.shape, 0, to, generator))


def random_from_(self: Tensor, low: int, to: int, generator: Generator | None) -> Tensor:
    return self.copy_(ints(self.shape, low, to, generator))


def multinomial(self: Tensor, num_samples: int, replacement: bool, generator: Generator | None) -> Tensor:
    """Indices of the last dimension, drawn by weights.

    Without replacement, those of the largest ratios of the weights to numbers of an exponential distribution:
    Efraimidis and Spirakis, "Weighted random sampling with a reservoir" (2006), doi:10.1016/j.ipl.2005.11.003.

    Args:
        input: Weights of floats, of 1 or 2 dimensions, of which not all of a row are 0.
        num_samples: How many to draw from each row.
        replacement: Whether an index may be drawn again.
        generator: Gives the numbers; None for the default one.

    Raises:
        RuntimeError: A weight is negative, infinite or NaN, all of a row are 0, or more are to be drawn without
            replacement than there are.

    Example:
        >>> tscript.multinomial(tscript.tensor([0.0, 3.0, 0.0]), 2, replacement=True).tolist()
        [1, 1]
    """
    if self.dim() < 1 or self.dim() > 2:
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, not {self.dim()}")
    if not self.is_floating_point():
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {self.dtype}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, not {num_samples}")
    if not replacement and num_samples > self.size(-1):
        raise RuntimeError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: {num_samples} > {self.size(-1)}"
        )
    if not bool(((self >= 0) & (self < float("inf"))).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool((self.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement:
        ends = torch.cumsum(self.to(torch.float64), -1)
        size = (self.size(0), num_samples) if self.dim() == 2 else (num_samples,)
        drawn = FILL(torch.empty(size, dtype=torch.float64), generator) * ends[..., -1:]
        return torch.searchsorted(ends, drawn, right=True)
    keys = self / exponential_like(self, generator)
    return torch.topk(keys, num_samples, -1).indices


# ---- operators


def drawing(schema: str, body: object, doc: str = "", names: str | None = None, *, makes: bool = False) -> OpDef:
    """A composite that draws; with `makes` it takes the keywords of operators that make tensors."""
    return composite(schema, body, doc, names=names, tags=(DRAWS, FACTORY) if makes else (DRAWS,), world=True)  # type: ignore[arg-type]


_MADE = "Generator? generator=None, dtype? dtype=None) -> Tensor"
_GENERATOR = "*, Generator? generator=None) -> Tensor"

HIDDEN: tuple[OpDef, ...] = (FILL, NORMALS, SEEDS, INITIAL, NEW, SYSTEM_SEED)
OPERATORS: tuple[OpDef, ...] = (
    drawing("manual_seed(int seed) -> None", manual_seed, names="manual_seed out=no"),
    drawing("initial_seed() -> int", initial_seed, "The seed of the default generator.", "initial_seed out=no"),
    drawing(f"rand(int[] size, *, {_MADE}", rand, names="rand", makes=True),
    drawing(f"randn(int[] size, *, {_MADE}", randn, names="randn", makes=True),
    drawing(
        "rand_like(Tensor self, *, dtype? dtype=None) -> Tensor",
        rand_like,
        "`rand` in the shape of another tensor, and of its dtype.",
        "rand_like out=no",
        makes=True,
    ),
    drawing(
        "randn_like(Tensor self, *, dtype? dtype=None) -> Tensor",
        randn_like,
        "`randn` in the shape of another tensor, and of its dtype.",
        "randn_like out=no",
        makes=True,
    ),
    drawing(
        f"randint(int high, int[] size, *, {_MADE}",
        randint,
        "Ints from 0 to below `high`.",
        "randint",
        makes=True,
    ),
    drawing(f"randint.low(int low, int high, int[] size, *, {_MADE}", randint_low, names="randint", makes=True),
    drawing(
        "randint_like(Tensor self, int high, *, dtype? dtype=None) -> Tensor",
        randint_like,
        "`randint` in the shape of another tensor, and of its dtype.",
        "randint_like out=no",
        makes=True,
    ),
    drawing(
        "randint_like.low(Tensor self, int low, int high, *, dtype? dtype=None) -> Tensor",
        randint_like_low,
        "`randint` in the shape of another tensor, and of its dtype.",
        "randint_like out=no",
        makes=True,
    ),
    drawing(f"randperm(int n, *, {_MADE}", randperm, names="randperm", makes=True),
    drawing(f"bernoulli(Tensor self, {_GENERATOR}", bernoulli, names="bernoulli"),
    drawing(
        f"bernoulli.p(Tensor self, float p, {_GENERATOR}",
        bernoulli_p,
        "Ones with one probability, in the shape of a tensor.",
        "bernoulli out=no",
    ),
    drawing(
        "bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor",
        bernoulli_tensor_,
        "Overwritten with ones, each with the probability at its place, and zeros.",
        "Tensor.bernoulli_",
    ),
    drawing(
        "bernoulli_(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor",
        bernoulli_,
        "Overwritten with ones, with one probability, and zeros.",
        "Tensor.bernoulli_",
    ),
    drawing(
        "uniform_(Tensor(a!) self, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor",
        uniform_,
        "Overwritten with numbers that are evenly spread.",
        "Tensor.uniform_",
    ),
    drawing(
        "normal_(Tensor(a!) self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor",
        normal_,
        "Overwritten with numbers of a normal distribution.",
        "Tensor.normal_",
    ),
    drawing(
        f"normal.both(Tensor mean, Tensor std, {_GENERATOR}", normal_both, "A mean and a deviation for each.", "normal"
    ),
    drawing(f"normal.mean(Tensor mean, float std=1.0, {_GENERATOR}", normal_mean, "A mean for each element.", "normal"),
    drawing(f"normal.std(float mean, Tensor std, {_GENERATOR}", normal_std, "A deviation for each element.", "normal"),
    drawing(f"normal.size(float mean, float std, int[] size, *, {_MADE}", normal_sized, names="normal", makes=True),
    drawing(
        "exponential_(Tensor(a!) self, float lambd=1.0, *, Generator? generator=None) -> Tensor",
        exponential_,
        "Overwritten with numbers of the exponential distribution of a rate.",
        "Tensor.exponential_",
    ),
    drawing(
        "cauchy_(Tensor(a!) self, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor",
        cauchy_,
        "Overwritten with numbers of a Cauchy distribution.",
        "Tensor.cauchy_",
    ),
    drawing(
        "log_normal_(Tensor(a!) self, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor",
        log_normal_,
        "Overwritten with numbers whose logarithms are normal, of that mean and deviation.",
        "Tensor.log_normal_",
    ),
    drawing(
        "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor",
        geometric_,
        "Overwritten with the numbers of trials up to the first success, which has a probability.",
        "Tensor.geometric_",
    ),
    drawing(
        "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor",
        random_,
        "Overwritten with ints from 0 to the largest that the dtype has, or up to which it has all.",
        "Tensor.random_",
    ),
    drawing(
        "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor",
        random_to_,
        "Overwritten with ints from 0 to below `to`.",
        "Tensor.random_",
    ),
    drawing(
        "random_.from(Tensor(a!) self, int from, int to, *, Generator? generator=None) -> Tensor",
        random_from_,
        "Overwritten with ints from `from` to below `to`.",
        "Tensor.random_",
    ),
    drawing(
        f"multinomial(Tensor self, int num_samples, bool replacement=False, {_GENERATOR}",
        multinomial,
        names="multinomial",
    ),
)
