"""How much LLVM is asked to do with a text."""

from __future__ import annotations

PIPELINE_VERSION = 1
"""Part of cache keys: changes with whatever `tscript.backend.loader.optimise` does to a text."""

LIGHT = "; pipeline: light\n"
"""First line of a text that the light pipeline is enough for; anything else gets the full one."""

QUICK = LIGHT + "; code: quick\n"
"""The first lines of modules that take the light passes and LLVM's fast selection of instructions."""
