"""The harness as fixtures: one for the whole run, because it holds what the process has one of."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def integration() -> ModuleType:
    """The module `harness`."""
    name = "tests_integration_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("harness.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def harness(integration: ModuleType) -> Any:
    """The only `Harness`."""
    return integration.Harness()


@pytest.fixture(scope="session")
def agree(harness: Any) -> Callable[..., Any]:
    """`Harness.agree`."""
    found: Callable[..., Any] = harness.agree
    return found
