"""Bessel functions and Airy's function; their bodies are in `tscript.dialect.vector_bessel`."""

from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.dialect import vector_bessel as vb
from tscript.operators.tensor.pointwise import function


def _special(name: str, doc: str) -> tuple[OpDef, ...]:
    """A function of ``torch.special``, which has no variant in place."""
    return function(name, getattr(vb, name), doc, names=f"torch.special.{name}")[:1]


OPERATORS: tuple[OpDef, ...] = (
    *_special("bessel_j0", "Bessel function of the first kind of order 0."),
    *_special("bessel_j1", "Bessel function of the first kind of order 1."),
    *_special("bessel_y0", "Bessel function of the second kind of order 0; NaN below 0."),
    *_special("bessel_y1", "Bessel function of the second kind of order 1; NaN below 0."),
    *_special("modified_bessel_k0", "Modified Bessel function of the second kind of order 0; NaN below 0."),
    *_special("modified_bessel_k1", "Modified Bessel function of the second kind of order 1; NaN below 0."),
    *_special("scaled_modified_bessel_k0", "``exp(x) * modified_bessel_k0(x)``."),
    *_special("scaled_modified_bessel_k1", "``exp(x) * modified_bessel_k1(x)``."),
    *_special("spherical_bessel_j0", "``sin(x) / x``, 1 at 0: the spherical Bessel function of order 0."),
    *_special("airy_ai", "Airy's function Ai."),
)
"""All operators of this module."""
