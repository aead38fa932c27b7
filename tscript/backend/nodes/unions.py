"""Unions, optionals and boxes in native code: conversions to wider and narrower types."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.layout import OBJECT_STRUCT
from tscript.abi.leaves import leaves
from tscript.backend.llvm.text import LIKELY
from tscript.backend.nodes import classes
from tscript.backend.nodes.cells import cells, load_cells
from tscript.backend.nodes.failing import call_symbol, raise_error
from tscript.backend.nodes.function import FunctionEmitter, OpEmitter
from tscript.backend.nodes.state import Operands
from tscript.diagnostics import InternalError
from tscript.ir.graph import Op
from tscript.operators.python import conversions
from tscript.types import ANY, BOOL, NONE, ClassType, OptionalType, Type, UnionType, is_heap, members_of


def _upcast(f: FunctionEmitter, node: Op) -> None:
    """A value as one of a wider type with the same representation, or with an added flag."""
    value, target = node.inputs[0], node.output.type
    f.env[node.output] = widened(f, f.operands(value), value.type, target)


def widened(f: FunctionEmitter, operands: Operands, source: Type, target: Type) -> Operands:
    """`operands` of type `source` as those of the supertype `target`."""
    if source == target:
        return operands
    if source == NONE:
        return f.constant(None, target, f.graph.span)
    if isinstance(target, OptionalType) and len(leaves(target)) != len(operands):
        return ("true", *operands)
    return operands


def _downcast(f: FunctionEmitter, node: Op) -> None:
    """A value as one of a narrower type. It raises if it has another type, although a condition has ruled that out."""
    value, target = node.inputs[0], node.output.type
    operands = f.operands(value)
    found = operands[len(operands) - len(leaves(target)) :]
    if target == NONE or value.type == target:
        fine = ""
    elif isinstance(value.type, OptionalType) and not is_heap(value.type):
        fine = operands[0]
    elif isinstance(value.type, OptionalType) and value.type.value == target:
        fine = f.text.let(f"icmp ne ptr {operands[0]}, null")
    else:
        fine = _is_of(f, operands[0], target, node)
    _insist(f, fine, node)
    f.env[node.output] = found


def _is_of(f: FunctionEmitter, object: str, wanted: Type, node: Op) -> str:
    """Whether an object, or null, is of a type."""
    if isinstance(wanted, OptionalType | UnionType):
        tests = [_is_of(f, object, member, node) for member in members_of(wanted)]
        found = tests[0]
        for test in tests[1:]:
            found = f.text.let(f"or i1 {found}, {test}")
        return found
    if wanted == NONE:
        return f.text.let(f"icmp eq ptr {object}, null")
    if wanted == ANY:
        return "true"
    symbol = symbols.kernel_symbol("object_is")
    (found,) = call_symbol(f, symbol, [f"ptr {object}", f"ptr {f.declare_type(wanted)}"], (BOOL,), node.span)
    return found


def _insist(f: FunctionEmitter, fine: str, node: Op) -> None:
    """Raise unless `fine`, an i1."""
    if fine in ("", "true"):
        return
    text = f.text
    going_on, bad = text.fresh_label("narrow"), text.fresh_label("other")
    text.terminate(f"br i1 {fine}, label %{going_on}, label %{bad}{LIKELY}")
    text.label(bad)
    raise_error(f, node.span, "TypeError", f"the value is no {node.output.type}".replace("{", "{{").replace("}", "}}"))
    text.label(going_on)


def _box(f: FunctionEmitter, node: Op) -> None:
    """A value that is not a heap object, as a box."""
    value = node.inputs[0]
    source = value.type
    inner = source.value if isinstance(source, OptionalType) else source
    if inner is not source:
        raise InternalError(f"a {source} is boxed by cases", node.span)
    symbol = symbols.kernel_symbol("object_box")
    (made,) = call_symbol(
        f,
        symbol,
        [f"ptr {f.declare_type(source)}", f"ptr {cells(f, f.operands(value), source)}"],
        (node.output.type,),
        node.span,
    )
    f.env[node.output] = (made,)


def _unbox(f: FunctionEmitter, node: Op) -> None:
    """The content of a box; the box keeps ownership."""
    target = node.output.type
    _insist(f, _is_of(f, f.operand(node.inputs[0]), target, node), node)
    address = f.text.let(f"getelementptr i8, ptr {f.operand(node.inputs[0])}, i64 {OBJECT_STRUCT.size}")
    f.env[node.output] = load_cells(f, address, target)


def _is_none(f: FunctionEmitter, node: Op) -> None:
    """Whether an optional or an object is None."""
    value = node.inputs[0]
    operands = f.operands(value)
    if value.type == NONE:
        f.env[node.output] = ("true",)
    elif isinstance(value.type, OptionalType) and not is_heap(value.type.value):
        f.env[node.output] = (f.text.let(f"xor i1 {operands[0]}, true"),)
    else:
        f.env[node.output] = (f.text.let(f"icmp eq ptr {operands[0]}, null"),)


def _is_instance(f: FunctionEmitter, node: Op) -> None:
    """Whether an object is of a type, or an instance of a class derived from it."""
    value, wanted = node.inputs[0], node.inputs[1].constant
    assert isinstance(wanted, Type)
    if wanted == NONE:
        f.env[node.output] = (f.text.let(f"icmp eq ptr {f.operand(value)}, null"),)
        return
    own = value.type
    if isinstance(wanted, ClassType) and isinstance(own, ClassType) and not own.info.derives_from(wanted.info):
        classes.is_instance(f, node, wanted)
        return
    (found,) = call_symbol(
        f,
        symbols.kernel_symbol("object_is"),
        [f"ptr {f.operand(value)}", f"ptr {f.declare_type(wanted)}"],
        (BOOL,),
        node.span,
    )
    f.env[node.output] = (found,)


VIEWS: dict[str, OpEmitter] = {
    conversions.UPCAST.name: _upcast,
    conversions.DOWNCAST.name: _downcast,
    conversions.UNBOX.name: _unbox,
    conversions.IS_NONE.name: _is_none,
}
"""What writes operators whose results refer to what their arguments own."""

MAKERS: dict[str, OpEmitter] = {
    conversions.BOX.name: _box,
    conversions.IS_INSTANCE.name: _is_instance,
}
"""What writes operators whose results own what they refer to, or refer to nothing."""
