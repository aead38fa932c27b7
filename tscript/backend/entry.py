"""Signature stubs: LLVM text that takes Python arguments out of their boxes, runs a native function, boxes its result.

A signature is written as one text, parameters before the colon and the result behind it, one letter a value:

====== ================================== =========================================
letter as a parameter                     as a result
====== ================================== =========================================
``f``  float                              float
``i``  int (or bool), OverflowError       int
``b``  bool                               bool
``T``  Tensor, borrowed                   Tensor, owned
``d``  dtype                              dtype
``w``  int (or bool) as a native float
``F``  Future, borrowed                   Future, owned
``S``                                     Size: rank-1 int64 tensor to tuple of ints
``_``  present in the call, not passed
``N``                                     None
``c``                                     the next one of the row's constants
``()`` tuple, its elements flattened      tuple
====== ================================== =========================================

So ``"Tf(ii)_:(Tf)"`` takes a tensor, a float, a tuple of two ints and something static, and returns a pair.
One stub serves every function of its signature; the code address is an argument::

    PyObject *stub(code, PyObject **args, PyObject *constants)

A *fork stub* has the same form and takes the same arguments, but starts the code as a task of the pool and returns the
future; its constants are two addresses, of what `result_kinds` gives and of what callbacks need of the code or 0.

The helpers it calls (`HELPERS`) belong to the boundary module of the runtime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tscript.abi.layout import CONTEXT, FUTURE, MAX_DEPTH
from tscript.abi.symbols import FORK, FUTURE_NEW, TENSOR_RELEASE, TENSOR_RETAIN
from tscript.backend.optimise import LIGHT
from tscript.backend.text import Text
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, SIZE, STR, FutureType, TensorType, TupleType, Type

PARAMETER_LETTERS = frozenset("fibTFdw_")
RESULT_LETTERS = frozenset("fibTFdSNc")

HELPERS: dict[str, str] = {
    "tsb_unbox_int": "declare i32 @tsb_unbox_int(ptr, ptr, i64)",
    "tsb_unbox_dtype": "declare i32 @tsb_unbox_dtype(ptr)",
    "tsb_wrap": "declare ptr @tsb_wrap(ptr)",
    "tsb_box_size": "declare ptr @tsb_box_size(ptr)",
    "tsb_box_dtype": "declare ptr @tsb_box_dtype(i32)",
    "tsb_box_constant": "declare ptr @tsb_box_constant(ptr, i64)",
    "tsb_pack": "declare ptr @tsb_pack(ptr, i64)",
    "tsb_unbox_future": "declare ptr @tsb_unbox_future(ptr)",
    "tsb_box_future": "declare ptr @tsb_box_future(ptr)",
    "tsb_fail": "declare ptr @tsb_fail(ptr, i32)",
}
"""What stubs import from the boundary module: symbol and declaration."""

OBJECT_TYPE = 8
"""Offset of a PyObject's type."""
OBJECT_BODY = 16
"""Offset of what follows a PyObject's head: the double of a float, the `TensorImpl` of a Tensor."""

Item = str | tuple["Item", ...]
"""One value of a signature: its letter, or the items of a tuple."""

_NATIVE = {"f": "double", "i": "i64", "b": "i8", "T": "ptr", "d": "i32", "w": "double", "S": "ptr", "F": "ptr"}


@dataclass(frozen=True)
class Signature:
    """A native signature as Python sees it.

    Attributes:
        parameters: One item for each positional argument of the call.
        result: The item of the result.

    Example:
        >>> parse_signature("Tf:(Ti)")
        Signature(parameters=('T', 'f'), result=('T', 'i'))
    """

    parameters: tuple[Item, ...]
    result: Item

    def __str__(self) -> str:
        return f"{''.join(map(_spell, self.parameters))}:{_spell(self.result)}"

    @property
    def symbol(self) -> str:
        """Name of the stub: a plain identifier, one for each signature."""
        spelled = str(self).replace("_", "s").replace("(", "O").replace(")", "C").replace(":", "_")
        return f"tss_{spelled}"

    @property
    def fork_symbol(self) -> str:
        """Name of the fork stub."""
        return self.symbol.replace("tss_", "tsk_", 1)


