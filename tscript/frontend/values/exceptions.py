"""``try``, ``with`` and ``raise``.

``try … except`` becomes a `Try`; what falls out of the body and of the handlers meets behind it. With an ``else`` it
stands in a `Loop` that runs once, and handlers break out of that past the ``else``:

    try: a                      loop L0 () {
    except E: b                   try T1 { a yield } except E { b break L0 () }
    else: c                       c
                                  break L0 ()
                                }

The final statements of ``finally`` are written once for each kind of way out: the end, an exception, ``return``,
``break``, ``continue``. None of these copies may stand in the body that they follow, whose exceptions would run them
again. So each kind leaves the body by breaking out of a `Loop` that runs once, and goes on behind it:

    try: a; return v            loop L0 () {
    finally: f                    %v = loop L1 () {
                                    try T2 { a break L1 (%v) } except BaseException as %e { f throw %e }
                                    f break L0 ()
                                  }
                                  f
                                  return %v
                                }

That makes five copies at most, however many statements leave, and a function grows linearly in nested ``finally``s.
``with`` is the same with the call of ``__exit__`` in place of the final statements.

Names assigned in a body that have a value before it are slots of the `Try`: its handlers see what they held last.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress

from tscript.abi.exceptions import BASE_EXCEPTION, EXCEPTIONS, FIELDS, is_builtin, is_exception, is_raisable
from tscript.diagnostics import CompileError, Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import conversions, messages, method_calls, receivers
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.messages import named_exception
from tscript.frontend.lowering.trials import Trial
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.classes import ClassDefinition, Method, class_definition
from tscript.frontend.source.marks import without_body
from tscript.frontend.source.symbols import ExceptionSymbol
from tscript.frontend.values import making_instances
from tscript.ir.graph import Raise, Throw, Value
from tscript.late import replace
from tscript.operators.python.classes import OBJECT_NEW, SET_FIELD
from tscript.operators.python.conversions import IS_INSTANCE, widen_operator
from tscript.operators.python.exceptions import CHAIN, NEW, REPR, TEXT
from tscript.parsing import parse
from tscript.types import (
    ANY,
    BOOL,
    INT,
    NONE,
    STR,
    TYPE,
    CallableType,
    ClassType,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TupleType,
    Type,
    is_heap,
    is_subtype,
    optional,
)

# ---- try


# ---- The parts


# ---- finally, with


# ---- raise


SPECIAL_METHODS = {"__str__": TEXT, "__repr__": REPR}
"""Attributes of builtin exceptions."""


def lower_raise(lowering: FunctionLowering, node: ast.Raise) -> None:
    """``raise`` in all its forms."""
    span = lowering.span(node)
    if node.exc is None:
        if not lowering.handling:
            raise lowering.failure(errors.UnsupportedRaise(span, "again: there is no exception being handled"))
        lowering.block.nodes.append(Throw(lowering.handling[-1], span))
        return
    cause, alone = node.cause, isinstance(node.cause, ast.Constant) and node.cause.value is None
    if alone:
        cause = None
    call = node.exc if isinstance(node.exc, ast.Call) else None
    named = named_exception(lowering, node.exc if call is None else call.func)
    if named is not None:
        _check_raisable(lowering, named, lowering.span(node.exc))
    if named is not None and cause is None and is_builtin(named.info):
        given = [] if call is None else call.args
        if (call is None or not call.keywords) and raise_plainly(lowering, str(named), given, span):
            return
    raised = instance(lowering, named, call, span) if named is not None else lowering.value(node.exc)
    if not is_exception(raised.type):
        raise lowering.failure(errors.UnsupportedRaise(lowering.span(node.exc), article(raised.type)))
    if cause is not None:
        named = named_exception(lowering, cause.func if isinstance(cause, ast.Call) else cause)
        at = lowering.span(cause)
        because = (
            lowering.value(cause)
            if named is None
            else instance(lowering, named, cause if isinstance(cause, ast.Call) else None, at)
        )
        if not is_exception(because.type):
            raise lowering.failure(errors.UnsupportedRaise(at, f"with {article(because.type)} as its cause"))
        lowering.leaf(CHAIN, [raised, because], NONE, at)
    elif alone and named is None:
        lowering.leaf(CHAIN, [raised, lowering.const(None, optional(BASE_EXCEPTION), span)], NONE, span)
    lowering.block.nodes.append(Throw(raised, span))


def lower_failed_assert(lowering: FunctionLowering, message: ast.expr | None, span: Span) -> None:
    """The failure of an ``assert``."""
    given = [] if message is None else [message]
    if not raise_plainly(lowering, "AssertionError", given, span):
        made = _made(lowering, EXCEPTIONS["AssertionError"], [lowering.value(m) for m in given], span)
        lowering.block.nodes.append(Throw(made, span))


def raise_plainly(lowering: FunctionLowering, name: str, args: Sequence[ast.expr], span: Span) -> bool:
    """Raise a builtin exception without making an object, if its message is a constant with numbers. Returns whether it
    is."""
    if len(args) > 1:
        return False
    if not args:
        lowering.block.nodes.append(Raise(name, None, (), span))
        return True
    block, scope = lowering.block, dict(lowering.scope)
    count = len(block.nodes)
    found = messages.plain_message(lowering, args[0])
    if found is None:
        del block.nodes[count:]
        lowering.block, lowering.scope = block, scope
        return False
    lowering.block.nodes.append(Raise(name, *found, span))
    return True


def instance(lowering: FunctionLowering, cls: ClassType, call: ast.Call | None, span: Span) -> Value:
    """A new exception of a class of the program, with the arguments of `call`."""
    _check_raisable(lowering, cls, span)
    definition = class_definition(cls)
    if definition is not None:
        receivers.usable(lowering, definition)
        _will_be_shown(definition)
        if definition.method("__init__") is not None:
            return _initialised(lowering, definition, call or receivers.placed(lowering, span), span)
    if call is not None and call.keywords:
        raise lowering.failure(
            errors.UnsupportedRaise(span, f"{cls.info.name.rpartition('.')[2]} with keyword arguments")
        )
    args = [] if call is None else [lowering.value(a) for a in call.args]
    return _made(lowering, cls, args, span)


def _initialised(lowering: FunctionLowering, definition: ClassDefinition, call: ast.Call, span: Span) -> Value:
    """A new exception of a class with an ``__init__``. Its arguments are those of the call until ``__init__`` sets
    others."""
    making_instances.settle_by_call(lowering, call, definition)
    cls = definition.info
    wrong = next((t for n, t in cls.fields.items() if n not in FIELDS and not _can_be_carried(t)), None)
    if wrong is not None:
        raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(wrong)}"))
    type = ClassType(cls)
    if _sets_args(definition):
        made = lowering.leaf(OBJECT_NEW, [lowering.const(type, TYPE, span)], type, span)
        making_instances.preset_fields(lowering, definition, made, span)
        making_instances.initialise(lowering, call, definition, made)
        return made
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise lowering.failure(errors.UnsupportedRaise(span, "an exception with starred arguments"))
    given = [lowering.value(a) for a in call.args]
    made = _made(lowering, type, given, span)
    making_instances.preset_fields(lowering, definition, made, span)
    with receivers.values_named(lowering, given, call.func) as names:
        again = ast.copy_location(ast.Call(call.func, list(names), call.keywords), call)
        making_instances.initialise(lowering, again, definition, made)
    return made


def _sets_args(definition: ClassDefinition) -> bool:
    """Whether ``__init__`` calls that of its base, and so on to that of a builtin class, before it reads ``args``."""
    at: ClassDefinition | None = definition
    while at is not None and (found := at.method("__init__")) is not None:
        owner, method = found
        for statement in method.function().tree.body:
            if _calls_base(statement):
                break
            if any(
                isinstance(n, ast.Return) or (isinstance(n, ast.Attribute) and n.attr == "args")
                for n in ast.walk(statement)
            ):
                return False
        else:
            return False
        at = owner.base
    return True


def _calls_base(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"))):
            return True
    return False


def initialise_builtin(lowering: FunctionLowering, node: ast.Call, target: Value, span: Span) -> None:
    """``super().__init__(...)`` of a builtin exception class: its arguments are those of the exception."""
    if node.keywords:
        raise lowering.failure(errors.UnsupportedRaise(span, "a builtin exception with keyword arguments"))
    _check_syntax_error(lowering, target.type, len(node.args), span)
    given = _whole(lowering, [lowering.value(a) for a in node.args], span)
    lowering.leaf(SET_FIELD, [target, lowering.const("args", STR, span), given], NONE, span)


def lower_str(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value:
    """``str()`` or ``repr()`` of an exception: as its class has it, which may be one derived from the static one."""
    assert isinstance(value.type, ClassType)
    builtin = SPECIAL_METHODS[name]
    definition = class_definition(value.type)
    own = None if definition is None else definition.method(name)
    known = [] if receivers.is_exact(value) else list(lowering.program.resolver.classes.exceptions(value.type.info))
    owners = {found[0] for d in known if d.is_made and (found := d.method(name)) is not None}
    others = [d for d in known if d in owners and d is not definition]

    def choose(position: int) -> Value:
        if position == len(others):
            if definition is None or own is None:
                return lowering.leaf(builtin, [value], STR, span)
            return method_calls.call_directly(lowering, receivers.placed(lowering, span), *own, value)
        other = others[position]
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(other.type, TYPE, span)], BOOL, span)

        def run() -> Value:
            narrowed = conversions.narrow(lowering, value, other.type, span)
            return _str_of_other(lowering, other, other.methods[name], narrowed, span)

        then, orelse = lowering.branch(run), lowering.branch(lambda: choose(position + 1))
        return join_values(lowering, test, then, orelse, receivers.placed(lowering, span))

    return choose(0)


def _will_be_shown(definition: ClassDefinition) -> None:
    """Compiled code makes exceptions of a class, so code that prints exceptions may meet one. Their string form is
    compiled now, while its source exists."""
    if not definition.is_made:
        definition.is_made = True
        for name in SPECIAL_METHODS:
            found = definition.method(name)
            if found is not None:
                with suppress(CompileError):
                    found[1].function()


def _str_of_other(
    lowering: FunctionLowering, definition: ClassDefinition, method: Method, value: Value, span: Span
) -> Value:
    """The string form of exceptions of a class that the function does not name; computed in Python if it cannot be
    compiled or has lost its source. In archives, where such a class is not made, it raises."""
    node = receivers.placed(lowering, span)
    written = None if definition.python is None else vars(definition.python).get(method.name)
    if written is None:
        return method_calls.call_directly(lowering, node, definition, method, value)
    trial, mark = Trial(lowering), lowering.program.findings.mark()
    with suppress(Abandoned):
        found = method_calls.call_directly(lowering, node, definition, method, value)
        if found.type == STR and not lowering.program.findings.has_errors(mark):
            return found
    trial.take_back()
    place = definition.place
    assert place is not None
    tree = parse(f"def {method.name}(self) -> str: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    made = replace(place, name=method.name, qualname=f"{place.qualname}.{method.name}", tree=tree, callable=written)
    in_archive = lowering.program.resolver.keeps_caches
    function = without_body(made, "it could not be compiled") if in_archive else made
    stand_in = Method(method.name, "method", lambda: function, mark="" if in_archive else "ignore")
    return method_calls.call_directly(lowering, receivers.placed(lowering, span), definition, stand_in, value)


def _check_raisable(lowering: FunctionLowering, cls: ClassType, span: Span) -> None:
    if not is_raisable(cls):
        raise lowering.failure(errors.UnsupportedRaise(span, f"the exception {cls}"))


def _can_be_carried(type: Type) -> bool:
    """Whether exceptions can carry values of a type to Python."""
    match type:
        case TupleType():
            return all(map(_can_be_carried, type.elements))
        case ListType() | SetType():
            return _can_be_carried(type.element)
        case DictType():
            return _can_be_carried(type.key) and _can_be_carried(type.value)
        case OptionalType():
            return _can_be_carried(type.value)
    return not isinstance(type, SizeType | FutureType | CallableType)


def _made(lowering: FunctionLowering, cls: ClassType, args: Sequence[Value], span: Span) -> Value:
    """A new exception."""
    _check_syntax_error(lowering, cls, len(args), span)
    return lowering.leaf(NEW, [_whole(lowering, args, span), lowering.const(cls, TYPE, span)], cls, span)


def _check_syntax_error(lowering: FunctionLowering, type: Type, count: int, span: Span) -> None:
    """A `SyntaxError` takes a place in a source as its second argument, and shows the first one and that."""
    if count > 1 and is_subtype(type, EXCEPTIONS["SyntaxError"]):
        raise lowering.failure(errors.UnsupportedRaise(span, "a SyntaxError with more than its message"))


def _whole(lowering: FunctionLowering, args: Sequence[Value], span: Span) -> Value:
    """Arguments as one value. A single argument that is neither a tuple nor None stays as it is; others become a tuple.
    A shape is a tuple of ints."""
    args = [_without_shapes(lowering, a, span) for a in args]
    for arg in args:
        if not _can_be_carried(arg.type):
            raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(arg.type)}"))
    if not args:
        whole = lowering.const(None, NONE, span)
    elif len(args) == 1 and args[0].type != NONE and not isinstance(args[0].type, TupleType):
        whole = args[0]
    else:
        whole = make_tuple(lowering, args, span)
    if isinstance(whole.type, OptionalType) and not is_heap(whole.type):
        raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(whole.type)}"))
    return lowering.leaf(widen_operator(whole.type, ANY), [whole, lowering.const(ANY, TYPE, span)], ANY, span)


def _without_shapes(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """An argument whose shapes are tuples of ints."""
    if isinstance(value.type, SizeType):
        return lowering.coerce(value, ListType(INT, frozen=True), span) or value
    if not isinstance(value.type, TupleType) or not any(isinstance(t, SizeType) for t in value.type.elements):
        return value
    parts = [_without_shapes(lowering, e, span) for e in tuple_elements(lowering, value, span)]
    return make_tuple(lowering, parts, span)


def call_exception(lowering: FunctionLowering, node: ast.Call, symbol: ExceptionSymbol) -> Value:
    """``ValueError(...)`` as a value."""
    cls = lowering.exception_class(node.func)
    return instance(lowering, cls, node, lowering.span(node))
