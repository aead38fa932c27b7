"""LLVM text to an object: parse, verify, optimise, generate code.

The work depends on the level and on the `Effort` of the module. Level 0 only generates code.
"""

from __future__ import annotations

import re
from typing import Any

from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target
from tscript.backend.loader.cache import ObjectCache
from tscript.diagnostics import InternalError


def compile_text(
    text: str, target: Target, level: int = 2, cache: ObjectCache | None = None, effort: Effort = Effort.FULL
) -> bytes:
    """The relocatable object of an LLVM module.

    Args:
        text: LLVM text. Only its content counts for the cache, so a hit costs no parsing.
        target: What to compile for.
        level: 0 to 3.
        cache: The cache that is read first and gets the result.
        effort: How much work LLVM does.

    Raises:
        InternalError: LLVM rejects the text.
    """
    if cache is None:
        return generate(text, target, level, effort)
    key = key_of(text, target, level, cache, effort)

    def make() -> bytes:
        made = generate(text, target, level, effort)
        cache.put(key, made)
        return made

    return cache.made_once(key, lambda: cache.get(key), make)


def key_of(text: str, target: Target, level: int, cache: ObjectCache, effort: Effort = Effort.FULL) -> str:
    """The key of an object in a cache; see `compile_text`."""
    return cache.key(f"{effort.value}\n{text}", target, level)


def generate(
    text: str, target: Target, level: int = 2, effort: Effort = Effort.FULL, place: int | None = None
) -> bytes:
    """As `compile_text`, without a cache; of a module with places the continuation from one of them if asked for.

    Raises:
        ContinuationError: There is none.
    """
    if place is not None:
        from tscript.backend.llvm.continuation import continuation

        text = continuation(text, place)
    module = optimised(text, target, level, effort)
    data: bytes = target.machine(0 if effort is Effort.QUICK else level).emit_object(module)
    module.close()
    return data


def assembly(text: str, target: Target, level: int = 2, effort: Effort = Effort.FULL) -> str:
    """The assembly of an LLVM module, for people."""
    module = optimised(text, target, level, effort)
    found: str = target.machine(level).emit_assembly(module)
    module.close()
    return found


def optimised_text(text: str, target: Target, level: int = 2, effort: Effort = Effort.FULL) -> str:
    """The LLVM text after the passes, for people."""
    module = optimised(text, target, level, effort)
    found = str(module)
    module.close()
    return found


def optimised(text: str, target: Target, level: int, effort: Effort = Effort.FULL) -> Any:
    """The llvmlite module of `text` after the passes of `level`."""
    from tscript.backend.llvm.library import binding

    module = parsed(text)
    if level > 0:
        machine = target.machine(level)
        options = binding.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = options.slp_vectorization = level > 1
        options.loop_interleaving = options.loop_unrolling = level > 1
        with binding.create_pass_builder(machine, options) as builder:
            manager = builder.getModulePassManager() if effort is Effort.FULL else _light()
            manager.run(module, builder)
            manager.close()
        options.close()
    return module


def parsed(text: str) -> Any:
    """Parse and verify.

    Raises:
        InternalError: With LLVM's message and the line it is about.
    """
    from tscript.backend.llvm.library import binding

    try:
        module = binding.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InternalError(f"LLVM rejects the code: {_explain(str(error), text)}") from None
    return module


_POSITION = re.compile(r"<string>:(\d+):(\d+)")


def _explain(message: str, text: str) -> str:
    found = _POSITION.search(message)
    if found is None:
        return message.strip()
    lines = text.splitlines()
    number = int(found[1])
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    reason = message[found.end() :].lstrip(": ").splitlines()[0]
    return f"{reason}, in line {number}: {line}"


def _light() -> Any:
    from tscript.backend.llvm.library import binding

    manager = binding.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    return manager
