"""Random programs that must do the same thing as plain Python, in the interpreter and as native code.

========== ======================================================================
features   what programs may contain, as flags
kinds      the types of values, how they are written and drawn
base       what the parts of the generator share: random choices, names, costs
scalars    expressions over numbers and truth values
texts      expressions over strings
containers expressions and statements over lists, dicts, sets and tuples
classes    enums, records and classes, and values of types that may be one of several
extras     complex numbers, bytes, functions as arguments, and more of classes
tensors    expressions and statements over tensors
operators  norms, losses, products over tensors; results that are written into tensors
library    index tensors, sorting, scans, pieces, named results, further dtypes, random tensors of a seed
memory     tensors as arrays over the same memory, and back
statements control flow, assignments, exceptions
generator  whole modules
outcome    what a run did, and how two runs differ
execute    one program, run in every way there is
shrink     a smaller program that still goes wrong
runner     many programs in child processes, with a record of what was done
ir_types   random types, constants and classes for random IR
ir_graphs  random IR as a file may bring it
ir_execute random IR, run natively and interpreted
arrays     programs over NumPy arrays, against NumPy
parallel   loops over `prange`, in reverse order and on several threads, against Python
mutants    altered archives
files      many of those, in the children of `runner`
========== ======================================================================
"""
