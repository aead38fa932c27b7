def f(n: int) -> int:
    a = self.x
    b = super().x
    c = object()
    d = property(n)
    return staticmethod(n)
