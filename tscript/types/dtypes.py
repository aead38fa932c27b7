"""Element types of tensors and PyTorch's promotion between them.

The codes are PyTorch's ``ScalarType`` numbers: they stand in tensors' headers, in archives and in signature keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from struct import calcsize

from tscript.late import dataclass


class Category:
    """Promotion categories, lowest first: a scalar operand changes a tensor's dtype only by a higher category."""

    BOOL = 0
    INTEGER = 1
    FLOAT = 2
    COMPLEX = 3


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type. The instances below are the only ones; they compare by identity.

    Attributes:
        name: NumPy's and PyTorch's name, ``float32``.
        code: PyTorch's ScalarType number.
        category: For promotion, of `Category`.
        signed: Whether integers are signed (True for floats and complex numbers).
        itemsize: Bytes of one element.
        machine: Name in the low-level dialect and in IR text, ``f32``.
        title: Name in PyTorch's messages, ``Float``.
        c_name: Name in those about ``out=``, ``float``.
        short: Another name of PyTorch's: ``torch.float`` is float32. None has to be written down as empty.
        letter: In formats of buffers (PEP 3118); empty where there is none.
    """

    name: str
    code: int
    category: int
    signed: bool
    itemsize: int
    machine: str
    title: str
    c_name: str
    short: str = ""
    letter: str = ""

    def __repr__(self) -> str:
        return f"tscript.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (dtype_of_code, (self.code,))

    @property
    def is_floating_point(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.category is Category.FLOAT

    @property
    def is_half(self) -> bool:
        """Whether it is a float of 16 bits: computed in `computed_in`, and rounded once."""
        return self.category is Category.FLOAT and self.itemsize == 2

    @property
    def computed_in(self) -> DType:
        """The dtype of arithmetic and sums with such elements: float32 for floats of 16 bits."""
        return float32 if self.is_half else self

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self.category is Category.COMPLEX

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers (bool is not one)."""
        return self.category is Category.INTEGER

    @property
    def is_signed(self) -> bool:
        """PyTorch's name for `signed`."""
        return self.signed


_LONG = "l" if calcsize("l") == 8 else "q"

uint8 = DType("uint8", 0, Category.INTEGER, False, 1, "u8", "Byte", "unsigned char", "", "B")
int8 = DType("int8", 1, Category.INTEGER, True, 1, "i8", "Char", "signed char", "", "b")
int16 = DType("int16", 2, Category.INTEGER, True, 2, "i16", "Short", "short int", "short", "h")
int32 = DType("int32", 3, Category.INTEGER, True, 4, "i32", "Int", "int", "int", "i")
int64 = DType("int64", 4, Category.INTEGER, True, 8, "i64", "Long", "long int", "long", _LONG)
float16 = DType("float16", 5, Category.FLOAT, True, 2, "f16", "Half", "c10::Half", "half", "e")
float32 = DType("float32", 6, Category.FLOAT, True, 4, "f32", "Float", "float", "float", "f")
float64 = DType("float64", 7, Category.FLOAT, True, 8, "f64", "Double", "double", "double", "d")
complex64 = DType(
    "complex64", 9, Category.COMPLEX, True, 8, "c64", "ComplexFloat", "c10::complex<float>", "cfloat", "Zf"
)
complex128 = DType(
    "complex128", 10, Category.COMPLEX, True, 16, "c128", "ComplexDouble", "c10::complex<double>", "cdouble", "Zd"
)
bool_ = DType("bool", 11, Category.BOOL, False, 1, "b8", "Bool", "bool", "bool", "?")
bfloat16 = DType("bfloat16", 15, Category.FLOAT, True, 2, "bf16", "BFloat16", "c10::BFloat16")
uint16 = DType("uint16", 27, Category.INTEGER, False, 2, "u16", "UInt16", "short unsigned int", "", "H")
uint32 = DType("uint32", 28, Category.INTEGER, False, 4, "u32", "UInt32", "unsigned int", "", "I")
uint64 = DType("uint64", 29, Category.INTEGER, False, 8, "u64", "UInt64", "long unsigned int", "", _LONG.upper())

DTYPES: tuple[DType, ...] = (
    uint8, int8, int16, int32, int64, float16, float32, float64, bool_, bfloat16, uint16, uint32, uint64,
)  # fmt: skip
"""The real ones. A new one has its line above, its place here, and where elements of it are told apart when a program
runs: `runtime/kernels/codes.py`."""
COMPLEX_DTYPES: tuple[DType, ...] = (complex64, complex128)
EVERY: tuple[DType, ...] = (*DTYPES, *COMPLEX_DTYPES)
BY_NAME: dict[str, DType] = {d.name: d for d in EVERY}
BY_CODE: dict[int, DType] = {d.code: d for d in EVERY}
ALIASES: dict[str, DType] = {d.short: d for d in EVERY if d.short}
"""PyTorch's other names: ``torch.float`` is float32, ``torch.long`` is int64."""

