"""The samples run as their pages say."""

from __future__ import annotations

import gzip
import importlib
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

import tscript

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def test_the_fleet_sample_shows_all_of_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SAMPLES / "fleet.py", tmp_path], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "made by {'team': 'digits'" in done.stdout  # producer metadata, read back
    assert "r-0  " in done.stdout and "r-4  " in done.stdout  # requests seen in callbacks
    assert ", 0 faults" in done.stdout
    assert "tscript.script.compile" in done.stdout  # usage events
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        names = {event.get("name") for event in json.load(file)["traceEvents"]}
    assert {"score", "classify", "matmul", "request"} <= names


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A slice of the book, short enough to be gone through quickly."""
    text = lzma.decompress((SAMPLES / "data" / "moby_dick.txt.xz").read_bytes()).decode()
    path = tmp_path / "slice.txt"
    path.write_text(text[20_000:50_000], encoding="utf-8")
    return path


def run(sample: str, *arguments: object) -> list[str]:
    """The lines that a sample prints."""
    command = [sys.executable, str(SAMPLES / sample), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return str(done.stdout).splitlines()


def test_words_are_counted_as_in_plain_python(book: Path) -> None:
    *compiled, last = run("wordcount.py", book, "--top", 12)
    *plain, _ = run("wordcount.py", book, "--top", 12, "--plain")
    assert compiled == plain
    assert len(plain) == 13
    assert last.startswith("compiled: 30000 characters")


def test_the_tokenizer_agrees_token_by_token(book: Path) -> None:
    lines = run("tokenizer.py", book, "--merges", 30, "--characters", 8000)
    assert lines[0].startswith("30 tokens learnt")
    assert any(line.startswith("compiled and plain Python agree on all ") for line in lines)


def test_the_beam_search_finds_the_same(book: Path) -> None:
    lines = run("beam_search.py", book, "--width", 2, "--sentences", 2)
    assert lines[-1].endswith("with equal results")


def test_the_cluster_sample_says_what_it_needs(book: Path) -> None:
    code = "import sys; sys.modules['dask.distributed'] = None; import cluster; cluster.main(sys.argv[1:])"
    command = [sys.executable, "-c", code, str(book), "--chunks", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=SAMPLES)
    assert done.returncode == 1
    assert done.stderr == "samples/cluster.py needs Dask: pip install 'tscript[cluster]'\n"


@pytest.mark.slow
def test_the_cluster_sample_has_equal_results(book: Path) -> None:
    pytest.importorskip("distributed")
    words, _, digits, _, last = run("cluster.py", book, "--chunks", 4)
    assert words.startswith("words: ") and digits.startswith("digits: ")
    assert last.startswith("5")


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("photo.py", "512 x 394 pixels, 20008 of them at edges"),
        ("options.py", "4.295 +- 0.057 from 20000 paths"),
        ("kmeans.py", "1422 of 1797 digits are in a group of mostly their own kind"),
    ],
)
def test_loops_over_arrays_agree_with_numpy(sample: str, expected: str) -> None:
    first, second = run(sample)
    assert first.startswith("tscript ") and "NumPy" in first
    assert second == expected


def test_an_image_is_filtered_as_in_numpy(tmp_path: Path) -> None:
    lines = run("image.py", tmp_path)
    assert [line.partition(":")[0] for line in lines] == ["blur", "edges", "smaller", "equalised"]
    for name in ("blur", "edges", "smaller", "equalised"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_digits_are_found_on_a_page_as_in_numpy() -> None:
    first, second = run("detect.py")
    assert first == "105 boxes on a page of 100 digits: 97 at a digit, 86 of them read right"
    assert second.startswith("scores at most ")


def test_a_voice_is_taken_apart_as_in_numpy() -> None:
    *steps, last = run("speech.py")
    assert [line.partition(":")[0] for line in steps] == ["filtered", "mel", "coefficients"]
    assert last == "249 of 250 windows of another voice are read as the vowel that they are"


def test_a_model_of_torchscript_is_brought_over(tmp_path: Path) -> None:
    lines = run("import_torchscript.py", "-o", tmp_path / "model.tsa")
    assert lines[0].startswith("resnet.pt  TorchScript version 3")
    assert "same results: True" in lines[-1]
    difference = next(line for line in lines if line.startswith("largest difference"))
    assert float(difference.rpartition(" ")[2]) <= 1e-5


def test_digits_are_learnt_archived_and_read_elsewhere() -> None:
    trained, frozen, saved, last = run("digits_cnn.py")
    assert trained.startswith("trained in ") and trained.endswith("loss 2.21 to 0.037")
    assert frozen.startswith("frozen: 94.4% of 450 held-out images")
    assert saved.startswith("saved: digits.tsa")
    assert last == "another process gives the same"


def test_a_book_teaches_letters() -> None:
    learnt, text, *_ = run("char_lstm.py", "--steps", 8, "--size", 16)
    assert float(learnt.split()[-1]) < 4.4 and text.startswith("Call me ")


def test_gradients_of_the_writer_are_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SAMPLES)
    sample = importlib.import_module("char_lstm")
    tscript.manual_seed(1)
    weights = [p.data.double() for p in sample.Writer("abcde", 3).parameters()]
    text = tscript.randint(0, 5, (4, 2))
    loss, found = sample.gradients(text, weights)
    for weight, gradient in zip(weights, found, strict=True):
        flat = weight.view(-1)
        for at in range(0, weight.numel(), 7):
            flat[at] += 1e-6
            changed, _ = sample.gradients(text, weights)
            flat[at] -= 1e-6
            assert abs((changed - loss) / 1e-6 - gradient.flatten()[at].item()) < 1e-4


@pytest.mark.slow
def test_a_service_answers_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    testclient = pytest.importorskip("starlette.testclient")
    pytest.importorskip("httpx")
    pytest.importorskip("prometheus_client")
    monkeypatch.syspath_prepend(SAMPLES / "serve")
    app = importlib.import_module("app")
    seen: list[object] = []

    def predict(rows: list[list[float]]) -> list[list[float]]:
        seen.append(tscript.debug_info("requests"))
        return tscript.tensor(rows).sum(1, keepdim=True).tolist()

    with testclient.TestClient(app.create_app(predict, 3)) as client:
        answer = client.post("/predict", json={"input": [1, 2, 3]}, headers={"X-Request-ID": "r-1"})
        assert answer.json() == {"output": [6.0]} and answer.headers["X-Request-ID"] == "r-1"
        assert seen == [["r-1"]]
        refused: tuple[object, ...] = ({"input": [1]}, {"input": "abc"}, [], {})
        for wrong in refused:
            assert client.post("/predict", json=wrong).status_code == 422
        for number in ("NaN", "Infinity", "1e400", "1" + 400 * "0"):  # Python reads what is no JSON
            assert client.post("/predict", content=f'{{"input": [1, 2, {number}]}}').status_code == 422
        text = client.get("/metrics").text
        assert "batch_size_count 1.0" in text and "tscript_operator_calls_total" in text


PEOPLE = """
from dataclasses import dataclass
from typing import List

