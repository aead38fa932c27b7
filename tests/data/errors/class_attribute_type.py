class Node:
    def __init__(self, value: int):
        self.value = value


def f(n: int) -> int:
    node = Node(n)
    node.value = "one"
    node.value = None
    return node.value
