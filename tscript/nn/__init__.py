"""What tscript has of ``torch.nn``: the functions in ``tscript.nn.functional``."""

from tscript.nn import functional

__all__ = ["functional"]
