import torch
import math


def f(x):
    y = torch.sigmiod(x)
    z = math.sqr(2.0)
    return torch.nn.Linear(3, 4)
