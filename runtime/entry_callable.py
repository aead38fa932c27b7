"""The callable type as LLVM text: signature keys, the table from key to code, the vectorcall function.

An object of the type (`FIELDS`) carries a table of rows. A call computes a key from its arguments, a few 64-bit words
(`Tag` says how each value appears), looks it up, and on a hit runs the row's stub, which unboxes the arguments, calls the
row's code and boxes the result. On a miss it calls the Python object `miss(callable, args, kwargs)`, whose result is
the call's result; `miss` usually compiles, adds a row and calls again.

Tables are read and written with the GIL held, and native code that releases it holds no pointer into a table. Rows live as
long as the callable; a table that grew is freed with it too, so no reader can ever see freed memory. When the garbage
collector clears a callable it loses its table first: from then on it only misses.

Calls with keywords, with left-out arguments that have defaults, or with lists where tuples are meant are put in order
natively (`arranged`) when the callable has parameter names and defaults; whatever does not fit goes to `miss` unchanged.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from tscript.abi.layout import TENSOR_STRUCT


class Tag(IntEnum):
    """Low byte of the first word of an argument in a key."""

    TENSOR = 1
    """Bits 8 to 39: dtype code; from 40: rank."""
    FLOAT = 2
    INT = 3
    BOOL = 4
    OBJECT = 5
    """The next word is the object's address: dtypes and marker objects."""
    STATIC_INT = 6
    """The next word is the value."""
    STATIC_BOOL = 7
    """Bit 8 is the value."""
    STATIC_FLOAT = 8
    """The next word is the value's bits."""
    TUPLE = 9
    """From bit 8: how many elements; their words follow."""
    NONE = 10


class Flag(IntFlag):
    """How a parameter is treated, one byte for each."""

    DYNAMIC = 0
    """Numbers are passed; only their type is part of the key."""
    STATIC = 1
    """Values of int, bool and float are part of the key (elements of tuples too) and not passed."""
    LIST = 2
    """A list is taken as a tuple."""


MAX_WORDS = 64
"""Of a key; longer ones miss."""
MAX_ARRANGED = 32
"""Parameters of a callable that takes keywords and defaults natively."""
FIRST_CAPACITY = 8

FIELDS: dict[str, int] = {
    name: 16 + 8 * i
    for i, name in enumerate(
        ("vectorcall", "dict", "weak", "nparams", "flags", "table", "miss", "names", "defaults", "keep", "variadic", "rows")
    )
}
"""Offsets of a callable's fields."""

SIZE = 16 + 8 * len(FIELDS)

TABLE = {"mask": 0, "count": 8, "previous": 16, "entries": 24}
"""A table: entries are ``{hash, row}``; a null row ends a probe."""

ROW = {"nwords": 0, "stub": 8, "code": 16, "constants": 24, "words": 32}

KINDS = 8
"""Room for types whose objects are keyed by identity."""

MESSAGES = {
    "m_cleared": "this function has been cleared by the garbage collector",
    "m_full": "a signature table cannot grow further",
}

EXPORTS = (
    "tsb_kinds",
    "tsb_required",
    "tsb_call",
    "tsb_callable_new",
    "tsb_callable_add",
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
        **{f"tb_{name}": at for name, at in TABLE.items()},
        **{f"r_{name}": at for name, at in ROW.items()},
        **{f"tag_{tag.name.lower()}": int(tag) for tag in Tag},
        "flag_static": int(Flag.STATIC),
        "flag_list": int(Flag.LIST),
        "max_words": MAX_WORDS,
        "last_word": MAX_WORDS - 2,
        "max_arranged": MAX_ARRANGED,
        "first_capacity": FIRST_CAPACITY,
        "kinds": KINDS,
        "traverse": traverse_text(),
        "static_true": int(Tag.STATIC_BOOL) + 256,
        "key_layout": TENSOR_STRUCT.offsets["dtype"],
    }


