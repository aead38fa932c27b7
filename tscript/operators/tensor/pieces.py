"""Operators whose result is a tuple of tensors, ``tuple[Tensor, ...]``: parts of one tensor, or a view of each of
several. Its length is known when it runs; dtype and rank of its tensors are known to the compiler."""

# mypy: disable-error-code="no-any-return,operator"

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from tscript.arrays import Array, np
from tscript.definitions.define import composite, native
from tscript.definitions.language import Size, Tensor
from tscript.definitions.names import parse_names
from tscript.definitions.opdef import RAISES, SEVERAL, Arg, OpDef, OperatorIndexError, OperatorRuntimeError, TypeRule
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import broadcast_shape, wrap_dim
from tscript.late import replace
from tscript.operators.tensor.views import expand
from tscript.types import TENSOR, ListType, TensorType, TupleType, Type, join

Pieces = tuple[Array, ...]


def _tuple_of(element: Type) -> Type:
    return ListType(element, frozen=True)


def _parts(name: str, at: int = 2) -> TypeRule:
    """The rule of what takes a tensor apart along the dimension that is argument `at`."""

    def rule(args: Sequence[Arg]) -> Type:
        found = tensor_of(args[0])
        if found.rank == 0:
            raise OperatorRuntimeError(f"{name} expects at least a 1-dimensional tensor")
        check_dim(constant_int(args[at]), found.rank)
        return _tuple_of(found)

    return rule


def _unbound(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    dim = constant_int(args[1])
    if found.rank == 0:
        raise OperatorIndexError(f"Dimension specified as {0 if dim is None else dim} but tensor has no dimensions")
    check_dim(dim, found.rank)
    return _tuple_of(TensorType(found.dtype, None if found.rank is None else found.rank - 1))


def _elements(args: Sequence[Arg]) -> list[TensorType]:
    """The types of several tensors; of a list that of its elements."""
    found = args[0].type
    elements = (
        found.elements if isinstance(found, TupleType) else [found.element] if isinstance(found, ListType) else []
    )
    tensors = [e for e in elements if isinstance(e, TensorType)]
    if len(tensors) < len(elements) or not isinstance(found, TupleType | ListType):
        raise OperatorRuntimeError(f"expected a tuple or list of Tensors, not {found}")
    return tensors


def _of_all(change: Callable[[Sequence[TensorType], TensorType], int | None]) -> TypeRule:
    """The rule of an operator with a view of each tensor: of the common dtype, its rank as `change` says."""

    def rule(args: Sequence[Arg]) -> Type:
        tensors = _elements(args)
        if not tensors:
            return _tuple_of(TENSOR)
        whole = isinstance(args[0].type, TupleType)
        made: Type | None = None
        for t in tensors:
            one = TensorType(t.dtype, change(tensors, t) if whole else None)
            made = one if made is None else join(made, one)
        return _tuple_of(TENSOR if made is None else made)

    return rule


def _broadcast_rank(tensors: Sequence[TensorType], one: TensorType) -> int | None:
    ranks = [t.rank for t in tensors]
    return None if None in ranks else max(r for r in ranks if r is not None)


def _grid_rank(tensors: Sequence[TensorType], one: TensorType) -> int | None:
    for i, t in enumerate(tensors):
        if t.rank is not None and t.rank > 1:
            raise OperatorRuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got "
                f"{t.rank} dimensions at position {i}"
            )
    known = {t.dtype for t in tensors} - {None}
    if len(known) > 1:
        raise OperatorRuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    return len(tensors)


# ---- on arrays


def _along(array: Array, d: int, first: int, last: int) -> Array:
    return array[(slice(None),) * d + (slice(first, max(first, last)),)]


def _checked(array: Array, dim: int, name: str) -> int:
    if array.ndim == 0:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    return wrap_dim(dim, array.ndim)


def unbound(array: Array, dim: int) -> Pieces:
    """`torch.unbind` of an array."""
    if array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    d = wrap_dim(dim, array.ndim)
    return tuple(array[(slice(None),) * d + (i, ...)] for i in range(array.shape[d]))


def _split(array: Array, size: int, dim: int) -> Pieces:
    d = _checked(array, dim, "split")
    n = array.shape[d]
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but dimension {d} has the size {n}")
    return tuple(_along(array, d, i, i + size) for i in range(0, max(n, 1), max(size, 1)))


