"""The checked mode reports damage, names the operation, and lets the program go on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WANTED = {
    "behind": "written to behind its end",
    "before": "written to in front of its beginning",
    "twice": "was freed",
    "size": "freed as one of another size",
    "after": "written to after it was freed",
    "released": "was freed",
    "misaligned": "misaligned",
    "poison": "cannot be one",
    "count": "count of references is below 1",
    "lost": "2 in other objects",
    "uncounted": "counts fewer values than its 1",
}


def test_damage_is_reported() -> None:
    program = Path(__file__).with_name("corruption.py")
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        env={**os.environ, "TSCRIPT_CHECKED": "1"},
        timeout=300,
        check=False,
    )
    found = dict(line.partition(": ")[::2] for line in done.stdout.splitlines())
    assert "ok" in found, f"{done.returncode}: {done.stdout}\n{done.stderr[-2000:]}"
    for kind, text in WANTED.items():
        assert text in found[kind], f"{kind}: {found[kind]}"
    assert "corruption.py" in done.stderr, "the operation is named"
