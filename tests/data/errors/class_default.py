from dataclasses import dataclass, field


def numbers() -> list[int]:
    return [1, 2]


@dataclass
class Settings:
    first: list[int] = field(default_factory=numbers)
    second: list[int] = field(default_factory=lambda: [1])


def f(n: int) -> int:
    return len(Settings().second) + n
