"""What tscript has of ``torch.nn``: `Module`, the layers, `Parameter`, and the functions in ``tscript.nn.functional``.

Everything is imported at first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tscript.nn.modules.activation import CELU as CELU
    from tscript.nn.modules.activation import ELU as ELU
    from tscript.nn.modules.activation import GELU as GELU
    from tscript.nn.modules.activation import GLU as GLU
    from tscript.nn.modules.activation import SELU as SELU
    from tscript.nn.modules.activation import Hardshrink as Hardshrink
    from tscript.nn.modules.activation import Hardsigmoid as Hardsigmoid
    from tscript.nn.modules.activation import Hardswish as Hardswish
    from tscript.nn.modules.activation import Hardtanh as Hardtanh
    from tscript.nn.modules.activation import LeakyReLU as LeakyReLU
    from tscript.nn.modules.activation import LogSigmoid as LogSigmoid
    from tscript.nn.modules.activation import LogSoftmax as LogSoftmax
    from tscript.nn.modules.activation import Mish as Mish
    from tscript.nn.modules.activation import PReLU as PReLU
    from tscript.nn.modules.activation import ReLU as ReLU
    from tscript.nn.modules.activation import ReLU6 as ReLU6
    from tscript.nn.modules.activation import RReLU as RReLU
    from tscript.nn.modules.activation import Sigmoid as Sigmoid
    from tscript.nn.modules.activation import SiLU as SiLU
    from tscript.nn.modules.activation import Softmax as Softmax
    from tscript.nn.modules.activation import Softmax2d as Softmax2d
    from tscript.nn.modules.activation import Softmin as Softmin
    from tscript.nn.modules.activation import Softplus as Softplus
    from tscript.nn.modules.activation import Softshrink as Softshrink
    from tscript.nn.modules.activation import Softsign as Softsign
    from tscript.nn.modules.activation import Tanh as Tanh
    from tscript.nn.modules.activation import Tanhshrink as Tanhshrink
    from tscript.nn.modules.activation import Threshold as Threshold
    from tscript.nn.modules.attention import MultiheadAttention as MultiheadAttention
    from tscript.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
    from tscript.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
    from tscript.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
    from tscript.nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
    from tscript.nn.modules.container import ModuleDict as ModuleDict
    from tscript.nn.modules.container import ModuleList as ModuleList
    from tscript.nn.modules.container import ParameterDict as ParameterDict
    from tscript.nn.modules.container import ParameterList as ParameterList
    from tscript.nn.modules.container import Sequential as Sequential
    from tscript.nn.modules.conv import Conv1d as Conv1d
    from tscript.nn.modules.conv import Conv2d as Conv2d
    from tscript.nn.modules.conv import Conv3d as Conv3d
    from tscript.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
    from tscript.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
    from tscript.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
    from tscript.nn.modules.distance import CosineSimilarity as CosineSimilarity
    from tscript.nn.modules.distance import PairwiseDistance as PairwiseDistance
    from tscript.nn.modules.dropout import AlphaDropout as AlphaDropout
    from tscript.nn.modules.dropout import Dropout as Dropout
    from tscript.nn.modules.dropout import Dropout1d as Dropout1d
    from tscript.nn.modules.dropout import Dropout2d as Dropout2d
    from tscript.nn.modules.dropout import Dropout3d as Dropout3d
    from tscript.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
    from tscript.nn.modules.flatten import Flatten as Flatten
    from tscript.nn.modules.flatten import Unflatten as Unflatten
    from tscript.nn.modules.fold import Fold as Fold
    from tscript.nn.modules.fold import Unfold as Unfold
    from tscript.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
    from tscript.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
    from tscript.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
    from tscript.nn.modules.linear import Bilinear as Bilinear
    from tscript.nn.modules.linear import Identity as Identity
    from tscript.nn.modules.linear import Linear as Linear
    from tscript.nn.modules.loss import BCELoss as BCELoss
    from tscript.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
    from tscript.nn.modules.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
    from tscript.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
    from tscript.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
    from tscript.nn.modules.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
    from tscript.nn.modules.loss import HuberLoss as HuberLoss
    from tscript.nn.modules.loss import KLDivLoss as KLDivLoss
    from tscript.nn.modules.loss import L1Loss as L1Loss
    from tscript.nn.modules.loss import MarginRankingLoss as MarginRankingLoss
    from tscript.nn.modules.loss import MSELoss as MSELoss
    from tscript.nn.modules.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
    from tscript.nn.modules.loss import MultiMarginLoss as MultiMarginLoss
    from tscript.nn.modules.loss import NLLLoss as NLLLoss
    from tscript.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
    from tscript.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
    from tscript.nn.modules.loss import SoftMarginLoss as SoftMarginLoss
    from tscript.nn.modules.loss import TripletMarginLoss as TripletMarginLoss
    from tscript.nn.modules.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
    from tscript.nn.modules.module import Module as Module
    from tscript.nn.modules.normalization import GroupNorm as GroupNorm
    from tscript.nn.modules.normalization import LayerNorm as LayerNorm
    from tscript.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
    from tscript.nn.modules.normalization import RMSNorm as RMSNorm
    from tscript.nn.modules.padding import CircularPad1d as CircularPad1d
    from tscript.nn.modules.padding import CircularPad2d as CircularPad2d
    from tscript.nn.modules.padding import CircularPad3d as CircularPad3d
    from tscript.nn.modules.padding import ConstantPad1d as ConstantPad1d
    from tscript.nn.modules.padding import ConstantPad2d as ConstantPad2d
    from tscript.nn.modules.padding import ConstantPad3d as ConstantPad3d
    from tscript.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
    from tscript.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
    from tscript.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
    from tscript.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
    from tscript.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
    from tscript.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
    from tscript.nn.modules.padding import ZeroPad1d as ZeroPad1d
    from tscript.nn.modules.padding import ZeroPad2d as ZeroPad2d
    from tscript.nn.modules.padding import ZeroPad3d as ZeroPad3d
    from tscript.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
    from tscript.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
    from tscript.nn.modules.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
    from tscript.nn.modules.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
    from tscript.nn.modules.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
    from tscript.nn.modules.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
    from tscript.nn.modules.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
    from tscript.nn.modules.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
    from tscript.nn.modules.pooling import AvgPool1d as AvgPool1d
    from tscript.nn.modules.pooling import AvgPool2d as AvgPool2d
    from tscript.nn.modules.pooling import AvgPool3d as AvgPool3d
    from tscript.nn.modules.pooling import LPPool1d as LPPool1d
    from tscript.nn.modules.pooling import LPPool2d as LPPool2d
    from tscript.nn.modules.pooling import LPPool3d as LPPool3d
    from tscript.nn.modules.pooling import MaxPool1d as MaxPool1d
    from tscript.nn.modules.pooling import MaxPool2d as MaxPool2d
    from tscript.nn.modules.pooling import MaxPool3d as MaxPool3d
    from tscript.nn.modules.pooling import MaxUnpool1d as MaxUnpool1d
    from tscript.nn.modules.pooling import MaxUnpool2d as MaxUnpool2d
    from tscript.nn.modules.pooling import MaxUnpool3d as MaxUnpool3d
    from tscript.nn.modules.rnn import GRU as GRU
    from tscript.nn.modules.rnn import LSTM as LSTM
    from tscript.nn.modules.rnn import RNN as RNN
    from tscript.nn.modules.rnn import GRUCell as GRUCell
    from tscript.nn.modules.rnn import LSTMCell as LSTMCell
    from tscript.nn.modules.rnn import RNNBase as RNNBase
    from tscript.nn.modules.rnn import RNNCell as RNNCell
    from tscript.nn.modules.rnn import RNNCellBase as RNNCellBase
    from tscript.nn.modules.sparse import Embedding as Embedding
    from tscript.nn.modules.sparse import EmbeddingBag as EmbeddingBag
    from tscript.nn.modules.transformer import Transformer as Transformer
    from tscript.nn.modules.transformer import TransformerDecoder as TransformerDecoder
    from tscript.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
    from tscript.nn.modules.transformer import TransformerEncoder as TransformerEncoder
    from tscript.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
    from tscript.nn.modules.upsampling import Upsample as Upsample
    from tscript.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
    from tscript.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
    from tscript.nn.parameter import Buffer, Parameter

_MODULES = ("functional", "init", "modules", "parameter", "utils")

_PARAMETERS = ("Buffer", "Parameter")

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tscript.nn.{name}")
    if name in _PARAMETERS:
        found = getattr(importlib.import_module("tscript.nn.parameter"), name)
    else:
        from tscript.nn.modules.names import HOME

        if name not in HOME:
            raise AttributeError(f"module 'tscript.nn' has no attribute {name!r}")
        found = getattr(importlib.import_module(f"tscript.nn.modules.{HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from tscript.nn.modules.names import HOME

    return sorted({*__all__, *HOME})
