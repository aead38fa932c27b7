"""The language as a record: what lowers each class of syntax, and the operations of each kind of value."""

from __future__ import annotations

import ast
from functools import partial

from tscript.frontend.lowering import (
    augmented,
    calls,
    conditions,
    container_literals,
    contexts,
    conversions,
    expressions,
    matching,
    method_calls,
    operators,
    refinement,
    sources,
    subscripts,
    unreached,
)
from tscript.frontend.lowering.bodies import lower_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kinds
from tscript.frontend.lowering.language import Language
from tscript.frontend.lowering.messages import exception_class
from tscript.frontend.lowering.program import Contents, Instance, LanguageProgram
from tscript.frontend.lowering.statements import STATEMENTS
from tscript.frontend.source.classes import MethodSymbol
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ExceptionSymbol, OperatorSymbol, PythonSymbol
from tscript.frontend.values import (
    builtins,
    caches,
    callables,
    class_names,
    containers,
    dicts,
    dtypes,
    enums,
    exceptions,
    fields,
    formatting,
    inheritance,
    lists,
    local_functions,
    numbers,
    objects,
    others,
    sets,
    shapes,
    shared_caches,
    strings,
    tensors,
    tuples,
    unions,
    written_builtins,
)
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    STR,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    UnionType,
)

KINDS = Kinds(
    classes={
        TensorType: tensors.TENSOR_KIND,
        ListType: lists.LIST,
        DictType: dicts.DICT,
        SetType: sets.SET,
        TupleType: tuples.TUPLE,
        SizeType: shapes.SHAPE,
        ClassType: objects.INSTANCE,
        EnumType: enums.ENUM,
        OptionalType: unions.OPTIONAL,
        UnionType: unions.UNION,
        CallableType: callables.CALLABLE,
        FutureType: others.FUTURE,
    },
    simple={
        INT: numbers.NUMBER_KIND,
        FLOAT: numbers.NUMBER_KIND,
        BOOL: numbers.NUMBER_KIND,
        COMPLEX: numbers.COMPLEX_KIND,
        STR: strings.STRING,
        BYTES: strings.BYTES_KIND,
        NONE: dtypes.NONE_KIND,
        ANY: others.ANYTHING,
        DTYPE: dtypes.DTYPE_KIND,
    },
    rows=lists.ROW,
    other=others.OTHER,
)

LANGUAGE = Language(
    kinds=KINDS,
    statements={
        **STATEMENTS,
        ast.AugAssign: augmented.lower_augmented,
        ast.For: sources.lower_for,
        ast.Raise: exceptions.lower_raise,
        ast.With: contexts.lower_with,
        ast.Delete: subscripts.lower_delete,
        ast.FunctionDef: local_functions.define,
        ast.Match: matching.lower_match,
    },
    expressions={
        **expressions.EXPRESSIONS,
        ast.Lambda: callables.lower_lambda,
        ast.JoinedStr: formatting.lower_fstring,
    },
    expected={
        **container_literals.EXPECTED,
        ast.Call: containers.lower_expected,
        ast.Lambda: callables.lower_function,
        ast.Name: callables.lower_function,
        ast.Attribute: callables.lower_function,
    },
    calls={
        **calls.CALLS,
        MethodSymbol: method_calls.call_of_class,
        OperatorSymbol: tensors.call_operator,
        ExceptionSymbol: exceptions.call_exception,
        PythonSymbol: builtins.lower_builtin,
    },
    special_calls=(caches.member, written_builtins.type_call, inheritance.lower_super),
    special_attributes=(inheritance.super_attribute, class_names.class_name),
    function_named=callables.named_function,
    apply=operators.apply,
    scalar=operators.scalar,
    condition=conditions.lower_condition,
    coerce=conversions.coerce,
    unify=conversions.unify,
    value_for=container_literals.lower_into,
    assign_from=container_literals.assign_from,
    store=subscripts.store,
    narrowing_of=refinement.narrowing_of,
    abandoned=unreached.look,
    silenced=unreached.silence,
    annotated_attribute=fields.annotated_field,
    finish=fields.finish_init,
    fail_assert=exceptions.lower_failed_assert,
    exception_class=exception_class,
)


def lower_whole(program: LanguageProgram, instance: Instance, context: TypeContext) -> Contents:
    """Lower the body of a function of the language."""
    lowering = FunctionLowering(LANGUAGE, program, instance.function, instance.graph, instance.returns, context)
    if instance.function.cache is None:
        return lower_function(lowering, instance)
    return lower_function(lowering, instance, partial(shared_caches.lower, lowering, instance))


def language_program(resolver: Resolver) -> LanguageProgram:
    """An empty program of the language."""
    return LanguageProgram(resolver, lower_whole)
