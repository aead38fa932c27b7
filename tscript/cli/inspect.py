"""``tscript inspect``: what an archive holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tscript.cli.arguments import INPUT_HELP, is_archive, read_archive
from tscript.cli.call_memory import print_memory_of_call
from tscript.cli.errors import UsageError
from tscript.cli.modules import described, memory_plan, print_memory, print_tree, shown
from tscript.cli.parameters import Argument, Option
from tscript.cli.signatures import signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tscript.archive import EntryPoint, NativeObject, OperatorNeed
    from tscript.definitions.opdef import OpDef
    from tscript.definitions.table import OperatorTable


def inspect(
    path: Annotated[Path, Argument(metavar="ARCHIVE", help="The archive, or a model of TorchScript.")],
    code: Annotated[bool, Option("--code", help="Print the canonical source.")] = False,
    ir: Annotated[bool, Option("--ir", help="Print the typed IR.")] = False,
    ops: Annotated[bool, Option("--ops", help="Print the operators used.")] = False,
    memory: Annotated[
        bool, Option("--memory", help="List the memory that tensors of modules lie in; with --input, that of a call.")
    ] = False,
    inputs: Annotated[list[str] | None, Option("--input", help=f"With --memory. {INPUT_HELP}")] = None,
    function: Annotated[
        str | None, Option("--function", help="With --input: the function or method; forward, or the only one.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show the modules, functions, signatures, native code and extra files of an archive. Nothing of it is run, unless
    the memory of a call is asked for.

    Example: tscript inspect model.tsa --code
    """
    if (inputs or function) and not memory:
        raise UsageError("--input and --function are for the memory of a call: --memory --input ...")
    if inputs or function:
        print_memory_of_call(str(path), function, inputs or [], as_json)
        return
    from tscript.archive.kinds import is_torchscript_file
    from tscript.archive.outline import outline_of, sizes_of

    if is_archive(path) and is_torchscript_file(str(path)):
        _report(path, code or ir, ops, as_json, memory)
        return
    archive = read_archive(path)
    entries = archive.entries.values()
    if as_json:
        document = {
            "producer": archive.producer,
            "metadata": dict(archive.metadata),
            "extra_files": [{"name": f.name, "bytes": f.size, "sha256": f.sha256} for f in archive.extra.values()],
            "entries": [_as_json(e) for e in entries],
            **(
                {}
                if archive.modules is None
                else {"modules": described(list(outline_of(archive.modules))), "memory": memory_plan(archive)}
            ),
            "kernels": [
                {
                    **{f: getattr(k, f) for f in ("triple", "cpu", "features", "library")},
                    "bytes": k.nbytes,
                    "symbols": list(k.kernels),
                }
                for k in archive.kernels
            ],
        }
        print(json.dumps(document, indent=1))
    elif code or ir or ops:
        for entry in entries:
            if code:
                print(entry.source.rstrip("\n") + "\n")
            if ir:
                print(entry.ir.rstrip("\n") + "\n")
            if ops:
                print(f"{entry.name}: {', '.join(operators(entry))}")
    else:
        print(f"{path}  written by {shown(archive.producer)}")
        for key, value in archive.metadata.items():
            print(f"  {shown(key)} = {shown(value)}")
        if archive.modules is not None:
            outline = list(outline_of(archive.modules))
            print(f"  {len(outline)} modules, {sizes_of(outline)[''].parameters:,} parameters")
            print_memory(memory_plan(archive), is_whole=memory)
            print_tree(outline)
        for entry in entries:
            print(f"  {_signature(entry)}")
            if entry.doc:
                print(f"      {shown(entry.doc.splitlines()[0])}")
            for need in entry.operators:
                get = f" ({need.install})" if need.install else ""
                print(f"      needs {shown(f'{need.schema} of the library {need.library!r}{get}')}")
            for constant in constants(entry):
                size = ", ".join(map(str, constant["shape"]))
                print(f"      constant {constant['name']}: {constant['dtype']} ({size}), {constant['bytes']:,} bytes")
            for native in entry.native:
                types = ", ".join(given(entry, native))
                print(
                    f"      native {native.triple} {native.cpu}: ({types}) -> {native.result}, "
                    f"{len(native.data):,} bytes{', observed' if native.observed else ''}"
                )
        for kernels in archive.kernels:
            machine = shown(f"{kernels.triple} {kernels.cpu}")
            print(f"  kernels {machine}: {len(kernels.kernels)}, {kernels.nbytes:,} bytes")
        for file in archive.extra.values():
            print(f"  extra {file.name}, {file.size:,} bytes")


