"""Functions of about a hundred lines: `HUNDRED` over texts, lists, dicts and sets, as a template (`n` makes it another
one each time), `TENSORS`, and `CLASSES` with exceptions."""

HUNDRED = '''
def f{n}(text: str, limit: int) -> dict[str, int]:
    """Some of everything."""
    counts: dict[str, int] = {{}}
    lengths: list[int] = []
    words: list[str] = []
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("#"):
            counts["comment"] = counts.get("comment", 0) + 1
            continue
        parts = line.split(",")
        for part in parts:
            part = part.strip().lower()
            if len(part) > limit:
                part = part[:limit]
            words.append(part)
            lengths.append(len(part))
            if part in counts:
                counts[part] += 1
            else:
                counts[part] = 1
    total = 0
    for n in lengths:
        total += n
    counts["total"] = total
    longest = ""
    for word in words:
        if len(word) > len(longest):
            longest = word
    counts["longest " + longest] = len(longest)
    table: list[list[int]] = []
    for i in range(len(words)):
        row: list[int] = []
        for j in range(i % 5 + 1):
            row.append(i * j)
        table.append(row)
    best = -1
    for row in table:
        for value in row:
            if value > best:
                best = value
    counts["best"] = best
    squares = [x * x for x in lengths if x % 2 == 0]
    counts["squares"] = sum(squares)
    seen: set[str] = set()
    twice: list[str] = []
    for word in words:
        if word in seen:
            twice.append(word)
        seen.add(word)
    counts["twice"] = len(twice)
    names: dict[int, list[str]] = {{}}
    for word in words:
        n = len(word)
        if n not in names:
            names[n] = []
        names[n].append(word)
    for size, group in names.items():
        counts[f"size {{size}}"] = len(group)
    letters = 0
    digits = 0
    other = 0
    for c in text:
        if c.isalpha():
            letters += 1
        elif c.isdigit():
            digits += 1
        else:
            other += 1
    counts["letters"] = letters
    counts["digits"] = digits
    counts["other"] = other
    state = 0 * {n}
    for c in text:
        if state == 0:
            if c == '"':
                state = 1
        elif state == 1:
            if c == "\\\\":
                state = 2
            elif c == '"':
                state = 0
        else:
            state = 1
    counts["state"] = state
    words.sort()
    previous = ""
    runs = 0
    for word in words:
        if word != previous:
            runs += 1
        previous = word
    counts["runs"] = runs
    joined = "-".join(words)
    counts["joined"] = len(joined)
    at = joined.find("a")
    while at >= 0:
        counts["a"] = counts.get("a", 0) + 1
        at = joined.find("a", at + 1)
    matrix = [[0.0 for _ in range(4)] for _ in range(4)]
    for i in range(4):
        for j in range(4):
            matrix[i][j] = float(i * j) / 2.0
    trace = 0.0
    for i in range(4):
        trace += matrix[i][i]
    counts["trace"] = int(trace)
    return counts
'''

TENSORS = '''
import tscript
from tscript import Tensor


def normalise(x: Tensor, eps: float) -> Tensor:
    centre = x.mean(0)
    y = x - centre
    spread = (y * y).mean(0)
    return y / tscript.sqrt(spread + eps)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.t()
    scores = scores / 8.0
    top = scores.max()
    e = tscript.exp(scores - top)
    weights = e / e.sum(1, keepdim=True)
    return weights @ v


def gate(x: Tensor, y: Tensor) -> Tensor:
    z = tscript.sigmoid(x + y)
    r = tscript.tanh(x * y)
    return z * r + (1.0 - z) * x


def train(x: Tensor, target: Tensor, steps: int) -> tuple[Tensor, list[float]]:
    """Some of everything."""
    rows = x.size(0)
    columns = x.size(1)
    w = tscript.ones(columns, columns) / columns
    b = tscript.zeros(columns)
    losses: list[float] = []
    history: list[Tensor] = []
    state = tscript.zeros(rows, columns)
    for step in range(steps):
        h = normalise(x, 1e-5)
        h = h @ w + b
        h = tscript.relu(h)
        if step % 2 == 0:
            h = attend(h, h, h)
        else:
            h = gate(h, state)
        state = state * 0.9 + h * 0.1
        history.append(state)
        if len(history) > 4:
            history = history[1:]
        total = tscript.zeros(rows, columns)
        for past in history:
            total = total + past
        total = total / len(history)
        error = total.mean(1) - target
        loss = (error * error).mean()
        value = float(loss)
        losses.append(value)
        if value < 1e-6:
            break
        scale = 0.01
        if value > 10.0:
            scale = 0.001
        elif value > 1.0:
            scale = 0.005
        direction = x.t() @ total
        w = w - direction * scale
        b = b - total.mean(0) * scale
        clipped = tscript.clamp(w, -1.0, 1.0)
        moved = tscript.abs(w - clipped).sum()
        if float(moved) > 0.5:
            w = clipped
        for i in range(3):
            bump = tscript.sin(w * float(i)) * 1e-4
            w = w + bump
    best = tscript.zeros(rows)
    for j in range(columns):
        column = state[:, j]
        if float(column.sum()) > float(best.sum()):
            best = column
    mixed = tscript.cat([state, best.unsqueeze(1)], 1)
    mask = mixed > 0.0
    picked = tscript.where(mask, mixed, tscript.zeros_like(mixed))
    even = picked[::2]
    odd = picked[1::2]
    smaller = min(even.size(0), odd.size(0))
    joined = even[:smaller] + odd[:smaller]
    count = float(mask.sum())
    if count > 0.0:
        joined = joined / count
    biggest = joined.abs().max()
    if float(biggest) > 1.0:
        joined = joined / biggest
    half = joined.view(-1)
    squares = half * half
    norm = tscript.sqrt(squares.sum())
    out = half / (norm + 1e-9)
    a = tscript.exp(-out)
    c = tscript.log(a + 1.0)
    d = tscript.cos(c) * tscript.sin(a)
    e = tscript.floor(d * 100.0) / 100.0
    f = (e - d) * (e - d)
    losses.append(float(f.sum()))
    losses.append(float(norm))
    return out + f, losses
'''

