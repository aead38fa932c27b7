"""What the pickle of an archive holds: plain values of Python, and these records."""

from __future__ import annotations

from typing import Any

from tscript.late import dataclass, field
from tscript.types import DType


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the archive's code, by its dotted name: ``__torch__.M``."""

    name: str


@dataclass(eq=False, slots=True)
class Object:
    """An instance: a module, or an object of another class.

    Attributes:
        cls: Its class.
        state: Its attributes by name, in order.
    """

    cls: Class
    state: dict[str, Any] = field(default_factory=dict)
    is_built: bool = False


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum, by value."""

    cls: Class
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """A list or dict with its type as text: ``Dict[str, int]``."""

    value: Any
    type: str


@dataclass(frozen=True, slots=True)
class DeviceName:
    """A device by name, ``cpu``."""

    name: str


@dataclass(frozen=True, slots=True)
class Storage:
    """The elements of tensors: a member of the archive.

    Attributes:
        member: Its name.
        dtype: Of the elements.
        numel: How many there are.
    """

    member: str
    dtype: DType
    numel: int


@dataclass(frozen=True, slots=True, eq=False)
class TensorData:
    """A tensor: a part of a storage.

    Attributes:
        storage: Where its elements are.
        offset: The first of them.
        size: Its shape.
        stride: In elements.
        requires_grad: Whether gradients were wanted.
    """

    storage: Storage
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool
