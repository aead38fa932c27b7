"""Fused groups, compiled and run, against the operators' own meaning on arrays.

Tensors are NumPy arrays behind ctypes headers; allocation and reference counts are stood in for by Python functions
that count, the kernels that lead the loop over arrays of any layout are compiled from their source.
"""

from __future__ import annotations

import builtins
import ctypes
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tscript.abi import rows as layout
from tscript.abi.layout import CONTEXT, SITE, STORAGE, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_STRUCT
from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import assembly, compile_text
from tscript.backend.loader.session import Session
from tscript.backend.nodes import fused
from tscript.backend.nodes.fused_group import analyse
from tscript.backend.nodes.loops import grain_of
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import InternalError, SourceFile, Span
from tscript.frontend import lower_dialect
from tscript.ir.graph import Block, Const, Fused, Op, Value, Yield
from tscript.operators.table import TABLE
from tscript.pipeline import Compiler
from tscript.runtime.kernels import rows
from tscript.types import BOOL, FLOAT, INT, NONE, DType, TensorType, Type, dtype_of, dtypes

Apply = Callable[..., Any]
Build = Callable[..., Any]

ADD, MUL, SUB, LT, WHERE = (TABLE[n] for n in ("add", "mul", "sub", "lt", "where"))
ADD_, MUL_, DIV, EXP, TANH = (TABLE[n] for n in ("add_", "mul_", "div", "exp", "tanh"))
NUMBERS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)

NUMBER_TYPES: dict[Type, Any] = {INT: ctypes.c_int64, FLOAT: ctypes.c_double, BOOL: ctypes.c_uint8}

HOST = Target.host()
AVX2 = Target(HOST.triple, "x86-64-v3", "+avx,+avx2,+fma,+bmi,+bmi2,+f16c,+sse4.2")
SSE4 = Target(HOST.triple, "x86-64-v2", "+sse4.2,+ssse3,+popcnt")
TARGETS = [HOST, AVX2, SSE4] if HOST.architecture == "x86_64" and "avx2" in HOST.enabled else [HOST]
SOURCE = SourceFile("model.py", "")


@dataclass
class Header:
    """A tensor: the array, and the memory of its header and storage."""

    array: Any
    block: Any
    storage: Any

    @property
    def fields(self) -> Any:
        return TENSOR_STRUCT.ctype.from_buffer(self.block)


