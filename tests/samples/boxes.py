"""Samples of the operators of torchvision's library. The references read one pixel after the other, in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong

WHY = "PyTorch alone, without torchvision, has no such operators"
IMAGES = T(2, 8, 6, 7)
REGIONS = [[0, 0.5, 1.0, 4.0, 5.5], [1, -2.0, -1.0, 9.0, 3.0], [0, 2.0, 2.0, 2.5, 2.25], [1, 5.0, 4.0, 1.0, 1.0]]
"""Inside, beyond the image, smaller than a pixel, and with its corners exchanged."""
ROIS, NONE = T(values=REGIONS), T(0, 5)


def _nms(boxes: Array, scores: Array, iou_threshold: float) -> Array:
    kept: list[int] = []
    for i in np.argsort(-scores.astype(np.float64), kind="stable"):
        box = boxes[i].astype(np.float64)
        for j in kept:
            other = boxes[j].astype(np.float64)
            sides = np.maximum(np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2]), 0)
            union = np.prod(box[2:] - box[:2]) + np.prod(other[2:] - other[:2]) - np.prod(sides)
            if np.prod(sides) / union > iou_threshold:
                break
        else:
            kept.append(int(i))
    return np.array(kept, np.int64)


def _bilinear(image: Array, y: float, x: float) -> Array:
    height, width = image.shape[1:]
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    i, j = int(y), int(x)
    below, right = min(i + 1, height - 1), min(j + 1, width - 1)
    rows = image[:, i] * (1 - (y - i)) + image[:, below] * (y - i)
    return np.asarray(rows[:, j] * (1 - (x - j)) + rows[:, right] * (x - j))


def _aligned(x: Array, rois: Array, scale: float, ph: int, pw: int, ratio: int, aligned: bool, own: bool) -> Array:
    channels = x.shape[1] // (ph * pw) if own else x.shape[1]
    out = np.zeros((len(rois), channels, ph, pw))
    for k, (image, *box) in enumerate(rois.astype(np.float64)):
        left, top, right, bottom = (c * scale - (0.5 if aligned else 0) for c in box)
        down, across = bottom - top, right - left
        if not aligned:
            down, across = max(down, 1), max(across, 1)
        many = [ratio if ratio > 0 else max(math.ceil(side / n), 0) for side, n in ((down, ph), (across, pw))]
        for i, j in np.ndindex(ph, pw):
            pixels = x[int(image)].astype(np.float64)
            pixels = pixels[i * pw + j :: ph * pw] if own else pixels
            for a, b in np.ndindex(*many):
                y = top + down / ph * (i + (a + 0.5) / many[0])
                out[k, :, i, j] += _bilinear(pixels, y, left + across / pw * (j + (b + 0.5) / many[1]))
        with np.errstate(invalid="ignore"):
            out[k] /= math.prod(many) if own else max(math.prod(many), 1)
    return out.astype(x.dtype)


def _roi_align(x: Array, rois: Array, scale: float, ph: int, pw: int, ratio: int, aligned: bool) -> Array:
    return _aligned(x, rois, scale, ph, pw, ratio, aligned, own=False)


def _mapping(x: Array, rois: Array, ph: int, pw: int) -> Array:
    channels = np.arange(x.shape[1] // (ph * pw) * ph * pw, dtype=np.int32)
    return np.broadcast_to(channels.reshape(-1, ph, pw), (len(rois), len(channels) // (ph * pw), ph, pw))


def _ps_roi_align(x: Array, rois: Array, scale: float, ph: int, pw: int, ratio: int) -> Any:
    return _aligned(x, rois, scale, ph, pw, ratio, aligned=True, own=True), _mapping(x, rois, ph, pw)


def _parts(box: Array, scale: float, extra: int, bins: tuple[int, int], sizes: tuple[int, int]) -> Any:
    """Rows and columns of each part of a region."""
    corners = [int(math.copysign(math.floor(abs(c * scale) + 0.5), c)) for c in box.astype(np.float64)]
    found = []
    for low, high, n, size in (
        (corners[1], corners[3], bins[0], sizes[0]),
        (corners[0], corners[2], bins[1], sizes[1]),
    ):
        step = max(high - low + extra, 1) / n
        edges = [(math.floor(i * step) + low, math.ceil((i + 1) * step) + low) for i in range(n)]
        found.append([slice(*np.clip(edge, 0, size)) for edge in edges])
    return found


def _roi_pool(x: Array, rois: Array, scale: float, ph: int, pw: int) -> Any:
    out = np.zeros((len(rois), x.shape[1], ph, pw), x.dtype)
    places = np.full(out.shape, -1, np.int32)
    numbers = np.arange(x.shape[2] * x.shape[3]).reshape(x.shape[2:])
    for k, region in enumerate(rois):
        rows, columns = _parts(region[1:], scale, 1, (ph, pw), x.shape[2:])
        for i, j in np.ndindex(ph, pw):
            pixels = x[int(region[0])][:, rows[i], columns[j]].reshape(x.shape[1], -1)
            if pixels.size:
                best = pixels.argmax(1)
                out[k, :, i, j] = np.take_along_axis(pixels, best[:, None], 1)[:, 0]
                places[k, :, i, j] = numbers[rows[i], columns[j]].reshape(-1)[best]
    return out, places


def _ps_roi_pool(x: Array, rois: Array, scale: float, ph: int, pw: int) -> Any:
    out = np.zeros((len(rois), x.shape[1] // (ph * pw), ph, pw))
    for k, region in enumerate(rois):
        rows, columns = _parts(region[1:], scale, 0, (ph, pw), (x.shape[2] - 1, x.shape[3] - 1))
        for i, j in np.ndindex(ph, pw):
            pixels = x[int(region[0])][i * pw + j :: ph * pw, rows[i], columns[j]].astype(np.float64)
            out[k, :, i, j] = pixels.mean((1, 2)) if pixels.size else 0
    return out.astype(x.dtype), _mapping(x, rois, ph, pw)


def _deformed(
    x: Array, weight: Array, offset: Array, mask: Array, bias: Array,
    sh: int, sw: int, ph: int, pw: int, dh: int, dw: int, groups: int, offset_groups: int, use_mask: bool,
) -> Array:  # fmt: skip
    kh, kw = weight.shape[2:]
    inside = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (2, 2), (2, 2)))
    out = np.zeros((len(x), len(weight), *offset.shape[2:]))
    moved = offset.reshape(len(x), offset_groups, kh * kw, 2, *offset.shape[2:]).astype(np.float64)
    weighed = (
        mask.reshape(len(x), offset_groups, kh * kw, *offset.shape[2:])
        if use_mask
        else np.ones(moved[:, :, :, 0].shape)
    )
    for n, o, r, c, t in np.ndindex(len(x), len(weight), *offset.shape[2:], kh * kw):
        for ch in range(weight.shape[1]):
            channel = o // (len(weight) // groups) * weight.shape[1] + ch
            g = channel // (x.shape[1] // offset_groups)
            y = r * sh - ph + t // kw * dh + moved[n, g, t, 0, r, c]
            z = c * sw - pw + t % kw * dw + moved[n, g, t, 1, r, c]
            if -1 < y < x.shape[2] and -1 < z < x.shape[3]:
                i, j = math.floor(y) + 2, math.floor(z) + 2
                corners = inside[n, channel, i : i + 2, j : j + 2]
                value = np.array([1 - (y + 2 - i), y + 2 - i]) @ corners @ np.array([1 - (z + 2 - j), z + 2 - j])
                out[n, o, r, c] += value * weight[o, ch, t // kw, t % kw] * weighed[n, g, t, r, c]
    return (out + bias.reshape(1, -1, 1, 1)).astype(x.dtype)


BOXES = T(values=[[0, 0, 4, 4], [0, 0, 4, 5], [8, 8, 9, 9], [1, 1, 5, 5], [3, 3, 3, 3], [8, 8, 9.5, 9]])
SCORES = T(values=[0.5, 0.9, 0.1, 0.5, 0.2, 0.3])
OTHER = Wrong(RuntimeError, "Tensor[K, 5]", IMAGES, T(3, 4), 1.0, 2, 2, torch=False)
NO_IMAGE = Wrong(IndexError, "in image 2, but there are 2", IMAGES, T(values=[[2, 0, 0, 1, 1]]), 1.0, 2, 2, torch=False)
POOLED_WRONG = (OTHER, NO_IMAGE, Wrong(RuntimeError, "4d tensor", T(3, 4), T(1, 5), 1.0, 2, 2, torch=False))


def _wrong(*more: Any) -> tuple[Wrong, ...]:
    return tuple(Wrong(w.error, w.message, *w.call.args, *more, torch=False) for w in POOLED_WRONG)


SAMPLES = (
    Samples(
        "ops.torchvision.nms",
        _nms,
        Call(BOXES, SCORES, 0.4),
        Call(T(values=[[0, 0, 4, 4], [0, 0, 4, 4]], layout="t"), T(values=[1, 1]), iou_threshold=0.9),
        Call(T(40, 4, low=0, high=5), T(40, layout="s"), 0.1),
        Call(T(0, 4), T(0), 0.5),
        wrong=(
            Wrong(RuntimeError, "boxes should be a 2d tensor", T(4), T(1), 0.5, torch=False),
            Wrong(RuntimeError, "4 elements in dimension 1", T(2, 5), T(2), 0.5, torch=False),
            Wrong(RuntimeError, "scores should be a 1d tensor", T(2, 4), T(2, 1), 0.5, torch=False),
            Wrong(RuntimeError, "same number of elements", T(2, 4), T(3), 0.5, torch=False),
        ),
        torch=False,
        why=WHY,
    ),
    Samples(
        "ops.torchvision.roi_align",
        _roi_align,
        Call(IMAGES, ROIS, 1.0, 2, 3, 2, True),
        Call(IMAGES, ROIS, 0.5, 3, 2, -1, False),
        Call(T(2, 8, 6, 7, layout="s"), ROIS, 1.5, 2, 2, 0, True),
        Call(IMAGES, NONE, 1.0, 2, 2, 2, True),
        wrong=_wrong(2, True),
        torch=False,
        atol=1e-5,
        why=WHY,
    ),
    Samples(
        "ops.torchvision.ps_roi_align",
        _ps_roi_align,
        Call(IMAGES, ROIS, 1.0, 2, 2, 2),
        Call(IMAGES, T(values=REGIONS[:2]), 0.5, 2, 4, -1),
        Call(IMAGES, NONE, 1.0, 2, 2, 2),
        wrong=(
            *_wrong(2),
            Wrong(RuntimeError, "input channels must be a multiple", IMAGES, ROIS, 1.0, 3, 2, 1, torch=False),
        ),
        torch=False,
        atol=1e-5,
        why=WHY,
    ),
    Samples(
        "ops.torchvision.roi_pool",
        _roi_pool,
        Call(IMAGES, ROIS, 1.0, 2, 3),
        Call(T(2, 8, 6, 7, layout="t"), ROIS, 0.5, 3, 2),
        Call(IMAGES, NONE, 1.0, 2, 2),
        wrong=POOLED_WRONG,
        torch=False,
        why=WHY,
    ),
    Samples(
        "ops.torchvision.ps_roi_pool",
        _ps_roi_pool,
        Call(IMAGES, ROIS, 1.0, 2, 2),
        Call(IMAGES, ROIS, 1.5, 2, 4),
        Call(IMAGES, NONE, 1.0, 2, 2),
        wrong=POOLED_WRONG,
        torch=False,
        why=WHY,
    ),
    Samples(
        "ops.torchvision.deform_conv2d",
        _deformed,
        Call(
            *(T(1, 4, 5, 4), T(2, 4, 2, 2), T(1, 8, 4, 3), T(1, 4, 4, 3), T(2)),
            *(1, 1, 0, 0, 1, 1, 1, 1, True),
        ),
        Call(
            *(T(2, 4, 5, 6, layout="s"), T(4, 2, 3, 2), T(2, 24, 3, 3), T(1, 1), T(4)),
            *(2, 2, 1, 1, 1, 2, 2, 2, False),
        ),
        wrong=(
            Wrong(
                *(RuntimeError, "offset.shape[1] is not valid: got: 4 expected: 8"),
                *(T(1, 4, 5, 4), T(2, 4, 2, 2), T(1, 4, 4, 3), T(1, 4, 4, 3), T(2)),
                *(1, 1, 0, 0, 1, 1, 1, 1, True),
                torch=False,
            ),
            Wrong(
                *(RuntimeError, "Calculated output size too small"),
                *(T(1, 4, 1, 1), T(2, 4, 2, 2), T(1, 8, 4, 3), T(1, 4, 4, 3), T(2)),
                *(1, 1, 0, 0, 1, 1, 1, 1, True),
                torch=False,
            ),
        ),
        torch=False,
        atol=1e-4,
        why=WHY,
    ),
)  # fmt: skip
