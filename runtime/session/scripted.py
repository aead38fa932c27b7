"""`Scripted`: the implementation of a scripted function; `ScriptFunctions` makes the native object that users hold."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from tscript.abi.python import PYTHON_FUNCTION
from tscript.abi.record import RecordScope
from tscript.abi.signature_types import has_objects
from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.shared import LRU_CACHE
from tscript.diagnostics import CompileError, InternalError, Span
from tscript.ir.graph import Call, Param, Program, walk
from tscript.ir.static_parameters import drop_parameters, static_parameters
from tscript.late import dataclass, field, replace
from tscript.once import once
from tscript.pipeline.tiers import Tier
from tscript.runtime.boundary.callables import REQUIRED as NO_DEFAULT
from tscript.runtime.boundary.callables import Miss
from tscript.runtime.boundary.native.keys import Flag
from tscript.runtime.session.call import Dispatcher, Specialisation, weakly
from tscript.runtime.session.deferred import Deferred
from tscript.runtime.session.disabling import Disabling
from tscript.runtime.session.known_parameters import known_parameters, with_known
from tscript.runtime.session.linker import Linker, python_calls
from tscript.runtime.session.methods import OwnerOf
from tscript.runtime.session.signatures import Given, SignatureError, Signatures, Unknown, Wanted, fits
from tscript.runtime.session.stored import entry_for, stored_function
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.arguments import Argument, describe
from tscript.runtime.values.binding import bind, convert, describe_as, takes_own_list
from tscript.runtime.values.function_value import FunctionValue
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    OPEN,
    TENSOR,
    ArrayType,
    CallableType,
    KnownType,
    TupleType,
    Type,
    in_python,
    leaves_open,
)

if TYPE_CHECKING:
    from tscript.archive import ArchivePath, EntryPoint, Kernels
    from tscript.archive.naming import Names
    from tscript.frontend import PythonFunction
    from tscript.frontend.checking import Template
    from tscript.frontend.source.captured import Captured
    from tscript.pipeline.programs import Header, Identity, Opened
    from tscript.runtime.session.caches import Caches
    from tscript.runtime.session.pool import Pool
    from tscript.runtime.session.templates import Version, Versions


class Scripted:
    """One scripted function: its source and IR, and the specialisations made so far.

    Users hold `callable`, a native `ScriptFunction`; this object implements its attributes.

    Args:
        owner: The scripted functions of its process.
        name: The function's name.
        source: Its source and names; None if it came from an archive.
        entry: The entry point of the archive; None if it came from source.
        trust_native: Whether native code of the archive may be used.
        kernels: Those that the archive brings.
        owner_of: Finds its class, if it is a method that was decorated inside of the class.
        archive: The archive that pickles name instead of having its content.
        tier: How its code is optimised; None: as the environment says. That of an archive takes `Tier.FULL`.
        version: Which version of a function with types from the call this is; None: the function itself.
        others: The entry points of the archive that are its other versions.
    """

    def __init__(
        self,
        owner: ScriptFunctions,
        name: str,
        source: PythonFunction | None = None,
        entry: EntryPoint | None = None,
        *,
        trust_native: bool = False,
        kernels: Sequence[Kernels] = (),
        owner_of: OwnerOf | None = None,
        archive: ArchivePath | None = None,
        tier: Tier | None = None,
        version: Version | None = None,
        others: Sequence[EntryPoint] = (),
    ) -> None:
        self.archive = archive
        self.others = others
        self.version = version
        self.owner = owner
        self.linker = owner.linker
        self.name = name
        self.source = source
        self.entry = entry
        self.trust_native = trust_native
        self.kernels = kernels
        self.owner_of = owner_of
        self.optimize = None if tier is None else tier.value
        self.tier = Tier.FULL if entry is not None else tier or self.linker.compiler.options.tier
        # Weakly, so that it is freed together with the function, and not at the next garbage collection.
        self._archived: EntryPoint | None = None
        linker = self.linker
        self.dispatcher = Dispatcher(linker.native, weakref.proxy(self), linker.compiling, linker.room, linker.watch)

    @once
    def program(self) -> Program:
        """The typed IR, generic over dtypes and ranks.

        Raises:
            CompileError: With every error of the function.
            ArchiveError: The archive's IR is not valid.
        """
        if self.source is not None:
            call = None if self.version is None else self.version.call
            if self.place is None:
                known = {} if self.captured is None else self.captured.functions
                return self.linker.compiler.check(self.source, known=known, types=self.types, call=call)
            program, self.source = self.linker.compiler.check_method(*self.place, self.source, self.types, call)
            return program
        assert self.entry is not None
        return self.entry.program(self.linker.compiler.table)

    @once
    def stored(self) -> PythonFunction | None:
        """It as a function that compiled code may call without source; None if it has its source."""
        if self.entry is None:
            return None
        return stored_function(self.name, self.entries, lambda: self.program, self.linker.compiler.table)

    @property
    def kept(self) -> Program:
        """Its program as an archive has it: without Python's caches."""
        assert self.source is not None
        return (
            self.linker.compiler.check(self.source, keeps_caches=True, types=self.types)
            if python_calls(self.program)
            else self.program
        )

    def archived(self, name: str, names: Names | None) -> EntryPoint:
        """It as an entry point of an archive, without object code; the same one where the same is asked for again, as
        a module is saved again and again while it is trained.

        Args:
            name: What the archive calls it.
            names: What the archive calls classes; None: as this process does.

        Raises:
            ArchiveError: It calls functions that stay in Python.
        """
        known = self._archived
        if known is not None and known.name == name:
            types = known.types.values()
            if known.types == {str(type) if names is None else names.of(type): type for type in types}:
                return known
        from tscript.archive import entry_point, refuse_python

        static = tuple(sorted(self.static))
        program = self.linker.compiler.portable(self.kept)
        refuse_python(name, program)
        self._archived = entry_point(name, program, self.code, self.doc, static=static, names=names)
        return self._archived

    @property
    def place(self) -> tuple[type, str] | None:
        """Its class and its name there, if it is a method."""
        return None if self.owner_of is None else self.owner_of.find()

    @once
    def versions(self) -> Versions[Scripted] | None:
        """Its versions, if parameters take types from the call."""
        if self.entry is not None and self.others:
            columns = list(zip(*([p.type for p in e.params] for e in (self.entry, *self.others)), strict=True))
            pairs = zip(self.entry.params, columns, strict=True)
            params = [p if len({*types}) == 1 else replace(p, type=OPEN) for p, types in pairs]
            usual = [types[0] for types in columns if len({*types}) > 1]
            from tscript.runtime.session.templates import Versions

            return Versions(self.name, params, usual, self.linker, weakly(self._stored), function_type)
        if self.source is None or self.version is not None:
            return None
        header = self.header
        found: Template | Opened | None
        if header is not None and not header.asks:
            found = header.opened
        else:
            found = self.linker.compiler.template(self.source, self.place)
        if found is None:
            return None
        from tscript.runtime.session.templates import Versions

        return Versions(self.name, found.params, found.usual, self.linker, weakly(self._version), function_type)

    def _stored(self, types: Mapping[str, Type], call: Span | None) -> Scripted:
        """The version that the archive has for types of open parameters."""
        from tscript.runtime.session.templates import Version

        assert self.versions is not None and self.entry is not None
        opened = self.versions.opened
        entry = entry_for(self.name, self.entries, opened, types)
        if entry is self.entry:
            return self
        version = Version(types, call, frozenset(), frozenset(opened), self.versions.params)
        more: dict[str, Any] = {"trust_native": self.trust_native, "kernels": self.kernels}
        return Scripted(self.owner, self.name, entry=entry, archive=self.archive, version=version, **more)

    @property
    def entries(self) -> list[EntryPoint]:
        """The entry points of the archive that it came from."""
        return [] if self.entry is None else [self.entry, *self.others]

    @property
    def types(self) -> Mapping[str, Type]:
        """The types of its open parameters, by name: of this version, or where no call says more."""
        if self.version is not None:
            return self.version.types
        return {} if self.versions is None else self.versions.usual

    def _version(self, types: Mapping[str, Type], call: Span | None) -> Scripted:
        from tscript.runtime.session.templates import Version

        assert self.versions is not None
        if self.is_usual and types == self.versions.usual:
            return self
        static = {i for i in range(len(self.params)) if i not in self.versions.opened and self._keeps_value(i)}
        version = Version(types, call, frozenset(static), frozenset(self.versions.opened), self.versions.params)
        made = Scripted(self.owner, self.name, self.source, tier=self.tier, version=version, owner_of=self.owner_of)
        _ = made.params  # reports errors
        made.keep_header()
        return made

    def _keeps_value(self, position: int) -> bool:
        """Whether the key of a call has the value of a parameter with declared type."""
        return position in self.static if self.is_usual else self.params[position].type == BOOL

    @once
    def is_usual(self) -> bool:
        """Whether it can be compiled where no call says types."""
        is_unchecked = self.owner_of is not None or vars(self).get("is_deferred", False)
        if is_unchecked and self.version is None and self.versions is not None:
            try:
                _ = self.program
            except CompileError:
                return False
        return self.header is None or bool(self.header.digest)

    @once
    def is_deferred(self) -> bool:
        """Whether checking has to wait for the first call, because a global it names is defined further down, because
        it is a method, whose class is not there yet, or because compiled code is disabled.

        Raises:
            CompileError: There are errors of other kinds.
        """
        if self.owner_of is not None or self.owner.disabling.is_disabled:
            return True
        if self.entry is not None:
            return False
        if self.header is not None:
            return False
        try:
            self.check()
        except CompileError as error:
            from tscript.frontend.diagnostics.errors import UnknownName
            from tscript.frontend.source.functions import may_come

            if not all(isinstance(d, UnknownName) and may_come(d.name, d.span) for d in error.diagnostics):
                raise
            self.captured = None  # other things may be there by then
            return True
        self.keep_header()
        return False

    def check(self) -> None:
        """Check it, as far as that depends on no call.

        Raises:
            CompileError: With every error of it.
        """
        try:
            _ = self.program
        except CompileError as error:
            self._check_template(error)

    def _check_template(self, error: CompileError) -> None:
        """Let errors pass that other types from the call may mend.

        Raises:
            CompileError: With the others.
        """
        if self.versions is None:
            raise error
        assert self.source is not None
        self.linker.compiler.check_template(self.source)
        self.is_usual = False

    def keep_header(self) -> None:
        """Let other processes know what checking it found."""
        if self.captured is None or self.header is not None:
            return
        if any(isinstance(type, KnownType) for type in self.types.values()):
            return
        from tscript.pipeline.programs import Header, Identity, Opened

        keep = self.linker.compiler.programs.keep_header
        opened = None if self.versions is None else Opened(self.versions.params, self.versions.usual_types)
        asks = opened is not None and not opened.is_plain
        opened = None if asks else opened
        if self.is_usual:
            keep(self.checked_as, self.identity, lambda digest: Header(digest, self.params, self.static, opened, asks))
        else:
            params = tuple(replace(p, type=TENSOR) if leaves_open(p.type) else p for p in self.params)
            keep(self.checked_as, Identity(""), lambda digest: Header(digest, params, frozenset(), opened, asks))

    @property
    def checked_as(self) -> str:
        """What its header is found by."""
        assert self.captured is not None
        types = () if self.version is None else ("version", *(f"{n}: {type}" for n, type in self.version.types.items()))
        return "\n".join([self.captured.digest, *types])

    @once
    def captured(self) -> Captured | None:
        """What checking it reads; None if it is checked in any case."""
        if self.source is None or self.owner_of is not None or not self.linker.compiler.keeps_programs:
            return None
        if self.version is not None and any(isinstance(type, KnownType) for type in self.version.types.values()):
            return None
        from tscript.frontend.source.captured import captured

        return captured(self.source)

    @once
    def header(self) -> Header | None:
        """What an earlier process found when it checked the function; then it is only checked where more is needed."""
        if self.captured is None:
            return None
        found = self.linker.compiler.programs.header(self.checked_as)
        if found is not None:
            self.captured.freeze()
        return found

    @property
    def is_checked(self) -> bool:
        """Whether the program is there."""
        return "program" in vars(self)

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters."""
        if self.entry is not None:
            return self.entry.params
        if not self.is_usual and self.versions is not None:
            return self.versions.params
        found = self.program.entry.params if self.header is None else self.header.params
        return with_known(found, self.known) if self.known else found

    @once
    def known(self) -> Mapping[int, Param]:
        """The parameters that stand for functions of the call, by position. Nothing is passed for them."""
        if self.version is not None:
            return known_parameters(self.version.params, self.types)
        return {} if self.versions is None or not self.is_usual else known_parameters(self.versions.params, self.types)

    @once
    def taken(self) -> tuple[Param, ...]:
        """The parameters for calls: defaults as Python values; arrays are read-only tensors over the same memory."""
        constant = self.linker.tensors.constant
        return tuple(
            replace(p, default=p.default if isinstance(p.type, ArrayType) else in_python(constant(p.default)))
            if p.held is None
            else replace(p, default=p.held)
            for p in self.params
        )

    @once
    def static(self) -> frozenset[int]:
        """Positions of the number parameters whose values take part in specialisation, because they determine types."""
        if self.entry is not None:
            return frozenset(self.entry.static)
        if self.header is not None:
            return self.header.static
        numbers = {i for i, p in enumerate(self.params) if p.type in (BOOL, INT, FLOAT) and self._may_be_static(i)}
        nodes = (n for g in self.program.graphs.values() for n in walk(g.body))
        calls_itself = any(isinstance(n, Call) and n.callee == self.program.main for n in nodes)
        if calls_itself:
            return frozenset(self.known)
        passed = [i for i in range(len(self.params)) if i not in self.known]
        return (frozenset(passed[i] for i in static_parameters(self.program)) & numbers) | self.known.keys()

    def _may_be_static(self, position: int) -> bool:
        """Whether the key of a call has the value of a number."""
        if self.version is not None:
            is_open, is_keyed = position in self.version.opened, position in self.version.static
        else:
            is_open, is_keyed = self.versions is not None and position in self.versions.opened, True
        return self.params[position].type == BOOL if is_open else is_keyed

    @once
    def forked(self) -> Any:
        """A native callable that takes the function's arguments and forks the call: what `tscript.fork` calls."""
        from tscript.runtime.session.pool import Forker

        return self.callable(Forker(self.owner.pool(), self.dispatcher).miss)

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
        """The result of `prepare`, for inspection of a call that is not made."""
        bound = bind(self.name, self.taken, args, kwargs)
        return self._of_values(bound, called=True).described(bound)

    def _of_values(self, values: Sequence[object], *, called: bool = False) -> Scripted:
        """Its version for the values of all parameters."""
        return self if self.versions is None else self.versions.version(self.versions.types_of(values), called=called)

    def of_types(self, types: Sequence[Type]) -> Scripted:
        """Its version for the types of all parameters.

        Raises:
            CompileError: It does not take these types.
            TypeError: A parameter that is declared as a list, a dict … is given another type.
        """
        return self if self.versions is None else self.versions.of_all(types)

    def of_given(self, given: Given) -> Scripted:
        """Its version for a signature; parameters that it leaves out are as where no call says more.

        Raises:
            CompileError: It does not take these types.
            TypeError: It has other parameters.
        """
        if self.versions is None:
            return self
        types = [item if isinstance(item, Type) else describe(item, Unknown).type for item in given]
        return self.of_types([*types, *(p.type for p in self.versions.params[len(types) :])])

    def of_signatures(self, name: str, signatures: Signatures) -> list[tuple[Scripted, Signatures]]:
        """The versions that signatures of an archive ask for, in which it is called `name`, each with its own.

        Raises:
            CompileError: It does not take these types.
            SignatureError: It has other parameters.
        """
        if self.versions is None:
            return [(self, signatures)]
        found: dict[Scripted, list[tuple[str | None, Given]]] = {}
        if self.entry is not None:
            found = {self.of_types([p.type for p in entry.params]): [] for entry in self.entries}
        try:
            for who, given in signatures:
                if who == name or (who is None and self.takes(given)):
                    found.setdefault(self.of_given(given), []).append((name, given))
            return list(found.items()) if found else [(version, ()) for version in self.of_declarations()]
        except CompileError:
            raise
        except TypeError as error:
            raise SignatureError(str(error)) from None

    def of_declarations(self) -> list[Scripted]:
        """Its versions where nothing else says which: of one with parameters that take types from the call those that
        its overloads (`typing.overload`) declare. Without overloads, a parameter that is None by default is a tensor or
        None, and others are as where no call says more.

        Raises:
            CompileError: None of them can be compiled.
        """
        if self.versions is None:
            return [self]
        if self.entry is not None:
            return [self.of_types([p.type for p in entry.params]) for entry in self.entries]
        assert self.source is not None
        made: dict[Scripted, None] = {}
        for types in self.versions.declared(self.linker.compiler.overloads(self.source, self.place)):
            with suppress(CompileError, TypeError):
                made[self.of_types(types)] = None
        return [*made] or [self.of_given(())]

    def takes(self, given: Given) -> bool:
        """Whether a signature can be one of this function."""
        try:
            version = self.of_given(given)
        except (TypeError, CompileError):
            return False
        return fits(version.params, version.static, given)

    def described(self, bound: Sequence[object]) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """The values of all parameters, converted and described."""
        tensor = self.linker.native.Tensor
        pairs = zip(self.params, bound, strict=True)
        values = [
            v if isinstance(p.type, KnownType) or p.held is not None else convert(self.name, p, v, tensor)
            for p, v in pairs
        ]
        described = [self._described(v, p) for v, p in zip(values, self.params, strict=True)]
        for i in self.static:
            described[i] = Argument(described[i].type, values[i])
        return values, described, ()

    def _described(self, value: object, param: Param) -> Argument:
        """The type of a converted argument. Modules that the function names may have become others since."""
        tensor = self.linker.native.Tensor
        found = None if param.held is None else self.linker.compiler.class_type(type(value))
        if value is not param.held is not None:
            raise TypeError(
                f"{self.name}() takes {sum(p.held is None for p in self.params)} arguments, and more were given"
            )
        return describe_as(value, param.type, tensor) if found is None else Argument(found)

    def is_keyed(self, described: Sequence[Argument]) -> bool:
        """See `tscript.runtime.session.call.Callee`."""
        return self.versions is None or not self.versions.depends_on_values(
            [described[i].type for i in self.versions.opened]
        )

    def specialise(
        self, described: Sequence[Argument], names: tuple[str, ...] = (), tier: Tier | None = None
    ) -> Specialisation:
        """See `tscript.runtime.session.call.Callee`."""
        version = self.of_types([d.type for d in described])
        with self.linker.observation.range(RecordScope.COMPILE, self.name):
            return version._specialise(described, tier or self.tier)

    def compile_for(self, described: Sequence[Argument]) -> None:
        """Compile ahead with everything, also what was compiled quickly before."""
        found = self.dispatcher.find(described, tier=Tier.FULL)
        if found.tiered is not None:
            self.linker.room.run(self.linker.tiers().now, found.tiered)

    def _specialise(self, described: Sequence[Argument], tier: Tier) -> Specialisation:
        types, constants = self.split(described)
        given = [d.type for d in described]
        again, site = partial(weakly(self.specialised), types, constants), weakly(self.site_of_calls)
        static = [i in self.static for i in range(len(given))]
        if self.entry is not None and self.trust_native:
            from tscript.backend.loader.loading import LoadError

            accepted = self.linker.accepted(self.entry.native)
            fitting = [n for n in accepted if n.serves(types, constants, self.entry.static)]
            for native in fitting:
                if native.observed:
                    continue
                try:
                    return self.linker.load_native(
                        native,
                        given,
                        self.entry.tensors,
                        lambda: self.program,
                        ["" if is_static else p.name for p, is_static in zip(self.params, static, strict=True)],
                        static,
                        name=self.name,
                        site=site,
                        again=again,
                        variants=[n for n in fitting if n.observed],
                    )
                except (LoadError, InternalError, KeyError):  # it needs what this runtime lacks; the IR does not
                    continue
        identity = self.identity
        if identity is not None:
            key = self.linker.compiler.programs.key(identity, types, constants, self.static, tier)
            if key is not None:
                is_that = partial(self._is, identity)
                return self.linker.link_kept(key, identity, again, given, static, is_that=is_that, site=site, tier=tier)
        return self.linker.link(again(), given, static, site=site, again=again, tier=tier)

    @once
    def identity(self) -> Identity | None:
        """What its code in the cache is found by; None if it is not looked for."""
        if not self.linker.compiler.keeps_programs or (self.entry is not None and self.entry.versions):
            return None
        from tscript.pipeline.programs import Identity, identity_of

        return identity_of(self.program) if self.header is None else Identity(self.header.digest)

    def _is(self, identity: Identity) -> bool:
        """Whether the program has this identity."""
        from tscript.pipeline.programs import identity_of

        found = identity_of(self.program) if self.header is not None else identity
        return found is not None and found.digest == identity.digest

    def site_of_calls(self) -> int:
        """Address of the `RecordSite` of its calls."""
        span = self.program.entry.span
        return self.linker.observation.sites.site(
            RecordScope.FUNCTION, self.name, "", span.source.name, self.name, span.line
        )

    def called(self, version: Scripted) -> list[Wanted]:
        """The argument types of the specialisations of a version made so far, with the values that they depend on."""
        calls = [described for _, described in self.dispatcher.table]
        own = [version.split(given) for given in calls if self.of_types([d.type for d in given]) is version]
        return [(types, tuple(constants.items())) for types, constants in own]

    def split(self, described: Sequence[Argument]) -> tuple[tuple[Type, ...], dict[int, object]]:
        """The native parameter types (a float parameter given an int stays float) and the constants by position."""
        types = tuple(FLOAT if p.type == FLOAT else d.type for p, d in zip(self.params, described, strict=True))
        return types, {i: d.constant for i, d in enumerate(described) if d.constant is not MISSING}

    def specialised(self, types: Sequence[Type], constants: Mapping[int, object]) -> Program:
        """The IR for these argument types, before optimisation. Static parameters are built in and gone."""
        passed = [i for i in range(len(types)) if i not in self.known]
        constants = {at: constants[i] for at, i in enumerate(passed) if i in constants}
        program = self.linker.compiler.specialise(self.program, [types[i] for i in passed], constants)
        drop_parameters(program, [at for at, i in enumerate(passed) if i in self.static and at in constants])
        return program

    def of_call(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[Scripted, Sequence[Type], Mapping[int, object]]:
        """Its version for a call with these arguments, and the specialisation of that."""
        bound = bind(self.name, self.taken, args, kwargs)
        version = self._of_values(bound, called=True)
        return version, *version.split(version.described(bound)[1])

    def types_of(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[Sequence[Type], Mapping[int, object]]:
        """The specialisation of a call with these arguments."""
        return self.of_call(args, kwargs)[1:]

    def callable(self, miss: Miss, type: type | None = None) -> Any:
        """A native callable with the parameters of this function."""
        callables = self.linker.native.callables
        if self.is_deferred:
            return callables.new(self.name, 0, [], Deferred(self, miss).miss, type=type)
        flags, names, defaults = self.native_parameters
        return callables.new(self.name, len(flags), flags, miss, names=names, defaults=defaults, type=type)

    @property
    def native_parameters(self) -> tuple[list[int], list[str], list[object]]:
        """Flags, names and defaults of the parameters of a native callable."""
        params = self.taken
        # The native path has no keyword-only parameters and no ``*args``; Python binds calls of functions with these.
        plain = tuple(p for p in params if not any(q.keyword_only or q.variadic for q in params))
        return (
            [self._flag(i, p.type) for i, p in enumerate(plain)],
            # A name that no keyword can have marks a positional-only parameter.
            [p.name if p.held is None and not p.positional_only else f"/{p.name}" for p in plain],
            [NO_DEFAULT if p.default is REQUIRED or takes_own_list(p) else p.default for p in plain],
        )

    def _flag(self, position: int, type: Type) -> int:
        if self.versions is None:
            return _flag(type, position in self.static)
        if position in self.versions.opened:
            return Flag.OPEN | Flag.STATIC_BOOL
        if self.is_usual:
            return _flag(type, position in self.static or any(position in entry.static for entry in self.others))
        return Flag.STATIC_BOOL if self._keeps_value(position) else _flag(type, False)


def function_type(function: Any) -> CallableType | None:
    """The type of a function that compiled code made, or of a scripted one that takes no types from the call."""
    if isinstance(function, FunctionValue):
        return function.type
    scripted = getattr(function, _SCRIPTED, None)
    if not isinstance(scripted, Scripted) or scripted.versions is not None:
        return None
    needed = [p for p in scripted.params if p.default is REQUIRED]
    if any(p.keyword_only or p.variadic or p.held is not None for p in needed):
        return None
    result = scripted.program.entry.result if scripted.entry is None else scripted.entry.result
    return CallableType(tuple(p.type for p in needed), result)


@dataclass(frozen=True, slots=True, eq=False)
class ScriptFunctions:
    """Makes the scripted functions of a process.

    Attributes:
        linker: Makes their code.
        caches: Returns what adds the methods of `functools.lru_cache` to those with a cache.
        pool: Returns the pool for forked calls.
        type: The native type of scripted functions.
        disabling: Whether calls run Python instead.
        methods: Methods of classes that archives keep, by the definitions of these.
    """

    linker: Linker
    caches: Callable[[], Caches]
    pool: Callable[[], Pool]
    type: Any
    disabling: Disabling
    methods: weakref.WeakKeyDictionary[Any, dict[str, Scripted]] = field(default_factory=weakref.WeakKeyDictionary)

    def function(
        self, scripted: Scripted, wrapped: Callable[..., Any] | None, python: Callable[..., Any] | None = None
    ) -> Any:
        """The native callable for `scripted`, with the attributes of a function.

        Args:
            scripted: Its implementation.
            wrapped: The original function.
            python: What runs while compiled code is disabled, if it is not the original function.
        """
        function = scripted.callable(scripted.dispatcher.miss, self.type)
        setattr(function, IMPLEMENTATION, scripted)
        function.__qualname__ = getattr(wrapped, "__qualname__", scripted.name)
        function.__doc__ = scripted.doc
        function.__module__ = getattr(wrapped, "__module__", None)
        if wrapped is not None:
            function.__wrapped__ = wrapped
            setattr(function, SOURCE, scripted.source)
            setattr(function, PYTHON_FUNCTION, wrapped if python is None else python)
            self.disabling.add(function)
        source = scripted.source
        return function if source is None or source.cache is None else self.caches().dress(function, source)


IMPLEMENTATION, SOURCE = "_tscript_implementation", "_tscript_source"
"""Where a scripted function has its `Scripted` and its source. `functools.wraps` copies them to functions that are not
scripted, so they are read by properties of the type, ``_scripted`` and ``__tscript_function__``."""

_SCRIPTED = "_scripted"


def is_scripted(function: object) -> bool:
    """Whether something is a scripted function."""
    return hasattr(function, _SCRIPTED)


@raises_user_errors
def scripted_of(function: Any) -> Scripted:
    """The implementation of a scripted function, or of the one inside of a `functools.lru_cache`.

    Raises:
        TypeError: It is not a scripted function.
    """
    if type(function) is LRU_CACHE:
        function = function.__wrapped__
    if isinstance(found := getattr(function, _SCRIPTED, None), Scripted):
        return found
    raise TypeError(f"expected a scripted function, not {type(function).__name__}: decorate it with @tscript.script")


def _flag(type: Type, is_static: bool) -> int:
    """The treatment of a parameter by the native table."""
    if is_static:
        return Flag.STATIC
    if isinstance(type, TupleType) and type.named is None:
        return Flag.LIST | Flag.OBJECTS if has_objects(type) else Flag.LIST
    return Flag.OBJECT if has_objects(type) else Flag.DYNAMIC
