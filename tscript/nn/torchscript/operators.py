"""The operators of TorchScript by name: where each of them is here."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from types import FunctionType

from tscript.late import dataclass
from tscript.operators.table import TABLE

BUILTINS: Mapping[str, str] = {
    "len": "len", "ord": "ord", "chr": "chr", "list": "list", "sorted": "sorted", "str": "str", "hex": "hex",
    "oct": "oct", "bin": "bin", "Int": "int", "Float": "float", "Bool": "bool", "IntImplicit": "int",
    "FloatImplicit": "float", "Complex": "complex", "hash": "hash", "divmod": "divmod", "dict": "dict",
}  # fmt: skip
"""Operators that are builtins of Python."""

FALSE = frozenset(
    {
        *("is_grad_enabled", "is_autocast_enabled", "is_autocast_cpu_enabled", "is_inference_mode_enabled"),
        *("requires_grad", "is_cuda", "is_scripting_disabled"),
    }
)
"""Operators that are False here: nothing is differentiated, and there is no other device."""

PYTHON_METHODS = frozenset(
    {
        *("capitalize", "center", "expandtabs", "isalnum", "isalpha", "isdecimal", "isdigit", "isidentifier"),
        *(
            "islower",
            "isnumeric",
            "isprintable",
            "isspace",
            "istitle",
            "isupper",
            "join",
            "ljust",
            "lower",
            "partition",
        ),
        *("rfind", "rindex", "rjust", "rpartition", "rsplit", "splitlines", "swapcase", "title", "upper", "zfill"),
        *("clear", "items", "keys", "pop", "popitem", "remove", "reverse", "setdefault", "update", "values", "get"),
        *("copy", "split", "index", "real", "imag", "tolist"),
    }
)
"""Operators that are methods of strings, lists and dicts, some of tensors too."""

PRIM: Mapping[str, tuple[str, str]] = {
    **{name: ("attribute", name) for name in ("dtype", "device", "layout", "shape", "name", "value", "type", "index")},
    **{name: ("attribute", name) for name in ("itemsize", "ndim", "mT", "H", "T")},
    **dict.fromkeys(("requires_grad", "is_cuda", "is_nested", "is_sparse", "is_quantized"), ("constant", "")),
    **dict.fromkeys(("is_mkldnn", "is_meta", "is_xpu", "is_mps", "is_vulkan", "is_ipu"), ("constant", "")),
    **dict.fromkeys(("data", "GetAttr_", "unchecked_unwrap_optional"), ("itself", "")),
    **{name: ("builtin", name) for name in ("min", "max", "abs")},
    "NumToTensor": ("written", "NumToTensor"),
    "ImplicitTensorToNum": ("written", "ScalarImplicit"),
    "Print": ("builtin", "print"),
}
"""Operators ``prim::``: an attribute, a constant (False), the argument itself, a builtin, or one that is written."""

_RENAMED: Mapping[str, str] = {
    "slice": "part", "pow": "power", "all": "every", "any": "some", "__and__": "bits_and", "__or__": "bits_or",
    "__xor__": "bits_xor", "__lshift__": "shifted_left", "__rshift__": "shifted_right", "__contains__": "holds",
    "__setitem__": "set_element", "__getitem__": "get_element",
}  # fmt: skip
"""Functions of `tscript.nn.torchscript.aten` that would hide a builtin of Python by their own names."""


OLD: Mapping[str, tuple[int, str]] = {
    "div": (4, "old_div"), "div_": (4, "old_div_"), "full": (5, "old_full"), "linspace": (8, "old_linspace"),
    "logspace": (9, "old_logspace"),
}  # fmt: skip
"""Operators that meant something else in archives below a version, with the function of
`tscript.nn.torchscript.aten` that does it. Before 10, `gelu` had no parameter ``approximate``, which is its default."""


@dataclass(frozen=True, slots=True)
class Known:
    """Where an operator is.

    Attributes:
        path: Its name in `tscript.nn.torchscript.aten`, or its path inside `torch`.
        is_written: Whether it is in `tscript.nn.torchscript.aten`.
        is_method: Whether it is a method of its first argument.
        dtypes: Positions of arguments that are dtypes.
        parameters: Of a function that is written.
    """

    path: str
    is_written: bool = False
    is_method: bool = False
    dtypes: tuple[int, ...] = ()
    parameters: tuple[str, ...] = ()


@cache
def written() -> Mapping[str, FunctionType]:
    """The functions of `tscript.nn.torchscript.aten` and `tscript.nn.torchscript.aten_layers`."""
    from tscript.nn.torchscript import aten, aten_layers

    return {
        n: f
        for module in (aten, aten_layers)
        for n, f in vars(module).items()
        if isinstance(f, FunctionType) and f.__module__ == module.__name__
    }


@cache
def known(name: str, version: int) -> Known | None:
    """Where an operator ``aten::name`` of archives of a version is; None if there is none."""
    first, old = OLD.get(name, (0, ""))
    own = written().get(old if version < first else _RENAMED.get(name, name))
    if own is not None:
        parameters = tuple(inspect.signature(own).parameters)
        places = (1, 2) if name == "to" else tuple(i for i, p in enumerate(parameters) if p == "dtype")
        return Known(own.__name__, is_written=True, dtypes=places, parameters=parameters)
    if name in PYTHON_METHODS:
        return Known(name, is_method=True) if name in TABLE.methods else None
    operator = TABLE.function(f"torch.{name}")
    homes = [] if operator is not None else [h for h in TABLE.homes(name) if h.startswith("torch.")]
    if operator is not None or homes:
        path = name if operator is not None else homes[0].removeprefix("torch.")
        return Known(path, dtypes=_dtypes(operator or TABLE.functions[name]))
    if name in TABLE.methods:
        return Known(name, is_method=True, dtypes=_dtypes(TABLE.methods[name]))
    for space in ("special", "linalg", "fft"):
        inner = name.removeprefix(f"{space}_")
        if inner != name and TABLE.function(f"torch.{space}.{inner}") is not None:
            return Known(f"{space}.{inner}")
    return None


def _dtypes(operator: str) -> tuple[int, ...]:
    """Positions at which every overload that goes so far has a dtype."""
    found: dict[int, list[bool]] = {}
    for overload in TABLE.overloads(operator):
        for i, parameter in enumerate(overload.schema.parameters):
            if not parameter.keyword_only:
                found.setdefault(i, []).append(parameter.kind.rstrip("?") == "dtype")
    return tuple(i for i, all_ in found.items() if all(all_))
