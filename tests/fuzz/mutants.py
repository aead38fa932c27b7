"""Mutants of archives: what is wrong with a file is an `ArchiveError`, and what is not runs like anything else.

Archives of random programs and of random IR are altered in their bytes, in fields of the manifest, in tokens of the IR
and in what members there are. All but the first fit their digests again, so that they reach what lies behind.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
import signal
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from tests.archive.layouts import opened, sealed
from tests.fuzz.compilers import Made, at_level
from tests.fuzz.execute import Failure, InternalFailure, LoadedModule, last_lines
from tests.fuzz.features import ALL
from tests.fuzz.generator import generate
from tests.fuzz.ir_execute import argument, limit_memory, observe, shape_error
from tests.fuzz.ir_graphs import generate_ir
from tests.fuzz.mutants_ir import restructure
from tscript.api import archive_of, script
from tscript.archive.classes import Apart
from tscript.archive.entries import Archive, EntryPoint
from tscript.archive.format import pack, unpack
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.objects import read_symbols
from tscript.diagnostics import CompileError
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.reader import IRSyntaxError
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted

SECONDS = 4.0
"""How long the program of a mutant may run: its loops need not end."""

BASES = 24
"""Archives that a child makes and alters."""

VALUES: tuple[Any, ...] = (
    None, 0, 1, -1, 2**63, 2**70, 1e300, "", "x", "../x", "int", "Tensor[float32, 2]", "list[int]", [], [[]], [None],
    {}, {"a": 1}, True,
    False, [1, 2], ["int", "1"], ["float", "nan"], "mod.C0", "ValueError", "\0", "\ud800", "a" * 300, "class", "enum",
    "named",
)  # fmt: skip
TYPES = ("int", "float", "str", "bool", "bytes", "Any", "None", "never", "type", "Tensor", "Size", "list[int]",
         "list[str]", "dict[str, int]",
         "Optional[int]", "Optional[str]", "Union[int, str]", "tuple[int, str]", "Callable[[int], int]", "Future[int]",
         "ValueError",
         "Ptr[i64]", "i32", "Tensor[float32, 1]", "list[Tensor]")  # fmt: skip
NUMBERS = (
    "0",
    "1",
    "-1",
    "7",
    "64",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1e308",
    "nan",
    "-inf",
    "0x10",
)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|%[\w.]+|@[\w.]+|[\w.:]+(?:\[[^\]]*\])?|.')


class Slow(Exception):
    """The program of a mutant runs for long."""


class Mutants:
    """Makes mutants and tries them."""

    def __init__(self) -> None:
        limit_memory()
        self.made = Made()
        self.runtime = at_level(0, self.made)
        self.bases: dict[int, bytes | None] = {}
        self.refused = 0
        self.ran = 0

    def base(self, number: int) -> bytes:
        """An archive to alter; made once."""
        if number not in self.bases:
            self.bases[number] = _base(number)
        return self.bases[number] or self.base((number + 1) % BASES)

    def check(self, seed: int) -> list[Failure]:
        """What goes wrong with the mutant of a seed."""
        choices = random.Random(f"mutant {seed}")
        data = mutant(choices, self.base(choices.randrange(BASES)))
        self.made.clear()
        try:
            with limited(4 * SECONDS):
                archive = unpack(data, classes=current().compiler.archived_classes)
                checked = {name: entry.program(TABLE) for name, entry in archive.entries.items()}
        except ArchiveError:
            self.refused += 1
            return []
        except Exception as error:  # noqa: BLE001 - nothing else may come out
            return [Failure("load", type(error).__name__, last_lines(error))]
        out: list[Failure] = []
        try:
            for object_ in objects_of(archive):
                linked(object_)
        except Exception as error:  # noqa: BLE001 - as above
            out.append(Failure("link", type(error).__name__, last_lines(error)))
        for name, entry in archive.entries.items():
            scripts = self.runtime.scripts
            scripted = Scripted(scripts, name, entry=entry)
            vars(scripted)["program"] = checked[name]
            given = random.Random(seed)
            try:
                with limited(SECONDS):
                    observe(scripts.function(scripted, None), tuple(argument(given, p.type) for p in entry.params))
                self.ran += 1
            except (CompileError, Slow):
                continue
            except InternalFailure as error:
                cause = error.__cause__ or error
                if not was_slow(cause):
                    out.append(Failure("internal", shape_error(cause), f"{last_lines(cause)}\n{entry.ir}"))
        return out


def objects_of(archive: Archive) -> list[bytes]:
    """All native code of an archive."""
    kernels = [kernel.data for one in archive.kernels for kernel in one.kernels.values()]
    return [*(native.data for entry in archive.entries.values() for native in entry.native), *kernels]


def linked(data: bytes) -> None:
    """Put an object into the process, with some address for each symbol that it needs, and take it out again; nothing
    of it runs. That it is damaged is a `LoadError`."""
    session = current().compiler.session
    try:
        needed = session.missing(data)
        known = dict.fromkeys((*needed, *read_symbols(data).undefined), id(session))
        session._linker.link(data, known, (), lasting=False).free()
    except LoadError:
        return


def was_slow(error: BaseException | None) -> bool:
    """Whether an exception comes from the end of the time."""
    while error is not None and not isinstance(error, Slow):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def limited(seconds: float) -> Any:
    """Raise `Slow` after some time; compiled loops notice."""

    def ring(*_: object) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


NATIVE = """
import tscript

