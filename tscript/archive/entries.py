"""The content of an archive: entry points with their IR, native objects, the operators they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript._version import __version__
from tscript.archive.extra import ExtraFile
from tscript.archive.modules import Modules
from tscript.archive.tensors import FOLDER as TENSORS_FOLDER
from tscript.diagnostics.archives import ArchiveError, MissingOperatorError
from tscript.ir.graph import Param, Program, walk
from tscript.late import dataclass, field
from tscript.types import Type, TypeLimitError
from tscript.types.dtypes import FIRST_DEFAULT
from tscript.types.parsing import shortened

if TYPE_CHECKING:
    from tscript.definitions.table import OperatorTable
from tscript.ir.signatures import signature_json

NATIVE_FOLDER = "native/"


@dataclass(frozen=True, slots=True)
class OperatorNeed:
    """An operator that is not built in, and that an entry point uses.

    Attributes:
        name: ``mylib::name``.
        schema: As it was when the archive was written.
        library: The library that defines it.
        module: The Python module that did.
        install: How to get it, if its author said so.
    """

    name: str
    schema: str
    library: str
    module: str = ""
    install: str = ""

    def check(self, table: OperatorTable) -> None:
        """Do nothing when `table` has the operator.

        Raises:
            MissingOperatorError: It is not there.
            ArchiveError: It is there with another schema.
        """
        if self.name not in table:
            way = f"import the module that defines it ('{self.module}')" if self.module else "import what defines it"
            get = f"; the library comes with: {self.install}" if self.install else ""
            raise MissingOperatorError(
                f"needs the operator {self.name} of the library '{self.library}', which is not loaded: {way} "
                f"before{get}",
                operator=self.name,
                library=self.library,
            )
        found = str(table[self.name].schema)
        if found != self.schema:
            raise ArchiveError(
                f"needs the operator {self.schema}, the library '{self.library}' that is loaded has {found}: "
                "load the version that the archive was written with, or compile the archive anew"
            )


@dataclass(frozen=True, slots=True)
class NativeObject:
    """One compiled specialisation of an entry point.

    Attributes:
        types: The argument types it was compiled for.
        result: Its result type.
        symbol: The exported function.
        externals: Runtime symbols it needs.
        triple, cpu, features: The machine it is for.
        llvm: Version of the compiler.
        abi: `OBJECT_VERSION` it was compiled against.
        data: The relocatable object.
        tensors: Its constant tensors, as positions in those of the entry point.
        shared: Its shared containers, as the IR numbers them, and their types.
        python: The Python version whose behaviour it has (`tscript.abi.python`); 0 if it does not matter.
        uniform: Its uniform entry (`tscript.abi.symbols.uniform_symbol`); empty if it has none.
        changes: Whether it may change lists, dicts, sets and instances that it is given.
        constants: Values of arguments that it was compiled for, by position. Those of parameters whose values take part
            in specialisation (`EntryPoint.static`) are built in, and have no place in `types`.
        observed: Empty, or which observed variant it is (`tscript.abi.record.GROUPS`, `SINGLE`).
        default_dtype: The default dtype that it was compiled for.
    """

    types: tuple[Type, ...]
    result: Type
    symbol: str
    externals: tuple[str, ...]
    triple: str
    cpu: str
    features: str
    llvm: str
    abi: int
    data: bytes = field(repr=False)
    tensors: tuple[int, ...] = ()
    shared: tuple[tuple[int, Type], ...] = ()
    python: int = 0
    uniform: str = ""
    changes: bool = True
    constants: tuple[tuple[int, object], ...] = ()
    observed: str = ""
    default_dtype: str = FIRST_DEFAULT.name

    def serves(self, types: Sequence[Type], constants: Mapping[int, object], static: Sequence[int]) -> bool:
        """Whether it is for arguments of these types and values.

        Args:
            types: Of all arguments.
            constants: Values that code for them depends on, by position.
            static: Positions of the parameters whose values take part in specialisation.
        """
        own = {i: (type(value), repr(value)) for i, value in self.constants}
        passed = tuple(t for i, t in enumerate(types) if i not in own or i not in static)
        return self.types == passed and own == {i: (type(v), repr(v)) for i, v in constants.items()}


@dataclass(frozen=True, slots=True)
class NativeKernel:
    """A function of the native library that native objects of an archive need.

    Attributes:
        symbol: Its symbol.
        externals: Runtime symbols it needs.
        data: The relocatable object.
    """

    symbol: str
    externals: tuple[str, ...]
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels that an archive brings for one machine, so that none of them is compiled where it is loaded.

    Attributes:
        triple, cpu, features, llvm, abi: As in `NativeObject`.
        library: Which native library they are of (`tscript.pipeline.Compiler.library`): they are used with no other.
        kernels: By symbol, sorted.
    """

    triple: str
    cpu: str
    features: str
    llvm: str
    abi: int
    library: str
    kernels: Mapping[str, NativeKernel]

    @property
    def nbytes(self) -> int:
        """The bytes of all."""
        return sum(len(kernel.data) for kernel in self.kernels.values())


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One function of an archive.

    Attributes:
        name: What `tscript run` and `load` call it.
        params, result: Its signature.
        doc: Its docstring.
        source: Canonical source.
        ir: Its program as IR text.
        ir_digest: sha256 of `ir`, in hex.
        native: Compiled specialisations.
        static: Positions of the parameters whose values take part in specialisation (``keepdim``).
        operators: Those it uses that are not built in.
        classes: What is kept of its classes; see `tscript.archive.classes`.
        types: Their types in this process, by the names they have in the archive.
        versions: The versions of the operators it uses; those that are not named are in their first.
        tensors: Its constant tensors, read-only; the IR names them by their positions.
        has_caches: Whether it uses caches, which are empty when it is loaded.
        version_of: The entry point of which this is another version, for other types of arguments; empty: none.
        written: Parameters and result as the archive that it came from has them: its classes may have other names here.
        known: Its program, if that is there already; None: it is read from `ir`.
    """

    name: str
    params: tuple[Param, ...]
    result: Type
    doc: str
    source: str
    ir: str
    ir_digest: str
    native: tuple[NativeObject, ...] = ()
    static: tuple[int, ...] = ()
    operators: tuple[OperatorNeed, ...] = ()
    classes: tuple[Mapping[str, Any], ...] = ()
    types: Mapping[str, Type] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    tensors: tuple[np.ndarray[Any, Any], ...] = field(default=(), repr=False, compare=False)
    has_caches: bool = False
    version_of: str = ""
    written: tuple[Any, str] | None = field(default=None, repr=False, compare=False)
    known: Program | None = field(default=None, repr=False, compare=False)

    def program(self, table: OperatorTable) -> Program:
        """The IR, parsed and verified.

        Raises:
            MissingOperatorError: It uses an operator that the table does not have.
            ArchiveError: It is not well-formed, uses what IR of an archive may not (raw memory), or has another
                signature than the manifest says.
        """
        if self.known is not None:
            return self.known
        from tscript.ir.explicit import make_explicit
        from tscript.ir.parser import parse_program
        from tscript.ir.reader import IRSyntaxError
        from tscript.ir.verifier import verify
        from tscript.ir.verify_types import VerifyError

        for need in self.operators:
            need.check(table)
        known = self._table(table)
        try:
            program = parse_program(self.ir, known, handles=self.tensors, classes=self.types, portable=True)
            _check_types(program, len(self.ir))
            verify(program, from_file=True)
        except (IRSyntaxError, VerifyError, ArchiveError) as error:
            raise ArchiveError(f"the IR of {self.name!r} is not valid: {shortened(str(error), 1000)}") from None
        except Exception as error:  # whatever IR makes the reader do, its user gets one kind of error
            raise ArchiveError(f"the IR of {self.name!r} cannot be read: {shown_error(error)}") from error
        make_explicit(program)
        entry = program.entry
        given = signature_json(self.params, self.result, self.tensors)
        if signature_json(entry.params, entry.result, self.tensors) != given:
            raise ArchiveError(f"the IR of {self.name!r} has another signature than the manifest")
        return program

    def _table(self, table: OperatorTable) -> OperatorTable:
        try:
            return table.as_of(self.versions)
        except KeyError as error:
            raise ArchiveError(
                f"{error.args[0]}, which this tscript {__version__} does not know: "
                "install a later tscript, or compile the archive anew"
            ) from None


TYPE_RATIO = 16
"""Of the parts of the types of all values in IR to the characters of its text, allowing for `TYPE_FLOOR` parts."""


TYPE_FLOOR = 1 << 16


def _check_types(program: Program, length: int) -> None:
    """Refuse values whose types are out of proportion to the text: a short name can stand for a tuple of thousands.

    Raises:
        ArchiveError: They are.
    """
    allowed = TYPE_RATIO * length + TYPE_FLOOR
    parts = 0
    for graph in program.graphs.values():
        parts += graph.result.parts + sum(v.type.parts for v in graph.body.params)
        for node in walk(graph.body):
            parts += sum(v.type.parts for v in node.outputs)
            parts += sum(v.type.parts for block in node.blocks for v in block.params)
        if parts > allowed:
            raise ArchiveError(f"the types of its values have more than {allowed:,} parts in all")


@dataclass(frozen=True, slots=True)
class Archive:
    """What a ``.tsa`` file holds.

    Attributes:
        entries: Entry points by name, in the order they were given.
        producer: Name and version of the writer.
        metadata: The user's own strings.
        extra: The user's own files by name.
        kernels: What native objects need of the native library, for each machine.
        unused: Members that nothing in the archive names, as a later version may write them; kept for `tscript verify`
            to compare with their digests, and not written again.
        modules: The modules, of which its entry points are the methods; None: it has functions.
        types: The types of all its classes in this process, by the names they have in it; of one that was read.
        specs: What it says of them.
        version_of: The entry points that are versions of others, with the names of these; of one that was read.
        methods: The entry points that are methods or properties of classes that are no modules; of one that was read.
        needs_operators: Whether some entry point uses operators that are not built in; of one that was read.
    """

    entries: Mapping[str, EntryPoint]
    producer: str = f"tscript {__version__}"
    metadata: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, ExtraFile] = field(default_factory=dict)
    kernels: tuple[Kernels, ...] = ()
    unused: Mapping[str, ExtraFile] = field(default_factory=dict, compare=False)
    modules: Modules | None = field(default=None, compare=False)
    types: Mapping[str, Type] = field(default_factory=dict, compare=False)
    specs: tuple[Mapping[str, Any], ...] = field(default=(), compare=False)
    version_of: Mapping[str, str] = field(default_factory=dict, compare=False)
    methods: frozenset[str] = field(default=frozenset(), compare=False)
    needs_operators: bool = field(default=False, compare=False)

    @property
    def names(self) -> list[str]:
        """What can be called: the names of entry points that are versions of no other, and no methods of classes."""
        return [name for name in self.entries if name not in self.version_of and name not in self.methods]

    @property
    def tensors(self) -> list[ExtraFile]:
        """The constant tensors that are mapped, and were not compared with their digests."""
        return [file for name, file in self.unused.items() if name.startswith(TENSORS_FOLDER)]

    def versions(self, name: str) -> list[EntryPoint]:
        """An entry point and its versions."""
        return [self.entries[name], *(self.entries[n] for n, first in self.version_of.items() if first == name)]


@contextmanager
def as_archive_errors(what: str, path: str) -> Iterator[None]:
    """Let nothing but `ArchiveError` leave a reader, whatever a file makes it do; and `OSError`.

    Args:
        what: What is read, for messages.
        path: The file.
    """
    try:
        yield
    except ArchiveError as error:
        raise error if error.path else ArchiveError(shortened(error.what, 1000), path) from None
    except OSError:
        raise
    except TypeLimitError as error:
        raise ArchiveError(f"{what} is not valid: {error}", path) from None
    except Exception as error:
        raise ArchiveError(f"{what} is not valid: {shown_error(error)}", path) from error


def shown_error(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it takes more memory than there is"
    return shortened(f"{type(error).__name__}: {error}", 300)
