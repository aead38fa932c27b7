"""The default generator of random tensors: `manual_seed`, `seed`, and its state."""

from __future__ import annotations

from typing import Any

from tscript.abi.generator import default_words
from tscript.runtime.session.process import Generator

default_generator: Generator = Generator.of(default_words())
"""The generator of operators that get none."""


def manual_seed(seed: int) -> Generator:
    """Put the default generator to the beginning of the numbers of a seed; gives it.

    Args:
        seed: As for `Generator.manual_seed`.

    Example:
        >>> import tscript
        >>> _ = tscript.manual_seed(7)
        >>> x = tscript.rand(2)
        >>> _ = tscript.manual_seed(7)
        >>> tscript.equal(x, tscript.rand(2))
        True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Put the default generator to the beginning of the numbers of a seed of the system; gives the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator, a tensor of uint8."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Let the default generator go on from a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


__all__ = ["default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
