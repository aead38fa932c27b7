"""What tscript has of ``torch.signal``: the windows in ``tscript.signal.windows``."""

from tscript.signal import windows

__all__ = ["windows"]
