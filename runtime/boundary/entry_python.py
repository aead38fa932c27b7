"""Calls of Python functions from native code, as LLVM text: what `Boundary._dispatch` does, for numbers and None.

`tsb_python_functions` is a dict of the functions that can be called so
(`tscript.operators.python.python_calls.PythonFunctions.direct`): by the name of the operator, the function, and what
looks at a result that is of another class than the operator's rule says. It gives one of that class, or raises.
Everything else goes to the hook, which knows all.
"""

from __future__ import annotations

MAX_ARGUMENTS = 16
"""Of a call that is made here."""

STACK = 24 << 10
"""Bytes of stack that have to be left for a call: what is called may be compiled code again, and it may raise."""

INTERNALS = ("tsb_python_functions",)
"""Symbols that the Python half uses."""

EXTERNALS = """
@PyExc_RecursionError = external global ptr
declare double @PyFloat_AsDouble(ptr)
"""

TEXT = """
@tsb_python_functions = global ptr null

; whether an object is what a leaf of a result must be
define internal i1 @python_fits(ptr %o, i8 %kind) {
  %tp = getelementptr i8, ptr %o, i64 8
  %type = load ptr, ptr %tp
  switch i8 %kind, label %none [
    i8 $k_int, label %int
    i8 $k_float, label %float
    i8 $k_bool, label %bool
  ]
int:
  %i = icmp eq ptr %type, @PyLong_Type
  ret i1 %i
float:
  %f = icmp eq ptr %type, @PyFloat_Type
  ret i1 %f
bool:
  %b = icmp eq ptr %type, @PyBool_Type
  ret i1 %b
none:
  %n = icmp eq ptr %o, @_Py_NoneStruct
  ret i1 %n
}

; the status of a call; -1: it is none that is made here, and nothing has been done
define internal i32 @python_call(ptr %name, i64 %nargs, ptr %kinds, ptr %cells, ptr %out) {
entry:
  %vec = alloca [$max_arguments x ptr]
  %overflow = alloca i32
  %functions = load ptr, ptr @tsb_python_functions
  %unset = icmp eq ptr %functions, null
  %long_call = icmp ugt i64 %nargs, $max_arguments
  %no = or i1 %unset, %long_call
  br i1 %no, label %other, label %result
result:
  %rp = getelementptr i8, ptr %kinds, i64 %nargs
  %first = load i8, ptr %rp
  %nothing = icmp eq i8 %first, -1
  br i1 %nothing, label %look, label %single
single:
  %ep = getelementptr i8, ptr %rp, i64 1
  %end = load i8, ptr %ep
  %one = icmp eq i8 %end, -1
  br i1 %one, label %simple, label %other
simple:
  switch i8 %first, label %other [
    i8 $k_int, label %look
    i8 $k_float, label %look
    i8 $k_bool, label %look
  ]
look:
  %entry_of = call ptr @PyDict_GetItemString(ptr %functions, ptr %name)
  %unknown = icmp eq ptr %entry_of, null
  br i1 %unknown, label %other, label %check
check:
  %c = phi i64 [ 0, %look ], [ %c1, %next ]
  %checked = icmp eq i64 %c, %nargs
  br i1 %checked, label %begin, label %kind_of
kind_of:
  %ckp = getelementptr i8, ptr %kinds, i64 %c
  %ck = load i8, ptr %ckp
  switch i8 %ck, label %other [
    i8 $k_none, label %next
    i8 $k_int, label %next
    i8 $k_float, label %next
    i8 $k_bool, label %next
  ]
next:
  %c1 = add i64 %c, 1
  br label %check
begin:
  %items = getelementptr i8, ptr %entry_of, i64 $tuple_items
  %function = load ptr, ptr %items
  %second = getelementptr ptr, ptr %items, i64 1
  %conform = load ptr, ptr %second
  br label %each
each:
  %i = phi i64 [ 0, %begin ], [ %i1, %store ]
  %full = icmp eq i64 %i, %nargs
  br i1 %full, label %call, label %box
box:
  %kp = getelementptr i8, ptr %kinds, i64 %i
  %kind = load i8, ptr %kp
  %cp = getelementptr i64, ptr %cells, i64 %i
  %cell = load i64, ptr %cp
  switch i8 %kind, label %nil [
    i8 $k_int, label %int
    i8 $k_float, label %float
    i8 $k_bool, label %bool
  ]
nil:
  call void @incref(ptr @_Py_NoneStruct)
  br label %boxed
int:
  %long = call ptr @PyLong_FromLongLong(i64 %cell)
  br label %boxed
float:
  %double = bitcast i64 %cell to double
  %real = call ptr @PyFloat_FromDouble(double %double)
  br label %boxed
bool:
  %false = icmp eq i64 %cell, 0
  %truth = select i1 %false, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @incref(ptr %truth)
  br label %boxed
boxed:
  %o = phi ptr [ @_Py_NoneStruct, %nil ], [ %long, %int ], [ %real, %float ], [ %truth, %bool ]
  %failed = icmp eq ptr %o, null
  br i1 %failed, label %give_up, label %store
store:
  %at = getelementptr ptr, ptr %vec, i64 %i
  store ptr %o, ptr %at
  %i1 = add i64 %i, 1
  br label %each
give_up:
  br label %drop
call:
  %called = call ptr @PyObject_Vectorcall(ptr %function, ptr %vec, i64 %nargs, ptr null)
  br label %drop
drop:
  %r = phi ptr [ null, %give_up ], [ %called, %call ]
  br label %drops
drops:
  %d = phi i64 [ 0, %drop ], [ %d1, %dropping ]
  %dropped = icmp eq i64 %d, %i
  br i1 %dropped, label %given, label %dropping
dropping:
  %dp = getelementptr ptr, ptr %vec, i64 %d
  %argument = load ptr, ptr %dp
  call void @decref(ptr %argument)
  %d1 = add i64 %d, 1
  br label %drops
given:
  %error = icmp eq ptr %r, null
  br i1 %error, label %bad, label %look_at
look_at:
  %fits = call i1 @python_fits(ptr %r, i8 %first)
  br i1 %fits, label %unbox, label %convert
convert:
  %converted = call ptr @PyObject_CallOneArg(ptr %conform, ptr %r)
  call void @decref(ptr %r)
  %refused = icmp eq ptr %converted, null
  br i1 %refused, label %bad, label %unbox
unbox:
  %value = phi ptr [ %r, %look_at ], [ %converted, %convert ]
  switch i8 %first, label %good [
    i8 $k_int, label %as_int
    i8 $k_float, label %as_float
    i8 $k_bool, label %as_bool
  ]
as_int:
  store i32 0, ptr %overflow
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %value, ptr %overflow)
  %over = load i32, ptr %overflow
  %fine = icmp eq i32 %over, 0
  br i1 %fine, label %write_int, label %too_large
write_int:
  store i64 %number, ptr %out
  br label %good
too_large:
  call void @decref(ptr %value)
  %oe = load ptr, ptr @PyExc_OverflowError
  call void @PyErr_SetString(ptr %oe, ptr @m_large)
  br label %bad
as_float:
  %as_double = call double @PyFloat_AsDouble(ptr %value)
  store double %as_double, ptr %out
  br label %good
as_bool:
  %true = icmp eq ptr %value, @_Py_TrueStruct
  %word = zext i1 %true to i64
  store i64 %word, ptr %out
  br label %good
good:
  call void @decref(ptr %value)
  ret i32 0
bad:
  ret i32 $python
other:
  ret i32 -1
}
"""

MESSAGES = {
    "m_large": "the int does not fit into 64 bits",
    "m_deep": "maximum recursion depth exceeded: the stack is used up",
}


def constants() -> dict[str, object]:
    """What ``$names`` in `TEXT` stand for, besides those that the other parts have."""
    return {"max_arguments": MAX_ARGUMENTS, "python_stack": STACK}