class Runtime:
    """What generated code calls. `live` are tensors made by it; `raised` is what a stand-in kernel refused."""

    def __init__(self) -> None:
        self.tensors: dict[int, Header] = {}
        self.live = 0
        self.fail_after: int | None = None
        self.raised: Exception | None = None
        self.divided: list[tuple[int, int]] = []
        p, i, q = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
        self.callbacks = {
            "ts_tensor_alloc_v1": ctypes.CFUNCTYPE(i, p, i, q, p, p)(self.allocate),
            "ts_tensor_retain_v1": ctypes.CFUNCTYPE(i, p, p)(self.retain),
            "ts_tensor_release_v1": ctypes.CFUNCTYPE(i, p, p)(self.release),
            "ts_check_distinct_v1": ctypes.CFUNCTYPE(i, p, p)(self.check_distinct),
            "ts_separate_v1": ctypes.CFUNCTYPE(i, p, p, p, p)(self.separate),
            "ts_separate_later_v1": ctypes.CFUNCTYPE(i, p, p, p, p)(self.separate),
            "ts_rows_delay_v1": ctypes.CFUNCTYPE(i, p, p, p, q, p, p)(self.delay),
            "ts_release_gil_v1": ctypes.CFUNCTYPE(i, p)(self.let_go),
            "ts_let_others_run_v1": ctypes.CFUNCTYPE(i, p)(self.let_go),
            "ts_parallel_v1": ctypes.CFUNCTYPE(i, p, p, p, q, q)(self.parallel),
            "ts_raise_stored_v1": ctypes.CFUNCTYPE(i, p, p, p, *[ctypes.c_char_p] * 4)(self.raise_stored),
        }
        self.session = Session(HOST, {n: ctypes.cast(c, p).value or 0 for n, c in self.callbacks.items()})
        compiler = Compiler()
        for function in (
            rows.append_site,
            rows.broadcast_members,
            rows.rows_begin,
            rows.rows_next,
            rows.rows_parts,
            rows.rows_enter,
        ):
            self.define_kernel(compiler, function)
        self.bodies = compiler.bodies

    def define_kernel(self, compiler: Compiler, function: Callable[..., Any]) -> None:
        symbol = f"ts_{function.__name__}_v1"
        module = compiler.emit(lower_dialect(function, {}, symbol), symbol, safepoints=False)
        data = compile_text(module.text, HOST, effort=module.effort)
        self.session.define({symbol: self.session.load(data).address(symbol)})

    def tensor(self, array: Any, readonly: bool = False) -> int:
        """Address of a header over `array`."""
        rank = array.ndim
        block = (ctypes.c_int64 * (TENSOR_STRUCT.size // 8 + 2 * rank))()
        storage = STORAGE.ctype()
        storage.refcount, storage.data, storage.nbytes = 1, array.ctypes.data, array.nbytes
        storage.flags = STORAGE_READONLY if readonly else 0
        header = Header(array, block, storage)
        fields = header.fields
        fields.refcount, fields.storage, fields.data = 1, ctypes.addressof(storage), array.ctypes.data
        fields.dtype, fields.ndim, fields.numel = dtypes.BY_NAME[array.dtype.name].code, rank, array.size
        fields.flags = TENSOR_CONTIGUOUS if array.flags.c_contiguous else 0
        for d in range(rank):
            block[8 + d] = array.shape[d]
            block[8 + rank + d] = array.strides[d] // array.itemsize
        address = ctypes.addressof(block)
        self.tensors[address] = header
        return address

    def made(self, array: Any, out: int) -> int:
        ctypes.c_void_p.from_address(out).value = self.tensor(array)
        self.live += 1
        return 0

    def allocate(self, ctx: int, code: int, rank: int, sizes: int | None, out: int) -> int:
        if self.fail_after is not None:
            self.fail_after -= 1
            if self.fail_after < 0:
                return self.refuse(ctx, MemoryError("no memory"))
        shape = [ctypes.c_int64.from_address((sizes or 0) + 8 * d).value for d in range(rank)]
        array = np.empty(shape, dtypes.dtype_of_code(code).name)
        array.reshape(-1).view(np.uint8).fill(0xA5)
        return self.made(array, out)

    def retain(self, ctx: int, tensor: int) -> int:
        self.tensors[tensor].fields.refcount += 1
        return 0

    def delay(self, ctx: int, written: int, tensors: int, count: int, plan: int, out: int) -> int:
        """Nothing has to wait: what overlaps is copied."""
        ctypes.c_void_p.from_address(out).value = None
        return 0

    def release(self, ctx: int, tensor: int | None) -> int:
        if tensor is None:
            return 0
        fields = self.tensors[tensor].fields
        fields.refcount -= 1
        if fields.refcount == 0:
            del self.tensors[tensor]
            self.live -= 1
        return 0

    def refuse(self, ctx: int, error: Exception) -> int:
        self.raised = error
        context = CONTEXT.ctype.from_address(ctx)
        context.ntrace = 1
        return 1

    def check_distinct(self, ctx: int, tensor: int) -> int:
        header = self.tensors[tensor]
        if header.storage.flags & STORAGE_READONLY:
            return self.refuse(ctx, RuntimeError("read-only"))
        if any(s == 0 and n > 1 for s, n in zip(header.array.strides, header.array.shape, strict=True)):
            return self.refuse(ctx, RuntimeError("single memory location"))
        return 0

    def separate(self, ctx: int, written: int, other: int, out: int) -> int:
        a, b = self.tensors[written].array, self.tensors[other].array
        same = a.ctypes.data == b.ctypes.data and (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        if a.size and b.size and np.may_share_memory(a, b) and not same:
            return self.made(b.copy(), out)
        ctypes.c_void_p.from_address(out).value = other
        return self.retain(ctx, other)

    def raise_stored(
        self, ctx: int, program: int, plan: int, before: bytes, between: bytes, behind: bytes, hidden: bytes
    ) -> int:
        def cell(base: int, index: int) -> int:
            return ctypes.c_int64.from_address(base + 8 * index).value

        def shape(number: int) -> list[int]:
            capacity = cell(plan, layout.CAPACITY)
            at = layout.shape_cell(capacity, number)
            return [cell(plan, at + 1 + capacity - k) for k in range(cell(plan, at), 0, -1)]

        own = shape(cell(program, layout.WRITTEN))
        stored = shape(cell(program, layout.TENSORS) + cell(program, layout.MEMBERS) - 1)
        texts = (", ".join(map(str, sizes)).encode() for sizes in (own, stored))
        said = before + next(texts) + between + next(texts) + behind
        return self.refuse(ctx, RuntimeError((said if len(own + stored) <= 6 else hidden).decode()))

    def let_go(self, ctx: int) -> int:
        return 0

    def parallel(self, ctx: int, run: int, task: int, n: int, grain: int) -> int:
        """The parts of a loop, the last one first."""
        self.divided.append((n, grain))
        p, q = ctypes.c_void_p, ctypes.c_int64
        function = ctypes.CFUNCTYPE(ctypes.c_int32, p, p, q, q)(run)
        for begin in reversed(range(0, n, grain)):
            assert function(ctx, task, begin, min(n, begin + grain)) == 0
        return 0


@cache
def runtime() -> Runtime:
    return Runtime()


class Ranks:
    """Whether groups are compiled without the ranks of tensors with dimensions, unless these decide dtypes."""

    are_open = False


@pytest.fixture(autouse=True, params=[False, True], ids=["known ranks", "open ranks"])
def _ranks(request: pytest.FixtureRequest) -> Iterator[None]:
    Ranks.are_open = request.param
    yield
    Ranks.are_open = False


def of_open_rank(type: Type) -> Type:
    return TensorType(type.dtype) if isinstance(type, TensorType) and type.rank else type


class Lines:
    """Spans of their own for the operators of a group: line 1, 2 …"""

    def __init__(self) -> None:
        self.count = itertools.count(1)

    def next(self) -> Span:
        line = next(self.count)
        return Span(SOURCE, line, 0, line, 1, "f")


def make_group(types: Sequence[Type], build: Build) -> Fused:
    """The group that `build(apply, *inputs)` describes; `apply(op, *operands)` takes values and Python constants."""
    params = [Value(t) for t in types]
    block = Block(params)
    lines = Lines()

    def apply(op: OpDef, *operands: Any) -> Value:
        inputs = []
        for operand in [*operands, *(p.default for p in op.schema.parameters[len(operands) :])]:
            if not isinstance(operand, Value):
                type = {bool: BOOL, int: INT, float: FLOAT}.get(builtins.type(operand), NONE)
                constant = Const(operand, type)
                block.nodes.append(constant)
                operand = constant.output
            inputs.append(operand)
        node = Op(op, inputs, op.type_rule(inputs), lines.next())
        block.nodes.append(node)
        return node.output

    found = build(apply, *params)
    results = found if isinstance(found, tuple) else (found,)
    block.nodes.append(Yield(results))
    return Fused([Value(t) for t in types], block, [r.type for r in results], Span(SOURCE, 99, 0, 99, 1, "f"))


def expected(build: Build, *values: Any) -> Any:
    """The same on arrays."""

    def apply(op: OpDef, *operands: Any) -> Any:
        return op.semantics(*operands, *(p.default for p in op.schema.parameters[len(operands) :]))

    return build(apply, *values)


def group_text(node: Fused, target: Target = HOST) -> str:
    declarations: dict[str, str] = {}
    constants = Constants()
    functions = fused.emit_group("@g", node, runtime().bodies, target, constants, declarations)
    head = f'target triple = "{target.triple}"\ntarget datalayout = "{target.data_layout}"\n'
    return head + "\n".join([*declarations.values(), *constants.lines, *functions]).replace(
        "define internal i32 @g(", "define i32 @g("
    )


class Group:
    """A compiled group that is called with arrays and numbers, and checks that nothing leaks."""

    def __init__(self, types: Sequence[Type], build: Build, target: Target = HOST) -> None:
        self.build = build
        self.node = make_group(types, build)
        if Ranks.are_open:
            node = make_group([of_open_rank(t) for t in types], build)
            members = [n for n in node.body.nodes if isinstance(n, Op)]
            if all(m.op.implementation.rule.is_decided(m.inputs) for m in members):  # type: ignore[union-attr]
                self.node = node
        self.text = group_text(self.node, target)
        self.address = (
            runtime().session.load(compile_text(self.text, target, effort=Effort.LIGHT), exports=["g"]).address("g")
        )
        self.versions: list[int] = []
        self.error_line = 0

    def __call__(self, *values: Any, readonly: Sequence[int] = (), fail_after: int | None = None) -> Any:
        heap = runtime()
        context = CONTEXT.ctype()
        passed: list[Any] = [ctypes.c_void_p(ctypes.addressof(context))]
        given: dict[int, int] = {}
        for i, (value, input_) in enumerate(zip(values, self.node.inputs, strict=True)):
            if isinstance(input_.type, TensorType):
                address = given.get(id(value)) or heap.tensor(value, i in readonly)
                given[id(value)] = address
                passed.append(ctypes.c_void_p(address))
            else:
                passed.append(NUMBER_TYPES[input_.type](value))
        outs = [ctypes.c_void_p() for _ in self.node.outputs]
        passed += [ctypes.c_void_p(ctypes.addressof(o)) for o in outs]
        before, heap.raised, heap.fail_after = heap.live, None, fail_after
        function = ctypes.CFUNCTYPE(ctypes.c_int32, *map(type, passed))(self.address)
        status = function(*passed)
        heap.fail_after = None
        headers = [heap.tensors[a] for a in given.values()]
        self.versions = [h.storage.version for h in headers]
        results = []
        if status == 0:
            for out in outs:
                assert out.value is not None
                results.append(heap.tensors[out.value].array)
                if out.value in given.values():
                    heap.tensors[out.value].fields.refcount -= 1
                else:
                    heap.release(0, out.value)
        assert heap.live == before
        assert [h.fields.refcount for h in headers] == [1] * len(headers)
        for address in given.values():
            del heap.tensors[address]
        if status:
            raise self.error(context)
        return results[0] if len(results) == 1 else tuple(results)

    def error(self, context: Any) -> Exception:
        assert context.ntrace >= 1
        raised = runtime().raised
        site = SITE.ctype.from_address(context.trace[1 if raised is not None else 0])
        assert ctypes.string_at(site.file) == b"model.py"
        self.error_line = site.line
        if raised is not None:
            return raised
        message = ctypes.string_at(site.message).decode().format(*context.args[: context.nargs])
        found = getattr(builtins, ctypes.string_at(site.exception).decode())(message)
        assert isinstance(found, Exception)
        return found


def tensor(dtype: DType, rank: int) -> TensorType:
    return TensorType(dtype, rank)


def check(group: Group, *values: Any) -> Any:
    """Run it and compare with the meaning, bit for bit."""
    with np.errstate(all="ignore"):
        wanted = expected(group.build, *values)
    found = group(*values)
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for a, b in pairs:
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    return found


def sample(rng: np.random.Generator, dtype: DType, shape: int | tuple[int, ...]) -> Any:
    if dtype is dtypes.bool_:
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.is_floating_point:
        return np.asarray(rng.normal(0, 100, shape)).astype(dtype.name)
    return np.asarray(rng.integers(-(2**63), 2**63 - 1, shape)).astype(dtype.name)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def multiply_add(apply: Apply, x: Any, y: Any) -> Any:
    return apply(ADD, apply(MUL, x, y), y)


def compare_too(apply: Apply, x: Any, y: Any) -> Any:
    product = apply(MUL, x, y)
    return product, apply(LT, product, y)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.vector_bits))
@pytest.mark.parametrize("dtype", [*NUMBERS, dtypes.bool_], ids=str)
def test_sizes_around_a_vector(dtype: DType, target: Target, rng: np.random.Generator) -> None:
    group = Group([tensor(dtype, 1)] * 2, compare_too, target)
    lanes = target.vector_bits // 8 // dtype.itemsize
    for n in sorted({0, 1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 5 * lanes + 3}):
        check(group, sample(rng, dtype, n), sample(rng, dtype, n))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.vector_bits))