def _chunk(array: Array, chunks: int, dim: int) -> Pieces:
    d = _checked(array, dim, "chunk")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = array.shape[d]
    return _split(array, -(-n // chunks), d) if n else tuple(_along(array, d, 0, 0) for _ in range(chunks))


def _split_sizes(array: Array, sizes: Sequence[int], dim: int) -> Pieces:
    d = _checked(array, dim, "split")
    for i, size in enumerate(sizes):
        if size < 0:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes have only non-negative entries, but got {size} at position {i}"
            )
    if sum(sizes) != array.shape[d]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {array.shape[d]} (input tensor's size at "
            f"dimension {d})"
        )
    return tuple(_along(array, d, sum(sizes[:i]), sum(sizes[: i + 1])) for i in range(len(sizes)))


def _sections(array: Array, sections: int, dim: int) -> Pieces:
    d = _checked(array, dim, "tensor_split")
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    return tuple(np.array_split(array, sections, d))


def _bounds(array: Array, bounds: Sequence[int], dim: int) -> Pieces:
    d = _checked(array, dim, "tensor_split")
    n = array.shape[d]
    cuts = [0, *(min(max(b + n if b < 0 else b, 0), n) for b in bounds), n]
    return tuple(_along(array, d, a, b) for a, b in pairwise(cuts))


def _broadcast(tensors: Sequence[Array]) -> Pieces:
    shape = broadcast_shape([t.shape for t in tensors])
    return tuple(expand(t, shape) for t in tensors)


def _grid(tensors: Sequence[Array], columns_first: int) -> Pieces:
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if t.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got "
                f"{t.ndim} dimensions at position {i}"
            )
        if t.dtype != tensors[0].dtype:
            raise RuntimeError(f"torch.meshgrid expects all tensors to have the same dtype; number {i} has another")
    n = len(tensors)
    places = [1 - k if columns_first and n > 1 and k < 2 else k for k in range(n)]
    shape = [0] * n
    for place, t in zip(places, tensors, strict=True):
        shape[place] = t.size
    return tuple(
        expand(t.reshape((1,) * place + (-1,) + (1,) * (n - 1 - place)), shape)
        for place, t in zip(places, tensors, strict=True)
    )


def _at_least(array: Array, ndim: int) -> Array:
    if array.ndim >= ndim:
        return array.view()
    before = int(ndim > 1 and array.ndim == 1)
    return array.reshape((1,) * before + array.shape + (1,) * (ndim - array.ndim - before))


# ---- composites, in the language


def split_dim(self: Tensor, name: str, least: int) -> None:
    """Refuse too few dimensions."""
    if self.dim() < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {self.dim()} "
            "dimensions!"
        )


def check_divides(self: Tensor, name: str, dim: int, sections: int) -> None:
    """Refuse sections that are not of one size."""
    if sections < 1 or self.size(dim) % sections != 0:
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {self.size(dim)} is "
            f"not divisible by the split_size {sections}!"
        )


def hsplit(self: Tensor, sections: int) -> tuple[Tensor, ...]:
    split_dim(self, "hsplit", 1)
    dim = 0 if self.dim() == 1 else 1
    check_divides(self, "hsplit", dim, sections)
    return self.tensor_split(sections, dim)


def hsplit_at(self: Tensor, indices: Size) -> tuple[Tensor, ...]:
    split_dim(self, "hsplit", 1)
    return self.tensor_split(indices, 0 if self.dim() == 1 else 1)


def vsplit(self: Tensor, sections: int) -> tuple[Tensor, ...]:
    split_dim(self, "vsplit", 2)
    check_divides(self, "vsplit", 0, sections)
    return self.tensor_split(sections, 0)


def vsplit_at(self: Tensor, indices: Size) -> tuple[Tensor, ...]:
    split_dim(self, "vsplit", 2)
    return self.tensor_split(indices, 0)


def dsplit(self: Tensor, sections: int) -> tuple[Tensor, ...]:
    split_dim(self, "dsplit", 3)
    check_divides(self, "dsplit", 2, sections)
    return self.tensor_split(sections, 2)


def dsplit_at(self: Tensor, indices: Size) -> tuple[Tensor, ...]:
    split_dim(self, "dsplit", 3)
    return self.tensor_split(indices, 2)


def columns_first(indexing: str | None) -> int:
    """Whether the first two dimensions of a grid are exchanged."""
    if indexing is None or indexing == "ij":
        return 0
    if indexing == "xy":
        return 1
    raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')


