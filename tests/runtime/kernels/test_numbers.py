"""Numbers as text and text as numbers, in both ways to run kernels, against CPython."""

# mypy: disable-error-code="no-any-return, union-attr"

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.runtime.kernels.strings import check, examples, native
from tscript.abi.layout import CONTEXT, MAX_DEPTH
from tscript.abi.symbols import kernel_symbol
from tscript.abi.tables import POWERS_LEAST, POWERS_MOST, POWERS_START, powers
from tscript.dialect import memory_model, u8
from tscript.operators.python.formatting import OPERATORS
from tscript.operators.table import TABLE
from tscript.runtime.kernels.digits import write_float_repr

few = settings(examples, max_examples=25)

TYPES = "bcdoxXneEfFgG%s"
INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def from_bits(bits: int) -> float:
    """The float with these bits."""
    found: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return found


def exact_bits(x: float) -> str:
    """A float as text that tells zeros and NaNs apart."""
    return struct.pack("<d", x).hex()


floats = st.one_of(
    st.integers(0, 2**64 - 1).map(from_bits),
    st.decimals(-1000, 1000, places=3).map(float),
    st.integers(-(10**6), 10**6).map(lambda n: n / 64),
    st.integers(-330, 310).map(lambda e: float(f"1e{e}")),
    st.integers(-1074, 1023).map(lambda e: 2.0**e),
    st.sampled_from(
        [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 0.5, 2.5, 9.995, 1e16, 1e23, 123456789.5]
    ),
)
ints = st.one_of(
    st.integers(-1000, 1000), st.integers(INT_MIN, INT_MAX), st.sampled_from([INT_MIN, INT_MAX, 97, 0x10FFFF])
)
strings = st.sampled_from(["", "a", "abc", "é", "\u4e00bc", "\U0001f600xy", "hello world", "\ud800"])


@st.composite
def specs(draw: st.DrawFn, types: str = TYPES) -> str:
    """Texts of the format-spec mini-language, nearly all of them valid."""
    fill = draw(st.sampled_from(["", "", "x", "0", "é", "\u4e00", "\U0001f600", "\0"]))
    align = draw(st.sampled_from(["", "", "<", ">", "=", "^"]))
    text = (fill if align else "") + align
    text += draw(st.sampled_from(["", "", "", "+", "-", " "])) + draw(st.sampled_from(["", "", "", "z"]))
    text += draw(st.sampled_from(["", "", "#"])) + draw(st.sampled_from(["", "", "0"]))
    text += draw(st.one_of(st.just(""), st.integers(0, 40).map(str), st.just("\u0661")))
    text += draw(st.sampled_from(["", "", ",", "_"]))
    text += draw(st.one_of(st.just(""), st.integers(0, 20).map(lambda p: f".{p}")))
    text += draw(st.sampled_from(["", *types]))
    return text + draw(st.sampled_from([""] * 30 + ["q", ",", "_,", ".", "\u00e9", "\x01"]))


def without_text(run: Callable[[], Any]) -> Any:
    """What a call gives; the text is taken out of a message that shows one, as kernels do
    (`test_messages_show_the_text`)."""
    try:
        return run()
    except ValueError as error:
        message = re.sub(
            r"(Invalid format specifier) '.*' (for object of type '\w+')", r"\1 \2", str(error), flags=re.DOTALL
        )
        raise ValueError(message) from None


def same_formatting(name: str, value: Any, spec: str) -> None:
    """Both kernels format as Python does."""
    check(name, (value, spec), lambda v, s: without_text(lambda: format(v, s)))


@few
@given(floats)
def test_repr_of_floats(x: float) -> None:
    check("float_repr", (x,), repr)


@few
@given(ints, st.booleans(), floats, floats)
@example(0, False, 0.0, 1.0)
@example(INT_MIN, True, -0.0, -0.0)
def test_repr_of_other_numbers(n: int, b: bool, x: float, y: float) -> None:
    check("int_repr", (n,), repr)
    check("int_hex", (n,), hex)
    check("int_oct", (n,), oct)
    check("int_bin", (n,), bin)
    check("bool_repr", (b,), repr)
    check("complex_repr", (complex(x, y),), repr)


def test_repr_of_none() -> None:
    check("none_repr", (), lambda: "None")


def test_many_floats_have_the_shortest_repr() -> None:
    context = CONTEXT.ctype()
    context.depth = MAX_DEPTH
    address = native().runtime.library.address(kernel_symbol("write_float"))
    parameters = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_int64, ctypes.c_void_p)
    run = ctypes.PYFUNCTYPE(ctypes.c_int, *parameters)(address)
    text, length = ctypes.create_string_buffer(32), ctypes.c_int64()
    where = ctypes.addressof(context), ctypes.addressof(text), ctypes.addressof(length)
    random = np.random.default_rng(7)
    values = random.integers(0, 2**64, 20000, np.uint64, endpoint=False).view(np.float64).tolist()
    values += np.round(random.uniform(-1e6, 1e6, 5000), 3).tolist()
    for x in values:
        assert run(where[0], where[1], x, 1, where[2]) == 0
        assert text.raw[: length.value].decode() == repr(x)


