"""The stub that starts the code of a call as a task, and the function that the task is.

The constants of its row are three addresses as ints: what `tscript.abi.signature.result_kinds` gives, what callbacks
need of the code or 0, and the object that owns the code or 0.
"""

from __future__ import annotations

from tscript.abi.helpers import BOX_FUTURE, FAIL
from tscript.abi.layout import FUTURE
from tscript.abi.signature import Signature, letters
from tscript.abi.symbols import FORK, FUTURE_NEW, TENSOR_RELEASE, TENSOR_RETAIN
from tscript.backend.stubs.state import NATIVE, Stub
from tscript.backend.stubs.unboxing import unbox
from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class _Cells:
    """The layout of a future.

    Attributes:
        results: How many cells the result takes.
        natives: LLVM types of the arguments, a cell each.
        counted: For each argument, whether it is a reference, which the task owns.
    """

    results: int
    natives: list[str]
    counted: list[bool]

    def offset(self, argument: int) -> int:
        """The address of an argument in the future."""
        return FUTURE.size + 8 * (self.results + argument)


def _cells(signature: Signature) -> _Cells:
    results = sum(1 for leaf in letters(signature.result) if leaf in NATIVE)
    given = [letter for item in signature.parameters for letter in letters(item) if letter != "_"]
    return _Cells(results, [NATIVE[letter] for letter in given], [letter in "TF" for letter in given])


def fork_stub(signature: Signature, declarations: dict[str, str], tuple_items: int) -> str:
    """The fork stub of `signature`, and the function that runs its tasks; see `tscript.backend.stubs.call.call_stub`.

    Raises:
        ValueError: Values of the signature are converted by their types.
    """
    if signature.has_objects:
        raise ValueError(f"a call with the signature {signature} cannot be forked")
    cells = _cells(signature)
    task = f"@{signature.fork_symbol.replace('tsk_', 'tsr_', 1)}"
    stub = Stub(declarations, tuple_items)
    text = stub.text
    given: list[str] = []
    for position, item in enumerate(signature.parameters):
        given += unbox(stub, item, stub.argument(position), position)
    kinds, unit, owner = _addresses(stub)
    context = stub.begin_context()
    future = _new_future(stub, cells, task, kinds)
    for name, value in (("code", "%code"), ("unit", unit), ("owner", owner)):
        text.line(f"store ptr {value}, ptr {stub.at(future, FUTURE.offsets[name])}")
    _hold(stub, owner)
    for i, (value, is_counted) in enumerate(zip(given, cells.counted, strict=True)):
        text.line(f"store {value}, ptr {stub.at(future, cells.offset(i))}")
        if is_counted:
            _kernel(stub, TENSOR_RETAIN, context, value)
    _kernel(stub, FORK, context, f"ptr {future}")
    text.terminate(f"ret ptr {stub.call('ptr', BOX_FUTURE, f'ptr {future}')}")
    if stub.can_fail:
        text.label("refused")
        text.terminate("ret ptr null")
    starter = text.function(f"define ptr @{signature.fork_symbol}(ptr %code, ptr %args, ptr %constants) nounwind")
    return f"{_task(cells, task, declarations)}\n{starter}"


def _addresses(stub: Stub) -> list[str]:
    """The constants of the row."""
    numbers = [stub.item("%constants", i, "number") for i in range(3)]
    return [stub.call("ptr", "PyLong_AsVoidPtr", f"ptr {number}", hint="address") for number in numbers]


def _new_future(stub: Stub, cells: _Cells, task: str, kinds: str) -> str:
    """A new future; leaves the stub if there is no memory."""
    text, context = stub.text, stub.context
    out = text.alloca("ptr", "out")
    status = stub.call(
        "i32",
        FUTURE_NEW,
        *(f"ptr {context}", f"i64 {cells.results}", f"i64 {len(cells.natives)}"),
        *(f"ptr {task}", f"ptr {kinds}", f"ptr {out}"),
        hint="status",
    )
    text.branch_if(stub.is_zero(status), "fill", "failed")
    text.label("failed")
    text.terminate(f"ret ptr {stub.call('ptr', FAIL, f'ptr {context}', f'i32 {status}')}")
    text.label("fill")
    return text.let(f"load ptr, ptr {out}", "future")


def _hold(stub: Stub, owner: str) -> None:
    """One more reference of what owns the code, unless it is null."""
    text = stub.text
    text.branch_if(text.let(f"icmp eq ptr {owner}, null", "lasting"), "give", "hold")
    text.label("hold")
    text.line(f"atomicrmw add ptr {owner}, i64 1 monotonic")
    text.branch("give")
    text.label("give")


def _kernel(stub: Stub, symbol: str, context: str, argument: str) -> None:
    """Call a kernel that cannot fail."""
    name = stub.text.declare_function(symbol, "i32", ["ptr", "ptr"])
    stub.text.line(f"call i32 {name}(ptr {context}, {argument})")


def _task(cells: _Cells, name: str, declarations: dict[str, str]) -> str:
    """The function that runs the tasks of a fork stub."""
    stub = Stub(declarations, 0)
    text = stub.text
    given = []
    for i, native in enumerate(cells.natives):
        place = stub.at("%future", cells.offset(i))
        given.append(f"{native} " + text.let(f"load {native}, ptr {place}", "given"))
    code = text.let(f"load ptr, ptr {stub.at('%future', FUTURE.offsets['code'])}", "code")
    outs = [f"ptr {stub.at('%future', FUTURE.size + 8 * cell)}" for cell in range(cells.results)]
    status = text.let(f"call i32 {code}({', '.join(['ptr %ctx', *given, *outs])})", "status")
    for value, is_counted in zip(given, cells.counted, strict=True):
        if is_counted:
            _kernel(stub, TENSOR_RELEASE, "%ctx", value)
    text.terminate(f"ret i32 {status}")
    return text.function(f"define internal i32 {name}(ptr %ctx, ptr %future) #0")
