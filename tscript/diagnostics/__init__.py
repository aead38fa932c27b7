"""Spans, user errors and their rendering. The lowest layer: it knows nothing of the compiler."""

from tscript.diagnostics.errors import Diagnostic, Note, diagnostic
from tscript.diagnostics.exceptions import CompileError, InternalError, compile_error
from tscript.diagnostics.render import render, render_all
from tscript.diagnostics.span import UNKNOWN, SourceFile, Span

__all__ = [
    "UNKNOWN",
    "CompileError",
    "Diagnostic",
    "InternalError",
    "Note",
    "SourceFile",
    "Span",
    "compile_error",
    "diagnostic",
    "render",
    "render_all",
]
