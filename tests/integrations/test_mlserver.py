"""The runtime for MLServer: with the real server, over HTTP and gRPC."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor, nn

pytest.importorskip("mlserver")
grpc = pytest.importorskip("grpc")

FUNCTIONS = '''
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple
from tscript import Tensor

def scale(x: Tensor, by: float = 2.0) -> Tensor:
    """Multiply by a number."""
    return x * by

def count(x: Tensor) -> Tensor:
    """How many rows come at once."""
    return x * 0.0 + float(x.shape[0])

def parts(name: str, words: List[str], n: int, flag: bool, xs: List[int]) -> Tuple[str, List[str], int, bool, float]:
    assert n >= 0, "a negative number"
    return name + "!", words[::-1], n + sum(xs), not flag, n / 2

@dataclass
class Person:
    name: str
    score: float = 1.0

def better(a: Person, others: List[Person], bonus: Optional[Dict[str, float]] = None) -> Person:
    for other in others:
        if other.score > a.score:
            a = other
    return a if bonus is None else Person(a.name, a.score + bonus[a.name])

def named(x: Tensor) -> Dict[str, Tensor]:
    return {"low": x.amin(1), "high": x.amax(1)}
'''


def _free(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Client:
    """Asks a server, over HTTP or gRPC."""

    def __init__(self, http: int, rpc: int) -> None:
        from mlserver.grpc.dataplane_pb2_grpc import GRPCInferenceServiceStub

        self.url = f"http://127.0.0.1:{http}/v2"
        self.channel = grpc.insecure_channel(f"127.0.0.1:{rpc}")
        self.stub = GRPCInferenceServiceStub(self.channel)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def ask(self, model: str, *inputs: dict[str, Any], **more: Any) -> Any:
        """The answer, or the status and the error."""
        body = json.dumps({"inputs": inputs, **more}).encode()
        asked = urllib.request.Request(f"{self.url}/models/{model}/infer", body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["error"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "functions.py").write_text(FUNCTIONS)
    from tscript.api import archive_of, functions_of_file
    from tscript.archive import pack

    functions = functions_of_file(folder / "functions.py")
    (folder / "functions.tsa").write_bytes(pack(archive_of(functions, metadata={"git": "0123"})))
    http, rpc, metrics = _free(3)
    settings = {
        "http_port": http,
        "grpc_port": rpc,
        "metrics_port": metrics,
        "host": "127.0.0.1",
        "parallel_workers": 0,
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    for name in functions:
        batching = {"max_batch_size": 8, "max_batch_time": 0.2} if name == "count" else {}
        (folder / name).mkdir()
        (folder / name / "model-settings.json").write_text(
            json.dumps(
                {
                    "name": name,
                    "implementation": "tscript.integrations.mlserver.TscriptRuntime",
                    "parameters": {"uri": "../functions.tsa", "extra": {"function": name}},
                    **batching,
                }
            )
        )
    log = (folder / "log").open("wb")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    server = subprocess.Popen(
        [sys.executable, "-c", "from mlserver.cli import main; main()", "start", str(folder)],
        env=environment, stdout=log, stderr=subprocess.STDOUT,
    )  # fmt: skip
    found = Client(http, rpc)
    try:
        for _ in range(300):
            try:
                found.get("health/ready")
                break
            except (urllib.error.URLError, ConnectionError):
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.2)
        else:
            raise AssertionError((folder / "log").read_text())
        grpc.channel_ready_future(found.channel).result(30)
        yield found
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def tensor(name: str, array: Any, datatype: str = "FP32") -> dict[str, Any]:
    return {"name": name, "shape": list(np.shape(array)), "datatype": datatype, "data": np.ravel(array).tolist()}


def value(name: str, given: Any, datatype: str) -> dict[str, Any]:
    data = given if isinstance(given, list) else [given]
    return {"name": name, "shape": [len(data)], "datatype": datatype, "data": data}


def test_metadata(client: Client) -> None:
    found = client.get("models/scale")
    assert found["platform"] == "tscript" and found["parameters"]["git"] == "0123"
    assert [(i["name"], i["datatype"], i["shape"]) for i in found["inputs"]] == [
        ("x", "FP32", [-1]),
        ("by", "FP64", [1]),
    ]
    assert [i["datatype"] for i in client.get("models/parts")["inputs"]] == ["BYTES", "BYTES", "INT64", "BOOL", "INT64"]


@pytest.mark.parametrize("datatype", ["FP32", "FP64", "FP16", "INT8", "INT64", "UINT8"])
def test_tensors_over_http(client: Client, datatype: str) -> None:
    found = client.ask("scale", tensor("x", [[1, 2], [3, 4]], datatype), value("by", 3.0, "FP64"))
    (output,) = found["outputs"]
    assert (output["name"], output["shape"], output["data"]) == ("output", [2, 2], [3, 6, 9, 12])
    assert output["datatype"] == (datatype if datatype.startswith("FP") else "FP32")
    assert client.ask("scale", tensor("anything", [1.0]), id="7")["id"] == "7"


def test_values(client: Client) -> None:
    found = client.ask(
        "parts",
        value("name", "Ada", "BYTES"),
        value("words", ["a", "b"], "BYTES"),
        value("n", 3, "INT64"),
        value("flag", True, "BOOL"),
        value("xs", [1, 2], "INT64"),
    )
    outputs = {o["name"]: o["data"] for o in found["outputs"]}
    assert outputs == {
        "output_0": ["Ada!"], "output_1": ["b", "a"], "output_2": [6], "output_3": [False], "output_4": [1.5]
    }  # fmt: skip


def test_objects_are_strings_of_json(client: Client) -> None:
    assert [i["datatype"] for i in client.get("models/better")["inputs"]] == ["BYTES"] * 3
    given = value("a", '{"name": "a"}', "BYTES"), value("others", '[{"name": "b", "score": 2}]', "BYTES")
    (output,) = client.ask("better", *given)["outputs"]
    assert output["datatype"] == "BYTES" and json.loads(output["data"][0]) == {"name": "b", "score": 2.0}
    (output,) = client.ask("better", *given, value("bonus", '{"b": 0.5}', "BYTES"))["outputs"]
    assert json.loads(output["data"][0])["score"] == 2.5
    for text, said in (
        ('{"score": 1}', "a: expected an object with name"),
        ("{", "Expecting"),
        ("3", "found a number"),
    ):
        status, error = client.ask("better", value("a", text, "BYTES"), given[1])
        assert status == 400 and said in error


def test_outputs_that_are_asked_for(client: Client) -> None:
    x = tensor("x", [[1.0, 5.0], [7.0, 2.0]])
    found = client.ask("named", x)
    assert {o["name"]: o["data"] for o in found["outputs"]} == {"low": [1, 2], "high": [5, 7]}
    found = client.ask("named", x, outputs=[{"name": "high"}])
    assert [o["name"] for o in found["outputs"]] == ["high"]
    assert client.ask("named", x, outputs=[{"name": "middle"}])[0] == 400


def test_errors(client: Client) -> None:
    assert client.ask("scale", tensor("x", [1.0]), value("to", 1, "INT64")) == (
        400,
        "there is no input to, only x, by",
    )
    status, text = client.ask("scale", value("by", 1.0, "FP64"))
    assert status == 400 and "missing 1 required" in text
    status, text = client.ask("scale", {**tensor("x", [1.0, 2.0]), "shape": [3]})
    assert status == 400 and "'x'" in text and "reshape" in text
    status, text = client.ask("scale", tensor("x", [1.0]), value("by", [1.0, 2.0], "FP64"))
    assert status == 400 and "expected one float" in text
    given = (value("name", "a", "BYTES"), value("words", ["a"], "BYTES"), value("n", -1, "INT64"))
    status, text = client.ask("parts", *given, value("flag", True, "BOOL"), value("xs", [1], "INT64"))
    assert (status, text) == (500, "AssertionError: a negative number")


def test_adaptive_batching(client: Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda n: client.ask("count", tensor("x", [[float(n)]])), range(8))]
    sizes = [answer["outputs"][0]["data"][0] for answer in answers]
    assert all(answer["outputs"][0]["shape"] == [1, 1] for answer in answers)
    assert max(sizes) > 1


def test_grpc(client: Client) -> None:
    from mlserver.grpc import dataplane_pb2 as pb

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    given = pb.ModelInferRequest.InferInputTensor(name="x", datatype="FP32", shape=x.shape)
    expected = [pytest.approx((x * 2).ravel().tolist())] * 3
    found = []
    for asked in (
        pb.ModelInferRequest(model_name="scale", inputs=[given], raw_input_contents=[x.tobytes()]),
        pb.ModelInferRequest(model_name="scale", inputs=[_with(given, bytes_contents=[x.tobytes()])]),
        pb.ModelInferRequest(model_name="scale", inputs=[_with(given, fp32_contents=x.ravel().tolist())]),
    ):
        answer = client.stub.ModelInfer(asked, timeout=60)
        (output,) = answer.outputs
        assert (output.datatype, list(output.shape)) == ("FP32", [2, 3])
        raw = [*answer.raw_output_contents]
        found.append(np.frombuffer(raw[0], np.float32).tolist() if raw else list(output.contents.fp32_contents))
    assert found == expected
    with pytest.raises(grpc.RpcError) as caught:
        client.stub.ModelInfer(pb.ModelInferRequest(model_name="scale", inputs=[]), timeout=60)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert client.stub.ModelMetadata(pb.ModelMetadataRequest(name="scale"), timeout=60).platform == "tscript"


def _with(given: Any, **contents: Any) -> Any:
    from mlserver.grpc import dataplane_pb2 as pb

    return pb.ModelInferRequest.InferInputTensor(
        name=given.name, datatype=given.datatype, shape=given.shape, contents=pb.InferTensorContents(**contents)
    )


def test_bytes_are_not_copied() -> None:
    from mlserver.types import RequestInput

    from tscript.integrations.mlserver import _decoded
    from tscript.types import TENSOR

    data = np.arange(4, dtype=np.int32).tobytes()
    found = _decoded(
        RequestInput.model_construct(name="x", shape=[2, 2], datatype="INT32", data=[data], parameters=None), TENSOR
    )
    assert isinstance(found, Tensor) and found.tolist() == [[0, 1], [2, 3]]
    assert found.data_ptr() == np.frombuffer(data, np.int32).ctypes.data


def test_a_module_and_what_there_is_none_of(tmp_path: Path) -> None:
    import asyncio

    from mlserver.errors import InvalidModelURI
    from mlserver.settings import ModelParameters, ModelSettings
    from mlserver.types import InferenceRequest, RequestInput

    from tscript.integrations.mlserver import TscriptRuntime

    layer = nn.Linear(3, 2)
    tscript.save(tscript.script(nn.Sequential(layer)), tmp_path / "m.tsa")

    def runtime(uri: Path) -> TscriptRuntime:
        return TscriptRuntime(ModelSettings(
            name="m", implementation=TscriptRuntime, parameters=ModelParameters(uri=str(uri))
        ))  # fmt: skip

    with pytest.raises(InvalidModelURI):
        asyncio.run(runtime(tmp_path / "gone.tsa").load())
    made = runtime(tmp_path / "m.tsa")
    assert asyncio.run(made.load())
    given = RequestInput(name="x", shape=[2, 3], datatype="FP32", data=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    answer = asyncio.run(made.predict(InferenceRequest(inputs=[given])))
    (output,) = answer.outputs
    expected = layer(tscript.arange(6.0).reshape(2, 3))
    assert (answer.model_name, output.shape) == ("m", [2, 2])
    assert [*output.data] == pytest.approx(expected.ravel().tolist())


def test_a_model_of_torchscript(tmp_path: Path) -> None:
    import asyncio

    from mlserver.settings import ModelParameters, ModelSettings
    from mlserver.types import InferenceRequest, RequestInput

    from tscript.integrations.mlserver import TscriptRuntime

    kept = Path(__file__).parents[1] / "data" / "torchscript"
    for name, shape in (("resnet", [1, 3, 32, 32]), ("function", [3])):
        settings = ModelSettings(
            name="m", implementation=TscriptRuntime, parameters=ModelParameters(uri=str(kept / f"{name}.pt"))
        )
        made = TscriptRuntime(settings)
        assert asyncio.run(made.load())
        given = [RequestInput(name="x", shape=shape, datatype="FP32", data=[1.0] * int(np.prod(shape)))]
        if name == "function":
            given.append(RequestInput(name="n", shape=[1], datatype="INT64", data=[2]))
            given.append(RequestInput(name="weights", shape=[2], datatype="FP64", data=[1.0, 2.0]))
        answer = asyncio.run(made.predict(InferenceRequest(inputs=given)))
        model = tscript.load(kept / f"{name}.pt")
        expected = model(tscript.ones(*shape)) if name == "resnet" else model(tscript.ones(3), 2, [1.0, 2.0])[0]
        assert [*answer.outputs[0].data] == pytest.approx(expected.ravel().tolist())
