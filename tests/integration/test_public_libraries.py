"""Functions of public libraries, as they stand, against PyTorch on the same inputs.

The libraries and PyTorch must be installed, or the libraries lie in the folder that ``TSCRIPT_PUBLIC_LIBRARIES`` names.
"""

from __future__ import annotations

import importlib
import os
from types import FunctionType
from typing import Any

import pytest

import tscript

torch: Any = pytest.importorskip("torch")

VISION = "torchvision.transforms._functional_tensor"
BOXES = "torchvision.ops.boxes"
AUDIO = "torchaudio.functional.functional"
FILTERS = "torchaudio.functional.filtering"


def image() -> Any:
    return torch.rand(3, 8, 10, generator=torch.Generator().manual_seed(1))


def boxes() -> Any:
    low = torch.rand(5, 2, generator=torch.Generator().manual_seed(2))
    return torch.cat([low, low + 0.5], dim=1)


def wave() -> Any:
    return torch.rand(2, 200, generator=torch.Generator().manual_seed(3)) - 0.5


def displacement() -> Any:
    return image().permute(1, 2, 0)[None, ..., :2] - 0.5


def dot() -> Any:
    return torch.zeros(3, 2, 2)


def bytes_image() -> Any:
    return (image() * 255).to(torch.uint8)


def levels() -> Any:
    return torch.tensor([3.0, 6.0])


def poses() -> Any:
    return torch.eye(4)[None] + 0.5


def nodes() -> Any:
    return torch.tensor([0, 1, 1, 5])


def hann() -> Any:
    return torch.hann_window(32)


