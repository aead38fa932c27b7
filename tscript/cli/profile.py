"""``tscript profile``: run a script or a function of an archive, and show where the time goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from tscript.cli.arguments import INPUT_HELP, read
from tscript.cli.errors import ProgramError, UsageError
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output
from tscript.cli.parameters import Argument, Option
from tscript.cli.targets import TARGET_HELP, target


def _map_for_perf(wanted: bool) -> bool:
    """Comes before anything is compiled, by libraries that are imported first for instance."""
    if wanted:
        os.environ["TSCRIPT_PERF_MAP"] = "1"
        print(f"perf map: /tmp/perf-{os.getpid()}.map", file=sys.stderr)
    return wanted


def profile(
    script: Annotated[
        str,
        Argument(
            help=f"A Python script, which is run; or what to call. {TARGET_HELP}", metavar="FILE.py|ARCHIVE[:NAME]"
        ),
    ],
    arguments: Annotated[
        list[str] | None,
        Argument(
            help="Arguments of the script, behind --; or the function of the archive.", metavar="[ENTRY | -- ARGS…]"
        ),
    ] = None,
    inputs: Annotated[list[str] | None, Option("--input", help=f"For archives. {INPUT_HELP}")] = None,
    repeat: Annotated[int, Option("--repeat", least=1, help="How often to call the function of an archive.")] = 10,
    trace: Annotated[
        Path | None, Option("--trace", help="Write a trace file for Perfetto; compressed if it ends in .gz.")
    ] = None,
    sort_by: Annotated[str, Option("--sort-by", help="The column to sort by.")] = "self_cpu_time_total",
    top: Annotated[int, Option("--top", least=1, help="Rows of the table at most.")] = 20,
    operators: Annotated[
        bool, Option("--operators", help="Run without fusion: exact figures of each operator.")
    ] = False,
    shapes: Annotated[bool, Option("--shapes", help="Count different shapes of inputs apart.")] = False,
    memory: Annotated[bool, Option("--memory", help="Show memory too.")] = False,
    sample: Annotated[float, Option("--sample", help="The share of operators to record; figures are scaled up.")] = 1.0,
    perf_map: Annotated[
        bool,
        Option("--perf-map", help="Tell perf where compiled functions lie.", first=True, callback=_map_for_perf),
    ] = False,
    trust_native: Annotated[
        bool, Option("--trust-native", help="Run object code of the archive, which can do anything.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Run a script, or call a function of an archive, and print what took how long.

    Example: tscript profile train.py --trace trace.json.gz --top 10 -- --epochs 2
    """
    from tscript.profiler.table import SORT_KEYS

    if sort_by not in SORT_KEYS:
        raise UsageError(f"--sort-by {sort_by!r}: expected one of {', '.join(SORT_KEYS)}")
    if not 0.0 < sample <= 1.0:
        raise UsageError(f"--sample {sample}: expected more than 0 and at most 1")
    if trace is not None:
        check_output(trace)
    granularity = "operator" if operators else "group"
    root: Any = None
    if (not os.path.exists(script) and ":" in script) or read(Path(script))[:2] == b"PK":
        work, root = _called(script, arguments or [], inputs or [], repeat, trust_native, granularity)
    elif inputs:
        raise UsageError("--input is for archives; what a script gets stands behind --")
    else:
        work = _script_work(Path(script), arguments or [])
    _run(work, root, trace, sort_by, top, shapes, {
        "granularity": granularity,
        "record_shapes": shapes,
        "profile_memory": memory,
        "sampling_prob": sample,
    })  # fmt: skip


def _run(
    work: Callable[[], object],
    root: Any,
    trace: Path | None,
    sort_by: str,
    top: int,
    shapes: bool,
    options: dict[str, Any],
) -> None:
    """Run `work` under a profile; what was recorded is shown even if it fails, of a module by layer first."""
    from tscript.profiler import profile as recording

    recorded = recording(**options)
    try:
        with recorded:
            work()
    finally:
        sys.stdout.flush()
        if recorded.events():
            if root is not None:
                _print_layers(root, recorded.events(), top, options["profile_memory"])
            print(recorded.key_averages(group_by_input_shape=shapes).table(sort_by=sort_by, row_limit=top), end="")
        else:
            print("nothing was recorded: no scripted function and no operator ran", file=sys.stderr)
        if trace is not None:
            recorded.export_chrome_trace(trace)


def _called(
    text: str, names: list[str], inputs: list[str], repeat: int, trust_native: bool, granularity: str
) -> tuple[Callable[[], object], Any]:
    """Calls of what a word names, and the module it is a method of. It has been called once under a profile, so that
    compilation is over."""
    from tscript.profiler import profile

    if len(names) > 1:
        raise UsageError(f"an archive takes the name of one function, found {' '.join(names)}")
    found = target(text, "profile", names[0] if names else None, trust_native=trust_native)
    args, kwargs = found.arguments(inputs)
    with profile(granularity=granularity):
        found.call(args, kwargs)

    def work() -> None:
        for _ in range(repeat):
            found.call(args, kwargs)

    return work, found.own[0] if found.own else None


def _print_layers(module: Any, events: Any, top: int, memory: bool) -> None:
    """What each module took."""
    from tscript.profiler.layers import layer_table, layers_of

    titles = {path: each.original_name for path, each in module.named_modules(remove_duplicate=False)}
    layers = layers_of(events, titles)
    if len(layers) > 1:
        print(layer_table(layers, titles, row_limit=top, memory=memory))


def _script_work(script: Path, arguments: list[str]) -> Callable[[], object]:
    """The script, as ``python script arguments`` runs it."""
    import runpy

    path = str(script)

    def work() -> None:
        before, first = sys.argv, sys.path[0]
        sys.argv, sys.path[0] = [path, *arguments], str(script.resolve().parent)
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as stop:
            if stop.code not in (None, 0):
                raise ProgramError from stop.with_traceback(None)
        except Exception as error:  # noqa: BLE001 - whatever the script raises is its own
            trace = error.__traceback__
            while trace is not None and trace.tb_frame.f_code.co_filename != path:
                trace = trace.tb_next
            raise ProgramError from error.with_traceback(trace)
        finally:
            sys.argv, sys.path[0] = before, first

    return work
