"""Which file defines which class of `tscript.nn`."""

from __future__ import annotations


def _numbered(*names: str) -> tuple[str, ...]:
    """Names with each of the numbers of dimensions."""
    return tuple(f"{name}{n}d" for name in names for n in (1, 2, 3))


FILES: dict[str, tuple[str, ...]] = {
    "module": ("Module",),
    "activation": (
        "Threshold", "ReLU", "RReLU", "Hardtanh", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish",
        "Hardswish", "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid", "Softplus",
        "Softshrink", "PReLU", "Softsign", "Tanhshrink", "Softmin", "Softmax", "Softmax2d", "LogSoftmax",
    ),
    "attention": ("MultiheadAttention",),
    "batchnorm": _numbered("BatchNorm"),
    "channelshuffle": ("ChannelShuffle",),
    "container": ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"),
    "conv": _numbered("Conv", "ConvTranspose"),
    "distance": ("PairwiseDistance", "CosineSimilarity"),
    "dropout": ("Dropout", *_numbered("Dropout"), "AlphaDropout", "FeatureAlphaDropout"),
    "flatten": ("Flatten", "Unflatten"),
    "fold": ("Fold", "Unfold"),
    "instancenorm": _numbered("InstanceNorm"),
    "linear": ("Identity", "Linear", "Bilinear"),
    "loss": (
        "L1Loss", "NLLLoss", "PoissonNLLLoss", "GaussianNLLLoss", "KLDivLoss", "MSELoss", "BCELoss",
        "BCEWithLogitsLoss", "HingeEmbeddingLoss", "SoftMarginLoss", "MultiLabelSoftMarginLoss", "CosineEmbeddingLoss",
        "MarginRankingLoss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "MultiMarginLoss", "TripletMarginLoss",
        "TripletMarginWithDistanceLoss",
    ),
    "normalization": ("LayerNorm", "GroupNorm", "RMSNorm", "LocalResponseNorm"),
    "padding": _numbered("ConstantPad", "ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"),
    "pixelshuffle": ("PixelShuffle", "PixelUnshuffle"),
    "pooling": _numbered("MaxPool", "MaxUnpool", "AvgPool", "LPPool", "AdaptiveMaxPool", "AdaptiveAvgPool"),
    "rnn": ("RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"),
    "sparse": ("Embedding", "EmbeddingBag"),
    "transformer": (
        "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder", "TransformerDecoder", "Transformer",
    ),
    "upsampling": ("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"),
    "utils": (),
}  # fmt: skip
"""The classes of each file, by the name of the file, which is PyTorch's."""

HOME: dict[str, str] = {name: file for file, names in FILES.items() for name in names}
"""The file of each class."""
