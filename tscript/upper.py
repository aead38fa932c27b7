"""What stands above `tscript.api` and knows modules: `tscript.nn`. The package fills it in when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Modules:
    """What `tscript.nn` does for functions that also take a module, or an archive of one."""

    scripted: Callable[[Any], Any]
    """What `tscript.script` makes of a module."""
    archived: Callable[..., Any]
    """The archive of a module."""
    functions_archived: Callable[..., Any]
    """The archive of functions that name modules."""
    loaded: Callable[..., Any]
    """The module of an archive."""
    imported: Callable[[Any, Any], Any]
    """What `tscript.load` makes of an archive of TorchScript."""
    reported: Callable[[str], Any]
    """Which operators an archive of TorchScript uses: `tscript.nn.torchscript.report_file`."""
