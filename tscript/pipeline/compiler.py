"""`Compiler`: what one process compiles with, and the stages as its methods."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript.abi.symbols import HOT, SCRIPTED, runtime_symbols, shared_symbol, tensor_symbol, uniform_symbol
from tscript.definitions.shared import Shared
from tscript.diagnostics import CompileError, InternalError, Span, compile_error
from tscript.diagnostics.installation import CompilerNotInstalledError
from tscript.late import dataclass, field, replace
from tscript.once import once
from tscript.pipeline.compiled import Compiled
from tscript.pipeline.tiers import AT_ONCE, QUICK_LEVEL, Later, Tier, is_quick
from tscript.types import NONE, Type

if TYPE_CHECKING:
    from tscript.archive.classes import Classes
    from tscript.backend.llvm.emitted import Emitted
    from tscript.backend.llvm.target import Target
    from tscript.backend.loader.cache import ObjectCache
    from tscript.backend.loader.loaded import Store
    from tscript.backend.loader.session import Session
    from tscript.definitions.opdef import OpDef
    from tscript.definitions.python_functions import Direct, PythonFunctions
    from tscript.definitions.table import OperatorTable
    from tscript.frontend import LanguageResolver, PythonFunction
    from tscript.frontend.checking import Template
    from tscript.frontend.source.class_table import ClassTable
    from tscript.frontend.source.module_reading import ModuleFacts
    from tscript.ir.graph import Program
    from tscript.passes.base import Observer, Pass, PassContext
    from tscript.pipeline.bodies import Bodies
    from tscript.pipeline.programs import Programs
    from tscript.pipeline.recipes import Made, Recipes


KernelSource = tuple[Callable[..., object], Mapping[tuple[str, str], str], Sequence[str]]
"""A kernel's dialect function, the symbols of what it shares with other kernels, by name of the function and file, and
the modules that know both."""


LIBRARY = "library"
"""The key by which the prebuilt library says which one it is."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile.

    Attributes:
        level: LLVM's optimisation level, 0 to 3.
        verify: Check the IR after every pass.
        budget: Cost of what runs between two safepoints, where signals are looked at; None for what is usual. Tests set
            little, so that loops meet safepoints after a few iterations.
        tier: How functions of users are compiled that do not say it.
        at_once: `tscript.pipeline.tiers.AT_ONCE`; tests set less, so that short functions are quick at first.
        sectioned: Whether each function and constant of an object has a section of its own, by which objects are linked
            into one (`tscript.backend.loader.prebuilt_linker`).
        light_kernels: Whether LLVM does little work on kernels and on operators that are called from Python, which are
            then compiled in a third of the time, and are slower; results are the same. ``TSCRIPT_KERNELS=light``, which
            the project's tests set.
    """

    level: int = 2
    budget: int | None = None
    sectioned: bool = False
    verify: bool = field(default_factory=lambda: os.environ.get("TSCRIPT_VERIFY", "") == "1")
    tier: Tier = field(default_factory=Tier.from_environment)
    at_once: int = AT_ONCE
    light_kernels: bool = field(default_factory=lambda: os.environ.get("TSCRIPT_KERNELS", "") == "light")

    @property
    def library_tier(self) -> Tier:
        """How operators that are called from Python are compiled."""
        return Tier.QUICK if self.light_kernels else Tier.FULL


class Compiler:
    """The stages of compilation over one table, one target and one cache.

    Args:
        options: How to compile.

    Attributes:
        table_with: Gives the table when it lacks a namespace of custom operators, after looking for a library that has
            it.
        symbols: Runtime symbols that all code may refer to, by name.
        direct: Those of `functions` that native code calls by itself.
        tell_beside: Told of caches that compiled code keeps beside Python's.
        shipped: What the prebuilt library knows by a key.

    The runtime sets all of these.
    """

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.table_with: Callable[[str], OperatorTable] | None = None
        self.symbols: Mapping[str, int] = {}
        self.shipped: Callable[[str], bytes | None] = lambda key: None
        self.direct: dict[str, Direct] = {}
        self.tell_beside: Callable[[Any, Shared, Shared, bool], None] | None = None

    @once
    def functions(self) -> PythonFunctions:
        """Functions that stay in Python."""
        from tscript.definitions.python_functions import PythonFunctions

        made = PythonFunctions(self.direct)
        made.tell_beside = self.tell_beside
        return made

    @once
    def class_table(self) -> ClassTable:
        """The classes of the process. Types compare classes by identity: several compilers of a process share it."""
        from tscript.frontend.source.class_table import ClassTable

        return ClassTable()

    def resolver(self, functions: PythonFunctions | None = None, *, keeps_caches: bool = False) -> LanguageResolver:
        """What says what names mean, for one compilation.

        Args:
            functions: Takes the functions that stay in Python; those of the compiler when left out.
            keeps_caches: Whether what is inside of Python's caches is compiled too, with caches of its own.
        """
        from tscript.frontend import LanguageResolver

        return LanguageResolver(
            self.table, self.table_with, functions or self.functions, keeps_caches, self.class_table
        )

    def _apart(self) -> LanguageResolver:
        """A resolver that leaves nothing in `functions`."""
        from tscript.definitions.python_functions import PythonFunctions

        return self.resolver(PythonFunctions())

    @property
    def classes(self) -> dict[str, Type]:
        """Classes of the process by name: builtin exceptions, and the user's classes, enums and named tuples."""
        # Without a table there are no classes: reading a type must not import the frontend.
        from tscript.abi.exceptions import EXCEPTIONS

        own = self.class_table.by_name if "class_table" in vars(self) else {}
        return {**EXCEPTIONS, **own}

    def archived_classes(self) -> Classes:
        """What the classes of an archive join when it is loaded into this process."""
        from tscript.frontend.source.resolver import ArchivedClasses

        return ArchivedClasses(self.resolver())

    def class_type(self, cls: type) -> Type | None:
        """The type of the language of a Python class; None when it has none.

        Raises:
            TypeError: Instances are refused: code that was compiled before the class was defined took for not
                overridden what it overrides.
        """
        from tscript.abi.exceptions import EXCEPTIONS
        from tscript.frontend.source.classes import ClassSymbol
        from tscript.frontend.source.symbols import ExceptionSymbol

        if issubclass(cls, BaseException) and cls.__module__ == "builtins":
            return next((t for t in EXCEPTIONS.values() if t.info.python is cls), None)
        found = self.resolver().class_symbol(cls)
        if isinstance(found, ExceptionSymbol):
            return found.type
        if not isinstance(found, ClassSymbol) or found.definition.problems:
            return None
        if found.definition.late:
            raise TypeError(found.definition.late)
        return found.definition.type

    def read_module(self, made: type, facts: ModuleFacts) -> Type:
        """The type of modules that a Python class stands for.

        Args:
            made: The Python class.
            facts: What is known of them.
        """
        from tscript.frontend.source.module_reading import read_module

        return read_module(self.class_table, made, facts, self.resolver()).type

    def declared_attributes(self, classes: Sequence[type]) -> tuple[dict[str, Type], frozenset[str]]:
        """See `tscript.frontend.source.module_reading.declared_attributes`."""
        from tscript.frontend.source.module_reading import declared_attributes

        return declared_attributes(classes, self.resolver())

    def settle_class(self, type: Type, given: Mapping[str, Type]) -> Type:
        """Give open attributes of a class the types that they have in an instance.

        Returns:
            The type of the class.

        Raises:
            TypeError: One is not what the class declares.
        """
        from tscript.frontend.source.class_fields import settle
        from tscript.frontend.source.classes import class_definition

        definition = class_definition(type)
        if definition is None:
            return type
        settle(definition, given)
        return definition.type

    def class_again(self, type: Type) -> None:
        """A type is there again whose classes were taken for gone: native values are left of it."""
        self.class_table.add_again(type)

    @once
    def table(self) -> OperatorTable:
        """The vocabulary: what is built in, and what `extend` added."""
        from tscript.operators.table import TABLE

        return TABLE

    def extend(self, op: OpDef) -> None:
        """Add an operator. The table is replaced by a new one; compilations that run go on with theirs.

        Raises:
            ValueError: There is an operator of that name.
        """
        table = self.table.extended(op)
        bodies = self.bodies.over(table)
        self.context = replace(self.context, table=table, lower_body=bodies.lower_body)
        self.bodies = bodies
        self.table = table

    @once
    def bodies(self) -> Bodies:
        """Bodies of operators and kernels."""
        from tscript.pipeline.bodies import Bodies

        return Bodies(self.table)

    @once
    def recipes(self) -> Recipes:
        """Which sources lead to which objects of the cache."""
        from tscript.pipeline.recipes import Recipes

        return Recipes(self.cache, self.own_key)

    def own_key(self, text: str) -> str:
        """The key of a text of ours in the cache."""
        kind = "sectioned\n" if self.options.sectioned else ""
        return self.cache.key(kind + text, self.target, self.options.level)

    @property
    def keeps_programs(self) -> bool:
        """Whether code of functions of users is looked for in the cache by their checked programs."""
        return self.cache.is_used

    @once
    def programs(self) -> Programs:
        """Code of functions of users in the cache."""
        from tscript.pipeline.programs import Programs
        from tscript.pipeline.tree import Tree

        tree = Tree(self.cache, self.own_key)
        return Programs(self.cache, self.own_key, tree, f"{self.options.budget}", lambda: self.classes)

    @once
    def library(self) -> str:
        """Which native library this is: a digest of the sources of all kernels, and of what they know of structs and
        symbols. Kernels of an archive are of no use to another one. Where there are no sources, the prebuilt library
        knows."""
        from tscript.pipeline.sources import has_source, modules_in

        if not has_source("tscript.runtime.kernels") and (known := self.shipped(LIBRARY)):
            return known.decode()
        modules = [*modules_in("tscript.runtime.kernels"), *modules_in("tscript.abi"), *modules_in("tscript.dialect")]
        return self.recipes.sources.digest(modules) or ""

    @once
    def target(self) -> Target:
        """The machine compiled for: this one."""
        from tscript.backend.llvm.target import Target

        return Target.host()

    @once
    def cache(self) -> ObjectCache:
        """The object cache on disk."""
        from tscript.backend.loader.cache import ObjectCache

        return ObjectCache.from_environment()

    @once
    def session(self) -> Session:
        """The process's only ORC session."""
        from tscript.backend.loader.session import Session

        return Session(self.target, self.symbols, store=self.store)

    @once
    def store(self) -> Store:
        """The loaded code."""
        from tscript.backend.loader.loaded import Store

        return Store()

    @once
    def context(self) -> PassContext:
        """What passes are given; it keeps the lowered bodies of operators."""
        from tscript.passes import PassContext

        return PassContext(self.table, self.bodies.lower_body)

    def beside(self, target: Target) -> Compiler:
        """A compiler for another machine, of the same programs."""
        made = Compiler(self.options)
        made.target, made.cache, made.class_table = target, self.cache, self.class_table
        made.table, made.bodies, made.context = self.table, self.bodies, self.context
        made.functions, made.table_with = self.functions, self.table_with
        return made

    def check(
        self,
        function: PythonFunction,
        *,
        keeps_caches: bool = False,
        known: Mapping[FunctionType, PythonFunction] = MappingProxyType({}),
        types: Mapping[str, Type] = MappingProxyType({}),
        call: Span | None = None,
    ) -> Program:
        """Source to typed IR.

        Args:
            function: The entry.
            known: Functions that it may call, which were read before.
            keeps_caches: Whether what is inside of Python's caches is compiled too, with caches of its own.
            types: Of parameters that leave theirs to the call, by name.
            call: The call, which errors name.

        Raises:
            CompileError: With every error of the function.
        """
        from tscript.frontend import lower

        resolver = self.resolver(keeps_caches=keeps_caches)
        resolver.know(known)
        program = lower(function, resolver, types=types, call=call)
        if self.options.verify:
            from tscript.ir.verifier import verify

            verify(program)
        return program

    def template(self, function: PythonFunction, place: tuple[type, str] | None = None) -> Template | None:
        """What is known of a function whose parameters leave types to the call; None for others.

        Args:
            function: The function.
            place: Its class and its name there, if it is a method.

        Raises:
            CompileError: The class cannot be compiled.
        """
        from tscript.frontend import method_template, template

        names = self._apart()
        return template(function, names) if place is None else method_template(*place, function, names)

    def overloads(self, function: PythonFunction, place: tuple[type, str] | None = None) -> list[dict[str, Type]]:
        """The types that the overloads of a function declare for the parameters that leave theirs to the call, by name.

        Args:
            function: The function.
            place: Its class and its name there, if it is a method.

        Raises:
            CompileError: The class cannot be compiled.
        """
        from tscript.frontend import overloads

        found = self.template(function, place)
        return [] if found is None else overloads(function, found, self._apart())

    def check_template(self, function: PythonFunction) -> None:
        """Check what does not depend on types from the call.

        Raises:
            CompileError: With every error of that.
        """
        from tscript.frontend import template_errors

        if errors := template_errors(function, self._apart()):
            raise compile_error(errors)

    def check_method(
        self,
        cls: type,
        name: str,
        source: PythonFunction,
        types: Mapping[str, Type] = MappingProxyType({}),
        call: Span | None = None,
    ) -> tuple[Program, PythonFunction]:
        """A method of a class to typed IR, and its source as one of the class.

        Args:
            cls: The class.
            name: What the class has it as, or something that calls it.
            source: The method.
            types: Of parameters that leave theirs to the call, by name.
            call: The call, which errors name.

        Raises:
            CompileError: With every error of the method and of its class.
        """
        from tscript.frontend import lower_method

        program, function = lower_method(cls, name, source, self.resolver(), types, call)
        if self.options.verify:
            from tscript.ir.verifier import verify

            verify(program)
        return program, function

    def can_share_cache(self, function: PythonFunction) -> bool:
        """Whether compiled code can keep a cache for a function that threads share."""
        from tscript.frontend import can_share_cache

        return can_share_cache(function, self._apart())

    def check_class(self, cls: type) -> None:
        """Check all methods of a class.

        Raises:
            CompileError: With every error of all of them.
        """
        from tscript.frontend import check_class

        check_class(cls, self._apart())

    def portable(self, program: Program) -> Program:
        """A copy of a checked `program` for an archive: custom operators with a body in the language are part of it."""
        from tscript.ir.cloning import clone_graph
        from tscript.ir.graph import Program
        from tscript.passes import PORTABLE, run_pipeline

        copy = Program(program.main, [clone_graph(g) for g in program.graphs.values()])
        run_pipeline(copy, PORTABLE, self.context, verify=self.options.verify)
        return copy

    def inlined(self, program: Program) -> Program:
        """A copy of a checked `program` whose calls are replaced by what they call."""
        from tscript.ir.cloning import clone_graph
        from tscript.ir.graph import Program
        from tscript.passes import Inline, run_pipeline

        copy = Program(program.main, [clone_graph(g) for g in program.graphs.values()])
        run_pipeline(copy, (Inline(),), self.context, verify=self.options.verify)
        return copy

    def specialise(self, program: Program, types: Sequence[Type], constants: Mapping[int, object]) -> Program:
        """The program for concrete argument types (and constants for static arguments), a new one."""
        from tscript.passes import specialise

        return specialise(program, types, constants, self.context)

    def optimise(self, program: Program, observer: Observer | None = None, *, fuse: bool = True) -> Program:
        """Run the optimisation pipeline on `program`, in place; without `fuse`, every operator stays on its own."""
        from tscript.passes import OPTIMISE, Fusion, ScalarTensors, run_pipeline

        passes = OPTIMISE if fuse else tuple(p for p in OPTIMISE if not isinstance(p, Fusion | ScalarTensors))
        run_pipeline(program, passes, self.context, verify=self.options.verify, observer=observer)
        return program

    def lower(self, program: Program, observer: Observer | None = None) -> Program:
        """Turn an optimised `program`, in place, into what the backend takes."""
        from tscript.passes import LOWER, run_pipeline

        run_pipeline(program, LOWER, self.context, verify=self.options.verify, observer=observer)
        return program

    def emit(
        self,
        program: Program,
        symbol: str,
        *,
        safepoints: bool = True,
        observed: bool = False,
        external: Mapping[str, str] | None = None,
        observer: Observer | None = None,
        tensors: list[np.ndarray[Any, Any]] | None = None,
        shared: list[tuple[Shared, Type]] | None = None,
        uniform: str = "",
        resumable: bool = False,
    ) -> Emitted:
        """LLVM text of an optimised `program`, which is lowered in place.

        Args:
            symbol: Its entry is exported as this.
            safepoints: Whether long loops let signals in.
            observed: Whether operators ask for callbacks.
            external: Symbols of graphs that are linked instead of being emitted.
            observer: Called after each pass.
            tensors: Where its constant tensors are collected: `tensor_symbol` numbers them by their positions.
            shared: The same for its shared containers: `shared_symbol`.
            uniform: Its uniform entry is exported as this; empty: it has none.
            resumable: Whether better code may take over at the safepoints of loops.
        """
        self.lower(program, observer)
        keep_reachable(program, external or {})
        return self.emit_lowered(
            program,
            {program.main: symbol},
            safepoints=safepoints,
            observed=observed,
            external=external,
            tensors=tensors,
            shared=shared,
            uniform=uniform,
            resumable=resumable,
        )

    def emit_lowered(
        self,
        program: Program,
        entries: Mapping[str, str],
        *,
        safepoints: bool = True,
        observed: bool = False,
        external: Mapping[str, str] | None = None,
        tensors: list[np.ndarray[Any, Any]] | None = None,
        shared: list[tuple[Shared, Type]] | None = None,
        uniform: str = "",
        resumable: bool = False,
    ) -> Emitted:
        """LLVM text of a program that was lowered; `entries` are the symbols of the graphs that are exported. The rest
        is as for `emit`."""
        from tscript.backend.module import emit_module
        from tscript.backend.nodes.cost import BUDGET

        try:
            return emit_module(
                program,
                target=self.target,
                entry_symbols=entries,
                bodies=self.bodies,
                tensor_symbol=partial(_number_tensor, [] if tensors is None else tensors),
                shared_symbol=partial(_number_shared, [] if shared is None else shared),
                safepoints=safepoints,
                budget=BUDGET if self.options.budget is None else self.options.budget,
                observed=observed,
                external=external or {},
                uniform=uniform,
                resumable=resumable,
            )
        except (CompileError, InternalError, CompilerNotInstalledError):
            raise
        except RecursionError:
            from tscript.passes.errors import NestedTooDeeply

            raise compile_error([NestedTooDeeply(program.entry.span)]) from None
        except Exception as error:  # whatever goes wrong in the backend is a bug of ours
            raise InternalError(f"backend: {type(error).__name__}: {error}", program.entry.span) from error

    def build(self, module: Emitted) -> bytes:
        """LLVM text to an object, through the cache."""
        from tscript.backend.loader.optimise import compile_text

        return compile_text(self._text(module), self.target, self.options.level, self.cache, module.effort)

    def _text(self, module: Emitted) -> str:
        """What LLVM compiles."""
        from tscript.backend.llvm.sections import sectioned

        return sectioned(module.text) if self.options.sectioned else module.text

    def module(
        self,
        write: Callable[[], Emitted],
        name: str = "",
        sources: Sequence[str] = (),
        around: Sequence[str] = (),
    ) -> bytes:
        """The object of a module of the runtime's own.

        Args:
            write: Makes it.
            name: With the sources it says what the module is, so that an object in the cache is found without it;
                empty: only its text says that.
            sources: The modules that write it; all that they import counts, too.
            around: Modules that count by themselves.
        """
        if not name:
            return self.build(write())
        title = f"module {name}"
        return self.recipes.made_once(title, lambda: self._made(title, write(), sources, around))[0]

    def stub(self, write: Callable[[], Emitted], name: str) -> Made:
        """The object of a stub of the runtime, and the symbols of the runtime that it refers to.

        Args:
            write: Makes its module.
            name: Says which it is; if the package has not changed, it is found by that in the cache.
        """

        def make() -> tuple[Made, str]:
            module = write()
            return (self.build(module), runtime_symbols(module.externals)), self._key_of(module)

        return self.programs.made(name, make)

    def _made(self, name: str, module: Emitted, sources: Iterable[str], around: Sequence[str]) -> Made:
        """The object of a module of the runtime's own, which is found by its sources from now on."""
        built, key = self.build(module), self._key_of(module)
        externals = runtime_symbols(module.externals)
        self.recipes.keep(name, self.recipes.counted(sources, around), key, externals)
        return built, externals

    def native(
        self, program: Program, *, observed: bool = False, is_uniform: bool = False, tier: Tier = Tier.FULL
    ) -> Compiled:
        """The object of an optimised `program`, which is lowered in place; of its `observed` variant if asked for, and
        with a uniform entry if asked for."""
        symbol = entry_symbol(program)
        uniform = uniform_symbol(symbol) if is_uniform else ""
        types = tuple(v.type for v in program.entry.body.params)
        tensors: list[np.ndarray[Any, Any]] = []
        shared: list[tuple[Shared, Type]] = []
        module = self.emit(
            program,
            symbol,
            observed=observed,
            tensors=tensors,
            shared=shared,
            uniform=uniform,
            resumable=tier is Tier.AUTO and not observed,
        )
        quick = self.options.level > 0 and is_quick(module, tier, self.options.at_once)
        built, key, later = self._quick(module, tier) if quick else (self.build(module), self._key_of(module), None)
        externals = runtime_symbols([*module.externals, *(() if later is None else (HOT,))])
        return Compiled(
            types, program.entry.result, symbol, externals, built, tuple(tensors), tuple(shared), uniform, later, key
        )

    def _key_of(self, module: Emitted) -> str:
        """The key of the object of a module."""
        from tscript.backend.loader.optimise import key_of

        return key_of(self._text(module), self.target, self.options.level, self.cache, module.effort)

    def _quick(self, module: Emitted, tier: Tier) -> tuple[bytes, str, Later | None]:
        """The object of a module that is compiled with little work, its key, and what is needed to replace it; of
        `AUTO` the better one that an earlier process kept. With that, the key is the one of the better object."""
        from tscript.backend.llvm.counting import counting
        from tscript.backend.loader.optimise import compile_text, key_of

        if tier is Tier.QUICK:
            key = key_of(module.text, self.target, QUICK_LEVEL, self.cache)
            return compile_text(module.text, self.target, QUICK_LEVEL, self.cache), key, None
        key = key_of(module.text, self.target, self.options.level, self.cache, module.effort)
        found = self.cache.get(key)
        if found is not None:
            return found, key, None
        text = counting(module, self.target)
        quick = key_of(text, self.target, QUICK_LEVEL, self.cache)
        return compile_text(text, self.target, QUICK_LEVEL, self.cache), key, Later.of(module, key, quick)

    def kernel(self, source: Callable[[], KernelSource], bindings: Mapping[str, Type], symbol: str) -> Compiled:
        """The object of a kernel, exported as `symbol`; `source` is asked when it has to be built.

        An object in the cache is found by the sources of the kernel and of what lowers it, so a kernel that was built
        before costs no lowering.
        """
        name = f"kernel {symbol} {self.options.budget}{' light' * self.options.light_kernels}"
        data, externals = self.recipes.made_once(name, lambda: self._kernel(name, source(), bindings, symbol))
        return Compiled((), NONE, symbol, externals, data)

    def _kernel(self, name: str, source: KernelSource, bindings: Mapping[str, Type], symbol: str) -> Made:
        """A kernel that is not in the cache."""
        from tscript.pipeline.sources import module_of

        body, core, around = source
        program = self.bodies.kernel(body, bindings, symbol, core)
        lowered = {module_of(graph.span.source.name) for graph in program.graphs.values()}
        # Two functions of the library may have one name, so the file counts too.
        places = {name: (name, graph.span.source.name) for name, graph in program.graphs.items()}
        external = {name: core[place] for name, place in places.items() if place in core and name != program.main}
        module = self.emit(program, symbol, safepoints=False, external=external)
        if self.options.light_kernels:
            from tscript.backend.llvm.effort import Effort

            module = replace(module, effort=Effort.QUICK)
        return self._made(name, module, filter(None, {body.__module__, *lowered}), around)

    def llvm(self, program: Program) -> Emitted:
        """The LLVM module of a specialised `program`, before LLVM's own passes."""
        return self.emit(self.optimise(program), entry_symbol(program))

    def assembly(self, program: Program) -> str:
        """The assembly of a specialised `program`."""
        return self._assembly(self.llvm(program))

    def _assembly(self, module: Emitted) -> str:
        from tscript.backend.loader.optimise import assembly

        return assembly(module.text, self.target, self.options.level, module.effort)

    def stage(self, program: Program, stage: str, print_after: Sequence[str] = ()) -> str:
        """A specialised `program` at a stage: ``typed``, ``opt``, ``llvm`` or ``asm``.

        Args:
            print_after: Names of passes (or ``all``) after which the IR is shown first. Where one of them comes behind
                ``opt``, all do, and the IR is that which the backend takes.
        """
        from tscript.passes import LOWER, OPTIMISE

        shown: list[str] = []

        def observe(step: Pass, current: Program) -> None:
            if step.name in print_after or "all" in print_after:
                shown.append(f"// after {step.name}\n{current}\n")

        if stage == "typed":
            return str(program)
        self.optimise(program, observe)
        last: str
        match stage:
            case "opt":
                if set(print_after) & ({p.name for p in LOWER} - {p.name for p in OPTIMISE}):
                    self.lower(program, observe)
                last = str(program)
            case "llvm":
                last = self.emit(program, entry_symbol(program), observer=observe).text
            case _:
                last = self._assembly(self.emit(program, entry_symbol(program), observer=observe))
        return "\n".join([*shown, last])

    def explain_fusion(self, program: Program) -> str:
        """What fusion makes of a specialised `program`, and why not more."""
        from tscript.passes import OPTIMISE, run_pipeline
        from tscript.passes.fusion_report import FusionReport

        report = FusionReport()
        run_pipeline(program, OPTIMISE, replace(self.context, fusion=report), verify=self.options.verify)
        return report.text()


def keep_reachable(program: Program, external: Mapping[str, str]) -> None:
    """Drop the graphs that only external ones call."""
    from tscript.passes.inline import needed_graphs

    reached: set[str] = set()
    pending = [program.main]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            if name not in external:
                pending += needed_graphs(program.graphs[name])
    for name in set(program.graphs) - reached:
        del program.graphs[name]


def _number_tensor(tensors: list[np.ndarray[Any, Any]], tensor: np.ndarray[Any, Any]) -> str:
    """The symbol of a constant tensor, which joins `tensors`."""
    for i, known in enumerate(tensors):
        if known is tensor:
            return tensor_symbol(i)
    tensors.append(tensor)
    return tensor_symbol(len(tensors) - 1)


def _number_shared(known: list[tuple[Shared, Type]], shared: Shared, type: Type) -> str:
    """The symbol of a shared container, which joins those that are `known`."""
    if (shared, type) not in known:
        known.append((shared, type))
    return shared_symbol(known.index((shared, type)))


def entry_symbol(program: Program) -> str:
    """The exported symbol of a program's entry."""
    return SCRIPTED + re.sub(r"\W", "_", program.main)
