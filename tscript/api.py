"""The public functions: `script`, `save`, `load`, and what the command line is made of."""

from __future__ import annotations

import functools
import io
import os
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeVar, overload

from tscript.abi.record import GROUPS, SINGLE, RecordScope
from tscript.definitions.shared import LRU_CACHE
from tscript.diagnostics import CompileError, Diagnostic, compile_error
from tscript.diagnostics.installation import require_compiler
from tscript.late import replace
from tscript.once import LateTable
from tscript.pipeline import Compiler
from tscript.pipeline.tiers import Tier
from tscript.runtime.public.functions import public
from tscript.runtime.session.hooks import load_hooks
from tscript.runtime.session.methods import OwnerOf, is_method, refuse_class_method
from tscript.runtime.session.named_functions import Functions
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted, is_scripted, scripted_of
from tscript.runtime.session.signatures import SignatureError, Signatures, complete_signature, with_types
from tscript.runtime.session.usage import log_api_usage_metadata, log_api_usage_once, metadata_wanted
from tscript.runtime.session.vectorized import Vectorized
from tscript.sparing import SPARING
from tscript.upper import Modules

if TYPE_CHECKING:
    from pathlib import Path

    from tscript.archive import Archive, ArchivePath, EntryPoint, ExtraFile
    from tscript.frontend import PythonFunction
    from tscript.frontend.source.modules import SourceModule
    from tscript.types import DType

F = TypeVar("F", bound=Callable[..., Any])


def compiler() -> Compiler:
    """The compiler of this process."""
    return current().compiler


def is_module(value: object) -> bool:
    """Whether something is a module, of `tscript.nn` or of PyTorch."""
    return hasattr(value, "_parameters") and hasattr(value, "_modules") and not isinstance(value, type)


Optimize = Literal["full", "quick", "auto"]
FastMath = bool | Collection[str]
ExtraFiles = Mapping[str, bytes | str] | None


