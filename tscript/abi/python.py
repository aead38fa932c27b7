"""The Python that runs: compiled code says and does what this one does where versions differ."""

from __future__ import annotations

import sys

PYTHON = sys.version_info[0] * 100 + sys.version_info[1]
"""Its version as a number, such as 311: bodies and kernels compare it with constants, and only one branch is left."""
