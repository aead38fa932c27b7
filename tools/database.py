"""Which entries of PyTorch's operator database pass: each operator is run on the samples of its entry, here and there.

Run it with an interpreter that has PyTorch: ``python tools/database.py [--write] [name …]``. It prints for each entry
``pass`` or what goes wrong first; with ``--write`` it writes the page ``docs/database.md``.

An entry passes if all its samples in float32, int64 and bool (those of these that PyTorch takes) give the same classes,
dtypes, shapes and, but for random numbers, elements, and none raises here what does not there.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[1] / "docs" / "database.md"
DTYPES = ("float32", "int64", "bool")
MOST = 60
"""Samples of a dtype that are run, evenly from all there are."""

NO_OPERATORS = ("_refs.", "ops.", "sparse.", "to_sparse", "torch.ops.")
"""How names of entries begin that are no public operators: PyTorch's own references, and sparse tensors."""

RANDOM = frozenset(
    [
        "bernoulli",
        "cauchy",
        "exponential",
        "geometric",
        "log_normal",
        "multinomial",
        "normal",
        "poisson",
        "rand",
        "rand_like",
        "randint",
        "randint_like",
        "randn",
        "randn_like",
        "uniform",
        "new_empty",
        "empty",
        "empty_like",
        "new_empty_strided",
        "empty_strided",
        "empty_permuted",
        "randperm",
        "nn.functional.dropout",
        "nn.functional.dropout2d",
        "nn.functional.dropout3d",
        "nn.functional.alpha_dropout",
        "nn.functional.feature_alpha_dropout",
        "nn.functional.rrelu",
        "nn.functional.fractional_max_pool2d",
        "nn.functional.fractional_max_pool3d",
        "nn.functional.multi_head_attention_forward",
        "normal.in_place",
        "normal.number_mean",
        "svd_lowrank",
    ]
)
"""Entries whose elements are random, or not written."""

PYTHON = {
    "__getitem__": lambda x, *args: x[args[0]],
    "__radd__": lambda x, y: y + x,
    "__rand__": lambda x, y: y & x,
    "__rdiv__": lambda x, y: y / x,
    "__rmatmul__": lambda x, y: y @ x,
    "__rmod__": lambda x, y: y % x,
    "__rmul__": lambda x, y: y * x,
    "__ror__": lambda x, y: y | x,
    "__rpow__": lambda x, y: y**x,
    "__rsub__": lambda x, y: y - x,
    "__rxor__": lambda x, y: y ^ x,
    "T": lambda x: x.T,
    "H": lambda x: x.H,
    "mT": lambda x: x.mT,
    "mH": lambda x: x.mH,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
}
"""Entries that are written otherwise than as a function."""


OTHERWISE: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "einsum": lambda t: lambda tensors, equation: t.einsum(equation, *tensors),
    "polygamma": lambda t: lambda x, n: t.polygamma(n, x),
    "special.polygamma": lambda t: lambda x, n: t.special.polygamma(n, x),
    "where": lambda t: lambda x, condition, y: t.where(condition, x, y),
    "nn.functional.embedding": lambda t: (
        lambda weight, places, **named: t.nn.functional.embedding(places, weight, **named)
    ),
    "unfold": lambda t: lambda x, *args: x.unfold(*args),
}
"""Entries whose samples have their arguments in another order."""

COMPOSED: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "svd_lowrank": lambda t: lambda a, b, **named: t.svd_lowrank(a @ b.mT, **named),
    "pca_lowrank": lambda t: lambda a, b, **named: t.pca_lowrank(a @ b.mT, **named),
    "linalg.pinv.singular": lambda t: lambda a, b: t.linalg.pinv(a @ b.mT),
    "linalg.lstsq.grad_oriented": lambda t: lambda a, b, driver: t.linalg.lstsq(a, b, driver=driver)[:2],
}
"""Entries that are about a composition of operators, by their names with variants."""


def _factors(u: Any, s: Any, v: Any, *, adjoint: bool) -> tuple[Any, ...]:
    """Of singular value decompositions what is unique: the values, and what they and the vectors make up."""
    k = s.shape[-1]
    rows = v[..., :k, :] if adjoint else np.swapaxes(v[..., :, :k], -1, -2).conj()
    return s, (u[..., :k] * s[..., None, :]) @ rows


def _spectrum(w: Any, v: Any) -> tuple[Any, ...]:
    """The same of eigenvalues."""
    order = np.argsort(w.real + 1e-3 * w.imag, axis=-1)
    return np.take_along_axis(w, order, -1), (v * w[..., None, :]) @ np.linalg.pinv(v)


