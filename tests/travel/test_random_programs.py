"""Random programs are sent to another process, with their arguments, and do there what they do here."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from multiprocessing.pool import Pool

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
def worker() -> Iterator[Pool]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
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
            found = worker.apply(outcome, (packed(collector.nodes),))
            assert found == str(observe(main, module.arguments(text)))
    finally:
        module.close()
