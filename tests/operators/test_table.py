"""The operator table: every definition is complete and can be found under its names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import wrap

import pytest

from tscript.abi import symbols
from tscript.abi.symbols import split_kernel_symbol
from tscript.definitions.names import Names
from tscript.definitions.opdef import (
    Composite,
    Kernel,
    Made,
    Native,
    OpDef,
    OperatorTypeError,
    Pointwise,
    PythonCall,
    Scalar,
    Structural,
)
from tscript.definitions.promotion import Kind, Operand, PointwiseRule
from tscript.definitions.rules import SCALARS
from tscript.definitions.schema import parse_schema
from tscript.definitions.table import OperatorTable, first_kind
from tscript.dialect import Intrinsic, libm, machine
from tscript.operators import index
from tscript.operators.table import GROUPS, TABLE
from tscript.pipeline.bodies import Bodies
from tscript.runtime.kernels.library import function_of
from tscript.runtime.session.build import kernels
from tscript.types import FLOAT, INT, NONE, TENSOR, ListType, TupleType, dtypes, machine_type

BODIES = Bodies(TABLE)

GATHERED = tuple(group() for group in GROUPS)

OPERATORS = tuple(op for visible, _ in GATHERED for op in visible)

ANYTHING = {
    "triplet_margin_with_distance_loss": NONE,  # a function, which only a call can give
    **dict.fromkeys(
        ["adaptive_avg_pool1d.some", "adaptive_max_pool1d.some", "adaptive_max_pool1d.some_indices"], TupleType((NONE,))
    ),
    **dict.fromkeys(
        ["adaptive_avg_pool2d.some", "adaptive_max_pool2d.some", "adaptive_max_pool2d.some_indices"],
        TupleType((INT, NONE)),
    ),
    **dict.fromkeys(
        ["adaptive_avg_pool3d.some", "adaptive_max_pool3d.some", "adaptive_max_pool3d.some_indices"],
        TupleType((INT, NONE, INT)),
    ),
    "tensordot.dims": TupleType((TupleType((INT,)), TupleType((INT,)))),
    **dict.fromkeys(
        ["histogram.count", "histogramdd", "histogramdd.int_bins", "histogramdd.TensorList_bins"],
        TupleType((FLOAT, FLOAT)),
    ),
}
"""Of parameters that are left to the type rule of their operator."""

every_operator = pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)


@every_operator
def test_definition_is_complete(op: OpDef) -> None:
    assert op.doc.partition("\n")[0].endswith(".")
    assert parse_schema(str(op.schema)) == op.schema
    assert TABLE[op.name] is op
    assert op in TABLE.overloads(op.schema.name)
    written = [i for i, p in enumerate(op.schema.parameters) if p.written]
    assert list(op.effects.writes) == written
    if op.schema.name.endswith("_"):
        assert written == [0]
    _semantics_take_one_argument_per_parameter(op)
    _names_are_of_known_places(op)


def _semantics_take_one_argument_per_parameter(op: OpDef) -> None:
    if isinstance(op.implementation, Composite):
        assert len(inspect.signature(op.implementation.body).parameters) == len(op.schema.parameters)
        return
    try:
        signature = inspect.signature(op.semantics)
    except (TypeError, ValueError):
        return
    signature.bind(*[None] * len(op.schema.parameters))


def _names_are_of_known_places(op: OpDef) -> None:
    declared = {p.name for p in op.schema.parameters}
    assert all(path.startswith(("torch.", "tscript.", "Tensor.", "math.")) for path in op.names.paths)
    assert all(parameter in declared and alias not in declared for alias, parameter in op.names.keywords)
    if any(path.startswith("Tensor.") for path in op.names.paths):
        assert op.schema.parameters[0].kind == "Tensor"


@every_operator
def test_body_compiles(op: OpDef) -> None:
    match op.implementation:
        case Scalar(body):
            program = BODIES.lower_body(body, [SCALARS[p.kind] for p in op.schema.parameters], op.name)
            assert len(program.entry.params) == len(op.schema.parameters)
        case Pointwise(body, rule):
            assert isinstance(rule, PointwiseRule)
            taking_part = [i for i in rule.operands if i not in rule.silent and i not in rule.conditions]
            for dtype in dtypes.DTYPES:
                try:
                    found = rule.decision([Operand(dtype, Kind.DIMENSIONED)] * len(taking_part))
                except OperatorTypeError:
                    continue
                graph = BODIES.scalar_graph(body, (machine_type(found.compute),))
                assert len(graph.params) == len(rule.operands)
        case Composite(body):
            kinds = {
                "Tensor": TENSOR,
                "Scalar": FLOAT,
                "Scalar?": FLOAT,
                "Tensor?": TENSOR,
                "Any": ANYTHING.get(op.name, FLOAT),
                "float?": FLOAT,
                "float[]": TupleType((FLOAT,)),
                "int?": INT,
                "dtype?": SCALARS["dtype"],
                "bool?": SCALARS["bool"],
                "str?": SCALARS["str"],
                "Device?": SCALARS["Device"],
                "Generator?": SCALARS["Generator"],
                "layout?": SCALARS["layout"],
                "memory_format?": SCALARS["memory_format"],
                "int[]": TupleType((INT,)),
                "int[]?": TupleType((INT,)),
                "int[1]": TupleType((INT,)),
                "int[1]?": TupleType((INT,)),
                "list": ListType(TENSOR),
                "Tensor[]": TupleType((TENSOR, TENSOR)),
            }
            BODIES.lower_body(body, [(SCALARS | kinds)[p.kind] for p in op.schema.parameters], op.name)
        case implementation:
            assert isinstance(implementation, Kernel | Native | Structural | PythonCall)


def test_every_kernel_exists() -> None:
    named = [op.implementation for op in TABLE if isinstance(op.implementation, Kernel | Native)]
    for implementation in named:
        if isinstance(implementation.body, Made):
            assert implementation.symbol in kernels()
        elif implementation.body is not None:
            assert function_of(implementation.body) is kernels()[implementation.symbol]


def test_tables_of_leaves_are_complete() -> None:
    leaves = [v for v in vars(machine).values() if isinstance(v, OpDef) and v.name.startswith("machine.")]
    assert list(machine.LEAVES) == leaves
    assert list(libm.EXTERNS) == [v.op for v in vars(libm).values() if isinstance(v, Intrinsic)]


def test_names_lead_to_operators() -> None:
    for names in (TABLE.methods, TABLE.functions, TABLE.math):
        for name in names.values():
            assert TABLE.overloads(name), name
    assert TABLE.methods["float"] == "to_float"
    assert TABLE.functions["multiply"] == "mul"
    assert TABLE.methods["multiply_"] == "mul_"
    assert set(TABLE.math) >= {"sqrt", "exp", "floor", "gcd", "isclose"}
    assert set(TABLE.functions) >= {"absolute", "clip", "concatenate", "swapaxes", "fix", "logsigmoid", "expit"}


def index_text() -> Iterator[str]:
    """`tscript.operators.index`, as the definitions say that it is."""
    yield f'"""{inspect.getdoc(index)}\n"""\n'
    paths: dict[str, list[str]] = {}
    for op in OPERATORS:
        paths.setdefault(op.schema.name, []).extend(op.names.paths)
    texts = {
        "VISIBLE": " | ".join(" ".join(f"{op.name}:{first_kind(op)}" for op in visible) for visible, _ in GATHERED),
        "HIDDEN": " | ".join(" ".join(op.name for op in hidden) for _, hidden in GATHERED),
        "PATHS": " ".join(" ".join([f"{name}:", *dict.fromkeys(found)]) for name, found in paths.items() if found),
    }
    for name, text in texts.items():
        lines = wrap(text, 120, break_on_hyphens=False, break_long_words=False)
        yield f'\n{name} = """\n' + "\n".join(lines) + '\n"""\n'


def test_index_is_what_the_definitions_say(request: pytest.FixtureRequest) -> None:
    file, text = Path(index.__file__), "".join(index_text())
    if request.config.getoption("--update"):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, "pytest --update writes the index"
    eager = OperatorTable(OPERATORS, hidden=[op for _, hidden in GATHERED for op in hidden])
    assert list(eager) == list(TABLE)
    assert eager.operators == TABLE.operators
    assert dict(eager.paths) == dict(TABLE.paths)


def test_two_operators_of_one_path_are_refused() -> None:
    other = replace(TABLE["sub"], names=Names(("torch.add",)))
    with pytest.raises(ValueError, match=r"two operators are called torch\.add: add and sub"):
        OperatorTable([TABLE["add"], other])


def test_tensor_overload_answers_to_its_torch_name() -> None:
    assert TABLE["add.Tensor"] is TABLE["add"]
    assert "machine.add" in TABLE
    with pytest.raises(KeyError, match=r"there is no operator 'add\.complex'"):
        TABLE["add.complex"]


def test_two_operators_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"two operators are named add\.int"):
        OperatorTable([TABLE["add.int"], TABLE["add.int"]])


def test_functions_of_the_runtime_are_named_like_no_kernel() -> None:
    """Where both had one name, code called the one for the other."""
    named = [op.implementation for op in TABLE if isinstance(op.implementation, Kernel | Native)]
    symbols_named = {implementation.symbol for implementation in named if implementation.body is not None}
    found = [name for name, value in vars(symbols).items() if isinstance(value, str) and value.startswith("ts_")]
    assert len(found) > 20
    shared = [name for name in found if (split_kernel_symbol(vars(symbols)[name]) or ("",))[0] in symbols_named]
    assert shared == []
