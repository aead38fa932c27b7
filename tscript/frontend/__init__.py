"""Python source to IR.

`lower` compiles a function of the language, `lower_dialect` one of the low-level dialect. `PythonFunction` is a function
with its source; `module_functions` reads the functions of a file that is never run. Errors arrive as one
`tscript.diagnostics.CompileError` with every diagnostic of the function and of the functions it calls.
"""

from __future__ import annotations

from collections.abc import Mapping

from tscript.frontend.names import NameResolver, Resolver
from tscript.frontend.source import PythonFunction, module_functions
from tscript.ir.graph import Program
from tscript.types import Type


def lower(
    function: PythonFunction,
    resolver: Resolver | None = None,
    *,
    types: Mapping[str, Type] | None = None,
    name: str | None = None,
) -> Program:
    """A function of the language, and all functions it calls, as IR.

    Args:
        function: From `PythonFunction.from_callable`, `PythonFunction.from_text` or `module_functions`.
        resolver: Says what global names mean; `NameResolver` over the whole vocabulary when left out.
        types: Types of parameters by name, before their annotations: for bodies of composite operators.
        name: Name of its graph; the function's qualified name when left out.

    Returns:
        A program whose entry is the function. Tensor values have unknown dtype and rank.

    Raises:
        CompileError: With every error found; also of the natural Python class of the first.

    Example:
        >>> f, = module_functions("def double(x: float) -> float:\\n    return x + x\\n", "d.py")
        >>> print(lower(f))
        graph @double(%x: float) -> float {
          %0: float = add.float(%x, %x)
          return %0
        }
    """
    from tscript.frontend.program import LanguageProgram, graph_name

    builder = LanguageProgram(resolver or NameResolver())
    key: object = function if function.callable is None else function.callable
    instance = builder.lower_instance(function, key, name or graph_name(function), None, types=types)
    return builder.program(instance.graph.name)


__all__ = ["NameResolver", "PythonFunction", "Resolver", "lower", "module_functions"]
