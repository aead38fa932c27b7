"""`BatchNorm1d`, `BatchNorm2d`, `BatchNorm3d`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor, int64, tensor
from tscript.nn import init
from tscript.nn.modules.making import full
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


class _NormBase(Module):
    """What norms over a batch have: parameters for each channel, and running statistics."""

    _version = 2
    __constants__: tuple[str, ...] = ("track_running_stats", "momentum", "eps", "num_features", "affine")
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    weight: Tensor | None
    bias: Tensor | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = Parameter(full(num_features, 1.0, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = Parameter(full(num_features, 0.0, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        tracked = track_running_stats
        self.register_buffer("running_mean", full(num_features, 0.0, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", full(num_features, 1.0, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if tracked else None)

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, and no batches."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weights 1 and bias 0, and running statistics as at first."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Mapping[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            # State dicts of the first version do not count batches.
            state_dict[key] = tensor(0) if self.num_batches_tracked is None else self.num_batches_tracked
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """What batch norms of all dimensions have."""

    def forward(self, input: Tensor) -> Tensor:
        """Mean 0 and variance 1 over the batch, or with the running statistics, then the weights and the bias."""
        self._check_input_dim(input)
        factor = 0.0
        momentum = self.momentum
        if momentum is not None:
            factor = momentum
        if self.training and self.track_running_stats:
            batches = self.num_batches_tracked
            if batches is not None:
                batches.add_(1)
                if momentum is None:  # the mean of all batches
                    factor = 1.0 / float(batches)
        mean = self.running_mean
        var = self.running_var
        if self.training and not self.track_running_stats:
            return F.batch_norm(input, None, None, self.weight, self.bias, True, factor, self.eps)
        in_training = self.training or mean is None
        return F.batch_norm(input, mean, var, self.weight, self.bias, in_training, factor, self.eps)


_DOC = """Batch norm of tensors {shape}.

    Args:
        num_features: Channels.
        eps: Added to the variance.
        momentum: The part of the running statistics that a batch replaces; None for the mean of all batches.
        affine: Whether there are weights and a bias.
        track_running_stats: Whether there are running statistics, which are used in evaluation mode.
        device, dtype: Of the parameters.
        bias: Whether there is a bias.

    Raises:
        ValueError: The input of a call has another number of dimensions.
"""


class BatchNorm1d(_BatchNorm):
    __doc__ = _DOC.format(shape="``(N, C)`` or ``(N, C, L)``")

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    __doc__ = _DOC.format(shape="``(N, C, H, W)``")

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    __doc__ = _DOC.format(shape="``(N, C, D, H, W)``")

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")
