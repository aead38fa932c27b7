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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from tscript.abi.exceptions import BASE_EXCEPTION, EXCEPTIONS, FIELDS, is_builtin, is_exception, is_raisable
from tscript.diagnostics import CompileError, Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import control
from tscript.frontend.lowering.lowering import RETURNED, Abandoned, FinalFrame, TryFrame
from tscript.frontend.lowering.scopes import (
    FACTS,
    Bound,
    Conflicting,
    Facts,
    PartlyBound,
    Scope,
    assigned_names,
    facts_in,
)
from tscript.frontend.lowering.trials import Trial
from tscript.frontend.source.classes import ClassDefinition, Method, class_definition
from tscript.frontend.source.marks import without_body
from tscript.frontend.values import conversions, instances, messages
from tscript.ir.graph import Block, Handler, Label, Raise, Throw, Try, Unreachable, Value, Yield
from tscript.operators.python.classes import OBJECT_NEW, SET_FIELD
from tscript.operators.python.conversions import IS_INSTANCE, widen_operator
from tscript.operators.python.exceptions import CHAIN, NEW, REPR, TEXT
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
    join,
    optional,
)

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering
    from tscript.frontend.lowering.lowering import Lowering

WHERE = "a 'try'"
"""Where names change their type, as messages call it."""

# ---- try


def lower_try(lowering: Lowering, node: ast.Try) -> None:
    """``try`` in all its forms."""
    _check(lowering, node, "'try'")

    def run() -> None:
        if node.handlers:
            control.widening(lowering, lambda: _lower_handlers(lowering, node), lowering.span(node))
        else:
            control.lower_body(lowering, node.body)

    def leave(exception: Value | None) -> None:
        control.lower_body(lowering, node.finalbody)
        if exception is not None and lowering.is_alive:
            lowering.block.nodes.append(Throw(exception, lowering.span(node)))

    if node.finalbody:
        lower_guarded(lowering, node, [*node.body, *node.handlers, *node.orelse], run, leave)
    else:
        run()


def _lower_handlers(lowering: Lowering, node: ast.Try) -> control.LoopExits:
    span = lowering.span(node)
    classes = [_classes(lowering, handler) for handler in node.handlers]
    assigned = assigned_names([node], lowering.function.has_walrus)
    outer = control.Once(lowering, span, WHERE, in_loop=False) if node.orelse else None
    guard = Guard(lowering, node.body, lambda: control.lower_body(lowering, node.body), span)
    for handler, wanted in zip(node.handlers, classes, strict=True):

        def run(caught: Value, handler: ast.ExceptHandler = handler) -> None:
            if handler.name is not None:
                lowering.bind(handler.name, caught, lowering.span(handler))
            control.lower_body(lowering, handler.body)
            if handler.name is not None:
                lowering.scope.pop(handler.name, None)

        guard.handle(wanted, run, None if outer is None else outer.exits, lowering.span(handler))
    if guard.exits.is_again:
        return guard.exits
    if outer is None:
        guard.finish(assigned)
        return guard.exits
    guard.finish({})
    if lowering.is_alive:
        control.lower_body(lowering, node.orelse)
    outer.finish(assigned)
    return guard.exits


def _classes(lowering: Lowering, handler: ast.ExceptHandler) -> list[ClassType]:
    """What a handler takes; everything after an error."""
    if handler.type is None:
        return [BASE_EXCEPTION]
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found: list[ClassType] = []
    for node in nodes:
        try:
            found.append(lowering.exception_class(node))
        except Abandoned:
            lowering.abandon(node)
            return [BASE_EXCEPTION]
    if not found:
        lowering.report(errors.UnsupportedRaise(lowering.span(handler.type), "no class at all"))
    return found or [BASE_EXCEPTION]


def common_base(classes: Sequence[ClassType]) -> ClassType:
    """The nearest class that all of `classes` derive from."""

    def nearer(a: ClassType, b: ClassType) -> ClassType:
        found = join(a, b)
        assert isinstance(found, ClassType)
        return found

    return reduce(nearer, classes)


# ---- The parts


