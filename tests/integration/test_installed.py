"""The installed package with its native library, in places where nothing can be compiled and nothing written.

With ``TSCRIPT_WHEEL``, the path of a wheel of `tscript-core`, these tests run what is in it.
"""

from __future__ import annotations

import compileall
import marshal
import os
import shutil
import subprocess
import sys
import zipapp
import zipfile
from pathlib import Path

import pytest

import tscript
from tests.shipped import PYTHON, bare, install, run
from tscript.abi.mode import IS_CHECKED
from tscript.types import parse_type

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are images for Linux alone"),
    pytest.mark.skipif(bool(IS_CHECKED), reason="the checked mode has no image"),
]

USE = """
import sys
sys.modules["llvmlite"] = None
import numpy as np
import tscript

def use(archive):
    x = tscript.from_numpy(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    f = tscript.load(archive, trust_native=True)
    print(x.sum().item(), tscript.softmax(x, 1).shape, f.smooth(x).sum().item() > 3, f.greet("ada"))
    try:
        f.item([1, 2], 3)
    except ValueError as error:
        print(error)
    from tscript.runtime.session.process import current
    print(current().prebuilt.name)
"""
SAID = "15.0 (2, 3) True ADA has 3\nno item 3\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed."""
    folder: Path = tmp_path_factory.mktemp("site")
    install(folder)
    (folder / "use.py").write_text(USE)
    return folder


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with native code."""

    def smooth(x: tscript.Tensor) -> tscript.Tensor:
        return tscript.tanh(x * 0.5) + 1.0

    def greet(name: str) -> str:
        return f"{name.upper()} has {len(name)}"

    def item(values: list[int], i: int) -> int:
        try:
            return values[i]
        except IndexError:
            raise ValueError("no item " + str(i)) from None

    path: Path = tmp_path_factory.mktemp("archive") / "functions.tsa"
    functions = {f.__name__: tscript.script(f) for f in (smooth, greet, item)}
    tscript.save(functions, path, native=True, signatures=[("smooth", (parse_type("Tensor[float32, 2]"),))])
    return path


def test_nowhere_to_write(site: Path, archive: Path, tmp_path: Path) -> None:
    """No home, and only folders that cannot be written to, or are none."""
    nowhere = tmp_path / "file"
    nowhere.touch()
    around = {"PYTHONPATH": str(site), "TMPDIR": str(nowhere), "XDG_CACHE_HOME": str(nowhere / "cache")}
    assert run(PYTHON, f"from use import use; use({str(archive)!r})", **around).startswith(SAID)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
@pytest.mark.parametrize("has_proc", [True, False])
def test_a_read_only_root(site: Path, archive: Path, tmp_path: Path, has_proc: bool) -> None:
    """All file systems are read-only, as in a container without write access."""
    root = tmp_path / "root"
    root.mkdir()
    mounts = [f"mount --bind / {root}", f"mount -o remount,bind,ro {root}"]
    if os.stat(site).st_dev != os.stat("/").st_dev:
        mounts += [f"mount --bind /tmp {root}/tmp", f"mount -o remount,bind,ro {root}/tmp"]
    mounts += [f"mount --rbind /proc {root}/proc"] if has_proc else []
    code = f"""
try:
    open("{tmp_path}/new", "w")
except OSError as error:
    print(error.strerror)
from use import use
use({str(archive)!r})
"""
    script = " && ".join([*mounts, f'exec chroot {root} "$@"'])
    command = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"]), "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the system allows no mounts")
    assert run([*command, *PYTHON], code, PYTHONPATH=str(site)).startswith(f"Read-only file system\n{SAID}")


def test_a_zipapp(site: Path, archive: Path, tmp_path: Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(site, app, ignore=shutil.ignore_patterns("__pycache__"))
    (app / "__main__.py").write_text("import sys\nfrom use import use\nuse(sys.argv[1])\n")
    zipapp.create_archive(app, tmp_path / "app.pyz", compressed=True)
    shutil.rmtree(app)
    assert run([*PYTHON, tmp_path / "app.pyz", archive]) == f"{SAID}memory\n"


def test_byte_code_alone(site: Path, archive: Path, tmp_path: Path) -> None:
    """There are no sources."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder, quiet=1, legacy=True, optimize=2)
    for source in folder.rglob("*.py"):
        source.unlink()
    around = {"PYTHONPATH": str(folder)}
    assert run(PYTHON, f"from use import use; use({str(archive)!r})", **around).startswith(SAID)


