"""Sums of products that an equation describes: `torch.einsum`. The equation is read when it runs.

Each dimension has a letter; those of an ellipsis have letters of their own, counted from the right. Operands are
multiplied from the left, two at a time, as a batch of matrix products.
"""

# mypy: disable-error-code="no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.pieces import AT_LEAST


def ellipsis(count: int) -> str:
    """The letters of an ellipsis for so many dimensions."""
    out = ""
    for k in range(count):
        out = out + chr(256 + count - 1 - k)
    return out


def check_letters(term: str) -> None:
    """Refuse what is neither a letter nor one ellipsis."""
    plain = term.replace("...", "", 1)
    for c in plain:
        if not (c.isascii() and c.isalpha()):
            raise RuntimeError(f"einsum(): invalid subscript '{c}' in '{term}': must be in [a-zA-Z] or '...'")


def letters_of(term: str, rank: int, number: int) -> str:
    """A letter for each dimension of an operand."""
    check_letters(term)
    at = term.find("...")
    more = rank - (len(term) - 3 if at >= 0 else len(term))
    if more < 0 or (at < 0 and more != 0):
        raise RuntimeError(
            f"einsum(): the subscripts '{term}' do not match the number of dimensions ({rank}) of operand {number}"
        )
    return term if at < 0 else term[:at] + ellipsis(more) + term[at + 3 :]


def sizes_of(letters: str, names: str, sizes: list[int]) -> list[int]:
    """The size of each letter."""
    out: list[int] = []
    for c in letters:
        out.append(sizes[names.find(c)])
    return out


def count_of(letters: str, names: str, sizes: list[int]) -> int:
    """The product of the sizes of letters."""
    out = 1
    for c in letters:
        out = out * sizes[names.find(c)]
    return out


def implied(left: str, widest: int) -> str:
    """The result of an equation that does not say it: the letters that appear once, sorted."""
    found: list[str] = []
    for c in left:
        if c.isalpha() and left.count(c) == 1:
            found.append(c)
    found.sort()
    return ellipsis(widest) + "".join(found)


def ordered(x: Tensor, letters: str, wanted: str) -> Tensor:
    """`x` with its dimensions in the order of `wanted`."""
    dims: list[int] = []
    for c in wanted:
        dims.append(letters.find(c))
    return x.permute(dims)


def without_repeats(x: Tensor, given: str) -> tuple[Tensor, str]:
    """The diagonal of dimensions with one letter."""
    letters = given
    i = 0
    while i < len(letters):
        j = letters.find(letters[i], i + 1)
        if j < 0:
            i = i + 1
        else:
            if x.size(i) != x.size(j):
                raise RuntimeError(
                    f"einsum(): subscript {letters[i]} is repeated for an operand, but the sizes don't match, "
                    f"{x.size(j)} != {x.size(i)}"
                )
            letters = letters[:i] + letters[i + 1 : j] + letters[j + 1 :] + letters[i]
            x = x.diagonal(0, i, j)
            i = 0
    return x, letters


def reduced(x: Tensor, given: str, kept: str) -> tuple[Tensor, str]:
    """Summed over the dimensions whose letters are not kept."""
    letters = given
    for k in range(len(given)):
        d = len(given) - 1 - k
        if given[d] not in kept:
            x = x.sum(d, dtype=x.dtype)
            letters = letters[:d] + letters[d + 1 :]
    return x, letters


