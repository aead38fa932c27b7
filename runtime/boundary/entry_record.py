"""Operator callbacks as LLVM text: what they need of CPython and of the thread.

A call from Python that hits a row of a signature table asks whether anything is being watched
(`ts_watching_v1`, the number of registered callbacks): only then does `observed_row` run, which counts the call down,
runs the observed variant of the code and opens and closes the record of the call. Python callbacks
(`ts_python_enter_v1`) get a Python record, an object of a native type without a dict whose fields are filled in from
the site (`RECORD_OBJECTS`); what they raise goes to a hook and never further.

Who is due, and everything else that needs no Python, is decided in `tscript.runtime.kernels.record`.
"""

from __future__ import annotations

from tscript.abi.dispatch import DispatchKind
from tscript.abi.layout import CALLBACK, CONTEXT, RECORD, RECORD_SITE, REGISTRY, THREAD

UNIT = {"site": 0, "observed": 8, "source": 24}
"""What rows of one specialisation share: its site, the addresses of its observed variants (fused groups, single
operators; 0 until made), and the object that the hook makes them from."""

UNIT_WORDS = 4

RECORD_OBJECTS: dict[str, int] = {
    name: 16 + 8 * i
    for i, name in enumerate(("name", "overload", "scope", "file", "function", "members", "inputs", "outputs"))
}
"""Fields of a Python record that are objects; the first six come from the site."""

RECORD_NUMBERS: dict[str, int] = {
    name: 80 + 8 * i for i, name in enumerate(("line", "num_inputs", "thread_id", "id", "sequence_nr"))
}
"""Fields of a Python record that are 64-bit numbers."""

RECORD_FAILED = 120
RECORD_SIZE = 128

MAX_CELLS = 32
"""Arguments of a call from Python that its record shows, at most."""

TICKS = {
    "x86_64": ("llvm.readcyclecounter", "declare i64 @llvm.readcyclecounter()"),
    "aarch64": ("llvm.readsteadycounter", "declare i64 @llvm.readsteadycounter()"),
}

EXPORTS = (
    "ts_watching_v1",
    "ts_thread_v1",
    "ts_stack_limit_v1",
    "ts_stack_left_v1",
    "ts_observer_v1",
    "ts_ticks_v1",
    "ts_call_enter_v1",
    "ts_call_exit_v1",
    "ts_python_enter_v1",
    "ts_python_exit_v1",
)
"""Symbols that kernels and compiled code import."""

INTERNALS = (
    "tsb_thread_key",
    "tsb_thread_exit",
    "tsb_registry",
    "tsb_record_kernels",
    "tsb_record_hooks",
    "tsb_record_type",
    "tsb_record_dealloc",
    "tsb_empty",
)

KERNELS = ("thread_refresh", "record_enter", "record_exit", "record_unwind")
"""Kernels whose addresses `tsb_record_kernels` holds, in order."""

HOOKS = ("build", "site", "values", "fault", "range_site")
"""Python functions that `tsb_record_hooks` holds, in order."""


def constants() -> dict[str, object]:
    """What ``$names`` in `text` stand for."""
    return {
        **{f"th_{name}": at for name, at in THREAD.offsets.items()},
        **{f"rc_{name}": at for name, at in RECORD.offsets.items()},
        **{f"rs_{name}": at for name, at in RECORD_SITE.offsets.items()},
        **{f"cb_{name}": at for name, at in CALLBACK.offsets.items()},
        **{f"rg_{name}": at for name, at in REGISTRY.offsets.items()},
        **{f"u_{name}": at for name, at in UNIT.items()},
        **{f"ro_{name}": at for name, at in (RECORD_OBJECTS | RECORD_NUMBERS).items()},
        **{f"k_{kind.name.lower()}": int(kind) for kind in DispatchKind},
        "ro_failed": RECORD_FAILED,
        "c_stack": CONTEXT.offsets["stack"],
        "max_cells": MAX_CELLS,
        "hooks": len(HOOKS),
    }


def text(machine: str) -> str:
    """The part of the boundary module, for a machine as in the first part of a triple."""
    name, declaration = TICKS.get(machine, ("PyThread_get_thread_ident", ""))
    return TEXT.replace("$ticks_declaration", declaration).replace("$ticks_function", name)


