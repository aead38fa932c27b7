"""The callable type as LLVM text: the vectorcall function and the object protocol.

An object of the type (`FIELDS`) carries a signature table (`entry_table`). A call computes its key, looks it up, and on
a hit runs the row's stub, which unboxes the arguments, calls the row's code and boxes the result. On a miss it calls
the Python object `miss(callable, args, kwargs)`, whose result is the call's result; `miss` usually compiles, adds a
row and calls again. What it gives as a `Refused` (`tracebacks`) is raised.

Calls with keywords, with left-out arguments that have defaults, or with lists where tuples are meant are put in order
natively (`arranged`) when the callable has parameter names and defaults; what does not fit goes to `miss` unchanged.
A variadic callable without names (an operator with several overloads) takes keywords as they come: they are further
arguments, and their names are part of the key.

Callables take part in garbage collection, for their attributes often lead back to them (``__wrapped__``, closures,
modules). When the collector clears one it loses its table first: from then on it only refuses.
"""

from __future__ import annotations

MAX_ARRANGED = 32
"""Parameters of a callable that takes keywords and defaults natively."""
FIELDS: dict[str, int] = {
    name: 16 + 8 * i
    for i, name in enumerate(
        (
            "vectorcall",
            "dict",
            "weak",
            "nparams",
            "flags",
            "table",
            "miss",
            "names",
            "defaults",
            "keep",
            "variadic",
            "rows",
        )
    )
}
"""Offsets of a callable's fields."""

SIZE = 16 + 8 * len(FIELDS)

MESSAGES = {
    "m_cleared": "this function has been cleared by the garbage collector",
    "m_error": "error",
}

EXPORTS = (
    "tsb_required",
    "tsb_refused",
    "tsb_call",
    "tsb_call_any",
    "tsb_callable_new",
    "tsb_callable_key",
    "tsb_callable_count",
    "tsb_callable_traverse",
    "tsb_callable_clear",
    "tsb_callable_dealloc",
    "tsb_callable_bind",
)


def constants() -> dict[str, object]:
    """What ``$names`` in `TEXT` stand for."""
    return {
        **{f"f_{name}": at for name, at in FIELDS.items()},
        "max_arranged": MAX_ARRANGED,
        "traverse": traverse_text(),
    }