def sum_of_products(equation: str, xs: tuple[Tensor, ...]) -> Tensor:
    """See `einsum`."""
    text = equation.replace(" ", "")
    arrow = text.find("->")
    left = text if arrow < 0 else text[:arrow]
    terms = left.split(",")
    if len(terms) != len(xs):
        raise RuntimeError(f"einsum(): the equation has {len(terms)} operands, but {len(xs)} were given")
    letters: list[str] = []
    names = ""
    sizes: list[int] = []
    widest = 0
    for i in range(len(xs)):
        own = letters_of(terms[i], xs[i].dim(), i)
        letters.append(own)
        if "..." in terms[i]:
            widest = max(widest, xs[i].dim() + 3 - len(terms[i]))
        for d in range(len(own)):
            n, at = xs[i].size(d), names.find(own[d])
            if at < 0:
                names = names + own[d]
                sizes.append(n)
            elif sizes[at] == 1:
                sizes[at] = n
            elif n != 1 and n != sizes[at]:
                raise RuntimeError(
                    f"einsum(): operands do not broadcast: subscript {own[d]} has size {n} for operand {i}, which does "
                    f"not broadcast with previously seen size {sizes[at]}"
                )
    if arrow < 0:
        result = implied(left, widest)
    else:
        check_letters(text[arrow + 2 :])
        result = text[arrow + 2 :].replace("...", ellipsis(widest))
    for c in result:
        if c not in names:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
        if result.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
    x, mine = without_repeats(xs[0], letters[0])
    x = x.expand(sizes_of(mine, names, sizes))
    for i in range(1, len(xs)):
        y, theirs = without_repeats(xs[i], letters[i])
        y = y.expand(sizes_of(theirs, names, sizes))
        kept = result
        for k in range(i + 1, len(xs)):
            kept = kept + letters[k]
        x, mine = reduced(x, mine, kept + theirs)
        y, theirs = reduced(y, theirs, kept + mine)
        both, inner, rows, columns = "", "", "", ""
        for c in mine:
            if c not in theirs:
                rows = rows + c
            elif c in kept:
                both = both + c
            else:
                inner = inner + c
        for c in theirs:
            if c not in mine:
                columns = columns + c
        batch, middle = count_of(both, names, sizes), count_of(inner, names, sizes)
        a = ordered(x, mine, both + rows + inner).reshape(batch, count_of(rows, names, sizes), middle)
        b = ordered(y, theirs, both + inner + columns).reshape(batch, middle, count_of(columns, names, sizes))
        mine = both + rows + columns
        x = a.bmm(b).reshape(sizes_of(mine, names, sizes))
    x, mine = reduced(x, mine, result)
    return ordered(x, mine, result)


def einsum(equation: str, operands: tuple[Tensor, ...]) -> Tensor:
    """Sums of products of the elements of tensors, by Einstein's convention: that of `torch.einsum`.

    Args:
        equation: A letter for each dimension of each operand, with commas between operands; then possibly ``->`` and
            the letters of the result. Sums are over letters that the result lacks. ``...`` stands for any dimensions.
        operands: Tensors of one dtype.

    Raises:
        RuntimeError: The equation is none, or sizes of one letter differ.

    Example:
        >>> tscript.einsum("ij,jk->ik", tscript.ones(2, 3), tscript.ones(3, 2)).tolist()
        [[3.0, 3.0], [3.0, 3.0]]
    """
    return sum_of_products(equation, AT_LEAST(operands, 0))


def einsum_1(equation: str, a: Tensor) -> Tensor:
    return sum_of_products(equation, AT_LEAST((a,), 0))


def einsum_2(equation: str, a: Tensor, b: Tensor) -> Tensor:
    return sum_of_products(equation, AT_LEAST((a, b), 0))


def einsum_3(equation: str, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return sum_of_products(equation, AT_LEAST((a, b, c), 0))


def einsum_4(equation: str, a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    return sum_of_products(equation, AT_LEAST((a, b, c, d), 0))


_NAMES = "torch.einsum out=no"
_DOC = "Sums of products of elements, as an equation says."

OPERATORS: tuple[OpDef, ...] = (
    composite("einsum(str equation, Tensor[] operands) -> Tensor", einsum, names=_NAMES),
    composite("einsum.one(str equation, Tensor a) -> Tensor", einsum_1, _DOC, names=_NAMES),
    composite("einsum.two(str equation, Tensor a, Tensor b) -> Tensor", einsum_2, _DOC, names=_NAMES),
    composite("einsum.three(str equation, Tensor a, Tensor b, Tensor c) -> Tensor", einsum_3, _DOC, names=_NAMES),
    composite(
        "einsum.four(str equation, Tensor a, Tensor b, Tensor c, Tensor d) -> Tensor", einsum_4, _DOC, names=_NAMES
    ),
)
"""All operators of this module."""