def _spell(item: Item) -> str:
    return item if isinstance(item, str) else f"({''.join(map(_spell, item))})"


def leaves(item: Item) -> Iterator[str]:
    """The letters of `item` with tuples flattened."""
    if isinstance(item, str):
        yield item
    else:
        for inner in item:
            yield from leaves(inner)


def parse_signature(text: str) -> Signature:
    """The signature written as `text`.

    Raises:
        ValueError: It is not one; the message says where.
    """
    parameters, colon, result = text.partition(":")
    if not colon:
        raise ValueError(f"a signature needs a colon before its result: {text!r}")
    found = _parse(parameters, PARAMETER_LETTERS, text)
    results = _parse(result, RESULT_LETTERS, text)
    if len(results) != 1:
        raise ValueError(f"a signature has one result, which may be a tuple: {text!r}")
    return Signature(found, results[0])


def _parse(part: str, letters: frozenset[str], text: str) -> tuple[Item, ...]:
    stack: list[list[Item]] = [[]]
    for sign in part:
        if sign == "(":
            stack.append([])
        elif sign == ")" and len(stack) > 1:
            inner = tuple(stack.pop())
            stack[-1].append(inner)
        elif sign in letters:
            stack[-1].append(sign)
        else:
            raise ValueError(f"{sign!r} has no place in {part!r} of the signature {text!r}")
    if len(stack) != 1:
        raise ValueError(f"a parenthesis is not closed in the signature {text!r}")
    return tuple(stack[0])


_PARAMETERS: dict[Type, str] = {INT: "i", FLOAT: "f", BOOL: "b", DTYPE: "d", NONE: "_", STR: "_"}
_RESULTS: dict[Type, str] = {INT: "i", FLOAT: "f", BOOL: "b", DTYPE: "d", NONE: "N", STR: "c", SIZE: "S"}


def _item(type: Type, scalars: dict[Type, str]) -> Item:
    match type:
        case TensorType():
            return "T"
        case FutureType():
            return "F"
        case TupleType():
            return tuple(_item(e, scalars) for e in type.elements)
    if type not in scalars:
        raise ValueError(f"a value of type {type} does not cross the boundary")
    return scalars[type]


def signature_of(parameters: Sequence[Type], result: Type, static: Sequence[bool] = ()) -> Signature:
    """The signature of a graph with these parameter and result types.

    Args:
        parameters: Types of all parameters, static ones included.
        result: Type of the result. A `STR` becomes ``c``, a constant of the row.
        static: For each parameter, whether its value is part of the key and so not passed; missing ones are False.

    Raises:
        ValueError: A type has no Python form (pointers, structs, a Size parameter).

    Example:
        >>> str(signature_of([TensorType(), INT, BOOL], TensorType(), [False, False, True]))
        'Ti_:T'
    """
    skip = [*static, *[False] * len(parameters)]
    items = ("_" if skip[i] else _item(t, _PARAMETERS) for i, t in enumerate(parameters))
    return Signature(tuple(items), _item(result, _RESULTS))


def result_kinds(type: Type) -> bytes:
    r"""What a `Future` says of its result: the letters of the leaves, NUL, the type, NUL.

    Example:
        >>> result_kinds(TupleType((TensorType(), INT)))
        b'(Ti)\x00tuple[Tensor, int]\x00'
    """
    return f"{_spell(_item(type, _RESULTS))}\0{type}\0".encode()


