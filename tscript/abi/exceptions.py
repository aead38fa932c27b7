"""Builtin exception classes: the classes that scripted code raises and catches, and their numbers in native code.

Numbers are given in pre-order, so that the classes derived from one have the numbers that follow its own: an exception
is caught by comparing its number with the first and last one of a class.

An exception object is an `OBJECT_STRUCT` of its class. Its first cells are those of `FIELDS`, which every exception
has; the fields of a user's class follow.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from types import MappingProxyType

from tscript.abi.fields import Struct
from tscript.abi.layout import CLASS_EXCEPTION, MAX_ERROR_ARGS
from tscript.types import ANY, INT, ClassInfo, ClassType, TupleType, Type, optional

_TREE: tuple[str, ...] = (
    "BaseException",
    " GeneratorExit",
    " KeyboardInterrupt",
    " SystemExit",
    " Exception",
    "  ArithmeticError",
    "   FloatingPointError",
    "   OverflowError",
    "   ZeroDivisionError",
    "  AssertionError",
    "  AttributeError",
    "  BufferError",
    "  EOFError",
    "  ImportError",
    "   ModuleNotFoundError",
    "  LookupError",
    "   IndexError",
    "   KeyError",
    "  MemoryError",
    "  NameError",
    "   UnboundLocalError",
    "  OSError",
    "   BlockingIOError",
    "   ChildProcessError",
    "   ConnectionError",
    "    BrokenPipeError",
    "    ConnectionAbortedError",
    "    ConnectionRefusedError",
    "    ConnectionResetError",
    "   FileExistsError",
    "   FileNotFoundError",
    "   InterruptedError",
    "   IsADirectoryError",
    "   NotADirectoryError",
    "   PermissionError",
    "   ProcessLookupError",
    "   TimeoutError",
    "  ReferenceError",
    "  RuntimeError",
    "   NotImplementedError",
    "   RecursionError",
    "  StopAsyncIteration",
    "  StopIteration",
    "  SyntaxError",
    "   IndentationError",
    "    TabError",
    "  SystemError",
    "  TypeError",
    "  ValueError",
    "   UnicodeError",
    "  Warning",
    "   BytesWarning",
    "   DeprecationWarning",
    "   EncodingWarning",
    "   FutureWarning",
    "   ImportWarning",
    "   PendingDeprecationWarning",
    "   ResourceWarning",
    "   RuntimeWarning",
    "   SyntaxWarning",
    "   UnicodeWarning",
    "   UserWarning",
)
"""Pre-order; the indentation is the depth. What later versions of Python add counts as its nearest base here."""

RECORD_CELL = 2
"""Where the record of an exception begins: behind ``args`` and ``__cause__``."""

RECORD_FIELD = "__record__"
"""The field of an exception that holds its `RECORD`: addresses, which no program reads or sets."""

RECORD_CELLS = 2 + MAX_ERROR_ARGS
RECORD = Struct(
    "ErrorRecord",
    f"""
        site: int
        kinds: int
        args: int * {MAX_ERROR_ARGS}
    """,
)
"""Where an exception was raised without an object, and the numbers its message shows (`Context.kinds` and `args`): the
cells of the field ``__record__``. The site is 0 for one that was made as an object, whose arguments are in ``args``."""

PYTHON_ARGUMENT = 3
"""In place of the kinds of an exception that came from Python: its first number is the key it is kept under."""

NUMBER_SHIFT = 8
"""`TypeInfo.flags` of an exception class holds, from this bit on, the number of its nearest builtin base."""


def _classes() -> tuple[dict[str, ClassType], dict[str, tuple[int, int]]]:
    types: dict[str, ClassType] = {}
    ranges: dict[str, tuple[int, int]] = {}
    open_classes: list[str] = []
    for number, line in enumerate(_TREE):
        name = line.lstrip()
        del open_classes[len(line) - len(name) :]
        base = types[open_classes[-1]].info if open_classes else None
        info = ClassInfo(name, getattr(builtins, name), base, flags=CLASS_EXCEPTION | number << NUMBER_SHIFT)
        types[name] = ClassType(info)
        open_classes.append(name)
        for around in open_classes:
            ranges[around] = (ranges.get(around, (number, number))[0], number)
    record: Type = TupleType((INT,) * RECORD_CELLS)
    fields = {"args": ANY, "__cause__": optional(types["BaseException"]), RECORD_FIELD: record}
    for type in types.values():
        type.info.fields.update(fields)
    return types, ranges


_TYPES, _RANGES = _classes()
EXCEPTIONS = MappingProxyType(_TYPES)
"""The types of builtin exceptions, by name."""

BASE_EXCEPTION = EXCEPTIONS["BaseException"]
FIELDS = BASE_EXCEPTION.info.fields
"""What every exception has: ``args`` (None for no argument, a tuple for several, else the only one), ``__cause__`` and
``__record__``."""


def builtin_base(info: ClassInfo) -> ClassInfo:
    """The nearest builtin class that an exception class derives from, itself included."""
    for found in info.bases:
        if found.beside is not None:
            return found.beside
        known = EXCEPTIONS.get(found.name)
        if known is not None and known.info is found:
            return found
    raise KeyError(info.name)


def exception_flags(info: ClassInfo) -> int:
    """`ClassInfo.flags` of an exception class that has its bases."""
    return CLASS_EXCEPTION | number_of(builtin_base(info).name) << NUMBER_SHIFT


def beside(base: ClassInfo, others: Iterable[ClassInfo]) -> ClassInfo | None:
    """What is `ClassInfo.beside` of a class that derives from `base` and from `others`, which are builtin; None if the
    base derives from them.

    Raises:
        ValueError: Two builtin classes of which neither derives from the other.
    """
    found = builtin_base(base)
    for other in others:
        if other.derives_from(found):
            found = other
        elif not found.derives_from(other):
            raise ValueError
    return None if base.derives_from(found) else found


def number_of(name: str) -> int:
    """The number of a builtin class by its name (or alias); that of its nearest base here when it has none of its own.

    Example:
        >>> number_of("IOError") == number_of("OSError")
        True
    """
    cls = getattr(builtins, name)
    return next(_RANGES[c.__name__][0] for c in cls.__mro__ if c.__name__ in _RANGES)


def range_of(info: ClassInfo) -> tuple[int, int]:
    """The first and last number of a builtin class and those derived from it.

    Example:
        >>> first, last = range_of(EXCEPTIONS["LookupError"].info)
        >>> [first <= number_of(n) <= last for n in ("KeyError", "IndexError", "ValueError")]
        [True, True, False]
    """
    return _RANGES[info.name]


def is_builtin(info: ClassInfo) -> bool:
    """Whether a class is one of the table."""
    known = EXCEPTIONS.get(info.name)
    return known is not None and known.info is info


def is_exception(type: Type) -> bool:
    """Whether values of `type` are exceptions."""
    return isinstance(type, ClassType) and type.info.derives_from(BASE_EXCEPTION.info)


def is_raisable(type: Type) -> bool:
    """Whether code may make exceptions of a type: those that end the interpreter are only caught."""
    return isinstance(type, ClassType) and type.info.derives_from(EXCEPTIONS["Exception"].info)


def nearest(cls: type[BaseException]) -> ClassType:
    """The type of the nearest builtin class that a Python exception class derives from."""
    builtin = (c for c in cls.__mro__ if c is getattr(builtins, c.__name__, None))
    return next(EXCEPTIONS[c.__name__] for c in builtin if c.__name__ in EXCEPTIONS)
