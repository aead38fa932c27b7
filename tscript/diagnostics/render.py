"""Diagnostics as text: ``file:line:col: error: title [code]``, the source line, a caret, notes, a help line."""

from __future__ import annotations

from collections.abc import Iterable

from tscript.diagnostics.errors import Diagnostic
from tscript.diagnostics.span import Span


def _excerpt(span: Span, label: str, gutter: int) -> list[str]:
    text = span.source.line(span.line)
    if not text:
        return []
    shown = text.expandtabs(4)
    before = len(text[: span.col].expandtabs(4))
    end = span.end_col if span.end_line == span.line else len(text)
    width = max(1, len(text[:end].expandtabs(4)) - before)
    return [f"{span.line:>{gutter}} | {shown}", f"{'':>{gutter}} | {' ' * before}{'^' * width} {label}".rstrip()]


def render(diagnostic: Diagnostic) -> str:
    """One diagnostic as the terminal shows it, without colour."""
    notes = diagnostic.notes()
    numbers = [diagnostic.span.line, *(n.span.line for n in notes if n.span is not None)]
    gutter = max(5, len(str(max(numbers))))
    out = [f"{diagnostic.span}: error: {diagnostic.message()} [{diagnostic.code}]"]
    out += _excerpt(diagnostic.span, diagnostic.caret_label(), gutter)
    for note in notes:
        excerpt: list[str] = []
        if note.span is not None and note.span.source is diagnostic.span.source:
            excerpt = _excerpt(note.span, note.text, gutter)
        out += excerpt or [f"note: {note.text}" + (f" ({note.span})" if note.span is not None else "")]
    if help_text := diagnostic.help_text():
        out.append(f"help: {help_text}")
    return "\n".join(out)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics, one after the other, with an empty line between."""
    return "\n\n".join(render(d) for d in diagnostics)