def stub_text(signature: Signature, declarations: dict[str, str], tuple_items: int) -> str:
    """The stub of `signature` as one LLVM function.

    Args:
        signature: What it takes and returns.
        declarations: Receives the module-level lines it needs, by symbol; one dict for all functions of a module.
        tuple_items: Offset of the first item of a Python tuple.
    """
    text = Text(declarations)
    stub = _Stub(text, tuple_items)
    context = text.alloca(f"[{CONTEXT.size} x i8], align 16", "context")
    for name, value in (("depth", f"i64 {MAX_DEPTH}"), ("thread_state", "ptr null"), ("ntrace", "i64 0")):
        text.line(f"store {value}, ptr {stub.at(context, CONTEXT.offsets[name])}")
    passed = [f"ptr {context}"]
    for position, item in enumerate(signature.parameters):
        box = text.let(f"load ptr, ptr {stub.at('%args', 8 * position)}", "arg")
        stub.unbox(item, box, position, passed)
    outs = [text.alloca(_NATIVE[leaf], "out") for leaf in leaves(signature.result) if leaf in _NATIVE]
    passed += [f"ptr {out}" for out in outs]
    status = text.let(f"call i32 %code({', '.join(passed)})", "status")
    state = text.let(f"load ptr, ptr {stub.at(context, CONTEXT.offsets['thread_state'])}", "state")
    held = text.let(f"icmp eq ptr {state}, null", "held")
    text.branch_if(held, "holding", "restore")
    text.label("restore")
    text.declare("declare void @PyEval_RestoreThread(ptr)")
    text.line(f"call void @PyEval_RestoreThread(ptr {state})")
    text.branch("holding")
    text.label("holding")
    good = text.let(f"icmp eq i32 {status}, 0", "good")
    text.branch_if(good, "returned", "failed")
    text.label("failed")
    nothing = stub.helper("tsb_fail", f"ptr {context}, i32 {status}")
    text.terminate(f"ret ptr {nothing}")
    text.label("returned")
    stub.constants = 0
    text.terminate(f"ret ptr {stub.box(signature.result, iter(outs))}")
    if stub.can_fail:
        text.label("refused")
        text.terminate("ret ptr null")
    return text.function(f"define ptr @{signature.symbol}(ptr %code, ptr %args, ptr %constants)")


def fork_text(signature: Signature, declarations: dict[str, str], tuple_items: int) -> str:
    """The fork stub of `signature`, and the function that runs its tasks; see `stub_text`."""
    text = Text(declarations)
    stub = _Stub(text, tuple_items)
    given: list[str] = []
    for position, item in enumerate(signature.parameters):
        box = text.let(f"load ptr, ptr {stub.at('%args', 8 * position)}", "arg")
        stub.unbox(item, box, position, given)
    text.declare("declare ptr @PyLong_AsVoidPtr(ptr)")
    kinds, unit = (
        text.let(f"call ptr @PyLong_AsVoidPtr(ptr {number})", "address")
        for number in [
            text.let(f"load ptr, ptr {stub.at('%constants', tuple_items + 8 * i)}", "number") for i in (0, 1)
        ]
    )
    context = text.alloca(f"[{CONTEXT.size} x i8], align 16", "context")
    for name, value in (("depth", f"i64 {MAX_DEPTH}"), ("thread_state", "ptr null"), ("ntrace", "i64 0")):
        text.line(f"store {value}, ptr {stub.at(context, CONTEXT.offsets[name])}")
    results = [leaf for leaf in leaves(signature.result) if leaf in _NATIVE]
    run = f"@{signature.fork_symbol.replace('tsk_', 'tsr_', 1)}"
    out = text.alloca("ptr", "out")
    text.declare(f"declare i32 @{FUTURE_NEW}(ptr, i64, i64, ptr, ptr, ptr)")
    sizes = f"i64 {len(results)}, i64 {len(given)}"
    status = text.let(f"call i32 @{FUTURE_NEW}(ptr {context}, {sizes}, ptr {run}, ptr {kinds}, ptr {out})", "status")
    text.branch_if(text.let(f"icmp eq i32 {status}, 0", "good"), "fill", "failed")
    text.label("failed")
    text.terminate(f"ret ptr {stub.helper('tsb_fail', f'ptr {context}, i32 {status}')}")
    text.label("fill")
    future = text.let(f"load ptr, ptr {out}", "future")
    counted = [letter in "TF" for item in signature.parameters for letter in leaves(item) if letter != "_"]
    for name, value in (("code", "%code"), ("unit", unit)):
        text.line(f"store ptr {value}, ptr {stub.at(future, FUTURE.offsets[name])}")
    for cell, (value, is_counted) in enumerate(zip(given, counted, strict=True), len(results)):
        text.line(f"store {value}, ptr {stub.at(future, FUTURE.size + 8 * cell)}")
        if is_counted:
            text.declare(f"declare i32 @{TENSOR_RETAIN}(ptr, ptr)")
            text.line(f"call i32 @{TENSOR_RETAIN}(ptr {context}, {value})")
    text.declare(f"declare i32 @{FORK}(ptr, ptr)")
    text.line(f"call i32 @{FORK}(ptr {context}, ptr {future})")
    text.terminate(f"ret ptr {stub.helper('tsb_box_future', f'ptr {future}')}")
    if stub.can_fail:
        text.label("refused")
        text.terminate("ret ptr null")
    starter = text.function(f"define ptr @{signature.fork_symbol}(ptr %code, ptr %args, ptr %constants)")
    return f"{_run_text(run, given, counted, len(results), declarations)}\n{starter}"


