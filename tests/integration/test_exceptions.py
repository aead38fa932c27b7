"""``try``, ``finally`` and ``raise`` do the same as in plain Python, interpreted at every stage, and natively."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError

HELPERS = """
def div(a: int, b: int) -> int:
    return a // b

def checked(n: int) -> int:
    if n == 0:
        raise ValueError("zero")
    if n == 1:
        raise KeyError(f"key {n}")
    if n == 2:
        raise IndexError(f"index {n} of {n + 0.5}")
    if n == 3:
        raise RuntimeError
    if n == 4:
        return div(n, n - 4)
    if n == 5:
        raise NotImplementedError("over")
    return n

def deeper(n: int, depth: int) -> int:
    if depth == 0:
        return checked(n)
    return deeper(n, depth - 1) + 1
"""

PROGRAMS: dict[str, str] = {
    "one handler": """
def f(n: int) -> int:
    try:
        return checked(n)
    except ValueError:
        return -1
""",
    "handlers in order, bases, tuples": """
def f(n: int) -> int:
    s = 0
    try:
        s = checked(n)
    except (KeyError, ZeroDivisionError):
        s = 100
    except LookupError:
        s = 200
    except (ValueError, RuntimeError):
        s = 300
    return s
""",
    "what a name held last": """
def f(n: int) -> int:
    a = 1
    b = 2.5
    try:
        a = 10
        checked(n)
        a = 20
        b = 3.5
        checked(n - 3)
        a = 30
    except Exception:
        return a + int(b * 100)
    return a
""",
    "else": """
def f(n: int) -> int:
    t = 0
    try:
        s = checked(n)
    except ValueError:
        t = 5
    else:
        t = s * 10
    return t
""",
    "else is not guarded": """
def f(n: int) -> int:
    try:
        pass
    except Exception:
        return -1
    else:
        return checked(n)
    return -2
""",
    "bare except and raise again": """
def f(n: int) -> int:
    t = 0
    try:
        try:
            t = checked(n)
        except:
            t = 7
            if n < 3:
                raise
    except LookupError:
        t += 1000
    return t
""",
    "finally on every way": """
def f(n: int) -> int:
    t = 0
    for i in range(8):
        try:
            if i == n:
                continue
            if i == n + 2:
                break
            if i == 7 - n:
                return t + 100000
            t += checked(i + 6)
        finally:
            t += 1000
        t += 10000
    return t
""",
    "finally and exceptions": """
def f(n: int) -> int:
    t = 0
    try:
        try:
            t += checked(n)
        finally:
            t += 1000
    except LookupError:
        t += 1
    finally:
        t += 5
    return t
""",
    "finally sees what handlers assigned": """
def f(n: int) -> int:
    a = 1
    b = 2
    seen: list[int] = []
    try:
        try:
            checked(n)
            checked(n - 3)
        except ValueError as e:
            a = 10
            checked(n)
            a = 20
        except LookupError:
            b = 30
            checked(n - 1)
        else:
            b = 40
            checked(n - 5)
        finally:
            seen.append(a * 1000 + b)
    except Exception:
        seen.append(7)
    return sum([k * 31 + v for k, v in enumerate(seen)])
""",
    "finally returns": """
def f(n: int) -> int:
    try:
        checked(n)
        return 1
    finally:
        if n < 3:
            return n * 10
    return 5
""",
    "finally raises": """
def f(n: int) -> int:
    try:
        if n > 4:
            return n
        checked(n)
    finally:
        if n % 2 == 0:
            raise TypeError(f"in the end {n}")
    return 0
""",
    "nested finally, one return": """
def f(n: int) -> int:
    t = 0
    try:
        try:
            try:
                if n > 5:
                    return 9
                t = checked(n)
            finally:
                t += 1
        finally:
            t = t * 2
    except Exception:
        t += 100
    return t
""",
    "break and continue in handlers": """
def f(n: int) -> int:
    t = 0
    for i in range(10):
        try:
            t += checked(i)
        except LookupError:
            continue
        except ZeroDivisionError:
            if n > 3:
                break
        except Exception:
            t += 100
    else:
        t += 5000
    return t
""",
    "while, else of loops": """
def f(n: int) -> int:
    t = 0
    i = 0
    while i < 10:
        i += 1
        try:
            if i == n:
                raise ValueError("now")
            if i == 9:
                break
        except ValueError:
            t += i
            continue
        finally:
            t += 1
    else:
        t += 77
    return t
""",
    "through frames": """
def f(n: int) -> int:
    t = 0
    for depth in range(4):
        try:
            t += deeper(n, depth)
        except (ValueError, LookupError):
            t += 10
    return t + deeper(n, 2)
""",
    "an exception as a value": """
def f(n: int) -> int:
    try:
        return checked(n)
    except LookupError as e:
        if n == 1:
            raise e
        raise ValueError("other") from e
