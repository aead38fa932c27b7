"""The pickles of TorchScript, read as data.

A pickle is a program for a small machine, and Python's own reader calls whatever a pickle names. This one knows the 32
instructions that TorchScript's writer emits, and the globals of `_GLOBALS`: each of these is a record to make, none is
a function to call. Everything else is refused with its name and place.

The instructions are those of Python's ``pickletools``, protocol 2.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK
from tscript.archive.torchscript.values import Class, DeviceName, EnumMember, Object, Storage, Tagged, TensorData
from tscript.diagnostics.archives import ArchiveError
from tscript.types import DType, dtypes
from tscript.types.parsing import shortened

MAX_PICKLE_BYTES = 1 << 28
MAX_DEPTH = 200
"""Values inside each other."""
MAX_VALUES = 10_000_000
"""Values that a container may hold, with those of the containers in it, each counted where it stands."""
MAX_CODE_NAME = 512

_STORAGES: dict[str, DType] = {
    "BoolStorage": dtypes.BY_NAME["bool"],
    "ByteStorage": dtypes.BY_NAME["uint8"],
    "CharStorage": dtypes.BY_NAME["int8"],
    "ShortStorage": dtypes.BY_NAME["int16"],
    "IntStorage": dtypes.BY_NAME["int32"],
    "LongStorage": dtypes.BY_NAME["int64"],
    "HalfStorage": dtypes.BY_NAME["float16"],
    "BFloat16Storage": dtypes.BY_NAME["bfloat16"],
    "FloatStorage": dtypes.BY_NAME["float32"],
    "DoubleStorage": dtypes.BY_NAME["float64"],
    "ComplexFloatStorage": dtypes.BY_NAME["complex64"],
    "ComplexDoubleStorage": dtypes.BY_NAME["complex128"],
}

_QUANTISED = frozenset({"QInt8Storage", "QUInt8Storage", "QInt32Storage", "QUInt4x2Storage", "QUInt2x4Storage"})


class _Global:
    """Something of Python that a pickle names.

    Args:
        name: Its dotted name.
        make: Makes a value of the arguments that it is called with; None where it is only named.
    """

    __slots__ = ("make", "name")

    def __init__(self, name: str, make: Callable[[_Machine, tuple[Any, ...]], Any] | None = None) -> None:
        self.name = name
        self.make = make


class _Mark:
    """The place on the stack where arguments begin."""


_MARK = _Mark()
_HASHABLE = (str, int, float, bool, complex)


def read_pickle(data: bytes, member: str, folder: str) -> Any:
    """The value that a pickle holds.

    Args:
        data: The pickle.
        member: The member it is, for messages.
        folder: Where its storages are: ``data/`` for those of ``data.pkl``.

    Raises:
        ArchiveError: It is no pickle of TorchScript.
    """
    if len(data) > MAX_PICKLE_BYTES:
        raise ArchiveError(f"{member} has {len(data):,} bytes, {MAX_PICKLE_BYTES:,} are accepted")
    machine = _Machine(data, member, folder)
    found = machine.run()
    _refuse_endless(found, member)
    return found


class _Machine:
    """Runs the instructions of one pickle.

    Args:
        data, member, folder: See `read_pickle`.
    """

    def __init__(self, data: bytes, member: str, folder: str) -> None:
        self._data = data
        self._member = member
        self._folder = folder
        self._at = 0
        self._begin = 0
        self._opcode = "?"
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        """The value that is on the stack at the end."""
        if self._data[:2] != b"\x80\x02":
            raise ArchiveError(f"{self._member} is no pickle of protocol 2, which TorchScript writes")
        while True:
            self._begin = self._at
            self._opcode = "the end"
            code = self.cut(1)[0]
            if code == 0x2E:
                self._opcode = "STOP"
                if len(self.stack) != 1 or self._at != len(self._data):
                    raise self.error("there is more or less than one value at the end")
                return self._plain(self.stack[0])
            known = _OPCODES.get(code)
            if known is None:
                name = _OTHERS.get(code, f"0x{code:02x}")
                raise ArchiveError(
                    f"{self._member} has the pickle instruction {name} at byte {self._begin}, which TorchScript never "
                    "writes: it is not read"
                )
            self._opcode, act = known
            act(self)

    def error(self, what: str) -> ArchiveError:
        """What is wrong, with the instruction and its place."""
        return ArchiveError(f"{self._member} is damaged: {what} (instruction {self._opcode} at byte {self._begin})")

    # -- the bytes ---------------------------------------------------------------------------------------------------

    def cut(self, count: int) -> bytes:
        """The next bytes."""
        found = self._data[self._at : self._at + count]
        if len(found) != count:
            raise self.error("it is truncated")
        self._at += count
        return found

    def number(self, kind: str) -> Any:
        """The next bytes as a number of this format of `struct`."""
        return struct.unpack(kind, self.cut(struct.calcsize(kind)))[0]

    def line(self) -> str:
        """The text up to the end of the line."""
        end = self._data.find(b"\n", self._at, self._at + MAX_CODE_NAME)
        if end < 0:
            raise self.error("a name does not end")
        return self.text(self.cut(end + 1 - self._at)[:-1])

    def text(self, raw: bytes) -> str:
        """Bytes as text."""
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise self.error("a text is not UTF-8") from None

    # -- the stack ---------------------------------------------------------------------------------------------------

    def push(self, value: Any) -> None:
        """Put a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Any:
        """Take the last value."""
        if not self.stack or self.stack[-1] is _MARK:
            raise self.error("a value is missing")
        return self.stack.pop()

    def take(self, count: int) -> list[Any]:
        """The last values, in order."""
        return [self.pop() for _ in range(count)][::-1]

    def marked(self) -> list[Any]:
        """The values behind the last mark, which goes."""
        for at in range(len(self.stack) - 1, -1, -1):
            if self.stack[at] is _MARK:
                found = self.stack[at + 1 :]
                del self.stack[at:]
                return found
        raise self.error("a mark is missing")

    def named(self) -> None:
        """A global."""
        module, name = self.line(), self.line()
        path = f"{module}.{name}"
        found: object = _GLOBALS.get(path)
        if module == "torch" and name in _STORAGES:
            found = _STORAGES[name]
        elif module == "torch" and name in _QUANTISED:
            raise ArchiveError(f"{self._member} holds tensors of {name}: quantised tensors cannot be read")
        elif path == "torch._utils._rebuild_sparse_tensor":
            raise ArchiveError(f"{self._member} holds sparse tensors, which cannot be read: make them dense first")
        elif module == "__torch__" or module.startswith("__torch__."):
            if not all(part.isidentifier() for part in path.split(".")):
                raise self.error(f"{shortened(path)!r} is not the name of a class")
            found = Class(path)
        if found is None:
            raise ArchiveError(
                f"{self._member} names {shortened(path)!r} at byte {self._begin} (instruction GLOBAL): only classes of "
                "the archive and the tensors, lists and dicts of TorchScript are read, and nothing is ever called"
            )
        self.push(found)

    def called(self) -> None:
        """What a global stands for with its arguments."""
        target, arguments = self.take(2)
        if isinstance(target, Class) and isinstance(arguments, int | float | str):
            self.push(EnumMember(target, arguments))
            return
        if not isinstance(arguments, tuple):
            raise self.error("arguments are no tuple")
        if not isinstance(target, _Global) or target.make is None:
            raise self.error(f"{_described(target)} is called, which is none of the things that are read")
        self.push(target.make(self, arguments))

    def new(self) -> None:
        """An instance without attributes yet."""
        cls, arguments = self.take(2)
        if not isinstance(cls, Class) or arguments != ():
            raise self.error(f"an instance of {_described(cls)} is made: only those of the archive's classes are read")
        self.push(Object(cls))

    def build(self) -> None:
        """The attributes of an instance."""
        target, state = self.take(2)
        if not isinstance(target, Object) or target.is_built:
            raise self.error(f"attributes are given to {_described(target)}, which has none")
        if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
            raise self.error(f"the attributes of a {target.cls.name} are {_described(state)}, not a dict by name")
        target.state.update({name: self._plain(value) for name, value in state.items()})
        target.is_built = True
        self.push(target)

    def storage(self) -> None:
        """The elements of tensors."""
        found = self.pop()
        match found:
            case ("storage", DType() as dtype, str() as key, str(), int() as numel) if type(numel) is int:
                pass
            case _:
                raise self.error("what it says of the elements of a tensor is not (storage, dtype, key, device, count)")
        if not key or not all(char.isalnum() or char in "_-" for char in key) or len(key) > 64:
            raise self.error(f"{shortened(key)!r} is not the name of a member with elements")
        if not 0 <= numel <= (1 << 40):
            raise self.error(f"the elements {key} are {numel}")
        self.push(Storage(self._folder + key, dtype, numel))

    def remembered(self, key: int) -> None:
        """Keep the last value under a number."""
        if not self.stack or self.stack[-1] is _MARK:
            raise self.error("a value is missing")
        self.memo[key] = self.stack[-1]

    def recalled(self, key: int) -> None:
        """A value that was kept."""
        if key not in self.memo:
            raise self.error(f"nothing was kept under {key}")
        self.push(self.memo[key])

    def items(self, values: list[Any]) -> None:
        """Fill the dict on the stack."""
        target = self.stack[-1] if self.stack else None
        if not isinstance(target, dict) or len(values) % 2:
            raise self.error(f"items are put into {_described(target)}")
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, _HASHABLE):
                raise self.error(f"{_described(key)} is the key of a dict")
            target[key] = self._plain(value)

    def elements(self, values: list[Any]) -> None:
        """Lengthen the list on the stack."""
        target = self.stack[-1] if self.stack else None
        if not isinstance(target, list):
            raise self.error(f"elements are put into {_described(target)}")
        target += map(self._plain, values)

    def tupled(self, values: list[Any]) -> None:
        """A tuple."""
        self.push(tuple(values))

    def _plain(self, value: Any) -> Any:
        """A value, unless it is a name that stands for nothing by itself."""
        if isinstance(value, _Global | Class | Storage | DType):
            raise self.error(f"{_described(value)} stands where a value belongs")
        return value


