class Item:
    def __init__(self, price: int) -> None:
        self.price = price

    def total(self, count: int) -> int:
        return self.price * count


def add_up(items: list[Item]) -> int:
    total = 0
    for item in items:
        total += item.prize
    return total


def f(n: int) -> int:
    items = [Item(n), Item(2)]
    items.append(n)
    items[0].total("a")
    names = {item: 1 for item in items}
    return add_up(items) + items[0].totl(3)
