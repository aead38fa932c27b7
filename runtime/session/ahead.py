"""Native code made ahead of time, for archives: specialisations of functions, and the kernels that these need."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from tscript.abi.layout import OBJECT_VERSION
from tscript.abi.levels import ALL_LEVELS, fitting
from tscript.abi.mode import IS_CHECKED
from tscript.abi.python import PYTHON
from tscript.abi.record import KERNELS as RECORD_KERNELS
from tscript.abi.record import SINGLE
from tscript.abi.signature_types import has_objects
from tscript.abi.symbols import OBJECT_RELEASE, OBJECT_RETAIN, TENSOR_FROM_ARRAY, TENSOR_RELEASE, kernel_symbol
from tscript.archive import EntryPoint, Kernels, NativeKernel, NativeObject
from tscript.backend.llvm.target import Target
from tscript.ir.graph import Program
from tscript.ir.static_parameters import drop_parameters
from tscript.late import replace
from tscript.pipeline import Compiler
from tscript.pipeline.versions import is_version_specific
from tscript.runtime.boundary.pool.imports import RUNTIME_SYMBOLS
from tscript.runtime.session.build import compiled_kernel, is_kernel
from tscript.runtime.session.linker import changes_objects
from tscript.runtime.session.scripted import Scripted
from tscript.runtime.session.signatures import Signatures, Wanted, fits, specialisations
from tscript.types import Type, dtypes

TARGETS = {level.name: level for level in ALL_LEVELS}
"""Machines that code can be made for, besides this one."""

ALWAYS = (
    *(TENSOR_RELEASE, kernel_symbol("tensor_from_memory"), TENSOR_FROM_ARRAY, kernel_symbol("callback_publish")),
    *map(kernel_symbol, RECORD_KERNELS),
    *RUNTIME_SYMBOLS,
)
"""What the runtime asks for whatever a function does: constant tensors, callbacks, tasks."""

OBJECTS = (
    *map(kernel_symbol, ("object_in", "object_out", "marshal_end", "retain_cells")),
    *(OBJECT_RETAIN, OBJECT_RELEASE),
)
"""What it asks for where values are converted by their types."""

EXCEPTIONS = (*map(kernel_symbol, ("exception_new", "exception_str")), OBJECT_RELEASE)
"""What it asks for where exceptions are objects."""

SHARED = (*map(kernel_symbol, ("cache_state", "cache_clear", "dict_new")), OBJECT_RELEASE)
"""What it asks for where functions have caches."""


def machines(native: bool | str | Iterable[str]) -> list[str]:
    """The names of machines: ``host``, or levels (`tscript.abi.levels`).

    Args:
        native: True for this machine; or names, several of them separated by commas or on their own.

    Raises:
        ValueError: There is no such machine.
    """
    given = (
        (["host"] if native else []) if isinstance(native, bool) else [native] if isinstance(native, str) else native
    )
    found = list(dict.fromkeys(name.strip() for text in given for name in text.split(",")))
    for name in found:
        if name != "host" and name not in TARGETS:
            raise ValueError(f"there is no machine {name!r}: host, {', '.join(TARGETS)}")
    return found


def compilers_for(compiler: Compiler, names: Iterable[str]) -> list[Compiler]:
    """A compiler for each machine."""
    found: list[Compiler] = []
    for name in names:
        level = TARGETS.get(name)
        target = None if level is None else Target(level.triple, level.cpu, level.features)
        found.append(compiler if target is None or target == compiler.target else compiler.beside(target))
    return found


def native_objects(
    scripted: Scripted,
    name: str,
    entry: EntryPoint,
    signatures: Signatures,
    called: Sequence[Wanted],
    compilers: Sequence[Compiler],
    variants: Sequence[str] = ("",),
) -> list[NativeObject]:
    """Objects of one function for the wanted signatures and each machine, made from the IR of the archive, so that they
    hold no paths.

    Args:
        scripted: The function, in the version that the archive has.
        name: Its name in the archive.
        entry: What the archive has of it.
        signatures: For any function of the archive.
        called: What it was called with so far.
        compilers: One for each machine.
        variants: What to make: plain code, observed variants (`NativeObject.observed`).
    """
    params, static = scripted.params, scripted.static
    given = [types for who, types in signatures if who == name]
    given += [types for who, types in signatures if who is None and fits(params, static, types)]
    wanted = [w for types in given for w in specialisations(name, params, static, types)] + [*called]
    if not wanted and fits(params, static, [p.type for p in params]):
        wanted = specialisations(name, params, static, [p.type for p in params])
    # A program that is there already has paths.
    program = replace(entry, known=None).program(scripted.linker.compiler.table) if wanted else None
    made: list[NativeObject] = []
    for compiler in compilers:
        target = compiler.target
        key = target.triple, target.features, OBJECT_VERSION, dtypes.default_float().name
        own = [
            n for n in entry.native if (n.triple, n.features, n.abi, n.default_dtype) == key and n.python in (0, PYTHON)
        ]
        for types, constants in {(types, _key(constants)): (types, constants) for types, constants in wanted}.values():
            present = {n.observed for n in own if n.serves(types, dict(constants), entry.static)}
            for variant in variants:
                if program is not None and variant not in present:
                    made.append(_native_object(compiler, entry, program, types, constants, variant))
    return made


def _key(constants: Sequence[tuple[int, object]]) -> object:
    """Something that is equal for equal values only: True and 1 are not, nor are 0.0 and -0.0."""
    return tuple((i, type(value), repr(value)) for i, value in constants)


def _native_object(
    compiler: Compiler,
    entry: EntryPoint,
    program: Program,
    types: Sequence[Type],
    constants: Sequence[tuple[int, object]],
    variant: str,
) -> NativeObject:
    """Object code of a function for argument types and values; plain, or an observed variant."""
    from tscript.backend.llvm.library import binding

    special = compiler.specialise(program, types, dict(constants))
    specific = is_version_specific(special)
    drop_parameters(special, {i for i, _ in constants} & set(entry.static))
    compiler.optimise(special, fuse=variant != SINGLE)
    specific |= is_version_specific(special)  # composite operators are gone
    changes = changes_objects(special)
    compiled, target = compiler.native(special, observed=bool(variant), is_uniform=True), compiler.target
    return NativeObject(
        compiled.types,
        compiled.result,
        compiled.symbol,
        compiled.externals,
        target.triple,
        target.cpu,
        target.features,
        ".".join(map(str, binding.llvm_version_info)),
        OBJECT_VERSION,
        compiled.object,
        tuple(next(i for i, known in enumerate(entry.tensors) if known is t) for t in compiled.tensors),
        tuple((shared.number, type) for shared, type in compiled.shared if shared.number is not None),
        PYTHON if specific else 0,
        compiled.uniform,
        changes,
        tuple(constants),
        variant,
        dtypes.default_float().name,
    )


def kernels_for(compiler: Compiler, natives: Iterable[NativeObject], shipped: Container[str] = ()) -> Kernels | None:
    """The kernels that native objects for a machine need, and those that they need; None where there are none, as in
    the checked mode, whose kernels are others.

    Args:
        compiler: Makes them, for that machine.
        natives: The objects; those for other machines do not count.
        shipped: Symbols of what need not be in an archive, as every installation has it for machines of some level.
    """
    from tscript.backend.llvm.library import binding

    def made(symbol: str) -> NativeKernel | None:
        if not is_kernel(symbol) or (is_level and symbol in shipped):
            return None
        compiled = compiled_kernel(compiler, symbol)
        return NativeKernel(symbol, compiled.externals, compiled.object)

    target = compiler.target
    is_level = bool(fitting(target.triple, target.features))
    found = {} if IS_CHECKED else _needed(target, natives, made)
    llvm = ".".join(map(str, binding.llvm_version_info))
    machine = target.triple, target.cpu, target.features, llvm
    return Kernels(*machine, OBJECT_VERSION, compiler.library, found) if found else None


def kernels_again(brought: Iterable[Kernels], natives: Sequence[NativeObject]) -> list[Kernels]:
    """What is left of the kernels that archives brought, for the native objects that were taken from them."""
    made: dict[tuple[str, str, str, int, str], Kernels] = {}
    for kernels in brought:
        target = Target(kernels.triple, kernels.cpu, kernels.features)
        key = kernels.triple, kernels.cpu, kernels.features, kernels.abi, kernels.library
        known = made[key].kernels if key in made else {}
        all_of = replace(kernels, kernels={**known, **kernels.kernels})
        made[key] = replace(kernels, kernels=_needed(target, natives, all_of.kernels.get))
    return [kernels for kernels in made.values() if kernels.kernels]


def _needed(
    target: Target, natives: Iterable[NativeObject], find: Callable[[str], NativeKernel | None]
) -> dict[str, NativeKernel]:
    """The kernels that the native objects for a machine need, and those that these need, sorted by symbol."""
    needing = [n for n in natives if target.runs(n.triple, n.features) and n.abi == OBJECT_VERSION]
    found: dict[str, NativeKernel] = {}
    pending = list(_asked_for(needing)) if needing else []
    while pending:
        symbol = pending.pop()
        kernel = None if symbol in found else find(symbol)
        if kernel is not None:
            found[symbol] = kernel
            pending += kernel.externals
    return dict(sorted(found.items()))


def _asked_for(natives: Sequence[NativeObject]) -> Iterable[str]:
    """What objects and the runtime, because of them, ask the native library for."""
    externals = {symbol for native in natives for symbol in native.externals}
    yield from externals
    yield from ALWAYS
    if any(has_objects(type) for native in natives for type in (*native.types, native.result)):
        yield from OBJECTS
    if any(symbol.startswith("ts_exception_") for symbol in externals):
        yield from EXCEPTIONS
    if any(native.shared for native in natives):
        yield from SHARED
