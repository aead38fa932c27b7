def f(x: int) -> int:
    try:
        return 10 // x
    except "a":
        return 0
    except int:
        return 1
    except (ValueError, int):
        return 2
    except MissingError:
        return 3
