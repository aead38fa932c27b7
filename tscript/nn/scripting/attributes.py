"""What a module consists of when it is compiled: the types of its attributes, constants, members."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from tscript import Tensor
from tscript.frontend.source.classes import Members
from tscript.frontend.source.symbols import UnknownSymbol
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter
from tscript.nn.scripting.facts import Layout
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import is_scripted
from tscript.runtime.values.sharing import is_torch
from tscript.types import (
    ANY,
    TENSOR,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
)

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, type)

_LISTS = ("ModuleList", "Sequential", "ParameterList")
_DICTS = ("ModuleDict", "ParameterDict")
_CONTAINERS = ("torch.nn.modules.container", "tscript.nn.modules.container")


def base_of(cls: type) -> type | None:
    """The class ``Module`` that a class derives from: that of `tscript.nn` or of an installed PyTorch."""
    torch = sys.modules.get("torch.nn")
    bases = (Module, getattr(torch, "Module", Module))
    return next((base for base in bases if isinstance(base, type) and issubclass(cls, base)), None)


def classes_of(source: type, base: type) -> tuple[type, ...]:
    """The classes that a scripted module gets its methods from, nearest first: all but ``Module`` and what that derives
    from. The layers of PyTorch compute what those of `tscript.nn` do, so these stand for them.

    Args:
        source: The class of the module.
        base: The class ``Module`` that it derives from.
    """
    found: list[type] = []
    replaced: set[type] = {*base.__mro__}
    for cls in source.__mro__:
        if cls in replaced or cls.__module__ in ("builtins", "typing", "abc"):
            continue
        ours = _layer(cls)
        if ours is not None:
            replaced.update(cls.__mro__)
        found += (cls,) if ours is None else classes_of(ours, Module)
    return tuple(found)


def _layer(cls: type) -> type | None:
    """Our layer of the same name as one of PyTorch."""
    if not cls.__module__.startswith("torch.nn.modules."):
        return None
    from tscript.nn import modules

    ours = getattr(modules, cls.__name__, None)
    return ours if isinstance(ours, type) and issubclass(ours, Module) else None


def members_of(cls: type, names: Iterable[str]) -> Members | None:
    """What modules of a class hold, if they are lists or dicts of modules or parameters."""
    for each in cls.__mro__:
        # In archives of TorchScript: __torch__.torch.nn.modules.container.___torch_mangle_3
        module = each.__module__.removeprefix("__torch__.").partition(".___torch_mangle_")[0]
        if module in _CONTAINERS and each.__name__ in (*_LISTS, *_DICTS):
            return Members(tuple(names), is_mapping=each.__name__ in _DICTS)
    return None


class Tensors:
    """The tensors of a tree of modules; one that stands in several places stays one."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}

    def plain(self, tensor: Any, *, is_parameter: bool = False) -> Tensor:
        """A tensor of ours over the memory of one of PyTorch; ours as it is."""
        if not is_torch(tensor):
            found: Tensor = tensor
            return found
        known = self._made.get(id(tensor))
        if known is None:
            from tscript import from_dlpack

            shared = from_dlpack(tensor.detach())
            made = Parameter(shared, requires_grad=tensor.requires_grad) if is_parameter else shared
            known = self._made[id(tensor)] = (tensor, made)
        shared_with_it: Tensor = known[1]
        return shared_with_it


def type_of_tensor(tensor: Tensor, is_stored: bool) -> Type:
    """The type of a tensor that is an attribute: dtype and rank are known unless compiled code puts another there."""
    return TENSOR if is_stored else TensorType(tensor.dtype, tensor.dim())


def gather(module: Any, base: type, tensors: Tensors, submodules: Mapping[str, Any]) -> tuple[dict[str, Any], Layout]:
    """The attributes of a module with their values, and which of them are what.

    Args:
        module: The module.
        base: The class ``Module`` that it derives from.
        tensors: Makes tensors of ours.
        submodules: Its submodules, compiled; None for those that are None.
    """
    state: Mapping[str, Any] = vars(module)
    values: dict[str, Any] = {}
    for kind in ("_parameters", "_buffers"):
        for name, tensor in state[kind].items():
            is_parameter = kind == "_parameters"
            values[name] = None if tensor is None else tensors.plain(tensor, is_parameter=is_parameter)
    values.update(submodules)
    hidden = internal_names(base) | _properties(type(module), base)
    for name, value in state.items():
        if name not in hidden and name not in values:
            if _is_attribute(value):
                value = value.value
            values[name] = tensors.plain(value) if is_torch(value) else value
    layout = Layout(
        tuple(state["_parameters"]),
        tuple(state["_buffers"]),
        tuple(submodules),
        frozenset(state["_non_persistent_buffers_set"]),
    )
    return values, layout


