"""``tscript run``: call a function of an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tscript.cli.arguments import INPUT_HELP, parse_input, read_archive
from tscript.cli.errors import ProgramError, UsageError
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output, write
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.api import ScriptFunction
    from tscript.ir.graph import Param


def run(
    archive: Annotated[Path, Argument(help="The archive.")],
    entry: Annotated[
        str | None,
        Argument(help="The function; not needed when there is only one. Of a module: `forward`, `encoder.forward`."),
    ] = None,
    inputs: Annotated[list[str] | None, Option("--input", help=INPUT_HELP)] = None,
    output: Annotated[Path | None, Option("-o", "--output", help="Write the results to a .npz file.")] = None,
    trust_native: Annotated[
        bool, Option("--trust-native", help="Run object code of the archive, which can do anything.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Call a function of an archive and print what it returns.

    Example: tscript run model.tsa forward --input x=2x3xf32=1 -o out.npz
    """
    from tscript.api import Module, log_archive_metadata
    from tscript.cli.modules import of_modules
    from tscript.runtime.session.hooks import load_hooks

    load_hooks()
    opened = read_archive(archive)
    log_archive_metadata("tscript.cli.run", opened)
    if opened.modules is not None:
        function, own = _method(
            of_modules().loaded(opened, trust_native=trust_native, path=str(archive)), entry or "forward"
        )
    else:
        function, own = _function(Module(opened, trust_native=trust_native, path=str(archive)), archive, entry), []
    if output is not None:
        check_output(output)
    args, kwargs = arguments_of(inputs or [], function.params[len(own) :])
    result = call(function, own + args, kwargs)
    if output is not None:
        _write(output, result)
    else:
        print(result)


def _method(root: Any, path: str) -> tuple[Any, list[Any]]:
    """The method at a path such as ``encoder.forward``, and the module that is its first argument."""
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
    return function, [at]


def _function(module: Any, archive: Path, entry: str | None) -> Any:
    """The function of a name, or the only one."""
    names = ", ".join(module)
    if entry is not None and entry not in module:
        raise UsageError(f"{archive} has no function {entry!r}, only {names}")
    if entry is None and len(module) > 1:
        raise UsageError(f"{archive} has several functions, name one: {names}")
    return module.entry(entry)


def arguments_of(inputs: list[str], params: Sequence[Param]) -> tuple[list[Any], dict[str, Any]]:
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


def call(function: ScriptFunction, args: list[Any], kwargs: dict[str, Any]) -> Any:
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


def _write(path: Path, result: Any) -> None:
    """The result as a NumPy archive: arrays ``result`` or ``result_0``, ``result_1`` … for a tuple."""
    import io

    import numpy as np

    parts = result if isinstance(result, tuple) else (result,)
    names = [f"result_{i}" for i in range(len(parts))] if isinstance(result, tuple) else ["result"]
    arrays = {name: np.asarray(part) for name, part in zip(names, parts, strict=True) if part is not None}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    write(path, buffer.getvalue())