@pytest.mark.parametrize("dtype", [dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.float32, dtypes.float64], ids=str)
def test_layouts(dtype: DType, target: Target, rng: np.random.Generator) -> None:
    group = Group([tensor(dtype, 2), tensor(dtype, 1)], multiply_add, target)
    x = sample(rng, dtype, (20, 20))
    y = sample(rng, dtype, 400)
    for a in (x, x.T, x[::2], x[:, ::2], x[::-1, ::-3], x[:, :1], x[:1], x[:0], x[:, :0], x[3:4, 5:6]):
        for b in (y[: a.shape[1]], y[:1], y[::-1][: a.shape[1]], y[::7][: a.shape[1]]):
            check(group, a, b)


def test_rows_longer_than_a_buffer(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, multiply_add)
    x = sample(rng, dtypes.float32, (3, 1500))
    check(group, x[:, ::2], sample(rng, dtypes.float32, (750, 3)).T)
    check(group, x, x[:, :1])


shapes = hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=5)


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(shapes=shapes, data=st.data())
def test_any_shapes_and_strides(shapes: Any, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = []
    for shape in shapes.input_shapes:
        steps = [data.draw(st.sampled_from([1, 1, -1, 2])) for _ in shape]
        order = data.draw(st.permutations(range(len(shape))))
        base = sample(rng, dtypes.float32, tuple(shape[d] * abs(steps[d]) for d in order))
        arrays.append(base.transpose(np.argsort(order))[*(slice(None, None, s) for s in steps), ...])
        assert arrays[-1].shape == shape
    check(_three_operands(Ranks.are_open, *(a.ndim for a in arrays)), *arrays)


@cache
def _three_operands(are_open: bool, *ranks: int) -> Group:
    return Group([tensor(dtypes.float32, r) for r in ranks], lambda apply, x, y, z: apply(SUB, apply(MUL, x, y), z))


def test_scalars_and_constants(rng: np.random.Generator) -> None:
    def build(apply: Apply, x: Any, i: Any, f: Any, b: Any) -> Any:
        return apply(MUL, apply(ADD, apply(MUL, apply(ADD, x, i), f), b), 1.25)

    group = Group([tensor(dtypes.float32, 1), INT, FLOAT, BOOL], build)
    check(group, sample(rng, dtypes.float32, 21), 3, 0.1, True)
    check(group, sample(rng, dtypes.float32, 21), -(2**40), 1e-3, False)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.vector_bits))
