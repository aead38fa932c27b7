"""The table of layers: how each is made, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class T:
    """A tensor argument: numbers that depend on the shape alone.

    Attributes:
        shape: Its shape.
        kind: What the numbers are: ``normal``, ``positive`` (in (0, 1)), ``sign`` (-1 and 1), or the number of classes.
    """

    shape: tuple[int, ...]
    kind: str | int = "normal"

    def array(self) -> Any:
        random = np.random.default_rng(sum(self.shape) + len(self.shape))
        if isinstance(self.kind, int):
            return random.integers(0, self.kind, self.shape)
        if self.kind == "positive":
            return random.uniform(0.05, 0.95, self.shape).astype(np.float32)
        if self.kind == "sign":
            return np.sign(random.normal(size=self.shape)).astype(np.float32)
        return random.normal(size=self.shape).astype(np.float32)


@dataclass(frozen=True)
class Layer:
    """A layer and a call of it.

    Attributes:
        name: Its class.
        args, kwargs: Arguments of the class; a `T` among them becomes a tensor.
        inputs: Arguments of the call.
        in_training: Whether its results in training mode do not depend on chance.
        make: Makes other arguments from the library.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[Any, ...] = ()
    in_training: bool = True
    make: Callable[[Any], tuple[Any, ...]] | None = None

    @property
    def id(self) -> str:
        shown = [*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())]
        given = [_shown(arg) for arg in self.inputs]
        return f"{self.name}({', '.join(shown)}) of {', '.join(given)}"


def _shown(arg: Any) -> str:
    if isinstance(arg, tuple) and any(isinstance(part, T) for part in arg):
        return f"({', '.join(map(_shown, arg))})"
    return "x".join(map(str, arg.shape)) if isinstance(arg, T) else str(arg)


def L(name: str, *args: Any, on: Any = (), training: bool = True, **kwargs: Any) -> Layer:
    return Layer(name, args, kwargs, on if isinstance(on, tuple) else (on,), training)


X = T((2, 3))
IMAGE = T((2, 4, 4, 5))
SEQUENCE = T((2, 4, 6))
VOLUME = T((1, 2, 3, 4, 3))

