"""Elements in another order: reversed, rolled, repeated, joined, kept on one side of a diagonal. All are composites."""

# mypy: disable-error-code="no-any-return,operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.pieces import AT_LEAST, AT_LEAST_OF_LIST
from tscript.operators.tensor.views import OPERATORS as VIEWS

REVERSED = next(op for op in VIEWS if op.name == "numpy_reverse")


def wrapped(x: Tensor, dim: int) -> int:
    """A dimension from the front."""
    limit = max(x.dim(), 1)
    if dim < -limit or dim >= limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim + limit if dim < 0 else dim


def flip(self: Tensor, dims: Size) -> Tensor:
    """The elements from their end, along dimensions, in a new tensor.

    Args:
        input: Any tensor.
        dims: The dimensions.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: One is there twice.

    Example:
        >>> tscript.flip(tscript.tensor([[1, 2], [3, 4]]), (0,)).tolist()
        [[3, 4], [1, 2]]
    """
    if len(dims) == 0:
        return self.clone()
    out = self
    for i in range(len(dims)):
        d = wrapped(self, dims[i])
        for j in range(i):
            if wrapped(self, dims[j]) == d:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        out = REVERSED(out, d)
    return out.clone()


def fliplr(self: Tensor) -> Tensor:
    if self.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return self.flip(1)


def flipud(self: Tensor) -> Tensor:
    if self.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return self.flip(0)


def rolled(x: Tensor, shift: int, dim: int) -> Tensor:
    """`x` with its elements `shift` further along a dimension; those beyond the end come first."""
    d = wrapped(x, dim)
    if x.numel() == 0:
        return x.clone()
    n = x.size(d)
    start = shift % n
    return torch.cat((x.narrow(d, n - start, start), x.narrow(d, 0, n - start)), d)


def roll(self: Tensor, shifts: Size, dims: Size) -> Tensor:
    """The elements further along dimensions; those beyond the end come in at the beginning.

    Args:
        input: Any tensor.
        shifts: How far, for each of the dimensions.
        dims: The dimensions; none of them: all elements in a row, by one shift.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: There are more or fewer shifts than dimensions.

    Example:
        >>> tscript.roll(tscript.tensor([1, 2, 3]), 1).tolist()
        [3, 1, 2]
    """
    if len(shifts) == 0:
        raise RuntimeError("`shifts` required")
    if len(dims) == 0 and len(shifts) == 1:
        return rolled(self.flatten(), shifts[0], 0).reshape(self.size())
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    out = self.clone()
    for i in range(len(dims)):
        out = rolled(out, shifts[i], dims[i])
    return out


def repeated(x: Tensor, times: int, dim: int) -> Tensor:
    """All of a dimension several times."""
    if times < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {x.size(dim) * times}")
    if times == 1 or x.size(dim) == 0:
        return x
    return x.index_select(dim, torch.arange(x.size(dim) * times) % x.size(dim))


def repeat(self: Tensor, repeats: Size) -> Tensor:
    """The whole tensor several times along each dimension, in a new tensor.

    Args:
        input: Any tensor.
        repeats: How often, for each dimension; further ones come in front.

    Raises:
        RuntimeError: There are fewer than dimensions, or one is negative.

    Example:
        >>> tscript.tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    more = len(repeats) - self.dim()
    if more < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if len(repeats) == 0:
        return self.clone()
    sizes = torch.zeros(()).expand(repeats).size()  # tuples are not sliced at places that are computed
    out = self.expand(sizes[:more] + self.size())
    for d in range(self.dim()):
        out = repeated(out, repeats[more + d], more + d)
    return out.clone()


def tile(self: Tensor, dims: Size) -> Tensor:
    if len(dims) >= self.dim():
        return self.repeat(dims)
    if len(dims) == 0:
        return self.clone()
    out = self
    for i in range(len(dims)):
        out = repeated(out, dims[i], self.dim() - len(dims) + i)
    return out.clone()


def repeat_interleave(self: Tensor, repeats: int, dim: int | None, output_size: int | None) -> Tensor:
    """Each element, or each index of a dimension, several times in a row.

    Args:
        input: Any tensor.
        repeats: How often.
        dim: The dimension; None for all elements in a row.
        output_size: The size that the dimension has then, where it is known.

    Raises:
        RuntimeError: `repeats` is negative, or `output_size` is another.

    Example:
        >>> tscript.repeat_interleave(tscript.tensor([1, 2]), 2).tolist()
        [1, 1, 2, 2]
    """
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if output_size is not None:
        size = repeats * (self.numel() if dim is None else 1 if self.dim() == 0 else self.size(dim))
        if output_size != size:
            raise RuntimeError(f"allocated size does not match required size: output_size is {output_size}, not {size}")
    if dim is None:
        return self.flatten().unsqueeze(1).expand(self.numel(), repeats).flatten().clone()
    d = wrapped(self, dim)
    if repeats == 0:
        return self.narrow(d, 0, 0).clone()
    return self.index_select(d, torch.arange(self.size(d) * repeats) // repeats)


def distances(x: Tensor, name: str) -> Tensor:
    """How far each element of a matrix is right of the diagonal."""
    if x.dim() < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return torch.arange(x.size(-1)) - torch.arange(x.size(-2)).unsqueeze(1)


def tril(self: Tensor, diagonal: int) -> Tensor:
    """Matrices with zeros right of a diagonal.

    Args:
        input: Matrices.
        diagonal: Which one: further right if positive.

    Raises:
        RuntimeError: There are fewer than two dimensions.

    Example:
        >>> tscript.tril(tscript.ones(2, 3)).tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    return self.masked_fill(distances(self, "tril") > diagonal, 0)