def test_promotion_and_mixed_widths(target: Target, rng: np.random.Generator) -> None:
    for a, b in itertools.product(NUMBERS, NUMBERS):
        group = Group([tensor(a, 1), tensor(b, 1)], multiply_add, target)
        check(group, rng.integers(0, 100, 37).astype(a.name), rng.integers(0, 100, 37).astype(b.name))
        if target is not HOST and a is dtypes.int8:
            break


def test_where_of_a_bool_tensor(rng: np.random.Generator) -> None:
    group = Group(
        [tensor(dtypes.bool_, 1), tensor(dtypes.int64, 2), FLOAT], lambda apply, c, x, f: apply(WHERE, c, x, f)
    )
    check(group, sample(rng, dtypes.bool_, 9), rng.integers(-9, 9, (5, 9)), 0.5)


def test_zero_dimensional_operands(rng: np.random.Generator) -> None:
    both = Group([tensor(dtypes.float64, 0), tensor(dtypes.float32, 0)], multiply_add)
    check(both, np.array(1.1), np.array(2.3, np.float32))
    one = Group([tensor(dtypes.float32, 1), tensor(dtypes.float64, 0)], multiply_add)
    check(one, sample(rng, dtypes.float32, 20), np.array(2.3))

    def two_results(apply: Apply, s: Any, x: Any) -> Any:
        doubled = apply(MUL, s, 2.0)
        return doubled, apply(ADD, doubled, x)

    group = Group([tensor(dtypes.float32, 0), tensor(dtypes.float32, 1)], two_results)
    check(group, np.array(3.5, np.float32), sample(rng, dtypes.float32, 33))


