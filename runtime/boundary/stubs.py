"""Signature stubs: LLVM text that takes Python arguments out of their boxes, runs a native function, boxes its result.

One stub serves every function of its signature (`tscript.abi.signature`); the code address is an argument::

    PyObject *stub(code, PyObject **args, PyObject *constants)

A *fork stub* has the same form and takes the same arguments, but starts the code as a task of the pool and returns the
future; its constants are two addresses, of what `result_kinds` gives and of what callbacks need of the code or 0.

The helpers it calls (`HELPERS`) belong to the boundary module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tscript.abi.checked import IS_CHECKED
from tscript.abi.layout import CONTEXT, FUTURE, MARSHAL, MAX_DEPTH, NO_STACK
from tscript.abi.python import OBJECT_BODY
from tscript.abi.signature import Item, Signature, is_object, letters
from tscript.abi.symbols import FORK, FUTURE_NEW, MARSHAL_END, OBJECT_IN, OBJECT_OUT, TENSOR_RELEASE, TENSOR_RETAIN
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.text import Text


class Prototype(NamedTuple):
    """LLVM types of a function."""

    result: str
    parameters: tuple[str, ...]


HELPERS: dict[str, Prototype] = {
    "tsb_unbox_int": Prototype("i32", ("ptr", "ptr", "i64")),
    "tsb_unbox_dtype": Prototype("i32", ("ptr",)),
    "tsb_wrap": Prototype("ptr", ("ptr",)),
    "tsb_box_size": Prototype("ptr", ("ptr",)),
    "tsb_box_dtype": Prototype("ptr", ("i32",)),
    "tsb_box_constant": Prototype("ptr", ("ptr", "i64")),
    "tsb_pack": Prototype("ptr", ("ptr", "i64")),
    "tsb_unbox_future": Prototype("ptr", ("ptr",)),
    "tsb_box_future": Prototype("ptr", ("ptr",)),
    "tsb_keep": Prototype("ptr", ("ptr", "i64")),
    "tsb_fail": Prototype("ptr", ("ptr", "i32")),
    "tsb_fail_in": Prototype("ptr", ("ptr", "i32", "ptr")),
}
"""What stubs import from the boundary module, by symbol."""

OBJECT_KERNELS: dict[str, Prototype] = {
    OBJECT_IN: Prototype("i32", ("ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "i64", "ptr")),
    OBJECT_OUT: Prototype("i32", ("ptr", "ptr", "ptr", "ptr", "ptr")),
    MARSHAL_END: Prototype("i32", ("ptr", "ptr", "i64", "ptr")),
}
"""Kernels that stubs with objects call, by symbol."""

_NATIVE = {
    "f": "double",
    "i": "i64",
    "b": "i8",
    "T": "ptr",
    "d": "i32",
    "w": "double",
    "S": "ptr",
    "F": "ptr",
    "p": "ptr",
}


_FRESH = (
    ("depth", f"i64 {MAX_DEPTH}"), ("thread_state", "ptr null"), ("ntrace", "i64 0"), ("stack", f"i64 {NO_STACK}"),
    *([("at", "ptr null")] if IS_CHECKED else []),
)  # fmt: skip
"""What a new context begins with."""


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
    for name, value in _FRESH:
        text.line(f"store {value}, ptr {stub.at(context, CONTEXT.offsets[name])}")
    if signature.has_objects:
        stub.begin_marshal(context)
    passed = [f"ptr {context}"]
    for position, item in enumerate(signature.parameters):
        box = text.let(f"load ptr, ptr {stub.at('%args', 8 * position)}", "arg")
        stub.unbox(item, box, position, passed)
    outs = []
    for leaf in letters(signature.result):
        if leaf in _NATIVE:
            outs.append(text.alloca(_NATIVE[leaf], "out"))
            passed.append(f"ptr {outs[-1]}")
        elif is_object(leaf):
            outs.append(stub.zeros(len(leaf) - 3))
            passed += [f"ptr {stub.at(outs[-1], 8 * i)}" for i in range(len(leaf) - 3)]
    status = text.let(f"call i32 %code({', '.join(passed)})", "status")
    state = text.let(f"load ptr, ptr {stub.at(context, CONTEXT.offsets['thread_state'])}", "state")
    held = text.let(f"icmp eq ptr {state}, null", "held")
    text.branch_if(held, "holding", "restore")
    text.label("restore")
    text.declare_function("PyEval_RestoreThread", "void", ["ptr"])
    text.line(f"call void @PyEval_RestoreThread(ptr {state})")
    text.branch("holding")
    text.label("holding")
    good = text.let(f"icmp eq i32 {status}, 0", "good")
    text.branch_if(good, "returned", "failed")
    text.label("failed")
    nothing = stub.helper("tsb_fail_in", f"ptr {context}, i32 {status}, ptr {stub.marshal or 'null'}")
    stub.end_marshal(called=True)
    text.terminate(f"ret ptr {nothing}")
    text.label("returned")
    box = stub.box(signature.result, iter(outs))
    failed = stub.end_marshal(called=True)
    if failed:
        text.terminate(f"ret ptr {stub.helper('tsb_keep', f'ptr {box}, i64 {failed}')}")
    else:
        text.terminate(f"ret ptr {box}")
    if stub.can_fail:
        text.label("refused")
        stub.end_marshal(called=False)
        text.terminate("ret ptr null")
    return text.function(f"define ptr @{signature.symbol}(ptr %code, ptr %args, ptr %constants) #0")


def fork_text(signature: Signature, declarations: dict[str, str], tuple_items: int) -> str:
    """The fork stub of `signature`, and the function that runs its tasks; see `stub_text`."""
    if signature.has_objects:
        raise ValueError(f"a call with the signature {signature} cannot be forked")
    text = Text(declarations)
    stub = _Stub(text, tuple_items)
    given: list[str] = []
    for position, item in enumerate(signature.parameters):
        box = text.let(f"load ptr, ptr {stub.at('%args', 8 * position)}", "arg")
        stub.unbox(item, box, position, given)
    text.declare_function("PyLong_AsVoidPtr", "ptr", ["ptr"])
    kinds, unit, owner = (
        text.let(f"call ptr @PyLong_AsVoidPtr(ptr {number})", "address")
        for number in [
            text.let(f"load ptr, ptr {stub.at('%constants', tuple_items + 8 * i)}", "number") for i in (0, 1, 2)
        ]
    )
    context = text.alloca(f"[{CONTEXT.size} x i8], align 16", "context")
    for name, value in _FRESH:
        text.line(f"store {value}, ptr {stub.at(context, CONTEXT.offsets[name])}")
    results = [leaf for leaf in letters(signature.result) if leaf in _NATIVE]
    run = f"@{signature.fork_symbol.replace('tsk_', 'tsr_', 1)}"
    out = text.alloca("ptr", "out")
    text.declare_function(FUTURE_NEW, "i32", ["ptr", "i64", "i64", "ptr", "ptr", "ptr"])
    sizes = f"i64 {len(results)}, i64 {len(given)}"
    status = text.let(f"call i32 @{FUTURE_NEW}(ptr {context}, {sizes}, ptr {run}, ptr {kinds}, ptr {out})", "status")
    text.branch_if(text.let(f"icmp eq i32 {status}, 0", "good"), "fill", "failed")
    text.label("failed")
    text.terminate(f"ret ptr {stub.helper('tsb_fail', f'ptr {context}, i32 {status}')}")
    text.label("fill")
    future = text.let(f"load ptr, ptr {out}", "future")
    counted = [letter in "TF" for item in signature.parameters for letter in letters(item) if letter != "_"]
    for name, value in (("code", "%code"), ("unit", unit), ("owner", owner)):
        text.line(f"store ptr {value}, ptr {stub.at(future, FUTURE.offsets[name])}")
    text.branch_if(text.let(f"icmp eq ptr {owner}, null", "lasting"), "give", "hold")
    text.label("hold")
    text.line(f"atomicrmw add ptr {owner}, i64 1 monotonic")
    text.branch("give")
    text.label("give")
    for cell, (value, is_counted) in enumerate(zip(given, counted, strict=True), len(results)):
        text.line(f"store {value}, ptr {stub.at(future, FUTURE.size + 8 * cell)}")
        if is_counted:
            text.declare_function(TENSOR_RETAIN, "i32", ["ptr", "ptr"])
            text.line(f"call i32 @{TENSOR_RETAIN}(ptr {context}, {value})")
    text.declare_function(FORK, "i32", ["ptr", "ptr"])
    text.line(f"call i32 @{FORK}(ptr {context}, ptr {future})")
    text.terminate(f"ret ptr {stub.helper('tsb_box_future', f'ptr {future}')}")
    if stub.can_fail:
        text.label("refused")
        text.terminate("ret ptr null")
    starter = text.function(f"define ptr @{signature.fork_symbol}(ptr %code, ptr %args, ptr %constants) nounwind")
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
            text.declare_function(TENSOR_RELEASE, "i32", ["ptr", "ptr"])
            text.line(f"call i32 @{TENSOR_RELEASE}(ptr %ctx, ptr {name})")
    text.terminate(f"ret i32 {status}")
    return text.function(f"define internal i32 {run}(ptr %ctx, ptr %future) #0")


class _Stub:
    """Emits the two halves of a stub into one `Text`."""

    def __init__(self, text: Text, tuple_items: int) -> None:
        self.text = text
        self.tuple_items = tuple_items
        self.can_fail = False
        self.constants = 0
        self.context = ""
        self.marshal = ""
        self.said = ""

    def zeros(self, words: int) -> str:
        """That many words on the stack, all 0."""
        words = max(1, words)
        found = self.text.alloca(f"[{words} x i64]", "zeros")
        self.text.line(f"store [{words} x i64] zeroinitializer, ptr {found}")
        return found

    def begin_marshal(self, context: str) -> None:
        """Room for what the call knows of Python objects."""
        self.context = context
        self.marshal = self.text.alloca(f"[{MARSHAL.size} x i8], align 16", "marshal")
        self.text.line(f"store [{MARSHAL.offsets['first'] // 8} x i64] zeroinitializer, ptr {self.marshal}")
        self.said = self.text.alloca("i64", "said")

    def end_marshal(self, called: bool) -> str:
        """Write back and give back; an i64 that is not 0 when that failed. Nothing without objects."""
        if not self.marshal:
            return ""
        self.kernel(MARSHAL_END, f"ptr {self.context}, ptr {self.marshal}, i64 {int(called)}, ptr {self.said}")
        return self.text.let(f"load i64, ptr {self.said}", "failed")

    def kernel(self, symbol: str, arguments: str) -> str:
        """A call of a kernel; its status."""
        self.text.declare_function(symbol, *OBJECT_KERNELS[symbol])
        return self.text.let(f"call i32 @{symbol}({arguments})", "status")

    def constant(self) -> str:
        """The next constant, borrowed."""
        self.constants += 1
        place = self.at("%constants", self.tuple_items + 8 * (self.constants - 1))
        return self.text.let(f"load ptr, ptr {place}", "constant")

    def type_info(self) -> str:
        """The next constant, which is the address of a `TypeInfo` as the bits of a float."""
        return self.text.let(f"load ptr, ptr {self.at(self.constant(), OBJECT_BODY)}", "info")

    def unbox_object(self, item: str, box: str, passed: list[str]) -> None:
        """Append the leaves of a value that is converted by its type."""
        text = self.text
        frame = text.alloca(f"[{len(item) - 1} x i64]", "frame")
        info, label = self.type_info(), self.constant()
        text.line(f"store i64 0, ptr {self.said}")
        arguments = f"ptr {box}, ptr {info}, ptr {label}, ptr {frame}, i64 {int(item[0] == 'M')}, ptr {self.said}"
        status = self.kernel(OBJECT_IN, f"ptr {self.context}, ptr {self.marshal}, {arguments}")
        raised, fine = text.fresh_label("raised"), text.fresh_label("converted")
        text.branch_if(text.let(f"icmp eq i32 {status}, 0", "good"), fine, raised)
        text.label(raised)
        self.helper("tsb_fail", f"ptr {self.context}, i32 {status}")
        self.can_fail = True
        text.branch("refused")
        text.label(fine)
        said = text.let(f"load i64, ptr {self.said}", "said")
        self.refuse_if(text.let(f"icmp ne i64 {said}, 0", "failed"))
        for i, leaf in enumerate(item[2:-1]):
            native = _NATIVE[leaf]
            passed.append(f"{native} " + text.let(f"load {native}, ptr {self.at(frame, 16 + 8 * i)}", "leaf"))

    def box_object(self, cells: str) -> str:
        """The Python form of a result in cells; null with an exception set."""
        out = self.text.alloca("ptr", "object")
        self.text.line(f"store ptr null, ptr {out}")
        arguments = f"ptr {self.type_info()}, ptr {cells}, ptr {out}"
        self.kernel(OBJECT_OUT, f"ptr {self.context}, ptr {self.marshal}, {arguments}")
        return self.text.let(f"load ptr, ptr {out}", "box")

    def at(self, base: str, offset: int) -> str:
        return base if offset == 0 else self.text.let(f"getelementptr i8, ptr {base}, i64 {offset}", "at")

    def helper(self, symbol: str, arguments: str) -> str:
        self.text.declare_function(symbol, *HELPERS[symbol])
        return self.text.let(f"call {HELPERS[symbol].result} @{symbol}({arguments})", "h")

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
        if is_object(item):
            self.unbox_object(item, box, passed)
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
                text.declare_global("_Py_TrueStruct")
                true = text.let(f"icmp eq ptr {box}, @_Py_TrueStruct", "true")
                passed.append("i8 " + text.let(f"zext i1 {true} to i8", "b"))
            case "i":
                slot = text.alloca("i64", "int")
                failed = self.helper("tsb_unbox_int", f"ptr {box}, ptr {slot}, i64 {position + 1}")
                self.refuse_if(text.let(f"icmp ne i32 {failed}, 0", "failed"))
                passed.append("i64 " + text.let(f"load i64, ptr {slot}", "i"))
            case "w":
                text.declare_function("PyLong_AsDouble", "double", ["ptr"])
                text.declare_function("PyErr_Occurred", "ptr", [])
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
        if is_object(item):
            return self.box_object(next(outs))
        native = _NATIVE[item]
        value = text.let(f"load {native}, ptr {next(outs)}", "value")
        match item:
            case "f":
                text.declare_function("PyFloat_FromDouble", "ptr", ["double"])
                return text.let(f"call ptr @PyFloat_FromDouble(double {value})", "box")
            case "i":
                text.declare_function("PyLong_FromLongLong", "ptr", ["i64"])
                return text.let(f"call ptr @PyLong_FromLongLong(i64 {value})", "box")
            case "b":
                text.declare_global("_Py_TrueStruct")
                text.declare_global("_Py_FalseStruct")
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
            self.text.declare_global(value.removeprefix("@"))
        self.text.declare_function("Py_IncRef", "void", ["ptr"])
        self.text.line(f"call void @Py_IncRef(ptr {value})")
        return value


def stubs_module(signatures: Sequence[Signature], tuple_items: int) -> Emitted:
    """A whole module with the stubs of `signatures`; it imports `HELPERS` and symbols of the interpreter."""
    declarations: dict[str, str] = {}
    return _module(declarations, [stub_text(s, declarations, tuple_items) for s in signatures])


def fork_module(signature: Signature, tuple_items: int) -> Emitted:
    """A whole module with the fork stub of `signature`; it imports as `stubs_module` does, and runtime symbols."""
    declarations: dict[str, str] = {}
    return _module(declarations, [fork_text(signature, declarations, tuple_items)])


def _module(declarations: Mapping[str, str], bodies: Sequence[str]) -> Emitted:
    text = "\n".join([*declarations.values(), *bodies]) + "\n"
    return Emitted(text, Effort.LIGHT, tuple(declarations))
