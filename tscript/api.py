"""The public functions: `script`, `save`, `load`, and what the command line is made of."""

from __future__ import annotations

import ast
import functools
import os
import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tscript.abi.record import RecordScope
from tscript.abi.signature import has_objects
from tscript.archive import (
    Archive,
    EntryPoint,
    ExtraFile,
    NativeObject,
    checked_files,
    checked_metadata,
    entry_point,
    gather,
    read_archive,
    refuse_python,
    write_archive,
)
from tscript.diagnostics import CompileError, Diagnostic, InternalError, compile_error
from tscript.ir.graph import Call, Param, Program, walk
from tscript.once import once
from tscript.operators.core.opdef import MISSING
from tscript.operators.core.schema import REQUIRED
from tscript.operators.python.caches import LRU_CACHE
from tscript.pipeline import Compiler
from tscript.runtime.boundary.entry_table import Flag
from tscript.runtime.boundary.native import REQUIRED as NO_DEFAULT
from tscript.runtime.boundary.native import Miss
from tscript.runtime.public.functions import public
from tscript.runtime.session.call import Dispatcher, Specialisation, weakly
from tscript.runtime.session.linker import python_calls
from tscript.runtime.session.plugins import load_hooks
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_metadata, log_api_usage_once, metadata_wanted
from tscript.runtime.values.arguments import Argument, bind, convert, describe_as
from tscript.runtime.values.tracebacks import tells
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, TensorType, TupleType, Type, in_python, is_subtype

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction

F = TypeVar("F", bound=Callable[..., Any])


def compiler() -> Compiler:
    """The compiler of this process."""
    return current().compiler


