"""Values on the command line: inputs, signatures, ``FILE.py:name``."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tscript.cli.errors import UsageError
from tscript.cli.input_files import SUFFIXES, from_json, values_of_file

if TYPE_CHECKING:
    from tscript.archive import Archive
    from tscript.ir.graph import Param
    from tscript.types import DType, Type

_TENSOR = re.compile(r"^(?P<shape>(?:\d+x)*)(?P<dtype>[a-z]+\d+)=(?P<values>.+)$")
_RANDOM = re.compile(r"^(?P<dtype>[a-z]+\d*)\[(?P<shape>[\d, ]*)\]$")
_SHORT = {
    "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "b8": "bool", "f16": "float16", "bf16": "bfloat16", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip

_WRITTEN = "\"'[({"

INPUT_HELP = (
    "An argument, by position or as NAME=VALUE: a number, true, false, none, a text (for a str), a list or "
    "another Python literal, a file FILE.npy, FILE.png or @FILE.json, @FILE.npz or @FILE.safetensors (all its arrays "
    "by name), SHAPExDTYPE=VALUES such as 2x3xf32=0 or 3xi64=1,2,3, or DTYPE[SHAPE] such as float32[1,3,224,224] for "
    "random numbers, the same each time. Repeat for several."
)


def split_source(text: str) -> tuple[Path, str | None]:
    """``FILE.py`` or ``FILE.py:name``, split.

    Raises:
        UsageError: The file does not exist.
    """
    path, name = Path(text), None
    if not path.exists() and ":" in text:
        file, _, name = text.rpartition(":")
        path = Path(file)
    if not path.is_file():
        raise UsageError(f"{path}: {'no plain file, it cannot be read' if path.exists() else 'no such file'}")
    return path, name


def read(path: Path) -> bytes:
    """The bytes of a file named on the command line.

    Raises:
        UsageError: It does not exist or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError):
        return UsageError(f"{path}: no such file")
    return UsageError(f"{path}: cannot be read: {error.strerror or error}")