def test_tensors_of_open_rank_may_have_no_dimensions(rng: np.random.Generator) -> None:
    open_type = TensorType(dtypes.float32)
    group = Group([open_type] * 2, multiply_add)
    shapes: tuple[tuple[int, ...], ...] = ((), (1,), (5,), (0,), (2, 5), (1, 1, 1), (3, 2, 5), (1, 1, 1, 1, 1, 5))
    for a, b in itertools.product(shapes, shapes):
        if all(n == m or 1 in (n, m) for n, m in zip(a[::-1], b[::-1], strict=False)):
            check(group, sample(rng, dtypes.float32, a), sample(rng, dtypes.float32, b))
    alone = Group([open_type], lambda apply, x: apply(EXP, x))
    known = Group([tensor(dtypes.float32, 2)], lambda apply, x: apply(EXP, x))
    x = rng.normal(size=(3, 7)).astype(np.float32)
    assert alone(x).tobytes() == known(x).tobytes()
    assert alone(x[1, 1:2].reshape(())).tobytes() == known(x)[1, 1].tobytes()
    stored = Group([open_type] * 2, add_in_place)
    for a, b in (((), ()), ((3,), ()), ((2, 3), (1, 3)), ((1,), ())):
        in_place(stored, sample(rng, dtypes.float32, a), sample(rng, dtypes.float32, b))
    for a, b in (((), (1,)), ((3,), (1, 3)), ((), (0,))):
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            stored(np.zeros(a, np.float32), np.zeros(b, np.float32))