PROGRAM = """
import importlib.abc, importlib.machinery, importlib.resources, marshal, sys, zipfile

class Loader(importlib.abc.Loader):
    # Modules that are compiled into a program: they have no files, and data are read through importlib.
    def __init__(self, path):
        self.program = zipfile.ZipFile(path)
        self.names = set(self.program.namelist())

    def find_spec(self, name, path=None, target=None):
        for end in "/__init__.code", ".code":
            if name.replace(".", "/") + end in self.names:
                spec = importlib.machinery.ModuleSpec(name, self, is_package=end[0] == "/")
                spec.loader_state = name.replace(".", "/") + end
                return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(marshal.loads(self.program.read(module.__spec__.loader_state)), vars(module))
        assert not hasattr(module, "__file__")

    def get_resource_reader(self, name):
        return Reader(zipfile.Path(self.program, name.replace(".", "/") + "/"))

class Reader:
    def __init__(self, path):
        self.path = path

    def files(self):
        return self.path

sys.meta_path.insert(0, Loader(sys.argv[1]))
from use import use
use(sys.argv[2])
import tscript.explaining
print(tscript.explaining.explanations()["TS507"].name, "tscript_ops.h" in tscript.get_include())
"""


def test_modules_without_files(site: Path, archive: Path, tmp_path: Path) -> None:
    """Modules that are compiled into a program have no `__file__`."""
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as made:
        for file in sorted(site.rglob("*")):
            name = str(file.relative_to(site))
            if file.suffix == ".py":
                code = compile(file.read_text(), f"<frozen {name}>", "exec", dont_inherit=True, optimize=2)
                made.writestr(name.removesuffix(".py") + ".code", marshal.dumps(code))
            elif file.is_file() and "__pycache__" not in name:
                made.write(file, name)
    (tmp_path / "program.py").write_text(PROGRAM)
    found = run([*PYTHON, tmp_path / "program.py", tmp_path / "program.zip", archive])
    assert found == f"{SAID}memory\nSourceNotInstalled False\n"


def test_memory_stats_tell_of_the_library(site: Path) -> None:
    code = """
    import tscript
    x = tscript.ones(3)
    before = tscript.memory_stats()
    x.sum()
    after = tscript.memory_stats()
    print(0 < before["library_resident"] <= before["library_bytes"] == after["library_bytes"])
    print(before["library_functions"] < after["library_functions"])
    """
    assert run(PYTHON, code, PYTHONPATH=str(site)) == "True\nTrue\n"


def test_resources(site: Path) -> None:
    code = """
    from importlib import resources
    print(len(list(resources.files("tscript").joinpath("native").iterdir())) > 0)
    print(resources.files("tscript").joinpath("include", "tscript_ops.h").is_file())
    """
    assert run(PYTHON, code, PYTHONPATH=str(site)) == "True\nTrue\n"


SHARED = """
import sys
from use import use
use(sys.argv[1])
sys.stdin.readline()
sizes, inside = {}, False
for line in open("/proc/self/smaps"):
    words = line.split()
    if "-" in words[0]:
        inside = line.rstrip().endswith(".image")
    elif inside and words[-1] == "kB":
        sizes[words[0]] = sizes.get(words[0], 0) + int(words[1])
print(sizes["Rss:"], sizes["Private_Dirty:"], sizes["Pss:"], flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_a_hundred_processes_at_once(site: Path, archive: Path) -> None:
    """They start at once, and have the pages of the library that hold code in common."""
    command, around = [*PYTHON, "-u", "-c", SHARED, str(archive)], bare(PYTHONPATH=str(site), OPENBLAS_NUM_THREADS="1")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    started = [subprocess.Popen(command, env=around, cwd="/", text=True, **pipes) for _ in range(100)]  # type: ignore[call-overload]
    try:
        for process in started:
            assert "".join(process.stdout.readline() for _ in SAID.splitlines()) == SAID
            assert process.stdout.readline().endswith(".image\n")
        sizes = []
        for process in started:  # all of them are there
            process.stdin.write("\n")
            process.stdin.flush()
            sizes.append([int(n) for n in process.stdout.readline().split()])
    finally:
        for process in started:
            process.kill()
            process.communicate()
    resident, own, share = (sorted(column)[50] for column in zip(*sizes, strict=True))
    # What holds addresses is written where something of it is used.
    assert own < resident / 2
    assert share < own + (resident - own) / 20
