"""When this process began to import tscript. Imported before every other module."""

from __future__ import annotations

import time

STARTED = time.time_ns() - 20_000_000
"""Nanoseconds since the epoch, as file systems count them: their clocks may be some milliseconds late."""
