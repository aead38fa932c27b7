"""Element types: PyTorch's codes and promotion, against NumPy's where both agree, and torch when it is installed."""

from __future__ import annotations

import copy
import importlib.util
import itertools
import pickle

import numpy as np
import pytest

from tscript.types import dtypes
from tscript.types.dtypes import DTYPES, Category, PromotionError, can_cast, dtype_of_code, promote_dtypes

WIDE = {dtypes.uint16, dtypes.uint32, dtypes.uint64}
PAIRS = list(itertools.product(DTYPES, DTYPES))


def test_dtypes_are_single_objects():
    for dtype in DTYPES:
        assert dtype_of_code(dtype.code) is dtype
        assert dtypes.BY_NAME[dtype.name] is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype
        assert repr(dtype) == f"tscript.{dtype.name}"


def test_dtypes_are_numpys():
    for dtype in DTYPES:
        if dtype is dtypes.bfloat16:
            continue
        known = np.dtype(dtype.name)
        assert known.itemsize == dtype.itemsize
        assert dtype.is_floating_point == (known.kind == "f")
        assert dtype.is_integer == (known.kind in "iu")
        assert dtype.is_signed == dtype.signed == (known.kind in "if")


def test_aliases():
    assert dtypes.ALIASES["float"] is dtypes.float32
    assert dtypes.ALIASES["long"] is dtypes.int64
    assert dtypes.default_float() is dtypes.float32


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=[f"{a.name}-{b.name}" for a, b in PAIRS])
def test_promotion(a, b):
    if {a.category, b.category} <= {Category.BOOL, Category.INTEGER} and a is not b and WIDE & {a, b}:
        with pytest.raises(PromotionError, match=f"attempted to promote {a.title} and {b.title}"):
            promote_dtypes(a, b)
        return
    found = promote_dtypes(a, b)
    assert promote_dtypes(b, a) is found
    assert found.category is max(a.category, b.category)
    if a is b:
        assert found is a
    if dtypes.bfloat16 in (a, b):
        assert found is (a if a is b else b if not a.is_floating_point else a if not b.is_floating_point else found)
    elif a.category is b.category or Category.BOOL in (a.category, b.category):
        # NumPy widens an integer beside a float by the width of the integer; PyTorch does not.
        assert found.name == np.promote_types(a.name, b.name).name
    else:
        assert found is (a if a.is_floating_point else b)


def test_promotion_is_associative():
    for a, b, c in itertools.product(set(DTYPES) - WIDE, repeat=3):
        assert promote_dtypes(promote_dtypes(a, b), c) is promote_dtypes(a, promote_dtypes(b, c))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_promotion_and_casts_are_torchs():
    import torch

    for a, b in PAIRS:
        x, y = getattr(torch, a.name), getattr(torch, b.name)
        try:
            wanted = str(torch.promote_types(x, y))
        except RuntimeError:
            wanted = "torch.refused"
        try:
            found = promote_dtypes(a, b).name
        except PromotionError:
            found = "refused"
        assert wanted == f"torch.{found}"
        assert torch.can_cast(x, y) == can_cast(a, b)


def test_casts_never_go_to_a_lower_category():
    assert can_cast(dtypes.int64, dtypes.int8)
    assert can_cast(dtypes.bool_, dtypes.uint8)
    assert can_cast(dtypes.float64, dtypes.float32)
    assert not can_cast(dtypes.float32, dtypes.int64)
    assert not can_cast(dtypes.int8, dtypes.bool_)
