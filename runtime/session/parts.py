"""Objects of the parts of the prebuilt native library."""

from __future__ import annotations

from tscript.backend.llvm.emitted import Emitted
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.prebuilt_linker import sectioned
from tscript.pipeline import Compiler


def compiled(compiler: Compiler, module: Emitted) -> bytes:
    """The object of a module, with a section for each function and constant."""
    return compile_text(sectioned(module.text), compiler.target, compiler.options.level, compiler.cache, module.effort)