def _report(path: Path, is_code: bool, ops: bool, as_json: bool, memory: bool) -> None:
    """What a model of TorchScript holds."""
    from tscript.upper import Modules

    if is_code or memory:
        raise UsageError(f"{path}: --code, --ir and --memory are for archives of tscript: 'tscript import' makes one")
    found = Modules.reported(str(path))
    if as_json:
        names = ("version", "classes", "tensors", "bytes", "used", "missing")
        document = {
            "format": "torchscript",
            **{n: getattr(found, n) for n in names},
            "modules": described(found.modules),
        }
        print(json.dumps(document, indent=1))
    elif ops:
        print(", ".join(found.used))
    else:
        print(found)
        print_tree(found.modules)


def given(entry: EntryPoint, native: NativeObject) -> list[str]:
    """What an object was compiled for: the types of all arguments, and values in place of those that it depends on."""
    constants = {i: value for i, value in native.constants if i in entry.static}
    types = iter(native.types)
    found = [f"{constants[i]!r}" if i in constants else next(types, None) for i in range(len(entry.params))]
    values = {i: value for i, value in native.constants if i not in constants}
    return [shown(f"{t} = {values[i]!r}" if i in values else str(t)) for i, t in enumerate(found)]


def _signature(entry: EntryPoint) -> str:
    return signature(entry.version_of or entry.name, entry.params, entry.result)


_NAMED = re.compile(r"(?:%([\w.]+): [^=\n]*= const|(\w+): [^,=\n]*=) tensor (\d+)\b")


def constants(entry: EntryPoint) -> list[dict[str, Any]]:
    """The constant tensors of an entry point, by the names they have in its IR."""
    names: dict[int, str] = {}
    for value, parameter, number in _NAMED.findall(entry.ir):
        names.setdefault(int(number), value or parameter)
    return [
        {"name": names.get(i, str(i)), "dtype": array.dtype.name, "shape": list(array.shape), "bytes": array.nbytes}
        for i, array in enumerate(entry.tensors)
    ]


def operators(entry: EntryPoint) -> list[str]:
    """Names of the operators an entry point's IR uses, sorted."""
    from tscript.ir.graph import Op, walk
    from tscript.ir.parser import parse_program
    from tscript.ir.reader import IRSyntaxError
    from tscript.operators.table import TABLE

    if entry.operators:  # of libraries that need not be here: the text is read, its types are not verified
        from tscript.archive import ArchiveError

        known = {need.name: _stand_in(need) for need in entry.operators}
        try:
            program = parse_program(entry.ir, _Lookup(TABLE, known), handles=entry.tensors)
        except IRSyntaxError as error:
            raise ArchiveError(f"the IR of {entry.name!r} is not valid: {error}") from None
    else:
        program = entry.program(TABLE)
    return sorted({node.op.name for g in program.graphs.values() for node in walk(g.body) if isinstance(node, Op)})


class _Lookup:
    """Operators by name: those that are built in, then others."""

    def __init__(self, table: OperatorTable, others: Mapping[str, OpDef]) -> None:
        self._table, self._others = table, others

    def __getitem__(self, name: str, /) -> OpDef:
        return self._others[name] if name in self._others else self._table[name]


def _stand_in(need: OperatorNeed) -> OpDef:
    """An operator that IR can name and nothing can run."""
    from tscript.archive import ArchiveError
    from tscript.definitions.custom import CustomRule, SchemaError, custom_operator, operator_schema
    from tscript.definitions.opdef import NativeCall, OperatorLibrary

    try:
        schema = operator_schema(need.name, need.schema)
    except SchemaError as error:
        raise ArchiveError(f"the manifest is not valid: {error}") from None
    return custom_operator(schema, CustomRule(schema), len, NativeCall(""), OperatorLibrary(need.library))


def _as_json(entry: EntryPoint) -> dict[str, object]:
    return {
        "name": entry.name,
        "signature": _signature(entry),
        "doc": entry.doc,
        "ir_digest": entry.ir_digest,
        "operators": operators(entry),
        "constants": constants(entry),
        "needs": [
            {f: getattr(n, f) for f in ("name", "schema", "library", "module", "install")} for n in entry.operators
        ],
        "native": [
            {
                "types": [str(t) for t in n.types],
                "constants": {str(i): repr(value) for i, value in n.constants},
                "result": str(n.result),
                "triple": n.triple,
                "cpu": n.cpu,
                "features": n.features,
                "python": n.python,
                "observed": n.observed,
                "bytes": len(n.data),
            }
            for n in entry.native
        ],
    }
