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
    from tscript.integrations.extras import needed

    try:
        argcomplete = needed("argcomplete", "argcomplete", "completion")
    except ImportError as error:
        raise UsageError(str(error)) from None
    print(argcomplete.shellcode(["tscript"], shell=shell.value))


def complete() -> None:
    """Answer a shell that asks what may come next, and end; without argcomplete nothing may."""
    from tscript.cli.app import whole_parser

    try:
        import argcomplete
    except ImportError:
        raise SystemExit(1) from None
    argcomplete.autocomplete(whole_parser(), always_complete_options="long")
