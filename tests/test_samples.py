"""The samples run as their pages say."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def test_the_fleet_sample_shows_all_of_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SAMPLES / "fleet.py", tmp_path], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "made by {'team': 'digits'" in done.stdout  # producer metadata, read back
    assert "r-0  " in done.stdout and "r-4  " in done.stdout  # requests seen in callbacks
    assert ", 0 faults" in done.stdout
    assert "tscript.script.compile" in done.stdout  # usage events
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        names = {event.get("name") for event in json.load(file)["traceEvents"]}
    assert {"score", "classify", "matmul", "request"} <= names
