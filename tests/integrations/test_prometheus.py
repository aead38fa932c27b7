"""The Prometheus collector."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import pytest

import tscript
from tscript.integrations.prometheus import OperatorCollector, buckets_of, register


@dataclass(frozen=True)
class Stats:
    """The fields of `tscript.OperatorStats`."""

    name: str
    overload: str
    count: int
    timed: int
    total_ns: int
    max_ns: int
    histogram: tuple[int, ...]


def histogram(**counts: int) -> tuple[int, ...]:
    return tuple(counts.get(f"b{i}", 0) for i in range(40))


def test_metrics() -> None:
    client = pytest.importorskip("prometheus_client")
    found = {
        "add": Stats("add", "Tensor", 1000, 10, 5000, 2000, histogram(b8=4, b9=5, b11=1)),
        "odd": Stats('a "name"\n', "", 3, 0, 0, 0, histogram()),
    }
    registry = client.CollectorRegistry()
    registry.register(OperatorCollector(lambda: found))

    def value(metric: str, **more: str) -> Any:
        return registry.get_sample_value(metric, {"operator": "add", "overload": "Tensor", **more})

    assert value("tscript_operator_calls_total") == 1000
    assert value("tscript_operator_seconds_total") == pytest.approx(500e-6)
    assert value("tscript_operator_max_seconds") == pytest.approx(2e-6)
    assert value("tscript_operator_duration_seconds_count") == 10
    assert value("tscript_operator_duration_seconds_sum") == pytest.approx(5e-6)
    assert value("tscript_operator_duration_seconds_bucket", le="2.56e-07") == 0
    assert value("tscript_operator_duration_seconds_bucket", le="1.024e-06") == 9
    assert value("tscript_operator_duration_seconds_bucket", le="+Inf") == 10
    text = client.generate_latest(registry).decode()
    assert 'tscript_operator_calls_total{operator="a \\"name\\"\\n",overload=""} 3.0' in text
    # Nothing was timed, so nothing is known.
    assert sum("name" in line for line in text.splitlines()) == 1


def test_buckets_are_cumulated() -> None:
    counts = tuple(range(40))
    found = buckets_of(counts)
    assert [count for _, count in found] == sorted(count for _, count in found)
    assert found[-1] == ("+Inf", sum(counts))
    assert found[0] == ("2.56e-07", sum(range(8)))
    assert len(found) == 15


def test_real_statistics() -> None:
    client = pytest.importorskip("prometheus_client")
    registry = client.CollectorRegistry()
    collector = register(registry, prefix="job")
    tscript.enable_operator_stats(True, timing_prob=1.0)
    try:
        x = tscript.tensor([1.0])
        before = registry.get_sample_value("job_operator_calls_total", {"operator": "tanh", "overload": ""}) or 0
        for _ in range(5):
            tscript.tanh(x)
        after = registry.get_sample_value("job_operator_calls_total", {"operator": "tanh", "overload": ""})
    finally:
        tscript.enable_operator_stats(False)
    assert after - before == 5
    registry.unregister(collector)
    assert registry.get_sample_value("job_operator_calls_total", {"operator": "tanh", "overload": ""}) is None


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("prometheus_client", "prometheus_client.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs prometheus_client: pip install 'tscript\[prometheus\]'"):
        register()
