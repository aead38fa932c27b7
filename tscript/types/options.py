"""Devices, layouts and memory formats: values that operators of PyTorch take besides dtypes.

There is one object of each, so they compare by identity. Tensors lie on one device, ``cpu``; the others have names, so
that programs can ask for them.
"""

from __future__ import annotations

from typing import Any, ClassVar

DEVICE_TYPES: tuple[str, ...] = (
    "cpu", "cuda", "mps", "meta", "xpu", "hpu", "xla", "mtia", "ipu", "hip", "ve", "vulkan", "lazy", "privateuseone"
)  # fmt: skip
"""What devices may be called, in the order of their numbers."""

INDICES = 17
"""How many devices of a type there are: one without an index, and those with the indices 0 to 15."""


class Option:
    """A value of which there is one object.

    Attributes:
        number: Its place among those of its class.
        name: In IR text: ``cuda:0``, ``strided``.
    """

    __slots__ = ("name", "number")
    members: ClassVar[tuple[Any, ...]] = ()
    space: ClassVar[str] = ""

    number: int
    name: str

    @classmethod
    def made(cls, number: int, name: str) -> Any:
        """The object, once."""
        found = object.__new__(cls)
        object.__setattr__(found, "number", number)
        object.__setattr__(found, "name", name)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"readonly attribute: {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"readonly attribute: {name!r}")

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return f"tscript.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (option_named, (f"{self.space}.{self.name}",))

    def __copy__(self) -> Option:
        return self

    def __deepcopy__(self, memo: object) -> Option:
        return self


class Device(Option):
    """Where the elements of a tensor lie: ``torch.device``.

    Args:
        device: A type, ``"cpu"``, a type with an index, ``"cuda:1"``, or a device.
        index: The index, if `device` is a type.

    Raises:
        RuntimeError: There is no such type or index.
        TypeError: An argument is of another type.

    Example:
        >>> device = Device("cpu", 0)
        >>> device, device.type, device.index, str(device), device == Device("cpu:0")
        (device(type='cpu', index=0), 'cpu', 0, 'cpu:0', True)
    """

    __slots__ = ()
    space = "device"

    def __new__(cls, device: object = None, index: int | None = None, *, type: str | None = None) -> Device:
        """The object for these."""
        device = type if device is None else device
        if isinstance(device, Device) and index is None:
            return device
        if not isinstance(device, str):
            raise TypeError(f"device(): argument 'type' must be str, not {device.__class__.__name__}")
        if index is not None:
            if isinstance(index, bool) or not isinstance(index, int):
                raise TypeError(f"device(): argument 'index' must be int, not {index.__class__.__name__}")
            if ":" in device:
                raise RuntimeError(f"type (string) must not include an index because index was passed: {device}")
            if index < 0:
                raise RuntimeError(f"Device index must not be negative, got {index}")
            device = f"{device}:{index}"
        return device_named(device)

    @property
    def type(self) -> str:
        """Its type, ``cpu``."""
        return DEVICE_TYPES[self.number // INDICES]

    @property
    def index(self) -> int | None:
        """Its index; None if it has none."""
        index = self.number % INDICES
        return index - 1 if index else None

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __str__(self) -> str:
        return self.name

    def __enter__(self) -> Device:
        """New tensors lie on the device, which is to be ``cpu``."""
        if self.type != "cpu":
            raise RuntimeError(f"there is no device '{self}': tensors lie on the only device, 'cpu'")
        return self

    def __exit__(self, *raised: object) -> None:
        pass


def device_number(text: str) -> int:
    """The number of a device by its name.

    Raises:
        RuntimeError: There is none of this name.
    """
    name, colon, digits = text.partition(":")
    if name not in DEVICE_TYPES:
        raise RuntimeError(f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of device string: {text}")
    start = DEVICE_TYPES.index(name) * INDICES
    if colon == "":
        return start
    if not (digits.isascii() and digits.isdigit()) or (len(digits) > 1 and digits[0] == "0"):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if len(digits) > 2 or int(digits) > INDICES - 2:
        raise RuntimeError(f"Device index must be below {INDICES - 1}, got {digits}")
    return start + 1 + int(digits)


def device_named(text: str) -> Device:
    """The device of a name.

    Raises:
        RuntimeError: There is none.
    """
    found: Device = Device.members[device_number(text)]
    return found


class Layout(Option):
    """How the elements of a tensor lie: ``torch.strided``, or as in one of PyTorch's sparse tensors."""

    __slots__ = ()
    space = "layout"


class MemoryFormat(Option):
    """In which order the elements of a tensor lie: ``torch.contiguous_format``."""

    __slots__ = ()
    space = "memory_format"


def _device_names() -> list[str]:
    return [name if not i else f"{name}:{i - 1}" for name in DEVICE_TYPES for i in range(INDICES)]


_LAYOUTS = ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn", "jagged")
_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")

Device.members = tuple(Device.made(i, name) for i, name in enumerate(_device_names()))
Layout.members = tuple(Layout.made(i, name) for i, name in enumerate(_LAYOUTS))
MemoryFormat.members = tuple(MemoryFormat.made(i, name) for i, name in enumerate(_FORMATS))

Device.__name__ = Device.__qualname__ = "device"
Layout.__name__ = Layout.__qualname__ = "layout"
MemoryFormat.__name__ = MemoryFormat.__qualname__ = "memory_format"

CPU: Device = Device.members[0]
"""The device of all tensors."""

STRIDED: Layout = Layout.members[0]
"""The layout of all tensors."""

BY_NAME: dict[str, Layout | MemoryFormat] = {m.name: m for m in (*Layout.members, *MemoryFormat.members)}
"""Those that are attributes of `torch`."""

_BY_PATH: dict[str, Option] = {
    f"{kind.space}.{m.name}": m for kind in (Device, Layout, MemoryFormat) for m in kind.members
}


def option_named(path: str) -> Option | None:
    """The value of a name of IR text, ``device.cuda:0``; None if there is none."""
    return _BY_PATH.get(path)


def no_device(device: object) -> str:
    """The message about a device on which there are no tensors."""
    return f"there is no device '{device}': tensors lie on the only device, 'cpu'"
