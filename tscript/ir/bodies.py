"""Bodies of operators as IR. The code that lowers source functions passes a `LowerBody` to code that needs the
bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.ir.graph import Program
from tscript.types import Type

LowerBody = Callable[[Callable[..., object], Sequence[Type], str], Program]
"""(body of a `Scalar` or `Composite` operator, argument types, name of the operator) -> a program whose entry is the
body. It is shared: clone what you take from it."""
