"""``x += y``: in place on tensors and containers, a new value on everything else."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering import holding, method_calls, receivers, refinement
from tscript.frontend.lowering.arithmetic import BINARY, METHODS, binary
from tscript.frontend.lowering.calls import lower_method_of
from tscript.frontend.lowering.expressions import attribute
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.integers import beside, bound, masked
from tscript.frontend.lowering.names import bind
from tscript.frontend.lowering.refinement import assigned
from tscript.frontend.lowering.subscripts import key_of, refuse_element, set_attribute
from tscript.ir.graph import Value
from tscript.types import ClassType, DictType, ListType, SetType, TensorType, Type


def lower_augmented(lowering: FunctionLowering, node: ast.AugAssign) -> None:
    """``x += y``: in place on tensors, a new value on everything else."""
    target = node.target
    if isinstance(target, ast.Attribute):
        augment_attribute(lowering, node, target)
        return
    if not isinstance(target, ast.Name):
        augment_element(lowering, node, target)
        return
    current = lowering.value(target)
    if augment_container(lowering, node, current):
        return
    changed = augment_instance(lowering, node, current)
    if changed is not None:
        bind(lowering, target.id, changed, lowering.span(target))
        return
    if isinstance(current.type, TensorType):
        write_in_place(lowering, node, current, lowering.value(node.value))
    else:
        bind(lowering, target.id, augmented(lowering, node, current), lowering.span(target))


_IN_PLACE: dict[tuple[type[Type], type[ast.operator]], str] = {
    (ListType, ast.Add): "extend",
    (SetType, ast.BitOr): "update",
    (SetType, ast.BitAnd): "intersection_update",
    (SetType, ast.Sub): "difference_update",
    (SetType, ast.BitXor): "symmetric_difference_update",
    (DictType, ast.BitOr): "update",
}
"""Augmented assignments that change a container, as its methods."""


def augment_container(lowering: FunctionLowering, node: ast.AugAssign, current: Value) -> bool:
    """``xs += ys`` and the like, which change the container itself; False for other values."""
    if isinstance(current.type, ListType) and current.type.frozen:
        return False
    name = _IN_PLACE.get((type(current.type), type(node.op)))
    if name is not None:
        function = ast.Attribute(node.target, name, ast.Load())
        call = ast.copy_location(ast.Call(ast.copy_location(function, node.target), [node.value], []), node)
        lower_method_of(lowering, call, current)
        return True
    if isinstance(current.type, ListType) and isinstance(node.op, ast.Mult):
        lowering.apply("imul", [current, lowering.value(node.value)], lowering.span(node), shown_as="*=")
        return True
    return False


def augment_attribute(lowering: FunctionLowering, node: ast.AugAssign, target: ast.Attribute) -> None:
    """``x.name += y``"""
    span = lowering.span(target)
    owner = lowering.value(target.value)
    current = attribute(lowering, owner, target.attr, span)
    if isinstance(owner.type, ClassType):
        read = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
        current = refinement.refined(lowering, read, current)
    if augment_container(lowering, node, current):
        return
    made = augment_instance(lowering, node, current)
    if made is None:
        if isinstance(current.type, TensorType):
            write_in_place(lowering, node, current, lowering.value(node.value))
            return
        made = augmented(lowering, node, current)
    set_attribute(lowering, owner, target.attr, made, span, target)
    assigned(lowering, target, made)


def augment_instance(lowering: FunctionLowering, node: ast.AugAssign, current: Value) -> Value | None:
    """The result of ``__iadd__`` and the like of an instance; None for other values."""
    method = METHODS.get(BINARY[type(node.op)][0])
    definition = receivers.definition_of(current)
    if definition is None or method is None or definition.method(f"__i{method}__") is None:
        return None
    return method_calls.special_call(
        lowering, current, f"__i{method}__", [lowering.value(node.value)], lowering.span(node)
    )


def write_in_place(lowering: FunctionLowering, node: ast.AugAssign, current: Value, value: Value) -> None:
    """Write ``current op value`` into the tensor `current`."""
    augment = lowering.kind(current).augment
    if augment is not None:
        augment(lowering, node, current, value)
        return
    operator, sign = BINARY[type(node.op)]
    span = lowering.span(node)
    if not lowering.program.resolver.table.overloads(f"{operator}_"):
        raise lowering.failure(type_errors.NoInPlace(span, sign, ast.unparse(node.target)))
    lowering.apply(f"{operator}_", [current, value], span, shown_as=f"{sign}=")


def augment_element(lowering: FunctionLowering, node: ast.AugAssign, target: ast.expr) -> None:
    """``x[index] += value``: what the kind of `x` says."""
    assert isinstance(target, ast.Subscript)
    container = lowering.value(target.value)
    if isinstance(container.type, ClassType):
        _augment_instance(lowering, node, target, container)
        return
    if isinstance(container.type, ListType | DictType):
        _augment_item(lowering, node, target, container)
        return
    augment_item = lowering.kind(container).augment_item
    if augment_item is None:
        raise refuse_element(lowering, target, container)
    augment_item(lowering, node, target, container)


def _augment_instance(lowering: FunctionLowering, node: ast.AugAssign, target: ast.Subscript, container: Value) -> None:
    """``x[key] += value`` by ``__getitem__`` and ``__setitem__``."""
    span, key = lowering.span(target), lowering.value(target.slice)
    current = method_calls.special_call(lowering, container, "__getitem__", [key], span)
    if current is None:
        raise lowering.failure(type_errors.NotSubscriptable(lowering.span(target.value), article(container.type)))
    made = augmented(lowering, node, current)
    if method_calls.special_call(lowering, container, "__setitem__", [key, made], span) is None:
        what = f"an element of {article(container.type)}"
        raise lowering.failure(errors.UnsupportedTarget(span, what, "define '__setitem__' in the class"))


def _augment_item(lowering: FunctionLowering, node: ast.AugAssign, target: ast.Subscript, container: Value) -> None:

    key = key_of(lowering, container, target.slice)
    current = lowering.apply("getitem", [container, key], lowering.span(target))
    if isinstance(current.type, TensorType):
        write_in_place(lowering, node, current, lowering.value(node.value))
        return
    if augment_container(lowering, node, current):
        return
    value = augmented(lowering, node, current)
    held = container.type.value if isinstance(container.type, DictType) else current.type
    made = holding.element(lowering, node.value, value, held, shown(container.type))
    lowering.apply("setitem", [container, key, made], lowering.span(target))


def augmented(lowering: FunctionLowering, node: ast.AugAssign, current: Value) -> Value:
    """The value of ``x op= y`` where `x` is not changed in place; `current` is its old value."""

    part = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
    largest = bound(lowering, part)
    found = None if largest is None else masked(lowering, current, part, largest)
    if found is not None:
        return found
    right = beside(lowering, node.op, current, node.value) or lowering.value(node.value)
    return binary(lowering, node.op, current, right, node)