@few
@given(floats)
def test_writing_a_repr_into_memory(x: float) -> None:
    memory_model.reset()
    out = memory_model.allocate(32, u8)
    length = memory_model.bind(write_float_repr)(out, x)
    assert bytes(out._region.data[:length]).decode() == repr(x)


@few
@given(ints, specs())
@example(5, ",_d")
@example(5, "99999999999999999999")
@example(-1, "c")
@example(1234567, "013,")
@example(1234567, "040,")
def test_format_of_ints(n: int, spec: str) -> None:
    same_formatting("int_format", n, spec)


@few
@given(floats, specs("neEfFgG%"))
@example(1.5, ".2147483648f")
@example(0.1, ".400f")
@example(1e300, ",.700f")
@example(5e-324, ".800e")
def test_format_of_floats(x: float, spec: str) -> None:
    same_formatting("float_format", x, spec)


@few
@given(floats, specs())
def test_format_of_floats_by_any_spec(x: float, spec: str) -> None:
    same_formatting("float_format", x, spec)


@few
@given(st.booleans(), specs())
@example(True, "")
def test_format_of_bools(b: bool, spec: str) -> None:
    same_formatting("bool_format", b, spec)


@few
@given(floats, floats, specs("neEfFgG"))
@example(1.0, 2.0, "")
@example(0.0, 1e300, ".700f")
def test_format_of_complex_numbers(x: float, y: float, spec: str) -> None:
    same_formatting("complex_format", complex(x, y), spec)


@few
@given(strings, specs("ss"))
def test_format_of_texts(text: str, spec: str) -> None:
    same_formatting("str_format", text, spec)


percent_options = (
    st.integers(0, 31),
    st.one_of(st.none(), st.integers(-30, 30)),
    st.one_of(st.none(), st.integers(-3, 30)),
)


def same_percent(name: str, value: Any, letter: str, flags: int, width: int | None, precision: int | None) -> None:
    """Both kernels do what the operator's meaning is in Python."""
    kind = name.partition("_")[0]
    check(name, (value, ord(letter), flags, width, precision), TABLE[f"percent.{kind}"].semantics)


@few
@given(ints, st.sampled_from("diuxXoc"), *percent_options)
@example(5, "d", 0, 0, 2000)
@example(255, "x", 8 + 16, 8, 2**31)
def test_percent_of_ints(n: int, letter: str, flags: int, width: int | None, precision: int | None) -> None:
    if precision is not None and precision > 2**31 - 1:
        check("int_percent", (n, ord(letter), flags, width, precision), lambda *_: format(1.0, f".{precision}f"))
    else:
        same_percent("int_percent", n, letter, flags, width, precision)


@few
@given(floats, st.sampled_from("eEfFgG"), *percent_options)
def test_percent_of_floats(x: float, letter: str, flags: int, width: int | None, precision: int | None) -> None:
    same_percent("float_percent", x, letter, flags, width, precision)


@few
@given(strings, st.sampled_from("sc"), *percent_options)
def test_percent_of_texts(text: str, letter: str, flags: int, width: int | None, precision: int | None) -> None:
    same_percent("str_percent", text, letter, flags, width, precision)


# ---- messages

shown = st.one_of(
    strings,
    st.text(max_size=12),
    st.sampled_from(["x" * 210, "'\"\n" * 60, "\u4e00" * 210, "x" * 205 + "\u4e00\xe9", "\U00012544\U0003134b"]),
)


def message_of(run: Callable[[], object]) -> str:
    """The message of the ValueError that a call raises."""
    try:
        run()
    except ValueError as error:
        return str(error)
    raise AssertionError("no ValueError")


@few
@given(shown, st.integers(2, 36))
def test_messages_show_the_text(text: str, base: int) -> None:
    check("parse_float_error", (f"{text}?",), lambda t: message_of(lambda: float(t)))
    check("parse_int_error", (f"{text}?", base), lambda t, b: message_of(lambda: int(t, b)))
    for kind, value in enumerate((1, True, 1.0, 1j, "a")):
        check("spec_error", (f"??{text}?", kind), lambda t, k, value=value: message_of(lambda: format(value, t)))


# ---- reading


@st.composite
def halfway(draw: st.DrawFn) -> str:
    """Decimal numbers in the middle between two floats, or next to it."""
    m = draw(st.integers(0, 2**53 - 1))
    q = draw(st.one_of(st.integers(-120, 60), st.integers(-1074, 970)))
    middle = Fraction(2 * m + 1) * Fraction(2) ** (q - 1)
    places = max(0, 1 - q)
    digits = str((middle * 10**places).numerator) + draw(st.sampled_from(["", "0", "1", "0000000001"]))
    if draw(st.booleans()):
        digits = str(int(digits) - 1)
    return f"{digits}e-{places}"


