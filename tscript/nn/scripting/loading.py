"""Modules of archives: `loaded` makes scripted modules of what is in one, without their source."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from tscript import Tensor
from tscript.abi.layout import TENSOR_BUFFER, TENSOR_PARAMETER, TENSOR_TRANSIENT, TENSOR_WANTS_GRADIENT
from tscript.archive import Archive, ArchiveError, ArchivePath, EntryPoint, pack, unpack
from tscript.archive.modules import VALUES, ModuleClass, Modules
from tscript.archive.tagged import Decoding
from tscript.archive.weights import Weights, packed
from tscript.frontend import PythonFunction
from tscript.frontend.source.classes import ClassDefinition, Members, Method, class_definition
from tscript.late import dataclass, field, replace
from tscript.nn.modules.module import Module
from tscript.nn.scripting.facts import ORIGIN, Facts, Layout, Origin
from tscript.nn.scripting.making import adopted, fits, holds, new_class, new_module
from tscript.nn.scripting.programs import function_of_entries
from tscript.nn.scripting.script_module import ScriptDict, ScriptList, ScriptModule
from tscript.once import once
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted
from tscript.runtime.values.roles import give_role
from tscript.travel.archives import classes_of, key_of, once_per_process
from tscript.types import TENSOR, ClassInfo, ClassType, TensorType, Type
from tscript.types.parsing import shortened

ROLE_FLAGS = {
    "parameter": TENSOR_PARAMETER,
    "requires_grad": TENSOR_WANTS_GRADIENT,
    "buffer": TENSOR_BUFFER,
    "transient": TENSOR_TRANSIENT,
}
"""What archives call the roles of tensors."""

_MAKING = threading.RLock()
"""Held while classes are made, as threads may load one archive at the same time."""


@dataclass(eq=False)
class Code:
    """The methods of the modules of an archive.

    Attributes:
        archive: The archive.
        trust_native: Whether its native code may be used.
        path: The archive that pickles name instead of having its content.
        classes: The classes of its modules by the names they have in it.
        retyped: Those of modules whose types changed since.
        others: Its dataclasses, enums, named tuples and other classes, by the names they have in it.
    """

    archive: Archive
    trust_native: bool
    path: ArchivePath | None
    classes: dict[str, type[ScriptModule]]
    retyped: dict[object, type[ScriptModule]] = field(default_factory=dict)
    others: dict[str, type] = field(default_factory=dict)

    def function(self, cls: type, entry: str, name: str) -> Any:
        """The scripted function of an entry point.

        Args:
            cls: The class of the module that is its first argument.
            entry: The name of the entry point.
            name: That of the method.
        """
        versions = self.archive.versions(entry)
        if not hasattr(cls, "_loaded_as"):
            return function_of_entries(name, versions, trust_native=self.trust_native, kernels=self.archive.kernels)
        found = current().compiler.class_type(cls)
        assert found is not None
        # The types of all else follow from that of the module when it is specialised.
        retyped = []
        for each in versions:
            program = each.program(current().compiler.table)
            graph = program.entry
            graph.params = (replace(each.params[0], type=found), *graph.params[1:])
            graph.body.params[0].type = found
            retyped.append(replace(each, params=graph.params, native=(), known=program))
        return function_of_entries(name, retyped)

    def method(self, name: str, entry: EntryPoint) -> Any:
        """The scripted function of a method of a class that is no module."""
        options: dict[str, Any] = {"trust_native": self.trust_native, "kernels": self.archive.kernels}
        scripts = current().scripts
        return scripts.function(Scripted(scripts, name, entry=entry, **options), None)

    @once
    def content(self) -> bytes:
        """An archive of the same code without modules and without native code, for pickles."""
        assert self.archive.modules is not None
        memory = packed([])[0]
        empty = replace(self.archive.modules, instances=(), tensors=(), weights=Weights({}, memory, len(memory)))
        plain = {name: replace(entry, native=()) for name, entry in self.archive.entries.items()}
        return pack(Archive(plain, modules=empty))


def loaded(
    archive: Archive, *, trust_native: bool = False, path: str = "", archive_path: ArchivePath | None = None
) -> ScriptModule:
    """The root of the modules of an archive.

    Args:
        archive: The archive.
        trust_native: Whether its native code may be used.
        path: Its file, for messages.
        archive_path: The archive that pickles name.

    Raises:
        ArchiveError: An attribute is not of the type that its class has.
    """
    modules = archive.modules
    assert modules is not None
    try:
        if not modules.instances:
            raise ArchiveError(f"member {VALUES!r} has no module")
        code = code_of(archive, trust_native=trust_native, archive_path=archive_path)
        classes = code.classes
        made = [cls.__new__(cls) for cls in (classes[name] for name, _ in modules.instances)]
        tensors = _tensors(modules)
        values = modules.decoded(_types(archive), tensors, made.__getitem__)
        _check(modules, made, values)
    except ArchiveError as error:
        raise error if error.path or not path else ArchiveError(error.what, path) from None
    except (LookupError, TypeError, ValueError) as error:
        raise ArchiveError(f"member {VALUES!r} is not valid: {shortened(str(error), 200)}", path) from None
    for each, attributes in zip(made, values, strict=True):
        each._receive(attributes)
    root = made[0]
    root.__dict__[ORIGIN] = Origin(
        MappingProxyType(dict(archive.metadata)), MappingProxyType(dict(archive.extra)), MappingProxyType(code.others)
    )
    return root


def _types(archive: Archive) -> Mapping[str, Type]:
    return archive.types


def _tensors(modules: Modules) -> list[Any]:
    """Its tensors, over the memory they lie in."""
    over = current().tensors.over
    found = []
    for item, array in zip(modules.tensors, modules.arrays(), strict=True):
        made = over(array)
        if flags := item.get("flags"):
            give_role(made, sum({ROLE_FLAGS[flag] for flag in flags}))
        found.append(made)
    return found


def _check(modules: Modules, made: list[ScriptModule], values: list[dict[str, Any]]) -> None:
    """Compare attributes with the types that classes have."""
    inside = [0] * len(made)
    number = {id(each): i for i, each in enumerate(made)}
    for path, module, attributes in zip(modules.paths, made, values, strict=True):
        facts = module._facts
        for name, wanted in facts.types.items():
            value = attributes[name]
            if not holds(value, wanted):
                where = shortened(repr(f"{path}.{name}" if path else name), 200)
                found = f"a {type(value).__name__}" if value is not None else "None"
                raise ArchiveError(
                    f"member {VALUES!r}: the attribute {where} must be {shortened(str(wanted), 100)}, and is {found}"
                )
            if isinstance(value, ScriptModule):
                inside[number[id(value)]] += 1
                if number[id(value)] == 0:
                    raise ArchiveError(f"member {VALUES!r}: the root is below itself, at {shortened(repr(path), 100)}")


def code_of(archive: Archive, *, trust_native: bool = False, archive_path: ArchivePath | None = None) -> Code:
    """The classes of the modules of an archive; those of equal archives are the same.

    Args:
        archive: The archive.
        trust_native: Whether its native code may be used.
        archive_path: The archive that pickles name.
    """
    modules, types = archive.modules, _types(archive)
    assert modules is not None
    if archive.needs_operators:
        current().operators.provide([need for entry in archive.entries.values() for need in entry.operators], "")
    if trust_native:
        current().library.take(archive.kernels)
    with _MAKING:
        code = Code(archive, trust_native, archive_path, {})
        found_classes = classes_of(archive, code.method)
        code.others.update((name, cls) for name, cls in found_classes.items() if name not in modules.classes)
        for name in modules.classes:
            found = types[name]
            assert isinstance(found, ClassType)
            known: Any = found.info.python
            if known is None:
                known = _class(modules.classes[name], found, code, types)
            elif trust_native and not known._loaded_code.trust_native:
                _trust(known, code)
            code.classes[name] = known
        return code


def _class(cls: ModuleClass, found: ClassType, code: Code, types: Mapping[str, Type]) -> type[ScriptModule]:
    """The Python class of modules."""
    module = found.info.name.rpartition(".")[0]
    namespace: dict[str, Any] = {"__module__": module, "__doc__": cls.doc or None}
    for name, entry in cls.methods.items():
        namespace[name] = _method(name, cls.docs.get(entry, ""))
    for name, entry in cls.properties.items():
        namespace[name] = property(_getter(name, entry), doc=cls.docs.get(entry) or None)
    source = type(cls.title, (Module,), namespace)
    layout = Layout(cls.parameters, cls.buffers, cls.modules, cls.transient, cls.stored)
    decoding = Decoding(types, _none, _none)
    constants = {name: decoding.value(item) for name, item in cls.constants.items()}
    fields = found.info.fields
    facts = Facts(
        source, Module, (source,), layout, fields, constants, cls.members,
        fits, partial(_scripted, {**cls.properties, **cls.methods}), _settle, _reduced, adopted,
    )  # fmt: skip
    made = new_class(facts, cls.kind)
    made._loaded_code = code  # type: ignore[attr-defined]
    definition = class_definition(found)
    assert definition is not None
    _describe(
        definition,
        made,
        cls.kind,
        {**dict.fromkeys(cls.methods, "method"), **dict.fromkeys(cls.properties, "property")},
    )
    current().compiler.class_table.stand_in(definition, made)
    return made


def _describe(definition: ClassDefinition, made: Any, kind: str, methods: Mapping[str, str]) -> None:
    """Let compiled code call the methods of modules of a class, and read what they have.

    Args:
        definition: That of their class.
        made: The class.
        kind: ``"module"``, ``"list"`` or ``"dict"``.
        methods: Kinds of the methods by name.
    """
    facts = made._facts
    definition.is_module = definition.is_final = True
    definition.constants.update(facts.constants)
    if kind != "module":
        definition.members = Members(facts.members, kind == "dict")
    for name, role in methods.items():
        definition.methods[name] = Method(name, role, partial(_stored, made, name))


def _stored(cls: Any, name: str) -> PythonFunction:
    """The function that compiled code calls for a method."""
    found: PythonFunction = cls._facts.method(cls, name, None).__tscript_function__
    return found


def _none(number: int) -> object:
    raise ArchiveError("a constant of a class is a tensor or module")


def _method(name: str, doc: str) -> Any:
    """What stands for a method in the class that a loaded module was made of."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc or None
    return method


