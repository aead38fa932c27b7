"""Archives of modules: `archived` makes one of a scripted module and all below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from tscript import Tensor
from tscript.api import archive_of
from tscript.archive import Archive, ArchiveError, refuse_python
from tscript.archive.classes import MODULE, class_to_json
from tscript.archive.modules import ModuleClass, Modules, class_json
from tscript.archive.naming import in_class
from tscript.archive.tagged import Encoding
from tscript.archive.weights import Weights, packed
from tscript.diagnostics.exceptions import CompileError
from tscript.ir.classes import add_classes
from tscript.ir.signatures import value_json
from tscript.late import replace
from tscript.nn.modules.container import ModuleDict
from tscript.nn.scripting.facts import Layout
from tscript.nn.scripting.freezing import FrozenModule
from tscript.nn.scripting.frozen_parts import method_of
from tscript.nn.scripting.loading import ROLE_FLAGS
from tscript.nn.scripting.script_module import ScriptDict, ScriptList, ScriptModule
from tscript.nn.scripting.scripts import script_module
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import is_scripted, scripted_of
from tscript.runtime.values.roles import role_of
from tscript.types import ClassType, Type
from tscript.upper import Modules as Upper

_LIBRARIES = ("tscript.nn.", "torch.nn.")
"""Of the layers in these only `forward` is called from outside."""


def archived(module: Any, *, needs_forward: bool = True, **options: Any) -> Archive:
    """The archive of a module, and of all below it.

    Args:
        module: A scripted module, or one that can be scripted; or a mapping from names to such, which are kept as a
            `ModuleDict`. Of a frozen one the archive has its methods as functions, with their constants; of one that
            has attributes left, what is left with these methods.
        needs_forward: Whether it must have something to call.
        options: Those of `tscript.api.archive_of`; the methods of the root have their names as functions, those of
            other modules that of their class in front.

    Raises:
        ArchiveError: An attribute, whose path is named, has a value that no archive can keep; or a method that is kept
            calls a function that stays in Python.
        CompileError: A method cannot be compiled.
    """
    if isinstance(module, Mapping):
        module = ModuleDict({name: script_module(each) for name, each in module.items()})
    if isinstance(module, FrozenModule):
        if not module._frozen.bound:
            methods = module._frozen.methods
            archive = Upper.functions_archived if any(map(names_modules, methods.values())) else archive_of
            return archive(methods, **options)
        return _SavingFrozen(module).archive(options)
    root = script_module(module)
    return Saving(root, needs_forward and not isinstance(root, ScriptDict)).archive(options)


class Saving:
    """Makes the archive of a module.

    Args:
        root: The module.
        needs_forward: Whether it must have something to call.
    """

    def __init__(self, root: ScriptModule, needs_forward: bool) -> None:
        self._root = root
        self._needs_forward = needs_forward
        self._modules: list[tuple[str, ScriptModule]] = []
        self._numbers: dict[int, int] = {}
        self._tensors: list[tuple[str, Tensor]] = []
        self._known: dict[int, int] = {}
        self._path = ""
        self._add("", root)
        self._names: dict[Type, str] = {}
        class_type = current().compiler.class_type
        self._encoding = Encoding(self._tensor, self._module, class_type, self._name)
        self._plain = Encoding(_nothing, _nothing, class_type, self._name)

    def _name(self, type: Type) -> str:
        """What the archive calls a class: what an archive that it came from did."""
        return self._names.get(type, str(type))

    def _spec(self, type: Type) -> dict[str, Any]:
        """What the archive says of a class that no function names."""
        others = {str(known): name for known, name in self._names.items() if str(known) != name}
        return in_class(class_to_json(type, value_json), others)

    def _add(self, path: str, module: ScriptModule) -> None:
        pending = [(path, module)]
        while pending:
            at, each = pending.pop(0)
            if id(each) in self._numbers:
                continue
            self._numbers[id(each)] = len(self._modules)
            self._modules.append((at, each))
            inner = [(f"{at}.{n}" if at else n, each.__dict__.get(n)) for n in each._facts.layout.modules]
            pending = [(p, m) for p, m in inner if isinstance(m, ScriptModule)] + pending

    def _module(self, value: object) -> int | None:
        return self._numbers.get(id(value)) if isinstance(value, ScriptModule) else None

    def _tensor(self, value: object) -> int | None:
        if not isinstance(value, Tensor):
            return None
        if id(value) not in self._known:
            names = {name for name, _ in self._tensors}
            name = self._path
            while name in names or name == "__metadata__":
                name += "'"
            self._known[id(value)] = len(self._tensors)
            self._tensors.append((name, value))
        return self._known[id(value)]

    def archive(self, options: Mapping[str, Any]) -> Archive:
        """The archive."""
        for path, module in self._modules:
            if hasattr(type(module), "_loaded_as"):
                what = f"the module '{path}'" if path else "the module"
                raise ArchiveError(
                    f"{what} has other dtypes than in the archive that it was loaded from, whose code is for those: "
                    "convert it before it is saved for the first time, or convert it back"
                )
        classes = list(dict.fromkeys(type(module) for _, module in self._modules))
        functions: dict[str, Any] = {}
        methods = {cls: dict(self._methods(cls, functions)) for cls in classes}
        properties = {cls: dict(self._properties(cls, functions)) for cls in classes}
        if self._needs_forward and "forward" not in methods[type(self._root)]:
            raise ArchiveError(
                f"a {self._root.original_name} has no forward(), so an archive of it would have nothing to call: save "
                "a module that calls what is in it"
            )
        archive = archive_of(functions, **self._options(options))
        digests = {name: entry.ir_digest for name, entry in archive.entries.items()}
        self._names |= {type: name for entry in archive.entries.values() for name, type in entry.types.items()}
        written = {spec["name"]: spec for entry in archive.entries.values() for spec in entry.classes}
        specs = []
        made: dict[str, ModuleClass] = {}
        for cls in classes:
            docs = {n: archive.entries[n].doc for n in (*methods[cls].values(), *properties[cls].values())}
            found = self._class(cls, methods[cls], properties[cls], docs)
            made[found.name] = found
            specs.append(class_json(found, written.get(found.name) or self._spec(_type(cls)), digests))
        others = [spec for spec in self._other_classes(classes, made) if spec["name"] not in written]
        entries = {
            name: replace(entry, classes=(*specs, *_beside(specs, others, entry.classes)))
            for name, entry in archive.entries.items()
        }
        instances = tuple((self._name(_type(type(m))), self._attributes(path, m)) for path, m in self._modules)
        memory, places = packed([(name, tensor._raw_array()) for name, tensor in self._tensors])
        tensors = [_described(place, tensor) for place, (_, tensor) in zip(places, self._tensors, strict=True)]
        modules = Modules(tuple(specs), made, instances, tuple(tensors), Weights({}, memory, 0))
        return replace(archive, entries=entries, modules=modules)

    def _options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options for functions whose first parameter is the module, with what a loaded one brings along."""
        origin = self._root._archive_origin
        brought = {name: file.read() for name, file in origin.extra_files.items()}
        wanted = [(name, (_type(type(self._root)), *types)) for name, types in options.get("signatures") or ()]
        return {
            **options,
            "signatures": wanted,
            "metadata": {**origin.metadata, **(options.get("metadata") or {})},
            "extra_files": {**brought, **(options.get("extra_files") or {})},
        }

    def _members(self, cls: type[ScriptModule]) -> Iterator[tuple[str, Any]]:
        """What the class that modules were made of has, nearest first."""
        facts = cls._facts
        seen: set[str] = set()
        for each in facts.classes:
            for name, found in vars(each).items():
                if name not in seen and name[:2] != "__" and name.isidentifier():
                    seen.add(name)
                    yield name, found

    def _methods(self, cls: type[ScriptModule], functions: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if issubclass(cls, FrozenModule):
            for name in cls._frozen.methods:
                yield name, self._entry(cls, name, method_of(cls, name), functions)
            return
        is_library = cls._facts.source.__module__.startswith(_LIBRARIES)
        for name, found in self._members(cls):
            if not isinstance(found, FunctionType) or is_scripted(found):
                continue
            if (is_library and name != "forward") or getattr(found, "__tscript_mark__", "") in ("ignore", "unused"):
                continue
            needed = name == "forward" and cls is type(self._root)
            function = cls._scripted_method(name, found)
            if self._is_kept(name, function, needed):
                yield name, self._entry(cls, name, function, functions)

    def _properties(self, cls: type[ScriptModule], functions: dict[str, Any]) -> Iterator[tuple[str, str]]:
        for name, found in self._members(cls):
            if isinstance(found, property) and isinstance(found.fget, FunctionType):
                function = cls._facts.method(cls, name, found.fget)
                setattr(cls, name, property(function))  # where its class is looked for
                if self._is_kept(name, function, False):
                    yield name, self._entry(cls, name, function, functions)
                delattr(cls, name)

    def _is_kept(self, name: str, function: Any, needed: bool) -> bool:
        scripted = scripted_of(function)
        try:
            for version in scripted.of_declarations():
                if version.entry is None:
                    refuse_python(name, version.program)
            return True
        except (CompileError, ArchiveError, TypeError):  # a TypeError: a list or dict that only a call says the type of
            if needed:
                raise
            return False

    def _entry(self, cls: type[ScriptModule], name: str, function: Any, functions: dict[str, Any]) -> str:
        stem = entry = name if cls is type(self._root) else f"{cls._facts.source.__name__}_{name}"
        count = 1
        while entry in functions:
            count += 1
            entry = f"{stem}_{count}"
        if names_modules(function):
            raise ArchiveError(
                f"{name}() of {cls._facts.source.__name__} calls what names a module: make that an attribute of the "
                "module which is saved, or pass it as an argument"
            )
        functions[entry] = function
        return entry

    def _layout(self, cls: type[ScriptModule]) -> Layout:
        """Which attributes of modules of a class are parameters and buffers."""
        return cls._facts.layout

    def _class(
        self,
        cls: type[ScriptModule],
        methods: Mapping[str, str],
        properties: Mapping[str, str],
        docs: Mapping[str, str],
    ) -> ModuleClass:
        facts = cls._facts
        layout = self._layout(cls)
        plain = {n: v for n, v in self._members(cls) if not callable(v) and not hasattr(v, "__get__")}
        constants = {n: v for n, v in {**plain, **facts.constants}.items() if n not in facts.types}
        kept: dict[str, Any] = {}
        for name, value in constants.items():
            try:
                kept[name] = self._plain.json(value)
            except ArchiveError:  # a function: compiled code has it built in
                continue
        kind = "list" if issubclass(cls, ScriptList) else "dict" if issubclass(cls, ScriptDict) else "module"
        return ModuleClass(
            self._name(_type(cls)), facts.source.__name__, kind, facts.source.__doc__ or "",
            layout.parameters, layout.buffers, layout.modules, layout.transient, layout.stored, facts.members,
            kept, methods, properties, docs,
        )  # fmt: skip

    def _other_classes(
        self, classes: list[type[ScriptModule]], made: Mapping[str, ModuleClass]
    ) -> list[dict[str, Any]]:
        """Classes that only attributes name."""
        found: dict[Type, None] = {}
        for cls in classes:
            add_classes(_type(cls), found)
        return [self._spec(type) for type in found if self._name(type) not in made]

    def _attributes(self, path: str, module: ScriptModule) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name in module._facts.types:
            self._path = f"{path}.{name}" if path else name
            try:
                out[name] = self._encoding.json(module.__dict__[name])
            except ArchiveError as error:
                raise ArchiveError(f"the attribute '{self._path}' cannot be saved: {error.what}") from None
        return out


class _SavingFrozen(Saving):
    """Makes the archive of what is left of a frozen module, with its methods."""

    def __init__(self, module: FrozenModule) -> None:
        self._frozen = module._frozen
        self._class_of_frozen = type(module)
        assert self._frozen.left is not None
        super().__init__(self._frozen.left, True)

    def _methods(self, cls: type[ScriptModule], functions: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if cls is type(self._root):
            for name, function in self._frozen.methods.items():
                if name not in self._frozen.bound:
                    function = method_of(self._class_of_frozen, name, cls)
                yield name, self._entry(cls, name, function, functions)

    def _properties(self, cls: type[ScriptModule], functions: dict[str, Any]) -> Iterator[tuple[str, str]]:
        return iter(())

    def _layout(self, cls: type[ScriptModule]) -> Layout:
        paths = [path for path, module in self._modules if type(module) is cls]

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(n for n in names if any(self._frozen.keeps(path, n) for path in paths))

        whole = cls._facts.layout
        return replace(whole, parameters=kept(whole.parameters), buffers=kept(whole.buffers))


def names_modules(function: Any) -> bool:
    """Whether a scripted function names modules."""
    return any(param.held is not None for param in scripted_of(function).params)


def _nothing(value: object) -> int | None:
    return None


def _beside(specs: Sequence[Any], *lists: Sequence[Any]) -> list[Any]:
    """Classes that are no modules, each once."""
    own = {spec["name"] for spec in specs}
    found = {spec["name"]: spec for each in lists for spec in each if spec["kind"] != MODULE}
    return [spec for name, spec in found.items() if name not in own]


def _type(cls: type) -> ClassType:
    found = current().compiler.class_type(cls)
    assert isinstance(found, ClassType)
    return found


def _described(place: dict[str, Any], tensor: Tensor) -> dict[str, Any]:
    role = role_of(tensor)
    flags = [name for name, flag in ROLE_FLAGS.items() if role & flag]
    return {**place, **({"flags": flags} if flags else {})}