CLASSES = '''
from dataclasses import dataclass, field


class ParseError(ValueError):
    pass


@dataclass
class Item:
    name: str
    price: int
    count: int = 1
    tags: list[str] = field(default_factory=list)

    def total(self) -> int:
        return self.price * self.count

    def label(self) -> str:
        return f"{self.name} x{self.count}"


class Shape:
    def __init__(self, name: str) -> None:
        self.name = name

    def area(self) -> float:
        return 0.0


class Square(Shape):
    def __init__(self, side: float) -> None:
        super().__init__("square")
        self.side = side

    def area(self) -> float:
        return self.side * self.side


class Circle(Shape):
    def __init__(self, radius: float) -> None:
        super().__init__("circle")
        self.radius = radius

    def area(self) -> float:
        return 3.14159 * self.radius ** 2


class Stock:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: dict[str, Item] = {}
        self.failed: list[str] = []

    def add(self, item: Item) -> None:
        if item.name in self.items:
            self.items[item.name].count += item.count
        elif len(self.items) >= self.limit:
            raise OverflowError(f"no room for {item.name}")
        else:
            self.items[item.name] = item

    def take(self, name: str, count: int) -> Item:
        if name not in self.items:
            raise KeyError(name)
        found = self.items[name]
        if found.count < count:
            raise ValueError(f"{found.count} of {name} left")
        found.count -= count
        return Item(name, found.price, count)

    def worth(self) -> int:
        total = 0
        for item in self.items.values():
            total += item.total()
        return total


def parse(line: str) -> Item:
    parts = line.split(",")
    if len(parts) < 2:
        raise ParseError(f"too short: {line}")
    try:
        price = int(parts[1])
    except ValueError:
        raise ParseError("no price: " + parts[1])
    count = int(parts[2]) if len(parts) > 2 else 1
    return Item(parts[0].strip(), price, count, parts[3:])


def run(text: str, limit: int) -> tuple[int, list[str], float]:
    """Some of everything."""
    stock = Stock(limit)
    log: list[str] = []
    for number, line in enumerate(text.splitlines()):
        try:
            stock.add(parse(line))
        except ParseError as error:
            log.append(f"{number}: {error}")
        except OverflowError:
            stock.failed.append(line)
            continue
        finally:
            log.append(str(number))
    taken: list[Item] = []
    for name in ["apple", "pear", "plum"]:
        try:
            taken.append(stock.take(name, 2))
        except (KeyError, ValueError) as error:
            log.append(f"cannot take {name}: {error}")
    for item in taken:
        if item.total() > 100:
            item.tags.append("dear")
        log.append(item.label())
    shapes: list[Shape] = []
    for i in range(limit):
        if i % 2 == 0:
            shapes.append(Square(float(i)))
        else:
            shapes.append(Circle(float(i)))
    area = 0.0
    for shape in shapes:
        if isinstance(shape, Square):
            area += shape.side
        area += shape.area()
    log += stock.failed
    return stock.worth(), log, area
'''