def triu(self: Tensor, diagonal: int) -> Tensor:
    """Matrices with zeros left of a diagonal; see `tril`."""
    return self.masked_fill(distances(self, "triu") < diagonal, 0)


def movedim(self: Tensor, source: int, destination: int) -> Tensor:
    start, end = wrapped(self, source), wrapped(self, destination)
    out = self.alias()
    for i in range(start, end):
        out = out.transpose(i, i + 1)
    for i in range(start, end, -1):
        out = out.transpose(i, i - 1)
    return out


def movedim_several(self: Tensor, source: Size, destination: Size) -> Tensor:
    """A view with several dimensions at other places.

    Args:
        input: Any tensor.
        source: The dimensions.
        destination: Where each of them goes; the others keep their order.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: One is there twice, or there are more of the ones than of the others.

    Example:
        >>> tscript.zeros(2, 3, 4).movedim((0, 1), (2, 1)).shape
        (4, 3, 2)
    """
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({source} dims) should contain the same number of "
            f"dims as destination ({destination} dims)"
        )
    if len(source) == 0:
        return self.alias()
    order = [-1 for _i in range(self.dim())]
    moved = [False for _i in range(self.dim())]
    for i in range(len(source)):
        start, end = wrapped(self, source[i]), wrapped(self, destination[i])
        if self.dim() > 0:
            if moved[start]:
                raise RuntimeError(f"movedim: repeated dim in `source` ({source})")
            if order[end] >= 0:
                raise RuntimeError(f"movedim: repeated dim in `destination` ({destination})")
            order[end], moved[start] = start, True
    at = 0
    for d in range(self.dim()):
        if order[d] < 0:
            while moved[at]:
                at += 1
            order[d] = at
            at += 1
    return self.permute(order)


@generic
def joined_flat(parts) -> Tensor:
    """Joined along the second dimension, vectors along the first."""
    return torch.cat(parts, 0 if parts[0].dim() == 1 else 1)


def hstack(tensors: tuple[Tensor, ...]) -> Tensor:
    return joined_flat(AT_LEAST(tensors, 1))


def hstack_list(tensors: list[Tensor]) -> Tensor:
    return joined_flat(AT_LEAST_OF_LIST(tensors, 1))


def vstack(tensors: tuple[Tensor, ...]) -> Tensor:
    return torch.cat(AT_LEAST(tensors, 2), 0)


def vstack_list(tensors: list[Tensor]) -> Tensor:
    return torch.cat(AT_LEAST_OF_LIST(tensors, 2), 0)


def dstack(tensors: tuple[Tensor, ...]) -> Tensor:
    return torch.cat(AT_LEAST(tensors, 3), 2)


def dstack_list(tensors: list[Tensor]) -> Tensor:
    return torch.cat(AT_LEAST_OF_LIST(tensors, 3), 2)


