"""What fusion says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tscript.passes import Fusion
from tscript.passes.fusion_report import Alone, Form, FusionReport, Joined, Reason

X = "%x: Tensor[float32, 2], %y: Tensor[float32, 2], %u: Tensor[float32, 1], %d: Tensor"
HEAD = """%zero: tuple[int] = const (0,)
  %last: tuple[int] = const (1,)
  %true: bool = const True
  %false: bool = const False
  %none: None = const None"""


def notes(parse, context, body, result="Tensor[float32, 2]", **options):
    report = FusionReport()
    program = parse(f"graph @f({X}) -> {result} {{ {HEAD}\n{body} }}")
    Fusion(**options).run(program, replace(context, fusion=report))
    assert "f:" in report.text()
    return report.notes["f"]


ROWS = """%0: Tensor[float32, 2] = exp(%x)
  %1: Tensor[float32, 2] = sum.dim(%0, %last, %true, %none)"""


def test_a_group_over_rows(parse, context):
    (group,) = notes(parse, context, f"{ROWS} %2: Tensor[float32, 2] = div(%0, %1, %none) return %2")
    assert isinstance(group, Joined)
    assert [name for name, _ in group.members] == ["exp", "sum.dim", "div"]
    assert (group.form, group.reason, group.ended_by) == (Form.ROWS, Reason.CONTROL, None)


@pytest.mark.parametrize(
    ("body", "result", "options", "reason", "by"),
    [
        (f"{ROWS} %2: Tensor[float32, 2] = mm(%1, %y) return %2", "Tensor[float32, 2]", {}, Reason.USED, "mm"),
        (f"{ROWS} %2: Tensor[float32, 2] = sum.dim(%1, %last, %true, %none) return %2", "Tensor[float32, 2]", {},
         Reason.OF_ROWS, "sum.dim"),
        (f"{ROWS} %2: Tensor[float32, 0] = sum(%0, %none) return %2", "Tensor[float32, 0]", {}, Reason.KINDS, "sum"),
        ("%0: Tensor[float32, 2] = exp(%x) %1: Tensor[float32, 1] = sum.dim(%0, %last, %false, %none) "
         "%2: Tensor[float32, 2] = mul(%x, %1) return %2", "Tensor[float32, 2]", {}, Reason.BROADCAST, "mul"),
        ("%0: Tensor[float32, 1] = exp(%u) %1: Tensor[float32, 2] = mul(%x, %0) return %1", "Tensor[float32, 2]", {},
         Reason.COSTLY, "mul"),
        (f"{ROWS} %2: Tensor[float32, 2] = div(%0, %1, %none) return %2", "Tensor[float32, 2]", {"max_members": 2},
         Reason.MEMBERS, "div"),
        ("%0: Tensor[float32, 1] = exp(%u) %1: Tensor[float32, 0] = sum(%0, %none) "
         "%2: Tensor[float32, 1] = div(%0, %1, %none) %3: Tensor[float32, 2] = mul(%2, %x) return %3",
         "Tensor[float32, 2]", {}, Reason.RANKS, "mul"),
    ],
)  # fmt: skip
def test_reasons_of_groups(parse, context, body, result, options, reason, by):
    groups = [n for n in notes(parse, context, body, result, **options) if isinstance(n, Joined)]
    found = [(g.reason, g.ended_by[0]) for g in groups if g.ended_by is not None]
    assert (reason, by) in found


@pytest.mark.parametrize(
    ("body", "result", "operator", "reason"),
    [
        ("%0: Tensor[float32, 1] = sum.dim(%x, %zero, %false, %none) return %0", "Tensor[float32, 1]", "sum.dim",
         Reason.ALONE),
        ("%0: Tensor = sum.dim(%d, %zero, %false, %none) return %0", "Tensor", "sum.dim", Reason.DIMENSIONS),
        ("%0: Tensor[float32, 0] = sum(%x, %none) return %0", "Tensor[float32, 0]", "sum", Reason.ALONE),
        ("%0: Tensor[float32, 2] = mm(%x, %y) return %0", "Tensor[float32, 2]", "mm", Reason.OPERATOR),
        ("%0: Tensor = exp(%d) return %0", "Tensor", "exp", Reason.DTYPES),
    ],
)  # fmt: skip
def test_reasons_of_operators(parse, context, body, result, operator, reason):
    (found,) = notes(parse, context, body, result)
    assert isinstance(found, Alone)
    assert (found.operator[0], found.reason) == (operator, reason)