def _run_text(
    run: str, given: Sequence[str], counted: Sequence[bool], results: int, declarations: dict[str, str]
) -> str:
    """The function that runs the tasks of a fork stub."""
    text = Text(declarations)
    stub = _Stub(text, 0)
    arguments = []
    for cell, value in enumerate(given, results):
        place = stub.at("%future", FUTURE.size + 8 * cell)
        arguments.append(text.let(f"load {value.partition(' ')[0]}, ptr {place}", "given"))
    code = text.let(f"load ptr, ptr {stub.at('%future', FUTURE.offsets['code'])}", "code")
    passed = [f"{value.partition(' ')[0]} {name}" for value, name in zip(given, arguments, strict=True)]
    outs = [f"ptr {stub.at('%future', FUTURE.size + 8 * cell)}" for cell in range(results)]
    status = text.let(f"call i32 {code}({', '.join(['ptr %ctx', *passed, *outs])})", "status")
    for name, is_counted in zip(arguments, counted, strict=True):
        if is_counted:
            text.declare(f"declare i32 @{TENSOR_RELEASE}(ptr, ptr)")
            text.line(f"call i32 @{TENSOR_RELEASE}(ptr %ctx, ptr {name})")
    text.terminate(f"ret i32 {status}")
    return text.function(f"define internal i32 {run}(ptr %ctx, ptr %future)")