@overload
def script(
    function: F,
    *,
    source: str | None = None,
    optimize: Optimize | None = None,
    parallel: bool = False,
    fastmath: FastMath = False,
    **options: Any,
) -> F: ...
@overload
def script(
    function: str,
    *,
    optimize: Optimize | None = None,
    parallel: bool = False,
    fastmath: FastMath = False,
    **options: Any,
) -> Functions: ...
@overload
def script(
    *, optimize: Optimize | None = None, parallel: bool = False, fastmath: FastMath = False, **options: Any
) -> Callable[[F], F]: ...
@public
def script(
    function: Any = None,
    *,
    source: str | None = None,
    optimize: Optimize | None = None,
    parallel: bool = False,
    fastmath: FastMath = False,
    **options: Any,
) -> Any:
    """Compile a function.

    The function is read from its source and checked at once; native code is made at the first call for each combination
    of argument types, dtypes and ranks. A parameter without annotation takes the type of its argument. The result is
    called like the function and has `graph`, `graph_for`, `code`, `llvm_for`, `asm_for`, `compile_for` and
    ``__wrapped__``.

    Args:
        function: A Python function whose source can be found; an already scripted one is returned as it is. One inside
            of `functools.lru_cache` is compiled, and gets a cache of the same kind around it. Of a class
            all methods are checked, and it is returned unchanged: scripted functions use it by its name.
            A string is the source of a module, which is read and not run: the result has the functions decorated with
            ``@script``, or all functions if none is, and is itself called if there is only one.
        source: The text that `function` was compiled from, if Python does not know it: it was made with `exec`.
        optimize: ``"full"``: all optimisations before the first call. ``"quick"``: few, for good. ``"auto"``: few
            before the first call, and all in the background if the function runs often or long; at once if it is short
            and may run long, or calls itself. Results are the same. None: what ``TSCRIPT_OPTIMIZE`` says, or
            ``"auto"``.
        parallel: Whether loops over `range` may run on several threads, too, where iterations are known to be
            independent and there is enough to do; results are the same. Loops over `tscript.prange` do so in any case.
            Not for strings and classes, whose functions say it themselves.
        fastmath: Whether sums and products of floats that the function writes out may be reordered, and a product and a
            sum be one operation: its loops use vector instructions, and its results may differ in the last bits. NaN
            and infinities stay what they are. Functions that it calls keep their own rule. Not for strings and
            classes, either. Of the flags that Numba takes, ``"fast"`` and ``"reassoc"`` mean this, others nothing.
        options: Those of Numba's ``@njit`` that ask for nothing else, such as ``nogil=True`` or ``cache=True``; they
            change nothing.

    Raises:
        TypeError: An option, or a signature, says something that is not so; the message says what to write.
        CompileError: With every error found, each naming file, line and the way to mend it. It also is a `TypeError`,
            `NameError`, `SyntaxError` or `OSError`, as fits.
        ValueError: `optimize` has another value.
        CompilerNotInstalledError: Only `tscript-core` is installed.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def scale(x: tscript.Tensor, by: float = 2.0) -> tscript.Tensor:
        ...     return x * by
        >>> scale(tscript.tensor([1.0, 2.0]))
        tensor([2., 4.])
        >>> module = tscript.script("def double(n: int) -> int: return 2 * n")
        >>> module(21), module.double(4)
        (42, 8)
    """
    if options or isinstance(function, str | list | tuple):
        from tscript.runtime.session.numba_options import check_options, refuse_signature

        check_options(options)
        refuse_signature(function)
    tier = None if optimize is None else Tier.of(optimize)
    given: dict[str, Any] = {"optimize": optimize, "parallel": parallel, "fastmath": fastmath}
    if function is None:
        return partial(script, **given)
    if isinstance(function, str):
        return _of_text(function, tier)
    if is_scripted(function):
        return function
    if is_module(function):
        with SPARING:
            return Modules.scripted(function)
    if isinstance(function, staticmethod | property):
        return _inside(function, partial(script, source=source, **given))
    if isinstance(function, classmethod):
        function = function.__func__
    disabling = current().scripts.disabling
    if disabling.is_disabled and isinstance(function, LRU_CACHE | type):
        return function
    if not disabling.is_disabled:
        require_compiler()
    if isinstance(function, LRU_CACHE):
        again: Callable[..., Any] = partial(script, source=source, **given)
        body = again(function.__wrapped__)
        sizes = function.cache_parameters()
        source_of = scripted_of(body).source
        cached = None if source_of is None or is_method(source_of) else current().cached(source_of, **sizes)
        if cached is not None:
            return _made(cached, body, function, tier)
        return function if body is function.__wrapped__ else functools.lru_cache(**sizes)(body)
    load_hooks()
    log_api_usage_once("tscript.script.compile")
    if isinstance(function, type):
        log_api_usage_once("tscript.script.class")
        compiler().check_class(function)
        return function
    from tscript.frontend import PythonFunction

    try:
        found = current().room.run(PythonFunction.from_callable, function, source)
        if parallel or fastmath:
            found = replace(found, is_parallel=parallel, fastmath=may_reorder(fastmath))
        made = current().room.run(_made, found, function, tier=tier)
    except CompileError as error:
        if disabling.is_disabled:
            return function
        current().watch.failed(getattr(function, "__name__", "something"), error)
        raise
    if metadata_wanted() and not (scripted := scripted_of(made)).is_deferred and scripted.is_usual:
        from tscript.runtime.session.usage_metadata import of_program

        log_api_usage_metadata("tscript.script.compile", of_program(function, scripted.program))
    return made


