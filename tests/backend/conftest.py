"""Compiles IR and calls it through ctypes, beside the interpreter.

The runtime that generated code expects is stood in for by Python functions: a heap that counts references, safepoints
that are counted and can be made to fail, kernels and dispatch given by the test.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

from tscript.abi import symbols
from tscript.abi.layout import CONTEXT, MAX_DEPTH, SITE, TENSOR_STRUCT
from tscript.abi.leaves import leaves
from tscript.abi.symbols import STACK
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.session import Session
from tscript.backend.module import emit_module
from tscript.definitions.opdef import OpDef
from tscript.dialect import machine
from tscript.ir.analysis import format_message
from tscript.ir.graph import Graph, Op, Program, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.passes import CountReferences, ElideRefcounts, PassContext, run_pipeline
from tscript.types import BOOL, DTYPE, TupleType, Type, dtype_of, dtypes

HEADER = TENSOR_STRUCT.size
CTYPES: dict[str, Any] = {
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
    "b8": ctypes.c_uint8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


def ctype_of(leaf: Type) -> Any:
    if leaf == DTYPE:
        return ctypes.c_int32
    dtype = dtype_of(leaf)
    return ctypes.c_void_p if dtype is None else CTYPES[dtype.machine]


@dataclass
class Site:
    function: str
    line: int
    exception: str | None


class NativeError(Exception):
    """A status that is not that of a raised builtin."""


@dataclass
class Heap:
    """Tensors by address: reference count and memory. Every misuse is noted in `faults`."""

    live: dict[int, list[Any]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    fail_after: int | None = None
    made: int = 0

    def new(self, code: int, sizes: Sequence[int]) -> int:
        dtype = dtypes.dtype_of_code(code)
        numel = int(np.prod(sizes, dtype=np.int64))
        block = np.zeros(HEADER + 16 * len(sizes) + numel * dtype.itemsize + 64, np.uint8)
        address = int(block.ctypes.data)
        header = TENSOR_STRUCT.ctype.from_address(address)
        header.refcount, header.dtype, header.ndim, header.numel = 1, code, len(sizes), numel
        header.data = address + HEADER + 16 * len(sizes)
        header.flags = 1
        strides = [int(np.prod(sizes[i + 1 :], dtype=np.int64)) for i in range(len(sizes))]
        block[HEADER : HEADER + 16 * len(sizes)].view(np.int64)[:] = [*sizes, *strides]
        self.live[address] = [1, block]
        self.made += 1
        return address

    def of(self, array: Any) -> int:
        array = np.asarray(array)
        address = self.new(dtypes.BY_NAME[array.dtype.name].code, array.shape)
        self.array(address)[...] = array
        return address

    def array(self, address: int) -> Any:
        header = TENSOR_STRUCT.ctype.from_address(address)
        block = self.live[address][1]
        sizes = block[HEADER : HEADER + 8 * header.ndim].view(np.int64)
        dtype = dtypes.dtype_of_code(header.dtype)
        start = header.data - address
        data = block[start : start + header.numel * dtype.itemsize].view(dtype.name)
        return data.reshape(tuple(sizes))

    def retain(self, address: int) -> int:
        if address in self.live:
            self.live[address][0] += 1
        else:
            self.faults.append("retain of a dead tensor")
        return 0

    def release(self, address: int) -> int:
        if address in self.live:
            self.live[address][0] -= 1
            if not self.live[address][0]:
                del self.live[address]
        else:
            self.faults.append("release of a dead tensor")
        return 0

    def count(self, address: int) -> int:
        return int(self.live[address][0])


SIGNATURE: dict[str, Any] = {
    "ptr": ctypes.c_void_p,
    "i64": ctypes.c_int64,
    "i32": ctypes.c_int32,
    "i8": ctypes.c_int8,
    "double": ctypes.c_double,
}


class Machine:
    """One native world: session, heap, kernels."""

    def __init__(self) -> None:
        self.target = Target.host()
        self.session = Session(self.target)
        self.heap = Heap()
        self.safepoints = 0
        self.safepoint_status = 0
        self.dispatched: Callable[[str, list[int], list[int], Any], int] | None = None
        self._keep: list[Any] = []
        self._kernels: dict[str, Callable[..., int]] = {}
        self.function(symbols.TENSOR_ALLOC, "i32 i64 ptr ptr", self._alloc)
        self.function(symbols.TENSOR_RETAIN, "ptr", lambda ctx, t: self.heap.retain(t))
        self.function(symbols.TENSOR_RELEASE, "ptr", lambda ctx, t: self.heap.release(t))
        self.function(symbols.SAFEPOINT, "", self._safepoint)
        self.function(symbols.DISPATCH, "ptr i64 ptr ptr ptr", self._dispatch)

    def function(self, symbol: str, signature: str, run: Callable[..., int]) -> None:
        """Define a runtime function; parameters behind the context are given as LLVM types."""
        self._kernels[symbol] = run
        if symbol not in self.session.symbols:
            parameters = (SIGNATURE[t] for t in signature.split())
            kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *parameters)
            callback = kind(lambda *args: self._kernels[symbol](*args))
            self._keep.append(callback)
            self.session.define({symbol: ctypes.cast(callback, ctypes.c_void_p).value or 0})

    def _alloc(self, ctx: int, dtype: int, ndim: int, sizes: int, out: int) -> int:
        if self.heap.fail_after is not None:
            if self.heap.fail_after == 0:
                return 2
            self.heap.fail_after -= 1
        given = list((ctypes.c_int64 * ndim).from_address(sizes)) if ndim else []
        ctypes.c_void_p.from_address(out).value = self.heap.new(dtype, given)
        return 0

    def _safepoint(self, ctx: int) -> int:
        self.safepoints += 1
        return self.safepoint_status

    def _dispatch(self, ctx: int, name: int, count: int, kinds: int, args: int, out: int) -> int:
        assert self.dispatched is not None
        kind_list = list((ctypes.c_uint8 * count).from_address(kinds))
        cells = list((ctypes.c_int64 * count).from_address(args))
        return self.dispatched(
            ctypes.string_at(name).decode(), kind_list, cells, (ctypes.c_int64 * 8).from_address(out)
        )

    def reset(self) -> None:
        self.heap = Heap()
        self.safepoints = self.safepoint_status = 0
        self.dispatched = None

    def program(self, text: str, *ops: OpDef) -> Program:
        """Parse IR; verifies it and checks that it prints and reads back."""
        table = {op.name: op for op in (*machine.LEAVES, machine.TUPLE_MAKE, machine.TUPLE_GET, *ops)}
        program = parse_program(text, table)
        check(program, table)
        return program

    def compile(self, program: Program | Graph, level: int = 2, **options: Any) -> Function:
        if isinstance(program, Graph):
            program = Program(program.name, [program])
        return Function(self, program, level, options)


def check(program: Program, table: Mapping[str, OpDef] | None = None) -> None:
    verify(program)
    if table is None:
        ops = [n.op for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)]
        table = {op.name: op for op in ops}
    printed = print_program(program)
    assert print_program(parse_program(printed, table)) == printed


class Function:
    """Native code of a program's entry, called with Python values."""

    def __init__(self, machine: Machine, program: Program, level: int, options: dict[str, Any]) -> None:
        self.machine = machine
        self.graph = program.entry
        counting = (CountReferences(), ElideRefcounts()) if options.pop("paired", True) else (CountReferences(),)
        run_pipeline(program, counting, PassContext(TABLE, lambda *args: pytest.fail("no bodies are lowered here")))
        module = emit_module(
            program, target=machine.target, entry_symbols={program.main: "entry"}, **{"bodies": None, **options}
        )
        self.text, self.effort = module.text, module.effort
        self.object = compile_text(self.text, machine.target, level, effort=self.effort)
        for symbol in machine.session.missing(self.object):
            if symbol.startswith("ts_"):  # a kernel that the test does not expect to be called
                # The stack always has room.
                machine.function(symbol, "", (lambda ctx: 0) if symbol == STACK else (lambda ctx: 3))
        library = machine.session.load(self.object)
        self.leaves = [leaf for p in self.graph.params for leaf in leaves(p.type)]
        self.results = leaves(self.graph.result)
        kinds = [ctype_of(t) for t in self.leaves]
        outs = [ctypes.c_void_p] * len(self.results)
        self.call = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *kinds, *outs)(library.address("entry"))
        self.trace: list[Site] = []
        self.depth = 0

    def __call__(self, *args: Any, depth: int = MAX_DEPTH) -> Any:
        given = [a for arg in args for a in flat(arg)]
        assert len(given) == len(self.leaves)
        context = CONTEXT.ctype()
        context.depth = depth
        outs = [ctype_of(t)(0x55) for t in self.results]
        self.context = context
        status = self.call(
            ctypes.addressof(context),
            *(a.code if isinstance(a, dtypes.DType) else a for a in given),
            *(ctypes.addressof(o) for o in outs),
        )
        self.trace = [site(context.trace[i]) for i in range(context.ntrace)]
        self.depth = context.depth
        assert self.depth == depth
        assert not self.machine.heap.faults
        if status:
            assert all(o.value == 0x55 for o in outs)
            if status == 1:
                raise error(context)
            raise NativeError(status)
        found = [bool(o.value) if t == BOOL else o.value for o, t in zip(outs, self.results, strict=True)]
        return nested(self.graph.result, iter(found))