class Guard:
    """A `Try`, appended to the block, whose body `run` lowers; handlers are added one by one.

    Args:
        lowering: Where it stands.
        body: What the body is made of.
        run: Lowers it.
        span: The statement.

    Attributes:
        node: The `Try`.
        exits: Those who fall through to what follows it.
    """

    def __init__(self, lowering: Lowering, body: Sequence[ast.AST], run: Callable[[], None], span: Span) -> None:
        self.lowering = lowering
        self.span = span
        self.exits = control.LoopExits(Label("T"), WHERE, in_loop=False)
        self.node = Try(self.exits.label, (), Block(), (), (), span)
        inside = assigned_names(body, lowering.function.has_walrus)
        block, before = lowering.block, lowering.scope
        slots: dict[str, tuple[int, Type]] = {}
        for name in inside:
            binding = before.get(name)
            if isinstance(binding, Bound):
                slots[name] = (len(slots), binding.base.value.type)
                self.node.inputs.append(binding.base.value)
        block.nodes.append(self.node)
        self._frame = TryFrame(self.exits, slots)
        self._scope: Scope = dict(before)
        for name, at in inside.items():
            if name not in before:
                self._scope[name] = PartlyBound(lowering.span(at), in_loop=False)
        lowering.block, lowering.scope = self.node.body, dict(before)
        lowering.tries.append(self._frame)
        try:
            run()
            self._fall(span)
        finally:
            lowering.tries.pop()
            lowering.block, lowering.scope = block, before

    def handle(
        self, classes: Sequence[ClassType], run: Callable[[Value], None], handled: control.LoopExits | None, span: Span
    ) -> None:
        """Add a handler, lowered by `run` from the exception; where it falls through, it leaves by `handled`, or
        yields."""
        lowering = self.lowering
        scope = dict(self._scope)
        scope[FACTS] = reduce(Facts.without, self._frame.forgotten, facts_in(scope))
        params: list[Value] = []
        for name, (_, type) in self._frame.slots.items():
            params.append(Value(type, name))
            before, changed = scope[name], self._frame.changed.get(name)
            assert isinstance(before, Bound)
            scope[name] = Bound(params[-1], before.span) if changed is None else Conflicting(before, changed)
        caught = Value(common_base(classes), "e")
        block = Block([*params, caught])
        self.node.handlers.append(Handler(classes, block))
        outer = lowering.block, lowering.scope
        lowering.block, lowering.scope = block, scope
        lowering.handling.append(caught)
        try:
            run(caught)
            if handled is None:
                self._fall(span)
            elif lowering.is_alive:
                handled.leave(lowering, span)
        finally:
            lowering.handling.pop()
            lowering.block, lowering.scope = outer

    def finish(self, assigned: dict[str, ast.AST]) -> None:
        """Go on behind the `Try`."""
        control.finish(self.lowering, self.node, self.exits, assigned)

    def _fall(self, span: Span) -> None:
        lowering = self.lowering
        if lowering.is_alive:
            end = Yield((), span)
            lowering.block.nodes.append(end)
            self.exits.found.append((end, lowering.scope, lowering.block))


# ---- finally, with


def lower_guarded(
    lowering: Lowering,
    node: ast.stmt,
    body: Sequence[ast.AST],
    run: Callable[[], None],
    leave: Callable[[Value | None], None],
) -> None:
    """A body that has something to do on every way out of it.

    Args:
        node: The statement.
        body: The part of it that `run` lowers.
        run: Lowers the body.
        leave: Lowers what is to be done, once for each kind of way; given the exception it either raises that again or
            falls through, and then the exception is over.
    """
    control.widening(lowering, lambda: _lower_guarded(lowering, node, body, run, leave), lowering.span(node))


def _lower_guarded(
    lowering: Lowering,
    node: ast.stmt,
    body: Sequence[ast.AST],
    run: Callable[[], None],
    leave: Callable[[Value | None], None],
) -> control.LoopExits:
    span = lowering.span(node)
    assigned = assigned_names([node], lowering.function.has_walrus)
    end = control.Once(lowering, span, WHERE, in_loop=False)
    ways = {way: control.Once(lowering, span, WHERE, in_loop=False) for way in _ways(body)}
    frame = FinalFrame(len(lowering.loops), {way: once.exits for way, once in ways.items()})

    def run_inside() -> None:
        lowering.finals.append(frame)
        try:
            run()
        finally:
            lowering.finals.pop()

    guard = Guard(lowering, body, run_inside, span)
    if guard.exits.is_again:
        return guard.exits
    guard.handle([BASE_EXCEPTION], leave, end.exits, span)
    guard.finish({})
    if lowering.is_alive:
        leave(None)
        if lowering.is_alive:
            end.exits.leave(lowering, span)
    for way, once in reversed(ways.items()):
        once.go_on({})
        if lowering.is_alive:
            _go_on(lowering, way, leave, span)
    end.go_on(assigned)
    return guard.exits


