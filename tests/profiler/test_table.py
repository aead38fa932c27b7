"""Tables: PyTorch's columns, figures in the units that suit them."""

from __future__ import annotations

import pytest

from tests.profiler.conftest import Made
from tscript.abi.record import RecordScope
from tscript.profiler.event_list import EventList
from tscript.profiler.recorder import Settings
from tscript.profiler.table import SORT_KEYS, memory_text, share_text, shortened, time_text


@pytest.fixture
def events(made: Made) -> EventList:
    made.add("f", 10, 2010, scope=RecordScope.FUNCTION)
    made.add("fused_mul_add", 20, 520)
    made.add("fused_mul_add", 600, 1100)
    made.add("sum", 1200, 1300)
    return made.events(3000)


TABLE = """
-----------------  ------------  ------------  ------------  ------------  ------------  ------------
             Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls
-----------------  ------------  ------------  ------------  ------------  ------------  ------------
    fused_mul_add        50.00%       1.000ms        50.00%       1.000ms     500.000us             2
                f        45.00%     900.000us       100.00%       2.000ms       2.000ms             1
              sum         5.00%     100.000us         5.00%     100.000us     100.000us             1
-----------------  ------------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 2.000ms
"""


def test_the_table(events: EventList) -> None:
    assert events.key_averages().table(sort_by="self_cpu_time_total").replace("  \n", "\n") == TABLE[1:]
    assert str(events.key_averages()).splitlines()[3].split()[0] == "f"


def names(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines()[3:-2]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["f", "fused_mul_add", "sum"]),
        ({"sort_by": "cpu_time_total"}, ["f", "fused_mul_add", "sum"]),
        ({"sort_by": "count"}, ["fused_mul_add", "f", "sum"]),
        ({"sort_by": "cpu_time_avg"}, ["f", "fused_mul_add", "sum"]),
        ({"sort_by": "key"}, ["f", "fused_mul_add", "sum"]),
        ({"sort_by": "count", "row_limit": 1}, ["fused_mul_add"]),
        ({"row_limit": 0}, []),
        ({"row_limit": -1}, ["f", "fused_mul_add", "sum"]),
    ],
)
def test_order_and_length(events: EventList, options: dict[str, object], expected: list[str]) -> None:
    assert names(events.key_averages().table(**options)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("key", SORT_KEYS)
def test_every_key_sorts(events: EventList, key: str) -> None:
    assert len(names(events.table(sort_by=key))) == 4
    assert len(names(events.key_averages().table(sort_by=key))) == 3


def test_a_limit_that_is_no_int(events: EventList) -> None:
    with pytest.raises(TypeError, match="row_limit must be an int, -1 for all rows, not float"):
        events.table(row_limit=1.5)  # type: ignore[arg-type]


def test_unknown_keys_and_units(events: EventList) -> None:
    with pytest.raises(
        ValueError, match="cannot sort by 'self_cuda_time_total', only by self_cpu_time_total, cpu_time_total"
    ):
        events.table(sort_by="self_cuda_time_total")
    with pytest.raises(ValueError, match="cannot sort by 'nope'"):
        EventList().table(sort_by="nope")
    with pytest.raises(ValueError, match="time_unit must be one of s, ms, us, found 'ns'"):
        events.table(time_unit="ns")


def test_options(events: EventList) -> None:
    table = events.key_averages().table(header="My job", time_unit="us", max_name_column_width=10)
    first, second = table.splitlines()[:2]
    assert set(first) == {"="}
    assert second == "My job"
    assert "fused_m..." in table
    assert "2000.000us" in table and "ms" not in table
    top = events.table(top_level_events_only=True)
    assert "Only events at top level" in top
    assert "sum" not in top
    assert EventList().table() == ""


def test_more_columns(made: Made) -> None:
    made.settings = Settings(record_shapes=True, profile_memory=True, with_stack=True)
    made.add(
        "f",
        10,
        60,
        [],
        [],
        (0, 4096),
        (8192, 9216),
        scope=RecordScope.FUNCTION,
        file="folder/m.py",
        line=3,
        function="f",
    )
    made.add("add", 20, 30, [[2, 3], []], None, (0, -12), overload="Tensor", file="folder/m.py", line=4, function="g")
    events = made.events()
    table = events.key_averages(True, 5, True).table(max_src_column_width=18)
    lines = table.splitlines()
    titles = ["Overload Name", "CPU Mem", "Self CPU Mem", "Peak Mem", "Allocated", "Input Shapes", "Source Location"]
    assert all(title in lines[1] for title in titles)
    assert all(text in lines[3] for text in ("4.00 KB", "4.01 KB", "8.00 KB", "9.00 KB"))
    assert lines[-1] == "Peak memory: 8.00 KB"
    assert lines[3].rstrip().endswith("  folder/m.py(3): f")
    assert "-12 B" in lines[5] and "[[2, 3], []]" in lines[5] and "Tensor" in lines[5]
    assert lines[4].strip() == ""
    assert lines[6].strip() == "folder/m.py(3): f"
    assert len({len(line) for line in lines[:-2]}) == 1


def test_texts() -> None:
    assert [time_text(t) for t in (0.0, 999.9994, 1e3, 2.5e6)] == ["0.000us", "999.999us", "1.000ms", "2.500s"]
    assert time_text(1500.0, "s") == "0.002s"
    assert [memory_text(n) for n in (0, 1023, -1024, 5 << 20, 3 << 30)] == [
        "0 B",
        "1023 B",
        "-1.00 KB",
        "5.00 MB",
        "3.00 GB",
    ]
    assert [share_text(1, 4), share_text(0, 0)] == ["25.00%", "NaN"]
    assert [shortened("abcdef", None), shortened("abcdef", 8), shortened("abcdef", 10)] == [
        "abcdef",
        "abcde...",
        "abcdef",
    ]
