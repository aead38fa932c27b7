"""Signature stubs: functions that unbox Python arguments, run a native function, and box its result.

One stub serves every function of its signature (`tscript.abi.signature`); the code address is an argument::

    PyObject *stub(code, PyObject **args, PyObject *constants)

A *fork stub* has the same form and takes the same arguments, but starts the code as a task of the pool and returns the
future.

`call.py` and `fork.py` write the two, `unboxing.py` and `boxing.py` the halves that they share. `objects.py` writes the
conversion of values by their types, and `state.py` holds a stub while it is written. `tscript.abi.helpers` names the
functions of the boundary to CPython that stubs call.
"""
