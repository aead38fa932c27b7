"""The library that a test of modules runs with: tscript, and PyTorch where it is installed, so that what the tests
expect is what PyTorch does."""

import importlib.util
from types import ModuleType

import pytest

import tscript

_LIBRARIES = ("tscript", "torch") if importlib.util.find_spec("torch") else ("tscript",)


@pytest.fixture(params=_LIBRARIES)
def torch(request: pytest.FixtureRequest) -> ModuleType:
    return tscript if request.param == "tscript" else importlib.import_module("torch")
