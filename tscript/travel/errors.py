"""What can go wrong with pickled functions."""

from __future__ import annotations

import pickle


class FunctionPicklingError(pickle.PicklingError):
    """A function or class cannot be pickled: its source is missing, or something that it uses cannot be pickled."""


class FunctionUnpicklingError(pickle.UnpicklingError):
    """A pickled function cannot be read: it is damaged, or does not fit this process."""


class PickleVersionError(FunctionUnpicklingError):
    """A pickled function has a format that this version does not know."""


__all__ = ["FunctionPicklingError", "FunctionUnpicklingError", "PickleVersionError"]
