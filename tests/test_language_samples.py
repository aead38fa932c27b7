"""The samples of the language, and the workloads of its benchmark, against what the standard library computes."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
NAMES = ("wordcount", "tokenizer", "beam_search", "language", "appending", "behind", "readme", "classics", "elements")


@pytest.fixture(scope="module")
def samples() -> Iterator[dict[str, ModuleType]]:
    """The modules by name; what they import beside them is gone afterwards."""
    before = set(sys.modules)
    folders = [str(SAMPLES), str(SAMPLES / "bench")]
    sys.path[:0] = folders
    try:
        yield {name: importlib.import_module(name) for name in NAMES}
    finally:
        for folder in folders:
            sys.path.remove(folder)
        for name in {"harness", "peers", *NAMES} - before:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def book(samples: dict[str, ModuleType]) -> str:
    """The text that comes with the samples."""
    text: str = samples["wordcount"].load_text()
    return text


def test_the_book_is_whole(book: str) -> None:
    assert book.startswith("ETYMOLOGY.") and book.endswith("only found another orphan.\n")
    assert all(f"\nCHAPTER {n}. " in book for n in range(1, 136))


def test_words_are_counted(samples: dict[str, ModuleType], book: str) -> None:
    wordcount = samples["wordcount"]
    parts = book.lower().replace("—", " ").replace("--", " ").split()
    expected = Counter(filter(None, (part.strip(wordcount.PUNCTUATION) for part in parts)))
    counts = wordcount.count_words(book)
    assert counts == expected and list(counts) == list(expected)
    assert wordcount.most_common(counts, 50) == sorted(expected.items(), key=lambda i: (-i[1], i[0]))[:50]


def test_the_table_of_words(samples: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.txt").write_text("The whale, the WHALE; a sea. The end!\n", encoding="utf-8")
    samples["wordcount"].main([str(tmp_path / "text.txt"), "--top", "3", "--plain"])
    assert capsys.readouterr().out.splitlines()[:4] == [
        "8 words, 5 different ones, 3 of them once",
        "   1  the          3  37.50 %  ##############################",
        "   2  whale        2  25.00 %  ####################",
        "   3  a            1  12.50 %  ##########",
    ]
    assert samples["wordcount"].report("", 3) == "0 words, 0 different ones, 0 of them once\n"


def test_merges_are_the_most_frequent_pairs(samples: dict[str, ModuleType], book: str) -> None:
    tokenizer = samples["tokenizer"]
    text = book[50_000:54_000]
    learnt = tokenizer.learn(text, 40)
    words = [list(word.encode()) for word in tokenizer.words_of(text)]
    for number, pair in enumerate(learnt):
        counts = Counter(p for tokens in words for p in pairwise(tokens))
        assert pair == min(counts, key=lambda p: (-counts[p], p))
        words = [tokenizer.joined(tokens, *pair, 256 + number) for tokens in words]
    assert tokenizer.encode(text, learnt) == [token for tokens in words for token in tokens]


@settings(max_examples=40, deadline=None)
@given(st.text(st.sampled_from("ab é—😀\n.'"), max_size=60), st.integers(0, 30))
def test_texts_come_back(samples: dict[str, ModuleType], text: str, merges: int) -> None:
    tokenizer = samples["tokenizer"]
    learnt = tokenizer.learn(text, merges)
    assert "".join(tokenizer.words_of(text)) == text
    assert tokenizer.decode(tokenizer.encode(text, learnt), learnt) == text
    assert tokenizer.decode(tokenizer.encode(text + text[::-1], learnt), learnt) == text + text[::-1]


def test_the_tokenizer_prints_what_it_learnt(
    samples: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    samples["tokenizer"].main(["--plain", "--merges", "60", "--characters", "60000"])
    out = capsys.readouterr().out
    assert out.startswith("60 tokens learnt") and "learn " in out and "decode " in out


def test_words_run_together_are_found(samples: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]) -> None:
    samples["beam_search"].main(["--plain", "--sentences", "4", "--width", "4"])
    out = capsys.readouterr().out
    assert "and on either hand bright bubbles arose and danced by his side" in out
    right, words = (int(out.splitlines()[-2].split()[i]) for i in (0, 2))
    assert right / words > 0.9


def test_a_wide_beam_finds_the_best_of_all(samples: dict[str, ModuleType]) -> None:
    search = samples["beam_search"]
    model = search.learn("The sea, these a rose. A rose is the sea. " * 3)
    text = "thesearoses"

    def cuts(rest: str) -> Iterator[list[str]]:
        if not rest:
            yield []
        for end in range(1, min(model.longest, len(rest)) + 1):
            if rest[:end] in model.words or end <= 4:
                yield from ([rest[:end], *others] for others in cuts(rest[end:]))

    def score(words: list[str]) -> float:
        before = ["", *words]
        return math.fsum(search.log_probability(model, a, b) for a, b in pairwise(before))

    ((found, words),) = search.search(model, text, 1000)[:1]
    assert math.isclose(found, max(map(score, cuts(text))))
    assert math.isclose(found, score(words.split()))
    assert search.search(model, "", 3) == [(0.0, "")]


def escape(c: complex) -> int:
    """The steps of a point of the Mandelbrot set, at most 20."""
    z = 0j
    for k in range(20):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return k
        z = z * z + c
    return 20


def test_the_workloads_of_the_benchmark(samples: dict[str, ModuleType]) -> None:
    language = samples["language"]
    assert language.mandelbrot(8, 20) == sum(
        escape(complex(-2.0 + 2.5 * j / 8, -1.25 + 2.5 * i / 8)) for i in range(8) for j in range(8)
    )
    assert language.sieve(100) == 25
    assert language.collatz(1000) == 871
    assert math.isclose(language.matmul(2), 0.0)
    assert language.edit_distance("kitten", "sitting") == 3 and language.edit_distance("", "abc") == 3
    assert 0 < language.nbody(2, 3) < 1


def test_what_grows_gives_the_same(samples: dict[str, ModuleType]) -> None:
    rows = samples["appending"].run(part=400, rounds=1)
    assert len(rows) == 6 and all({"tscript", "CPython"} == set(row.times) for row in rows)


def test_programs_over_arrays_run_as_they_are_written_for_numba(samples: dict[str, ModuleType]) -> None:
    classics = samples["classics"]
    for name, (function, args) in classics.programs(0.02).items():
        before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        found = tscript.script(function)(*args)
        assert classics.equal(found, function(*before)), name
        assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True)), name


def test_loops_over_elements_of_tensors(samples: dict[str, ModuleType]) -> None:
    assert len(samples["elements"].run(scale=0.01, rounds=1)) == 4


@pytest.mark.slow
def test_figures_of_the_readme_and_of_what_others_do_faster(samples: dict[str, ModuleType]) -> None:
    assert len(samples["readme"].run(letters=50, rounds=1)) == 1
    assert len(samples["behind"].run(part=100, rounds=1)) == 8


def test_each_figure_has_a_command_and_each_command_is_there() -> None:
    root = SAMPLES.parent
    groups = set(re.findall(r'^    "(\w+)": \w+\.run,$', (root / "samples/bench/run.py").read_text(), re.M))
    named: set[str] = set()
    for file in ("README.md", "docs/performance.md"):
        for section in re.split(r"^#+ .*$", (root / file).read_text(), flags=re.M):
            if re.search(r"\d ?(?:ns|us|ms|s)\b", section):
                command = (
                    r"samples/bench/(run\.py \w|eager\.py)|samples/serve/load\.py|tools/library\.py \w|"
                    r"make (demo|wheel)|tests/\w+/test_"
                )
                assert re.search(command, section), (file, section[:80])
            for command in re.findall(r"samples/bench/run\.py ([a-z ]+)", section):
                named |= set(command.split())
    assert named == groups


@pytest.mark.slow
def test_compiled_workloads_give_what_plain_python_gives(samples: dict[str, ModuleType], book: str) -> None:
    language = samples["language"]
    a, b = book[200_000:200_050], book[300_000:300_050]
    for function, *args in (
        (language.mandelbrot, 8, 20),
        (language.nbody, 10, 4),
        (language.sieve, 1000),
        (language.matmul, 8),
        (language.collatz, 100),
        (language.edit_distance, a, b),
        (language.tokenize, language.json_text(5)),
        (language.count_words, book[:20_000]),
    ):
        assert tscript.script(function)(*args) == function(*args), function.__name__


def test_the_tokenizer_of_the_benchmark_reads_json(samples: dict[str, ModuleType]) -> None:
    language = samples["language"]
    text = language.json_text(20)
    rows = json.loads(text)
    kinds = language.tokenize(text)
    numbers = [n for row in rows for n in (row["id"], *row["values"])]
    assert (kinds["word"], kinds["number"], kinds["text"]) == (20, len(numbers), 5 * 20)
    assert kinds["different numbers"] == len(set(numbers))
    assert kinds["different texts"] == 4 + 20
    with pytest.raises(ValueError, match="unknown word at 1"):
        language.tokenize("[nul]")