def is_archive(path: Path) -> bool:
    """Whether a file named on the command line begins like an archive.

    Raises:
        UsageError: It does not exist or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(2) == b"PK"
    except OSError as error:
        raise _unreadable(path, error) from None


def read_archive(path: Path) -> Archive:
    """The archive named on the command line; its extra files are left where they are.

    Raises:
        UsageError: It does not exist or cannot be read.
        ArchiveError: It is no valid archive.
    """
    from tscript.archive import read_archive as read_
    from tscript.runtime.session.process import current

    try:
        return read_(path, classes=current().compiler.archived_classes)
    except OSError as error:
        raise _unreadable(path, error) from None


def pairs(option: str, texts: list[str] | None, form: str) -> dict[str, str]:
    """The values of an option that is repeated to give a mapping, such as ``--meta KEY=VALUE``.

    Args:
        option: Its name, for messages.
        texts: Its values.
        form: What each looks like: ``KEY=VALUE``.

    Raises:
        UsageError: One has no ``=``, nothing before it, is not UTF-8, or repeats the key of another.
    """
    found: dict[str, str] = {}
    for text in texts or ():
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f"{option} {text!r}: expected {form}")
        if key in found:
            raise UsageError(f"{option} {text!r}: {key!r} is given twice")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{option} {text!r}: it is not UTF-8 text") from None
        found[key] = value
    return found


def parse_input(text: str, params: Sequence[Param] = (), position: int = 0) -> tuple[str | None, Any]:
    """One ``--input``: its parameter name (None: by position) and value; ``@FILE.npz`` gives a dict and the name ``*``.

    Args:
        text: What was written.
        params: The parameters of the function. What is written for a str is its text, as it is.
        position: Which of them an input without a name is for.

    Raises:
        UsageError: It is none of the accepted forms, or the file cannot be read.
    """
    name, sign, rest = text.partition("=")
    if sign and name.isidentifier() and not _TENSOR.match(text):
        at = next((i for i, p in enumerate(params) if p.name == name), len(params))
        return name, _typed(rest, params[at].type if at < len(params) else None, at)
    value = _typed(text, params[position].type if position < len(params) else None, position)
    return ("*", value) if isinstance(value, dict) and not _is_written(text) else (None, value)


def _is_written(text: str) -> bool:
    """Whether a value is written out as in Python: a text in quotes, a list, a tuple, a dict."""
    return text[:1] in _WRITTEN and len(text) > 1


def _typed(text: str, type: Type | None, position: int) -> Any:
    """The value of a text where one of a type (None: of any) is wanted."""
    from tscript.travel.json_values import has_class
    from tscript.types import NONE, STR, members_of

    if type is not None and has_class(type):
        return _of_class(text, type)
    if _is_written(text):
        return _written(text, type)
    if type is not None and not text.startswith("@"):
        members = members_of(type)
        if STR in members and not (NONE in members and text in ("none", "None")):
            return text
    return _value(text, position)


def _of_class(text: str, type: Type) -> Any:
    """An instance that is written as JSON, or as a literal of Python, or lies in a file of JSON."""
    if text.endswith(".json"):
        path = Path(text.removeprefix("@"))
        try:
            return _instance(json.loads(read(path)), type, text)
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from None
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = text
    return _instance(value, type, text)


def _instance(value: Any, type: Type, text: str) -> Any:
    """A value of a type that JSON says."""
    from tscript.travel.json_values import from_json as read_json

    try:
        return read_json(value, type)
    except TypeError as error:
        raise UsageError(f"--input {text!r}: {error}") from None


def _written(text: str, type: Type | None) -> Any:
    """The value of a Python literal, which is no code."""
    from tscript.types import TensorType

    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(
            f"--input {text!r}: this is not a Python literal; a text with such a beginning needs quotes"
        ) from None
    return from_json(value) if isinstance(type, TensorType) and isinstance(value, list) else value


def _value(text: str, position: int) -> Any:
    file = text.removeprefix("@")
    if text.startswith("@") or text.endswith(SUFFIXES):
        return values_of_file(Path(file))
    if found := _TENSOR.match(text):
        return _literal_tensor(found["shape"], found["dtype"], found["values"], text)
    if found := _RANDOM.match(text):
        return _random_tensor(found["dtype"], found["shape"], text, position)
    words = {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    raise UsageError(
        f"--input {text!r}: expected a number, true, false, none, a text in quotes, a list, a .npy, .npz, "
        ".safetensors, .json or .png file, SHAPExDTYPE=VALUES, or DTYPE[SHAPE] for random numbers"
    )


def _literal_tensor(shape: str, dtype: str, values: str, text: str) -> Any:
    import numpy as np

    from tscript.runtime.session.process import from_numpy

    known = _dtype(dtype, text)
    sizes = [int(n) for n in shape.split("x") if n]
    try:
        numbers = [float(v) if known.is_floating_point else int(v) for v in values.split(",")]
        if len(numbers) == 1:
            array = np.full(sizes, numbers[0], known.name)
        else:
            array = np.array(numbers, known.name).reshape(sizes)
    except (ValueError, OverflowError, MemoryError) as error:
        raise UsageError(f"--input {text!r}: {error}") from None
    return from_numpy(array)


def _dtype(name: str, text: str) -> DType:
    from tscript.types import dtypes

    known = dtypes.BY_NAME.get(_SHORT.get(name, name))
    if known is None:
        raise UsageError(f"--input {text!r}: unknown dtype {name!r}, expected one of {', '.join(_SHORT)}")
    return known


def _random_tensor(dtype: str, shape: str, text: str, position: int) -> Any:
    """Numbers that are the same each time: normal ones, whole ones from 0 to 9, or bools."""
    import numpy as np

    from tscript.runtime.session.process import from_numpy

    known = _dtype(dtype, text)
    random = np.random.default_rng(position)
    try:
        sizes = [int(n) for n in shape.split(",") if n.strip()]
        if known.is_complex:
            array = random.standard_normal(sizes) + 1j * random.standard_normal(sizes)
        elif known.is_floating_point:
            array = random.standard_normal(sizes)
        else:
            array = random.integers(0, 2 if known.name == "bool" else 10, sizes)
        return from_numpy(np.asarray(array)).to(known)
    except (ValueError, MemoryError) as error:
        raise UsageError(f"--input {text!r}: {error}") from None


def parse_signature(text: str) -> tuple[str | None, tuple[object, ...]]:
    """``name(type, …)`` or ``(type, …)`` in the syntax of IR types: the entry point and the argument types. In place of
    a type a value may stand: a number, a bool, a str in quotes, None, or a dtype such as ``float32``.

    Raises:
        UsageError: It is not a signature.
    """
    from tscript.types import dtypes
    from tscript.types import parse_type as parse

    name, sign, rest = text.partition("(")
    if not sign or not rest.endswith(")"):
        raise UsageError(f"--signature {text!r}: expected name(type, …), for instance train(Tensor[float32, 2], int)")
    inner = rest[:-1].strip()
    found: list[object] = []
    for item in _items(inner):
        if item in dtypes.BY_NAME:
            found.append(dtypes.BY_NAME[item])
            continue
        try:
            found.append(parse(item))
        except ValueError as error:
            try:
                found.append(ast.literal_eval(item))
            except (ValueError, SyntaxError):
                raise UsageError(f"--signature {text!r}: {error}") from None
    return name.strip() or None, tuple(found)


def _items(text: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [item.strip() for item in found] if text else []
