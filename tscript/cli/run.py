"""``tscript run``: call a function of an archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from tscript.cli.arguments import INPUT_HELP
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output, write
from tscript.cli.parameters import Argument, Option
from tscript.cli.targets import TARGET_HELP, target


def run(
    archive: Annotated[Path, Argument(help=TARGET_HELP)],
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
    found = target(str(archive), "run", entry, trust_native=trust_native)
    if output is not None:
        check_output(output)
    result = found.call(*found.arguments(inputs or []))
    if output is not None:
        _write(output, result)
    else:
        print(result)


def _write(path: Path, result: Any) -> None:
    """The result as a NumPy archive: ``result``, or ``result_0``, ``result_1`` … for a tuple or a list of tensors."""
    import io

    import numpy as np

    is_several = isinstance(result, tuple) or (isinstance(result, list) and any(hasattr(r, "dtype") for r in result))
    parts = result if is_several else (result,)
    names = [f"result_{i}" for i in range(len(parts))] if is_several else ["result"]
    arrays = {name: np.asarray(part) for name, part in zip(names, parts, strict=True) if part is not None}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    write(path, buffer.getvalue())
