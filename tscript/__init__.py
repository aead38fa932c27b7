"""tscript compiles a typed subset of Python over tensors and scalars to native code.

`script` turns a function into a compiled one; `save` and `load` put functions into archives and bring them back; `Tensor`
and the operators have PyTorch's names and meaning, eagerly and inside scripts. Everything is imported at first use, so
``import tscript`` is cheap.

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
from typing import TYPE_CHECKING, Any

from tscript._version import __version__

if TYPE_CHECKING:
    from tscript import data, library, profiler
    from tscript.api import ScriptFunction, load, save, script
    from tscript.archive import (
        ArchiveError,
        ExportHookWarning,
        ExtraFileError,
        MissingOperatorError,
        set_export_extra_files_hook,
    )
    from tscript.diagnostics import CompileError, InternalError
    from tscript.library import get_include
    from tscript.marks import annotate, export, ignore, is_scripting, unused
    from tscript.ops.wrapping import wrapping_add, wrapping_mul, wrapping_shl, wrapping_sub
    from tscript.runtime.allocators import Allocator, get_allocator, memory_stats, set_allocator
    from tscript.runtime.debug_info import DebugInfoGuard, capture_debug_info, debug_info, restore_debug_info
    from tscript.runtime.futures import Future, fork, wait
    from tscript.runtime.record import (
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
    from tscript.runtime.statistics import OperatorStats, enable_operator_stats, operator_stats, reset_operator_stats
    from tscript.runtime.tensor import Tensor, from_dlpack, from_numpy, tensor
    from tscript.runtime.threads import (
        get_num_interop_threads,
        get_num_threads,
        set_num_interop_threads,
        set_num_threads,
    )
    from tscript.runtime.usage import (
        api_usage,
        log_api_usage_metadata,
        log_api_usage_once,
        set_api_usage_handler,
        set_api_usage_metadata_handler,
    )
    from tscript.types import DType as dtype  # noqa: N813 - PyTorch's name
    from tscript.types.dtypes import bool_, float32, float64, int8, int16, int32, int64, uint8

    bool = bool_
    float = float32
    double = float64
    int = int32
    long = int64
    short = int16

_DTYPES: dict[str, str] = {
    **{name: name for name in ("bool_", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")},
    "bool": "bool_",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}
"""PyTorch's names of dtypes, to those of `tscript.types.dtypes`."""

_LAZY: dict[str, str] = {
    "script": "tscript.api",
    "ScriptFunction": "tscript.api",
    "save": "tscript.api",
    "load": "tscript.api",
    "ArchiveError": "tscript.archive",
    "ExportHookWarning": "tscript.archive",
    "ExtraFileError": "tscript.archive",
    "set_export_extra_files_hook": "tscript.archive",
    "CompileError": "tscript.diagnostics",
    "InternalError": "tscript.diagnostics",
    "Tensor": "tscript.runtime.tensor",
    "tensor": "tscript.runtime.tensor",
    "from_numpy": "tscript.runtime.tensor",
    "from_dlpack": "tscript.runtime.tensor",
    "CallbackError": "tscript.runtime.record",
    "CallbackHandle": "tscript.runtime.record",
    "Record": "tscript.runtime.record",
    "RecordFunctionGuard": "tscript.runtime.record",
    "RecordScope": "tscript.runtime.record",
    "add_global_callback": "tscript.runtime.record",
    "add_native_callback": "tscript.runtime.record",
    "add_thread_local_callback": "tscript.runtime.record",
    "enable_record_function": "tscript.runtime.record",
    "is_record_function_enabled": "tscript.runtime.record",
    "record_function": "tscript.runtime.record",
    "OperatorStats": "tscript.runtime.statistics",
    "enable_operator_stats": "tscript.runtime.statistics",
    "operator_stats": "tscript.runtime.statistics",
    "reset_operator_stats": "tscript.runtime.statistics",
    "set_num_threads": "tscript.runtime.threads",
    "set_num_interop_threads": "tscript.runtime.threads",
    "get_num_interop_threads": "tscript.runtime.threads",
    "DebugInfoGuard": "tscript.runtime.debug_info",
    "debug_info": "tscript.runtime.debug_info",
    "capture_debug_info": "tscript.runtime.debug_info",
    "restore_debug_info": "tscript.runtime.debug_info",
    "Future": "tscript.runtime.futures",
    "fork": "tscript.runtime.futures",
    "wait": "tscript.runtime.futures",
    "get_num_threads": "tscript.runtime.threads",
    "get_include": "tscript.library",
    "annotate": "tscript.marks",
    "export": "tscript.marks",
    "ignore": "tscript.marks",
    "is_scripting": "tscript.marks",
    "unused": "tscript.marks",
    "Allocator": "tscript.runtime.allocators",
    "get_allocator": "tscript.runtime.allocators",
    "memory_stats": "tscript.runtime.allocators",
    "set_allocator": "tscript.runtime.allocators",
    "MissingOperatorError": "tscript.archive",
    "api_usage": "tscript.runtime.usage",
    "log_api_usage_once": "tscript.runtime.usage",
    "log_api_usage_metadata": "tscript.runtime.usage",
    "set_api_usage_handler": "tscript.runtime.usage",
    "set_api_usage_metadata_handler": "tscript.runtime.usage",
    "wrapping_add": "tscript.ops.wrapping",
    "wrapping_mul": "tscript.ops.wrapping",
    "wrapping_shl": "tscript.ops.wrapping",
    "wrapping_sub": "tscript.ops.wrapping",
}
"""Public name to the module that defines it."""

