"""Recomputes types after a pass has replaced values by values of narrower types.

When a branch was pruned or a loop unrolled, `Tensor[?, 2]` may have become `Tensor[float32, 2]`. Later operators then
have narrower results too, need no dispatch at run time, or are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.definitions.table import OperatorTable
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, If, Node, Op, Try, Value, Yield
from tscript.ir.rewrite import rewrite
from tscript.operators.python.classes import NAMED_MAKE
from tscript.operators.python.container_literals import LIST_MAKE
from tscript.passes.facts import Fact
from tscript.types import INT, NEVER, SIZE, ListType, TensorType, TupleType, Type, is_subtype, join, passes_as


def is_narrower(old: Iterable[Value], new: Iterable[Value]) -> bool:
    """Whether any replacement has another type than the replaced value."""
    return any(a.type is not b.type and a.type != b.type for a, b in zip(old, new, strict=False))


def declared_form(found: Type, declared: Type | None = None) -> Type:
    """`found`, but a Size where `declared` has one in place of a tuple of ints: these two lie in memory differently.
    Nothing
    declared: wherever there could be one."""
    if not isinstance(found, TupleType):
        return found
    if declared == SIZE or (declared is None and found.named is None and is_subtype(found, SIZE)):
        return SIZE
    inner = declared.elements if isinstance(declared, TupleType) else None
    if declared is not None and (inner is None or len(inner) != len(found.elements)):
        return found
    return TupleType(tuple(map(declared_form, found.elements, inner or [None] * len(found.elements))), found.named)


def in_form(builder: Builder, value: Value, type: Type) -> Value:
    """`value` in the form of `type`, which `declared_form` made of its type."""
    found = value.type
    if found == type or not isinstance(found, TupleType):
        return value
    parts = [builder.op(TUPLE_GET, value, builder.const(i)) for i in range(len(found.elements))]
    if type == SIZE:
        from tscript.operators.tensor.tensor_lists import LIST_SIZE

        return builder.op(LIST_SIZE, builder.op(LIST_MAKE, builder.const(ListType(INT)), *parts))
    assert isinstance(type, TupleType)
    formed = [in_form(builder, v, t) for v, t in zip(parts, type.elements, strict=True)]
    return (
        builder.op(TUPLE_MAKE, *formed) if type.named is None else builder.op(NAMED_MAKE, builder.const(type), *formed)
    )


def taken_forms(
    op: OpDef, args: Sequence[Arg], declared: Sequence[Type | None], result: Type
) -> tuple[list[Type], Type] | None:
    """Other argument types of `op`, with tuples of ints as Sizes, and its result type, if that fits `result`; None if
    there are none."""
    types = [declared_form(a.type, d) for a, d in zip(args, declared, strict=True)]
    if all(t == a.type for t, a in zip(types, args, strict=True)):
        return None
    try:
        found = op.type_rule(
            [Fact(t, a.constant if t == a.type else MISSING) for t, a in zip(types, args, strict=True)]
        )
    except OperatorTypeError:
        return None
    return (types, found) if passes_as(found, result) else None


def retype(graph: Graph, table: OperatorTable) -> bool:
    """Narrow the types in `graph` by the operators' rules, forwards; parameters of loops stay. Whether any changed.

    An operator that its rule now refuses raises where it stands, as it would have at run time. The number of a tensor
    whose dtype was not known stays a 0-d tensor: operators and blocks behind it may count on one.
    """
    changed = False
    getitem, number = table["getitem.Size"], table["item"]

    def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
        nonlocal changed
        if isinstance(node, Op):
            output = node.outputs[0]
            refused: OperatorTypeError | None = None
            try:
                found = node.op.type_rule(node.inputs)
            except OperatorTypeError as error:
                refused, found = error, NEVER
            exception = None if refused is None else raised_at_run_time(refused)
            if (
                refused is not None
                and exception is None
                and node.op is getitem
                and isinstance(node.inputs[0].type, TupleType)
            ):
                return (builder.op(table["getitem.tuple"], *node.inputs, span=node.span, name=output.name),)
            if exception is None and (refused is not None or not passes_as(found, output.type)):
                again = taken_forms(node.op, node.inputs, [None] * len(node.inputs), output.type)
                if again is not None:
                    node.inputs[:] = [in_form(builder, v, t) for v, t in zip(node.inputs, again[0], strict=True)]
                    changed = True
                    return None
            if refused is not None:
                exception = exception or "TypeError"
                builder.raise_(exception, str(refused).replace("{", "{{").replace("}", "}}"))
                return ()
            if node.op is number and isinstance(output.type, TensorType) and not isinstance(found, TensorType):
                given = node.inputs[0].type
                assert isinstance(given, TensorType)
                value = builder.op(number, node.inputs[0], span=node.span)
                full = table["full"], builder.const(()), value, builder.const(given.dtype)
                return (builder.op(*full, span=node.span, name=output.name),)
            changed |= _narrow(output, found)
        elif isinstance(node, If | Try):
            ends = [b.nodes[-1] for b in node.blocks if isinstance(b.nodes[-1], Yield)]
            for i, output in enumerate(node.outputs):
                type: Type | None = None
                for end in ends:
                    type = end.inputs[i].type if type is None else join(type, end.inputs[i].type)
                if type is not None:
                    changed |= _narrow(output, type)
        return None

    return rewrite(graph.body, visit) or changed


def _narrow(value: Value, type: Type) -> bool:
    """What lies in memory keeps its type: files, which frozen programs are written to, have no other."""
    if isinstance(type, ListType) or type is value.type or type == value.type or not is_subtype(type, value.type):
        return False
    value.type = type
    return True


def raised_at_run_time(error: OperatorTypeError) -> str | None:
    """The exception that a type rule says the operator raises when it runs; None for an error of compilation."""
    for cls in type(error).__mro__:
        if cls.__module__ == "builtins" and cls is not TypeError:
            return None if cls is Exception else cls.__name__
    return None