@overload
def vectorize(function: Callable[..., Any], *, fastmath: FastMath = False) -> Vectorized: ...
@overload
def vectorize(
    function: Sequence[str] = (), *, fastmath: FastMath = False, **options: Any
) -> Callable[[Callable[..., Any]], Vectorized]: ...
@public
def vectorize(function: Any = (), *, fastmath: FastMath = False, **options: Any) -> Any:
    """A function of numbers as a ufunc: called with arrays, it is called for each element, with NumPy's broadcasting.

    The result has ``reduce``, ``accumulate``, ``outer``, ``at``, ``nin``, ``nout`` and ``nargs``, and takes ``out=``
    and ``where=``. Scripted functions call it too. See `tscript.runtime.session.vectorized.Vectorized`.

    Args:
        function: The function; its parameters are given by position, and it returns one number. Or signatures such as
            ``["float64(float64, float64)"]``: the dtypes of the result and of the arguments. Without, those of the
            call.
        fastmath: See `script`.
        options: Nothing; what Numba takes is named in the error.

    Raises:
        CompileError: With every error found.
        TypeError: A signature is not one.

    Example:
        >>> import numpy as np, tscript
        >>> @tscript.vectorize
        ... def clipped(x, low):
        ...     return low if x < low else x
        >>> clipped(np.array([1.0, -2.0]), 0.0), clipped(3, 5)
        (array([1., 0.]), np.int64(5))
    """
    if options:
        name = next(iter(options))
        known = {
            "target": "tscript compiles for processors",
            "cache": "code is always cached",
            "nopython": "it always is",
        }
        raise TypeError(f"vectorize() takes no '{name}': {known.get(name, 'leave it out')}")
    if isinstance(function, str) or not callable(function):
        from tscript.frontend.source.vectorized import signatures_of

        return partial(_vectorized, signatures=signatures_of(function), fastmath=fastmath)
    return _vectorized(function, fastmath=fastmath)


def _vectorized(
    function: Any, signatures: Sequence[tuple[DType, ...]] = (), *, fastmath: FastMath = False
) -> Vectorized:
    if isinstance(function, Vectorized):
        return function
    runtime = current()
    disabling = runtime.scripts.disabling
    if not disabling.is_disabled:
        require_compiler()
    load_hooks()
    from tscript.frontend import PythonFunction
    from tscript.frontend.source.vectorized import vectorized

    def make() -> Vectorized:
        source = getattr(function, "__tscript_function__", None) or PythonFunction.from_callable(function)
        made = vectorized(replace(source, fastmath=True) if may_reorder(fastmath) else source, signatures)
        return Vectorized(made, runtime.scripts, runtime.native.Tensor, runtime.tensors.over)

    return runtime.room.run(make)


def may_reorder(fastmath: FastMath) -> bool:
    """Whether Numba's option says that sums may be reordered."""
    return fastmath if isinstance(fastmath, bool) else not {"fast", "reassoc"}.isdisjoint(fastmath)


def _made(
    source: PythonFunction,
    wrapped: Callable[..., Any] | None,
    python: Callable[..., Any] | None = None,
    tier: Tier | None = None,
) -> Any:
    """The scripted function of a source; see `ScriptFunctions.function`."""
    scripts = current().scripts
    refuse_class_method(source)
    owner = OwnerOf(wrapped) if wrapped is not None and is_method(source) else None
    return scripts.function(Scripted(scripts, source.name, source, owner_of=owner, tier=tier), wrapped, python)


def _inside(member: staticmethod[..., Any] | property, compiled: Callable[..., Any]) -> object:
    """A static method or a property with scripted functions inside.

    Args:
        compiled: Makes these.
    """
    if isinstance(member, staticmethod):
        return staticmethod(compiled(member.__func__))
    getter, setter = (f and compiled(f) for f in (member.fget, member.fset))
    return property(getter, setter, member.fdel, member.__doc__)


