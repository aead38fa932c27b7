"""Plugins of distributions that are folders in `sys.path`, each in a process of its own; and what is never paid for."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tscript.runtime.session.plugin_search import name_of
from tscript.runtime.session.plugins import Plugins, PluginState

Distribution = Callable[..., None]


@pytest.fixture
def distribution(tmp_path: Path) -> Distribution:
    """`distribution("fleet", "[tscript.hooks]\\na = m:f", m="def f(): ...")` installs metadata and modules in
    `tmp_path`."""

    def install(name: str, entry_points: str | None, version: str = "1.0", folder: str = ".", **modules: str) -> None:
        where = tmp_path / folder
        info = where / f"{name}-{version}.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if entry_points is not None:
            (info / "entry_points.txt").write_text(entry_points)
        for module, text in modules.items():
            (where / f"{module}.py").write_text(textwrap.dedent(text))

    return install


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`program("text")` runs it with what is installed; it must end well and in time."""

    def run(text: str, *path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(text))
        old = os.environ.get("PYTHONPATH", "")
        folders = os.pathsep.join([*map(str, path or [tmp_path]), *([old] if old else [])])
        done = subprocess.run(
            [sys.executable, str(file)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": folders, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    return run


HOOK = "[console_scripts]\nx = y:z\n\n[tscript.hooks]\nfleet = fleet:start\n"

COUNTING = """
    import tscript
    calls = []
    def start():
        calls.append(len(calls))
        tscript.set_api_usage_handler(calls.append)
"""


@pytest.mark.parametrize(
    "use",
    [
        "tscript.script(f)",
        "tscript.tensor([1.0]) + 1",
        "tscript.zeros(2)",
        "tscript.load('nothing.tsa')",
        "__import__('tscript.api').api.functions_of_file(__import__('pathlib').Path('program.py'))",
    ],
)
def test_hooks_are_called_at_the_first_use_and_once(distribution, program, use: str):
    distribution("fleet", HOOK, fleet=COUNTING)
    program(f"""
        import sys, tscript
        import tscript.runtime.session.process
        tscript.float32, tscript.set_api_usage_handler, tscript.script
        assert "fleet" not in sys.modules
        def f(n: int) -> int:
            return n
        try:
            {use}
        except FileNotFoundError:
            pass
        import fleet
        first = list(fleet.calls)
        assert first[:2] == [0, "tscript.python.import"], first
        tscript.script(f)(1)
        assert fleet.calls.count(0) == 1 and 1 not in fleet.calls
        assert "tscript.plugin.hook" in fleet.calls
    """)


def test_a_hook_is_called_before_the_first_compilation(distribution, program):
    distribution("fleet", HOOK, fleet=COUNTING)
    program("""
        import tscript
        @tscript.script
        def f(n: int) -> int:
            return n
        import fleet
        assert fleet.calls.index("tscript.script.compile") > fleet.calls.index("tscript.plugin.hook")
    """)


def test_callbacks_of_a_hook_see_the_first_operator(distribution, program):
    distribution(
        "fleet",
        HOOK,
        fleet="""
            import tscript
            names = []
            def start():
                tscript.add_global_callback(lambda record: names.append((record.scope.name, record.name)))
        """,
    )
    program("""
        import tscript
        tscript.zeros(2)
        import fleet
        assert ("OPERATOR", "zeros") in fleet.names, fleet.names
    """)


def test_callbacks_of_a_hook_see_the_first_load(distribution, program):
    distribution(
        "fleet",
        HOOK,
        fleet="""
            import tscript
            scopes = []
            def start():
                tscript.add_global_callback(lambda record: scopes.append(record.scope.name))
        """,
    )
    program("""
        import tscript
        try:
            tscript.load("nothing.tsa")
        except FileNotFoundError:
            pass
        import fleet
        assert fleet.scopes == ["LOAD"], fleet.scopes
    """)


def test_a_hook_may_use_tscript_and_threads(distribution, program):
    distribution(
        "fleet",
        HOOK,
        fleet="""
            import threading, tscript
            import tscript.runtime.session.plugins as plugins
            plugins.LONGEST_WAIT = 0.5
            done = []
            def start():
                assert (tscript.tensor([1.0]) + 1).item() == 2
                def work():
                    done.append((tscript.tensor([1.0]) * 3).item())
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
                done.append("end")
        """,
    )
    program("""
        import tscript
        x = tscript.tensor([1.0])
        x * 3
        import fleet
        assert fleet.done == [3.0, "end"], fleet.done
    """)


def test_other_threads_wait_for_hooks(distribution, program):
    distribution(
        "fleet",
        HOOK,
        fleet="""
            import time
            done = []
            def start():
                time.sleep(0.3)
                done.append("hook")
        """,
    )
    program("""
        import threading, tscript
        tscript.tensor([1.0])
        barrier = threading.Barrier(4)
        def work():
            barrier.wait()
            tscript.zeros(2)
            import fleet
            fleet.done.append("use")
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        import fleet
        assert fleet.done == ["hook"] + ["use"] * 4, fleet.done
    """)


@pytest.mark.parametrize(
    ("value", "module", "told"),
    [
        ("fleet:start", "def start(): raise ConnectionError('no such host')", "ConnectionError: no such host"),
        ("fleet:start", "1 / 0", "ZeroDivisionError: division by zero"),
        ("fleet:start", "", "AttributeError: module 'fleet' has no attribute 'start'"),
        ("fleet:start", "def start(wanted): pass", "TypeError: start() missing 1 required positional argument"),
        ("fleet:start", "start = 3", "TypeError: fleet:start is a int, expected a callable"),
        ("fleet", "", "TypeError: fleet is a module, expected a callable"),
        ("nowhere:start", "", "ModuleNotFoundError: No module named 'nowhere'"),
        ("not a value", "", "AttributeError"),
    ],
)
def test_a_failing_hook_is_told_once_and_skipped(distribution, program, value: str, module: str, told: str):
    distribution("aaa", f"[tscript.hooks]\nbroken = {value}\n", fleet=module)
    distribution("zzz", "[tscript.hooks]\ngood = good:start\n", good="calls = []\ndef start(): calls.append(1)\n")
    done = program("""
        from tscript.runtime.session.hooks import load_hooks
        from tscript.runtime.session.plugins import current_plugins
        load_hooks()
        load_hooks()
        import good
        assert good.calls == [1]
        print([str(p.state) for p in current_plugins().list()])
    """)
    assert done.stdout == "['failed', 'loaded']\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "program.py" in done.stderr
    assert "plugin 'broken' of group tscript.hooks" in done.stderr
    assert "distribution aaa 1.0" in done.stderr
    assert told in done.stderr


def test_warnings_that_are_errors_do_not_break_the_program(distribution, program):
    distribution("fleet", HOOK, fleet="1 / 0")
    done = program("import tscript; print((tscript.ones(1) + 1).item())", PYTHONWARNINGS="error")
    assert done.stdout == "2.0\n"
    assert "ZeroDivisionError" in done.stderr


def test_switched_off(distribution, program):
    distribution("fleet", HOOK, fleet="1 / 0")
    distribution("signal", "[tscript.ops]\nsignal = fleet\n")
    done = program(
        """
        import tscript
        tscript.zeros(1)
        from tscript.runtime.session.plugins import OperatorLibraryError, current_plugins
        from tscript.runtime.session.plugins import load_operator_libraries, load_operator_library
        print([str(p.state) for p in current_plugins().list()], load_operator_libraries())
        try:
            load_operator_library("signal")
        except OperatorLibraryError as error:
            print(error)
        """,
        TSCRIPT_DISABLE_PLUGINS="1",
    )
    assert done.stderr == ""
    assert done.stdout == (
        "['switched off', 'switched off'] 0\n"
        "the operator library 'signal' (fleet, distribution signal 1.0) is switched off by TSCRIPT_DISABLE_PLUGINS\n"
    )


def test_operator_libraries(distribution, program):
    distribution(
        "signal",
        "[tscript.ops]\nmodule = signal_ops\nfunction = signal_ops:define\nbroken = nowhere\n"
        "number = signal_ops:number\n",
        signal_ops="calls = []\nnumber = 3\ndef define(): calls.append('define')\n",
    )
    done = program("""
        import sys
        import tscript
        from tscript.runtime.session import plugins
        from tscript.runtime.session.plugins import OperatorLibraryError, load_operator_library, operator_libraries
        tscript.zeros(1)
        states = {p.name: str(p.state) for p in operator_libraries()}
        assert states == dict.fromkeys(("module", "function", "broken", "number"), "not loaded")
        assert "signal_ops" not in sys.modules
        assert load_operator_library("module").state == "loaded"
        import signal_ops
        assert signal_ops.calls == []
        for name in ("broken", "number", "nothing"):
            try:
                load_operator_library(name)
            except OperatorLibraryError as error:
                print(error.name, "|", error, "|", repr(error.__cause__))
        assert plugins.load_operator_libraries() == 1
        assert plugins.load_operator_libraries() == 0
        load_operator_library("function")
        assert signal_ops.calls == ["define"]
    """)
    assert done.stderr == "", "what was told as an error is not told again"
    broken, number, nothing = done.stdout.splitlines()
    assert broken.startswith(
        "broken | the operator library 'broken' (nowhere, distribution signal 1.0) fails to load: ModuleNotFoundError"
    )
    assert broken.endswith("| ModuleNotFoundError(\"No module named 'nowhere'\")")
    assert "signal_ops:number is a int, expected a module or a callable" in number
    assert nothing == (
        "nothing | the operator library 'nothing' is not installed (installed: broken, function, module, number); "
        "install the distribution that has it as an entry point of group tscript.ops | None"
    )


def test_all_operator_libraries_at_once(distribution, program):
    distribution("signal", "[tscript.ops]\ngood = good\nbroken = nowhere\n", good="")
    done = program("""
        from tscript.runtime.session.plugins import load_operator_libraries
        assert load_operator_libraries() == 1
        assert load_operator_libraries() == 0
    """)
    assert done.stderr.count("RuntimeWarning") == 1
    assert "plugin 'broken' of group tscript.ops" in done.stderr


def test_eight_threads_load_a_library_once(distribution, program):
    distribution(
        "signal",
        "[tscript.ops]\nsignal = signal_ops:define\n",
        signal_ops="""
            import time
            calls = []
            def define():
                time.sleep(0.2)
                calls.append(1)
        """,
    )
    program("""
        import threading
        from tscript.runtime.session.plugins import load_operator_library
        import signal_ops
        found = []
        def work():
            load_operator_library("signal")
            found.append(list(signal_ops.calls))
        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
        assert found == [[1]] * 8, found
    """)


def test_a_library_that_loads_itself(distribution, program):
    distribution(
        "signal",
        "[tscript.ops]\nsignal = signal_ops:define\n",
        signal_ops="""
            from tscript.runtime.session.plugins import OperatorLibraryError, load_operator_library
            def define():
                try:
                    load_operator_library("signal")
                except OperatorLibraryError as error:
                    print(error)
        """,
    )
    done = program("""
        from tscript.runtime.session.plugins import load_operator_library
        print(load_operator_library("signal").state)
    """)
    assert done.stdout.splitlines() == [
        "the operator library 'signal' (signal_ops:define, "
        "distribution signal 1.0) is being loaded and has not come to an end",
        "loaded",
    ]


LIST = """
    import sys
    from tscript.runtime.session.plugins import Plugins
    for plugin in Plugins().list():
        print(plugin)
    print("importlib.metadata" in sys.modules)
"""


def test_nothing_is_imported_where_there_are_no_plugins(distribution, program):
    distribution("other", "[console_scripts]\ntscript.hooks = a:b\n[other.tscript.hooks]\nx = y\n# [tscript.hooks]\n")
    distribution("empty", None)
    assert program(LIST).stdout == "False\n"


def test_listing(distribution, program):
    distribution("b_ops", "[tscript.ops]\nsignal = signal_ops\n", version="2.1")
    distribution("fleet", "  [tscript.hooks]\nfleet = fleet:start [extra]\n")
    assert program(LIST).stdout.splitlines() == [
        "tscript.hooks fleet = fleet:start [extra] (fleet 1.0), not loaded",
        "tscript.ops signal = signal_ops (b_ops 2.1), not loaded",
        "True",
    ]


def test_the_first_distribution_of_a_name_counts(distribution, program, tmp_path: Path):
    distribution("my_fleet", "[tscript.hooks]\nnew = new:start\n", version="2.0", folder="first")
    distribution("My.Fleet", "[tscript.hooks]\nold = old:start\n", folder="second")
    distribution("shadowing", None, version="2.0", folder="first")
    distribution("shadowing", "[tscript.hooks]\nshadowed = old:start\n", folder="second")
    shown = program(LIST, tmp_path / "first", tmp_path / "missing", tmp_path / "second").stdout
    assert shown == "tscript.hooks new = new:start (my_fleet 2.0), not loaded\nTrue\n"


def test_other_kinds_of_distributions(program, tmp_path: Path):
    (tmp_path / "lib" / "dev.egg-info").mkdir(parents=True)
    (tmp_path / "lib" / "dev.egg-info" / "PKG-INFO").write_text("Name: dev\nVersion: 3\n")
    (tmp_path / "lib" / "dev.egg-info" / "entry_points.txt").write_text("[tscript.hooks]\ndev = dev:start\n")
    (tmp_path / "lib" / "file.egg-info").write_text("Name: file\n")
    (tmp_path / "one-1.0-py3.egg" / "EGG-INFO").mkdir(parents=True)
    (tmp_path / "one-1.0-py3.egg" / "EGG-INFO" / "PKG-INFO").write_text("Name: one\nVersion: 1.0\n")
    (tmp_path / "one-1.0-py3.egg" / "EGG-INFO" / "entry_points.txt").write_text("[tscript.hooks]\none = one:start\n")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as file:
        file.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        file.writestr("packed-1.0.dist-info/entry_points.txt", "[tscript.ops]\npacked = packed\n")
    (tmp_path / "no.zip").write_text("not a zip file")
    paths = [tmp_path / name for name in ("lib", "one-1.0-py3.egg", "packed.zip", "no.zip")]
    assert program(LIST, *paths).stdout.splitlines() == [
        "tscript.hooks dev = dev:start (dev 3), not loaded",
        "tscript.hooks one = one:start (one 1.0), not loaded",
        "tscript.ops packed = packed (packed 1.0), not loaded",
        "True",
    ]


def test_finders_of_other_kinds(program, tmp_path: Path, distribution):
    distribution("hidden", "[tscript.hooks]\nhidden = hidden:start\n", folder="elsewhere")
    text = f"""
        import sys, importlib.metadata
        from pathlib import Path
        class Finder:
            @staticmethod
            def find_spec(*_): return None
            @staticmethod
            def find_distributions(context):
                yield importlib.metadata.Distribution.at(Path({str(tmp_path)!r}) / "elsewhere" / "hidden-1.0.dist-info")
        class Broken(Finder):
            @staticmethod
            def find_distributions(context):
                raise OSError("gone")
        sys.meta_path += [Broken, Finder]
        from tscript.runtime.session.plugins import Plugins
        print(*Plugins().list())
    """
    done = program(text)
    assert done.stdout == "tscript.hooks hidden = hidden:start (hidden 1.0), not loaded\n"
    assert "distributions cannot be listed, their plugins are skipped: OSError: gone" in done.stderr


def test_metadata_that_cannot_be_read(program, tmp_path: Path, distribution):
    distribution("good", "[tscript.hooks]\ngood = good:start\n")
    broken = tmp_path / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"[tscript.hooks]\nx = \xff\xfe:y\n")
    done = program(LIST)
    assert done.stdout.startswith("tscript.hooks good")
    assert "broken-1.0.dist-info cannot be read, its plugins are skipped: UnicodeDecodeError" in done.stderr


def test_a_forked_child_has_what_hooks_registered(distribution, program):
    distribution("fleet", HOOK, fleet=COUNTING)
    program("""
        import os, tscript
        tscript.zeros(1)
        import fleet
        if (pid := os.fork()) == 0:
            tscript.ones(1)
            os._exit(fleet.calls.count(0) != 1)
        assert os.waitpid(pid, 0)[1] == 0
    """)


def test_names_of_distributions():
    assert name_of("lib/My_Ops.x-1.0.dist-info") == "my-ops-x"
    assert name_of("lib/one-1.0-py3.egg/EGG-INFO") == "one"
    assert name_of("dev.egg-info") == "dev"


def test_states_are_texts():
    assert f"{PluginState.NOT_LOADED}" == "not loaded"
    assert Plugins().operator_libraries() == ()


SIGNAL = """
    import tscript
    from tscript import Tensor
    lib = tscript.library.Library("signal")
    @lib.custom_op("triple", result_like="x")
    def triple(x: Tensor) -> Tensor:
        return x * 3
"""


def test_operators_of_a_plugin_are_there_when_they_are_named(distribution, program):
    """Eagerly, in scripts and in archives; nothing is imported before."""
    distribution("signal", "[tscript.ops]\nsignal = signal_ops\n", signal_ops=SIGNAL)
    done = program("""
        import sys, tscript
        x = tscript.tensor([1.0])
        assert "signal_ops" not in sys.modules
        print(tscript.ops.signal.triple(x), hasattr(tscript.ops, "nothing"), hasattr(tscript.ops, "linalg"))
    """)
    assert done.stdout == "tensor([3.]) False False\n"
    done = program("""
        import sys, tscript
        @tscript.script
        def f(x):
            return tscript.ops.signal.triple(x) + 1.0
        tscript.save(f, "f.tsa")
        print(f(tscript.tensor([1.0])))
    """)
    assert done.stdout == "tensor([4.])\n"
    done = program("""
        import sys, tscript
        f = tscript.load("f.tsa")
        assert "signal_ops" in sys.modules
        print(f(tscript.tensor([1.0])))
    """)
    assert done.stdout == "tensor([4.])\n"
    done = program(
        """
        import tscript
        try:
            tscript.load("f.tsa")
        except tscript.MissingOperatorError as error:
            print(error.operator, error)
        """,
        TSCRIPT_DISABLE_PLUGINS="1",
    )
    assert done.stdout.startswith("signal::triple f.tsa: needs the operator signal::triple of the library 'signal'")
    assert "is switched off by TSCRIPT_DISABLE_PLUGINS" in done.stdout
