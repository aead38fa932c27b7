"""Operators of torchvision's library, by its names: what detection networks do with boxes and regions of images.

Boxes are (x1, y1, x2, y2); regions are rows of five numbers, the image and a box. Arithmetic on coordinates is done in
the dtype of the tensors, so that the same boxes are kept and the same pixels are read as torchvision does.
"""

# mypy: disable-error-code="operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.operators.tensor.checks import check_floating, check_same_dtype


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """The indices of the boxes that overlap no better one that is kept, the best first.

    The formula is that of `torchvision.ops.nms`.

    Args:
        dets: Floats of the shape (N, 4).
        scores: N floats. Of equal ones the first counts as better.
        iou_threshold: A box goes where its intersection with a better one, over their union, is more.

    Raises:
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> boxes = tscript.tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 5.0], [8.0, 8.0, 9.0, 9.0]])
        >>> tscript.ops.torchvision.nms(boxes, tscript.tensor([0.5, 0.9, 0.1]), 0.5)
        tensor([1, 2])
    """
    if dets.dim() != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {dets.dim()}D")
    if dets.size(1) != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {dets.size(1)}")
    if scores.dim() != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.dim()}D")
    if dets.size(0) != scores.size(0):
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, got "
            f"{dets.size(0)} and {scores.size(0)}"
        )
    check_floating(dets, "nms_kernel")
    check_same_dtype(dets, scores)
    order = torch.argsort(scores, descending=True, stable=True)
    kept = torch.empty_like(order)
    count = 0
    while order.numel() > 0:
        best = order[0]
        kept[count] = best
        count += 1
        order = order[1:]
        box, rest = dets[best], dets[order]
        low = torch.maximum(box[:2], rest[:, :2])
        high = torch.minimum(box[2:], rest[:, 2:])
        sides = (high - low).clamp(min=0)
        shared = sides[:, 0] * sides[:, 1]
        area = (box[2] - box[0]) * (box[3] - box[1])
        areas = (rest[:, 2] - rest[:, 0]) * (rest[:, 3] - rest[:, 1])
        order = order[torch.logical_not(shared / (area + areas - shared) > iou_threshold)]
    return kept[:count].clone()


def check_regions(input: Tensor, rois: Tensor, kernel: str) -> None:
    """Refuse what is no batch of images, or no rows of five numbers."""
    if input.dim() != 4:
        raise RuntimeError(f"{kernel}: input should be a 4d tensor (N, C, H, W), got {input.dim()}D")
    if rois.dim() != 2 or rois.size(1) != 5:
        raise RuntimeError("rois must have shape as Tensor[K, 5]")
    check_floating(input, kernel)
    check_same_dtype(input, rois)


def image_of(region: Tensor, images: int) -> int:
    """The image that a region is in."""
    found = int(region[0])
    if found < 0 or found >= images:
        raise IndexError(f"a region is in image {found}, but there are {images}")
    return found


def samples_of(start: Tensor, side: Tensor, bins: int, many: int) -> Tensor:
    """The middles of `many` samples in each of `bins` parts of a side."""
    bin = side / bins
    at = torch.arange(bins, dtype=start.dtype).unsqueeze(1)
    inner = torch.arange(many, dtype=start.dtype) + 0.5
    return (start + at * bin + inner * bin / many).flatten()


def many_of(side: Tensor, bins: int, sampling_ratio: int) -> int:
    """How many samples a part has along a side."""
    return sampling_ratio if sampling_ratio > 0 else max(int(torch.ceil(side / bins)), 0)


def rows_at(image: Tensor, at: Tensor) -> Tensor:
    """The rows of images (C, H, W) at positions between them; zeros beyond a distance of one."""
    size = image.size(1)
    inside = (at >= -1.0) & (at <= float(size))
    at = at.clamp(min=0)
    low = at.to(torch.int64).clamp(max=size - 1)
    high = (low + 1).clamp(max=size - 1)
    part = torch.where(low >= size - 1, torch.zeros_like(at), at - low.to(at.dtype)).unsqueeze(1)
    found = image[:, low] * (1 - part) + image[:, high] * part
    return found * inside.to(image.dtype).unsqueeze(1)


