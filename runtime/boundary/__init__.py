"""The boundary to CPython: Python calls native code through it, and native code calls Python.

Half of it is native. `native` is compiled from the low-level dialect to one module, and `native_module` loads it.
`boundary` is the Python half, an object for each thing it does. Which file to read for what:

- A call of a scripted function: `native.callable` (the type, and what a call does), `native.table` (keys and rows),
  `native.keys`; rows are added by `callables`, and checked by `row_check`.
- Arguments and results: stubs (`tscript.backend.stubs`, compiled by `stubs`) call `native.boxes` and `native.tensor`;
  values of all other types go through kernels (`converter`).
- `Tensor`: `native.tensor` and `native.special_methods`; `tensor_objects`, `tensor_slots`. The types: `type_objects`.
- Native code calls Python: `native.gil`, `native.python_calls`, then `dispatch` and `dispatch_values`.
- Errors: `native.failures`; functions whose frames do not show in tracebacks: `hidden_functions`.
- Callbacks of operators: `native.observed_calls`, `native.records`, `native.python_records`, `native.ranges`.
- Threads, forks of the process: `native.thread`, `native.heap`, `atfork`. Tasks: `native.tasks`, and `pool`, which is a
  module of its own.
- What is called of CPython: `native.python_api`; which interpreters are known: `tscript.runtime.values.interpreter`.
"""
