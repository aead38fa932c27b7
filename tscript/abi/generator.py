"""The default generator of random tensors: two words that native code and the interpreter read and write.

The first is the seed, the second counts the blocks that were drawn. It begins with a seed from the system, as PyTorch's
does. It is data of the process, like the state of the global generator of NumPy, not of the compiler.
"""

from __future__ import annotations

import ctypes
import os
import struct

SEED, BLOCKS = range(2)

_words = (ctypes.c_int64 * 2)(struct.unpack("<q", os.urandom(8))[0] >> 11 & 0x1FFFFFFFFFFFFF, 0)


def default_words() -> ctypes.Array[ctypes.c_int64]:
    """The two words."""
    return _words


def address() -> int:
    """Where they are."""
    return ctypes.addressof(_words)
