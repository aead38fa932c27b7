"""`Linker`: from a specialised program, or the object code of an archive, to code that is loaded and can be called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from tscript.abi.dispatch import PREFIX
from tscript.abi.layout import OBJECT_VERSION
from tscript.abi.python import PYTHON
from tscript.abi.record import GROUPS, SINGLE, RecordScope
from tscript.abi.signature import Item, Signature
from tscript.abi.signature_types import signature_of
from tscript.abi.symbols import TIER, shared_symbol, tensor_symbol
from tscript.backend.loader.loaded import LoadedCode
from tscript.definitions.shared import Shared
from tscript.diagnostics import UNKNOWN, InternalError
from tscript.late import dataclass, replace
from tscript.pipeline.tiers import Tier
from tscript.room import Room
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.call import Specialisation
from tscript.runtime.session.containers import Containers, numbered
from tscript.runtime.session.observation import Observation
from tscript.runtime.session.tensors import Tensors
from tscript.runtime.session.units import Unit
from tscript.runtime.session.watch import CompileWatch
from tscript.runtime.values.conversion import Conversion
from tscript.types import BOOL, FLOAT, INT, Type
from tscript.types.dtypes import compiled_for, default_float

if TYPE_CHECKING:
    from tscript.archive import NativeObject
    from tscript.definitions.opdef import OpDef
    from tscript.ir.graph import Program
    from tscript.pipeline import Compiled, Compiler
    from tscript.pipeline.programs import Finished, Identity
    from tscript.runtime.session.tiers import Tiers


@dataclass(frozen=True, slots=True, eq=False)
class Linker:
    """Makes native code of programs.

    Attributes:
        compiler: Optimises and compiles them.
        native: The boundary.
        library: Has the kernels they need, and the types.
        conversion: Converts arguments and results.
        tensors: Makes their constant tensors.
        containers: Makes their shared containers.
        observation: Observes their calls.
        room: Runs the compiler.
        compiling: Held meanwhile.
        watch: Is told about compiles.
        tiers: Gives what makes better code of what runs often.
    """

    compiler: Compiler
    native: Boundary
    library: KernelLibrary
    conversion: Conversion
    tensors: Tensors
    containers: Containers
    observation: Observation
    room: Room
    compiling: AbstractContextManager[object]
    watch: CompileWatch
    tiers: Callable[[], Tiers]

    def link_apart(self, make: Callable[[], Program]) -> Specialisation:
        """Compile a program without static parameters, with enough stack, and link it.

        Args:
            make: Returns the program.
        """
        return self.room.run(self._locked, make)

    def _locked(self, make: Callable[[], Program]) -> Specialisation:
        with self.compiling:
            program = make()
            return self.link(program, [p.type for p in program.entry.params])

    def link(
        self,
        program: Program,
        given: Sequence[Type],
        static: Sequence[bool] = (),
        *,
        site: int | Callable[[], int] = 0,
        again: Callable[[], Program] | None = None,
        tier: Tier = Tier.FULL,
    ) -> Specialisation:
        """Optimise `program`, make native code, load it.

        Args:
            program: Specialised; it is changed.
            given: The types of the call's arguments, static ones included.
            static: Those that are built in and are not parameters of the program.
            site: Address of the `RecordSite` of its calls, or a function that returns it; 0: they are not observed.
            again: Makes `program` anew, for observed variants; None if it has nothing to observe.
            tier: How much work it is.
        """
        self.watch.compiled += 1
        return self._link(self._finish(program, static, tier), given, static, site, again)

    def link_kept(
        self,
        key: str,
        identity: Identity,
        make: Callable[[], Program],
        given: Sequence[Type],
        static: Sequence[bool] = (),
        *,
        is_that: Callable[[], bool],
        site: int | Callable[[], int] = 0,
        tier: Tier = Tier.FULL,
    ) -> Specialisation:
        """As `link`, of a program whose code may be in the cache; if it is, nothing is compiled.

        Args:
            key: Its key there.
            identity: What the key was made of.
            make: Makes the program.
            is_that: Whether the program is the one of `identity`: it may have been checked in another process.
            given, static, site, tier: As for `link`.
        """
        with self.compiler.cache.held():
            return self._found_or_made(key, identity, make, given, static, is_that, site, tier)

    def _found_or_made(
        self,
        key: str,
        identity: Identity,
        make: Callable[[], Program],
        given: Sequence[Type],
        static: Sequence[bool],
        is_that: Callable[[], bool],
        site: int | Callable[[], int],
        tier: Tier,
    ) -> Specialisation:
        from tscript.backend.loader.loading import LoadError

        programs = self.compiler.programs
        found = programs.find(key, identity)
        if found is not None:
            try:
                made = self._link(found, given, static, site, make)
                self.watch.compiled += 1
                return made
            except (LoadError, InternalError, ValueError):  # it needs what this runtime lacks
                pass
        self.watch.compiled += 1
        found = self._finish(make(), static, tier)
        if is_that():
            programs.keep(key, found, identity)
        return self._link(found, given, static, site, make)

    def _finish(self, program: Program, static: Sequence[bool], tier: Tier) -> Finished:
        """Optimise and compile a program."""
        self.compiler.optimise(program)
        changes, calls = changes_objects(program), tuple(python_calls(program))
        compiled = self.compiler.native(program, tier=tier)
        names = tuple(parameter_names(program, static))
        from tscript.pipeline.programs import Finished

        return Finished(compiled, program.main, _place_of(program), names, changes, calls)

    def _link(
        self,
        finished: Finished,
        given: Sequence[Type],
        static: Sequence[bool],
        site: int | Callable[[], int],
        again: Callable[[], Program] | None,
    ) -> Specialisation:
        """Load what was compiled."""
        compiled, name, place, calls = finished.compiled, finished.name, finished.place, finished.calls
        further = () if compiled.later is None else (TIER,)
        code = self._load_compiled(compiled, compiled.object, (compiled.symbol, *further), place, calls)
        signature = signature_for(compiled.types, given, static, compiled.result, finished.changes)
        constants = self.conversion.constants(signature, given, compiled.result, f"{name}()", finished.names)
        found = self._specialisation(signature, code, compiled.symbol, constants, compiled.result, site, name, again)
        if compiled.later is None:
            return found

        about = replace(compiled, object=b"", later=None)

        def load(data: bytes, symbol: str) -> tuple[LoadedCode, int]:
            better = self._load_compiled(about, data, (symbol,), place, calls)
            if found.unit is not None:
                better.use([found.unit], self._needed)
            code.use([better], self._needed)  # it leads there
            return better, better.address(symbol)

        from tscript.runtime.session.tiers import Tiered

        tiered = Tiered(name, compiled.symbol, compiled.later, found.address, code.address(TIER), load)
        self.tiers().add(tiered)
        return replace(found, tiered=tiered)

    def _load_compiled(
        self, compiled: Compiled, data: bytes, symbols: Sequence[str], place: str, calls: Sequence[OpDef]
    ) -> LoadedCode:
        """Load an object of a program for these symbols."""
        return self._load(data, symbols, compiled.externals, compiled.tensors, compiled.shared, place, calls)

    def _specialisation(
        self,
        signature: Signature,
        code: LoadedCode,
        symbol: str,
        constants: tuple[object, ...],
        result: Type,
        site: int | Callable[[], int],
        name: str,
        again: Callable[[], Program] | None,
        stub: int = 0,
        kept: Callable[[bool], tuple[int, LoadedCode] | None] | None = None,
    ) -> Specialisation:
        address = code.address(symbol)
        unit = None
        if site:
            variant = None if again is None else self._variant(name, again, is_uniform=bool(stub))
            if variant is not None and kept is not None:
                variant = self._kept_or_made(name, kept, variant, address, code)
            unit = Unit(site, address, name, variant)
            code.use([unit], self._needed)  # tasks refer to it
        return Specialisation(signature, address, constants, unit, result, code, stub)

    def _variant(
        self, name: str, again: Callable[[], Program], *, is_uniform: bool
    ) -> Callable[[bool], tuple[int, LoadedCode]]:
        default = default_float()

        def made(fuse: bool) -> tuple[int, LoadedCode]:
            with compiled_for(default):
                return self.room.run(self._observed, name, again, fuse, is_uniform)

        return made

    def _kept_or_made(
        self,
        name: str,
        kept: Callable[[bool], tuple[int, LoadedCode] | None],
        make: Callable[[bool], tuple[int, LoadedCode]],
        address: int,
        code: LoadedCode,
    ) -> Callable[[bool], tuple[int, LoadedCode]]:
        """Observed variants of a function of an archive: those that are kept, or else made by the compiler. Where there
        is none, the plain code is all there is, and only its calls are seen."""
        owner = ref(code)  # what it owns leads to this function

        def variant(fuse: bool) -> tuple[int, LoadedCode]:
            found = kept(fuse)
            if found is not None:
                return found
            try:
                return make(fuse)
            except ImportError:
                self.observation.say_whole(name)
                plain = owner()
                assert plain is not None
                return address, plain

        return variant

    def _observed(
        self, name: str, again: Callable[[], Program], fuse: bool, is_uniform: bool
    ) -> tuple[int, LoadedCode]:
        """The observed variant of a specialisation, with fused groups or single operators: its address and owner."""
        with self.observation.range(RecordScope.COMPILE, name), self.compiling:
            program = self.compiler.optimise(again(), fuse=fuse)
            calls = python_calls(program)
            compiled = self.compiler.native(program, observed=True, is_uniform=is_uniform)
            symbol = compiled.uniform or compiled.symbol
            place = _place_of(program)
            where = place and f"{place}:observed"
            code = self._load_compiled(compiled, compiled.object, (symbol,), where, calls)
            if code.sites:
                self.observation.sites.adopt(code.sites)
            return code.address(symbol), code

    def _load(
        self,
        data: bytes,
        symbols: Sequence[str],
        externals: Sequence[str],
        tensors: Sequence[np.ndarray[Any, Any]],
        shared: Sequence[tuple[Shared, Type]] = (),
        place: str = "",
        calls: Sequence[OpDef] = (),
    ) -> LoadedCode:
        types = [self.library.type_of(name) for name in externals]
        imports = {
            name: self.library.address(name) for name, type in zip(externals, types, strict=True) if type is None
        }
        imports |= {
            n: self.library.types.address(type) for n, type in zip(externals, types, strict=True) if type is not None
        }
        # Arrays of the frontend and of archives are read-only, so tensors over them refuse to be written to.
        headers = [self.tensors.constant(a) for a in tensors]
        imports |= {tensor_symbol(i): self.native.tensors.impl_of(header) for i, header in enumerate(headers)}
        containers = [self.containers.of(one, type) for one, type in shared]
        imports |= {shared_symbol(i): container.address for i, container in enumerate(containers)}
        code = self.compiler.session.load(data, symbols, imports, place, lasting=False)
        used = [t for t in (*types, *(type for _, type in shared)) if t is not None and t.owner is not None]
        code.use([*used, *calls], self._needed)
        for kept in (*headers, *containers):
            code.keep(kept)
        return code

    def _needed(self, thing: object) -> None:
        """Only native values need something that code uses."""
        from tscript.definitions.opdef import OpDef

        if isinstance(thing, Type):
            self.library.types.add_again(thing)
        elif isinstance(thing, OpDef):
            self.compiler.functions.add(thing)

    def accepted(self, natives: Iterable[NativeObject]) -> list[NativeObject]:
        """The object code of an archive that runs here, the best first: same platform, ABI, Python and default
        dtype, and no missing CPU feature."""
        target, default = self.compiler.target, default_float().name
        found = [n for n in natives if n.abi == OBJECT_VERSION and n.python in (0, PYTHON)]
        found = [n for n in found if n.default_dtype == default]
        fitting = [n for n in found if target.runs(n.triple, n.features)]
        return sorted(fitting, key=lambda n: n.features.count("+"), reverse=True)

    def load_native(
        self,
        native: NativeObject,
        given: Sequence[Type],
        tensors: Sequence[np.ndarray[Any, Any]],
        program: Callable[[], Program],
        names: Sequence[str],
        static: Sequence[bool] = (),
        *,
        name: str = "",
        site: int | Callable[[], int] = 0,
        again: Callable[[], Program] | None = None,
        variants: Sequence[NativeObject] = (),
    ) -> Specialisation:
        """Load object code of an archive.

        Args:
            native: The object.
            given: The types of the call's arguments.
            tensors: The constant tensors of its function.
            program: Returns the IR of that.
            names: Of its parameters.
            static: As for `link`.
            name: Its own.
            site, again: As for `link`.
            variants: Observed variants of it.
        """
        signature = signature_for(native.types, given, static, native.result, native.changes)
        constants = self.conversion.constants(signature, given, native.result, f"{name}()", names)
        symbol, stub = native.symbol, 0
        if native.uniform and not self.native.stubs.has(signature):
            symbol = native.uniform
            stub, description = self.native.stubs.uniform(signature)
            constants = (*constants, description)
        numbers = numbered(program()) if native.shared else {}

        def load(one: NativeObject) -> LoadedCode:
            own = [tensors[i] for i in one.tensors]
            containers = [(numbers[number], type) for number, type in one.shared]
            return self._load(one.data, [symbol], one.externals, own, containers)

        def kept(fuse: bool) -> tuple[int, LoadedCode] | None:
            wanted = GROUPS if fuse else SINGLE
            for one in variants:
                if one.observed == wanted and (one.symbol, one.uniform) == (native.symbol, native.uniform):
                    found = load(one)
                    if found.sites:
                        self.observation.sites.adopt(found.sites)
                    return found.address(symbol), found
            return None

        code = load(native)
        name = name or native.symbol
        return self._specialisation(signature, code, symbol, constants, native.result, site, name, again, stub, kept)


def _place_of(program: Program) -> str:
    """``file:line`` of a program's entry; empty if it comes from no file."""
    span = program.entry.span
    return "" if span is UNKNOWN else f"{span.source.name}:{span.line}"