odd_numbers = [
    *(
        "|x|inf|-Infinity|+nan|-nan|infinit|1_0|1__0|_1|1_|1_.5|1._5|"
        "1e1_0|1e_1|1_e1|.|-|+-1|1.|.5|0x1|1e|1e+|00001|0.000"
    ).split("|"),
    *(
        "1e400|1e-400|-0|\u0661\u0662.\u0663|1\0|1e99999999999999999999999|0e99999999999999999|1e-99999999999999999999"
    ).split("|"),
    *(
        "2.4703282292062327208e-324|2.4703282292062328e-324|1.7976931348623158e308|1.797693134862315808e308|\x1c1|\x851"
    ).split("|"),
    *(f"0.{'0' * 400}1e400", "9" * 30, f"{'0' * 30}1", f"1{'0' * 900}e-900", f"1{'0' * 900}1e-901"),
    *("9007199254740993", "9007199254740992.9999"),
]
numerals = st.one_of(
    floats.map(repr),
    st.tuples(floats, st.integers(0, 25)).map(lambda v: f"{v[0]:.{v[1]}e}"),
    halfway(),
    st.sampled_from(odd_numbers),
    st.text("0123456789_.eE+- ainfty\u0663\u2009\x1c", max_size=8),
    st.tuples(st.integers(0, 10**30), st.integers(-360, 320)).map(lambda v: f"{v[0]}e{v[1]}"),
)
blanks = st.sampled_from(["", "", " ", "\t\n", "\u3000", "\xa0", "x", "\0"])


@few
@given(numerals, blanks, blanks)
def test_reading_floats(text: str, before: str, behind: str) -> None:
    given_text = before + text + behind
    try:
        wanted = float(given_text)
    except ValueError:
        check("parse_float", (given_text,), lambda t: without_text(lambda: float(t)))
        return
    if wanted == wanted:
        check("parse_float", (given_text,), float)
    assert exact_bits(native().call("parse_float", given_text)) == exact_bits(wanted)


int_texts = st.one_of(
    ints.map(str),
    st.integers(-(2**66), 2**66).map(str),
    st.text("0123456789_xXbBoO+- aZf\u0663\u2009", max_size=7),
    st.tuples(
        st.sampled_from(["", "-", "+", " "]),
        st.sampled_from(["", "0x", "0X", "0b", "0o", "0"]),
        st.sampled_from(["", "_", "0"]),
        st.one_of(st.integers(0, 300), st.sampled_from([2**63, 2**63 - 1, 2**63 + 1, 2**64])).map(lambda n: f"{n:x}"),
        st.sampled_from(["", " ", "_", "_1"]),
    ).map("".join),
    st.sampled_from(
        ["", "0", "00", "0_0", "-0", "01", "0x", "\u0660x1", "1" * 30, "1" * 30 + "z", "\x851\u2003", "\ud800"]
    ),
)


@few
@given(int_texts, st.one_of(st.sampled_from([10, 0, 16, 8, 2, 36]), st.integers(-2, 38)))
@example("-9223372036854775808", 10)
@example("-8000000000000000", 16)
@example("9223372036854775808", 10)
def test_reading_ints(text: str, base: int) -> None:
    meaning = TABLE["int.str"].semantics
    check("parse_int", (text, base), lambda t, b: without_text(lambda: meaning(t, b)))


# ---- tables and operators


def test_powers_are_rounded_up() -> None:
    words = struct.unpack(f"<{len(powers()) // 8}q", powers())
    assert words[:19] == tuple(10**i for i in range(19))
    for k in range(POWERS_LEAST, POWERS_MOST + 1):
        at = POWERS_START + 2 * (k - POWERS_LEAST)
        g = words[at] << 63 | words[at + 1]
        scale = Fraction(10) ** -k
        r = 0
        while scale >= 2**126 or scale < 2**125:
            shift = (scale.numerator.bit_length() - scale.denominator.bit_length() - 126) or (
                1 if scale >= 2**126 else -1
            )
            scale /= Fraction(2) ** shift
            r += shift
        assert g == int(scale) + 1


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_meanings_of_operators(op: Any) -> None:
    values: dict[str, Any] = {
        "int": 5,
        "float": 0.1,
        "bool": True,
        "complex": 1 + 2j,
        "None": None,
        "str": "7",
        "int?": None,
    }
    values["Tensor"] = np.array([1.5])
    given_values = [values[p.kind] for p in op.schema.parameters]
    if op.schema.name == "format":
        given_values[1] = ">9"
    if op.schema.name == "percent":
        given_values[1] = ord({"int": "d", "float": "g", "str": "s"}[op.schema.overload])
        given_values[2] = 2
    if op.schema.name == "int":
        given_values[1] = 10
    assert isinstance(op.semantics(*given_values), str | int | float)


@pytest.mark.parametrize(
    "spec", ["09223372036854775807,", "9223372036854775807", "\u4e00^9223372036854775807d", "09223372036854775800_x"]
)
def test_widths_beyond_memory_are_refused(spec: str) -> None:
    with pytest.raises(MemoryError):
        native().call("int_format", 1, spec)
    with pytest.raises(MemoryError):
        native().call("float_format", 1.5, spec.rstrip("dx"))
    with pytest.raises(MemoryError):
        native().call("int_percent", 5, ord("d"), 0, -(2**63) + 1, None)
