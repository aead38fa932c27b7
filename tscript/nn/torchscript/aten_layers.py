"""Operators of TorchScript for layers: losses, whose reduction is a number, pools with indices, bags, weight norm.

See `tscript.nn.torchscript.aten`.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

import tscript as torch
from tscript import Tensor
from tscript.nn import functional as F
from tscript.nn.utils import rnn


def reduction_name(reduction: int) -> str:
    if reduction == 1:
        return "mean"
    return "sum" if reduction == 2 else "none"


# -- several tensors, which are a list there


def chunk(a, chunks, dim=0):
    return list(torch.chunk(a, chunks, dim))


def split(a, size=None, dim=None):
    if isinstance(a, str):  # at a separator, so often at most
        return a.split(size, -1 if dim is None else dim)
    return list(torch.split(a, size, 0 if dim is None else dim))


def split_with_sizes(a, sizes, dim=0):
    return list(torch.split(a, sizes, dim))


def unbind(a, dim=0):
    return list(torch.unbind(a, dim))


# -- losses


def l1_loss(a, target, reduction=1):
    return F.l1_loss(a, target, reduction=reduction_name(reduction))


def mse_loss(a, target, reduction=1):
    return F.mse_loss(a, target, reduction=reduction_name(reduction))


def smooth_l1_loss(a, target, reduction=1, beta=1.0):
    return F.smooth_l1_loss(a, target, reduction=reduction_name(reduction), beta=beta)


def huber_loss(a, target, reduction=1, delta=1.0):
    return F.huber_loss(a, target, reduction=reduction_name(reduction), delta=delta)


def soft_margin_loss(a, target, reduction=1):
    return F.soft_margin_loss(a, target, reduction=reduction_name(reduction))


def multilabel_margin_loss(a, target, reduction=1):
    return F.multilabel_margin_loss(a, target, reduction=reduction_name(reduction))


def hinge_embedding_loss(a, target, margin=1.0, reduction=1):
    return F.hinge_embedding_loss(a, target, margin, reduction=reduction_name(reduction))


def margin_ranking_loss(a, b, target, margin=0.0, reduction=1):
    return F.margin_ranking_loss(a, b, target, margin, reduction=reduction_name(reduction))


def cosine_embedding_loss(a, b, target, margin=0.0, reduction=1):
    return F.cosine_embedding_loss(a, b, target, margin, reduction=reduction_name(reduction))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=1):
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=reduction_name(reduction))


def kl_div(a, target, reduction=1, log_target=False):
    return F.kl_div(a, target, reduction=reduction_name(reduction), log_target=log_target)


def poisson_nll_loss(a, target, log_input, full, eps, reduction):
    return F.poisson_nll_loss(a, target, log_input, full, eps=eps, reduction=reduction_name(reduction))


def multi_margin_loss(a, target, p=1, margin=1.0, weight=None, reduction=1):
    return F.multi_margin_loss(a, target, int(p), float(margin), weight, reduction=reduction_name(reduction))


def binary_cross_entropy(a, target, weight=None, reduction=1):
    return F.binary_cross_entropy(a, target, weight, reduction=reduction_name(reduction))


def binary_cross_entropy_with_logits(a, target, weight=None, pos_weight=None, reduction=1):
    return F.binary_cross_entropy_with_logits(
        a, target, weight, reduction=reduction_name(reduction), pos_weight=pos_weight
    )


def nll_loss(a, target, weight=None, reduction=1, ignore_index=-100):
    return F.nll_loss(a, target, weight, ignore_index=ignore_index, reduction=reduction_name(reduction))


def nll_loss2d(a, target, weight=None, reduction=1, ignore_index=-100):
    return nll_loss(a, target, weight, reduction, ignore_index)


def nll_loss_nd(a, target, weight=None, reduction=1, ignore_index=-100):
    return nll_loss(a, target, weight, reduction, ignore_index)


def cross_entropy_loss(a, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0):
    return F.cross_entropy(
        a, target, weight, ignore_index=ignore_index, reduction=reduction_name(reduction),
        label_smoothing=label_smoothing,
    )  # fmt: skip


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False):
    return F.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, reduction_name(reduction), zero_infinity
    )


# -- pools with indices


def adaptive_max_pool1d(a, output_size):
    return F.adaptive_max_pool1d(a, output_size, True)


def adaptive_max_pool2d(a, output_size):
    return F.adaptive_max_pool2d(a, output_size, True)


def adaptive_max_pool3d(a, output_size):
    return F.adaptive_max_pool3d(a, output_size, True)


def fractional_max_pool2d(a, kernel_size, output_size, random_samples):
    return F.fractional_max_pool2d(a, kernel_size, output_size, None, True, random_samples)


def fractional_max_pool3d(a, kernel_size, output_size, random_samples):
    return F.fractional_max_pool3d(a, kernel_size, output_size, None, True, random_samples)


def max_unpool2d(a, indices, output_size):
    return F.max_unpool2d(a, indices, [1, 1], [1, 1], [0, 0], output_size)


# -- convolutions


def _convolution_mode(a, weight, bias, stride, padding, dilation, groups):
    if weight.dim() == 3:
        return F.conv1d(a, weight, bias, stride, padding, dilation, groups)
    if weight.dim() == 4:
        return F.conv2d(a, weight, bias, stride, padding, dilation, groups)
    return F.conv3d(a, weight, bias, stride, padding, dilation, groups)


# -- windows as columns


def im2col(a, kernel_size, dilation, padding, stride):
    return F.unfold(a, kernel_size, dilation, padding, stride)


def col2im(a, output_size, kernel_size, dilation, padding, stride):
    return F.fold(a, output_size, kernel_size, dilation, padding, stride)


# -- weights


def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=0,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Only the first of its four results is what anybody reads; the others are for gradients."""
    name = "max" if mode == 2 else ("mean" if mode == 1 else "sum")
    found = F.embedding_bag(
        indices, weight, offsets, None, 2.0, False, name, False, per_sample_weights, include_last_offset, padding_idx
    )
    nothing = torch.empty([0], dtype=torch.int64)
    return found, nothing, nothing, nothing


