"""Names of PyTorch, NumPy, older Pythons and other languages that tscript does not have, each with what to write
instead.

Help lines look here first. A name with a similar spelling often means something else.
"""

from __future__ import annotations

import ast

_SHAPES = "lists have no shape: len(xs) rows, len(xs[0]) columns"
_NO_GRADIENTS = "leave it out: no gradients are computed"
LOADED = (
    "its archive has no code of it: a module keeps 'forward', what compiles of your own classes, and what is exported"
)
"""The help for a method that a module of an archive does not have."""
MODULE = "name what tscript.script makes of it, 'net = tscript.script(net)', or pass it as an argument"
"""The help for a module in a function."""
FROZEN = "freeze it without preserved_attrs, or pass the scripted module that it was frozen from as an argument"
"""The help for a frozen module with attributes in a function."""
ON_CPU = "leave it out: every tensor is on the CPU"
_JOIN = "tensors do not grow: join them, tscript.cat([x, y]), or gather numbers in a list"
_DRAW = "draw the numbers outside, and pass them as a tensor"
_RANGE = "write tscript.prange(...), or 'from tscript import prange'"
_COMPILE = "decorate the function with @tscript.script"

METHODS: dict[str, dict[str, str]] = {
    "Tensor": {
        "append": _JOIN,
        "astype": "convert it with the dtype: x.to(tscript.float32)",
        "backward": _NO_GRADIENTS,
        "copy": "write x.clone()",
        "extend": _JOIN,
        "fill": "write x.fill_(value)",
        "length": "write len(x), or x.numel() for all elements",
        "numpy": "leave it to the caller: numpy.asarray(x) shares the memory",
        "tolist": "declare the result: 'v: list[float] = x.tolist()'",
    },
    "str": {
        "append": "strings are immutable: make a new one, s += 'x'",
        "charAt": "write s[i]",
        "contains": "write 'x' in s",
        "decode": "it is a str already",
        "empty": "write len(s) == 0",
        "has": "write 'x' in s",
        "includes": "write 'x' in s",
        "insert": "strings are immutable: make a new one, s[:i] + 'x' + s[i:]",
        "length": "write len(s)",
        "reverse": "write s[::-1]",
        "reversed": "write s[::-1]",
        "size": "write len(s)",
        "sort": "write ''.join(sorted(s))",
        "substr": "write s[i:j]",
        "substring": "write s[i:j]",
        "toLowerCase": "write s.lower()",
        "toUpperCase": "write s.upper()",
        "trim": "write s.strip()",
    },
    "list": {
        "add": "write xs.append(x)",
        "argmax": "write max(range(len(xs)), key=lambda i: xs[i])",
        "argmin": "write min(range(len(xs)), key=lambda i: xs[i])",
        "argsort": "write sorted(range(len(xs)), key=lambda i: xs[i])",
        "contains": "write x in xs",
        "filter": "write [x for x in xs if ...]",
        "find": "write xs.index(x)",
        "first": "write xs[0]",
        "has": "write x in xs",
        "includes": "write x in xs",
        "indexOf": "write xs.index(x)",
        "isEmpty": "write not xs",
        "join": "write ', '.join(xs)",
        "last": "write xs[-1]",
        "length": "write len(xs)",
        "map": "write [f(x) for x in xs]",
        "max": "write max(xs)",
        "mean": "write sum(xs) / len(xs)",
        "min": "write min(xs)",
        "ndim": _SHAPES,
        "popleft": "write xs.pop(0)",
        "push": "write xs.append(x)",
        "push_back": "write xs.append(x)",
        "reduce": "write the loop",
        "reshape": "convert it: tscript.tensor(xs)",
        "shape": _SHAPES,
        "shuffle": "pass the order as an argument",
        "size": "write len(xs)",
        "slice": "write xs[i:j]",
        "sorted": "write sorted(xs)",
        "sum": "write sum(xs)",
        "tolist": "it is a list already",
    },
    "tuple": {
        "append": "a tuple is immutable: use a list, or make a new one, (*t, x)",
        "length": "write len(t)",
        "size": "write len(t)",
    },
    "dict": {
        "add": "write d[key] = value",
        "append": "write d[key] = value",
        "contains": "write key in d",
        "containsKey": "write key in d",
        "has": "write key in d",
        "has_key": "write key in d",
        "iteritems": "write d.items()",
        "iterkeys": "write d.keys()",
        "itervalues": "write d.values()",
        "length": "write len(d)",
        "remove": "write del d[key]",
        "set": "write d[key] = value",
        "size": "write len(d)",
        "sort": "write sorted(d.items())",
    },
    "set": {
        "append": "write s.add(x)",
        "contains": "write x in s",
        "extend": "write s.update(xs)",
        "has": "write x in s",
        "insert": "write s.add(x)",
        "length": "write len(s)",
        "push": "write s.add(x)",
        "size": "write len(s)",
        "sort": "write sorted(s)",
    },
    "bytes": {
        "append": "bytes are immutable: make new ones, b += b'x'",
        "encode": "they are bytes already",
        "length": "write len(b)",
        "size": "write len(b)",
    },
}
"""What to write for methods and attributes that a kind of value has in other languages and libraries."""