TEXT = """
@tsb_kinds = global [$kinds x ptr] zeroinitializer
@tsb_required = global ptr null

; appends the key words of o to buf, which holds n; the new n, -1 when o has no key, -2 when o is a list to be arranged
define internal i64 @key_one(ptr %o, i8 %flags, ptr %buf, i64 %n) alwaysinline {
  %room = icmp sle i64 %n, $last_word
  br i1 %room, label %look, label %no
look:
  %wp = getelementptr i64, ptr %buf, i64 %n
  %vp = getelementptr i64, ptr %wp, i64 1
  %n1 = add i64 %n, 1
  %n2 = add i64 %n, 2
  %tp = getelementptr i8, ptr %o, i64 $type
  %t = load ptr, ptr %tp
  %tensor = load ptr, ptr @tsb_tensor_type
  %is_tensor = icmp eq ptr %t, %tensor
  br i1 %is_tensor, label %a_tensor, label %not_tensor
a_tensor:
  %ip = getelementptr i8, ptr %o, i64 $body
  %impl = load ptr, ptr %ip
  %lp = getelementptr i8, ptr %impl, i64 $key_layout
  %layout = load i64, ptr %lp
  %lw0 = shl i64 %layout, 8
  %lw = or i64 %lw0, $tag_tensor
  store i64 %lw, ptr %wp
  ret i64 %n1
not_tensor:
  %static0 = and i8 %flags, $flag_static
  %static = icmp ne i8 %static0, 0
  %is_float = icmp eq ptr %t, @PyFloat_Type
  br i1 %is_float, label %a_float, label %not_float
a_float:
  br i1 %static, label %static_float, label %dynamic_float
dynamic_float:
  store i64 $tag_float, ptr %wp
  ret i64 %n1
static_float:
  store i64 $tag_static_float, ptr %wp
  %fp = getelementptr i8, ptr %o, i64 $body
  %bits = load i64, ptr %fp
  store i64 %bits, ptr %vp
  ret i64 %n2
not_float:
  %is_int = icmp eq ptr %t, @PyLong_Type
  br i1 %is_int, label %an_int, label %not_int
an_int:
  br i1 %static, label %static_int, label %dynamic_int
dynamic_int:
  store i64 $tag_int, ptr %wp
  ret i64 %n1
static_int:
  %sn = call i64 @key_static_int(ptr %o, ptr %buf, i64 %n)
  ret i64 %sn
not_int:
  %is_bool = icmp eq ptr %t, @PyBool_Type
  br i1 %is_bool, label %a_bool, label %not_bool
a_bool:
  %true = icmp eq ptr %o, @_Py_TrueStruct
  %sbw = select i1 %true, i64 $static_true, i64 $tag_static_bool
  %bw = select i1 %static, i64 %sbw, i64 $tag_bool
  store i64 %bw, ptr %wp
  ret i64 %n1
not_bool:
  %is_none = icmp eq ptr %o, @_Py_NoneStruct
  br i1 %is_none, label %a_none, label %rare
a_none:
  store i64 $tag_none, ptr %wp
  ret i64 %n1
rare:
  %rn = call i64 @key_rare(ptr %o, ptr %t, i8 %flags, ptr %buf, i64 %n)
  ret i64 %rn
no:
  ret i64 -1
}

define internal i64 @key_static_int(ptr %o, ptr %buf, i64 %n) noinline {
  %overflow = alloca i32
  %v = call i64 @PyLong_AsLongLongAndOverflow(ptr %o, ptr %overflow)
  %over = load i32, ptr %overflow
  %fits = icmp eq i32 %over, 0
  br i1 %fits, label %good, label %no
good:
  %wp = getelementptr i64, ptr %buf, i64 %n
  store i64 $tag_static_int, ptr %wp
  %vp = getelementptr i64, ptr %wp, i64 1
  store i64 %v, ptr %vp
  %n2 = add i64 %n, 2
  ret i64 %n2
no:
  ret i64 -1
}

define internal i64 @key_rare(ptr %o, ptr %t, i8 %flags, ptr %buf, i64 %n) noinline {
entry:
  %wp = getelementptr i64, ptr %buf, i64 %n
  %is_tuple = icmp eq ptr %t, @PyTuple_Type
  br i1 %is_tuple, label %a_tuple, label %not_tuple
a_tuple:
  %cp = getelementptr i8, ptr %o, i64 16
  %count = load i64, ptr %cp
  %items = getelementptr i8, ptr %o, i64 $tuple_items
  %cw0 = shl i64 %count, 8
  %cw = or i64 %cw0, $tag_tuple
  store i64 %cw, ptr %wp
  %n1 = add i64 %n, 1
  br label %each
each:
  %i = phi i64 [ 0, %a_tuple ], [ %i1, %one ]
  %at = phi i64 [ %n1, %a_tuple ], [ %after, %one ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %whole, label %one
one:
  %ep = getelementptr ptr, ptr %items, i64 %i
  %element = load ptr, ptr %ep
  %after = call i64 @key_one(ptr %element, i8 %flags, ptr %buf, i64 %at)
  %i1 = add i64 %i, 1
  %bad = icmp slt i64 %after, 0
  br i1 %bad, label %no, label %each
whole:
  ret i64 %at
not_tuple:
  %is_list = icmp eq ptr %t, @PyList_Type
  br i1 %is_list, label %a_list, label %identity
a_list:
  %lists0 = and i8 %flags, $flag_list
  %lists = icmp ne i8 %lists0, 0
  br i1 %lists, label %arrange, label %no
arrange:
  ret i64 -2
identity:
  %k = phi i64 [ 0, %not_tuple ], [ %k1, %other ]
  %kp = getelementptr ptr, ptr @tsb_kinds, i64 %k
  %kind = load ptr, ptr %kp
  %same = icmp eq ptr %kind, %t
  br i1 %same, label %object, label %other
other:
  %k1 = add i64 %k, 1
  %last = icmp eq i64 %k1, $kinds
  br i1 %last, label %no, label %identity
object:
  store i64 $tag_object, ptr %wp
  %vp = getelementptr i64, ptr %wp, i64 1
  %address = ptrtoint ptr %o to i64
  store i64 %address, ptr %vp
  %n2 = add i64 %n, 2
  ret i64 %n2
no:
  ret i64 -1
}

; key words of all arguments; how many, or negative as key_one says
define internal i64 @keys(ptr %self, ptr %args, i64 %nargs, ptr %buf) alwaysinline {
entry:
  %fp = getelementptr i8, ptr %self, i64 $f_flags
  %flags = load ptr, ptr %fp
  %np = getelementptr i8, ptr %self, i64 $f_nparams
  %nparams = load i64, ptr %np
  %last = sub i64 %nparams, 1
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %n = phi i64 [ 0, %entry ], [ %n1, %one ]
  %done = icmp eq i64 %i, %nargs
  br i1 %done, label %out, label %one
one:
  %ap = getelementptr ptr, ptr %args, i64 %i
  %o = load ptr, ptr %ap
  ; further arguments of a variadic callable are like its last parameter
  %beyond = icmp sgt i64 %i, %last
  %fi = select i1 %beyond, i64 %last, i64 %i
  %flp = getelementptr i8, ptr %flags, i64 %fi
  %flag = load i8, ptr %flp
  %n1 = call i64 @key_one(ptr %o, i8 %flag, ptr %buf, i64 %n)
  %i1 = add i64 %i, 1
  %bad = icmp slt i64 %n1, 0
  br i1 %bad, label %no, label %each
out:
  ret i64 %n
no:
  ret i64 %n1
}

define internal i64 @hash_words(ptr %buf, i64 %n) alwaysinline {
entry:
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %h = phi i64 [ %n, %entry ], [ %h3, %one ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %out, label %one
one:
  %wp = getelementptr i64, ptr %buf, i64 %i
  %w = load i64, ptr %wp
  %h1 = xor i64 %h, %w
  %h2 = mul i64 %h1, -7046029254386353131
  %hs = lshr i64 %h2, 32
  %h3 = xor i64 %h2, %hs
  %i1 = add i64 %i, 1
  br label %each
out:
  ret i64 %h
}

; the row with this key or null
define internal ptr @find(ptr %self, ptr %buf, i64 %n) alwaysinline {
entry:
  %tp = getelementptr i8, ptr %self, i64 $f_table
  %table = load ptr, ptr %tp
  %gone = icmp eq ptr %table, null
  br i1 %gone, label %no, label %begin
begin:
  %hash = call i64 @hash_words(ptr %buf, i64 %n)
  %mask = load i64, ptr %table
  %entries = getelementptr i8, ptr %table, i64 $tb_entries
  br label %probe
probe:
  %at = phi i64 [ %hash, %begin ], [ %further, %next ]
  %slot = and i64 %at, %mask
  %ep = getelementptr { i64, ptr }, ptr %entries, i64 %slot
  %rp = getelementptr i8, ptr %ep, i64 8
  %row = load ptr, ptr %rp
  %free = icmp eq ptr %row, null
  br i1 %free, label %no, label %compare
compare:
  %eh = load i64, ptr %ep
  %alike = icmp eq i64 %eh, %hash
  br i1 %alike, label %length, label %next
length:
  %rn = load i64, ptr %row
  %equal = icmp eq i64 %rn, %n
  br i1 %equal, label %words, label %next
words:
  %i = phi i64 [ 0, %length ], [ %i1, %word ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %yes, label %word
word:
  %ap = getelementptr i64, ptr %buf, i64 %i
  %a = load i64, ptr %ap
  %rw = getelementptr i8, ptr %row, i64 $r_words
  %bp = getelementptr i64, ptr %rw, i64 %i
  %b = load i64, ptr %bp
  %i1 = add i64 %i, 1
  %match = icmp eq i64 %a, %b
  br i1 %match, label %words, label %next
next:
  %further = add i64 %slot, 1
  br label %probe
yes:
  ret ptr %row
no:
  ret ptr null
}

define internal ptr @run_row(ptr %row, ptr %args) alwaysinline {
  %sp = getelementptr i8, ptr %row, i64 $r_stub
  %stub = load ptr, ptr %sp
  %cp = getelementptr i8, ptr %row, i64 $r_code
  %code = load ptr, ptr %cp
  %kp = getelementptr i8, ptr %row, i64 $r_constants
  %constants = load ptr, ptr %kp
  %r = call ptr %stub(ptr %code, ptr %args, ptr %constants)
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
  %r = call ptr @run_row(ptr %row, ptr %args)
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
  %surplus = icmp ugt i64 %nargs, %nparams
  %open = icmp ne i64 %variadic, 0
  %closed = xor i1 %open, true
  %excess = and i1 %surplus, %closed
  br i1 %excess, label %miss, label %sized
sized:
  %n = select i1 %surplus, i64 %nargs, i64 %nparams
  %large = icmp ugt i64 %n, $max_arranged
  br i1 %large, label %miss, label %clear
clear:
  %bytes = shl i64 %n, 3
  call void @llvm.memset.p0.i64(ptr %vec, i8 0, i64 %bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %own, i8 0, i64 %bytes, i1 false)
  %given = shl i64 %nargs, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %vec, ptr %args, i64 %given, i1 false)
  %plain = icmp eq ptr %kwnames, null
  br i1 %plain, label %fill, label %keywords
keywords:
  %nmp = getelementptr i8, ptr %self, i64 $f_names
  %names = load ptr, ptr %nmp
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %miss, label %count
count:
  %kcp = getelementptr i8, ptr %kwnames, i64 16
  %nkw = load i64, ptr %kcp
  %kitems = getelementptr i8, ptr %kwnames, i64 $tuple_items
  %nitems = getelementptr i8, ptr %names, i64 $tuple_items
  br label %keyword
keyword:
  %k = phi i64 [ 0, %count ], [ %k1, %place ]
  %placed = icmp eq i64 %k, %nkw
  br i1 %placed, label %fill, label %search
search:
  %kp = getelementptr ptr, ptr %kitems, i64 %k
  %name = load ptr, ptr %kp
  br label %position
position:
  %j = phi i64 [ 0, %search ], [ %j1, %differs ]
  %unknown = icmp eq i64 %j, %nparams
  br i1 %unknown, label %miss, label %same
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
  %words = call i64 @keys(ptr %self, ptr %vec, i64 %n, ptr %buf)
  %bad = icmp slt i64 %words, 0
  br i1 %bad, label %give_up, label %look
look:
  %row = call ptr @find(ptr %self, ptr %buf, i64 %words)
  %none = icmp eq ptr %row, null
  br i1 %none, label %give_up, label %hit
hit:
  %hr = call ptr @run_row(ptr %row, ptr %vec)
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
  ret ptr %r
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
define ptr @call_any(ptr %callable, ptr %args, i64 %nargs, ptr %kwnames) {
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

define internal ptr @new_table(i64 %capacity) {
  %b0 = shl i64 %capacity, 4
  %bytes = add i64 %b0, $tb_entries
  %table = call ptr @PyMem_RawCalloc(i64 %bytes, i64 1)
  %failed = icmp eq ptr %table, null
  br i1 %failed, label %out, label %good
good:
  %mask = sub i64 %capacity, 1
  store i64 %mask, ptr %table
  br label %out
out:
  ret ptr %table
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

; puts {hash, row} into a table that has room
define internal void @insert(ptr %table, i64 %hash, ptr %row) {
  %mask = load i64, ptr %table
  %entries = getelementptr i8, ptr %table, i64 $tb_entries
  br label %probe
probe:
  %at = phi i64 [ %hash, %0 ], [ %further, %next ]
  %slot = and i64 %at, %mask
  %ep = getelementptr { i64, ptr }, ptr %entries, i64 %slot
  %rp = getelementptr i8, ptr %ep, i64 8
  %there = load ptr, ptr %rp
  %free = icmp eq ptr %there, null
  br i1 %free, label %put, label %next
next:
  %further = add i64 %slot, 1
  br label %probe
put:
  store i64 %hash, ptr %ep
  store ptr %row, ptr %rp
  %cp = getelementptr i8, ptr %table, i64 $tb_count
  %count = load i64, ptr %cp
  %more = add i64 %count, 1
  store i64 %more, ptr %cp
  ret void
}

; 1 added, 0 when the key has a row already, -1 with an exception; constants must be kept alive by keepalive
define i32 @tsb_callable_add(ptr %self, ptr %words, i64 %n, ptr %stub, ptr %code, ptr %constants, ptr %keepalive) {
entry:
  %tp = getelementptr i8, ptr %self, i64 $f_table
  %table = load ptr, ptr %tp
  %gone = icmp eq ptr %table, null
  br i1 %gone, label %cleared, label %check
cleared:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_cleared)
  ret i32 -1
check:
  %old = call ptr @find(ptr %self, ptr %words, i64 %n)
  %known = icmp ne ptr %old, null
  br i1 %known, label %exists, label %list
exists:
  ret i32 0
list:
  %kp = getelementptr i8, ptr %self, i64 $f_keep
  %kept = load ptr, ptr %kp
  %a = call i32 @PyList_Append(ptr %kept, ptr %keepalive)
  %m1 = icmp slt i32 %a, 0
  br i1 %m1, label %bad, label %row
row:
  %wbytes = shl i64 %n, 3
  %rbytes = add i64 %wbytes, $r_words
  %new = call ptr @PyMem_RawCalloc(i64 %rbytes, i64 1)
  %m2 = icmp eq ptr %new, null
  br i1 %m2, label %memory, label %fill
fill:
  store i64 %n, ptr %new
  %sp = getelementptr i8, ptr %new, i64 $r_stub
  store ptr %stub, ptr %sp
  %cp = getelementptr i8, ptr %new, i64 $r_code
  store ptr %code, ptr %cp
  %np = getelementptr i8, ptr %new, i64 $r_constants
  store ptr %constants, ptr %np
  %wp = getelementptr i8, ptr %new, i64 $r_words
  call void @llvm.memcpy.p0.p0.i64(ptr %wp, ptr %words, i64 %wbytes, i1 false)
  %hash = call i64 @hash_words(ptr %words, i64 %n)
  %mask = load i64, ptr %table
  %ctp = getelementptr i8, ptr %table, i64 $tb_count
  %count = load i64, ptr %ctp
  %double = shl i64 %count, 1
  %crowded = icmp uge i64 %double, %mask
  br i1 %crowded, label %grow, label %put
put:
  call void @insert(ptr %table, i64 %hash, ptr %new)
  br label %done
grow:
  %capacity0 = add i64 %mask, 1
  %capacity = shl i64 %capacity0, 1
  %larger = call ptr @new_table(i64 %capacity)
  %m3 = icmp eq ptr %larger, null
  br i1 %m3, label %free_row, label %rehash
rehash:
  %pp = getelementptr i8, ptr %larger, i64 $tb_previous
  store ptr %table, ptr %pp
  %entries = getelementptr i8, ptr %table, i64 $tb_entries
  br label %each
each:
  %i = phi i64 [ 0, %rehash ], [ %i1, %following ]
  %end = icmp ugt i64 %i, %mask
  br i1 %end, label %publish, label %copy
copy:
  %ep = getelementptr { i64, ptr }, ptr %entries, i64 %i
  %erp = getelementptr i8, ptr %ep, i64 8
  %er = load ptr, ptr %erp
  %free = icmp eq ptr %er, null
  br i1 %free, label %following, label %move
move:
  %eh = load i64, ptr %ep
  call void @insert(ptr %larger, i64 %eh, ptr %er)
  br label %following
following:
  %i1 = add i64 %i, 1
  br label %each
publish:
  call void @insert(ptr %larger, i64 %hash, ptr %new)
  store atomic ptr %larger, ptr %tp release, align 8
  br label %done
done:
  %ncp = getelementptr i8, ptr %self, i64 $f_rows
  %nc = load i64, ptr %ncp
  %nc1 = add i64 %nc, 1
  store i64 %nc1, ptr %ncp
  ret i32 1
free_row:
  call void @PyMem_RawFree(ptr %new)
  br label %memory
memory:
  %ignored = call ptr @PyErr_NoMemory()
  br label %bad
bad:
  ret i32 -1
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

define internal void @free_tables(ptr %self) {
entry:
  %tp = getelementptr i8, ptr %self, i64 $f_table
  %newest = load ptr, ptr %tp
  store ptr null, ptr %tp
  %none = icmp eq ptr %newest, null
  br i1 %none, label %out, label %rows
rows:
  %mask = load i64, ptr %newest
  %entries = getelementptr i8, ptr %newest, i64 $tb_entries
  br label %each
each:
  %i = phi i64 [ 0, %rows ], [ %i1, %free ]
  %end = icmp ugt i64 %i, %mask
  br i1 %end, label %tables, label %free
free:
  %ep = getelementptr { i64, ptr }, ptr %entries, i64 %i
  %rp = getelementptr i8, ptr %ep, i64 8
  %row = load ptr, ptr %rp
  call void @PyMem_RawFree(ptr %row)
  %i1 = add i64 %i, 1
  br label %each
tables:
  %table = phi ptr [ %newest, %each ], [ %previous, %one ]
  %done = icmp eq ptr %table, null
  br i1 %done, label %out, label %one
one:
  %pp = getelementptr i8, ptr %table, i64 $tb_previous
  %previous = load ptr, ptr %pp
  call void @PyMem_RawFree(ptr %table)
  br label %tables
out:
  ret void
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