def _go_on(lowering: Lowering, way: str, leave: Callable[[Value | None], None], span: Span) -> None:
    """The final statements on one way, and the rest of it."""
    returned = lowering.scope.pop(RETURNED, None)
    leave(None)
    if not lowering.is_alive:
        return
    if way == "return":
        if isinstance(returned, Bound):
            lowering.leave_function(returned.value, span)
        else:
            lowering.block.nodes.append(Unreachable(span))
    elif way == "break":
        control.leave_loop(lowering, span)
    else:
        control.next_iteration(lowering, span)


def lower_with(lowering: LanguageLowering, node: ast.With) -> None:
    """``with``: its first item around the others."""
    _check(lowering, node, "'with'")
    _lower_item(lowering, node, 0)


def _lower_item(lowering: LanguageLowering, node: ast.With, index: int) -> None:
    if index == len(node.items):
        control.lower_body(lowering, node.body)
        return
    item = node.items[index]
    span = lowering.span(item.context_expr)
    manager = lowering.value(item.context_expr)
    entered = lowering.special_method(manager, "__enter__", [], span)
    if entered is None:
        raise lowering.failure(errors.NotAContext(span, article(manager.type)))
    names = [] if item.optional_vars is None else [item.optional_vars]
    if item.optional_vars is not None:
        lowering.assign(item.optional_vars, entered)

    def leave(exception: Value | None) -> None:
        nothing = lowering.const(None, NONE, span)
        given = nothing if exception is None else exception
        found = lowering.special_method(manager, "__exit__", [nothing, given, nothing], span)
        if found is None:
            raise lowering.failure(errors.NotAContext(span, article(manager.type)))
        if exception is not None:
            _unless(lowering, found, exception, span)

    around = [*names, *(n for i in node.items[index + 1 :] if (n := i.optional_vars) is not None), *node.body]
    lower_guarded(lowering, node, around, lambda: _lower_item(lowering, node, index + 1), leave)


def _unless(lowering: LanguageLowering, over: Value, exception: Value, span: Span) -> None:
    """Raise an exception again unless ``__exit__`` said that it is over."""
    cond = lowering.truth(over, span)

    def go_on() -> None:
        pass

    def again() -> None:
        lowering.block.nodes.append(Throw(exception, span))

    if cond.constant is False:
        again()
    elif cond.constant is not True:
        then, orelse = lowering.branch(go_on), lowering.branch(again)
        lowering.merge(cond, then, orelse, span)


def _check(lowering: Lowering, node: ast.stmt, what: str) -> None:
    if not lowering.has_handlers:
        instead = "test for the condition with 'if' before it raises, or catch it in the caller"
        raise lowering.failure(errors.UnsupportedStatement(lowering.span(node), what, instead))


def _ways(body: Sequence[ast.AST]) -> list[str]:
    """The kinds of ways, besides its end and exceptions, that lead out of some statements."""
    found: dict[str, None] = {}

    def look(node: ast.AST, in_loop: bool) -> None:
        match node:
            case ast.Return():
                found["return"] = None
            case ast.Break() if not in_loop:
                found["break"] = None
            case ast.Continue() if not in_loop:
                found["continue"] = None
            case ast.For() | ast.While():
                for statement in node.body:
                    look(statement, True)
                for statement in node.orelse:
                    look(statement, in_loop)
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                for inner in ast.iter_child_nodes(node):
                    look(inner, in_loop)

    for part in body:
        look(part, False)
    return list(found)


# ---- raise


SPECIAL_METHODS = {"__str__": TEXT, "__repr__": REPR}
"""What builtin exceptions define."""


