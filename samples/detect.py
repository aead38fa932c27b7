"""Finds scanned digits on a page, as detection libraries find things in images: ``python samples/detect.py``.

A page is laid out from a hundred digits of `data/digits.csv.gz`, in two sizes. Templates are made from the other digits
and are moved over the page. Where one fits there is a box with a score and a label; of boxes that overlap, the best are
kept. The functions are those of a detector's last part: boxes, intersection over union, non-maximum suppression. All is
compared with the same in NumPy.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

import tscript
import tscript as torch
import tscript.nn.functional as F  # noqa: N812
from tscript import Tensor

Array = np.ndarray[Any, Any]
SIZES = (16, 24)
SIDE = 320


@torch.jit.script
def box_area(boxes: Tensor) -> Tensor:
    """The area of each box, given as (x1, y1, x2, y2)."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


@torch.jit.script
def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """The intersection over the union of each box of one set with each of another: (N, 4) and (M, 4) give (N, M)."""
    top_left = torch.max(boxes1[:, None, :2], boxes2[None, :, :2])
    bottom_right = torch.min(boxes1[:, None, 2:], boxes2[None, :, 2:])
    sides = (bottom_right - top_left).clamp(min=0)
    shared = sides[..., 0] * sides[..., 1]
    return shared / (box_area(boxes1)[:, None] + box_area(boxes2)[None] - shared)


@torch.jit.script
def clip_boxes(boxes: Tensor, size: Tuple[int, int]) -> Tensor:
    """The boxes, cut off at the borders of an image of a height and a width."""
    height, width = size
    across = boxes[..., 0::2].clamp(min=0, max=width)
    down = boxes[..., 1::2].clamp(min=0, max=height)
    return torch.stack((across, down), dim=boxes.dim()).reshape(boxes.shape)


@torch.jit.script
def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """The indices of the boxes that are kept: the best one, then the best that overlaps none of those, and so on."""
    order = torch.argsort(scores, descending=True, stable=True)
    kept: List[int] = []
    while order.numel() > 0:
        best = order[0]
        kept.append(int(best))
        rest = order[1:]
        overlap = box_iou(boxes[best].unsqueeze(0), boxes[rest]).squeeze(0)
        order = rest[overlap <= iou_threshold]
    return torch.tensor(kept, dtype=torch.int64)


@torch.jit.script
def batched_nms(boxes: Tensor, scores: Tensor, labels: Tensor, iou_threshold: float) -> Tensor:
    """`nms` for each label by itself: the boxes of each are moved to a place of their own."""
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64, device=boxes.device)
    offsets = labels.to(boxes) * (boxes.max() + torch.tensor(1).to(boxes))
    return nms(boxes + offsets[:, None], scores, iou_threshold)


@torch.jit.script
def fits(page: Tensor, templates: Tensor) -> Tensor:
    """How well each template fits at each place: the correlation of its pixels with those of the page below it."""
    k = templates.size(-1)
    mean = F.avg_pool2d(page, k, stride=1)
    spread = (F.avg_pool2d(page * page, k, stride=1) - mean * mean).clamp(min=1e-4).sqrt()
    flat = templates.flatten(1)
    flat = flat - flat.mean(1, keepdim=True)
    flat = flat / (flat.norm(dim=1, keepdim=True) * float(k))
    return F.conv2d(page, flat.reshape(templates.shape)) / spread


@torch.jit.script
def candidates(page: Tensor, templates: Tensor, threshold: float) -> Tuple[Tensor, Tensor, Tensor]:
    """The boxes, scores and labels of all places where the template that fits best fits well."""
    scores, labels = fits(page, templates)[0].max(dim=0)
    peaks = F.max_pool2d(scores[None, None], 3, stride=1, padding=1)[0, 0]
    keep = (scores > threshold) & (scores == peaks)
    ys, xs = keep.nonzero().unbind(1)
    k = float(templates.size(-1))
    corners = torch.stack((xs, ys, xs, ys), dim=1).to(torch.float32)
    return corners + torch.tensor([0.0, 0.0, k, k]), scores[keep], labels[keep]


@torch.jit.script
def detect(page: Tensor, templates: List[Tensor], threshold: float = 0.72, most: int = 300) -> Dict[str, Tensor]:
    """Boxes, scores and labels of the digits of a page, (1, 1, H, W), by templates (10, 1, K, K) of several sizes K."""
    boxes: List[Tensor] = []
    scores: List[Tensor] = []
    labels: List[Tensor] = []
    for of_a_size in templates:
        b, s, lab = candidates(page, of_a_size, threshold)
        best = s.topk(min(most, s.numel())).indices
        boxes.append(b[best])
        scores.append(s[best])
        labels.append(lab[best])
    found = clip_boxes(torch.cat(boxes), (page.size(2), page.size(3)))
    score, label = torch.cat(scores), torch.cat(labels)
    keep = batched_nms(found, score, label, 0.3)
    keep = keep[nms(found[keep], score[keep], 0.3)]
    return {"boxes": found[keep], "scores": score[keep], "labels": label[keep]}


