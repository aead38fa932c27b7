"""Writes the archives beside it, with PyTorch: ``python make_archives.py`` needs torch; the tests do not.

Each ``name.pt`` has a ``name.json`` with calls: arguments, and what PyTorch returned; ``name_traced.pt`` and
``name_frozen.pt`` share it. Tensors are objects with dtype, shape and elements.
"""

from __future__ import annotations

import enum
import json
import math
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from slim import slim
from torch import Tensor, nn

HERE = Path(__file__).parent


def encoded(value: Any) -> Any:
    if isinstance(value, Tensor):
        flat = value.detach().contiguous().view(-1).to(torch.float64 if value.is_floating_point() else value.dtype)
        elements = [v if not isinstance(v, float) or math.isfinite(v) else repr(v) for v in flat.tolist()]
        if value.dtype == torch.float32:
            elements = [v if isinstance(v, str) else float(f"{v:.8g}") for v in elements]
        return {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape), "elements": elements}
    if isinstance(value, enum.Enum):
        return {"member": value.name}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"tuple": [encoded(v) for v in value]}
    if isinstance(value, tuple):
        return {"tuple": [encoded(v) for v in value]}
    if isinstance(value, list):
        return [encoded(v) for v in value]
    if isinstance(value, dict):
        return {"dict": [[encoded(k), encoded(v)] for k, v in value.items()]}
    return value


def write(name: str, module: Any, calls: List[tuple], method: str = "forward", **options: Any) -> None:
    torch.jit.save(module, str(HERE / f"{name}.pt"), **options)
    loaded = torch.jit.load(str(HERE / f"{name}.pt"))
    function = loaded if method == "forward" else getattr(loaded, method)
    with torch.no_grad():
        said = [{"arguments": [encoded(a) for a in args], "result": encoded(function(*args))} for args in calls]
    slim(HERE / f"{name}.pt")
    if name.partition("_")[0] != name:
        return
    (HERE / f"{name}.json").write_text(json.dumps({"method": method, "calls": said}, separators=(",", ":")) + "\n")


@torch.jit.script
def scaled_sum(x: Tensor, n: int, weights: List[float]) -> Tuple[Tensor, int]:
    total = x * 0.0
    for i in range(n):
        if i % 2 == 0:
            total = total + x * weights[i % len(weights)]
        else:
            total = total.relu() - float(i)
    hashed = n
    for i in range(70):
        hashed = hashed * 31 + i
    return total, hashed


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


class Pair(NamedTuple):
    value: Tensor
    name: str


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(4, 3)
        self.tied = nn.Linear(4, 3)
        self.tied.weight = self.lin.weight
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.names: Dict[str, int] = {"a": 1, "b": 2}
        self.limit: Optional[int] = None
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.mode = Mode.SUM

    def combine(self, x: Tensor, mode: Mode) -> Tensor:
        if mode == Mode.SUM:
            return x.sum(dim=0)
        return x.mean(dim=0)

    def forward(
        self, x: Tensor, words: List[str], stop: Optional[int] = None
    ) -> Tuple[Dict[str, Tensor], List[int], Optional[str]]:
        out: Dict[str, Tensor] = {}
        y = self.layers(self.lin(x)) + self.tied(x)
        found: List[int] = []
        last: Optional[str] = None
        for word in words:
            if word not in self.names:
                raise ValueError("unknown word {}".format(word))
            found.append(self.names[word])
            out[word] = y * self.names[word]
            last = word
        i = 0
        while i < 10:
            if stop is not None and i == stop:
                break
            i += 1
        pair = Pair(self.combine(y, self.mode), "total")
        out[pair.name] = pair.value * i
        if x.dtype == torch.float64:
            return out, found, last
        out["part"] = x[1:, ::2].to(torch.float64)
        out["masked"] = x[x > 0]
        found.extend([i, len(found)])
        return out, found[-3:], last


class Block(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        kept = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            kept = self.downsample(x)
        out += kept
        return self.relu(out)


class SmallResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Block(4, 4, 1))
        self.layer2 = nn.Sequential(Block(4, 6, 2))
        self.avg = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(6, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.layer2(self.layer1(self.pool(self.stem(x))))
        return self.fc(torch.flatten(self.avg(x), 1))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 6)
        self.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(10, 4)

    def forward(self, tokens: Tensor) -> Tuple[Tensor, Tensor]:
        states, (hidden, _) = self.lstm(self.embedding(tokens))
        return torch.log_softmax(self.out(states), dim=-1), hidden


