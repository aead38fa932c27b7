"""The stub that runs the code of a call."""

from __future__ import annotations

from tscript.abi.helpers import FAIL_IN, KEEP
from tscript.abi.layout import CONTEXT
from tscript.abi.signature import Signature
from tscript.backend.stubs.boxing import box, result_slots
from tscript.backend.stubs.objects import begin_marshal, end_marshal
from tscript.backend.stubs.state import Stub
from tscript.backend.stubs.unboxing import begin_arrays, end_arrays, unbox


def call_stub(signature: Signature, declarations: dict[str, str], tuple_items: int) -> str:
    """The stub of `signature` as one LLVM function.

    Args:
        signature: What it takes and returns.
        declarations: Receives the module-level lines it needs, by symbol; one dict for all functions of a module.
        tuple_items: Offset of the first item of a Python tuple.
    """
    stub = Stub(declarations, tuple_items)
    text = stub.text
    context = stub.begin_context()
    if signature.has_objects:
        begin_marshal(stub, signature.seen)
    begin_arrays(stub, signature)
    passed = [f"ptr {context}"]
    for position, item in enumerate(signature.parameters):
        passed += unbox(stub, item, stub.argument(position), position)
    slots, pointers = result_slots(stub, signature.result)
    status = text.let(f"call i32 %code({', '.join([*passed, *pointers])})", "status")
    _take_gil_back(stub)
    text.branch_if(stub.is_zero(status), "returned", "failed")
    _fail(stub, status)
    text.label("returned")
    made = box(stub, signature.result, iter(slots))
    failed = end_marshal(stub, is_called=True)
    if failed:
        made = stub.call("ptr", KEEP, f"ptr {made}", f"i64 {failed}")
    end_arrays(stub)
    text.terminate(f"ret ptr {made}")
    if stub.can_fail:
        text.label("refused")
        end_marshal(stub, is_called=False)
        end_arrays(stub)
        text.terminate("ret ptr null")
    return text.function(f"define ptr @{signature.symbol}(ptr %code, ptr %args, ptr %constants) #0")


def _take_gil_back(stub: Stub) -> None:
    """Take the GIL back if the code gave it away."""
    text = stub.text
    state = text.let(f"load ptr, ptr {stub.at(stub.context, CONTEXT.offsets['thread_state'])}", "state")
    held = text.let(f"icmp eq ptr {state}, null", "held")
    text.branch_if(held, "holding", "restore")
    text.label("restore")
    stub.call("void", "PyEval_RestoreThread", f"ptr {state}")
    text.branch("holding")
    text.label("holding")


def _fail(stub: Stub, status: str) -> None:
    """Return null with the exception of a status."""
    stub.text.label("failed")
    marshal = stub.marshal.room if stub.marshal else "null"
    nothing = stub.call("ptr", FAIL_IN, f"ptr {stub.context}", f"i32 {status}", f"ptr {marshal}")
    end_marshal(stub, is_called=True)
    end_arrays(stub)
    stub.text.terminate(f"ret ptr {nothing}")
