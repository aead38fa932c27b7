"""``tscript env``: the report for bug tickets."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from tscript.cli.parameters import Option

if TYPE_CHECKING:
    from tscript.runtime.session.plugins import Plugin

VARIABLES: dict[str, str] = {
    "TSCRIPT_CACHE_DIR": "where compiled objects are kept",
    "TSCRIPT_CACHE": "off: no cache; ro: read, never write",
    "TSCRIPT_LIBRARY": "off: the native library is compiled here; a path: the image of it that is used",
    "TSCRIPT_INTEROP_THREADS": "how many threads run forked tasks; one for each core if not set",
    "TSCRIPT_INTEROP_EXIT_SECONDS": "how long tasks may run on when the process ends; 10 if not set",
    "TSCRIPT_HUGE_PAGES": "1: memory of 4 MiB and more comes in large pages, where the system has them",
    "TSCRIPT_THREADS": "how many threads one call may use; one for each processor if not set",
    "TSCRIPT_BLAS": "off: kernels multiply matrices by themselves",
    "TSCRIPT_KERNELS": "light: kernels and operators compiled here take a third of the time to compile, and are slower",
    "TSCRIPT_VERIFY": "1: check the IR after every pass",
    "TSCRIPT_PERF_MAP": "1: tell perf where compiled functions lie",
    "TSCRIPT_INTERNAL_FRAMES": "1: tracebacks of errors show the lines of tscript, too",
    "TSCRIPT_API_USAGE_STDERR": "1: print API usage events to stderr",
    "TSCRIPT_DISABLE_PLUGINS": "1: load no plugins",
}
"""Environment variables and what they do."""


def env(
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
    load_plugins: Annotated[
        bool, Option("--load-plugins", help="Load the installed plugins first, to see which of them fail.")
    ] = False,
) -> None:
    """Print versions, CPU, cache, settings and plugins.

    Example: tscript env --json
    """
    plugins = _plugins(load_plugins)
    report = _report()
    if as_json:
        print(json.dumps({**report, "plugins": [plugin._asdict() for plugin in plugins]}, indent=1))
        return
    for key, value in report.items():
        print(f"{key:<28} {value}")
    for plugin in plugins:
        print(f"{'plugin':<28} {plugin}")


def _plugins(load: bool) -> Sequence[Plugin]:
    """The installed plugins. Without `load` nothing of them is imported."""
    from tscript.runtime.session.plugins import current_plugins

    plugins = current_plugins()
    if load:
        plugins.load_hooks()
        plugins.load_operator_libraries()
    return plugins.list()


def _report() -> dict[str, object]:
    import numpy

    from tscript._version import __version__
    from tscript.abi.layout import ABI_VERSION
    from tscript.runtime.session.process import current

    compiler, prebuilt = current().compiler, current().prebuilt
    target, cache = compiler.target, compiler.cache
    report: dict[str, object] = {
        "tscript": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "numpy": numpy.__version__,
        **_compiler(),
        "abi": ABI_VERSION,
        "triple": target.triple,
        "cpu": target.cpu,
        "cpu_features": " ".join(sorted(target.enabled)),
        "library": "compiled here" if prebuilt is None else prebuilt.name,
        "threads": current().threads,
        "cache": f"{cache.path or 'none'} ({cache.mode.value})",
    }
    for name in VARIABLES:
        report[name] = os.environ.get(name, "(not set)")
    return report


def _compiler() -> dict[str, object]:
    """Versions of what compiles."""
    try:
        import llvmlite
    except ModuleNotFoundError:
        return {"llvmlite": "not installed", "llvm": "not installed"}
    from tscript.backend.llvm.library import binding

    return {"llvmlite": llvmlite.__version__, "llvm": ".".join(map(str, binding.llvm_version_info))}
