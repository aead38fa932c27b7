"""Where NumPy's global generator (``np.random.seed``, ``np.random.rand``) keeps its state.

The object has, beside the ``bitgen_t``, three words: its address, whether there is a normal number left over, and that
number. They are found in a generator of our own, in which that number is known.
"""

from __future__ import annotations

import ctypes
import struct

from tscript.arrays import np

_KNOWN = 0.4242424242424243


def legacy_state() -> int:
    """The address of the three words of the global generator; 0 if they are not where they have to be."""
    shared = np.random.mtrand._rand
    own = type(shared)(0)
    state = own.get_state(legacy=False)
    own.set_state({**state, "has_gauss": 1, "gauss": _KNOWN})
    size = type(own).__basicsize__
    words = ctypes.string_at(id(own), size)
    at = words.find(struct.pack("<d", _KNOWN))
    if at < 16 or at % 8:
        return 0
    bits, given = struct.unpack_from("<qi", words, at - 16)
    if given != 1 or not id(own) <= bits < id(own) + size:
        return 0
    return id(shared) + at - 16
