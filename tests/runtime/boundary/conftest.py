"""A model of CPython over checked memory: objects with counted references, and the functions that the boundary
calls."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from tscript.abi.boundary import PY_OBJECT
from tscript.abi.python import TUPLE_ITEMS
from tscript.dialect import Ptr, PyObject, Void, memory_model, memset, pointer, pointer_cast
from tscript.dialect.memory_model import Pointer, allocate, free, space, to_address
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.objects import items_of

ROOM = 64
"""Bytes of an object without items."""


IMMORTAL = (1 << 32) - 1


class Python:
    """An interpreter.

    Attributes:
        error: Name of the exception that is set, and its message or value.
        memory: How many more allocations succeed.
        initialized: 0: the interpreter has ended.
        gil: How often it is held.
        interrupts: How often Ctrl-C was delivered again.
        destructors: What frees the objects of a type, by its address.
    """

    def __init__(self) -> None:
        self.error: tuple[str, Any] | None = None
        self.memory = 1 << 30
        self.initialized = 1
        self.gil = 0
        self.interrupts = 0
        self.destructors: dict[int, Callable[[Any], None]] = {}
        self.values: dict[int, Any] = {}
        self._children: dict[int, list[Any]] = {}
        self._interned: dict[str, Any] = {}
        found = space().functions
        for name in dir(self):
            if name.startswith("Py"):
                found[name] = getattr(self, name)
        for name in dir(api):
            if name.startswith("PyExc_"):
                exception: Any = self.made(api.PyLong_Type, name)
                getattr(api, name)[0] = exception
        kind = self.made(api.PyLong_Type, "NoneType")
        for one, itself in ((api.Py_None, kind), (api.Py_True, api.PyBool_Type), (api.Py_False, api.PyBool_Type)):
            one.refcount, one.type = IMMORTAL, itself
        self.values |= {to_address(api.Py_None): None, to_address(api.Py_True): True, to_address(api.Py_False): False}
        self._born = set(self.values)

    # Objects

    def made(self, kind: Any, value: Any = None, size: int = ROOM) -> Any:
        """A new object."""
        made: Any = allocate(size, PyObject, f"object {value!r}")
        memset(made, 0, size)
        made.refcount, made.type = 1, kind
        self.values[to_address(made)] = value
        return made

    def real(self, value: float) -> Any:
        """A float."""
        made = self.made(api.PyFloat_Type, value)
        (bits,) = struct.unpack("<q", struct.pack("<d", value))
        pointer_cast(made, _i64)[2] = bits
        return made

    def integer(self, value: int) -> Any:
        """An int."""
        return self.made(api.PyLong_Type, value)

    def string(self, value: str, *, interned: bool = True) -> Any:
        """A str; one that is interned is the only one."""
        if not interned:
            return self.made(api.PyBool_Type, value)
        if value not in self._interned:
            self._interned[value] = self.made(api.PyBool_Type, value)
        one = self._interned[value]
        one.refcount = one.refcount + 1
        return one

    def tuple_of(self, *items: Any) -> Any:
        """A tuple; takes the references over."""
        made = self.PyTuple_New(len(items))
        for i, item in enumerate(items):
            self.PyTuple_SetItem(made, i, item)
        return made

    def list_of(self, *items: Any) -> Any:
        """A list; takes the references over."""
        made = self.made(api.PyList_Type, "list")
        self._children[to_address(made)] = list(items)
        return made

    def instance(self, value: object = "instance") -> Any:
        """An object of some other class, which goes with it."""
        kind = self.made(api.PyLong_Type, "class")
        made = self.made(kind, value)
        self._children[to_address(made)] = [kind]
        return made

    def vector(self, *objects: Any) -> Any:
        """An array of borrowed objects."""
        made: Any = allocate(8 * max(1, len(objects)), Ptr[PyObject], "vector")
        for i, o in enumerate(objects):
            made[i] = o
        return made

    def value(self, o: Any) -> Any:
        """What an object stands for; of tuples and lists, those of their items."""
        if o.type not in (api.PyTuple_Type, api.PyList_Type):
            return self.values[to_address(o)]
        return tuple(self.value(item) for item in self._items(o))

    def _items(self, o: Any) -> list[Any]:
        """The objects that an object refers to."""
        if o.type == api.PyTuple_Type:
            return [items_of(o)[i] for i in range(pointer_cast(o, _i64)[2])]
        return self._children.get(to_address(o), [])

    @property
    def alive(self) -> int:
        """How many objects there are that code made."""
        return sum(1 for address in self.values if address not in self._born) - len(self._interned)

    def _fails(self) -> bool:
        self.memory -= 1
        if self.memory < 0:
            self.error = ("MemoryError", None)
            return True
        return False

    # The C API

    def Py_DecRef(self, o: Any) -> None:
        o.refcount = o.refcount - 1
        if o.refcount == 0:
            address = to_address(o)
            if destructor := self.destructors.get(to_address(o.type)):
                destructor(o)
                return
            for child in self._items(o):
                if to_address(child):
                    self.Py_DecRef(child)
            self._children.pop(address, None)
            del self.values[address]
            free(Pointer(o._region, o._offset, o._type))

    def PyErr_SetString(self, kind: Any, message: Any) -> None:
        self.error = (self.values[to_address(kind)].removeprefix("PyExc_"), str_at(message))

    def PyErr_SetObject(self, kind: Any, value: Any) -> None:
        self.error = ("object", self.values[to_address(value)])

    def PyErr_NoMemory(self) -> Any:
        self.error = ("MemoryError", None)
        return pointer(0, PyObject)

    def PyErr_Occurred(self) -> Any:
        if self.error is None:
            return pointer(0, PyObject)
        return getattr(api, f"PyExc_{self.error[0]}", api.PyExc_SystemError)[0]

    def PyErr_Clear(self) -> None:
        self.error = None

    def PyErr_GivenExceptionMatches(self, kind: Any, other: Any) -> int:
        return int(kind == other)

    def PyErr_SetInterrupt(self) -> None:
        self.interrupts += 1

    def PyErr_Fetch(self, kind: Any, value: Any, traceback: Any) -> None:
        kind[0], value[0], traceback[0] = (pointer(0, PyObject) for _ in range(3))
        if self.error is not None:
            kind[0], value[0] = self.PyErr_Occurred(), self.made(api.PyLong_Type, self.error)
            kind[0].refcount = kind[0].refcount + 1
        self.error = None

    def PyErr_NormalizeException(self, kind: Any, value: Any, traceback: Any) -> None:
        pass

    def PyErr_Restore(self, kind: Any, value: Any, traceback: Any) -> None:
        self.error = self.values[to_address(value)] if to_address(value) else None
        for o in (kind, value, traceback):
            if to_address(o):
                self.Py_DecRef(o)

    def Py_IsInitialized(self) -> int:
        return self.initialized

    def PyGILState_Ensure(self) -> int:
        self.gil += 1
        return 0

    def PyGILState_Release(self, state: int) -> None:
        self.gil -= 1

    def PyMem_RawCalloc(self, size: int, count: int) -> Any:
        if self._fails():
            return pointer(0, Void)
        made: Any = allocate(size * count, Void, "raw")
        memset(made, 0, size * count)
        return made

    def PyMem_RawFree(self, p: Any) -> None:
        free(p)

    def PyLong_AsLongLongAndOverflow(self, o: Any, overflow: Any) -> int:
        value: int = self.values[to_address(o)]
        overflow[0] = 0 if -(1 << 63) <= value < 1 << 63 else 1
        return value if overflow[0] == 0 else -1

    def PyLong_AsSsize_t(self, o: Any) -> int:
        value: int = self.values[to_address(o)]
        return value

    def PyLong_FromLongLong(self, value: int) -> Any:
        return pointer(0, PyObject) if self._fails() else self.integer(value)

    def PyTuple_New(self, n: int) -> Any:
        if self._fails():
            return pointer(0, PyObject)
        made = self.made(api.PyTuple_Type, "tuple", TUPLE_ITEMS + 8 * n)
        pointer_cast(made, _i64)[2] = n
        memset(items_of(made), 0, 8 * n)
        return made

    def PyTuple_SetItem(self, t: Any, i: int, item: Any) -> int:
        items_of(t)[i] = item
        return 0

    def PyList_New(self, n: int) -> Any:
        return pointer(0, PyObject) if self._fails() else self.list_of()

    def PyList_Append(self, items: Any, item: Any) -> int:
        item.refcount = item.refcount + 1
        self._children[to_address(items)].append(item)
        return 0

    def PyList_AsTuple(self, items: Any) -> Any:
        if self._fails():
            return pointer(0, PyObject)
        for item in self._children[to_address(items)]:
            item.refcount = item.refcount + 1
        return self.tuple_of(*self._children[to_address(items)])

    def PyDict_New(self) -> Any:
        return pointer(0, PyObject) if self._fails() else self.made(api.PyLong_Type, {})

    def PyDict_SetItem(self, d: Any, key: Any, value: Any) -> int:
        self.values[to_address(d)][self.values[to_address(key)]] = self.value(value)
        return 0

    def PyUnicode_InternInPlace(self, slot: Any) -> None:
        one = self.string(self.values[to_address(slot[0])])
        self.Py_DecRef(slot[0])
        slot[0] = one

    def PyObject_Call(self, callable: Any, args: Any, kwargs: Any) -> Any:
        called: Callable[..., Any] = self.values[to_address(callable)]
        return called(*self._items(args))

    def PyObject_CallFunction(self, callable: Any, form: Any, *args: Any) -> Any:
        return self.values[to_address(callable)](*args)

    def PyObject_CallOneArg(self, callable: Any, arg: Any) -> Any:
        return self.values[to_address(callable)](arg)

    def PyObject_Vectorcall(self, callable: Any, args: Any, n: int, names: Any) -> Any:
        return self.values[to_address(callable)](*(args[i] for i in range(n)))

    def PyObject_GetAttrString(self, o: Any, name: Any) -> Any:
        found = self.values[to_address(o)][str_at(name)]
        found.refcount = found.refcount + 1
        return found

    def PyType_GenericAlloc(self, kind: Any, n: int) -> Any:
        if self._fails():
            return pointer(0, PyObject)
        kind.refcount = kind.refcount + 1
        return self.made(kind, "new", 256)

    def PyObject_Malloc(self, size: int) -> Any:
        return pointer(0, PyObject) if self._fails() else self.made(pointer(0, PyObject), "wrapper", size)

    def PyObject_Free(self, o: Any) -> None:
        self.PyObject_GC_Del(o)

    def PyObject_Init(self, o: Any, kind: Any) -> Any:
        o.refcount, o.type = 1, kind
        kind.refcount = kind.refcount + 1
        return o

    def PyObject_GC_UnTrack(self, o: Any) -> None:
        assert self.values[to_address(o)] is not None

    def PyObject_GC_Del(self, o: Any) -> None:
        del self.values[to_address(o)]
        free(Pointer(o._region, o._offset, o._type))

    def PyMethod_New(self, function: Any, instance: Any) -> Any:
        return self.made(api.PyLong_Type, ("method", to_address(function), to_address(instance)))


_i64 = PY_OBJECT.field("refcount").type


def str_at(p: Any) -> str:
    """A NUL-terminated string."""
    data = bytearray()
    while p[len(data)]:
        data.append(p[len(data)])
    return data.decode()


@pytest.fixture
def python() -> Python:
    """An interpreter in an empty address space."""
    memory_model.reset()
    return Python()
