"""OpenTelemetry spans."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.integrations.opentelemetry import TscriptInstrumentor


@tscript.script
def inner(x: Tensor) -> Tensor:
    return x * 2.0


@tscript.script
def outer(x: Tensor, y: Tensor) -> Tensor:
    return inner(x) + y


@pytest.fixture
def spans() -> Any:
    """The spans that ended, newest last; tracers come from the attribute `provider`."""
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    exporter.provider = TracerProvider()
    exporter.provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def instrumentor(spans: Any) -> Iterator[TscriptInstrumentor]:
    """One that makes `spans`."""
    made = TscriptInstrumentor()
    made.instrument(spans.provider)
    yield made
    made.uninstrument()


X = tscript.tensor([1.0, 2.0])


def test_a_span_for_each_call(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    outer(X, X)
    outer(X, X)
    first, second = spans.get_finished_spans()
    assert first.name == second.name == "outer"
    assert first.attributes["code.function.name"] == "outer"
    assert first.attributes["code.file.path"].endswith("test_opentelemetry.py")
    assert first.attributes["code.line.number"] > 1
    assert first.attributes["tscript.inputs"] == 2
    assert first.end_time > first.start_time
    assert first.parent is None
    assert first.status.is_unset
    assert first.instrumentation_scope.name == "tscript"


def test_spans_go_under_the_current_one(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    from opentelemetry import trace

    tracer = spans.provider.get_tracer("test")
    with tracer.start_as_current_span("request") as request:
        outer(X, X)
        assert trace.get_current_span() is request
    call, _ = spans.get_finished_spans()
    assert call.parent.span_id == request.get_span_context().span_id


def test_a_call_that_raises(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    with pytest.raises(RuntimeError, match="must match the size"):
        outer(X, tscript.tensor([1.0, 2.0, 3.0]))
    outer(X, X)
    failed, fine = spans.get_finished_spans()
    assert not failed.status.is_ok and failed.status.description == "outer raised an exception"
    assert fine.status.is_unset and fine.parent is None


def test_eager_operators_have_none(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    tscript.tanh(X)
    assert spans.get_finished_spans() == ()


def test_threads(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    threads = [threading.Thread(target=outer, args=(X, X)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    found = spans.get_finished_spans()
    assert len(found) == 4
    assert all(span.parent is None for span in found)


def test_on_and_off(instrumentor: TscriptInstrumentor, spans: Any) -> None:
    assert instrumentor.is_instrumented
    with pytest.raises(RuntimeError, match="instrumented already"):
        instrumentor.instrument(spans.provider)
    instrumentor.uninstrument()
    instrumentor.uninstrument()
    outer(X, X)
    assert spans.get_finished_spans() == ()
    instrumentor.instrument(spans.provider, sampling_prob=0.0)
    outer(X, X)
    assert spans.get_finished_spans() == ()


def test_bad_probabilities(spans: Any) -> None:
    made = TscriptInstrumentor()
    with pytest.raises(ValueError, match="probability"):
        made.instrument(spans.provider, sampling_prob=2.0)
    assert not made.is_instrumented


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.split(".")[0] == "opentelemetry"] + [
        "opentelemetry",
        "opentelemetry.trace",
    ]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs opentelemetry-api: pip install 'tscript\[opentelemetry\]'"):
        TscriptInstrumentor()
