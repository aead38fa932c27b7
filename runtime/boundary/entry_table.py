"""Signature keys and the table from key to code, as LLVM text.

A key is a few 64-bit words computed from the types of the arguments (`Tag` says how each value appears); a row gives
the stub and the code for one key. Tables use open addressing, at most half full, and grow by doubling.

Tables are read and written with the GIL held, and native code that releases it holds no pointer into a table. Rows live
as long as their callable; a table that was outgrown is freed with it too, so no reader ever meets freed memory.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from tscript.abi.tensor_facts import HEADER_WORD, TAG_BITS


class Tag(IntEnum):
    """Low byte of the first word of an argument in a key."""

    TENSOR = 1
    """From bit 8: what is known of the tensor (`tscript.abi.tensor_facts`)."""
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
    KEYWORDS = 11
    """Behind all arguments. From bit 8: how many of the last arguments were given by keyword; their names' addresses
    follow."""

    ANY = 12
    """Says nothing of the value: its type is checked when it is converted."""


class Flag(IntFlag):
    """How a parameter is treated, one byte for each."""

    DYNAMIC = 0
    """Numbers are passed; only their type is part of the key."""
    STATIC = 1
    """Values of int, bool and float are part of the key (elements of tuples too) and not passed."""
    LIST = 2
    """A list is taken as a tuple."""
    STATIC_BOOL = 4
    """As `STATIC`, for bools only."""
    OBJECT = 8
    """The value is converted by its parameter's type and has no part in the key."""
    OBJECTS = 16
    """What has no key otherwise (a list, a str, an instance) is converted and has no part in the key."""


MAX_WORDS = 64
"""Of a key; longer ones miss."""
FIRST_CAPACITY = 8

TABLE = {"mask": 0, "count": 8, "previous": 16, "entries": 24}
"""A table: entries are ``{hash, row}``; a null row ends a probe."""

ROW = {"nwords": 0, "stub": 8, "code": 16, "constants": 24, "unit": 32, "words": 40}

KINDS = 8
"""Room for types whose objects are keyed by identity."""

EXPORTS = ("tsb_kinds", "tsb_callable_add")


def constants() -> dict[str, object]:
    """What ``$names`` in `TEXT` stand for."""
    return {
        **{f"tb_{name}": at for name, at in TABLE.items()},
        **{f"r_{name}": at for name, at in ROW.items()},
        **{f"tag_{tag.name.lower()}": int(tag) for tag in Tag},
        "flag_static": int(Flag.STATIC),
        "flag_list": int(Flag.LIST),
        "flag_object": int(Flag.OBJECT),
        "flag_objects": int(Flag.OBJECTS),
        "flag_static_bools": int(Flag.STATIC | Flag.STATIC_BOOL),
        "max_words": MAX_WORDS,
        "last_word": MAX_WORDS - 2,
        "first_capacity": FIRST_CAPACITY,
        "kinds": KINDS,
        "static_true": int(Tag.STATIC_BOOL) + 256,
        "key_layout": HEADER_WORD,
        "tag_bits": TAG_BITS,
    }


TEXT = """
@tsb_kinds = global [$kinds x ptr] zeroinitializer

; appends the key words of o to buf, which holds n; the new n, -1 when o has no key, -2 when o is a list to be arranged
define internal i64 @key_one(ptr %o, i8 %flags, ptr %buf, i64 %n) alwaysinline {
  %room = icmp sle i64 %n, $last_word
  br i1 %room, label %look, label %no
look:
  %wp = getelementptr i64, ptr %buf, i64 %n
  %vp = getelementptr i64, ptr %wp, i64 1
  %n1 = add i64 %n, 1
  %n2 = add i64 %n, 2
  %object0 = and i8 %flags, $flag_object
  %is_object = icmp ne i8 %object0, 0
  br i1 %is_object, label %an_object, label %typed
an_object:
  store i64 $tag_any, ptr %wp
  ret i64 %n1
typed:
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
  %lw0 = shl i64 %layout, $tag_bits
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
  %fixed0 = and i8 %flags, $flag_static_bools
  %fixed = icmp ne i8 %fixed0, 0
  %true = icmp eq ptr %o, @_Py_TrueStruct
  %sbw = select i1 %true, i64 $static_true, i64 $tag_static_bool
  %bw = select i1 %fixed, i64 %sbw, i64 $tag_bool
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
  br i1 %lists, label %arrange, label %keyless
keyless:
  %objects0 = and i8 %flags, $flag_objects
  %objects = icmp ne i8 %objects0, 0
  br i1 %objects, label %converted, label %no
converted:
  store i64 $tag_any, ptr %wp
  %an = add i64 %n, 1
  ret i64 %an
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
  br i1 %last, label %keyless, label %identity
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

; the one string that stands for all equal to name; borrowed, for comparison of addresses only
define internal ptr @interned(ptr %name) {
  %slot = alloca ptr
  call void @incref(ptr %name)
  store ptr %name, ptr %slot
  call void @PyUnicode_InternInPlace(ptr %slot)
  %one = load ptr, ptr %slot
  call void @decref(ptr %one)
  ret ptr %one
}

; appends the names of keyword arguments to a key of n words; the new n or -1
define internal i64 @key_names(ptr %kwnames, ptr %buf, i64 %n) {
entry:
  %cp = getelementptr i8, ptr %kwnames, i64 16
  %count = load i64, ptr %cp
  %items = getelementptr i8, ptr %kwnames, i64 $tuple_items
  %n1 = add i64 %n, 1
  %end = add i64 %n1, %count
  %long = icmp ugt i64 %end, $max_words
  br i1 %long, label %no, label %head
head:
  %wp = getelementptr i64, ptr %buf, i64 %n
  %w0 = shl i64 %count, 8
  %w = or i64 %w0, $tag_keywords
  store i64 %w, ptr %wp
  %to = getelementptr i64, ptr %buf, i64 %n1
  br label %each
each:
  %i = phi i64 [ 0, %head ], [ %i1, %one ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %out, label %one
one:
  %np = getelementptr ptr, ptr %items, i64 %i
  %name = load ptr, ptr %np
  %same = call ptr @interned(ptr %name)
  %sp = getelementptr ptr, ptr %to, i64 %i
  store ptr %same, ptr %sp
  %i1 = add i64 %i, 1
  br label %each
out:
  ret i64 %end
no:
  ret i64 -1
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
define i32 @tsb_callable_add(ptr %self, ptr %words, i64 %n, ptr %stub, ptr %code, ptr %constants, ptr %unit, ptr %keepalive) {
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
  %up = getelementptr i8, ptr %new, i64 $r_unit
  store ptr %unit, ptr %up
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
"""