def _described(value: object) -> str:
    match value:
        case _Global() | Class():
            return f"'{shortened(value.name)}'"
        case Storage():
            return "the elements of a tensor"
        case DType():
            return f"the dtype {value.name}"
        case Object(cls):
            return f"an instance of '{shortened(cls.name)}'"
    return f"a {type(value).__name__}"


# -- what globals stand for ------------------------------------------------------------------------------------------


def _tensor(machine: _Machine, arguments: tuple[Any, ...]) -> TensorData:
    match arguments:
        case (Storage() as storage, int() as offset, tuple() as size, tuple() as stride, bool() as grad, dict(), *more):
            pass
        case _:
            raise machine.error(
                "what it says of a tensor is not (elements, offset, size, stride, requires_grad, hooks)"
            )
    if len(more) > 1 or len(size) != len(stride) or len(size) > MAX_RANK:
        raise machine.error(f"a tensor has {len(size)} dimensions and {len(stride)} strides")
    if any(type(n) is not int or not 0 <= n < 1 << 62 for n in (offset, *size, *stride)):
        raise machine.error("a size, a stride or an offset of a tensor is not a whole number from 0")
    last = -1 if 0 in size else sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if offset + last >= storage.numel or math.prod(max(n, 1) for n in size) >= 1 << 62:
        raise machine.error(
            f"a tensor of shape {list(size)}, strides {list(stride)}, at {offset} leaves its {storage.numel} elements"
        )
    return TensorData(storage, offset, size, stride, grad)


