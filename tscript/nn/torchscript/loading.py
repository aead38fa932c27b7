"""From an archive of TorchScript to a scripted module: `load`, and `report` on its operators."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, MutableMapping
from typing import Any

from numpy.lib.stride_tricks import as_strided

import tscript
from tscript.abi.layout import MAX_RANK
from tscript.archive.container import FileData
from tscript.archive.extra import ExtraFile, fill
from tscript.archive.given import Given
from tscript.archive.outline import ModuleOutline, tensor_outline
from tscript.archive.torchscript import (
    DeviceName,
    EnumMember,
    Object,
    Storage,
    Stored,
    Tagged,
    TensorData,
    read_torchscript,
)
from tscript.definitions.values import numpy_dtype
from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter, as_parameter
from tscript.nn.scripting.scripts import script_module
from tscript.nn.torchscript.program import Program
from tscript.parsing import with_parts

FUNCTION = "PlaceholderModule"
"""The class of the module that `torch.jit.save` puts around a function."""


@dataclass(frozen=True, slots=True)
class Report:
    """What of an archive can be read.

    Attributes:
        path: The file.
        version: Of the archive.
        classes: How many classes of modules it has.
        tensors: How many tensors.
        bytes: Of these.
        used: The operators that its code calls.
        missing: Those that there is none of: reaching one is an error.
        modules: Its modules, the root first.
    """

    path: str
    version: int
    classes: int
    tensors: int
    bytes: int
    used: tuple[str, ...]
    missing: tuple[str, ...]
    modules: tuple[ModuleOutline, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    def __str__(self) -> str:
        count = len(self.used) - len(self.missing)
        lines = [
            f"{self.path}  TorchScript version {self.version}, {self.classes} classes of modules, "
            f"{self.tensors} tensors ({self.bytes:,} bytes)",
            f"operators: {len(self.used)} used, {count} supported",
        ]
        if self.missing:
            lines.append(f"missing: {', '.join(self.missing)}")
            lines.append("reaching one of them is an error")
        return "\n".join(lines)


def load_torchscript(data: Any, path: str = "", *, strict: bool = False) -> Any:
    """The module of an archive of TorchScript, or the function that one was saved of.

    Args:
        data: The whole file.
        path: Its name.
        strict: Refuse operators that there is none of, even where they are never reached.

    Returns:
        A `ScriptModule`, or a scripted function.

    Raises:
        ArchiveError: Whatever is wrong with the archive; with `strict`, it uses operators that there is none of.
        CompileError: Its code does not compile.
    """
    return _loaded(read_torchscript(data, path), strict=strict)


def load_file(path: str | Given, extra_files: MutableMapping[str, Any] | None = None, *, strict: bool = False) -> Any:
    """`load_torchscript` of a file.

    Args:
        path: The file, or what a file object held.
        extra_files: Names of extra files with placeholders, which are replaced; see `tscript.load`.
        strict: See `load_torchscript`.

    Raises:
        OSError: The file cannot be read.
    """
    given = Given.of(path)
    name = given.name

    def load(data: Any) -> Any:
        stored = read_torchscript(data, name)
        if extra_files is not None:
            fill(extra_files, {name: ExtraFile.of(name, content) for name, content in stored.extra.items()}, name)
        return _loaded(stored, strict=strict)

    if given.content is not None:
        return load(given.content)
    with open(name, "rb") as file:
        return load(FileData(file, name))


def _loaded(stored: Stored, *, strict: bool) -> Any:
    importer = Importer(stored)
    if strict and (missing := importer.report().missing):
        raise ArchiveError(f"it uses operators that tscript does not have: {', '.join(missing)}", stored.path)
    return importer.load()


def report(data: Any, path: str = "") -> Report:
    """Which operators an archive of TorchScript uses, and which of them are there.

    Args:
        data: The whole file.
        path: Its name.

    Raises:
        ArchiveError: Whatever is wrong with the archive.
    """
    return Importer(read_torchscript(data, path)).report()


def report_file(path: str) -> Report:
    """`report` of a file.

    Args:
        path: The file.

    Raises:
        ArchiveError: Whatever is wrong with the archive.
        OSError: The file cannot be read.
    """
    with open(path, "rb") as file:
        return report(FileData(file, path), path)


class Importer:
    """Makes the objects of one archive.

    Args:
        stored: It.
    """

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._storages: dict[Storage, Any] = {}
        self._made: dict[int, tuple[Any, Any]] = {}
        self.program = Program(stored, lambda number: self.value(stored.constants[number]))

    def load(self) -> Any:
        """The module, or the function."""
        root = self._stored.root
        if not isinstance(root, Object) or self.program.kind(root.cls.name) != "Module":
            raise self._error("the object in data.pkl is no module")
        made = self.value(root)
        if root.cls.name.rpartition(".")[2] == FUNCTION:
            return self._function(root.cls.name)
        return script_module(made)

    def report(self) -> Report:
        """See `report`."""
        self.program.translate_all()
        tensors: list[TensorData] = []
        pending: list[Any] = [self._stored.root, *self._stored.constants]
        seen: set[int] = set()
        while pending:
            at = pending.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            match at:
                case TensorData():
                    tensors.append(at)
                case Object(state=state):
                    pending += state.values()
                case Tagged(value=value):
                    pending.append(value)
                case dict():
                    pending += at.values()
                case list() | tuple():
                    pending += at
        storages = {t.storage for t in tensors}
        return Report(
            self._stored.path,
            self._stored.version,
            self.program.modules(),
            len(tensors),
            sum(s.numel * s.dtype.itemsize for s in storages),
            tuple(sorted(self.program.used)),
            tuple(sorted(self.program.missing)),
            tuple(self._outline()),
        )

    def _outline(self) -> Iterator[ModuleOutline]:
        """The modules, each where it stands first."""
        pending: deque[tuple[str, Any]] = deque([("", self._stored.root)])
        seen: set[int] = set()
        while pending:
            path, at = pending.popleft()
            if not isinstance(at, Object) or not self.program.is_module(at.cls.name) or id(at) in seen:
                continue
            seen.add(id(at))
            roles = {
                **dict.fromkeys(self.program.names_in(at.cls.name, "__buffers__"), "buffer"),
                **dict.fromkeys(self.program.names_in(at.cls.name, "__parameters__"), "parameter"),
            }
            inner = {n: v for n, v in at.state.items() if isinstance(v, Object) and self.program.is_module(v.cls.name)}
            pending += [(f"{path}.{name}" if path else name, value) for name, value in inner.items()]
            tensors = tuple(
                tensor_outline(name, value, roles.get(name, ""))
                for name, value in at.state.items()
                if isinstance(value, TensorData)
            )
            held = {*inner, *(t.name for t in tensors), *_HOOKS}
            others = tuple(name for name in at.state if name not in held)
            yield ModuleOutline(path, at.cls.name.rpartition(".")[2], tensors, others)

    def _error(self, what: str) -> ArchiveError:
        return ArchiveError(what, self._stored.path)

    def _function(self, path: str) -> Any:
        """The function inside the module around it."""
        from dataclasses import replace

        from tscript.runtime.session.process import current
        from tscript.runtime.session.scripted import Scripted

        scripts = current().scripts
        found = self.program.method(path, "forward")
        tree = found.tree
        made = replace(found, tree=_without_self(tree), qualname=found.name)
        scripted = Scripted(scripts, made.name, made)
        scripted.check()
        return scripts.function(scripted, None)

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, data: Any) -> Any:
        """A value of the pickle as one of Python; what was one object stays one."""
        match data:
            case None | bool() | int() | float() | str() | complex():
                return data
        known = self._made.get(id(data))
        if known is None:
            made = self._new(data)
            known = self._made.setdefault(id(data), (data, made))
        return known[1]

    def _new(self, data: Any) -> Any:
        match data:
            case TensorData():
                return self.tensor(data)
            case Tagged(value=value):
                return self.value(value)
            case list():
                return [self.value(v) for v in data]
            case tuple():
                return tuple(self.value(v) for v in data)
            case dict():
                return {k: self.value(v) for k, v in data.items()}
            case DeviceName():
                return tscript.device("cpu")
            case EnumMember(cls=cls, value=value):
                made = self.program.cls(cls.name)
                if self.program.kind(cls.name) != "Enum":
                    raise self._error(f"{cls.name} is no enum")
                try:
                    return made(value)
                except ValueError:
                    raise self._error(f"{value!r} is no member of the enum {cls.name}") from None
            case Object():
                return self._object(data)
        raise self._error(f"a {type(data).__name__} stands where a value belongs")

    def _object(self, data: Object) -> Any:
        path = data.cls.name
        cls: Any = self.program.cls(path)
        kind = self.program.kind(path)
        if kind not in ("Module", "class"):
            raise self._error(f"{path} is a {kind}, and no class of objects")
        made = cls.__new__(cls)
        self._made[id(data)] = (data, made)
        if kind == "class":
            made.__dict__.update({name: self.value(value) for name, value in data.state.items()})
            return made
        Module.__init__(made)
        parameters = self.program.names_in(path, "__parameters__")
        buffers = self.program.names_in(path, "__buffers__")
        for name, value in data.state.items():
            self._attribute(made, name, value, parameters, buffers)
        return made

    def _attribute(
        self, module: Any, name: str, data: Any, parameters: frozenset[str], buffers: frozenset[str]
    ) -> None:
        if name in _HOOKS:
            return
        if name in _TAKEN or name.startswith("__"):
            raise self._error(f"a module has the attribute {name!r}, which no module can have")
        is_new = id(data) not in self._made
        value = self.value(data)
        state = vars(module)
        if isinstance(value, Module):
            state["_modules"][name] = value
        elif name in parameters and (value is None or isinstance(value, tscript.Tensor)):
            state["_parameters"][name] = None if value is None else self._parameter(data, value, is_new)
        elif name in buffers and (value is None or isinstance(value, tscript.Tensor)):
            state["_buffers"][name] = value
        else:
            state[name] = value

    def _parameter(self, data: Any, tensor: Any, is_new: bool) -> Any:
        """A tensor as a parameter, itself if it `is_new`; one that stands in several places stays one."""
        if isinstance(tensor, Parameter):
            return tensor
        made = as_parameter(tensor if is_new else tensor.alias(), data.requires_grad)
        self._made[id(data)] = (data, made)
        return made

    # -- tensors -----------------------------------------------------------------------------------------------------

    def tensor(self, data: TensorData) -> Any:
        """A tensor over the elements it shares with others."""
        storage = self._storages.get(data.storage)
        if storage is None:
            storage = self._storages[data.storage] = self._elements(data.storage)
        if len(data.size) > MAX_RANK:
            raise self._error(f"a tensor has {len(data.size)} dimensions, {MAX_RANK} are possible")
        item = storage.itemsize
        strides = tuple(n * item for n in data.stride)
        return tscript.from_numpy(as_strided(storage[data.offset :], data.size, strides))

    def _elements(self, storage: Storage) -> Any:
        content = self._stored.elements(storage.member, storage.numel * storage.dtype.itemsize)
        if storage.dtype.name == "bool" and content.max(initial=0) > 1:
            raise self._error(f"member {storage.member!r} has elements that are no bools")
        return content.view(numpy_dtype(storage.dtype))


def _without_self(tree: Any) -> Any:
    import ast

    arguments = tree.args
    rest = ast.arguments(
        [], arguments.args[1:], None, arguments.kwonlyargs, arguments.kw_defaults, None, arguments.defaults
    )
    return with_parts(tree, args=rest)


_HOOKS = ("_is_full_backward_hook", "_backward_hooks")
_TAKEN = frozenset(vars(Module())) - {"training"}

__all__ = ["Importer", "Report", "load_file", "load_torchscript", "report", "report_file"]
