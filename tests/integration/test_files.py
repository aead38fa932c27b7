"""IR that a file brings, run natively: names and places may be anything, and mean nothing to the compiler."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

import tscript
from tscript.api import Module
from tscript.archive.entries import Archive, EntryPoint
from tscript.archive.format import pack, unpack
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current
from tscript.types import ANY, INT, parse_type


def archive(text: str, classes: tuple[dict[str, Any], ...] = (), params: Any = None, result: Any = None) -> Archive:
    """An archive with this IR, as it was read from a file."""
    if params is None:
        entry = parse_program(text, TABLE).entry
        params, result = entry.params, entry.result
    digest = hashlib.sha256(text.encode()).hexdigest()
    made = EntryPoint("f", params, result, "", "", text, digest, classes=classes)
    return unpack(pack(Archive({"f": made})), classes=current().compiler.archived_classes)


def loaded(text: str) -> Any:
    """The function of an archive with this IR."""
    return Module(archive(text))["f"]


NAMES = ("ts_list_new_v1", "ts_list_append_v1", "ts_heap_allocate_v1", "ts_object_release_v1", "exp", "fmod",
         "llvm.umin.i64", "malloc",
         "memcpy", "closure.0.g", "closure.1.g", "task.g", "closure.0.h", "tsf_f", "tsg_g", "f.1", "a b", "\u00e9",
         "x\\y", "%d")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_graphs_may_be_called_anything(name: str) -> None:
    quoted = name.replace("\\", "\\\\")
    text = f"""program @f
graph @f(%n: int, %x: float) -> tuple[int, int, int, int, float] {{
  %t: type = const type(list[int])
  %l: list[int] = list.make(%t, %n)
  %0: None = append.list(%l, %n)
  %1: int = call @"{quoted}"(%n)
  %c: Callable[[], int] = closure @"g"(%1)
  %2: int = invoke(%c)
  %o: Callable[[int], int] = closure @"{quoted}"()
  %p: int = invoke(%o, %2)
  %u: Future[int] = fork @"g"(%p)
  %3: int = wait(%u)
  %4: float = math_exp(%x)
  %5: int = len.list(%l)
  %6: tuple[int, int, int, int, float] = tuple.make(%1, %2, %p, %5, %4)
  return %6
}}
graph @"{quoted}"(%n: int) -> int {{ %1: int = const 1 %2: int = add.int(%n, %1) return %2 }}
graph @g(%n: int) -> int {{ %1: int = const 10 %2: int = mul.int(%n, %1) return %2 }}
"""
    assert loaded(text)(2, 0.0) == (3, 30, 31, 2, 1.0)


@pytest.mark.parametrize("name", ["a\\n", "\\x00", "\\ud800", "a\\x7f"])
def test_names_that_cannot_be_printed_are_refused(name: str) -> None:
    text = (
        f'program @f graph @f() -> int {{ %0: int = call @"{name}"() return %0 }} graph @"{name}"() -> int {{ %0: '
        f"int = const 1 return %0 }}"
    )
    with pytest.raises(ArchiveError, match="can be printed"):
        loaded(text)()


@pytest.mark.parametrize(
    "place",
    [
        '"\\x00.py":1:1-1:2 in "\\x00"',
        '"\\ud800":999999999:999999999-999999999:1',
        '"":1:1-0:1 in "a b"',
        '"x":0:1-0:1',
    ],
)
def test_places_may_be_anything(place: str) -> None:
    text = f'program @f graph @f(%n: int) -> int {{  @ {place}\n  raise ValueError "no"  @ {place}\n}}'
    with pytest.raises(ValueError, match="no") as caught:
        loaded(text)(1)
    assert not isinstance(caught.value, ArchiveError) or "valid" in str(caught.value)


@pytest.mark.parametrize("message", ["\\ud800", "\\x00", "%s %n", "{{}}", "\\u00e9{0}", "x" * 5000])
def test_messages_may_be_anything(message: str) -> None:
    head, raised = "program @f graph @f(%n: int) -> int {", f'raise ValueError "{message}" (%n)'
    with pytest.raises(ValueError, match=r"(?s)^.*$"):
        loaded(f"{head} {raised} }}")(1)
    caught = "except ValueError as %e: ValueError { %s: str = str.exception(%e) %l: int = len.str(%s) return %l }"
    assert loaded(f"{head} try T0 {{ {raised} }} {caught} unreachable }}")(1) >= 0


@pytest.mark.parametrize("form", ["{0:c}", "{0:x}", "{0:>9999999999}", "{1}", "{99999999999999999999}"])
def test_forms_of_messages_are_refused(form: str) -> None:
    with pytest.raises(ArchiveError):
        loaded(f'program @f graph @f(%n: int) -> int {{ raise ValueError "{form}" (%n) }}')(1)


def test_defaults_may_be_anything() -> None:
    for default in ("type(int)", "dtype.int8", "((1, 2), None)", "complex(0.0, 1.0)", '"x"', 'bytes("x")'):
        text = f"program @f graph @f(%a: Any = {default}) -> int {{ %0: int = const 1 return %0 }}"
        try:
            assert loaded(text)() == 1
        except (ArchiveError, TypeError):
            pass


def test_chains_of_classes() -> None:
    specs = [
        {"kind": "class", "name": f"m.C{i}", "module": "", "path": "", "base": None,
         "fields": [["a", f"m.C{i + 1}" if i < 3000 else "int"]],
         "flags": 15, "special": []} for i in range(3001)
    ]  # fmt: skip
    text = (
        "program @f graph @f() -> Any { %t: type = const type(m.C0) %0: m.C0 = object.make(%t) %a: "
        "type = const type(Any) %1: Any = upcast(%0, %a) return %1 }"
    )
    try:
        Module(archive(text, tuple(specs), (), ANY))["f"]()
    except (ArchiveError, RecursionError, TypeError):
        pass


def test_exceptions_that_hold_tensors_are_shown() -> None:
    """In `Any`; a tensor has no type of its own to ask what it is."""
    text = """program @f
