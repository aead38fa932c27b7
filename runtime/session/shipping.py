"""The prebuilt native library: what is in it, and how it is made.

A library is one image for each level (`tscript.abi.levels`). What is in it are parts. Each kind of part is a
`Contributor` in `CONTRIBUTORS`: it lists the names of its parts, and makes one of them with a compiler for the level.
So more is added to the library like this:

- A new kind of part is a new `Contributor`. Its `make` returns a `Part`: an object with the symbols that it exports.
  The compiler gives each function and constant a section of its own, by which the linker shares what is equal.
- Code that a program finds by something other than a symbol has records: `Part.records` maps a text key to bytes, which
  `Prebuilt.record(key)` gives back without looking at code. A record says what is to be known of the code, its symbol
  first; `Prebuilt.address(symbol)` is its address.
- Symbols that parts export are seen by all parts (unless a part is not open). All others are resolved when a function
  that needs them is first asked for (`Prebuilt.resolve`).
- Of some kernels there are variants for better processors than those of the level. A process takes the best it runs.
- Parts are never unloaded: their code has no `tscript.abi.symbols.LOADED`. What is emitted with `safepoints=False` has
  none.

Parts are made by several processes, each with a compiler of its own.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

from tscript.abi.levels import X86_64_V3, X86_64_V4, Level, level_of
from tscript.abi.python import TUPLE_ITEMS
from tscript.abi.signature import Signature, parse_signature
from tscript.backend.llvm.target import Target
from tscript.backend.loader.prebuilt import BOUNDARY, POOL
from tscript.backend.loader.prebuilt_linker import Linked, Part, link
from tscript.backend.stubs.module import stubs_module
from tscript.late import dataclass, replace
from tscript.pipeline import Compiler, Options
from tscript.runtime.boundary.dialect_modules import emit_modules, exports_of
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.native_module import COMMON_SIGNATURES
from tscript.runtime.boundary.pool.module import MODULES as POOL_MODULES
from tscript.runtime.session.build import BOUNDARY as SOURCES
from tscript.runtime.session.build import compiled_kernel
from tscript.runtime.session.eager_forms import operator_names
from tscript.runtime.session.eager_parts import names_part, operator_part, signatures
from tscript.runtime.session.instances import kernel_symbols

SIGNATURES = (
    *("O<p>:O<p>", "O<p>:i", "O<p>:f", "O<p>:b", "O<p>:N", "O<p>:T", "M<p>:N", "M<p>:O<p>", "M<p>:i", "M<p>:f"),
    *("O<p>O<p>:O<p>", "O<p>O<p>:i", "O<p>O<p>:b", "O<p>i:O<p>", "O<p>i:i", "O<p>f:f", "O<p>T:T", "TO<p>:T"),
    *("M<p>i:N", "M<p>i:i", "M<p>M<p>:O<p>", "M<p>O<p>:O<p>", "M<p>O<p>:N", "M<p>T:T", "TM<p>:T"),
    *("i:O<p>", "f:O<p>", "ii:O<p>", ":O<p>", "T:O<p>", "b:O<p>", "TT:(TT)", "TT:(Tf)", "T:(TT)", "T:(Tf)", "TTTT:T"),
    *("TTi:T", "Tif:T", "Tff:T", "TTT:(TT)", "TT:f", "TT:i", "TT:b", "iii:i", "fff:f", "iif:f", "bb:b", "fi:i", "Tb:N"),
    *(
        "A:A",
        "AA:A",
        "AAA:A",
        "Ai:A",
        "Af:A",
        "AAi:A",
        "AAf:A",
        "Aii:A",
        "Aif:A",
        "Aff:A",
        "i:A",
        "f:A",
        "ii:A",
        "iii:A",
    ),
    *("A:N", "AA:N", "AAA:N", "Ai:N", "AAi:N", "AAAi:N", "A:6", "AA:6", "Ai:6", "A:5", "AA:5", "A:4", "AA:4", "Ai:4"),
    *("A:i", "AA:i", "Ai:i", "A:f", "AA:f", "Ai:f", "A:b", "AA:b", "A:(AA)", "AA:(AA)", "Ai:(AA)", "A:O<p>"),
)
"""Signatures whose stubs are in the library, beside those of the boundary."""


BETTER = {X86_64_V3.name: X86_64_V4}
"""Levels whose images have variants of kernels for processors of a better level, and that level."""

VARIED = re.compile(
    r"ts_((mm|matmul|bmm)\$(u8|i8|i32|i64|f32)|(amax|amin)\$f32|(argmax|argmin|max_dim|min_dim)\$f(32|64)"
    r"|convolve\$f(32|64)|(sum_all|sum_dim|prod_dim)\$[ui]8\$i64|(prod_dim\$i64|dot)\$i64)_v1"
)
"""The kernels with variants: those that wider vectors make faster by more than a fifth (``docs/performance.md``)."""


@dataclass(frozen=True, slots=True)
class Contributor:
    """A kind of part.

    Attributes:
        kind: What the names of its parts begin with.
        names: Lists them, without the kind.
        make: Makes one.
    """

    kind: str
    names: Callable[[], Sequence[str]]
    make: Callable[[Compiler, str], Part]


@dataclass(frozen=True, slots=True)
class Built:
    """A library that was built.

    Attributes:
        linked: Its image.
        parts: How many parts it has.
        seconds: Processor time that it took, of all processes.
    """

    linked: Linked
    parts: int
    seconds: float


def compiler_for(level: Level) -> Compiler:
    """A compiler for a level."""
    compiler = Compiler(Options(sectioned=True, light_kernels=False))
    compiler.target = Target(level.triple, level.cpu, level.features)
    return compiler


def _module(compiler: Compiler, name: str) -> Part:
    exports = exports_of(POOL_MODULES) if name == POOL else (*exports_of(MODULES), *common_stubs())
    # The pool has to be made before its functions are called: others ask for them by name.
    return Part(name, own_module(compiler, name), tuple(sorted(exports)), is_module=True, is_open=name != POOL)


def common_stubs() -> list[str]:
    """The symbols of the stubs in the module of the boundary."""
    return [parse_signature(s).symbol for s in COMMON_SIGNATURES]


def own_module(compiler: Compiler, name: str) -> bytes:
    """The object of the boundary or of the pool."""
    if name == POOL:
        return compiler.module(partial(emit_modules, POOL_MODULES, compiler.target), POOL, *SOURCES)
    common = [parse_signature(s) for s in COMMON_SIGNATURES]
    write = partial(emit_modules, MODULES, compiler.target, common, TUPLE_ITEMS)
    return compiler.module(write, f"{BOUNDARY} {TUPLE_ITEMS}", *SOURCES)


def _kernel(compiler: Compiler, symbol: str) -> Part:
    return Part(symbol, compiled_kernel(compiler, symbol).object, (symbol,))


def varied() -> list[str]:
    """The symbols of the kernels that have variants."""
    return [symbol for symbol in kernel_symbols() if VARIED.fullmatch(symbol)]


def _variants() -> list[str]:
    return [f"{level.name} {symbol}" for level in BETTER.values() for symbol in varied()]


def _variant(compiler: Compiler, name: str) -> Part:
    level, _, symbol = name.partition(" ")
    compiler = _kept_compiler(level_of(level))
    return Part(name, compiled_kernel(compiler, symbol).object, (symbol,), level=level)


def _stub(compiler: Compiler, text: str) -> Part:
    signature = parse_signature(text)
    return Part(text, stubs_object(compiler, [signature]), (signature.symbol,))


def stubs_object(compiler: Compiler, signatures: Sequence[Signature]) -> bytes:
    """The object of the stubs of some signatures."""
    return compiler.build(stubs_module(signatures, TUPLE_ITEMS, compiler.target))


def _operator_stubs(compiler: Compiler, name: str) -> Part:
    """The stubs that operators need and that are not there yet."""
    known = {*COMMON_SIGNATURES, *SIGNATURES}
    wanted = [s for s in signatures(compiler, operator_names()) if str(s) not in known]
    return Part(name, stubs_object(compiler, wanted), tuple(s.symbol for s in wanted))


CONTRIBUTORS: tuple[Contributor, ...] = (
    Contributor("module", lambda: (BOUNDARY, POOL), _module),
    Contributor("stub", lambda: [s for s in SIGNATURES if s not in COMMON_SIGNATURES], _stub),
    Contributor("kernel", kernel_symbols, _kernel),
    Contributor("variant", _variants, _variant),
    Contributor("operator", operator_names, operator_part),
    Contributor("names", lambda: ("operators",), names_part),
    Contributor("stubs", lambda: ("operators",), _operator_stubs),
)


def names(chosen: str = "") -> list[str]:
    """The names of the parts, each with its kind; of those that `chosen`, a regular expression, finds something in.

    Example:
        >>> names("^module")
        ['module boundary', 'module pool']
    """
    listed = [f"{c.kind} {name}" for c in CONTRIBUTORS for name in c.names()]
    return [name for name in listed if re.search(chosen, name)]


def part(compiler: Compiler, name: str) -> Part:
    """Make a part."""
    kind, _, rest = name.partition(" ")
    contributor = next(c for c in CONTRIBUTORS if c.kind == kind)
    return contributor.make(compiler, rest)


def build(
    level: Level,
    chosen: Sequence[str] | None = None,
    jobs: int = 1,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> Built:
    """Build the image of a level.

    Args:
        level: The level.
        chosen: Names of parts; None: all.
        jobs: How many processes compile. With one, this process does.
        tell: Called with the number of parts that are done, and of all.
    """
    better = BETTER.get(level.name)
    wanted = [
        name
        for name in (names() if chosen is None else chosen)
        if not name.startswith("variant ") or (better is not None and name.startswith(f"variant {better.name} "))
    ]
    # Others ask for those that have variants by name, and get the one that fits.
    asked = {name.rpartition(" ")[2] for name in wanted if name.startswith("variant ")}
    made: list[Part] = []
    seconds = -time.process_time()
    for one, spent in _made(level, wanted, jobs):
        made.append(replace(one, is_open=False) if one.name in asked else one)
        seconds += spent
        tell(len(made), len(wanted))
    linked = link(made, tuple_items=TUPLE_ITEMS, about=f"tscript native library, {level.name}")
    return Built(linked, len(made), seconds + time.process_time())


def fill(chosen: str = "", jobs: int = 1) -> tuple[int, float]:
    """Compile what is not in the cache of this machine yet: kernels, the boundary, the pool.

    Args:
        chosen: A regular expression that finds something in the names of what is wanted.
        jobs: How many processes compile.

    Returns:
        How many were compiled, and the processor time.
    """
    wanted = [name for name in names(chosen) if name.startswith(("kernel ", "module "))]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context) as executor:
        done = list(executor.map(_filled, wanted))
    return sum(new for new, _ in done), sum(seconds for _, seconds in done)


def _filled(name: str) -> tuple[bool, float]:
    """Put one object into the cache: whether it was not there, and the processor time."""
    start = time.process_time()
    compiler = _own_compiler()
    misses = compiler.cache.stats.misses
    kind, _, rest = name.partition(" ")
    if kind == "kernel":
        compiled_kernel(compiler, rest)
    else:
        own_module(compiler, rest)
    return compiler.cache.stats.misses > misses, time.process_time() - start


@cache
def _own_compiler() -> Compiler:
    return Compiler()


def _made(level: Level, wanted: Sequence[str], jobs: int) -> Iterator[tuple[Part, float]]:
    if jobs == 1:
        compiler = compiler_for(level)
        for name in wanted:
            yield part(compiler, name), 0.0
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context) as executor:
        yield from executor.map(partial(_timed, level), wanted)


def _timed(level: Level, name: str) -> tuple[Part, float]:
    """A part, and the processor time that it took; run in a process of its own."""
    start = time.process_time()
    return part(_kept_compiler(level), name), time.process_time() - start


@cache
def _kept_compiler(level: Level) -> Compiler:
    return compiler_for(level)


__all__ = ["CONTRIBUTORS", "Built", "Contributor", "build", "compiler_for", "names", "part"]
