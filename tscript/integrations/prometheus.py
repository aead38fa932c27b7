"""A Prometheus collector: what each operator cost this process, read when the process is scraped.

The figures are those of the built-in collector (`tscript.operator_stats`), which must be switched on. It needs the
package ``prometheus_client``: ``pip install 'tscript[prometheus]'``.

Example:
    >>> import tscript
    >>> from tscript.integrations.prometheus import register
    >>> tscript.enable_operator_stats()
    >>> collector = register()
    >>> tscript.enable_operator_stats(False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tscript.integrations.extras import needed
from tscript.runtime.session.usage import log_api_usage_once

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

EDGES = range(8, 36, 2)
"""Exponents of the histogram's upper edges in nanoseconds, from 256 ns to 17 s: every second bucket of the
statistics."""


class OperatorCollector:
    """Turns operator statistics into metrics with the labels ``operator`` and ``overload``.

    - ``tscript_operator_calls_total``: every call.
    - ``tscript_operator_seconds_total``: the time of all calls, estimated from those that were timed.
    - ``tscript_operator_max_seconds``: the longest call that was timed.
    - ``tscript_operator_duration_seconds``: a histogram of the calls that were timed.

    Args:
        stats: Where the figures come from; left out, `tscript.operator_stats`.
        prefix: How the names of the metrics begin.

    Raises:
        ImportError: ``prometheus_client`` is not installed.
    """

    def __init__(self, stats: Callable[[], Mapping[str, Any]] | None = None, prefix: str = "tscript") -> None:
        log_api_usage_once("tscript.integrations.prometheus")
        self._core = needed("prometheus_client.core", "prometheus_client", "prometheus")
        self._stats = stats or _current
        self._prefix = prefix

    def describe(self) -> Iterator[Metric]:
        """No metrics in advance: registering reads nothing."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        labels = ("operator", "overload")
        prefix = f"{self._prefix}_operator"
        calls = self._core.CounterMetricFamily(f"{prefix}_calls", "Calls of an operator.", labels=labels)
        seconds = self._core.CounterMetricFamily(
            f"{prefix}_seconds", "Time in an operator, estimated from the calls that were timed.", labels=labels
        )
        longest = self._core.GaugeMetricFamily(
            f"{prefix}_max_seconds", "The longest call that was timed.", labels=labels
        )
        durations = self._core.HistogramMetricFamily(
            f"{prefix}_duration_seconds", "Durations of the calls that were timed.", labels=labels
        )
        for found in self._stats().values():
            values = (found.name, found.overload)
            calls.add_metric(values, found.count)
            if found.timed:
                seconds.add_metric(values, found.total_ns * found.count / found.timed / 1e9)
                longest.add_metric(values, found.max_ns / 1e9)
                durations.add_metric(values, buckets_of(found.histogram), found.total_ns / 1e9)
        yield from (calls, seconds, longest, durations)


def _current() -> Mapping[str, Any]:
    from tscript.runtime.public.statistics import operator_stats

    return operator_stats()


def buckets_of(histogram: tuple[int, ...]) -> list[tuple[str, int]]:
    """Cumulated counts with their upper edges in seconds, as Prometheus wants them.

    Args:
        histogram: Counts of the durations from 2^i to below 2^(i+1) ns.

    Example:
        >>> buckets_of((0,) * 9 + (3,) + (0,) * 30)[:3]
        [('2.56e-07', 0), ('1.024e-06', 3), ('4.096e-06', 3)]
    """
    found = [(repr((1 << edge) / 1e9), sum(histogram[:edge])) for edge in EDGES]
    return [*found, ("+Inf", sum(histogram))]


def register(registry: CollectorRegistry | None = None, prefix: str = "tscript") -> OperatorCollector:
    """Put an `OperatorCollector` into a registry.

    Args:
        registry: Where; left out, the one that ``prometheus_client`` exposes by default.
        prefix: How the names of the metrics begin.

    Returns:
        The collector, for ``registry.unregister``.

    Raises:
        ImportError: ``prometheus_client`` is not installed.
    """
    client = needed("prometheus_client", "prometheus_client", "prometheus")
    collector = OperatorCollector(prefix=prefix)
    (client.REGISTRY if registry is None else registry).register(collector)
    return collector