graph @f(%x: Tensor) -> tuple[str, str, tuple[Any, ...]] {
  %t: type = const type(Any)
  %a: Any = upcast(%x, %t)
  %c: type = const type(ValueError)
  %e: ValueError = new.exception(%a, %c)
  %0: str = str.exception(%e)
  %1: str = repr.exception(%e)
  %2: tuple[Any, ...] = args.exception(%e)
  %3: tuple[str, str, tuple[Any, ...]] = tuple.make(%0, %1, %2)
  return %3
}
"""
    x = tscript.tensor([1.0, 2.0])
    shown, whole, (held,) = loaded(text)(x)
    assert shown in whole
    assert held.tolist() == x.tolist()


@pytest.mark.parametrize("index", [-1, 3, 2**62, -(2**63)])
def test_positions_are_looked_at(index: int) -> None:
    """By operators that loops of source only give positions which are there."""
    character = "%0: str = character.str(%s, %i) %1: int = len.str(%0) return %1"
    with pytest.raises(IndexError):
        loaded(f"program @f graph @f(%s: str, %i: int) -> int {{ {character} }}")("abc", index)
    text = "program @f graph @f(%s: str, %i: int) -> tuple[int, Optional[str]] { %n: None = const None {} return %0 }"
    piece = "%0: tuple[int, Optional[str]] = next_piece.str(%s, %n, %i)"
    assert loaded(text.replace("{}", piece))("a b", index) in ((1, "a"), (-1, None))
    entry = "%z: int = len.dict(%d) %0: int = next_entry.dict(%d, %i, %z) return %0"
    assert loaded(f"program @f graph @f(%d: dict[str, int], %i: int) -> int {{ {entry} }}")({"a": 1}, index) in (0, -1)


UNSET = ("int", "float", "bool", "complex", "dtype", "None", "Any", "Optional[int]", "Optional[str]",
         "tuple[int, float]", "tuple[int, Any]",
         "Union[int, str, None]", "mod.E", "mod.N", "str", "list[int]", "tuple[int, str]", "Tensor", "Union[int, str]",
         "Size")  # fmt: skip


@pytest.mark.parametrize("made", ["object.make(%t)", "new.exception(%n, %t)"])
@pytest.mark.parametrize("field", UNSET)
@pytest.mark.parametrize("late", [[], ["x"]])
def test_fields_that_are_never_set(field: str, made: str, late: list[str]) -> None:
    """Numbers are 0, what may be None is, the rest and what is late is missing: in native code and in the
    interpreter."""
    base = "ValueError" if "exception" in made else None
    specs = (
        {
            "kind": "enum",
            "name": "mod.E",
            "module": "",
            "path": "",
            "members": [["a", ["int", "5"]], ["b", ["int", "6"]]],
            "mixed": "",
        },
        {"kind": "named", "name": "mod.N", "module": "", "path": "", "fields": [["x", "int"], ["y", "bool"]]},
        {
            "kind": "class",
            "name": "mod.C",
            "module": "",
            "path": "",
            "base": base,
            "fields": [["x", field]],
            "flags": 0,
            "special": [],
            "late": late,
        },
    )
    own = field.startswith("mod.")
    result = "Any" if own else field
    text = f"""program @f
