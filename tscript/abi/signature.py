"""Signatures: what crosses between Python objects and native code, and in which form.

A signature is written as one text, parameters before the colon and the result behind it, one letter a value:

====== ================================== =========================================
letter as a parameter                     as a result
====== ================================== =========================================
``f``  float                              float
``i``  int (or bool), OverflowError       int
``b``  bool                               bool
``T``  Tensor, borrowed                   Tensor, owned
``A``  ndarray, as a tensor over it       tensor, as an ndarray over it
``H``  tensor of PyTorch, the same        tensor, as one of PyTorch over it
``d``  dtype                              dtype
``w``  int (or bool) as a native float
``F``  Future, borrowed                   Future, owned
``S``                                     Size: rank-1 int64 tensor to tuple of ints
``_``  present in the call, not passed
``N``                                     None
``c``                                     the next one of the row's constants
``0``… NumPy scalar (see `SCALARS`)       NumPy scalar
``()`` tuple, its elements flattened      tuple
``t``                                     in front of the items of a tuple: of the class
                                          that is the next constant
``O``  any value, converted by its type   any value
``M``  the same, written back at the end
====== ================================== =========================================

An ``O`` or ``M`` is followed by the native leaves of the value: ``O<p>`` is one address (a list, a str), ``O<bi>`` an
optional int; ``p`` is a pointer, ``i f b d`` are as above. What such a value is, the row's constants say, which are in
the order of the letters that take one: for a parameter the address of its `TypeInfo`, as the bits of a float, and a
text that names it in errors, for a result the address alone. What native code may change of an argument and Python
shall see is ``M``.

So ``"Tf(ii)_:(Tf)"`` takes a tensor, a float, a tuple of two ints and something static, and returns a pair.
"""

from __future__ import annotations

from collections.abc import Iterator

from tscript.late import dataclass
from tscript.types.dtypes import BY_NAME, DType


class Seen:
    """What the tensors of a call came as; results come back as that."""

    TENSOR = 1
    """With one of these among them all results are Tensors."""
    ARRAY = 2
    TORCH = 4
    """A tensor of PyTorch; with one of these, and no Tensor, results are such."""
    MODULE = 8
    """A Tensor that a module holds; with one of these, and no tensor of PyTorch, all results are Tensors."""


PARAMETER_LETTERS = frozenset("fibTAHFdw_OM0123456789UV")
RESULT_LETTERS = frozenset("fibTAHFdSNcO0123456789UV")

_NAMES = "uint8 int8 int16 int32 int64 float32 float64 bool float16 uint16 uint32 uint64"
SCALARS: dict[str, DType] = {letter: BY_NAME[n] for letter, n in zip("0123456789UV", _NAMES.split(), strict=True)}
"""The dtypes of NumPy scalars, by letter. Letters stand in archives."""

CLASS = "t"
"""The letter in front of the items of a tuple that is of a class of its own."""

Item = str | tuple["Item", ...]
"""One value of a signature: its letter, or the items of a tuple."""


@dataclass(frozen=True)
class Signature:
    """A native signature as Python sees it.

    Attributes:
        parameters: One item for each positional argument of the call.
        result: The item of the result.

    Example:
        >>> parse_signature("Tf:(Ti)")
        Signature(parameters=('T', 'f'), result=('T', 'i'))
    """

    parameters: tuple[Item, ...]
    result: Item

    def __str__(self) -> str:
        return f"{''.join(map(spelled, self.parameters))}:{spelled(self.result)}"

    @property
    def symbol(self) -> str:
        """Name of the stub: a plain identifier, one for each signature."""
        return f"tss_{str(self).translate(_IDENTIFIER)}"

    @property
    def has_objects(self) -> bool:
        """Whether values are converted by their types."""
        return any(is_object(letter) for item in (*self.parameters, self.result) for letter in letters(item))

    @property
    def seen(self) -> int:
        """What tensors among the parameters come as, without those in values that are converted: bits of `Seen`."""
        given = {letter for item in self.parameters for letter in letters(item)}
        return sum(bit for letter, bit in _SEEN.items() if letter in given)

    @property
    def constants(self) -> int:
        """How many constants a row needs."""
        results = sum(1 for letter in letters(self.result) if letter in ("c", CLASS) or is_object(letter))
        return self.given_constants + results

    @property
    def given_constants(self) -> int:
        """How many of them belong to the parameters; those of the result are behind them."""
        return sum(2 for item in self.parameters for letter in letters(item) if is_object(letter))

    def named(self) -> Signature:
        """This signature of a result that is a tuple, with a result of a class of tuples, which is the first constant
        of the result.

        Example:
            >>> str(parse_signature("Ti:(TT)").named())
            'Ti:(tTT)'
        """
        return Signature(self.parameters, (CLASS, *self.result))

    @property
    def fork_symbol(self) -> str:
        """Name of the fork stub."""
        return self.symbol.replace("tss_", "tsk_", 1)


_SEEN = {"T": Seen.TENSOR, "A": Seen.ARRAY, "H": Seen.TORCH}
_IDENTIFIER = str.maketrans({"_": "s", "(": "L", ")": "R", ":": "_", "<": "A", ">": "Z"})


def is_object(item: Item) -> bool:
    """Whether an item is a value that is converted by its type."""
    return isinstance(item, str) and item[0] in "OM"


def spelled(item: Item) -> str:
    """An item as text."""
    return item if isinstance(item, str) else f"({''.join(map(spelled, item))})"


def letters(item: Item) -> Iterator[str]:
    """The letters of `item` with tuples flattened."""
    if isinstance(item, str):
        yield item
    else:
        for inner in item:
            yield from letters(inner)


def parse_signature(text: str) -> Signature:
    """The signature written as `text`.

    Raises:
        ValueError: It is not one; the message says where.
    """
    parameters, colon, result = text.partition(":")
    if not colon:
        raise ValueError(f"a signature needs a colon before its result: {text!r}")
    found = _parse(parameters, PARAMETER_LETTERS, text)
    results = _parse(result, RESULT_LETTERS, text)
    if len(results) != 1:
        raise ValueError(f"a signature has one result, which may be a tuple: {text!r}")
    return Signature(found, results[0])


def _parse(part: str, letters: frozenset[str], text: str) -> tuple[Item, ...]:
    stack: list[list[Item]] = [[]]
    for sign in _signs(part):
        if sign == "(":
            stack.append([])
        elif sign == ")" and len(stack) > 1:
            inner = tuple(stack.pop())
            stack[-1].append(inner)
        elif _names_class(sign, stack, letters) or (sign[0] in letters and is_object(sign) == (len(sign) > 1)):
            stack[-1].append(sign)
        else:
            raise ValueError(f"{sign!r} has no place in {part!r} of the signature {text!r}")
    if len(stack) != 1:
        raise ValueError(f"a parenthesis is not closed in the signature {text!r}")
    return tuple(stack[0])


def _names_class(sign: str, stack: list[list[Item]], letters: frozenset[str]) -> bool:
    """Whether a sign is `CLASS` in front of the items of a tuple of a result."""
    return sign == CLASS and letters is RESULT_LETTERS and len(stack) > 1 and not stack[-1]


def _signs(part: str) -> Iterator[str]:
    """The signs of a part: letters, each with its leaves, and parentheses."""
    at = 0
    while at < len(part):
        end = at + 1
        if part[at] in "OM" and part.startswith("<", end):
            close = part.find(">", end)
            leaves = part[end + 1 : close]
            if close >= 0 and (not leaves or (leaves.isascii() and leaves.isalnum() and leaves == leaves.lower())):
                end = close + 1
        yield part[at:end]
        at = end