def cross(self: Tensor, other: Tensor, dim: int) -> Tensor:
    """Cross products of vectors of three elements: the formula of `torch.linalg.cross`.

    Args:
        input, other: Of one number of dimensions; they are broadcast.
        dim: The dimension of the vectors.

    Raises:
        RuntimeError: The dimension has another size, or the dimensions differ.

    Example:
        >>> tscript.linalg.cross(tscript.tensor([1, 0, 0]), tscript.tensor([0, 1, 0])).tolist()
        [0, 0, 1]
    """
    if self.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if self.size(dim) != 3 or other.size(dim) != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.size(dim)} and {other.size(dim)}"
        )
    return rolled(self, -1, dim) * rolled(other, -2, dim) - rolled(self, -2, dim) * rolled(other, -1, dim)


def tensordot(a: Tensor, b: Tensor, dims: int) -> Tensor:
    """Sums of products over the last dimensions of one tensor and the first of another.

    Args:
        a, b: Of one dtype.
        dims: How many dimensions.

    Raises:
        RuntimeError: There are fewer, or their sizes differ.

    Example:
        >>> tscript.tensordot(tscript.ones(2, 3), tscript.ones(3, 4), dims=1).tolist()[0]
        [3.0, 3.0, 3.0, 3.0]
    """
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > a.dim() or dims > b.dim():
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got {dims}")
    kept = a.dim() - dims
    inner = 1
    for i in range(dims):
        if a.size(kept + i) != b.size(i):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.size(kept + i)} in dim {kept + i} and "
                f"second has size {b.size(i)} in dim {i}"
            )
        inner = inner * b.size(i)
    rows, columns = 1, 1
    for i in range(kept):
        rows = rows * a.size(i)
    for i in range(dims, b.dim()):
        columns = columns * b.size(i)
    product = a.reshape(rows, inner).mm(b.reshape(inner, columns))
    return product.reshape(a.size()[:kept] + b.size()[dims:])


def _stacks(name: str, body: object, of_list: object, doc: str) -> tuple[OpDef, ...]:
    also = " torch.row_stack" if name == "vstack" else ""
    return (
        composite(f"{name}(Tensor[] tensors) -> Tensor", body, doc, names=f"torch.{name}{also} out=no"),  # type: ignore[arg-type]
        composite(f"{name}.list(list tensors) -> Tensor", of_list, doc, names=f"torch.{name}{also} out=no"),  # type: ignore[arg-type]
    )


OPERATORS: tuple[OpDef, ...] = (
    composite("flip(Tensor self, int[] dims) -> Tensor", flip, names="flip out=no"),
    composite("fliplr(Tensor self) -> Tensor", fliplr, "The second dimension from its end.", names="fliplr out=no"),
    composite("flipud(Tensor self) -> Tensor", flipud, "The first dimension from its end.", names="flipud out=no"),
    composite("roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", roll, names="roll out=no"),
    composite("repeat(Tensor self, int[] repeats) -> Tensor", repeat, names="Tensor.repeat"),
    composite(
        "tile(Tensor self, int[] dims) -> Tensor",
        tile,
        "The whole tensor several times along its last dimensions, or along further ones in front.",
        names="tile out=no",
    ),
    composite(
        "repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        repeat_interleave,
        names="repeat_interleave out=no",
    ),
    composite("tril(Tensor self, int diagonal=0) -> Tensor", tril),
    composite("triu(Tensor self, int diagonal=0) -> Tensor", triu),
    composite(
        "movedim(Tensor self, int source, int destination) -> Tensor",
        movedim,
        "A view with one dimension at another place.",
        names="movedim moveaxis out=no",
    ),
    composite(
        "movedim.several(Tensor self, int[] source, int[] destination) -> Tensor",
        movedim_several,
        names="movedim moveaxis out=no",
    ),
    *_stacks("hstack", hstack, hstack_list, "Joined along the second dimension, vectors along the first."),
    *_stacks("vstack", vstack, vstack_list, "Joined along the first dimension; vectors are rows."),
    *_stacks("dstack", dstack, dstack_list, "Joined along the third dimension."),
    composite(
        "cross(Tensor self, Tensor other, int dim=-1) -> Tensor",
        cross,
        names="torch.linalg.cross Tensor.cross torch.cross out=no",
    ),
    composite("tensordot(Tensor a, Tensor b, int dims=2) -> Tensor", tensordot, names="torch.tensordot out=no"),
)
"""All operators of this module."""
