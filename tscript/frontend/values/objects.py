"""Instances of classes, exceptions among them, as a kind."""

from __future__ import annotations

from dataclasses import replace

from tscript.abi.exceptions import is_exception
from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.source.classes import class_definition, defines
from tscript.frontend.values import exceptions, instances
from tscript.frontend.values.representation import STR_METHODS, in_fields, own_str
from tscript.ir.graph import Value


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
    fields = [f.name for f in generator.fields or () if f.repr and f.only_init is None]
    parts = [(f"{n}=", instances.get_field(lowering, value, n, span)) for n in fields]
    assert definition.python is not None
    return in_fields(lowering, f"{definition.python.__qualname__}(", parts, ")", span)


INSTANCE = replace(instances.PLAIN, as_string=_as_string)
