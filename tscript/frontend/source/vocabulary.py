"""`Vocabulary`: the symbols of dotted names that begin with `torch` or `tscript`, from an operator table."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Iterable, Mapping

from tscript.definitions.table import OperatorTable
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import elsewhere
from tscript.frontend.source import numpy_names
from tscript.frontend.source.symbols import (
    AnnotateSymbol,
    AssertSymbol,
    BroadcastingSymbol,
    ConstantSymbol,
    ForeignDtypeSymbol,
    ForkSymbol,
    FutureSymbol,
    KnownSymbol,
    ModeSymbol,
    NamespaceSymbol,
    OperatorSymbol,
    Prange,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    UnknownSymbol,
    WaitSymbol,
)
from tscript.operators.python.wrapping import FUNCTIONS
from tscript.types import DEVICE, DTYPE, GENERATOR, INT, LAYOUT, MEMORY_FORMAT, SIZE, TENSOR, Type, dtypes, options

_INNER = frozenset(
    {"nn", "nn.functional", "special", "signal", "signal.windows", "linalg", "masked", "fft", "jit", "futures", "types"}
)

OPS = "ops"
"""The namespace inside `torch` and `tscript` that holds those of custom operators."""

CONSTANTS: Mapping[str, object] = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
"""Constants of `torch`."""

FOREIGN_DTYPES = frozenset(
    {
        *("bits16", "bits1x8", "bits2x4", "bits4x2", "bits8", "chalf", "complex32", "float4_e2m1fn_x2"),
        *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
        *("qint32", "qint8", "quint2x4", "quint4x2", "quint8"),
    }
)
"""Dtypes of `torch` that no tensor has here: no dtype is equal to them."""

KNOWN: Mapping[str, object] = {
    "is_scripting": True,
    "jit.is_scripting": True,
    "jit.is_tracing": False,
    "_C._get_tracing_state": None,
    "_jit_internal.is_scripting": True,
    "cuda.device_count": 0,
    **dict.fromkeys(
        (
            "are_deterministic_algorithms_enabled", "backends.cuda.is_built", "backends.cudnn.is_available",
            "backends.mps.is_available", "backends.mps.is_built", "compiler.is_compiling",
            "compiler.is_dynamo_compiling", "compiler.is_exporting", "cuda.is_available", "cuda.is_initialized",
            "_dynamo.is_compiling", "is_autocast_cpu_enabled", "is_autocast_enabled", "is_grad_enabled",
            "is_inference_mode_enabled", "mps.is_available", "onnx.is_in_onnx_export", "overrides.has_torch_function",
            "overrides.has_torch_function_unary", "overrides.has_torch_function_variadic",
            "overrides.is_tensor_like", "xpu.is_available",
        ),
        False,
    ),
}  # fmt: skip
"""Functions of `torch` whose result is a constant in compiled code."""

MODES: Mapping[str, bool] = {
    **dict.fromkeys(
        (
            "autograd.enable_grad", "autograd.inference_mode", "autograd.no_grad", "autograd.set_grad_enabled",
            "autograd.profiler.record_function", "enable_grad", "inference_mode", "no_grad",
            "profiler.record_function", "record_function", "set_grad_enabled",
            "jit.fuser", "jit.optimized_execution", "jit.strict_fusion",
        ),
        False,
    ),
    **dict.fromkeys(("amp.autocast", "autocast", "cpu.amp.autocast", "cuda.amp.autocast"), True),
}  # fmt: skip
"""Context managers of `torch` that change nothing here, and whether that holds only with ``enabled=False``."""

ASSERTS: Mapping[str, str] = {"_assert": "AssertionError", "_assert_async": "RuntimeError", "_check": "RuntimeError"}
"""Functions of `torch` that raise unless something holds, and what."""

_PATHS = tuple(path.split(".")[:-1] for path in (*KNOWN, *MODES))
INNER = _INNER | {".".join(path[: i + 1]) for path in _PATHS for i in range(len(path))}
"""Namespaces inside `torch`."""

TYPES: Mapping[str, Type] = {
    "Tensor": TENSOR,
    "Size": SIZE,
    "dtype": DTYPE,
    "device": DEVICE,
    "Device": DEVICE,
    "Generator": GENERATOR,
    "layout": LAYOUT,
    "memory_format": MEMORY_FORMAT,
    "SymInt": INT,
}
"""Types of `torch`."""

TENSORS: frozenset[str] = frozenset(
    {
        *("BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor"),
        *("IntTensor", "LongTensor", "ShortTensor", "nn.Buffer", "nn.Parameter"),
    }
)
"""Classes of `torch` whose instances are tensors of some kind, which types do not say."""

TASKS: Mapping[str, Symbol] = {
    "fork": ForkSymbol(),
    "_fork": ForkSymbol(),
    "wait": WaitSymbol(),
    "_wait": WaitSymbol(),
    "Future": FutureSymbol(),
    "_awaitable": ForkSymbol("_awaitable"),
    "_awaitable_nowait": ForkSymbol("_awaitable_nowait", is_ready=True),
    "_awaitable_wait": WaitSymbol("_awaitable_wait"),
    "Await": FutureSymbol(),
    "_Await": FutureSymbol(),
    "annotate": AnnotateSymbol(),
}
"""Names of `torch`, ``torch.jit`` and ``torch.futures`` with a call or a subscript of their own."""

JIT: Mapping[str, Symbol] = {
    "isinstance": PythonSymbol(isinstance),
    "Final": PythonSymbol(typing.Final),
    **{f"BroadcastingList{n}": BroadcastingSymbol() for n in range(1, 7)},
}
"""Names of ``torch.jit`` that mean something of Python or in annotations."""

UNWRAP = "_unwrap_optional"
"""The function of ``torch.jit`` that is `unwrap_optional`."""

PRANGE = "prange"
"""The name of tscript alone that `Prange` stands for."""


class Vocabulary:
    """The names of an operator table.

    Args:
        table: The operators.
        table_with: Returns a larger table, for a namespace of custom operators that the table lacks.
    """

    def __init__(self, table: OperatorTable, table_with: Callable[[str], OperatorTable] | None) -> None:
        self.table = table
        self._table_with = table_with

    def operator(self, root: str, name: str) -> Symbol:
        """An operator function of `torch` by its ``__name__``, ``relu`` or ``special_expit``."""
        if f"jit.{name}" in KNOWN or name in JIT:
            return self.at(f"{root}.jit.{name}")
        for known in (*KNOWN, *MODES):
            if known.rpartition(".")[2] == name:
                return self.at(f"{root}.{known}")
        space, _, inner = name.partition("_")
        if space in ("special", "linalg", "fft") and inner:
            return self.at(f"{root}.{space}.{inner}")
        operator = self.table.functions.get(name)
        return self.at(f"{root}.{name}") if operator is None else OperatorSymbol(operator, f"{root}.{name}")

    def at(self, path: str) -> Symbol:
        """The symbol of a dotted name that begins with `torch`, `tscript` or `numpy`."""
        root, _, inner = path.partition(".")
        if root == numpy_names.NUMPY and inner:
            return numpy_names.at(inner)
        if inner == root or inner.startswith(f"{root}."):  # PyTorch imports itself: ``torch.torch.Tensor``
            return self.at(inner)
        if not inner or inner in INNER or inner == OPS:
            return NamespaceSymbol(path)
        if inner.startswith(f"{OPS}."):
            return self._custom(path, inner)
        owner, _, name = inner.rpartition(".")
        if owner and owner not in INNER:
            return UnknownSymbol(path, elsewhere.torch_name(inner))
        if inner in KNOWN:
            return KnownSymbol(KNOWN[inner], path)
        if inner in MODES:
            return ModeSymbol(path, MODES[inner])
        if inner in ASSERTS:
            return AssertSymbol(path, ASSERTS[inner])
        if inner in FUNCTIONS and root == "tscript":
            return OperatorSymbol(inner, path)
        if path == f"tscript.{PRANGE}":
            return PythonSymbol(Prange)
        if inner in TENSORS:
            return TypeSymbol(TENSOR, f"torch.{name}")
        if name in TYPES and owner in ("", "types"):
            return TypeSymbol(TYPES[name], name)
        if owner in ("jit", "_jit_internal") and name in JIT:
            return JIT[name]
        if name in TASKS and owner in ("", "jit", "_jit_internal", "futures"):
            return TASKS[name]
        if not owner:
            dtype = dtypes.BY_NAME.get(name) or dtypes.ALIASES.get(name)
            if dtype is not None:
                return ConstantSymbol(dtype)
            if name in options.BY_NAME:
                return ConstantSymbol(options.BY_NAME[name])
            if name in CONSTANTS:
                return ConstantSymbol(CONSTANTS[name])
            if name in FOREIGN_DTYPES:
                return ForeignDtypeSymbol(path)
        operator = self.table.function(path)
        if operator is not None:
            return OperatorSymbol(operator, path)
        return UnknownSymbol(path, self._meant(path) or elsewhere.torch_name(inner) or self._like(path))

    def math(self, name: str) -> Symbol:
        """A function of `math`."""
        operator = self.table.math.get(name)
        if operator is not None:
            return OperatorSymbol(operator, f"math.{name}")
        close = close_matches(name, self.table.math)
        return UnknownSymbol(f"math.{name}", f"it is not supported; did you mean 'math.{close[0]}'?" if close else "")

    def names(self, path: str) -> Iterable[str]:
        """All names in a namespace, for suggestions."""
        own = [*FUNCTIONS, PRANGE] if path.partition(".")[0] == "tscript" else ()
        return [*self.table.functions, *own, *TYPES, *TASKS, *CONSTANTS, *dtypes.BY_NAME, *dtypes.ALIASES]

    def _meant(self, path: str) -> str:
        """The right path of a function that a path of `torch` or `tscript` does not lead to; empty if there is none."""
        root, _, inner = path.partition(".")
        name = inner.rpartition(".")[2]
        homes = [home for home in self.table.homes(name) if root == "tscript" or home.startswith("torch.")]
        if homes:
            return f"it is '{root}.{homes[0].partition('.')[2]}'"
        if name in self.table.methods and inner not in elsewhere.TORCH:
            return f"it is a method: write 'x.{name}(...)'"
        others = {*TYPES, *TASKS, *CONSTANTS, *dtypes.BY_NAME, *dtypes.ALIASES}
        return f"it is '{root}.{name}'" if name in others else ""

    def _like(self, path: str) -> str:
        """The suggestion for a misspelt path of `torch` or `tscript`; empty if nothing is similar."""
        root, _, inner = path.partition(".")
        owner, _, name = inner.rpartition(".")
        close = close_matches(name, list(self.names(root)))
        if not close:
            return ""
        homes = [home.partition(".")[2] for home in self.table.homes(close[0])] or [close[0]]
        beside = f"{'nn.functional' if owner == 'nn' else owner}.{close[0]}"
        return f"did you mean '{root}.{beside if beside in homes else homes[0]}'?"

    def _custom(self, path: str, inner: str) -> Symbol:
        """The symbol of ``torch.ops.mylib`` or ``torch.ops.mylib.name``."""
        _, space, *rest = inner.split(".")
        names = self.table.namespace(space)
        if not names and self._table_with is not None:
            self.table = self._table_with(space)
            names = self.table.namespace(space)
        if not names:
            return UnknownSymbol(path, elsewhere.library(space))
        if not rest:
            return NamespaceSymbol(path)
        if len(rest) == 1 and rest[0] in names:
            return OperatorSymbol(self.table.of_namespace(space, rest[0]), path)
        close = close_matches(rest[0], names)
        instead = f"did you mean '{close[0]}'?" if close else f"'{space}' has {', '.join(names)}"
        return UnknownSymbol(path, instead)
