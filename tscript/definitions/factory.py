"""Keywords that all operators take that make tensors: ``device=``, ``layout=``, ``pin_memory=``, ``requires_grad=``,
``memory_format=``. There is one value of each that means something here; others are refused."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Arg, OperatorRuntimeError, OperatorTypeError
from tscript.types import BOOL, DEVICE, LAYOUT, MEMORY_FORMAT, NONE, STR, Type, members_of
from tscript.types.options import BY_NAME, STRIDED, Device, no_device

KEYWORDS: Mapping[str, tuple[Type, ...]] = {
    "device": (DEVICE, STR),
    "layout": (LAYOUT,),
    "pin_memory": (BOOL,),
    "requires_grad": (BOOL,),
    "memory_format": (MEMORY_FORMAT,),
}
"""Names, and the types of their values besides None."""

_REFUSED: dict[str, str] = {
    "pin_memory": "there is no memory to pin: leave out pin_memory=True",
    "requires_grad": "no gradients are computed: leave out requires_grad=True",
}


def check(name: str, arg: Arg) -> bool:
    """Check the value of one of `KEYWORDS`.

    Returns:
        Whether it is a device that is known only when the program runs, which is to be checked then.

    Raises:
        OperatorTypeError: It is of another type; a `RuntimeError` too if it is a value that means nothing here.
    """
    wanted = KEYWORDS[name]
    if not all(member in (*wanted, NONE) for member in members_of(arg.type)):
        kind = "a device" if name == "device" else f"a {wanted[0]}"
        raise OperatorTypeError(f"'{name}' must be {kind} or None, not {arg.type}")
    value = arg.constant
    if value is MISSING:
        return name == "device" and arg.type != NONE
    if value is None:
        return False
    if name == "device":
        device = named(value) if isinstance(value, str) else value
        if not isinstance(device, Device) or device.type != "cpu":
            raise OperatorRuntimeError(no_device(device))
    elif name == "layout" and value is not STRIDED:
        raise OperatorRuntimeError(f"there are no tensors of the layout {value}: the only one is {STRIDED}")
    elif name == "memory_format" and value not in (BY_NAME["contiguous_format"], BY_NAME["preserve_format"]):
        raise OperatorRuntimeError(f"new tensors are contiguous: {value} needs .to(memory_format={value})")
    elif value is True:
        raise OperatorRuntimeError(_REFUSED[name])
    return False


def named(text: str) -> Device:
    """The device of a name.

    Raises:
        OperatorTypeError: There is none, a `RuntimeError` too.
    """
    try:
        return Device(text)
    except RuntimeError as error:
        raise OperatorRuntimeError(str(error)) from None
