"""Frozen modules as parts of others: each has a class in compiled code, without attributes.

Its methods are those of the frozen module with the module as a first parameter, which they do not use.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tscript.frontend import PythonFunction
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import ClassDefinition, Method
from tscript.ir.graph import Param
from tscript.nn.scripting.programs import function_of, programs_of, take_also
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import scripted_of
from tscript.types import ClassInfo, ClassType


def definition_of(cls: Any, table: ClassTable) -> ClassDefinition:
    """The definition of the class of a frozen module.

    Args:
        cls: The class.
        table: The classes of the process.
    """
    info = ClassInfo(table.unique_name(cls.__module__, cls.__qualname__), cls, is_module=True)
    definition = ClassDefinition(cls.__name__, ClassType(info), python=cls, is_final=True)
    definition.is_module = True
    definition.constants.update(cls._facts.constants)
    for name in cls._frozen.methods:
        definition.methods[name] = Method(name, "method", partial(_stored, cls, name))
    table.add(definition)
    return definition


def method_of(cls: Any, name: str, of: Any = None) -> Any:
    """A method of a frozen module as a scripted function whose first parameter is the module.

    Args:
        cls: The class of the module.
        name: The name of the method, which takes no module.
        of: The class of the parameter, if it is another one.
    """
    scripted = scripted_of(cls._frozen.methods[name])
    type = current().compiler.class_type(of or cls)
    assert type is not None
    programs = programs_of(scripted)
    for program, _ in programs:
        take_also(program, Param("self", type))
    shifted = [(program, [position + 1 for position in static]) for program, static in programs]
    return function_of(name, shifted, scripted.code, scripted.doc)


def _stored(cls: Any, name: str) -> PythonFunction:
    """The function that compiled code calls for a method."""
    found: PythonFunction = method_of(cls, name).__tscript_function__
    return found
