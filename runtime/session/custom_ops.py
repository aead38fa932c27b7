"""`OperatorRegistry`: the operators that a process defines in addition to the built-in ones.

It belongs to the `Runtime` and gives the compiler a table with one more operator each time (`Compiler.extend`). Nothing
is ever changed or removed, so programs that are being compiled, and compiled code, stay valid. An operator is an
`OpDef` like any other, of one of three implementations: `Composite` (a body in the language), `PythonCall` (called with
the GIL through `Boundary`'s dispatch) and `NativeCall` (a C function, reached by a symbol that is bound to its address
here and nowhere else). `tscript.library` is the public face.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import inspect
import threading
import typing
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript.abi import symbols
from tscript.abi.layout import ABI_VERSION
from tscript.archive import ArchiveError, MissingOperatorError, OperatorNeed
from tscript.definitions.custom import CustomRule, Fake, SchemaError, custom_operator, operator_schema, result_type
from tscript.definitions.opdef import Composite, NativeCall, OperatorLibrary, PythonCall, in_body
from tscript.definitions.rules import SCALARS
from tscript.definitions.schema import Schema
from tscript.diagnostics.suggest import close_matches
from tscript.pipeline import Compiler
from tscript.runtime.session.addresses import address_of
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.eager import EagerOperators
from tscript.runtime.session.inferred import infer_schema, result_text
from tscript.runtime.session.plugins import (
    OperatorLibraryError,
    load_operator_libraries,
    load_operator_library,
    operator_libraries,
)
from tscript.runtime.session.tensors import Tensors
from tscript.runtime.values.arguments import plain
from tscript.types import BOOL, FLOAT, INT, NONE, TENSOR, TupleType, Type

if TYPE_CHECKING:
    from tscript.definitions.table import OperatorTable

RESERVED = frozenset({"aten", "prim", "prims", "torch", "tscript"})
"""Namespaces of PyTorch's operators and of tscript's: programs cannot define operators in them."""

API_FUNCTIONS = (
    symbols.TENSOR_ALLOC,
    symbols.TENSOR_RETAIN,
    symbols.TENSOR_RELEASE,
    symbols.kernel_symbol("contiguous"),
    symbols.kernel_symbol("operator_raise"),
    symbols.RELEASE_GIL,
)
"""The functions in ``TsApi`` after its version and size, in order."""


class RedefinitionError(ValueError):
    """An operator of that name exists already; operators are never replaced."""


class Namespace:
    """``tscript.ops.mylib``: the custom operators of one namespace, as attributes."""

    def __init__(self, registry: OperatorRegistry, eager: EagerOperators, name: str) -> None:
        self._registry = registry
        self._eager = eager
        self.__tscript_namespace__ = name

    def __getattr__(self, name: str) -> Any:
        space = self.__dict__.get("__tscript_namespace__", "")
        table = self._registry.table_with(space)
        plain_name = table.of_namespace(space, name)
        if not table.overloads(plain_name):
            close = close_matches(name, table.namespace(space))
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise AttributeError(f"there is no operator {space}::{name}{hint}", name=name, obj=self)
        found = self._eager.of(plain_name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(self._registry.table.namespace(self.__tscript_namespace__))

    def __repr__(self) -> str:
        return f"<operators of {self.__tscript_namespace__}: {', '.join(dir(self))}>"


class OperatorRegistry:
    """Defines operators in one process. Its methods may be called from any thread.

    Args:
        compiler: The compiler that gets them.
        library: Defines their symbols.
        eager: Calls them.
        tensors: Makes tensors of arrays.
        tensor: The tensor type.
    """

    def __init__(
        self, compiler: Compiler, library: KernelLibrary, eager: EagerOperators, tensors: Tensors, tensor: type
    ) -> None:
        self._compiler = compiler
        self._library = library
        self._eager = eager
        self._tensors = tensors
        self._tensor = tensor
        self._lock = threading.RLock()
        self._held: list[object] = []
        self._api: Any = None

    @property
    def table(self) -> OperatorTable:
        """The table as it is now."""
        return self._compiler.table

    def python(
        self,
        name: str,
        function: Callable[..., Any],
        library: OperatorLibrary,
        *,
        schema: str | None = None,
        mutates: Iterable[str] = (),
        like: str | None = None,
        side_effects: bool = False,
    ) -> Any:
        """Define an operator that is a Python function, called with the GIL.

        Args:
            name: ``mylib::name``.
            function: Takes and returns values as in the schema.
            library: Its library.
            schema: By default, from annotations.
            mutates: Parameters that it writes to.
            like: Parameter whose dtype and rank the result has.
            side_effects: Whether it has other effects than writing to those.

        Returns:
            The operator, to call.

        Raises:
            SchemaError: The schema or the name is not valid.
            RedefinitionError: An operator of that name exists.
            TypeError: `function` cannot be called.
        """
        if not callable(function):
            raise TypeError(f"the operator {name} needs a function, not a {type(function).__name__}")
        parsed = operator_schema(name, schema if schema is not None else infer_schema(function), mutates)
        declared = result_type(parsed)
        names = [p.name for p in parsed.parameters if p.keyword_only]
        split = len(parsed.parameters) - len(names)

        def run(*values: object) -> object:
            found = function(*values[:split], **dict(zip(names, values[split:], strict=True)))
            return _result(name, declared, found, self._tensor)

        implementation = PythonCall(run)
        return self._define(parsed, like, self._on_arrays(run), implementation, library, side_effects, function)

    def scripted(
        self, name: str, function: Callable[..., Any], library: OperatorLibrary, *, mutates: Iterable[str] = ()
    ) -> Any:
        """Define an operator whose body is in the language: it is inlined and fused where it is used.

        Args:
            name: ``mylib::name``.
            function: The body; its annotations are the schema. It is checked now.
            library: Its library.
            mutates: Parameters that it writes to.

        Raises:
            CompileError: The body cannot be compiled; with every error found.
            SchemaError, RedefinitionError: As `python`.
        """
        from tscript.frontend import PythonFunction, lower

        source = PythonFunction.from_callable(function)
        text = infer_schema(function, result="Tensor")
        parameters = operator_schema(name, text, mutates).parameters
        kinds: dict[str, Type] = {"Tensor": TENSOR, **SCALARS}
        known = {p.name: kinds[p.kind] for p in parameters if p.kind in kinds}
        if len(known) == len(parameters):
            program = lower(source, self._compiler.table, types=known)
            text = infer_schema(function, result=result_text(name, program.entry.result))
        schema = operator_schema(name, text, mutates)
        found = self._define(schema, None, in_body, Composite(function), library, False, function)
        found.__tscript_body__ = source
        return found

    def native(
        self,
        name: str,
        schema: str,
        function: object,
        library: OperatorLibrary,
        *,
        mutates: Iterable[str] = (),
        like: str | None = None,
        side_effects: bool = False,
        releases_gil: bool = True,
    ) -> Any:
        """Define an operator that is a C function, see ``tscript_ops.h``.

        Args:
            name: ``mylib::name``.
            schema: ``(Tensor x, float a) -> Tensor``.
            function: Its address, or a function pointer of `ctypes`.
            library: Its library.
            mutates, like, side_effects: As `python`.
            releases_gil: Whether the GIL is released before it runs. It is not taken in either case.

        Raises:
            ValueError: The pointer is null.
            TypeError: `function` is not a pointer.
            SchemaError, RedefinitionError: As `python`.
        """
        parsed = operator_schema(name, schema, mutates)
        address = address_of(function, f"the operator {name}")
        symbol = symbols.operator_symbol(parsed.qualified_name)

        def run(*values: object) -> object:
            called = getattr(self.namespace(parsed.namespace), parsed.name.partition("::")[2])
            positional = [v for v, p in zip(values, parsed.parameters, strict=True) if not p.keyword_only]
            return called(
                *positional, **{p.name: v for v, p in zip(values, parsed.parameters, strict=True) if p.keyword_only}
            )

        with self._lock:
            self._refuse_taken(parsed)
            self._offer_api()
            self._library.define({symbol: address})
            self._held.append(function)
            implementation = NativeCall(symbol, releases_gil)
            return self._define(parsed, like, self._on_arrays(run), implementation, library, side_effects, None)

    def register_fake(self, name: str, fake: Fake) -> Fake:
        """Set the function for the result type of an operator; see `tscript.library.register_fake`.

        Raises:
            KeyError: There is no custom operator of that name.
            TypeError: `fake` cannot be called, or the operator has a body, which determines the type.
            RuntimeError: It is too late, or there is one already.
        """
        if not callable(fake):
            raise TypeError(f"the fake of {name} must be a function, not a {type(fake).__name__}")
        table = self._compiler.table
        if name not in table or not isinstance(rule := table[name].type_rule, CustomRule):
            raise KeyError(f"there is no custom operator {name!r}")
        if isinstance(table[name].implementation, Composite):
            raise TypeError(f"{name} has a body in the language, which says what it returns")
        rule.set_fake(fake)
        return fake

    def provide(self, needs: Iterable[OperatorNeed], path: str = "") -> None:
        """Check that the operators that an archive needs exist; libraries that are installed as plugins are loaded for
        it.

        Args:
            needs: From the archive.
            path: Its file, for messages.

        Raises:
            MissingOperatorError: One does not exist.
            ArchiveError: One has another schema.
        """
        for need in needs:
            cause: OperatorLibraryError | None = None
            if need.name not in self._compiler.table:
                try:
                    load_operator_library(need.library)
                except OperatorLibraryError as error:
                    cause = error
            try:
                need.check(self._compiler.table)
            except MissingOperatorError as error:
                installed = any(plugin.name == need.library for plugin in operator_libraries())
                what = f"{error.what}; {cause}" if installed and cause is not None else error.what
                raise MissingOperatorError(what, path, error.operator, error.library) from cause
            except ArchiveError as error:
                raise ArchiveError(error.what, path) from None

    def table_with(self, namespace: str) -> OperatorTable:
        """The table; if it lacks a namespace, with the operator libraries that are installed as plugins."""
        if not self._compiler.table.namespace(namespace):
            load_operator_libraries()
        return self._compiler.table

    def find(self, name: str) -> Namespace:
        """``tscript.ops.<name>``, if it has operators.

        Raises:
            AttributeError: There are none.
        """
        if not self.table_with(name).namespace(name):
            raise AttributeError(f"no operators of {name!r} are defined: import the library that defines them first")
        return self.namespace(name)

    def namespace(self, name: str) -> Namespace:
        """``tscript.ops.<name>``, created at its first use.

        Raises:
            SchemaError: That name cannot be a namespace of operators.
        """
        package = importlib.import_module("tscript.ops")
        with self._lock:
            found = vars(package).get(name)
            if isinstance(found, Namespace):
                return found
            if name.startswith("_") or name in RESERVED or found is not None:
                raise SchemaError(f"'{name}' cannot be a namespace of operators, tscript uses the name: choose another")
            made = Namespace(self, self._eager, name)
            setattr(package, name, made)
            return made

    def _define(
        self,
        schema: Schema,
        like: str | None,
        semantics: Callable[..., object],
        implementation: PythonCall | NativeCall | Composite,
        library: OperatorLibrary,
        side_effects: bool,
        function: Callable[..., Any] | None,
    ) -> Any:
        rule = CustomRule(schema, _position(schema, like))
        doc = (inspect.getdoc(function) or "").partition("\n")[0] if function is not None else ""
        op = custom_operator(schema, rule, semantics, implementation, library, side_effects=side_effects, doc=doc)
        with self._lock:
            self._refuse_taken(schema)
            namespace = self.namespace(schema.namespace)
            self._compiler.extend(op)
        found = getattr(namespace, schema.name.partition("::")[2])
        if not hasattr(found, "schema"):
            found.schema = str(schema)
            found.register_fake = partial(self.register_fake, schema.qualified_name)
            found.__doc__ = inspect.getdoc(function) if function is not None else str(schema)
            if function is not None:
                found.__wrapped__ = function
        return found

    def _refuse_taken(self, schema: Schema) -> None:
        table = self._compiler.table
        space, _, name = schema.name.partition("::")
        if table.function(f"torch.ops.{space}.{name}") is not None:
            raise RedefinitionError(
                f"the operator {schema.name} is built in, as tscript.ops.{space}.{name}: leave the definition out, or "
                f"give yours another namespace"
            )
        if schema.qualified_name in table:
            before = table[schema.qualified_name].library
            where = f" by {before.module}" if before is not None and before.module else ""
            raise RedefinitionError(
                f"the operator {schema.qualified_name} is defined already{where}; operators are never replaced: "
                "choose another name, or an overload of its own"
            )

    def _offer_api(self) -> None:
        """Make the table of functions for operators in C."""
        if self._api is None:
            addresses = [self._library.address(symbol) for symbol in API_FUNCTIONS]
            count = 2 + len(addresses)
            self._api = (ctypes.c_int64 * count)(ABI_VERSION, 8 * count, *addresses)
            self._library.define({symbols.OPERATOR_API: ctypes.addressof(self._api)})

    def _on_arrays(self, run: Callable[..., object]) -> Callable[..., object]:
        """The meaning of an operator on NumPy arrays, from its function on tensors."""

        def semantics(*values: object) -> object:
            return _to_arrays(run(*(self._to_tensors(v) for v in values)), self._tensor)

        return semantics

    def _to_tensors(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(self._to_tensors, value))
        return self._tensors.over(value) if isinstance(value, np.ndarray) else value


def _position(schema: Schema, like: str | None) -> int | None:
    if like is None:
        return None
    for i, parameter in enumerate(schema.parameters):
        if parameter.name == like and parameter.kind == "Tensor" and result_type(schema) == TENSOR:
            return i
    raise SchemaError(f"the result of {schema.name} cannot be like '{like}': both must be a Tensor")


def _to_arrays(value: object, tensor: type) -> object:
    if isinstance(value, tuple):
        return tuple(_to_arrays(v, tensor) for v in value)
    return np.asarray(value) if type(value) is tensor else value


def _result(name: str, declared: Type, value: object, tensor: type) -> object:
    """The result of a Python function, as the type that its schema declares.

    Raises:
        TypeError: It has another type.
        OverflowError: An int does not fit into 64 bits.
    """
    if isinstance(declared, TupleType):
        if isinstance(value, tuple | list) and len(value) == len(declared.elements):
            return tuple(_result(name, t, v, tensor) for t, v in zip(declared.elements, value, strict=True))
    elif declared == TENSOR:
        if type(value) is tensor:
            return value
    else:
        number = plain(value)
        if declared == NONE and number is None:
            return None
        if declared == BOOL and type(number) is bool:
            return number
        if declared == INT and type(number) is int:
            if not -(1 << 63) <= number < 1 << 63:
                raise OverflowError(f"{name} returned {number}, which does not fit into 64 bits")
            return number
        if declared == FLOAT and type(number) in (int, float):
            return float(typing.cast(float, number))
    found = f"a {type(value).__name__}" if value is not None else "None"
    if isinstance(value, tuple | list):
        found += f" of {len(value)}"
    hint = ": wrap it with tscript.from_numpy(…)" if isinstance(value, np.ndarray) else ""
    raise TypeError(f"{name} returned {found}, its schema says {declared}{hint}")
