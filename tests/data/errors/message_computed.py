def f(template: str, n: int) -> str:
    a = template.format(n)
    return template % n
