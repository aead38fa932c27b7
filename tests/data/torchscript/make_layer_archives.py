"""Writes more archives beside it, as `make_archives.py` does: layers whose operators have other parameters here."""

from __future__ import annotations

import sys
from typing import List

import torch
import torch.nn.functional as F
from make_archives import write
from torch import Tensor, nn


class Losses(nn.Module):
    def forward(self, x: Tensor, y: Tensor, k: Tensor) -> List[Tensor]:
        p, sign = x.sigmoid(), torch.where(y > 0.5, torch.ones_like(y), -torch.ones_like(y))
        return [
            F.l1_loss(x, y), F.mse_loss(x, y, reduction="none"), F.smooth_l1_loss(x, y, beta=0.5),
            F.huber_loss(x, y, reduction="sum", delta=0.5), F.binary_cross_entropy(p, y),
            F.binary_cross_entropy_with_logits(x, y, pos_weight=y), F.kl_div(p.log(), y, reduction="sum"),
            F.poisson_nll_loss(x, y), F.soft_margin_loss(x, sign), F.cross_entropy(x, k, label_smoothing=0.1),
            F.nll_loss(x.log_softmax(1), k, reduction="sum"), F.hinge_embedding_loss(x, sign),
            F.margin_ranking_loss(x, y, sign, 0.5), F.cosine_embedding_loss(x, y, sign[:, 0]),
            F.triplet_margin_loss(x, y, p), F.multi_margin_loss(x, k), F.multilabel_margin_loss(x, k[:, None].expand(3, 4)),
        ]  # fmt: skip


class Pools(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.same = nn.Conv2d(1, 2, 3, padding="same")
        self.largest = nn.AdaptiveMaxPool2d(2, return_indices=True)
        self.small, self.windows, self.back = nn.AdaptiveMaxPool1d(3), nn.Unfold(2), nn.Fold((4, 4), 2)

    def forward(self, x: Tensor) -> List[Tensor]:
        found, at = self.largest(x)
        columns = self.windows(x)
        return [found, at, self.small(x[0]), columns, self.back(columns), self.same(x)]


class Bags(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sums = nn.EmbeddingBag(10, 3, mode="sum", include_last_offset=True)
        self.means, self.largest = nn.EmbeddingBag(10, 3), nn.EmbeddingBag(10, 3, mode="max")

    def forward(self, k: Tensor, offsets: Tensor) -> List[Tensor]:
        rows = k.reshape(2, -1)
        return [self.sums(k, offsets), self.means(rows), self.largest(rows)]


class Listed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x.div(2)

    @torch.jit.export
    def count(self) -> int:
        return len(self.parts)


def main() -> None:
    torch.manual_seed(0)
    x, y, k = torch.randn(3, 4), torch.rand(3, 4), torch.tensor([1, 0, 3])
    write("losses", torch.jit.script(Losses()), [(x, y, k)])
    image = torch.randn(1, 1, 4, 4)
    pools = Pools()
    write("pools", torch.jit.script(pools), [(image,)])
    write("convolved", torch.jit.trace(pools.same, image), [(image,)])
    bag = torch.tensor([1, 2, 9, 4, 0, 4]), torch.tensor([0, 2, 6])
    bags = Bags()
    write("bags", torch.jit.script(bags), [bag])
    write("bagged", torch.jit.trace(bags.means, bag[0].reshape(2, -1)), [(bag[0].reshape(2, -1),)])
    write("weighted", torch.jit.trace(torch.nn.utils.weight_norm(nn.Linear(4, 2)), x), [(x,)])
    frozen = torch.jit.freeze(torch.jit.script(Listed().eval()), preserved_attrs=["parts"])
    write("listed", frozen, [(torch.ones(2, 3),)])


if __name__ == "__main__":
    sys.exit(main())
