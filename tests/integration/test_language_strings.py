"""Texts and bytes do in scripted code what they do in Python, errors included."""

from __future__ import annotations

import io
from typing import Any

import pytest

import tscript

ROWS: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (
        'b: bytes',
        'return (b[0], b[-1], b[1:3], b[::-1], len(b), b + b"x", b * 2, 2 * b)',
        [(b'abc',)],
    ),
    (
        'b: bytes, i: int',
        'return i in b',
        [(b'abc', 300)],
    ),
    (
        'b: bytes',
        'return (b == b"abc", b < b"abd", b != b"", b"b" in b, 97 in b, bool(b), not b)',
        [(b'abc',), (b'',)],
    ),
    (
        'b: bytes',
        'return b.decode()',
        [(b'abc',), (b'\xff',)],
    ),
    (
        'xs: list[int]',
        'return bytes(xs)',
        [([1, 2, 255],), ([256],), ([-1],)],
    ),
    (
        'n: int',
        'return bytes(n)',
        [(3,), (-1,)],
    ),
    (
        'n: int',
        'return bytes(i for i in range(n))',
        [(3,)],
    ),
    (
        's: str',
        'return bytes.fromhex(s)',
        [('00ff',), ('0 1',), ('zz',), ('00 ff',)],
    ),
    (
        'b: bytes',
        'return {b: 1}[b"x"]',
        [(b'x',), (b'y',)],
    ),
    (
        'b: bytes',
        'return (list(b), tuple(b), set(b), sorted(b), sum(b), max(b), min(b))',
        [(b'cab',)],
    ),
    (
        'b: bytes',
        'return (b.count(b"a"), b.isalpha(), b.partition(b"a"), b.ljust(5), b.zfill(5), b.splitlines())',
        [(b'cab',)],
    ),
    (
        'b: bytes',
        'return (b.index(97), b.count(97), b.find(97))',
        [(b'cab',)],
    ),
    (
        'b: bytes',
        'return (b.startswith((b"a", b"c")), b.endswith((b"b",)))',
        [(b'cab',)],
    ),
    (
        'b: bytes',
        'a, c = b\n    return a + c',
        [(b'ca',), (b'cab',)],
    ),
    (
        's: str',
        'return (s.startswith(("a", "b")), s.endswith(("c",)), s.startswith("b", 1), s.endswith("b", 0, 2), '
        's.startswith(("x", "b"), 1, 3))',
        [('abc',), ('',)],
    ),
    (
        's: str, p: tuple[str, ...]',
        'return s.startswith(p)',
        [('abc', ('x', 'a'))],
    ),
    (
        's: str',
        'return s.translate(str.maketrans("ab", "xy", "c"))',
        [('abc',)],
    ),
    (
        's: str',
        'return s.translate(str.maketrans({"a": "b", "b": None}))',
        [('abc',)],
    ),
    (
        's: str, n: int',
        'return (s * n, n * s, s * 0, "ab" * n)',
        [('ab', 3), ('ab', -1)],
    ),
    (
        'x: float',
        'return ("%e %g %G %F" % (x, x, x, x), "%05.1f" % x, "%*d" % (5, 3), "%.*f" % (2, x))',
        [(1234.5,)],
    ),
    (
        'xs: list[int], d: dict[str, int]',
        'return ("{} {}".format(xs, d), "{0[1]} {1[a]}".format(xs, d), "{x!r:>5} {y:{w}d}".format(x="a", y=3, '
        'w=5), "{0} {0}".format(1))',
        [([1, 2], {'a': 3})],
    ),
    (
        'x: int, width: int, s: str',
        'return (f"{x=}", f"{x:{width}}", f"{s!r}", f"{s:>{width}}", f"{x:#x} {x:b} {x:,} {x:+05d}", '
        'f"{x = :>4}", f"{{}}", f"{s=!s}", f"{x!r:^5}")',
        [(5, 6, 'ab')],
    ),
    (
        's: str',
        'return (s[::-1], s[::2], s[1:-1], s[-3:], s[5:1:-2], s[:], s[-1], s[0])',
        [('naïvé!',)],
    ),
    (
        's: str, i: int',
        'return s[::i]',
        [('ab', 0), ('abc', 2)],
    ),
    (
        'a: str, b: str, c: str',
        'return (a < b < c, a == b == c, a <= b != c, "a" in a, "a" not in b, a in b, "" in a)',
        [('a', 'b', 'c'), ('a', 'a', 'a')],
    ),
    (
        's: str',
        'return (s.split(), s.split(","), s.split(sep=","), s.split(",", 1), s.split(",", maxsplit=1), '
        's.rsplit(",", 1), s.rsplit(sep=None, maxsplit=1), s.splitlines(), s.splitlines(True), '
        's.splitlines(keepends=True), s.partition(","), s.rpartition(","))',
        [('a, b,c\nd e',)],
    ),
    (
        's: str',
        'return (s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), s.casefold(), s.strip(), '
        's.lstrip("a"), s.rstrip("b"), s.center(9, "*"), s.ljust(5), s.rjust(5), s.zfill(5), s.expandtabs(4), '
        's.count("a"), s.find("b"), s.rfind("b"), s.replace("a", "b"), s.replace("a", "b", 1), '
        's.removeprefix("a"), s.removesuffix("b"))',
        [('ab\tAB',), ('-12',), ('straße',)],
    ),
    (
        's: str',
        'return (s + "x", s == "ab", len(s), bool(s), not s, str(s), repr(s), s or "empty", s and "full")',
        [('ab',), ('',)],
    ),
    (
        's: str',
        'a, b = s\n    return a + b',
        [('ab',), ('abc',), ('a',)],
    ),
    (
        's: str',
        'a, b = s.split(",")\n    return a + b',
        [('a,b',), ('abc',), ('a,b,c',)],
    ),
    (
        's: str',
        'return (s.encode(), s.encode("ascii", "ignore"), s.encode("latin-1", errors="replace"), '
        's.encode(encoding="utf-8"))',
        [('aé€',)],
    ),
    (
        's: str',
        'return s.encode("ascii")',
        [('aé€',)],
    ),
    (
        's: str',
        'return {"a": 1}.get(s)',
        [('b',), ('a',)],
    ),
    (
        's: str',
        'return {"a": 1, "b": 2}[s]',
        [('b',), ('z',)],
    ),
    (
        's: str | None',
        'return s or "none"',
        [(None,), ('',), ('a',)],
    ),
    (
        's: str | None',
        'return s and s.upper()',
        [(None,), ('',), ('a',)],
    ),
    (
        's: str | None',
        'return (s is None, s == "a", s != "a", s == None)',
        [(None,), ('',), ('a',)],
    ),
    (
        's: str',
        'return list(map(str.upper, s))',
        [('abc',)],
    ),
    (
        'x: int, s: str',
        'return ("%(a)s %(b)5d%%" % {"a": s, "b": x}, "{a} {b:>4}".format_map({"a": x, "b": s}))',
        [(5, 'ab')],
    ),
    (
        'd: dict[str, int]',
        'return ("%(a)d-%(b)03d" % d, "{a}".format_map(d))',
        [({'a': 1, 'b': 2},), ({'a': 1},)],
    ),
    (
        'x: str | None, y: str | int, z: int | str | None',
        'print(x, y, z, (x, y), sep="|"); return (f"{x} {y!s:>5} {z} {x!r}", str(x) + "%s %r" % (y, '
        'y) + "{}{}".format(x, z))',
        [('a', 'b', 'c'), (None, 1, None), ('', 'é', 2)],
    ),
    (
        's: str, t: str, i: int',
        'c = s[i]\n    if c in " \\n,": return 1\n    if c == "x" or c != t[-1] and c == "\\u20ac": return 2\n'
        '    if c == "" or c == "ab" or c in "" or "ab" == c: return 3\n    return ord(c) + 10 * int(c == t[0])',
        [('x,', 'x', 0), ('x,', 'x', 1), ('a€', 'ab', 1), ('a€', '€', 1), ('漢a', '漢', -2), ('a', 'a', 1),
         ('', 'a', 0), ('a', '', 0), ('ab', 'a', -3)],
    ),
    (
        's: str',
        'return [(s[i].isdigit(), s[i].isalpha(), s[i].isalnum(), s[i].isspace()) for i in range(len(s))]',
        [(''.join(map(chr, range(384))),), ('٣²Ⅷ①漢ß\u2003\u1680\ud800😀x\U000e0001 9',)],
    ),
    (
        'n: int',
        'print(n if n > 3 else "a", "x" if n else 2.5); '
        'return f"{n if n > 2 else None} {str(1 if n > 4 else (2.5 if n > 2 else None))}"',
        [(0,), (3,), (5,)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "body", "calls"), ROWS)
def test_as_in_python(harness: Any, parameters: str, body: str, calls: list[tuple[Any, ...]]) -> None:
    harness.agree_all(f"def f({parameters}):\n    {body}\n", calls)


def test_print_flushes_when_it_is_asked_to(integration: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Output(io.StringIO):
        def flush(self) -> None:
            self.write("!")

    plain = integration.function_of(
        "def f(n: int, b: bool) -> None:\n    print(n, flush=True)\n    print(n, 'a', sep='-', flush=b, end=';')\n"
    )
    scripted = tscript.script(plain)
    for now in (True, False):
        shown = []
        for function in (plain, scripted):
            output = Output()
            monkeypatch.setattr("sys.stdout", output)
            function(3, now)
            shown.append(output.getvalue())
        assert shown == ["3\n!3-a;!" if now else "3\n!3-a;"] * 2
    monkeypatch.setattr("sys.stdout", None)
    scripted(3, True)
