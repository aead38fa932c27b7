"""`DynamicOperators`: operators that compiled code dispatches at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tscript.abi.dispatch import PREFIX
from tscript.definitions.opdef import PythonCall, Structural
from tscript.definitions.values import dtype_of_array
from tscript.operators.python.random_numbers import CALL, refuse_result
from tscript.types import DType

if TYPE_CHECKING:
    from tscript.definitions.python_functions import Direct
    from tscript.pipeline import Compiler
    from tscript.runtime.session.eager import EagerOperators
    from tscript.runtime.session.tensors import Tensors


class DynamicOperators:
    """Runs operators for compiled code.

    Args:
        compiler: Has the table of operators.
        eager: Runs operators of unknown dtypes.
        tensors: Makes tensors of numbers.
        direct: Receives the function that calls NumPy, with what refuses its results of other classes.
        called: Receives eager operators that native code may call itself from then on, with the names of their last
            arguments if these are keywords.
    """

    def __init__(
        self,
        compiler: Compiler,
        eager: EagerOperators,
        tensors: Tensors,
        direct: dict[str, Direct],
        called: dict[str, tuple[Any, tuple[str, ...]]],
    ) -> None:
        self._direct = direct
        self._called = called
        self._compiler = compiler
        self._eager = eager
        self._tensors = tensors

    def run(self, operator_name: str, args: tuple[object, ...]) -> object:
        """Run an operator of compiled code whose dtypes were unknown at compile time, or that is a Python function."""
        if operator_name.startswith(PREFIX):
            return self._compiler.functions[operator_name].semantics(*args)
        op = self._compiler.table[operator_name]
        if isinstance(op.implementation, PythonCall):
            if op is CALL:  # from now on without this detour
                self._direct[operator_name] = op.implementation.function, refuse_result
            return op.implementation.function(*args)
        if isinstance(op.implementation, Structural):  # it has no code: an eager call of it would come here again
            made: Any = op.semantics(*args)
            return made if isinstance(made, DType) else self._tensors.from_array(made, dtype_of_array(made))
        schema = op.schema
        named = {p.name: a for p, a in zip(schema.parameters, args, strict=True) if p.keyword_only}
        name = schema.name if self._compiler.table.is_visible(op) else op.name
        eager = self._eager.of(name)
        found = eager(*args[: len(args) - len(named)], **named)
        if op.library is None and schema.result != "Scalar":
            self._called[operator_name] = eager, tuple(named)
        if schema.result == "Scalar":  # code without the dtype holds the number as a 0-d tensor
            first: Any = args[0]
            return self._tensors.make(found, first.dtype)
        return found