class Module(Functions):
    """The functions of an archive, by name; see `Functions`. Classes, enums and named tuples that occur in their
    signatures are attributes too: ``archive.P(name="a")`` makes an instance for them.

    Attributes:
        classes: The classes by the names that the archive has for them, ``model.P``.
        metadata: The strings kept with it.
        extra_files: The files kept with it, by name; each has `name`, `size`, `sha256`, and `read()` and `text()` for
            what it holds, which is read from the archive then.
    """

    def __init__(
        self, archive: Archive, *, trust_native: bool = False, path: str = "", archive_path: ArchivePath | None = None
    ) -> None:
        if archive.needs_operators:
            current().operators.provide([n for entry in archive.entries.values() for n in entry.operators], path)
        self.metadata: dict[str, str] = dict(archive.metadata)
        self.extra_files: Mapping[str, ExtraFile] = MappingProxyType(dict(archive.extra))
        if trust_native:
            current().library.take(archive.kernels)
        scripts = current().scripts
        self._archive_path = archive_path
        made = partial(Scripted, scripts, trust_native=trust_native, kernels=archive.kernels, archive=archive_path)

        def method(name: str, entry: EntryPoint) -> Any:
            return scripts.function(made(name, entry=entry), None)

        self.classes: Mapping[str, type] = {}
        if archive.specs:
            from tscript.travel.archives import classes_of

            self.classes = MappingProxyType(classes_of(archive, method))

        def function(name: str) -> Any:
            entry, *others = archive.versions(name)
            return scripts.function(made(name, entry=entry, others=others), None)

        super().__init__(LateTable({name: partial(function, name) for name in archive.names}))

    @property
    def __tscript_functions__(self) -> Mapping[str, Any]:
        return ChainMap(self._functions, {key.rpartition(".")[2]: cls for key, cls in self.classes.items()})  # type: ignore[arg-type]

    @property
    def __tscript_function__(self) -> PythonFunction | None:
        """Its only function as one that compiled code calls where it calls the archive; None if it has several."""
        if len(self._functions) != 1:
            return None
        (function,) = self._functions.values()
        made: PythonFunction = function.__tscript_function__
        assert made.stored is not None
        return replace(made, stored=replace(made.stored, members=self.__tscript_functions__))

    def __getattr__(self, name: str) -> Any:
        classes = self.__dict__.get("classes", {})
        found = [cls for key, cls in classes.items() if key.rpartition(".")[2] == name]
        if name in self.__dict__.get("_functions", {}) or not found:
            return super().__getattr__(name)
        if len(found) > 1:
            names = " or ".join(f"classes[{key!r}]" for key in classes if key.rpartition(".")[2] == name)
            raise AttributeError(f"there are several classes {name}: write {names}")
        return found[0]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self, *(key.rpartition(".")[2] for key in self.classes)})

    def __repr__(self) -> str:
        return f"<tscript module: {', '.join(self)}>"

    def __copy__(self) -> Module:
        return self

    def __deepcopy__(self, memo: object) -> Module:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from tscript.travel.archives import bytes_of

        if self._archive_path:
            return _named(self, self._archive_path, None)
        return _named(self, bytes_of(archive_of(dict(self)).entries, self.metadata, self.extra_files), None)