TEXT = """
@tsb_required = global ptr null
@tsb_refused = global ptr null

; one load more than without callbacks, for all that they cost when there are none
define internal ptr @run(ptr %unit, ptr %stub, ptr %code, ptr %constants, ptr %args, i64 %n) alwaysinline {
  %watching = load atomic i64, ptr @ts_watching_v1 monotonic, align 8
  %idle = icmp eq i64 %watching, 0
  br i1 %idle, label %plain, label %observed
plain:
  %r = call ptr %stub(ptr %code, ptr %args, ptr %constants)
  ret ptr %r
observed:
  %o = call ptr @run_observed(ptr %unit, ptr %stub, ptr %code, ptr %constants, ptr %args, i64 %n)
  ret ptr %o
}

define internal ptr @run_row(ptr %row, ptr %args, i64 %n) alwaysinline {
  %sp = getelementptr i8, ptr %row, i64 $r_stub
  %stub = load ptr, ptr %sp
  %cp = getelementptr i8, ptr %row, i64 $r_code
  %code = load ptr, ptr %cp
  %kp = getelementptr i8, ptr %row, i64 $r_constants
  %constants = load ptr, ptr %kp
  %up = getelementptr i8, ptr %row, i64 $r_unit
  %unit = load ptr, ptr %up
  %r = call ptr @run(ptr %unit, ptr %stub, ptr %code, ptr %constants, ptr %args, i64 %n)
  ret ptr %r
}

; the vectorcall function
define ptr @tsb_call(ptr %self, ptr %args, i64 %nargsf, ptr %kwnames) {
  %buf = alloca [$max_words x i64]
  %nargs = and i64 %nargsf, 9223372036854775807
  %np = getelementptr i8, ptr %self, i64 $f_nparams
  %nparams = load i64, ptr %np
  %counted = icmp eq i64 %nargs, %nparams
  %plain = icmp eq ptr %kwnames, null
  %simple = and i1 %counted, %plain
  br i1 %simple, label %key, label %arrange
key:
  %n = call i64 @keys(ptr %self, ptr %args, i64 %nargs, ptr %buf)
  %bad = icmp slt i64 %n, 0
  br i1 %bad, label %why, label %look
look:
  %row = call ptr @find(ptr %self, ptr %buf, i64 %n)
  %none = icmp eq ptr %row, null
  br i1 %none, label %missed, label %hit
hit:
  %r = call ptr @run_row(ptr %row, ptr %args, i64 %nargs)
  ret ptr %r
why:
  %list = icmp eq i64 %n, -2
  br i1 %list, label %arrange, label %missed
arrange:
  %r2 = call ptr @arranged(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %r2
missed:
  %r3 = call ptr @missed(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %r3
}

; puts keywords, defaults and lists in their places, then looks up; what does not fit is a miss
define internal ptr @arranged(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) noinline {
entry:
  %buf = alloca [$max_words x i64]
  %vec = alloca [$max_arranged x ptr]
  %own = alloca [$max_arranged x ptr]
  %np = getelementptr i8, ptr %self, i64 $f_nparams
  %nparams = load i64, ptr %np
  %vp = getelementptr i8, ptr %self, i64 $f_variadic
  %variadic = load i64, ptr %vp
  %open = icmp ne i64 %variadic, 0
  %plain = icmp eq ptr %kwnames, null
  %nmp = getelementptr i8, ptr %self, i64 $f_names
  %names = load ptr, ptr %nmp
  %unnamed = icmp eq ptr %names, null
  br i1 %plain, label %begin, label %measure
measure:
  %kcp = getelementptr i8, ptr %kwnames, i64 16
  %keywords = load i64, ptr %kcp
  br label %begin
begin:
  %nkw = phi i64 [ 0, %entry ], [ %keywords, %measure ]
  ; without names of its own, a variadic callable takes keywords in the order of the call, and their names into the key
  %called = xor i1 %plain, true
  %loose = and i1 %unnamed, %open
  %spread = and i1 %called, %loose
  %with = add i64 %nargs, %nkw
  %ngiven = select i1 %spread, i64 %with, i64 %nargs
  %surplus = icmp ugt i64 %ngiven, %nparams
  %closed = xor i1 %open, true
  %excess = and i1 %surplus, %closed
  br i1 %excess, label %miss, label %sized
sized:
  %n = select i1 %surplus, i64 %ngiven, i64 %nparams
  %large = icmp ugt i64 %n, $max_arranged
  br i1 %large, label %miss, label %clear
clear:
  %bytes = shl i64 %n, 3
  call void @llvm.memset.p0.i64(ptr %vec, i8 0, i64 %bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %own, i8 0, i64 %bytes, i1 false)
  %given = shl i64 %ngiven, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %vec, ptr %args, i64 %given, i1 false)
  %placed0 = or i1 %plain, %spread
  br i1 %placed0, label %fill, label %named
named:
  br i1 %unnamed, label %miss, label %count
count:
  %kitems = getelementptr i8, ptr %kwnames, i64 $tuple_items
  %nitems = getelementptr i8, ptr %names, i64 $tuple_items
  br label %keyword
keyword:
  %k = phi i64 [ 0, %count ], [ %k1, %place ]
  %placed = icmp eq i64 %k, %nkw
  br i1 %placed, label %fill, label %search
search:
  %kp = getelementptr ptr, ptr %kitems, i64 %k
  %given_name = load ptr, ptr %kp
  br label %position
position:
  %name = phi ptr [ %given_name, %search ], [ %name, %differs ], [ %other_name, %retry ]
  %j = phi i64 [ 0, %search ], [ %j1, %differs ], [ 0, %retry ]
  %unknown = icmp eq i64 %j, %nparams
  br i1 %unknown, label %retry, label %same
retry:
  ; names made at run time need not be the ones that the parameters have
  %other_name = call ptr @interned(ptr %name)
  %hopeless = icmp eq ptr %other_name, %name
  br i1 %hopeless, label %miss, label %position
same:
  %pp = getelementptr ptr, ptr %nitems, i64 %j
  %parameter = load ptr, ptr %pp
  %found = icmp eq ptr %parameter, %name
  br i1 %found, label %taken, label %differs
differs:
  %j1 = add i64 %j, 1
  br label %position
taken:
  %sp = getelementptr ptr, ptr %vec, i64 %j
  %there = load ptr, ptr %sp
  %twice = icmp ne ptr %there, null
  br i1 %twice, label %miss, label %place
place:
  %ki = add i64 %nargs, %k
  %kvp = getelementptr ptr, ptr %args, i64 %ki
  %kv = load ptr, ptr %kvp
  store ptr %kv, ptr %sp
  %k1 = add i64 %k, 1
  br label %keyword
fill:
  %dp = getelementptr i8, ptr %self, i64 $f_defaults
  %defaults = load ptr, ptr %dp
  %ditems = getelementptr i8, ptr %defaults, i64 $tuple_items
  %required = load ptr, ptr @tsb_required
  br label %gap
gap:
  %g = phi i64 [ 0, %fill ], [ %g1, %full ]
  %complete = icmp eq i64 %g, %nparams
  br i1 %complete, label %lists, label %empty
empty:
  %gp = getelementptr ptr, ptr %vec, i64 %g
  %gv = load ptr, ptr %gp
  %present = icmp ne ptr %gv, null
  br i1 %present, label %full, label %default
default:
  %lacking = icmp eq ptr %defaults, null
  br i1 %lacking, label %miss, label %take
take:
  %dvp = getelementptr ptr, ptr %ditems, i64 %g
  %dv = load ptr, ptr %dvp
  %must = icmp eq ptr %dv, %required
  br i1 %must, label %miss, label %put
put:
  store ptr %dv, ptr %gp
  br label %full
full:
  %g1 = add i64 %g, 1
  br label %gap
lists:
  %fp = getelementptr i8, ptr %self, i64 $f_flags
  %flags = load ptr, ptr %fp
  %last = sub i64 %nparams, 1
  br label %element
element:
  %l = phi i64 [ 0, %lists ], [ %l1, %kept ]
  %ready = icmp eq i64 %l, %n
  br i1 %ready, label %key, label %kind
kind:
  %lp = getelementptr ptr, ptr %vec, i64 %l
  %lo = load ptr, ptr %lp
  %ltp = getelementptr i8, ptr %lo, i64 $type
  %lt = load ptr, ptr %ltp
  %is_list = icmp eq ptr %lt, @PyList_Type
  br i1 %is_list, label %allowed, label %kept
allowed:
  %beyond = icmp sgt i64 %l, %last
  %fi = select i1 %beyond, i64 %last, i64 %l
  %flp = getelementptr i8, ptr %flags, i64 %fi
  %flag = load i8, ptr %flp
  %lists0 = and i8 %flag, $flag_list
  %taking = icmp ne i8 %lists0, 0
  br i1 %taking, label %convert, label %kept
convert:
  %tuple = call ptr @PyList_AsTuple(ptr %lo)
  %memory = icmp eq ptr %tuple, null
  br i1 %memory, label %finish, label %converted
converted:
  store ptr %tuple, ptr %lp
  %op = getelementptr ptr, ptr %own, i64 %l
  store ptr %tuple, ptr %op
  br label %kept
kept:
  %l1 = add i64 %l, 1
  br label %element
key:
  %words0 = call i64 @keys(ptr %self, ptr %vec, i64 %n, ptr %buf)
  %unkeyed = icmp slt i64 %words0, 0
  br i1 %unkeyed, label %give_up, label %maybe_names
maybe_names:
  br i1 %spread, label %add_names, label %keyed
add_names:
  %words1 = call i64 @key_names(ptr %kwnames, ptr %buf, i64 %words0)
  br label %keyed
keyed:
  %words = phi i64 [ %words0, %maybe_names ], [ %words1, %add_names ]
  %bad = icmp slt i64 %words, 0
  br i1 %bad, label %give_up, label %look
look:
  %row = call ptr @find(ptr %self, ptr %buf, i64 %words)
  %none = icmp eq ptr %row, null
  br i1 %none, label %give_up, label %hit
hit:
  %hr = call ptr @run_row(ptr %row, ptr %vec, i64 %n)
  br label %finish
give_up:
  %mr = call ptr @missed(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  br label %finish
finish:
  %result = phi ptr [ null, %convert ], [ %hr, %hit ], [ %mr, %give_up ]
  br label %drop
drop:
  %d = phi i64 [ 0, %finish ], [ %d1, %dropping ]
  %dropped = icmp eq i64 %d, %n
  br i1 %dropped, label %out, label %dropping
dropping:
  %dop = getelementptr ptr, ptr %own, i64 %d
  %do = load ptr, ptr %dop
  call void @xdecref(ptr %do)
  %d1 = add i64 %d, 1
  br label %drop
out:
  ret ptr %result
miss:
  %r = call ptr @missed(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %r
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; miss(self, args, kwargs)
define internal ptr @missed(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) noinline {
entry:
  %mp = getelementptr i8, ptr %self, i64 $f_miss
  %miss = load ptr, ptr %mp
  %cleared = icmp eq ptr %miss, null
  br i1 %cleared, label %dead, label %begin
dead:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_cleared)
  ret ptr null
begin:
  %positional = call ptr @PyTuple_New(i64 %nargs)
  %m1 = icmp eq ptr %positional, null
  br i1 %m1, label %bad, label %copy
copy:
  %i = phi i64 [ 0, %begin ], [ %i1, %one ]
  %copied = icmp eq i64 %i, %nargs
  br i1 %copied, label %named, label %one
one:
  %ap = getelementptr ptr, ptr %args, i64 %i
  %a = load ptr, ptr %ap
  call void @incref(ptr %a)
  %ignored = call i32 @PyTuple_SetItem(ptr %positional, i64 %i, ptr %a)
  %i1 = add i64 %i, 1
  br label %copy
named:
  %kwargs = call ptr @PyDict_New()
  %m2 = icmp eq ptr %kwargs, null
  br i1 %m2, label %drop_positional, label %with
with:
  %plain = icmp eq ptr %kwnames, null
  br i1 %plain, label %pack, label %count
count:
  %kcp = getelementptr i8, ptr %kwnames, i64 16
  %nkw = load i64, ptr %kcp
  %kitems = getelementptr i8, ptr %kwnames, i64 $tuple_items
  br label %keyword
keyword:
  %k = phi i64 [ 0, %count ], [ %k1, %put ]
  %placed = icmp eq i64 %k, %nkw
  br i1 %placed, label %pack, label %put
put:
  %kp = getelementptr ptr, ptr %kitems, i64 %k
  %name = load ptr, ptr %kp
  %ki = add i64 %nargs, %k
  %kvp = getelementptr ptr, ptr %args, i64 %ki
  %kv = load ptr, ptr %kvp
  %s = call i32 @PyDict_SetItem(ptr %kwargs, ptr %name, ptr %kv)
  %k1 = add i64 %k, 1
  %m3 = icmp slt i32 %s, 0
  br i1 %m3, label %drop_kwargs, label %keyword
pack:
  %triple = call ptr @PyTuple_New(i64 3)
  %m4 = icmp eq ptr %triple, null
  br i1 %m4, label %drop_kwargs, label %call
call:
  call void @incref(ptr %self)
  call void @incref(ptr %miss)
  %s0 = call i32 @PyTuple_SetItem(ptr %triple, i64 0, ptr %self)
  %s1 = call i32 @PyTuple_SetItem(ptr %triple, i64 1, ptr %positional)
  %s2 = call i32 @PyTuple_SetItem(ptr %triple, i64 2, ptr %kwargs)
  %r = call ptr @PyObject_Call(ptr %miss, ptr %triple, ptr null)
  call void @Py_DecRef(ptr %triple)
  call void @Py_DecRef(ptr %miss)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %bad, label %answered
answered:
  %tp = getelementptr i8, ptr %r, i64 $type
  %t = load ptr, ptr %tp
  %refusal = load ptr, ptr @tsb_refused
  %is_refused = icmp eq ptr %t, %refusal
  br i1 %is_refused, label %refuse, label %done
done:
  ret ptr %r
refuse:
  ; raised here, so that no frame of `miss` stands in the traceback
  %error = call ptr @PyObject_GetAttrString(ptr %r, ptr @m_error)
  call void @Py_DecRef(ptr %r)
  %m5 = icmp eq ptr %error, null
  br i1 %m5, label %bad, label %raise
raise:
  %ep = getelementptr i8, ptr %error, i64 $type
  %class = load ptr, ptr %ep
  call void @PyErr_SetObject(ptr %class, ptr %error)
  call void @Py_DecRef(ptr %error)
  br label %bad
drop_kwargs:
  call void @Py_DecRef(ptr %kwargs)
  br label %drop_positional
drop_positional:
  call void @Py_DecRef(ptr %positional)
  br label %bad
bad:
  ret ptr null
}

; for slots that hold any other Python callable
define ptr @tsb_call_any(ptr %callable, ptr %args, i64 %nargs, ptr %kwnames) {
entry:
  %tuple = call ptr @PyTuple_New(i64 %nargs)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %bad, label %copy
copy:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %copied = icmp eq i64 %i, %nargs
  br i1 %copied, label %call, label %one
one:
  %ap = getelementptr ptr, ptr %args, i64 %i
  %a = load ptr, ptr %ap
  call void @incref(ptr %a)
  %ignored = call i32 @PyTuple_SetItem(ptr %tuple, i64 %i, ptr %a)
  %i1 = add i64 %i, 1
  br label %copy
call:
  %r = call ptr @PyObject_Call(ptr %callable, ptr %tuple, ptr null)
  call void @Py_DecRef(ptr %tuple)
  ret ptr %r
bad:
  ret ptr null
}

; a new callable of the heap type; flags has max(nparams, 1) bytes and is copied; names and defaults may be null
define ptr @tsb_callable_new(ptr %type, i64 %nparams, ptr %flags, i64 %variadic, ptr %miss, ptr %names, ptr %defaults) {
  %self = call ptr @PyType_GenericAlloc(ptr %type, i64 0)
  %failed = icmp eq ptr %self, null
  br i1 %failed, label %bad, label %fields
fields:
  %vp = getelementptr i8, ptr %self, i64 $f_vectorcall
  store ptr @tsb_call, ptr %vp
  %np = getelementptr i8, ptr %self, i64 $f_nparams
  store i64 %nparams, ptr %np
  %rp = getelementptr i8, ptr %self, i64 $f_variadic
  store i64 %variadic, ptr %rp
  %mp = getelementptr i8, ptr %self, i64 $f_miss
  call void @incref(ptr %miss)
  store ptr %miss, ptr %mp
  %nmp = getelementptr i8, ptr %self, i64 $f_names
  call void @keep(ptr %nmp, ptr %names)
  %dp = getelementptr i8, ptr %self, i64 $f_defaults
  call void @keep(ptr %dp, ptr %defaults)
  %one = icmp eq i64 %nparams, 0
  %nbytes = select i1 %one, i64 1, i64 %nparams
  %copy = call ptr @PyMem_RawCalloc(i64 %nbytes, i64 1)
  %fp = getelementptr i8, ptr %self, i64 $f_flags
  store ptr %copy, ptr %fp
  %table = call ptr @new_table(i64 $first_capacity)
  %tp = getelementptr i8, ptr %self, i64 $f_table
  store ptr %table, ptr %tp
  %m1 = icmp eq ptr %copy, null
  %m2 = icmp eq ptr %table, null
  %m = or i1 %m1, %m2
  br i1 %m, label %memory, label %list
list:
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %flags, i64 %nbytes, i1 false)
  %kept = call ptr @PyList_New(i64 0)
  %kp = getelementptr i8, ptr %self, i64 $f_keep
  store ptr %kept, ptr %kp
  %m3 = icmp eq ptr %kept, null
  br i1 %m3, label %drop, label %out
out:
  ret ptr %self
memory:
  %ignored = call ptr @PyErr_NoMemory()
  br label %drop
drop:
  call void @Py_DecRef(ptr %self)
  br label %bad
bad:
  ret ptr null
}

define internal void @keep(ptr %field, ptr %o) {
  %none = icmp eq ptr %o, null
  br i1 %none, label %out, label %go
go:
  call void @incref(ptr %o)
  store ptr %o, ptr %field
  br label %out
out:
  ret void
}

define i64 @tsb_callable_count(ptr %self) {
  %p = getelementptr i8, ptr %self, i64 $f_rows
  %n = load i64, ptr %p
  ret i64 %n
}

; key words of a tuple of arguments into buf ($max_words words); how many or negative
define i64 @tsb_callable_key(ptr %self, ptr %arguments, ptr %buf) {
  %cp = getelementptr i8, ptr %arguments, i64 16
  %count = load i64, ptr %cp
  %items = getelementptr i8, ptr %arguments, i64 $tuple_items
  %n = call i64 @keys(ptr %self, ptr %items, i64 %count, ptr %buf)
  ret i64 %n
}

define i32 @tsb_callable_traverse(ptr %self, ptr %visit, ptr %arg) {
entry:
  %tp = getelementptr i8, ptr %self, i64 $type
  br label %type
type:
  %t = load ptr, ptr %tp
  %r0 = call i32 %visit(ptr %t, ptr %arg)
  %stop0 = icmp ne i32 %r0, 0
  br i1 %stop0, label %out0, label %fields
out0:
  ret i32 %r0
fields:
$traverse
  ret i32 0
}

define internal void @clear_field(ptr %self, i64 %offset) {
  %p = getelementptr i8, ptr %self, i64 %offset
  %o = load ptr, ptr %p
  store ptr null, ptr %p
  call void @xdecref(ptr %o)
  ret void
}

define i32 @tsb_callable_clear(ptr %self) {
  ; rows must not outlive what keeps their code alive, so the table goes first
  call void @free_tables(ptr %self)
  call void @clear_field(ptr %self, i64 $f_dict)
  call void @clear_field(ptr %self, i64 $f_miss)
  call void @clear_field(ptr %self, i64 $f_names)
  call void @clear_field(ptr %self, i64 $f_defaults)
  call void @clear_field(ptr %self, i64 $f_keep)
  ret i32 0
}

define void @tsb_callable_dealloc(ptr %self) {
entry:
  call void @PyObject_GC_UnTrack(ptr %self)
  %wp = getelementptr i8, ptr %self, i64 $f_weak
  %weak = load ptr, ptr %wp
  %none = icmp eq ptr %weak, null
  br i1 %none, label %clear, label %weakly
weakly:
  call void @PyObject_ClearWeakRefs(ptr %self)
  br label %clear
clear:
  %ignored = call i32 @tsb_callable_clear(ptr %self)
  %fp = getelementptr i8, ptr %self, i64 $f_flags
  %flags = load ptr, ptr %fp
  call void @PyMem_RawFree(ptr %flags)
  %tp = getelementptr i8, ptr %self, i64 $type
  %t = load ptr, ptr %tp
  call void @PyObject_GC_Del(ptr %self)
  call void @Py_DecRef(ptr %t)
  ret void
}

; tp_descr_get: like functions
define ptr @tsb_callable_bind(ptr %self, ptr %object, ptr %type) {
  %null = icmp eq ptr %object, null
  %none = icmp eq ptr %object, @_Py_NoneStruct
  %unbound = or i1 %null, %none
  br i1 %unbound, label %itself, label %method
itself:
  call void @incref(ptr %self)
  ret ptr %self
method:
  %m = call ptr @PyMethod_New(ptr %self, ptr %object)
  ret ptr %m
}
"""


def traverse_text() -> str:
    """The visits of the object fields, one after the other."""
    lines = []
    for name in ("dict", "miss", "names", "defaults", "keep"):
        lines += [
            f"  %p_{name} = getelementptr i8, ptr %self, i64 {FIELDS[name]}",
            f"  %o_{name} = load ptr, ptr %p_{name}",
            f"  %n_{name} = icmp eq ptr %o_{name}, null",
            f"  br i1 %n_{name}, label %after_{name}, label %visit_{name}",
            f"visit_{name}:",
            f"  %r_{name} = call i32 %visit(ptr %o_{name}, ptr %arg)",
            f"  %s_{name} = icmp ne i32 %r_{name}, 0",
            f"  br i1 %s_{name}, label %out_{name}, label %after_{name}",
            f"out_{name}:",
            f"  ret i32 %r_{name}",
            f"after_{name}:",
        ]
    return "\n".join(lines)
