"""Every error the frontend reports about a function: one frozen dataclass each, with a stable code.

TS1xx: syntax and what the language leaves out. TS2xx: types (in `tscript.frontend.diagnostics.type_errors`). TS3xx:
names. TS4xx: calls and signatures. TS5xx: source. TS6xx: dtypes and ranks (in `tscript.passes.errors`). TS7xx: the
low-level dialect (in `tscript.frontend.diagnostics.dialect_errors`). Each has a golden pair `x.py`, `x.err` in
`tests/data/errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.diagnostics import Diagnostic, Note, Span, diagnostic
from tscript.late import field

MAX_CALLS = 6
"""How many of the calls that led to a function are shown."""


@diagnostic
class FrontendError(Diagnostic):
    """Base of the frontend's errors.

    Attributes:
        called_from: The calls that led to the function around the error being compiled, the nearest first; empty when
            it was compiled by itself.
    """

    called_from: tuple[Span, ...] = field(default=(), kw_only=True)

    def places(self) -> Sequence[Note]:
        """The notes of this error; subclasses override it."""
        return ()

    def notes(self) -> Sequence[Note]:
        """The error's own notes, then the calls its function was compiled for."""
        found = list(self.places())
        callee = self.span.function
        shown = self.called_from if len(self.called_from) <= MAX_CALLS else self.called_from[: MAX_CALLS - 1]
        for call in shown:
            found.append(Note(call, f"'{callee}' is compiled because it is called from '{call.function}'"))
            callee = call.function
        if left := len(self.called_from) - len(shown):
            first = self.called_from[-1]
            found.append(
                Note(first, f"'{callee}' is reached by {left} more calls, the first of them in '{first.function}'")
            )
        return found


# ---- TS1xx: syntax and what the language leaves out


@diagnostic
class UnsupportedStatement(FrontendError):
    """The language does not support a statement of Python."""

    code: ClassVar[str] = "TS101"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "{what} cannot be compiled"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class UnsupportedExpression(FrontendError):
    """The language does not support an expression of Python."""

    code: ClassVar[str] = "TS102"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "{what} cannot be compiled"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


def too_large(span: Span, error: Exception) -> UnsupportedExpression:
    """The error for a type beyond the limits, of which `error` says which."""
    instead = f"{error}; keep the values in a list or in an object with attributes"
    return UnsupportedExpression(span, "a value of a type this large", instead)


@diagnostic
class VariadicParameter(FrontendError):
    """A parameter is variadic, ``**kwargs``, of a function that Python calls, or used as a dict."""

    code: ClassVar[str] = "TS103"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "'**{name}' cannot be a parameter of a compiled function"
    label: ClassVar[str] = "any arguments by name"
    help: ClassVar[str] = (
        "name each parameter, with a default, or take a dict: '{name}: dict[str, {value}]'; "
        "in functions that compiled code calls, it can be given on and read: f(**{name}), {name}['dim'], {name}.items()"
    )

    name: str
    value: str


@diagnostic
class StarredTarget(FrontendError):
    """``*a, *b = x``: two starred names in one target."""

    code: ClassVar[str] = "TS104"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "only one name in a target may be starred"
    help: ClassVar[str] = "star one name only; each of the others takes one element"


@diagnostic
class UnknownDecorator(FrontendError):
    """A decorator cannot be applied, because the file is read and not run."""

    code: ClassVar[str] = "TS105"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "the decorator '{name}' cannot be compiled"
    help: ClassVar[str] = (
        "the file is read, not run: only @script and caches of functools may decorate a function; remove '{name}'"
    )

    name: str


@diagnostic
class UnsupportedFunction(FrontendError):
    """A generator or a coroutine is compiled."""

    code: ClassVar[str] = "TS106"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "'{name}' is {what}, which cannot be compiled"
    help: ClassVar[str] = "compile a plain function with 'return' and call it from '{name}'"

    name: str
    what: str


