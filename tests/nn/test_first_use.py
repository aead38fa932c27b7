"""Whichever name of a module's functions a process uses first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """
from tscript import nn
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""

WAYS = {
    "tscript.jit.script": "import tscript as torch{module}print(torch.jit.script(Net())(torch.ones(2)))",
    "tscript.jit": "from tscript.jit import script{module}import tscript\nprint(script(Net())(tscript.ones(2)))",
    "tscript.api": "from tscript.api import script{module}import tscript\nprint(script(Net())(tscript.ones(2)))",
    "install_as_torch": (
        "import tscript\ntscript.install_as_torch()\nimport torch{module}print(torch.jit.script(Net())(torch.ones(2)))"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_module_is_scripted(way: str, tmp_path: Path) -> None:
    """`tscript.script` need not have been used before."""
    path = tmp_path / "program.py"
    path.write_text(WAYS[way].format(module=MODULE))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False, timeout=300)
    assert (done.stdout, done.stderr) == ("tensor([2., 2.])\n", "")


def test_an_archive_of_a_module_is_loaded(tmp_path: Path) -> None:
    """By `tscript.jit.load`, in a process that has used nothing else."""
    save = f"import tscript.jit{MODULE}\ntscript.jit.save(tscript.jit.script(Net()), 'net.tsa')"
    load = "import tscript as torch\nnet = torch.jit.load('net.tsa')\nprint(net(torch.ones(2)))"
    for text, printed in ((save, ""), (load, "tensor([2., 2.])\n")):
        path = tmp_path / "program.py"
        path.write_text(text)
        done = subprocess.run(
            [sys.executable, path], capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path
        )
        assert (done.stdout, done.stderr) == (printed, "")
