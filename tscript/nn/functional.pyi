# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

@overload
def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor: ...
@overload
def adaptive_avg_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor: ...
@overload
def adaptive_avg_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor: ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> Tensor: ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> Tensor: ...
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> Tensor: ...
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> Tensor: ...
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = ...) -> Tensor: ...
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: builtins.bool = ...) -> Tensor: ...
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]: """The mean, or the greatest element, of each of so many windows as the result has elements."""
@overload
def affine_grid(theta: Tensor, size: Sequence[builtins.int], align_corners: builtins.bool | None = ...) -> Tensor: """Where affine maps take the positions of an image, for `grid_sample`."""
@overload
def affine_grid(theta: Tensor, *size: builtins.int) -> Tensor: ...
def alpha_dropout(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` for networks of SELU: mean and variance stay."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
@overload
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = ..., bias: Tensor | None = ..., training: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 for each channel, which is dimension 1, then times `weight` plus `bias`."""
@overload
def batch_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = ..., bias: Tensor | None = ..., training: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: ...
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = ...) -> Tensor: """``input1 @ weight[k] @ input2 + bias[k]`` for each output k: the formula of `torch.nn.Bilinear`."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far probabilities are from right ones: the formula of `torch.nn.BCELoss`."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., pos_weight: Tensor | None = ...) -> Tensor: """`binary_cross_entropy` of ``sigmoid(input)``, without loss of accuracy."""
@overload
def celu(input: Tensor, alpha: _Number = ..., *, out: Tensor | None = ...) -> Tensor: """x where positive, else ``alpha * (exp(x / alpha) - 1)``."""
@overload
def celu(input: Tensor, alpha: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor: """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``."""
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: """Each element of the result is the sum of the products of a window of the input with the weights."""
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: """Each element of the result is the sum of the products of a window of the input with the weights."""
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: """Each element of the result is the sum of the products of a window of the input with the weights."""
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Each element of the input times the weights, added up in the window that belongs to it."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Each element of the input times the weights, added up in the window that belongs to it."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Each element of the input times the weights, added up in the window that belongs to it."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """1 less the cosine where the target is 1, the cosine beyond `margin` where it is -1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = ..., eps: builtins.float = ...) -> Tensor: """Cosine of the angle between the vectors along a dimension."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., label_smoothing: builtins.float = ...) -> Tensor: """How far the softmax of scores is from the right classes: the formula of `torch.nn.CrossEntropyLoss`."""
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: builtins.int = ..., reduction: builtins.str = ..., zero_infinity: builtins.bool = ...) -> Tensor: """Minus the logarithm of the probability of a sequence of labels, over all ways to align it with the steps."""
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], target_lengths: Sequence[builtins.int], blank: builtins.int = ..., reduction: builtins.str = ..., zero_infinity: builtins.bool = ...) -> Tensor: ...
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], *target_lengths: builtins.int) -> Tensor: ...
def dropout(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """Each element set to 0 with a probability, and the others multiplied so that the mean stays."""
def dropout1d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, L)`` or ``(C, L)``."""
def dropout2d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, H, W)``."""
def dropout3d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
@overload
def elu(input: Tensor, alpha: _Number = ..., *, scale: _Number = ..., input_scale: _Number = ...) -> Tensor: """x where positive, else ``alpha * (exp(x) - 1)``."""
@overload
def elu(input: Tensor, alpha: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def embedding(input: Tensor, weight: Tensor, padding_idx: builtins.int | None = ..., max_norm: builtins.float | None = ..., norm_type: builtins.float = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ...) -> Tensor: """Rows of a table by their numbers: ``weight[input]``, the formula of `torch.nn.functional.embedding`."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = ..., max_norm: builtins.float | None = ..., norm_type: builtins.float = ..., scale_grad_by_freq: builtins.bool = ..., mode: builtins.str = ..., sparse: builtins.bool = ..., per_sample_weights: Tensor | None = ..., include_last_offset: builtins.bool = ..., padding_idx: builtins.int | None = ...) -> Tensor: """Sums, means or greatest elements of the rows of a table that each bag of numbers names."""
def feature_alpha_dropout(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`alpha_dropout` of whole channels."""
def fold(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., stride: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Columns added up as windows of an image, `torch.nn.functional.fold`."""
@overload
def fractional_max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, whose places are drawn: so the result may be of any size."""
@overload
def fractional_max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> Tensor: ...
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, whose places are drawn: so the result may be of any size."""
@overload
def fractional_max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, whose places are drawn: so the result may be of any size."""
@overload
def fractional_max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> Tensor: ...
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int] | None = ..., output_ratio: Any = ..., return_indices: builtins.bool = ..., _random_samples: Tensor | None = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, whose places are drawn: so the result may be of any size."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: builtins.bool = ..., eps: builtins.float = ..., reduction: builtins.str = ...) -> Tensor: """How unlikely numbers are if they have a normal distribution: the formula of `torch.nn.GaussianNLLLoss`."""
def gelu(input: Tensor, *, approximate: builtins.str = ...) -> Tensor: """Gaussian error linear unit."""
def glu(input: Tensor, dim: builtins.int = ...) -> Tensor: """The first half along a dimension times the sigmoid of the other."""
def grid_sample(input: Tensor, grid: Tensor, mode: builtins.str = ..., padding_mode: builtins.str = ..., align_corners: builtins.bool | None = ...) -> Tensor: """Elements at the positions that a grid says, interpolated."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = ..., bias: Tensor | None = ..., eps: builtins.float = ..., cudnn_enabled: builtins.bool = ...) -> Tensor: """Mean 0 and variance 1 over each group of channels, then times `weight` plus `bias` of the channel."""
def gumbel_softmax(logits: Tensor, tau: builtins.float = ..., hard: builtins.bool = ..., eps: builtins.float = ..., dim: builtins.int = ...) -> Tensor: """Samples of the Gumbel-softmax distribution."""
def hardshrink(input: Tensor, lambd: _Number = ..., *, out: Tensor | None = ...) -> Tensor: """x outside of [-lambd, lambd], else 0."""
@overload
def hardsigmoid(input: Tensor) -> Tensor: """``relu6(x + 3) / 6``."""
@overload
def hardsigmoid(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
@overload
def hardswish(input: Tensor) -> Tensor: """``x * relu6(x + 3) / 6``."""
@overload
def hardswish(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
@overload
def hardtanh(input: Tensor, min_val: _Number = ..., max_val: _Number = ...) -> Tensor: """Within [min_val, max_val]."""
@overload
def hardtanh(input: Tensor, min_val: _Number = ..., max_val: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """x where the target is 1, ``max(0, margin - x)`` where it is -1: the formula of `torch.nn.HingeEmbeddingLoss`."""
def huber_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ..., delta: builtins.float = ...) -> Tensor: """Squared difference where it is less than `delta`, `delta` times the absolute one beyond."""
@overload
def instance_norm(input: Tensor, running_mean: Tensor | None = ..., running_var: Tensor | None = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., use_input_stats: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 over each channel of each element of the batch, then times `weight` plus `bias`."""
@overload
def instance_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = ..., bias: Tensor | None = ..., use_input_stats: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: ...
@overload
def interpolate(input: Tensor, size: builtins.int | Sequence[builtins.int] | None = ..., scale_factor: _Number | None = ..., mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: """A tensor resized behind its first two dimensions, batch and channels."""
@overload
def interpolate(input: Tensor, size: None = ..., *, scale_factor: Sequence[builtins.float], mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: ...
def kl_div(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., log_target: builtins.bool = ...) -> Tensor: """Divergence of distributions, ``target * (log(target) - input)``."""
def l1_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ...) -> Tensor: """Absolute difference, ``abs(input - target)``: the formula of `torch.nn.L1Loss`."""
@overload
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., bias: Tensor | None = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`."""
@overload
def layer_norm(input: Tensor, *normalized_shape: builtins.int) -> Tensor: ...
@overload
def leaky_relu(input: Tensor, negative_slope: _Number = ...) -> Tensor: """x where positive, else ``x * negative_slope``."""
@overload
def leaky_relu(input: Tensor, negative_slope: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
@overload
def linear(input: Tensor, weight: Tensor, bias: None = ...) -> Tensor: """``input @ weight.t()``."""
@overload
def linear(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor: ...
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = ..., weight: Tensor | None = ..., reduction: builtins.str = ..., ignore_index: builtins.int | None = ..., label_smoothing: builtins.float = ..., options: None = ...) -> Tensor: """`cross_entropy` of the scores ``input @ linear_weight.T + linear_bias``."""
def local_response_norm(input: Tensor, size: builtins.int, alpha: builtins.float = ..., beta: builtins.float = ..., k: builtins.float = ...) -> Tensor: """Divided by a power of the mean square of neighbouring channels."""
def log_softmax(input: Tensor, dim: builtins.int) -> Tensor: """Logarithm of the softmax."""
def logsigmoid(input: Tensor) -> Tensor: """``log(sigmoid(x))``."""
def lp_pool1d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool1d`."""
def lp_pool2d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool2d`."""
def lp_pool3d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool3d`."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``max(0, -target * (input1 - input2) + margin)``: the formula of `torch.nn.MarginRankingLoss`."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> Tensor: ...
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> Tensor: ...
def max_pool2d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., return_indices: builtins.bool = ...) -> Tensor: ...
def max_pool3d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, Tensor]: """The greatest element of each window, and where it is in its channel."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_size: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """The elements at the places that `max_pool1d` took them from, and zeros elsewhere."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_size: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """`max_unpool1d` of two dimensions; places are counted along rows."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_size: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """`max_unpool1d` of three dimensions; places are counted along rows, then planes."""
@overload
def mish(input: Tensor) -> Tensor: """``x * tanh(softplus(x))``."""
@overload
def mish(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def mse_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ...) -> Tensor: """Squared difference, ``(input - target) ** 2``: the formula of `torch.nn.MSELoss`."""
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: builtins.int, num_heads: builtins.int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: builtins.bool, dropout_p: builtins.float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: builtins.bool = ..., key_padding_mask: Tensor | None = ..., need_weights: builtins.bool = ..., attn_mask: Tensor | None = ..., use_separate_proj_weight: builtins.bool = ..., q_proj_weight: Tensor | None = ..., k_proj_weight: Tensor | None = ..., v_proj_weight: Tensor | None = ..., static_k: Tensor | None = ..., static_v: Tensor | None = ..., average_attn_weights: builtins.bool = ..., is_causal: builtins.bool = ...) -> tuple[Tensor, Any]: """Attention of several heads, each over its own projections: the formula of `torch.nn.MultiheadAttention`."""
def multi_margin_loss(input: Tensor, target: Tensor, p: builtins.int = ..., margin: builtins.float = ..., weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far scores of wrong classes come near to that of the right one: the formula of `torch.nn.MultiMarginLoss`."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far scores of wrong classes come near to those of the right ones, of which there may be several."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """`binary_cross_entropy_with_logits` of several labels, as their mean."""
def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor: """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """Minus the logarithm of the probability of the right class: the formula of `torch.nn.NLLLoss`."""
def normalize(input: Tensor, p: _Number = ..., dim: builtins.int | Sequence[builtins.int] = ..., eps: builtins.float = ...) -> Tensor: """Divided by the norm along dimensions, `eps` at least."""
def one_hot(input: Tensor, num_classes: builtins.int = ...) -> Tensor: """Ones at the places that a tensor of classes says, in a new last dimension."""
@overload
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = ..., value: _Number | None = ...) -> Tensor: """Elements added at both ends of the last dimensions."""
@overload
def pad(input: Tensor, *pad: builtins.int) -> Tensor: ...
def pairwise_distance(x1: Tensor, x2: Tensor, p: _Number = ..., eps: builtins.float = ..., keepdim: builtins.bool = ...) -> Tensor: """Norm of the differences along the last dimension."""
def pdist(input: Tensor, p: builtins.float = ...) -> Tensor: """The distance of each row of a matrix from each one behind it."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor: """Channels made pixels: ``(*, C * r * r, H, W)`` becomes ``(*, C, H * r, W * r)``."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor: """Pixels made channels: ``(*, C, H * r, W * r)`` becomes ``(*, C * r * r, H, W)``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool = ..., full: builtins.bool = ..., size_average: builtins.bool | None = ..., eps: builtins.float = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How unlikely counts are if they have a Poisson distribution: the formula of `torch.nn.PoissonNLLLoss`."""
def prelu(input: Tensor, weight: Tensor) -> Tensor: """x where positive, else ``x * weight``: of each channel, which is the second dimension, or the same for all."""
@overload
def relu(input: Tensor) -> Tensor: """The positive part."""
@overload
def relu(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
@overload
def relu6(input: Tensor) -> Tensor: """Within [0, 6]."""
@overload
def relu6(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
@overload
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., eps: builtins.float | None = ...) -> Tensor: """Divided by the root of the mean square over the last dimensions, then times `weight`."""
@overload
def rms_norm(input: Tensor, *normalized_shape: builtins.int) -> Tensor: ...
def rrelu(input: Tensor, lower: builtins.float = ..., upper: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """`leaky_relu` with a slope that is drawn for each element, or their mean if `training` is False."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = ..., dropout_p: _Number = ..., is_causal: builtins.bool = ..., *, scale: _Number | None = ..., enable_gqa: builtins.bool = ...) -> Tensor: """Sums of values, weighted by how their keys go with the query."""
@overload
def selu(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Scaled `elu`."""
@overload
def selu(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / (1 + exp(-x))``."""
@overload
def silu(input: Tensor) -> Tensor: """``x * sigmoid(x)``."""
@overload
def silu(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ..., beta: builtins.float = ...) -> Tensor: """Squared difference where it is less than `beta`, absolute beyond."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``log(1 + exp(-target * input))``: the formula of `torch.nn.SoftMarginLoss`."""
def softmax(input: Tensor, dim: builtins.int) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1."""
def softmin(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """``softmax(-x)`` along a dimension: the formula of `torch.nn.Softmin`."""
def softplus(input: Tensor, beta: _Number = ..., threshold: _Number = ...) -> Tensor: """``log(1 + exp(beta * x)) / beta``, x beyond the threshold."""
def softshrink(input: Tensor, lambd: _Number = ...) -> Tensor: """x outside of [-lambd, lambd] brought closer to 0 by that, else 0."""
def softsign(input: Tensor) -> Tensor: """``x / (1 + abs(x))``, element by element: the formula of `torch.nn.Softsign`."""
def tanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Hyperbolic tangent."""
def tanhshrink(input: Tensor) -> Tensor: """``x - tanh(x)``, element by element: the formula of `torch.nn.Tanhshrink`."""
@overload
def threshold(input: Tensor, threshold: _Number, value: _Number) -> Tensor: """x above the threshold, else `value`."""
@overload
def threshold(input: Tensor, threshold: _Number, value: _Number, inplace: builtins.bool = ...) -> Tensor: ...
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = ..., p: builtins.float = ..., eps: builtins.float = ..., swap: builtins.bool = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` of distances."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = ..., margin: builtins.float = ..., swap: builtins.bool = ..., reduction: builtins.str = ...) -> Tensor: """`triplet_margin_loss` with a distance of one's own."""
def unfold(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., stride: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Windows of an image as columns, `torch.nn.functional.unfold`."""
@overload
def upsample(input: Tensor, size: builtins.int | Sequence[builtins.int] | None = ..., scale_factor: _Number | None = ..., mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: """A tensor resized behind its first two dimensions, batch and channels."""
@overload
def upsample(input: Tensor, size: None = ..., *, scale_factor: Sequence[builtins.float], mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: ...
@overload
def upsample_bilinear(input: Tensor, size: builtins.int | Sequence[builtins.int] | None = ..., scale_factor: _Number | None = ...) -> Tensor: """`interpolate` with ``mode="bilinear"`` and ``align_corners=True``."""
@overload
def upsample_bilinear(input: Tensor, size: None = ..., *, scale_factor: Sequence[builtins.float]) -> Tensor: ...
@overload
def upsample_nearest(input: Tensor, size: builtins.int | Sequence[builtins.int] | None = ..., scale_factor: _Number | None = ...) -> Tensor: """`interpolate` with ``mode="nearest"``."""
@overload
def upsample_nearest(input: Tensor, size: None = ..., *, scale_factor: Sequence[builtins.float]) -> Tensor: ...
