"""Which entries of PyTorch's operator database pass: each operator is run on the samples of its entry, here and there.

Run it with an interpreter that has PyTorch: ``python tools/database.py [--write] [name …]``. It prints for each entry
``pass`` or what goes wrong first; with ``--write`` it writes the page ``docs/database.md``.

An entry passes if all its samples in float32, int64 and bool (those of these that PyTorch takes; complex64 if it takes
none) give the same classes, dtypes, shapes and, but for random numbers, elements, and none raises here what does not
there. Elements may also be nearer to what PyTorch computes in float64 than its own are. Of results that depend
on a seed in PyTorch (dropout, random projections) dtypes and shapes are compared.
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

WHERE_NONE = ("complex64",)
"""The dtypes of an entry that has none of these."""
NO_OPERATORS = ("_refs.", "ops.", "sparse.", "to_sparse", "torch.ops.", "jiterator_")
"""How names of entries begin that are no public operators: PyTorch's references, sparse tensors, code for GPUs."""

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
    "nn.functional.embedding_bag": lambda t: (
        lambda weight, places, **named: t.nn.functional.embedding_bag(places, weight, **named)
    ),
    "unfold": lambda t: lambda x, *args: x.unfold(*args),
}
"""Entries whose samples have their arguments in another order."""

OTHER_ELEMENTS, NO_SAMPLES = "gives other elements", "has no samples that can be run"

COMPOSED: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "exponential": lambda t: lambda x, *args, **named: x.exponential_(*args, **named),
    "normal.in_place": lambda t: lambda x, *args, **named: x.normal_(*args, **named),
    "_segment_reduce.lengths": lambda t: t.segment_reduce,
    "_segment_reduce.offsets": lambda t: t.segment_reduce,
    "svd_lowrank": lambda t: lambda a, b, **named: t.svd_lowrank(a @ b.mT, **named),
    "pca_lowrank": lambda t: lambda a, b, **named: t.pca_lowrank(a @ b.mT, **named),
    "linalg.pinv.singular": lambda t: lambda a, b: t.linalg.pinv(a @ b.mT),
    "linalg.lstsq.grad_oriented": lambda t: lambda a, b, driver: t.linalg.lstsq(a, b, driver=driver)[:2],
}
"""Entries that are about a composition of operators, or have another name, by their names with variants."""


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
    "svd_lowrank": lambda u, s, v: _factors(u, s, v, adjoint=False),
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
        plain = value.detach().resolve_conj().resolve_neg()
        size = plain.untyped_storage().nbytes() // plain.element_size()
        if plain.is_complex() or size <= plain.numel():
            return tscript.from_dlpack(plain.clone())
        whole = tscript.from_dlpack(plain.as_strided((size,), (1,), 0).clone())  # a part of its storage
        return whole.as_strided(tuple(plain.shape), plain.stride(), plain.storage_offset())
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
    if type(value).__module__.startswith("torch.nn.modules"):
        raise TypeError(f"{type(value).__name__} is a class that PyTorch alone has")
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
            return "" if close else OTHER_ELEMENTS
        return "" if np.array_equal(x, y) else OTHER_ELEMENTS
    if isinstance(want, tuple | list):
        if not isinstance(have, tuple | list) or len(want) != len(have):
            return f"gives {type(have).__name__} for {len(want)} results"
        return next((d for w, h in zip(want, have, strict=True) if (d := difference(w, h, torch, random=random))), "")
    if isinstance(want, torch.dtype):
        return "" if str(want).rpartition(".")[2] == str(have).rpartition(".")[2] else f"gives {have}, not {want}"
    if isinstance(want, float | complex) and not isinstance(have, bool):
        return "" if random or np.allclose(have, want, rtol=2e-4, equal_nan=True) else f"gives {have}, not {want}"
    return "" if want == have or random else f"gives {have!r}, not {want!r}"