UNIQUE: dict[str, Callable[..., tuple[Any, ...]]] = {
    "svd": lambda u, s, v: _factors(u, s, v, adjoint=False),
    "pca_lowrank": lambda u, s, v: _factors(u, s, v, adjoint=False),
    "linalg.svd": lambda u, s, v: _factors(u, s, v, adjoint=True),
    "linalg.eig": _spectrum,
    "linalg.eigh": _spectrum,
    "matrix_exp": lambda x: (x / np.abs(x).max(initial=1),),
}
"""What is compared of results that have free signs or phases, or that rounding makes free: besides dtypes and shapes,
what these functions make of them."""

TIES = frozenset(["argsort", "kthvalue", "median", "mode", "nanmedian", "sort", "topk", "msort"])
"""Entries with indices: which of equal elements they name is open. Of these the values are compared."""


@dataclass
class Found:
    """What an entry gave.

    Attributes:
        name: Of the entry, with its variant behind a dot.
        good, all: How many of the samples agree.
        trouble: What went wrong first; empty if nothing did.
    """

    name: str
    good: int
    all: int
    trouble: str


def ours(value: Any, torch: Any, tscript: Any) -> Any:
    """An argument of PyTorch as one of ours."""
    if isinstance(value, torch.Tensor):
        return tscript.from_dlpack(value.detach().resolve_conj().resolve_neg().clone())
    if isinstance(value, torch.dtype):
        return getattr(tscript, str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, torch.layout | torch.memory_format):
        return getattr(tscript, str(value).removeprefix("torch."))
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, tuple | list):
        return type(value)(ours(v, torch, tscript) for v in value)
    return value


def function_of(name: str, tscript: Any) -> Any:
    """The function, else the method, that an entry is about; None if there is none."""
    if name in PYTHON:
        return PYTHON[name]
    if name in OTHERWISE:
        return OTHERWISE[name](tscript)
    found = tscript
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            break
    if callable(found):
        return found
    method = next((m for m in (name, f"{name}_") if hasattr(tscript.Tensor, m)), None)
    if method is None:
        return None
    return lambda x, *args, **kwargs: getattr(x, method)(*args, **kwargs)


def difference(want: Any, have: Any, torch: Any, *, random: bool) -> str:
    """How a result differs from PyTorch's; empty if it does not."""
    if isinstance(want, torch.Tensor):
        if type(have).__name__ != "Tensor":
            return f"gives a {type(have).__name__}, not a Tensor"
        if str(have.dtype).rpartition(".")[2] != str(want.dtype).rpartition(".")[2]:
            return f"gives {have.dtype}, not {want.dtype}"
        if tuple(have.shape) != tuple(want.shape):
            return f"gives the shape {tuple(have.shape)}, not {tuple(want.shape)}"
        if random:
            return ""
        theirs = want.detach().resolve_conj().resolve_neg()
        a, b = (t.float() if "bfloat16" in str(t.dtype) else t for t in (theirs, have))
        x, y = a.numpy(), b.numpy()
        if x.dtype.kind in "fc":
            close = np.allclose(
                y, x, rtol=1e-9 if x.dtype.itemsize > 4 and x.dtype != np.complex64 else 2e-4, atol=2e-5, equal_nan=True
            )
            return "" if close else "gives other elements"
        return "" if np.array_equal(x, y) else "gives other elements"
    if isinstance(want, tuple | list):
        if not isinstance(have, tuple | list) or len(want) != len(have):
            return f"gives {type(have).__name__} for {len(want)} results"
        return next((d for w, h in zip(want, have, strict=True) if (d := difference(w, h, torch, random=random))), "")
    if isinstance(want, torch.dtype):
        return "" if str(want).rpartition(".")[2] == str(have).rpartition(".")[2] else f"gives {have}, not {want}"
    if isinstance(want, float | complex) and not isinstance(have, bool):
        return "" if random or np.allclose(have, want, rtol=2e-4, equal_nan=True) else f"gives {have}, not {want}"
    return "" if want == have or random else f"gives {have!r}, not {want!r}"


def _unlike(unique: Callable[..., tuple[Any, ...]], want: Any, have: Any) -> str:
    """How what is unique of two results differs; empty if it does not."""
    theirs, ours = (
        unique(*(np.asarray(t.numpy()) for t in (found if isinstance(found, tuple) else (found,))))
        for found in (want, have)
    )
    close = all(np.allclose(y, x, rtol=2e-4, atol=2e-4) for x, y in zip(theirs, ours, strict=True))
    return "" if close else "gives other elements"


