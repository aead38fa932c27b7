"""A network that writes text character by character: an LSTM, trained on a book, then scripted.

The gradients go back through the steps of the network by hand, in the language; `tscript.nn.LSTM` takes over the
weights, and compiled code writes with it. Run it with ``python samples/char_lstm.py [--steps 300]``.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
import time
from pathlib import Path

import tscript
import tscript.nn.functional as F  # noqa: N812
from tscript import Tensor, nn

BOOK = Path(__file__).parent / "data" / "moby_dick.txt.xz"


class Writer(nn.Module):
    """Gives the odds of the next character, and writes.

    Args:
        letters: The characters that it knows.
        size: Of its state.
    """

    def __init__(self, letters: str, size: int) -> None:
        super().__init__()
        self.letters = letters
        self.embedding = nn.Embedding(len(letters), 32)
        self.lstm = nn.LSTM(32, size)
        self.decide = nn.Linear(size, len(letters))

    def forward(self, text: Tensor) -> Tensor:
        """The log of the odds of what follows each character, (steps, batch, letters)."""
        states, _ = self.lstm(self.embedding(text))
        return F.log_softmax(self.decide(states), 2)

    @tscript.jit.export
    def write(self, start: str, count: int, warmth: float) -> str:
        """Go on after a text.

        Args:
            start: The text.
            count: How many characters to add.
            warmth: Close to 0 for the most probable ones, 1 for each as often as it is probable.
        """
        text = start
        state = (tscript.zeros(1, 1, self.lstm.hidden_size), tscript.zeros(1, 1, self.lstm.hidden_size))
        waiting = start
        for _ in range(count):
            codes = tscript.tensor([self.letters.find(letter) for letter in waiting])
            states, state = self.lstm(self.embedding(codes).unsqueeze(1), state)
            odds = F.softmax(self.decide(states[-1, 0]) / warmth, 0)
            waiting = self.letters[int(tscript.multinomial(odds, 1).item())]
            text += waiting
        return text


@tscript.script
def gradients(text: Tensor, weights: list[Tensor]) -> tuple[float, list[Tensor]]:
    """The mean loss over a text and the gradients of the weights.

    Args:
        text: (steps + 1, batch), codes of characters; each is to be foretold from those before it.
        weights: The embedding, the two matrices and biases of the LSTM, the matrix and bias of the last layer.
    """
    table, w_x, w_h, b_x, b_h, w_y, b_y = weights
    size, batch, steps = w_h.size(1), text.size(1), text.size(0) - 1
    inputs = table[text[:steps]]
    from_inputs = inputs @ w_x.t() + (b_x + b_h)
    h, c = inputs.new_zeros([batch, size]), inputs.new_zeros([batch, size])
    hs, cs = [h], [c]
    gates: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for step in range(steps):
        a = from_inputs[step] + h @ w_h.t()
        i, f, g, o = a.chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        h = o * c.tanh()
        gates.append((i, f, g, o))
        hs.append(h)
        cs.append(c)
    states = tscript.stack(hs[1:]).flatten(0, 1)
    wanted = text[1:].flatten()
    odds = F.log_softmax(states @ w_y.t() + b_y, 1)
    loss = F.nll_loss(odds, wanted)

    error = (odds.exp() - F.one_hot(wanted, w_y.size(0))) / (steps * batch)
    d_states = (error @ w_y).view(steps, batch, size)
    d_gates = inputs.new_empty([steps, batch, 4 * size])
    d_h, d_c = tscript.zeros_like(h), tscript.zeros_like(h)
    for step in range(steps - 1, -1, -1):
        i, f, g, o = gates[step]
        squashed = cs[step + 1].tanh()
        d_h = d_h + d_states[step]
        d_c = d_c + d_h * o * (1 - squashed * squashed)
        d_gates[step, :, :size] = d_c * g * i * (1 - i)
        d_gates[step, :, size : 2 * size] = d_c * cs[step] * f * (1 - f)
        d_gates[step, :, 2 * size : 3 * size] = d_c * i * (1 - g * g)
        d_gates[step, :, 3 * size :] = d_h * squashed * o * (1 - o)
        d_h = d_gates[step] @ w_h
        d_c = d_c * f
    flat = d_gates.flatten(0, 1)
    before = tscript.stack(hs[:-1]).flatten(0, 1)
    d_table = tscript.zeros_like(table).index_add(0, text[:steps].flatten(), flat @ w_x)
    bias = flat.sum(0)
    found = [d_table, flat.t() @ inputs.flatten(0, 1), flat.t() @ before, bias, bias, error.t() @ states, error.sum(0)]
    return loss.item(), found


@tscript.script
def train(text: Tensor, weights: list[Tensor], steps: int, length: int, batch: int, rate: float) -> list[float]:
    """Train with Adam (Kingma and Ba, 2015) on random places of a text; gives the loss of each step."""
    means = [tscript.zeros_like(weight) for weight in weights]
    squares = [tscript.zeros_like(weight) for weight in weights]
    losses: list[float] = []
    offsets = tscript.arange(length + 1).unsqueeze(1)
    for step in range(1, steps + 1):
        places = tscript.randint(0, text.size(0) - length - 1, (batch,))
        loss, found = gradients(text[offsets + places], weights)
        losses.append(loss)
        for n in range(len(weights)):
            means[n] = 0.9 * means[n] + 0.1 * found[n]
            squares[n] = 0.999 * squares[n] + 0.001 * found[n] * found[n]
            mean, square = means[n] / (1 - 0.9**step), squares[n] / (1 - 0.999**step)
            weights[n] -= rate * mean / (square.sqrt() + 1e-8)
    return losses


def main() -> None:
    """Train, save, load, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=300, help="steps of training")
    parser.add_argument("--size", type=int, default=128, help="size of the state")
    parser.add_argument("--archive", help="where the archive stays")
    options = parser.parse_args()
    book = lzma.decompress(BOOK.read_bytes()).decode()
    letters = "".join(sorted(set(book)))
    codes = {letter: n for n, letter in enumerate(letters)}
    text = tscript.tensor([codes[letter] for letter in book])
    tscript.manual_seed(0)
    writer = Writer(letters, options.size)
    start = time.perf_counter()
    losses = train(text, [p.data for p in writer.parameters()], options.steps, 48, 32, 0.005)
    print(f"{options.steps} steps in {time.perf_counter() - start:.1f} s: loss {losses[0]:.2f} to {losses[-1]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive or str(Path(folder, "writer.tsa"))
        tscript.save(tscript.script(writer.eval()), archive)
        loaded = tscript.load(archive)
        print(loaded.write("Call me ", 200, 0.5))


if __name__ == "__main__":
    main()
