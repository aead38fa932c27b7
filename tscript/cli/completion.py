"""``tscript completion``: the words that a shell completes, through argcomplete."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tscript.cli.errors import UsageError
from tscript.cli.parameters import Argument


class Shell(Enum):
    """Shells that complete words."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, Argument(help="The shell.")]) -> None:
    """Print what makes a shell complete commands, options and files.

    It needs argcomplete: pip install 'tscript[completion]'.

    Example: tscript completion bash >> ~/.bashrc
    """
    try:
        import argcomplete
    except ImportError:
        raise UsageError("this needs argcomplete: pip install 'tscript[completion]'") from None
    print(argcomplete.shellcode(["tscript"], shell=shell.value))
