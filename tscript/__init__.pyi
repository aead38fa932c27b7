# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from tscript import autograd as autograd
from tscript import compiler as compiler
from tscript import data as data
from tscript import fft as fft
from tscript import library as library
from tscript import linalg as linalg
from tscript import masked as masked
from tscript import nn as nn
from tscript import profiler as profiler
from tscript import return_types as return_types
from tscript import signal as signal
from tscript import special as special
from tscript import overrides as overrides
from tscript.api import ScriptFunction as ScriptFunction
from tscript.api import load as load
from tscript.api import save as save
from tscript.api import script as script
from tscript.api import vectorize as vectorize
from tscript.archive import ArchiveError as ArchiveError
from tscript.archive import ExportHookWarning as ExportHookWarning
from tscript.archive import ExtraFileError as ExtraFileError
from tscript.archive import MissingOperatorError as MissingOperatorError
from tscript.archive import set_export_extra_files_hook as set_export_extra_files_hook
from tscript.as_torch import install_as_torch as install_as_torch
from tscript.diagnostics import CompileError as CompileError
from tscript.diagnostics import InternalError as InternalError
from tscript.diagnostics.installation import CompilerNotInstalledError as CompilerNotInstalledError
from tscript.library import get_include as get_include
from tscript.marks import Size as Size
from tscript.marks import annotate as annotate
from tscript.marks import export as export
from tscript.marks import ignore as ignore
from tscript.marks import is_scripting as is_scripting
from tscript.marks import prange as prange
from tscript.marks import unused as unused
from tscript.nn.scripting.freezing import FrozenModuleError as FrozenModuleError
from tscript.nn.scripting.freezing import freeze as freeze
from tscript.nn.scripting.freezing import optimize_for_inference as optimize_for_inference
from tscript.nn.scripting.script_module import ScriptModule as ScriptModule
from tscript.nn.tracing.errors import TracerWarning as TracerWarning
from tscript.nn.tracing.errors import TracingCheckError as TracingCheckError
from tscript.nn.tracing.errors import TracingError as TracingError
from tscript.nn.tracing.tracing import trace as trace
from tscript.nn.tracing.tracing import trace_module as trace_module
from tscript.operators.python.wrapping import wrapping_add as wrapping_add
from tscript.operators.python.wrapping import wrapping_mul as wrapping_mul
from tscript.operators.python.wrapping import wrapping_shl as wrapping_shl
from tscript.operators.python.wrapping import wrapping_sub as wrapping_sub
from tscript.runtime.public.debug_info import DebugInfoGuard as DebugInfoGuard
from tscript.runtime.public.debug_info import capture_debug_info as capture_debug_info
from tscript.runtime.public.debug_info import debug_info as debug_info
from tscript.runtime.public.debug_info import restore_debug_info as restore_debug_info
from tscript.runtime.public.default_dtype import set_default_dtype as set_default_dtype
from tscript.runtime.public.disabling import disabled as disabled
from tscript.runtime.public.generators import default_generator as default_generator
from tscript.runtime.public.generators import get_rng_state as get_rng_state
from tscript.runtime.public.generators import initial_seed as initial_seed
from tscript.runtime.public.generators import manual_seed as manual_seed
from tscript.runtime.public.generators import seed as seed
from tscript.runtime.public.generators import set_rng_state as set_rng_state
from tscript.runtime.public.memory import empty_cache as empty_cache
from tscript.runtime.public.memory import get_allocator as get_allocator
from tscript.runtime.public.memory import memory_stats as memory_stats
from tscript.runtime.public.memory import set_allocator as set_allocator
from tscript.runtime.public.printing import get_printoptions as get_printoptions
from tscript.runtime.public.printing import printoptions as printoptions
from tscript.runtime.public.printing import set_printoptions as set_printoptions
from tscript.runtime.public.record import CallbackError as CallbackError
from tscript.runtime.public.record import CallbackHandle as CallbackHandle
from tscript.runtime.public.record import Record as Record
from tscript.runtime.public.record import RecordFunctionGuard as RecordFunctionGuard
from tscript.runtime.public.record import RecordScope as RecordScope
from tscript.runtime.public.record import add_global_callback as add_global_callback
from tscript.runtime.public.record import add_native_callback as add_native_callback
from tscript.runtime.public.record import add_thread_local_callback as add_thread_local_callback
from tscript.runtime.public.record import enable_record_function as enable_record_function
from tscript.runtime.public.record import is_record_function_enabled as is_record_function_enabled
from tscript.runtime.public.record import record_function as record_function
from tscript.runtime.public.statistics import enable_operator_stats as enable_operator_stats
from tscript.runtime.public.statistics import operator_stats as operator_stats
from tscript.runtime.public.statistics import reset_operator_stats as reset_operator_stats
from tscript.runtime.public.tasks import fork as fork
from tscript.runtime.public.tasks import wait as wait
from tscript.runtime.public.threads import get_num_interop_threads as get_num_interop_threads
from tscript.runtime.public.threads import get_num_threads as get_num_threads
from tscript.runtime.public.threads import set_num_interop_threads as set_num_interop_threads
from tscript.runtime.public.threads import set_num_threads as set_num_threads
from tscript.runtime.session.allocators import Allocator as Allocator
from tscript.runtime.session.process import Generator as Generator
from tscript.runtime.session.process import from_dlpack as from_dlpack
from tscript.runtime.session.process import from_numpy as from_numpy
from tscript.runtime.session.process import tensor as tensor
from tscript.runtime.session.statistics import OperatorStats as OperatorStats
from tscript.runtime.session.usage import api_usage as api_usage
from tscript.runtime.session.usage import log_api_usage_metadata as log_api_usage_metadata
from tscript.runtime.session.usage import log_api_usage_once as log_api_usage_once
from tscript.runtime.session.usage import set_api_usage_handler as set_api_usage_handler
from tscript.runtime.session.usage import set_api_usage_metadata_handler as set_api_usage_metadata_handler
from tscript.runtime.values.futures import Future as Future
from tscript.travel import FunctionPicklingError as FunctionPicklingError
from tscript.travel import FunctionUnpicklingError as FunctionUnpicklingError
from tscript.travel import PickleVersionError as PickleVersionError
from tscript.types import DType as DType
dtype = DType
from tscript.types.dtypes import bfloat16 as bfloat16
from tscript.types.dtypes import bool_ as bool_
from tscript.types.dtypes import complex64 as complex64
from tscript.types.dtypes import complex128 as complex128
from tscript.types.dtypes import float16 as float16
from tscript.types.dtypes import float32 as float32
from tscript.types.dtypes import float64 as float64
from tscript.types.dtypes import int8 as int8
from tscript.types.dtypes import int16 as int16
from tscript.types.dtypes import int32 as int32
from tscript.types.dtypes import int64 as int64
from tscript.types.dtypes import uint8 as uint8
from tscript.types.dtypes import uint16 as uint16
from tscript.types.dtypes import uint32 as uint32
from tscript.types.dtypes import uint64 as uint64
bool = bool_
float = float32
double = float64
half = float16
int = int32
long = int64
short = int16
cfloat = complex64
cdouble = complex128
from tscript.marks import autocast as autocast
from tscript.types.options import MemoryFormat as MemoryFormat
channels_last: MemoryFormat
channels_last_3d: MemoryFormat
contiguous_format: MemoryFormat
from tscript.types.options import Device as Device
device = Device
e: builtins.float
from tscript.marks import enable_grad as enable_grad
inf: builtins.float
from tscript.marks import inference_mode as inference_mode
from tscript.marks import is_autocast_enabled as is_autocast_enabled
from tscript.marks import is_grad_enabled as is_grad_enabled
from tscript.marks import is_inference_mode_enabled as is_inference_mode_enabled
from tscript.types.options import Layout as Layout
jagged: Layout
layout = Layout
memory_format = MemoryFormat
nan: builtins.float
newaxis: None
from tscript.marks import no_grad as no_grad
pi: builtins.float
preserve_format: MemoryFormat
from tscript.marks import set_grad_enabled as set_grad_enabled
sparse_bsc: Layout
sparse_bsr: Layout
sparse_coo: Layout
sparse_csc: Layout
sparse_csr: Layout
strided: Layout

_dtype = DType
_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

__version__: builtins.str

