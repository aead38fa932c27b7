"""Archives of functions that name modules: of one module, whose methods are the functions and which has the modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tscript.archive import Archive, refuse_python
from tscript.archive.naming import Names
from tscript.ir.graph import Const, Node, Op, Param, Program, Value
from tscript.ir.rewrite import replace_values
from tscript.nn.modules.module import Module
from tscript.nn.scripting.programs import copied, function_of
from tscript.nn.scripting.saving import Saving
from tscript.nn.scripting.script_module import ScriptModule
from tscript.nn.scripting.scripts import script_module
from tscript.operators.python.classes import GET_FIELD
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted, scripted_of
from tscript.types import STR, ClassType


class Functions(Module):
    """Functions of an archive, with the modules that they name."""

    __module__ = "functions"  # it is no layer, of which archives keep `forward` alone


def functions_archived(functions: Mapping[str, Any], **options: Any) -> Archive:
    """The archive of functions some of which name modules.

    Args:
        functions: They, by name.
        options: Those of `tscript.api.archive_of`.

    Raises:
        ArchiveError, CompileError: As `tscript.nn.scripting.saving.archived`.
    """
    root = Functions()
    names: dict[int, str] = {}
    for function in functions.values():
        for param in scripted_of(function).params:
            if param.held is not None and id(param.held) not in names:
                names[id(param.held)] = f"held_{len(names)}"
                root.add_module(names[id(param.held)], param.held)  # type: ignore[arg-type]
    return _SavingFunctions(script_module(root), functions, names).archive(options)


class _SavingFunctions(Saving):
    """Makes the archive.

    Args:
        root: The module that has the modules.
        functions: The functions.
        names: Of its attributes, by the identity of their modules.
    """

    def __init__(self, root: ScriptModule, functions: Mapping[str, Any], names: Mapping[int, str]) -> None:
        self._functions = functions
        self._held = names
        super().__init__(root, False)
        self._classes = Names()
        codes: set[Any] = {getattr(type(module), "_loaded_code", None) for _, module in self._modules}
        for code in codes - {None}:
            for entry in code.archive.entries.values():
                self._classes.keep(entry.types)

    def _methods(self, cls: type[ScriptModule], functions: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if cls is not type(self._root):
            yield from super()._methods(cls, functions)
            return
        for name, function in self._functions.items():
            functions[name] = self._as_method(cls, name, scripted_of(function))
            yield name, name
        if len(self._functions) == 1 and name != "forward":
            yield "forward", name

    def _as_method(self, cls: type[ScriptModule], name: str, scripted: Scripted) -> Any:
        """A function whose first parameter is the module."""
        type = current().compiler.class_type(cls)
        assert isinstance(type, ClassType)
        compiler = current().compiler
        programs = []
        for version in scripted.of_declarations():
            program = copied(compiler.portable(version.program if version.entry is not None else version.kept))
            refuse_python(name, program)
            held = {i: self._held[id(p.held)] for i, p in enumerate(version.params) if p.held is not None}
            _read(program, type, held)
            programs.append((program, [i + 1 for i in sorted(version.static)]))
        return function_of(name, programs, scripted.code, scripted.doc, self._classes)


def _read(program: Program, type: ClassType, held: Mapping[int, str]) -> None:
    """Let the entry of a program take a module, and read what it named as attributes of that.

    Args:
        program: The program.
        type: The type of the module.
        held: Names of the attributes, by the positions of the parameters that stand for them.
    """
    graph = program.entry
    block, own = graph.body, graph.body.params
    root = Value(type, "self")
    read: list[Node] = []
    found: dict[Value, Value] = {}
    for i, name in held.items():
        key = Const(name, STR)
        read += (key, Op(GET_FIELD, [root, key.output], type.info.fields[name]))
        found[own[i]] = read[-1].outputs[0]
    replace_values(block, found)
    block.nodes[0:0] = read
    graph.params = (Param("self", type), *(p for i, p in enumerate(graph.params) if i not in held))
    block.params[:] = [root, *(v for i, v in enumerate(own) if i not in held)]