def is_nearer(entry: Any, given: tuple[Any, Any], want: Any, have: Any, torch: Any) -> bool:
    """Whether elements of float32 are nearer to what PyTorch computes in float64 than its own are, or as near."""

    def wide(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.double() if value.dtype == torch.float32 else value
        return type(value)(map(wide, value)) if isinstance(value, tuple | list) else value

    if not isinstance(want, torch.Tensor) or want.dtype != torch.float32:
        return False
    right = entry.op(*wide(given[0]), **{k: wide(v) for k, v in given[1].items()}).double().numpy()
    theirs, mine = want.double().numpy(), have.numpy().astype(np.float64)
    near = (np.abs(mine - right) <= np.abs(theirs - right)) | np.isclose(mine, right, rtol=1e-5, atol=1e-6)
    return bool((near | (np.isnan(mine) & np.isnan(right)) | (mine == right)).all())


def is_drawn(entry: Any, given: tuple[Any, Any], want: Any, unique: Any, torch: Any) -> bool:
    """Whether PyTorch itself gives other elements with another seed, as with dropout."""
    seeded = torch.manual_seed
    torch.manual_seed = lambda seed: seeded(seed + 1)  # entries set one before they call
    try:
        again = entry.op(*given[0], **given[1])
    finally:
        torch.manual_seed = seeded
    if unique is not None:
        return bool(_unlike(unique, want, again))
    return not torch.equal(want, again) if isinstance(want, torch.Tensor) else False


def _unlike(unique: Callable[..., tuple[Any, ...]], want: Any, have: Any) -> str:
    """How what is unique of two results differs; empty if it does not."""
    theirs, ours = (
        unique(*(np.asarray(t.numpy()) for t in (found if isinstance(found, tuple) else (found,))))
        for found in (want, have)
    )
    close = all(np.allclose(y, x, rtol=2e-4, atol=2e-4) for x, y in zip(theirs, ours, strict=True))
    return "" if close else OTHER_ELEMENTS


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
    for dtype in dtypes_of(entry, torch):
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
                if trouble_here == OTHER_ELEMENTS and (
                    is_nearer(entry, given, want, have, torch) or is_drawn(entry, given, want, unique, torch)
                ):
                    trouble_here = ""
            except Exception as error:  # noqa: BLE001
                text = (str(error).strip().splitlines() or [""])[0]
                trouble_here = f"{type(error).__name__}: {text}"
            good += not trouble_here
            if trouble_here and not trouble:
                shapes = ", ".join(str(tuple(a.shape)) if hasattr(a, "shape") else str(a) for a in args)
                named = "".join(f", {k}={v if not hasattr(v, 'shape') else tuple(v.shape)}" for k, v in kwargs.items())
                trouble = f"{trouble_here} [{str(dtype).rpartition('.')[2]}: {shapes}{named}]"[:300]
    return Found(name, good, count, trouble or ("" if count else NO_SAMPLES))


def dtypes_of(entry: Any, torch: Any) -> list[Any]:
    """The dtypes in which an entry is run."""
    found = [d for d in (getattr(torch, name) for name in DTYPES) if d in entry.dtypes]
    return found or [d for d in (getattr(torch, name) for name in WHERE_NONE) if d in entry.dtypes]


def is_private(name: str) -> bool:
    """Whether a part of the name begins with one underscore, or it is about gradients."""
    parts = name.split(".")
    return any(p.startswith("_") and not p.startswith("__") for p in parts) or "_backward" in name


def entries(torch: Any) -> Iterator[Any]:
    """The entries of the database that are about public operators."""
    from torch.testing._internal.common_methods_invocations import op_db

    del torch
    for entry in op_db:
        known = f"{entry.name}.{entry.variant_test_name}" in COMPOSED
        if known or not (entry.name.startswith(NO_OPERATORS) or is_private(entry.name)):
            yield entry


def page(found: list[Found]) -> str:
    """The text of the page."""
    good = [f for f in found if not f.trouble]
    some = [f for f in found if f.trouble and f.good]
    none = [f for f in found if f.trouble and not f.good and f.trouble not in ("is missing", NO_SAMPLES)]
    missing = [f for f in found if f.trouble == "is missing"]
    unrun = [f for f in found if f.trouble == NO_SAMPLES]

    def listed(names: list[str]) -> str:
        return fill(", ".join(f"`{name}`" for name in names), 140, break_on_hyphens=False) + "\n"

    return "\n".join(
        (
            "# PyTorch's operator database",
            "",
            "PyTorch tests its operators over a database, `torch.testing._internal.common_methods_invocations.op_db`. "
            "`python tools/database.py --write` runs the samples of its",
            "entries, in float32, int64 and bool (complex64 if it takes none of these), eagerly here and in "
            "PyTorch, and writes this page. It needs an interpreter with",
            "PyTorch. An entry passes if all its samples give the same dtypes, shapes and elements; of "
            "random numbers, dtypes and shapes; of vectors with free signs, what",
            "they and the values make up. Elements may also be nearer to what PyTorch computes in float64. Where "
            "PyTorch, with another seed, gives other elements, as with dropout,",
            "dtypes and shapes are compared. A name behind a dot may be a variant.",
            "",
            "Not counted are entries of PyTorch's references, of sparse tensors, of gradients and of code for GPUs, "
            "and those whose names begin with an underscore.",
            "",
            f"Of {len(found)} entries {len(good)} pass, {len(some)} pass some of their samples, {len(none)} none, and "
            f"{len(missing)} are of operators that do not exist here.",
            f"{len(unrun)} have no samples that can be run: no dtype on the CPU, or arguments of classes that PyTorch "
            "alone has.",
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
            "## Have no samples that can be run",
            "",
            listed([f.name for f in unrun]),
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