def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """The means of samples in the parts of regions, (K, C, pooled_height, pooled_width).

    The formula is that of `torchvision.ops.roi_align`.

    Args:
        input: Floats of the shape (N, C, H, W).
        rois: K rows of the number of an image and a box.
        spatial_scale: What coordinates of boxes are multiplied with.
        pooled_height, pooled_width: How many parts regions have.
        sampling_ratio: How many samples a part has along each side; at most 0, as many as it has pixels.
        aligned: Whether coordinates are those of the corners of pixels, not of their middles.

    Raises:
        IndexError: A region is in no image.
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x = tscript.arange(16.0).reshape(1, 1, 4, 4)
        >>> tscript.ops.torchvision.roi_align(x, tscript.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]]), 1.0, 2, 2, 2, True)
        tensor([[[[ 2.5000,  4.5000],
                  [10.5000, 12.5000]]]])
    """
    check_regions(input, rois, "roi_align")
    out = torch.zeros(rois.size(0), input.size(1), pooled_height, pooled_width, dtype=input.dtype)
    offset = 0.5 if aligned else 0.0
    for k in range(rois.size(0)):
        region = rois[k]
        image = input[image_of(region, input.size(0))]
        start = region[1:3] * spatial_scale - offset
        sides = region[3:5] * spatial_scale - offset - start
        if not aligned:
            sides = sides.clamp(min=1.0)
        down = many_of(sides[1], pooled_height, sampling_ratio)
        across = many_of(sides[0], pooled_width, sampling_ratio)
        if down * across > 0:
            found = rows_at(image, samples_of(start[1], sides[1], pooled_height, down))
            found = rows_at(found.transpose(1, 2), samples_of(start[0], sides[0], pooled_width, across))
            parts = found.reshape(input.size(1), pooled_width, across, pooled_height, down)
            out[k] = parts.sum((2, 4)).transpose(1, 2) / (down * across)
    return out


def ps_roi_align(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int
) -> tuple[Tensor, Tensor]:
    """As `roi_align`, where each part has channels of its own; and the channels that were read.

    The formula is that of `torchvision.ops.ps_roi_align`.

    Args:
        input: Floats of the shape (N, C, H, W); C is a multiple of the number of parts.
        rois: K rows of the number of an image and a box.
        spatial_scale: What coordinates of boxes are multiplied with.
        pooled_height, pooled_width: How many parts regions have.
        sampling_ratio: How many samples a part has along each side; at most 0, as many as it has pixels.

    Raises:
        IndexError: A region is in no image.
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x = tscript.arange(4.0).reshape(1, 4, 1, 1).expand(1, 4, 2, 2)
        >>> tscript.ops.torchvision.ps_roi_align(x, tscript.tensor([[0.0, 0.0, 0.0, 2.0, 2.0]]), 1.0, 2, 2, 1)[0]
        tensor([[[[0., 1.],
                  [2., 3.]]]])
    """
    check_regions(input, rois, "ps_roi_align")
    channels = own_channels(input, pooled_height, pooled_width)
    out = torch.zeros(rois.size(0), channels, pooled_height, pooled_width, dtype=input.dtype)
    parts = pooled_height * pooled_width
    for k in range(rois.size(0)):
        region = rois[k]
        image = input[image_of(region, input.size(0))]
        start = region[1:3] * spatial_scale - 0.5
        sides = region[3:5] * spatial_scale - 0.5 - start
        down = many_of(sides[1], pooled_height, sampling_ratio)
        across = many_of(sides[0], pooled_width, sampling_ratio)
        ys = samples_of(start[1], sides[1], pooled_height, down).reshape(pooled_height, down)
        xs = samples_of(start[0], sides[0], pooled_width, across).reshape(pooled_width, across)
        for i in range(pooled_height):
            for j in range(pooled_width):
                of_part = image[i * pooled_width + j :: parts]
                found = rows_at(rows_at(of_part, ys[i]).transpose(1, 2), xs[j])
                out[k, :, i, j] = found.sum((1, 2)) / (down * across)
    return out, channel_mapping(rois.size(0), channels, pooled_height, pooled_width)


