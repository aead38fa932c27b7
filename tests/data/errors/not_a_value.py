import torch


def g(n: int) -> int:
    return n


def f(n: int) -> int:
    a = g
    b = torch
    return len