@diagnostic
class UnsupportedTarget(FrontendError):
    """The target of an assignment cannot be assigned to."""

    code: ClassVar[str] = "TS107"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "cannot {action} {what}"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str
    action: str = field(default="assign to", kw_only=True)


@diagnostic
class LoopOver(FrontendError):
    """``for`` iterates over a value that has no elements."""

    code: ClassVar[str] = "TS108"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot loop over {what}"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class UnsupportedRaise(FrontendError):
    """``raise`` takes an exception, and the value is none."""

    code: ClassVar[str] = "TS109"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot raise {what}"
    help: ClassVar[str] = 'raise an exception with a message, such as: raise ValueError("what is wrong")'

    what: str


@diagnostic
class UnsupportedHandler(FrontendError):
    """``except`` takes exception classes that are known at compile time."""

    code: ClassVar[str] = "TS136"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'except' takes exception classes, not {what}"
    help: ClassVar[str] = "name a builtin exception or one of your classes, or several: except (KeyError, ValueError):"

    what: str


@diagnostic
class NotAContext(FrontendError):
    """``with`` takes a context manager, and the value is none."""

    code: ClassVar[str] = "TS137"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} is not a context manager"
    help: ClassVar[str] = "use an instance of a class with the methods '__enter__' and '__exit__'"

    what: str


@diagnostic
class LeavesParallelLoop(FrontendError):
    """An iteration of a ``prange`` loop ends the loop.

    Attributes:
        word: ``break`` or ``return``.
    """

    code: ClassVar[str] = "TS138"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "'{word}' inside of a prange loop"
    label: ClassVar[str] = "other iterations run at the same time"
    help: ClassVar[str] = "let the iteration end with 'continue', or use range"

    word: str


@diagnostic
class StarredArgument(FrontendError):
    """``f(**names)`` with a dict that is not a literal, or ``*`` in the arguments of a builtin."""

    code: ClassVar[str] = "TS112"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "arguments cannot be unpacked with '{stars}'"
    help: ClassVar[str] = "write each argument by itself"

    stars: str


@diagnostic
class IntegerTooLarge(FrontendError):
    """An int constant does not fit into 64 bits."""

    code: ClassVar[str] = "TS113"
    python: ClassVar[type[Exception]] = OverflowError
    title: ClassVar[str] = "the integer {value} does not fit into 64 bits"
    help: ClassVar[str] = "ints go from -2**63 to 2**63 - 1; write a float if it need not be exact"

    value: str

    @classmethod
    def check(cls, span: Span, value: object) -> IntegerTooLarge | None:
        """The error about `value`, or about an element of a tuple; None when it fits."""
        if isinstance(value, tuple):
            return next(filter(None, (cls.check(span, v) for v in value)), None)
        if not isinstance(value, int) or -(2**63) <= value < 2**63:
            return None
        return cls(span, str(value) if abs(value) < 10**40 else f"of {len(str(abs(value) % 10**4000))} or more digits")


@diagnostic
class UnsupportedIndex(FrontendError):
    """A value is indexed with a type that it does not take as an index."""

    code: ClassVar[str] = "TS115"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a {container} cannot be indexed with {found}"
    help: ClassVar[str] = "{instead}"

    container: str
    found: str
    instead: str


@diagnostic
class UnsupportedComparison(FrontendError):
    """``is`` or ``in`` does not take these operands."""

    code: ClassVar[str] = "TS116"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{operator}' does not compare {left} with {right}"
    help: ClassVar[str] = "{instead}"

    operator: str
    left: str
    right: str
    instead: str


# ---- TS3xx: names


@diagnostic
class UnknownName(FrontendError):
    """A name is not defined."""

    code: ClassVar[str] = "TS301"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "name '{name}' is not defined"
    label: ClassVar[str] = "not found in the function, in enclosing functions, in the module or among the builtins"
    help: ClassVar[str] = "{instead}"

    name: str
    instead: str


