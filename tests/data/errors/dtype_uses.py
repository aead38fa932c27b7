import torch


def f(n: int) -> int:
    a = torch.zeros(n, dtype=3)
    b = torch.float32 + 1
    c = torch.zeros("a")
    d = torch.zeros([1, "a"])
    return a