TORCH: dict[str, str] = {
    **dict.fromkeys(("autograd",), _NO_GRADIENTS),
    **dict.fromkeys(("cuda",), ON_CPU),
    **dict.fromkeys(("seed", "get_rng_state", "set_rng_state"), _DRAW),
    "compile": _COMPILE,
    "from_numpy": "leave it to the caller: tscript.from_numpy(array) shares the memory",
    "load": "load in the caller, and pass the result",
    "nn": "write the module as a class with tensors in it, or a function that takes them",
    "save": "save in the caller",
}
"""What to write for names of PyTorch that compiled code does not have."""

LIBRARY: dict[str, str] = {
    "numba.jit": _COMPILE,
    "numba.njit": _COMPILE,
    "numba.prange": _RANGE,
}
"""The same for dotted names of other libraries; see `tscript.frontend.source.libraries`."""

KEYWORDS: dict[str, str] = {
    "axes": "it is called 'dim' here",
    "device": ON_CPU,
    "requires_grad": _NO_GRADIENTS,
}
"""What to write for keywords of operators."""

TYPES: dict[str, str] = {
    "boolean": "bool",
    "character": "str",
    "char": "str",
    "double": "float",
    "integer": "int",
    "long": "int",
    "number": "float",
    "string": "str",
    "void": "None",
}
"""Names of types in other languages and libraries."""

DTYPES: dict[str, str] = {"float": "tscript.float64", "int": "tscript.int64", "bool": "tscript.bool"}
"""Classes of other libraries that mean dtypes."""

KINDS: dict[str, str] = {"str": "str", "list": "list[int]", "dict": "dict[str, int]", "set": "set[int]"}
"""An annotation for each kind of value."""

CHANGES = frozenset({"add", "append", "clear", "extend", "insert", "remove", "reverse", "sort", "update"})
"""Methods that change a container and return None."""


def torch_name(path: str) -> str:
    """What to write for a dotted name of PyTorch, without ``torch.``; empty where nothing is known.

    Example:
        >>> torch_name("nn.Linear"), torch_name("tanh")
        ('write the module as a class with tensors in it, or a function that takes them', '')
    """
    root, _, rest = path.partition(".")
    if root == "nn" and rest[:1].islower():
        return ""
    return TORCH.get(root, "")


LIBRARIES: dict[str, str] = {
    "image": "images are read and written in Python: pass the tensor, or decorate the function with @torch.jit.ignore",
}
"""What to write for namespaces of operators of other libraries that have a reason not to be here."""


def library(space: str) -> str:
    """What to do about a namespace of operators that nothing has defined.

    Example:
        >>> library("mylib")
        "no operators of 'mylib' are defined: import the library that defines them first"
    """
    return LIBRARIES.get(space) or f"no operators of '{space}' are defined: import the library that defines them first"


def method(kind: str, name: str) -> str:
    """What to write for a method or attribute that values of a kind do not have; empty where nothing is known."""
    return METHODS.get(kind, {}).get(name, "")


def gives_none(function: ast.AST, node: ast.expr) -> str:
    """That a value is None because it came out of a method that changes its object, such as `list.sort`; else empty.

    Args:
        function: Where a name in the place of the value was assigned.
        node: The value as written.

    Example:
        >>> gives_none(ast.parse(""), ast.parse("xs.sort()", mode="eval").body)
        "'xs.sort' changes 'xs' and gives None: write it on a line of its own, or 'sorted(xs)'"
    """
    if isinstance(node, ast.Name):
        for statement in ast.walk(function):
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name) and target.id == node.id and isinstance(statement.value, ast.Call):
                    if found := gives_none(function, statement.value):
                        return found
        return ""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in CHANGES:
        return ""
    changed, name = ast.unparse(node.func.value), node.func.attr
    new = {"sort": f", or 'sorted({changed})'", "reverse": f", or '{changed}[::-1]'"}.get(name, "")
    return f"'{changed}.{name}' changes '{changed}' and gives None: write it on a line of its own{new}"
