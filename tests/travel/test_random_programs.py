"""Random programs are sent to another process, with their arguments, and do there what they do here."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import tscript
from tests.fuzz.execute import MODULE, LoadedModule, observe
from tests.fuzz.features import Feature
from tests.fuzz.generator import generate
from tests.travel.worker import outcome
from tscript.travel.collecting import Collector
from tscript.travel.nodes import packed

SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 100))]


@pytest.fixture(scope="module")
def worker() -> Iterator[ProcessPoolExecutor]:
    with pytest.MonkeyPatch.context() as patch, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        patch.syspath_prepend(Path(__file__).parents[2])  # which the worker gets: it imports `tests`
        yield pool


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_does_the_same_elsewhere(worker, seed):
    program = generate(seed, set(Feature) - {Feature.TENSOR, Feature.FORK})
    module = LoadedModule(program.source)
    try:
        try:
            main = tscript.script(module.module.main)
        except tscript.CompileError:
            pytest.skip("it is refused")
        sys.modules.pop(MODULE)  # nobody can import it
        for text in program.arguments:
            collector = Collector()
            collector.add((main, module.arguments(text)))
            found = worker.submit(outcome, packed(collector.nodes)).result(timeout=240)
            assert found == str(observe(main, module.arguments(text)))
    finally:
        module.close()
