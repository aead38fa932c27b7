"""``tscript env``: the report for bug tickets."""

from __future__ import annotations

import json
import os
import platform
from typing import Annotated

import typer

VARIABLES: dict[str, str] = {
    "TSCRIPT_CACHE_DIR": "where compiled objects are kept",
    "TSCRIPT_CACHE": "off: no cache; ro: read, never write",
    "TSCRIPT_THREADS": "how many threads matrix products may use; one if not set",
    "TSCRIPT_BLAS": "off: kernels multiply matrices by themselves",
    "TSCRIPT_VERIFY": "1: check the IR after every pass",
    "TSCRIPT_PERF_MAP": "1: tell perf where compiled functions lie",
}
"""Environment variables and what they do."""


def env(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False) -> None:
    """Print versions, CPU, cache and settings.

    Example: tscript env --json
    """
    report = _report()
    if as_json:
        print(json.dumps(report, indent=1))
        return
    for key, value in report.items():
        print(f"{key:<20} {value}")


def _report() -> dict[str, object]:
    import llvmlite
    import llvmlite.binding as llvm
    import numpy

    from tscript._version import __version__
    from tscript.abi.layout import ABI_VERSION
    from tscript.runtime.process import current

    compiler = current().compiler
    target, cache = compiler.target, compiler.cache
    report: dict[str, object] = {
        "tscript": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "numpy": numpy.__version__,
        "llvmlite": llvmlite.__version__,
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "abi": ABI_VERSION,
        "triple": target.triple,
        "cpu": target.cpu,
        "cpu_features": " ".join(sorted(target.enabled)),
        "threads": current().threads,
        "cache": f"{cache.path or 'none'} ({cache.mode.value})",
    }
    for name in VARIABLES:
        report[name] = os.environ.get(name, "(not set)")
    return report
