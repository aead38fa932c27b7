from tscript import prange


def f(xs: list[int]) -> int:
    for i in prange(len(xs)):
        for j in range(3):
            if j == i:
                break
        while xs[i] > 3:
            return i
        if xs[i] == 2:
            break
    return 0
