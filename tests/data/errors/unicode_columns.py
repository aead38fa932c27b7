def f(größe: int) -> int:
    länge = größe + größ
    return länge
