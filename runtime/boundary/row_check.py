"""Whether a row of a signature table fits its key: a stub reads each argument as its letter says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tscript.abi.signature import SCALARS, Item, Signature
from tscript.arrays import np
from tscript.runtime.boundary.native.keys import Simple, Tag


def check(signature: Signature, key: Sequence[int], constants: Sequence[object]) -> None:
    """Refuse a row whose stub would misread its arguments."""
    words = iter(key)
    for position, item in enumerate(signature.parameters, 1):
        if not _reads(item, words):
            raise ValueError(f"parameter {position} of the signature {signature} does not fit its key {tuple(key)}")
    rest = tuple(words)
    if rest and (rest[0] & 0xFF != Tag.KEYWORDS or len(rest) != 1 + (rest[0] >> 8)):
        raise ValueError(f"the signature {signature} has fewer parameters than its key")
    wanted = signature.constants
    if wanted > len(constants):
        raise ValueError(f"the signature {signature} needs {wanted} constants, {len(constants)} were given")


_LETTERS: dict[int, str] = {
    Tag.TENSOR: "T_",
    Tag.ARRAY: "A_",
    Tag.TORCH: "H_",
    Tag.FLOAT: "f",
    Tag.INT: "iw",
    Tag.BOOL: "biw",
    Tag.OBJECT: "d_",
    Tag.STATIC_INT: "iw_",
    Tag.STATIC_BOOL: "biw_",
    Tag.STATIC_FLOAT: "f_",
    Tag.NONE: "_",
    Tag.ANY: "_OM",
    Tag.CLASS: "",
    Tag.LIST: "",
    Tag.SET: "",
    Tag.DICT: "",
}
"""Which letters read an argument of each kind safely, and lose nothing of it."""

_WHOLE = "_OM"
"""Letters that take an argument of any kind: not read, or converted as the type says."""

_WITH_VALUE = frozenset({Tag.OBJECT, Tag.STATIC_INT, Tag.STATIC_FLOAT, Tag.CLASS})

_CONTAINERS = frozenset({Tag.LIST, Tag.SET, Tag.DICT})


def _parts(word: int, words: Iterator[int]) -> Iterator[int]:
    """The words about the elements of a container: of a dict, those about keys and about values."""
    yield word
    if word & 0xFF == Tag.DICT:
        yield next(words, 0)


def _whole(word: int, words: Iterator[int]) -> bool:
    """Take the words of an element of a container, which is converted by its type, if there are some."""
    return not word >> 8 & Simple.OTHER or _reads("O", words)


def _reads(item: Item, words: Iterator[int]) -> bool:
    word = next(words, None)
    if word is None:
        return False
    tag = word & 0xFF
    if tag == Tag.TUPLE:
        count = word >> 8
        inner: Sequence[Item] = [item[0]] * count if isinstance(item, str) and item[0] in _WHOLE else item
        if isinstance(inner, str) or len(inner) != count:
            return False
        return all(_reads(element, words) for element in inner)
    if tag in _WITH_VALUE:
        value = next(words, None)
        if tag == Tag.CLASS and item in SCALARS:
            return value == id(np.dtype(SCALARS[str(item)].name).type)
    if tag in _CONTAINERS and not all(_whole(word, words) for word in _parts(word, words)):
        return False
    return isinstance(item, str) and (item[0] in _LETTERS.get(tag, "") or item[0] in _WHOLE[1:])