class Scripted:
    """One scripted function: its source and IR, and the specialisations made so far.

    The object users hold is `callable`, a native `ScriptFunction`; this is what stands behind its attributes.

    Args:
        name: The function's name.
        source: Where its text and names are; None when it came from an archive.
        entry: The archive's entry point; None when it came from source.
        trust_native: Whether native code of the archive may be used.
    """

    def __init__(
        self,
        name: str,
        source: PythonFunction | None = None,
        entry: EntryPoint | None = None,
        *,
        trust_native: bool = False,
    ) -> None:
        self.name = name
        self.source = source
        self.entry = entry
        self.trust_native = trust_native
        self.runtime = current()
        # Weakly: what is behind a function goes with it at once, and not with the next garbage collection.
        runtime = self.runtime
        self.dispatcher = Dispatcher(runtime.native, weakref.proxy(self), runtime.compiling, runtime.room)

    @once
    def program(self) -> Program:
        """The typed IR, generic over dtypes and ranks.

        Raises:
            CompileError: With every error of the function.
            ArchiveError: The archive's IR is not valid.
        """
        if self.source is not None:
            return self.runtime.compiler.check(self.source)
        assert self.entry is not None
        return self.entry.program(self.runtime.compiler.table)

    @property
    def kept(self) -> Program:
        """Its program as an archive has it: without Python's caches."""
        assert self.source is not None
        return (
            self.runtime.compiler.check(self.source, keeps_caches=True) if python_calls(self.program) else self.program
        )

    @once
    def is_deferred(self) -> bool:
        """Whether checking has to wait for the first call, because a global it names is defined further down.

        Raises:
            CompileError: There are errors of other kinds.
        """
        from tscript.frontend.diagnostics.errors import UnknownName
        from tscript.frontend.source.text import may_come

        try:
            _ = self.program if self.entry is None else None
        except CompileError as error:
            if not all(isinstance(d, UnknownName) and may_come(d.name, d.span) for d in error.diagnostics):
                raise
            return True
        return False

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters."""
        return self.entry.params if self.entry is not None else self.program.entry.params

    @once
    def taken(self) -> tuple[Param, ...]:
        """The parameters as a call needs them: defaults as Python has them; tensors are ours, over the same memory,
        read-only."""
        return tuple(replace(p, default=in_python(self.runtime.tensors.constant(p.default))) for p in self.params)

    @once
    def static(self) -> frozenset[int]:
        """Positions of the number parameters whose values take part in specialisation: they decide about types."""
        if self.entry is not None:
            return frozenset(self.entry.static)
        from tscript.passes import static_parameters

        numbers = {i for i, p in enumerate(self.params) if p.type in (BOOL, INT, FLOAT)}
        nodes = (n for g in self.program.graphs.values() for n in walk(g.body))
        calls_itself = any(isinstance(n, Call) and n.callee == self.program.main for n in nodes)
        return frozenset() if calls_itself else static_parameters(self.program) & numbers

    @once
    def forked(self) -> Any:
        """A native callable that takes the function's arguments and forks the call: what `tscript.fork` calls."""
        from tscript.runtime.session.pool import Forker

        return _callable(self, Forker(self.runtime.pool, self.dispatcher).miss)

    @once
    def code(self) -> str:
        """Canonical source of the function and of what it calls."""
        if self.entry is not None:
            return self.entry.source
        assert self.source is not None
        from tscript.frontend import canonical_source

        return canonical_source(self.source)

    @property
    def doc(self) -> str:
        """The docstring."""
        if self.entry is not None:
            return self.entry.doc
        assert self.source is not None
        return ast.get_docstring(self.source.tree) or ""

    def prepare(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """See `tscript.runtime.session.call.Callee`."""
        log_api_usage_once("tscript.script.run")
        return self.bind(args, kwargs)

    def bind(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """What `prepare` gives, for whoever wants to know about a call and not to make it."""
        tensor, bound = self.runtime.native.Tensor, bind(self.name, self.taken, args, kwargs)
        values = [convert(self.name, p, v, tensor) for p, v in zip(self.params, bound, strict=True)]
        described = [describe_as(v, p.type, tensor) for v, p in zip(values, self.params, strict=True)]
        for i in self.static:
            described[i] = Argument(described[i].type, values[i])
        return values, described, ()

    def specialise(self, described: Sequence[Argument], names: tuple[str, ...] = ()) -> Specialisation:
        """See `tscript.runtime.session.call.Callee`."""
        with self.runtime.observation.range(RecordScope.COMPILE, self.name):
            return self._specialise(described)

    def _specialise(self, described: Sequence[Argument]) -> Specialisation:
        types, constants = self.split(described)
        given = [d.type for d in described]
        again, site = partial(weakly(self.specialised), types, constants), weakly(self.site_of_calls)
        if self.entry is not None and self.trust_native and not constants:
            from tscript.backend.loader.session import LoadError

            for native in self.entry.native:
                if native.types == types and self.runtime.linker.accepts(native):
                    try:
                        return self.runtime.linker.load_native(
                            native, given, self.entry.tensors, lambda: self.program, name=self.name, site=site, again=again
                        )  # fmt: skip
                    except (LoadError, InternalError, KeyError):  # it needs what this runtime lacks; the IR does not
                        continue
        static = [i in self.static for i in range(len(given))]
        return self.runtime.linker.link(again(), given, static, site=site, again=again)

    def site_of_calls(self) -> int:
        """Address of the `RecordSite` of its calls."""
        span = self.program.entry.span
        return self.runtime.observation.site(
            RecordScope.FUNCTION, self.name, "", span.source.name, self.name, span.line
        )

    def called(self) -> list[tuple[Type, ...]]:
        """The argument types of the specialisations made so far, except those that hold for one value only."""
        calls = [self.split(described) for _, described in self.dispatcher.table]
        return [types for types, constants in calls if not constants]

    def split(self, described: Sequence[Argument]) -> tuple[tuple[Type, ...], dict[int, object]]:
        """The native parameter types (a float parameter given an int stays float) and the constants by position."""
        types = tuple(FLOAT if p.type == FLOAT else d.type for p, d in zip(self.params, described, strict=True))
        return types, {i: d.constant for i, d in enumerate(described) if d.constant is not MISSING}

    def specialised(self, types: Sequence[Type], constants: Mapping[int, object]) -> Program:
        """The IR for these argument types, before optimisation. Static parameters are built in and gone."""
        program = self.runtime.compiler.specialise(self.program, types, constants)
        graph = program.entry
        kept = [i for i in range(len(graph.params)) if i not in constants or i not in self.static]
        graph.params = tuple(graph.params[i] for i in kept)
        graph.body.params = [graph.body.params[i] for i in kept]
        return program

    def types_of(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[Sequence[Type], Mapping[int, object]]:
        """What a call with these arguments would be specialised to."""
        _, described, _ = self.bind(args, kwargs)
        return self.split(described)


_SCRIPTED = "_scripted"


def _make(scripted: Scripted, wrapped: Callable[..., Any] | None) -> Any:
    """The native callable for `scripted`, dressed up as a function."""
    function = _callable(scripted, scripted.dispatcher.miss, scripted.runtime.script_type)
    function._scripted = scripted
    function.__qualname__ = getattr(wrapped, "__qualname__", scripted.name)
    function.__doc__ = scripted.doc
    function.__module__ = getattr(wrapped, "__module__", None)
    if wrapped is not None:
        function.__wrapped__ = wrapped
        function.__tscript_function__ = scripted.source
    return scripted.runtime.caches.dress(function, scripted.source)


def _callable(scripted: Scripted, miss: Miss, type: type | None = None) -> Any:
    """A native callable with the parameters of `scripted`."""
    params = () if scripted.is_deferred else scripted.taken
    # The native path knows no keyword-only parameters and no ``*args``; calls of functions with such are bound in
    # Python.
    plain = tuple(p for p in params if not any(q.keyword_only or q.variadic for q in params))
    return scripted.runtime.native.new_callable(
        scripted.name,
        len(plain),
        [_flag(p.type, i in scripted.static) for i, p in enumerate(plain)],
        miss,
        # What no keyword is called stands for a parameter that is given by position only.
        names=[f"/{p.name}" if p.positional_only else p.name for p in plain],
        defaults=[NO_DEFAULT if p.default is REQUIRED else p.default for p in plain],
        type=type,
    )


def _flag(type: Type, is_static: bool) -> int:
    """How a parameter is treated by the native table."""
    if is_static:
        return Flag.STATIC
    if isinstance(type, TupleType) and type.named is None:
        return Flag.LIST | Flag.OBJECTS if has_objects(type) else Flag.LIST
    return Flag.OBJECT if has_objects(type) else Flag.DYNAMIC


@overload
def script(function: F) -> F: ...
@overload
def script() -> Callable[[F], F]: ...
@public
def script(function: Any = None) -> Any:
    """Compile a function.

    The function is read from its source and checked at once; native code is made at the first call for each combination
    of argument dtypes and ranks. An unannotated parameter is a Tensor. The result is called like the function and has
    `graph`, `graph_for`, `code`, `llvm_for`, `asm_for`, `compile_for` and ``__wrapped__``.

    Args:
        function: A Python function whose source can be found; an already scripted one is returned as it is. One inside
            of `functools.lru_cache` is compiled, and gets a cache of the same kind around it. Of a class
            all methods are checked, and it is returned unchanged: scripted functions use it by its name.

    Raises:
        CompileError: With every error found, each naming file, line and the way to mend it. It also is a `TypeError`,
            `NameError`, `SyntaxError` or `OSError`, as fits.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def scale(x: tscript.Tensor, by: float = 2.0) -> tscript.Tensor:
        ...     return x * by
        >>> scale(tscript.tensor([1.0, 2.0]))
        tensor([2., 4.])
    """
    if function is None:
        return script
    if hasattr(function, _SCRIPTED):
        return function
    if isinstance(function, LRU_CACHE):
        body, sizes = script(function.__wrapped__), function.cache_parameters()
        cached = current().cached(_scripted(body).source, **sizes)
        return functools.lru_cache(**sizes)(body) if cached is None else _make(Scripted(cached.name, cached), body)
    load_hooks()
    log_api_usage_once("tscript.script.compile")
    if isinstance(function, type):
        log_api_usage_once("tscript.script.class")
        compiler().check_class(function)
        return function
    from tscript.frontend import PythonFunction

    source = current().room.run(PythonFunction.from_callable, function)
    scripted = Scripted(source.name, source)
    made = current().room.run(_make, scripted, function)
    if metadata_wanted() and not scripted.is_deferred:
        from tscript.runtime.session.usage_metadata import of_program

        log_api_usage_metadata("tscript.script.compile", of_program(function, scripted.program))
    return made


@tells
def _scripted(function: Any) -> Scripted:
    if isinstance(found := getattr(function, _SCRIPTED, None), Scripted):
        return found
    raise TypeError(f"expected a scripted function, not {type(function).__name__}: decorate it with @tscript.script")


class Module(Mapping[str, Any]):
    """The functions of an archive, by name: ``module["f"](x)`` or ``module.f(x)``; callable itself if there is only
    one.

    Attributes:
        metadata: The strings kept with it.
        extra_files: The files kept with it, by name; each has `name`, `size`, `sha256`, and `read()` and `text()` for
            what it holds, which is read from the archive then.
    """

    def __init__(self, archive: Archive, *, trust_native: bool = False, path: str = "") -> None:
        if any(entry.operators for entry in archive.entries.values()):
            current().operators.provide([n for entry in archive.entries.values() for n in entry.operators], path)
        self.metadata: dict[str, str] = dict(archive.metadata)
        self.extra_files: Mapping[str, ExtraFile] = MappingProxyType(dict(archive.extra))
        self._functions = {
            name: _make(Scripted(name, entry=entry, trust_native=trust_native), None)
            for name, entry in archive.entries.items()
        }

    def __getitem__(self, name: str) -> Any:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __getattr__(self, name: str) -> Any:
        functions = self.__dict__.get("_functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"the archive has no function {name!r}, only {', '.join(functions)}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the only function.

        Raises:
            TypeError: There are several.
        """
        return self.entry()(*args, **kwargs)

    def entry(self, name: str | None = None) -> Any:
        """The function `name`, or the only one.

        Raises:
            TypeError: No name was given and there are several.
        """
        if name is not None:
            return self._functions[name]
        if len(self._functions) > 1:
            raise TypeError(f"the archive has several functions, name one: {', '.join(self._functions)}")
        return next(iter(self._functions.values()))

    def __repr__(self) -> str:
        return f"<tscript module: {', '.join(self._functions)}>"


Signatures = Sequence[tuple[str | None, tuple[Type, ...]]]


class SignatureError(TypeError):
    """Argument types that were named to compile ahead do not fit the function."""


def archive_of(
    functions: Mapping[str, Any],
    *,
    native: bool = False,
    signatures: Signatures = (),
    metadata: Mapping[str, str] | None = None,
    extra_files: Mapping[str, bytes | str] | None = None,
) -> Archive:
    """The archive of scripted functions.

    Args:
        functions: By the names they get in the archive. A `Module` brings its metadata and extra files along.
        native: Add object code for this machine: for `signatures`, for the specialisations called so far, and for
            functions whose parameters leave nothing open.
        signatures: (function or None for any it fits, argument types) to compile ahead; types may be left out at the
            end where parameters have defaults.
        metadata: Strings to keep.
        extra_files: Files to keep, beside those of the hook (`set_export_extra_files_hook`).

    Raises:
        TypeError: Something is not a scripted function, or metadata or extra files are not of the types named.
        SignatureError: A signature does not fit its function, or none.
        CompileError: The function cannot be compiled for a signature.
        ValueError: A name is no identifier. Metadata or the names of extra files break a rule (`ArchiveError`).
    """
    log_api_usage_once("tscript.archive_of")
    if extra_files:
        log_api_usage_once("tscript.save.extra_files")
    strings = checked_metadata({} if metadata is None else metadata)
    own = checked_files({} if extra_files is None else extra_files)
    brought: Mapping[str, ExtraFile] = {}
    if isinstance(functions, Module):
        strings = {**functions.metadata, **strings}
        brought = functions.extra_files
    entries: dict[str, EntryPoint] = {}
    for name, function in functions.items():
        if not name.isidentifier():
            raise ValueError(f"{name!r} cannot be the name of an entry point, it is no identifier")
        scripted = _scripted(function)
        entry = scripted.entry
        if entry is None:
            static = tuple(sorted(scripted.static))
            program = scripted.runtime.compiler.portable(scripted.kept)
            refuse_python(name, program)
            entry = entry_point(name, program, scripted.code, scripted.doc, static=static)
        objects = _native_objects(scripted, name, entry, signatures) if native else ()
        entries[name] = replace(entry, name=name, native=(*entry.native, *objects))
    for who, types in signatures if native else ():
        if who is None and not any(_fits(_scripted(f).params, types) for f in functions.values()):
            raise SignatureError(f"the signature ({', '.join(map(str, types))}) fits none of {', '.join(functions)}")
        if who is not None and who not in functions:
            raise SignatureError(f"there is no function {who}, only {', '.join(functions)}")
    extra = gather(MappingProxyType(dict(functions)), own, brought)
    return Archive(entries, metadata=strings, extra=extra)


def _native_objects(
    scripted: Scripted, name: str, entry: EntryPoint, signatures: Signatures
) -> tuple[NativeObject, ...]:
    """Objects for the wanted signatures of one function, made from the IR of the archive, so that they hold no
    paths."""
    params = scripted.params
    wanted = [complete_signature(name, params, types) for who, types in signatures if who == name]
    wanted += [complete_signature(name, params, t) for who, t in signatures if who is None and _fits(params, t)]
    wanted += scripted.called()
    fixed = tuple(p.type for p in params)
    if not wanted and not any(_is_open(t) for t in fixed) and not scripted.static:
        wanted.append(fixed)
    if wanted and scripted.static:
        names = ", ".join(f"'{params[i].name}'" for i in sorted(scripted.static))
        raise SignatureError(f"{name} cannot be compiled ahead: values of {names} decide about types")
    present = {n.types for n in entry.native if scripted.runtime.linker.accepts(n)}
    runtime = scripted.runtime
    program = entry.program(runtime.compiler.table)
    objects = (
        runtime.linker.native_object(runtime.compiler.specialise(program, types, {}), entry.tensors)
        for types in dict.fromkeys(wanted)
        if types not in present
    )
    return tuple(objects)


def complete_signature(name: str, params: Sequence[Param], types: Sequence[Type]) -> tuple[Type, ...]:
    """One type for each of `params`: `types`, and the declared types of further ones that have defaults.

    Raises:
        SignatureError: There are too many or too few, or one does not fit.
    """
    if len(types) > len(params):
        raise SignatureError(f"{name} has {len(params)} parameters, the signature names {len(types)} types")
    found: list[Type] = []
    for i, param in enumerate(params):
        if i >= len(types) and param.default is REQUIRED:
            raise SignatureError(f"the signature of {name} lacks the type of parameter '{param.name}'")
        given = types[i] if i < len(types) else param.type
        if param.type == FLOAT and given in (INT, BOOL):
            given = FLOAT
        if not is_subtype(given, param.type):
            raise SignatureError(f"parameter '{param.name}' of {name} is {param.type}, the signature says {given}")
        if _is_open(given):
            raise SignatureError(
                f"parameter '{param.name}' of {name} is given as {given}, which leaves open what to compile for; "
                "for a tensor write Tensor[dtype, rank]"
            )
        found.append(given)
    return tuple(found)


def _fits(params: Sequence[Param], types: Sequence[Type]) -> bool:
    try:
        complete_signature("", params, types)
    except SignatureError:
        return False
    return True


def _is_open(type: Type) -> bool:
    """Whether code for a parameter of this type depends on more than the type: on dtype and rank, or on a value."""
    match type:
        case TensorType():
            return not type.is_known
        case TupleType():
            return any(map(_is_open, type.elements))
    return type in (DTYPE, NONE)


@public
def save(
    function: Any,
    path: str | os.PathLike[str],
    *,
    native: bool = False,
    signatures: Signatures = (),
    extra_files: Mapping[str, bytes | str] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a scripted function, or several, to an archive.

    Args:
        function: A scripted function, or a mapping from names to scripted functions; a loaded module brings its
            metadata and extra files along.
        path: The file, replaced atomically.
        native: Also keep object code for this machine.
        signatures: (name, argument types) to compile ahead with `native`; see `archive_of`.
        extra_files: Files to keep under ``extra/``, by names such as ``docs/readme.txt``; text is kept as UTF-8.
        metadata: Short strings to keep, which `tscript.load` gives back as ``module.metadata``.

    Raises:
        TypeError: It is not a scripted function, a signature does not fit (`SignatureError`), or metadata or extra
            files are of other types.
        ArchiveError: Metadata are too large; a name of an extra file breaks a rule or clashes (`ExtraFileError`).
        OSError: The file cannot be written; what was there stays.

    Example:
        >>> import tempfile, tscript
        >>> @tscript.script
        ... def double(n: int) -> int:
        ...     return 2 * n
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tscript.save(double, f"{folder}/double.tsa")
        ...     tscript.load(f"{folder}/double.tsa")(21)
        42
    """
    log_api_usage_once("tscript.save")
    if native:
        log_api_usage_once("tscript.save.native")
    functions = function if isinstance(function, Mapping) else {_scripted(function).name: function}
    archive = archive_of(functions, native=native, signatures=signatures, metadata=metadata, extra_files=extra_files)
    log_archive_metadata("tscript.save", archive)
    write_archive(archive, path)


def log_archive_metadata(key: str, archive: Archive) -> None:
    """Tell the metadata handler, if there is one, what is in an archive that is written or opened."""
    if metadata_wanted():
        from tscript.runtime.session.usage_metadata import of_archive

        log_api_usage_metadata(key, of_archive(archive, compiler().table))


@public
def load(
    path: str | os.PathLike[str],
    *,
    trust_native: bool = False,
    extra_files: MutableMapping[str, Any] | None = None,
) -> Module:
    """Open an archive; its source file need not exist. Nothing of it runs until a function is called.

    Args:
        path: The file.
        trust_native: Use its object code where it fits this machine. Object code can do anything: only for archives
            from sources trusted like a program. Without it functions are compiled from the IR, through the cache.
        extra_files: A dict with names of extra files, which is filled: a value ``""`` is replaced by the file's text,
            ``b""`` by its bytes.

    Raises:
        ArchiveError: Whatever is wrong with the archive; it has no extra file of a name, or not as text
            (`ExtraFileError`); it needs a library of operators that is not loaded (`MissingOperatorError`).
        TypeError: `extra_files` has other values.
        OSError: The file cannot be read.

    Example:
        >>> import tempfile, tscript
        >>> @tscript.script
        ... def half(x: float) -> float:
        ...     return x / 2
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tscript.save(half, f"{folder}/half.tsa")
        ...     module = tscript.load(f"{folder}/half.tsa")
        >>> list(module), module.half(5.0)
        (['half'], 2.5)
    """
    load_hooks()
    log_api_usage_once("tscript.load")
    if trust_native:
        log_api_usage_once("tscript.load.native")
    if extra_files:
        log_api_usage_once("tscript.load.extra_files")
    name = os.fsdecode(path)
    with current().observation.range(RecordScope.LOAD, name):
        archive = read_archive(path, extra_files=extra_files, classes=current().compiler.archived_classes)
        log_archive_metadata("tscript.load", archive)
        return Module(archive, trust_native=trust_native, path=name)


def functions_of_file(path: Path, name: str | None = None) -> dict[str, Any]:
    """The scripted functions of a file (all its functions if none is decorated), by name; the file is not run.

    Args:
        path: The Python file.
        name: Only this one.

    Returns:
        The functions; empty when the file defines none.

    Raises:
        CompileError: Errors in any of them, or the file is not Python.
        OSError: The file cannot be read.
    """
    load_hooks()
    log_api_usage_once("tscript.script.compile")
    from tscript.frontend.source.imports import ModuleFiles
    from tscript.frontend.source.text import TextEnvironment

    file = TextEnvironment(ModuleFiles().read(path))
    found = file.wanted() if name is None else [file.named(name)]
    diagnostics: list[Diagnostic] = file.refused() if name is None else []
    out: dict[str, Any] = {}
    for source in found:
        scripted = Scripted(source.name, source)
        try:
            _ = scripted.program
        except CompileError as error:
            diagnostics += error.diagnostics
            continue
        out[source.name] = _make(scripted, None)
    if diagnostics:
        # A function that several call is checked with each of them.
        raise compile_error({(d.code, str(d.span), d.message()): d for d in diagnostics}.values())
    return out


class _Attributes:
    """The attributes of `ScriptFunction`: each is put on the native type as a property or method."""

    @property
    def graph(self) -> Program:
        """The typed IR, generic over dtypes and ranks; prints as text."""
        return _scripted(self).program

    @property
    def code(self) -> str:
        """Canonical source of the function and of what it calls."""
        return _scripted(self).code

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, with types and defaults."""
        return _scripted(self).params

    def graph_for(self, *args: Any, **kwargs: Any) -> Program:
        """The optimised IR for a call with these arguments; nothing runs."""
        log_api_usage_once("tscript.script.graph_for")
        scripted = _scripted(self)
        types, constants = scripted.types_of(args, kwargs)
        return scripted.runtime.compiler.optimise(scripted.specialised(types, constants))

    def llvm_for(self, *args: Any, **kwargs: Any) -> str:
        """The LLVM text for a call with these arguments, before LLVM's own optimisation."""
        log_api_usage_once("tscript.script.llvm_for")
        scripted = _scripted(self)
        types, constants = scripted.types_of(args, kwargs)
        return scripted.runtime.compiler.llvm(scripted.specialised(types, constants)).text

    def asm_for(self, *args: Any, **kwargs: Any) -> str:
        """The assembly for a call with these arguments."""
        log_api_usage_once("tscript.script.asm_for")
        scripted = _scripted(self)
        types, constants = scripted.types_of(args, kwargs)
        return scripted.runtime.compiler.assembly(scripted.specialised(types, constants))

    def compile_for(self, *types: Type | str) -> None:
        """Compile ahead for argument types, given as types or as their text:
        ``f.compile_for("Tensor[float32, 2]", "int")``. Without any, for those of the signature.

        Raises:
            CompileError: The function does not take them.
        """
        log_api_usage_once("tscript.script.compile_for")
        from tscript.types import parse_type

        scripted = _scripted(self)
        known = [parse_type(t) if isinstance(t, str) else t for t in types]
        if not known:
            known = [p.type for p in scripted.params]
        if len(known) != len(scripted.params):
            raise TypeError(f"{scripted.name} has {len(scripted.params)} parameters, {len(known)} types were given")
        scripted.dispatcher.find([Argument(t) for t in known])

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[object]:
        """The converted arguments of a call, one per parameter.

        Raises:
            TypeError: They do not fit the signature.
        """
        return _scripted(self).bind(args, kwargs)[0]

    def stage_for(self, stage: str, types: Sequence[Type] | None, print_after: Sequence[str] = ()) -> str:
        """What ``tscript ir`` prints: the stage ``typed``, ``opt``, ``llvm`` or ``asm`` for these argument types."""
        scripted = _scripted(self)
        known = tuple(types) if types is not None else tuple(p.type for p in scripted.params)
        return scripted.runtime.compiler.stage(scripted.specialised(known, {}), stage, print_after)


def _native_type() -> Any:
    """The native type of scripted functions, with its attributes."""
    kind = current().script_type
    if not hasattr(kind, "graph"):
        for name, value in vars(_Attributes).items():
            if isinstance(value, property) and value.fget is not None:
                setattr(kind, name, property(public(value.fget)))
            elif not name.startswith("__"):
                setattr(kind, name, public(value))
        setattr(kind, "__repr__", _shown)  # noqa: B010 - a native type, whose slot this sets
    return kind


def _shown(function: Any) -> str:
    """``<tscript.ScriptFunction scale(x: Tensor, by: float) -> Tensor>``."""
    scripted = _scripted(function)
    if scripted.is_deferred:
        return f"<tscript.ScriptFunction {scripted.name}(…)>"
    params = ", ".join(f"{p.name}: {p.type}" for p in scripted.params)
    result = scripted.program.entry.result if scripted.entry is None else scripted.entry.result
    return f"<tscript.ScriptFunction {scripted.name}({params}) -> {result}>"


ScriptFunction = _native_type()
"""The type of scripted functions: called like the Python function, natively."""

__all__ = [
    "Module",
    "ScriptFunction",
    "SignatureError",
    "archive_of",
    "compiler",
    "functions_of_file",
    "load",
    "save",
    "script",
]
