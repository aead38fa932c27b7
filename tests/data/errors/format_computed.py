def f(template: str, n: int) -> str:
    return template.format(n)