TEXT = """
@ts_watching_v1 = global i64 0
@tsb_record_hooks = global [$hooks x ptr] zeroinitializer
@tsb_record_type = global ptr null
@format_kk = private unnamed_addr constant [3 x i8] c"LL\\00"
@format_lll = private unnamed_addr constant [4 x i8] c"LLL\\00"
@format_ol = private unnamed_addr constant [3 x i8] c"OL\\00"
@format_lo = private unnamed_addr constant [3 x i8] c"LO\\00"
@format_l = private unnamed_addr constant [4 x i8] c"(L)\\00"
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Clear()
declare void @PyErr_SetInterrupt()
declare i32 @PyErr_GivenExceptionMatches(ptr, ptr)
@PyExc_KeyboardInterrupt = external global ptr
$ticks_declaration

define i64 @ts_ticks_v1() nounwind {
  %n = call i64 @$ticks_function()
  ret i64 %n
}

; counts an event of a scope; whether a callback is due
define internal i1 @due(ptr %t, i64 %scope) alwaysinline nounwind {
  %p = getelementptr i64, ptr %t, i64 %scope
  %c = load i64, ptr %p
  %less = sub i64 %c, 1
  store i64 %less, ptr %p
  %d = icmp slt i64 %less, 1
  ret i1 %d
}

define internal ptr @open_record(ptr %t, ptr %site, ptr %kinds, ptr %cells, i64 %n) #0 {
  %out = alloca ptr
  store ptr null, ptr %out
  %kp = getelementptr ptr, ptr @tsb_record_kernels, i64 1
  %kernel = load ptr, ptr %kp
  %ignored = call i32 %kernel(ptr null, ptr %t, ptr %site, ptr %kinds, ptr %cells, i64 %n, ptr %out)
  %r = load ptr, ptr %out
  ret ptr %r
}

define internal void @close_record(ptr %t, ptr %record, i64 %failed, ptr %kinds, ptr %cells, i64 %n) #0 {
  %kp = getelementptr ptr, ptr @tsb_record_kernels, i64 2
  %kernel = load ptr, ptr %kp
  %ignored = call i32 %kernel(ptr null, ptr %t, ptr %record, i64 %failed, ptr %kinds, ptr %cells, i64 %n)
  ret void
}

; one Python object as a kind and a cell
define internal void @describe(ptr %o, ptr %kind, ptr %cell) nounwind {
  %overflow = alloca i32
  %tp = getelementptr i8, ptr %o, i64 $type
  %t = load ptr, ptr %tp
  %bp = getelementptr i8, ptr %o, i64 $body
  %tensor = load ptr, ptr @tsb_tensor_type
  %is_tensor = icmp eq ptr %t, %tensor
  br i1 %is_tensor, label %a_tensor, label %not_tensor
a_tensor:
  %impl = load i64, ptr %bp
  store i8 $k_tensor, ptr %kind
  store i64 %impl, ptr %cell
  ret void
not_tensor:
  %is_float = icmp eq ptr %t, @PyFloat_Type
  br i1 %is_float, label %a_float, label %not_float
a_float:
  %bits = load i64, ptr %bp
  store i8 $k_float, ptr %kind
  store i64 %bits, ptr %cell
  ret void
not_float:
  %is_bool = icmp eq ptr %t, @PyBool_Type
  br i1 %is_bool, label %a_bool, label %not_bool
a_bool:
  %true = icmp eq ptr %o, @_Py_TrueStruct
  %truth = zext i1 %true to i64
  store i8 $k_bool, ptr %kind
  store i64 %truth, ptr %cell
  ret void
not_bool:
  %is_none = icmp eq ptr %o, @_Py_NoneStruct
  br i1 %is_none, label %a_none, label %not_none
a_none:
  store i8 $k_none, ptr %kind
  store i64 0, ptr %cell
  ret void
not_none:
  %is_int = icmp eq ptr %t, @PyLong_Type
  br i1 %is_int, label %an_int, label %other
an_int:
  %v = call i64 @PyLong_AsLongLongAndOverflow(ptr %o, ptr %overflow)
  %over = load i32, ptr %overflow
  %fits = icmp eq i32 %over, 0
  br i1 %fits, label %small, label %other
small:
  store i8 $k_int, ptr %kind
  store i64 %v, ptr %cell
  ret void
other:
  %address = ptrtoint ptr %o to i64
  store i8 $k_object, ptr %kind
  store i64 %address, ptr %cell
  ret void
}

define internal ptr @run_observed(ptr %unit, ptr %stub, ptr %code, ptr %constants, ptr %args, i64 %n) noinline cold #0 {
entry:
  %kinds = alloca [$max_cells x i8]
  %cells = alloca [$max_cells x i64]
  %known = icmp ne ptr %unit, null
  br i1 %known, label %thread, label %plain
thread:
  %t = call ptr @watcher()
  %nobody = icmp eq ptr %t, null
  br i1 %nobody, label %plain, label %variant
plain:
  %pr = call ptr %stub(ptr %code, ptr %args, ptr %constants)
  ret ptr %pr
variant:
  %grp = getelementptr i8, ptr %t, i64 $th_granularity
  %granularity = load i64, ptr %grp
  %op = getelementptr i8, ptr %unit, i64 $u_observed
  %vp = getelementptr ptr, ptr %op, i64 %granularity
  %made = load atomic ptr, ptr %vp acquire, align 8
  %missing = icmp eq ptr %made, null
  br i1 %missing, label %build, label %count
build:
  %srcp = getelementptr i8, ptr %unit, i64 $u_source
  %source = load ptr, ptr %srcp
  %hook = load ptr, ptr @tsb_record_hooks
  %number = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_ol, ptr %source, i64 %granularity)
  %raised = icmp eq ptr %number, null
  br i1 %raised, label %bad, label %built
bad:
  ret ptr null
built:
  call void @Py_DecRef(ptr %number)
  %now = load atomic ptr, ptr %vp acquire, align 8
  %still = icmp eq ptr %now, null
  br i1 %still, label %plain, label %count
count:
  %observed = phi ptr [ %made, %variant ], [ %now, %built ]
  %sp = getelementptr i8, ptr %unit, i64 $u_site
  %site = load ptr, ptr %sp
  %openp = getelementptr i8, ptr %t, i64 $th_open
  %saved = load ptr, ptr %openp
  %scp = getelementptr i8, ptr %site, i64 $rs_scope
  %scope32 = load i32, ptr %scp
  %scope = zext i32 %scope32 to i64
  %due = call i1 @due(ptr %t, i64 %scope)
  br i1 %due, label %cells_of, label %run
cells_of:
  %many = icmp sgt i64 %n, $max_cells
  %shown = select i1 %many, i64 $max_cells, i64 %n
  br label %each
each:
  %i = phi i64 [ 0, %cells_of ], [ %i1, %one ]
  %all = icmp eq i64 %i, %shown
  br i1 %all, label %begin, label %one
one:
  %ap = getelementptr ptr, ptr %args, i64 %i
  %a = load ptr, ptr %ap
  %kp = getelementptr i8, ptr %kinds, i64 %i
  %cp = getelementptr i64, ptr %cells, i64 %i
  call void @describe(ptr %a, ptr %kp, ptr %cp)
  %i1 = add i64 %i, 1
  br label %each
begin:
  %opened = call ptr @open_record(ptr %t, ptr %site, ptr %kinds, ptr %cells, i64 %shown)
  br label %run
run:
  %record = phi ptr [ null, %count ], [ %opened, %begin ]
  %r = call ptr %stub(ptr %observed, ptr %args, ptr %constants)
  ; an operator that raised left its record open, and its guard
  %gp = getelementptr i8, ptr %t, i64 $th_guard
  store i64 0, ptr %gp
  %open = load ptr, ptr %openp
  %closed = icmp eq ptr %open, %saved
  br i1 %closed, label %finish, label %unwind
unwind:
  %up = getelementptr ptr, ptr @tsb_record_kernels, i64 3
  %unwinder = load ptr, ptr %up
  %ignored = call i32 %unwinder(ptr null, ptr %t, ptr %saved)
  br label %finish
finish:
  %none = icmp eq ptr %record, null
  br i1 %none, label %out, label %ending
ending:
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %close, label %result
result:
  call void @describe(ptr %r, ptr %kinds, ptr %cells)
  br label %close
close:
  %failure = zext i1 %failed to i64
  call void @close_record(ptr %t, ptr %record, i64 %failure, ptr %kinds, ptr %cells, i64 1)
  br label %out
out:
  ret ptr %r
}

define i64 @ts_call_enter_v1(ptr %f, ptr %record, ptr %data) #0 {
  %context = call i64 %f(ptr %record, ptr %data)
  ret i64 %context
}

define void @ts_call_exit_v1(ptr %f, ptr %record, i64 %context, ptr %data) #0 {
  call void %f(ptr %record, i64 %context, ptr %data)
  ret void
}

; an exception of our own Python code ends here, if there is one; Ctrl-C belongs to the program: deliver it again, later
define internal void @forget() noinline cold nounwind {
  %any = call ptr @PyErr_Occurred()
  %none = icmp eq ptr %any, null
  br i1 %none, label %out, label %look
look:
  %kind = load ptr, ptr @PyExc_KeyboardInterrupt
  %matches = call i32 @PyErr_GivenExceptionMatches(ptr %any, ptr %kind)
  call void @PyErr_Clear()
  %ours = icmp eq i32 %matches, 0
  br i1 %ours, label %out, label %interrupt
interrupt:
  call void @PyErr_SetInterrupt()
  br label %out
out:
  ret void
}

; the exception that is set goes to the hook
define internal void @fault(ptr %callback) noinline cold nounwind {
  %tp = alloca ptr
  %vp = alloca ptr
  %bp = alloca ptr
  call void @PyErr_Fetch(ptr %tp, ptr %vp, ptr %bp)
  call void @PyErr_NormalizeException(ptr %tp, ptr %vp, ptr %bp)
  %t = load ptr, ptr %tp
  %v = load ptr, ptr %vp
  %b = load ptr, ptr %bp
  %hp = getelementptr ptr, ptr @tsb_record_hooks, i64 3
  %hook = load ptr, ptr %hp
  %address = ptrtoint ptr %callback to i64
  %none = icmp eq ptr %v, null
  %value = select i1 %none, ptr @_Py_NoneStruct, ptr %v
  %r = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_lo, i64 %address, ptr %value)
  call void @forget()
  %again = icmp eq ptr %r, @_Py_TrueStruct
  br i1 %again, label %interrupt, label %drop
interrupt:
  call void @PyErr_SetInterrupt()
  br label %drop
drop:
  call void @xdecref(ptr %r)
  call void @xdecref(ptr %t)
  call void @xdecref(ptr %v)
  call void @xdecref(ptr %b)
  ret void
}

; the Python record of a record, kept in it; null without an exception when there is none to be had
define internal ptr @python_record(ptr %record) nounwind {
  %kp = getelementptr i8, ptr %record, i64 $rc_kinds
  %kinds = load ptr, ptr %kp
  %np = getelementptr i8, ptr %record, i64 $rc_num_cells
  %n = load i64, ptr %np
  %cp = getelementptr i8, ptr %record, i64 $rc_inputs
  %cells = load ptr, ptr %cp
  %pp = getelementptr i8, ptr %record, i64 $rc_python
  %there = load ptr, ptr %pp
  %has = icmp ne ptr %there, null
  br i1 %has, label %known, label %make
known:
  ; it may be without inputs, because the callback that it was made for did not ask for them
  %lip = getelementptr i8, ptr %there, i64 $ro_inputs
  %given = load ptr, ptr %lip
  %nothing = load ptr, ptr @tsb_empty
  %lacks = icmp eq ptr %given, %nothing
  br i1 %lacks, label %complete, label %whole
complete:
  %late = call ptr @values(ptr %kinds, i64 %n, ptr %cells)
  store ptr %late, ptr %lip
  call void @decref(ptr %nothing)
  br label %whole
whole:
  ret ptr %there
make:
  %sp = getelementptr i8, ptr %record, i64 $rc_site
  %site = load ptr, ptr %sp
  %ip = getelementptr i8, ptr %site, i64 $rs_python
  %cached = load ptr, ptr %ip
  %fresh = icmp eq ptr %cached, null
  br i1 %fresh, label %ask, label %create
ask:
  %hp = getelementptr ptr, ptr @tsb_record_hooks, i64 1
  %hook = load ptr, ptr %hp
  %number = ptrtoint ptr %site to i64
  %asked = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_l, i64 %number)
  %refused = icmp eq ptr %asked, null
  br i1 %refused, label %bad, label %keep
keep:
  store ptr %asked, ptr %ip
  br label %create
create:
  %info = phi ptr [ %cached, %make ], [ %asked, %keep ]
  %type = load ptr, ptr @tsb_record_type
  %o = call ptr @PyType_GenericAlloc(ptr %type, i64 0)
  %memory = icmp eq ptr %o, null
  br i1 %memory, label %bad, label %fill
fill:
  %items = getelementptr i8, ptr %info, i64 $tuple_items
  %first = getelementptr i8, ptr %o, i64 $ro_name
  br label %copy
copy:
  %i = phi i64 [ 0, %fill ], [ %i1, %copy ]
  %from = getelementptr ptr, ptr %items, i64 %i
  %to = getelementptr ptr, ptr %first, i64 %i
  %item = load ptr, ptr %from
  call void @incref(ptr %item)
  store ptr %item, ptr %to
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 6
  br i1 %more, label %copy, label %rest
rest:
  %inputs = call ptr @values(ptr %kinds, i64 %n, ptr %cells)
  %inp = getelementptr i8, ptr %o, i64 $ro_inputs
  store ptr %inputs, ptr %inp
  %empty = load ptr, ptr @tsb_empty
  call void @incref(ptr %empty)
  %outp = getelementptr i8, ptr %o, i64 $ro_outputs
  store ptr %empty, ptr %outp
  %lp = getelementptr i8, ptr %site, i64 $rs_line
  %line32 = load i32, ptr %lp
  %line = sext i32 %line32 to i64
  %olp = getelementptr i8, ptr %o, i64 $ro_line
  store i64 %line, ptr %olp
  %nip = getelementptr i8, ptr %site, i64 $rs_num_inputs
  %ni32 = load i32, ptr %nip
  %ni = sext i32 %ni32 to i64
  %open = icmp slt i64 %ni, 0
  %num = select i1 %open, i64 %n, i64 %ni
  %onp = getelementptr i8, ptr %o, i64 $ro_num_inputs
  store i64 %num, ptr %onp
  %tip = getelementptr i8, ptr %record, i64 $rc_thread_id
  %ti = load i64, ptr %tip
  %otp = getelementptr i8, ptr %o, i64 $ro_thread_id
  store i64 %ti, ptr %otp
  %idp = getelementptr i8, ptr %record, i64 $rc_id
  %id = load i64, ptr %idp
  %oidp = getelementptr i8, ptr %o, i64 $ro_id
  store i64 %id, ptr %oidp
  %sqp = getelementptr i8, ptr %record, i64 $rc_sequence_nr
  %sq = load i64, ptr %sqp
  %osqp = getelementptr i8, ptr %o, i64 $ro_sequence_nr
  store i64 %sq, ptr %osqp
  store ptr %o, ptr %pp
  ret ptr %o
bad:
  call void @forget()
  ret ptr null
}

; the context that on_enter returned, as a number that owns it; 0 for none, -1 when the pair has no record to show
define i64 @ts_python_enter_v1(ptr %record, ptr %callback) nounwind {
  %tp = alloca ptr
  %vp = alloca ptr
  %bp = alloca ptr
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  br i1 %dead, label %nothing, label %take
nothing:
  ret i64 0
take:
  %g = call i32 @PyGILState_Ensure()
  call void @PyErr_Fetch(ptr %tp, ptr %vp, ptr %bp)
  %o = call ptr @python_record(ptr %record)
  %fp = getelementptr i8, ptr %callback, i64 $cb_enter
  %f = load ptr, ptr %fp
  %no_record = icmp eq ptr %o, null
  %no_function = icmp eq ptr %f, null
  %no = or i1 %no_record, %no_function
  br i1 %no, label %done, label %call
call:
  ; the callback may remove itself, and with it the last reference to this function
  call void @incref(ptr %f)
  %r = call ptr @PyObject_CallOneArg(ptr %f, ptr %o)
  call void @decref(ptr %f)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %faulty, label %done
faulty:
  call void @fault(ptr %callback)
  br label %done
done:
  %context = phi ptr [ null, %take ], [ %r, %call ], [ null, %faulty ]
  %t = load ptr, ptr %tp
  %v = load ptr, ptr %vp
  %b = load ptr, ptr %bp
  call void @PyErr_Restore(ptr %t, ptr %v, ptr %b)
  call void @PyGILState_Release(i32 %g)
  %found = ptrtoint ptr %context to i64
  %number = select i1 %no_record, i64 -1, i64 %found
  ret i64 %number
}

; callback is null when it was removed meanwhile: then what it left is only given back
define void @ts_python_exit_v1(ptr %record, ptr %callback, i64 %number, i64 %last) nounwind {
  %tp = alloca ptr
  %vp = alloca ptr
  %bp = alloca ptr
  %args = alloca [2 x ptr]
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  br i1 %dead, label %nothing, label %take
nothing:
  ret void
take:
  %g = call i32 @PyGILState_Ensure()
  call void @PyErr_Fetch(ptr %tp, ptr %vp, ptr %bp)
  %given = inttoptr i64 %number to ptr
  %missed = icmp eq i64 %number, -1
  %context = select i1 %missed, ptr null, ptr %given
  %gone = icmp eq ptr %callback, null
  %removed = or i1 %gone, %missed
  br i1 %removed, label %drop, label %look
look:
  %fp = getelementptr i8, ptr %callback, i64 $cb_exit
  %f = load ptr, ptr %fp
  %no_function = icmp eq ptr %f, null
  br i1 %no_function, label %drop, label %find_record
find_record:
  %o = call ptr @python_record(ptr %record)
  %no_record = icmp eq ptr %o, null
  br i1 %no_record, label %drop, label %results
results:
  %failedp = getelementptr i8, ptr %record, i64 $rc_failed
  %failed = load i64, ptr %failedp
  %failed8 = trunc i64 %failed to i8
  %ofp = getelementptr i8, ptr %o, i64 $ro_failed
  store i8 %failed8, ptr %ofp
  %cp = getelementptr i8, ptr %record, i64 $rc_outputs
  %cells = load ptr, ptr %cp
  %no_outputs = icmp eq ptr %cells, null
  br i1 %no_outputs, label %call, label %outputs
outputs:
  %kp = getelementptr i8, ptr %record, i64 $rc_output_kinds
  %kinds = load ptr, ptr %kp
  %np = getelementptr i8, ptr %record, i64 $rc_num_output_cells
  %n = load i64, ptr %np
  %values = call ptr @values(ptr %kinds, i64 %n, ptr %cells)
  %outp = getelementptr i8, ptr %o, i64 $ro_outputs
  %before = load ptr, ptr %outp
  store ptr %values, ptr %outp
  call void @xdecref(ptr %before)
  br label %call
call:
  %no_context = icmp eq ptr %context, null
  %second = select i1 %no_context, ptr @_Py_NoneStruct, ptr %context
  store ptr %o, ptr %args
  %ap = getelementptr ptr, ptr %args, i64 1
  store ptr %second, ptr %ap
  call void @incref(ptr %f)
  %r = call ptr @PyObject_Vectorcall(ptr %f, ptr %args, i64 2, ptr null)
  call void @decref(ptr %f)
  %raised = icmp eq ptr %r, null
  br i1 %raised, label %faulty, label %fine
faulty:
  call void @fault(ptr %callback)
  br label %drop
fine:
  call void @decref(ptr %r)
  br label %drop
drop:
  call void @xdecref(ptr %context)
  %finished = icmp ne i64 %last, 0
  br i1 %finished, label %finish, label %done
finish:
  %pp = getelementptr i8, ptr %record, i64 $rc_python
  %py = load ptr, ptr %pp
  store ptr null, ptr %pp
  %none = icmp eq ptr %py, null
  br i1 %none, label %done, label %forget
forget:
  ; a record that a callback keeps does not keep tensors
  call void @emptied(ptr %py, i64 $ro_inputs)
  call void @emptied(ptr %py, i64 $ro_outputs)
  call void @decref(ptr %py)
  br label %done
done:
  %t = load ptr, ptr %tp
  %v = load ptr, ptr %vp
  %b = load ptr, ptr %bp
  call void @PyErr_Restore(ptr %t, ptr %v, ptr %b)
  call void @PyGILState_Release(i32 %g)
  ret void
}

define internal void @emptied(ptr %o, i64 %offset) nounwind {
  %p = getelementptr i8, ptr %o, i64 %offset
  %before = load ptr, ptr %p
  %empty = load ptr, ptr @tsb_empty
  %same = icmp eq ptr %before, %empty
  br i1 %same, label %out, label %replace
replace:
  call void @incref(ptr %empty)
  store ptr %empty, ptr %p
  call void @xdecref(ptr %before)
  br label %out
out:
  ret void
}

define void @tsb_record_dealloc(ptr %self) nounwind {
entry:
  %first = getelementptr i8, ptr %self, i64 $ro_name
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %each ]
  %p = getelementptr ptr, ptr %first, i64 %i
  %o = load ptr, ptr %p
  call void @xdecref(ptr %o)
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 8
  br i1 %more, label %each, label %out
out:
  %tp = getelementptr i8, ptr %self, i64 $type
  %t = load ptr, ptr %tp
  call void @PyObject_Free(ptr %self)
  call void @Py_DecRef(ptr %t)
  ret void
}
"""