def own_channels(input: Tensor, pooled_height: int, pooled_width: int) -> int:
    """How many channels each part has."""
    parts = pooled_height * pooled_width
    if parts <= 0 or input.size(1) % parts != 0:
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")
    channels: int = input.size(1) // parts
    return channels


def channel_mapping(regions: int, channels: int, pooled_height: int, pooled_width: int) -> Tensor:
    """The channels that the parts of regions have read."""
    numbers = torch.arange(channels * pooled_height * pooled_width, dtype=torch.int32)
    return numbers.reshape(channels, pooled_height, pooled_width).repeat(regions, 1, 1, 1)


def rounded_to_int(x: Tensor) -> int:
    """The nearest number, away from zero between two."""
    found: int = int(torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x)))
    return found


def borders(start: int, side: int, bins: int, i: int, most: int, like: Tensor) -> tuple[int, int]:
    """Where a part of a region begins and ends, within 0 to `most`."""
    bin = torch.full((), side, dtype=like.dtype) / bins
    low, high = int(torch.floor(bin * i)) + start, int(torch.ceil(bin * (i + 1))) + start
    return min(max(low, 0), most), min(max(high, 0), most)


def roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """The largest pixels in the parts of regions, and where they are in their images.

    Places are numbers of pixels, row by row; -1 where a part is empty. The formula is that of
    `torchvision.ops.roi_pool`.

    Args:
        input: Floats of the shape (N, C, H, W).
        rois: K rows of the number of an image and a box.
        spatial_scale: What coordinates of boxes are multiplied with.
        pooled_height, pooled_width: How many parts regions have.

    Raises:
        IndexError: A region is in no image.
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x = tscript.arange(16.0).reshape(1, 1, 4, 4)
        >>> tscript.ops.torchvision.roi_pool(x, tscript.tensor([[0.0, 0.0, 0.0, 3.0, 3.0]]), 1.0, 2, 2)[0]
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])
    """
    check_regions(input, rois, "roi_pool")
    channels, height, width = input.size(1), input.size(2), input.size(3)
    out = torch.zeros(rois.size(0), channels, pooled_height, pooled_width, dtype=input.dtype)
    places = torch.full((rois.size(0), channels, pooled_height, pooled_width), -1, dtype=torch.int32)
    for k in range(rois.size(0)):
        region = rois[k]
        image = input[image_of(region, input.size(0))]
        scaled = region * spatial_scale
        x, y = rounded_to_int(scaled[1]), rounded_to_int(scaled[2])
        across = max(rounded_to_int(scaled[3]) - x + 1, 1)
        down = max(rounded_to_int(scaled[4]) - y + 1, 1)
        for i in range(pooled_height):
            top, bottom = borders(y, down, pooled_height, i, height, input)
            for j in range(pooled_width):
                left, right = borders(x, across, pooled_width, j, width, input)
                if bottom > top and right > left:
                    best = image[:, top:bottom, left:right].flatten(1).max(1)
                    out[k, :, i, j] = best.values
                    wide = right - left
                    found = (best.indices // wide + top) * width + best.indices % wide + left
                    places[k, :, i, j] = found.to(torch.int32)
    return out, places


def ps_roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """The means of pixels in the parts of regions, each of channels of its own; and the channels that were read.

    The formula is that of `torchvision.ops.ps_roi_pool`.

    Args:
        input: Floats of the shape (N, C, H, W); C is a multiple of the number of parts.
        rois: K rows of the number of an image and a box.
        spatial_scale: What coordinates of boxes are multiplied with.
        pooled_height, pooled_width: How many parts regions have.

    Raises:
        IndexError: A region is in no image.
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x = tscript.arange(4.0).reshape(1, 4, 1, 1).expand(1, 4, 3, 3)
        >>> tscript.ops.torchvision.ps_roi_pool(x, tscript.tensor([[0.0, 0.0, 0.0, 2.0, 2.0]]), 1.0, 2, 2)[0]
        tensor([[[[0., 1.],
                  [2., 3.]]]])
    """
    check_regions(input, rois, "ps_roi_pool")
    channels = own_channels(input, pooled_height, pooled_width)
    out = torch.zeros(rois.size(0), channels, pooled_height, pooled_width, dtype=input.dtype)
    parts = pooled_height * pooled_width
    for k in range(rois.size(0)):
        region = rois[k]
        image = input[image_of(region, input.size(0))]
        scaled = region * spatial_scale
        x, y = rounded_to_int(scaled[1]), rounded_to_int(scaled[2])
        across, down = max(rounded_to_int(scaled[3]) - x, 1), max(rounded_to_int(scaled[4]) - y, 1)
        for i in range(pooled_height):
            top, bottom = borders(y, down, pooled_height, i, input.size(2) - 1, input)
            for j in range(pooled_width):
                left, right = borders(x, across, pooled_width, j, input.size(3) - 1, input)
                if bottom > top and right > left:
                    of_part = image[i * pooled_width + j :: parts, top:bottom, left:right]
                    out[k, :, i, j] = of_part.sum((1, 2)) / ((bottom - top) * (right - left))
    return out, channel_mapping(rois.size(0), channels, pooled_height, pooled_width)


def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """A convolution whose taps are moved by offsets of their own, and weighed by a mask.

    The formula is that of `torchvision.ops.deform_conv2d`.

    Args:
        input: Floats of the shape (N, C, H, W).
        weight: Filters, (C_out, C / groups, kh, kw).
        offset: How far taps are moved down and to the right, (N, 2 * offset_groups * kh * kw, H_out, W_out).
        mask: Factors of taps, (N, offset_groups * kh * kw, H_out, W_out), if `use_mask` says so.
        bias: C_out numbers.
        stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w: Of the convolution.
        groups: How many groups of channels there are.
        offset_groups: How many groups of channels have offsets of their own.
        use_mask: Whether there is a mask.

    Raises:
        RuntimeError: Other shapes or dtypes.

    Example:
        >>> x, w = tscript.arange(9.0).reshape(1, 1, 3, 3), tscript.ones(1, 1, 1, 1)
        >>> offset = tscript.full((1, 2, 3, 3), 0.5)
        >>> no = tscript.zeros(1)
        >>> tscript.ops.torchvision.deform_conv2d(x, w, offset, no, no, 1, 1, 0, 0, 1, 1, 1, 1, False)[0, 0, 0]
        tensor([2.0000, 3.0000, 1.7500])
    """
    if input.dim() != 4 or offset.dim() != 4 or weight.dim() != 4:
        raise RuntimeError("deform_conv2d: input, offset and weight have 4 dimensions")
    check_floating(input, "deformable_im2col")
    check_same_dtype(input, weight)
    check_same_dtype(input, offset)
    batch, channels, height, width = input.size(0), input.size(1), input.size(2), input.size(3)
    rows, columns = weight.size(2), weight.size(3)
    taps = rows * columns
    down = (height + 2 * pad_h - (dilation_h * (rows - 1) + 1)) // stride_h + 1
    across = (width + 2 * pad_w - (dilation_w * (columns - 1) + 1)) // stride_w + 1
    if groups <= 0 or weight.size(1) * groups != channels or weight.size(0) % groups != 0:
        raise RuntimeError("deform_conv2d: the channels of input and weight do not go with the groups")
    if offset_groups <= 0 or channels % offset_groups != 0:
        raise RuntimeError("deform_conv2d: input channels must be a multiple of the offset groups")
    if down <= 0 or across <= 0:
        raise RuntimeError(f"Calculated output size too small - out_h: {down} out_w: {across}")
    if offset.size(0) != batch or offset.size(1) != 2 * offset_groups * taps:
        raise RuntimeError(f"offset.shape[1] is not valid: got: {offset.size(1)} expected: {2 * offset_groups * taps}")
    if offset.size(2) != down or offset.size(3) != across:
        raise RuntimeError("offset output dims do not match the computed output dims")
    moved = offset.reshape(batch, offset_groups, taps, 2, down, across)
    tap = torch.arange(taps)
    ys = (tap // columns * dilation_h).unsqueeze(1) + torch.arange(down) * stride_h - pad_h
    xs = (tap % columns * dilation_w).unsqueeze(1) + torch.arange(across) * stride_w - pad_w
    y = moved[:, :, :, 0] + ys.to(input.dtype).unsqueeze(2)
    x = moved[:, :, :, 1] + xs.to(input.dtype).unsqueeze(1)
    pixels = input.reshape(batch, offset_groups, channels // offset_groups, height * width)
    top, left = torch.floor(y), torch.floor(x)
    low, before = y - top, x - left
    found = pixels_at(pixels, top, left, height, width, (1 - low) * (1 - before))
    found = found + pixels_at(pixels, top, left + 1, height, width, (1 - low) * before)
    found = found + pixels_at(pixels, top + 1, left, height, width, low * (1 - before))
    found = found + pixels_at(pixels, top + 1, left + 1, height, width, low * before)
    if use_mask:
        if mask.dim() != 4 or mask.size(0) != batch or mask.size(1) != offset_groups * taps:
            raise RuntimeError("mask.shape is not valid: it has a number for each group, tap and pixel")
        check_same_dtype(input, mask)
        found = found * mask.reshape(batch, offset_groups, 1, taps, down, across)
    found = found.reshape(batch, groups, channels // groups * taps, down * across)
    filters = weight.reshape(groups, weight.size(0) // groups, weight.size(1) * taps)
    out = torch.matmul(filters, found).reshape(batch, weight.size(0), down, across)
    return out + bias.reshape(1, -1, 1, 1)


def pixels_at(pixels: Tensor, y: Tensor, x: Tensor, height: int, width: int, weight: Tensor) -> Tensor:
    """Pixels (N, G, C, H * W) at whole positions (N, G, taps, ...), weighed; zeros outside."""
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    at = y.clamp(0, height - 1).to(torch.int64) * width + x.clamp(0, width - 1).to(torch.int64)
    shape = (pixels.size(0), pixels.size(1), pixels.size(2), at.size(2) * at.size(3) * at.size(4))
    found = pixels.gather(3, at.flatten(2).unsqueeze(2).expand(shape))
    found = found.reshape(pixels.size(0), pixels.size(1), pixels.size(2), at.size(2), at.size(3), at.size(4))
    return found * torch.where(inside, weight, torch.zeros_like(weight)).unsqueeze(2)


_POOLED = "Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width"

OPERATORS = (
    composite(
        "torchvision_nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        nms,
        names="torch.ops.torchvision.nms out=no",
    ),
    composite(
        f"torchvision_roi_align({_POOLED}, int sampling_ratio, bool aligned) -> Tensor",
        roi_align,
        names="torch.ops.torchvision.roi_align out=no",
    ),
    composite(
        f"torchvision_roi_pool({_POOLED}) -> (Tensor, Tensor)",
        roi_pool,
        names="torch.ops.torchvision.roi_pool out=no",
    ),
    composite(
        f"torchvision_ps_roi_align({_POOLED}, int sampling_ratio) -> (Tensor, Tensor)",
        ps_roi_align,
        names="torch.ops.torchvision.ps_roi_align out=no",
    ),
    composite(
        f"torchvision_ps_roi_pool({_POOLED}) -> (Tensor, Tensor)",
        ps_roi_pool,
        names="torch.ops.torchvision.ps_roi_pool out=no",
    ),
    composite(
        "torchvision_deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, int stride_h, "
        "int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, "
        "bool use_mask) -> Tensor",
        deform_conv2d,
        names="torch.ops.torchvision.deform_conv2d out=no",
    ),
)
