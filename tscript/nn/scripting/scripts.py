"""From modules to scripted ones: `script_module`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pickle import PicklingError
from typing import Any

from tscript.diagnostics.exceptions import CompileError
from tscript.frontend import PythonFunction
from tscript.frontend.source.module_reading import ModuleFacts, never_assigned, stored_attributes
from tscript.late import replace
from tscript.nn.scripting.attributes import (
    Declared,
    Tensors,
    base_of,
    classes_of,
    classify,
    declared_by,
    gather,
    has_any,
    members_of,
)
from tscript.nn.scripting.facts import IMPORTED, Facts, Layout
from tscript.nn.scripting.making import adopted, fits, new_class, new_module
from tscript.nn.scripting.script_module import ScriptModule
from tscript.runtime.session.methods import OwnerOf
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted, scripted_of
from tscript.runtime.session.usage import log_api_usage_once
from tscript.types import INTERFACE, OpenType, Type
from tscript.upper import Modules


def script_module(module: Any) -> ScriptModule:
    """A module with native code for its `forward`, and for what that calls.

    Args:
        module: A module of `tscript.nn` or of PyTorch, with all below it. It stays as it is; tensors are shared.

    Raises:
        CompileError: With every error of `forward` and of what it calls.
        TypeError: It is no module.
        RuntimeError: A module has hooks.
    """
    if isinstance(module, ScriptModule):
        return module
    base = base_of(type(module))
    if base is None:
        raise TypeError(f"expected a module, not {type(module).__name__}")
    log_api_usage_once("tscript.script.compile")
    made = _Tree(base, module).made(module, "")
    function = getattr(made, "forward", None)
    if function is not None and not made._facts.members:
        scripted = scripted_of(function.__func__)
        try:
            _ = scripted.program
        except CompileError as error:
            current().watch.failed(type(module).__name__, error)
            raise
    return made


def restored(source: type, values: Mapping[str, Any], layout: Layout) -> ScriptModule:
    """A scripted module of what a pickle holds.

    Args:
        source: The class of the module that it was made of.
        values: Its attributes.
        layout: Which of them are what.
    """
    source = source if isinstance(source, type) else source.make()
    base = base_of(source)
    assert base is not None
    return _module(source, base, declared_by(source, base), values, layout)


class _Tree:
    """Makes scripted modules of a module and all below it.

    Args:
        base: The class ``Module`` that they derive from.
        module: The module.
    """

    def __init__(self, base: type, module: Any) -> None:
        self._base = base
        self._tensors = Tensors()
        self._made: dict[int, ScriptModule] = {}
        self._stored = {
            cls: stored_attributes(classes_of(cls, base)) for cls in {type(each) for each in module.modules()}
        }
        self._declared = {cls: declared_by(cls, base) for cls in self._stored if not issubclass(cls, ScriptModule)}
        self._anywhere = frozenset(name for found in self._stored.values() for name in found.others)
        self._never = never_assigned(self._stored.values())

    def made(self, module: Any, path: str) -> ScriptModule:
        """The scripted module of one; a module that stands in several places is one."""
        known = self._made.get(id(module))
        if known is not None:
            return known
        if isinstance(module, ScriptModule):
            frozen = getattr(type(module), "_frozen", None)
            if frozen is not None and frozen.bound:
                raise RuntimeError(
                    f"the module '{path}', a {module.original_name}, is frozen and has attributes left: freeze it "
                    "without preserved_attrs, save and load it, or use the scripted module that it was frozen from"
                )
            return module
        _refuse_hooks(module, path)
        inner = {
            name: None if child is None else self.made(child, f"{path}.{name}" if path else name)
            for name, child in module._modules.items()
        }
        values, layout = gather(module, self._base, self._tensors, inner)
        cls = type(module)
        stored = self._stored[cls].own | self._anywhere
        # What is None and has no type stays None, unless code that is compiled in any case assigns it.
        none = {name for name in self._never if name in values and values[name] is None}
        stored -= none.difference(name for name, type in self._declared[cls][0].items() if not has_any(type))
        layout = replace(layout, stored=stored.intersection(values))
        made = self._made[id(module)] = _module(cls, self._base, self._declared[cls], values, layout, path)
        return made


def _refuse_hooks(module: Any, path: str) -> None:
    for name in ("_forward_hooks", "_forward_pre_hooks"):
        if getattr(module, name, None):
            where = f"the module '{path}'" if path else "the module"
            raise RuntimeError(
                f"{where}, a {type(module).__name__}, has hooks, which native code does not call: remove them before "
                "it is scripted"
            )


def _module(
    source: type, base: type, declared: Declared, values: Mapping[str, Any], layout: Layout, path: str = ""
) -> ScriptModule:
    """A scripted module with these attributes."""
    types, constants = classify(source, declared, values, layout, path)
    return new_module(_class_for(source, base, layout, types, constants), values)


def _class_for(
    source: type, base: type, layout: Layout, types: Mapping[str, Type], constants: Mapping[str, Any]
) -> type[ScriptModule]:
    """The class that stands for modules with these attributes; the same one each time."""
    key = (source, layout, tuple(types.items()), tuple((name, _known(value)) for name, value in constants.items()))
    classes = current().module_classes
    found: type[ScriptModule] | None = classes.get(key)
    if found is not None:
        return found
    members = members_of(source, layout.modules or layout.parameters)
    names = () if members is None else members.names
    parents = classes_of(source, base)
    facts = Facts(
        source, base, parents, layout, types, constants, names,
        fits, _method, _settle, _reduced, adopted, partial(_other, source, base),
    )  # fmt: skip
    made = new_class(facts, "module" if members is None else "dict" if members.is_mapping else "list")
    current().compiler.read_module(made, ModuleFacts(source, base, parents, types, constants, members))
    classes[key] = made
    return made


def _other(source: type, base: type, name: str, value: Any) -> Any:
    """See `Facts.other`: a class may declare a submodule with an interface."""
    declared, _ = declared_by(source, base)
    is_module = hasattr(value, "_modules") and not isinstance(value, type)
    return Modules.scripted(value) if is_module and declared.get(name) == OpenType(INTERFACE) else None


def _reduced(module: ScriptModule) -> tuple[Any, ...]:
    facts = module._facts
    if hasattr(facts.source, IMPORTED):
        from tscript.archive import ArchiveError, pack
        from tscript.nn.scripting.loading import restored_archive

        try:
            return restored_archive, (pack(Modules.archived(module, needs_forward=False)),)
        except ArchiveError as error:
            raise PicklingError(f"a {module.original_name} is pickled by its archive: {error.what}") from None
    values = {name: module.__dict__[name] for name in facts.types}
    source = vars(facts.source).get("__tscript_made__", facts.source)  # what makes a class that stands in no module
    return restored, (source, {**facts.constants, **values}, facts.layout)


def _known(value: Any) -> object:
    """A constant as part of a key: its value with its type, or the object itself."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value), value


def _settle(module: ScriptModule) -> None:
    """Give a module the class for the types that its attributes have now."""
    facts = module._facts
    values = {**facts.constants, **{name: module.__dict__[name] for name in facts.types}}
    types, constants = classify(facts.source, declared_by(facts.source, facts.base), values, facts.layout)
    if types != facts.types:
        cls = _class_for(facts.source, facts.base, facts.layout, types, constants)
        object.__setattr__(module, "__class__", cls)


def _method(cls: type, name: str, function: Any) -> Any:
    """The scripted function of a method."""
    scripts = current().scripts
    owner = OwnerOf(function)
    owner.tell(cls, name)
    source = PythonFunction.from_callable(getattr(function, "__tscript_function__", None) or function)
    return scripts.function(Scripted(scripts, name, source, owner_of=owner), function)
