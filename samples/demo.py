"""The main job from end to end: compile `digits.py` with the command line, then use the archive without the source.

make demo
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent


def run(*command: str, folder: str) -> None:
    """Show a command, run it in `folder`, and stop with its exit code if it fails."""
    print("$", " ".join(Path(part).name if Path(part).is_absolute() else part for part in command), flush=True)
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    print(flush=True)


def main() -> None:
    """Compile, inspect, run."""
    with tempfile.TemporaryDirectory() as folder:
        signature = "train(Tensor[float32, 2], Tensor[int64, 1])"
        run(
            "tscript", "compile", str(SAMPLES / "digits.py"), "-o", "digits.tsa",
            "--native", "host", "--signature", signature,
            "--signature", "classify(Tensor[float32, 2], Tensor[float32, 2], Tensor[float32, 1])",
            folder=folder,
        )  # fmt: skip
        run("tscript", "inspect", "digits.tsa", folder=folder)
        run(sys.executable, str(SAMPLES / "digits_report.py"), "digits.tsa", folder=folder)


if __name__ == "__main__":
    main()