class _Stub:
    """Emits the two halves of a stub into one `Text`."""

    def __init__(self, text: Text, tuple_items: int) -> None:
        self.text = text
        self.tuple_items = tuple_items
        self.can_fail = False
        self.constants = 0

    def at(self, base: str, offset: int) -> str:
        return base if offset == 0 else self.text.let(f"getelementptr i8, ptr {base}, i64 {offset}", "at")

    def helper(self, symbol: str, arguments: str) -> str:
        declaration = HELPERS[symbol]
        self.text.declare(declaration)
        return self.text.let(f"call {declaration.split()[1]} @{symbol}({arguments})", "h")

    def refuse_if(self, condition: str) -> None:
        """Leave with the exception that is set when the i1 `condition` holds."""
        self.can_fail = True
        following = self.text.fresh_label("fine")
        self.text.branch_if(condition, "refused", following)
        self.text.label(following)

    def unbox(self, item: Item, box: str, position: int, passed: list[str]) -> None:
        """Append to `passed` the native arguments that the object `box` stands for."""
        text = self.text
        if not isinstance(item, str):
            for index, inner in enumerate(item):
                element = text.let(f"load ptr, ptr {self.at(box, self.tuple_items + 8 * index)}", "element")
                self.unbox(inner, element, position, passed)
            return
        match item:
            case "f":
                passed.append("double " + text.let(f"load double, ptr {self.at(box, OBJECT_BODY)}", "f"))
            case "T":
                passed.append("ptr " + text.let(f"load ptr, ptr {self.at(box, OBJECT_BODY)}", "impl"))
            case "F":
                future = self.helper("tsb_unbox_future", f"ptr {box}")
                self.refuse_if(text.let(f"icmp eq ptr {future}, null", "failed"))
                passed.append(f"ptr {future}")
            case "b":
                text.declare("@_Py_TrueStruct = external global i8")
                true = text.let(f"icmp eq ptr {box}, @_Py_TrueStruct", "true")
                passed.append("i8 " + text.let(f"zext i1 {true} to i8", "b"))
            case "i":
                slot = text.alloca("i64", "int")
                failed = self.helper("tsb_unbox_int", f"ptr {box}, ptr {slot}, i64 {position + 1}")
                self.refuse_if(text.let(f"icmp ne i32 {failed}, 0", "failed"))
                passed.append("i64 " + text.let(f"load i64, ptr {slot}", "i"))
            case "w":
                text.declare("declare double @PyLong_AsDouble(ptr)")
                text.declare("declare ptr @PyErr_Occurred()")
                value = text.let(f"call double @PyLong_AsDouble(ptr {box})", "w")
                doubtful = text.let(f"fcmp oeq double {value}, -1.0", "doubtful")
                look, fine = text.fresh_label("look"), text.fresh_label("fine")
                text.branch_if(doubtful, look, fine)
                text.label(look)
                error = text.let("call ptr @PyErr_Occurred()", "error")
                self.can_fail = True
                text.branch_if(text.let(f"icmp ne ptr {error}, null", "failed"), "refused", fine)
                text.label(fine)
                passed.append(f"double {value}")
            case "d":
                code = self.helper("tsb_unbox_dtype", f"ptr {box}")
                self.refuse_if(text.let(f"icmp slt i32 {code}, 0", "failed"))
                passed.append(f"i32 {code}")

    def box(self, item: Item, outs: Iterator[str]) -> str:
        """An owned reference to the Python form of `item`, null with an exception set. Takes over owned tensors."""
        text = self.text
        if not isinstance(item, str):
            boxes = text.alloca(f"[{max(1, len(item))} x ptr]", "boxes")
            for index, inner in enumerate(item):
                box = self.box(inner, outs)
                text.line(f"store ptr {box}, ptr {self.at(boxes, 8 * index)}")
            return self.helper("tsb_pack", f"ptr {boxes}, i64 {len(item)}")
        match item:
            case "N":
                return self.singleton("@_Py_NoneStruct")
            case "c":
                self.constants += 1
                return self.helper("tsb_box_constant", f"ptr %constants, i64 {self.constants - 1}")
        native = _NATIVE[item]
        value = text.let(f"load {native}, ptr {next(outs)}", "value")
        match item:
            case "f":
                text.declare("declare ptr @PyFloat_FromDouble(double)")
                return text.let(f"call ptr @PyFloat_FromDouble(double {value})", "box")
            case "i":
                text.declare("declare ptr @PyLong_FromLongLong(i64)")
                return text.let(f"call ptr @PyLong_FromLongLong(i64 {value})", "box")
            case "b":
                text.declare("@_Py_TrueStruct = external global i8")
                text.declare("@_Py_FalseStruct = external global i8")
                true = text.let(f"icmp ne i8 {value}, 0", "true")
                return self.singleton(text.let(f"select i1 {true}, ptr @_Py_TrueStruct, ptr @_Py_FalseStruct", "box"))
            case "T":
                return self.helper("tsb_wrap", f"ptr {value}")
            case "F":
                return self.helper("tsb_box_future", f"ptr {value}")
            case "S":
                return self.helper("tsb_box_size", f"ptr {value}")
            case _:
                return self.helper("tsb_box_dtype", f"i32 {value}")

    def singleton(self, value: str) -> str:
        """A new reference to None, True or False."""
        if value.startswith("@"):
            self.text.declare(f"{value} = external global i8")
        self.text.declare("declare void @Py_IncRef(ptr)")
        self.text.line(f"call void @Py_IncRef(ptr {value})")
        return value


def stubs_module(signatures: Sequence[Signature], tuple_items: int) -> str:
    """A whole module with the stubs of `signatures`; it imports `HELPERS` and symbols of the interpreter."""
    declarations: dict[str, str] = {}
    bodies = [stub_text(s, declarations, tuple_items) for s in signatures]
    return LIGHT + "\n".join([*declarations.values(), *bodies]) + "\n"


def fork_module(signature: Signature, tuple_items: int) -> str:
    """A whole module with the fork stub of `signature`; it imports as `stubs_module` does, and runtime symbols."""
    declarations: dict[str, str] = {}
    body = fork_text(signature, declarations, tuple_items)
    return LIGHT + "\n".join([*declarations.values(), body]) + "\n"