FIRST_DEFAULT = float32
"""The default dtype of a process in which nobody has said another one."""


class _Process:
    """What belongs to the process: PyTorch's default dtype is that of all threads."""

    default: DType = FIRST_DEFAULT


_COMPILED_FOR: ContextVar[DType | None] = ContextVar("tscript_default_dtype", default=None)


def default_float() -> DType:
    """What a Python float or a division of integers becomes (`torch.get_default_dtype`). While something is compiled,
    the one that it is compiled for."""
    return _COMPILED_FOR.get() or _Process.default


def set_default_float(dtype: object) -> None:
    """Set that of the process. `tscript.set_default_dtype` does so together with all that depends on it.

    Raises:
        TypeError: It is no dtype of floats.
    """
    if not isinstance(dtype, DType) or not dtype.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {dtype}")
    _Process.default = dtype


@contextmanager
def compiled_for(dtype: DType) -> Iterator[None]:
    """Let this be the default dtype of what is compiled inside ``with``."""
    token = _COMPILED_FOR.set(dtype)
    try:
        yield
    finally:
        _COMPILED_FOR.reset(token)


def dtype_of_code(code: int) -> DType:
    """The dtype with PyTorch's ScalarType number `code`."""
    return BY_CODE[code]


class PromotionError(RuntimeError):
    """There is no dtype for both, in PyTorch's words."""


def part_dtype(dtype: DType) -> DType:
    """The dtype of the real and the imaginary parts of a complex dtype; of others the dtype itself."""
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def complex_dtype(dtype: DType) -> DType:
    """The complex dtype whose parts hold a float dtype; of an integer or bool the default one.

    Example:
        >>> complex_dtype(float64), complex_dtype(int64)
        (tscript.complex128, tscript.complex64)
    """
    parts = dtype if dtype.category >= Category.FLOAT else default_float()
    return complex128 if parts in (float64, complex128) else complex64


def promote_dtypes(a: DType, b: DType) -> DType:
    """The dtype that holds both, as `torch.promote_types` says.

    Raises:
        PromotionError: One is an unsigned integer of more than 8 bits, the other another integer or bool.

    Example:
        >>> promote_dtypes(uint8, int8), promote_dtypes(float16, bfloat16)
        (tscript.int16, tscript.float32)
    """
    if a is b:
        return a
    if a.category is not b.category and max(a.category, b.category) >= Category.FLOAT:
        high, low = (a, b) if a.category > b.category else (b, a)
        return promote_dtypes(high, complex_dtype(low)) if high.is_complex and low.is_floating_point else high
    if is_wide_unsigned(a) or is_wide_unsigned(b):
        raise PromotionError(
            "Promotion for uint16, uint32, uint64 types is not supported, "
            f"attempted to promote {a.title} and {b.title}: convert one of them with .to(dtype)"
        )
    if a.category is not b.category:
        return a if a.category > b.category else b
    if a.is_half and b.is_half:
        return float32
    if a.category >= Category.FLOAT or a.signed == b.signed:
        return a if a.itemsize >= b.itemsize else b
    return _signed_for(a, b)


def is_wide_unsigned(dtype: DType) -> bool:
    """Whether it is one of the unsigned integers that PyTorch promotes with floats only."""
    return dtype.is_integer and not dtype.signed and dtype.itemsize > 1


def _signed_for(a: DType, b: DType) -> DType:
    """What holds a signed and an unsigned integer."""
    signed, unsigned = (a, b) if a.signed else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {1: int16, 2: int32, 4: int64}.get(unsigned.itemsize, float64)


def promote_numpy(a: DType, b: DType) -> DType:
    """The dtype that holds both, as `numpy.promote_types` says: an integer needs a float with room for it.

    Example:
        >>> promote_numpy(int32, float32), promote_numpy(int16, float32), promote_numpy(uint64, int8)
        (tscript.float64, tscript.float32, tscript.float64)
    """
    if a is b:
        return a
    if a.category is not b.category and Category.FLOAT in (a.category, b.category):
        number, other = (a, b) if a.is_floating_point else (b, a)
        needed = {1: number, 2: float32}.get(other.itemsize, float64)
        return number if number.itemsize >= needed.itemsize else needed
    if a.is_integer and b.is_integer:
        return _signed_for(a, b) if a.signed != b.signed else a if a.itemsize >= b.itemsize else b
    return b if a is bool_ else a if b is bool_ else promote_dtypes(a, b)


def can_cast(source: DType, target: DType) -> bool:
    """Whether an in-place result of dtype `source` may go into `target`: no lower category (`torch.can_cast`)."""
    return source.category <= target.category
