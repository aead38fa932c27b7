"""Short-time Fourier transforms, and the windows that signals are weighted with."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return, operator"
from __future__ import annotations

import math

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import FACTORY, OpDef
from tscript.types import DType

PI = math.pi

# ---- windows


def steps_of(n: int, periodic: bool) -> Tensor:
    """From 0 to 1 in as many steps as a window has."""
    if n < 0:
        raise RuntimeError(f"window_length must be non-negative, got {n}")
    return torch.arange(n).double() / max(1, n if periodic else n - 1)


@generic
def in_dtype(window, dtype) -> Tensor:
    """A window in the dtype that is asked for; of one element it is 1."""
    found = torch.ones_like(window) if window.size(0) == 1 else window
    return found.to(torch.get_default_dtype()) if dtype is None else found.to(dtype)


def hann_window(window_length: int, periodic: bool, dtype: DType | None) -> Tensor:
    """Hann's window: ``0.5 - 0.5 * cos(2 * pi * k / n)``.

    Args:
        window_length: How many elements.
        periodic: Whether n is that, as transforms need it; else it is one less, and the window symmetric.
        dtype: The default dtype if it is left out.

    Raises:
        RuntimeError: The length is negative.

    Example:
        >>> tscript.hann_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    return in_dtype(0.5 - 0.5 * torch.cos(2 * PI * steps_of(window_length, periodic)), dtype)


def hamming_window(window_length: int, periodic: bool, alpha: float, beta: float, dtype: DType | None) -> Tensor:
    """Hamming's window: ``alpha - beta * cos(2 * pi * k / n)``.

    Args:
        window_length, periodic, dtype: As for `hann_window`.
        alpha, beta: The two numbers.

    Example:
        >>> tscript.hamming_window(2, alpha=0.5, beta=0.5).tolist()
        [0.0, 1.0]
    """
    return in_dtype(alpha - beta * torch.cos(2 * PI * steps_of(window_length, periodic)), dtype)


def blackman_window(window_length: int, periodic: bool, dtype: DType | None) -> Tensor:
    """Blackman's window: ``0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)``.

    Args:
        window_length, periodic, dtype: As for `hann_window`.

    Example:
        >>> tscript.blackman_window(3, periodic=False).shape
        (3,)
    """
    angle = 2 * PI * steps_of(window_length, periodic)
    return in_dtype(0.42 - 0.5 * torch.cos(angle) + 0.08 * torch.cos(2 * angle), dtype)


