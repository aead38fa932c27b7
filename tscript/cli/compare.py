"""``tscript compare``: what two archives, models or files differ in."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from tscript.cli.arguments import INPUT_HELP
from tscript.cli.bench import shown
from tscript.cli.errors import ThresholdError
from tscript.cli.libraries import Imports
from tscript.cli.parameters import Argument, Option
from tscript.cli.targets import TARGET_HELP, Target, target

PARTS = ("signatures", "code", "weights", "attributes")
"""What is compared before anything is called."""


def compare(
    first: Annotated[str, Argument(metavar="A[:NAME]", help=TARGET_HELP)],
    second: Annotated[str, Argument(metavar="B[:NAME]", help="Another one.")],
    inputs: Annotated[list[str] | None, Option("--input", help=INPUT_HELP)] = None,
    rtol: Annotated[float, Option("--rtol", help="How far results may differ, relative to those of B.")] = 1e-5,
    atol: Annotated[float, Option("--atol", help="How far they may differ besides.")] = 1e-6,
    rounds: Annotated[int, Option("--rounds", least=1, help="How often both are called in turn.")] = 20,
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
    trust_native: Annotated[
        bool, Option("--trust-native", help="Run object code of the archives, which can do anything.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Show how two archives, models or files differ: signatures, code, weights; and with --input results and times.

    The exit code is 5 if the results differ by more than --rtol and --atol; without --input, if anything differs.

    Example: tscript compare model.pt model.tsa --input float32[1,3,224,224]
    """
    a, b = (target(text, "compare", trust_native=trust_native, may_be_several=True) for text in (first, second))
    is_run = bool(inputs) or not any(t.function is None or t.params for t in (a, b))
    document: dict[str, Any] = {"a": first, "b": second, **_static(a, b)}
    if is_run:
        document["results"] = _results(a, b, inputs or [], rtol, atol)
        document["times"] = _times(a, b, inputs or [], rounds)
    if as_json:
        print(json.dumps(document, indent=1))
    else:
        _print(document)
    if is_run and not document["results"]["close"]:
        raise ThresholdError(f"the results differ by more than rtol {rtol:g} and atol {atol:g}")
    if not is_run and any(document[part] for part in PARTS):
        raise ThresholdError("they differ")


def _static(a: Target, b: Target) -> dict[str, Any]:
    """What differs before anything is called."""
    if a.root is None and b.root is None and a.name and b.name:  # two functions, whatever they are called
        codes = [{a.name: a.codes[a.name]}, {a.name: b.codes[b.name].replace(f"def {b.name}(", f"def {a.name}(", 1)}]
        signatures = [{a.name: t.signatures[t.name].replace(f"{t.name}(", f"{a.name}(", 1)} for t in (a, b)]
    else:
        codes, signatures = [t.codes for t in (a, b)], [t.signatures for t in (a, b)]
    return {
        "signatures": _differing(*signatures),
        "code": [
            {"name": d["name"], "only_in": d["only_in"]} if d["only_in"] else {"name": d["name"]}
            for d in _differing(*codes)
        ],
        "weights": list(_weights(a.root, b.root)),
        "attributes": list(_attributes(a.root, b.root)),
    }


def _differing(a: Mapping[str, str], b: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"name": n, "a": a.get(n), "b": b.get(n), "only_in": None if n in a and n in b else "a" if n in a else "b"}
        for n in dict.fromkeys([*a, *b])
        if a.get(n) != b.get(n)
    ]


def _weights(a: Any, b: Any) -> Iterator[dict[str, Any]]:
    """The tensors of modules that differ."""
    mine, theirs = ({} if m is None else {**dict(m.named_parameters()), **dict(m.named_buffers())} for m in (a, b))
    for name in dict.fromkeys([*mine, *theirs]):
        if name not in mine or name not in theirs:
            yield {"name": name, "only_in": "a" if name in mine else "b"}
            continue
        kinds = [f"{t.dtype} {tuple(t.shape)}".replace("torch.", "") for t in (mine[name], theirs[name])]
        if kinds[0] != kinds[1]:
            yield {"name": name, "only_in": None, "a": kinds[0], "b": kinds[1]}
        elif (difference := _difference(mine[name], theirs[name])) != 0:
            yield {"name": name, "only_in": None, "difference": difference}


