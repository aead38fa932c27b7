"""`trace` and `trace_module`: what a program does to example inputs, as a scripted function or module."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import tscript
from tscript import Tensor
from tscript.abi.python import TRACER
from tscript.nn.modules.module import Module
from tscript.nn.scripting import ScriptModule
from tscript.nn.scripting.attributes import base_of
from tscript.nn.scripting.scripts import script_module
from tscript.nn.tracing.errors import TracerWarning, TracingCheckError, TracingError
from tscript.nn.tracing.recorder import Recorder, place
from tscript.nn.tracing.texts import TracedClass, TracedText
from tscript.nn.tracing.values import Traced
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import is_scripted
from tscript.runtime.session.usage import log_api_usage_once


def trace(
    func: Any,
    example_inputs: Any = None,
    *,
    check_trace: bool = True,
    check_inputs: Sequence[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
) -> Any:
    """Run a function or module once, and make what it did to tensors a scripted function or module.

    The program may be any Python: only what it does to tensors counts. So the trace takes the way that the program took
    for the examples, and has what it did not compute of tensors as it was: numbers, lists, settings. Sizes of traced
    tensors are read anew by each call. Scripted functions and modules that the program calls stay calls, with their
    control flow.

    Args:
        func: A function, or a module of `tscript.nn` or of PyTorch, of which `forward` is traced. One that is scripted
            already is given back as it is. A module of PyTorch is recorded by PyTorch; the result shares its tensors.
            Of a matrix alone the result is the sum of its diagonal, as of `Tensor.trace`.
        example_inputs: A tuple of the arguments: tensors, or tuples, lists and dicts of tensors. A tensor alone is the
            only argument.
        check_trace: Whether the trace is compared with the program, for the examples and for others of their shapes.
        check_inputs: More tuples of arguments that both must give the same results for.
        check_tolerance: The relative difference that is allowed.
        strict: Whether lists and dicts among the results are refused; their form is that of this run.
        example_kwarg_inputs: Arguments by name.

    Returns:
        A scripted function, or a `ScriptModule` with the parameters of the module.

    Raises:
        TracingError: The program does what cannot be recorded; the message names it.
        TracingCheckError: The trace computes something else than the program.
        TypeError: The inputs are not what can be traced.

    Warns:
        TracerWarning: The trace may not hold for other inputs, at the line where a tensor decides which way the program
            goes, or becomes a number.

    Example:
        >>> import tscript
        >>> def scaled(x):
        ...     return (x - x.mean(0)) * x.size(0)
        >>> traced = tscript.trace(scaled, tscript.ones(2, 3))
        >>> traced(tscript.tensor([[1.0], [2.0], [3.0]]))
        tensor([[-3.],
                [ 0.],
                [ 3.]])
    """
    if isinstance(func, Tensor):
        return current().eager.of("trace")(func)
    log_api_usage_once("tscript.tracer")
    args, kwargs = _arguments(example_inputs), dict(example_kwarg_inputs or {})
    checks = _Checks(check_trace, [_arguments(i) for i in check_inputs or ()], check_tolerance)
    if is_scripted(func) or isinstance(func, ScriptModule):
        return func
    if base_of(type(func)) is not None:
        return _of_module(func, {"forward": (args, kwargs)}, checks, strict)
    owner = getattr(func, "__self__", None)
    if owner is not None and base_of(type(owner)) is not None:
        made = _of_module(owner, {func.__name__: (args, kwargs)}, checks, strict)
        return getattr(made, func.__name__)
    if not callable(func):
        raise TypeError(f"trace() takes a function or a module, not {type(func).__name__}")
    return _of_function(func, args, kwargs, checks, strict)


trace.__tscript_operator__ = "trace"  # type: ignore[attr-defined]  # what it is in compiled code


def trace_module(
    mod: Any,
    inputs: Mapping[str, Any],
    *,
    check_trace: bool = True,
    check_inputs: Sequence[Mapping[str, Any]] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
) -> Any:
    """`trace` of several methods of a module.

    Args:
        mod: A module of `tscript.nn` or of PyTorch.
        inputs: Example inputs of each method, by its name.
        check_trace, check_tolerance, strict: See `trace`.
        check_inputs: More inputs to compare, each by the name of the method.

    Raises:
        TracingError, TracingCheckError, TypeError: As `trace`.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> traced = tscript.trace_module(nn.Linear(2, 1), {"forward": tscript.ones(3, 2)})
        >>> traced(tscript.ones(5, 2)).shape
        (5, 1)
    """
    log_api_usage_once("tscript.tracer")
    if not isinstance(inputs, Mapping) or not inputs:
        raise TypeError("trace_module() takes a dict of methods with their example inputs")
    methods = {name: (_arguments(given), dict[str, Any]()) for name, given in inputs.items()}
    more = {name: [_arguments(c[name]) for c in check_inputs or () if name in c] for name in methods}
    checks = _Checks(check_trace, more, check_tolerance)
    return _of_module(mod, methods, checks, strict)


def _arguments(given: Any) -> tuple[Any, ...]:
    if given is None:
        return ()
    return given if isinstance(given, tuple) and not isinstance(given, Tensor) else (given,)


class _Checks:
    """How a trace is compared with the program.

    Args:
        wanted: Whether it is.
        more: More arguments, of a function or by the names of methods.
        tolerance: The relative difference that is allowed.
    """

    def __init__(self, wanted: bool, more: Any, tolerance: float) -> None:
        self.wanted, self._more, self._tolerance = wanted, more, tolerance

    def run(
        self, name: str, program: Callable[..., Any], traced: Callable[..., Any], args: Any, kwargs: Any, draws: Any
    ) -> None:
        """Compare.

        Args:
            name: What is traced.
            program, traced: What is compared; they leave everything as it was.
            args, kwargs: The examples.
            draws: Operators that drew random numbers, with their places.
        """
        if not self.wanted:
            return
        if draws:
            found = ", ".join(f"{operator} at {place}" for operator, place in dict.fromkeys(draws))
            _warn(f"'{name}' draws random numbers, so its trace is not compared with it: {found}")
            return
        self._compare(name, program, traced, args, kwargs, "the example inputs")
        more = self._more.get(name, ()) if isinstance(self._more, dict) else self._more
        for i, given in enumerate(more):
            self._compare(name, program, traced, given, kwargs, f"check_inputs[{i}]")
        fresh = _fresh((args, kwargs))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TracerWarning)
            try:
                program(*_copied(fresh[0]), **_copied(fresh[1]))
            except Exception:  # noqa: BLE001 - the program may refuse values that it was not asked about
                return
        try:
            self._compare(name, program, traced, fresh[0], fresh[1], "other inputs of the same shapes")
        except TracingCheckError as error:
            _warn(f"{error}: a tensor decided which way the program went, or became a number")

    def _compare(self, name: str, program: Any, traced: Any, args: Any, kwargs: Any, which: str) -> None:
        wanted = program(*_copied(args), **_copied(kwargs))
        try:
            found = traced(*_copied(args), **_copied(kwargs))
        except Exception as error:
            raise TracingCheckError(f"the trace of '{name}' fails for {which}: {error}") from error
        told = _difference(found, wanted, self._tolerance, "the result")
        if told:
            raise TracingCheckError(f"the trace of '{name}' computes something else for {which}: {told}")


def _warn(what: str) -> None:
    file, line, module, registry = place()
    warnings.warn_explicit(what, TracerWarning, file, line, module, registry)


def _copied(value: Any) -> Any:
    return _mapped(value, lambda t: t.clone())


def _fresh(value: Any) -> Any:
    """Other values of the same shapes: the elements in another order, floats nearer to 0."""

    def other(tensor: Any) -> Any:
        flat = tensor.reshape(-1).flip(0)
        return (flat * 0.75 if tensor.is_floating_point() else flat).reshape(tensor.shape)

    return _mapped(value, other)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with other tensors."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple):
        parts = [_mapped(v, change) for v in value]
        return getattr(type(value), "_make", type(value))(parts)
    if isinstance(value, list):
        return [_mapped(v, change) for v in value]
    if isinstance(value, dict):
        return {key: _mapped(v, change) for key, v in value.items()}
    return value


def _difference(found: Any, wanted: Any, tolerance: float, what: str) -> str:
    """How two results differ; empty if they do not."""
    if isinstance(wanted, Tensor) and isinstance(found, Tensor):
        if found.dtype != wanted.dtype or found.shape != wanted.shape:
            return f"{what} is {found.dtype} of {tuple(found.shape)}, not {wanted.dtype} of {tuple(wanted.shape)}"
        if wanted.dtype.is_floating_point or wanted.dtype.is_complex:
            close = tscript.isclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            close = found == wanted
        if bool(close.all()):
            return ""
        return f"{int((~close).sum())} of {wanted.numel()} elements of {what} differ"
    if isinstance(wanted, tuple | list) and isinstance(found, tuple | list) and len(wanted) == len(found):
        pairs = enumerate(zip(found, wanted, strict=True))
        return next((t for i, (a, b) in pairs if (t := _difference(a, b, tolerance, f"{what}[{i}]"))), "")
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted.keys() == found.keys():
        return next((t for k in wanted if (t := _difference(found[k], wanted[k], tolerance, f"{what}[{k!r}]"))), "")
    return "" if found == wanted else f"{what} is {found!r}, not {wanted!r}"


# ---- functions


def _of_function(function: Any, args: Any, kwargs: Any, checks: _Checks, strict: bool) -> Any:
    name = getattr(function, "__name__", type(function).__name__)
    recorder = Recorder()
    header, given, named = _inputs(recorder, function, args, kwargs)
    with _recording(recorder):
        found = function(*given, **named)
    stem = name if name.isidentifier() else "traced"
    scripted = tscript.script(_text(recorder, stem, "", header, found, strict).function())
    checks.run(name, function, scripted, args, kwargs, recorder.draws)
    return scripted


@contextmanager
def _recording(recorder: Recorder) -> Iterator[None]:
    with current().tracing():
        token = TRACER.set(recorder)
        try:
            yield
        finally:
            TRACER.reset(token)


def _inputs(
    recorder: Recorder, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[str, list[Any], dict[str, Any]]:
    """The parameters of the trace, and what stands for the arguments.

    Raises:
        TypeError: The function does not take them, or they hold no tensors.
    """
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except ValueError:  # no signature is known
        names = [f"x{i}" for i in range(len(args))]
    else:
        names = []
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                names += [f"{name}{i}" for i in range(len(value))]
            elif kind is not inspect.Parameter.VAR_KEYWORD and name not in kwargs:
                names.append(name)
    parameters: list[str] = []
    given: list[Any] = []
    for name, value in zip(names, args, strict=True):
        parameters.append(f"{name}: {_annotation(value, name)}")
        given.append(_standing(recorder, value, name))
    named: dict[str, Any] = {}
    for name, value in kwargs.items():
        parameters.append(f"{name}: {_annotation(value, name)}")
        named[name] = _standing(recorder, value, name)
    return ", ".join(parameters), given, named


def _annotation(value: Any, name: str) -> str:
    """The type of an argument."""
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, tuple) and value:
        return f"Tuple[{', '.join(_annotation(v, name) for v in value)}]"
    if isinstance(value, list) and value and len(found := {_annotation(v, name) for v in value}) == 1:
        return f"List[{found.pop()}]"
    if isinstance(value, dict) and value and len(found := {_annotation(v, name) for v in value.values()}) == 1:
        keys = {type(key).__name__ for key in value}
        if len(keys) == 1 and keys <= {"str", "int"}:
            return f"Dict[{keys.pop()}, {found.pop()}]"
    raise TypeError(
        f"the example for '{name}' is {_kind(value)}: a trace takes tensors, and tuples, lists and dicts of tensors; "
        "give others by functools.partial, or script the function"
    )


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def _standing(recorder: Recorder, value: Any, text: str) -> Any:
    """What stands for an argument."""
    if isinstance(value, Tensor):
        return recorder.know(value.clone(), text)
    if isinstance(value, dict):
        return {key: _standing(recorder, v, f"{text}[{key!r}]") for key, v in value.items()}
    parts = [_standing(recorder, v, f"{text}[{i}]") for i, v in enumerate(value)]
    return parts if isinstance(value, list) else tuple(parts)


def _text(recorder: Recorder, name: str, owner: str, header: str, found: Any, strict: bool) -> TracedText:
    """The function of what was recorded."""
    _check_result(found, strict, name)
    result = recorder.text(found)
    lines = "".join(f"    {line}\n" for line in recorder.lines)
    return TracedText(name, owner, f"def {name}({header}):\n{lines}    return {result}\n", recorder.names)


def _check_result(found: Any, strict: bool, name: str) -> None:
    """Refuse results that a trace cannot give.

    Raises:
        TracingError: There are some.
    """
    if isinstance(found, Tensor):
        return
    if isinstance(found, list | dict) and strict:
        raise TracingError(
            f"'{name}' returns {_kind(found)}, whose form the trace has as it is in this run: return a tuple, or trace "
            "it with strict=False"
        )
    if isinstance(found, tuple | list):
        for value in found:
            _check_result(value, strict, name)
    elif isinstance(found, dict):
        for value in found.values():
            _check_result(value, strict, name)
    elif not isinstance(found, bool | int | float | None):
        raise TracingError(f"'{name}' returns {_kind(found)}: a trace gives tensors, numbers, and tuples of these")


# ---- modules


def _of_module(
    module: Any, methods: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]], checks: _Checks, strict: bool
) -> Any:
    if isinstance(module, ScriptModule):
        return module
    if not isinstance(module, Module):
        return _of_pytorch(module, methods, checks, strict)
    name = type(module).__name__
    texts: list[TracedText] = []
    draws: dict[str, Any] = {}
    holder = _holder(module, {})
    for method, (args, kwargs) in methods.items():
        run = getattr(module, method, None)
        if run is None:
            raise AttributeError(f"{name} has no method {method!r}")
        recorder = Recorder()
        header, given, named = _inputs(recorder, run, args, kwargs)
        with ExitStack() as stack:
            stack.enter_context(_unchanged(module))
            stack.enter_context(_standing_in(recorder, module))
            stack.enter_context(_recording(recorder))
            found = module(*given, **named) if method == "forward" else run(*given, **named)
            _assign_buffers(recorder, module)
        header = f"self, {header}" if header else "self"
        texts.append(_text(recorder, method, name, header, found, strict))
        draws[method] = recorder.draws
    holder.__class__ = _class_of(module, tuple(texts)).make()
    made = script_module(holder)
    for method, (args, kwargs) in methods.items():
        program = module if method == "forward" else getattr(module, method)
        traced = made if method == "forward" else getattr(made, method)
        checks.run(method, _keeping(module, program), _keeping(made, traced), args, kwargs, draws[method])
    return made


def _of_pytorch(
    module: Any, methods: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]], checks: _Checks, strict: bool
) -> Any:
    from tscript.nn.tracing.pytorch import calling, to_tscript, traced

    made, drew = traced(module, methods, strict)
    draws = [("a random operator", "{}:{}".format(*place()[:2]))] if drew else []
    for method, (args, kwargs) in methods.items():
        program = calling(module if method == "forward" else getattr(module, method))
        found = made if method == "forward" else getattr(made, method)
        given, named = to_tscript(args), to_tscript(kwargs)
        checks.run(method, _keeping(module, program), _keeping(made, found), given, named, draws)
    return made


def _class_of(module: Any, methods: tuple[TracedText, ...] = ()) -> TracedClass:
    cls = type(module)
    return TracedClass(cls.__name__, cls.__module__, cls.__doc__, methods)


def _holder(module: Any, known: dict[int, Any]) -> Any:
    """A module with the parameters, buffers and submodules of one, but no methods."""
    if isinstance(module, ScriptModule):
        return module
    found = known.get(id(module))
    if found is not None:
        return found
    classes = known.setdefault(0, {})
    cls = classes.get(type(module))
    if cls is None:
        cls = classes[type(module)] = _class_of(module).make()
    made = known[id(module)] = cls()
    for name, tensor in module._parameters.items():
        made.register_parameter(name, tensor)
    for name, tensor in module._buffers.items():
        made.register_buffer(name, tensor, persistent=name not in module._non_persistent_buffers_set)
    for name, child in module._modules.items():
        made.add_module(name, None if child is None else _holder(child, known))
    for name, value in vars(module).items():
        if isinstance(value, Tensor):
            setattr(made, name, value)
    made.train(module.training)
    return made


def _python_modules(module: Any) -> list[tuple[str, Any]]:
    """The modules that run in Python, with their paths."""
    return [
        (path, each)
        for path, each in module.named_modules()
        if not isinstance(each, ScriptModule) and not _is_below_scripted(module, path)
    ]


def _is_below_scripted(module: Any, path: str) -> bool:
    parts = path.split(".")
    above = (".".join(parts[:i]) for i in range(1, len(parts)))
    return any(isinstance(module.get_submodule(p), ScriptModule) for p in above)


def _reached(path: str) -> str:
    """The expression for a module; names that are numbers are those of members."""
    text = "self"
    for part in path.split(".") if path else ():
        text = f"{text}.{part}" if part.isidentifier() else f"getattr({text}, {part!r})"
    return text


@contextmanager
def _standing_in(recorder: Recorder, module: Any) -> Iterator[None]:
    """Puts what stands for tensors in the place of those of a module, and follows calls of the modules below it."""
    handles: list[Any] = []
    before: list[tuple[dict[str, Any], dict[str, Any]]] = []
    try:
        for path, each in module.named_modules():
            if isinstance(each, ScriptModule):
                recorder.know_module(each, _reached(path))
        for path, each in _python_modules(module):
            text = _reached(path)
            for held in (each._parameters, each._buffers, vars(each)):
                tensors = {n: v for n, v in held.items() if isinstance(v, Tensor)}
                before.append((held, dict(held) if held is not vars(each) else tensors))
                held.update({n: recorder.know(v, f"{text}.{n}") for n, v in tensors.items()})
            if path:
                handles.append(each.register_forward_pre_hook(lambda *_, path=path: recorder.enter(path), prepend=True))
                handles.append(each.register_forward_hook(lambda *_: recorder.leave(), always_call=True))
        yield
    finally:
        for handle in handles:
            handle.remove()
        for held, tensors in before:
            held.update(tensors)


def _assign_buffers(recorder: Recorder, module: Any) -> None:
    """Write the assignments of tensors to attributes that the program made."""
    for path, each in _python_modules(module):
        for held in (each._parameters, each._buffers, vars(each)):
            for name, value in held.items():
                target = f"{_reached(path)}.{name}"
                if type(value) is Traced and value._text != target:
                    recorder.lines.append(f"{target} = {value._text}")


def _tensors_of(module: Any) -> list[Any]:
    return [*module.parameters(), *module.buffers()]


@contextmanager
def _unchanged(module: Any) -> Iterator[None]:
    """Undoes what is done to the tensors of a module."""
    held = [(t, t.clone()) for t in _tensors_of(module)]
    try:
        yield
    finally:
        for tensor, before in held:
            tensor.detach().copy_(before)


def _keeping(module: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    """A call that leaves the module as it was."""

    def called(*args: Any, **kwargs: Any) -> Any:
        with _unchanged(module):
            return run(*args, **kwargs)

    return called
