"""Instances of classes, exceptions among them, as a kind."""

from __future__ import annotations

from tscript.abi.exceptions import is_exception
from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.source.classes import class_definition, defines
from tscript.frontend.values import exceptions, fields, hashes, instance_comparisons, instances, module_members
from tscript.frontend.values.representation import STR_METHODS, in_fields, own_str
from tscript.ir.graph import Value
from tscript.late import replace
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.types import BOOL, TYPE, ClassType, Type, is_instance_of
from tscript.types.inference import weaken


def _as_string(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """The method of the class, or the generated ``__repr__`` of a dataclass."""
    if is_exception(value.type):
        return exceptions.lower_str(lowering, value, special, span)
    own = own_str(lowering, value, special, span)
    if own is not None or not defines(value.type, STR_METHODS):
        return own
    definition = class_definition(value.type)
    generator = None if definition is None else definition.generator("__repr__")
    if definition is None or generator is None:
        return None
    names = [f.name for f in generator.fields or () if f.repr and f.only_init is None]
    parts = [(f"{n}=", fields.get_field(lowering, value, n, span)) for n in names]
    assert definition.python is not None
    return in_fields(lowering, f"{definition.python.__qualname__}(", parts, ")", span)


def _contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value | None:
    members = module_members.members_of(container)
    if members is not None and members.is_mapping:
        return module_members.contains(lowering, members, item, span)
    found = special_call(lowering, container, "__contains__", [item], span)
    return None if found is None else lowering.truth(found, span)


def _is_instance(lowering: FunctionLowering, value: Value, type: Type, span: Span) -> Value:
    found = weaken(value.type)
    if is_instance_of(found, type):
        return lowering.const(True, BOOL, span)
    if (
        isinstance(found, ClassType)
        and isinstance(type, ClassType)
        and (type.info.derives_from(found.info) or (is_exception(found) and is_exception(type)))
    ):  # an exception may be of a class that derives from both
        return lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
    return lowering.const(False, BOOL, span)


INSTANCE = replace(
    instances.PLAIN,
    as_string=_as_string,
    has_methods=True,
    precedence=3,
    equal=instance_comparisons.equal,
    negates_equal=True,
    order=instance_comparisons.order,
    has_identity=True,
    contains=_contains,
    hash=hashes.of_instance,
    instance=_is_instance,
)
