"""Operators without samples of their own: other tests have theirs. None is added here."""

from __future__ import annotations

EARLIER = frozenset(
    """
    H T alias all all.dim amax amin any any.dim arange arange.start arange.start_step argmax argmin
    broadcast_to cat cosine_similarity cuda detach diagonal dim dist div.mode dtype element_size
    empty empty_like expand expand_as flatten gelu glu huber_loss inner is_floating_point item l1_loss
    layer_norm linalg_vector_norm linear linear.bias log_softmax log_softmax.dtype logsumexp mT max max.dim
    min min.dim mse_loss new_empty new_ones new_zeros norm norm.str normalize numel ones ones_like outer
    pairwise_distance permute ravel reshape reshape_as rms_norm select.int size
    size.int slice.Tensor smooth_l1_loss softmax softmax.dtype softmin softsign squeeze squeeze.dims stack std
    std.correction std.dim std_mean std_mean.correction std_mean.dim storage_offset stride stride.int t tanhshrink
    tensor trace transpose unflatten unsqueeze var var.correction var.dim var_mean var_mean.correction var_mean.dim
    view view_as zeros zeros_like
    """.split()
)
"""Their names."""
