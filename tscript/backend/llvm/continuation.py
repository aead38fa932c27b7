"""The rest of a function from the safepoint of a loop on, as a function of what is alive there.

A call that is in quick code while better code is ready goes on in it (`tscript.backend.llvm.counting`). Both are made
of one text, in which places at safepoints name what is alive (`tscript.backend.nodes.resuming`). So the rest of the
function is its own blocks, entered at another one: inner loops, handlers of exceptions and cleanups are among them, and
each reference is owned by who owned it.

Entered in its middle, a loop would be none to LLVM. So blocks are copied, a version for each loop around the place: the
iteration that began in quick code ends in one version, and those that follow are in the next, where the loop is whole::

    for i in a:                   the rest of the body of `for j`        version 3
        for j in b:       =>      `for j`, the rest of that of `for i`   version 2
            ...                   `for i`, and what is behind it         version 1

A value that several blocks use lies in a stack slot, which LLVM's passes turn into phis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tscript.abi.symbols import CONTINUATION
from tscript.backend.llvm.emitted import MARK
from tscript.late import dataclass, field


class ContinuationError(ValueError):
    """A place has no continuation: calls stay in quick code."""


_FUNCTION = re.compile(r"^define [^\n]*\{\n.*?^\}\n?", re.MULTILINE | re.DOTALL)
_GLOBAL = re.compile(r'@(?:"[^"]*"|[\w.$]+)')
_VALUE = re.compile(r"%([\w.$]+)")
_LABEL = re.compile(r"label %([\w.$]+)")
_DEFINITION = re.compile(r"  %([\w.$]+) = (.*)")
_PHI = re.compile(r"phi (.+?) \[")
_EDGE = re.compile(r"\[ ?([^\]]+?), %([\w.$]+) ?\]")
_TYPE = re.compile(r"(?:^|(?<= ))(?:<[^>]*>|\{[^}]*\}|\[[^\]]*\]|i\d+|half|bfloat|float|double|ptr)(?=[ ,])")
_CASTS = frozenset(
    {"zext", "sext", "trunc", "fpext", "fptrunc", "fptosi", "fptoui", "sitofp", "uitofp", "ptrtoint", "inttoptr"}
    | {"bitcast", "addrspacecast"}
)
_ENDS = ("  br ", "  ret ", "  unreachable")


def continuation(text: str, number: int) -> str:
    """The module of a continuation, which it exports as `CONTINUATION`, and of what that calls.

    Args:
        text: A module with places.
        number: Of the place.

    Raises:
        ContinuationError: There is no such place, or it does not name all that is alive there.
    """
    place = next((m for m in re.finditer(MARK, text) if int(m[1]) == number), None)
    functions = list(_FUNCTION.finditer(text))
    inside = next((m[0] for m in functions if place is not None and m.start() < place.start() < m.end()), None)
    if place is None or inside is None:
        raise ContinuationError(f"no place has the number {number}")
    rest = _Rest(inside, place).text()
    bodies = {_GLOBAL.findall(m[0].partition("(")[0])[0]: m[0] for m in functions}
    wanted: set[str] = set()
    pending = [_FUNCTION.sub("", text), rest]
    while pending:
        found = (bodies.keys() & _GLOBAL.findall(pending.pop())) - wanted
        wanted |= found
        pending += [bodies[name] for name in found]
    kept = {body for name, body in bodies.items() if name in wanted}
    others = _FUNCTION.sub(lambda m: _INTERNAL.sub("define internal ", m[0]) if m[0] in kept else "", text)
    return f"{re.sub(MARK, '', others)}\n{rest}\n"


_INTERNAL = re.compile(r"\Adefine (?!internal )")


@dataclass(slots=True)
class _Block:
    """A block.

    Attributes:
        phis: Name and type of each, and its operands by the block they come from.
        lines: Other instructions.
        defined: The instructions that define values, by name.
        end: The last instruction.
        following: Where it leads.
    """

    phis: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    defined: dict[str, str] = field(default_factory=dict)
    end: str = ""
    following: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """One more instruction."""
        if line.startswith(_ENDS):
            self.end, self.following = line, list(dict.fromkeys(_LABEL.findall(line)))
            return
        definition = _DEFINITION.match(line)
        if definition is not None:
            name, instruction = definition.groups()
            self.defined[name] = instruction
            phi = _PHI.match(instruction)
            if phi is not None:
                self.phis.append((name, phi[1], {label: value for value, label in _EDGE.findall(instruction)}))
                return
        self.lines.append(line)

    def names(self) -> Iterator[str]:
        """The values that it uses itself."""
        for line in self.lines:
            definition = _DEFINITION.match(line)
            yield from _VALUE.findall(line if definition is None else definition[2])
        yield from _VALUE.findall(_LABEL.sub("", self.end))


class _Rest:
    """A continuation.

    Args:
        function: The text of the function.
        place: The place in it.
    """

    def __init__(self, function: str, place: re.Match[str]) -> None:
        given = [item.rpartition(" ") for item in place[2].split(", ")]
        # What stands for a constant object of this text is that of quick code, where its references are counted.
        owned = [name for _, _, name in given if name.startswith("@")]
        constants = {name: f"%constant${number}" for number, name in enumerate(owned)}
        for name, stand_in in constants.items():
            function = re.sub(rf"{re.escape(name)}(?![\w.$])", stand_in, function)
        self._given = [(type, constants.get(name, name)[1:]) for type, _, name in given]
        self._slots = [(type, name[1:]) for type, _, name in (i.rpartition(" ") for i in _items(place[3]))]
        self._blocks, self._at = _parsed(function, int(place[1]))
        entry = next(iter(self._blocks))
        self._frame = list(_frame(self._blocks[entry]))
        outs = {name for _, name in self._given if name.startswith("out") and name[3:].isdecimal()}
        self._fixed = {"ctx", *outs, *(m[1] for line in self._frame for m in [_DEFINITION.match(line)] if m)}
        # The block that is entered first is the end of the place.
        start = _Block(end=self._blocks[self._at].end, following=self._blocks[self._at].following)
        self._blocks[""] = start
        for label in start.following:
            for _, _, operands in self._blocks[label].phis:
                operands[""] = operands[self._at]
        self._loops = _loops_around(self._blocks, entry, self._at)
        self._used = {label: self._uses(label) for label in self._reached("")}
        self._check()
        self._crossing = set().union(*self._used.values(), {name for _, name in self._given} - self._fixed)
        self._types = {n: t for t, n in self._given}
        self._loads = 0

    def _reached(self, first: str) -> list[str]:
        found, pending = {first: None}, [first]
        while pending:
            new = [label for label in self._blocks[pending.pop()].following if label not in found]
            found |= dict.fromkeys(new)
            pending += new
        return list(found)

    def _uses(self, label: str) -> set[str]:
        """The values of other blocks that a block uses, itself or on its edges."""
        block = self._blocks[label]
        names = set(block.names())
        for _, _, operands in (phi for after in block.following for phi in self._blocks[after].phis):
            names.update(_VALUE.findall(operands[label]))
        return names - block.defined.keys() - self._fixed

    def _check(self) -> None:
        """What is alive at the place is given."""
        before: dict[str, list[str]] = {label: [] for label in self._used}
        for label in self._used:
            for after in self._blocks[label].following:
                before[after].append(label)
        alive = {label: set(names) for label, names in self._used.items()}
        pending = list(alive)
        while pending:
            label = pending.pop()
            for earlier in before[label]:
                more = alive[label] - self._blocks[earlier].defined.keys() - alive[earlier]
                if more:
                    alive[earlier] |= more
                    pending.append(earlier)
        lacking = alive[""] - {name for _, name in self._given}
        if lacking:
            raise ContinuationError(f"not given: {', '.join(sorted(lacking))}")

    def text(self) -> str:
        """The function."""
        parameters, stores = ["ptr %ctx"], []
        for type, name in self._given:
            if name in self._fixed:
                parameters.append(f"{type} %{name}")
            else:
                parameters.append(f"{type} %{name}$given")
                stores.append(f"  store {type} %{name}$given, ptr %{name}$slot")
        for type, name in self._slots:
            parameters.append(f"{type} %{name}$given")
            stores.append(f"  store {type} %{name}$given, ptr %{name}")
        first = ("", len(self._loops) + 1)
        code: list[str] = []
        known, pending = {first}, [first]
        while pending:
            label, version = pending.pop()
            after = {to: self._version(to, version) for to in self._blocks[label].following}
            code += self._copy(label, version, after)
            new = after.items() - known
            known |= new
            pending += sorted(new)
        edges = {name: type for label, _ in known for name, type, _ in self._blocks[label].phis}
        slots = [f"  %{name}$slot = alloca {self._type(name)}" for name in sorted(self._crossing)]
        slots += [f"  %{name}$edge = alloca {type}" for name, type in edges.items()]
        head = f"define i32 @{CONTINUATION}({', '.join(parameters)}) #0 {{"
        return "\n".join([head, "entry:", *self._frame, *slots, *stores, f"  br label %{_copied(*first)}", *code, "}"])

    def _version(self, label: str, version: int) -> int:
        """The version of a block that one in `version` leads to."""
        for number, (header, _) in enumerate(self._loops[: version - 1], 1):
            if header == label:
                return number
        return min(version, 1 + sum(label in body for _, body in self._loops))

    def _copy(self, label: str, version: int, after: Mapping[str, int]) -> Iterator[str]:
        """The lines of a version of a block."""
        block = self._blocks[label]
        yield f"{_copied(label, version)}:"
        names = {name: f"%{name}${version}" for name in block.defined}
        names |= {name: f"%{name}" for name in self._fixed}
        for name, type, _ in block.phis:
            yield f"  {names[name]} = load {type}, ptr %{name}$edge"
        for name in sorted(self._used[label]):
            self._loads += 1
            names[name] = f"%{name}${version}.{self._loads}"
            yield f"  {names[name]} = load {self._type(name)}, ptr %{name}$slot"

        def renamed(text: str) -> str:
            return _VALUE.sub(lambda m: names[m[1]], text)

        yield from map(renamed, block.lines)
        for name in (n for n in block.defined if n in self._crossing):
            yield f"  store {self._type(name)} {names[name]}, ptr %{name}$slot"
        for to in after:
            for name, type, operands in self._blocks[to].phis:
                yield f"  store {type} {renamed(operands[label])}, ptr %{name}$edge"
        names |= {to: f"%{_copied(to, number)}" for to, number in after.items()}
        yield renamed(block.end)

    def _type(self, name: str) -> str:
        found = self._types.get(name)
        if found is None:
            instruction = next(b.defined[name] for b in self._blocks.values() if name in b.defined)
            found = self._types[name] = type_of(instruction)
        return found


def _copied(label: str, version: int) -> str:
    return f"{label or 'resume'}${version}"


def _items(text: str) -> list[str]:
    return [item for item in text.strip().split(", ") if item]


def _parsed(function: str, number: int) -> tuple[dict[str, _Block], str]:
    """The blocks of a function, and the label of that with a place."""
    blocks: dict[str, _Block] = {}
    label = at = ""
    for line in function.rstrip().splitlines()[1:-1]:
        if not line.startswith(" "):
            label = line[:-1]
            blocks[label] = _Block()
        elif line.startswith("  ;"):
            if line.startswith(f"  ; resume {number}:"):
                at = label
        else:
            blocks[label].add(line)
    return blocks, at


def _frame(entry: _Block) -> Iterator[str]:
    """The stack slots that the entry begins with, and what they hold at first."""
    names: set[str] = set()
    for line in entry.lines:
        definition = _DEFINITION.match(line)
        if definition is not None and definition[2].startswith("alloca "):
            names.add(definition[1])
        elif not line.startswith("  store ") or line.rpartition("%")[2] not in names or line.count("%") > 1:
            return
        yield line


def _loops_around(blocks: Mapping[str, _Block], entry: str, at: str) -> list[tuple[str, set[str]]]:
    """Header and blocks of each loop with a block, from the outermost to the innermost."""
    before: dict[str, list[str]] = {label: [] for label in blocks}
    for label, block in blocks.items():
        for after in block.following if label else ():
            before[after].append(label)
    loops: dict[str, set[str]] = {}
    for header, latch in _back_edges(blocks, entry):
        body = loops.setdefault(header, {header})
        pending = [latch]
        while pending:
            label = pending.pop()
            if label not in body:
                body.add(label)
                pending += before[label]
    around = [(header, body) for header, body in loops.items() if at in body]
    return sorted(around, key=lambda loop: -len(loop[1]))


def _back_edges(blocks: Mapping[str, _Block], entry: str) -> Iterator[tuple[str, str]]:
    """The edges back to the header of a loop, as header and where they come from: all loops have one entry."""
    path = {entry: iter(blocks[entry].following)}
    seen = {entry}
    while path:
        label = next(reversed(path))
        after = next(path[label], None)
        if after is None:
            del path[label]
        elif after in path:
            yield after, label
        elif after not in seen:
            seen.add(after)
            path[after] = iter(blocks[after].following)


def type_of(instruction: str) -> str:
    """The LLVM type of what an instruction of ours gives.

    Raises:
        ContinuationError: It is not known.

    Example:
        >>> type_of("icmp slt <4 x i64> %a, %b"), type_of("select i1 %c, double %a, double %b")
        ('<4 x i1>', 'double')
    """
    types: list[str] = _TYPE.findall(instruction + " ")
    match instruction.partition(" ")[0]:
        case "getelementptr" | "alloca" if not any(t.startswith("<") for t in types[1:]):
            return "ptr"
        case cast if cast in _CASTS and types:
            return types[-1]
        case "icmp" | "fcmp" if types:
            return re.sub(r"x [^>]*>", "x i1>", types[0]) if types[0].startswith("<") else "i1"
        case "select" if len(types) > 1:
            return types[1]
        case "extractvalue" if types and instruction.rpartition(", ")[2].isdecimal():
            return types[0].strip("{} ").split(", ")[int(instruction.rpartition(", ")[2])]
        case "extractelement" if types:
            return types[0].strip("<>").partition(" x ")[2]
        case "shufflevector" if len(types) > 2:
            return f"{types[2].partition(' x ')[0]} x {types[0].partition(' x ')[2]}"
        case "getelementptr" | "alloca" | "atomicrmw" | "cmpxchg":
            pass
        case _ if types:
            return types[0]
    raise ContinuationError(f"the type of this is not known: {instruction}")


__all__: Sequence[str] = ("ContinuationError", "continuation", "type_of")
