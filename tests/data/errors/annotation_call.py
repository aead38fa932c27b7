def f(a: list(int), b: [int], c: (int, str), d: {str: int}, e: "list[int", g: int or None, h: 1 | 2) -> int:
    return 1