def samples_of(entry: Any, dtype: Any) -> list[Any]:
    """Some of the samples of an entry."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        found = list(entry.sample_inputs("cpu", dtype, requires_grad=False))
    return found[:: -(-len(found) // MOST)] if found else []


def run(entry: Any, torch: Any, tscript: Any) -> Found:
    """Run one entry."""
    name = entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else "")
    function = COMPOSED[name](tscript) if name in COMPOSED else function_of(entry.name, tscript)
    if function is None:
        return Found(name, 0, 0, "is missing")
    good = count = 0
    trouble = ""
    for dtype in (getattr(torch, d) for d in DTYPES):
        if dtype not in entry.dtypes:
            continue
        for sample in samples_of(entry, dtype):
            given = [sample.input, *sample.args], dict(sample.kwargs)
            try:
                args, kwargs = ours(given, torch, tscript)[0], {k: ours(v, torch, tscript) for k, v in given[1].items()}
            except (TypeError, ValueError, RuntimeError, AttributeError, BufferError):
                continue  # an argument that only PyTorch has
            try:
                want = entry.op(*given[0], **given[1])
            except Exception:  # noqa: BLE001
                continue
            count += 1
            try:
                have = function(*args, **kwargs)
                if entry.name in TIES and isinstance(want, tuple):
                    want, have = want[0], have[0]
                random = entry.name in RANDOM or name in RANDOM or entry.name == "argsort"
                unique = UNIQUE.get(entry.name)
                trouble_here = difference(want, have, torch, random=random or unique is not None)
                if unique is not None and not trouble_here:
                    trouble_here = _unlike(unique, want, have)
            except Exception as error:  # noqa: BLE001
                text = (str(error).strip().splitlines() or [""])[0]
                trouble_here = f"{type(error).__name__}: {text}"
            good += not trouble_here
            if trouble_here and not trouble:
                shapes = ", ".join(str(tuple(a.shape)) if hasattr(a, "shape") else str(a) for a in args)
                named = "".join(f", {k}={v if not hasattr(v, 'shape') else tuple(v.shape)}" for k, v in kwargs.items())
                trouble = f"{trouble_here} [{str(dtype).rpartition('.')[2]}: {shapes}{named}]"[:300]
    return Found(name, good, count, trouble or ("" if count else "has no samples that can be run"))


def entries(torch: Any) -> Iterator[Any]:
    """The entries of the database that are about public operators."""
    from torch.testing._internal.common_methods_invocations import op_db

    del torch
    for entry in op_db:
        if not entry.name.startswith(NO_OPERATORS):
            yield entry


def page(found: list[Found]) -> str:
    """The text of the page."""
    good = [f for f in found if not f.trouble]
    some = [f for f in found if f.trouble and f.good]
    none = [f for f in found if f.trouble and not f.good and f.trouble != "is missing"]
    missing = [f for f in found if f.trouble == "is missing"]

    def listed(names: list[str]) -> str:
        return fill(", ".join(f"`{name}`" for name in names), 140, break_on_hyphens=False) + "\n"

    return "\n".join(
        (
            "# PyTorch's operator database",
            "",
            "PyTorch tests its operators over a database, `torch.testing._internal.common_methods_invocations.op_db`. "
            "`python tools/database.py --write` runs the samples of its",
            "entries, in float32, int64 and bool, eagerly here and in PyTorch, and writes this page. It needs an "
            "interpreter with PyTorch. An entry passes if all its samples give the same",
            "dtypes, shapes and elements; of random numbers, dtypes and shapes; of vectors with free signs, what they "
            "and the values make up. A name behind a dot may be a variant.",
            "",
            f"Of {len(found)} entries {len(good)} pass, {len(some)} pass some of their samples, {len(none)} none, and "
            f"{len(missing)} are of operators that do not exist here.",
            "",
            "## Pass",
            "",
            listed([f.name for f in good]),
            "## Pass some samples",
            "",
            "| entry | samples |",
            "|---|---|",
            *(f"| `{f.name}` | {f.good} of {f.all} |" for f in some),
            "",
            "## Pass none",
            "",
            listed([f.name for f in none]),
            "## Do not exist",
            "",
            listed([f.name for f in missing]),
        )
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of entries; all if left out")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    import torch

    import tscript

    torch.manual_seed(0)
    found: list[Found] = []
    for entry in entries(torch):
        if options.names and entry.name not in options.names:
            continue
        one = run(entry, torch, tscript)
        found.append(one)
        print(f"{one.name}: {f'{one.good} of {one.all}: {one.trouble}' if one.trouble else 'pass'}", flush=True)
    print(f"{sum(not f.trouble for f in found)} of {len(found)} pass", file=sys.stderr)
    if options.write:
        PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
