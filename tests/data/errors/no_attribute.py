def f(x, n: int):
    a = x.shap
    b = x.sum
    return n.size
