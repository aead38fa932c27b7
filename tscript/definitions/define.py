"""Helpers that make an `OpDef` of each kind from little more than its schema and its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import getdoc
from operator import is_
from typing import Any

from tscript.arrays import Array, is_array, np
from tscript.definitions.names import Out, in_place_names, parse_names
from tscript.definitions.opdef import (
    NUMBERS_AS_TENSORS,
    PURE,
    RAISES,
    READS_ELEMENTS,
    Arg,
    Composite,
    Effects,
    ForArrays,
    Kernel,
    KernelBody,
    Native,
    OpDef,
    OperatorNotImplementedError,
    Pointwise,
    Reduces,
    Scalar,
    TypeRule,
    in_body,
)
from tscript.definitions.promotion import PointwiseRule, torch_name
from tscript.definitions.rules import SCALARS, declared_rule, fixed, rule_when, schema_rule
from tscript.definitions.schema import Schema, parse_schema
from tscript.definitions.values import (
    ValueArg,
    broadcast_shape,
    cast,
    check_distinct,
    check_stored,
    dtype_of_array,
    store,
    widen,
)
from tscript.late import replace
from tscript.types import DType, TensorType, TupleType, Type, dtypes

# ---- scalar operators


def scalar(
    schema: str,
    body: Callable[..., Any],
    doc: str,
    *,
    meaning: Callable[..., object] | None = None,
    raises: bool = False,
    names: str = "",
) -> OpDef:
    """An operator of the language's scalars.

    Args:
        schema: Of ints, floats, bools and dtypes.
        body: A dialect function, a leaf operator or a C function of `libm`; ``T`` is the type of the first operand.
        doc: One line.
        meaning: The same on Python values; the body itself when left out.
        raises: Whether it can raise.
        names: See `parse_names`.
    """
    parsed = parse_schema(schema)
    rule = fixed(SCALARS[parsed.result], [p.kind for p in parsed.parameters])
    effects, found = RAISES if raises else PURE, parse_names(parsed, names)
    return OpDef(parsed, rule, meaning or body, Scalar(body), effects, doc, portable=True, names=found)


# ---- pointwise operators


def pointwise(
    schema: str,
    rule: PointwiseRule,
    body: Callable[..., Any],
    doc: str,
    *,
    exact: bool = True,
    guard: Callable[..., None] | None = None,
    tags: Iterable[str] = (),
    names: str | None = None,
    complex: bool = False,
) -> OpDef:
    """A pointwise operator.

    Args:
        schema: A ``Tensor`` parameter also takes a number, as long as one argument is a tensor.
        rule: Its promotion.
        body: Straight-line dialect function over one element of each operand, a leaf operator, or a `ByType` of those.
            It runs over NumPy arrays as it stands, and so is the operator's meaning.
        doc: One line.
        exact: Whether it gives the same bits there; functions of `vector_math` do not.
        guard: Raises, given the arrays, what another operator raises before this one in native code.
        tags: See `OpDef`.
        names: See `parse_names`.
        complex: Whether it takes complex operands; others refuse them.
    """
    parsed = parse_schema(schema)
    rule = rule if complex else replace(rule, refuses_complex=f"{parsed.name}_cpu")
    tensors = sum(parsed.parameters[i].kind == "Tensor" for i in rule.operands)
    effects = Effects(writes=(rule.operands[0],), raises=True) if rule.in_place else RAISES if tensors > 1 else PURE
    return OpDef(
        parsed,
        rule.result,
        _on_arrays(rule, body, guard),
        Pointwise(body, rule),
        effects,
        doc,
        exact,
        tags=frozenset(tags),
        portable=True,
        names=parse_names(parsed, names, Out.CAST),
    )


def pointwise_pair(
    schema: str,
    rule: PointwiseRule,
    body: Callable[..., Any],
    doc: str,
    *,
    exact: bool = True,
    guard: Callable[..., None] | None = None,
    names: str | None = None,
    complex: bool = False,
) -> tuple[OpDef, OpDef]:
    """A pointwise operator and its in-place variant ``name_``, which writes its first operand and gives it back. Of the
    `names` those that end in ``_`` are further names of the variant, or behind a ``-`` names that it lacks."""
    own, further = names, ""
    if names is not None:
        own = " ".join(name for name in names.split() if not name.endswith("_"))
        further = " ".join(name for name in names.split() if name.endswith("_"))
    op = pointwise(schema, rule, body, doc, exact=exact, guard=guard, names=own, complex=complex)
    written = rule.operands[0]
    parameters = tuple(replace(p, written=i == written) for i, p in enumerate(op.schema.parameters))
    stored = Schema(f"{op.schema.name}_", op.schema.overload, parameters, op.schema.result)
    text = f"In-place `{op.schema.name}`."
    variant = pointwise(str(stored), rule.stored(), body, text, exact=exact, guard=guard, complex=complex)
    unary = sum(p.kind == "Tensor" for p in parameters) == 1
    return op, replace(variant, names=in_place_names(op.names, stored, further, unary=unary))


def _on_arrays(
    rule: PointwiseRule, body: Callable[..., Any], guard: Callable[..., None] | None
) -> Callable[..., object]:
    def semantics(*values: object) -> Array:
        computation = rule([ValueArg(v) for v in values])
        assert computation is not None
        target = values[rule.operands[0]]
        if rule.in_place and not rule.same_shape:
            check_distinct(target)
        operands = [
            cast(values[i], dtypes.bool_ if i in rule.conditions else computation.compute) for i in rule.operands
        ]
        shape = broadcast_shape([o.shape for o in (operands[1:] if rule.same_shape else operands)])
        if rule.same_shape:
            check_stored(target, shape, same_shape=True)
            check_distinct(target)
        if guard is not None:
            guard(*operands)
        with np.errstate(all="ignore"):
            # What NumPy makes of 0-d arrays are scalars, with other rules.
            found = cast(np.asarray(body(*map(np.atleast_1d, operands))), computation.result)
        found = np.broadcast_to(found, shape or (1,)).reshape(shape)
        if not rule.in_place:
            return np.array(found, order="C")
        assert isinstance(target, np.ndarray)
        store(target, found, shape)
        return target

    return semantics


# ---- kernels and composites


def kernel(
    schema: str,
    rule: TypeRule,
    semantics: Callable[..., object],
    body: KernelBody,
    doc: str,
    *,
    generic: tuple[int, ...] = (),
    effects: Effects = RAISES,
    exact: bool = True,
    tags: Iterable[str] = (),
    names: str | None = None,
    reduces: Reduces | None = None,
    complex: bool = False,
) -> OpDef:
    """An operator that the native library does: `body` is its dialect function, `names` are what `parse_names` reads.
    What it makes is contiguous. Without `complex` it refuses tensors of complex numbers, unless it gives a view."""
    reads = READS_ELEMENTS in tuple(tags) or "Tensor" in schema.rpartition("->")[2]
    if not complex and reads and effects.view_of is None:
        rule = _refusing_complex(parse_schema(schema).name, rule)
    if effects.view_of is None:
        semantics = _checked(rule, semantics)
    parsed = parse_schema(schema)
    found = parse_names(parsed, names)
    if any(i >= 0 for i in generic):
        semantics = _on_halves(rule, semantics)
    return OpDef(
        parsed,
        rule,
        semantics,
        Kernel(body, generic, reduces),
        effects,
        doc,
        exact,
        tags=frozenset(tags),
        portable=True,
        names=found if effects.view_of is None else replace(found, out=None),
    )


def _refusing_complex(name: str, rule: TypeRule) -> TypeRule:
    def refuses(args: Sequence[Arg]) -> Type:
        check(arg.type for arg in args)
        result = rule(args)
        check([result])
        return result

    def check(types: Iterable[Type]) -> None:
        for type in types:
            for found in type.elements if isinstance(type, TupleType) else (type,):
                if isinstance(found, TensorType) and found.dtype is not None and found.dtype.is_complex:
                    raise OperatorNotImplementedError(f"\"{name}\" not implemented for '{torch_name(found.dtype)}'")

    return refuses


def _checked(rule: TypeRule, semantics: Callable[..., object]) -> Callable[..., object]:
    """`semantics` with the refusals of the rule, which know more than a program whose dtypes are not known yet, and
    contiguous results."""

    def laid_out(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(laid_out, value))
        return np.asarray(value, order="C") if isinstance(value, np.ndarray) else value

    def checked(*values: object) -> object:
        rule([ValueArg(v) for v in values])
        return laid_out(semantics(*values))

    return checked


def _on_halves(rule: TypeRule, semantics: Callable[..., object]) -> Callable[..., object]:
    """`semantics` where floats of 16 bits are float32 and results are rounded once: as `WidenHalves` has it."""

    def rounded(value: object, type: Type) -> object:
        if isinstance(type, TupleType) and isinstance(value, tuple):
            return tuple(map(rounded, value, type.elements))
        return cast(value, type.dtype) if isinstance(type, TensorType) and type.dtype is not None else value

    def computed(value: object) -> object:
        return value.computed_in if isinstance(value, DType) else widen(value) if is_array(value) else value

    def on_halves(*values: object) -> object:
        wide = [computed(value) for value in values]
        if all(map(is_, wide, values)):
            return semantics(*values)
        wanted = rule([ValueArg(v) for v in values])
        found = semantics(*wide)
        for value, computed_value in zip(values, wide, strict=True):
            if isinstance(value, np.ndarray) and value is not computed_value and value.flags.writeable:
                np.copyto(value, cast(computed_value, dtype_of_array(value)))
        return rounded(found, wanted)

    return on_halves


def native(
    schema: str,
    semantics: Callable[..., object],
    body: KernelBody | None,
    doc: str,
    *,
    rule: TypeRule | None = None,
    effects: Effects = RAISES,
    typed: bool = False,
    exact: bool = True,
    tags: Iterable[str] = (),
    portable: bool = True,
) -> OpDef:
    """An operator over strings, containers or objects that the native library does; see `Native`.

    Args:
        schema: Its result is a type, in which ``T K V self`` stand for what they are of the first argument.
        semantics: The same on Python values.
        body: The dialect function.
        doc: One line.
        rule: The type rule; read off the schema when left out.
        effects: What reads or changes a list, a dict, a set or an object may not be `PURE`: two equal calls differ.
        typed: See `Native`.
        exact: False keeps it from being evaluated at compile time.
        tags, portable: See `OpDef`.

    Example:
        >>> from tscript.definitions.values import ValueArg
        >>> op = native("upper.str(str self) -> str", str.upper, "strings_case.str_upper", "Upper case.", effects=PURE)
        >>> str(op.type_rule([ValueArg("a")]))
        'str'
    """
    parsed = parse_schema(schema)
    found = schema_rule(parsed, changes=effects.world) if rule is None else rule
    implementation = Native(body, typed)
    return OpDef(parsed, found, semantics, implementation, effects, doc, exact, tags=frozenset(tags), portable=portable)


def view(
    schema: str,
    rule: TypeRule,
    semantics: Callable[..., object],
    body: KernelBody,
    doc: str,
    tags: Iterable[str] = (),
    *,
    names: str | None = None,
    for_arrays: ForArrays | None = None,
) -> OpDef:
    """A kernel whose result shares the storage of its first argument."""
    effects = Effects(view_of=0, raises=True)
    made = kernel(schema, rule, semantics, body, doc, effects=effects, tags=tags, names=names)
    return made if for_arrays is None else replace(made, implementation=Kernel(body, for_arrays=for_arrays))


def composite(
    schema: str,
    body: Callable[..., Any],
    doc: str = "",
    *,
    exact: bool = False,
    tags: Iterable[str] = (),
    names: str | None = None,
    when: Mapping[str, object] | None = None,
    world: bool = False,
) -> OpDef:
    """An operator that is a function in the language over other operators.

    Args:
        schema: Its result is ``Tensor``, ``Scalar``, a type of `SCALARS`, or a tuple of those.
        body: The function. It takes the parameters of the schema, each of the type of its argument; a parameter that
            may be None, or an int as well as a tuple, is asked with ``if`` as anywhere.
        doc: One line; the docstring of the body when left out.
        exact: Whether its body gives the same bits in the interpreter and in native code.
        tags: See `OpDef`.
        names: See `parse_names`.
        when: The constants of parameters with which a call means this overload: its results are others than those of
            the other overloads.
        world: See `Effects`.
    """
    parsed, tagged = parse_schema(schema), frozenset(tags)
    rule = declared_rule(parsed, NUMBERS_AS_TENSORS in tagged)
    if when is not None:
        rule = rule_when(parsed, rule, when)
    written = tuple(i for i, p in enumerate(parsed.parameters) if p.written)
    return OpDef(
        parsed,
        rule,
        in_body,
        Composite(body),
        Effects(writes=written, raises=True, world=world) if written or world else RAISES,
        doc or getdoc(body) or "",
        exact,
        tags=tagged,
        portable=True,
        names=parse_names(parsed, names),
    )