_USES: list[tuple[Any, ...]] = [
    (BOXES, "box_area", boxes),
    (BOXES, "generalized_box_iou", boxes, boxes),
    (BOXES, "remove_small_boxes", boxes, 0.1),
    (BOXES, "clip_boxes_to_image", boxes, (1, 1)),
    (BOXES, "box_convert", boxes, "xyxy", "cxcywh"),
    ("torchvision.ops._box_convert", "_box_xyxy_to_cxcywh", boxes),
    ("torchvision.ops._box_convert", "_box_cxcywh_to_xyxy", boxes),
    ("torchvision.ops._box_convert", "_box_xywh_to_xyxy", boxes),
    ("torchvision.ops._box_convert", "_box_xyxy_to_xywh", boxes),
    ("torchvision.ops.giou_loss", "generalized_box_iou_loss", boxes, boxes, "mean"),
    ("torchvision.ops.diou_loss", "distance_box_iou_loss", boxes, boxes, "mean"),
    ("torchvision.ops.ciou_loss", "complete_box_iou_loss", boxes, boxes, "mean"),
    ("torchvision.ops.focal_loss", "sigmoid_focal_loss", boxes, boxes, 0.25, 2.0, "mean"),
    (VISION, "get_dimensions", image),
    (VISION, "get_image_size", image),
    (VISION, "get_image_num_channels", image),
    (VISION, "vflip", image),
    (VISION, "hflip", image),
    (VISION, "crop", image, 1, 2, 4, 5),
    (VISION, "rgb_to_grayscale", image, 3),
    (VISION, "adjust_brightness", image, 1.2),
    (VISION, "adjust_contrast", image, 1.2),
    (VISION, "adjust_hue", image, 0.1),
    (VISION, "adjust_saturation", image, 1.2),
    (VISION, "adjust_gamma", image, 0.8, 1.0),
    (VISION, "invert", image),
    (VISION, "solarize", image, 0.5),
    (VISION, "autocontrast", image),
    (VISION, "adjust_sharpness", image, 1.5),
    (VISION, "gaussian_blur", image, [3, 3], [1.0, 1.0]),
    (VISION, "pad", image, [1, 2, 1, 2], 0.0, "constant"),
    (VISION, "resize", image, [4, 6], "bilinear", False),
    (VISION, "_rgb2hsv", image),
    (VISION, "_hsv2rgb", image),
    (VISION, "normalize", image, [0.5, 0.5, 0.5], [0.2, 0.2, 0.2], False),
    (VISION, "elastic_transform", image, displacement, "bilinear", None),
    (VISION, "erase", image, 1, 2, 2, 2, dot, False),
    (VISION, "posterize", bytes_image, 4),
    (VISION, "equalize", bytes_image),
    (AUDIO, "add_noise", wave, wave, levels),
    (AUDIO, "spectrogram", wave, 0, hann, 32, 16, 32, 2.0, False),
    (AUDIO, "spectral_centroid", wave, 8000, 0, hann, 32, 16, 32),
    (AUDIO, "amplitude_to_DB", wave, 10.0, 1e-10, 0.0, 80.0),
    (AUDIO, "DB_to_amplitude", wave, 1.0, 0.5),
    (AUDIO, "_hz_to_mel", 440.0, "htk"),
    (AUDIO, "melscale_fbanks", 33, 0.0, 8000.0, 10, 16000, None, "htk"),
    (AUDIO, "linear_fbanks", 33, 0.0, 8000.0, 10, 16000),
    (AUDIO, "create_dct", 5, 10, "ortho"),
    (AUDIO, "mu_law_encoding", wave, 256),
    (AUDIO, "compute_deltas", wave, 5, "replicate"),
    (AUDIO, "preemphasis", wave, 0.97),
    (AUDIO, "fftconvolve", wave, wave, "full"),
    (AUDIO, "sliding_window_cmn", image, 5, 2, False, False),
    (FILTERS, "contrast", wave, 75.0),
    (FILTERS, "dcshift", wave, 0.1),
    (FILTERS, "gain", wave, 2.0),
    ("timm.layers.activations", "swish", image),
    ("timm.layers.activations", "mish", image),
    ("timm.layers.activations", "hard_sigmoid", image),
    ("timm.layers.activations", "hard_swish", image),
    ("timm.layers.activations", "hard_mish", image),
    ("timm.layers.activations", "sigmoid", image),
    ("timm.layers.activations", "tanh", image),
    ("timm.layers.activations", "gelu", image),
    ("timm.layers.activations", "gelu_tanh", image),
    ("timm.layers.activations", "quick_gelu", image),
    ("timm.layers.fast_norm", "rms_norm2d", image, [3]),
    ("torchvision.transforms.v2.functional._meta", "_xyxy_to_xywh", boxes, False),
    ("kornia.color.hsv", "rgb_to_hsv", image),
    ("kornia.color.gray", "rgb_to_grayscale", image),
    ("kornia.color.lab", "rgb_to_lab", image),
    ("kornia.color.luv", "rgb_to_luv", image),
    ("kornia.color.xyz", "rgb_to_xyz", image),
    ("kornia.color.yuv", "rgb_to_yuv", image),
    ("kornia.color.ycbcr", "rgb_to_ycbcr", image),
    ("kornia.enhance.adjust", "adjust_brightness", image, 0.2),
    ("kornia.geometry.conversions", "rad2deg", image),
    ("kornia.geometry.conversions", "convert_points_to_homogeneous", boxes),
    ("kornia.geometry.conversions", "camtoworld_graphics_to_vision_4x4", poses),
    ("torch_geometric.utils._degree", "degree", nodes, 6),
]
USES = {f"{module}.{name}": (module, name, arguments) for module, name, *arguments in _USES}


def plain(value: Any) -> Any:
    """``value`` with tensors of PyTorch in place of ours, lists in place of tuples."""
    if isinstance(value, tscript.Tensor):
        return torch.from_dlpack(value)
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("use", USES)
def test_as_it_stands(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, given = USES[use]
    if folder := os.environ.get("TSCRIPT_PUBLIC_LIBRARIES"):
        monkeypatch.syspath_prepend(folder)
    pytest.importorskip(module.partition(".")[0])
    function = getattr(importlib.import_module(module), name)
    arguments = [value() if isinstance(value, FunctionType) else value for value in given]
    ours = [tscript.from_dlpack(value.clone()) if isinstance(value, torch.Tensor) else value for value in arguments]
    found = plain(tscript.script(function)(*ours))
    torch.testing.assert_close(found, plain(function(*arguments)), rtol=1e-4, atol=1e-5)