def _quantised(machine: _Machine, arguments: tuple[Any, ...]) -> Any:
    raise ArchiveError("it holds quantised tensors, which cannot be read: convert the model to floats first")


def _tagged(machine: _Machine, arguments: tuple[Any, ...]) -> Tagged:
    match arguments:
        case (list() | dict() as value, str() as type):
            return Tagged(value, type)
    raise machine.error("a type is given to what is no list and no dict")


def _list_of(element: str, *kinds: type) -> Callable[[_Machine, tuple[Any, ...]], Tagged]:
    def make(machine: _Machine, arguments: tuple[Any, ...]) -> Tagged:
        match arguments:
            case (list() as value,) if all(isinstance(v, kinds) for v in value):
                return Tagged(value, f"List[{element}]")
        raise machine.error(f"a list of {element} has other elements")

    return make


def _ordered(machine: _Machine, arguments: tuple[Any, ...]) -> dict[Any, Any]:
    if arguments:
        raise machine.error("OrderedDict is called with arguments")
    return {}


def _complex(machine: _Machine, arguments: tuple[Any, ...]) -> complex:
    match arguments:
        case (int() | float() as real, int() | float() as imaginary):
            return complex(real, imaginary)
    raise machine.error("a complex number is not two numbers")


def _device(machine: _Machine, arguments: tuple[Any, ...]) -> DeviceName:
    match arguments:
        case (str() as name,) | (str() as name, int()):
            return DeviceName(name)
    raise machine.error("a device is not named by text")