@dataclass
class Person:
    name: str
    score: float = 1.0

def best(people: List[Person], bonus: float = 0.0) -> Person:
    found = people[0]
    for person in people:
        if person.score > found.score:
            found = person
    return Person(found.name, found.score + bonus)

def half(n: int) -> int:
    if n % 2 != 0:
        raise TypeError("odd")
    return n // 2
"""


@pytest.mark.slow
def test_a_service_takes_and_gives_objects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    testclient = pytest.importorskip("starlette.testclient")
    pytest.importorskip("httpx")
    pytest.importorskip("prometheus_client")
    monkeypatch.syspath_prepend(SAMPLES / "serve")
    app = importlib.import_module("app")
    functions = tscript.script(PEOPLE)
    tscript.save(functions, tmp_path / "people.tsa")
    monkeypatch.setenv("FUNCTIONS", str(tmp_path / "people.tsa"))
    with testclient.TestClient(app.create_app(lambda rows: rows, 1), raise_server_exceptions=False) as client:
        body = {"people": [{"name": "a"}, {"name": "b", "score": 2.5}], "bonus": 0.5}
        answer = client.post("/call/best", json=body, headers={"X-Request-ID": "r-1"})
        assert answer.json() == {"result": {"name": "b", "score": 3.0}} and answer.headers["X-Request-ID"] == "r-1"
        assert client.post("/call/half", json=[4]).json() == {"result": 2}
        refused = client.post("/call/best", json={"people": [{"nam": "a"}]})
        assert refused.status_code == 422 and "people[0]: expected an object with name, score" in refused.text
        assert client.post("/call/half", json=["four"]).status_code == 422
        assert client.post("/call/half", content=b"{").status_code == 422
        assert client.post("/call/half", content=b"\xff").status_code == 422
        missing = client.post("/call/worst", json=[])
        assert missing.status_code == 404 and "only best, half" in missing.text
        assert client.post("/call/half", json=[3]).status_code == 500
