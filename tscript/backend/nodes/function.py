"""`FunctionEmitter`: the shared state while one graph is emitted as one LLVM function.

**Values.** Each IR value is a tuple of operands, one per leaf of its type (`tscript.abi.leaves`).

**References.** Structured control flow determines statically which references a function owns at each point. `scopes`
has them, one list per open block, and an owned reference is named by its operand. A value made by a node is owned by
its block. ``retain`` and ``release`` in the IR (`tscript.passes.count_references`) add and end references. An exit
moves the values that it passes on out of the scopes it leaves, and releases the rest. Parameters are borrowed.

**Errors.** A native call that returns a status other than 0 branches to the cleanup of the references owned there.
Cleanups form chains, shared by all places that own the same references: each releases one reference and continues with
the next; the last adds the call's `Site` to the trace and returns the status, or goes to the handlers of the `Try`
around (`tscript.backend.nodes.exceptions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tscript.abi import symbols
from tscript.abi.checked import IS_CHECKED
from tscript.abi.layout import CONTEXT, MAX_TRACE, TENSOR_STRUCT
from tscript.abi.leaves import is_tensor, leaves
from tscript.abi.status import Status
from tscript.abi.symbols import type_symbol
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.machine import llvm_type
from tscript.backend.llvm.text import LIKELY, Text
from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.cost import Costs
from tscript.backend.nodes.literals import constant_operands
from tscript.backend.nodes.state import SLOT, Cleanup, Join, LoopState, ModuleState, Operands, Region, Segments, Slots
from tscript.diagnostics import InternalError, Span
from tscript.ir.graph import Block, Call, Const, Fork, Fused, Graph, Invoke, Label, Node, Op, Value
from tscript.operators.core.opdef import OpDef
from tscript.types import (
    ANY,
    BOOL,
    SIZE,
    OptionalType,
    SizeType,
    TupleType,
    Type,
    UnionType,
    dtypes,
    is_counted,
)


def _type_of(argument: str) -> str:
    """The LLVM type that an argument begins with; its name may be quoted and hold spaces."""
    return argument.partition(' @"')[0] if argument.endswith('"') else argument.rpartition(" ")[0]


NodeEmitter = Callable[["FunctionEmitter", Any], None]
"""Writes one node; there is one per class of node."""

OpEmitter = Callable[["FunctionEmitter", Op], None]
"""Writes one operator."""

InPlaceEmitter = Callable[["FunctionEmitter", Op], bool]
"""Emits one operator inline; returns False if it cannot."""


@dataclass(frozen=True, slots=True)
class Emitters:
    """The emitters of nodes.

    Attributes:
        nodes: By class of node.
        operators: By class of the operator's implementation.
        structural: By operator, for those without code of their own; those that are missing run dynamically.
        in_place: By operator, for those of the native library that may be emitted inline.
    """

    nodes: Mapping[type[Node], NodeEmitter]
    operators: Mapping[type, OpEmitter]
    structural: Mapping[OpDef, OpEmitter]
    in_place: Mapping[OpDef, InPlaceEmitter]


class FunctionEmitter:
    """The state of one function under construction.

    Attributes:
        module: What the functions of the module share.
        graph: The graph.
        text: Its LLVM body.
        env: Operands of the values emitted so far.
        scopes: Owned references, one list per open block.
        slots: Those of the `Try`s whose bodies are open.
        yields: Where ``yield`` goes, innermost last.
        loops: Open loops, innermost last.
        regions: The regions that errors leave: the function, and the enclosing bodies of `Try`s, innermost last.
        emitters: What writes each node.
        depth: Levels of call depth left at the entry, in functions that may call themselves.
        thread: State of the thread, in observed variants.
        segments: What `tscript.backend.nodes.observe` knows of runs of operators, there too.
    """

    __slots__ = (
        "_budget",
        "_objects",
        "_tensors",
        "costs",
        "depth",
        "emitters",
        "env",
        "graph",
        "loops",
        "module",
        "regions",
        "scopes",
        "segments",
        "slots",
        "text",
        "thread",
        "yields",
    )

    def __init__(self, module: ModuleState, graph: Graph, emitters: Emitters) -> None:
        self.module = module
        self.emitters = emitters
        self.depth: str | None = None
        self._objects: set[str] = set()
        self._tensors: set[str] = set()
        self.graph = graph
        self.text = Text(module.declarations)
        self.env: dict[Value, Operands] = {}
        self.scopes: list[list[str]] = [[]]
        self.yields: list[Join] = []
        self.loops: dict[Label, LoopState] = {}
        self.costs = Costs(module.safepoints, module.budget)
        self.thread: str | None = None
        self.segments: Segments | None = None
        self.regions: list[Region] = [Region()]
        self.slots: dict[Label, Slots] = {}
        self._budget: str | None = None

    def emit_block(self, block: Block) -> None:
        """Write the nodes of `block`."""
        emitters = self.emitters.nodes
        for node in block.nodes:
            if IS_CHECKED and self.module.safepoints:
                self._check_inputs(node)
            emitters[type(node)](self, node)

    def _check_inputs(self, node: Node) -> None:
        """In the checked mode, record the running operation and check its objects."""
        if isinstance(node, Const):
            return
        self.text.line(f"store ptr {self.module.constants.site(node.span)}, ptr {self.context_field('at')}")
        if not isinstance(node, Op | Call | Invoke | Fork | Fused):
            return
        for value in node.inputs:
            for operand, leaf in zip(self.operands(value), leaves(value.type), strict=True):
                if is_counted(leaf) and operand != "poison":
                    may_lack = isinstance(leaf, OptionalType | UnionType) or leaf == ANY
                    kernel = symbols.kernel_symbol("checked_optional" if may_lack else "checked_object")
                    self.call(kernel, [f"ptr {operand}"], (), node.span)

    # Values

    def operands(self, value: Value) -> Operands:
        """The operands of `value`, one per leaf; those of a constant are literals."""
        found = self.env.get(value)
        if found is None:
            node = value.node
            if not isinstance(node, Const):
                raise InternalError(f"value {value!r} is used before it is defined", value.span)
            found = self.env[value] = self.constant(node.value, node.outputs[0].type, node.span)
        return found

    def operand(self, value: Value) -> str:
        """The only operand of `value`."""
        (found,) = self.operands(value)
        return found

    def constant(self, value: object, type: Type, span: Span) -> Operands:
        """The operands of a constant."""
        return constant_operands(self.module, self.text, value, type, span)

    def declare_type(self, type: Type) -> str:
        """The symbol, with its sign, of the `TypeInfo` of a type."""
        return self.text.declare_global(type_symbol(type))

    def hint(self, value: Value) -> str:
        """A readable, legal hint for the names of `value`."""
        name = value.name
        return name if name.isidentifier() and name.isascii() else "v"

    def coerce(self, value: Value, type: Type) -> Operands:
        """The operands of `value` as a value of the supertype `type`; a Size made of a tuple belongs to the scope."""
        return self.convert(self.operands(value), value.type, type)

    def convert(self, operands: Operands, source: Type, target: Type) -> Operands:
        """As `coerce`, for operands of type `source`."""
        if source is target:
            return operands
        match source, target:
            case TupleType(), SizeType():
                return (self.make_size(operands),)
            case TupleType(), TupleType():
                out: list[str] = []
                at = 0
                for s, t in zip(source.elements, target.elements, strict=True):
                    n = len(leaves(s))
                    out += self.convert(operands[at : at + n], s, t)
                    at += n
                return tuple(out)
        return operands

    def make_size(self, elements: Sequence[str]) -> str:
        """A new Size of known elements; the current scope owns it."""
        text = self.text
        length = text.alloca("i64", "length")
        text.line(f"store i64 {len(elements)}, ptr {length}")
        (size,) = self.call(
            symbols.TENSOR_ALLOC, [f"i32 {dtypes.int64.code}", "i64 1", f"ptr {length}"], (SIZE,), self.graph.span
        )
        data = self.tensor_field(size, "data", "ptr")
        for i, element in enumerate(elements):
            text.line(f"store i64 {element}, ptr {text.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
        return size

    def tensor_field(self, tensor: str, name: str, type: str) -> str:
        """Load a field of a `TensorImpl`."""
        offset = TENSOR_STRUCT.offsets[name]
        address = self.text.let(f"getelementptr i8, ptr {tensor}, i64 {offset}") if offset else tensor
        return self.text.let(f"load {type}, ptr {address}", name)

    # References

    def retain(self, reference: str) -> None:
        """One more reference."""
        if reference != "null":
            self._count(symbols.TENSOR_RETAIN if reference in self._tensors else symbols.OBJECT_RETAIN, reference)

    def release(self, reference: str) -> None:
        """One reference less; of a slot, what it refers to now."""
        if reference.startswith(SLOT):
            found = self.text.let(f"load ptr, ptr {reference[len(SLOT) :]}")
            if reference in self._tensors:
                self._tensors.add(found)
            reference = found
        self._count(symbols.TENSOR_RELEASE if reference in self._tensors else symbols.OBJECT_RELEASE, reference)

    def _count(self, symbol: str, reference: str) -> None:
        self.text.declare_function(symbol, "i32", ["ptr", "ptr"])
        self.text.line(f"call i32 @{symbol}(ptr %ctx, ptr {reference})")

    def note(self, operand: str, leaf: Type) -> None:
        """Record how references of `operand` are counted.

        One operand can be a tensor where a condition says so and an object of any type elsewhere; functions of objects
        take both.
        """
        if not is_tensor(leaf):
            self._objects.add(operand)
            self._tensors.discard(operand)
        elif operand not in self._objects:
            self._tensors.add(operand)

    def own(self, operands: Sequence[str], types: Sequence[Type]) -> None:
        """The current scope owns those of `operands` that are references."""
        for operand, leaf in zip(operands, types, strict=True):
            if is_counted(leaf):
                self.note(operand, leaf)
                self.scopes[-1].append(operand)

    def define(self, value: Value, operands: Sequence[str]) -> None:
        """`value`, made by a node, is `operands`; its references belong to the current scope."""
        self.env[value] = tuple(operands)
        if is_counted(value.type):
            self.own(operands, leaves(value.type))

    def retain_all(self, operands: Sequence[str], type: Type) -> None:
        """One more reference for each that a value holds."""
        for operand, leaf in zip(operands, leaves(type), strict=True):
            if is_counted(leaf):
                self.note(operand, leaf)
                self.retain(operand)

    def release_all(self, operands: Sequence[str], type: Type) -> None:
        """One reference less for each that a value holds."""
        for operand, leaf in zip(operands, leaves(type), strict=True):
            if is_counted(leaf):
                self.note(operand, leaf)
                self.release(operand)

    def drop(self, root: Value) -> None:
        """Release what the innermost scope still owns of `root`."""
        scope = self.scopes[-1]
        for operand in self.env[root]:
            if operand in scope:
                scope.remove(operand)
                self.release(operand)

    def pass_on(self, values: Sequence[Value], types: Sequence[Type], depth: int) -> Operands:
        """Operands of `values` for an exit that leaves all scopes from `depth` on, each reference owned by who gets it.

        The scopes stay as they are: other paths go on with them.
        """
        operands = [o for v, t in zip(values, types, strict=True) for o in self.coerce(v, t)]
        leaving = [o for scope in self.scopes[depth:] for o in scope]
        self._hand_over(operands, types, leaving)
        for operand in reversed(leaving):
            self.release(operand)
        return tuple(operands)

    def pass_in(self, values: Sequence[Value], types: Sequence[Type]) -> Operands:
        """Operands of the initial `values` of a loop, each reference owned by the loop's parameters."""
        operands = [o for v, t in zip(values, types, strict=True) for o in self.coerce(v, t)]
        self._hand_over(operands, types, self.scopes[-1])
        return tuple(operands)

    def _hand_over(self, operands: Sequence[str], types: Sequence[Type], owned: list[str]) -> None:
        """Remove the references among `operands` from those that are `owned`."""
        for operand, leaf in zip(operands, [leaf for t in types for leaf in leaves(t)], strict=True):
            if is_counted(leaf):
                if operand not in owned:
                    raise InternalError(f"nobody owns the reference {operand} that is handed on", self.graph.span)
                owned.remove(operand)

    # Calls and errors

    def call(self, symbol: str, args: Sequence[str], results: Sequence[Type], span: Span | None) -> Operands:
        """Call a native function and leave on an error.

        Args:
            symbol: Its name, or an operand that is its address.
            args: Each with its LLVM type; the context and the out pointers are added.
            results: Types of the results' leaves. References among them belong to the current scope.
            span: The call, for the trace; None when the callee's error names the place by itself.
        """
        text = self.text
        types = [native_types(t)[0] for t in results]
        outs = [text.slot(t, i) for i, t in enumerate(types)]
        name = symbol if symbol.startswith("%") else symbol_name(symbol)
        everything = ["ptr %ctx", *args, *(f"ptr {o}" for o in outs)]
        if not symbol.startswith("%") and symbol not in self.module.defined:
            text.declare_function(symbol, "i32", [_type_of(a) for a in everything], "nounwind")
        status = text.let(f"call i32 {name}({', '.join(everything)})", "status")
        self.check(status, span)
        return tuple(self.loaded(out, native, t) for out, native, t in zip(outs, types, results, strict=True))

    def loaded(self, address: str, native: str, type: Type) -> str:
        """Load a result."""
        found = self.text.let(f"load {native}, ptr {address}")
        if type == BOOL:
            return self.text.let(f"trunc i8 {found} to i1")
        if is_counted(type):
            self.note(found, type)
            self.scopes[-1].append(found)
        return found

    def check(self, status: str, span: Span | None) -> None:
        """Leave with `status` unless it is 0."""
        text = self.text
        good = text.let(f"icmp eq i32 {status}, 0", "ok")
        going_on = text.fresh_label("go")
        failing = self.fail(status, "null" if span is None else self.module.constants.site(span))
        text.terminate(f"br i1 {good}, label %{going_on}, label %{failing}{LIKELY}")
        text.label(going_on)

    def fail(self, status: str, site: str) -> str:
        """The label that ends the innermost region with `status`, for a branch from the current block."""
        region = self.regions[-1]
        return self._cleanup(region, self._owned(region), status, site)

    def _owned(self, region: Region) -> Operands:
        """The references that an error in `region` has to release here."""
        owned = tuple(o for scope in self.scopes[region.depth :] for o in scope)
        return owned[region.kept :]

    def _cleanup(self, region: Region, owned: Operands, status: str, site: str) -> str:
        cleanups = region.cleanups
        while len(cleanups) <= len(owned):
            cleanups.append({})
        same_length = cleanups[len(owned)]
        found = same_length.get(owned)
        if found is None:
            found = same_length[owned] = Cleanup(self.text.fresh_label("cleanup" if owned else "fail"))
        found.edges.append((status, site, self.text.block))
        return found.label

    def emit_cleanups(self) -> None:
        """Write all cleanups of the innermost region, at its end."""
        text = self.text
        region = self.regions.pop()
        for owned, shared in region.raises.items():
            text.label(shared.label)
            self._raise_at(self.merged("ptr", [(s, b) for _, s, b in shared.edges]), 0, region, owned)
        # A cleanup leads to a shorter one, so the longest come first.
        for owned, cleanup in (item for length in reversed(region.cleanups) for item in length.items()):
            text.label(cleanup.label)
            status = self.merged("i32", [(s, b) for s, _, b in cleanup.edges])
            site = self.merged("ptr", [(s, b) for _, s, b in cleanup.edges])
            if owned:
                self.release(owned[-1])
                text.branch(self._cleanup(region, owned[:-1], status, site))
            elif region.landing is not None:
                if site != "null":
                    self._append_to_trace(site)
                region.landing.edges.append(((status,), text.block))
                text.branch(region.landing.label)
            else:
                if site != "null":
                    self._append_to_trace(site)
                self.leave_depth()
                text.terminate(f"ret i32 {status}")

    def merged(self, type: str, edges: Sequence[tuple[str, str]]) -> str:
        first = edges[0][0]
        if not first.startswith("%") and all(v == first for v, _ in edges):
            return first
        return self.text.let(f"phi {type} {', '.join(f'[ {v}, %{b} ]' for v, b in edges)}")

    def _append_to_trace(self, site: str) -> None:
        text = self.text
        place = self.context_field("ntrace")
        count = text.let(f"load i64, ptr {place}", "ntrace")
        full = text.let(f"icmp uge i64 {count}, {MAX_TRACE}")
        if site.startswith("%"):
            full = text.let(f"or i1 {full}, {text.let(f'icmp eq ptr {site}, null')}")
        append, done = text.fresh_label("append"), text.fresh_label("leave")
        text.branch_if(full, done, append)
        text.label(append)
        cell = text.let(f"getelementptr ptr, ptr {self.context_field('trace')}, i64 {count}")
        text.line(f"store ptr {site}, ptr {cell}")
        text.line(f"store i64 {text.let(f'add i64 {count}, 1')}, ptr {place}")
        text.branch(done)
        text.label(done)

    def context_field(self, name: str) -> str:
        """Address of a field of the context."""
        offset = CONTEXT.offsets[name]
        return self.text.let(f"getelementptr i8, ptr %ctx, i64 {offset}", name) if offset else "%ctx"

    def raise_(self, span: Span, exception: str, message: str | None, args: Sequence[tuple[str, int]] = ()) -> None:
        """End the block by raising.

        Args:
            args: 64-bit operands with their kinds (`Context.kinds`).
        """
        text, site = self.text, self.module.constants.site(span, exception, message)
        region = self.regions[-1]
        owned = self._owned(region)
        if not args:
            shared = region.raises.get(owned)
            if shared is None:
                shared = region.raises[owned] = Cleanup(text.fresh_label("raise"))
            shared.edges.append((str(int(Status.RAISED)), site, text.block))
            text.branch(shared.label)
            return
        kinds = sum(kind << 2 * i for i, (_, kind) in enumerate(args))
        text.line(f"store i64 {kinds}, ptr {self.context_field('kinds')}")
        for i, (operand, _) in enumerate(args):
            cell = text.let(f"getelementptr i8, ptr %ctx, i64 {CONTEXT.offsets['args'] + 8 * i}")
            text.line(f"store i64 {operand}, ptr {cell}")
        self._raise_at(site, len(args), region, owned)

    def _raise_at(self, site: str, nargs: int, region: Region, owned: Operands) -> None:
        """End the block by raising the exception of a site, whose arguments are already stored."""
        text = self.text
        text.line(f"store i64 {nargs}, ptr {self.context_field('nargs')}")
        text.line(f"store ptr {site}, ptr {self.context_field('trace')}")
        text.line(f"store i64 1, ptr {self.context_field('ntrace')}")
        text.branch(self._cleanup(region, owned, str(int(Status.RAISED)), "null"))

    # Depth, safepoints

    def leave_depth(self) -> None:
        """Give the level of call depth back, before a return."""
        if self.depth is not None:
            self.text.line(f"store i64 {self.depth}, ptr {self.context_field('depth')}")

    def budget(self) -> str:
        """The stack slot that counts down to the next safepoint; always at least 1."""
        if self._budget is None:
            self._budget = self.text.alloca("i64", "budget", str(self.module.budget))
        return self._budget

    def safepoint(self, span: Span) -> None:
        """Emit a safepoint for signals and other threads; leaves on an error."""
        self.call(symbols.SAFEPOINT, (), (), span)
        if IS_CHECKED:  # behind it: a signal must not arrive in there
            self.text.declare_function(symbols.VERIFY, "void", ["ptr"])
            self.text.line(f"call void @{symbols.VERIFY}(ptr %ctx)")

    # Phis

    def join(self, join: Join) -> Operands:
        """Begin the block where the edges of `join` meet; its operands there."""
        self.text.label(join.label)
        flat = [leaf for type in join.types for leaf in leaves(type)]
        return tuple(
            self._phi(leaf, [(operands[i], block) for operands, block in join.edges]) for i, leaf in enumerate(flat)
        )

    def _phi(self, type: Type, edges: Sequence[tuple[str, str]]) -> str:
        if not edges:
            return "poison"
        # A reference that changes owners gets a new name, because scopes distinguish owners by names.
        if len(edges) == 1 and not is_counted(type):
            return edges[0][0]
        return self.text.let(f"phi {llvm_type(type)} {', '.join(f'[ {v}, %{b} ]' for v, b in edges)}")
