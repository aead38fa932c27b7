"""Modules in compiled code: `ScriptModule`, and what makes one of a module of PyTorch or of `tscript.nn`."""

from tscript.nn.scripting.script_module import ScriptModule
from tscript.nn.scripting.scripts import script_module

__all__ = ["ScriptModule", "script_module"]
