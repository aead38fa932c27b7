"""`load_hooks`: what plugins want to be called before a process compiles, loads or runs something."""

from __future__ import annotations

import os

from tscript.runtime.session.plugin_search import candidates


def load_hooks() -> None:
    """Load and call the hooks of this process unless it was done before; see `Plugins.load_hooks`."""
    if os.environ.get("TSCRIPT_DISABLE_PLUGINS") != "1" and candidates():
        from tscript.runtime.session.plugins import current_plugins

        current_plugins().load_hooks()
