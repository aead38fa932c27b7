"""`InstanceNorm1d`, `InstanceNorm2d`, `InstanceNorm3d`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    """What instance norms of all dimensions have."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        raise NotImplementedError

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
        if version is None and not self.track_running_stats:
            # The oldest state dicts have running statistics that the layers did not use.
            found = [
                key
                for name in ("running_mean", "running_var")
                if (key := prefix + name) in state_dict
            ]  # fmt: skip
            if found:
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {' and '.join(map(repr, found))} for {type(self).__name__} "
                    "with track_running_stats=False: delete them from the state dict, or set track_running_stats=True"
                )
                for key in found:
                    state_dict.pop(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _handle_no_batch_input(self, input: Tensor) -> Tensor:
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        mean = self.running_mean
        var = self.running_var
        if not self.training and mean is not None and var is not None:
            return F.batch_norm(input, mean, var, self.weight, self.bias, False, 0.0, self.eps)
        result = F.instance_norm(input, None, None, self.weight, self.bias, True, 0.0, self.eps)
        if mean is not None and var is not None:
            momentum = self.momentum
            factor = momentum if momentum is not None else 0.0
            samples = input.reshape(input.size(0), input.size(1), -1)
            mean.mul_(1.0 - factor).add_(samples.mean(2).mean(0), alpha=factor)
            var.mul_(1.0 - factor).add_(samples.var(2).mean(0), alpha=factor)
        return result

    def forward(self, input: Tensor) -> Tensor:
        """Mean 0 and variance 1 over each channel of each sample, then the weights and the bias."""
        self._check_input_dim(input)
        dim = input.dim() - self._get_no_batch_dim()
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), "
                    f"but got: {input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features ({self.num_features}); num_features is not "
                "used, as affine=False",
                stacklevel=2,
            )
        if input.dim() == self._get_no_batch_dim():
            return self._handle_no_batch_input(input)
        return self._apply_instance_norm(input)


_DOC = """Instance norm of tensors {shape}, with or without the batch.

    Args:
        num_features: Channels.
        eps: Added to the variance.
        momentum: The part of the running statistics that a batch replaces.
        affine: Whether there are weights and a bias.
        track_running_stats: Whether there are running statistics, which are used in evaluation mode.
        device, dtype: Of the parameters.
        bias: Whether there is a bias.

    Raises:
        ValueError: The input of a call has another number of dimensions, or of channels.
"""


class InstanceNorm1d(_InstanceNorm):
    __doc__ = _DOC.format(shape="``(N, C, L)``")

    def _get_no_batch_dim(self) -> int:
        return 2

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class InstanceNorm2d(_InstanceNorm):
    __doc__ = _DOC.format(shape="``(N, C, H, W)``")

    def _get_no_batch_dim(self) -> int:
        return 3

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (3, 4):
            raise ValueError(f"expected 3D or 4D input (got {input.dim()}D input)")


class InstanceNorm3d(_InstanceNorm):
    __doc__ = _DOC.format(shape="``(N, C, D, H, W)``")

    def _get_no_batch_dim(self) -> int:
        return 4

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (4, 5):
            raise ValueError(f"expected 4D or 5D input (got {input.dim()}D input)")
