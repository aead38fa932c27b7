"""``record_function``: a native type, for a range that nobody listens to must cost next to nothing.

Then it is an allocation and two calls that look at one word. A range entered again while it is open counts how deep it
is and is recorded once. One that ends on another thread than it began on is fine: its record is in nobody's list.
"""

from __future__ import annotations

from tscript.abi.record import HOOK_NAMES, RecordScope
from tscript.dialect import (
    Ptr,
    PyObject,
    PyRange,
    Record,
    RecordSite,
    address,
    atomic_relaxed,
    i64,
    pointer,
    pointer_cast,
    text,
    u8,
)
from tscript.dialect.linkage import COLD, NOINLINE, exported, internal
from tscript.runtime.boundary.native.callable import ARGUMENTS
from tscript.runtime.boundary.native.failures import forget
from tscript.runtime.boundary.native.objects import failed, incref, xdecref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    PyExc_TypeError,
    PyLong_AsSsize_t,
    PyObject_CallFunction,
    PyObject_Free,
    PyType_GenericAlloc,
    PyUnicode_Type,
)
from tscript.runtime.boundary.native.records import HOOKS, WATCHING, close_record, due, open_record
from tscript.runtime.boundary.native.thread import current_thread, watcher

NO_NAME = "record_function() takes one argument, the name of the range, and it must be a str"
USER = int(RecordScope.USER)
RANGE_SITE = HOOK_NAMES.index("range_site")

VARIABLES = ()


@exported("tsb_range_new")
def new(kind: Ptr[PyObject], args: Ptr[Ptr[PyObject]], nargsf: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """``record_function(name)``."""
    if nargsf & ARGUMENTS == 1 and address(kwnames) == 0:
        name = args[0]
        if name.type == PyUnicode_Type:
            made = PyType_GenericAlloc(kind, 0)
            if address(made) != 0:
                incref(name)
                itself = pointer_cast(made, PyRange)
                itself.name = name
                itself.scope = USER
            return made
    return failed(PyExc_TypeError[0], text(NO_NAME))


@exported("tsb_range_enter")
def enter(self: Ptr[PyRange], ignored: Ptr[PyObject]) -> Ptr[PyRange]:
    """``__enter__``."""
    incref(pointer_cast(self, PyObject))
    if atomic_relaxed(WATCHING) != 0:
        begin(self)
    return self


@internal(NOINLINE, COLD)
def begin(self: Ptr[PyRange]) -> None:
    """Enter a range that somebody may be listening to."""
    depth = self.depth
    self.depth = depth + 1
    if depth != 0:
        return
    t = watcher()
    if address(t) == 0:
        return
    site = site_of(self)
    if address(site) != 0:
        if due(t, self.scope):
            self.record = open_record(t, site, pointer(0, u8), pointer(0, i64), 0)


def site_of(self: Ptr[PyRange]) -> Ptr[RecordSite]:
    """The site of a range; null without an exception when the hook raised."""
    if address(self.site) == 0:
        number = PyObject_CallFunction(HOOKS[RANGE_SITE], text("OL"), self.name, self.scope)
        if address(number) == 0:
            forget()
            return pointer(0, RecordSite)
        self.site = pointer(PyLong_AsSsize_t(number), RecordSite)
        Py_DecRef(number)
    return self.site


@exported("tsb_range_exit")
def exit(self: Ptr[PyRange], args: Ptr[Ptr[PyObject]], nargs: i64) -> Ptr[PyObject]:
    """``__exit__``, which lets exceptions pass."""
    if self.depth != 0:
        is_failed = False
        if nargs > 0:
            is_failed = args[0] != Py_None
        end(self, i64(is_failed))
    incref(Py_None)
    return Py_None


@internal(NOINLINE, COLD)
def end(self: Ptr[PyRange], is_failed: i64) -> None:
    """Leave a range that is open."""
    depth = self.depth - 1
    self.depth = depth
    if depth == 0:
        record = self.record
        self.record = pointer(0, Record)
        if address(record) != 0:
            close_record(current_thread(), record, is_failed, pointer(0, u8), pointer(0, i64), 0)


@exported("tsb_range_dealloc")
def dealloc(self: Ptr[PyRange]) -> None:
    """The last reference is gone."""
    if self.depth != 0:
        # A generator was thrown away inside the range.
        self.depth = 1
        end(self, 1)
    xdecref(self.name)
    kind = self.type
    PyObject_Free(pointer_cast(self, PyObject))
    Py_DecRef(kind)


FUNCTIONS = (new, enter, exit, dealloc)
