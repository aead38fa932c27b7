"""Devices, layouts and memory formats as values: in scripts, eagerly, in archives and pickles."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Optional

import pytest

import tscript
import tscript as torch
from tscript import Tensor


def test_a_device_is_one_object() -> None:
    device = torch.device("cpu", 0)
    assert device is torch.device("cpu:0") is torch.device(device)
    assert (device.type, device.index, str(device), repr(device)) == ("cpu", 0, "cpu:0", "device(type='cpu', index=0)")
    assert torch.device("cpu") != device and torch.device("cpu") != "cpu"
    assert pickle.loads(pickle.dumps(device)) is device is copy.deepcopy(device)
    assert pickle.loads(pickle.dumps(torch.channels_last)) is torch.channels_last


@pytest.mark.parametrize(
    ("text", "message"), [("gpu", "Expected one of cpu, cuda"), ("cpu:x", "Invalid"), ("cuda:99", "below")]
)
def test_names_of_no_device(text: str, message: str) -> None:
    @tscript.script
    def named(text: str) -> torch.device:
        return torch.device(text)

    for call in (torch.device, named):
        with pytest.raises(RuntimeError, match=message):
            call(text)


def test_attributes_of_tensors() -> None:
    x = torch.ones(2)
    assert x.device is torch.device("cpu") and x.layout is torch.strided and x.grad is None
    assert x.is_cpu and x.is_leaf and not (x.is_cuda or x.requires_grad or x.is_sparse or x.is_quantized)


@tscript.script
def described(x: Tensor, device: torch.device) -> str:
    if x.is_cuda:
        return "never"
    if x.device == device and device != torch.device("cuda:1"):
        return f"{device} {device!r} {device.type} {device.index} {x.layout == torch.strided}"
    return "on " + str(device)


def test_scripts_compare_and_show_devices() -> None:
    assert described(torch.ones(1), torch.device("cpu")) == "cpu device(type='cpu') cpu None True"
    assert described(torch.ones(1), torch.device("cuda", 1)) == "on cuda:1"
    assert described(torch.ones(1), "cpu") == described(torch.ones(1), torch.device("cpu"))
    with pytest.raises(TypeError, match="must be Device, not int"):
        described(torch.ones(1), 1)


@tscript.script
def counted(
    devices: list[torch.device], other: Optional[torch.device] = None, last: torch.device = torch.device("cpu")
) -> dict[torch.device, int]:
    out: dict[torch.device, int] = {}
    for device in devices:
        out[device] = out.get(device, 0) + 1
    if other is not None and isinstance(other, torch.device):
        out[other] = -1
    out[last] = 7
    return out


def test_devices_in_containers_and_defaults(tmp_path: Path) -> None:
    cpu, first, mps = torch.device("cpu"), torch.device("cpu:0"), torch.device("mps")
    tscript.save(counted, tmp_path / "counted.ts")
    for call in (counted, tscript.load(tmp_path / "counted.ts"), pickle.loads(pickle.dumps(counted))):
        assert call([cpu, first, first], mps) == {cpu: 7, first: 2, mps: -1}
        assert call([], last=first) == {first: 7}


class Place:
    def __init__(self, device: torch.device, layout: torch.layout) -> None:
        self.device = device
        self.layout = layout


@tscript.script
def placed(name: str, index: int) -> Place:
    return Place(torch.device(name, index), torch.strided)


def test_devices_as_attributes() -> None:
    made = placed("cuda", 3)
    assert made.device is torch.device("cuda:3") and made.layout is torch.strided
    with pytest.raises(RuntimeError, match="must not be negative"):
        placed("cuda", -1)


@tscript.script
def hashes(device: torch.device) -> tuple[int, bool, str, bool]:
    held = [device, torch.device("cpu")]
    return hash(device), device in held, str(held), device is held[0]


def test_hash_and_identity() -> None:
    cpu = torch.device("cpu")
    assert hashes(cpu) == (hash(cpu), True, "[device(type='cpu'), device(type='cpu')]", True)


@tscript.script
def made(x: Tensor, device: torch.device, other: Optional[torch.device], name: str) -> Tensor:
    a = torch.zeros(2, device=device) + torch.ones(2, device=other, dtype=x.dtype, requires_grad=False)
    b = torch.arange(2, device=x.device, layout=x.layout) + torch.tensor([1.0, 2.0], device=name, pin_memory=False)
    c = torch.tensor([a.sum().item(), 2.0], device=device, dtype=torch.float32)
    d = torch.as_tensor([1, 2], device=device) + torch.as_tensor(x, device=other).to(device=other, dtype=torch.int64)
    return (a + b + c + d).to(device).to(x.device, torch.float64).to(name).cpu()


def test_devices_of_new_tensors_are_checked() -> None:
    cpu, x = torch.device("cpu"), torch.ones(2)
    assert made(x, cpu, None, "cpu").tolist() == [6.0, 9.0]
    cuda, mps = torch.device("cuda"), torch.device("mps")
    for arguments, message in (
        ((cuda, None, "cpu"), "no device 'cuda'"),
        ((cpu, mps, "cpu"), "no device 'mps'"),
        ((cpu, cpu, "cuda:0"), "no device 'cuda:0'"),
        ((cpu, cpu, "gpu"), "Expected one of cpu"),
    ):
        with pytest.raises(RuntimeError, match=message):
            made(x, *arguments)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"device": "cuda"}, RuntimeError, "no device 'cuda'"),
        ({"device": 3}, TypeError, "must be a device"),
        ({"requires_grad": True}, RuntimeError, "no gradients"),
        ({"pin_memory": True}, RuntimeError, "no memory to pin"),
        ({"layout": torch.sparse_coo}, RuntimeError, "no tensors of the layout"),
    ],
)
def test_keywords_that_mean_nothing_here(keywords: dict[str, object], error: type[Exception], message: str) -> None:
    for function in (torch.zeros, torch.zeros if "layout" in keywords else torch.tensor):
        with pytest.raises(error, match=message):
            function(2, **keywords)


def test_tensors_that_lie_there_already_are_themselves() -> None:
    x = torch.ones(2, 3)
    assert x.to("cpu") is x and x.cpu() is x and x.to(x.device, non_blocking=True) is x and x.to(torch.float32) is x
    assert x.to(torch.float32, copy=True) is not x and x.to("cpu", torch.int64).dtype is torch.int64
    assert torch.as_tensor(x) is x and torch.asarray(x, copy=True) is not x
    with pytest.raises(RuntimeError, match="no device 'cuda'"):
        x.cuda()


def test_memory_formats() -> None:
    x = torch.ones(1, 2, 3, 4)
    last = x.contiguous(memory_format=torch.channels_last)
    assert last.stride() == x.to(memory_format=torch.channels_last).stride() == (24, 1, 8, 2)
    assert last.is_contiguous(memory_format=torch.channels_last) and not last.is_contiguous()
    assert last.contiguous(memory_format=torch.channels_last) is last