@tscript.script
def main() -> dict[str, int]:
    found: dict[str, int] = {}
    for word in "a b a".split():
        found[word] = found.get(word, 0) + 1
    return found
"""


def _base(number: int) -> bytes | None:
    """An archive to alter; the first one has native code and kernels."""
    if not number:
        return pack(archive_of({"main": LoadedModule(NATIVE).module.main}, native=True, observed=True))
    if number % 2:
        program = generate_of_ir(number)
        return None if program is None else pack(program)
    generated = generate(7000 + number, ALL)
    module = LoadedModule(generated.source)
    try:
        function = script(module.module.main)
        return pack(archive_of({"main": function}, metadata={"a": "1"}, extra_files={"x/y.txt": "text"}))
    except CompileError:
        return None
    finally:
        module.close()


def generate_of_ir(number: int) -> Archive | None:
    """An archive of random IR that the verifier takes."""
    for seed in range(100 * number, 100 * number + 20):
        try:
            found = generate_ir(seed, Apart)
            entry = EntryPoint(
                "f",
                found.params,
                found.result,
                "",
                "",
                found.text,
                _digest(found.text),
                classes=found.classes,
                tensors=found.tensors,
            )
            archive = Archive({"f": entry})
            unpack(pack(archive)).entries["f"].program(TABLE)
        except (ArchiveError, ValueError):
            continue
        return archive
    return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Alterations


def mutant(choices: random.Random, data: bytes) -> bytes:
    """An altered archive."""
    for _ in range(1 if choices.random() < 0.8 else 3):
        ways = (_bytes, _manifest, _ir, _members, _structure, _native)
        way = choices.choices(ways, (2, 3, 4, 1, 12, 40 if b"kernels.json" in data else 0))[0]
        data = way(choices, data)
    return data


def _bytes(choices: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(choices.randint(1, 4)):
        at = choices.randrange(len(out))
        match choices.randrange(6):
            case 0 | 1 | 2:
                out[at] = choices.randrange(256)
            case 3:
                out[at] ^= 1 << choices.randrange(8)
            case 4:
                del out[at : at + choices.randint(1, 40)]
            case _:
                out[at:at] = out[at : at + choices.randint(1, 40)]
        if not out:
            break
    return bytes(out) or b"PK"


def rebuilt(data: bytes, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """An archive with altered members, whose digests fit again."""
    try:
        manifest, members = opened(data)
    except (ArchiveError, ValueError):
        return data
    change(manifest, members)
    try:
        return sealed(manifest, members)
    except (ArchiveError, UnicodeError):
        return data


def _places(node: Any) -> list[tuple[Any, Any]]:
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    return [(node, k) for k in keys] + [p for k in keys for p in _places(node[k])]


def _manifest(choices: random.Random, data: bytes) -> bytes:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        for _ in range(choices.randint(1, 3)):
            # the class specs and signatures of entries more often than digests
            within = manifest.get("entries") if choices.random() < 0.7 else manifest
            places = _places(within) or _places(manifest)
            if not places:
                return
            node, key = choices.choice(places)
            match choices.randrange(5):
                case 0 | 1:
                    node[key] = copy.deepcopy(choices.choice(VALUES))
                case 2:
                    other, at = choices.choice(_places(manifest))
                    node[key] = json.loads(json.dumps(other[at]))
                case 3 if isinstance(node, list):
                    node.insert(choices.randrange(len(node) + 1), json.loads(json.dumps(node[key])))
                case 4:
                    del node[key]

    return rebuilt(data, change)


def _ir(choices: random.Random, data: bytes) -> bytes:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        names = [name for name in members if name.startswith("ir/")]
        if not names:
            return
        name = choices.choice(names)
        text = members[name].decode("utf-8", "replace")
        for _ in range(choices.randint(1, 2)):
            text = altered(choices, text)
        members[name] = text.encode("utf-8", "replace")
        entries = manifest.get("entries")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("ir") == name and "ir_digest" in entry:
                entry["ir_digest"] = hashlib.sha256(members[name]).hexdigest()

    return rebuilt(data, change)


def _structure(choices: random.Random, data: bytes) -> bytes:
    """With other nodes in a program."""
    try:
        archive = unpack(data, classes=Apart)
        entry = choices.choice(list(archive.entries.values()))
        program = parse_program(entry.ir, TABLE, handles=entry.tensors, classes=entry.types)
    except (ArchiveError, IRSyntaxError, IndexError):
        return data
    before = entry.ir
    for _ in range(choices.choice((1, 1, 2, 4))):
        restructure(choices, program)
    handles: list[object] = list(entry.tensors)
    try:
        text = print_program(program, spans=True, handles=handles)
    except RecursionError:
        return data
    for name, type in sorted(entry.types.items(), key=lambda item: -len(str(item[1]))):  # here they have other names
        text = re.sub(rf"(?<![\w.]){re.escape(str(type))}(?![\w.])", lambda _, name=name: name, text)  # type: ignore[misc]

    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        for item in manifest["entries"]:
            if members[item["ir"]].decode("utf-8", "surrogatepass") == before:
                members[item["ir"]] = text.encode("utf-8", "surrogatepass")
                item["ir_digest"] = hashlib.sha256(members[item["ir"]]).hexdigest()

    return rebuilt(data, change)


def altered(choices: random.Random, text: str) -> str:
    """IR with a token, an operator, a type, a number or a line that is another one."""
    lines = text.split("\n")
    if choices.random() < 0.12:
        at, other = choices.randrange(len(lines)), choices.randrange(len(lines))
        match choices.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case _:
                lines[at], lines[other] = lines[other], lines[at]
        return "\n".join(lines)
    at = choices.randrange(len(lines))
    line, _, place = lines[at].partition("  @ ")
    tokens = list(_TOKEN.finditer(line))
    if not tokens:
        return text
    token = choices.choice(tokens)
    new = _replacement(choices, token[0], text)
    lines[at] = line[: token.start()] + new + line[token.end() :] + (f"  @ {place}" if place else "")
    return "\n".join(lines)


def _replacement(choices: random.Random, token: str, text: str) -> str:
    words: list[str]
    if choices.random() < 0.1:
        return choices.choice(
            ("", token + token, choices.choice('%@(){}:=,"\\ \0é'), choices.choice(_TOKEN.findall(text)))
        )
    if token[0] == "%":
        words = re.findall(r"%[\w.]+", text)
        return choices.choice(words)
    if token[0] == "@":
        words = re.findall(r"@[\w.]+", text)
        return choices.choice(words)
    if token[0] == '"':
        return choices.choice(('""', '"x"', '"{0}"', '"\\ud800"', '"__record__"', '"args"'))
    if token in TABLE:
        words = [op.name for op in TABLE]
        return choices.choice(words)
    if re.fullmatch(r"-?[0-9.e+]+", token):
        return choices.choice(NUMBERS)
    if re.fullmatch(r"(?:[\w.]+\[.*\]|int|str|float|bool|Any|None|Tensor|bytes|Size)", token):
        words = [*TYPES, *re.findall(r"mod\.[A-Z]\w*|fuzz_program\.\w+", text)]
        return choices.choice(words)
    return choices.choice(("yield", "return", "if", "loop", "for", "const", "break", "raise", "unreachable", token))


def _native(choices: random.Random, data: bytes) -> bytes:
    """Alter what is said of native code, or the code."""

    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        listed = [name for name in members if name.startswith("native/")]
        if not listed:
            return
        name = choices.choice([*listed, *[n for n in listed if n.endswith(".json")] * len(listed)])
        if name.endswith(".o"):
            members[name] = _bytes(choices, members[name])
            return
        try:
            found = json.loads(members[name])
        except ValueError:
            return
        for _ in range(choices.randint(1, 3)):
            node, key = choices.choice(_places(found) or [([None], 0)])
            node[key] = choices.choice((*VALUES, members and choices.choice(list(members)), copy.deepcopy(node)))
        members[name] = json.dumps(found).encode("utf-8", "surrogatepass")

    return rebuilt(data, change)


def _members(choices: random.Random, data: bytes) -> bytes:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        if not members:
            return
        name = choices.choice(list(members))
        match choices.randrange(5):
            case 0:
                del members[name]
            case 1:
                members[
                    choices.choice(("ir/x.tsir", "../x", "code/f.py", name.upper(), name + "/x", "native/index.json"))
                ] = members[name]
            case 2:
                members[name] = members[choices.choice(list(members))]
            case 3:
                members[name] = bytes(choices.randrange(256) for _ in range(50))
            case _:
                members["native/index.json"] = json.dumps(
                    choices.choice(([], [{}], {}, [{"entry": "f"}], None))
                ).encode()
                if isinstance(manifest.get("members"), dict):
                    manifest["members"]["native/index.json"] = {}

    return rebuilt(data, change)


__all__ = ["Mutants", "altered", "mutant", "rebuilt"]
