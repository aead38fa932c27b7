"""What the command line can call: a function of an archive, of a file of Python, of a model of TorchScript; a method of
a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tscript.cli.arguments import is_archive, parse_input, read_archive, split_source
from tscript.cli.errors import ProgramError, UsageError
from tscript.cli.signatures import signature
from tscript.late import dataclass

if TYPE_CHECKING:
    from tscript.ir.graph import Param

TARGET_HELP = (
    "An archive, a model of TorchScript (.pt), or FILE.py; ':NAME' behind it is a function, or a method of a module "
    "such as 'encoder.forward'. FILE.py:NAME may be a class of modules, or a function that makes one: then the file is "
    "run."
)


@dataclass(frozen=True)
class Target:
    """Something to call.

    Attributes:
        title: What was written for it.
        name: The function or method; empty if there are several and none is named.
        function: The scripted function, or None.
        own: The module, if it is a method of one.
        params: What it takes besides.
        functions: All functions of the file, or the ``forward`` of each module, by name or path.
        root: The module, if there is one.
    """

    title: str
    name: str
    function: Any
    own: tuple[Any, ...]
    params: Sequence[Param]
    functions: Mapping[str, Any]
    root: Any = None

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each function."""
        skip = 0 if self.root is None else 1
        return {name: signature(name, f.params[skip:], f.graph.entry.result) for name, f in self.functions.items()}

    @property
    def codes(self) -> dict[str, str]:
        """The source of each function, without comments."""
        return {name: str(f.code) for name, f in self.functions.items()}

    def arguments(self, inputs: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
        """The values of ``--input`` by position and by name.

        Raises:
            UsageError: It is none of the accepted forms, or no function is named.
        """
        if self.function is None:
            raise _several(self.title, self.functions)
        return arguments_of(inputs, self.params)

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Its result; raises what `call` does."""
        return call(self.function, [*self.own, *args], dict(kwargs))

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[[], Any]:
        """A call that checks nothing but what every call of the function does."""
        function, given, named = self.function, (*self.own, *args), dict(kwargs)
        return lambda: function(*given, **named)


def opened(path: Path, verb: str, *, trust_native: bool = False) -> Any:
    """What an archive holds, of tscript or of TorchScript: a module, a mapping of functions, or a function.

    Args:
        path: The file.
        verb: The command, for usage events.
        trust_native: Run object code of the archive.

    Raises:
        UsageError: The file does not exist or cannot be read.
        ArchiveError: It is no valid archive.
    """
    from tscript.api import Module, log_archive_metadata
    from tscript.archive.kinds import is_torchscript_file
    from tscript.runtime.session.hooks import load_hooks
    from tscript.upper import Modules

    load_hooks()
    if is_archive(path) and is_torchscript_file(str(path)):
        return Modules.imported(str(path), None)
    archive = read_archive(path)
    log_archive_metadata(f"tscript.cli.{verb}", archive)
    if archive.modules is not None:
        return Modules.loaded(archive, trust_native=trust_native, path=str(path))
    return Module(archive, trust_native=trust_native, path=str(path))


def target(
    text: str, verb: str, name: str | None = None, *, trust_native: bool = False, may_be_several: bool = False
) -> Target:
    """What a word of the command line names; see `TARGET_HELP`.

    Args:
        text: The word.
        verb: The command, for usage events.
        name: The function or method, if it is said elsewhere.
        trust_native: Run object code of an archive.
        may_be_several: Of several functions none need be named.

    Raises:
        UsageError: There is no such file or function.
        ArchiveError: It is no valid archive.
        CompileError: A file of Python does not compile.
        ProgramError: What makes the module raises.
    """
    from tscript.api import is_module

    path, named = split_source(text)
    name = name or named
    made = path.suffix == ".py"
    held = _of_python(path, name) if made else opened(path, verb, trust_native=trust_native)
    if is_module(held):
        return _method(text, held, "forward" if made or name is None else name)
    functions: Mapping[str, Any] = held if isinstance(held, Mapping) else {held.__name__: held}
    if name is not None and name not in functions:
        raise UsageError(f"{path} has no function {name!r}, only {', '.join(functions)}")
    if name is None and len(functions) > 1:
        if not may_be_several:
            raise _several(path, functions)
        return Target(text, "", None, (), (), functions)
    chosen = name or next(iter(functions))
    function = functions[chosen]
    return Target(text, chosen, function, (), function.params, functions)


def _several(where: object, functions: Mapping[str, Any]) -> UsageError:
    return UsageError(f"{where} has several functions, name one: {', '.join(functions)}")


def _of_python(path: Path, name: str | None) -> Any:
    """The functions of a file, or the scripted module that a name of it makes."""
    import tscript
    from tscript.api import functions_of_file
    from tscript.cli.modules import made_module, makes_module

    if makes_module(path, name):
        assert name is not None
        return tscript.script(made_module(path, name, None, None))
    functions = functions_of_file(path, name)
    if not functions:
        raise UsageError(f"{path}: has no functions")
    return functions


def _method(text: str, root: Any, path: str) -> Target:
    """The method at a path such as ``encoder.forward``."""
    *above, name = path.split(".")
    at = root
    for part in above:
        inner = at._modules.get(part)
        if inner is None:
            raise UsageError(f"there is no module {part!r} in a {at.original_name}, only {', '.join(at._modules)}")
        at = inner
    method = getattr(at, name, None)
    function = getattr(method, "__func__", None)
    if function is None:
        raise UsageError(f"a {at.original_name} has no method {name!r} that is in the archive")
    methods = {
        f"{path}.forward" if path else "forward": found
        for path, each in root.named_modules()
        if (found := getattr(getattr(each, "forward", None), "__func__", None)) is not None
    }
    return Target(text, path, function, (at,), function.params[1:], methods, root)


def arguments_of(inputs: Sequence[str], params: Sequence[Param]) -> tuple[list[Any], dict[str, Any]]:
    """The values of ``--input`` for these parameters, by position and by name; raises `UsageError`."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in inputs:
        name, value = parse_input(text, params, len(args))
        if name is None:
            args.append(value)
        elif name == "*":
            kwargs.update(value)
        else:
            kwargs[name] = value
    return args, kwargs


def call(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function; raises `UsageError` if it does not take the arguments, `ProgramError` if the program raises."""
    from tscript.diagnostics import CompileError, InternalError

    try:
        function.bind(args, kwargs)
    except (TypeError, OverflowError) as error:
        raise UsageError(str(error)) from None
    try:
        return function(*args, **kwargs)
    except (CompileError, InternalError):
        raise
    except Exception as error:
        raise ProgramError from error