def _weight_norm(v, g, dim=0):
    if dim == -1:
        return v * (g / torch.linalg.vector_norm(v))
    around = [i for i in range(v.dim()) if i != dim]
    norm = torch.linalg.vector_norm(v, 2.0, around, True) if v.dim() > 1 else torch.abs(v)
    return v * (g / norm)


def stft(
    a, n_fft, hop_length=None, win_length=None, window=None,
    first=False, second=None, third=None, fourth=None, fifth=None, sixth=None,
):  # fmt: skip
    """Behind the window: whether it is normalised, has one side and is complex; or, before these, whether it is
    centred, and the mode of padding."""
    if isinstance(second, str):
        if window is None:
            return torch.stft(a, n_fft, hop_length, win_length, None, first, second, third is True, fourth, fifth)
        return torch.stft(a, n_fft, hop_length, win_length, window, first, second, third is True, fourth, fifth)
    if window is None:
        return torch.stft(a, n_fft, hop_length, win_length, None, False, "reflect", first, second, third)
    return torch.stft(a, n_fft, hop_length, win_length, window, False, "reflect", first, second, third)


def istft(
    a, n_fft, hop_length=None, win_length=None, window=None,
    center=True, normalized=False, onesided=None, length=None, return_complex=False,
):  # fmt: skip
    if window is None:
        return torch.istft(a, n_fft, hop_length, win_length, None, center, normalized, onesided, length, return_complex)
    return torch.istft(a, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)


def _pack_padded_sequence(a, lengths: Tensor, batch_first: bool):
    found = rnn.pack_padded_sequence(a, lengths, batch_first)
    return found.data, found.batch_sizes


def _pad_packed_sequence(a, batch_sizes: Tensor, batch_first: bool, padding_value: float, total_length: int):
    packed = rnn.PackedSequence(a, batch_sizes, None, None)
    return rnn.pad_packed_sequence(packed, batch_first, padding_value, total_length if total_length > 0 else None)
