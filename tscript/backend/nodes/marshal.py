"""Arguments of kernels in the native convention.

Arguments of a kernel by the kind its schema gives them:

=========== ============================================================
kind        native arguments
=========== ============================================================
Tensor      ptr
Tensor?     ptr; None: null (a Generator likewise)
int         i64
int?        i64; None: `NONE_INT`
float       double
float?      double, i64 (1; None: 0)
bool        i8
bool?       i8; None: -1
dtype       i32
dtype?      i32; None: -1; of what makes tensors of no other ones: that of the result
str         ptr to NUL-terminated UTF-8; None: null
int[]       ptr, i64 length; None: length -1 (a Size likewise)
float[]     ptr, i64 length
Tensor[]    ptr, i64 length
Scalar      double, i64: the value as both
Scalar?     double, i64, i64 (1; None: 0)
=========== ============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.abi.layout import NONE_INT
from tscript.abi.leaves import leaves
from tscript.backend.llvm.machine import emit_leaf
from tscript.backend.llvm.types import literal, memory_type
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import Operands
from tscript.backend.nodes.values import tensor_field
from tscript.diagnostics import InternalError
from tscript.dialect import machine
from tscript.ir.graph import Op, Value
from tscript.types import BOOL, FLOAT, INT, NONE, SizeType, TensorType, TupleType, Type, dtype_of


def arguments_of(f: FunctionEmitter, operands: Operands, type: Type) -> list[str]:
    """The leaves of a value as arguments of the native convention."""
    out = []
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if leaf == BOOL:
            operand = f.text.let(f"zext i1 {operand} to i8")
        out.append(f"{memory_type(leaf)} {operand}")
    return out


def marshalled(f: FunctionEmitter, node: Op) -> list[str]:
    """The arguments of an operator in the convention of kernels."""
    found: list[str] = []
    for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=True):
        made = node.outputs[0].type if parameter.kind == "dtype?" and _takes_default(node, value) else None
        if isinstance(made, TensorType) and made.dtype is not None:
            found.append(f"i32 {made.dtype.code}")
        else:
            found += _MARSHAL[parameter.kind](f, value)
    return found


def _takes_default(node: Op, dtype: Value) -> bool:
    """Whether a dtype is left out that no tensor says: the result has the default one, or one that numbers suggest."""
    return dtype.type == NONE and not any(isinstance(value.type, TensorType) for value in node.inputs)


def _is_none(value: Value) -> bool:
    return value.type == NONE


def _as_int(f: FunctionEmitter, value: Value) -> str:
    """A number as an i64."""
    return converted(f, f.operand(value), value.type, INT)


def _as_float(f: FunctionEmitter, value: Value) -> str:
    """A number as a double."""
    return converted(f, f.operand(value), value.type, FLOAT)


def converted(f: FunctionEmitter, operand: str, source: Type, target: Type) -> str:
    if source == target:
        return operand
    if dtype_of(source) is None:
        raise InternalError(f"a {source} where a number is expected", f.graph.span)
    return emit_leaf(f.text, machine.CONVERT, [operand], [source], target)


def _tensor(f: FunctionEmitter, value: Value) -> list[str]:
    return ["ptr null"] if _is_none(value) else [f"ptr {f.operand(value)}"]


def _int(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"i64 {NONE_INT}"] if _is_none(value) else [f"i64 {_as_int(f, value)}"]


def _maybe_int(f: FunctionEmitter, value: Value) -> list[str]:
    """The int that encodes None is replaced by the next one, which is not a valid dimension or position either."""
    if _is_none(value):
        return [f"i64 {NONE_INT}"]
    if type(value.constant) is int:
        return [f"i64 {max(value.constant, NONE_INT + 1)}"]
    f.text.declare_function("llvm.smax.i64", "i64", ["i64", "i64"])
    return [f"i64 {f.text.let(f'call i64 @llvm.smax.i64(i64 {_as_int(f, value)}, i64 {NONE_INT + 1})')}"]


def _float(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"double {_as_float(f, value)}"]


def _optional_float(f: FunctionEmitter, value: Value) -> list[str]:
    return ["double 0.0", "i64 0"] if _is_none(value) else [f"double {_as_float(f, value)}", "i64 1"]


def _bool(f: FunctionEmitter, value: Value) -> list[str]:
    if _is_none(value):
        return ["i8 -1"]
    return [f"i8 {f.text.let(f'zext i1 {converted(f, f.operand(value), value.type, BOOL)} to i8')}"]


def known_dtype(f: FunctionEmitter, value: Value) -> list[str]:
    return ["i32 -1"] if _is_none(value) else [f"i32 {f.operand(value)}"]


def _str(f: FunctionEmitter, value: Value) -> list[str]:
    return ["ptr null"] if _is_none(value) else [f"ptr {text_of(f, value)}"]


def text_of(f: FunctionEmitter, value: Value) -> str:
    constant = value.constant
    if not isinstance(constant, str):
        raise InternalError("a str is not a constant", value.span)
    return f.module.constants.text(constant)


def _scalar(f: FunctionEmitter, value: Value) -> list[str]:
    constant = value.constant
    if isinstance(constant, bool | int | float):
        as_int = machine.CONVERT.semantics(constant, INT)
        return [f"double {literal(float(constant), FLOAT)}", f"i64 {literal(as_int, INT)}"]
    return [f"double {_as_float(f, value)}", f"i64 {_as_int(f, value)}"]


def _optional_scalar(f: FunctionEmitter, value: Value) -> list[str]:
    return ["double 0.0", "i64 0", "i64 0"] if _is_none(value) else [*_scalar(f, value), "i64 1"]


def ints(f: FunctionEmitter, value: Value) -> list[str]:
    """Ints as address and length."""
    type = value.type
    if type == NONE:
        return ["ptr null", "i64 -1"]
    operands = f.operands(value)
    if isinstance(type, SizeType):
        return [
            f"ptr {tensor_field(f, operands[0], 'data', 'ptr')}",
            f"i64 {tensor_field(f, operands[0], 'numel', 'i64')}",
        ]
    elements = type.elements if isinstance(type, TupleType) else (type,)
    return _array(f, [converted(f, o, t, INT) for o, t in zip(operands, elements, strict=True)], "i64")


def _floats(f: FunctionEmitter, value: Value) -> list[str]:
    elements = value.type.elements if isinstance(value.type, TupleType) else (value.type,)
    operands = f.operands(value)
    return _array(f, [converted(f, o, t, FLOAT) for o, t in zip(operands, elements, strict=True)], "double")


def tensors(f: FunctionEmitter, value: Value) -> list[str]:
    """Tensors as address and length."""
    return _array(f, f.operands(value), "ptr")


def _array(f: FunctionEmitter, elements: Sequence[str], native: str) -> list[str]:
    """An array on the stack, as address and length."""
    if not elements:
        return ["ptr null", "i64 0"]
    text = f.text
    array = text.alloca(f"[{len(elements)} x {native}]", "array")
    for i, element in enumerate(elements):
        cell = text.let(f"getelementptr {native}, ptr {array}, i64 {i}") if i else array
        text.line(f"store {native} {element}, ptr {cell}")
    return [f"ptr {array}", f"i64 {len(elements)}"]


def _no_such_argument(f: FunctionEmitter, value: Value) -> list[str]:
    raise InternalError("a kernel cannot take an argument of kind Any", value.span)


_MARSHAL: dict[str, Callable[[FunctionEmitter, Value], list[str]]] = {
    "Tensor": _tensor,
    "Tensor?": _tensor,
    "Generator?": _tensor,
    "int": _int,
    "int?": _maybe_int,
    "float": _float,
    "float?": _optional_float,
    "bool": _bool,
    "bool?": _bool,
    "dtype": known_dtype,
    "dtype?": known_dtype,
    "str": _str,
    "str?": _str,
    "int[]": ints,
    "int[1]": ints,
    "int[]?": ints,
    "int[1]?": ints,
    "float[]": _floats,
    "Tensor[]": tensors,
    "Scalar": _scalar,
    "Scalar?": _optional_scalar,
    "None": lambda f, value: [],
    "Any": _no_such_argument,
}


# Dynamic dispatch