def archive_of(
    functions: Mapping[str, Any],
    *,
    native: bool | str | Iterable[str] = False,
    observed: bool = False,
    signatures: Signatures = (),
    metadata: Mapping[str, str] | None = None,
    extra_files: Mapping[str, bytes | str] | None = None,
) -> Archive:
    """The archive of scripted functions.

    Args:
        functions: By the names they get in the archive. A `Module` brings its metadata and extra files along.
        native: Add object code for this machine, or for those that are named (``"host"``, ``"x86-64-v3"``,
            ``"aarch64"`` …): for `signatures`, for the specialisations called so far, and for functions whose
            parameters leave nothing open.
        observed: Add observed variants as well, so that callbacks see operators where there is no compiler.
        signatures: (function or None for any it fits, argument types) to compile ahead; they may be left out at the
            end where parameters have defaults. A type may be given as its text. In place of a type a value may stand,
            where code depends on it. Parameters that take types from the call have these types in the archive; without
            a signature, that of the default, or a Tensor. Several signatures make several versions of a function.
        metadata: Strings to keep.
        extra_files: Files to keep, beside those of the hook (`set_export_extra_files_hook`).

    Raises:
        TypeError: Something is not a scripted function, or metadata or extra files are not of the types named.
        SignatureError: A signature does not fit its function, or none.
        CompileError: The function cannot be compiled for a signature.
        ValueError: A name is not an identifier, or no machine. Metadata or the names of extra files break a rule
            (`ArchiveError`).
    """
    from tscript.runtime.session.ahead import compilers_for, kernels_again, kernels_for, machines, native_objects

    log_api_usage_once("tscript.archive_of")
    if extra_files:
        log_api_usage_once("tscript.save.extra_files")
    from tscript.archive import Archive, checked_files, checked_metadata, gather
    from tscript.archive.naming import Names
    from tscript.runtime.session.archiving_classes import with_classes

    signatures = with_types(signatures, compiler().classes)
    strings = checked_metadata({} if metadata is None else metadata)
    own = checked_files({} if extra_files is None else extra_files)
    brought: Mapping[str, ExtraFile] = {}
    if isinstance(functions, Module):
        strings = {**functions.metadata, **strings}
        brought = functions.extra_files
    entries: dict[str, EntryPoint] = {}
    compilers = compilers_for(compiler(), machines(native))
    variants = ("", GROUPS, SINGLE) if observed else ("",)
    # Object code has the names of the process in it.
    names = None if compilers else Names()
    if names is not None:
        for function in functions.values():
            for entry in scripted_of(function).entries:
                names.keep(entry.types)
    for name, function in functions.items():
        if not name.isidentifier():
            raise ValueError(f"{name!r} cannot be the name of an entry point, it is not an identifier")
        scripted = scripted_of(function)
        for version, asked in scripted.of_signatures(name, signatures):
            first, stem = "" if name not in entries else name, name
            while stem in entries or (stem in functions and stem != name):
                stem += "_"
            entry = version.entry or version.archived(stem, names)
            called = scripted.called(version)
            objects = native_objects(version, name, entry, asked, called, compilers, variants) if compilers else ()
            entries[stem] = replace(entry, name=stem, native=(*entry.native, *objects), version_of=first)
    entries = with_classes(entries, current().scripts, names)
    for who, types in signatures:
        if who is None and not any(s.takes(types) for s in map(scripted_of, functions.values())):
            raise SignatureError(f"the signature ({', '.join(map(str, types))}) fits none of {', '.join(functions)}")
        if who is not None and who not in functions:
            raise SignatureError(f"there is no function {who}, only {', '.join(functions)}")
    extra = gather(MappingProxyType(dict(functions)), own, brought)
    natives = [n for e in entries.values() for n in e.native]
    kernels = [made for one in compilers if (made := kernels_for(one, natives, current().prebuilt or ()))]
    present = {(k.triple, k.features) for k in kernels}
    again = kernels_again([k for f in functions.values() for k in scripted_of(f).kernels], natives)
    kernels += [k for k in again if (k.triple, k.features) not in present]
    return Archive(entries, metadata=strings, extra=extra, kernels=tuple(kernels))


