"""Overload resolution: from a name and arguments to one operator and what fills each of its parameters.

`resolve` tries every overload of a name. One that takes the arguments is *viable*; of the viable ones the one that
converts least wins, the earlier in the table on a tie. Conversions are Python's own: bool to int, int to float; a
number stands for a 0-d tensor in pointwise operators; an int stands for a tuple of one where PyTorch allows it, and
sizes may be given one by one (``x.view(2, 3)``). How the arguments fill the parameters is a tuple of slots.

Example:
    >>> resolved = resolve(TABLE, "sum", [x, Constant(0)])      # doctest: +SKIP
    >>> resolved.op.name, resolved.slots[1], resolved.slots[2]  # doctest: +SKIP
    ('sum.dim', Gathered(...), Default(False))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.definitions import factory
from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.names import Out
from tscript.definitions.opdef import (
    FACTORY,
    NUMBERS_AS_TENSORS,
    SEVERAL,
    Arg,
    Kernel,
    Native,
    OpDef,
    OperatorTypeError,
    Pointwise,
)
from tscript.definitions.promotion import NUMBERS
from tscript.definitions.schema import Parameter
from tscript.definitions.table import OperatorTable
from tscript.definitions.values import type_of_value
from tscript.diagnostics.suggest import close_matches
from tscript.late import dataclass
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DEVICE,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    LAYOUT,
    MEMORY_FORMAT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    ScalarType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtypes,
    optional,
)


@dataclass(frozen=True, slots=True)
class Given:
    """The parameter takes an argument, passed through the operator `convert` (``int.bool``, ``float.int``) if there is
    one."""

    arg: Arg
    convert: OpDef | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """The parameter takes a tuple made of several arguments (or of one: an int where ``int[1]`` is declared)."""

    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Default:
    """The parameter takes a constant: its default, or the dtype of `out`."""

    value: object


Slot = Given | Gathered | Default


@dataclass(frozen=True, slots=True)
class Resolved:
    """The operator found, one slot per parameter of its schema, the tensor that its result is written to, or the tuple
    of them, where the call names it, and devices that are to be checked when it runs."""

    op: OpDef
    slots: tuple[Slot, ...]
    out: Arg | None = None
    devices: tuple[Arg, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant as the argument of a rule."""

    constant: object
    type: Type


class _Refused(Exception):
    """Why an overload does not take the arguments."""


class _WrongType(_Refused):
    """A parameter does not take an argument of a type. Most refusals are this one and are never read."""

    def __init__(self, parameter: Parameter, found: Type) -> None:
        self.parameter = parameter
        self.found = found

    def __str__(self) -> str:
        return f"'{self.parameter.name}' must be {_readable(self.parameter.kind)}, not {self.found}"


_NUMBERS = (BOOL, INT, FLOAT, COMPLEX)
_CONVERSIONS: dict[tuple[Type, str], tuple[str, int]] = {
    (BOOL, "int"): ("int.bool", 2),
    (INT, "float"): ("float.int", 3),
    (BOOL, "float"): ("float.bool", 4),
    (STR, "Device"): ("device.str", 3),
    **{(ScalarType(d), "bool"): ("scalar.bool", 4) for d in dtypes.DTYPES},
    **{(ScalarType(d), "int"): ("scalar.int", 2) for d in dtypes.DTYPES if d.is_integer},
    **{(ScalarType(d), "float"): ("scalar.float", 3) for d in dtypes.DTYPES if d is not dtypes.bool_},
}
"""(given, declared) to (operator, cost)."""

_EXACT: dict[str, Type] = {
    "int": INT, "float": FLOAT, "bool": BOOL, "str": STR, "dtype": DTYPE, "None": NONE, "bytes": BYTES,
    "complex": COMPLEX, "Device": DEVICE, "layout": LAYOUT, "memory_format": MEMORY_FORMAT, "Generator": GENERATOR
}  # fmt: skip
CONTAINERS: dict[str, tuple[type[Type], ...]] = {
    "list": (ListType,),
    "dict": (DictType,),
    "set": (SetType,),
    "table": (DictType, SetType),
    "object": (ClassType,),
}
"""What types containers of a kind of parameter are of."""
_DECIDED_BY_RULE = frozenset({"Any", "T", "K", "V", "self", "list[T]", "list[int]", "list[self]"})
_VARIABLE = frozenset({"int[]", "int[]?"})
_GATHER = 1
_NUMBER_AS_TENSOR = 5
_ANYTHING = 6
_LIST_AS_SIZE = 4


