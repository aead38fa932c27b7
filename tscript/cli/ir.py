"""``tscript ir``: a function at any stage of compilation."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tscript.cli.arguments import is_archive, parse_signature, read_archive, split_source
from tscript.cli.errors import UsageError
from tscript.cli.libraries import Imports
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.ir.graph import Param
    from tscript.types import Type


class Stage(StrEnum):
    """How far to go."""

    TYPED = "typed"
    OPT = "opt"
    LLVM = "llvm"
    ASM = "asm"


def ir(
    source: Annotated[str, Argument(metavar="FILE.py[:NAME]|ARCHIVE[:NAME]", help="A source file or an archive.")],
    stage: Annotated[
        Stage | None,
        Option(help="typed: as checked (the default); opt: after the passes (with --print-after); llvm; asm."),
    ] = None,
    signature: Annotated[
        str | None,
        Option(help="Argument types, such as '(Tensor[float32, 2], int)'; needed past `typed` for tensors."),
    ] = None,
    print_after: Annotated[
        list[str] | None, Option(metavar="PASS", help="Print the IR after this pass; `all` for every pass.")
    ] = None,
    explain_fusion: Annotated[
        bool, Option(help="In place of the IR, say which operators are one loop, and why the others are not.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Print the IR of a function. The file is not run.

    Example: tscript ir model.py:f --stage opt --signature '(Tensor[float32, 1])'
    """
    from tscript.api import SignatureError, complete_signature

    path, name = split_source(source)
    functions = _functions(path, name)
    types: tuple[Type, ...] | None = None
    if signature is not None:
        from tscript.types import Type

        wanted, items = parse_signature(signature)
        types = tuple(t for t in items if isinstance(t, Type))
        if len(types) < len(items):
            raise UsageError("--signature: types, not values, say what to print the IR for")
        if wanted is not None:
            if wanted not in functions:
                raise UsageError(f"--signature {wanted}(…): {path} has no such function, only {', '.join(functions)}")
            functions = {wanted: functions[wanted]}
    _check_passes(print_after or [])
    if stage is Stage.TYPED and print_after:
        raise UsageError("--print-after shows IR that passes made: --stage typed comes before them")
    if explain_fusion and (stage is not None or print_after):
        raise UsageError("--explain-fusion prints no IR: leave --stage and --print-after out")
    stage = stage or (Stage.OPT if print_after else Stage.TYPED)
    for function in functions.values():
        if stage is Stage.TYPED and types is None and not explain_fusion:
            print(function.graph)
            continue
        try:
            params: tuple[Param, ...] = function.params if types is None else function.params_for(types)
            given: tuple[Type, ...] = tuple(p.type for p in params) if types is None else types
            complete = complete_signature(function.__name__, params, given)
        except SignatureError as error:
            raise UsageError(f"--signature: {error}") from None
        if explain_fusion:
            print(function.explain_fusion(complete))
            continue
        print(function.stage_for(stage.value, complete, print_after or ()))


def _functions(path: Path, name: str | None) -> dict[str, Any]:
    """The functions of a source file or an archive; only `name` if it is given."""
    from tscript.api import Module, functions_of_file

    if not is_archive(path):
        found = functions_of_file(path, name)
        if not found:
            raise UsageError(f"{path}: has no functions")
        return found
    module = Module(read_archive(path), path=str(path))
    if name is not None and name not in module:
        raise UsageError(f"{path} has no function {name!r}, only {', '.join(module)}")
    return {n: f for n, f in module.items() if name in (None, n)}


def _check_passes(names: list[str]) -> None:
    from tscript.passes import PIPELINE

    known = list(dict.fromkeys(step.name for step in PIPELINE))
    for name in names:
        if name != "all" and name not in known:
            raise UsageError(f"--print-after {name}: there is no such pass, only all, {', '.join(known)}")
