from typing import Iterable, Sequence, Mapping, Iterator, Generator, TypedDict, Self, ClassVar, Final, Annotated, NoReturn, Type


def f(a: Iterable[int], b: Sequence[int], c: Mapping[str, int], d: Iterator[int], e: Generator[int, None, None], g: type[int], h: Type[int], i: object, j: range, k: bytearray, m: frozenset[int], n: list[Missing]) -> int:
    return 1
