"""The eager operators that are worth compiling ahead: for every overload the calls that are usual.

Tensors have one dtype, or usual ones of two, and any rank. Numbers are Python's. Parameters behind the first one are
left out from the end, or given by keyword. What is not listed is compiled on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.opdef import Composite, OpDef, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.definitions.schema import Parameter
from tscript.late import dataclass
from tscript.operators.table import TABLE
from tscript.runtime.session.shipped import key_text
from tscript.runtime.values.arguments import Argument
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, STR, DType, TensorType, TupleType, dtypes

INDICES = frozenset({"index", "indices", ("embedding", "input")})
"""Parameters that are tensors of ints; some with the operator."""

LENGTHS = range(1, 5)
"""Lengths of tuples of ints."""

MIXED = tuple(
    pair
    for a, b in ((dtypes.float32, dtypes.bool_), (dtypes.float32, dtypes.int64), (dtypes.int64, dtypes.bool_))
    for pair in ((a, b), (b, a))
)
"""Dtypes of tensors that are given together. Of two floats, or of two kinds of ints, ranks decide the dtype."""

ZERO_DIM = (dtypes.float32, dtypes.float64, dtypes.int64)
"""Dtypes of 0-d tensors that are given together with others."""

USUAL = (
    dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.bool_,
)  # fmt: skip
"""Dtypes for which operators and kernels are compiled ahead; others are when they are used."""

DTYPES = (dtypes.float32, dtypes.float64, dtypes.int64)
"""What is given as ``dtype``."""

FLOATS = (dtypes.float32, dtypes.float64)
"""Dtypes for which composite operators, and what writes to ``out``, are compiled ahead."""

TEXTS = {
    "approximate": ("none", "tanh"),
    "p": ("fro",),
    "reduction": ("mean", "sum", "none"),
    "rounding_mode": ("floor", "trunc"),
}
"""Strings by the name of the parameter."""

NAMED = frozenset({"dim", "keepdim", "dtype", "unbiased", "correction", "alpha", "rounding_mode", "approximate"})
"""Parameters that are usually given by keyword."""


@dataclass(frozen=True, slots=True)
class Form:
    """A call.

    Attributes:
        name: Plain operator name.
        arguments: The arguments.
        names: Keywords of the last ones.
    """

    name: str
    arguments: tuple[Argument, ...]
    names: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """See `key_text`."""
        return key_text(self.name, self.arguments, self.names)


def operator_names() -> list[str]:
    """The plain names of the operators over tensors that are built in."""
    return [n for n in TABLE.names if "::" not in n and any(map(_is_over_tensors, TABLE.overloads(n)))]


def forms(name: str) -> list[Form]:
    """The calls of an operator, each once; not all are taken.

    Example:
        >>> [form.key for form in forms("t")][:2]
        ['t; Tensor[uint8, ?]', 't; Tensor[int8, ?]']
    """
    found: dict[str, Form] = {}
    for op in TABLE.overloads(name):
        if _is_over_tensors(op):
            for form in (*_forms_of(op), *_mixed(op)):
                found.setdefault(form.key, form)
    return list(found.values())


def _is_over_tensors(op: OpDef) -> bool:
    return any("Tensor" in p.kind for p in op.schema.parameters) or op.schema.result == "Tensor"


def _forms_of(op: OpDef) -> Iterator[Form]:
    name, parameters = op.schema.name, op.schema.parameters
    positional = [p for p in parameters if not p.keyword_only]
    least = sum(p.default is REQUIRED for p in positional)
    required = [p for p in parameters if p.keyword_only and p.default is REQUIRED]
    is_large = isinstance(op.implementation, Composite)
    if is_large or (positional and positional[0].kind == "Tensor" and any(p.kind == "int[]" for p in positional)):
        parameters = tuple(p for p in parameters if p.kind != "dtype?")
    for dtype in FLOATS if is_large else USUAL:
        for count in range(least, len(positional) + 1):
            if is_large and count > least and positional[count - 1].kind == "bool":
                break
            for keywords in _keywords(parameters, positional[count:], required):
                for given in _given(op, positional[:count], dtype):
                    if any(p.name == "alpha" for p in keywords) and not all(_is_tensor(a) for a in given):
                        continue
                    for named in product(*(_given_by_name(op, p, dtype) for p in keywords)):
                        yield Form(name, (*given, *named), tuple(p.name for p in keywords))
        behind = positional[1:least]
        if behind and all(p.name in NAMED for p in behind):
            for given in _given(op, positional[:least], dtype):
                yield Form(name, given, tuple(p.name for p in behind))
        if positional and positional[-1].kind == "int[]" and len(positional) == least:
            for given in _given(op, positional[:-1], dtype):
                for n in LENGTHS:
                    yield Form(name, (*given, *[Argument(INT)] * n))
        if op.names.out is not None and dtype in FLOATS and not is_large:
            out = Argument(TensorType(dtype))
            for given in _given(op, positional[:least], dtype):
                if not positional or positional[0].kind != "Tensor" or _is_tensor(given[0]):
                    yield Form(name, (*given, out), ("out",))


def _mixed(op: OpDef) -> Iterator[Form]:
    """Calls of a pointwise operator of two tensors with tensors of two dtypes, or one that is 0-d: code that knows it
    has it in a register."""
    kinds = [p.kind for p in op.schema.parameters if p.default is REQUIRED]
    if isinstance(op.implementation, Pointwise) and kinds == ["Tensor", "Tensor"]:
        pairs = [(TensorType(a), TensorType(b)) for a, b in MIXED]
        for dtype in ZERO_DIM:
            pairs += [(TensorType(dtype), TensorType(dtype, 0)), (TensorType(dtype, 0), TensorType(dtype))]
        for first, second in pairs:
            yield Form(op.schema.name, (Argument(first), Argument(second)))


def _is_tensor(argument: Argument) -> bool:
    return isinstance(argument.type, TensorType)


def _given(op: OpDef, parameters: Sequence[Parameter], dtype: DType) -> Iterator[tuple[Argument, ...]]:
    """What is given by position: not ints and floats together, and numbers in place of tensors where they are usual."""
    tensors = [i for i, p in enumerate(parameters) if p.kind == "Tensor"]
    numbers = [*tensors, *(i for i, p in enumerate(parameters) if p.kind == "Scalar")]
    for found in product(*(_arguments(op, p, dtype) for p in parameters)):
        if len({found[i].type for i in numbers} & {INT, FLOAT}) < 2 and _is_usual(op, [found[i] for i in tensors]):
            yield found


def _is_usual(op: OpDef, operands: Sequence[Argument]) -> bool:
    """Whether numbers are where they usually are among operands: of two anywhere, of more behind the first, either all
    or the last one; of `where` behind the condition."""
    are_tensors = list(map(_is_tensor, operands))
    if len(operands) < 3 or op.name == "where":
        return True
    return are_tensors[0] and (all(are_tensors[:-1]) or not any(are_tensors[1:]))


def _keywords(
    parameters: Sequence[Parameter], left: Sequence[Parameter], required: Sequence[Parameter]
) -> Iterator[tuple[Parameter, ...]]:
    """The parameters that are given by keyword: those that must, and at most two others."""
    optional = [
        p for p in parameters if p.name in NAMED and p.default is not REQUIRED and (p in left or p.keyword_only)
    ]
    for size in range(3):
        for chosen in combinations(optional, size):
            yield (*required, *chosen)


def _given_by_name(op: OpDef, parameter: Parameter, dtype: DType) -> list[Argument]:
    """What is given for a parameter by keyword: not its default."""
    return [a for a in _arguments(op, parameter, dtype) if a.constant is MISSING or a.constant != parameter.default]


def _arguments(op: OpDef, parameter: Parameter, dtype: DType) -> list[Argument]:
    """What is given for a parameter."""
    tensor = Argument(TensorType(dtype))
    match parameter.kind.removesuffix("?"):
        case "Tensor" if parameter.name in INDICES or (op.name, parameter.name) in INDICES:
            return [Argument(TensorType(dtypes.int64))]
        case "Tensor":
            return _operands(op, parameter, tensor)
        case "int":
            return [Argument(INT)]
        case "int[1]" if isinstance(op.implementation, Composite):
            return [Argument(INT)]
        case "int[1]":
            return [Argument(INT), Argument(TupleType((INT, INT)))]
        case "int[]":
            return [Argument(TupleType((INT,) * n)) for n in LENGTHS]
        case "float":
            return [Argument(FLOAT)]
        case "Scalar":
            return [Argument(INT), Argument(FLOAT)]
        case "bool":
            return [Argument(BOOL, True), Argument(BOOL, False)]
        case "dtype":
            return [Argument(DTYPE, d) for d in DTYPES]
        case "str":
            return [Argument(STR, text) for text in TEXTS.get(parameter.name, ())]
        case "None":
            return [Argument(NONE, None)]
        case "Tensor[]":
            return [Argument(TupleType((tensor.type,) * n)) for n in range(2, 5)]
    return []


def _operands(op: OpDef, parameter: Parameter, tensor: Argument) -> list[Argument]:
    """Tensors, and numbers where a pointwise operator takes them."""
    implementation = op.implementation
    if not isinstance(implementation, Pointwise) or not isinstance(implementation.rule, PointwiseRule):
        return [tensor]
    rule, position = implementation.rule, op.schema.parameters.index(parameter)
    if position in rule.conditions:
        return [Argument(TensorType(dtypes.bool_))]
    if rule.in_place and position == rule.operands[0]:
        return [tensor]
    return [tensor, Argument(INT), Argument(FLOAT)]
