"""Operators of torchaudio's library, by its names: filters whose steps need those before."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor
from tscript.operators.tensor.checks import check_floating, check_same_dtype


def lfilter_core_loop(input_signal_windows: Tensor, a_coeff_flipped: Tensor, padded_output_waveform: Tensor) -> Tensor:
    """The feedback of a linear filter, written into the output: each sample less what the ones before give.

    The formula is that of `torchaudio.functional.lfilter`.

    Args:
        input_signal_windows: Floats of the shape (N, channels, time).
        a_coeff_flipped: Coefficients of each channel, the latest last: (channels, order).
        padded_output_waveform: The output, behind ``order - 1`` samples: (N, channels, time + order - 1).

    Raises:
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> out = tscript.zeros(1, 1, 4)
        >>> tscript.ops.torchaudio._lfilter_core_loop(tscript.ones(1, 1, 3), tscript.tensor([[-0.5, 1.0]]), out)
        tensor([[[0.0000, 1.0000, 1.5000, 1.7500]]])
    """
    x, a, out = input_signal_windows, a_coeff_flipped, padded_output_waveform
    if x.dim() != 3 or a.dim() != 2 or out.dim() != 3:
        raise RuntimeError(f"lfilter: expected 3D, 2D and 3D tensors, got {x.dim()}D, {a.dim()}D and {out.dim()}D")
    if x.size(0) != out.size(0) or x.size(1) != out.size(1) or x.size(1) != a.size(0):
        raise RuntimeError("lfilter: batch and channels of the waveforms and coefficients differ")
    if x.size(2) + a.size(1) - 1 != out.size(2):
        raise RuntimeError(f"lfilter: {x.size(2)} samples and {a.size(1)} coefficients do not give {out.size(2)}")
    check_floating(x, "lfilter_core_loop")
    check_same_dtype(x, a)
    check_same_dtype(x, out)
    order = a.size(1)
    for n in range(x.size(0)):
        for c in range(x.size(1)):
            for t in range(x.size(2)):
                value = x[n, c, t]
                for k in range(order):
                    value = value - out[n, c, t + k] * a[c, k]
                out[n, c, t + order - 1] = value
    return out


def overdrive_core_loop(
    waveform: Tensor, temp: Tensor, last_in: Tensor, last_out: Tensor, output_waveform: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The loop of an overdrive, written into the output.

    The formula is that of `torchaudio.functional.overdrive`.

    Args:
        waveform: Floats of the shape (channels, time).
        temp: The distorted waveform, of the same shape.
        last_in, last_out: The state of each channel, which is written to.
        output_waveform: The output, of the shape of `waveform`.

    Raises:
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x, out = tscript.ones(1, 3), tscript.zeros(1, 3)
        >>> tscript.ops.torchaudio._overdrive_core_loop(x, x, tscript.zeros(1), tscript.zeros(1), out)[2]
        tensor([[1.2500, 1.2463, 1.2425]])
    """
    if waveform.dim() != 2 or temp.dim() != 2 or output_waveform.dim() != 2:
        raise RuntimeError("overdrive: the waveforms have two dimensions, channels and time")
    if waveform.size(0) != temp.size(0) or waveform.size(1) != temp.size(1):
        raise RuntimeError("overdrive: the waveforms have different sizes")
    if waveform.size(0) != output_waveform.size(0) or waveform.size(1) != output_waveform.size(1):
        raise RuntimeError("overdrive: the waveforms have different sizes")
    if last_in.numel() != waveform.size(0) or last_out.numel() != waveform.size(0):
        raise RuntimeError("overdrive: the state has one number for each channel")
    check_floating(waveform, "overdrive_core_loop")
    check_same_dtype(waveform, temp)
    check_same_dtype(waveform, last_in)
    check_same_dtype(waveform, last_out)
    check_same_dtype(waveform, output_waveform)
    for c in range(waveform.size(0)):
        for t in range(waveform.size(1)):
            last_out[c] = temp[c, t] - last_in[c] + last_out[c] * 0.995
            last_in[c] = temp[c, t]
            output_waveform[c, t] = waveform[c, t] * 0.5 + last_out[c] * 0.75
    return last_in, last_out, output_waveform


OPERATORS = (
    composite(
        "torchaudio_lfilter_core_loop(Tensor input_signal_windows, Tensor a_coeff_flipped, "
        "Tensor(a!) padded_output_waveform) -> Tensor",
        lfilter_core_loop,
        names="torch.ops.torchaudio._lfilter_core_loop",
    ),
    composite(
        "torchaudio_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, "
        "Tensor(c!) output_waveform) -> (Tensor, Tensor, Tensor)",
        overdrive_core_loop,
        names="torch.ops.torchaudio._overdrive_core_loop",
    ),
)
