"""The vocabulary: every operator, gathered from the modules that define them.

`TABLE` is what the frontend, the passes, the parser of IR and the docs look operators up in. A module is imported when
one of its operators is asked for; `tscript.operators.index` tells which module that is.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.opdef import OpDef
from tscript.definitions.operator_index import read_index
from tscript.definitions.table import Group, OperatorTable
from tscript.operators.index import HIDDEN, PATHS, VISIBLE

Members = tuple[Sequence[OpDef], Sequence[OpDef]]
"""The operators of a module that users can name, in resolution order, and those that nobody calls by name."""


def _scalars() -> Members:
    from tscript.operators.python.scalars import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _scalar_math() -> Members:
    from tscript.operators.python.scalar_math import EXTERNS, HIDDEN, OPERATORS

    return OPERATORS, (*EXTERNS, *HIDDEN)


def _arithmetic() -> Members:
    from tscript.operators.tensor.arithmetic import OPERATORS

    return OPERATORS, ()


def _division() -> Members:
    from tscript.operators.tensor.division import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _rounding() -> Members:
    from tscript.operators.tensor.rounding import OPERATORS

    return OPERATORS, ()


def _comparison() -> Members:
    from tscript.operators.tensor.comparison import OPERATORS

    return OPERATORS, ()


def _selection() -> Members:
    from tscript.operators.tensor.selection import OPERATORS

    return OPERATORS, ()


def _logic() -> Members:
    from tscript.operators.tensor.logic import OPERATORS

    return OPERATORS, ()


def _exponential() -> Members:
    from tscript.operators.tensor.exponential import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _trigonometric() -> Members:
    from tscript.operators.tensor.trigonometric import OPERATORS

    return OPERATORS, ()


def _casts() -> Members:
    from tscript.operators.tensor.casts import OPERATORS

    return OPERATORS, ()


def _activations() -> Members:
    from tscript.operators.tensor.activations import OPERATORS

    return OPERATORS, ()


def _reductions() -> Members:
    from tscript.operators.tensor.reductions import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _softmax() -> Members:
    from tscript.operators.tensor.softmax import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _moments() -> Members:
    from tscript.operators.tensor.moments import OPERATORS

    return OPERATORS, ()


def _norms() -> Members:
    from tscript.operators.tensor.norms import OPERATORS

    return OPERATORS, ()


def _normalization() -> Members:
    from tscript.operators.tensor.normalization import OPERATORS

    return OPERATORS, ()


def _running_norms() -> Members:
    from tscript.operators.tensor.running_norms import OPERATORS

    return OPERATORS, ()


def _losses() -> Members:
    from tscript.operators.tensor.losses import OPERATORS

    return OPERATORS, ()


def _class_losses() -> Members:
    from tscript.operators.tensor.class_losses import OPERATORS

    return OPERATORS, ()


def _margin_losses() -> Members:
    from tscript.operators.tensor.margin_losses import OPERATORS

    return OPERATORS, ()


def _label_losses() -> Members:
    from tscript.operators.tensor.label_losses import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _unpooling() -> Members:
    from tscript.operators.tensor.unpooling import OPERATORS

    return OPERATORS, ()


def _recurrent() -> Members:
    from tscript.operators.tensor.recurrent import OPERATORS

    return OPERATORS, ()


def _recurrent_layers() -> Members:
    from tscript.operators.tensor.recurrent_layers import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _views() -> Members:
    from tscript.operators.tensor.views import OPERATORS

    return OPERATORS, ()


def _einsum() -> Members:
    from tscript.operators.tensor.einsum import OPERATORS

    return OPERATORS, ()


def _rearranged() -> Members:
    from tscript.operators.tensor.rearranged import OPERATORS

    return OPERATORS, ()


def _pieces() -> Members:
    from tscript.operators.tensor.pieces import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _indexing() -> Members:
    from tscript.operators.tensor.indexing import OPERATORS

    return OPERATORS, ()


def _index_parts() -> Members:
    from tscript.operators.tensor.index_parts import OPERATORS

    return OPERATORS, ()


def _matrices() -> Members:
    from tscript.operators.tensor.decompositions import HIDDEN
    from tscript.operators.tensor.matrices import OPERATORS

    return OPERATORS, HIDDEN


def _matrix_norms() -> Members:
    from tscript.operators.tensor.matrix_norms import OPERATORS

    return OPERATORS, ()


def _spectral() -> Members:
    from tscript.operators.tensor.spectral import OPERATORS

    return OPERATORS, ()


def _random_tensors() -> Members:
    from tscript.operators.tensor.random_tensors import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _activations_inplace() -> Members:
    from tscript.operators.tensor.activations_inplace import OPERATORS

    return OPERATORS, ()


def _dropout() -> Members:
    from tscript.operators.tensor.dropout import OPERATORS

    return OPERATORS, ()


def _choosing() -> Members:
    from tscript.operators.tensor.choosing import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _creation() -> Members:
    from tscript.operators.tensor.creation import OPERATORS

    return OPERATORS, ()


def _linalg() -> Members:
    from tscript.operators.tensor.linalg import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _embeddings() -> Members:
    from tscript.operators.tensor.embeddings import OPERATORS

    return OPERATORS, ()


def _attention() -> Members:
    from tscript.operators.tensor.attention import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _outputs() -> Members:
    from tscript.operators.tensor.outputs import OPERATORS

    return OPERATORS, ()


def _dtype_queries() -> Members:
    from tscript.operators.tensor.dtype_queries import OPERATORS

    return OPERATORS, ()


def _shape() -> Members:
    from tscript.operators.tensor.shape import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _spectra() -> Members:
    from tscript.operators.tensor.spectra import OPERATORS

    return OPERATORS, ()


def _fourier() -> Members:
    from tscript.operators.tensor.fourier import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _fourier_dims() -> Members:
    from tscript.operators.tensor.fourier_dims import OPERATORS

    return OPERATORS, ()


def _complex_numbers() -> Members:
    from tscript.operators.tensor.complex_numbers import OPERATORS

    return OPERATORS, ()


def _padding() -> Members:
    from tscript.operators.tensor.padding import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _convolution() -> Members:
    from tscript.operators.tensor.convolution import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _pooling() -> Members:
    from tscript.operators.tensor.pooling import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _fractional_pooling() -> Members:
    from tscript.operators.tensor.fractional_pooling import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _segments() -> Members:
    from tscript.operators.tensor.segments import OPERATORS

    return OPERATORS, ()


def _images() -> Members:
    from tscript.operators.tensor.images import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _grids() -> Members:
    from tscript.operators.tensor.grids import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _formatting() -> Members:
    from tscript.operators.python.formatting import OPERATORS

    return OPERATORS, ()


def _lists() -> Members:
    from tscript.operators.python.lists import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _dicts() -> Members:
    from tscript.operators.python.dicts import OPERATORS

    return OPERATORS, ()


def _sets() -> Members:
    from tscript.operators.python.sets import OPERATORS

    return OPERATORS, ()


def _iteration() -> Members:
    from tscript.operators.python.iteration import ENTRIES, ITERATION

    return ENTRIES, ITERATION


def _tensor_lists() -> Members:
    from tscript.operators.tensor.tensor_lists import OPERATORS

    return OPERATORS, ()


def _numbers() -> Members:
    from tscript.operators.python.numbers import OPERATORS

    return OPERATORS, ()


def _objects() -> Members:
    from tscript.operators.python.objects import OPERATORS

    return OPERATORS, ()


def _python_calls() -> Members:
    from tscript.operators.python.python_calls import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _strings() -> Members:
    from tscript.operators.python.strings import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _strings_case() -> Members:
    from tscript.operators.python.strings_case import OPERATORS

    return OPERATORS, ()


def _machine() -> Members:
    from tscript.dialect.machine import LEAVES, TUPLE_GET, TUPLE_MAKE

    return (), (*LEAVES, TUPLE_MAKE, TUPLE_GET)


def _futures() -> Members:
    from tscript.operators.python.futures import WAIT

    return (), (WAIT,)


def _caches() -> Members:
    from tscript.operators.python.caches import OPERATORS

    return (), OPERATORS


def _random_numbers() -> Members:
    from tscript.operators.python.random_numbers import OPERATORS

    return (), OPERATORS


def _conversions() -> Members:
    from tscript.operators.python.conversions import CONVERSIONS

    return (), CONVERSIONS


def _container_literals() -> Members:
    from tscript.operators.python.container_literals import CONTAINER_LITERALS

    return (), CONTAINER_LITERALS


def _classes() -> Members:
    from tscript.operators.python.classes import CLASSES

    return (), CLASSES


def _exceptions() -> Members:
    from tscript.operators.python.exceptions import EXCEPTION_OPERATORS

    return (), EXCEPTION_OPERATORS


def _own_keys() -> Members:
    from tscript.operators.python.own_keys import OPERATORS

    return (), OPERATORS


def _references() -> Members:
    from tscript.operators.python.references import REFERENCES

    return (), REFERENCES


def _devices() -> Members:
    from tscript.operators.tensor.devices import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _checks() -> Members:
    from tscript.operators.tensor.checks import HIDDEN

    return (), HIDDEN


def _sorting() -> Members:
    from tscript.operators.tensor.sorting import HIDDEN

    return (), HIDDEN


def _scans() -> Members:
    from tscript.operators.tensor.scans import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _order() -> Members:
    from tscript.operators.tensor.order import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _unchecked() -> Members:
    from tscript.operators.python.unchecked import OPERATORS

    return (), OPERATORS


def _elements() -> Members:
    from tscript.operators.python.elements import OPERATORS

    return (), OPERATORS


def _appending() -> Members:
    from tscript.operators.python.appending import OPERATORS

    return (), OPERATORS


def _bessel() -> Members:
    from tscript.operators.tensor.bessel import OPERATORS

    return OPERATORS, ()


def _polynomials() -> Members:
    from tscript.operators.tensor.polynomials import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _windows() -> Members:
    from tscript.operators.tensor.windows import OPERATORS

    return OPERATORS, ()


def _matrix_functions() -> Members:
    from tscript.operators.tensor.matrix_functions import OPERATORS

    return OPERATORS, ()


def _lu_forms() -> Members:
    from tscript.operators.tensor.lu_forms import OPERATORS

    return OPERATORS, ()


def _reflectors() -> Members:
    from tscript.operators.tensor.reflectors import OPERATORS

    return OPERATORS, ()


def _special() -> Members:
    from tscript.operators.tensor.special import OPERATORS

    return OPERATORS, ()


def _statistics() -> Members:
    from tscript.operators.tensor.statistics import OPERATORS

    return OPERATORS, ()


def _diagonals() -> Members:
    from tscript.operators.tensor.diagonals import OPERATORS

    return OPERATORS, ()


def _equality() -> Members:
    from tscript.operators.tensor.equality import OPERATORS

    return OPERATORS, ()


def _combined() -> Members:
    from tscript.operators.tensor.combined import OPERATORS

    return OPERATORS, ()


def _strided() -> Members:
    from tscript.operators.tensor.strided import OPERATORS

    return OPERATORS, ()


def _copies() -> Members:
    from tscript.operators.tensor.copies import OPERATORS

    return OPERATORS, ()


def _places() -> Members:
    from tscript.operators.tensor.places import OPERATORS

    return OPERATORS, ()


def _distances() -> Members:
    from tscript.operators.tensor.distances import OPERATORS

    return OPERATORS, ()


def _gammas() -> Members:
    from tscript.operators.tensor.gammas import HIDDEN, OPERATORS

    return OPERATORS, HIDDEN


def _stored() -> Members:
    from tscript.operators.tensor.stored import OPERATORS

    return OPERATORS, ()


def _contraction() -> Members:
    from tscript.operators.tensor.contraction import OPERATORS

    return OPERATORS, ()


def _fills() -> Members:
    from tscript.operators.tensor.fills import OPERATORS

    return OPERATORS, ()


def _masked() -> Members:
    from tscript.operators.tensor.masked import OPERATORS

    return OPERATORS, ()


def _ldl_forms() -> Members:
    from tscript.operators.tensor.ldl_forms import OPERATORS

    return OPERATORS, ()


def _boxes() -> Members:
    from tscript.operators.tensor.boxes import OPERATORS

    return OPERATORS, ()


def _histograms() -> Members:
    from tscript.operators.tensor.histograms import OPERATORS

    return OPERATORS, ()


def _audio_loops() -> Members:
    from tscript.operators.tensor.audio_loops import OPERATORS

    return OPERATORS, ()


def _hashing() -> Members:
    from tscript.operators.tensor.hashing import OPERATORS

    return OPERATORS, ()


GROUPS: tuple[Group, ...] = (
    _scalars,
    _scalar_math,
    _arithmetic,
    _division,
    _rounding,
    _comparison,
    _selection,
    _logic,
    _exponential,
    _trigonometric,
    _casts,
    _activations,
    _reductions,
    _softmax,
    _moments,
    _norms,
    _normalization,
    _losses,
    _class_losses,
    _margin_losses,
    _label_losses,
    _recurrent,
    _recurrent_layers,
    _unpooling,
    _views,
    _pieces,
    _rearranged,
    _einsum,
    _indexing,
    _index_parts,
    _choosing,
    _random_tensors,
    _dropout,
    _matrices,
    _spectral,
    _matrix_norms,
    _matrix_functions,
    _lu_forms,
    _reflectors,
    _creation,
    _devices,
    _linalg,
    _embeddings,
    _attention,
    _outputs,
    _shape,
    _complex_numbers,
    _dtype_queries,
    _fourier,
    _fourier_dims,
    _spectra,
    _windows,
    _padding,
    _convolution,
    _pooling,
    _fractional_pooling,
    _images,
    _running_norms,
    _grids,
    _formatting,
    _lists,
    _dicts,
    _sets,
    _iteration,
    _tensor_lists,
    _numbers,
    _objects,
    _python_calls,
    _strings,
    _strings_case,
    _machine,
    _futures,
    _caches,
    _conversions,
    _container_literals,
    _classes,
    _exceptions,
    _own_keys,
    _references,
    _checks,
    _unchecked,
    _appending,
    _elements,
    _random_numbers,
    _sorting,
    _scans,
    _order,
    _special,
    _bessel,
    _polynomials,
    _statistics,
    _diagonals,
    _equality,
    _combined,
    _strided,
    _segments,
    _copies,
    _places,
    _distances,
    _gammas,
    _stored,
    _contraction,
    _fills,
    _activations_inplace,
    _masked,
    _ldl_forms,
    _boxes,
    _audio_loops,
    _histograms,
    _hashing,
)
"""The modules, in resolution order."""

TABLE = OperatorTable.of_groups(GROUPS, read_index(VISIBLE, HIDDEN, PATHS))
"""The whole vocabulary."""
