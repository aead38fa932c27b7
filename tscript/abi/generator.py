"""The state of a generator of random tensors: words that native code and the interpreter read and write.

It lies as that of a stream of a parallel loop (`tscript.runtime.kernels.streams`), so functions that draw single
numbers from a generator of NumPy may be given one. Two more words are the seed and how many blocks were drawn. A first
word that no generator of NumPy has says which kind it is.
"""

from __future__ import annotations

import ctypes
import os
import struct

KIND, SEED, BLOCKS, WORDS = 0, 18, 19, 20
MARK = 0x7D5C_3E21_90AF_4B17
"""The word `KIND` of these generators; there the others have an address."""
DEFAULT_SEED = 67280421310721
"""The seed of new generators: PyTorch's."""
_COUNTER, _KEY, _DRAWN, _FRESH = 6, 9, 11, 4

Words = ctypes.Array[ctypes.c_int64]


def begin(words: Words, seed: int, blocks: int = 0) -> None:
    """Put a generator to a place in the numbers of a seed."""
    ctypes.memset(words, 0, 8 * WORDS)
    words[KIND], words[_COUNTER], words[_KEY], words[_DRAWN] = MARK, -1, seed, _FRESH
    words[SEED], words[BLOCKS] = seed, blocks


def new_words(seed: int) -> Words:
    """A generator at the beginning of the numbers of a seed."""
    words = (ctypes.c_int64 * WORDS)()
    begin(words, seed)
    return words


def system_seed() -> int:
    """A seed of 53 bits from the system."""
    found: int = struct.unpack("<q", os.urandom(8))[0] >> 11 & (1 << 53) - 1
    return found


_words = new_words(system_seed())


def default_words() -> Words:
    """The default generator: data of the process, as the state of NumPy's is, not of the compiler. It begins with a
    seed from the system."""
    return _words


def address() -> int:
    """Where the default generator is."""
    return ctypes.addressof(_words)