def signature_for(
    native: Sequence[Type], given: Sequence[Type], static: Sequence[bool], result: Type, changes: bool = True
) -> Signature:
    """How arguments of the `given` types reach code whose parameters are `native`."""
    flags = [*static, *[False] * len(given)][: len(given)]
    passed = iter(native)
    types = [g if is_static else next(passed) for g, is_static in zip(given, flags, strict=True)]
    found = signature_of(types, result, flags, [changes] * len(types))
    items: list[Item] = [
        "w" if item == "f" and t == FLOAT and g in (INT, BOOL) else item
        for item, t, g in zip(found.parameters, types, given, strict=True)
    ]
    return Signature(tuple(items), found.result)


def changes_objects(program: Program) -> bool:
    """Whether a program may change a list, a dict, a set or an instance among its arguments."""
    from tscript.definitions.opdef import Native, PythonCall
    from tscript.ir.graph import Invoke, Op, walk
    from tscript.operators.python.exceptions import CHAIN

    return any(
        isinstance(n, Invoke)
        or (isinstance(n, Op) and n.op is CHAIN)
        or (isinstance(n, Op) and n.op.effects.world and isinstance(n.op.implementation, Native | PythonCall))
        for g in program.graphs.values()
        for n in walk(g.body)
    )


def python_calls(program: Program) -> list[OpDef]:
    """The operators of a program that call Python functions of the user."""
    from tscript.ir.graph import Op, walk

    nodes = (n for g in program.graphs.values() for n in walk(g.body))
    return list({n.op for n in nodes if isinstance(n, Op) and n.op.name.startswith(PREFIX)})


def parameter_names(program: Program, static: Sequence[bool]) -> list[str]:
    """A name for each argument of a call; built-in ones have none."""
    names = iter([v.name for v in program.entry.body.params])
    flags = [*static, *[False] * len(program.entry.body.params)]
    return ["" if is_static else next(names, "") for is_static in flags]
