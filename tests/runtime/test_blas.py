"""The BLAS that is found multiplies, whatever library it is; without one the symbols still exist."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

from tscript.runtime.session import blas


@pytest.fixture(autouse=True)
def fresh():
    blas.find.cache_clear()
    yield
    blas.find.cache_clear()


def test_numpy_wheels_bring_a_blas():
    wheel = list((Path(np.__file__).parent.parent / "numpy.libs").glob("*openblas*"))
    if not wheel:
        pytest.skip("this NumPy carries no library of its own")
    found = blas.find()
    assert found is not None
    assert found.path in map(str, wheel)


def test_addresses_without_a_blas_link_but_may_not_be_called(monkeypatch):
    monkeypatch.setenv("TSCRIPT_BLAS", "off")
    assert blas.find() is None
    found = blas.addresses()
    assert all(found.values())
    assert ctypes.c_uint8.from_address(found["ts_has_blas_v1"]).value == 0
    blas.set_num_threads(2)


def test_the_flag_says_that_there_is_one():
    expected = blas.find() is not None
    assert bool(ctypes.c_uint8.from_address(blas.addresses()["ts_has_blas_v1"]).value & 1) == expected


def test_a_library_that_is_no_blas_is_passed_over(tmp_path):
    broken = tmp_path / "libopenblas.so"
    broken.write_bytes(b"not a library")
    assert blas.open_blas(str(broken)) is None
    assert blas.open_blas(str(tmp_path / "libopenblas_gone.so")) is None


def test_a_function_with_wrong_results_is_refused():
    @ctypes.CFUNCTYPE(None, *[ctypes.c_int] * 3)
    def nothing(a, b, c): ...

    assert not blas.multiplies(nothing, np.float32)


def test_libraries_of_the_process_are_recognised():
    maps = (
        "7f00 r-xp 00 08:01 1 /usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblasp-r0.3.21.so\n"
        "7f01 r-xp 00 08:01 2 /usr/lib/libc.so.6\n"
        "7f02 r-xp 00 08:01 3 /opt/conda/lib/libmkl_rt.so.2\n"
    )
    assert [os.path.basename(p) for p in blas._mapped(maps)] == ["libmkl_rt.so.2", "libopenblasp-r0.3.21.so"]
