"""A function of about a hundred lines over texts, lists, dicts and sets, as a template: `n` makes it another one each
time."""

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