def resolve(table: OperatorTable, name: str, args: Sequence[Arg], kwargs: Mapping[str, Arg] | None = None) -> Resolved:
    """The overload of `name` that takes these arguments.

    Args:
        table: The vocabulary.
        name: Plain name of an operator, ``add``.
        args: Positional arguments; a tensor method's receiver is the first.
        kwargs: Keyword arguments.

    Raises:
        OperatorTypeError: No overload takes them; the text lists the overloads with the reason for each. It is the
            error of the operator itself (also a `RuntimeError`, `IndexError` or `ValueError`) when the kinds of the
            arguments fit but their dtypes or ranks do not.
    """
    named = dict(kwargs or {})
    if not table.has_overloads(name):
        close = close_matches(name, table.names)
        raise OperatorTypeError(f"there is no operator '{name}'" + (f"; did you mean '{close[0]}'?" if close else ""))
    out = None
    if "out" in named and any(op.names.out for op in table.overloads(name)):
        out = named.pop("out")
        out = None if out.type == NONE else out
    devices: tuple[Arg, ...] = ()
    if not factory.KEYWORDS.keys().isdisjoint(named) and any(FACTORY in op.tags for op in table.overloads(name)):
        given = [(k, named.pop(k)) for k in factory.KEYWORDS if k in named]
        devices = tuple(arg for k, arg in given if factory.check(k, arg))
    best: tuple[int, Resolved] | None = None
    refusals: list[tuple[OpDef, Exception]] = []
    deferred: OperatorTypeError | None = None
    first = args[0].type if args else None
    for op in table.candidates(name, lambda kind: first is None or not _refuses(kind, first)):
        try:
            cost, slots = _match(table, op, args, named)
            if best is not None and cost >= best[0]:
                continue
            if out is not None and op.names.out is Out.DTYPE:
                slots = _of_its_dtype(table, op, slots, out)
            op.type_rule([_as_arg(slot) for slot in slots])
        except _Refused as reason:
            refusals.append((op, reason.with_traceback(None)))
        except OperatorTypeError as error:
            if not isinstance(error, RuntimeError | IndexError | ValueError):
                refusals.append((op, error.with_traceback(None)))
            elif deferred is None:
                deferred = error
        else:
            best = (cost, Resolved(op, slots, out, devices))
            if cost == 0:
                break
    if best is not None:
        wrong = None if out is None else _wrong_out(best[1].op, out)
        if wrong is not None:
            raise OperatorTypeError(_explain(name, args, kwargs or {}, [(best[1].op, wrong)]))
        return best[1]
    try:
        if deferred is None:
            tried = {op: str(error) for op, error in refusals}
            overloads = table.overloads(name)
            found = [(op, tried[op] if op in tried else _refusal(table, op, args, named)) for op in overloads]
            deferred = OperatorTypeError(_explain(name, args, kwargs or {}, found))
        raise deferred
    finally:
        deferred = None  # the error's traceback holds this frame: a cycle would keep the arguments alive


def _refuses(kind: str, type: Type) -> bool:
    """Whether no parameter of a kind takes an argument of a type, however it is converted."""
    if kind in _EXACT:
        return type != _EXACT[kind] and (type, kind) not in _CONVERSIONS
    if kind in CONTAINERS:
        return not isinstance(type, CONTAINERS[kind])
    return kind == "Tensor" and not isinstance(type, TensorType | ScalarType) and type not in _NUMBERS


def _refusal(table: OperatorTable, op: OpDef, args: Sequence[Arg], named: Mapping[str, Arg]) -> str:
    """Why an operator does not take arguments that no candidate took."""
    try:
        _match(table, op, args, named)
    except _Refused as reason:
        return str(reason)
    raise AssertionError(f"{op.name} is a candidate for these arguments")


def _of_its_dtype(table: OperatorTable, op: OpDef, slots: tuple[Slot, ...], out: Arg) -> tuple[Slot, ...]:
    """`slots` with the dtype of `out` where the call names none."""
    at = next(i for i, p in enumerate(op.schema.parameters) if p.name == "dtype")
    if _as_arg(slots[at]).type != NONE or not isinstance(out.type, TensorType):
        return slots
    slot = Given(out, table["dtype"]) if out.type.dtype is None else Default(out.type.dtype)
    return (*slots[:at], slot, *slots[at + 1 :])