def lower_raise(lowering: LanguageLowering, node: ast.Raise) -> None:
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
    named = lowering.named_exception(node.exc if call is None else call.func)
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
        named = lowering.named_exception(cause.func if isinstance(cause, ast.Call) else cause)
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


def lower_failed_assert(lowering: LanguageLowering, message: ast.expr | None, span: Span) -> None:
    """What an ``assert`` does when its condition is false."""
    given = [] if message is None else [message]
    if not raise_plainly(lowering, "AssertionError", given, span):
        made = _made(lowering, EXCEPTIONS["AssertionError"], [lowering.value(m) for m in given], span)
        lowering.block.nodes.append(Throw(made, span))


def raise_plainly(lowering: LanguageLowering, name: str, args: Sequence[ast.expr], span: Span) -> bool:
    """Raise a builtin exception without making an object, when its message is constant text with numbers; whether it
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


def instance(lowering: LanguageLowering, cls: ClassType, call: ast.Call | None, span: Span) -> Value:
    """A new exception of a class that source names, with the arguments of `call`."""
    _check_raisable(lowering, cls, span)
    definition = class_definition(cls)
    if definition is not None:
        instances.usable(lowering, definition)
        _will_be_shown(definition)
        if definition.method("__init__") is not None:
            return _initialised(lowering, definition, call or instances.placed(lowering, span), span)
    if call is not None and call.keywords:
        raise lowering.failure(
            errors.UnsupportedRaise(span, f"{cls.info.name.rpartition('.')[2]} with keyword arguments")
        )
    args = [] if call is None else [lowering.value(a) for a in call.args]
    return _made(lowering, cls, args, span)


def _initialised(lowering: LanguageLowering, definition: ClassDefinition, call: ast.Call, span: Span) -> Value:
    """A new exception of a class with an ``__init__``. Its arguments are those of the call until ``__init__`` sets
    others."""
    cls = definition.info
    wrong = next((t for n, t in cls.fields.items() if n not in FIELDS and not _can_be_carried(t)), None)
    if wrong is not None:
        raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(wrong)}"))
    type = ClassType(cls)
    if _sets_args(definition):
        made = lowering.leaf(OBJECT_NEW, [lowering.const(type, TYPE, span)], type, span)
        instances.preset_fields(lowering, definition, made, span)
        instances.initialise(lowering, call, definition, made)
        return made
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise lowering.failure(errors.UnsupportedRaise(span, "an exception with starred arguments"))
    given = [lowering.value(a) for a in call.args]
    made = _made(lowering, type, given, span)
    instances.preset_fields(lowering, definition, made, span)
    with instances.values_named(lowering, given, call.func) as names:
        again = ast.copy_location(ast.Call(call.func, list(names), call.keywords), call)
        instances.initialise(lowering, again, definition, made)
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


def initialise_builtin(lowering: LanguageLowering, node: ast.Call, target: Value, span: Span) -> None:
    """``super().__init__(...)`` of a builtin exception class: its arguments are those of the exception."""
    if node.keywords:
        raise lowering.failure(errors.UnsupportedRaise(span, "a builtin exception with keyword arguments"))
    _check_syntax_error(lowering, target.type, len(node.args), span)
    given = _whole(lowering, [lowering.value(a) for a in node.args], span)
    lowering.leaf(SET_FIELD, [target, lowering.const("args", STR, span), given], NONE, span)


def lower_text(lowering: LanguageLowering, value: Value, name: str, span: Span) -> Value:
    """``str()`` or ``repr()`` of an exception: as its class has it, which may be one derived from the static one."""
    assert isinstance(value.type, ClassType)
    builtin = SPECIAL_METHODS[name]
    definition = class_definition(value.type)
    own = None if definition is None else definition.method(name)
    known = [] if instances.is_exact(value) else list(lowering.program.resolver.classes.exceptions(value.type.info))
    owners = {found[0] for d in known if d.is_made and (found := d.method(name)) is not None}
    others = [d for d in known if d in owners and d is not definition]

    def choose(position: int) -> Value:
        if position == len(others):
            if definition is None or own is None:
                return lowering.leaf(builtin, [value], STR, span)
            return instances.call_directly(lowering, instances.placed(lowering, span), *own, value)
        other = others[position]
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(other.type, TYPE, span)], BOOL, span)

        def run() -> Value:
            narrowed = conversions.narrow(lowering, value, other.type, span)
            return _text_of_other(lowering, other, other.methods[name], narrowed, span)

        then, orelse = lowering.branch(run), lowering.branch(lambda: choose(position + 1))
        return lowering.join_values(test, then, orelse, instances.placed(lowering, span))

    return choose(0)


def _will_be_shown(definition: ClassDefinition) -> None:
    """Compiled code makes exceptions of a class: whatever shows exceptions from now on may meet one. So their text is
    read now, while its source is there."""
    if not definition.is_made:
        definition.is_made = True
        for name in SPECIAL_METHODS:
            found = definition.method(name)
            if found is not None:
                with suppress(CompileError):
                    found[1].function()


def _text_of_other(
    lowering: LanguageLowering, definition: ClassDefinition, method: Method, value: Value, span: Span
) -> Value:
    """What a class that the function does not name says of its exceptions; in Python where that cannot be compiled, or
    has no source any more. In archives, where such a class is not made, it raises."""
    node = instances.placed(lowering, span)
    written = None if definition.python is None else vars(definition.python).get(method.name)
    if written is None:
        return instances.call_directly(lowering, node, definition, method, value)
    trial, mark = Trial(lowering), lowering.program.findings.mark()
    with suppress(Abandoned):
        found = instances.call_directly(lowering, node, definition, method, value)
        if found.type == STR and not lowering.program.findings.has_errors(mark):
            return found
    trial.take_back()
    place = definition.place
    assert place is not None
    tree = ast.parse(f"def {method.name}(self) -> str: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    made = replace(place, name=method.name, qualname=f"{place.qualname}.{method.name}", tree=tree, callable=written)
    in_archive = lowering.program.resolver.keeps_caches
    function = without_body(made, "it could not be compiled") if in_archive else made
    stand_in = Method(method.name, "method", lambda: function, mark="" if in_archive else "ignore")
    return instances.call_directly(lowering, instances.placed(lowering, span), definition, stand_in, value)


def _check_raisable(lowering: LanguageLowering, cls: ClassType, span: Span) -> None:
    if not is_raisable(cls):
        raise lowering.failure(errors.UnsupportedRaise(span, f"the exception {cls}"))


def _can_be_carried(type: Type) -> bool:
    """Whether exceptions take values of a type to Python."""
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


def _made(lowering: LanguageLowering, cls: ClassType, args: Sequence[Value], span: Span) -> Value:
    """A new exception."""
    _check_syntax_error(lowering, cls, len(args), span)
    return lowering.leaf(NEW, [_whole(lowering, args, span), lowering.const(cls, TYPE, span)], cls, span)


def _check_syntax_error(lowering: LanguageLowering, type: Type, count: int, span: Span) -> None:
    """A `SyntaxError` takes a place in a source as its second argument, and shows the first one and that."""
    if count > 1 and is_subtype(type, EXCEPTIONS["SyntaxError"]):
        raise lowering.failure(errors.UnsupportedRaise(span, "a SyntaxError with more than its message"))


def _whole(lowering: LanguageLowering, args: Sequence[Value], span: Span) -> Value:
    """Arguments as one value. The only one stands for itself unless it is a tuple or None; others become a tuple. A
    shape is a tuple of ints."""
    sizes = ListType(INT, frozen=True)
    args = [(lowering.coerce(a, sizes, span) or a) if isinstance(a.type, SizeType) else a for a in args]
    for arg in args:
        if not _can_be_carried(arg.type):
            raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(arg.type)}"))
    if not args:
        whole = lowering.const(None, NONE, span)
    elif len(args) == 1 and args[0].type != NONE and not isinstance(args[0].type, TupleType):
        whole = args[0]
    else:
        whole = lowering.make_tuple(args, span)
    if isinstance(whole.type, OptionalType) and not is_heap(whole.type):
        raise lowering.failure(errors.UnsupportedRaise(span, f"an exception with {article(whole.type)}"))
    return lowering.leaf(widen_operator(whole.type, ANY), [whole, lowering.const(ANY, TYPE, span)], ANY, span)