@diagnostic
class UsedBeforeAssignment(FrontendError):
    """A local name is read before it is assigned."""

    code: ClassVar[str] = "TS302"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "'{name}' is used before it is assigned"
    help: ClassVar[str] = "{instead}"

    name: str
    instead: str
    assigned: Span | None

    def places(self) -> Sequence[Note]:
        """Where it is assigned."""
        return [] if self.assigned is None else [Note(self.assigned, "assigned here, so the name is local")]


@diagnostic
class DefinedInOneBranch(FrontendError):
    """A name is defined in only one branch of an ``if``."""

    code: ClassVar[str] = "TS303"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "'{name}' may be undefined here"
    help: ClassVar[str] = "assign '{name}' before the 'if', or in each of its branches"

    name: str
    assigned: Span

    def places(self) -> Sequence[Note]:
        """The branch that defines it."""
        return [Note(self.assigned, "assigned in one branch only")]


@diagnostic
class DefinedInLoop(FrontendError):
    """A name is defined only in the body of a loop."""

    code: ClassVar[str] = "TS304"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "'{name}' may be undefined here"
    help: ClassVar[str] = "assign '{name}' before the loop: its body may not run at all"

    name: str
    assigned: Span

    def places(self) -> Sequence[Note]:
        """The assignment in the loop."""
        return [Note(self.assigned, "assigned in the body of a loop only")]


@diagnostic
class UnsupportedGlobal(FrontendError):
    """A global or closure name has a value that compiled code cannot use."""

    code: ClassVar[str] = "TS305"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is {what}, which compiled code cannot use"
    help: ClassVar[str] = "{instead}"

    name: str
    what: str
    instead: str


@diagnostic
class NotAValue(FrontendError):
    """A module or type is used as a value."""

    code: ClassVar[str] = "TS306"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} is not a value here"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class UnknownMember(FrontendError):
    """A module has no such member, or none that can be compiled."""

    code: ClassVar[str] = "TS307"
    python: ClassVar[type[Exception]] = AttributeError
    title: ClassVar[str] = "'{owner}' has no '{name}' that can be compiled"
    help: ClassVar[str] = "{instead}"

    owner: str
    name: str
    instead: str


# ---- TS4xx: calls and signatures


@diagnostic
class MissingArgument(FrontendError):
    """A call has no argument for a parameter without default."""

    code: ClassVar[str] = "TS401"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() is missing the argument '{name}'"
    help: ClassVar[str] = "the signature is {signature}"

    function: str
    name: str
    signature: str


@diagnostic
class TooManyArguments(FrontendError):
    """A call has more positional arguments than the function has parameters."""

    code: ClassVar[str] = "TS402"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() takes at most {expected} by position, {given} given"
    label: ClassVar[str] = "one too many"
    help: ClassVar[str] = "the signature is {signature}"

    function: str
    expected: int
    given: int
    signature: str


@diagnostic
class UnknownKeyword(FrontendError):
    """A call names a parameter that the function does not have."""

    code: ClassVar[str] = "TS403"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() has no parameter '{name}'"
    help: ClassVar[str] = "{instead}"

    function: str
    name: str
    instead: str


@diagnostic
class RepeatedArgument(FrontendError):
    """A call has two arguments for one parameter."""

    code: ClassVar[str] = "TS404"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() got two values for '{name}'"
    help: ClassVar[str] = "give '{name}' once: by position or by name"

    function: str
    name: str


@diagnostic
class PositionalOnly(FrontendError):
    """A call names a positional-only parameter."""

    code: ClassVar[str] = "TS405"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() takes '{name}' by position only"
    help: ClassVar[str] = "the signature is {signature}"

    function: str
    name: str
    signature: str


@diagnostic
class RecursionWithoutType(FrontendError):
    """A recursive call of a function without return annotation."""

    code: ClassVar[str] = "TS406"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{function}' is recursive, so its result needs an annotation"
    help: ClassVar[str] = "annotate it: 'def {function}(...) -> int:'"

    function: str
    definition: Span

    def places(self) -> Sequence[Note]:
        """The definition."""
        return [Note(self.definition, "no '->' here")]