def meshgrid(tensors: tuple[Tensor, ...], indexing: str | None) -> tuple[Tensor, ...]:
    """The coordinates of the points of a grid, of vectors along its dimensions.

    Args:
        tensors: Vectors of one dtype, as several arguments or in a tuple or list; a tensor without dimensions is one
            of one element.
        indexing: ``"ij"``: vector `k` goes along dimension `k`. ``"xy"``: the first two dimensions are exchanged.

    Returns:
        As many views as there are vectors, each with the shape of the grid.

    Raises:
        RuntimeError: There are none, one has more dimensions, dtypes differ, or the indexing is neither.

    Example:
        >>> y, x = tscript.meshgrid(tscript.arange(2), tscript.arange(3), indexing="ij")
        >>> y.tolist(), x.tolist()
        ([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]])
    """
    return GRID(tensors, columns_first(indexing))


def meshgrid_of_list(tensors: list[Tensor], indexing: str | None) -> tuple[Tensor, ...]:
    return GRID_OF_LIST(tensors, columns_first(indexing))


def atleast_1d(self: Tensor) -> Tensor:
    return self.reshape(1) if self.dim() == 0 else self


def atleast_2d(self: Tensor) -> Tensor:
    if self.dim() == 0:
        return self.reshape(1, 1)
    return self.unsqueeze(0) if self.dim() == 1 else self


def atleast_3d(self: Tensor) -> Tensor:
    if self.dim() == 0:
        return self.reshape(1, 1, 1)
    if self.dim() == 1:
        return self.unsqueeze(0).unsqueeze(-1)
    return self.unsqueeze(-1) if self.dim() == 2 else self


def _native(
    schema: str,
    rule: TypeRule,
    semantics: Callable[..., object],
    body: str,
    doc: str,
    names: str | None = None,
    tags: Sequence[str] = (),
) -> OpDef:
    made = native(schema, semantics, f"pieces.{body}", doc, rule=rule, effects=RAISES, typed=True, tags=tags)
    return replace(made, names=parse_names(made.schema, names))


GRID = _native(
    "grid(Tensor[] tensors, int columns_first) -> Tensor[]",
    _of_all(_grid_rank),
    _grid,
    "grid_pieces",
    "Vectors as views of the shape of a grid.",
    names="",
)
GRID_OF_LIST = _native(
    "grid.list(list tensors, int columns_first) -> Tensor[]",
    _of_all(_grid_rank),
    _grid,
    "grid_of_list",
    "The same of a list.",
    names="",
)


def _at_least_rank(args: Sequence[Arg]) -> Type:
    least = constant_int(args[1])

    def rank(tensors: Sequence[TensorType], one: TensorType) -> int | None:
        return None if one.rank is None or least is None else max(one.rank, least)

    return _of_all(rank)(args)


def _all_at_least(tensors: Sequence[Array], least: int) -> Pieces:
    return tuple(_at_least(t, least) for t in tensors)


AT_LEAST = _native(
    "at_least(Tensor[] tensors, int least) -> Tensor[]",
    _at_least_rank,
    _all_at_least,
    "at_least_pieces",
    "Several tensors, each with so many dimensions at least.",
    names="",
)
AT_LEAST_OF_LIST = _native(
    "at_least.list(list tensors, int least) -> Tensor[]",
    _at_least_rank,
    _all_at_least,
    "at_least_of_list",
    "The same of a list.",
    names="",
)
HIDDEN: tuple[OpDef, ...] = (GRID, GRID_OF_LIST, AT_LEAST, AT_LEAST_OF_LIST)
"""What bodies call."""