graph @f() -> {result} {{
  %n: None = const None
  %t: type = const type(mod.C)
  %0: mod.C = {made}
  %name: str = const "x"
  %1: {field} = get_field.object(%0, %name)
  %a: type = const type(Any)
  {"%2: Any = box(%1, %a)" if own else ""}
  return {"%2" if own else "%1"}
}}
"""
    found = archive(text, specs, (), parse_type(result))
    outcomes = []
    for run in (Module(found)["f"], lambda: interpret(found.entries["f"].program(TABLE), [])):
        try:
            value = run()
            outcomes.append((type(value).__name__, repr(value)))
        except AttributeError:
            outcomes.append(("missing", ""))
    assert outcomes[0] == outcomes[1]
    assert not late or outcomes[0] == ("missing", "")


@pytest.mark.parametrize(
    ("late", "flags", "message"),
    [
        (["y"], 0, r"late attributes of mod\.(\d+\.)?C are not among its attributes"),
        (["x"], 1, r"mod\.(\d+\.)?C has late attributes"),
        (["x"], 8, r"mod\.(\d+\.)?C has late attributes"),
    ],
)
def test_late_fields_of_classes_are_checked(late: list[str], flags: int, message: str) -> None:
    """The native library compares and shows only what is set."""
    spec = {"kind": "class", "name": "mod.C", "module": "", "path": "", "base": None, "fields": [["x", "int"]],
            "flags": flags, "special": [], "late": late}  # fmt: skip
    text = "program @f graph @f(%x: mod.C) -> mod.C { return %x }"
    with pytest.raises(ArchiveError, match=message):
        archive(text, (spec,), (), INT)


@pytest.mark.parametrize("value", [-(2**63), -(2**63) + 1])
def test_the_int_that_stands_for_none_is_a_number(value: int) -> None:
    """It was taken as None by operators of tensors."""
    with pytest.raises(IndexError, match="Dimension out of range"):
        loaded(
            "program @f graph @f(%x: Tensor, %i: int) -> Tensor { %b: bool = const False %0: "
            "Tensor = argmax(%x, %i, %b) return %0 }"
        )(tscript.ones(3), value)
    text = (
        "program @f graph @f(%x: Tensor, %i: int) -> Size { %n: None = const None %s: Size = size(%x) %1: "
        "int = const 1 %0: Size = slice.Size(%s, %n, %i, %1) return %0 }"
    )
    assert tuple(loaded(text)(tscript.ones(2, 3), value)) == ()
