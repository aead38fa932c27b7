"""`Search`: which checks of a graph cannot fail, for `tscript.passes.value_range`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from tscript.definitions.opdef import OpDef
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Const, For, Graph, If, Loop, Node, Op, Value, Yield, walk
from tscript.ir.rewrite import resolve
from tscript.late import replace
from tscript.operators.python.unchecked import UNCHECKED
from tscript.passes import chunks, guards
from tscript.passes.base import PassContext
from tscript.passes.chunks import Chunk
from tscript.passes.guards import Guard
from tscript.passes.index_checks import ACCESSES, INDEX, is_checked, is_dense, is_element
from tscript.passes.intervals import Range, fits
from tscript.passes.loop_versions import Bounds, Test, Versions, Writable, homes, may_version, versioned
from tscript.passes.ranges import Ranges
from tscript.types import BOOL, INT, ArrayType


@final
class Search(Ranges):
    """Finds the checks that can be removed.

    Attributes:
        found: By node, the operator without its check, or the result of a comparison.
        positions: The int and the size of each test that an int counts from the front and is inside.
        guards: Loops without checks after a test.
        chunks: Loops without checks in chunks.
        mapping: The replacements.
    """

    def __init__(
        self,
        graph: Graph,
        context: PassContext,
        proved: Mapping[OpDef, str],
        *,
        alone: bool = False,
        again: bool = False,
    ) -> None:
        super().__init__(graph, context, alone=alone)
        self.found: dict[Node, OpDef | bool] = {}
        self.positions: dict[Node, tuple[Value, Value]] = {}
        self.guards: dict[Node, Guard] = {}
        self.chunks: dict[Node, Chunk] = {}
        self.mapping: dict[Value, Value] = {}
        self._context = context
        self._loaded: Range | None = None
        self._again = again
        self._proved = proved
        self._unchecked = {**UNCHECKED, **{op.name: context.table[name] for op, name in proved.items()}}
        self.versions: dict[Node, Versions] = {}
        self._open: list[Loop | For] = []
        self._inside = dict(homes(graph.body)) if any(map(is_checked, walk(graph.body))) else {}

    def begin(self) -> None:
        """Decide from the beginning."""
        self.found.clear()
        self.positions.clear()
        self.guards.clear()
        self.chunks.clear()
        self.versions.clear()

    def visit(self, node: Node) -> None:
        """Decide about one node."""
        if isinstance(node, If):
            place = self._position(node)
            if place is not None:
                self.positions[node] = place
        if not isinstance(node, Op):
            return
        op = node.op
        if op in self._proved:
            if fits(self.checked[op](*[self.of(v) for v in node.inputs])):
                self.found[node] = self._context.table[self._proved[op]]
            elif self._open and not self._trying and not self._again:
                self._fit(node)
        elif op in self.compares:
            answer = self.answer(node)
            if answer is not None:
                self.found[node] = answer
        elif op.name in UNCHECKED:
            if self.is_inside(node.inputs[1], node.inputs[0]):
                self.found[node] = UNCHECKED[op.name]
            elif self.lengths.is_lasting(node.inputs[0]):
                self._version(node, node.inputs[0], None, node.inputs[1])
        elif op.name in INDEX:
            array, dim, index = node.inputs[:3]
            assert isinstance(dim.constant, int)
            if self.is_position(index, array, dim.constant):
                self.found[node] = True
            else:
                self._version(node, array, dim.constant, index)
        elif op.name in ACCESSES:
            self._access(node)

    def _position(self, node: If) -> tuple[Value, Value] | None:
        """An int and a size, if `node` is ``0 <= a and a < size``: as unsigned ints one comparison says both."""
        first = node.inputs[0].node
        match first:
            case Op(inputs=[a, b]) if len(node.outputs) == 1 and node.outputs[0].type == BOOL:
                kind = self.compares.get(first.op)
            case _:
                return None
        if kind in ("le", "lt"):
            a, b, kind = b, a, {"le": "ge", "lt": "gt"}[kind]
        if (kind, b.constant) not in (("ge", 0), ("gt", -1)) or a.type != INT:
            return None
        match [n for n in node.then.nodes if not isinstance(n, Const)], node.orelse.nodes[-1]:
            case [Op(inputs=[x, y]) as second, Yield(inputs=[given])], Yield(inputs=[Value(constant=False)]):
                if given is second.output and all(isinstance(n, Const) for n in node.orelse.nodes[:-1]):
                    if self.compares.get(second.op) == "gt":
                        x, y = y, x
                    elif self.compares.get(second.op) != "lt":
                        return None
                    inside = y.node is not None and any(y.node is n for n in node.then.nodes)
                    return (a, y) if x is a and not inside and self.of(y)[0] >= 0 else None
        return None

    def _fit(self, node: Op) -> None:
        """Plan to do without a check of arithmetic that fits if values known before a loop are small."""
        for loop in self._open:
            bounds = Bounds(self, self._inside[loop])
            most, least = bounds.upper(node.output), bounds.lower(node.output)
            if most is not None and least is not None:
                self.versions.setdefault(loop, Versions()).sums[node] = (*most, *least)
                return

    def _access(self, node: Op) -> None:
        """Plan to do without the check of a write, and without the last stride, in the outermost loop possible."""
        array = node.inputs[0]
        if self._trying or not self._open or (self._again and not is_element(array)) or is_dense(array):
            return
        loop = next((loop for loop in self._open if array not in self._inside[loop]), None)
        if loop is None:
            return
        if node.op.name == "check_writable" or (node.op.name == "set_element_in" and isinstance(array.type, ArrayType)):
            self.versions.setdefault(loop, Versions()).tests[node] = Writable(array)
        if len(node.inputs) > 1 and node.inputs[-1] in self._inside[self._open[-1]]:
            self.versions.setdefault(loop, Versions()).dense[node] = None

    def _version(self, node: Node, container: Value, dim: int | None, index: Value) -> None:
        """Plan to remove a check from the outermost loop before which the largest index is known."""
        if self.of(index)[0] < 0 or self._trying or (self._again and not is_element(container)):
            return
        for loop in self._open:
            inside = self._inside[loop]
            if container in inside:
                continue
            last = Bounds(self, inside).upper(index)
            if last is not None:
                self.versions.setdefault(loop, Versions()).tests[node] = Test(container, dim, last)
                return

    def _enter(self, node: Loop | For, inits: Sequence[Value], params: Sequence[Value]) -> None:
        if self._inside and self._last and may_version(node):
            self._open.append(node)
            super()._enter(node, inits, params)
            self._open.pop()
        else:
            super()._enter(node, inits, params)
        if not self._last or not guards.may_guard(node):
            return
        left: set[Node] = {
            n for n in walk(node.body) if isinstance(n, Op) and n.op in self._proved and n not in self.found
        }
        if left and not self._chunk(node, left):
            self._guard(node, left)

    def _tried(self, body: Block, left: set[Node], values: Sequence[tuple[Value, int, int]]) -> dict[Node, OpDef]:
        """Those of `left` that need no check when `values` lie between bounds."""
        kept, mark = self.found, len(self._undo)
        for value, low, high in values:
            self.narrow(value, low, high)
        self.found = {}
        self._trying = True
        self.block(body)
        self._trying = False
        self._back_to(mark)
        proved = {n: op for n in left if isinstance(op := self.found.get(n), OpDef)}
        self.found = kept
        return proved

    def _guard(self, node: Loop | For, left: set[Node]) -> None:
        """Plan a guard for checks in branches, if a test proves that they cannot fail."""
        wanted = guards.in_branches(node, left)
        values = guards.needed(node, wanted)
        if not values:
            return
        for bits in guards.BITS:
            size = 1 << bits
            proved = self._tried(node.body, left, [(v, -size, size - 1) for v in values])
            if all(n in proved for n in wanted):
                break
        if any(n in proved for n in wanted):
            if self._once(node, values, [n for n in wanted if n in proved]):
                return
            large = [v for v in values if self.of(v)[0] < -size or self.of(v)[1] >= size]
            signed = any(self.of(v)[0] < 0 for v in large)
            self.guards[node] = Guard(bits, signed, large, proved)

    def _once(self, loop: Loop | For, values: Sequence[Value], nodes: Sequence[Node]) -> bool:
        """Whether one test before a loop, in the place of one in each iteration, proves that `nodes` cannot fail."""
        if loop not in self._inside or any(v in self._inside[loop] for v in values):
            return False
        plans = [plan for plan in self.versions.values() if any(n in plan.sums for n in nodes)]
        if not all(any(n in plan.sums for plan in plans) for n in nodes):
            return False
        for plan in plans:
            plan.reasons.update((n, None) for n in nodes if n in plan.sums)
        return True

    def _chunk(self, node: Loop | For, left: set[Node]) -> bool:
        """Plan to run a loop in chunks, if the size of elements proves that the remaining checks cannot fail."""
        if not isinstance(node, For) or self.of(node.inputs[0])[0] < 0 or not chunks.may_chunk(node, left, self.found):
            return False
        counter, *params = node.body.params
        values = guards.needed(node, left)
        sums = [i for i, p in enumerate(params) if p in values]
        outside = [v for v in values if v is not counter and v not in params]
        carried = self._carried[node]
        for bits in chunks.BITS:
            size = 1 << bits
            known = [(params[i], *chunks.CARRIED) for i in sums] + [(v, -size, size - 1) for v in outside]
            if counter in values:
                known.append((counter, 0, size - 1))
            kept, self._loaded = carried.set_aside(), (-size, size - 1)
            proved = self._tried(node.body, left, known)
            stays = all(carried.stays(i, chunks.CARRIED, chunks.SIZE, chunks.DRIFT) for i in sums)
            carried.put_back(kept)
            self._loaded = None
            if stays and len(proved) == len(left):
                self.chunks[node] = Chunk(bits, sums, outside, counter in values, proved)
                return True
        return False

    def _result(self, node: Op) -> Range | None:
        if self._loaded is not None and node.op.name in chunks.LOADS:
            return self._loaded
        return super()._result(node)

    def replace(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if isinstance(node, Loop | For):
            plan = self.versions.get(node)
            made = self._versions(node, builder)
            if made is None and plan is not None:
                others = [p for loop, p in self.versions.items() if loop is not node]
                made = versioned(node, plan, others, self._unchecked, self._context.table, self.mapping, builder)
            return made
        if isinstance(node, If):
            place = self.positions.get(node)
            return None if place is None else [builder.op(machine.UNSIGNED_LESS, *place, name=node.outputs[0].name)]
        found = self.found.get(node)
        if found is None:
            return None
        if isinstance(node, Op) and node.op.name in INDEX:
            return [node.inputs[2]]
        if isinstance(found, bool):
            return [builder.const(found)]
        assert isinstance(node, Op)
        out = builder.op(found, *node.inputs)
        out.name = node.outputs[0].name
        return [out]

    def _versions(self, node: Loop | For, builder: Builder) -> Sequence[Value] | None:
        """A duplicated loop."""
        guard, chunk = self.guards.get(node), self.chunks.get(node)
        if guard is not None:
            values = [resolve(self.mapping, v) for v in guard.values]
            return guards.twice(node, replace(guard, values=values), builder)
        if chunk is not None and isinstance(node, For):
            values = [resolve(self.mapping, v) for v in chunk.values]
            return chunks.chunked(node, replace(chunk, values=values), builder, self._context)
        return None


__all__ = ["Search"]
