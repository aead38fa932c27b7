"""Functions and classes that tracing makes of text, and makes again of what a pickle holds."""

from __future__ import annotations

import linecache
import typing
from collections.abc import Mapping
from typing import Any

import tscript
from tscript import Tensor, nn
from tscript.digests import sha256
from tscript.late import dataclass, field


@dataclass(frozen=True, eq=False)
class TracedText:
    """A function as text.

    Attributes:
        name: Its name.
        owner: Name of the class that it is a method of; empty: none.
        text: Its definition.
        names: What names in it mean besides those of tscript.
    """

    name: str
    owner: str
    text: str
    names: Mapping[str, Any] = field(default_factory=dict)

    def function(self) -> Any:
        """The Python function."""
        file = f"<trace of {self.owner or self.name} {sha256(self.text.encode()).hexdigest()[:12]}>"
        linecache.cache[file] = (len(self.text), None, self.text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"tscript": tscript, "Tensor": Tensor, **self.names}
        namespace |= {kind: getattr(typing, kind) for kind in ("List", "Dict", "Tuple")}
        exec(compile(self.text, file, "exec"), namespace)  # noqa: S102 - the text is our own
        made = namespace[self.name]
        if self.owner:
            made.__qualname__ = f"{self.owner}.{self.name}"
        return made


@dataclass(frozen=True, eq=False)
class TracedClass:
    """The class of a traced module, or of a part of one, which stands in no module of Python.

    Attributes:
        name, module, doc: Of the class that was traced.
        methods: Its methods.
    """

    name: str
    module: str
    doc: str | None = None
    methods: tuple[TracedText, ...] = ()

    def make(self) -> type[nn.Module]:
        """The class."""
        namespace: dict[str, Any] = {"__module__": self.module, "__doc__": self.doc, "__tscript_made__": self}
        for method in self.methods:
            function = method.function()
            namespace[method.name] = function if method.name == "forward" else tscript.export(function)
        return type(self.name, (nn.Module,), namespace)
