"""Spans, user errors and their rendering. The lowest layer: it knows nothing of the compiler."""

from tscript.diagnostics.errors import CompileError, Diagnostic, InternalError, Note, compile_error, diagnostic
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
