"""The rounding error of float sums, which ``sum`` compensates since Python 3.12."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.scopes import Bound
from tscript.ir.graph import Value
from tscript.operators.python.functions import floats
from tscript.types import BOOL, FLOAT


class Rounding:
    """The rounding error of a sum, as hidden names that its loop carries. As in CPython, an added int has no error, nor
    has the first float that is added to an int.

    Args:
        lowering: Where the sum is lowered.
        start: Its start value.
        span: Where it stands.
    """

    def __init__(self, lowering: FunctionLowering, start: Value, span: Span) -> None:
        self._lowering, self._span = lowering, span
        self._lost, self._is_float = fresh_hidden(lowering), fresh_hidden(lowering)
        self.names = (self._lost, self._is_float)
        self._put(self._lost, lowering.const(0.0, FLOAT, span))
        self._put(self._is_float, lowering.const(start.type == FLOAT, BOOL, span))

    def add(self, total: Value, x: Value, following: Value) -> None:
        """A float `x` was added to `total`, with the result `following`."""
        lowering = self._lowering
        held = [hidden_value(lowering, name) for name in self.names]
        self._put(self._lost, call_function(lowering, floats.lost_in_sum, [*held, total, x, following], self._span))
        self._put(self._is_float, lowering.const(True, BOOL, self._span))

    def put_back(self, total: Value) -> Value:
        """The sum with its rounding error added; this removes the names."""
        lost = hidden_value(self._lowering, self._lost)
        for name in self.names:
            del self._lowering.scope[name]
        return call_function(self._lowering, floats.sum_with_lost, [total, lost], self._span)

    def _put(self, name: str, value: Value) -> None:
        self._lowering.scope[name] = Bound(value, self._span)
