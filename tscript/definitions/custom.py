"""Operators that are not built in: their schemas, result types and effects, checked; one `OpDef` comes out.

A schema is aten's with a namespace: ``mylib::scale(Tensor x, float by=2.0) -> Tensor``. The result is a ``Tensor``, a
number, ``None`` or a tuple of tensors and numbers. What its tensors are made of is not known unless a rule says so:
that of `CustomRule`, which `OpDef.type_rule` is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.opdef import (
    Arg,
    Effects,
    Implementation,
    OpDef,
    OperatorIndexError,
    OperatorLibrary,
    OperatorRuntimeError,
    OperatorTypeError,
    OperatorValueError,
)
from tscript.definitions.rules import SCALARS
from tscript.definitions.schema import Schema, parse_schema
from tscript.late import replace
from tscript.types import NONE, TENSOR, TensorType, TupleType, Type, is_subtype

QUALIFIED = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", re.ASCII)
"""``namespace::name`` or ``namespace::name.overload``."""

RESULTS = ("Tensor", "int", "float", "bool", "None")
"""What an operator may return, besides tuples of all but the last."""

Fake = Callable[..., object]
"""Gives the type of the result: called with the types of tensor arguments and the values of the others."""


class SchemaError(ValueError):
    """A schema of a custom operator is not one, or says what a custom operator cannot do."""


def operator_schema(name: str, text: str, mutates: Iterable[str] = ()) -> Schema:
    """The schema of a custom operator.

    Args:
        name: ``mylib::scale``, with an overload if there are several: ``mylib::scale.int``.
        text: ``(Tensor x, float by=2.0) -> Tensor``; the name may stand before it.
        mutates: Names of tensor parameters that the operator writes to, as if declared ``Tensor(a!)``.

    Raises:
        SchemaError: Whatever is wrong with it.

    Example:
        >>> str(operator_schema("mylib::scale", "(Tensor x, float by=2.0) -> Tensor", ["x"]))
        'mylib::scale(Tensor(a!) x, float by=2.0) -> Tensor'
    """
    if not isinstance(name, str) or not QUALIFIED.fullmatch(name):
        raise SchemaError(f"an operator is called 'namespace::name', not {name!r}")
    if not isinstance(text, str):
        raise SchemaError(f"the schema of {name} must be a text, not {type(text).__name__}")
    head, parenthesis, rest = text.strip().partition("(")
    if head.strip() not in ("", name, name.partition("::")[2]):
        raise SchemaError(f"the schema of {name} is written for {head.strip()!r}")
    if re.search(r"=\s*[,)]", rest):
        raise SchemaError(f"the schema of {name} has a default without a value: {text}")
    try:
        schema = parse_schema(f"{name}{parenthesis}{rest}")
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        reason = error.args[0] if error.args else "it cannot be read"
        raise SchemaError(
            f"the schema of {name} is not valid: {reason}; expected '(Tensor x, float a=1.0) -> Tensor'"
        ) from None
    names = [p.name for p in schema.parameters]
    for parameter in schema.parameters:
        if names.count(parameter.name) > 1:
            raise SchemaError(f"the schema of {name} has two parameters '{parameter.name}'")
        if parameter.kind in ("Any", "None"):
            raise SchemaError(f"parameter '{parameter.name}' of {name} cannot be of type {parameter.kind}")
        if parameter.written and parameter.kind != "Tensor":
            raise SchemaError(f"parameter '{parameter.name}' of {name} is written to, so it must be a Tensor")
    written = set(mutates)
    if unknown := sorted(written - set(names)):
        raise SchemaError(f"{name} has no parameter '{unknown[0]}' to write to, only {', '.join(names) or 'none'}")
    parameters = []
    for parameter in schema.parameters:
        if parameter.name in written and parameter.kind != "Tensor":
            raise SchemaError(f"parameter '{parameter.name}' of {name} is written to, so it must be a Tensor")
        parameters.append(replace(parameter, written=parameter.written or parameter.name in written))
    required = [p.default is REQUIRED for p in parameters if not p.keyword_only]
    if required != sorted(required, reverse=True):
        raise SchemaError(f"the schema of {name} has a parameter without default behind one with a default")
    schema = replace(schema, parameters=tuple(parameters))
    result_type(schema)
    return schema


def result_type(schema: Schema) -> Type:
    """The declared type of the result.

    Raises:
        SchemaError: It is none that a custom operator may return.

    Example:
        >>> str(result_type(operator_schema("m::f", "(Tensor x) -> (Tensor, int)")))
        'tuple[Tensor, int]'
    """
    text = schema.result.strip()
    if text == "None" or text == "()":
        return NONE
    if not (text.startswith("(") and text.endswith(")")):
        return _result(schema, text)
    parts = [part.strip() for part in text[1:-1].split(",")]
    if parts and not parts[-1]:
        parts.pop()
    return TupleType(tuple(_result(schema, part) for part in parts))


def _result(schema: Schema, text: str) -> Type:
    kind = text.split(" ", maxsplit=1)[0]  # PyTorch lets results have names
    if kind == "Tensor":
        return TENSOR
    if kind in RESULTS and kind != "None":
        return SCALARS[kind]
    if "!" in text or "(" in text:
        raise SchemaError(
            f"{schema.name} returns {text}: a result cannot share memory with an argument; return a clone"
        )
    raise SchemaError(f"{schema.name} returns {text!r}: expected {', '.join(RESULTS)} or a tuple of those")


class CustomRule:
    """The type rule of a custom operator: the declared result, narrowed by what its author says of dtype and rank.

    Args:
        schema: Of the operator.
        like: Position of the argument whose dtype and rank the result has; None when nobody said.
    """

    def __init__(self, schema: Schema, like: int | None = None) -> None:
        self.schema = schema
        self.declared = result_type(schema)
        self.like = like
        self.fake: Fake | None = None
        self.used = False

    def set_fake(self, fake: Fake) -> None:
        """Say what gives the type of the result.

        Raises:
            RuntimeError: There is one, or programs have been compiled without it.
        """
        name = self.schema.qualified_name
        if self.fake is not None or self.like is not None:
            raise RuntimeError(f"the type of the result of {name} has been declared already")
        if self.used:
            raise RuntimeError(f"{name} has been used already: register its fake before the first use")
        self.fake = fake

    def __call__(self, args: Sequence[Arg]) -> Type:
        """See `tscript.definitions.opdef.TypeRule`."""
        self.used = True
        if self.like is not None:
            found: object = args[self.like].type
        elif self.fake is not None:
            found = self._ask(self.fake, args)
        else:
            return self.declared
        if found is None:
            return self.declared
        if isinstance(found, tuple):
            found = TupleType(tuple(t for t in found if isinstance(t, Type)))
        if not isinstance(found, Type) or not is_subtype(found, self.declared):
            shown = found if isinstance(found, Type) else repr(found)
            raise OperatorTypeError(
                f"the fake of {self.schema.qualified_name} says that it returns {shown}, its schema says "
                f"{self.declared}"
            )
        return found

    def _ask(self, fake: Fake, args: Sequence[Arg]) -> object:
        positional: list[object] = []
        named: dict[str, object] = {}
        for parameter, arg in zip(self.schema.parameters, args, strict=True):
            known = arg.constant is not MISSING and not isinstance(arg.type, TensorType)
            value = arg.constant if known else arg.type
            if parameter.keyword_only:
                named[parameter.name] = value
            else:
                positional.append(value)
        try:
            return fake(*positional, **named)
        except OperatorTypeError:
            raise
        except Exception as error:
            kind = next((ours for theirs, ours in _REFUSALS if isinstance(error, theirs)), OperatorTypeError)
            said = str(error)
            if not isinstance(error, TypeError | ValueError | IndexError | RuntimeError):
                said = f"the fake of {self.schema.qualified_name} failed: {type(error).__name__}: {error}"
            raise kind(said) from error


_REFUSALS: tuple[tuple[type[Exception], type[OperatorTypeError]], ...] = (
    (IndexError, OperatorIndexError),
    (ValueError, OperatorValueError),
    (RuntimeError, OperatorRuntimeError),
)


def custom_operator(
    schema: Schema,
    rule: CustomRule,
    semantics: Callable[..., object],
    implementation: Implementation,
    library: OperatorLibrary,
    *,
    side_effects: bool = False,
    doc: str = "",
) -> OpDef:
    """The definition of a custom operator.

    Args:
        schema: From `operator_schema`.
        rule: Its type rule.
        semantics: Its meaning on values.
        implementation: How native code does it.
        library: Where it comes from.
        side_effects: Whether it does anything besides computing its result and writing to the arguments its schema
            names. Without, equal calls may be merged.
        doc: First line of its documentation.
    """
    written = tuple(i for i, p in enumerate(schema.parameters) if p.written)
    effects = Effects(writes=written, raises=True, world=side_effects)
    return OpDef(schema, rule, semantics, implementation, effects, doc, exact=False, library=library, portable=True)
