"""``python -m tests.fuzz``: run random programs; see docs/testing.md."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from tests.fuzz.features import describe, parse_features
from tests.fuzz.files import KINDS, run_files, shown_program
from tests.fuzz.generator import generate
from tests.fuzz.runner import Record, exhaustive, replay


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Random programs, run in every way there is."
    )
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument(
        "--features", default="supported", help="for instance supported,+print,-math (default: %(default)s)"
    )
    parser.add_argument("--state", type=Path, default=Path(".fuzz"), help="folder of the record (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="forget the record")
    parser.add_argument("--no-shrink", action="store_true", help="keep failing programs as they are")
    parser.add_argument("--limit", type=int, default=3, help="how many programs of the same failure are kept")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the programs and run nothing")
    parser.add_argument(
        "--kind",
        choices=("programs", *KINDS),
        default="programs",
        help="what to run: programs, IR that a file brings, mutants of archives, or programs in all places where "
        "compiled code can stand (default: %(default)s)",
    )
    parser.add_argument("--replay", type=Path, help="run a kept program")
    options = parser.parse_args()
    features = parse_features(options.features)
    if options.replay:
        found = replay(options.replay)
        for failure in found:
            print(f"{failure.key}\n{failure.detail}")
        return bool(found)
    if options.kind != "programs":
        return files(options)
    if options.show:
        for seed in range(options.start, options.start + options.count):
            program = generate(seed, features)
            print(f"# seed {seed}: {program.features}\n{program.source}\n# {program.arguments}\n")
        return 0
    record = Record(options.state, features, fresh=options.fresh)
    print(f"features: {describe(features)}", flush=True)
    exhaustive(
        options.start,
        options.count,
        features,
        record,
        shrinking=not options.no_shrink,
        limit=options.limit,
        seconds=options.seconds,
        jobs=options.jobs,
        say=lambda line: print(line, flush=True),
    )
    state = record.state
    print(f"{state['programs']} programs, {state['calls']} calls, {state['raised']} of which raised")
    for key, seeds in sorted(state["found"].items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):6} × {key} (seeds {', '.join(map(str, seeds[:5]))})")
    return bool(state["found"])


def files(options: argparse.Namespace) -> int:
    """``--kind ir`` and ``--kind archives``."""
    if options.show and options.kind == "places":
        for seed in range(options.start, options.start + options.count):
            print(f"# seed {seed}\n{shown_program(seed)}\n")
        return 0
    if options.show:
        from tests.fuzz.ir_graphs import generate_ir
        from tscript.archive.classes import Apart

        for seed in range(options.start, options.start + options.count):
            shown = generate_ir(seed, Apart)
            print(f"# seed {seed}: {shown.classes}\n{shown.text}\n")
        return 0
    record = Record(options.state, options.kind, fresh=options.fresh)
    run_files(
        options.kind,
        options.start,
        options.count,
        record,
        seconds=options.seconds,
        jobs=options.jobs,
        limit=options.limit,
        shrinking=not options.no_shrink,
        say=lambda line: print(line, flush=True),
    )
    state = record.state
    print(f"{state['programs']} of {options.kind}, {state['calls']} ran, {state['raised']} of which raised")
    for key, seeds in sorted(state["found"].items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):6} × {key} (seeds {', '.join(map(str, seeds[:5]))})")
    return bool(state["found"])


if __name__ == "__main__":
    sys.exit(main())
