"""What generators of random tensors have besides tensors: seeds, and what native code and the interpreter read."""

from __future__ import annotations

import ctypes
from typing import Any, Self

import numpy as np

from tscript.abi.generator import BLOCKS, DEFAULT_SEED, SEED, WORDS, Words, begin, new_words, system_seed
from tscript.runtime.values.own_generator import OwnGenerator
from tscript.types.options import Device, no_device

_STATE_BYTES = 16


class _Bits:
    """What native code asks of a generator of NumPy: a capsule with the address of its state."""

    __slots__ = ("capsule",)

    def __init__(self, words: Words) -> None:
        make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi)
        )
        self.capsule: object = make(ctypes.addressof(words), b"BitGenerator", None)


class SeededGenerator(OwnGenerator):
    """The base of `tscript.Generator`, whose docstring says the arguments."""

    __slots__ = ("__weakref__", "_bits", "_words")

    def __init__(self, device: Device | str = "cpu") -> None:
        found = Device(device) if isinstance(device, str) else device
        if found.type != "cpu":
            raise RuntimeError(no_device(found))
        self._words = new_words(DEFAULT_SEED)
        self._bits: _Bits | None = None

    @classmethod
    def of(cls, words: Words) -> Self:
        """The generator of some words."""
        made = cls.__new__(cls)
        made._words, made._bits = words, None
        return made

    @classmethod
    def at(cls, address: int) -> Self:
        """A generator that goes on as words in memory say, which are copied."""
        return cls.of((ctypes.c_int64 * WORDS).from_buffer_copy(ctypes.string_at(address, 8 * WORDS)))

    @property
    def words(self) -> Words:
        """The state: see `tscript.abi.generator`."""
        return self._words

    @property
    def bit_generator(self) -> object:
        """What native code reads."""
        if self._bits is None:
            self._bits = _Bits(self._words)
        return self._bits

    @property
    def device(self) -> Device:
        """``cpu``."""
        return Device("cpu")

    def manual_seed(self, seed: int) -> Self:
        """Begin the numbers of a seed; gives the generator.

        Args:
            seed: From -2**63 to below 2**64; negative ones stand for what is 2**64 larger.

        Raises:
            TypeError: It is no int.
            RuntimeError: It is out of that range.
        """
        if not hasattr(seed, "__index__"):
            raise TypeError(f"manual_seed expected an int, but got {type(seed).__name__}")
        whole = seed.__index__()
        if not -(1 << 63) <= whole < 1 << 64:
            raise RuntimeError(f"Overflow: the seed must be from -2**63 to below 2**64, but is {whole}")
        begin(self._words, whole - (1 << 64) if whole >> 63 == 1 else whole)
        return self

    def seed(self) -> int:
        """Begin the numbers of a seed of the system, and give the seed."""
        begin(self._words, found := system_seed())
        return found

    def initial_seed(self) -> int:
        """The seed, from 0 on."""
        return int(self._words[SEED]) % (1 << 64)

    def state_bytes(self) -> np.ndarray[Any, Any]:
        """The state as bytes."""
        return np.array([self._words[SEED], self._words[BLOCKS]], np.int64).view(np.uint8)

    def put_bytes(self, state: np.ndarray[Any, Any]) -> None:
        """Go on from a state.

        Raises:
            TypeError: It is not of uint8.
            RuntimeError: It is no state of a generator.
        """
        if state.dtype != np.uint8:
            raise TypeError(f"expected a tensor of uint8, but got one of {state.dtype}")
        if state.ndim != 1 or state.size != _STATE_BYTES:
            raise RuntimeError(f"expected a state of {_STATE_BYTES} bytes, but got the shape {list(state.shape)}")
        seed, blocks = np.ascontiguousarray(state).view(np.int64).tolist()
        begin(self._words, seed, blocks)

    def clone_state(self) -> Self:
        """A generator that goes on with the same numbers."""
        return self.of(type(self._words).from_buffer_copy(self._words))

    def __copy__(self) -> Self:
        return self.clone_state()

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone_state()