def _wrong_out(op: OpDef, out: Arg) -> str | None:
    """Why a result cannot be written to `out`; None where it can."""
    found = out.type.elements if isinstance(out.type, TupleType) else (out.type,)
    wanted = op.schema.result.count("Tensor")
    if not wanted:
        return "has no parameter 'out'"
    if len(found) != wanted or not all(isinstance(t, TensorType) for t in found):
        return f"'out' must be {'a Tensor' if wanted == 1 else f'{wanted} Tensors'}, not {out.type}"
    return None


def _as_arg(slot: Slot) -> Arg:
    match slot:
        case Given(arg, None):
            return arg
        case Given(arg, convert):
            assert convert is not None
            found = arg.constant
            constant = convert.semantics(found) if isinstance(found, bool | int) else found
            return Constant(constant, convert.type_rule([arg]))
        case Gathered(args):
            constants = tuple(a.constant for a in args)
            known = all(isinstance(c, bool | int | float | tuple) for c in constants)
            return Constant(constants if known else MISSING, TupleType(tuple(a.type for a in args)))
        case Default(value):
            return Constant(value, type_of_value(value))


def _match(
    table: OperatorTable, op: OpDef, args: Sequence[Arg], kwargs: Mapping[str, Arg]
) -> tuple[int, tuple[Slot, ...]]:
    """Cost and slots of one overload.

    Raises:
        _Refused: It does not take the arguments.
    """
    parameters = op.schema.parameters
    given: dict[str, Slot] = {}
    cost = 0
    taken = 0
    for i, parameter in enumerate(parameters):
        if taken == len(args) or parameter.keyword_only:
            break
        several = i == 0 and SEVERAL in op.tags and all(isinstance(a.type, TensorType) for a in args)
        if several or (parameter.kind in _VARIABLE and _takes_varargs(parameters, i, args[i:])):
            given[parameter.name] = Gathered(tuple(args[i:]))
            cost += _GATHER
            taken = len(args)
            break
        slot, extra = _fill(table, op, parameter, args[i])
        given[parameter.name] = slot
        cost += extra
        taken += 1
    if taken < len(args):
        count = sum(1 for p in parameters if not p.keyword_only)
        raise _Refused(f"takes {_count(count, 'positional argument')}, {len(args)} given")
    for name, arg in kwargs.items():
        parameter = _by_name(op, name)
        if parameter.name in given:
            raise _Refused(f"got two values for '{parameter.name}'")
        given[parameter.name], extra = _fill(table, op, parameter, arg)
        cost += extra
    slots: list[Slot] = []
    for parameter in parameters:
        if parameter.name in given:
            slots.append(given[parameter.name])
        elif parameter.default is REQUIRED:
            raise _Refused(f"is missing the argument '{parameter.name}'")
        else:
            slots.append(Default(_default(parameter)))
    return cost, tuple(slots)


def _default(parameter: Parameter) -> object:
    """The default of a parameter; a whole one of a float is a float."""
    whole = parameter.kind.startswith("float") and type(parameter.default) is int
    return float(parameter.default) if whole else parameter.default  # type: ignore[arg-type]


def _takes_varargs(parameters: Sequence[Parameter], i: int, rest: Sequence[Arg]) -> bool:
    """Whether parameter `i`, declared ``int[]``, is the last positional one, and the arguments left are its
    elements."""
    behind = [p for p in parameters[i + 1 :] if not p.keyword_only]
    return all(p.default is not REQUIRED for p in behind) and all(a.type == INT for a in rest)


def _by_name(op: OpDef, name: str) -> Parameter:
    """The parameter that a keyword means."""
    parameters = op.schema.parameters
    meant = next((declared for alias, declared in op.names.keywords if alias == name), name)
    for parameter in parameters:
        if parameter.name in (name, meant):
            return parameter
    close = close_matches(name, [p.name for p in parameters])
    raise _Refused(f"has no parameter '{name}'" + (f"; did you mean '{close[0]}'?" if close else ""))


