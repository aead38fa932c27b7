"""tscript compiles a typed subset of Python over tensors and scalars to native code.

`script` turns a function into a compiled one; `save` and `load` put functions into archives and bring them back;
`Tensor` and the operators have PyTorch's names and meaning, eagerly and inside scripts. Everything is imported at first
use, so ``import tscript`` is cheap.

Example:
    >>> import tscript
    >>> @tscript.script
    ... def gauss(n: int) -> int:
    ...     total = 0
    ...     for i in range(n + 1):
    ...         total += i
    ...     return total
    >>> gauss(100)
    5050
"""

from __future__ import annotations

import importlib
import os
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import TYPE_CHECKING, Any

from tscript import started as started
from tscript._version import __version__
from tscript.sparing import SPARING as _SPARING
from tscript.upper import Modules as _Modules

if TYPE_CHECKING:
    from tscript import autograd as autograd
    from tscript import compiler as compiler
    from tscript import data, fft, library, linalg, masked, nn, profiler, return_types, signal, special
    from tscript import overrides as overrides
    from tscript.api import ScriptFunction, load, save, script
    from tscript.api import vectorize as vectorize
    from tscript.archive import (
        ArchiveError,
        ExportHookWarning,
        ExtraFileError,
        MissingOperatorError,
        set_export_extra_files_hook,
    )
    from tscript.as_torch import install_as_torch
    from tscript.diagnostics import CompileError, InternalError
    from tscript.diagnostics.installation import CompilerNotInstalledError
    from tscript.library import get_include
    from tscript.marks import Size as Size
    from tscript.marks import annotate, export, ignore, is_scripting, prange, unused
    from tscript.nn.scripting.freezing import FrozenModuleError, freeze, optimize_for_inference
    from tscript.nn.scripting.script_module import ScriptModule
    from tscript.nn.tracing.errors import TracerWarning, TracingCheckError, TracingError
    from tscript.nn.tracing.tracing import trace as trace
    from tscript.nn.tracing.tracing import trace_module
    from tscript.operators.python.wrapping import wrapping_add, wrapping_mul, wrapping_shl, wrapping_sub
    from tscript.runtime.public.debug_info import DebugInfoGuard, capture_debug_info, debug_info, restore_debug_info
    from tscript.runtime.public.default_dtype import set_default_dtype
    from tscript.runtime.public.disabling import disabled
    from tscript.runtime.public.generators import (
        default_generator,
        get_rng_state,
        initial_seed,
        manual_seed,
        seed,
        set_rng_state,
    )
    from tscript.runtime.public.memory import empty_cache, get_allocator, memory_stats, set_allocator
    from tscript.runtime.public.printing import get_printoptions, printoptions, set_printoptions
    from tscript.runtime.public.record import (
        CallbackError,
        CallbackHandle,
        Record,
        RecordFunctionGuard,
        RecordScope,
        add_global_callback,
        add_native_callback,
        add_thread_local_callback,
        enable_record_function,
        is_record_function_enabled,
        record_function,
    )
    from tscript.runtime.public.statistics import enable_operator_stats, operator_stats, reset_operator_stats
    from tscript.runtime.public.tasks import fork, wait
    from tscript.runtime.public.threads import (
        get_num_interop_threads,
        get_num_threads,
        set_num_interop_threads,
        set_num_threads,
    )
    from tscript.runtime.session.allocators import Allocator
    from tscript.runtime.session.process import Generator, Tensor, from_dlpack, from_numpy, tensor
    from tscript.runtime.session.statistics import OperatorStats
    from tscript.runtime.session.usage import (
        api_usage,
        log_api_usage_metadata,
        log_api_usage_once,
        set_api_usage_handler,
        set_api_usage_metadata_handler,
    )
    from tscript.runtime.values.futures import Future
    from tscript.travel import FunctionPicklingError, FunctionUnpicklingError, PickleVersionError
    from tscript.types import DType as dtype  # noqa: N813 - PyTorch's name
    from tscript.types.dtypes import (
        bfloat16,
        bool_,
        complex64,
        complex128,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
    )

    bool = bool_
    float = float32
    double = float64
    half = float16
    int = int32
    long = int64
    short = int16
    cfloat = complex64
    cdouble = complex128

