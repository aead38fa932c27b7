"""Native code made ahead of time, for archives: specialisations of functions, and the kernels that these need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tscript.abi.checked import IS_CHECKED
from tscript.abi.layout import OBJECT_VERSION
from tscript.abi.python import PYTHON
from tscript.abi.record import KERNELS as RECORD_KERNELS
from tscript.abi.signature import has_objects
from tscript.abi.symbols import OBJECT_RELEASE, OBJECT_RETAIN, TENSOR_RELEASE, kernel_symbol
from tscript.archive import EntryPoint, Kernels, NativeKernel, NativeObject
from tscript.backend.llvm.target import Target
from tscript.pipeline import Compiler
from tscript.runtime.boundary.pool.imports import RUNTIME_SYMBOLS
from tscript.runtime.session.build import compiled_kernel, is_kernel
from tscript.runtime.session.scripted import Scripted
from tscript.runtime.session.signatures import SignatureError, Signatures, complete_signature, fits, is_open

ALWAYS = (
    *(TENSOR_RELEASE, kernel_symbol("tensor_from_memory"), kernel_symbol("callback_publish")),
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


def native_objects(
    scripted: Scripted, name: str, entry: EntryPoint, signatures: Signatures
) -> tuple[NativeObject, ...]:
    """Objects for the wanted signatures of one function, made from the IR of the archive, so that they hold no
    paths."""
    params = scripted.params
    wanted = [complete_signature(name, params, types) for who, types in signatures if who == name]
    wanted += [complete_signature(name, params, t) for who, t in signatures if who is None and fits(params, t)]
    wanted += scripted.called()
    fixed = tuple(p.type for p in params)
    if not wanted and not any(is_open(t) for t in fixed) and not scripted.static:
        wanted.append(fixed)
    if wanted and scripted.static:
        names = ", ".join(f"'{params[i].name}'" for i in sorted(scripted.static))
        raise SignatureError(f"{name} cannot be compiled ahead: values of {names} decide about types")
    present = {n.types for n in entry.native if scripted.linker.accepts(n)}
    linker = scripted.linker
    program = entry.program(linker.compiler.table)
    objects = (
        linker.native_object(linker.compiler.specialise(program, types, {}), entry.tensors)
        for types in dict.fromkeys(wanted)
        if types not in present
    )
    return tuple(objects)


def kernels_for(compiler: Compiler, natives: Iterable[NativeObject]) -> Kernels | None:
    """The kernels that native objects for a machine need, and those that they need; None where there are none, as in
    the checked mode, whose kernels are others.

    Args:
        compiler: Makes them, for that machine.
        natives: The objects; those for other machines do not count.
    """
    from tscript.backend.llvm.library import binding

    def made(symbol: str) -> NativeKernel | None:
        if not is_kernel(symbol):
            return None
        compiled = compiled_kernel(compiler, symbol)
        return NativeKernel(symbol, compiled.externals, PYTHON, compiled.object)

    target = compiler.target
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
