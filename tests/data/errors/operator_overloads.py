import torch


def f(x, n: int):
    return torch.transpose(x, n)