def _attributes(a: Any, b: Any) -> Iterator[dict[str, Any]]:
    """The attributes that modules of both have, such as numbers and texts, and that differ.

    The mode of a module inside another one counts if that of the other is the same.
    """
    mine, theirs = ({} if m is None else dict(_plain(m)) for m in (a, b))
    differ = [n for n, value in mine.items() if n in theirs and repr(value) != repr(theirs[n])]
    for name in differ:
        path, _, attribute = name.rpartition(".")
        if not (path and attribute == "training" and f"{path.rpartition('.')[0]}.training".lstrip(".") in differ):
            yield {"name": name, "a": repr(mine[name]), "b": repr(theirs[name])}


def _plain(root: Any) -> Iterator[tuple[str, Any]]:
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if not name.startswith("_") and _is_plain(value):
                yield f"{path}.{name}" if path else name, value


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _difference(a: Any, b: Any) -> float:
    """The largest difference of two tensors of one shape; infinity where only one has NaN."""
    import numpy as np

    one, other = (_array(t) for t in (a, b))
    if not one.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        found = np.abs(one - other)
    found = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, found)
    return float(np.nan_to_num(found, nan=math.inf, posinf=math.inf).max())


def _array(tensor: Any) -> Any:
    """Its elements as floats or complex numbers of double precision."""
    import numpy as np

    array = tensor.detach().double().numpy() if not tensor.dtype.is_complex else tensor.detach().numpy()
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _results(a: Target, b: Target, inputs: list[str], rtol: float, atol: float) -> dict[str, Any]:
    found, expected = (t.call(*t.arguments(inputs)) for t in (a, b))
    parts = list(_parts(found, expected, "result"))
    leaves = [_leaf(name, x, y, rtol, atol) for name, x, y in parts]
    return {"close": all(leaf["close"] for leaf in leaves), "parts": leaves}


def _parts(a: Any, b: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Tensors, numbers and strings inside of two results, with the names of their places."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _parts(x, y, f"{name}[{i}]")
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from _parts(a[key], b[key], f"{name}[{key!r}]")
    else:
        yield name, a, b


def _leaf(name: str, a: Any, b: Any, rtol: float, atol: float) -> dict[str, Any]:
    from tscript.runtime.session.process import current

    tensor = current().native.Tensor
    if isinstance(a, tensor) and isinstance(b, tensor):
        if a.dtype != b.dtype or tuple(a.shape) != tuple(b.shape):
            kinds = [f"{t.dtype} {tuple(t.shape)}".replace("torch.", "") for t in (a, b)]
            return {"name": name, "close": False, "a": kinds[0], "b": kinds[1]}
        import numpy as np

        close = bool(np.allclose(_array(a), _array(b), rtol, atol, equal_nan=True))
        return {"name": name, "close": close, "difference": _difference(a, b)}
    if isinstance(a, float) and isinstance(b, float):
        close = math.isclose(a, b, rel_tol=rtol, abs_tol=atol) or (math.isnan(a) and math.isnan(b))
        return {"name": name, "close": close, "difference": 0.0 if a == b else abs(a - b)}
    return {"name": name, "close": type(a) is type(b) and a == b, "a": repr(a), "b": repr(b)}


def _times(a: Target, b: Target, inputs: list[str], rounds: int) -> dict[str, float]:
    """The shortest time of each, in seconds; they are called in turn."""
    runs = [t.bound(*t.arguments(inputs)) for t in (a, b)]
    best = [math.inf, math.inf]
    for _ in range(rounds):
        for i, run in enumerate(runs):
            best[i] = min(best[i], _timed(run))
    return {"a": best[0], "b": best[1]}


def _timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _print(document: dict[str, Any]) -> None:
    for d in document["signatures"]:
        print(f"  signature {d['name']}: " + (_only(d) or f"{d['a']}  |  {d['b']}"))
    for d in document["code"]:
        print(f"  code {d['name']}: " + (_only(d) or "differs"))
    for d in document["weights"]:
        print(f"  weights {d['name']}: " + (_only(d) or _apart(d)))
    for d in document["attributes"]:
        print(f"  attribute {d['name']}: {d['a']}  |  {d['b']}")
    if not any(document[part] for part in PARTS):
        print("  same signatures, code and weights")
    for d in document.get("results", {}).get("parts", ()):
        print(f"  {d['name']}: {'close' if d['close'] else 'differs'}, {_apart(d)}")
    if "times" in document:
        a, b = document["times"]["a"], document["times"]["b"]
        print(f"  time {shown(a)}  |  {shown(b)}, ratio {a / b:.2f}")


def _only(d: dict[str, Any]) -> str:
    return f"only in {d['only_in'].upper()}" if d.get("only_in") else ""


def _apart(d: dict[str, Any]) -> str:
    return f"largest difference {d['difference']:.3g}" if "difference" in d else f"{d['a']}  |  {d['b']}"