def load_digits() -> Tuple[Array, Array]:
    """The scanned digits, 8 x 8 pixels from 0 to 1 each, and what they are."""
    lines = gzip.decompress((Path(__file__).resolve().parent / "data" / "digits.csv.gz").read_bytes()).decode().split()
    table = np.array([line.split(",") for line in lines], np.int64)
    return (table[:, :64].reshape(-1, 8, 8) / 16).astype(np.float32), table[:, 64]


def enlarged(digits: Array, size: int) -> Tensor:
    """Digits (N, 8, 8) as (N, 1, size, size)."""
    x = tscript.from_numpy(np.ascontiguousarray(digits))[:, None]
    return F.interpolate(x, size=(size, size), mode="bilinear", align_corners=False)


def lay_out(digits: Array, labels: Array) -> Tuple[Array, Array]:
    """A page with a digit in each of a hundred cells, at random places; and the box and label of each."""
    random = np.random.default_rng(7)
    page = random.normal(0, 0.02, (SIDE, SIDE)).astype(np.float32)
    truth = []
    for cell in range(100):
        size = SIZES[int(random.integers(2))]
        x = 32 * (cell % 10) + int(random.integers(32 - size))
        y = 32 * (cell // 10) + int(random.integers(32 - size))
        page[y : y + size, x : x + size] += enlarged(digits[cell : cell + 1], size)[0, 0].numpy()
        truth.append((x, y, x + size, y + size, labels[cell]))
    return page, np.array(truth, np.float32)


def iou_of_numpy(box: Array, boxes: Array) -> Array:
    """The intersection over the union of one box with many, in NumPy."""
    sides = np.clip(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]), 0, None)
    shared = sides.prod(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    return np.asarray(shared / ((box[2:] - box[:2]).prod() + areas - shared))


def expected(page: Array, templates: List[Array], threshold: float) -> Tuple[Array, Array, Array]:
    """`detect` in NumPy, in float64."""
    boxes, scores, labels = [], [], []
    for of_a_size in templates:
        k = of_a_size.shape[-1]
        windows = np.lib.stride_tricks.sliding_window_view(page.astype(np.float64), (k, k))
        flat = of_a_size.reshape(10, k * k).astype(np.float64)
        flat = flat - flat.mean(1, keepdims=True)
        flat /= np.linalg.norm(flat, axis=1, keepdims=True) * k
        spread = np.sqrt(np.clip(windows.var((2, 3)), 1e-4, None))
        all_fits = np.einsum("yxij,nij->nyx", windows, flat.reshape(10, k, k), optimize=True) / spread
        best = all_fits.max(0)
        around = np.lib.stride_tricks.sliding_window_view(np.pad(best, 1, constant_values=-np.inf), (3, 3)).max((2, 3))
        ys, xs = np.nonzero((best > threshold) & (best == around))
        boxes.append(np.stack((xs, ys, xs + k, ys + k), 1))
        scores.append(best[ys, xs])
        labels.append(all_fits.argmax(0)[ys, xs])
    box, score, label = np.concatenate(boxes), np.concatenate(scores), np.concatenate(labels)
    for alone in (True, False):
        order, kept = np.argsort(-score, kind="stable"), []
        while len(order):
            best, rest = order[0], order[1:]
            kept.append(best)
            overlap = iou_of_numpy(box[best], box[rest])
            order = rest[(overlap <= 0.3) | (alone & (label[rest] != label[best]))]
        box, score, label = box[kept], score[kept], label[kept]
    return box, score, label


def main() -> None:
    """Lay out a page, find its digits, and compare."""
    digits, labels = load_digits()
    page, truth = lay_out(digits[:100], labels[:100])
    means = np.stack([digits[100:][labels[100:] == digit].mean(0) for digit in range(10)])
    templates = [enlarged(means, size) for size in SIZES]
    found = detect(tscript.from_numpy(page)[None, None], templates)
    box, score, label = expected(page, [np.asarray(t.numpy()) for t in templates], 0.72)
    same = np.array_equal(found["boxes"].numpy(), box) and np.array_equal(found["labels"].numpy(), label)
    error = float(np.abs(found["scores"].numpy() - score).max()) if same else np.inf
    overlap = box_iou(found["boxes"], tscript.from_numpy(truth[:, :4].copy()))
    best, which = overlap.max(1)
    placed = best.numpy() > 0.5
    right = placed & (truth[which.numpy(), 4] == found["labels"].numpy())
    counts = f"{int(placed.sum())} at a digit, {int(right.sum())} of them read right"
    print(f"{len(score)} boxes on a page of {len(truth)} digits: {counts}")
    print(f"scores at most {error:.0e} from NumPy's")
    if error > 1e-4:
        sys.exit("the boxes differ from NumPy's")


if __name__ == "__main__":
    main()