def flat(value: Any) -> list[Any]:
    return [a for v in value for a in flat(v)] if isinstance(value, tuple) else [value]


def nested(type: Type, values: Iterator[Any]) -> Any:
    if isinstance(type, TupleType):
        return tuple(nested(t, values) for t in type.elements)
    return next(values) if leaves(type) else None


def string(address: int | None) -> str:
    return ctypes.string_at(address).decode() if address else ""


def site(address: int) -> Site:
    found = SITE.ctype.from_address(address)
    return Site(string(found.function), found.line, string(found.exception) or None)


def error(context: Any) -> Exception:
    found = SITE.ctype.from_address(context.trace[0])
    kind: type[Exception] = getattr(builtins, string(found.exception))
    if not found.message:
        return kind()
    args: list[object] = []
    for i in range(context.nargs):
        bits = context.args[i]
        match context.kinds >> 2 * i & 3:
            case 1:
                args.append(ctypes.c_double.from_buffer(ctypes.c_int64(bits)).value)
            case 2:
                args.append(dtypes.dtype_of_code(bits))
            case _:
                args.append(bits)
    return kind(format_message(string(found.message), args))


@cache
def shared_machine() -> Machine:
    return Machine()


@pytest.fixture
def native() -> Iterator[Machine]:
    """A native world with an empty heap; what a test leaves in it is a leak."""
    found = shared_machine()
    found.reset()
    yield found
    assert not found.heap.faults
    assert not found.heap.live


@pytest.fixture(params=[0, 2], ids=["O0", "O2"])
def level(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def outcome(run: Callable[..., Any], *args: Any) -> Any:
    """The result of a call, or the class and text of what it raised."""
    try:
        return run(*args)
    except Exception as e:  # noqa: BLE001 - whatever it is, it is compared
        return type(e), str(e)


@pytest.fixture
def agree(native: Machine, level: int) -> Callable[..., Any]:
    """`agree(text, (args), ...)`: native code and the interpreter do the same for each tuple of arguments."""

    def compare(text: str, *calls: tuple[Any, ...], ops: Sequence[OpDef] = ()) -> Function:
        program = native.program(text, *ops)
        function = native.compile(program, level)
        for args in calls:
            expected = outcome(lambda args=args: interpret(program, args))
            found = outcome(function, *args)
            assert repr(found) == repr(expected), f"{args}: native {found}, interpreter {expected}"
        return function

    return compare
