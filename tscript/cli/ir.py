"""``tscript ir``: a function at any stage of compilation."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from tscript.cli.arguments import parse_signature, split_source
from tscript.cli.errors import UsageError


class Stage(str, Enum):
    """How far to go."""

    TYPED = "typed"
    OPT = "opt"
    LLVM = "llvm"
    ASM = "asm"


def ir(
    source: Annotated[str, typer.Argument(metavar="FILE.py[:NAME]|ARCHIVE[:NAME]", help="A source file or an archive.")],
    stage: Annotated[Stage, typer.Option(help="typed: as checked; opt: after the passes; llvm; asm.")] = Stage.TYPED,
    signature: Annotated[
        str | None, typer.Option(help="Argument types, such as '(Tensor[float32, 2], int)'; needed past `typed` for tensors.")
    ] = None,
    print_after: Annotated[
        list[str] | None, typer.Option(metavar="PASS", help="Print the IR after this pass; `all` for every pass.")
    ] = None,
) -> None:
    """Print the IR of a function. The file is not run.

    Example: tscript ir model.py:f --stage opt --signature '(Tensor[float32, 1])'
    """
    from tscript.api import functions_of_archive, functions_of_file
    from tscript.types import TensorType, Type

    path, name = split_source(source)
    functions = functions_of_file(path, name) if path.suffix == ".py" else functions_of_archive(path, name)
    types: tuple[Type, ...] | None = None
    if signature is not None:
        wanted, types = parse_signature(signature)
        if wanted is not None:
            if wanted not in functions:
                raise UsageError(f"--signature {wanted}(…): {path} has no such function, only {', '.join(functions)}")
            functions = {wanted: functions[wanted]}
    for function in functions.values():
        if stage is Stage.TYPED and not print_after:
            print(function.graph)
            continue
        if types is None and any(isinstance(p.type, TensorType) and not p.type.is_known for p in function.params):
            raise UsageError(f"{function.__name__} takes tensors: name their types, --signature '(Tensor[float32, 2], …)'")
        print(function.stage_for(stage.value, types, print_after or ()))