def _is_attribute(value: Any) -> bool:
    """Whether it is a value with its type: ``torch.jit.Attribute``, of PyTorch or of tscript."""
    cls = type(value)
    return (
        cls.__name__ == "Attribute"
        and issubclass(cls, tuple)
        and cls.__module__ in ("torch.jit._script", "tscript.jit")
    )


def _properties(source: type, base: type) -> frozenset[str]:
    """Names of properties, which attributes of an instance do not hide."""
    found: dict[str, Any] = {}
    for cls in reversed(classes_of(source, base)):
        found.update(vars(cls))
    return frozenset(name for name, value in found.items() if isinstance(value, property))


Declared = tuple[dict[str, Type], frozenset[str]]
"""The types that a class declares for attributes, and names of constants."""


def declared_by(source: type, base: type) -> Declared:
    """What the class of a module declares."""
    return current().compiler.declared_attributes(classes_of(source, base))


def classify(
    source: type, declarations: Declared, values: Mapping[str, Any], layout: Layout, path: str = ""
) -> tuple[dict[str, Type], dict[str, Any]]:
    """The types of the attributes that may change, and the others, which are constants of compiled code.

    Args:
        source: The class of the module.
        declarations: See `declared_by`.
        values: Its attributes.
        layout: Which of them are what.
        path: Where it is, for errors.
    """
    compiler = current().compiler
    declared, final = declarations
    stored = layout.stored
    types: dict[str, Type] = {}
    constants: dict[str, Any] = {}
    for name, value in values.items():
        if name in layout.modules and value is not None:
            found: Any = compiler.class_type(type(value))
        elif isinstance(value, Tensor) and not (name in stored and isinstance(declared.get(name), OptionalType)):
            found = type_of_tensor(value, name in stored)
        elif name not in stored and (value is None or name in final):
            found = tuple(value) if isinstance(value, list) else value  # constants do not change
        elif name in declared and name not in layout.modules and not has_any(declared[name]):
            found = declared[name]
        else:
            found = _type_of(name, value, stored)
            if isinstance(found, UnknownSymbol):
                found = replace(found, module=path)
        if isinstance(found, Type):
            types[name] = found
        else:
            constants[name] = found
    for name in final - values.keys():
        if hasattr(source, name) and not callable(getattr(source, name)):
            constants[name] = getattr(source, name)
    return types, constants


@cache
def internal_names(base: type) -> frozenset[str]:
    """The attributes that every module has for itself."""
    return frozenset({*vars(base()), *inspect.get_annotations(base)} - {"training"})


def _type_of(name: str, value: Any, stored: frozenset[str]) -> Any:
    """The type of an attribute; what is no value of the language is a constant."""
    if isinstance(value, _FUNCTIONS) or is_scripted(value):
        return value
    if value is None:
        if name not in stored:
            return None
        what = f"the attribute '{name}', which is None when the module is compiled and assigned later,"
        return UnknownSymbol(what, f"declare it in the class: '{name}: Optional[Tensor]'")
    if _has_modules(value):
        what = f"the attribute '{name}', a {type(value).__name__} of modules,"
        return UnknownSymbol(what, "put them into a ModuleList or ModuleDict")
    found = current().conversion.type_of(value)
    if found is None and callable(value):
        return value
    if found is None:
        what = f"the attribute '{name}', a {type(value).__name__},"
        return UnknownSymbol(what, "no type of the language fits it: leave it out of compiled methods")
    if has_any(found):
        what = f"the attribute '{name}', whose elements have no common type,"
        return UnknownSymbol(what, f"declare it in the class: '{name}: List[int]', 'Dict[str, Tensor]' …")
    return found


def _has_modules(value: object) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list | tuple | set) and any(base_of(type(v)) is not None for v in value)


def has_any(type: Type) -> bool:
    """Whether the type of some part of a value is not known."""
    match type:
        case ListType(element) | SetType(element):
            return has_any(element)
        case DictType(key, value):
            return has_any(key) or has_any(value)
        case TupleType(elements):
            return any(map(has_any, elements))
        case FutureType():
            return True
    return type == ANY