def _getter(name: str, entry: str) -> Any:
    """What computes a property of a loaded module."""

    def get(module: Any) -> Any:
        return type(module)._loaded_code.function(type(module), entry, name)(module)

    return get


def _scripted(methods: Mapping[str, str], cls: Any, name: str, function: Any) -> Any:
    """See `Facts.method`."""
    return cls._loaded_code.function(cls, methods[name], name)


def _trust(cls: Any, code: Code) -> None:
    """Let a class that is there already use native code."""
    cls._loaded_code = code
    for name in (*vars(cls._facts.source), "__call__"):
        if name in vars(cls) and hasattr(vars(cls)[name], "_scripted"):
            delattr(cls, name)


def _settle(module: ScriptModule) -> None:
    """See `Facts.settle`: its tensors may have other dtypes now, and modules below it another class."""
    cls: Any = type(module)
    types = {name: _type_now(module.__dict__[name], known) for name, known in module._facts.types.items()}
    if types != module._facts.types:
        object.__setattr__(module, "__class__", _with_types(cls, types))


def _type_now(value: object, known: Type) -> Type:
    if isinstance(known, TensorType) and known != TENSOR and isinstance(value, Tensor):
        return TensorType(value.dtype, value.dim())
    if isinstance(value, ScriptModule):
        found = current().compiler.class_type(type(value))
        return known if found is None else found
    return known


