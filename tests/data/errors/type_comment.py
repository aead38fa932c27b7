def f(x, n, names):
    # type: (Tensor, int) -> int
    sizes = []  # type: List[int
    text = """
# type: this is text
"""
    sizes.append(len(text))  # type: ignore
    return n  # a type: this is a comment
