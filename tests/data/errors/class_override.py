class Shape:
    def area(self, scale: float) -> float:
        return 0.0

    def name(self) -> str:
        return "shape"


class Square(Shape):
    def area(self, factor: float) -> float:
        return factor

    def name(self) -> int:
        return 4


def f(shape: Shape) -> float:
    print(shape.name())
    return shape.area(scale=2.0)
