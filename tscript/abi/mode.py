"""Whether this process is in the checked mode. See docs/testing.md."""

from __future__ import annotations

import os

IS_CHECKED = int(os.environ.get("TSCRIPT_CHECKED", "") == "1")
"""Whether this process compiles and runs checked code: ``TSCRIPT_CHECKED=1`` when it starts. Part of all cache keys."""
