"""`ScriptFunction`: the attributes of the native type of scripted functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tscript.definitions.absent import REQUIRED
from tscript.ir.graph import Param, Program
from tscript.runtime.session.faces import Faces
from tscript.runtime.session.scripted import IMPLEMENTATION, SOURCE, scripted_of
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.arguments import Argument
from tscript.types import Type, parse_type, spoken


def dress(kind: Any, faces: Faces) -> None:
    """Give the native type of scripted functions its attributes.

    Args:
        kind: The type.
        faces: Makes functions whose errors end at the user's own line.
    """
    for name, value in vars(_Attributes).items():
        if isinstance(value, property) and value.fget is not None:
            setattr(kind, name, property(faces.public(value.fget)))
        elif not name.startswith("__"):
            setattr(kind, name, faces.public(value))
    kind._scripted, kind.__tscript_function__ = property(_scripted), property(_source)
    kind.__signature__ = _Signature()
    setattr(kind, "__set_name__", _told)  # noqa: B010 - likewise
    setattr(kind, "__repr__", _shown)  # noqa: B010 - a native type, whose slot this sets


class _Attributes:
    """The attributes of `ScriptFunction`: each is put on the native type as a property or method."""

    @property
    def graph(self) -> Program:
        """The typed IR, generic over dtypes and ranks; prints as text."""
        return scripted_of(self).program

    @property
    def inlined_graph(self) -> Program:
        """`graph`, with the functions that it calls put where they are called, unless they call themselves."""
        scripted = scripted_of(self)
        return scripted.linker.compiler.inlined(scripted.program)

    @property
    def name(self) -> str:
        """Its name."""
        return scripted_of(self).name

    @property
    def qualified_name(self) -> str:
        """Its name with that of its module."""
        scripted = scripted_of(self)
        module = None if scripted.source is None else getattr(scripted.source.callable, "__module__", None)
        return f"{module}.{scripted.name}" if module else scripted.name

    @property
    def code(self) -> str:
        """Canonical source of the function and of what it calls."""
        return scripted_of(self).code

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, with types and defaults."""
        return scripted_of(self).params

    def params_for(self, types: Sequence[Type]) -> tuple[Param, ...]:
        """The parameters as they are for calls with these types; further ones are as where no call says more."""
        return scripted_of(self).of_given(types).params

    def graph_for(self, *args: Any, **kwargs: Any) -> Program:
        """The optimised IR for a call with these arguments; nothing runs."""
        log_api_usage_once("tscript.script.graph_for")
        scripted, types, constants = scripted_of(self).of_call(args, kwargs)
        return scripted.linker.compiler.optimise(scripted.specialised(types, constants))

    def llvm_for(self, *args: Any, **kwargs: Any) -> str:
        """The LLVM text for a call with these arguments, before LLVM's own optimisation."""
        log_api_usage_once("tscript.script.llvm_for")
        scripted, types, constants = scripted_of(self).of_call(args, kwargs)
        return scripted.linker.compiler.llvm(scripted.specialised(types, constants)).text

    def asm_for(self, *args: Any, **kwargs: Any) -> str:
        """The assembly for a call with these arguments."""
        log_api_usage_once("tscript.script.asm_for")
        scripted, types, constants = scripted_of(self).of_call(args, kwargs)
        return scripted.linker.compiler.assembly(scripted.specialised(types, constants))

    def compile_for(self, *types: Type | str) -> None:
        """Compile ahead for argument types, given as types or as their text:
        ``f.compile_for("Tensor[float32, 2]", "int")``. Without any, for those of the signature.

        Raises:
            CompileError: The function does not take them.
        """
        log_api_usage_once("tscript.script.compile_for")
        scripted = scripted_of(self)
        known = [parse_type(t) if isinstance(t, str) else t for t in types]
        if not known:
            known = [p.type for p in scripted.params]
        if len(known) != len(scripted.params):
            raise TypeError(f"{scripted.name} has {len(scripted.params)} parameters, {len(known)} types were given")
        scripted.compile_for([Argument(t) for t in known])

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[object]:
        """The converted arguments of a call, one per parameter.

        Raises:
            TypeError: They do not fit the signature.
        """
        return scripted_of(self).bind(args, kwargs)[0]

    def stage_for(self, stage: str, types: Sequence[Type] | None, print_after: Sequence[str] = ()) -> str:
        """What ``tscript ir`` prints: the stage ``typed``, ``opt``, ``llvm`` or ``asm`` for these argument types."""
        scripted = scripted_of(self)
        known = tuple(types) if types is not None else tuple(p.type for p in scripted.params)
        scripted = scripted.of_types(known)
        return scripted.linker.compiler.stage(scripted.specialised(known, {}), stage, print_after)

    def get_debug_state(self) -> Any:
        """Refused: what is known of each kind of call is asked for by arguments.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "f.graph_for(x) is the optimised IR for calls like f(x), f.llvm_for(x) and f.asm_for(x) the code"
        )

    def explain_fusion(self, types: Sequence[Type]) -> str:
        """What ``tscript ir --explain-fusion`` prints: which operators are one loop for these argument types, and why
        the others are not."""
        known = tuple(types)
        scripted = scripted_of(self).of_types(known)
        return scripted.linker.compiler.explain_fusion(scripted.specialised(known, {}))


class _Signature:
    """What `inspect.signature` asks of functions that stand for no Python function: those of archives and texts."""

    def __get__(self, function: Any, owner: type | None = None) -> Any:
        if function is None or hasattr(function, "__wrapped__"):
            raise AttributeError("__signature__")
        import inspect

        scripted = scripted_of(function)
        kinds = inspect.Parameter
        params = [
            kinds(
                p.name,
                kinds.VAR_POSITIONAL if p.variadic
                else kinds.KEYWORD_ONLY if p.keyword_only
                else kinds.POSITIONAL_ONLY if p.positional_only
                else kinds.POSITIONAL_OR_KEYWORD,
                default=kinds.empty if p.default is REQUIRED else p.default,
                annotation=str(p.type),
            )
            for p in scripted.taken
            if p.held is None
        ]  # fmt: skip
        result = scripted.program.entry.result if scripted.entry is None else scripted.entry.result
        return inspect.Signature(params, return_annotation=str(result))


def _scripted(function: Any) -> Any:
    try:
        return vars(function)[IMPLEMENTATION]
    except KeyError:
        raise AttributeError("it is not ready") from None


def _source(function: Any) -> Any:
    made = vars(function)
    if SOURCE not in made:
        found = getattr(made.get(IMPLEMENTATION), "stored", None)
        if found is None:
            raise AttributeError("it was not made of a function")
        made[SOURCE] = found
    return made[SOURCE]


def _told(function: Any, owner: type, name: str) -> None:
    """Python's message that a class has the function as an attribute."""
    if (found := scripted_of(function).owner_of) is not None:
        found.tell(owner, name)


def _shown(function: Any) -> str:
    """``<tscript.ScriptFunction scale(x: Tensor, by: float) -> Tensor>``."""
    scripted = scripted_of(function)
    if scripted.is_deferred and not scripted.is_checked:
        return f"<tscript.ScriptFunction {scripted.name}(…)>"
    params = ", ".join(f"{p.name}: {spoken(p.type)}" for p in scripted.params if p.held is None)
    shown = f"<tscript.ScriptFunction {scripted.name}({params})"
    if not scripted.is_usual:
        return f"{shown}>"
    result = scripted.program.entry.result if scripted.entry is None else scripted.entry.result
    return f"{shown} -> {spoken(result)}>"
