"""Operators of TorchScript whose meaning here is written down: functions in the language, by their names there.

Code of TorchScript writes everything as a call: ``torch.add(a, b)`` adds tensors, numbers, strings and lists. A
function here looks at the types of its arguments, which are known when it is compiled, so nothing is left of the
question. Ints wrap at 64 bits, as they do there.

What is not here is the operator of the same name, with the same parameters.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"
# ruff: noqa: N802

from __future__ import annotations

import math

import tscript as torch
from tscript import Tensor, wrapping_add, wrapping_mul, wrapping_sub
from tscript.nn import functional as F


def add(a, b, alpha=1):
    if isinstance(a, int) and isinstance(b, int):
        return wrapping_add(a, b)
    if isinstance(a, Tensor) and alpha != 1:
        return torch.add(a, b, alpha=alpha)
    return a + b


def add_(a, b, alpha=1):
    if isinstance(a, list):
        a.extend(b)
        return a
    if alpha != 1:
        return a.add_(b, alpha=alpha)
    return a.add_(b)


def sub(a, b, alpha=1):
    if isinstance(a, int) and isinstance(b, int):
        return wrapping_sub(a, b)
    if isinstance(a, Tensor) and alpha != 1:
        return torch.sub(a, b, alpha=alpha)
    return a - b


def rsub(a, b, alpha=1):
    return sub(b, a, alpha)


def mul(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return wrapping_mul(a, b)
    return a * b


def neg(a):
    if isinstance(a, int):
        return wrapping_sub(0, a)
    return -a


def div(a, b, rounding_mode=None, out=None):
    if out is not None:
        return torch.div(a, b, rounding_mode=rounding_mode, out=out)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return torch.div(a, b, rounding_mode=rounding_mode)
    if isinstance(b, complex) or isinstance(a, complex):
        return a / b
    x = float(a)
    y = float(b)
    if y == 0.0:
        if x == 0.0 or x != x:
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


def floordiv(a, b):
    return a // b


def floor_divide(a, b):
    return a // b


def remainder(a, b):
    return a % b


def fmod(a, b):
    if isinstance(a, Tensor):
        return torch.fmod(a, b)
    return math.fmod(a, b)


def power(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return float(a) ** float(b)
    return a**b


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def bits_and(a, b):
    return a & b


def bits_or(a, b):
    return a | b


def bits_xor(a, b):
    return a ^ b


def shifted_left(a, b):
    return a << b


def shifted_right(a, b):
    return a >> b


def holds(container, item):
    return item in container


def __range_length(low, high, step):
    if step > 0:
        return 0 if low >= high else 1 + (high - 1 - low) // step
    return 0 if low <= high else 1 + (low - 1 - high) // (0 - step)


def __derive_index(index, start, step):
    return start + index * step


def ScalarImplicit(a):
    return a.item()


def as_number(a):
    if isinstance(a, Tensor):
        return a.item()
    return a


def NumToTensor(a):
    return torch.tensor(a)


def scalar_tensor(a, dtype=None, layout=None, device=None, pin_memory=None):
    if dtype is None and not isinstance(a, complex):
        return torch.tensor(float(a))
    return torch.tensor(a, dtype=dtype)


# -- functions of numbers and of tensors


def sqrt(a):
    if isinstance(a, Tensor):
        return torch.sqrt(a)
    x = float(a)
    return math.nan if x < 0.0 else math.sqrt(x)


def exp(a):
    if isinstance(a, Tensor):
        return torch.exp(a)
    x = float(a)
    return math.inf if x > 709.782712893384 else math.exp(x)


def log(a):
    if isinstance(a, Tensor):
        return torch.log(a)
    x = float(a)
    if x <= 0.0:
        return -math.inf if x == 0.0 else math.nan
    return math.log(x)


def sin(a):
    if isinstance(a, Tensor):
        return torch.sin(a)
    return math.sin(float(a))


def cos(a):
    if isinstance(a, Tensor):
        return torch.cos(a)
    return math.cos(float(a))


def tan(a):
    if isinstance(a, Tensor):
        return torch.tan(a)
    return math.tan(float(a))


def tanh(a):
    if isinstance(a, Tensor):
        return torch.tanh(a)
    return math.tanh(float(a))


def floor(a):
    if isinstance(a, Tensor):
        return torch.floor(a)
    return math.floor(a)


def ceil(a):
    if isinstance(a, Tensor):
        return torch.ceil(a)
    return math.ceil(a)


# -- lists, dicts and strings


def append(a, item):
    a.append(item)
    return a


def extend(a, items):
    a.extend(items)


def insert(a, index, item):
    a.insert(index, item)


def _set_item(a, key, value):
    a[key] = value


def set_element(a, key, value):
    a[key] = value


def get_element(a, key):
    return a[key]


def Delete(a, key):
    del a[key]


def given(a):
    return a


def list_with_default(a, b):
    return a


def part(a, first=None, second=None, third=None, step=1):
    if isinstance(a, Tensor):
        return torch.slice(a, 0 if first is None else first, second, third, step)
    return a[first : second : 1 if third is None else third]


def sort(a, first=-1, second=False, stable=None, dim=None, descending=None):
    if isinstance(a, Tensor):
        # every sort is stable
        return torch.sort(a, first if dim is None else dim, second if descending is None else descending)
    return a.sort(reverse=first is True)


def filled(text: str, values: list[str]) -> str:
    """A text with ``{}`` replaced, each by the next value."""
    parts = text.split("{}")
    out = parts[0]
    for i in range(1, len(parts)):
        out += (values[i - 1] if i <= len(values) else "{}") + parts[i]
    return out


def every(a, dim=None, keepdim=False):
    if isinstance(a, Tensor):
        return torch.all(a) if dim is None else torch.all(a, dim, keepdim)
    return all(a)


def some(a, dim=None, keepdim=False):
    if isinstance(a, Tensor):
        return torch.any(a) if dim is None else torch.any(a, dim, keepdim)
    return any(a)


def find(a, b, start=0, end=-1):
    return a.find(b) if start == 0 and end == -1 else a.find(b, start, end)


def replace(a, old, new, count=-1):
    return a.replace(old, new, count)


def strip(a, chars=" \n\t\f\v"):
    return a.strip(chars)


def lstrip(a, chars=" \n\t\f\v"):
    return a.lstrip(chars)


def rstrip(a, chars=" \n\t\f\v"):
    return a.rstrip(chars)


def startswith(a, b, start=0, end=-1):
    return a.startswith(b) if start == 0 and end == -1 else a[start:end].startswith(b)


def endswith(a, b, start=0, end=-1):
    return a.endswith(b) if start == 0 and end == -1 else a[start:end].endswith(b)


def count(a, b, start=0, end=-1):
    if isinstance(a, str):
        return a.count(b) if start == 0 and end == -1 else a.count(b, start, end)
    return a.count(b)


# -- tensors


def size(a, dim=None):
    if dim is None:
        return list(a.shape)
    return a.size(dim)


def to(
    a, first=None, second=None, third=False, fourth=False, fifth=None,
    dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, copy=False, memory_format=None,
):  # fmt: skip
    """Another tensor or a dtype, then whether not to wait, whether to copy, and a memory format; or a device and a
    dtype in front of these; or everything by name."""
    if isinstance(first, Tensor):
        return a.to(first.dtype, False, third, memory_format=None if isinstance(fourth, bool) else fourth)
    if isinstance(first, torch.dtype):
        return a.to(first, False, third, memory_format=None if isinstance(fourth, bool) else fourth)
    if isinstance(second, torch.dtype):
        return a.to(second, False, fourth, memory_format=fifth)
    if isinstance(first, bool):
        return a.to(a.dtype, False, second is True)
    if isinstance(second, bool):
        return a.to(a.dtype, False, third is True)
    if dtype is not None:
        return a.to(dtype, False, copy, memory_format=memory_format)
    return a.to(a.dtype, False, copy or fourth is True, memory_format=memory_format)


def _unique2(a, sorted=True, return_inverse=False, return_counts=False):
    return torch.unique(a, True, True, True)


def unique_consecutive(a, return_inverse=False, return_counts=False, dim=None):
    if dim is None:
        return torch.unique_consecutive(a, True, True)
    return torch.unique_consecutive(a, True, True, dim=dim)


def unique_dim(a, dim, sorted=True, return_inverse=False, return_counts=False):
    return torch.unique(a, True, True, True, dim=dim)


def set_grad_enabled(enabled):  # there are no gradients
    pass


def type_as(a, b):
    return a.to(b.dtype)


def contiguous(a, memory_format=None):
    return a.contiguous() if memory_format is None else a.contiguous(memory_format=memory_format)


def clone(a, memory_format=None):
    return a.clone() if memory_format is None else a.clone(memory_format=memory_format)


def repeat(a, repeats):
    return a.repeat(repeats)


def batch_norm(a, weight, bias, mean, var, training, momentum, eps, cudnn_enabled=True):
    return F.batch_norm(a, mean, var, weight, bias, training, momentum, eps)


def instance_norm(a, weight, bias, mean, var, use_input_stats, momentum, eps, cudnn_enabled=True):
    return F.instance_norm(a, mean, var, weight, bias, use_input_stats, momentum, eps)


def layer_norm(a, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    return F.layer_norm(a, normalized_shape, weight, bias, eps)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    # the last three say how gradients are made, and change no result
    return F.embedding(indices, weight)


def gelu(a, approximate="none"):
    return F.gelu(a, approximate=approximate)


def dropout(a, p, train):
    return F.dropout(a, p, train)


def _convolution(
    a, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
    benchmark=False, deterministic=False, cudnn_enabled=True, allow_tf32=True,
):  # fmt: skip
    return torch.convolution(a, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def max_pool1d(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool1d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)


def max_pool2d(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool2d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)


def max_pool3d(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool3d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)


def max_pool1d_with_indices(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool1d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool2d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(a, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool3d(a, kernel_size, stride or kernel_size, padding, dilation, ceil_mode, True)


def avg_pool1d(a, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    return F.avg_pool1d(a, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad)


def avg_pool2d(a, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return F.avg_pool2d(a, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(a, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return F.avg_pool3d(a, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad, divisor_override)


def _softmax(a, dim, half_to_float):
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on the processor")
    return torch.softmax(a, dim)


def _log_softmax(a, dim, half_to_float):
    if half_to_float:
        raise RuntimeError("log_softmax with half to float conversion is not supported on the processor")
    return torch.log_softmax(a, dim)


def softmax(a, dim, dtype=None):
    return torch.softmax(a, dim) if dtype is None else torch.softmax(a, dim, dtype)


def log_softmax(a, dim, dtype=None):
    return torch.log_softmax(a, dim) if dtype is None else torch.log_softmax(a, dim, dtype)


def zeros(size, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.zeros(size, dtype=dtype)


def ones(size, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.ones(size, dtype=dtype)


def empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return torch.empty(size, dtype=dtype)


def rand(size, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.rand(size, dtype=dtype)


def randn(size, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.randn(size, dtype=dtype)


def full(size, value, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.full(size, value, dtype=dtype)


def zeros_like(a, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return torch.zeros_like(a, dtype=dtype)


def ones_like(a, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return torch.ones_like(a, dtype=dtype)


def empty_like(a, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return torch.empty_like(a, dtype=dtype)


def full_like(a, value, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return torch.full_like(a, value, dtype=dtype)


def tensor(data, dtype=None, device=None, requires_grad=False):
    return torch.tensor(data, dtype=dtype)


def arange(first, second=None, third=1, dtype=None, layout=None, device=None, pin_memory=None):
    if second is None:
        return torch.arange(first, dtype=dtype)
    return torch.arange(first, second, third, dtype=dtype)


def warn(message, stacklevel=2):
    return None


# -- resizing


def resized(a, size, mode, corners, antialias, scales):
    """To sizes, or by a list of factors; with both, positions follow from the factors."""
    if scales is None:
        return F.interpolate(a, size, mode=mode, align_corners=corners, antialias=antialias)
    found = by_factors(a, mode, corners, antialias, scales)
    if size is not None and list(found.shape)[2:] != size:
        raise NotImplementedError("resizing to sizes that do not follow from the factors is not there")
    return found


def by_factors(a, mode, corners, antialias, scales):
    x = scales[0]
    if len(scales) == 1:
        return F.interpolate(a, scale_factor=(x,), mode=mode, align_corners=corners, antialias=antialias)
    y = scales[1]
    if len(scales) == 2:
        return F.interpolate(a, scale_factor=(x, y), mode=mode, align_corners=corners, antialias=antialias)
    z = scales[2]
    return F.interpolate(a, scale_factor=(x, y, z), mode=mode, align_corners=corners, antialias=antialias)


def upsample_nearest1d(a, size, first=None):
    if isinstance(first, float):
        return resized(a, size, "nearest", None, False, [first])
    return resized(a, size, "nearest", None, False, first)


def upsample_nearest2d(a, size, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "nearest", None, False, [first, second])
    return resized(a, size, "nearest", None, False, first)


def upsample_nearest3d(a, size, first=None, second=None, third=None):
    if isinstance(first, float):
        return resized(a, size, "nearest", None, False, [first, second, third])
    return resized(a, size, "nearest", None, False, first)


def _upsample_nearest_exact1d(a, size, first=None):
    if isinstance(first, float):
        return resized(a, size, "nearest-exact", None, False, [first])
    return resized(a, size, "nearest-exact", None, False, first)


def _upsample_nearest_exact2d(a, size, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "nearest-exact", None, False, [first, second])
    return resized(a, size, "nearest-exact", None, False, first)


def _upsample_nearest_exact3d(a, size, first=None, second=None, third=None):
    if isinstance(first, float):
        return resized(a, size, "nearest-exact", None, False, [first, second, third])
    return resized(a, size, "nearest-exact", None, False, first)


def upsample_linear1d(a, size, align_corners, first=None):
    if isinstance(first, float):
        return resized(a, size, "linear", align_corners, False, [first])
    return resized(a, size, "linear", align_corners, False, first)


def upsample_bilinear2d(a, size, align_corners, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "bilinear", align_corners, False, [first, second])
    return resized(a, size, "bilinear", align_corners, False, first)


def upsample_trilinear3d(a, size, align_corners, first=None, second=None, third=None):
    if isinstance(first, float):
        return resized(a, size, "trilinear", align_corners, False, [first, second, third])
    return resized(a, size, "trilinear", align_corners, False, first)


def upsample_bicubic2d(a, size, align_corners, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "bicubic", align_corners, False, [first, second])
    return resized(a, size, "bicubic", align_corners, False, first)


def _upsample_bilinear2d_aa(a, size, align_corners, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "bilinear", align_corners, True, [first, second])
    return resized(a, size, "bilinear", align_corners, True, first)


def _upsample_bicubic2d_aa(a, size, align_corners, first=None, second=None):
    if isinstance(first, float):
        return resized(a, size, "bicubic", align_corners, True, [first, second])
    return resized(a, size, "bicubic", align_corners, True, first)


# -- what operators meant in older archives; `tscript.nn.torchscript.operators.OLD` says in which


def old_div(a, b, rounding_mode=None):
    """Ints were truncated."""
    if rounding_mode is not None or not (isinstance(a, Tensor) or isinstance(b, Tensor)):
        return div(a, b, rounding_mode)
    if isinstance(a, float) or isinstance(b, float):
        return torch.div(a, b)
    if isinstance(a, Tensor) and torch.is_floating_point(a):
        return torch.div(a, b)
    if isinstance(b, Tensor) and torch.is_floating_point(b):
        return torch.div(a, b)
    return torch.div(a, b, rounding_mode="trunc")


def old_div_(a, b, rounding_mode=None):
    """Ints were truncated."""
    if rounding_mode is not None:
        return a.div_(b, rounding_mode=rounding_mode)
    if torch.is_floating_point(a) or isinstance(b, float):
        return a.div_(b)
    if isinstance(b, Tensor) and torch.is_floating_point(b):
        return a.div_(b)
    return a.div_(b, rounding_mode="trunc")


def old_full(size, value, dtype=None, layout=None, device=None, pin_memory=None):
    """Ints and bools made floats."""
    return torch.full(size, float(value)) if dtype is None else torch.full(size, value, dtype=dtype)


def old_linspace(start, end, steps=None, dtype=None, layout=None, device=None, pin_memory=None):
    """There were 100 steps where none were given."""
    return torch.linspace(start, end, 100 if steps is None else steps, dtype=dtype)


def old_logspace(start, end, steps=None, base=10.0, dtype=None, layout=None, device=None, pin_memory=None):
    """There were 100 steps where none were given."""
    return torch.logspace(start, end, 100 if steps is None else steps, base, dtype=dtype)


# -- what PyTorch computes attention with where no gradient is wanted


def _native_multi_head_attention(
    query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias,
    mask=None, need_weights=True, average_attn_weights=True, mask_type=None,
):  # fmt: skip
    """``native/transformers/attention.cpp``: True in a mask, or what is not zero, hides a key."""
    rows, columns, deep = query.size(1), key.size(1), embed_dim // num_head
    q = F.linear(query, qkv_weight[:embed_dim], qkv_bias[:embed_dim])
    k = F.linear(key, qkv_weight[embed_dim : 2 * embed_dim], qkv_bias[embed_dim : 2 * embed_dim])
    v = F.linear(value, qkv_weight[2 * embed_dim :], qkv_bias[2 * embed_dim :])
    q = q.view(-1, rows, num_head, deep).transpose(1, 2)
    k = k.view(-1, columns, num_head, deep).transpose(1, 2)
    v = v.view(-1, columns, num_head, deep).transpose(1, 2)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(deep)
    if mask is not None:
        hidden = mask.to(torch.bool)
        if mask_type == 1:
            hidden = hidden.view(-1, 1, 1, columns)
        scores = scores.masked_fill(hidden, -math.inf)
    weights = torch.softmax(scores, -1)
    out = torch.matmul(weights, v).transpose(1, 2).reshape(-1, rows, embed_dim)
    return F.linear(out, proj_weight, proj_bias), weights.mean(1) if average_attn_weights else weights


def _transformer_encoder_layer_fwd(
    src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps,
    norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2,
    mask=None, mask_type=None,
):  # fmt: skip
    """``native/transformers/transformer.cpp``"""
    x = F.layer_norm(src, [embed_dim], norm_weight_1, norm_bias_1, eps) if norm_first else src
    found, _ = _native_multi_head_attention(
        x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type
    )
    x = found + src
    if not norm_first:
        x = F.layer_norm(x, [embed_dim], norm_weight_1, norm_bias_1, eps)
    kept = x
    if norm_first:
        x = F.layer_norm(x, [embed_dim], norm_weight_2, norm_bias_2, eps)
    x = F.linear(x, ffn_weight_1, ffn_bias_1)
    x = F.gelu(x) if use_gelu else torch.relu(x)
    x = F.linear(x, ffn_weight_2, ffn_bias_2) + kept
    if norm_first:
        return x
    return F.layer_norm(x, [embed_dim], norm_weight_2, norm_bias_2, eps)
