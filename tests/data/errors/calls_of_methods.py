class Stack:
    def __init__(self) -> None:
        self.items: list[int] = []

    def push(self, x: int) -> None:
        self.items.append(str(x))

    def fill(self, n: int) -> None:
        for i in range(n):
            self.push(i)


def f(n: int) -> int:
    s = Stack()
    s.fill(n)
    return len(s.items)
