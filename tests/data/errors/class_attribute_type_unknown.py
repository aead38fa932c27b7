class Stack:
    def __init__(self):
        self.items = []
        self.top = None


def f(n: int) -> int:
    stack = Stack()
    stack.items.append(n)
    return len(stack.items)
