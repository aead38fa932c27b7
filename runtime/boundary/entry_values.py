"""Values of a record as Python objects, as LLVM text: what `Boundary.values` does, for the kinds that are common.

A callback that asked for inputs gets them for every operator, so numbers and tensors are boxed here. Records with
values of any other kind (tuples, texts, dtypes) ask the hook, which knows all.
"""

from __future__ import annotations

TEXT = """
; values of a record as a tuple; the empty one, without an exception, when that fails
define internal ptr @values(ptr %kinds, i64 %n, ptr %cells) {
  %absent = icmp eq ptr %cells, null
  %zero = icmp eq i64 %n, 0
  %none = or i1 %absent, %zero
  br i1 %none, label %nothing, label %begin
begin:
  %tuple = call ptr @PyTuple_New(i64 %n)
  %memory = icmp eq ptr %tuple, null
  br i1 %memory, label %forget, label %fill
fill:
  %items = getelementptr i8, ptr %tuple, i64 $tuple_items
  br label %each
each:
  %i = phi i64 [ 0, %fill ], [ %i1, %store ]
  %kp = getelementptr i8, ptr %kinds, i64 %i
  %kind = load i8, ptr %kp
  %cp = getelementptr i64, ptr %cells, i64 %i
  %cell = load i64, ptr %cp
  %pointer = inttoptr i64 %cell to ptr
  switch i8 %kind, label %ask [
    i8 $k_none, label %nil
    i8 $k_int, label %int
    i8 $k_float, label %float
    i8 $k_bool, label %bool
    i8 $k_tensor, label %tensor
    i8 $k_object, label %object
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
tensor:
  %wrapped = call ptr @tsb_wrap_borrowed(ptr %pointer)
  br label %boxed
object:
  call void @incref(ptr %pointer)
  br label %boxed
boxed:
  %o = phi ptr [ @_Py_NoneStruct, %nil ], [ %long, %int ], [ %real, %float ], [ %truth, %bool ],
               [ %wrapped, %tensor ], [ %pointer, %object ]
  %failed = icmp eq ptr %o, null
  br i1 %failed, label %drop, label %store
store:
  %at = getelementptr ptr, ptr %items, i64 %i
  store ptr %o, ptr %at
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %each, label %done
done:
  ret ptr %tuple
ask:
  call void @decref(ptr %tuple)
  %hp = getelementptr ptr, ptr @tsb_record_hooks, i64 2
  %hook = load ptr, ptr %hp
  %k = ptrtoint ptr %kinds to i64
  %c = ptrtoint ptr %cells to i64
  %r = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_lll, i64 %k, i64 %n, i64 %c)
  %refused = icmp eq ptr %r, null
  br i1 %refused, label %forget, label %out
out:
  ret ptr %r
drop:
  call void @decref(ptr %tuple)
  br label %forget
forget:
  call void @forget()
  br label %nothing
nothing:
  %empty = load ptr, ptr @tsb_empty
  call void @incref(ptr %empty)
  ret ptr %empty
}
"""