def each_atleast_1d(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return AT_LEAST(tensors, 1)


def each_atleast_2d(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return AT_LEAST(tensors, 2)


def each_atleast_3d(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return AT_LEAST(tensors, 3)


def list_atleast_1d(tensors: list[Tensor]) -> tuple[Tensor, ...]:
    return AT_LEAST_OF_LIST(tensors, 1)


def list_atleast_2d(tensors: list[Tensor]) -> tuple[Tensor, ...]:
    return AT_LEAST_OF_LIST(tensors, 2)


def list_atleast_3d(tensors: list[Tensor]) -> tuple[Tensor, ...]:
    return AT_LEAST_OF_LIST(tensors, 3)


_SPLIT = "split split_size_or_sections=split_size"

OPERATORS: tuple[OpDef, ...] = (
    _native(
        "unbind(Tensor self, int dim=0) -> Tensor[]",
        _unbound,
        unbound,
        "unbind_pieces",
        "A view for each index of a dimension, which goes away.",
    ),
    _native(
        "split(Tensor self, int split_size, int dim=0) -> Tensor[]",
        _parts("split"),
        _split,
        "split_pieces",
        "Views of `split_size` indices each of a dimension, the last possibly of fewer.",
        names=_SPLIT,
    ),
    _native(
        "split.sizes(Tensor self, int[] split_size, int dim=0) -> Tensor[]",
        _parts("split"),
        _split_sizes,
        "split_sizes_pieces",
        "Views of a dimension, of these sizes.",
        names=_SPLIT,
    ),
    _native(
        "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
        _parts("split"),
        _split_sizes,
        "split_sizes_pieces",
        "Views of a dimension, of these sizes.",
    ),
    _native(
        "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
        _parts("chunk"),
        _chunk,
        "chunk_pieces",
        "At most `chunks` views of a dimension, all of one size but the last.",
    ),
    _native(
        "unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
        _parts("chunk"),
        _chunk,
        "chunk_pieces",
        "The same as `chunk`.",
    ),
    _native(
        "unsafe_split(Tensor self, int split_size, int dim=0) -> Tensor[]",
        _parts("split"),
        _split,
        "split_pieces",
        "The same as `split`.",
    ),
    _native(
        "unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
        _parts("split"),
        _split_sizes,
        "split_sizes_pieces",
        "The same as `split_with_sizes`.",
    ),
    _native(
        "tensor_split(Tensor self, int sections, int dim=0) -> Tensor[]",
        _parts("tensor_split"),
        _sections,
        "sections_pieces",
        "So many views of a dimension, the first ones longer by one where it cannot be divided.",
        names="tensor_split indices_or_sections=sections",
    ),
    _native(
        "tensor_split.indices(Tensor self, int[] indices, int dim=0) -> Tensor[]",
        _parts("tensor_split"),
        _bounds,
        "bounds_pieces",
        "Views of a dimension, cut at these indices.",
        names="tensor_split indices_or_sections=indices",
    ),
    composite("hsplit(Tensor self, int sections) -> Tensor[]", hsplit, "Parts of the second dimension, of one size."),
    composite("hsplit.indices(Tensor self, int[] indices) -> Tensor[]", hsplit_at, "Parts of the second dimension."),
    composite("vsplit(Tensor self, int sections) -> Tensor[]", vsplit, "Parts of the first dimension, of one size."),
    composite("vsplit.indices(Tensor self, int[] indices) -> Tensor[]", vsplit_at, "Parts of the first dimension."),
    composite("dsplit(Tensor self, int sections) -> Tensor[]", dsplit, "Parts of the third dimension, of one size."),
    composite("dsplit.indices(Tensor self, int[] indices) -> Tensor[]", dsplit_at, "Parts of the third dimension."),
    _native(
        "broadcast_tensors(Tensor[] tensors) -> Tensor[]",
        _of_all(_broadcast_rank),
        _broadcast,
        "broadcast_pieces",
        "Views of one shape, to which all are expanded.",
        tags=(SEVERAL,),
    ),
    _native(
        "broadcast_tensors.list(list tensors) -> Tensor[]",
        _of_all(_broadcast_rank),
        _broadcast,
        "broadcast_of_list",
        "Views of one shape, to which all are expanded.",
        names="torch.broadcast_tensors",
    ),
    composite("meshgrid(Tensor[] tensors, *, str? indexing=None) -> Tensor[]", meshgrid, tags=(SEVERAL,)),
    composite(
        "meshgrid.list(list tensors, *, str? indexing=None) -> Tensor[]",
        meshgrid_of_list,
        "The coordinates of the points of a grid, of a list of vectors along its dimensions.",
        names="torch.meshgrid",
    ),
    *(
        op
        for n, body, each, of_list in (
            (1, atleast_1d, each_atleast_1d, list_atleast_1d),
            (2, atleast_2d, each_atleast_2d, list_atleast_2d),
            (3, atleast_3d, each_atleast_3d, list_atleast_3d),
        )
        for op in (
            composite(
                f"atleast_{n}d(Tensor self) -> Tensor",
                body,
                f"With {n} dimensions at least.",
                names=f"torch.atleast_{n}d out=no",
            ),
            composite(
                f"atleast_{n}d.tensors(Tensor[] tensors) -> Tensor[]",
                each,
                f"Several tensors, each with {n} dimensions at least.",
                names=f"torch.atleast_{n}d",
                tags=(SEVERAL,),
            ),
            composite(
                f"atleast_{n}d.list(list tensors) -> Tensor[]",
                of_list,
                f"The tensors of a list, each with {n} dimensions at least.",
                names=f"torch.atleast_{n}d",
            ),
        )
    ),
)
"""All operators of this module."""
