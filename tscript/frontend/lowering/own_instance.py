"""The instance that an ``__init__`` initialises."""

from __future__ import annotations

from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.classes import ClassDefinition, owner_of
from tscript.ir.graph import Value
from tscript.late import dataclass, field
from tscript.types import BOOL


@dataclass(slots=True)
class OwnInstance:
    """The instance that an ``__init__`` initialises.

    Attributes:
        definition: Its class.
        mark: The binding of an assigned attribute in a scope.
        open_fields: Empty containers that are first values of attributes, while the attributes of the class are being
            found.
    """

    definition: ClassDefinition
    mark: Bound
    open_fields: dict[str, Value] = field(default_factory=dict)


SET = ".set "
"""The prefix of the hidden names of ``__init__`` that record which attributes have been assigned."""


def own_instance(lowering: Lowering) -> OwnInstance | None:
    """The instance that a function initialises; None of one that is no ``__init__`` or ``__post_init__``."""
    function = lowering.function
    definition, name, header = owner_of(function), function.name, function.header
    if definition is None or name not in ("__init__", "__post_init__") or name not in definition.methods:
        return None
    written = definition.methods[name]._function
    if written is not function and (written is None or function.keywords is None or written.header != header):
        return None
    own = OwnInstance(definition, Bound(lowering.const(True, BOOL, header), header))
    if name == "__post_init__":
        for attribute in (f.name for f in definition.fields or () if f.only_init is None):
            lowering.scope[SET + attribute] = own.mark
    return own
