"""Frozen modules: `freeze` makes one of a scripted module, whose parameters and attributes become constants."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from tscript import Tensor
from tscript.definitions.absent import MISSING
from tscript.definitions.constant_arrays import constant_array
from tscript.frontend import PythonFunction
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import ClassDefinition
from tscript.ir.graph import Program
from tscript.late import dataclass, replace
from tscript.nn.scripting.attributes import base_of
from tscript.nn.scripting.facts import Facts, Layout
from tscript.nn.scripting.programs import function_of, programs_of, take_also
from tscript.nn.scripting.script_module import ScriptModule
from tscript.nn.state import IncompatibleKeys
from tscript.passes.freezing import fields_of, hasten
from tscript.passes.freezing import freeze as freeze_program
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import scripted_of
from tscript.runtime.session.usage import log_api_usage_once
from tscript.types import DType


class FrozenModuleError(RuntimeError, AttributeError):
    """Something asks a frozen module for what it no longer has, or to become another one."""


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """What is known of one frozen module.

    Attributes:
        name: Name of the class that it was made of.
        methods: Its functions by name; those in `bound` take the module that is left as their first argument.
        bound: Names of the methods that read or change attributes that are left.
        left: The module that has these attributes; None if there are none.
        preserved: Names of attributes that stay.
        tensors: Paths and dtypes of the tensors that became constants.
        attributes: Names of all attributes that the module had.
        members: Names of the methods and class attributes that its class had.
        read: Names of the attributes of modules that the methods in `bound` read or change.
    """

    name: str
    methods: Mapping[str, Any]
    bound: frozenset[str]
    left: ScriptModule | None
    preserved: tuple[str, ...]
    tensors: tuple[tuple[str, DType], ...]
    attributes: frozenset[str]
    members: frozenset[str]
    read: frozenset[str] = frozenset()

    def keeps(self, path: str, name: str) -> bool:
        """Whether an attribute of what is left, of the module at a path, is needed."""
        return name in self.read or (path or name).partition(".")[0] in self.preserved


class FrozenModule(ScriptModule):
    """A module in evaluation mode whose parameters and attributes are constants of its code; `tscript.freeze` makes it.

    It is called like the module that it was made of. It has the attributes and methods that were preserved, shows what
    its code reads or changes still, and has no parameters, buffers and submodules else.

    Raises:
        FrozenModuleError: An attribute is asked for or set that is a constant now, or mode or dtype are to change. It
            is a `RuntimeError` and an `AttributeError`.
    """

    _frozen: ClassVar[Frozen]
    """What is known of it; each frozen module has a class of its own."""

    __tscript_named__ = False
    training = False

    # -- attributes --------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        frozen = self._frozen
        if name not in frozen.preserved or frozen.left is None:
            raise self._gone(name, "cannot be set")
        setattr(frozen.left, name, value)

    def __getattr__(self, name: str) -> Any:
        frozen = self._frozen
        if name in frozen.methods:
            return self._method(name)
        if frozen.left is not None and (name in frozen.preserved or name in frozen.read & frozen.attributes):
            return getattr(frozen.left, name)
        raise self._gone(name, "cannot be read")

    def __dir__(self) -> list[str]:
        frozen = self._frozen
        left = frozenset() if frozen.left is None else frozen.read & frozen.attributes
        return sorted({*dir(type(self)), *frozen.methods, *frozen.preserved, *left})

    def _gone(self, name: str, what: str) -> FrozenModuleError:
        frozen = self._frozen
        if name in frozen.attributes:
            return FrozenModuleError(
                f"'{name}' of a frozen {frozen.name} is a constant of its code, and {what}: change the module before "
                f"it is frozen, or freeze it with preserved_attrs=[{name!r}]"
            )
        if name in frozen.members:
            return FrozenModuleError(
                f"'{name}' of a frozen {frozen.name} {what}: freezing keeps 'forward' and what is named; freeze the "
                f"module with preserved_attrs=[{name!r}]"
            )
        return FrozenModuleError(f"a frozen {frozen.name} has no attribute {name!r}")

    def _method(self, name: str) -> Any:
        frozen = self._frozen
        function = frozen.methods[name]
        return partial(function, frozen.left) if name in frozen.bound else function

    @classmethod
    def __tscript_definition__(cls, table: ClassTable) -> ClassDefinition | None:
        """What its class is in compiled code."""
        if "_frozen" not in vars(cls) or cls._frozen.bound:
            return None
        from tscript.nn.scripting.frozen_parts import definition_of

        return definition_of(cls, table)

    @property
    def __tscript_function__(self) -> PythonFunction:
        """`forward` as a function that compiled code calls where it calls the module by name, with the other methods
        as members."""
        frozen = self._frozen
        if frozen.bound:
            raise FrozenModuleError(f"a frozen {frozen.name} that has attributes left is called from Python")
        functions = {name: function.__tscript_function__ for name, function in frozen.methods.items()}
        made: PythonFunction = functions["forward"]
        assert made.stored is not None
        return replace(made, stored=replace(made.stored, members=functions))

    # -- calls -------------------------------------------------------------------------------------------------------

    @property
    def forward(self) -> Any:
        """What a call of the module computes, as a scripted function."""
        return self._method("forward")

    @property
    def original_name(self) -> str:
        """Name of the class that it was made of."""
        return self._frozen.name

    @property
    def graph(self) -> Any:
        """IR of `forward`, before types of arguments are known."""
        return self._frozen.methods["forward"].graph

    @property
    def code(self) -> str:
        """Text of `forward` in the language, as it was before it was frozen."""
        text: str = self._frozen.methods["forward"].code
        return text

    def graph_for(self, *args: Any, **kwargs: Any) -> Any:
        """IR of `forward` for arguments, after all optimisations."""
        left = [self._frozen.left] if "forward" in self._frozen.bound else []
        return self._frozen.methods["forward"].graph_for(*left, *args, **kwargs)

    # -- changing all of it ------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Nothing for False.

        Raises:
            FrozenModuleError: `mode` is True.
        """
        self._check_mode(mode, "")
        return self

    def _check_mode(self, mode: bool, path: str) -> None:
        if mode:
            which = f"{path!r}, a frozen {self._frozen.name}," if path else f"a frozen {self._frozen.name}"
            raise FrozenModuleError(
                f"{which} cannot be trained, its mode is a constant of its code: call train() on the module that it "
                "was made of, and freeze that again"
            )

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Refused: its parameters are constants.

        Raises:
            FrozenModuleError: Always.
        """
        raise FrozenModuleError(
            f"a frozen {self._frozen.name} takes no state dict, its parameters are constants of its code: load it into "
            "the module that it was made of, and freeze that again"
        )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        import tscript

        for path, dtype in self._frozen.tensors:
            found = fn(tscript.empty(0, dtype=dtype)).dtype
            if found != dtype:
                raise FrozenModuleError(
                    f"'{path}' of a frozen {self._frozen.name} is a constant of dtype {dtype.name}, and cannot become "
                    f"{found.name}: convert the module before it is frozen"
                )
        return self

    # -- copies ------------------------------------------------------------------------------------------------------

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        frozen = self._frozen
        if frozen.left is None:
            return self
        made: Any = _made(replace(frozen, left=copy.deepcopy(frozen.left, memo)), type(self)._facts.source)
        memo[id(self)] = made
        return made  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._frozen, self._facts.source)

    # -- text --------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return "FrozenModule"


def freeze(
    module: Any, preserved_attrs: Sequence[str] = (), optimize_numerics: bool = True, *, fast: bool = False
) -> FrozenModule:
    """A scripted module in evaluation mode as one function whose parameters and attributes are constants.

    Attributes decide branches while compiling, submodules are part of the function, and the normalisation of channels
    behind a convolution or a linear layer is folded into its weights, where it has fixed statistics. Results are the
    same but for rounding.

    Args:
        module: A scripted module in evaluation mode, or a frozen one. It stays as it is, and shares nothing with the
            result.
        preserved_attrs: Names of attributes that can be read and set as before, such as ``"version"`` or
            ``"head.scale"``, whose values are not built in; and of methods besides `forward`.
        optimize_numerics: Whether normalisations are folded.
        fast: Whether 3 x 3 convolutions may use Winograd's F(4 x 4, 3 x 3), whose greatest error is up to eight times
            that of sums of products on numbers of about one size, in place of F(2 x 2, 3 x 3), up to three times.

    Returns:
        The frozen module.

    Raises:
        TypeError: It is no scripted module.
        RuntimeError: It, or a module below it, is in training mode; the message names its path.
        AttributeError: There is no attribute of a name.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> net = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.ReLU()).eval()
        >>> frozen = tscript.freeze(tscript.script(net))
        >>> frozen(tscript.ones(1, 3, 2, 2)).shape
        (1, 4, 2, 2)
        >>> [*frozen.named_parameters()]
        []
    """
    log_api_usage_once("tscript.freeze")
    if isinstance(module, FrozenModule):
        return _hastened(module) if fast else module
    if not isinstance(module, ScriptModule):
        raise TypeError(f"freeze() takes a scripted module, not {_kind(module)}: call tscript.script on it first")
    preserved = (preserved_attrs,) if isinstance(preserved_attrs, str) else tuple(preserved_attrs)
    for path, each in module.named_modules():
        if each.training:
            where = f"'{path}' of the {module.original_name}" if path else f"the {module.original_name}"
            raise RuntimeError(f"{where} is in training mode: call eval() before it is frozen")
    return _Freezing(copy.deepcopy(module), preserved, optimize_numerics, fast).result()


def optimize_for_inference(module: Any, other_methods: Sequence[str] = (), *, fast: bool = False) -> FrozenModule:
    """`freeze` with everything that makes calls fast.

    Args:
        module: A scripted module in evaluation mode, or a frozen one.
        other_methods: Names of methods besides `forward`.
        fast: Whether larger errors are allowed for speed, see `freeze`.

    Raises:
        TypeError, RuntimeError, AttributeError: As `freeze`.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> fast = tscript.optimize_for_inference(tscript.script(nn.Linear(2, 1).eval()))
        >>> fast(tscript.zeros(3, 2)).shape
        (3, 1)
    """
    return freeze(module, other_methods, fast=fast)


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


class _Freezing:
    """Makes a frozen module.

    Args:
        root: A scripted module that is not used elsewhere.
        preserved: Paths of attributes that stay, and names of methods.
        folds: Whether normalisations are folded.
        fast: Whether errors of convolutions may be larger.
    """

    def __init__(self, root: ScriptModule, preserved: Sequence[str], folds: bool, fast: bool) -> None:
        self._root = root
        self._folds = folds
        self._fast = fast
        self._arrays: dict[int, Any] = {}
        self._tensors: dict[str, DType] = {}
        self._paths: dict[int, str] = {id(each): path for path, each in root.named_modules()}
        self._names = ["forward"]
        self._preserved: list[str] = []
        self._kept: set[tuple[int, str]] = set()
        for path in preserved:
            self._preserve(path)

    def _preserve(self, path: str) -> None:
        owner: Any = self._root
        *above, name = path.split(".")
        for part in above:
            owner = getattr(owner, part)
        facts = owner._facts
        if name in facts.types or name in facts.constants:
            self._preserved.append(path)
            self._kept.add((id(owner), name))
        elif owner is self._root and hasattr(owner, name):
            self._names.append(name)
        else:
            raise AttributeError(f"{self._root.original_name} has no attribute {path!r} that could be preserved")

    def result(self) -> FrozenModule:
        """The frozen module."""
        root, facts = self._root, self._root._facts
        made = self._methods()
        bound = frozenset(name for name, (_, is_bound) in made.items() if is_bound)
        if not bound:
            tops = {path.partition(".")[0] for path in self._preserved}
            for name in [n for n in root.__dict__ if n not in tops]:
                del root.__dict__[name]
        frozen = Frozen(
            root.original_name,
            {name: function for name, (function, _) in made.items()},
            bound,
            root if bound or self._preserved else None,
            tuple(dict.fromkeys(path.partition(".")[0] for path in self._preserved)),
            tuple(self._tensors.items()),
            frozenset({*facts.types, *facts.constants, "training"}),
            frozenset(name for name in dir(facts.source) if not hasattr(facts.base, name)),
            frozenset().union(
                *(fields_of(program) for name in bound for program, _ in programs_of(scripted_of(made[name][0])))
            ),
        )
        if bound:
            _empty(root, frozen)
        return _made(frozen, facts.source)

    def _methods(self) -> dict[str, tuple[Any, bool]]:
        """The methods as functions by name, each with whether it still takes the module."""
        root, context = self._root, current().compiler.context
        methods = {name: scripted_of(getattr(root, name).__func__) for name in dict.fromkeys(self._names)}
        versions = [(name, each) for name, method in methods.items() for each in method.of_declarations()]
        programs = [each.program for _, each in versions]
        frozen = freeze_program(programs, root, self._read, context, fold=self._folds, fast=self._fast)
        bound = {
            name
            for (name, _), before, now in zip(versions, programs, frozen, strict=True)
            if len(before.entry.params) == len(now.entry.params)
        }
        found: dict[str, list[tuple[Program, Sequence[int]]]] = {name: [] for name in methods}
        for (name, each), before, now in zip(versions, programs, frozen, strict=True):
            if name in bound and len(before.entry.params) != len(now.entry.params):
                take_also(now, before.entry.params[0])
            found[name].append((now, sorted(i - (name not in bound) for i in each.static)))
        return {n: (function_of(n, found[n], m.code, m.doc), n in bound) for n, m in methods.items()}

    def _read(self, owner: Any, name: str) -> object:
        """See `tscript.passes.freezing.Read`."""
        if (id(owner), name) in self._kept:
            return MISSING
        value = owner.__dict__.get(name, MISSING)
        if isinstance(value, Tensor):
            found = self._arrays.get(id(value))
            if found is None:
                found = self._arrays[id(value)] = constant_array(value._raw_array())
            above = self._paths.get(id(owner), "")
            self._tensors[f"{above}.{name}" if above else name] = value.dtype
            return found
        is_known = isinstance(value, ScriptModule | bool | int | float | str | tuple | None)
        return value if is_known else MISSING


def _empty(root: ScriptModule, frozen: Frozen) -> None:
    """Let go of the tensors of what is left that became constants: of each stays one without elements."""
    import tscript

    for path, module in root.named_modules():
        for name in module._facts.types:
            value = module.__dict__[name]
            if isinstance(value, Tensor) and value.dim() > 0 and not frozen.keeps(path, name):
                module.__dict__[name] = tscript.empty((0,) * value.dim(), dtype=value.dtype)


def _hastened(module: FrozenModule) -> FrozenModule:
    """A frozen module whose convolutions may have larger errors."""
    frozen: Frozen = module._frozen
    context = current().compiler.context
    left = copy.deepcopy(frozen.left)
    methods = {}
    for name, function in frozen.methods.items():
        method = scripted_of(function)
        programs = programs_of(method)
        for program, _ in programs:
            hasten(program, context)
        methods[name] = function_of(name, programs, method.code, method.doc)
    return _made(replace(frozen, methods=methods, left=left), module._facts.source)


def _made(frozen: Frozen, source: type) -> FrozenModule:
    """The frozen module of these facts.

    Args:
        frozen: They.
        source: The class of the module that was scripted.
    """
    base = base_of(source)
    assert base is not None
    function = frozen.methods["forward"]
    called = partial(function, frozen.left) if "forward" in frozen.bound else function
    namespace = {
        "_frozen": frozen,
        "_facts": Facts(source, base, (), _NOTHING, {}, {"training": False}, (), _none, _none, _none, _none, _none),
        "__call__": staticmethod(called),
        "__module__": source.__module__,
        "__qualname__": source.__qualname__,
        "__doc__": source.__doc__,
    }
    cls: Any = type(source.__name__, (FrozenModule,), namespace)
    made: FrozenModule = cls.__new__(cls)
    return made


_NOTHING = Layout((), (), (), frozenset())


def _none(*_: Any) -> Any:
    """Frozen modules do without what `Facts` has for others."""
    raise NotImplementedError
