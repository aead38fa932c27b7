"""Archives of TorchScript, read as data: which members there are, the objects in the pickle, the text of the code.

Nothing here runs, compiles or imports anything: what to make of the objects and of the code decides
`tscript.nn.torchscript`.
"""

from tscript.archive.torchscript.file import NEWEST, Stored, read_torchscript
from tscript.archive.torchscript.values import (
    Class,
    DeviceName,
    EnumMember,
    Object,
    Storage,
    Tagged,
    TensorData,
)

__all__ = [
    "NEWEST",
    "Class",
    "DeviceName",
    "EnumMember",
    "Object",
    "Storage",
    "Stored",
    "Tagged",
    "TensorData",
    "read_torchscript",
]
