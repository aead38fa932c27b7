"""What PyInstaller is told about tscript; it finds this by the entry point ``pyinstaller40``.

The package is collected as source, because the compiler reads the sources of kernels, together with the prebuilt native
library and the explanations of errors. Functions of the application that are compiled in the frozen program need their
source, too: see ``docs/deployment.md``.
"""

from __future__ import annotations

import os


def hook_directories() -> list[str]:
    """The folders with hooks: ``hook-NAME.py`` for each package.

    Example:
        >>> os.listdir(hook_directories()[0]).count("hook-tscript.py")
        1
    """
    return [os.path.dirname(__file__)]
