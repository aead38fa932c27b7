"""Tokens of debug info, which native code takes from thread to task and back without the GIL.

A token is the address of a `DebugToken`, or 0. Only Python looks at its object (`tscript.runtime.public.debug_info`).
"""

from __future__ import annotations

from tscript.abi.boundary import DEBUG_TOKEN
from tscript.dialect import (
    DebugToken,
    Ptr,
    PyObject,
    Void,
    address,
    atomic_add,
    atomic_add_relaxed,
    field,
    i64,
    pointer,
    pointer_cast,
)
from tscript.dialect.linkage import exported
from tscript.runtime.boundary.native.gil import drop_owner
from tscript.runtime.boundary.native.objects import incref
from tscript.runtime.boundary.native.python_api import PyMem_RawCalloc, PyMem_RawFree

TOKEN_BYTES = DEBUG_TOKEN.size
VARIABLES = ()


@exported("tsb_debug_new")
def new_token(o: Ptr[PyObject]) -> i64:
    """A token of an object, with one reference; 0 without memory. Called with the GIL held."""
    made = pointer_cast(PyMem_RawCalloc(TOKEN_BYTES, 1), DebugToken)
    if address(made) != 0:
        incref(o)
        made.object = o
        made.references = 1
    return address(made)


@exported("ts_debug_retain_v1")
def retain_token(token: i64) -> i64:
    """One reference more; the token."""
    if token != 0:
        atomic_add_relaxed(field(pointer(token, DebugToken), "references"), 1)
    return token


@exported("ts_debug_release_v1")
def release_token(token: i64) -> None:
    """One reference less; the last one drops the object, from any thread."""
    if token == 0:
        return
    known = pointer(token, DebugToken)
    if atomic_add(field(known, "references"), -1) == 1:
        drop_owner(known.object)
        PyMem_RawFree(pointer_cast(known, Void))


FUNCTIONS = (new_token, retain_token, release_token)