class Tensor:
    """A tensor: elements of one dtype, in any number of dimensions."""

    @property
    def shape(self) -> tuple[builtins.int, ...]: ...
    @property
    def dtype(self) -> _dtype: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def itemsize(self) -> builtins.int: ...
    requires_grad: builtins.bool
    @property
    def nbytes(self) -> builtins.int: ...
    def numpy(self) -> np.ndarray[Any, Any]: ...
    def tolist(self) -> Any: ...
    def item(self) -> Any: ...
    def data_ptr(self) -> builtins.int: ...
    def type(self) -> builtins.str: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def __index__(self) -> builtins.int: ...
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __getitem__(self, index: Any, /) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any, /) -> None: ...
    def __array__(self, dtype: Any = ..., copy: builtins.bool | None = ...) -> np.ndarray[Any, Any]: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]: ...
    def __hash__(self) -> builtins.int: ...
    def __getattr__(self, name: builtins.str, /) -> Any: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __add__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __radd__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __iadd__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __sub__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rsub__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __isub__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __mul__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rmul__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __imul__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __truediv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __itruediv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __floordiv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ifloordiv__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __mod__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rmod__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __imod__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __pow__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rpow__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ipow__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __and__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rand__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __iand__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __or__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ror__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ior__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __xor__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rxor__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ixor__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __lshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rlshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __ilshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __rrshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __irshift__(self, other: Tensor | _Number, /) -> Tensor: ...
    def __matmul__(self, other: Tensor, /) -> Tensor: ...
    def __rmatmul__(self, other: Tensor, /) -> Tensor: ...
    def __imatmul__(self, other: Tensor, /) -> Tensor: ...
    def __eq__(self, other: Any, /) -> Tensor: ...
    def __ne__(self, other: Any, /) -> Tensor: ...
    def __lt__(self, other: Any, /) -> Tensor: ...
    def __le__(self, other: Any, /) -> Tensor: ...
    def __gt__(self, other: Any, /) -> Tensor: ...
    def __ge__(self, other: Any, /) -> Tensor: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    def abs(self) -> Tensor: """Absolute value."""
    def abs_(self) -> Tensor: """In-place `abs`."""
    def absolute(self) -> Tensor: """Absolute value."""
    def absolute_(self) -> Tensor: """In-place `abs`."""
    def acos(self) -> Tensor: """Arc cosine."""
    def acos_(self) -> Tensor: """In-place `acos`."""
    def acosh(self) -> Tensor: """Inverse hyperbolic cosine."""
    def acosh_(self) -> Tensor: """In-place `acosh`."""
    def add(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """Sum ``self + alpha * other``."""
    def add_(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `add`."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """``beta * input + alpha * `` the sum of the products of matrices: the formula of `torch.addbmm`."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `addbmm`."""
    def addcdiv(self, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """``self + value * tensor1 / tensor2``."""
    def addcdiv_(self, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """In-place `addcdiv`."""
    def addcmul(self, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """``self + value * tensor1 * tensor2``."""
    def addcmul_(self, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """In-place `addcmul`."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """``beta * self + alpha * (mat1 @ mat2)``."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `addmm`."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """``beta * input + alpha * (mat @ vec)``: the formula of `torch.addmv`."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `addmv`."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """``beta * input + alpha * outer(vec1, vec2)``: the formula of `torch.addr`."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `addr`."""
    def adjoint(self) -> Tensor: """The conjugate of a matrix with its dimensions exchanged; of a batch, of each matrix."""
    def alias(self) -> Tensor: """Another tensor over the same elements."""
    @overload
    def all(self) -> Tensor: """Whether no element is zero."""
    @overload
    def all(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ...) -> Tensor: ...
    def allclose(self, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> builtins.bool: """Whether all elements of two tensors are about equal; see `isclose`."""
    def amax(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ...) -> Tensor: """Greatest element along dimensions."""
    def amin(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ...) -> Tensor: """Least element along dimensions."""
    def aminmax(self, *, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> return_types.aminmax: """The least and the greatest element, of all or along a dimension."""
    def angle(self) -> Tensor: """The angle of a complex number in the plane; of others 0, or pi where they are negative."""
    @overload
    def any(self) -> Tensor: """Whether some element is not zero."""
    @overload
    def any(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ...) -> Tensor: ...
    def arccos(self) -> Tensor: """Arc cosine."""
    def arccos_(self) -> Tensor: """In-place `acos`."""
    def arccosh(self) -> Tensor: """Inverse hyperbolic cosine."""
    def arccosh_(self) -> Tensor: """In-place `acosh`."""
    def arcsin(self) -> Tensor: """Arc sine."""
    def arcsin_(self) -> Tensor: """In-place `asin`."""
    def arcsinh(self) -> Tensor: """Inverse hyperbolic sine."""
    def arcsinh_(self) -> Tensor: """In-place `asinh`."""
    def arctan(self) -> Tensor: """Arc tangent."""
    def arctan2(self, other: Tensor | _Number) -> Tensor: """The angle of the point with the coordinates `other` and `self`."""
    def arctan2_(self, other: Tensor | _Number) -> Tensor: """In-place `atan2`."""
    def arctan_(self) -> Tensor: """In-place `atan`."""
    def arctanh(self) -> Tensor: """Inverse hyperbolic tangent."""
    def arctanh_(self) -> Tensor: """In-place `atanh`."""
    def argmax(self, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> Tensor: """Index of the greatest element, the first of equals."""
    def argmin(self, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> Tensor: """Index of the least element, the first of equals."""
    def argsort(self, dim: builtins.int = ..., descending: builtins.bool = ..., *, stable: builtins.bool = ...) -> Tensor: """The indices that sort a dimension: the second result of `torch.sort`."""
    def argwhere(self, *, as_tuple: builtins.bool = ...) -> Tensor: """The indices of the elements that are not zero, in row-major order: a row for each."""
    @overload
    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor: """A view of the storage with these sizes and strides; it may have an element several times."""
    @overload
    def as_strided(self, size: Sequence[builtins.int], *stride: builtins.int) -> Tensor: ...
    @overload
    def as_strided_scatter(self, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor: """A copy with the elements of a view by strides replaced."""
    @overload
    def as_strided_scatter(self, src: Tensor, size: Sequence[builtins.int], *stride: builtins.int) -> Tensor: ...
    def asin(self) -> Tensor: """Arc sine."""
    def asin_(self) -> Tensor: """In-place `asin`."""
    def asinh(self) -> Tensor: """Inverse hyperbolic sine."""
    def asinh_(self) -> Tensor: """In-place `asinh`."""
    def atan(self) -> Tensor: """Arc tangent."""
    def atan2(self, other: Tensor | _Number) -> Tensor: """The angle of the point with the coordinates `other` and `self`."""
    def atan2_(self, other: Tensor | _Number) -> Tensor: """In-place `atan2`."""
    def atan_(self) -> Tensor: """In-place `atan`."""
    def atanh(self) -> Tensor: """Inverse hyperbolic tangent."""
    def atanh_(self) -> Tensor: """In-place `atanh`."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """``beta * self + alpha * (batch1 @ batch2)``."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `baddbmm`."""
    @overload
    def bernoulli(self, *, generator: Any = ...) -> Tensor: """Ones, each with the probability that the tensor has at its place, and zeros."""
    @overload
    def bernoulli(self, p: builtins.float, *, generator: Any = ...) -> Tensor: ...
    @overload
    def bernoulli_(self, p: Tensor, *, generator: Any = ...) -> Tensor: """Overwritten with ones, each with the probability at its place, and zeros."""
    @overload
    def bernoulli_(self, p: builtins.float = ..., *, generator: Any = ...) -> Tensor: ...
    @overload
    def bfloat16(self) -> Tensor: """Converted to bfloat16: the method ``bfloat16()``."""
    @overload
    def bfloat16(self, *, memory_format: Any) -> Tensor: ...
    def bincount(self, weights: Tensor | None = ..., minlength: builtins.int = ...) -> Tensor: """How often each number from 0 on occurs, or the sums of the weights of its places."""
    def bitwise_and(self, other: Tensor | _Number) -> Tensor: """``self & other``."""
    def bitwise_and_(self, other: Tensor | _Number) -> Tensor: """In-place `bitwise_and`."""
    def bitwise_left_shift(self, other: Tensor | _Number) -> Tensor: """``self << other``; 0 beyond the width."""
    def bitwise_left_shift_(self, other: Tensor | _Number) -> Tensor: """In-place `bitwise_left_shift`."""
    def bitwise_not(self) -> Tensor: """``~self``; of bools `not`."""
    def bitwise_not_(self) -> Tensor: """In-place `bitwise_not`."""
    def bitwise_or(self, other: Tensor | _Number) -> Tensor: """``self | other``."""
    def bitwise_or_(self, other: Tensor | _Number) -> Tensor: """In-place `bitwise_or`."""
    def bitwise_right_shift(self, other: Tensor | _Number) -> Tensor: """``self >> other``, with the sign."""
    def bitwise_right_shift_(self, other: Tensor | _Number) -> Tensor: """In-place `bitwise_right_shift`."""
    def bitwise_xor(self, other: Tensor | _Number) -> Tensor: """``self ^ other``."""
    def bitwise_xor_(self, other: Tensor | _Number) -> Tensor: """In-place `bitwise_xor`."""
    def bmm(self, mat2: Tensor) -> Tensor: """Products of two batches of matrices."""
    @overload
    def bool(self) -> Tensor: """Converted to bool: the method ``bool()``."""
    @overload
    def bool(self, *, memory_format: Any) -> Tensor: ...
    @overload
    def broadcast_to(self, size: Sequence[builtins.int]) -> Tensor: """Expanded to `size`."""
    @overload
    def broadcast_to(self, *size: builtins.int) -> Tensor: ...
    @overload
    def byte(self) -> Tensor: """Converted to uint8: the method ``byte()``."""
    @overload
    def byte(self, *, memory_format: Any) -> Tensor: ...
    def cauchy_(self, median: builtins.float = ..., sigma: builtins.float = ..., *, generator: Any = ...) -> Tensor: """Overwritten with numbers of a Cauchy distribution."""
    @overload
    def cdouble(self) -> Tensor: """Converted to complex128: the method ``cdouble()``."""
    @overload
    def cdouble(self, *, memory_format: Any) -> Tensor: ...
    def ceil(self) -> Tensor: """Rounded up."""
    def ceil_(self) -> Tensor: """In-place `ceil`."""
    @overload
    def cfloat(self) -> Tensor: """Converted to complex64: the method ``cfloat()``."""
    @overload
    def cfloat(self, *, memory_format: Any) -> Tensor: ...
    @overload
    def char(self) -> Tensor: """Converted to int8: the method ``char()``."""
    @overload
    def char(self, *, memory_format: Any) -> Tensor: ...
    def cholesky(self, upper: builtins.bool = ...) -> Tensor: """`linalg.cholesky`."""
    def cholesky_inverse(self, upper: builtins.bool = ...) -> Tensor: """Inverse matrices, of their Cholesky decomposition."""
    def cholesky_solve(self, L: Tensor, upper: builtins.bool = ...) -> Tensor: """Solutions of ``A @ X = B`` for the right hand sides `self`, of a Cholesky decomposition of `A`."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """At most `chunks` views of a dimension, all of one size but the last."""
    @overload
    def clamp(self, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """Within [min, max]; `max` if min > max."""
    @overload
    def clamp(self, min: Tensor | _Number, max: None = ...) -> Tensor: ...
    @overload
    def clamp(self, min: None = ..., *, max: Tensor | _Number) -> Tensor: ...
    @overload
    def clamp(self, min: None, max: Tensor | _Number) -> Tensor: ...
    @overload
    def clamp_(self, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """In-place `clamp`."""
    @overload
    def clamp_(self, min: Tensor | _Number, max: None = ...) -> Tensor: ...
    @overload
    def clamp_(self, min: None = ..., *, max: Tensor | _Number) -> Tensor: ...
    @overload
    def clamp_(self, min: None, max: Tensor | _Number) -> Tensor: ...
    def clamp_max(self, max: Tensor | _Number) -> Tensor: """At most `max`."""
    def clamp_max_(self, max: Tensor | _Number) -> Tensor: """In-place `clamp_max`."""
    def clamp_min(self, min: Tensor | _Number) -> Tensor: """At least `min`."""
    def clamp_min_(self, min: Tensor | _Number) -> Tensor: """In-place `clamp_min`."""
    def clip(self, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """Within [min, max]; `max` if min > max."""
    def clip_(self, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """In-place `clamp`."""
    @overload
    def clone(self) -> Tensor: """A contiguous copy."""
    @overload
    def clone(self, *, memory_format: Any) -> Tensor: ...
    def conj(self) -> Tensor: """The complex conjugate, as a copy; of a tensor that is not complex the tensor itself."""
    def conj_physical(self) -> Tensor: """The complex conjugate."""
    def conj_physical_(self) -> Tensor: """In-place `conj_physical`."""
    @overload
    def contiguous(self) -> Tensor: """Itself if contiguous, else a contiguous copy."""
    @overload
    def contiguous(self, *, memory_format: Any) -> Tensor: ...
    def copy_(self, src: Tensor | _Number, non_blocking: builtins.bool = ...) -> Tensor: """Overwrite `self` with `src`, broadcast and converted to its dtype."""
    def copysign(self, other: Tensor | _Number) -> Tensor: """The first number with the sign of the second."""
    def copysign_(self, other: Tensor | _Number) -> Tensor: """In-place `copysign`."""
    def corrcoef(self) -> Tensor: """The correlation coefficients of the rows: see `torch.cov`."""
    def cos(self) -> Tensor: """Cosine."""
    def cos_(self) -> Tensor: """In-place `cos`."""
    def cosh(self) -> Tensor: """Hyperbolic cosine."""
    def cosh_(self) -> Tensor: """In-place `cosh`."""
    @overload
    def count_nonzero(self) -> Tensor: """How many elements are not zero."""
    @overload
    def count_nonzero(self, dim: builtins.int | Sequence[builtins.int] | None) -> Tensor: ...
    def cov(self, *, correction: builtins.int = ..., fweights: Tensor | None = ..., aweights: Tensor | None = ...) -> Tensor: """The covariances of the rows: variables are rows, observations are columns."""
    def cpu(self, *, memory_format: Any = ...) -> Tensor: """The tensor itself, which lies there."""
    def cross(self, other: Tensor, dim: builtins.int = ...) -> Tensor: """Cross products of vectors of three elements: the formula of `torch.linalg.cross`."""
    def cuda(self, device: Any = ..., non_blocking: builtins.bool = ..., *, memory_format: Any = ...) -> Tensor: """Refused: there is no such device."""
    def cummax(self, dim: builtins.int) -> return_types.cummax: """The greatest of each element and all before it along a dimension, and its index, the last of equals."""
    def cummin(self, dim: builtins.int) -> return_types.cummin: """The least of each element and all before it along a dimension, and its index, the last of equals."""
    def cumprod(self, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """The product of each element and all before it along a dimension."""
    def cumprod_(self, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """In-place `cumprod`."""
    def cumsum(self, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """The sum of each element and all before it along a dimension."""
    def cumsum_(self, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """In-place `cumsum`."""
    def deg2rad(self) -> Tensor: """Degrees as radians."""
    def deg2rad_(self) -> Tensor: """In-place `deg2rad`."""
    def det(self) -> Tensor: """Determinants."""
    def detach(self) -> Tensor: """Another tensor over the same elements."""
    def detach_(self) -> Tensor: """The tensor itself."""
    def diag(self, diagonal: builtins.int = ...) -> Tensor: """A diagonal of a matrix, in a new tensor; or a matrix with a vector as its diagonal."""
    def diag_embed(self, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """Matrices with the last dimension as their diagonal, and zeros besides."""
    def diagflat(self, offset: builtins.int = ...) -> Tensor: """A matrix with all elements in a row as its diagonal, `offset` further right."""
    def diagonal(self, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """The diagonal of two dimensions, as the last dimension."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """A copy with a diagonal replaced."""
    def diff(self, n: builtins.int = ..., dim: builtins.int = ..., prepend: Tensor | None = ..., append: Tensor | None = ...) -> Tensor: """Differences of neighbours along a dimension, `n` times."""
    def digamma(self) -> Tensor: """Derivative of `lgamma`."""
    def digamma_(self) -> Tensor: """In-place `digamma`."""
    def dim(self) -> builtins.int: """The number of dimensions, ``x.ndim``."""
    def dist(self, other: Tensor, p: _Number = ...) -> Tensor: """Norm of the difference of two tensors: `torch.linalg.vector_norm` of ``input - other``, of order `p`."""
    @overload
    def div(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """True quotient; of integers a float."""
    @overload
    def div(self, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
    @overload
    def div_(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
    @overload
    def div_(self, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
    @overload
    def divide(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """True quotient; of integers a float."""
    @overload
    def divide(self, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
    @overload
    def divide_(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
    @overload
    def divide_(self, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
    def dot(self, tensor: Tensor) -> Tensor: """Inner product of two vectors."""
    @overload
    def double(self) -> Tensor: """Converted to float64: the method ``double()``."""
    @overload
    def double(self, *, memory_format: Any) -> Tensor: ...
    @overload
    def dsplit(self, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the third dimension, of one size."""
    @overload
    def dsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def dsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def element_size(self) -> builtins.int: """Bytes of one element."""
    def elu(self, alpha: _Number = ..., *, scale: _Number = ..., input_scale: _Number = ...) -> Tensor: """x where positive, else ``alpha * (exp(x) - 1)``."""
    def elu_(self, alpha: _Number = ..., *, scale: _Number = ..., input_scale: _Number = ...) -> Tensor: """In-place `elu`."""
    def empty_like(self, *, dtype: _AnyDType | None = ...) -> Tensor: """Any elements in the shape of another tensor."""
    def eq(self, other: Tensor | _Number) -> Tensor: """``self == other`` by element."""
    def eq_(self, other: Tensor | _Number) -> Tensor: """In-place `eq`."""
    def equal(self, other: Tensor) -> builtins.bool: """Whether two tensors have the same shape and equal elements."""
    def erf(self) -> Tensor: """The error function."""
    def erf_(self) -> Tensor: """In-place `erf`."""
    def erfc(self) -> Tensor: """``1 - erf(x)``."""
    def erfc_(self) -> Tensor: """In-place `erfc`."""
    def erfinv(self) -> Tensor: """The inverse of `erf`."""
    def erfinv_(self) -> Tensor: """In-place `erfinv`."""
    def exp(self) -> Tensor: """e to the power."""
    def exp2(self) -> Tensor: """Powers of two."""
    def exp2_(self) -> Tensor: """In-place `exp2`."""
    def exp_(self) -> Tensor: """In-place `exp`."""
    @overload
    def expand(self, size: Sequence[builtins.int], *, implicit: builtins.bool = ...) -> Tensor: """Repeated along dimensions of size 1, without a copy; -1 keeps a size."""
    @overload
    def expand(self, *size: builtins.int, implicit: builtins.bool = ...) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor: """Expanded to the shape of `other`."""
    def expm1(self) -> Tensor: """``exp(x) - 1``, exact near 0."""
    def expm1_(self) -> Tensor: """In-place `expm1`."""
    def exponential_(self, lambd: builtins.float = ..., *, generator: Any = ...) -> Tensor: """Overwritten with numbers of the exponential distribution of a rate."""
    def fill_(self, value: Tensor | _Number) -> Tensor: """Overwrite every element with a number."""
    def fill_diagonal_(self, fill_value: _Number) -> Tensor: """The main diagonal of a matrix filled."""
    def fix(self) -> Tensor: """Rounded towards zero."""
    def fix_(self) -> Tensor: """In-place `trunc`."""
    def flatten(self, start_dim: builtins.int = ..., end_dim: builtins.int = ...) -> Tensor: """Dimensions start_dim..end_dim made one; itself where they are one dimension."""
    @overload
    def flip(self, dims: Sequence[builtins.int]) -> Tensor: """The elements from their end, along dimensions, in a new tensor."""
    @overload
    def flip(self, *dims: builtins.int) -> Tensor: ...
    def fliplr(self) -> Tensor: """The second dimension from its end."""
    def flipud(self) -> Tensor: """The first dimension from its end."""
    @overload
    def float(self) -> Tensor: """Converted to float32: the method ``float()``."""
    @overload
    def float(self, *, memory_format: Any) -> Tensor: ...
    @overload
    def float_power(self, exponent: Tensor) -> Tensor: """``x ** exponent`` in float64."""
    @overload
    def float_power(self, exponent: _Number) -> Tensor: ...
    @overload
    def float_power_(self, exponent: Tensor) -> Tensor: """In-place `float_power`."""
    @overload
    def float_power_(self, exponent: _Number) -> Tensor: ...
    def floor(self) -> Tensor: """Rounded down."""
    def floor_(self) -> Tensor: """In-place `floor`."""
    def floor_divide(self, other: Tensor | _Number) -> Tensor: """Quotient rounded down; an integer by zero raises RuntimeError."""
    def floor_divide_(self, other: Tensor | _Number) -> Tensor: """In-place `floor_divide`."""
    def fmax(self, other: Tensor | _Number) -> Tensor: """The greater of two, where one is NaN the other."""
    def fmin(self, other: Tensor | _Number) -> Tensor: """The lesser of two, where one is NaN the other."""
    def fmod(self, other: Tensor | _Number) -> Tensor: """Remainder with the sign of `self`; an integer by zero raises RuntimeError."""
    def fmod_(self, other: Tensor | _Number) -> Tensor: """In-place `fmod`."""
    def frac(self) -> Tensor: """The part behind the point."""
    def frac_(self) -> Tensor: """In-place `frac`."""
    def frexp(self) -> return_types.frexp: """Floats as mantissas from 0.5 to 1 and exponents, with ``mantissa * 2 ** exponent`` the float."""
    @overload
    def full_like(self, fill_value: _Number, *, dtype: _AnyDType | None = ...) -> Tensor: """One number in the shape of another tensor."""
    @overload
    def full_like(self, fill_value: builtins.complex, *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def full_like(self, fill_value: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: ...
    def gather(self, dim: builtins.int, index: Tensor) -> Tensor: """Along `dim`, element by element, what `index` says."""
    def gcd(self, other: Tensor) -> Tensor: """The greatest common divisor."""
    def gcd_(self, other: Tensor) -> Tensor: """In-place `gcd`."""
    def ge(self, other: Tensor | _Number) -> Tensor: """``self >= other`` by element."""
    def ge_(self, other: Tensor | _Number) -> Tensor: """In-place `ge`."""
    def gelu(self, *, approximate: builtins.str = ...) -> Tensor: """Gaussian error linear unit."""
    def gelu_erf(self) -> Tensor: """GELU by the error function."""
    def gelu_tanh(self) -> Tensor: """GELU by its tanh approximation."""
    def geometric_(self, p: builtins.float, *, generator: Any = ...) -> Tensor: """Overwritten with the numbers of trials up to the first success, which has a probability."""
    def geqrf(self) -> return_types.geqrf: """The QR decomposition as LAPACK's ``geqrf`` leaves it: see `linalg.qr` for the matrices themselves."""
    def ger(self, vec2: Tensor) -> Tensor: """Outer product of two vectors."""
    def greater(self, other: Tensor | _Number) -> Tensor: """``self > other`` by element."""
    def greater_(self, other: Tensor | _Number) -> Tensor: """In-place `gt`."""
    def greater_equal(self, other: Tensor | _Number) -> Tensor: """``self >= other`` by element."""
    def greater_equal_(self, other: Tensor | _Number) -> Tensor: """In-place `ge`."""
    def gt(self, other: Tensor | _Number) -> Tensor: """``self > other`` by element."""
    def gt_(self, other: Tensor | _Number) -> Tensor: """In-place `gt`."""
    @overload
    def half(self) -> Tensor: """Converted to float16: the method ``half()``."""
    @overload
    def half(self, *, memory_format: Any) -> Tensor: ...
    def hardshrink(self, lambd: _Number = ...) -> Tensor: """x outside of [-lambd, lambd], else 0."""
    def hardsigmoid(self) -> Tensor: """``relu6(x + 3) / 6``."""
    def hardsigmoid_(self) -> Tensor: """In-place `hardsigmoid`."""
    def hardswish(self) -> Tensor: """``x * relu6(x + 3) / 6``."""
    def hardswish_(self) -> Tensor: """In-place `hardswish`."""
    def hardtanh(self, min_val: _Number = ..., max_val: _Number = ...) -> Tensor: """Within [min_val, max_val]."""
    def hardtanh_(self, min_val: _Number = ..., max_val: _Number = ...) -> Tensor: """In-place `hardtanh`."""
    def hash_tensor(self, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., mode: builtins.int = ...) -> Tensor: """The exclusive or of the bits of elements, along dimensions or of all."""
    def heaviside(self, values: Tensor | _Number) -> Tensor: """0 below 0, 1 above, at 0 the second number."""
    def heaviside_(self, values: Tensor | _Number) -> Tensor: """In-place `heaviside`."""
    def histc(self, bins: builtins.int = ..., min: _Number = ..., max: _Number = ...) -> Tensor: """How many elements are in each of `bins` equal parts of an interval, that of all elements if both ends are equal."""
    @overload
    def histogram(self, bins: Tensor, *, weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogram: """How many elements lie between each two edges."""
    @overload
    def histogram(self, bins: builtins.int = ..., *, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogram: ...
    @overload
    def hsplit(self, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the second dimension, of one size."""
    @overload
    def hsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def hsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def hypot(self, other: Tensor | _Number) -> Tensor: """``sqrt(x * x + y * y)``."""
    def hypot_(self, other: Tensor | _Number) -> Tensor: """In-place `hypot`."""
    def i0(self) -> Tensor: """Modified Bessel function of order 0."""
    def i0_(self) -> Tensor: """In-place `i0`."""
    def igamma(self, other: Tensor) -> Tensor: """The regularised lower incomplete gamma function."""
    def igamma_(self, other: Tensor) -> Tensor: """In-place `igamma`."""
    def igammac(self, other: Tensor) -> Tensor: """The regularised upper incomplete gamma function: 1 less the lower one; see `igamma`."""
    def igammac_(self, other: Tensor) -> Tensor: """In-place `igammac`."""
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: _Number = ...) -> Tensor: """A copy to which slices of `source` are added along a dimension, where `index` says."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: _Number = ...) -> Tensor: """In-place `index_add`."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor: """A copy with the slices along `dim` that `index` says replaced."""
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor: """In-place `index_copy`."""
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: """A copy with the slices along `dim` that `index` says filled with a number."""
    @overload
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
    @overload
    def index_fill_(self, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: """In-place `index_fill`."""
    @overload
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor: """A copy with ``self[indices] = values``, or with the values added."""
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor: """``self[indices] = values``, or added to what is there."""
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """A copy with slices of `source` combined with those along a dimension that `index` says."""
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """In-place `index_reduce`."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor: """The chosen indices of a dimension."""
    def inner(self, other: Tensor) -> Tensor: """Sums of products over the last dimension of both, for all pairs of rows: the formula of `torch.inner`."""
    @overload
    def int(self) -> Tensor: """Converted to int32: the method ``int()``."""
    @overload
    def int(self, *, memory_format: Any) -> Tensor: ...
    def inverse(self) -> Tensor: """Inverse matrices."""
    def is_complex(self) -> builtins.bool: """Whether elements are complex numbers."""
    def is_conj(self) -> builtins.bool: """False: no tensor is conjugated lazily."""
    @overload
    def is_contiguous(self, *, memory_format: Any) -> builtins.bool: """Whether the elements lie in a memory format."""
    @overload
    def is_contiguous(self) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool: """Whether elements are floats."""
    def is_inference(self) -> builtins.bool: """False for all tensors."""
    def is_neg(self) -> builtins.bool: """False: no tensor is negated lazily."""
    def is_nonzero(self) -> builtins.bool: """Whether the only element is not zero."""
    def is_pinned(self) -> builtins.bool: """False for all tensors."""
    def is_same_size(self, other: Tensor) -> builtins.bool: """Whether two tensors have the same sizes."""
    def is_signed(self) -> builtins.bool: """Whether the dtype has negative numbers."""
    def isclose(self, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> Tensor: """Where two tensors are about equal: ``|input - other| <= atol + rtol * |other|``, as in `torch.isclose`."""
    def isfinite(self) -> Tensor: """Whether it is neither infinite nor NaN."""
    def isinf(self) -> Tensor: """Whether it is infinite."""
    def isnan(self) -> Tensor: """Whether it is NaN."""
    def isneginf(self) -> Tensor: """Whether an element is minus infinity."""
    def isposinf(self) -> Tensor: """Whether an element is infinity."""
    def isreal(self) -> Tensor: """Where elements have no imaginary part."""
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = ..., win_length: builtins.int | None = ..., window: Tensor | None = ..., center: builtins.bool = ..., normalized: builtins.bool = ..., onesided: builtins.bool | None = ..., length: builtins.int | None = ..., return_complex: builtins.bool = ...) -> Tensor: """The inverse of `stft`: pieces are added up, and divided by the sum of the squares of their windows."""
    def kron(self, other: Tensor) -> Tensor: """The Kronecker product: each element of a tensor times all of another."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = ..., keepdim: builtins.bool = ...) -> return_types.kthvalue: """The `k`-th least element along a dimension, counted from 1, and its index."""
    def lcm(self, other: Tensor) -> Tensor: """The least common multiple of ints."""
    def lcm_(self, other: Tensor) -> Tensor: """In-place `lcm`."""
    def ldexp(self, other: Tensor) -> Tensor: """``input * 2 ** other``."""
    def ldexp_(self, other: Tensor) -> Tensor: """In-place `ldexp`."""
    def le(self, other: Tensor | _Number) -> Tensor: """``self <= other`` by element."""
    def le_(self, other: Tensor | _Number) -> Tensor: """In-place `le`."""
    def leaky_relu(self, negative_slope: _Number = ...) -> Tensor: """x where positive, else ``x * negative_slope``."""
    def leaky_relu_(self, negative_slope: _Number = ...) -> Tensor: """In-place `leaky_relu`."""
    def lerp(self, end: Tensor | _Number, weight: Tensor | _Number) -> Tensor: """From `self` to `end` by `weight`."""
    def lerp_(self, end: Tensor | _Number, weight: Tensor | _Number) -> Tensor: """In-place `lerp`."""
    def less(self, other: Tensor | _Number) -> Tensor: """``self < other`` by element."""
    def less_(self, other: Tensor | _Number) -> Tensor: """In-place `lt`."""
    def less_equal(self, other: Tensor | _Number) -> Tensor: """``self <= other`` by element."""
    def less_equal_(self, other: Tensor | _Number) -> Tensor: """In-place `le`."""
    def lgamma(self) -> Tensor: """Logarithm of the gamma function."""
    def lgamma_(self) -> Tensor: """In-place `lgamma`."""
    @overload
    def linear(self, weight: Tensor, bias: None = ...) -> Tensor: """``input @ weight.t()``."""
    @overload
    def linear(self, weight: Tensor, bias: Tensor) -> Tensor: ...
    def log(self) -> Tensor: """Natural logarithm."""
    def log10(self) -> Tensor: """Logarithm to base 10."""
    def log10_(self) -> Tensor: """In-place `log10`."""
    def log1p(self) -> Tensor: """``log(1 + x)``, exact near 0."""
    def log1p_(self) -> Tensor: """In-place `log1p`."""
    def log2(self) -> Tensor: """Logarithm to base 2."""
    def log2_(self) -> Tensor: """In-place `log2`."""
    def log_(self) -> Tensor: """In-place `log`."""
    def log_normal_(self, mean: builtins.float = ..., std: builtins.float = ..., *, generator: Any = ...) -> Tensor: """Overwritten with numbers whose logarithms are normal, of that mean and deviation."""
    def log_sigmoid(self) -> Tensor: """``log(sigmoid(x))``."""
    def log_sigmoid_(self) -> Tensor: """In-place `log_sigmoid`."""
    @overload
    def log_softmax(self, dim: builtins.int) -> Tensor: """Logarithm of the softmax."""
    @overload
    def log_softmax(self, dim: builtins.int, dtype: _AnyDType) -> Tensor: ...
    def logaddexp(self, other: Tensor | _Number) -> Tensor: """``log(exp(x) + exp(y))``."""
    def logaddexp2(self, other: Tensor | _Number) -> Tensor: """``log2(2 ** x + 2 ** y)``."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor: """Logarithm of the sum of ``exp(x)`` of each element and all before it along a dimension."""
    def logdet(self) -> Tensor: """Logarithms of determinants, NaN where they are negative."""
    def logical_and(self, other: Tensor | _Number) -> Tensor: """Whether both are not zero."""
    def logical_and_(self, other: Tensor | _Number) -> Tensor: """In-place `logical_and`."""
    def logical_not(self) -> Tensor: """Whether it is zero."""
    def logical_not_(self) -> Tensor: """In-place `logical_not`."""
    def logical_or(self, other: Tensor | _Number) -> Tensor: """Whether one is not zero."""
    def logical_or_(self, other: Tensor | _Number) -> Tensor: """In-place `logical_or`."""
    def logical_xor(self, other: Tensor | _Number) -> Tensor: """Whether exactly one is not zero."""
    def logical_xor_(self, other: Tensor | _Number) -> Tensor: """In-place `logical_xor`."""
    def logit(self, eps: builtins.float | None = ...) -> Tensor: """``log(x / (1 - x))``; `eps`: of what is clamped to ``[eps, 1 - eps]``."""
    def logit_(self, eps: builtins.float | None = ...) -> Tensor: """In-place `logit`."""
    def logsigmoid(self) -> Tensor: """``log(sigmoid(x))``."""
    def logsigmoid_(self) -> Tensor: """In-place `log_sigmoid`."""
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` along dimensions."""
    @overload
    def long(self) -> Tensor: """Converted to int64: the method ``long()``."""
    @overload
    def long(self, *, memory_format: Any) -> Tensor: ...
    def lt(self, other: Tensor | _Number) -> Tensor: """``self < other`` by element."""
    def lt_(self, other: Tensor | _Number) -> Tensor: """In-place `lt`."""
    @overload
    def lu(self, pivot: builtins.bool = ..., get_infos: builtins.bool = ...) -> tuple[Tensor, Tensor, Tensor]: """`linalg.lu_factor_ex`."""
    @overload
    def lu(self, pivot: builtins.bool = ..., get_infos: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor: """Solutions of ``A @ X = b`` for the right hand sides `input`, of an LU decomposition: see `linalg.lu_solve`."""
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    def masked_fill(self, mask: Tensor | _Number, value: Tensor | _Number) -> Tensor: """`value` where `mask` holds, else `self`."""
    def masked_fill_(self, mask: Tensor | _Number, value: Tensor | _Number) -> Tensor: """In-place `masked_fill`."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor: """A copy with the elements where a mask is true replaced by those of `source`, from its first one on."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor: """In-place `masked_scatter`."""
    def masked_select(self, mask: Tensor) -> Tensor: """The elements where a mask is true, in row-major order; both are broadcast."""
    def matmul(self, other: Tensor) -> Tensor: """Product of matrices, vectors or batches of matrices, ``self @ other``."""
    def matrix_exp(self) -> Tensor: """Exponentials of square matrices."""
    def matrix_power(self, n: builtins.int) -> Tensor: """Powers of square matrices; of their inverses for a negative exponent."""
    @overload
    def max(self) -> Tensor: """Greatest element."""
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.max: ...
    @overload
    def max(self, other: Tensor | _Number) -> Tensor: ...
    def maximum(self, other: Tensor | _Number) -> Tensor: """The greater of two; NaN if one is."""
    def maximum_(self, other: Tensor | _Number) -> Tensor: """In-place `maximum`."""
    @overload
    def mean(self, *, dtype: _AnyDType | None = ...) -> Tensor: """The mean of all elements."""
    @overload
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def median(self) -> Tensor: """The median of all elements, the lower one of two. NaN if there is one, or nothing."""
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.median: ...
    @overload
    def min(self) -> Tensor: """Least element."""
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.min: ...
    @overload
    def min(self, other: Tensor | _Number) -> Tensor: ...
    def minimum(self, other: Tensor | _Number) -> Tensor: """The lesser of two; NaN if one is."""
    def minimum_(self, other: Tensor | _Number) -> Tensor: """In-place `minimum`."""
    def mish(self) -> Tensor: """``x * tanh(softplus(x))``."""
    def mish_(self) -> Tensor: """In-place `mish`."""
    def mm(self, mat2: Tensor) -> Tensor: """Product of two matrices."""
    def mode(self, dim: builtins.int = ..., keepdim: builtins.bool = ...) -> return_types.mode: """The most frequent element along a dimension, the least one of several, and the index where it is last."""
    @overload
    def moveaxis(self, source: builtins.int, destination: builtins.int) -> Tensor: """A view with one dimension at another place."""
    @overload
    def moveaxis(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def moveaxis(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    @overload
    def movedim(self, source: builtins.int, destination: builtins.int) -> Tensor: """A view with one dimension at another place."""
    @overload
    def movedim(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def movedim(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    def msort(self) -> Tensor: """The elements along the first dimension in order."""
    def mul(self, other: Tensor | _Number) -> Tensor: """Product."""
    def mul_(self, other: Tensor | _Number) -> Tensor: """In-place `mul`."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = ..., *, generator: Any = ...) -> Tensor: """Indices of the last dimension, drawn by weights."""
    def multiply(self, other: Tensor | _Number) -> Tensor: """Product."""
    def multiply_(self, other: Tensor | _Number) -> Tensor: """In-place `mul`."""
    def mv(self, vec: Tensor) -> Tensor: """Product of a matrix and a vector."""
    def mvlgamma(self, p: builtins.int) -> Tensor: """The logarithm of the multivariate gamma function of dimension `p`."""
    def mvlgamma_(self, p: builtins.int) -> Tensor: """In-place `mvlgamma`."""
    def nan_to_num(self, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor: """NaN and infinities as numbers: 0 and the greatest and least finite ones if left out."""
    def nan_to_num_(self, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor: """In-place `nan_to_num`."""
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The mean of what is not NaN."""
    @overload
    def nanmedian(self) -> Tensor: """The median of all elements that are not NaN, the lower one of two."""
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.nanmedian: ...
    @overload
    def nanquantile(self, q: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: """Quantiles of what is not NaN: see `torch.quantile`."""
    @overload
    def nanquantile(self, q: builtins.float, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: ...
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The sum of what is not NaN."""
    @overload
    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor: """`length` indices from `start`."""
    @overload
    def narrow(self, dim: builtins.int, start: Tensor, length: builtins.int) -> Tensor: ...
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor: """`length` indices from `start` along a dimension, in a new tensor."""
    def ndimension(self) -> builtins.int: """The number of dimensions, ``x.ndim``."""
    def ne(self, other: Tensor | _Number) -> Tensor: """``self != other`` by element."""
    def ne_(self, other: Tensor | _Number) -> Tensor: """In-place `ne`."""
    def neg(self) -> Tensor: """``-self``."""
    def neg_(self) -> Tensor: """In-place `neg`."""
    def negative(self) -> Tensor: """``-self``."""
    def negative_(self) -> Tensor: """In-place `neg`."""
    def nelement(self) -> builtins.int: """The number of elements."""
    @overload
    def new_empty(self, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Any elements of the same dtype."""
    @overload
    def new_empty(self, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """`empty_strided` of the dtype of a tensor, unless `dtype` is given."""
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], *stride: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def new_full(self, size: Sequence[builtins.int], fill_value: _Number, *, dtype: _AnyDType | None = ...) -> Tensor: """One number, of the same dtype."""
    @overload
    def new_full(self, size: Sequence[builtins.int], fill_value: builtins.complex, *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def new_full(self, size: Sequence[builtins.int], fill_value: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def new_ones(self, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Ones of the same dtype."""
    @overload
    def new_ones(self, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
    def new_tensor(self, data: Any, *, dtype: _AnyDType | None = ...) -> Tensor: """A tensor of numbers, or of nested lists or tuples of numbers, of the dtype of `self` unless `dtype` is given."""
    @overload
    def new_zeros(self, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Zeros of the same dtype."""
    @overload
    def new_zeros(self, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
    def nextafter(self, other: Tensor | _Number) -> Tensor: """The next float from one towards another."""
    def nextafter_(self, other: Tensor | _Number) -> Tensor: """In-place `nextafter`."""
    @overload
    def nonzero(self, *, as_tuple: builtins.bool = ...) -> Tensor: """The indices of the elements that are not zero, in row-major order: a row for each."""
    @overload
    def nonzero(self, *, as_tuple: builtins.bool) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = ...) -> Tensor: """The first `size` rows of `nonzero`, with rows of `fill_value` behind them where there are fewer."""
    @overload
    def norm(self, p: _Number | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """Norm of the elements along dimensions, the Euclidean one by default: `torch.linalg.vector_norm` of order `p`."""
    @overload
    def norm(self, p: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def normal(self, std: Tensor, *, generator: Any = ...) -> Tensor: """A mean and a deviation for each."""
    @overload
    def normal(self, std: builtins.float = ..., *, generator: Any = ...) -> Tensor: ...
    def normal_(self, mean: builtins.float = ..., std: builtins.float = ..., *, generator: Any = ...) -> Tensor: """Overwritten with numbers of a normal distribution."""
    def not_equal(self, other: Tensor | _Number) -> Tensor: """``self != other`` by element."""
    def not_equal_(self, other: Tensor | _Number) -> Tensor: """In-place `ne`."""
    def numel(self) -> builtins.int: """The number of elements."""
    def ones_like(self, *, dtype: _AnyDType | None = ...) -> Tensor: """Ones in the shape of another tensor."""
    def orgqr(self, input2: Tensor) -> Tensor: """`linalg.householder_product`."""
    def ormqr(self, tau: Tensor, other: Tensor, left: builtins.bool = ..., transpose: builtins.bool = ...) -> Tensor: """A product with the square ``Q`` of reflectors, which is not made."""
    def outer(self, vec2: Tensor) -> Tensor: """Outer product of two vectors."""
    @overload
    def permute(self, dims: Sequence[builtins.int]) -> Tensor: """The dimensions in another order."""
    @overload
    def permute(self, *dims: builtins.int) -> Tensor: ...
    def pinverse(self, rcond: builtins.float = ...) -> Tensor: """`linalg.pinv` with a relative threshold."""
    def polygamma(self, n: builtins.int) -> Tensor: """The derivative of order `n` of the digamma function."""
    def polygamma_(self, n: builtins.int) -> Tensor: """In-place `polygamma`."""
    def positive(self) -> Tensor: """``+self``."""
    def pow(self, exponent: Tensor | _Number) -> Tensor: """``self`` to the power `exponent`."""
    def pow_(self, exponent: Tensor | _Number) -> Tensor: """In-place `pow`."""
    def prelu(self, weight: Tensor) -> Tensor: """x where positive, else ``x * weight``: of each channel, which is the second dimension, or the same for all."""
    @overload
    def prod(self, *, dtype: _AnyDType | None = ...) -> Tensor: """The product of all elements."""
    @overload
    def prod(self, dim: builtins.int, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: ...
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor: """A copy with `put_`."""
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor: """Elements written, or added, by their numbers in row-major order."""
    def qr(self, some: builtins.bool = ...) -> return_types.qr: """`linalg.qr`, reduced or complete."""
    @overload
    def quantile(self, q: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: """Quantiles of all elements or along a dimension; NaN where there is one."""
    @overload
    def quantile(self, q: builtins.float, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: ...
    def rad2deg(self) -> Tensor: """Radians as degrees."""
    def rad2deg_(self) -> Tensor: """In-place `rad2deg`."""
    def rand_like(self, *, dtype: _AnyDType | None = ...) -> Tensor: """`rand` in the shape of another tensor, and of its dtype."""
    @overload
    def randint_like(self, high: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """`randint` in the shape of another tensor, and of its dtype."""
    @overload
    def randint_like(self, low: builtins.int, high: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: ...
    def randn_like(self, *, dtype: _AnyDType | None = ...) -> Tensor: """`randn` in the shape of another tensor, and of its dtype."""
    @overload
    def random_(self, *, generator: Any = ...) -> Tensor: """Overwritten with ints from 0 to the largest that the dtype has, or up to which it has all."""
    @overload
    def random_(self, to: builtins.int, *, generator: Any = ...) -> Tensor: ...
    @overload
    def random_(self, from_: builtins.int, to: builtins.int, *, generator: Any = ...) -> Tensor: ...
    def ravel(self) -> Tensor: """One dimension, contiguous."""
    def reciprocal(self) -> Tensor: """``1 / self``."""
    def reciprocal_(self) -> Tensor: """In-place `reciprocal`."""
    def relu(self) -> Tensor: """The positive part."""
    def relu6(self) -> Tensor: """Within [0, 6]."""
    def relu6_(self) -> Tensor: """In-place `relu6`."""
    def relu_(self) -> Tensor: """In-place `relu`."""
    def remainder(self, other: Tensor | _Number) -> Tensor: """Remainder with the sign of `other`; an integer by zero raises RuntimeError."""
    def remainder_(self, other: Tensor | _Number) -> Tensor: """In-place `remainder`."""
    def renorm(self, p: _Number, dim: builtins.int, maxnorm: _Number) -> Tensor: """The tensor with each part along a dimension scaled down to the norm `maxnorm` where that is less."""
    def renorm_(self, p: _Number, dim: builtins.int, maxnorm: _Number) -> Tensor: """In-place `renorm`."""
    @overload
    def repeat(self, repeats: Sequence[builtins.int]) -> Tensor: """The whole tensor several times along each dimension, in a new tensor."""
    @overload
    def repeat(self, *repeats: builtins.int) -> Tensor: ...
    @overload
    def repeat_interleave(self, repeats: builtins.int, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: """Each element, or each index of a dimension, several times in a row."""
    @overload
    def repeat_interleave(self, repeats: Tensor, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: ...
    def requires_grad_(self, requires_grad: builtins.bool = ...) -> Tensor: """The tensor itself; no gradients are computed, so True is refused."""
    @overload
    def reshape(self, shape: Sequence[builtins.int]) -> Tensor: """Another shape; a view where the strides allow one, else a copy."""
    @overload
    def reshape(self, *shape: builtins.int) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor: """Reshaped to the shape of `other`."""
    @overload
    def resize_(self, size: Sequence[builtins.int], *, memory_format: Any = ...) -> Tensor: """Nothing, for a tensor that has these sizes; others are refused, as a tensor keeps its sizes."""
    @overload
    def resize_(self, *size: builtins.int, memory_format: Any = ...) -> Tensor: ...
    def resize_as_(self, the_template: Tensor, *, memory_format: Any = ...) -> Tensor: """Nothing, for a tensor of the sizes of another one; others are refused; see `resize_`."""
    def resolve_conj(self) -> Tensor: """The tensor itself: none is conjugated lazily."""
    def resolve_neg(self) -> Tensor: """The tensor itself: none is negated lazily."""
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """The elements further along dimensions; those beyond the end come in at the beginning."""
    @overload
    def rot90(self, k: builtins.int = ..., dims: Sequence[builtins.int] = ...) -> Tensor: """The plane of two dimensions turned by 90 degrees, from the first towards the second, in a new tensor."""
    @overload
    def rot90(self, k: builtins.int = ..., *dims: builtins.int) -> Tensor: ...
    @overload
    def round(self) -> Tensor: """Rounded to the nearest integer, halves to even."""
    @overload
    def round(self, *, decimals: builtins.int) -> Tensor: ...
    @overload
    def round_(self) -> Tensor: """In-place `round`."""
    @overload
    def round_(self, *, decimals: builtins.int) -> Tensor: ...
    def rsqrt(self) -> Tensor: """``1 / sqrt(x)``."""
    def rsqrt_(self) -> Tensor: """In-place `rsqrt`."""
    def rsub(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """Difference ``other - alpha * self``."""
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """A copy with the elements of `src` written along `dim` where `index` says: what `gather` reads."""
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: _Number, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """In-place `scatter`."""
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: _Number, *, reduce: builtins.str) -> Tensor: ...
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """A copy with the elements of `src` added along `dim` where `index` says."""
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """In-place `scatter_add`."""
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """A copy with the elements of `src` combined along `dim` with those that `index` says."""
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """In-place `scatter_reduce`."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor: """One index of a dimension, which goes."""
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor: """A copy with one index of a dimension replaced."""
    def sgn(self) -> Tensor: """``x / abs(x)`` of complex numbers, 0 of 0; `sign` of others."""
    def sgn_(self) -> Tensor: """In-place `sgn`."""
    @overload
    def short(self) -> Tensor: """Converted to int16: the method ``short()``."""
    @overload
    def short(self, *, memory_format: Any) -> Tensor: ...
    def sigmoid(self) -> Tensor: """``1 / (1 + exp(-x))``."""
    def sigmoid_(self) -> Tensor: """In-place `sigmoid`."""
    def sign(self) -> Tensor: """-1, 0 or 1; of NaN 0."""
    def sign_(self) -> Tensor: """In-place `sign`."""
    def signbit(self) -> Tensor: """Whether the sign is set, of -0.0 too."""
    def silu(self) -> Tensor: """``x * sigmoid(x)``."""
    def silu_(self) -> Tensor: """In-place `silu`."""
    def sin(self) -> Tensor: """Sine."""
    def sin_(self) -> Tensor: """In-place `sin`."""
    def sinc(self) -> Tensor: """``sin(pi * x) / (pi * x)``, 1 at 0."""
    def sinc_(self) -> Tensor: """In-place `sinc`."""
    def sinh(self) -> Tensor: """Hyperbolic sine."""
    def sinh_(self) -> Tensor: """In-place `sinh`."""
    @overload
    def size(self) -> tuple[builtins.int, ...]: """The sizes, ``x.shape``."""
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    def slice(self, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor: """``x[start:end:step]`` along a dimension; bounds are clipped."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor: """A copy with a slice of a dimension replaced."""
    def slogdet(self) -> return_types.linalg_slogdet: """Signs of determinants, and logarithms of their absolute values."""
    @overload
    def softmax(self, dim: builtins.int) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1."""
    @overload
    def softmax(self, dim: builtins.int, dtype: _AnyDType) -> Tensor: ...
    def softplus(self, beta: _Number = ..., threshold: _Number = ...) -> Tensor: """``log(1 + exp(beta * x)) / beta``, x beyond the threshold."""
    def softplus_(self, beta: _Number = ..., threshold: _Number = ...) -> Tensor: """In-place `softplus`."""
    @overload
    def sort(self, dim: builtins.int = ..., descending: builtins.bool = ...) -> return_types.sort: """The elements along a dimension in order, and their indices. It is stable; NaN counts as the greatest."""
    @overload
    def sort(self, *, stable: builtins.bool | None, dim: builtins.int = ..., descending: builtins.bool = ...) -> return_types.sort: ...
    @overload
    def split(self, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """Views of `split_size` indices each of a dimension, the last possibly of fewer."""
    @overload
    def split(self, split_size: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    @overload
    def split(self, *split_size: builtins.int) -> tuple[Tensor, ...]: ...
    @overload
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: """Views of a dimension, of these sizes."""
    @overload
    def split_with_sizes(self, *split_sizes: builtins.int) -> tuple[Tensor, ...]: ...
    def sqrt(self) -> Tensor: """Square root."""
    def sqrt_(self) -> Tensor: """In-place `sqrt`."""
    def square(self) -> Tensor: """``self * self``."""
    def square_(self) -> Tensor: """In-place `square`."""
    @overload
    def squeeze(self) -> Tensor: """Without the dimensions of size 1."""
    @overload
    def squeeze(self, dim: builtins.int | Sequence[builtins.int]) -> Tensor: ...
    @overload
    def std(self, unbiased: builtins.bool = ...) -> Tensor: """Standard deviation of all elements."""
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = ..., win_length: builtins.int | None = ..., window: Tensor | None = ..., center: builtins.bool = ..., pad_mode: builtins.str = ..., normalized: builtins.bool = ..., onesided: builtins.bool | None = ..., return_complex: builtins.bool | None = ...) -> Tensor: """The short-time Fourier transform: transforms of pieces of a signal, each multiplied with a window."""
    def storage_offset(self) -> builtins.int: """Where the first element lies in the storage, in elements."""
    @overload
    def stride(self) -> tuple[builtins.int, ...]: """The strides, in elements."""
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def sub(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """Difference ``self - alpha * other``."""
    def sub_(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `sub`."""
    def subtract(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """Difference ``self - alpha * other``."""
    def subtract_(self, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `sub`."""
    @overload
    def sum(self, *, dtype: _AnyDType | None = ...) -> Tensor: """The sum of all elements."""
    @overload
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ...) -> Tensor: ...
    @overload
    def sum_to_size(self, size: Sequence[builtins.int]) -> Tensor: """Summed over the dimensions along which a tensor of another shape would be broadcast to this one."""
    @overload
    def sum_to_size(self, *size: builtins.int) -> Tensor: ...
    def svd(self, some: builtins.bool = ..., compute_uv: builtins.bool = ...) -> return_types.svd: """Singular value decompositions, with ``V`` instead of its adjoint."""
    def swapaxes(self, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
    def t(self) -> Tensor: """The transposed matrix; a vector is left as it is."""
    def take(self, index: Tensor) -> Tensor: """Elements by their numbers in row-major order."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = ...) -> Tensor: """What `gather` gives, with both tensors broadcast in the other dimensions; of all elements without `dim`."""
    def tan(self) -> Tensor: """Tangent."""
    def tan_(self) -> Tensor: """In-place `tan`."""
    def tanh(self) -> Tensor: """Hyperbolic tangent."""
    def tanh_(self) -> Tensor: """In-place `tanh`."""
    @overload
    def tensor_split(self, sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """So many views of a dimension, the first ones longer by one where it cannot be divided."""
    @overload
    def tensor_split(self, indices: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, tensor_indices_or_sections: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    @overload
    def tile(self, dims: Sequence[builtins.int]) -> Tensor: """The whole tensor several times along its last dimensions, or along further ones in front."""
    @overload
    def tile(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def to(self, dtype: _AnyDType, non_blocking: builtins.bool = ...) -> Tensor: """Converted to `dtype`; `self` itself if it has it."""
    @overload
    def to(self, other: Tensor | _Number, non_blocking: builtins.bool = ...) -> Tensor: ...
    @overload
    def to(self, dtype: _AnyDType, non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: Any = ...) -> Tensor: ...
    @overload
    def to(self, other: Tensor, non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: Any = ...) -> Tensor: ...
    @overload
    def to(self, device: Any = ..., dtype: _AnyDType | None = ..., non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: Any = ...) -> Tensor: ...
    def topk(self, k: builtins.int, dim: builtins.int = ..., largest: builtins.bool = ..., sorted: builtins.bool = ...) -> return_types.topk: """The `k` greatest or least elements along a dimension, and their indices."""
    def trace(self) -> Tensor: """Sum of the diagonal of a matrix: the formula of `torch.trace`."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
    def triangular_solve(self, A: Tensor, upper: builtins.bool = ..., transpose: builtins.bool = ..., unitriangular: builtins.bool = ...) -> return_types.triangular_solve: """`solve_triangular` with the right hand side first; and a copy of `A`."""
    def tril(self, diagonal: builtins.int = ...) -> Tensor: """Matrices with zeros right of a diagonal."""
    def tril_(self, diagonal: builtins.int = ...) -> Tensor: """In-place `tril`."""
    def triu(self, diagonal: builtins.int = ...) -> Tensor: """Matrices with zeros left of a diagonal; see `tril`."""
    def triu_(self, diagonal: builtins.int = ...) -> Tensor: """In-place `triu`."""
    def true_divide(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """True quotient; of integers a float."""
    def true_divide_(self, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
    def trunc(self) -> Tensor: """Rounded towards zero."""
    def trunc_(self) -> Tensor: """In-place `trunc`."""
    def trunc_divide(self, other: Tensor | _Number) -> Tensor: """Quotient rounded towards zero."""
    def trunc_divide_(self, other: Tensor | _Number) -> Tensor: """In-place `trunc_divide`."""
    def type_as(self, other: Tensor | _Number) -> Tensor: """Converted to the dtype of `other`."""
    def unbind(self, dim: builtins.int = ...) -> tuple[Tensor, ...]: """A view for each index of a dimension, which goes away."""
    @overload
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor: """One dimension split into several."""
    @overload
    def unflatten(self, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor: """Windows of `size` indices along a dimension, each `step` further, as a further last dimension."""
    def uniform_(self, from_: builtins.float = ..., to: builtins.float = ..., *, generator: Any = ...) -> Tensor: """Overwritten with numbers that are evenly spread."""
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> Tensor: """The different elements, in order."""
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> Tensor: ...
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(self, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> Tensor: """The elements without those that are equal to the one before."""
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> Tensor: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor, Tensor]: ...
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `chunk`."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `split`."""
    @overload
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `split_with_sizes`."""
    @overload
    def unsafe_split_with_sizes(self, *split_sizes: builtins.int) -> tuple[Tensor, ...]: ...
    def unsqueeze(self, dim: builtins.int) -> Tensor: """With a dimension of size 1 inserted."""
    @overload
    def var(self, unbiased: builtins.bool = ...) -> Tensor: """Variance of all elements, divided by n - 1 if unbiased."""
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    def vdot(self, other: Tensor) -> Tensor: """The sum of products of the conjugates of one vector and another."""
    @overload
    def view(self, size: Sequence[builtins.int]) -> Tensor: """The same elements in another shape; -1 is inferred."""
    @overload
    def view(self, *size: builtins.int) -> Tensor: ...
    @overload
    def view(self, dtype: _AnyDType) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor: """A view in the shape of `other`."""
    @overload
    def vsplit(self, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the first dimension, of one size."""
    @overload
    def vsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def vsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def where(self, condition: Tensor | _Number, other: Tensor | _Number) -> Tensor: """The method `where`: `self` where `condition` holds, else `other`."""
    def xlogy(self, other: Tensor | _Number) -> Tensor: """``x * log(y)``, 0 where x is."""
    def xlogy_(self, other: Tensor | _Number) -> Tensor: """In-place `xlogy`."""
    def zero_(self) -> Tensor: """Overwrite every element with zero."""
    def zeros_like(self, *, dtype: _AnyDType | None = ...) -> Tensor: """Zeros in the shape of another tensor."""

def _convert_indices_from_coo_to_csr(input: Tensor, size: builtins.int, *, out_int32: builtins.bool = ...) -> Tensor: """Where the entries of each row begin, of the row numbers of the entries, which are in order."""
def _convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, *, out_int32: builtins.bool = ..., transpose: builtins.bool = ...) -> Tensor: """The row and the column of each entry, of where the entries of each row begin."""
def _segment_reduce(data: Tensor, reduce: builtins.str, *, lengths: Tensor | None = ..., indices: None = ..., offsets: Tensor | None = ..., axis: builtins.int = ..., unsafe: builtins.bool = ..., initial: _Number | None = ...) -> Tensor: """Sums, products, means, greatest or least elements of the segments that a dimension is divided into."""
def abs(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Absolute value."""
def abs_(input: Tensor) -> Tensor: """In-place `abs`."""
def absolute(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Absolute value."""
def absolute_(input: Tensor) -> Tensor: """In-place `abs`."""
def acos(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc cosine."""
def acos_(input: Tensor) -> Tensor: """In-place `acos`."""
def acosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic cosine."""
def acosh_(input: Tensor) -> Tensor: """In-place `acosh`."""
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
def add(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """Sum ``self + alpha * other``."""
def add_(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `add`."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """``beta * input + alpha * `` the sum of the products of matrices: the formula of `torch.addbmm`."""
def addcdiv(input: Tensor, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ..., out: Tensor | None = ...) -> Tensor: """``self + value * tensor1 / tensor2``."""
def addcdiv_(input: Tensor, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """In-place `addcdiv`."""
def addcmul(input: Tensor, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ..., out: Tensor | None = ...) -> Tensor: """``self + value * tensor1 * tensor2``."""
def addcmul_(input: Tensor, tensor1: Tensor | _Number, tensor2: Tensor | _Number, *, value: _Number = ...) -> Tensor: """In-place `addcmul`."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """``beta * self + alpha * (mat1 @ mat2)``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """``beta * input + alpha * (mat @ vec)``: the formula of `torch.addmv`."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> Tensor: """In-place `addmv`."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """``beta * input + alpha * outer(vec1, vec2)``: the formula of `torch.addr`."""
def adjoint(input: Tensor) -> Tensor: """The conjugate of a matrix with its dimensions exchanged; of a batch, of each matrix."""
@overload
def affine_grid(theta: Tensor, size: Sequence[builtins.int], align_corners: builtins.bool | None = ...) -> Tensor: """Where affine maps take the positions of an image, for `grid_sample`."""
@overload
def affine_grid(theta: Tensor, *size: builtins.int) -> Tensor: ...
def airy_ai(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Airy's function Ai."""
def alias(input: Tensor) -> Tensor: """Another tensor over the same elements."""
def alias_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `alias` gives, in memory of its own."""
@overload
def all(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Whether no element is zero."""
@overload
def all(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> builtins.bool: """Whether all elements of two tensors are about equal; see `isclose`."""
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Tensor | None = ...) -> Tensor: """`nn.functional.alpha_dropout`."""
def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Greatest element along dimensions."""
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Least element along dimensions."""
def aminmax(input: Tensor, *, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.aminmax: """The least and the greatest element, of all or along a dimension."""
def angle(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The angle of a complex number in the plane; of others 0, or pi where they are negative."""
@overload
def any(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Whether some element is not zero."""
@overload
def any(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def arange(end: _Number, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """0, 1 … below `end`."""
@overload
def arange(start: _Number, end: _Number, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def arange(start: _Number, end: _Number, step: _Number, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc cosine."""
def arccos_(input: Tensor) -> Tensor: """In-place `acos`."""
def arccosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic cosine."""
def arccosh_(input: Tensor) -> Tensor: """In-place `acosh`."""
def arcsin(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc sine."""
def arcsin_(input: Tensor) -> Tensor: """In-place `asin`."""
def arcsinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic sine."""
def arcsinh_(input: Tensor) -> Tensor: """In-place `asinh`."""
def arctan(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc tangent."""
def arctan2(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The angle of the point with the coordinates `other` and `self`."""
def arctan2_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `atan2`."""
def arctan_(input: Tensor) -> Tensor: """In-place `atan`."""
def arctanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic tangent."""
def arctanh_(input: Tensor) -> Tensor: """In-place `atanh`."""
def argmax(input: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Index of the greatest element, the first of equals."""
def argmin(input: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Index of the least element, the first of equals."""
def argsort(input: Tensor, dim: builtins.int = ..., descending: builtins.bool = ..., *, stable: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """The indices that sort a dimension: the second result of `torch.sort`."""
def argwhere(input: Tensor, *, as_tuple: builtins.bool = ...) -> Tensor: """The indices of the elements that are not zero, in row-major order: a row for each."""
@overload
def as_strided(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor: """A view of the storage with these sizes and strides; it may have an element several times."""
@overload
def as_strided(input: Tensor, size: Sequence[builtins.int], *stride: builtins.int) -> Tensor: ...
@overload
def as_strided_copy(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ..., *, out: Tensor | None = ...) -> Tensor: """A copy of what `as_strided` gives, in memory of its own."""
@overload
def as_strided_copy(input: Tensor, size: Sequence[builtins.int], *stride: builtins.int, out: Tensor | None = ...) -> Tensor: ...
@overload
def as_strided_scatter(input: Tensor, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor: """A copy with the elements of a view by strides replaced."""
@overload
def as_strided_scatter(input: Tensor, src: Tensor, size: Sequence[builtins.int], *stride: builtins.int) -> Tensor: ...
@overload
def as_tensor(data: Tensor, dtype: _AnyDType | None = ..., device: Any = ...) -> Tensor: """The tensor on a device, converted to `dtype`; itself where nothing is to be converted."""
@overload
def as_tensor(data: Any, dtype: _AnyDType | None = ..., device: Any = ...) -> Tensor: ...
@overload
def asarray(obj: Tensor, *, dtype: _AnyDType | None = ..., device: Any = ..., copy: builtins.bool | None = ..., requires_grad: builtins.bool = ...) -> Tensor: """As ``as_tensor``; with ``copy=True`` always a new tensor."""
@overload
def asarray(obj: Any, *, dtype: _AnyDType | None = ..., device: Any = ..., copy: builtins.bool | None = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc sine."""
def asin_(input: Tensor) -> Tensor: """In-place `asin`."""
def asinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic sine."""
def asinh_(input: Tensor) -> Tensor: """In-place `asinh`."""
def atan(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Arc tangent."""
def atan2(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The angle of the point with the coordinates `other` and `self`."""
def atan2_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `atan2`."""
def atan_(input: Tensor) -> Tensor: """In-place `atan`."""
def atanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse hyperbolic tangent."""
def atanh_(input: Tensor) -> Tensor: """In-place `atanh`."""
@overload
def atleast_1d(input: Tensor) -> Tensor: """With 1 dimensions at least."""
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(tensors: Any) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(input: Tensor) -> Tensor: """With 2 dimensions at least."""
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensors: Any) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(input: Tensor) -> Tensor: """With 3 dimensions at least."""
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensors: Any) -> tuple[Tensor, ...]: ...
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor: """The mean of each window that slides over the last dimensions."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """``beta * self + alpha * (batch1 @ batch2)``."""
def bartlett_window(window_length: builtins.int, periodic: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Bartlett's window, a triangle."""
@overload
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = ..., bias: Tensor | None = ..., training: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 for each channel, which is dimension 1, then times `weight` plus `bias`."""
@overload
def batch_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = ..., bias: Tensor | None = ..., training: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: ...
@overload
def bernoulli(input: Tensor, *, generator: Any = ..., out: Tensor | None = ...) -> Tensor: """Ones, each with the probability that the tensor has at its place, and zeros."""
@overload
def bernoulli(input: Tensor, p: builtins.float, *, generator: Any = ...) -> Tensor: ...
def bessel_j0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the first kind of order 0."""
def bessel_j1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the first kind of order 1."""
def bessel_y0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the second kind of order 0; NaN below 0."""
def bessel_y1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the second kind of order 1; NaN below 0."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = ...) -> Tensor: """``input1 @ weight[k] @ input2 + bias[k]`` for each output k: the formula of `torch.nn.Bilinear`."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far probabilities are from right ones: the formula of `torch.nn.BCELoss`."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., pos_weight: Tensor | None = ...) -> Tensor: """`binary_cross_entropy` of ``sigmoid(input)``, without loss of accuracy."""
def bincount(input: Tensor, weights: Tensor | None = ..., minlength: builtins.int = ...) -> Tensor: """How often each number from 0 on occurs, or the sums of the weights of its places."""
def bitwise_and(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self & other``."""
def bitwise_and_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `bitwise_and`."""
def bitwise_left_shift(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self << other``; 0 beyond the width."""
def bitwise_left_shift_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `bitwise_left_shift`."""
def bitwise_not(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``~self``; of bools `not`."""
def bitwise_not_(input: Tensor) -> Tensor: """In-place `bitwise_not`."""
def bitwise_or(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self | other``."""
def bitwise_or_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `bitwise_or`."""
def bitwise_right_shift(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self >> other``, with the sign."""
def bitwise_right_shift_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `bitwise_right_shift`."""
def bitwise_xor(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self ^ other``."""
def bitwise_xor_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `bitwise_xor`."""
def blackman_window(window_length: builtins.int, periodic: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Blackman's window: ``0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)``."""
@overload
def block_diag(tensors: Sequence[Tensor]) -> Tensor: """A matrix with matrices along its diagonal, and zeros besides."""
@overload
def block_diag(tensors: Any) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor: """Products of two batches of matrices."""
@overload
def broadcast_shapes(a: builtins.int | Sequence[builtins.int]) -> tuple[builtins.int, ...]: """The shape that several shapes are broadcast to."""
@overload
def broadcast_shapes(a: builtins.int | Sequence[builtins.int], b: builtins.int | Sequence[builtins.int]) -> tuple[builtins.int, ...]: ...
@overload
def broadcast_shapes(a: builtins.int | Sequence[builtins.int], b: builtins.int | Sequence[builtins.int], c: builtins.int | Sequence[builtins.int]) -> tuple[builtins.int, ...]: ...
@overload
def broadcast_shapes(a: builtins.int | Sequence[builtins.int], b: builtins.int | Sequence[builtins.int], c: builtins.int | Sequence[builtins.int], d: builtins.int | Sequence[builtins.int]) -> tuple[builtins.int, ...]: ...
@overload
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: """Views of one shape, to which all are expanded."""
@overload
def broadcast_tensors(tensors: Any) -> tuple[Tensor, ...]: ...
@overload
def broadcast_to(input: Tensor, size: Sequence[builtins.int]) -> Tensor: """Expanded to `size`."""
@overload
def broadcast_to(input: Tensor, *size: builtins.int) -> Tensor: ...
@overload
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """The number of the bucket of each value; `boundaries` between them are sorted."""
@overload
def bucketize(input: _Number, boundaries: Tensor, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
def can_cast(from_: _AnyDType, to: _AnyDType) -> builtins.bool: """Whether the result of an operator of one dtype may be stored in another."""
@overload
def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor: """All combinations of one element of each vector, in rows; of one vector the vector itself."""
@overload
def cartesian_prod(tensors: Any) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Joined along a dimension."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = ..., compute_mode: builtins.str | None = ...) -> Tensor: """The distance of each row of a matrix from each row of another."""
def ceil(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded up."""
def ceil_(input: Tensor) -> Tensor: """In-place `ceil`."""
def celu(input: Tensor, alpha: _Number = ..., *, out: Tensor | None = ...) -> Tensor: """x where positive, else ``alpha * (exp(x / alpha) - 1)``."""
def celu_(input: Tensor, alpha: _Number = ...) -> Tensor: """In-place `celu`."""
def chain_matmul(matrices: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor: """`linalg.multi_dot`; of one matrix itself."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor: """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``."""
def chebyshev_polynomial_t(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the first kind: ``cos(n * acos(x))`` from -1 to 1."""
def chebyshev_polynomial_u(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the second kind: see `chebyshev_polynomial_t`."""
def chebyshev_polynomial_v(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the third kind: see `chebyshev_polynomial_t`."""
def chebyshev_polynomial_w(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the fourth kind: see `chebyshev_polynomial_t`."""
def cholesky(input: Tensor, upper: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """`linalg.cholesky`."""
def cholesky_ex(A: Tensor, *, upper: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_cholesky_ex: """The Cholesky decomposition, and 0 for each matrix, or the order of its first minor that is not positive."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Inverse matrices, of their Cholesky decomposition."""
def cholesky_solve(input: Tensor, L: Tensor, upper: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B`` for the right hand sides `self`, of a Cholesky decomposition of `A`."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """At most `chunks` views of a dimension, all of one size but the last."""
@overload
def clamp(input: Tensor, min: Tensor | _Number, max: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Within [min, max]; `max` if min > max."""
@overload
def clamp(input: Tensor, min: Tensor | _Number, max: None = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def clamp(input: Tensor, min: None = ..., *, max: Tensor | _Number, out: Tensor | None = ...) -> Tensor: ...
@overload
def clamp(input: Tensor, min: None, max: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """In-place `clamp`."""
@overload
def clamp_(input: Tensor, min: Tensor | _Number, max: None = ...) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: None = ..., *, max: Tensor | _Number) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: None, max: Tensor | _Number) -> Tensor: ...
def clamp_max(input: Tensor, max: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """At most `max`."""
def clamp_max_(input: Tensor, max: Tensor | _Number) -> Tensor: """In-place `clamp_max`."""
def clamp_min(input: Tensor, min: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """At least `min`."""
def clamp_min_(input: Tensor, min: Tensor | _Number) -> Tensor: """In-place `clamp_min`."""
def clip(input: Tensor, min: Tensor | _Number, max: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Within [min, max]; `max` if min > max."""
@overload
def clip_(input: Tensor, min: Tensor | _Number, max: Tensor | _Number) -> Tensor: """In-place `clamp`."""
@overload
def clip_(input: Tensor, min: Tensor | _Number, max: None = ...) -> Tensor: ...
@overload
def clip_(input: Tensor, min: None = ..., *, max: Tensor | _Number) -> Tensor: ...
@overload
def clip_(input: Tensor, min: None, max: Tensor | _Number) -> Tensor: ...
@overload
def clone(input: Tensor) -> Tensor: """A contiguous copy."""
@overload
def clone(input: Tensor, *, memory_format: Any) -> Tensor: ...
@overload
def column_stack(tensors: Sequence[Tensor]) -> Tensor: """Tensors joined along the second dimension; vectors are columns."""
@overload
def column_stack(tensors: Any) -> Tensor: ...
def combinations(input: Tensor, r: builtins.int = ..., with_replacement: builtins.bool = ...) -> Tensor: """All choices of `r` elements of a vector, in rows, as `itertools.combinations` orders them."""
def complex(real: Tensor, imag: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Complex numbers of their real and imaginary parts."""
def concat(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Joined along a dimension."""
def concatenate(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Joined along a dimension."""
@overload
def cond(A: Tensor, p: builtins.float | None = ..., *, out: Tensor | None = ...) -> Tensor: """Condition numbers: norms of matrices times those of their inverses."""
@overload
def cond(A: Tensor, p: builtins.str, *, out: Tensor | None = ...) -> Tensor: ...
def conj(input: Tensor) -> Tensor: """The complex conjugate, as a copy; of a tensor that is not complex the tensor itself."""
def conj_physical(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The complex conjugate."""
def conj_physical_(input: Tensor) -> Tensor: """In-place `conj_physical`."""
@overload
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: _Number = ...) -> Tensor: """Padded with a number: see `torch.nn.functional.pad`."""
@overload
def constant_pad_nd(input: Tensor, *pad: builtins.int) -> Tensor: ...
@overload
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: builtins.complex) -> Tensor: ...
@overload
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: Tensor) -> Tensor: ...
@overload
def contiguous(input: Tensor) -> Tensor: """Itself if contiguous, else a contiguous copy."""
@overload
def contiguous(input: Tensor, *, memory_format: Any) -> Tensor: ...
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
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], transposed: builtins.bool, output_padding: builtins.int | Sequence[builtins.int], groups: builtins.int) -> Tensor: """A convolution over as many dimensions as the weight has behind the first two, transposed or not."""
def copy_(input: Tensor, src: Tensor | _Number, non_blocking: builtins.bool = ...) -> Tensor: """Overwrite `self` with `src`, broadcast and converted to its dtype."""
def copysign(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The first number with the sign of the second."""
def copysign_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `copysign`."""
def corrcoef(input: Tensor) -> Tensor: """The correlation coefficients of the rows: see `torch.cov`."""
def cos(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Cosine."""
def cos_(input: Tensor) -> Tensor: """In-place `cos`."""
def cosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Hyperbolic cosine."""
def cosh_(input: Tensor) -> Tensor: """In-place `cosh`."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """1 less the cosine where the target is 1, the cosine beyond `margin` where it is -1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = ..., eps: builtins.float = ...) -> Tensor: """Cosine of the angle between the vectors along a dimension."""
@overload
def count_nonzero(input: Tensor) -> Tensor: """How many elements are not zero."""
@overload
def count_nonzero(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None) -> Tensor: ...
def cov(input: Tensor, *, correction: builtins.int = ..., fweights: Tensor | None = ..., aweights: Tensor | None = ...) -> Tensor: """The covariances of the rows: variables are rows, observations are columns."""
def cross(input: Tensor, other: Tensor, dim: builtins.int = ...) -> Tensor: """Cross products of vectors of three elements: the formula of `torch.linalg.cross`."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., label_smoothing: builtins.float = ...) -> Tensor: """How far the softmax of scores is from the right classes: the formula of `torch.nn.CrossEntropyLoss`."""
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: builtins.int = ..., reduction: builtins.str = ..., zero_infinity: builtins.bool = ...) -> Tensor: """Minus the logarithm of the probability of a sequence of labels, over all ways to align it with the steps."""
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], target_lengths: Sequence[builtins.int], blank: builtins.int = ..., reduction: builtins.str = ..., zero_infinity: builtins.bool = ...) -> Tensor: ...
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], *target_lengths: builtins.int) -> Tensor: ...
def cummax(input: Tensor, dim: builtins.int, *, out: tuple[Tensor, ...] | None = ...) -> return_types.cummax: """The greatest of each element and all before it along a dimension, and its index, the last of equals."""
def cummin(input: Tensor, dim: builtins.int, *, out: tuple[Tensor, ...] | None = ...) -> return_types.cummin: """The least of each element and all before it along a dimension, and its index, the last of equals."""
def cumprod(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The product of each element and all before it along a dimension."""
def cumsum(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The sum of each element and all before it along a dimension."""
@overload
def cumulative_trapezoid(input: Tensor, *, dx: _Number = ..., dim: builtins.int = ...) -> Tensor: """The integrals from the first place to each other one by the trapezoidal rule."""
@overload
def cumulative_trapezoid(input: Tensor, x: Tensor, *, dim: builtins.int = ...) -> Tensor: ...
def deg2rad(input: Tensor) -> Tensor: """Degrees as radians."""
def deg2rad_(input: Tensor) -> Tensor: """In-place `deg2rad`."""
def det(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Determinants."""
def detach(input: Tensor) -> Tensor: """Another tensor over the same elements."""
def detach_(input: Tensor) -> Tensor: """The tensor itself."""
def detach_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `detach` gives, in memory of its own."""
def diag(input: Tensor, diagonal: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """A diagonal of a matrix, in a new tensor; or a matrix with a vector as its diagonal."""
def diag_embed(input: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """Matrices with the last dimension as their diagonal, and zeros besides."""
def diagflat(input: Tensor, offset: builtins.int = ...) -> Tensor: """A matrix with all elements in a row as its diagonal, `offset` further right."""
def diagonal(input: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """The diagonal of two dimensions, as the last dimension."""
def diagonal_copy(input: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """A copy of what `diagonal` gives, in memory of its own."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """A copy with a diagonal replaced."""
def diff(input: Tensor, n: builtins.int = ..., dim: builtins.int = ..., prepend: Tensor | None = ..., append: Tensor | None = ...) -> Tensor: """Differences of neighbours along a dimension, `n` times."""
def digamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Derivative of `lgamma`."""
def digamma_(input: Tensor) -> Tensor: """In-place `digamma`."""
def dist(input: Tensor, other: Tensor, p: _Number = ...) -> Tensor: """Norm of the difference of two tensors: `torch.linalg.vector_norm` of ``input - other``, of order `p`."""
@overload
def div(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ..., out: Tensor | None = ...) -> Tensor: """True quotient; of integers a float."""
@overload
def div(input: Tensor, other: Tensor | _Number, *, rounding_mode: builtins.str, out: Tensor | None = ...) -> Tensor: ...
@overload
def div_(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
@overload
def div_(input: Tensor, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
@overload
def divide(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ..., out: Tensor | None = ...) -> Tensor: """True quotient; of integers a float."""
@overload
def divide(input: Tensor, other: Tensor | _Number, *, rounding_mode: builtins.str, out: Tensor | None = ...) -> Tensor: ...
@overload
def divide_(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
@overload
def divide_(input: Tensor, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inner product of two vectors."""
def dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Tensor | None = ...) -> Tensor: """`nn.functional.dropout`."""
def dropout1d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, L)`` or ``(C, L)``."""
def dropout2d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, H, W)``."""
def dropout3d(input: Tensor, p: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ...) -> Tensor: """`dropout` of whole channels of tensors ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor: """In-place `dropout`."""
@overload
def dsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the third dimension, of one size."""
@overload
def dsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def dsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def dstack(tensors: Sequence[Tensor]) -> Tensor: """Joined along the third dimension."""
@overload
def dstack(tensors: Any) -> Tensor: ...
def eig(A: Tensor, *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_eig: """Eigenvalues of square matrices, in no order, and eigenvectors of length 1; both complex."""
def eigh(A: Tensor, UPLO: builtins.str = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_eigh: """Eigenvalues of symmetric or Hermitian matrices, ascending, and orthonormal eigenvectors."""
def eigvals(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Eigenvalues of square matrices, in no order; complex."""
def eigvalsh(A: Tensor, UPLO: builtins.str = ..., *, out: Tensor | None = ...) -> Tensor: """Eigenvalues of symmetric or Hermitian matrices, ascending."""
@overload
def einsum(equation: builtins.str, operands: Sequence[Tensor]) -> Tensor: """Sums of products of the elements of tensors, by Einstein's convention: that of `torch.einsum`."""
@overload
def einsum(equation: builtins.str, a: Tensor) -> Tensor: ...
@overload
def einsum(equation: builtins.str, a: Tensor, b: Tensor) -> Tensor: ...
@overload
def einsum(equation: builtins.str, a: Tensor, b: Tensor, c: Tensor) -> Tensor: ...
@overload
def einsum(equation: builtins.str, a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor: ...
def element_size(input: Tensor) -> builtins.int: """Bytes of one element."""
@overload
def elu(input: Tensor, alpha: _Number = ..., *, scale: _Number = ..., input_scale: _Number = ...) -> Tensor: """x where positive, else ``alpha * (exp(x) - 1)``."""
@overload
def elu(input: Tensor, alpha: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def elu_(input: Tensor, alpha: _Number = ..., *, scale: _Number = ..., input_scale: _Number = ...) -> Tensor: """In-place `elu`."""
def embedding(input: Tensor, weight: Tensor, padding_idx: builtins.int | None = ..., max_norm: builtins.float | None = ..., norm_type: builtins.float = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ...) -> Tensor: """Rows of a table by their numbers: ``weight[input]``, the formula of `torch.nn.functional.embedding`."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = ..., max_norm: builtins.float | None = ..., norm_type: builtins.float = ..., scale_grad_by_freq: builtins.bool = ..., mode: builtins.str = ..., sparse: builtins.bool = ..., per_sample_weights: Tensor | None = ..., include_last_offset: builtins.bool = ..., padding_idx: builtins.int | None = ...) -> Tensor: """Sums, means or greatest elements of the rows of a table that each bag of numbers names."""
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float) -> Tensor: """Rows of a table whose norm is greater made shorter, in place: the formula of `torch.embedding_renorm_`."""
@overload
def empty(size: Sequence[builtins.int], *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Elements of any value."""
@overload
def empty(*size: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def empty_like(input: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: """Any elements in the shape of another tensor."""
@overload
def empty_permuted(size: Sequence[builtins.int], physical_layout: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """A tensor of any elements, contiguous but for the order of its dimensions."""
@overload
def empty_permuted(size: Sequence[builtins.int], *physical_layout: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def empty_strided(size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """A tensor of any elements with given strides."""
@overload
def empty_strided(size: Sequence[builtins.int], *stride: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
def entr(input: Tensor) -> Tensor: """``-x * log(x)``, 0 at 0, minus infinity below."""
def eq(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self == other`` by element."""
def eq_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `eq`."""
def equal(input: Tensor, other: Tensor) -> builtins.bool: """Whether two tensors have the same shape and equal elements."""
def erf(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The error function."""
def erf_(input: Tensor) -> Tensor: """In-place `erf`."""
def erfc(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 - erf(x)``."""
def erfc_(input: Tensor) -> Tensor: """In-place `erfc`."""
def erfcx(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x * x) * erfc(x)``."""
def erfinv(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The inverse of `erf`."""
def erfinv_(input: Tensor) -> Tensor: """In-place `erfinv`."""
def exp(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """e to the power."""
def exp2(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Powers of two."""
def exp2_(input: Tensor) -> Tensor: """In-place `exp2`."""
def exp_(input: Tensor) -> Tensor: """In-place `exp`."""
@overload
def expand(input: Tensor, size: Sequence[builtins.int], *, implicit: builtins.bool = ...) -> Tensor: """Repeated along dimensions of size 1, without a copy; -1 keeps a size."""
@overload
def expand(input: Tensor, *size: builtins.int, implicit: builtins.bool = ...) -> Tensor: ...
def expand_as(input: Tensor, other: Tensor) -> Tensor: """Expanded to the shape of `other`."""
@overload
def expand_copy(input: Tensor, size: Sequence[builtins.int], *, implicit: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """A copy of what `expand` gives, in memory of its own."""
@overload
def expand_copy(input: Tensor, *size: builtins.int, implicit: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
def expit(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / (1 + exp(-x))``."""
def expm1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) - 1``, exact near 0."""
def expm1_(input: Tensor) -> Tensor: """In-place `expm1`."""
@overload
def eye(n: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The identity matrix."""
@overload
def eye(n: builtins.int, m: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Tensor | None = ...) -> Tensor: """`nn.functional.feature_alpha_dropout`."""
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Tensor | None = ...) -> Tensor: """`dropout` of whole channels ``input[i, j]``."""
def fft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` along two dimensions, the last ones if none are given."""
def fftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `fft`, in cycles per unit."""
def fftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The discrete Fourier transform along several dimensions."""
def fftshift(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """Results of `fft` with the frequency zero moved to the middle."""
@overload
def fill(input: Tensor, value: _Number) -> Tensor: """A tensor of the same shape and dtype with one number everywhere."""
@overload
def fill(input: Tensor, value: Tensor) -> Tensor: ...
def fill_(input: Tensor, value: Tensor | _Number) -> Tensor: """Overwrite every element with a number."""
def fill_diagonal_(input: Tensor, fill_value: _Number) -> Tensor: """The main diagonal of a matrix filled."""
def finfo(type: _AnyDType) -> Any: """What a dtype of floats can hold."""
def fix(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded towards zero."""
def fix_(input: Tensor) -> Tensor: """In-place `trunc`."""
def flatten(input: Tensor, start_dim: builtins.int = ..., end_dim: builtins.int = ...) -> Tensor: """Dimensions start_dim..end_dim made one; itself where they are one dimension."""
@overload
def flip(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: """The elements from their end, along dimensions, in a new tensor."""
@overload
def flip(input: Tensor, *dims: builtins.int) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: """The second dimension from its end."""
def flipud(input: Tensor) -> Tensor: """The first dimension from its end."""
@overload
def float_power(input: Tensor, exponent: Tensor) -> Tensor: """``x ** exponent`` in float64."""
@overload
def float_power(input: Tensor, exponent: _Number) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded down."""
def floor_(input: Tensor) -> Tensor: """In-place `floor`."""
def floor_divide(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Quotient rounded down; an integer by zero raises RuntimeError."""
def floor_divide_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `floor_divide`."""
def fmax(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The greater of two, where one is NaN the other."""
def fmin(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The lesser of two, where one is NaN the other."""
def fmod(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Remainder with the sign of `self`; an integer by zero raises RuntimeError."""
def fmod_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `fmod`."""
def fold(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., stride: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Columns added up as windows of an image, `torch.nn.functional.fold`."""
def frac(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The part behind the point."""
def frac_(input: Tensor) -> Tensor: """In-place `frac`."""
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
def frexp(input: Tensor) -> return_types.frexp: """Floats as mantissas from 0.5 to 1 and exponents, with ``mantissa * 2 ** exponent`` the float."""
@overload
def full(size: Sequence[builtins.int], fill_value: _Number, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """One number everywhere."""
@overload
def full(size: Sequence[builtins.int], fill_value: builtins.complex, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def full(size: Sequence[builtins.int], fill_value: Tensor, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def full_like(input: Tensor, fill_value: _Number, *, dtype: _AnyDType | None = ...) -> Tensor: """One number in the shape of another tensor."""
@overload
def full_like(input: Tensor, fill_value: builtins.complex, *, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def full_like(input: Tensor, fill_value: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: ...
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised lower incomplete gamma function."""
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised upper incomplete gamma function: 1 less the lower one; see `igamma`."""
def gammaln(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Logarithm of the gamma function."""
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = ...) -> Tensor: """Along `dim`, element by element, what `index` says."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: builtins.bool = ..., eps: builtins.float = ..., reduction: builtins.str = ...) -> Tensor: """How unlikely numbers are if they have a normal distribution: the formula of `torch.nn.GaussianNLLLoss`."""
def gcd(input: Tensor, other: Tensor) -> Tensor: """The greatest common divisor."""
def gcd_(input: Tensor, other: Tensor) -> Tensor: """In-place `gcd`."""
def ge(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self >= other`` by element."""
def ge_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `ge`."""
def gelu(input: Tensor, *, approximate: builtins.str = ...) -> Tensor: """Gaussian error linear unit."""
def gelu_erf(input: Tensor) -> Tensor: """GELU by the error function."""
def gelu_tanh(input: Tensor) -> Tensor: """GELU by its tanh approximation."""
def geqrf(input: Tensor, *, out: tuple[Tensor, ...] | None = ...) -> return_types.geqrf: """The QR decomposition as LAPACK's ``geqrf`` leaves it: see `linalg.qr` for the matrices themselves."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor: """Outer product of two vectors."""
def get_default_dtype() -> _dtype: """The dtype of new tensors of Python's floats: float32, unless `tscript.set_default_dtype` says another one. Compiled code has the one that it was compiled for."""
def glu(input: Tensor, dim: builtins.int = ...) -> Tensor: """The first half along a dimension times the sigmoid of the other."""
@overload
def gradient(input: Tensor, *, spacing: builtins.float | None = ..., dim: builtins.int | None = ..., edge_order: builtins.int = ...) -> tuple[Tensor, ...]: """Derivatives of a function along dimensions: differences of its values at neighbouring points."""
@overload
def gradient(input: Tensor, *, spacing: builtins.float | None = ..., dim: Sequence[builtins.int], edge_order: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[builtins.float], dim: builtins.int | Sequence[builtins.int] | None = ..., edge_order: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[Tensor], dim: builtins.int | Sequence[builtins.int] | None = ..., edge_order: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Any, dim: builtins.int | Sequence[builtins.int] | None = ..., edge_order: builtins.int = ...) -> tuple[Tensor, ...]: ...
def greater(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self > other`` by element."""
def greater_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `gt`."""
def greater_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self >= other`` by element."""
def greater_equal_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `ge`."""
def grid_sample(input: Tensor, grid: Tensor, mode: builtins.str = ..., padding_mode: builtins.str = ..., align_corners: builtins.bool | None = ...) -> Tensor: """Elements at the positions that a grid says, interpolated."""
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor: """`grid_sample` with modes by number."""
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor: """`grid_sampler` of images."""
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor: """`grid_sampler` of volumes."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = ..., bias: Tensor | None = ..., eps: builtins.float = ..., cudnn_enabled: builtins.bool = ...) -> Tensor: """Mean 0 and variance 1 over each group of channels, then times `weight` plus `bias` of the channel."""
@overload
def gru(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: """Gated recurrent units over sequences: the formulas of `torch.nn.GRU`, a step of which is `gru_cell`."""
@overload
def gru(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def gru(input: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def gru(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ...) -> Tensor: """One step of gated recurrent units: the formula of `torch.nn.GRUCell`."""
def gt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self > other`` by element."""
def gt_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `gt`."""
def gumbel_softmax(logits: Tensor, tau: builtins.float = ..., hard: builtins.bool = ..., eps: builtins.float = ..., dim: builtins.int = ...) -> Tensor: """Samples of the Gumbel-softmax distribution."""
def hamming_window(window_length: builtins.int, periodic: builtins.bool = ..., alpha: builtins.float = ..., beta: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Hamming's window: ``alpha - beta * cos(2 * pi * k / n)``."""
def hann_window(window_length: builtins.int, periodic: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Hann's window: ``0.5 - 0.5 * cos(2 * pi * k / n)``."""
def hardshrink(input: Tensor, lambd: _Number = ..., *, out: Tensor | None = ...) -> Tensor: """x outside of [-lambd, lambd], else 0."""
@overload
def hardsigmoid(input: Tensor) -> Tensor: """``relu6(x + 3) / 6``."""
@overload
def hardsigmoid(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def hardsigmoid_(input: Tensor) -> Tensor: """In-place `hardsigmoid`."""
@overload
def hardswish(input: Tensor) -> Tensor: """``x * relu6(x + 3) / 6``."""
@overload
def hardswish(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def hardswish_(input: Tensor) -> Tensor: """In-place `hardswish`."""
@overload
def hardtanh(input: Tensor, min_val: _Number = ..., max_val: _Number = ...) -> Tensor: """Within [min_val, max_val]."""
@overload
def hardtanh(input: Tensor, min_val: _Number = ..., max_val: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def hardtanh_(input: Tensor, min_val: _Number = ..., max_val: _Number = ...) -> Tensor: """In-place `hardtanh`."""
def hash_tensor(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., mode: builtins.int = ..., out: Tensor | None = ...) -> Tensor: """The exclusive or of the bits of elements, along dimensions or of all."""
def heaviside(input: Tensor, values: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """0 below 0, 1 above, at 0 the second number."""
def heaviside_(input: Tensor, values: Tensor | _Number) -> Tensor: """In-place `heaviside`."""
def hermite_polynomial_h(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Hermite's polynomials as physicists have them: ``4 * x * x - 2`` for ``n = 2``."""
def hermite_polynomial_he(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Hermite's polynomials as probability has them: ``x * x - 1`` for ``n = 2``."""
def hfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of numbers whose second half is the conjugate of the first in reverse: it is real."""
def hfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`hfftn` along two dimensions, the last ones if none are given."""
def hfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` of numbers whose second half along the last dimension is the conjugate of the first: it is real."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """x where the target is 1, ``max(0, margin - x)`` where it is -1: the formula of `torch.nn.HingeEmbeddingLoss`."""
def histc(input: Tensor, bins: builtins.int = ..., min: _Number = ..., max: _Number = ...) -> Tensor: """How many elements are in each of `bins` equal parts of an interval, that of all elements if both ends are equal."""
@overload
def histogram(input: Tensor, bins: Tensor, *, weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogram: """How many elements lie between each two edges."""
@overload
def histogram(input: Tensor, bins: builtins.int = ..., *, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogram: ...
@overload
def histogramdd(input: Tensor, bins: builtins.int, *, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogramdd: """So many bins of one width along each dimension; see `histogramdd`."""
@overload
def histogramdd(input: Tensor, bins: Sequence[builtins.int], *, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogramdd: ...
@overload
def histogramdd(input: Tensor, *bins: builtins.int, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogramdd: ...
@overload
def histogramdd(input: Tensor, bins: Sequence[Tensor], *, range: Any = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> return_types.histogramdd: ...
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = ...) -> Tensor: """The first columns of the product of reflectors, ``H1 @ H2 @ …``: the ``Q`` of what `geqrf` gives."""
@overload
def hsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the second dimension, of one size."""
@overload
def hsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def hsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def hstack(tensors: Sequence[Tensor]) -> Tensor: """Joined along the second dimension, vectors along the first."""
@overload
def hstack(tensors: Any) -> Tensor: ...
def huber_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ..., delta: builtins.float = ...) -> Tensor: """Squared difference where it is less than `delta`, `delta` times the absolute one beyond."""
def hypot(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``sqrt(x * x + y * y)``."""
def hypot_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `hypot`."""
def i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 0."""
def i0_(input: Tensor) -> Tensor: """In-place `i0`."""
def i0e(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(-abs(x)) * i0(x)``."""
def i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 1."""
def i1e(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(-abs(x)) * i1(x)``."""
def ifft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `fft`: the same sum with the other sign, divided by n where `norm` is ``"backward"`` or None."""
def ifft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`ifftn` along two dimensions, the last ones if none are given."""
def ifftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `fftn`."""
def ifftshift(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """What `fftshift` did, undone."""
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised lower incomplete gamma function."""
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised upper incomplete gamma function: 1 less the lower one; see `igamma`."""
def ihfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `hfft`: the first half of the inverse transform of real numbers."""
def ihfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`ihfftn` along two dimensions, the last ones if none are given."""
def ihfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `hfftn`."""
def iinfo(type: _AnyDType) -> Any: """What a dtype of integers can hold."""
def imag(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The imaginary parts of a complex tensor, as a view."""
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """A copy to which slices of `source` are added along a dimension, where `index` says."""
def index_add_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: _Number = ...) -> Tensor: """In-place `index_add`."""
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy with the slices along `dim` that `index` says replaced."""
def index_copy_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor: """In-place `index_copy`."""
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: """A copy with the slices along `dim` that `index` says filled with a number."""
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
@overload
def index_fill_(input: Tensor, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: """In-place `index_fill`."""
@overload
def index_fill_(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor: """A copy with ``self[indices] = values``, or with the values added."""
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor: """``self[indices] = values``, or added to what is there."""
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """A copy with slices of `source` combined with those along a dimension that `index` says."""
def index_reduce_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """In-place `index_reduce`."""
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = ...) -> Tensor: """The chosen indices of a dimension."""
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """Sums of products over the last dimension of both, for all pairs of rows: the formula of `torch.inner`."""
@overload
def instance_norm(input: Tensor, running_mean: Tensor | None = ..., running_var: Tensor | None = ..., weight: Tensor | None = ..., bias: Tensor | None = ..., use_input_stats: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 over each channel of each element of the batch, then times `weight` plus `bias`."""
@overload
def instance_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = ..., bias: Tensor | None = ..., use_input_stats: builtins.bool = ..., momentum: builtins.float = ..., eps: builtins.float = ...) -> Tensor: ...
@overload
def interpolate(input: Tensor, size: builtins.int | Sequence[builtins.int] | None = ..., scale_factor: _Number | None = ..., mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: """A tensor resized behind its first two dimensions, batch and channels."""
@overload
def interpolate(input: Tensor, size: None = ..., *, scale_factor: Sequence[builtins.float], mode: builtins.str = ..., align_corners: builtins.bool | None = ..., recompute_scale_factor: builtins.bool | None = ..., antialias: builtins.bool = ...) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse matrices."""
def inv_ex(A: Tensor, *, check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_inv_ex: """Inverse matrices, and 0 for each of them, or the diagonal element that is zero."""
def inverse(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse matrices."""
def irfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `rfft`: real numbers."""
def irfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`irfftn` along two dimensions, the last ones if none are given."""
def irfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `rfftn`: real numbers."""
def is_complex(input: Tensor) -> builtins.bool: """Whether elements are complex numbers."""
def is_conj(input: Tensor) -> builtins.bool: """False: no tensor is conjugated lazily."""
@overload
def is_contiguous(input: Tensor, *, memory_format: Any) -> builtins.bool: """Whether the elements lie in a memory format."""
@overload
def is_contiguous(input: Tensor) -> builtins.bool: ...
def is_floating_point(input: Tensor) -> builtins.bool: """Whether elements are floats."""
def is_inference(input: Tensor) -> builtins.bool: """False for all tensors."""
def is_neg(input: Tensor) -> builtins.bool: """False: no tensor is negated lazily."""
def is_nonzero(input: Tensor) -> builtins.bool: """Whether the only element is not zero."""
def is_same_size(input: Tensor, other: Tensor) -> builtins.bool: """Whether two tensors have the same sizes."""
def is_signed(input: Tensor) -> builtins.bool: """Whether the dtype has negative numbers."""
def is_tensor(obj: Any) -> builtins.bool: """Whether a value is a tensor."""
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> Tensor: """Where two tensors are about equal: ``|input - other| <= atol + rtol * |other|``, as in `torch.isclose`."""
def isfinite(input: Tensor) -> Tensor: """Whether it is neither infinite nor NaN."""
def isin(elements: Tensor, test_elements: Tensor, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Which elements are among others."""
def isinf(input: Tensor) -> Tensor: """Whether it is infinite."""
def isnan(input: Tensor) -> Tensor: """Whether it is NaN."""
def isneginf(input: Tensor) -> Tensor: """Whether an element is minus infinity."""
def isposinf(input: Tensor) -> Tensor: """Whether an element is infinity."""
def isreal(input: Tensor) -> Tensor: """Where elements have no imaginary part."""
def istft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = ..., win_length: builtins.int | None = ..., window: Tensor | None = ..., center: builtins.bool = ..., normalized: builtins.bool = ..., onesided: builtins.bool | None = ..., length: builtins.int | None = ..., return_complex: builtins.bool = ...) -> Tensor: """The inverse of `stft`: pieces are added up, and divided by the sum of the squares of their windows."""
def item(input: Tensor) -> Any: """The only element as a number."""
def kaiser_window(window_length: builtins.int, periodic: builtins.bool = ..., beta: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Kaiser's window."""
def kl_div(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ..., log_target: builtins.bool = ...) -> Tensor: """Divergence of distributions, ``target * (log(target) - input)``."""
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The Kronecker product: each element of a tensor times all of another."""
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = ..., keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.kthvalue: """The `k`-th least element along a dimension, counted from 1, and its index."""
def l1_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ...) -> Tensor: """Absolute difference, ``abs(input - target)``: the formula of `torch.nn.L1Loss`."""
def laguerre_polynomial_l(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Laguerre's polynomials: ``x * x / 2 - 2 * x + 1`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`."""
@overload
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., bias: Tensor | None = ..., eps: builtins.float = ...) -> Tensor: """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`."""
@overload
def layer_norm(input: Tensor, *normalized_shape: builtins.int) -> Tensor: ...
def lcm(input: Tensor, other: Tensor) -> Tensor: """The least common multiple of ints."""
def lcm_(input: Tensor, other: Tensor) -> Tensor: """In-place `lcm`."""
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """``input * 2 ** other``."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor: """In-place `ldexp`."""
def ldl_factor(A: Tensor, *, hermitian: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_ldl_factor: """The LDL decomposition of symmetric matrices, packed, with the pivots of Bunch and Kaufman."""
def ldl_factor_ex(A: Tensor, *, hermitian: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_ldl_factor_ex: """The LDL decomposition of `linalg.ldl_factor`, and 0 for each matrix, or which block of the diagonal is zero."""
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B``, of an LDL decomposition of `A`."""
def le(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self <= other`` by element."""
def le_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `le`."""
@overload
def leaky_relu(input: Tensor, negative_slope: _Number = ...) -> Tensor: """x where positive, else ``x * negative_slope``."""
@overload
def leaky_relu(input: Tensor, negative_slope: _Number = ..., inplace: builtins.bool = ...) -> Tensor: ...
def leaky_relu_(input: Tensor, negative_slope: _Number = ...) -> Tensor: """In-place `leaky_relu`."""
def legendre_polynomial_p(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Legendre's polynomials: ``(3 * x * x - 1) / 2`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`."""
def lerp(input: Tensor, end: Tensor | _Number, weight: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """From `self` to `end` by `weight`."""
def lerp_(input: Tensor, end: Tensor | _Number, weight: Tensor | _Number) -> Tensor: """In-place `lerp`."""
def less(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self < other`` by element."""
def less_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `lt`."""
def less_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self <= other`` by element."""
def less_equal_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `le`."""
def lgamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Logarithm of the gamma function."""
def lgamma_(input: Tensor) -> Tensor: """In-place `lgamma`."""
@overload
def linear(input: Tensor, weight: Tensor, bias: None = ...) -> Tensor: """``input @ weight.t()``."""
@overload
def linear(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor: ...
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = ..., weight: Tensor | None = ..., reduction: builtins.str = ..., ignore_index: builtins.int | None = ..., label_smoothing: builtins.float = ..., options: None = ...) -> Tensor: """`cross_entropy` of the scores ``input @ linear_weight.T + linear_bias``."""
@overload
def linspace(start: _Number, end: _Number, steps: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """`steps` numbers from `start` to `end`, both included."""
@overload
def linspace(start: Tensor, end: Tensor, steps: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def linspace(start: Tensor, end: _Number, steps: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def linspace(start: _Number, end: Tensor, steps: builtins.int, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def local_response_norm(input: Tensor, size: builtins.int, alpha: builtins.float = ..., beta: builtins.float = ..., k: builtins.float = ...) -> Tensor: """Divided by a power of the mean square of neighbouring channels."""
def log(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Natural logarithm."""
def log10(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Logarithm to base 10."""
def log10_(input: Tensor) -> Tensor: """In-place `log10`."""
def log1p(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``log(1 + x)``, exact near 0."""
def log1p_(input: Tensor) -> Tensor: """In-place `log1p`."""
def log2(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Logarithm to base 2."""
def log2_(input: Tensor) -> Tensor: """In-place `log2`."""
def log_(input: Tensor) -> Tensor: """In-place `log`."""
def log_ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Its logarithm."""
def log_sigmoid(input: Tensor) -> Tensor: """``log(sigmoid(x))``."""
def log_sigmoid_(input: Tensor) -> Tensor: """In-place `log_sigmoid`."""
@overload
def log_softmax(input: Tensor, dim: builtins.int) -> Tensor: """Logarithm of the softmax."""
@overload
def log_softmax(input: Tensor, dim: builtins.int, dtype: _AnyDType) -> Tensor: ...
def logaddexp(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``log(exp(x) + exp(y))``."""
def logaddexp2(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``log2(2 ** x + 2 ** y)``."""
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` of each element and all before it along a dimension."""
def logdet(input: Tensor) -> Tensor: """Logarithms of determinants, NaN where they are negative."""
def logical_and(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Whether both are not zero."""
def logical_and_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `logical_and`."""
def logical_not(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Whether it is zero."""
def logical_not_(input: Tensor) -> Tensor: """In-place `logical_not`."""
def logical_or(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Whether one is not zero."""
def logical_or_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `logical_or`."""
def logical_xor(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Whether exactly one is not zero."""
def logical_xor_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `logical_xor`."""
def logit(input: Tensor, eps: builtins.float | None = ...) -> Tensor: """``log(x / (1 - x))``; `eps`: of what is clamped to ``[eps, 1 - eps]``."""
def logit_(input: Tensor, eps: builtins.float | None = ...) -> Tensor: """In-place `logit`."""
def logsigmoid(input: Tensor) -> Tensor: """``log(sigmoid(x))``."""
def logsigmoid_(input: Tensor) -> Tensor: """In-place `log_sigmoid`."""
@overload
def logspace(start: builtins.float, end: builtins.float, steps: builtins.int, base: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Powers of `base`, with `steps` exponents from `start` to `end`, both included."""
@overload
def logspace(start: Tensor, end: Tensor, steps: builtins.int, base: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def logspace(start: Tensor, end: _Number, steps: builtins.int, base: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def logspace(start: _Number, end: Tensor, steps: builtins.int, base: builtins.float = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` along dimensions."""
def lp_pool1d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool1d`."""
def lp_pool2d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool2d`."""
def lp_pool3d(input: Tensor, norm_type: _Number, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., ceil_mode: builtins.bool = ...) -> Tensor: """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool3d`."""
@overload
def lstm(input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: """Long short-term memory over sequences: the formulas of `torch.nn.LSTM`, a step of which is `lstm_cell`."""
@overload
def lstm(data: Tensor, batch_sizes: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(input: Tensor, hx: Sequence[Tensor], params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(data: Tensor, batch_sizes: Tensor, hx: Sequence[Tensor], params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(input: Tensor, hx: Any, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(data: Tensor, batch_sizes: Tensor, hx: Any, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ...) -> tuple[Tensor, Tensor]: """One step of long short-term memory: the formula of `torch.nn.LSTMCell`."""
def lstsq(A: Tensor, B: Tensor, rcond: builtins.float | None = ..., *, driver: builtins.str | None = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lstsq: """Least squares: the shortest ``X`` of those for which ``A @ X - B`` is shortest."""
def lt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self < other`` by element."""
def lt_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `lt`."""
@overload
def lu(A: Tensor, pivot: builtins.bool = ..., get_infos: builtins.bool = ...) -> tuple[Tensor, Tensor, Tensor]: """`linalg.lu_factor_ex`."""
@overload
def lu(A: Tensor, pivot: builtins.bool = ..., get_infos: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
def lu_factor(A: Tensor, *, pivot: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lu_factor: """The LU decomposition with partial pivoting, packed."""
def lu_factor_ex(A: Tensor, *, pivot: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lu_factor_ex: """The LU decomposition of `lu_factor`, and 0 for each matrix, or the diagonal element that is zero."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = b`` for the right hand sides `input`, of an LU decomposition: see `linalg.lu_solve`."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = ..., unpack_pivots: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.lu_unpack: """The matrices of an LU decomposition that `linalg.lu_factor` gives: ``A = P @ L @ U``."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``max(0, -target * (input1 - input2) + margin)``: the formula of `torch.nn.MarginRankingLoss`."""
def masked_fill(input: Tensor, mask: Tensor | _Number, value: Tensor | _Number) -> Tensor: """`value` where `mask` holds, else `self`."""
def masked_fill_(input: Tensor, mask: Tensor | _Number, value: Tensor | _Number) -> Tensor: """In-place `masked_fill`."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: """A copy with the elements where a mask is true replaced by those of `source`, from its first one on."""
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: """In-place `masked_scatter`."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = ...) -> Tensor: """The elements where a mask is true, in row-major order; both are broadcast."""
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """Product of matrices, vectors or batches of matrices, ``self @ other``."""
def matrix_exp(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Exponentials of square matrices."""
@overload
def matrix_norm(A: Tensor, ord: _Number, dim: Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norms of matrices."""
@overload
def matrix_norm(A: Tensor, ord: _Number, *dim: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_norm(A: Tensor, ord: builtins.str = ..., dim: Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_norm(A: Tensor, ord: builtins.str = ..., *dim: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def matrix_power(A: Tensor, n: builtins.int, *, out: Tensor | None = ...) -> Tensor: """Powers of square matrices; of their inverses for a negative exponent."""
@overload
def matrix_rank(A: Tensor, *, atol: builtins.float | None = ..., rtol: builtins.float | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """How many singular values are above a threshold: see `pinv`."""
@overload
def matrix_rank(A: Tensor, *, atol: Tensor | None = ..., rtol: Tensor | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_rank(A: Tensor, tol: builtins.float, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_rank(A: Tensor, tol: Tensor, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def max(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Greatest element."""
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: ...
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
def maximum(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The greater of two; NaN if one is."""
def maximum_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `maximum`."""
@overload
def mean(input: Tensor, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The mean of all elements."""
@overload
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor: """The median of all elements, the lower one of two. NaN if there is one, or nothing."""
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.median: ...
@overload
def meshgrid(tensors: Sequence[Tensor], *, indexing: builtins.str | None = ...) -> tuple[Tensor, ...]: """The coordinates of the points of a grid, of vectors along its dimensions."""
@overload
def meshgrid(tensors: Any, *, indexing: builtins.str | None = ...) -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Least element."""
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: ...
def minimum(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The lesser of two; NaN if one is."""
def minimum_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `minimum`."""
@overload
def mish(input: Tensor) -> Tensor: """``x * tanh(softplus(x))``."""
@overload
def mish(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def mish_(input: Tensor) -> Tensor: """In-place `mish`."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor: """Product of two matrices."""
def mode(input: Tensor, dim: builtins.int = ..., keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.mode: """The most frequent element along a dimension, the least one of several, and the index where it is last."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 0."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 1."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of the second kind of order 0; NaN below 0."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of the second kind of order 1; NaN below 0."""
@overload
def moveaxis(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor: """A view with one dimension at another place."""
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
@overload
def movedim(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor: """A view with one dimension at another place."""
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
def mse_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ...) -> Tensor: """Squared difference, ``(input - target) ** 2``: the formula of `torch.nn.MSELoss`."""
def msort(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The elements along the first dimension in order."""
def mul(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Product."""
def mul_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `mul`."""
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor: """The product of several matrices, in the order that takes the fewest multiplications."""
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: builtins.int, num_heads: builtins.int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: builtins.bool, dropout_p: builtins.float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: builtins.bool = ..., key_padding_mask: Tensor | None = ..., need_weights: builtins.bool = ..., attn_mask: Tensor | None = ..., use_separate_proj_weight: builtins.bool = ..., q_proj_weight: Tensor | None = ..., k_proj_weight: Tensor | None = ..., v_proj_weight: Tensor | None = ..., static_k: Tensor | None = ..., static_v: Tensor | None = ..., average_attn_weights: builtins.bool = ..., is_causal: builtins.bool = ...) -> tuple[Tensor, Any]: """Attention of several heads, each over its own projections: the formula of `torch.nn.MultiheadAttention`."""
def multi_margin_loss(input: Tensor, target: Tensor, p: builtins.int = ..., margin: builtins.float = ..., weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far scores of wrong classes come near to that of the right one: the formula of `torch.nn.MultiMarginLoss`."""
def multigammaln(input: Tensor, p: builtins.int) -> Tensor: """The logarithm of the multivariate gamma function of dimension `p`."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How far scores of wrong classes come near to those of the right ones, of which there may be several."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """`binary_cross_entropy_with_logits` of several labels, as their mean."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = ..., *, generator: Any = ..., out: Tensor | None = ...) -> Tensor: """Indices of the last dimension, drawn by weights."""
def multiply(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Product."""
def multiply_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `mul`."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = ...) -> Tensor: """Product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int) -> Tensor: """The logarithm of the multivariate gamma function of dimension `p`."""
def nan_to_num(input: Tensor, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor: """NaN and infinities as numbers: 0 and the greatest and least finite ones if left out."""
def nan_to_num_(input: Tensor, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor: """In-place `nan_to_num`."""
def nanmean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The mean of what is not NaN."""
@overload
def nanmedian(input: Tensor) -> Tensor: """The median of all elements that are not NaN, the lower one of two."""
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.nanmedian: ...
@overload
def nanquantile(input: Tensor, q: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: """Quantiles of what is not NaN: see `torch.quantile`."""
@overload
def nanquantile(input: Tensor, q: builtins.float, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: ...
def nansum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The sum of what is not NaN."""
@overload
def narrow(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor: """`length` indices from `start`."""
@overload
def narrow(input: Tensor, dim: builtins.int, start: Tensor, length: builtins.int) -> Tensor: ...
def narrow_copy(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int, *, out: Tensor | None = ...) -> Tensor: """`length` indices from `start` along a dimension, in a new tensor."""
@overload
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_var: Tensor, training: builtins.bool, momentum: builtins.float, eps: builtins.float) -> tuple[Tensor, Tensor, Tensor]: """`native_batch_norm` that moves the running statistics, as `batch_norm` does."""
@overload
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: builtins.bool, momentum: builtins.float, eps: builtins.float) -> tuple[Tensor, Tensor, Tensor]: ...
def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor: """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``."""
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: builtins.int, C: builtins.int, HxW: builtins.int, group: builtins.int, eps: builtins.float) -> tuple[Tensor, Tensor, Tensor]: """`group_norm`, and the mean and ``1 / sqrt(variance + eps)`` of each group."""
def native_layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None, bias: Tensor | None, eps: builtins.float) -> tuple[Tensor, Tensor, Tensor]: """`layer_norm`, and the mean and ``1 / sqrt(variance + eps)`` of each row."""
def ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The normal distribution."""
def ndtri(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Its inverse."""
def ne(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self != other`` by element."""
def ne_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `ne`."""
def neg(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``-self``."""
def neg_(input: Tensor) -> Tensor: """In-place `neg`."""
def negative(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``-self``."""
def negative_(input: Tensor) -> Tensor: """In-place `neg`."""
@overload
def new_empty(input: Tensor, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Any elements of the same dtype."""
@overload
def new_empty(input: Tensor, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def new_full(input: Tensor, size: Sequence[builtins.int], fill_value: _Number, *, dtype: _AnyDType | None = ...) -> Tensor: """One number, of the same dtype."""
@overload
def new_full(input: Tensor, size: Sequence[builtins.int], fill_value: builtins.complex, *, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def new_full(input: Tensor, size: Sequence[builtins.int], fill_value: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def new_ones(input: Tensor, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Ones of the same dtype."""
@overload
def new_ones(input: Tensor, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def new_zeros(input: Tensor, size: Sequence[builtins.int], *, dtype: _AnyDType | None = ...) -> Tensor: """Zeros of the same dtype."""
@overload
def new_zeros(input: Tensor, *size: builtins.int, dtype: _AnyDType | None = ...) -> Tensor: ...
def nextafter(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """The next float from one towards another."""
def nextafter_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `nextafter`."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """Minus the logarithm of the probability of the right class: the formula of `torch.nn.NLLLoss`."""
@overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool = ...) -> Tensor: """The indices of the elements that are not zero, in row-major order: a row for each."""
@overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool) -> tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = ...) -> Tensor: """The first `size` rows of `nonzero`, with rows of `fill_value` behind them where there are fewer."""
@overload
def norm(input: Tensor, p: _Number | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norm of the elements along dimensions, the Euclidean one by default: `torch.linalg.vector_norm` of order `p`."""
@overload
def norm(input: Tensor, p: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: Any = ..., out: Tensor | None = ...) -> Tensor: """A mean and a deviation for each."""
@overload
def normal(mean: Tensor, std: builtins.float = ..., *, generator: Any = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: Tensor, *, generator: Any = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, size: Sequence[builtins.int], *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, *size: builtins.int, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def normalize(input: Tensor, p: _Number = ..., dim: builtins.int | Sequence[builtins.int] = ..., eps: builtins.float = ...) -> Tensor: """Divided by the norm along dimensions, `eps` at least."""
def not_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self != other`` by element."""
def not_equal_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `ne`."""
def numel(input: Tensor) -> builtins.int: """The number of elements."""
def one_hot(input: Tensor, num_classes: builtins.int = ...) -> Tensor: """Ones at the places that a tensor of classes says, in a new last dimension."""
@overload
def ones(size: Sequence[builtins.int], *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Ones."""
@overload
def ones(*size: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def ones_like(input: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: """Ones in the shape of another tensor."""
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = ...) -> Tensor: """`linalg.householder_product`."""
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: builtins.bool = ..., transpose: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """A product with the square ``Q`` of reflectors, which is not made."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor: """Outer product of two vectors."""
@overload
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = ..., value: _Number | None = ...) -> Tensor: """Elements added at both ends of the last dimensions."""
@overload
def pad(input: Tensor, *pad: builtins.int) -> Tensor: ...
def pairwise_distance(x1: Tensor, x2: Tensor, p: _Number = ..., eps: builtins.float = ..., keepdim: builtins.bool = ...) -> Tensor: """Norm of the differences along the last dimension."""
def pca_lowrank(A: Tensor, q: builtins.int | None = ..., center: builtins.bool = ..., niter: builtins.int = ...) -> return_types.pca_lowrank: """Principal components, by `svd_lowrank`: the columns of ``V`` are directions, ``S * S / (M - 1)`` variances."""
def pdist(input: Tensor, p: builtins.float = ...) -> Tensor: """The distance of each row of a matrix from each one behind it."""
@overload
def permute(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: """The dimensions in another order."""
@overload
def permute(input: Tensor, *dims: builtins.int) -> Tensor: ...
@overload
def permute_copy(input: Tensor, dims: Sequence[builtins.int], *, out: Tensor | None = ...) -> Tensor: """A copy of what `permute` gives, in memory of its own."""
@overload
def permute_copy(input: Tensor, *dims: builtins.int, out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, *, atol: builtins.float | None = ..., rtol: builtins.float | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """The pseudo-inverses of Moore and Penrose."""
@overload
def pinv(A: Tensor, *, atol: Tensor | None = ..., rtol: Tensor | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, rcond: builtins.float, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, rcond: Tensor, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
def pinverse(input: Tensor, rcond: builtins.float = ...) -> Tensor: """`linalg.pinv` with a relative threshold."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor: """Channels made pixels: ``(*, C * r * r, H, W)`` becomes ``(*, C, H * r, W * r)``."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor: """Pixels made channels: ``(*, C, H * r, W * r)`` becomes ``(*, C * r * r, H, W)``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool = ..., full: builtins.bool = ..., size_average: builtins.bool | None = ..., eps: builtins.float = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """How unlikely counts are if they have a Poisson distribution: the formula of `torch.nn.PoissonNLLLoss`."""
def polar(abs: Tensor, angle: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Complex numbers of their absolute values and angles."""
def polygamma(n: builtins.int, input: Tensor) -> Tensor: """The derivative of order `n` of the digamma function."""
def positive(input: Tensor) -> Tensor: """``+self``."""
def pow(input: Tensor, exponent: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``self`` to the power `exponent`."""
def pow_(input: Tensor, exponent: Tensor | _Number) -> Tensor: """In-place `pow`."""
def prelu(input: Tensor, weight: Tensor) -> Tensor: """x where positive, else ``x * weight``: of each channel, which is the second dimension, or the same for all."""
@overload
def prod(input: Tensor, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The product of all elements."""
@overload
def prod(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def promote_types(type1: _AnyDType, type2: _AnyDType) -> _dtype: """The dtype that holds both."""
def psi(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Derivative of `lgamma`."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor: """A copy with `put_`."""
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor: """Elements written, or added, by their numbers in row-major order."""
def qr(input: Tensor, some: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.qr: """`linalg.qr`, reduced or complete."""
@overload
def quantile(input: Tensor, q: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: """Quantiles of all elements or along a dimension; NaN where there is one."""
@overload
def quantile(input: Tensor, q: builtins.float, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: builtins.str = ...) -> Tensor: ...
def rad2deg(input: Tensor) -> Tensor: """Radians as degrees."""
def rad2deg_(input: Tensor) -> Tensor: """In-place `rad2deg`."""
@overload
def rand(size: Sequence[builtins.int], *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Numbers from 0 to below 1, evenly spread."""
@overload
def rand(*size: builtins.int, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def rand_like(input: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: """`rand` in the shape of another tensor, and of its dtype."""
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Ints from 0 to below `high`."""
@overload
def randint(high: builtins.int, *size: builtins.int, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def randint_like(input: Tensor, high: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """`randint` in the shape of another tensor, and of its dtype."""
@overload
def randint_like(input: Tensor, low: builtins.int, high: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Numbers of the normal distribution with mean 0 and variance 1."""
@overload
def randn(*size: builtins.int, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def randn_like(input: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: """`randn` in the shape of another tensor, and of its dtype."""
def randperm(n: builtins.int, *, generator: Any = ..., dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The ints below `n`, in random order."""
def ravel(input: Tensor) -> Tensor: """One dimension, contiguous."""
def real(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The real parts, as a view; of a tensor that is not complex the tensor itself."""
def reciprocal(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / self``."""
def reciprocal_(input: Tensor) -> Tensor: """In-place `reciprocal`."""
def relu(input: Tensor) -> Tensor: """The positive part."""
@overload
def relu6(input: Tensor) -> Tensor: """Within [0, 6]."""
@overload
def relu6(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def relu6_(input: Tensor) -> Tensor: """In-place `relu6`."""
def relu_(input: Tensor) -> Tensor: """In-place `relu`."""
def remainder(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Remainder with the sign of `other`; an integer by zero raises RuntimeError."""
def remainder_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `remainder`."""
def renorm(input: Tensor, p: _Number, dim: builtins.int, maxnorm: _Number) -> Tensor: """The tensor with each part along a dimension scaled down to the norm `maxnorm` where that is less."""
@overload
def repeat_interleave(input: Tensor, repeats: builtins.int, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: """Each element, or each index of a dimension, several times in a row."""
@overload
def repeat_interleave(repeats: Tensor, *, output_size: builtins.int | None = ...) -> Tensor: ...
@overload
def repeat_interleave(input: Tensor, repeats: Tensor, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: ...
@overload
def reshape(input: Tensor, shape: Sequence[builtins.int]) -> Tensor: """Another shape; a view where the strides allow one, else a copy."""
@overload
def reshape(input: Tensor, *shape: builtins.int) -> Tensor: ...
def reshape_as(input: Tensor, other: Tensor) -> Tensor: """Reshaped to the shape of `other`."""
@overload
def resize_(input: Tensor, size: Sequence[builtins.int], *, memory_format: Any = ...) -> Tensor: """Nothing, for a tensor that has these sizes; others are refused, as a tensor keeps its sizes."""
@overload
def resize_(input: Tensor, *size: builtins.int, memory_format: Any = ...) -> Tensor: ...
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = ...) -> Tensor: """Nothing, for a tensor of the sizes of another one; others are refused; see `resize_`."""
def resolve_conj(input: Tensor) -> Tensor: """The tensor itself: none is conjugated lazily."""
def resolve_neg(input: Tensor) -> Tensor: """The tensor itself: none is negated lazily."""
@overload
def result_type(tensor1: Tensor, tensor2: Tensor) -> _dtype: """The dtype of what arithmetic on two tensors, or on a tensor and a number, gives."""
@overload
def result_type(tensor: Tensor, other: _Number) -> _dtype: ...
@overload
def result_type(scalar: _Number, tensor: Tensor) -> _dtype: ...
@overload
def result_type(scalar1: _Number, scalar2: _Number) -> _dtype: ...
def rfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of real numbers, of which the first ``n // 2 + 1`` results are given: the others are their conjugates."""
def rfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`rfftn` along two dimensions, the last ones if none are given."""
def rfftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `rfft`, in cycles per unit."""
def rfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` of real numbers, of which the first half along the last dimension is given."""
@overload
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., eps: builtins.float | None = ...) -> Tensor: """Divided by the root of the mean square over the last dimensions, then times `weight`."""
@overload
def rms_norm(input: Tensor, *normalized_shape: builtins.int) -> Tensor: ...
@overload
def rnn_relu(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: """`rnn_tanh` with `relu` in place of `tanh`."""
@overload
def rnn_relu(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_relu(input: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_relu(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ...) -> Tensor: """`rnn_tanh_cell` with `relu` in place of `tanh`."""
@overload
def rnn_tanh(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: """A plain network over sequences: the formula of `torch.nn.RNN`, a step of which is `rnn_tanh_cell`."""
@overload
def rnn_tanh(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_tanh(input: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_tanh(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Any, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ...) -> Tensor: """One step of a plain recurrent network, ``tanh(x @ w_ih.t() + b_ih + h @ w_hh.t() + b_hh)``."""
def roll(input: Tensor, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """The elements further along dimensions; those beyond the end come in at the beginning."""
@overload
def rot90(input: Tensor, k: builtins.int = ..., dims: Sequence[builtins.int] = ...) -> Tensor: """The plane of two dimensions turned by 90 degrees, from the first towards the second, in a new tensor."""
@overload
def rot90(input: Tensor, k: builtins.int = ..., *dims: builtins.int) -> Tensor: ...
@overload
def round(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded to the nearest integer, halves to even."""
@overload
def round(input: Tensor, *, decimals: builtins.int, out: Tensor | None = ...) -> Tensor: ...
@overload
def round_(input: Tensor) -> Tensor: """In-place `round`."""
@overload
def round_(input: Tensor, *, decimals: builtins.int) -> Tensor: ...
@overload
def row_stack(tensors: Sequence[Tensor]) -> Tensor: """Joined along the first dimension; vectors are rows."""
@overload
def row_stack(tensors: Any) -> Tensor: ...
def rrelu(input: Tensor, lower: builtins.float = ..., upper: builtins.float = ..., training: builtins.bool = ..., inplace: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """`leaky_relu` with a slope that is drawn for each element, or their mean if `training` is False."""
def rsqrt(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / sqrt(x)``."""
def rsqrt_(input: Tensor) -> Tensor: """In-place `rsqrt`."""
def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """Difference ``other - alpha * self``."""
def scalar_tensor(s: _Number, *, dtype: _AnyDType | None = ...) -> Tensor: """A tensor without dimensions, of float32 unless `dtype` says otherwise."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = ..., dropout_p: _Number = ..., is_causal: builtins.bool = ..., *, scale: _Number | None = ..., enable_gqa: builtins.bool = ...) -> Tensor: """Sums of values, weighted by how their keys go with the query."""
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) * modified_bessel_k0(x)``."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) * modified_bessel_k1(x)``."""
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy with the elements of `src` written along `dim` where `index` says: what `gather` reads."""
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: _Number, *, out: Tensor | None = ...) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str, out: Tensor | None = ...) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: _Number, *, reduce: builtins.str, out: Tensor | None = ...) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """In-place `scatter`."""
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, value: _Number) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, value: _Number, *, reduce: builtins.str) -> Tensor: ...
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy with the elements of `src` added along `dim` where `index` says."""
def scatter_add_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor: """In-place `scatter_add`."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """A copy with the elements of `src` combined along `dim` with those that `index` says."""
def scatter_reduce_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = ...) -> Tensor: """In-place `scatter_reduce`."""
def scatter_write(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, action: builtins.int) -> Tensor: """What scatters are made of."""
@overload
def searchsorted(sorted_sequence: Tensor, input: Tensor, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Tensor | None = ..., out: Tensor | None = ...) -> Tensor: """Where values would be put into sorted rows so that they stay sorted."""
@overload
def searchsorted(sorted_sequence: Tensor, input: _Number, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Tensor | None = ..., out: Tensor | None = ...) -> Tensor: ...
def segment_reduce(data: Tensor, reduce: builtins.str, *, lengths: Tensor | None = ..., indices: None = ..., offsets: Tensor | None = ..., axis: builtins.int = ..., unsafe: builtins.bool = ..., initial: _Number | None = ...) -> Tensor: """Sums, products, means, greatest or least elements of the segments that a dimension is divided into."""
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor: """One index of a dimension, which goes."""
def select_copy(input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = ...) -> Tensor: """A copy of what `select` gives, in memory of its own."""
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor: """A copy with one index of a dimension replaced."""
def selu(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Scaled `elu`."""
def selu_(input: Tensor) -> Tensor: """In-place `selu`."""
def sgn(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``x / abs(x)`` of complex numbers, 0 of 0; `sign` of others."""
def sgn_(input: Tensor) -> Tensor: """In-place `sgn`."""
def shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_t` at ``2 * x - 1``: orthogonal from 0 to 1."""
def shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_u` at ``2 * x - 1``."""
def shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_v` at ``2 * x - 1``."""
def shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_w` at ``2 * x - 1``."""
def sigmoid(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / (1 + exp(-x))``."""
def sigmoid_(input: Tensor) -> Tensor: """In-place `sigmoid`."""
def sign(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """-1, 0 or 1; of NaN 0."""
def sign_(input: Tensor) -> Tensor: """In-place `sign`."""
def signbit(input: Tensor) -> Tensor: """Whether the sign is set, of -0.0 too."""
@overload
def silu(input: Tensor) -> Tensor: """``x * sigmoid(x)``."""
@overload
def silu(input: Tensor, inplace: builtins.bool = ...) -> Tensor: ...
def silu_(input: Tensor) -> Tensor: """In-place `silu`."""
def sin(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Sine."""
def sin_(input: Tensor) -> Tensor: """In-place `sin`."""
def sinc(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``sin(pi * x) / (pi * x)``, 1 at 0."""
def sinc_(input: Tensor) -> Tensor: """In-place `sinc`."""
def sinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Hyperbolic sine."""
def sinh_(input: Tensor) -> Tensor: """In-place `sinh`."""
def slice(input: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor: """``x[start:end:step]`` along a dimension; bounds are clipped."""
def slice_copy(input: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """A copy of what `x[start:end:step]` gives, in memory of its own."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor: """A copy with a slice of a dimension replaced."""
def slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_slogdet: """Signs of determinants, and logarithms of their absolute values."""
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: builtins.str = ..., beta: builtins.float = ...) -> Tensor: """Squared difference where it is less than `beta`, absolute beyond."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``log(1 + exp(-target * input))``: the formula of `torch.nn.SoftMarginLoss`."""
@overload
def softmax(input: Tensor, dim: builtins.int) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1."""
@overload
def softmax(input: Tensor, dim: builtins.int, dtype: _AnyDType) -> Tensor: ...
def softmin(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ...) -> Tensor: """``softmax(-x)`` along a dimension: the formula of `torch.nn.Softmin`."""
def softplus(input: Tensor, beta: _Number = ..., threshold: _Number = ...) -> Tensor: """``log(1 + exp(beta * x)) / beta``, x beyond the threshold."""
def softplus_(input: Tensor, beta: _Number = ..., threshold: _Number = ...) -> Tensor: """In-place `softplus`."""
def softshrink(input: Tensor, lambd: _Number = ...) -> Tensor: """x outside of [-lambd, lambd] brought closer to 0 by that, else 0."""
def softsign(input: Tensor) -> Tensor: """``x / (1 + abs(x))``, element by element: the formula of `torch.nn.Softsign`."""
def solve(A: Tensor, B: Tensor, *, left: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B``."""
def solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_solve_ex: """Solutions as of `linalg.solve`, and 0 for each matrix, or the diagonal element that is zero."""
def solve_triangular(A: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = ..., unitriangular: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B`` for triangles `A`."""
@overload
def sort(input: Tensor, dim: builtins.int = ..., descending: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.sort: """The elements along a dimension in order, and their indices. It is stable; NaN counts as the greatest."""
@overload
def sort(input: Tensor, *, stable: builtins.bool | None, dim: builtins.int = ..., descending: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.sort: ...
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``sin(x) / x``, 1 at 0: the spherical Bessel function of order 0."""
@overload
def split(input: Tensor, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """Views of `split_size` indices each of a dimension, the last possibly of fewer."""
@overload
def split(input: Tensor, split_size: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def split(input: Tensor, *split_size: builtins.int) -> tuple[Tensor, ...]: ...
def split_copy(input: Tensor, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """A copy of what `split` gives, in memory of its own."""
@overload
def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: """Views of a dimension, of these sizes."""
@overload
def split_with_sizes(input: Tensor, *split_sizes: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: """A copy of what `split_with_sizes` gives, in memory of its own."""
@overload
def split_with_sizes_copy(input: Tensor, *split_sizes: builtins.int) -> tuple[Tensor, ...]: ...
def sqrt(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Square root."""
def sqrt_(input: Tensor) -> Tensor: """In-place `sqrt`."""
def square(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``self * self``."""
def square_(input: Tensor) -> Tensor: """In-place `square`."""
@overload
def squeeze(input: Tensor) -> Tensor: """Without the dimensions of size 1."""
@overload
def squeeze(input: Tensor, dim: builtins.int | Sequence[builtins.int]) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `squeeze` gives, in memory of its own."""
@overload
def squeeze_copy(input: Tensor, dim: builtins.int | Sequence[builtins.int], *, out: Tensor | None = ...) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Joined along a new dimension."""
@overload
def std(input: Tensor, unbiased: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Standard deviation of all elements."""
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def std_mean(input: Tensor, unbiased: builtins.bool = ...) -> tuple[Tensor, Tensor]: """Standard deviation and mean of all elements."""
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
def stft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = ..., win_length: builtins.int | None = ..., window: Tensor | None = ..., center: builtins.bool = ..., pad_mode: builtins.str = ..., normalized: builtins.bool = ..., onesided: builtins.bool | None = ..., return_complex: builtins.bool | None = ...) -> Tensor: """The short-time Fourier transform: transforms of pieces of a signal, each multiplied with a window."""
def storage_offset(input: Tensor) -> builtins.int: """Where the first element lies in the storage, in elements."""
def sub(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """Difference ``self - alpha * other``."""
def sub_(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `sub`."""
def subtract(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ..., out: Tensor | None = ...) -> Tensor: """Difference ``self - alpha * other``."""
def subtract_(input: Tensor, other: Tensor | _Number, *, alpha: _Number = ...) -> Tensor: """In-place `sub`."""
@overload
def sum(input: Tensor, *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """The sum of all elements."""
@overload
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def svd(input: Tensor, some: builtins.bool = ..., compute_uv: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.svd: """Singular value decompositions, with ``V`` instead of its adjoint."""
def svd_lowrank(A: Tensor, q: builtins.int = ..., niter: builtins.int = ..., M: Tensor | None = ...) -> return_types.svd_lowrank: """The largest singular values and their vectors, by random projections: ``A`` is near ``U @ diag(S) @ V.mH``."""
def svdvals(A: Tensor, *, driver: builtins.str | None = ..., out: Tensor | None = ...) -> Tensor: """Singular values, descending."""
def swapaxes(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
def t(input: Tensor) -> Tensor: """The transposed matrix; a vector is left as it is."""
def t_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `t` gives, in memory of its own."""
def take(input: Tensor, index: Tensor, *, out: Tensor | None = ...) -> Tensor: """Elements by their numbers in row-major order."""
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = ..., *, out: Tensor | None = ...) -> Tensor: """What `gather` gives, with both tensors broadcast in the other dimensions; of all elements without `dim`."""
def tan(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Tangent."""
def tan_(input: Tensor) -> Tensor: """In-place `tan`."""
def tanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Hyperbolic tangent."""
def tanh_(input: Tensor) -> Tensor: """In-place `tanh`."""
def tanhshrink(input: Tensor) -> Tensor: """``x - tanh(x)``, element by element: the formula of `torch.nn.Tanhshrink`."""
@overload
def tensor_split(input: Tensor, sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """So many views of a dimension, the first ones longer by one where it cannot be divided."""
@overload
def tensor_split(input: Tensor, indices: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, tensor_indices_or_sections: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def tensordot(a: Tensor, b: Tensor, dims: builtins.int = ...) -> Tensor: """Sums of products over the last dimensions of one tensor and the first of another."""
@overload
def tensordot(a: Tensor, b: Tensor, dims: Any) -> Tensor: ...
def tensorinv(A: Tensor, ind: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """The inverse of a tensor as a map between tensors."""
@overload
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[builtins.int] | None = ..., *, out: Tensor | None = ...) -> Tensor: """The tensor ``X`` whose products with `A`, summed over its dimensions, are `B`."""
@overload
def tensorsolve(A: Tensor, B: Tensor, *dims: builtins.int, out: Tensor | None = ...) -> Tensor: ...
def threshold(input: Tensor, threshold: _Number, value: _Number) -> Tensor: """x above the threshold, else `value`."""
def threshold_(input: Tensor, threshold: _Number, value: _Number) -> Tensor: """In-place `threshold`."""
@overload
def tile(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: """The whole tensor several times along its last dimensions, or along further ones in front."""
@overload
def tile(input: Tensor, *dims: builtins.int) -> Tensor: ...
def topk(input: Tensor, k: builtins.int, dim: builtins.int = ..., largest: builtins.bool = ..., sorted: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.topk: """The `k` greatest or least elements along a dimension, and their indices."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor: """Two dimensions exchanged."""
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = ...) -> Tensor: """A copy of what `transpose` gives, in memory of its own."""
@overload
def trapezoid(input: Tensor, *, dx: _Number = ..., dim: builtins.int = ...) -> Tensor: """The integral along a dimension by the trapezoidal rule."""
@overload
def trapezoid(input: Tensor, x: Tensor, *, dim: builtins.int = ...) -> Tensor: ...
@overload
def trapz(input: Tensor, *, dx: _Number = ..., dim: builtins.int = ...) -> Tensor: """The integral along a dimension by the trapezoidal rule."""
@overload
def trapz(input: Tensor, x: Tensor, *, dim: builtins.int = ...) -> Tensor: ...
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = ..., transpose: builtins.bool = ..., unitriangular: builtins.bool = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.triangular_solve: """`solve_triangular` with the right hand side first; and a copy of `A`."""
def tril(input: Tensor, diagonal: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Matrices with zeros right of a diagonal."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """Rows and columns of the elements on and below a diagonal."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = ..., p: builtins.float = ..., eps: builtins.float = ..., swap: builtins.bool = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: builtins.str = ...) -> Tensor: """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` of distances."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = ..., margin: builtins.float = ..., swap: builtins.bool = ..., reduction: builtins.str = ...) -> Tensor: """`triplet_margin_loss` with a distance of one's own."""
def triu(input: Tensor, diagonal: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """Matrices with zeros left of a diagonal; see `tril`."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """Rows and columns of the elements on and above a diagonal."""
def true_divide(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ..., out: Tensor | None = ...) -> Tensor: """True quotient; of integers a float."""
@overload
def true_divide_(input: Tensor, other: Tensor | _Number, *, rounding_mode: None = ...) -> Tensor: """In-place `div`."""
@overload
def true_divide_(input: Tensor, other: Tensor | _Number, *, rounding_mode: builtins.str) -> Tensor: ...
def true_positions(mask: Tensor) -> Tensor: """The indices of the true elements of a bool tensor."""
def trunc(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded towards zero."""
def trunc_(input: Tensor) -> Tensor: """In-place `trunc`."""
def trunc_divide(input: Tensor, other: Tensor | _Number) -> Tensor: """Quotient rounded towards zero."""
def trunc_divide_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `trunc_divide`."""
def type_as(input: Tensor, other: Tensor | _Number) -> Tensor: """Converted to the dtype of `other`."""
def unbind(input: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: """A view for each index of a dimension, which goes away."""
def unbind_copy(input: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: """A copy of what `unbind` gives, in memory of its own."""
@overload
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor: """One dimension split into several."""
@overload
def unflatten(input: Tensor, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
def unfold(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., stride: builtins.int | Sequence[builtins.int] = ...) -> Tensor: """Windows of an image as columns, `torch.nn.functional.unfold`."""
def unfold_copy(input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor | None = ...) -> Tensor: """A copy of what `unfold` gives, in memory of its own."""
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> Tensor: """The different elements, in order."""
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor]: ...
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> Tensor: ...
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor]: ...
@overload
def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> Tensor: """The elements without those that are equal to the one before."""
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: None = ...) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> Tensor: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., *, dim: builtins.int) -> tuple[Tensor, Tensor, Tensor]: ...
def unravel_index(indices: Tensor, shape: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]: """Numbers of elements in row-major order as an index for each dimension."""
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `chunk`."""
def unsafe_split(input: Tensor, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `split`."""
@overload
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: """The same as `split_with_sizes`."""
@overload
def unsafe_split_with_sizes(input: Tensor, *split_sizes: builtins.int) -> tuple[Tensor, ...]: ...
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor: """With a dimension of size 1 inserted."""
def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = ...) -> Tensor: """A copy of what `unsqueeze` gives, in memory of its own."""
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
def vander(x: Tensor, N: builtins.int | None = ..., increasing: builtins.bool = ...) -> Tensor: """The powers of the elements of a vector, a row for each: a Vandermonde matrix."""
@overload
def var(input: Tensor, unbiased: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Variance of all elements, divided by n - 1 if unbiased."""
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def var_mean(input: Tensor, unbiased: builtins.bool = ...) -> tuple[Tensor, Tensor]: """Variance and mean of all elements."""
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, Tensor]: ...
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The sum of products of the conjugates of one vector and another."""
def vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = ..., out: Tensor | None = ...) -> Tensor: """Sums of products along a dimension, the first of which are conjugated."""
def vector_norm(input: Tensor, ord: _Number = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norm of the elements along dimensions: the sum of ``abs(x) ** ord`` to the power ``1 / ord``."""
@overload
def view(input: Tensor, size: Sequence[builtins.int]) -> Tensor: """The same elements in another shape; -1 is inferred."""
@overload
def view(input: Tensor, *size: builtins.int) -> Tensor: ...
@overload
def view(input: Tensor, dtype: _AnyDType) -> Tensor: ...
def view_as(input: Tensor, other: Tensor) -> Tensor: """A view in the shape of `other`."""
def view_as_complex(input: Tensor) -> Tensor: """Pairs along the last dimension as complex numbers, as a view."""
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `view_as_complex` gives, in memory of its own."""
def view_as_real(input: Tensor) -> Tensor: """The real and the imaginary parts along a further dimension, as a view."""
def view_as_real_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """A copy of what `view_as_real` gives, in memory of its own."""
@overload
def view_copy(input: Tensor, size: Sequence[builtins.int], *, out: Tensor | None = ...) -> Tensor: """A copy of what `view` gives, in memory of its own."""
@overload
def view_copy(input: Tensor, *size: builtins.int, out: Tensor | None = ...) -> Tensor: ...
@overload
def vsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]: """Parts of the first dimension, of one size."""
@overload
def vsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def vsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def vstack(tensors: Sequence[Tensor]) -> Tensor: """Joined along the first dimension; vectors are rows."""
@overload
def vstack(tensors: Any) -> Tensor: ...
@overload
def where(condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`self` where `condition` holds, else `other`."""
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
def xlog1py(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``x * log(1 + y)``, 0 where x is."""
def xlogy(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``x * log(y)``, 0 where x is."""
def xlogy_(input: Tensor, other: Tensor | _Number) -> Tensor: """In-place `xlogy`."""
def zero_(input: Tensor) -> Tensor: """Overwrite every element with zero."""
@overload
def zeros(size: Sequence[builtins.int], *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Zeros."""
@overload
def zeros(*size: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def zeros_like(input: Tensor, *, dtype: _AnyDType | None = ...) -> Tensor: """Zeros in the shape of another tensor."""
def zeta(input: Tensor, other: Tensor) -> Tensor: """Hurwitz' zeta function: the sum of ``(k + other) ** -x`` over k from 0, by the formula of Euler and Maclaurin."""