def test_fused_has_the_bits_of_the_members_alone(rng: np.random.Generator) -> None:
    kinds = [tensor(dtypes.float32, 1)] * 2
    whole = Group(kinds, lambda apply, x, y: apply(TANH, apply(DIV, apply(EXP, apply(MUL, x, y)), y)))
    x, y = rng.normal(size=77).astype(np.float32), rng.normal(size=77).astype(np.float32)
    step = Group(kinds, lambda apply, x, y: apply(MUL, x, y))(x, y)
    step = Group(kinds[:1], lambda apply, x: apply(EXP, x))(step)
    step = Group(kinds, lambda apply, x, y: apply(DIV, x, y))(step, y)
    step = Group(kinds[:1], lambda apply, x: apply(TANH, x))(step)
    assert whole(x, y).tobytes() == step.tobytes()
    alone = [whole(x[i : i + 1], y[i : i + 1])[0] for i in range(77)]
    assert whole(x, y).tobytes() == np.array(alone).tobytes()


# ---- in place


def add_in_place(apply: Apply, x: Any, y: Any) -> Any:
    return apply(ADD_, x, y)


def in_place(group: Group, x: Any, y: Any) -> None:
    """Check that `group` changes the memory behind `x` as the operator says it does."""
    base = x if x.base is None else x.base
    held = base.copy()
    wanted = np.ndarray(x.shape, x.dtype, held.data, x.__array_interface__["data"][0] - base.ctypes.data, x.strides)
    other = y.copy()
    wanted[...] = wanted + other
    assert group(x, y) is x
    np.testing.assert_array_equal(base, held)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.vector_bits))
def test_in_place_writes_the_memory_as_it_lies(target: Target, rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, add_in_place, target)
    for view in (np.s_[:], np.s_[::2, ::-3], np.s_[:0], np.s_[5:6], np.s_[:, 3:4]):
        x = sample(rng, dtypes.float32, (10, 21))
        in_place(group, x[view], sample(rng, dtypes.float32, x[view].shape))
        x = sample(rng, dtypes.float32, (10, 21))
        in_place(group, x[view].T, sample(rng, dtypes.float32, (1, x[view].shape[0])))
        assert group.versions == [1, 0]


def test_in_place_over_memory_it_reads(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, add_in_place)
    for a, b in (
        (np.s_[:, 1:], np.s_[:, :-1]),
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[:], np.s_[::-1]),
        (np.s_[:], np.s_[:, ::-1]),
        (np.s_[:], np.s_[3:4]),
        (np.s_[:], np.s_[:]),
        (np.s_[::2], np.s_[1::2]),
    ):
        x = sample(rng, dtypes.float32, (40, 60))
        in_place(group, x[a], x[b])
    x = sample(rng, dtypes.float32, (30, 30))
    in_place(group, x, x.T)
    scalar = Group([tensor(dtypes.float32, 1), tensor(dtypes.float32, 0)], add_in_place)
    x = sample(rng, dtypes.float32, 30)
    in_place(scalar, x, x[4:5].reshape(()))


def test_in_place_converts_to_the_type_written(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.int8, 1), INT], lambda apply, x, n: apply(MUL_, x, n))
    x = rng.integers(-9, 9, 100).astype(np.int8)
    y = x * np.int8(3)
    assert group(x, 3) is x
    np.testing.assert_array_equal(x, y)
    zero = Group([tensor(dtypes.float32, 0), tensor(dtypes.float64, 0)], add_in_place)
    x = np.array(1.5, np.float32)
    assert zero(x, np.array(2.25)) is x
    assert x == 3.75
    assert zero.versions == [1, 0]


