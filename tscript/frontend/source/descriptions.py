"""Symbols as messages call them."""

from __future__ import annotations

from tscript.arrays import is_array
from tscript.frontend.source.classes import ClassSymbol, MemberSymbol, MethodSymbol
from tscript.frontend.source.functions import FunctionSymbol, IgnoredSymbol, VectorizedSymbol
from tscript.frontend.source.symbols import (
    AnnotateSymbol,
    BroadcastingSymbol,
    ByTypeSymbol,
    ConstantSymbol,
    ContainerSymbol,
    ExceptionSymbol,
    ForeignDtypeSymbol,
    ForkSymbol,
    FutureSymbol,
    InterfaceSymbol,
    KnownSymbol,
    LeafSymbol,
    ModuleSymbol,
    NamespaceSymbol,
    NumpySymbol,
    NumpyTypeSymbol,
    OperatorSymbol,
    PointerSymbol,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    TypeVariableSymbol,
    UnknownSymbol,
    WaitSymbol,
)


def shown_symbol(symbol: Symbol) -> str:
    """A symbol as messages call it: ``the function 'f'``."""
    match symbol:
        case ConstantSymbol() if is_array(symbol.value):
            return "a Tensor"
        case ConstantSymbol():
            return f"the constant {symbol.value!r}"
        case ContainerSymbol():
            return f"a {symbol.kind.__name__}"
        case OperatorSymbol():
            return f"the operator '{symbol.shown}'"
        case LeafSymbol():
            return f"the operator '{symbol.op.name}'"
        case NumpySymbol():
            return f"'np.{symbol.path}'"
        case NumpyTypeSymbol():
            return f"the type '{symbol.shown}'"
        case ForeignDtypeSymbol():
            return f"'{symbol.shown}', a dtype that no tensor has here,"
        case KnownSymbol():
            return f"the function '{symbol.shown}'"
        case ForkSymbol():
            return f"the function '{symbol.shown}'"
        case WaitSymbol():
            return f"the function '{symbol.shown}'"
        case AnnotateSymbol():
            return "the function 'annotate'"
        case FutureSymbol():
            return "the class 'Future'"
        case InterfaceSymbol():
            return f"the interface '{symbol.name}'"
        case BroadcastingSymbol():
            return "a list that a number stands for"
        case ByTypeSymbol():
            return "a family of functions"
        case VectorizedSymbol():
            return f"the vectorized function '{symbol.elements.body.name}'"
        case FunctionSymbol() | IgnoredSymbol():
            return f"the function '{symbol.function.name}'"
        case TypeSymbol() | TypeVariableSymbol() | PointerSymbol():
            return f"the type '{shown_type(symbol)}'"
        case ClassSymbol():
            return f"the class '{symbol.definition.name}'"
        case MemberSymbol():
            return f"the member '{symbol.definition.name}.{symbol.member}'"
        case MethodSymbol():
            return f"the method '{symbol.definition.name}.{symbol.method.name}'"
        case PythonSymbol(value=type() as found):
            return f"the class '{found.__name__}'"
        case PythonSymbol():
            return f"'{getattr(symbol.value, '__name__', symbol.value)}'"
        case ExceptionSymbol():
            return f"the exception class '{symbol.name}'"
        case NamespaceSymbol():
            return f"the module '{symbol.path}'"
        case ModuleSymbol():
            return f"the module '{symbol.name}'"
        case UnknownSymbol():
            return symbol.what
    return "this"


def shown_type(symbol: Symbol) -> str:
    """A type's symbol as the user wrote it."""
    match symbol:
        case TypeSymbol():
            return symbol.shown
        case TypeVariableSymbol():
            return symbol.name
        case PointerSymbol(pointee=None):
            return "Ptr"
        case PointerSymbol(pointee=Symbol() as pointee):
            return f"Ptr[{shown_type(pointee)}]"
    return shown_symbol(symbol)