_ACTIVATIONS = (
    *(L(n, on=X) for n in ("ReLU", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish", "Hardswish", "SELU")),
    *(L(n, on=X) for n in ("LogSigmoid", "Softsign", "Tanhshrink", "ELU", "CELU", "GELU", "LeakyReLU", "Softplus")),
    *(L(n, inplace=True, on=X) for n in ("ReLU", "ReLU6", "Hardsigmoid", "SiLU", "Mish", "Hardswish", "SELU", "CELU")),
    *(L(n, 0.3, True, on=X) for n in ("ELU", "CELU", "LeakyReLU")),
    L("Threshold", 0.1, 20.0, on=X), L("Threshold", 0.1, 20.0, True, on=X),
    L("RReLU", on=X, training=False), L("RReLU", 0.1, 0.2, True, on=X, training=False),
    L("Hardtanh", on=X), L("Hardtanh", -0.5, 2.0, True, on=X),
    L("GLU", on=T((2, 4))), L("GLU", 0, on=T((2, 4))),
    L("GELU", "tanh", on=X), L("Hardshrink", on=X), L("Hardshrink", 0.2, on=X), L("Softshrink", 0.2, on=X),
    L("Softshrink", on=X), L("Softplus", 2.0, 1.0, on=X),
    L("PReLU", on=X), L("PReLU", 3, on=X), L("PReLU", 4, 0.1, on=IMAGE),
    *(L(n, 1, on=X) for n in ("Softmin", "Softmax", "LogSoftmax")),
    L("Softmax2d", on=IMAGE), L("Softmax2d", on=T((2, 3, 3))),
)  # fmt: skip

_CONVOLUTIONS = (
    L("Conv1d", 4, 6, 3, on=SEQUENCE), L("Conv1d", 4, 6, 3, on=T((4, 8))),
    L("Conv1d", 4, 6, 3, 2, 1, 2, 2, False, on=SEQUENCE),
    *(L("Conv1d", 4, 2, 3, padding=2, padding_mode=m, on=SEQUENCE) for m in ("reflect", "replicate", "circular")),
    L("Conv1d", 4, 2, 4, padding="same", on=SEQUENCE), L("Conv1d", 4, 2, 4, padding="valid", on=SEQUENCE),
    L("Conv1d", 4, 2, 4, padding="same", padding_mode="circular", on=SEQUENCE),
    L("Conv2d", 4, 6, 3, on=IMAGE), L("Conv2d", 4, 6, (3, 2), (2, 1), (1, 2), groups=2, on=IMAGE),
    L("Conv2d", 4, 6, 3, padding=(1, 2), padding_mode="reflect", bias=False, on=IMAGE),
    L("Conv2d", 4, 6, 3, padding="same", dilation=2, on=IMAGE),
    L("Conv3d", 2, 3, 2, on=VOLUME), L("Conv3d", 2, 4, (1, 2, 3), padding=1, padding_mode="replicate", on=VOLUME),
    L("ConvTranspose1d", 4, 6, 3, on=SEQUENCE), L("ConvTranspose1d", 4, 6, 3, 2, 1, 1, 2, False, 2, on=SEQUENCE),
    L("ConvTranspose2d", 4, 2, 3, 2, on=(IMAGE, (10, 12))), L("ConvTranspose2d", 4, 6, (3, 2), (2, 1), on=IMAGE),
    L("ConvTranspose3d", 2, 3, 2, 2, on=VOLUME),
)  # fmt: skip

_NORMS = (
    L("BatchNorm1d", 3, on=X), L("BatchNorm1d", 4, on=SEQUENCE), L("BatchNorm1d", 3, momentum=None, on=X),
    L("BatchNorm2d", 4, on=IMAGE), L("BatchNorm2d", 4, 1e-3, 0.5, False, on=IMAGE),
    L("BatchNorm2d", 4, track_running_stats=False, on=IMAGE), L("BatchNorm2d", 4, bias=False, on=IMAGE),
    L("BatchNorm3d", 2, on=VOLUME),
    L("InstanceNorm1d", 4, on=SEQUENCE), L("InstanceNorm1d", 4, affine=True, on=T((4, 8))),
    L("InstanceNorm2d", 4, affine=True, track_running_stats=True, on=IMAGE), L("InstanceNorm3d", 2, on=VOLUME),
    L("LayerNorm", 3, on=X), L("LayerNorm", (4, 5), 1e-3, on=IMAGE), L("LayerNorm", 3, bias=False, on=X),
    L("LayerNorm", 3, elementwise_affine=False, on=X),
    L("GroupNorm", 2, 4, on=IMAGE), L("GroupNorm", 4, 4, affine=False, on=SEQUENCE),
    L("RMSNorm", 3, on=X), L("RMSNorm", (3,), 0.1, False, on=X),
    L("LocalResponseNorm", 2, on=IMAGE), L("LocalResponseNorm", 3, 0.1, 0.5, 2.0, on=IMAGE),
)  # fmt: skip

_POOLS = (
    *(L(f"{k}Pool{n}d", 2, on=x) for k in ("Max", "Avg") for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    *(L(f"LPPool{n}d", 2, 2, on=x) for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    *(L(f"Adaptive{k}Pool{n}d", 2, on=x) for k in ("Max", "Avg")
      for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    L("MaxPool2d", 3, 2, 1, on=IMAGE), L("MaxPool2d", (2, 3), return_indices=True, on=IMAGE),
    L("MaxPool1d", 3, 2, 1, 2, False, True, on=SEQUENCE),
    L("AvgPool2d", 3, 2, 1, True, False, on=IMAGE), L("AvgPool2d", 2, divisor_override=3, on=IMAGE),
    L("AvgPool1d", 3, 2, 1, on=SEQUENCE),
    L("LPPool2d", 3.0, (2, 1), 2, True, on=T((2, 4, 5, 5), "positive")),
    L("AdaptiveAvgPool2d", (2, None), on=IMAGE), L("AdaptiveAvgPool2d", (None, 3), on=IMAGE),
    L("AdaptiveMaxPool2d", (3, 2), True, on=IMAGE), L("AdaptiveAvgPool3d", (1, None, 2), on=VOLUME),
    L("MaxUnpool1d", 2, on=(T((1, 1, 1)), T((1, 1, 1), 2))),
    L("MaxUnpool2d", 2, 2, on=(T((1, 1, 1, 1)), T((1, 1, 1, 1), 2))),
    L("MaxUnpool3d", 2, on=(T((1, 1, 1, 1, 1)), T((1, 1, 1, 1, 1), 2))),
)  # fmt: skip

_PADDING = (
    *(L(f"{k}Pad{n}d", 1, on=x) for k in ("Zero", "Reflection", "Replication", "Circular")
      for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    *(L(f"ConstantPad{n}d", 1, 2.5, on=x) for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    L("ConstantPad2d", (1, 2, 0, 1), 2.0, on=IMAGE), L("ZeroPad1d", (1, 0), on=SEQUENCE),
    L("ReflectionPad2d", (1, 2, 0, 1), on=IMAGE), L("CircularPad3d", (1, 0, 0, 1, 1, 1), on=VOLUME),
)  # fmt: skip

_OTHERS = (
    L("Identity", 1, a=2, on=X), L("Linear", 3, 2, on=X), L("Linear", 3, 2, False, on=X),
    L("Bilinear", 3, 2, 4, on=(T((5, 3)), T((5, 2)))), L("Bilinear", 3, 2, 4, False, on=(T((5, 3)), T((5, 2)))),
    *(L(n, on=IMAGE, training=False) for n in ("Dropout", "Dropout2d", "AlphaDropout", "FeatureAlphaDropout")),
    L("Dropout1d", 0.2, on=SEQUENCE, training=False), L("Dropout3d", 0.2, True, on=VOLUME, training=False),
    L("Dropout", 0.0, on=X), L("Dropout", 1.0, on=X),
    L("Flatten", on=IMAGE), L("Flatten", 0, 1, on=IMAGE), L("Unflatten", 1, (2, 2), on=IMAGE),
    L("Unflatten", 1, [2, -1], on=IMAGE),
    L("Upsample", 5, on=SEQUENCE), L("Upsample", scale_factor=2, mode="bilinear", align_corners=True, on=IMAGE),
    L("Upsample", scale_factor=(2, 1.5), mode="bicubic", on=IMAGE), L("Upsample", (3, 2), mode="area", on=IMAGE),
    L("UpsamplingNearest2d", scale_factor=2, on=IMAGE), L("UpsamplingBilinear2d", (3, 4), on=IMAGE),
    L("PixelShuffle", 2, on=IMAGE), L("PixelUnshuffle", 2, on=T((1, 2, 4, 4))), L("ChannelShuffle", 2, on=IMAGE),
    L("Fold", (4, 5), 2, on=T((2, 8, 12))), L("Fold", (4, 4), (2, 2), 1, 1, 2, on=T((2, 8, 9))),
    L("Unfold", 2, on=IMAGE), L("Unfold", (2, 3), 2, 1, 2, on=IMAGE),
    L("CosineSimilarity", on=(X, T((2, 3), "positive"))), L("CosineSimilarity", 0, 0.5, on=(X, X)),
    L("PairwiseDistance", on=(X, T((2, 3), "positive"))), L("PairwiseDistance", 1.0, 0.1, True, on=(X, X)),
    L("Embedding", 5, 3, on=T((2, 4), 5)), L("Embedding", 5, 3, -1, 0.5, 1.0, True, True, on=T((2, 4), 5)),
    *(L("EmbeddingBag", 5, 3, mode=m, on=T((2, 4), 5)) for m in ("sum", "mean", "max")),
    *(L("EmbeddingBag", 5, 3, mode=m, padding_idx=1, on=(T((8,), 5), (0, 3, 3, 6))) for m in ("sum", "mean", "max")),
    L("EmbeddingBag", 5, 3, 0.5, 1.0, True, include_last_offset=True, on=(T((8,), 5), (0, 3, 8))),
    L("EmbeddingBag", 5, 3, mode="sum", on=(T((8,), 5), (0, 3), T((8,)))),
)  # fmt: skip

STEPS = T((5, 2, 3))
ENCODED, ASKED = T((5, 2, 4)), T((3, 2, 4))
MASK = T((3, 5))
SMALL = {"dim_feedforward": 6, "dropout": 0.0}


def _stack(kind: str) -> Callable[[Any], tuple[Any, ...]]:
    return lambda nn: (getattr(nn, f"Transformer{kind}Layer")(4, 2, **SMALL), 2, nn.LayerNorm(4))


_RECURRENT = (
    *(L(n, 3, 4, on=x) for n in ("RNN", "GRU", "LSTM") for x in (STEPS, T((5, 3)))),
    *(L(n, 3, 4, 2, bidirectional=True, bias=False, on=STEPS) for n in ("RNN", "GRU", "LSTM")),
    *(L(n, 3, 4, batch_first=True, on=(STEPS, T((1, 5, 4)))) for n in ("RNN", "GRU")),
    L("LSTM", 3, 4, batch_first=True, on=(STEPS, (T((1, 5, 4)), T((1, 5, 4))))),
    L("LSTM", 3, 4, 2, proj_size=2, bidirectional=True, on=STEPS),
    L("RNN", 3, 4, nonlinearity="relu", on=STEPS), L("RNN", 3, 4, 1, "relu", on=STEPS),
    *(L(n, 3, 4, on=x) for n in ("RNNCell", "GRUCell", "LSTMCell") for x in (X, T((3,)))),
    *(L(n, 3, 4, False, on=(X, T((2, 4)))) for n in ("RNNCell", "GRUCell")),
    L("RNNCell", 3, 4, nonlinearity="relu", on=X),
    L("LSTMCell", 3, 4, False, on=(X, (T((2, 4)), T((2, 4))))),
)  # fmt: skip

_TRANSFORMERS = (
    L("MultiheadAttention", 4, 2, on=(ASKED, ENCODED, ENCODED)),
    L("MultiheadAttention", 4, 2, on=(T((3, 4)), T((5, 4)), T((5, 4)))),
    L("MultiheadAttention", 4, 2, batch_first=True, bias=False, on=(ASKED, T((3, 5, 4)), T((3, 5, 4)))),
    L("MultiheadAttention", 4, 2, 0.0, True, True, True, on=(ASKED, ENCODED, ENCODED, None, True, MASK, False)),
    L("MultiheadAttention", 4, 2, kdim=3, vdim=2, on=(ASKED, T((5, 2, 3)), T((5, 2, 2)), None, False, MASK)),
    L("TransformerEncoderLayer", 4, 2, **SMALL, on=ENCODED),
    L("TransformerEncoderLayer", 4, 2, **SMALL, norm_first=True, activation="gelu", bias=False, on=ENCODED),
    L("TransformerEncoderLayer", 4, 2, **SMALL, batch_first=True, on=(ENCODED, T((2, 2)))),
    L("TransformerDecoderLayer", 4, 2, **SMALL, on=(ASKED, ENCODED)),
    L("TransformerDecoderLayer", 4, 2, **SMALL, norm_first=True, on=(ASKED, ENCODED, T((3, 3)))),
    L("Transformer", 4, 2, 1, 2, **SMALL, on=(ENCODED, ASKED)),
    Layer("TransformerEncoder", inputs=(ENCODED, T((5, 5))), make=_stack("Encoder")),
    Layer("TransformerDecoder", inputs=(ASKED, ENCODED), make=_stack("Decoder")),
)  # fmt: skip

PROBABILITIES, CLASSES, SIGNS = T((4, 3), "positive"), T((4,), 3), T((4,), "sign")
ROWS = T((4, 3))
WEIGHT = T((3,), "positive")

_LOSSES = tuple(
    layer
    for reduction in ("mean", "sum", "none")
    for layer in (
        *(L(n, reduction=reduction, on=(ROWS, PROBABILITIES)) for n in ("L1Loss", "MSELoss", "SmoothL1Loss")),
        L("HuberLoss", reduction, 0.5, on=(ROWS, PROBABILITIES)),
        L("SmoothL1Loss", reduction=reduction, beta=0.5, on=(ROWS, PROBABILITIES)),
        L("NLLLoss", WEIGHT, reduction=reduction, on=(ROWS, CLASSES)),
        L("NLLLoss", ignore_index=1, reduction=reduction, on=(ROWS, CLASSES)),
        L("PoissonNLLLoss", True, True, reduction=reduction, on=(ROWS, PROBABILITIES)),
        L("GaussianNLLLoss", full=True, reduction=reduction, on=(ROWS, PROBABILITIES, T((4, 3), "positive"))),
        L("KLDivLoss", reduction=reduction, on=(ROWS, PROBABILITIES)),
        L("KLDivLoss", reduction=reduction, log_target=True, on=(ROWS, PROBABILITIES)),
        L("BCELoss", WEIGHT, reduction=reduction, on=(PROBABILITIES, PROBABILITIES)),
        L("BCEWithLogitsLoss", reduction=reduction, pos_weight=WEIGHT, on=(ROWS, PROBABILITIES)),
        L("HingeEmbeddingLoss", 0.5, reduction=reduction, on=(ROWS, T((4, 3), "sign"))),
        L("SoftMarginLoss", reduction=reduction, on=(ROWS, T((4, 3), "sign"))),
        L("MultiLabelSoftMarginLoss", reduction=reduction, on=(ROWS, PROBABILITIES)),
        L("CosineEmbeddingLoss", 0.1, reduction=reduction, on=(ROWS, PROBABILITIES, SIGNS)),
        L("MarginRankingLoss", 0.1, reduction=reduction, on=(T((4,)), T((4,), "positive"), SIGNS)),
        L("CrossEntropyLoss", WEIGHT, reduction=reduction, label_smoothing=0.1, on=(ROWS, CLASSES)),
        L("CrossEntropyLoss", reduction=reduction, on=(ROWS, PROBABILITIES)),
        L("MultiMarginLoss", 2, 0.5, WEIGHT, reduction=reduction, on=(ROWS, CLASSES)),
        L("TripletMarginLoss", 1.0, 2.0, reduction=reduction, on=(ROWS, PROBABILITIES, T((4, 3), "sign"))),
        L("TripletMarginWithDistanceLoss", swap=True, reduction=reduction,
          on=(ROWS, PROBABILITIES, T((4, 3), "sign"))),
    )
)  # fmt: skip

LAYERS: tuple[Layer, ...] = (
    *_ACTIVATIONS, *_CONVOLUTIONS, *_NORMS, *_POOLS, *_PADDING, *_OTHERS, *_LOSSES, *_RECURRENT, *_TRANSFORMERS,
)  # fmt: skip


def made(layer: Layer, library: Any) -> Any:
    """The layer, of a library."""
    args = layer.make(library.nn) if layer.make else [tensor(arg, library) for arg in layer.args]
    return getattr(library.nn, layer.name)(*args, **{k: tensor(v, library) for k, v in layer.kwargs.items()})


def tensor(arg: Any, library: Any) -> Any:
    """An argument of a class: a tensor where the table says so."""
    return library.from_numpy(arg.array()) if isinstance(arg, T) else arg


def inputs(layer: Layer, library: Any) -> list[Any]:
    """What the layer is called with."""
    given = []
    for arg in layer.inputs:
        if layer.name == "EmbeddingBag" and isinstance(arg, tuple):
            arg = library.tensor(arg)
        elif isinstance(arg, tuple) and arg and isinstance(arg[0], T):
            arg = tuple(tensor(part, library) for part in arg)
        given.append(tensor(arg, library))
    return given
