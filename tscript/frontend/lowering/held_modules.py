"""Modules that functions name: parameters of the graphs that use them, for which calls from Python pass the modules.

Lowering makes a constant of the module (`ObjectSymbol`). When all of a program is there, `hold` puts parameters in the
place of these constants::

    graph @f(%x: Tensor) -> Tensor {
      %0: m.Net = const <module>
      %1: Tensor = call @Net.forward(%0, %x)
      return %1
    }

becomes ::

    graph @f(%x: Tensor, %held_0: m.Net) -> Tensor {
      %1: Tensor = call @Net.forward(%held_0, %x)
      return %1
    }
"""

from __future__ import annotations

from tscript.diagnostics import compile_error
from tscript.frontend.diagnostics import errors
from tscript.ir.graph import Closure, Const, Fork, Graph, Node, Param, Program, Value, walk
from tscript.ir.rewrite import erase, replace_values
from tscript.late import replace
from tscript.types import ClassType, Type

_FORKED = "give the module to the task: tscript.fork(net, x)"


def hold(program: Program) -> Program:
    """Put parameters in the place of constants that are modules, in all graphs of a program; returns it.

    Raises:
        CompileError: A task names a module.
    """
    graphs = program.graphs
    used = {name: _modules(graph) for name, graph in graphs.items()}
    if not any(used.values()):
        return program
    calls = {name: [n for n in walk(graph.body) if _callee(n) in graphs] for name, graph in graphs.items()}
    numbers: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for name, nodes in calls.items():
            for node in nodes:
                new = {key: item for key, item in used[_callee(node)].items() if key not in used[name]}
                used[name].update(new)
                changed = changed or bool(new)
    for each in used.values():
        for key in each:
            numbers.setdefault(key, len(numbers))
    # Captured values come first.
    places = {_callee(n): len(n.inputs) for nodes in calls.values() for n in nodes if isinstance(n, Closure)}
    for name, graph in graphs.items():
        own = _parameters(graph, used[name], numbers, places.get(name), is_entry=name == program.main)
        for node in calls[name]:
            needed = used[_callee(node)]
            if needed and isinstance(node, Fork):
                raise compile_error([errors.NotAValue(node.span, "a module that a task names", _FORKED)])
            place = places.get(_callee(node), len(node.inputs))
            node.inputs[place:place] = [own[key] for key in sorted(needed, key=numbers.__getitem__)]
    return program


def _callee(node: Node) -> str:
    found: str = getattr(node, "callee", "")
    return found


def _modules(graph: Graph) -> dict[int, tuple[object, Type]]:
    """The modules that a graph names, with their types, by identity."""
    nodes = (node for node in walk(graph.body) if _is_module(node))
    return {id(node.value): (node.value, node.output.type) for node in nodes if isinstance(node, Const)}


def _is_module(node: Node) -> bool:
    return isinstance(node, Const) and isinstance(node.outputs[0].type, ClassType)


def _parameters(
    graph: Graph, used: dict[int, tuple[object, Type]], numbers: dict[int, int], place: int | None, *, is_entry: bool
) -> dict[int, Value]:
    """Give a graph parameters for modules; their values."""
    found: dict[int, Value] = {}
    params: list[Param] = []
    for key in sorted(used, key=numbers.__getitem__):
        module, type = used[key]
        name = f"held_{numbers[key]}"
        found[key] = Value(type, name)
        param = Param(name, type)
        params.append(replace(param, held=module) if is_entry else param)
    place = len(graph.params) if place is None else place
    graph.params = (*graph.params[:place], *params, *graph.params[place:])
    graph.body.params[place:place] = list(found.values())
    constants = [node for node in walk(graph.body) if _is_module(node)]
    replace_values(graph.body, {n.outputs[0]: found[id(n.value)] for n in constants if isinstance(n, Const)})
    erase(graph.body, constants)
    return found