""",
    "arguments of every kind": """
def f(n: int) -> int:
    if n == 0:
        raise ValueError(n, 2.5, True)
    if n == 1:
        raise ValueError(n)
    if n == 2:
        raise ValueError((n, n))
    if n == 3:
        raise TypeError(None)
    if n == 4:
        raise ValueError()
    if n == 5:
        raise ValueError("text", n)
    return 0
""",
    "raised and caught in place": """
def f(n: int) -> int:
    t = 0
    for i in range(20):
        try:
            if i % (n + 2) == 0:
                raise KeyError(f"{i}")
            t += 1
        except KeyError:
            t += 100
    return t
""",
    "handlers raise": """
def f(n: int) -> int:
    try:
        try:
            return checked(n)
        except ValueError:
            return checked(1)
        except LookupError:
            return checked(n - 1)
    except IndexError:
        return 4
    except KeyError:
        return 5
""",
    "assertions": """
def f(n: int) -> int:
    try:
        assert n > 2, f"{n} is small"
        assert n != 3
    except AssertionError:
        return -n
    return n
""",
    "an exception kept": """
def f(n: int) -> int:
    e = ValueError("made before", n)
    if n > 3:
        raise e
    return n
""",
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_agree(agree: Any, integration: Any, source: str) -> None:
    function = integration.function_of(HELPERS + source)
    for n in (0, 1, 2, 3, 4, 5, 6):
        agree(function, n)


TENSORS: dict[str, str] = {
    "slots hold tensors": """
def f(x: Tensor, n: int) -> Tensor:
    y = x * 2.0
    try:
        y = y + 1.0
        checked(n)
        y = y * 3.0
        z = y + x
        checked(n - 3)
        y = z
    except (ValueError, LookupError):
        return y + x
    except RuntimeError:
        y = x
    return y
""",
    "shapes that do not fit": """
def f(x: Tensor, n: int) -> Tensor:
    t = x
    for i in range(3):
        try:
            t = t.reshape(n, -1) + x.reshape(i + 1, -1)
        except RuntimeError:
            t = t + 1.0
        finally:
            t = t * 2.0
    return t
""",
}


@pytest.mark.parametrize("source", TENSORS.values(), ids=TENSORS)
def test_tensors_agree(agree: Any, integration: Any, source: str) -> None:
    function = integration.function_of(HELPERS + source)
    for n in (0, 1, 2, 3, 4):
        agree(function, np.arange(6, dtype=np.float32), n, message=False)


def test_deep_recursion_is_caught(agree: Any, integration: Any) -> None:
    source = """
def down(n: int) -> int:
    return down(n + 1) + 1

def f(n: int) -> int:
    t = 0
    for i in range(n):
        try:
            t += down(0)
        except RecursionError:
            t += 1
    return t
"""
    assert agree(integration.function_of(source), 3, python=False).value == 3


def test_a_cause_arrives_in_python(integration: Any) -> None:
    f = tscript.script(integration.function_of(HELPERS + PROGRAMS["an exception as a value"]))
    with pytest.raises(ValueError, match="other") as caught:
        f(2)
    cause = caught.value.__cause__
    assert type(cause) is IndexError
    assert str(cause) == "index 2 of 2.5"


def test_a_traceback_shows_where_it_was_raised_first(integration: Any) -> None:
    f = tscript.script(integration.function_of(HELPERS + PROGRAMS["an exception as a value"]))
    with pytest.raises(KeyError) as caught:
        f(1)
    lines = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert lines[-1] == ("checked", 'raise KeyError(f"key {n}")')
    assert ("f", "raise e") in lines


ERRORS: dict[str, tuple[str, str]] = {
    "a name that only the body binds, and that may be None": (
        """
def f(n: int) -> int:
    try:
        s = None if n > 3 else n
    except ValueError:
        pass
    return 0 if s is None else s
""",
        "'s'",
    ),
    "raise outside of a handler": ("def f(n: int) -> int:\n    raise\n", "no exception being handled"),
    "no class": (
        "def f(n: int) -> int:\n    try:\n        return n\n    except n:\n        return 1\n",
        "takes exception classes",
    ),
    "groups": (
        "def f(n: int) -> int:\n    try:\n        return n\n    except* ValueError:\n        n = 2\n    return n\n",
        "except\\*",
    ),
    "another type": (
        """
def f(n: int) -> float:
    t = 1
    try:
        t = [n]
        n = n // n
    except ValueError:
        return float(len(t))
    return 1.0
""",
        "'t'",
    ),
}


@pytest.mark.parametrize(("source", "said"), ERRORS.values(), ids=ERRORS)
def test_what_is_refused(integration: Any, source: str, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        _ = tscript.script(integration.function_of(source)).graph
