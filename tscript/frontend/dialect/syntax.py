"""The low-level dialect as a record: what lowers each class of syntax."""

from __future__ import annotations

import ast

from tscript.frontend.dialect import expressions, memory, statements
from tscript.frontend.dialect.calls import lower_call
from tscript.frontend.dialect.lowering import DialectLowering, Syntax
from tscript.frontend.dialect.program import DialectProgram
from tscript.frontend.lowering.bodies import lower_function
from tscript.frontend.lowering.program import Contents, Instance
from tscript.frontend.lowering.statements import STATEMENTS
from tscript.frontend.source.object_types import TypeContext

DIALECT = Syntax(
    expressions={
        ast.Constant: expressions.lower_constant,
        ast.Name: expressions.lower_name,
        ast.Attribute: memory.lower_attribute,
        ast.BinOp: expressions.lower_binary,
        ast.UnaryOp: expressions.lower_unary,
        ast.BoolOp: expressions.lower_bool,
        ast.Compare: expressions.lower_compare,
        ast.IfExp: expressions.lower_conditional,
        ast.Call: lower_call,
        ast.Subscript: memory.lower_subscript,
        ast.Tuple: expressions.lower_tuple,
    },
    statements={
        **STATEMENTS,
        ast.AugAssign: statements.lower_augmented,
        ast.For: statements.lower_for,
        ast.Raise: statements.lower_raise,
        ast.With: statements.refuse_with,
        ast.Delete: statements.refuse_delete,
        ast.FunctionDef: statements.refuse_function,
        ast.Match: statements.refuse_match,
    },
    store=memory.store,
)


def lower_whole(program: DialectProgram, instance: Instance, context: TypeContext) -> Contents:
    """Lower the body of a function of the dialect."""
    return lower_function(DialectLowering(DIALECT, program, instance, context), instance)
