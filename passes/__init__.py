"""Transformations of IR: one pass per file, and the order they run in.

A program goes through `specialise` (once per signature), then `OPTIMISE`, then `LOWER`; `PIPELINE` is both. Passes are
run by `run_pipeline`; each may be run alone, in any order, on any valid program.
"""

from tscript.passes.address_elements import AddressElements
from tscript.passes.append_in_place import AppendInPlace
from tscript.passes.base import Pass, PassContext, run_pipeline
from tscript.passes.char_to_codepoint import CharToCodepoint
from tscript.passes.check_divisors import CheckDivisors
from tscript.passes.check_indices import CheckIndices
from tscript.passes.common_subexpressions import CommonSubexpressions
from tscript.passes.constant_propagation import ConstantPropagation
from tscript.passes.control_flow import ControlFlow
from tscript.passes.count_references import CountReferences
from tscript.passes.dead_code import DeadCode
from tscript.passes.elide_refcounts import ElideRefcounts
from tscript.passes.expand_custom import ExpandCustom
from tscript.passes.fusion import Fusion
from tscript.passes.inline import Inline
from tscript.passes.loop_invariant_code_motion import LoopInvariantCodeMotion
from tscript.passes.loop_peeling import LoopPeeling
from tscript.passes.loop_unrolling import LoopUnrolling
from tscript.passes.lower_scalars import LowerScalars
from tscript.passes.lower_structural import LowerStructural
from tscript.passes.parallelise import Parallelise
from tscript.passes.peephole import Peephole
from tscript.passes.reuse_buffers import ReuseBuffers
from tscript.passes.scalar_replacement import ScalarReplacement
from tscript.passes.scalar_tensors import ScalarTensors
from tscript.passes.small_arrays import SmallArrays
from tscript.passes.specialise import specialise
from tscript.passes.steady_loops import SteadyLoops
from tscript.passes.steady_operands import SteadyOperands
from tscript.passes.unboxing import Unboxing
from tscript.passes.unroll_and_jam import UnrollAndJam
from tscript.passes.value_range import ValueRange
from tscript.passes.widen_halves import WidenHalves

SIMPLIFY: tuple[Pass, ...] = (
    ControlFlow(),
    ConstantPropagation(),
    Peephole(),
    CommonSubexpressions(),
    DeadCode(),
)
"""Cheap clean-up that only removes or simplifies nodes; correct at any stage."""

OPTIMISE: tuple[Pass, ...] = (
    WidenHalves(),
    Inline(),
    LoopPeeling(),
    ScalarTensors(),
    CheckIndices(),
    CheckDivisors(),
    SteadyLoops(),
    Unboxing(),
    *SIMPLIFY,
    Parallelise(),
    ScalarReplacement(),
    CharToCodepoint(),
    LoopUnrolling(),
    *SIMPLIFY,
    LoopInvariantCodeMotion(),
    ValueRange(),
    LoopInvariantCodeMotion(again=True),
    ValueRange(again=True),
    UnrollAndJam(),
    SteadyOperands(),
    Fusion(),
    DeadCode(),
)
"""Specialised IR to faster IR; every pointwise operator of known types is inside a `Fused` afterwards."""

LOWER: tuple[Pass, ...] = (
    LowerStructural(),
    SmallArrays(),
    AddressElements(),
    LowerScalars(),
    *SIMPLIFY,
    CountReferences(),
    ElideRefcounts(),
    AppendInPlace(),
    ReuseBuffers(),
)
"""Optimised IR to IR of machine operators, externs, tuples, tensor operators and control flow: what the backend
takes."""

PORTABLE: tuple[Pass, ...] = (ExpandCustom(),)
"""Checked IR to what an archive holds."""

PIPELINE: tuple[Pass, ...] = (*OPTIMISE, *LOWER)
"""Specialised IR to what the backend takes."""

__all__ = [
    "LOWER",
    "OPTIMISE",
    "PIPELINE",
    "PORTABLE",
    "SIMPLIFY",
    "AddressElements",
    "AppendInPlace",
    "CharToCodepoint",
    "CheckIndices",
    "CommonSubexpressions",
    "ConstantPropagation",
    "ControlFlow",
    "CountReferences",
    "DeadCode",
    "ElideRefcounts",
    "ExpandCustom",
    "Fusion",
    "Inline",
    "LoopInvariantCodeMotion",
    "LoopPeeling",
    "LoopUnrolling",
    "LowerScalars",
    "LowerStructural",
    "Parallelise",
    "Pass",
    "PassContext",
    "Peephole",
    "ReuseBuffers",
    "ScalarReplacement",
    "ScalarTensors",
    "SmallArrays",
    "SteadyLoops",
    "SteadyOperands",
    "Unboxing",
    "UnrollAndJam",
    "ValueRange",
    "WidenHalves",
    "run_pipeline",
    "specialise",
]