def _with_types(cls: Any, types: dict[str, Type]) -> type[ScriptModule]:
    """The class of modules that were loaded, with other types of attributes: the same one each time."""
    original = getattr(cls, "_loaded_as", cls)
    if types == original._facts.types:
        found: type[ScriptModule] = original
        return found
    with _MAKING:
        known = original._loaded_code.retyped
        key = (original, tuple(types.items()))
        if key not in known:
            known[key] = _retyped(original, types)
        made: type[ScriptModule] = known[key]
        return made


def _retyped(original: Any, types: dict[str, Type]) -> type[ScriptModule]:
    facts, table = original._facts, current().compiler.class_table
    info = ClassInfo(table.unique_name(original.__module__, original.__name__), fields=types, is_module=True)
    definition = ClassDefinition(original.__name__, ClassType(info))
    table.add(definition)
    kind = "list" if issubclass(original, ScriptList) else "dict" if issubclass(original, ScriptDict) else "module"
    made: Any = new_class(replace(facts, types=types), kind)
    made._loaded_code, made._loaded_as = original._loaded_code, original
    known = current().compiler.class_type(original)
    before = None if known is None else class_definition(known)
    assert before is not None
    _describe(definition, made, kind, {name: method.kind for name, method in before.methods.items()})
    table.stand_in(definition, made)
    return cast(type[ScriptModule], made)


def _reduced(module: ScriptModule) -> tuple[Any, ...]:
    """What pickles hold: the code, and the attributes as they are now."""
    own: Any = type(module)
    code: Code = own._loaded_code
    cls = getattr(own, "_loaded_as", own)
    name = next(name for name, each in code.classes.items() if each is cls)
    values = {field: module.__dict__[field] for field in module._facts.types}
    return restored_module, (code.path or code.content, name, values)


def restored_module(data: bytes | ArchivePath, name: str, values: Mapping[str, Any]) -> ScriptModule:
    """The module of a pickle, which names this function.

    Raises:
        ArchiveError: The archive is damaged, or not the one that was pickled.
    """

    def make() -> Code:
        content = data if isinstance(data, bytes) else data.read()
        return code_of(unpack(content, classes=current().compiler.archived_classes))

    size = len(data) if isinstance(data, bytes) else 0
    made = new_module(once_per_process(key_of(data, "modules of it"), size, make).classes[name], values)
    _settle(made)
    return made


def restored_archive(content: bytes) -> ScriptModule:
    """The module of a pickle that holds its archive, and names this function.

    Raises:
        ArchiveError: The archive is damaged.
    """
    return loaded(unpack(content, classes=current().compiler.archived_classes))
