"""Fixtures of all tests: golden files and a compilation cache of the run's own."""

from __future__ import annotations

import atexit
import difflib
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent / "data"

# Set before anything imports tscript, and inherited by the workers of pytest-xdist, which thus share what is compiled.
# A run starts with an empty cache; set the variable to keep one between runs.
if "TSCRIPT_CACHE_DIR" not in os.environ:
    os.environ["TSCRIPT_CACHE_DIR"] = tempfile.mkdtemp(prefix="tscript-tests-")
    atexit.register(shutil.rmtree, os.environ["TSCRIPT_CACHE_DIR"], ignore_errors=True)

# LLVM does little work on kernels, of which the tests compile thousands: results are the same. ``TSCRIPT_KERNELS=full``
# tests what users run; `make test-all` and `make checked` set it.
os.environ.setdefault("TSCRIPT_KERNELS", "light")

# Processes that tests start share the bytecode of modules, also where a tree is to have none. The workers of
# pytest-xdist have started before: they go on with the bytecode of what is installed.
if os.environ.get("PYTHONDONTWRITEBYTECODE") and "PYTEST_XDIST_WORKER" in os.environ:
    del os.environ["PYTHONDONTWRITEBYTECODE"]
    os.environ["PYTHONPYCACHEPREFIX"] = os.path.abspath(os.path.join(os.environ["TSCRIPT_CACHE_DIR"], "bytecode"))

# A run in the background of a shell begins with SIGINT ignored, and so would the programs that tests send it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite golden files that differ from the output")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests are no garbage, and looking for it among them takes long: there is no garbage collection while
    they are collected, and they are left out afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 50, 1_000)


_module = ""


def pytest_runtest_logstart(nodeid: str) -> None:
    """What there is when a module of tests begins stays, and so does all when much was added, such as the compiler:
    garbage, which many tests collect, is looked for among what is newer."""
    global _module
    module = nodeid.partition("::")[0]
    _, young, old = gc.get_count()  # how often it has been looked for
    if module != _module or young + old > 2:
        _module = module
        gc.collect()
        gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("ir/loop.ir", text)` compares `text` with the file `tests/data/ir/loop.ir`.

    With `--update` a file that is missing or differs is written instead, and the test passes.
    """

    def compare(name: str, text: str) -> None:
        path = DATA / name
        expected = path.read_text(encoding="utf-8") if path.exists() else None
        actual = text if text.endswith("\n") else text + "\n"
        if expected == actual:
            return
        if request.config.getoption("--update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
            return
        shown = f"tests/data/{name}"
        if expected is None:
            pytest.fail(f"{shown} does not exist; pytest --update writes it with:\n\n{actual}", pytrace=False)
        difference = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), shown, "output of this run", lineterm=""
        )
        pytest.fail("\n".join(["pytest --update accepts this change:", "", *difference]), pytrace=False)

    return compare


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """A test leaves the handlers of signals as it found them, also when it fails: Ctrl-C goes on ending the run."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM, signal.SIGUSR1)}
    yield
    for number, handler in handlers.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    """In the checked mode a test fails when something is found in its memory."""
    if os.environ.get("TSCRIPT_CHECKED") != "1":
        yield
        return
    from tscript.runtime.session.process import current

    checked = current().checked
    assert checked is not None
    before = len(checked.reports)
    yield
    if not checked.is_concurrent:
        checked.verify()
    found = checked.reports[before:]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


LONG = (
    "array_api/test_array_api.py",
    "backend/test_fused.py",
    "integration/test_array_empty.py",
    "integration/test_array_functions.py",
    "integration/test_array_lists.py",
    "integration/test_bad_input.py",
    "integration/test_classes.py",
    "integration/test_columns_fused.py",
    "integration/test_exceptions_classes.py",
    "integration/test_language_containers.py",
    "integration/test_language_numbers.py",
    "integration/test_language_strings.py",
    "integration/test_operators.py",
    "integration/test_scalars.py",
    "integration/test_tensors.py",
    "nn/test_scripted_layers.py",
    "operators/test_random_tensors.py",
    "passes/test_random_tensors.py",
    "runtime/kernels/test_containers.py",
    "runtime/kernels/test_copy.py",
    "runtime/kernels/test_numbers.py",
    "runtime/kernels/test_operators.py",
    "runtime/kernels/test_reduce.py",
    "runtime/kernels/test_values.py",
    "runtime/test_conversion.py",
    "runtime/test_native_tensor.py",
    "runtime/test_record_stress.py",
    "test_explaining.py",
)
"""Modules with so many cases that every other case of a test is marked slow: ``make test-all`` runs them all."""


UNCHECKED = (
    "tests/backend/",
    "tests/runtime/kernels/",
    "tests/runtime/test_allocators.py",
    "tests/runtime/test_conversion.py::test_memory_that_runs_out",
    "tests/integration/test_append_in_place.py::test_what_is_added_is_what_is_copied",
    "tests/integration/test_fast_loops.py::test_loops_over_steady_lists_are_vectorised",
    "tests/integration/test_fast_loops.py::test_no_call_in_the_innermost_loop",
    "tests/runtime/session/test_tiers.py::test_better_code_stays_in_the_cache_and_quick_code_does_not",
)
"""Tests that have no place in the checked mode: they run code over memory of their own, count the bytes of blocks or
the entries of a cache, which gets the kernels of that mode, or look at what makes code fast: blocks that grow where
they are, loops without calls."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every other case of the long tests, and skip what the checked mode cannot run. What starts processes comes
    first: no process of the run is left alone with a page of the documentation when the others have ended."""
    items.sort(key=lambda item: item.path.parent.name != "tests")
    if os.environ.get("TSCRIPT_CHECKED") == "1":
        for item in items:
            if item.nodeid.startswith(UNCHECKED):
                item.add_marker(pytest.mark.skip(reason="not in the checked mode"))
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        name, bracket, _ = item.nodeid.partition("[")
        if bracket and name.partition("::")[0].removeprefix("tests/") in LONG:
            cases.setdefault(name, []).append(item)
    for found in cases.values():
        for item in found[1::2]:
            item.add_marker(pytest.mark.slow)
