"""The Python that runs: compiled code says and does what this one does where versions differ."""

from __future__ import annotations

import sys

PYTHON = sys.version_info[0] * 100 + sys.version_info[1]
"""Its version as a number, such as 311: bodies and kernels compare it with constants, and only one branch is left."""

OBJECT_TYPE = 8
"""Offset of a PyObject's type."""
OBJECT_BODY = 16
"""Offset of what follows a PyObject's head: the double of a float, the `TensorImpl` of a Tensor."""
