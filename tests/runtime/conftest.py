"""A `Boundary` for tests, with native code that stands in for compiled functions and kernels, as LLVM text.

Every function has the native calling convention. Tensors are made of one C allocation each; `Fake.live` counts them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from tscript.abi.layout import CONTEXT, SITE, TENSOR_STRUCT
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.target import Target
from tscript.backend.loader.cache import ObjectCache
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.session import Session
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.values.errors import Errors
from tscript.runtime.values.futures import Futures

_T = TENSOR_STRUCT.offsets
_C = CONTEXT.offsets
_S = SITE.offsets
HEADER = TENSOR_STRUCT.size


def _site(name: str, fields: dict[str, str]) -> str:
    out = []
    for field in SITE.fields:
        kind = "i32" if str(field.type) == "i32" else "ptr"
        out.append(f"{kind} {fields.get(field.name, '0' if kind == 'i32' else 'null')}")
    kinds = ", ".join(item.split()[0] for item in out)
    return f"@{name} = constant {{ {kinds} }} {{ {', '.join(out)} }}"


SITES = "\n".join(
    (
        r'@file = constant [9 x i8] c"model.py\00"',
        r'@inner = constant [6 x i8] c"inner\00"',
        r'@middle = constant [7 x i8] c"middle\00"',
        r'@outer = constant [6 x i8] c"outer\00"',
        r'@index_error = constant [11 x i8] c"IndexError\00"',
        r'@message = constant [34 x i8] c"index {0} is out of range for {1}\00"',
        _site("called", {"file": "@file", "function": "@outer", "line": "30", "col": "1"}),
        _site("inlined", {"file": "@file", "function": "@middle", "line": "20", "col": "2"}),
        _site(
            "raised",
            {
                "file": "@file",
                "function": "@inner",
                "exception": "@index_error",
                "message": "@message",
                "line": "10",
                "col": "4",
                "caller": "@inlined",
            },
        ),
    )
)

TEXT = f"""
{SITES}
@live = global i64 0
@stop = global i8 0
@ts_concurrent_v1 = external global i8
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare i32 @ts_safepoint_v1(ptr)
declare i32 @ts_release_gil_v1(ptr)
declare void @ts_drop_owner_v1(ptr)
declare i32 @ts_dispatch_v1(ptr, ptr, i64, ptr, ptr, ptr)

; rank 1, float32, n elements of value v
define i32 @full(ptr %ctx, i64 %n, double %v, ptr %out) {{
entry:
  %data_bytes = mul i64 %n, 8
  %bytes = add i64 %data_bytes, {HEADER + 16}
  %t = call ptr @calloc(i64 %bytes, i64 1)
  store i64 1, ptr %t
  %dtype = getelementptr i8, ptr %t, i64 {_T["dtype"]}
  store i32 6, ptr %dtype
  %ndim = getelementptr i8, ptr %t, i64 {_T["ndim"]}
  store i32 1, ptr %ndim
  %numel = getelementptr i8, ptr %t, i64 {_T["numel"]}
  store i64 %n, ptr %numel
  %size = getelementptr i8, ptr %t, i64 {HEADER}
  store i64 %n, ptr %size
  %stride = getelementptr i8, ptr %t, i64 {HEADER + 8}
  store i64 1, ptr %stride
  %data = getelementptr i8, ptr %t, i64 {HEADER + 16}
  %dp = getelementptr i8, ptr %t, i64 {_T["data"]}
  store ptr %data, ptr %dp
  %f = fptrunc double %v to float
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %count, label %one
one:
  %p = getelementptr float, ptr %data, i64 %i
  store float %f, ptr %p
  %i1 = add i64 %i, 1
  br label %each
count:
  %counted = atomicrmw add ptr @live, i64 1 seq_cst
  store ptr %t, ptr %out
  ret i32 0
}}

