"""Codes of dtypes, for kernels that read them at run time."""

from __future__ import annotations

from typing import Final

from tscript.types import dtypes

UINT8: Final = dtypes.uint8.code
INT8: Final = dtypes.int8.code
INT16: Final = dtypes.int16.code
INT32: Final = dtypes.int32.code
INT64: Final = dtypes.int64.code
FLOAT32: Final = dtypes.float32.code
FLOAT64: Final = dtypes.float64.code
BOOL: Final = dtypes.bool_.code