def bartlett_window(window_length: int, periodic: bool, dtype: DType | None) -> Tensor:
    """Bartlett's window, a triangle.

    Args:
        window_length, periodic, dtype: As for `hann_window`.

    Example:
        >>> tscript.bartlett_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    return in_dtype(1.0 - torch.abs(2.0 * steps_of(window_length, periodic) - 1.0), dtype)


def kaiser_window(window_length: int, periodic: bool, beta: float, dtype: DType | None) -> Tensor:
    """Kaiser's window.

    Args:
        window_length, periodic, dtype: As for `hann_window`.
        beta: Its shape.

    Example:
        >>> tscript.kaiser_window(3, False, 0.0).tolist()
        [1.0, 1.0, 1.0]
    """
    ratio = 2.0 * steps_of(window_length, periodic) - 1.0
    root = torch.sqrt(torch.clamp(1.0 - ratio * ratio, min=0.0))
    shape = abs(beta)  # exp(shape * root - shape) keeps the quotient of two large numbers finite
    size = torch.special.i0e(shape * root) * torch.exp(shape * root - shape)
    return in_dtype(size / torch.special.i0e(torch.full((1,), shape, dtype=torch.float64)), dtype)


# ---- transforms


def window_of(window: Tensor | None, like: Tensor, n_fft: int, length: int, name: str) -> Tensor:
    """A window of `n_fft` elements: the one that is given, or ones, between zeros."""
    if length < 1 or length > n_fft:
        raise RuntimeError(f"{name}: expected 0 < win_length <= n_fft, but got win_length={length}")
    left = (n_fft - length) // 2
    if window is None:
        found = like.new_zeros((n_fft,))
        found.narrow(0, left, length).fill_(1.0)
        return found
    if window.dim() != 1 or window.size(0) != length:
        raise RuntimeError(
            f"{name}: expected a 1D window tensor of size equal to win_length={length}, but got window with "
            f"{window.dim()} dimensions and {window.numel()} elements"
        )
    padded = like.new_zeros((n_fft,))
    padded.narrow(0, left, length).copy_(window)
    return padded


def stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
) -> Tensor:
    """The short-time Fourier transform: transforms of pieces of a signal, each multiplied with a window.

    Args:
        input: Real, of one dimension, or of two with a batch first.
        n_fft: The length of a piece.
        hop_length: How far pieces are apart; ``n_fft // 4`` if it is left out.
        win_length: The length of the window; `n_fft` if it is left out.
        window: The window; ones if it is left out.
        center: Whether piece t is centred at ``t * hop_length``: then the input is padded on both sides.
        pad_mode: How, as in `torch.nn.functional.pad`.
        normalized: Whether results are divided by the root of `n_fft`.
        onesided: Whether the first half of the transforms is given; True if it is left out.
        return_complex: Whether results are complex; else their parts are along a last dimension. It must be given.

    Returns:
        Of shape (batch, frequencies, pieces).

    Raises:
        RuntimeError: A length does not fit, or `return_complex` is left out.

    Example:
        >>> tscript.stft(tscript.ones(8), 4, center=False, return_complex=True).shape
        (3, 5)
    """
    if return_complex is None:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs.")
    if self.is_complex():
        raise RuntimeError("stft: complex input is not supported: transform its real and imaginary parts")
    if self.dim() != 1 and self.dim() != 2:
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, but got {self.dim()}D")
    if not self.is_floating_point():
        raise RuntimeError("stft: expected a tensor of floating point values")
    batch = self.unsqueeze(0) if self.dim() == 1 else self
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if center:
        batch = torch.nn.functional.pad(batch.unsqueeze(1), (n_fft // 2, n_fft // 2), pad_mode).squeeze(1)
    samples = batch.size(1)
    if n_fft < 1 or n_fft > samples:
        raise RuntimeError(f"stft: expected 0 < n_fft <= {samples}, but got n_fft={n_fft}")
    if hop < 1:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    pieces = 1 + (samples - n_fft) // hop
    places = (torch.arange(pieces) * hop).unsqueeze(1) + torch.arange(n_fft)
    frames = batch.index_select(1, places.flatten()).reshape(batch.size(0), pieces, n_fft)
    frames = frames * window_of(window, self, n_fft, length, "stft")
    norm = "ortho" if normalized else "backward"
    is_half = True if onesided is None else onesided
    found = torch.fft.rfft(frames, norm=norm) if is_half else torch.fft.fft(frames, norm=norm)
    found = found.transpose(1, 2)
    if self.dim() == 1:
        found = found.squeeze(0)
    return found if return_complex else torch.view_as_real(found)


def istft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> Tensor:
    """The inverse of `stft`: pieces are added up, and divided by the sum of the squares of their windows.

    Args:
        input: Complex, of shape (frequencies, pieces), or with a batch first.
        n_fft, hop_length, win_length, window, center, normalized, onesided: As they were for `stft`.
        length: How many elements the result has.
        return_complex: Whether the result is complex; else it is real, and the second half of all frequencies does not
            count.

    Raises:
        RuntimeError: A length does not fit, windows leave an element out, or a complex result or window does not go
            together with the rest.

    Example:
        >>> x = tscript.arange(16).float()
        >>> w = tscript.hann_window(8)
        >>> s = tscript.stft(x, 8, window=w, return_complex=True)
        >>> bool((tscript.istft(s, 8, window=w) - x).abs().max() < 1e-4)
        True
    """
    if not self.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if not return_complex and window is not None and window.is_complex():
        raise RuntimeError("istft: a complex window needs return_complex=True")
    if self.dim() != 2 and self.dim() != 3:
        raise RuntimeError(f"istft: expected a tensor with 2 or 3 dimensions, but got {self.dim()}D")
    batch = self.unsqueeze(0) if self.dim() == 2 else self
    hop = n_fft // 4 if hop_length is None else hop_length
    own = n_fft if win_length is None else win_length
    if hop < 1 or hop > own:
        raise RuntimeError(f"istft: expected 0 < hop_length <= win_length, but got hop_length={hop}")
    is_half = batch.size(1) != n_fft if onesided is None else onesided
    wanted = n_fft // 2 + 1 if is_half else n_fft
    if batch.size(1) != wanted:
        raise RuntimeError(f"istft: expected {wanted} frequencies, but got {batch.size(1)}")
    pieces = batch.size(2)
    if pieces < 1:
        raise RuntimeError("istft: expected at least one piece")
    norm = "ortho" if normalized else "backward"
    spectra = batch.transpose(1, 2)
    if return_complex and is_half:
        raise RuntimeError("istft: a complex result needs onesided=False: half of the frequencies says a real one")
    if return_complex:
        frames = torch.fft.ifft(spectra, norm=norm)
    else:
        frames = torch.fft.irfft(spectra.narrow(-1, 0, n_fft // 2 + 1), n_fft, norm=norm)
    weights = window_of(window, frames, n_fft, own, "istft")
    frames = frames * weights
    squares = weights * weights
    total = n_fft + hop * (pieces - 1)
    out = frames.new_zeros((batch.size(0), total))
    sums = frames.new_zeros((total,))
    for t in range(pieces):
        out.narrow(1, t * hop, n_fft).add_(frames.select(1, t))
        sums.narrow(0, t * hop, n_fft).add_(squares)
    start = n_fft // 2 if center else 0
    end = total - (n_fft // 2 if center else 0)
    if length is not None:
        end = min(start + length, total)
    if end <= start:
        raise RuntimeError(f"istft: the result would have {end - start} elements")
    kept = sums.narrow(0, start, end - start)
    if float(kept.abs().min()) < 1e-11:
        raise RuntimeError("istft: window overlap add min is too small: windows leave an element out")
    found = out.narrow(1, start, end - start) / kept
    if length is not None and end - start < length:
        found = torch.cat((found, found.new_zeros((found.size(0), length - (end - start)))), 1)
    return found.squeeze(0) if self.dim() == 2 else found


_WINDOW = "int window_length, bool periodic=True"
_TYPE = "*, dtype? dtype=None) -> Tensor"
_PIECES = "int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True"

OPERATORS: tuple[OpDef, ...] = (
    *(
        composite(f"{body.__name__}({_WINDOW}{more}, {_TYPE}", body, names=f"torch.{body.__name__}", tags=(FACTORY,))
        for body, more in (
            (hann_window, ""),
            (hamming_window, ", float alpha=0.54, float beta=0.46"),
            (blackman_window, ""),
            (bartlett_window, ""),
            (kaiser_window, ", float beta=12.0"),
        )
    ),
    composite(
        f"stft(Tensor self, {_PIECES}, str pad_mode='reflect', bool normalized=False, bool? onesided=None, "
        "bool? return_complex=None) -> Tensor",
        stft,
        names="stft out=no",
    ),
    composite(
        f"istft(Tensor self, {_PIECES}, bool normalized=False, bool? onesided=None, int? length=None, "
        "bool return_complex=False) -> Tensor",
        istft,
        names="istft out=no",
    ),
)
"""All operators of this module."""
