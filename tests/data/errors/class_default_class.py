from dataclasses import dataclass, field


class Meta(type):
    pass


class Odd(metaclass=Meta):
    pass


@dataclass
class Settings:
    first: int = 0
    second: list[int] = field(default_factory=Odd)


def f(n: int) -> int:
    return len(Settings().second) + n