class Beam(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.cell = nn.GRUCell(8, 8)
        self.out = nn.Linear(8, 11)
        self.end = 0

    def forward(self, hidden: Tensor, beam: int, length: int) -> Tuple[List[List[int]], Tensor]:
        vocabulary = self.out.out_features
        tokens = torch.full([beam], 1, dtype=torch.int64)
        scores = torch.full([beam], -1e9)
        scores[0] = 0.0
        hidden = hidden.expand(beam, hidden.size(-1))
        finished = torch.zeros(beam, dtype=torch.bool)
        sequences: List[List[int]] = [[1] for _ in range(beam)]
        for step in range(length):
            hidden = self.cell(self.embedding(tokens), hidden)
            logits = torch.log_softmax(self.out(hidden), dim=-1)
            logits[finished] = -1e9
            for i in range(beam):
                if bool(finished[i]):
                    logits[i, self.end] = 0.0
            total = scores.unsqueeze(1) + logits
            scores, flat = total.view(-1).topk(beam)
            origin = torch.div(flat, vocabulary, rounding_mode="floor")
            tokens = flat % vocabulary
            hidden = hidden.index_select(0, origin)
            chosen: List[List[int]] = []
            for i in range(beam):
                before = sequences[int(origin[i].item())]
                chosen.append(before + [int(tokens[i].item())])
            sequences = chosen
            finished = finished[origin] | (tokens == self.end)
            if bool(finished.all()):
                break
        return sequences, scores


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.vocabulary: Dict[str, int] = {"<unk>": 0, "the": 1, "cat": 2, "sat": 3, "naive": 4}
        self.stops: List[str] = ["a", "an"]

    def clean(self, text: str) -> str:
        text = text.strip().lower().replace(",", " ").replace(".", " ")
        return " ".join(text.split())

    def forward(self, lines: List[str], width: int) -> Tuple[Tensor, List[List[str]], Dict[str, int]]:
        rows: List[List[int]] = []
        kept: List[List[str]] = []
        counts: Dict[str, int] = {}
        for line in lines:
            words: List[str] = []
            for word in self.clean(line).split(" "):
                if word not in self.stops and len(word) > 0:
                    words.append(word)
                    counts[word] = counts.get(word, 0) + 1
            ids = [self.vocabulary.get(word, 0) for word in words][:width]
            while len(ids) < width:
                ids.append(0)
            rows.append(ids)
            kept.append(words)
        return torch.tensor(rows), kept, counts


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.encoder(x)


def main() -> None:
    torch.manual_seed(0)
    write("function", scaled_sum, [(torch.tensor([1.0, -2.0]), 5, [0.5, 2.0]), (torch.ones(2, 2), 0, [1.0])])
    counter = torch.jit.script(Counter().eval())
    calls = [
        (torch.randn(3, 4), ["a", "b", "a"]),
        (torch.randn(2, 4), [], 3),
        (torch.zeros(2, 4), ["b"], None),
    ]
    write("module", counter, calls, _extra_files={"notes.txt": "kept"})
    write("module_frozen", torch.jit.freeze(counter), calls)
    resnet = SmallResNet().eval()
    image = torch.randn(2, 3, 17, 16)
    resnet(image)
    with torch.no_grad():
        for each in resnet.modules():
            if isinstance(each, nn.BatchNorm2d):
                each.running_mean.normal_()
                each.running_var.uniform_(0.5, 2.0)
    write("resnet", torch.jit.script(resnet), [(image,)])
    write("resnet_traced", torch.jit.trace(resnet, image), [(image,)])
    write("resnet_frozen", torch.jit.freeze(torch.jit.script(resnet)), [(image,)])
    tokens = torch.randint(0, 20, (3, 7))
    write("tagger", torch.jit.script(Tagger().eval()), [(tokens,)])
    write("beam", torch.jit.script(Beam().eval()), [(torch.randn(1, 8), 3, 6), (torch.randn(1, 8), 4, 3)])
    encoder = Attention().eval()
    x = torch.randn(2, 5, 8)
    write("encoder_traced", torch.jit.trace(encoder, x, check_trace=False), [(x,)])
    write("encoder", torch.jit.script(encoder), [(x,)])
    write("words", torch.jit.script(Words()), [(["The cat, sat.", "a naive DOG", ""], 4), ([], 2)])


if __name__ == "__main__":
    sys.exit(main())