def _fill(table: OperatorTable, op: OpDef, parameter: Parameter, arg: Arg) -> tuple[Slot, int]:
    """Slot and cost of one argument.

    Raises:
        _Refused: The parameter does not take it.
    """
    kind = parameter.kind
    if parameter.is_optional:
        if arg.type == NONE or arg.type == optional(_EXACT.get(kind[:-1], NONE)):
            return Given(arg), 0
        kind = kind[:-1]
    found = arg.type
    if kind == "Any" and isinstance(op.implementation, Native):
        return Given(arg), _ANYTHING
    if kind == "Device" and isinstance(arg.constant, str):
        return Default(factory.named(arg.constant)), 3
    if kind in _DECIDED_BY_RULE or _EXACT.get(kind) == found:
        return Given(arg), 0
    if (conversion := _CONVERSIONS.get((found, kind))) is not None:
        return Given(arg, table[conversion[0]]), conversion[1]
    match kind:
        case _ if kind in CONTAINERS and isinstance(found, CONTAINERS[kind]):
            return Given(arg), 0
        case "Tensor" if isinstance(found, TensorType):
            return Given(arg), 0
        case "Tensor" if found in _NUMBERS and takes_numbers(op) and not parameter.written:
            return Given(arg), _NUMBER_AS_TENSOR
        case "Tensor" if isinstance(found, ScalarType) and isinstance(op.implementation, Pointwise):
            return Given(arg), 0
        case "Scalar" if found in _NUMBERS and not (found == COMPLEX and isinstance(op.implementation, Kernel)):
            return Given(arg), 0
        case "Tensor[]" if isinstance(found, TupleType) and all(isinstance(e, TensorType) for e in found.elements):
            return Given(arg), 0
        case "int[]" | "int[1]" if isinstance(found, SizeType):
            return Given(arg), 0
        case "int[]" | "int[1]" if isinstance(found, TupleType) and all(e == INT for e in found.elements):
            return Given(arg), 0
        case "int[]" | "int[1]" if isinstance(found, ListType) and found.element == INT:
            return Given(arg, table["list_size"]), _LIST_AS_SIZE
        case "int[1]" if found == INT:
            return Gathered((arg,)), _GATHER
        case "float[]" if isinstance(found, TupleType) and all(e == FLOAT for e in found.elements):
            return Given(arg), 0
    raise _WrongType(parameter, found)


def takes_numbers(op: OpDef) -> bool:
    """Whether a number may stand for a tensor that the operator does not write."""
    return isinstance(op.implementation, Pointwise) or NUMBERS_AS_TENSORS in op.tags


def check_numbers(op: OpDef, args: Sequence[Arg]) -> None:
    """Refuse numbers where `op` takes tensors alone: its rule asks them for a dtype.

    Raises:
        OperatorTypeError: One is there.
    """
    for parameter, arg in zip(op.schema.parameters, args, strict=False):
        if parameter.kind == "Tensor" and arg.type in NUMBERS and (parameter.written or not takes_numbers(op)):
            raise OperatorTypeError(f"'{parameter.name}' must be a Tensor, not {arg.type}")


_READABLE = {
    "Scalar": "a number",
    "Tensor": "a Tensor",
    "int": "an int",
    "float": "a float",
    "bool": "a bool",
    "str": "a str",
    "dtype": "a dtype",
    "Device": "a device",
    "Generator": "a Generator",
    "layout": "a layout",
    "memory_format": "a memory format",
    "None": "None",
    "Tensor[]": "a tuple of Tensors",
    "int[]": "a tuple of ints",
    "int[1]": "an int or a tuple of ints",
    "float[]": "a tuple of floats",
    "bytes": "bytes",
    "complex": "a complex",
    "list": "a list",
    "dict": "a dict",
    "set": "a set",
    "table": "a dict or a set",
    "object": "an instance of a class",
    "type": "a type",
}


def _readable(kind: str) -> str:
    plain = kind.rstrip("?")
    text = _READABLE.get(plain, f"a {plain}")
    return f"{text} or None" if kind.endswith("?") else text


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _explain(name: str, args: Sequence[Arg], kwargs: Mapping[str, Arg], refusals: Sequence[tuple[OpDef, str]]) -> str:
    shown = [str(a.type) for a in args] + [f"{k}={a.type}" for k, a in kwargs.items()]
    head = f"'{name}' does not take ({', '.join(shown)})"
    refusals = [found for found in refusals if not _is_of_containers(found[0], args)] or refusals
    if len(refusals) == 1:
        op, reason = refusals[0]
        return f"{head}: {reason}\n  {op.schema}"
    return "\n".join([f"{head}; its overloads are:", *(f"  {op.schema}\n      {reason}" for op, reason in refusals)])


def _is_of_containers(op: OpDef, args: Sequence[Arg]) -> bool:
    """Whether an operator is one of containers of a kind that the first argument is not."""
    kind = op.schema.parameters[0].kind if op.schema.parameters else ""
    return kind in CONTAINERS and bool(args) and not isinstance(args[0].type, CONTAINERS[kind])
