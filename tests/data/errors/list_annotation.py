from typing import List, Dict


def f(x: List[int], y: list[float], z: Dict[str, int], t: tuple[int, ...]):
    return x
