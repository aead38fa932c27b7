"""Types again, after a pass put values of narrower types in place of others.

Where a branch was pruned or a loop unrolled, `Tensor[?, 2]` may have become `Tensor[float32, 2]`; the operators behind it
then have narrower results too, need no dispatch at run time, or turn out to be refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, If, Node, Op, Try, Value, Yield
from tscript.ir.rewrite import rewrite
from tscript.ops.opdef import OperatorTypeError
from tscript.ops.table import OperatorTable
from tscript.types import TensorType, TupleType, Type, is_subtype, join


def is_narrower(old: Iterable[Value], new: Iterable[Value]) -> bool:
    """Whether any value that comes to stand for another has another type than it."""
    return any(a.type is not b.type and a.type != b.type for a, b in zip(old, new, strict=False))


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
            try:
                found = node.op.type_rule(node.inputs)
            except OperatorTypeError as error:
                if (
                    node.op is getitem
                    and isinstance(node.inputs[0].type, TupleType)
                    and raised_at_run_time(error) is None
                ):
                    return (builder.op(table["getitem.tuple"], *node.inputs, span=node.span, name=output.name),)
                exception = raised_at_run_time(error) or "TypeError"
                builder.raise_(exception, str(error).replace("{", "{{").replace("}", "}}"))
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
    if type is value.type or type == value.type or not is_subtype(type, value.type):
        return False
    value.type = type
    return True


def raised_at_run_time(error: OperatorTypeError) -> str | None:
    """The exception that a type rule says the operator raises when it runs; None for an error of compilation."""
    for cls in type(error).__mro__:
        if cls.__module__ == "builtins" and cls is not TypeError:
            return None if cls is Exception else cls.__name__
    return None
