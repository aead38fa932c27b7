"""Archives of TorchScript made to hurt: only `ArchiveError` leaves the reader."""

from __future__ import annotations

import io
import os
import pickle
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tscript.archive import ArchiveError
from tscript.archive.kinds import is_torchscript
from tscript.archive.torchscript import Object, TensorData, read_torchscript
from tscript.archive.torchscript.pickles import MAX_DEPTH, read_pickle

DATA = Path(__file__).parent.parent / "data" / "torchscript"
START = b"\x80\x02"


def read(pickled: bytes) -> Any:
    return read_pickle(START + pickled, "data.pkl", "data/")


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("echo owned > /dev/null",)


@pytest.mark.parametrize(
    ("pickled", "said"),
    [
        (pickle.dumps(Evil(), 2)[2:], r"names '\w+\.system' at byte 2 \(instruction GLOBAL\)"),
        (b"cbuiltins\neval\n.", "names 'builtins.eval'"),
        (b"ctorch\nload\n.", "names 'torch.load'"),
        (b"c__torch__.os;x\nM\n.", "is not the name of a class"),
        (b"c__torch__\nM\n)R.", "'__torch__.M' is called"),
        (b"ctorch.jit._pickle\nrestore_type_tag\n}X\x01\0\0\0x\x86)R.", "dict|tuple|called"),
        (b"ctorch\nFloatStorage\n.", "stands where a value belongs|more or less"),
        (b"ctorch\nQInt8Storage\n.", "quantised"),
        (b"ctorch._utils\n_rebuild_sparse_tensor\n.", "sparse"),
        (b"\x8c\x01x.", "instruction SHORT_BINUNICODE at byte 2"),
        (b"(S'x'\n.", "instruction STRING at byte 3"),
        (b"\x93.", "instruction STACK_GLOBAL"),
        (b"X\xff\xff\xff\xffx.", "truncated"),
        (b"h\x05.", "nothing was kept under 5"),
        (b"K\x01u.", "a mark is missing"),
        (b"]K\x01s.", "items are put into a NoneType"),
        (b"e.", "a mark is missing"),
        (b"R.", "a value is missing"),
        (b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f.", "64 bits"),
        (b"]q\0h\0a.", "holds itself"),
        (b"]" * (MAX_DEPTH + 5) + b"a" * (MAX_DEPTH + 4) + b".", "too deep"),
        (b"K\x01K\x02.", "more or less than one value"),
        (b"K\x01.K\x02", "more or less than one value"),
        (b"", "truncated"),
    ],
)
def test_pickles_are_refused_by_instruction_and_name(pickled: bytes, said: str) -> None:
    with pytest.raises(ArchiveError, match=said):
        read(pickled)


def test_doubling_lists_are_refused() -> None:
    nested = b"]q\0"
    for i in range(60):
        nested += b"(h%ch%ctq%c" % (i, i, i + 1)
    nested += b"\x86" * 60 + b"."
    with pytest.raises(ArchiveError, match="too many"):
        read(nested)


def tensor(numel: int, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> bytes:
    def number(n: int) -> bytes:
        return b"\x8a\x08" + struct.pack("<q", n)

    storage = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" + b"0X\x03\0\0\0cpu" + number(numel) + b"tQ"
    shape = b"(" + b"".join(map(number, size)) + b"t(" + b"".join(map(number, stride)) + b"t"
    ordered = b"ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + shape + b"\x89" + ordered + b"tR."


def test_tensors_stay_inside_their_elements() -> None:
    found = read(tensor(6, 1, (2, 2), (2, 1)))
    assert isinstance(found, TensorData)
    assert (found.offset, found.size, found.stride) == (1, (2, 2), (2, 1))
    for wrong in (
        (6, 3, (2, 2), (2, 1)),
        (6, 0, (2, 2), (1 << 61, 1)),
        (6, -1, (1,), (1,)),
        (6, 0, (1 << 40, 1 << 40), (0, 0)),
        (6, 0, (2,), (2, 1)),
        (-1, 0, (0,), (1,)),
    ):
        with pytest.raises(ArchiveError):
            read(tensor(*wrong))


def test_members_are_read_as_pytorch_writes_them() -> None:
    data = (DATA / "module.pt").read_bytes()
    assert is_torchscript(data)
    found = read_torchscript(data, "module.pt")
    assert isinstance(found.root, Object)
    assert found.root.cls.name == "__torch__.Counter"
    assert found.extra == {"notes.txt": b"kept"}


def test_other_zip_files_are_refused() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr("m/data.pkl", START + b"}.")
    assert is_torchscript(held.getvalue())
    with pytest.raises(ArchiveError, match=r"torch\.save writes"):
        read_torchscript(held.getvalue())
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr("m/data.pkl", START + b"}.")
        file.writestr("n/constants.pkl", START + b").")
    with pytest.raises(ArchiveError, match="does not lie in the folder"):
        read_torchscript(held.getvalue())


@pytest.mark.parametrize("name", ["function", "module", "module_frozen", "words"])
def test_damaged_archives_are_refused_or_read(name: str) -> None:
    data = (DATA / f"{name}.pt").read_bytes()
    draw = random.Random(f"torchscript {name}")
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 8))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        if draw.random() < 0.2:
            damaged = damaged[: draw.randrange(len(damaged))]
        try:
            read_torchscript(bytes(damaged))
        except ArchiveError:
            pass


def test_damaged_pickles_are_refused_or_read() -> None:
    with zipfile.ZipFile(DATA / "module.pt") as file:
        pickled = file.read("module/data.pkl")
    draw = random.Random("pickles")
    for _ in range(1500):
        damaged = bytearray(pickled)
        for _ in range(draw.choice((1, 2, 5))):
            damaged[draw.randrange(2, len(damaged))] = draw.randrange(256)
        try:
            read_pickle(bytes(damaged), "data.pkl", "data/")
        except ArchiveError:
            pass