@diagnostic
class ArgumentType(FrontendError):
    """An argument is not of the parameter's type."""

    code: ClassVar[str] = "TS407"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{function}() expects {declared} for '{name}', found {found}"
    label: ClassVar[str] = "{found}"
    help: ClassVar[str] = "{instead}"

    function: str
    name: str
    declared: str
    found: str
    instead: str


@diagnostic
class UnsupportedBuiltin(FrontendError):
    """The language does not support a builtin of Python."""

    code: ClassVar[str] = "TS408"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "the builtin '{name}' cannot be compiled here"
    help: ClassVar[str] = "{instead}"

    name: str
    instead: str


@diagnostic
class BuiltinArguments(FrontendError):
    """A builtin is called with arguments it does not take."""

    code: ClassVar[str] = "TS409"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{name}() {problem}"
    help: ClassVar[str] = "{instead}"

    name: str
    problem: str
    instead: str


@diagnostic
class ParameterClash(FrontendError):
    """A default is not a constant."""

    code: ClassVar[str] = "TS410"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "the default of '{name}' is {what}, not a constant"
    help: ClassVar[str] = "{instead}"

    name: str
    what: str
    instead: str = "defaults are numbers, strings, None, dtypes, members of enums, tuples of them, and tensors"


# ---- TS5xx: source


@diagnostic
class SourceMissing(FrontendError):
    """The source of a function cannot be read."""

    code: ClassVar[str] = "TS501"
    python: ClassVar[type[Exception]] = OSError
    title: ClassVar[str] = "the source of '{name}' is not available (it was defined in {file})"
    help: ClassVar[str] = (
        "define it in a file or a notebook cell; for code made with exec, pass its source: "
        "tscript.script({name}, source=text)"
    )

    name: str
    file: str


@diagnostic
class SourceNotInstalled(FrontendError):
    """The source of a function is not installed, only its bytecode."""

    code: ClassVar[str] = "TS507"
    python: ClassVar[type[Exception]] = OSError
    title: ClassVar[str] = "the source of '{name}' is not installed here ({file} cannot be read)"
    help: ClassVar[str] = (
        "functions are compiled from source, not from bytecode: where the source is, make an archive with "
        "'tscript compile FILE.py -o FILE.tsa' or tscript.save(), install that, and open it with tscript.load()"
    )

    name: str
    file: str


@diagnostic
class LambdaFunction(FrontendError):
    """A lambda cannot be compiled."""

    code: ClassVar[str] = "TS502"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a lambda cannot be compiled"
    help: ClassVar[str] = "write it as a function: 'def name(x): return ...'"


@diagnostic
class NotAFunction(FrontendError):
    """Only Python functions can be compiled."""

    code: ClassVar[str] = "TS503"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} cannot be compiled"
    help: ClassVar[str] = "give a function defined with 'def'"

    what: str


@diagnostic
class SourceChanged(FrontendError):
    """The file has changed, and the function is no longer at its line."""

    code: ClassVar[str] = "TS504"
    python: ClassVar[type[Exception]] = OSError
    title: ClassVar[str] = "the source of '{name}' is not at this line"
    help: ClassVar[str] = "the file has changed since it was imported: import it again in a new process"

    name: str


@diagnostic
class NoSuchFunction(FrontendError):
    """A file does not define the requested function."""

    code: ClassVar[str] = "TS505"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "{file} defines no function '{name}'"
    help: ClassVar[str] = "{instead}"

    file: str
    name: str
    instead: str


@diagnostic
class InvalidSyntax(FrontendError):
    """The source is not valid Python."""

    code: ClassVar[str] = "TS506"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "{problem}"
    help: ClassVar[str] = "this is not valid Python"

    problem: str
