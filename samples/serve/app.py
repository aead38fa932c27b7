"""A web service around an archive: requests that come at the same time are computed as one batch.

    pip install 'tscript[serve]'
    python samples/digits_cnn.py digits.tsa
    MODEL=digits.tsa uvicorn --app-dir samples/serve --factory app:create_app

``POST /predict`` takes ``{"input": [...]}``, the numbers of one input, and gives ``{"output": [...]}``; the header
``X-Request-ID`` comes back with the answer. ``POST /call/score`` calls a function ``score`` of the archive: it takes an
object with its arguments by name, or a list of them, and gives ``{"result": ...}``; instances of the archive's classes
are objects with their attributes. ``GET /metrics`` gives the cost of operators and the sizes of batches to
Prometheus. `load.py` measures how many requests a second it answers.
"""

from __future__ import annotations

import asyncio
import math
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import tscript
from tscript import Tensor
from tscript.integrations.prometheus import OperatorCollector
from tscript.travel.json_values import arguments_from_json, to_json

Rows = list[list[float]]


class _Waiting(NamedTuple):
    row: Sequence[float]
    request: str
    answer: asyncio.Future[list[float]]


class Batcher:
    """Computes the rows of several requests at once.

    Args:
        predict: Computes a result for each row.
        size: Rows of a batch at most.
        wait: Seconds that the first row of a batch waits for others.
        sizes: Where the sizes of batches are counted.

    Whatever is computed for a batch has the ids of its requests as debug info, kind ``requests``.
    """

    def __init__(self, predict: Callable[[Rows], Rows], sizes: Histogram, size: int = 64, wait: float = 0.001) -> None:
        self._predict, self._size, self._wait, self._sizes = predict, size, wait, sizes
        self._pending: list[_Waiting] = []
        self._timer: asyncio.TimerHandle | None = None
        self._pool = ThreadPoolExecutor(1)  # native code releases the GIL: the event loop goes on meanwhile

    async def __call__(self, row: Sequence[float], request: str) -> list[float]:
        """The result for a row.

        Args:
            row: Its numbers.
            request: The id of its request.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[float]] = loop.create_future()
        self._pending.append(_Waiting(row, request, answer))
        if len(self._pending) >= self._size:
            self._start()
        elif self._timer is None:
            self._timer = loop.call_later(self._wait, self._start)
        return await answer

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        batch, self._pending, self._timer = self._pending, [], None
        self._sizes.observe(len(batch))
        work = asyncio.get_running_loop().run_in_executor(self._pool, self._compute, batch)
        work.add_done_callback(lambda done: self._answer(batch, done))

    def _compute(self, batch: list[_Waiting]) -> Rows:
        with tscript.DebugInfoGuard("requests", [waiting.request for waiting in batch]):
            return self._predict([[*waiting.row] for waiting in batch])

    def _answer(self, batch: list[_Waiting], done: asyncio.Future[Rows]) -> None:
        error = done.exception()
        for n, waiting in enumerate(batch):
            if waiting.answer.cancelled():
                continue
            if error is not None:
                waiting.answer.set_exception(error)
            else:
                waiting.answer.set_result(done.result()[n])


def predictor(path: str, shape: Sequence[int]) -> Callable[[Rows], Rows]:
    """What an archive computes for rows of numbers.

    Args:
        path: The archive.
        shape: The shape of one input.
    """
    model = tscript.load(path, trust_native=True)

    def predict(rows: Rows) -> Rows:
        found: Tensor = model(tscript.tensor(rows).reshape(len(rows), *shape))
        answer: Rows = found.tolist()
        return answer

    return predict


def called(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], request: str) -> Any:
    """The result of a function, as JSON has it.

    Args:
        function: A function of an archive.
        args, kwargs: What it is called with.
        request: The id of the request, which callbacks find.
    """
    with tscript.DebugInfoGuard("requests", [request]):
        return to_json(function(*args, **kwargs))


def create_app(
    predict: Callable[[Rows], Rows] | None = None, count: int = 64, functions: Mapping[str, Any] | None = None
) -> Starlette:
    """The service.

    Args:
        predict: Computes a result for each row; the archive that the environment variable ``MODEL`` names if left out.
        count: How many numbers an input has.
        functions: What can be called by name; those of the archive ``FUNCTIONS`` if left out, none without that.
    """
    if functions is None:
        functions = tscript.load(os.environ["FUNCTIONS"], trust_native=True) if "FUNCTIONS" in os.environ else {}
    known: Mapping[str, Any] = functions
    compute = predictor(os.environ["MODEL"], (1, 8, 8)) if predict is None else predict
    registry = CollectorRegistry()
    tscript.enable_operator_stats()
    registry.register(OperatorCollector())
    sizes = Histogram("batch_size", "Requests computed at once", buckets=(1, 2, 4, 8, 16, 32, 64), registry=registry)
    batcher = Batcher(compute, sizes)

    async def answer(request: Request) -> JSONResponse:
        name = request.headers.get("x-request-id") or uuid.uuid4().hex
        try:
            row = [float(number) for number in (await request.json())["input"]]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise HTTPException(422, 'expected {"input": [numbers]}') from error
        if not all(map(math.isfinite, row)):
            raise HTTPException(422, "expected finite numbers")
        if len(row) != count:
            raise HTTPException(422, f"expected {count} numbers, found {len(row)}")
        return JSONResponse({"output": await batcher(row, name)}, headers={"X-Request-ID": name})

    async def call(request: Request) -> JSONResponse:
        name = request.headers.get("x-request-id") or uuid.uuid4().hex
        function = known.get(request.path_params["name"])
        if function is None:
            raise HTTPException(404, f"there is no function {request.path_params['name']!r}, only {', '.join(known)}")
        try:
            args, kwargs = arguments_from_json(function.params, await request.json())
            function.bind(args, kwargs)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise HTTPException(422, str(error)) from error
        found = await asyncio.get_running_loop().run_in_executor(None, called, function, args, kwargs, name)
        return JSONResponse({"result": found}, headers={"X-Request-ID": name})

    async def metrics(request: Request) -> Response:
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")

    return Starlette(
        routes=[
            Route("/predict", answer, methods=["POST"]),
            Route("/call/{name}", call, methods=["POST"]),
            Route("/metrics", metrics),
        ]
    )
