"""Exception classes of users: those that only give a builtin exception another name.

A class with methods or attributes of its own is refused: what it would do when it is made is not compiled.
"""

from __future__ import annotations

from tscript.abi.exceptions import EXCEPTIONS, exception_flags
from tscript.frontend.classes import PROCESS
from tscript.frontend.meanings import ExceptionMeaning, Meaning, UnknownMeaning
from tscript.ir.analysis import builtin_exception
from tscript.types import ClassInfo, ClassType

_HARMLESS = frozenset(
    ("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__")
)
"""What a class has that only names its base."""


def exception_meaning(cls: type[BaseException]) -> Meaning:
    """What an exception class that is not builtin stands for."""
    known = PROCESS.exceptions.get(cls)
    if known is None:
        bases = [b for b in cls.__bases__ if b is not object]
        if len(bases) != 1 or not set(vars(cls)) <= _HARMLESS:
            what = f"the exception class {cls.__name__}, which is more than a name for its base,"
            return UnknownMeaning(what, "derive it from one exception and leave its body empty")
        base = _base(bases[0])
        if base is None:
            return UnknownMeaning(
                f"the exception class {cls.__name__}", "derive it from an exception that can be raised"
            )
        name = PROCESS.unique_name(cls.__module__, cls.__qualname__)
        info = ClassInfo(name, cls, base.info, dict(base.info.fields), exception_flags(base.info))
        known = PROCESS.exceptions[cls] = ClassType(info)
        PROCESS.by_name[name] = known
    return ExceptionMeaning(cls.__name__, known)


def _base(cls: type) -> ClassType | None:
    if cls.__module__ == "builtins":
        return EXCEPTIONS.get(cls.__name__) if builtin_exception(cls.__name__) else None
    meaning = exception_meaning(cls)
    return meaning.type if isinstance(meaning, ExceptionMeaning) else None