@public
def save(
    function: Any,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    native: bool | str | Iterable[str] = False,
    observed: bool = False,
    signatures: Signatures = (),
    extra_files: Mapping[str, bytes | str] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write scripted functions, or a module, to an archive.

    Args:
        function: A scripted function, a mapping from names to scripted functions, a module, which is scripted if it
            is not, or a mapping from names to modules; what was loaded brings its metadata and extra files along.
        path: The file, replaced atomically; or a binary file object, which is written to from its position on.
        native: Also keep object code for this machine, or for those that are named; see `archive_of`.
        observed: Also keep observed variants of it, for callbacks where there is no compiler.
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
    from tscript.archive import write_archive

    log_api_usage_once("tscript.save")
    if native:
        log_api_usage_once("tscript.save.native")
    options: dict[str, Any] = {
        "native": native,
        "observed": observed,
        "signatures": signatures,
        "metadata": metadata,
        "extra_files": extra_files,
    }
    given = [*map(is_module, function.values())] if isinstance(function, Mapping) else [is_module(function)]
    if any(given) and not all(given):
        raise TypeError(
            "an archive holds functions or modules, not both: save the functions to another file, or make them methods "
            "of a module"
        )
    if given and all(given):
        archive = Modules.archived(function, **options)
    else:
        functions = function if isinstance(function, Mapping) else {scripted_of(function).name: function}
        held = [p for f in functions.values() for p in scripted_of(f).params if p.held is not None]
        archive = Modules.functions_archived(functions, **options) if held else archive_of(functions, **options)
    log_archive_metadata("tscript.save", archive)
    write_archive(archive, path)


def log_archive_metadata(key: str, archive: Archive) -> None:
    """Tell the metadata handler, if there is one, what is in an archive that is written or opened."""
    if metadata_wanted():
        from tscript.runtime.session.usage_metadata import of_archive

        log_api_usage_metadata(key, of_archive(archive, compiler().table))


@public
def load(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    trust_native: bool = False,
    extra_files: MutableMapping[str, Any] | None = None,
    pickle_by: Literal["bytes", "path"] = "bytes",
    verify: bool = False,
) -> Any:
    """Open an archive; its source file need not exist. Nothing of it runs until a function is called.

    An archive of functions gives a `Module`, a mapping from names to functions; an archive of a module gives the module
    (`tscript.nn.ScriptModule`), whose tensors lie in the file, mapped, until they are written to. An archive of
    TorchScript, ``model.pt``, is read too, without PyTorch: the result is a scripted module, or a scripted function.
    The name of the first member of the file decides which of the two it is.

    Args:
        path: The file; or a binary file object, which is read from its position to its end.
        trust_native: Use its object code where it fits this machine. Object code can do anything: only for archives
            from sources trusted like a program. Without it functions are compiled from the IR, through the cache.
        extra_files: A dict with names of extra files, which is filled: a value ``""`` is replaced by the file's text,
            ``b""`` by its bytes, None by its bytes if there is such a file.
        pickle_by: What is in a pickle of the module or of a function: the content of the archive (``"bytes"``), or its
            absolute path and SHA-256 (``"path"``), so that every process reads the file, and refuses another one.
            Object code and `trust_native` are not pickled.
        verify: Also compare the tensors of modules, and extra files, with their digests, which takes 0.5 ms for each
            MB; everything else is compared in any case.

    Raises:
        ArchiveError: Whatever is wrong with the archive; it has no extra file of a name, or not as text
            (`ExtraFileError`); it needs a library of operators that is not loaded (`MissingOperatorError`).
        TypeError: `extra_files` has other values.
        ValueError: `pickle_by` is neither, or ``"path"`` where there is none.
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
    from tscript.archive import ArchivePath, Given, read_archive
    from tscript.archive.kinds import is_torchscript_file

    given = Given.of(path)
    name = given.name
    if pickle_by not in ("bytes", "path"):
        raise ValueError(f"pickle_by is 'bytes' or 'path', not {pickle_by!r}")
    if pickle_by == "path" and given.content is not None:
        raise ValueError("pickle_by='path' needs a path, not a file object: a pickle cannot name it")
    where = ArchivePath.of(name) if pickle_by == "path" else None
    with SPARING, current().observation.range(RecordScope.LOAD, name):
        if is_torchscript_file(given):
            log_api_usage_once("tscript.load.torchscript")
            return Modules.imported(given, extra_files)
        archive = read_archive(given, extra_files=extra_files, classes=current().compiler.archived_classes)
        log_archive_metadata("tscript.load", archive)
        modules = archive.modules
        with modules.weights.verified(name) if verify and modules is not None else nullcontext():
            if verify:
                for _ in archive.entries.values():
                    pass
                for file in (*archive.extra.values(), *archive.tensors):
                    file.read()
            made = Module if modules is None else Modules.loaded
            return made(archive, trust_native=trust_native, path=name, archive_path=where)


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

    return _functions_of(ModuleFiles().read(path), name)


def _of_text(text: str, tier: Tier | None) -> Functions:
    """The scripted functions of a module given as a string, which is not run."""
    from tscript.frontend.source.lines import named_text
    from tscript.frontend.source.modules import parse_module

    load_hooks()
    log_api_usage_once("tscript.script.compile")
    found = _functions_of(parse_module(text, named_text(text)), None, tier)
    if not found:
        raise ValueError("the string defines no function: give the source of a module, with 'def'")
    return Functions(found)


def _functions_of(module: SourceModule, name: str | None, tier: Tier | None = None) -> dict[str, Any]:
    """The scripted functions of a module that is read, by name; see `functions_of_file`."""
    from tscript.frontend.source.source_modules import SourceEnvironment

    file = SourceEnvironment(module)
    found = file.wanted() if name is None else [file.named(name)]
    diagnostics: list[Diagnostic] = file.refused() if name is None else []
    scripts = current().scripts
    out: dict[str, Any] = {}
    for source in found:
        scripted = Scripted(scripts, source.name, source, tier=tier)
        try:
            scripted.check()
        except CompileError as error:
            diagnostics += error.diagnostics
            continue
        out[source.name] = scripts.function(scripted, None)
    if diagnostics:
        # A function that several call is checked with each of them.
        raise compile_error({(d.code, str(d.span), d.message()): d for d in diagnostics}.values())
    return out


def _reduced(function: Any) -> str | tuple[Any, ...]:
    """What `pickle` asks of a scripted function."""
    from tscript.travel import reduced

    scripted = scripted_of(function)
    if scripted.entry is None and scripted.source is not None and scripted.source.callable is not None:
        found = reduced(function)
        return found if isinstance(found, str) else (restored, (found,))
    from tscript.travel.archives import bytes_of

    name = scripted.name
    return _named(function, scripted.archive or bytes_of(archive_of({name: function}).entries), name)


def _named(value: Any, data: bytes | ArchivePath, name: str | None) -> tuple[Any, ...]:
    """What pickles say of an archive, or of its function `name`; `value` is what this process has of it."""
    from tscript.travel.archives import key_of

    known = current().travelled
    with known.lock:
        known.objects.setdefault(key_of(data, name), value)
    return restored_archive, (data, name)


def restored(payload: bytes) -> Any:
    """The function of a pickle, which names this one; the same function each time.

    Raises:
        FunctionUnpicklingError: The pickle is damaged, or of another version (`PickleVersionError`).
    """
    from tscript import travel

    return travel.restored(payload)


def restored_archive(data: bytes | ArchivePath, name: str | None) -> Any:
    """The function of an archive, or all of it, of a pickle, which names this one; the same object each time.

    Raises:
        ArchiveError: The archive is damaged, or not the one that was pickled.
    """
    from tscript.archive import unpack
    from tscript.travel.archives import key_of, once_per_process

    def make() -> Any:
        content = data if isinstance(data, bytes) else data.read()
        where = None if isinstance(data, bytes) else data
        archive = unpack(content, "" if where is None else where.path, classes=current().compiler.archived_classes)
        module = Module(archive, archive_path=where)
        return module if name is None else module[name]

    load_hooks()
    return once_per_process(key_of(data, name), len(data) if isinstance(data, bytes) else 0, make)


def _save(self: Any, filename: str | os.PathLike[str] | BinaryIO, _extra_files: ExtraFiles = None) -> None:
    """Write it to an archive; see `tscript.jit.save`."""
    save(self, filename, extra_files=_extra_files)


def _save_to_buffer(self: Any, _extra_files: ExtraFiles = None) -> bytes:
    """Its archive as bytes; see `tscript.jit.save`."""
    file = io.BytesIO()
    save(self, file, extra_files=_extra_files)
    return file.getvalue()


def _itself(function: Any, memo: object = None) -> Any:
    """What `copy` asks: functions are not copied."""
    return function


ScriptFunction = current().scripts.type
"""The type of scripted functions: called like the Python function, natively."""
ScriptFunction.__reduce__ = _reduced
Vectorized.__reduce__ = _reduced  # type: ignore[assignment]
ScriptFunction.save, ScriptFunction.save_to_buffer = public(_save), public(_save_to_buffer)
ScriptFunction.__copy__ = ScriptFunction.__deepcopy__ = _itself

__all__ = [
    "Functions",
    "Module",
    "ScriptFunction",
    "SignatureError",
    "archive_of",
    "compiler",
    "complete_signature",
    "functions_of_file",
    "load",
    "save",
    "script",
    "vectorize",
]