; a Size: the same with int64 elements 0, 1, 2 ...
define i32 @size(ptr %ctx, i64 %n, ptr %out) {{
entry:
  %r = call i32 @full(ptr %ctx, i64 %n, double 0.0, ptr %out)
  %t = load ptr, ptr %out
  %dtype = getelementptr i8, ptr %t, i64 {_T["dtype"]}
  store i32 4, ptr %dtype
  %data = getelementptr i8, ptr %t, i64 {HEADER + 16}
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %out0, label %one
one:
  %p = getelementptr i64, ptr %data, i64 %i
  store i64 %i, ptr %p
  %i1 = add i64 %i, 1
  br label %each
out0:
  ret i32 0
}}

define i32 @ts_tensor_release_v1(ptr %ctx, ptr %t) {{
  %old = atomicrmw sub ptr %t, i64 1 seq_cst
  %last = icmp eq i64 %old, 1
  br i1 %last, label %die, label %out
die:
  ; the test's stand-in for a storage's owner
  %op = getelementptr i8, ptr %t, i64 {_T["storage"]}
  %owner = load ptr, ptr %op
  call void @free(ptr %t)
  %counted = atomicrmw sub ptr @live, i64 1 seq_cst
  call void @ts_drop_owner_v1(ptr %owner)
  br label %out
out:
  ret i32 0
}}

define i32 @same(ptr %ctx, ptr %t, ptr %out) {{
  %old = atomicrmw add ptr %t, i64 1 seq_cst
  store ptr %t, ptr %out
  ret i32 0
}}

define i32 @add_float(ptr %ctx, ptr %t, double %v, ptr %out) {{
entry:
  %np = getelementptr i8, ptr %t, i64 {_T["numel"]}
  %n = load i64, ptr %np
  %r = call i32 @full(ptr %ctx, i64 %n, double 0.0, ptr %out)
  %u = load ptr, ptr %out
  %a = getelementptr i8, ptr %t, i64 {HEADER + 16}
  %b = getelementptr i8, ptr %u, i64 {HEADER + 16}
  %f = fptrunc double %v to float
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %out0, label %one
one:
  %ap = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %ap
  %y = fadd float %x, %f
  %bp = getelementptr float, ptr %b, i64 %i
  store float %y, ptr %bp
  %i1 = add i64 %i, 1
  br label %each
out0:
  ret i32 0
}}

define i32 @first(ptr %ctx, ptr %t, ptr %out) {{
  %a = getelementptr i8, ptr %t, i64 {HEADER + 16}
  %x = load float, ptr %a
  %d = fpext float %x to double
  store double %d, ptr %out
  ret i32 0
}}

define i32 @fma(ptr %ctx, double %a, double %b, ptr %out) {{
  %c = fmul double %a, %b
  %d = fadd double %c, %a
  store double %d, ptr %out
  ret i32 0
}}

define i32 @add_int(ptr %ctx, i64 %a, i64 %b, ptr %out) {{
  %c = add i64 %a, %b
  store i64 %c, ptr %out
  ret i32 0
}}

define i32 @negate(ptr %ctx, i8 %a, ptr %out) {{
  %c = xor i8 %a, 1
  store i8 %c, ptr %out
  ret i32 0
}}

define i32 @double_it(ptr %ctx, double %a, ptr %out) {{
  %c = fadd double %a, %a
  store double %c, ptr %out
  ret i32 0
}}

; (tensor, float, (int, int)) of two ints
define i32 @nested(ptr %ctx, i64 %a, i64 %b, ptr %o0, ptr %o1, ptr %o2, ptr %o3) {{
  %r = call i32 @full(ptr %ctx, i64 %a, double 1.0, ptr %o0)
  store double 0.5, ptr %o1
  store i64 %a, ptr %o2
  store i64 %b, ptr %o3
  ret i32 0
}}

define i32 @two_tensors(ptr %ctx, ptr %o0, ptr %o1) {{
  %r0 = call i32 @full(ptr %ctx, i64 1, double 1.0, ptr %o0)
  %r1 = call i32 @full(ptr %ctx, i64 2, double 1.0, ptr %o1)
  ret i32 0
}}

define i32 @no_tensor(ptr %ctx, ptr %out) {{
  store ptr null, ptr %out
  ret i32 0
}}

define i32 @dtype_code(ptr %ctx, i32 %code, ptr %out) {{
  store i32 %code, ptr %out
  ret i32 0
}}

define i32 @bad_dtype(ptr %ctx, ptr %out) {{
  store i32 99, ptr %out
  ret i32 0
}}