_DTYPES: dict[str, str] = {
    **{
        name: name
        for name in (
            *("bool_", "bfloat16", "float16", "float32", "float64", "int8", "int16", "int32", "int64"),
            *("uint8", "uint16", "uint32", "uint64", "complex64", "complex128"),
        )
    },
    "bool": "bool_",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
"""PyTorch's names of dtypes, to those of `tscript.types.dtypes`."""

_LAZY: dict[str, str] = {
    "script": "tscript.api",
    "vectorize": "tscript.api",
    "ScriptFunction": "tscript.api",
    "ScriptModule": "tscript.nn.scripting.script_module",
    "save": "tscript.api",
    "load": "tscript.api",
    "ArchiveError": "tscript.archive",
    "ExportHookWarning": "tscript.archive",
    "ExtraFileError": "tscript.archive",
    "set_export_extra_files_hook": "tscript.archive",
    "install_as_torch": "tscript.as_torch",
    "CompileError": "tscript.diagnostics",
    "CompilerNotInstalledError": "tscript.diagnostics.installation",
    "InternalError": "tscript.diagnostics",
    "FunctionPicklingError": "tscript.travel",
    "FunctionUnpicklingError": "tscript.travel",
    "PickleVersionError": "tscript.travel",
    "Tensor": "tscript.runtime.session.process",
    "as_tensor": "tscript.runtime.session.process",
    "asarray": "tscript.runtime.session.process",
    "is_tensor": "tscript.runtime.session.process",
    "finfo": "tscript.runtime.session.process",
    "iinfo": "tscript.runtime.session.process",
    "tensor": "tscript.runtime.session.process",
    "from_numpy": "tscript.runtime.session.process",
    "from_dlpack": "tscript.runtime.session.process",
    "CallbackError": "tscript.runtime.public.record",
    "CallbackHandle": "tscript.runtime.public.record",
    "Record": "tscript.runtime.public.record",
    "RecordFunctionGuard": "tscript.runtime.public.record",
    "RecordScope": "tscript.runtime.public.record",
    "add_global_callback": "tscript.runtime.public.record",
    "add_native_callback": "tscript.runtime.public.record",
    "add_thread_local_callback": "tscript.runtime.public.record",
    "enable_record_function": "tscript.runtime.public.record",
    "is_record_function_enabled": "tscript.runtime.public.record",
    "record_function": "tscript.runtime.public.record",
    "OperatorStats": "tscript.runtime.session.statistics",
    "enable_operator_stats": "tscript.runtime.public.statistics",
    "operator_stats": "tscript.runtime.public.statistics",
    "reset_operator_stats": "tscript.runtime.public.statistics",
    "set_num_threads": "tscript.runtime.public.threads",
    "set_printoptions": "tscript.runtime.public.printing",
    "set_default_dtype": "tscript.runtime.public.default_dtype",
    "get_printoptions": "tscript.runtime.public.printing",
    "printoptions": "tscript.runtime.public.printing",
    "empty_cache": "tscript.runtime.public.memory",
    "set_num_interop_threads": "tscript.runtime.public.threads",
    "get_num_interop_threads": "tscript.runtime.public.threads",
    "DebugInfoGuard": "tscript.runtime.public.debug_info",
    "debug_info": "tscript.runtime.public.debug_info",
    "capture_debug_info": "tscript.runtime.public.debug_info",
    "restore_debug_info": "tscript.runtime.public.debug_info",
    "Future": "tscript.runtime.values.futures",
    "disabled": "tscript.runtime.public.disabling",
    "fork": "tscript.runtime.public.tasks",
    "freeze": "tscript.nn.scripting.freezing",
    "trace": "tscript.nn.tracing.tracing",
    "trace_module": "tscript.nn.tracing.tracing",
    "TracerWarning": "tscript.nn.tracing.errors",
    "TracingCheckError": "tscript.nn.tracing.errors",
    "TracingError": "tscript.nn.tracing.errors",
    "FrozenModuleError": "tscript.nn.scripting.freezing",
    "optimize_for_inference": "tscript.nn.scripting.freezing",
    "wait": "tscript.runtime.public.tasks",
    "get_num_threads": "tscript.runtime.public.threads",
    "get_include": "tscript.library",
    "annotate": "tscript.marks",
    "export": "tscript.marks",
    "ignore": "tscript.marks",
    "is_scripting": "tscript.marks",
    "prange": "tscript.marks",
    "autocast": "tscript.marks",
    "enable_grad": "tscript.marks",
    "inference_mode": "tscript.marks",
    "is_autocast_enabled": "tscript.marks",
    "is_grad_enabled": "tscript.marks",
    "is_inference_mode_enabled": "tscript.marks",
    "no_grad": "tscript.marks",
    "set_grad_enabled": "tscript.marks",
    "_assert": "tscript.marks",
    "_check": "tscript.marks",
    "unused": "tscript.marks",
    "Size": "tscript.marks",
    "Allocator": "tscript.runtime.session.allocators",
    "get_allocator": "tscript.runtime.public.memory",
    "memory_stats": "tscript.runtime.public.memory",
    "Generator": "tscript.runtime.session.process",
    "default_generator": "tscript.runtime.public.generators",
    "manual_seed": "tscript.runtime.public.generators",
    "seed": "tscript.runtime.public.generators",
    "initial_seed": "tscript.runtime.public.generators",
    "get_rng_state": "tscript.runtime.public.generators",
    "set_rng_state": "tscript.runtime.public.generators",
    "set_allocator": "tscript.runtime.public.memory",
    "MissingOperatorError": "tscript.archive",
    "api_usage": "tscript.runtime.session.usage",
    "log_api_usage_once": "tscript.runtime.session.usage",
    "log_api_usage_metadata": "tscript.runtime.session.usage",
    "set_api_usage_handler": "tscript.runtime.session.usage",
    "set_api_usage_metadata_handler": "tscript.runtime.session.usage",
    "wrapping_add": "tscript.operators.python.wrapping",
    "wrapping_mul": "tscript.operators.python.wrapping",
    "wrapping_shl": "tscript.operators.python.wrapping",
    "wrapping_sub": "tscript.operators.python.wrapping",
}
"""Public name to the module that defines it."""

newaxis = None

_OPTIONS = frozenset({
    "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "contiguous_format",
    "preserve_format", "channels_last", "channels_last_3d",
})  # fmt: skip
"""Layouts and memory formats."""

_MODULES: dict[str, str] = {
    "array_api": "tscript.array_api",
    "autograd": "tscript.autograd",
    "compiler": "tscript.compiler",
    "data": "tscript.data",
    "fft": "tscript.fft",
    "jit": "tscript.jit",
    "library": "tscript.library",
    "linalg": "tscript.linalg",
    "masked": "tscript.masked",
    "nn": "tscript.nn",
    "ops": "tscript.ops",
    "overrides": "tscript.overrides",
    "profiler": "tscript.profiler",
    "return_types": "tscript.return_types",
    "signal": "tscript.signal",
    "special": "tscript.special",
}
"""Public modules."""

_INSIDE = frozenset({
    "_version",
    "abi", "api", "archive", "array_api", "arrays", "as_torch", "autograd", "backend", "catalogue", "checking", "cli",
    "compiler", "data", "definitions",
    "diagnostics", "dialect", "digests", "explaining", "fft", "frontend", "integrations", "ir", "jit", "late",
    "library", "linalg", "marks", "masked", "nn", "once", "operators", "ops", "overrides", "parsing", "passes",
    "pipeline", "profiler", "return_types", "room", "runtime", "signal", "sparing", "special", "started", "travel",
    "types", "upper",
})  # fmt: skip
"""All modules and packages: none of these names is an operator."""


def __getattr__(name: str) -> Any:
    if name == "ops":  # its attributes are the operators of this process
        importlib.import_module("tscript.runtime.session.process").current()
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _LAZY:
        with _SPARING:
            value = getattr(importlib.import_module(_LAZY[name]), name)
        if name in ("fork", "wait"):  # whose errors end at the line that calls them
            value = importlib.import_module("tscript.runtime.public.functions").public(value)
    elif name in _DTYPES:
        value = getattr(importlib.import_module("tscript.types.dtypes"), _DTYPES[name])
    elif name in ("device", "layout", "memory_format"):
        options = importlib.import_module("tscript.types.options")
        value = {"device": options.Device, "layout": options.Layout, "memory_format": options.MemoryFormat}[name]
    elif name in _OPTIONS:
        value = importlib.import_module("tscript.types.options").BY_NAME[name]
    elif name == "dtype":
        value = importlib.import_module("tscript.types").DType
    elif name.startswith("__") or name in _INSIDE:
        # a module, which `from tscript import name` then imports
        raise AttributeError(f"module 'tscript' has no attribute {name!r}")
    else:
        from tscript.runtime.session.process import current

        found = current().eager.function(name)
        if found is None:
            raise AttributeError(f"module 'tscript' has no attribute {name!r}")
        value = found
    globals()[name] = value
    return value


def _script_module(module: Any) -> Any:
    """What `script` makes of a module."""
    return importlib.import_module(f"{_MODULES['nn']}.scripting").script_module(module)


def _import_module(path: Any, extra_files: Any) -> Any:
    """What `load` makes of an archive of TorchScript."""
    return importlib.import_module(f"{_MODULES['nn']}.torchscript").load_file(path, extra_files)


def _archived_module(module: Any, **options: Any) -> Any:
    """The archive that `save` writes of a module."""
    return importlib.import_module(f"{_MODULES['nn']}.scripting.saving").archived(module, **options)


def _archived_functions(functions: Any, **options: Any) -> Any:
    """The archive that `save` writes of functions that name modules."""
    saving = importlib.import_module(f"{_MODULES['nn']}.scripting.saving_functions")
    return saving.functions_archived(functions, **options)


def _loaded_module(archive: Any, **options: Any) -> Any:
    """What `load` makes of an archive of a module."""
    return importlib.import_module(f"{_MODULES['nn']}.scripting.loading").loaded(archive, **options)


def _reported_module(path: str) -> Any:
    """Which operators an archive of TorchScript uses."""
    return importlib.import_module(f"{_MODULES['nn']}.torchscript").report_file(path)


_Modules.scripted, _Modules.archived, _Modules.loaded = _script_module, _archived_module, _loaded_module
_Modules.functions_archived = _archived_functions
_Modules.imported, _Modules.reported = _import_module, _reported_module


def __dir__() -> list[str]:
    from tscript.runtime.session.process import current

    named = {*_DTYPES, *_OPTIONS, "dtype", "device", "layout", "memory_format"}
    return sorted({*globals(), *_LAZY, *_MODULES, *named, *current().eager.names.functions})


if os.environ.get("TSCRIPT_API_USAGE_STDERR") == "1":
    importlib.import_module(
        "tscript.runtime.session.usage"
    )  # prints the first event; otherwise it waits until it is needed

__all__ = [
    "Allocator",
    "ArchiveError",
    "CallbackError",
    "CallbackHandle",
    "CompileError",
    "CompilerNotInstalledError",
    "DebugInfoGuard",
    "ExportHookWarning",
    "ExtraFileError",
    "FrozenModuleError",
    "FunctionPicklingError",
    "FunctionUnpicklingError",
    "Future",
    "Generator",
    "InternalError",
    "MissingOperatorError",
    "OperatorStats",
    "PickleVersionError",
    "Record",
    "RecordFunctionGuard",
    "RecordScope",
    "ScriptFunction",
    "ScriptModule",
    "Tensor",
    "TracerWarning",
    "TracingCheckError",
    "TracingError",
    "__version__",
    "add_global_callback",
    "add_native_callback",
    "add_thread_local_callback",
    "annotate",
    "api_usage",
    "bfloat16",
    "bool",
    "bool_",
    "capture_debug_info",
    "data",
    "debug_info",
    "default_generator",
    "disabled",
    "double",
    "dtype",
    "empty_cache",
    "enable_operator_stats",
    "enable_record_function",
    "export",
    "fft",
    "float",
    "float16",
    "float32",
    "float64",
    "fork",
    "freeze",
    "from_dlpack",
    "from_numpy",
    "get_allocator",
    "get_include",
    "get_num_interop_threads",
    "get_num_threads",
    "get_printoptions",
    "get_rng_state",
    "half",
    "ignore",
    "initial_seed",
    "install_as_torch",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_record_function_enabled",
    "is_scripting",
    "library",
    "linalg",
    "load",
    "log_api_usage_metadata",
    "log_api_usage_once",
    "long",
    "manual_seed",
    "masked",
    "memory_stats",
    "nn",
    "operator_stats",
    "optimize_for_inference",
    "prange",
    "printoptions",
    "profiler",
    "record_function",
    "reset_operator_stats",
    "restore_debug_info",
    "return_types",
    "save",
    "script",
    "seed",
    "set_allocator",
    "set_api_usage_handler",
    "set_api_usage_metadata_handler",
    "set_default_dtype",
    "set_export_extra_files_hook",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "short",
    "signal",
    "special",
    "tensor",
    "trace",
    "trace_module",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unused",
    "wait",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_shl",
    "wrapping_sub",
]
