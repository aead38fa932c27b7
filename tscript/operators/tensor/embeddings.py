"""Tables of vectors: rows by their numbers, sums of rows, and rows that are kept short."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.late import replace
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import NONE, Type


@generic
def check_padding(padding_idx, weight) -> None:
    """Refuse a row that the table does not have."""
    if padding_idx is not None:
        rows = weight.size(0)
        if padding_idx >= rows or padding_idx < -rows:
            raise AssertionError(f"padding_idx must be within num_embeddings: {padding_idx} is not, with {rows}")


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    """Rows of a table by their numbers: ``weight[input]``, the formula of `torch.nn.functional.embedding`.

    Args:
        input: Numbers of rows, int32 or int64.
        weight: The table, a matrix.
        padding_idx: A row that is not trained: it makes no difference here.
        max_norm: Rows that are asked for and longer are made so long first, in the table itself.
        norm_type: Of which norm.
        scale_grad_by_freq, sparse: Make no difference here.

    Raises:
        RuntimeError: The table is no matrix, or the numbers are no int32 or int64.
        IndexError: There is no such row.
        AssertionError: `padding_idx` is no row.

    Example:
        >>> table = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> tscript.nn.functional.embedding(tscript.tensor([1, 0, 1]), table).tolist()
        [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_padding(padding_idx, weight)
    return weight.index_select(0, input.reshape(-1)).reshape(input.size() + weight.size()[1:])


def embedding_renorm_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Rows of a table whose norm is greater made shorter, in place: the formula of `torch.embedding_renorm_`.

    Args:
        self: The table, a matrix of floats.
        indices: Numbers of rows, int32 or int64; others are left alone.
        max_norm: What the norm is at most.
        norm_type: Of which norm.

    Raises:
        RuntimeError: The table is no matrix, or the numbers are no int32 or int64.
        IndexError: There is no such row.

    Example:
        >>> table = tscript.tensor([[3.0, 4.0], [30.0, 40.0]])
        >>> tscript.embedding_renorm_(table, tscript.tensor([0]), 1.0, 2.0).tolist()[1]
        [30.0, 40.0]
    """
    if self.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    used = indices.reshape(-1)
    rows = self.index_select(0, used)
    norms = rows.norm(norm_type, 1, True)
    short = torch.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    return self.index_copy_(0, used.long(), rows * short.to(self.dtype))


def embedding_short(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    if max_norm is not None:
        check_padding(padding_idx, weight)
        embedding_renorm_(weight, input, max_norm, norm_type)
    return embedding(input, weight, padding_idx, None, norm_type, False, False)


# ---- bags


def check_bags(input: Tensor, weight: Tensor, offsets: Tensor | None) -> None:
    """Refuse shapes and dtypes that do not go together."""
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dtype != torch.int64 and input.dtype != torch.int32:
        raise RuntimeError(f"Expected tensor for argument #1 'indices' to be int32 or int64, got {SCALAR_TYPE(input)}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences"
            )
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")


@generic
def begins_of(input, offsets, include_last_offset: bool):
    """Where the bags begin, and the end of the last one."""
    if input.dim() == 2:
        return torch.arange(input.size(0) + 1) * input.size(1)
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    count = input.numel()
    begins = offsets.long()
    if begins.numel() > 0:
        if int(begins[0]) != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                f"However, got {int(begins[0])}"
            )
        if int(begins[-1]) > count:
            raise RuntimeError(f"offsets[-1] can not be greater than input's length {count} but got {int(begins[-1])}")
    elif include_last_offset:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    return begins if include_last_offset else torch.cat((begins, torch.full((1,), count)), 0)


@generic
def bags(input, weight, offsets, mode: str, per_sample_weights, include_last_offset: bool, padding_idx) -> Tensor:
    """`embedding_bag` of a table that is not changed."""
    check_bags(input, weight, offsets)
    if mode != "sum" and mode != "mean" and mode != "max":
        raise ValueError("mode has to be one of sum, mean or max")
    begins = begins_of(input, offsets, include_last_offset)
    count = begins.numel() - 1
    rows = input.reshape(-1)
    # Elements behind the last bag are in a further one, which is left out.
    bag = torch.searchsorted(begins.narrow(0, 1, count), torch.arange(rows.numel()), right=True)
    if rows.numel() > 0:
        least, greatest = int(rows.min()), int(rows.max())
        if least < 0 or greatest >= weight.size(0):
            raise RuntimeError(
                f"embedding_bag(): the input has {least if least < 0 else greatest}, which is not in the valid range "
                f"[0, {weight.size(0)})"
            )
    counts = torch.ones_like(bag)
    if padding_idx is not None:
        least, most = -weight.size(0), weight.size(0)
        if padding_idx < least or padding_idx >= most:
            raise RuntimeError(f"padding_idx must be within [{least}, {most - 1}], the rows of the table")
        counts = (rows != (padding_idx + most if padding_idx < 0 else padding_idx)).long()
    vectors = weight.index_select(0, rows)
    members = torch.zeros(count + 1, dtype=torch.int64).index_add(0, bag, counts).narrow(0, 0, count).unsqueeze(1)
    if mode == "max":
        apart = torch.where((counts == 0).unsqueeze(1), float("-inf"), vectors)
        at = bag.unsqueeze(1).expand(vectors.size())
        lowest = torch.full((count + 1, weight.size(1)), float("-inf"), dtype=weight.dtype)
        greatest = lowest.scatter_reduce(0, at, apart, "amax").narrow(0, 0, count)
        return torch.where(members == 0, 0.0, greatest)
    factors = counts.to(weight.dtype)
    if per_sample_weights is not None:
        if mode != "sum":
            raise NotImplementedError(
                "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
                f"(got mode='{mode}')"
            )
        if per_sample_weights.size() != input.size():
            raise ValueError(
                f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, then it must have "
                f"the same shape as the input ({input.size()})"
            )
        if per_sample_weights.dtype != weight.dtype:
            raise RuntimeError(
                f"expected per_sample_weights of scalar type {SCALAR_TYPE(weight)} but found "
                f"{SCALAR_TYPE(per_sample_weights)}"
            )
        factors = factors * per_sample_weights.reshape(-1)
    whole = torch.zeros((count + 1, weight.size(1)), dtype=weight.dtype)
    total = whole.index_add(0, bag, vectors * factors.unsqueeze(1)).narrow(0, 0, count)
    if mode == "mean":
        return total / torch.clamp(members, min=1).to(weight.dtype)
    return total


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    mode: str,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Tensor:
    """Sums, means or greatest elements of the rows of a table that each bag of numbers names.

    Args:
        input: Numbers of rows, int32 or int64: a matrix with a bag in each row, or all bags behind each other.
        weight: The table, a matrix.
        offsets: Where the bags begin, if they are behind each other.
        max_norm: Rows that are asked for and longer are made so long first, in the table itself.
        norm_type: Of which norm.
        scale_grad_by_freq, sparse: Make no difference here.
        mode: ``"sum"``, ``"mean"`` or ``"max"``; of nothing it is 0.
        per_sample_weights: For a sum: what each row is multiplied by, of the shape of the input.
        include_last_offset: Whether the last of the offsets is the end of the last bag, not the begin of a further one.
        padding_idx: A row that does not count.

    Raises:
        RuntimeError: Numbers or offsets are out of range, or no ints.
        ValueError: The table is no matrix, the shapes do not go together, or there is no such mode.
        NotImplementedError: There are `per_sample_weights` for another mode than the sum.

    Example:
        >>> table = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> numbers, begins = tscript.tensor([0, 1, 1]), tscript.tensor([0, 2])
        >>> tscript.nn.functional.embedding_bag(numbers, table, begins).tolist()
        [[2.0, 3.0], [3.0, 4.0]]
    """
    return bags(input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


def embedding_bag_short(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    mode: str,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Tensor:
    check_bags(input, weight, offsets)
    if max_norm is not None:
        embedding_renorm_(weight, input, max_norm, norm_type)
    return bags(input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


def _unless_short(made: OpDef) -> OpDef:
    """The overload for calls without `max_norm`, which do not change the table."""
    rule = made.type_rule
    at = [p.name for p in made.schema.parameters].index("max_norm")

    def checked(args: Sequence[Arg]) -> Type:
        if args[at].type != NONE:
            raise OperatorTypeError("'max_norm' changes the table")
        return rule(args)

    return replace(made, type_rule=checked)


_REST = "int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, "
_BAG = (
    "Tensor? offsets=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str mode='mean', "
    "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None"
)

OPERATORS: tuple[OpDef, ...] = (
    _unless_short(
        composite(
            f"embedding(Tensor input, Tensor weight, {_REST}bool sparse=False) -> Tensor",
            embedding,
            names="F.embedding",
        )
    ),
    composite(
        f"embedding.short(Tensor input, Tensor(a!) weight, {_REST}bool sparse=False) -> Tensor",
        embedding_short,
        "`embedding` of rows that are made shorter first, in the table itself.",
        names="F.embedding",
    ),
    composite(
        "embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor",
        embedding_renorm_,
        names="torch.embedding_renorm_",
    ),
    _unless_short(
        composite(
            f"embedding_bag(Tensor input, Tensor weight, {_BAG}) -> Tensor", embedding_bag, names="F.embedding_bag"
        )
    ),
    composite(
        f"embedding_bag.short(Tensor input, Tensor(a!) weight, {_BAG}) -> Tensor",
        embedding_bag_short,
        "`embedding_bag` of rows that are made shorter first, in the table itself.",
        names="F.embedding_bag",
    ),
)
"""All operators of this module."""