_GLOBALS: dict[str, _Global] = {
    made.name: made
    for made in (
        _Global("torch._utils._rebuild_tensor_v2", _tensor),
        _Global("torch._utils._rebuild_qtensor", _quantised),
        _Global("torch.per_tensor_affine"),
        _Global("torch.per_channel_affine"),
        _Global("torch.device", _device),
        _Global("collections.OrderedDict", _ordered),
        _Global("builtins.complex", _complex),
        _Global("torch.jit._pickle.restore_type_tag", _tagged),
        _Global("torch.jit._pickle.build_intlist", _list_of("int", int)),
        _Global("torch.jit._pickle.build_doublelist", _list_of("float", float)),
        _Global("torch.jit._pickle.build_boollist", _list_of("bool", bool)),
        _Global("torch.jit._pickle.build_tensorlist", _list_of("Tensor", TensorData)),
    )
}


# -- the instructions ------------------------------------------------------------------------------------------------


def _proto(machine: _Machine) -> None:
    if machine.number("B") != 2:
        raise machine.error("the protocol is not 2")


def _string(machine: _Machine) -> None:
    machine.push(machine.text(machine.cut(machine.number("<I"))))


def _long(machine: _Machine) -> None:
    found = int.from_bytes(machine.cut(machine.number("B")), "little", signed=True)
    if not -(1 << 63) <= found < 1 << 63:
        raise machine.error("an int does not fit 64 bits")
    machine.push(found)


_Act = Callable[[_Machine], None]
_OPCODES: dict[int, tuple[str, _Act]] = {
    0x80: ("PROTO", _proto),
    ord("c"): ("GLOBAL", _Machine.named),
    ord("q"): ("BINPUT", lambda m: m.remembered(m.number("B"))),
    ord("r"): ("LONG_BINPUT", lambda m: m.remembered(m.number("<I"))),
    ord("h"): ("BINGET", lambda m: m.recalled(m.number("B"))),
    ord("j"): ("LONG_BINGET", lambda m: m.recalled(m.number("<I"))),
    ord("("): ("MARK", lambda m: m.push(_MARK)),
    ord(")"): ("EMPTY_TUPLE", lambda m: m.push(())),
    ord("}"): ("EMPTY_DICT", lambda m: m.push({})),
    ord("]"): ("EMPTY_LIST", lambda m: m.push([])),
    ord("t"): ("TUPLE", lambda m: m.tupled(m.marked())),
    0x85: ("TUPLE1", lambda m: m.tupled(m.take(1))),
    0x86: ("TUPLE2", lambda m: m.tupled(m.take(2))),
    0x87: ("TUPLE3", lambda m: m.tupled(m.take(3))),
    ord("X"): ("BINUNICODE", _string),
    ord("K"): ("BININT1", lambda m: m.push(m.number("B"))),
    ord("M"): ("BININT2", lambda m: m.push(m.number("<H"))),
    ord("J"): ("BININT", lambda m: m.push(m.number("<i"))),
    0x8A: ("LONG1", _long),
    ord("G"): ("BINFLOAT", lambda m: m.push(m.number(">d"))),
    ord("N"): ("NONE", lambda m: m.push(None)),
    0x88: ("NEWTRUE", lambda m: m.push(True)),
    0x89: ("NEWFALSE", lambda m: m.push(False)),
    ord("s"): ("SETITEM", lambda m: m.items(m.take(2))),
    ord("u"): ("SETITEMS", lambda m: m.items(m.marked())),
    ord("a"): ("APPEND", lambda m: m.elements(m.take(1))),
    ord("e"): ("APPENDS", lambda m: m.elements(m.marked())),
    ord("Q"): ("BINPERSID", _Machine.storage),
    ord("R"): ("REDUCE", _Machine.called),
    0x81: ("NEWOBJ", _Machine.new),
    ord("b"): ("BUILD", _Machine.build),
}

