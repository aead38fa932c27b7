"""What source says of gradients, so that it can be imported as it stands: modes without effect, and the class that
functions with gradients of their own derive from. No gradients are computed.

Example:
    >>> import tscript as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    >>> with torch.autograd.no_grad():
    ...     Double.forward(None, torch.ones(2))
    tensor([2., 2.])
"""

from __future__ import annotations

from tscript.autograd import function
from tscript.autograd.function import Function
from tscript.marks import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["Function", "enable_grad", "function", "inference_mode", "no_grad", "set_grad_enabled"]