_MODULES: dict[str, str] = {
    "data": "tscript.data",
    "jit": "tscript.jit",
    "library": "tscript.library",
    "ops": "tscript.ops",
    "profiler": "tscript.profiler",
}
"""Public modules."""


def __getattr__(name: str) -> Any:
    if name == "ops":  # its attributes are the operators of this process
        importlib.import_module("tscript.runtime.process").current()
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        if name in ("fork", "wait"):  # whose errors end at the line that calls them
            value = importlib.import_module("tscript.runtime.public").public(value)
    elif name in _DTYPES:
        value = getattr(importlib.import_module("tscript.types.dtypes"), _DTYPES[name])
    elif name == "dtype":
        value = importlib.import_module("tscript.types").DType
    elif name.startswith("_"):
        raise AttributeError(f"module 'tscript' has no attribute {name!r}")
    else:
        from tscript.runtime.eager import function

        found = function(name)
        if found is None:
            raise AttributeError(f"module 'tscript' has no attribute {name!r}")
        value = found
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from tscript.ops.table import TABLE

    return sorted({*globals(), *_LAZY, *_MODULES, *_DTYPES, "dtype", *TABLE.functions})


if os.environ.get("TSCRIPT_API_USAGE_STDERR") == "1":
    importlib.import_module("tscript.runtime.usage")  # prints the first event; otherwise it waits until it is needed

__all__ = [
    "Allocator",
    "ArchiveError",
    "CallbackError",
    "CallbackHandle",
    "CompileError",
    "DebugInfoGuard",
    "ExportHookWarning",
    "ExtraFileError",
    "Future",
    "InternalError",
    "MissingOperatorError",
    "OperatorStats",
    "Record",
    "RecordFunctionGuard",
    "RecordScope",
    "ScriptFunction",
    "Tensor",
    "__version__",
    "add_global_callback",
    "add_native_callback",
    "add_thread_local_callback",
    "annotate",
    "api_usage",
    "bool",
    "bool_",
    "capture_debug_info",
    "data",
    "debug_info",
    "double",
    "dtype",
    "enable_operator_stats",
    "enable_record_function",
    "export",
    "float",
    "float32",
    "float64",
    "fork",
    "from_dlpack",
    "from_numpy",
    "get_allocator",
    "get_include",
    "get_num_interop_threads",
    "get_num_threads",
    "ignore",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_record_function_enabled",
    "is_scripting",
    "library",
    "load",
    "log_api_usage_metadata",
    "log_api_usage_once",
    "long",
    "memory_stats",
    "operator_stats",
    "profiler",
    "record_function",
    "reset_operator_stats",
    "restore_debug_info",
    "save",
    "script",
    "set_allocator",
    "set_api_usage_handler",
    "set_api_usage_metadata_handler",
    "set_export_extra_files_hook",
    "set_num_interop_threads",
    "set_num_threads",
    "short",
    "tensor",
    "uint8",
    "unused",
    "wait",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_shl",
    "wrapping_sub",
]