_OTHERS: dict[int, str] = {
    ord("0"): "POP",
    ord("1"): "POP_MARK",
    ord("2"): "DUP",
    ord("F"): "FLOAT",
    ord("I"): "INT",
    ord("L"): "LONG",
    ord("P"): "PERSID",
    ord("S"): "STRING",
    ord("T"): "BINSTRING",
    ord("U"): "SHORT_BINSTRING",
    ord("V"): "UNICODE",
    ord("d"): "DICT",
    ord("g"): "GET",
    ord("i"): "INST",
    ord("l"): "LIST",
    ord("o"): "OBJ",
    ord("p"): "PUT",
    ord("B"): "BINBYTES",
    ord("C"): "SHORT_BINBYTES",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x8B: "LONG4",
    0x8C: "SHORT_BINUNICODE",
    0x8D: "BINUNICODE8",
    0x8E: "BINBYTES8",
    0x8F: "EMPTY_SET",
    0x90: "ADDITEMS",
    0x91: "FROZENSET",
    0x92: "NEWOBJ_EX",
    0x93: "STACK_GLOBAL",
    0x94: "MEMOIZE",
    0x95: "FRAME",
    0x96: "BYTEARRAY8",
    0x97: "NEXT_BUFFER",
    0x98: "READONLY_BUFFER",
}
"""Instructions of Python's pickles that TorchScript never writes, by name for the message."""


# -- the whole -------------------------------------------------------------------------------------------------------


def _parts(value: object) -> list[Any]:
    match value:
        case dict():
            return [*value.values()]
        case list() | tuple():
            return [*value]
        case Object(state=state):
            return [*state.values()]
        case Tagged(value=inner):
            return [inner]
    return []


def _refuse_endless(root: object, member: str) -> None:
    """Refuse values that hold themselves, that lie too deep, or that are too many once each is counted where it
    stands."""
    sizes: dict[int, tuple[int, int]] = {}
    open_: set[int] = set()
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        value, is_left = pending.pop()
        parts = _parts(value)
        key = id(value)
        if is_left:
            open_.discard(key)
            known = [sizes[id(part)] for part in parts]
            shared = isinstance(value, Object)  # an instance is one, however often it is named
            count = 1 + sum(size for size, _ in known)
            depth = 1 + max((deep for _, deep in known), default=0)
            if count > MAX_VALUES or depth > MAX_DEPTH:
                raise ArchiveError(
                    f"{member} holds values too deep inside each other, or too many: {MAX_DEPTH} deep and "
                    f"{MAX_VALUES:,} are accepted"
                )
            sizes[key] = (1 if shared else count, depth)
        elif key in open_ and parts:
            raise ArchiveError(f"{member} holds a {type(value).__name__} that holds itself, which cannot be read")
        elif key not in sizes:
            if not parts:
                sizes[key] = (1, 1)
                continue
            open_.add(key)
            pending.append((value, True))
            pending += [(part, False) for part in parts]