define i32 @nothing(ptr %ctx) {{
  ret i32 0
}}

define i32 @status(ptr %ctx, i64 %s) {{
  %r = trunc i64 %s to i32
  ret i32 %r
}}

; raises in code inlined from "inner" into "middle", called by "outer"
define i32 @fail(ptr %ctx, i64 %index, double %x) {{
  %tp = getelementptr i8, ptr %ctx, i64 {_C["trace"]}
  store ptr @raised, ptr %tp
  %tp1 = getelementptr i8, ptr %ctx, i64 {_C["trace"] + 8}
  store ptr @called, ptr %tp1
  %np = getelementptr i8, ptr %ctx, i64 {_C["ntrace"]}
  store i64 2, ptr %np
  %ap = getelementptr i8, ptr %ctx, i64 {_C["nargs"]}
  store i64 2, ptr %ap
  %kp = getelementptr i8, ptr %ctx, i64 {_C["kinds"]}
  store i64 4, ptr %kp
  %v0 = getelementptr i8, ptr %ctx, i64 {_C["args"]}
  store i64 %index, ptr %v0
  %v1 = getelementptr i8, ptr %ctx, i64 {_C["args"] + 8}
  store double %x, ptr %v1
  ret i32 1
}}

; runs until @stop is set or a signal handler raises
define i32 @spin(ptr %ctx) {{
entry:
  br label %loop
loop:
  %r = call i32 @ts_safepoint_v1(ptr %ctx)
  %quiet = icmp eq i32 %r, 0
  br i1 %quiet, label %go, label %out
go:
  %s = load atomic i8, ptr @stop seq_cst, align 1
  %end = icmp ne i8 %s, 0
  br i1 %end, label %out, label %loop
out:
  %status = phi i32 [ %r, %loop ], [ 0, %go ]
  ret i32 %status
}}

; gives the GIL away, works on a borrowed tensor meanwhile
define i32 @away(ptr %ctx, ptr %t, i64 %rounds, ptr %out) {{
entry:
  %r = call i32 @ts_release_gil_v1(ptr %ctx)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %old = atomicrmw add ptr %t, i64 1 seq_cst
  %back = call i32 @ts_tensor_release_v1(ptr %ctx, ptr %t)
  %i1 = add i64 %i, 1
  %end = icmp sge i64 %i1, %rounds
  br i1 %end, label %out0, label %loop
out0:
  store i64 %i1, ptr %out
  ret i32 0
}}

@op_name = constant [5 x i8] c"op.x\\00"
@op_kinds = constant [13 x i8] c"\\01\\02\\03\\04\\05\\06\\01\\01\\08\\01\\02\\04\\FF"

