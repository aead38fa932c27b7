"""The whole way as readable functions: source -> graph -> specialise -> optimise -> LLVM -> native code.

`Compiler` holds what one process compiles with: the operator table, the kernels of the runtime (handed to it as data),
the target machine and the object cache. Its methods are the stages, in order::

    check       Python source       -> typed IR, generic over dtypes and ranks
    specialise  generic IR + types  -> IR for these argument types
    optimise    IR                  -> IR after the passes
    emit        IR                  -> LLVM text
    build       LLVM text           -> relocatable object (from the cache where it can)
    load        object              -> address in this process

Nothing here knows of Python objects at run time; `tscript.runtime` does.
"""

from tscript.pipeline.compiled import Compiled
from tscript.pipeline.compiler import Compiler, KernelSource, Options, entry_symbol, keep_reachable

__all__ = [
    "Compiled",
    "Compiler",
    "KernelSource",
    "Options",
    "entry_symbol",
    "keep_reachable",
]
