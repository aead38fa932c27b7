class Node:
    def __init__(self, value: int) -> None:
        self.value = value
        self.next: Node | None = None


def f(n: int) -> int:
    a = Node(n)
    return a.next.value
