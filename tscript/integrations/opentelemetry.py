"""OpenTelemetry spans: one for each call of a scripted function from Python.

Operators are far too many for spans: their figures belong into metrics (`tscript.integrations.prometheus`). It depends
on the package ``opentelemetry-api`` alone (``pip install 'tscript[opentelemetry]'``); what becomes of the spans, the
application decides with its SDK.

Example:
    >>> from tscript.integrations.opentelemetry import TscriptInstrumentor
    >>> instrumentor = TscriptInstrumentor()
    >>> instrumentor.instrument()  # doctest: +SKIP
    >>> instrumentor.uninstrument()  # doctest: +SKIP
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tscript._version import __version__
from tscript.abi.record import RecordScope
from tscript.integrations.extras import needed
from tscript.runtime.session.usage import log_api_usage_once

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider


class TscriptInstrumentor:
    """Makes a span of each call of a scripted function from Python; calls inside a span get none.

    A span is named after its function. Its parent is the span that is current on the thread, and it is current itself
    during the call. It has the attributes ``code.function.name``, ``code.file.path``, ``code.line.number`` and
    ``tscript.inputs``. If the call raises, its status is an error.

    Raises:
        ImportError: ``opentelemetry-api`` is not installed.
    """

    def __init__(self) -> None:
        log_api_usage_once("tscript.integrations.opentelemetry")
        self._trace: Any = needed("opentelemetry.trace", "opentelemetry-api", "opentelemetry")
        self._context: Any = needed("opentelemetry.context", "opentelemetry-api", "opentelemetry")
        self._calls = threading.local()
        self._lock = threading.Lock()
        self._running = 0
        self._handle: Any = None
        self._retired: list[Any] = []

    @property
    def is_instrumented(self) -> bool:
        """Whether spans are made."""
        return self._handle is not None

    def instrument(self, tracer_provider: TracerProvider | None = None, *, sampling_prob: float = 1.0) -> None:
        """Make spans from now on.

        Args:
            tracer_provider: Where they go; by default, the global one.
            sampling_prob: The share of calls that get one. Calls of scripted functions from scripted functions are
                sampled too: one may get a span where the call around it has none. The SDK's sampler then decides
                about each span once more.

        Raises:
            RuntimeError: Spans are made already.
            ValueError: `sampling_prob` is not a probability.
        """
        from tscript.runtime.public.record import add_global_callback

        if self._handle is not None:
            raise RuntimeError("tscript is instrumented already; call uninstrument() first")
        self._tracer = self._trace.get_tracer("tscript", __version__, tracer_provider)
        self._handle = add_global_callback(
            self._enter, self._exit, scopes=[RecordScope.FUNCTION], sampling_prob=sampling_prob
        )

    def uninstrument(self) -> None:
        """Make no more spans; calls that are running still end theirs. Nothing happens if none are made."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is None:
                return
            handle.disable()  # unlike a removed callback, a disabled one gets the exits that are due
            self._retired.append(handle)
        self._remove_retired()

    def _enter(self, record: Any) -> object:
        if getattr(self._calls, "is_open", False):
            return None
        attributes = {
            "code.function.name": record.function or record.name,
            "code.file.path": record.file or "",
            "code.line.number": record.line,
            "tscript.inputs": record.num_inputs,
        }
        span = self._tracer.start_span(record.name, attributes={k: v for k, v in attributes.items() if v != ""})
        token = self._context.attach(self._trace.set_span_in_context(span))
        self._calls.is_open = True
        with self._lock:
            self._running += 1
        return span, token

    def _exit(self, record: Any, opened: Any) -> None:
        if opened is None:
            return
        span, token = opened
        self._calls.is_open = False
        self._context.detach(token)
        if record.failed:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, f"{record.name} raised an exception"))
        span.end()
        with self._lock:
            self._running -= 1
        self._remove_retired()

    def _remove_retired(self) -> None:
        """Remove disabled callbacks once no call is running."""
        with self._lock:
            if self._running:
                return
            handles, self._retired = self._retired, []
        for handle in handles:
            handle.remove()