def test_in_place_after_other_members(rng: np.random.Generator) -> None:
    def build(apply: Apply, x: Any, y: Any) -> Any:
        product = apply(MUL, y, 2.0)
        return product, apply(ADD_, x, product)

    group = Group([tensor(dtypes.float32, 1)] * 2, build)
    x, y = sample(rng, dtypes.float32, 50), sample(rng, dtypes.float32, 50)
    wanted = x + y * 2
    product, result = group(x, y)
    assert result is x
    np.testing.assert_array_equal(product, y * 2)
    np.testing.assert_array_equal(x, wanted)


def test_memory_that_cannot_be_written(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, add_in_place)
    x = sample(rng, dtypes.float32, (4, 5))
    before = x.copy()
    with pytest.raises(RuntimeError, match="read-only"):
        group(x, x.copy(), readonly=[0])
    with pytest.raises(RuntimeError, match="single memory location"):
        group(np.broadcast_to(x[:1], (4, 5)), x)
    np.testing.assert_array_equal(x, before)
    zero = Group([tensor(dtypes.float32, 0)] * 2, add_in_place)
    with pytest.raises(RuntimeError, match="read-only"):
        zero(np.array(1, np.float32), np.array(1, np.float32), readonly=[0])


# ---- errors


def test_shapes_that_do_not_go_together_name_the_member() -> None:
    def build(apply: Apply, x: Any, y: Any, z: Any) -> Any:
        first = apply(MUL, x, 2.0)
        second = apply(MUL, first, y)
        return apply(ADD, second, z)

    group = Group([tensor(dtypes.float32, 2), tensor(dtypes.float32, 1), tensor(dtypes.float32, 3)], build)

    def zeros(*shape: int) -> Any:
        return np.zeros(shape, np.float32)

    message = r"The size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton dimension 1"
    with pytest.raises(RuntimeError, match=message):
        group(zeros(2, 3), zeros(4), zeros(5, 2, 3))
    assert group.error_line == 2
    message = r"The size of tensor a \(2\) must match the size of tensor b \(7\) at non-singleton dimension 1"
    with pytest.raises(RuntimeError, match=message):
        group(zeros(2, 3), zeros(3), zeros(5, 7, 3))
    assert group.error_line == 3
    with pytest.raises(RuntimeError, match=r"a \(0\) must match the size of tensor b \(2\) .* dimension 1"):
        group(zeros(2, 0), zeros(2), zeros(1, 1, 1))
    check(group, zeros(2, 0), zeros(1), zeros(4, 1, 1))


def test_in_place_does_not_grow_the_tensor() -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, add_in_place)
    x = np.zeros((1, 4), np.float32)
    message = r"output with shape \[1, 4\] doesn't match the broadcast shape \[3, 4\]"
    with pytest.raises(RuntimeError, match=message):
        group(x, np.zeros((3, 4), np.float32))
    wider = Group([tensor(dtypes.float32, 1), tensor(dtypes.float32, 2)], add_in_place)
    with pytest.raises(RuntimeError, match=r"output with shape \[4\] doesn't match the broadcast shape \[1, 4\]"):
        wider(x[0], x)
    many = Group([tensor(dtypes.float32, 4)] * 2, add_in_place)
    with pytest.raises(RuntimeError, match="the shape of the output doesn't match"):
        many(x[None, None], np.zeros((2, 1, 1, 4), np.float32))


@pytest.mark.parametrize("fail_after", [0, 1])
def test_a_failing_allocation_leaks_nothing(fail_after: int, rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 1)] * 2, compare_too)
    x = sample(rng, dtypes.float32, 10)
    for y in (x.copy(), x[:1]):
        with pytest.raises(MemoryError):
            group(x, y, fail_after=fail_after)
        assert group.error_line == 99


def test_groups_that_cannot_be_compiled() -> None:
    kinds = [tensor(dtypes.float32, 1)] * 2
    bodies = runtime().bodies

    def refused(types: Sequence[Type], build: Build, message: str) -> None:
        with pytest.raises(InternalError, match=message):
            analyse(make_group(types, build), bodies)

    refused(kinds, lambda apply, x, y: apply(MUL, apply(ADD_, x, y), y), "follows an in-place operator")
    refused(kinds, lambda apply, x, y: apply(ADD_, apply(MUL, x, y), y), "made in its own fused group")
    refused(kinds, lambda apply, x, y: (apply(MUL, y, y), apply(ADD_, x, 1.0)), "does not depend on")


# ---- the code