; dispatches op.x(7, 0.5, True, t, float64, (1, 2), "op.x"), with or without the GIL
define i32 @ask(ptr %ctx, ptr %t, i64 %released, ptr %o0, ptr %o1, ptr %o2) {{
entry:
  %values = alloca [9 x i64]
  %cells = alloca [3 x i64]
  store i64 7, ptr %values
  %p1 = getelementptr i64, ptr %values, i64 1
  store double 0.5, ptr %p1
  %p2 = getelementptr i64, ptr %values, i64 2
  store i64 1, ptr %p2
  %p3 = getelementptr i64, ptr %values, i64 3
  store ptr %t, ptr %p3
  %p4 = getelementptr i64, ptr %values, i64 4
  store i64 7, ptr %p4
  %p5 = getelementptr i64, ptr %values, i64 5
  store i64 2, ptr %p5
  %p6 = getelementptr i64, ptr %values, i64 6
  store i64 1, ptr %p6
  %p7 = getelementptr i64, ptr %values, i64 7
  store i64 2, ptr %p7
  %p8 = getelementptr i64, ptr %values, i64 8
  store ptr @op_name, ptr %p8
  %free = icmp ne i64 %released, 0
  br i1 %free, label %release, label %call
release:
  %g = call i32 @ts_release_gil_v1(ptr %ctx)
  br label %call
call:
  %r = call i32 @ts_dispatch_v1(ptr %ctx, ptr @op_name, i64 9, ptr @op_kinds, ptr %values, ptr %cells)
  %good = icmp eq i32 %r, 0
  br i1 %good, label %store, label %out
store:
  %c0 = load i64, ptr %cells
  store i64 %c0, ptr %o0
  %cp1 = getelementptr i64, ptr %cells, i64 1
  %c1 = load double, ptr %cp1
  store double %c1, ptr %o1
  %cp2 = getelementptr i64, ptr %cells, i64 2
  %c2 = load ptr, ptr %cp2
  store ptr %c2, ptr %o2
  br label %out
out:
  ret i32 %r
}}
"""

EXPORTS = (
    *("live", "stop", "full", "size", "ts_tensor_release_v1", "same", "add_float", "first", "fma", "add_int", "negate"),
    *(
        "double_it",
        "nested",
        "two_tensors",
        "no_tensor",
        "dtype_code",
        "bad_dtype",
        "nothing",
        "status",
        "fail",
        "spin",
    ),
    *("away", "ask"),
)


def make_boundary(session: Session) -> Boundary:
    """A boundary whose module and stubs `session` loads."""
    cache = ObjectCache.from_environment()

    def load(
        write: Callable[[], Emitted],
        exports: Sequence[str],
        imports: Mapping[str, int] | Callable[[Sequence[str]], Mapping[str, int]],
        *,
        name: str = "",
        is_stub: bool = False,
    ) -> tuple[Mapping[str, int], object]:
        module = write()
        data = compile_text(module.text, session.target, cache=cache, effort=module.effort)
        known = imports(module.externals) if callable(imports) else imports
        return session.load(data, exports, known).addresses, None

    made = Boundary(load, Errors(), Futures().adopt, session.target)
    session.define(made.symbols)
    return made


class Fake:
    """The fake native functions: their addresses, and helpers around them."""

    def __init__(self, boundary: Boundary, session: Session) -> None:
        self.boundary = boundary
        self.addresses = session.load(compile_text(TEXT, session.target), exports=EXPORTS).addresses
        self.keepalive = object()

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]

    @property
    def live(self) -> int:
        """Native tensors that exist."""
        return ctypes.c_int64.from_address(self["live"]).value

    def stop(self, value: bool) -> None:
        """Whether `spin` ends."""
        ctypes.c_uint8.from_address(self["stop"]).value = value

    def full(self, n: int, value: float) -> Any:
        """A float32 tensor of n equal elements."""
        return self.boundary.stubs.invoke("if:T", self["full"], n, value)

    def values(self, tensor: Any) -> list[float]:
        """Elements of a tensor that `full` or `add_float` made."""
        header = TENSOR_STRUCT.ctype.from_address(self.boundary.tensors.impl_of(tensor))
        return list((ctypes.c_float * header.numel).from_address(header.data))

    def function(self, name: str, signature: str, **options: Any) -> Any:
        """A callable that adds a row to `name` with `signature` at every miss that has a key."""
        flags = options.pop("flags", b"")
        nparams = options.pop("nparams", len(signature.partition(":")[0]))

        def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            fn.misses.append((args, kwargs))
            key = self.boundary.callables.key_of(fn, args) if not kwargs else None
            if key is None:
                return "no key"
            self.boundary.callables.add_row(fn, key, signature, self[name], self.keepalive)
            return fn(*args)

        made = self.boundary.callables.new(name, nparams, flags, miss, **options)
        made.misses = []
        return made


@pytest.fixture(scope="session")
def session() -> Session:
    """A session of this process."""
    return Session(Target.host())


@pytest.fixture(scope="session")
def native(session: Session) -> Boundary:
    """The boundary of this process."""
    return make_boundary(session)


@pytest.fixture(scope="session")
def fake_library(native: Boundary, session: Session) -> Fake:
    """The fake functions, loaded once."""
    made = Fake(native, session)
    native.tensors.set_release(made["ts_tensor_release_v1"])
    return made


@pytest.fixture
def fake(fake_library: Fake) -> Iterator[Fake]:
    """The fake functions; after the test no more native tensors may exist than before."""
    import gc

    before = fake_library.live
    yield fake_library
    gc.collect()
    assert fake_library.live == before