def test_long_loops_may_be_divided(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 1)], lambda apply, x: apply(TABLE["tanh"], apply(MUL, x, 0.5)))
    heap = runtime()
    heap.divided.clear()
    x = rng.standard_normal(100_003).astype(np.float32)
    whole = group(x)
    ((n, grain),) = heap.divided
    assert n == len(x)
    heap.divided.clear()
    for size in (1, grain - 1, grain):
        np.testing.assert_array_equal(group(x[:size]), whole[:size])
    assert not heap.divided
    for size in (grain + 1, grain + 16, 2 * grain - 1, 2 * grain, 3 * grain + 7):
        np.testing.assert_array_equal(group(x[:size]), whole[:size])
    assert heap.divided == [(n, grain) for n in (grain + 1, grain + 16, 2 * grain - 1, 2 * grain, 3 * grain + 7)]


def test_more_arithmetic_pays_sooner() -> None:
    def grain(dtype: Any, build: Build) -> int:
        group = analyse(make_group([tensor(dtype, 1)], build), runtime().bodies)
        emitter = fused.Emitter("@g", group, HOST, Constants(), {})
        return grain_of(emitter.spec, HOST)

    plain = grain(dtypes.float32, lambda apply, x: apply(ADD, x, 1))
    assert grain(dtypes.float32, lambda apply, x: apply(TABLE["tanh"], x)) < plain
    assert grain(dtypes.float64, lambda apply, x: apply(ADD, x, 1)) < plain


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "log", "erf", "log1p", "floor", "sqrt", "pow"])
def test_no_calls_in_the_loop(name: str) -> None:
    op = TABLE[name]
    arity = len(op.implementation.rule.operands)  # type: ignore[union-attr]
    for dtype in (dtypes.float32, dtypes.float64):
        node = make_group([tensor(dtype, 1)] * arity, lambda apply, *xs: apply(op, *xs))
        for target in TARGETS:
            called = _calls(assembly(group_text(node, target), target))
            assert not {c for c in called if not c.startswith(("ts_", "g."))}, (target.vector_bits, called)


def _calls(text: str) -> set[str]:
    out = set()
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in ("call", "callq", "bl"):
            out.add(words[1].split("@")[0])
    return out


@pytest.mark.parametrize(
    ("triple", "features"),
    [
        ("aarch64-unknown-linux-gnu", "+neon"),
        ("wasm32-unknown-unknown", "+simd128"),
        ("riscv64-unknown-linux-gnu", "+v"),
    ],
)
def test_other_targets(triple: str, features: str) -> None:
    target = replace(HOST, triple=triple, cpu="", features=features, is_host=False)
    text = assembly(group_text(make_group([tensor(dtypes.float32, 1)] * 2, multiply_add), target), target)
    assert "memcpy" not in text and "fma" not in _calls(text)


def test_an_input_can_be_a_result(rng: np.random.Generator) -> None:
    group = Group([tensor(dtypes.float32, 2)] * 2, lambda apply, x, y: (apply(MUL, x, y), x))
    x = sample(rng, dtypes.float32, (4, 6))
    product, copy = group(x, x[:, ::-1])
    np.testing.assert_array_equal(product, x * x[:, ::-1])
    np.testing.assert_array_equal(copy, x)


def test_equal_steps_are_computed_once() -> None:
    def build(apply: Apply, x: Any) -> Any:
        return apply(ADD, apply(MUL, x, x), apply(MUL, x, x))

    text = Group([tensor(dtypes.float32, 1)], build).text
    assert text.count("fmul <") == 1


def test_scalar_arithmetic_stays_outside_the_loop() -> None:
    def build(apply: Apply, x: Any, s: Any, t: Any) -> Any:
        return apply(MUL, x, apply(ADD, apply(MUL, s, 3.0), t))

    group = Group([tensor(dtypes.float32, 1), tensor(dtypes.float32, 0), FLOAT], build)
    assert group.text.count("fadd <") == 0
    check(group, np.arange(20, dtype=np.float32), np.array(1.5, np.float32), 0.25)


def test_dtypes_of_inputs_are_checked() -> None:
    with pytest.raises(InternalError, match="takes a Tensor"):
        analyse(make_group([TensorType(None, 1)], lambda apply, x: apply(ADD, x, 1)), runtime().bodies)
    assert dtype_of(FLOAT) is dtypes.float64
