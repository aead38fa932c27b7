"""`ShippedOperators`: eager operators of the prebuilt native library, found by the arguments of a call.

An operator in the library has a record (`tscript.backend.loader.prebuilt.Prebuilt.record`) under the text of its name
and of its arguments, `key_text`. It says all that a row needs, so neither the operator's definition nor the compiler is
imported. What is not there is compiled on demand.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.record import RecordScope
from tscript.abi.signature import parse_signature
from tscript.backend.loader.prebuilt import Prebuilt
from tscript.definitions.absent import MISSING
from tscript.definitions.operator_names import OperatorNames
from tscript.late import dataclass, replace
from tscript.once import once
from tscript.runtime.session.call import Specialisation
from tscript.runtime.session.observation import Observation
from tscript.runtime.session.units import Unit
from tscript.runtime.values.arguments import Argument
from tscript.types import TensorType, TupleType, Type, parse_type

NAMES = "names of operators"
"""The key of the record with the names of all operators, a path and a plain name a line."""

DOCUMENTATION = "documentation of "
"""Begins the keys of the texts that describe operators."""


def key_text(name: str, arguments: Sequence[Argument], names: Sequence[str] = ()) -> str:
    """The key of a call.

    Args:
        name: Plain operator name.
        arguments: The arguments.
        names: Keywords of the last ``len(names)`` arguments.

    Example:
        >>> from tscript.types import BOOL, dtypes
        >>> key_text("sum", [Argument(TensorType(dtypes.float32)), Argument(BOOL, True)], ["keepdim"])
        'sum; Tensor[float32, ?]; keepdim: = True'
    """
    keywords = ["" for _ in arguments[: len(arguments) - len(names)]] + [f"{n}: " for n in names]
    texts = (f"{k}{_argument_text(a)}" for k, a in zip(keywords, arguments, strict=True))
    return "; ".join((name, *texts))


def _argument_text(argument: Argument) -> str:
    return str(argument.type) if argument.constant is MISSING else f"= {argument.constant!r}"


def of_any_rank(argument: Argument, *, flat: bool = False) -> Argument:
    """The argument without the ranks of its tensors; whether a tensor has no dimensions is kept unless `flat`."""
    if argument.constant is not MISSING:
        return argument
    return Argument(_of_any_rank(argument.type, flat))


def _of_any_rank(type: Type, flat: bool) -> Type:
    match type:
        case TensorType(rank=rank) if rank or flat:
            return TensorType(type.dtype)
        case TupleType(named=None):
            return TupleType(tuple(_of_any_rank(element, flat) for element in type.elements))
    return type


@dataclass(frozen=True, slots=True)
class OperatorRecord:
    """What is known of an operator in the library.

    Attributes:
        symbol: Its code.
        signature: How Python objects become its arguments.
        result: Type of its result.
        overload: The name of the overload.
        is_observed: Whether callbacks see it.
        names: Of the class of its results (`return_type_text`); empty if they have none.
    """

    symbol: str
    signature: str
    result: str
    overload: str
    is_observed: bool
    names: str = ""

    def packed(self) -> bytes:
        """As bytes."""
        fields = (
            self.symbol,
            self.signature,
            self.result,
            self.overload,
            "observed" if self.is_observed else "",
            self.names,
        )
        return "\n".join(fields).encode()


def read_record(data: bytes) -> OperatorRecord:
    """The record of these bytes.

    Example:
        >>> read_record(OperatorRecord("f", "T:T", "Tensor", "", True).packed()).is_observed
        True
    """
    symbol, signature, result, overload, observed, names = data.decode().split("\n")
    return OperatorRecord(symbol, signature, result, overload, bool(observed), names)


def with_names(found: Specialisation, names: str) -> Specialisation:
    """Code whose results are of the class with these names (`return_type_text`), or as it is where they are empty."""
    if not names:
        return found
    from tscript.definitions.return_types import return_type

    at = found.signature.given_constants
    constants = (*found.constants[:at], return_type(names), *found.constants[at:])
    return replace(found, signature=found.signature.named(), constants=constants)


class ShippedOperators:
    """The operators of a library.

    Args:
        library: The library.
        observation: Observes their calls.
    """

    def __init__(self, library: Prebuilt, observation: Observation) -> None:
        self._library = library
        self._observation = observation
        self._made: dict[tuple[str, str, str], Specialisation] = {}

    def find(self, name: str, described: Sequence[Argument], names: Sequence[str]) -> Specialisation | None:
        """The code of an operator for arguments of any ranks; None if it is not in the library."""
        for flat in (False, True):
            general = [of_any_rank(argument, flat=flat) for argument in described]
            data = self._library.record(key_text(name, general, names))
            if data is not None:
                return self._specialisation(name, read_record(data))
        return None

    def _specialisation(self, name: str, record: OperatorRecord) -> Specialisation:
        key = name, record.symbol, record.signature  # calls that come to the same code have several
        found = self._made.get(key)
        if found is None:
            address = self._library.address(record.symbol)
            unit = None
            if record.is_observed:
                site = self._observation.sites.site(RecordScope.OPERATOR, name, record.overload)
                unit = Unit(site, address, name, None)
            signature, result = parse_signature(record.signature), parse_type(record.result, {})
            made = Specialisation(signature, address, (), unit, result)
            found = self._made[key] = with_names(made, record.names)
        return found

    @once
    def names(self) -> OperatorNames | None:
        """The names of all operators; None if they are not in the library."""
        data = self._library.record(NAMES)
        if data is None:
            return None
        words = iter(data.decode().replace("\n", "\t").split("\t"))
        return OperatorNames(dict(zip(words, words, strict=True)))

    def documentation(self, name: str) -> str | None:
        """The overloads of an operator, each with its description; None if that is not in the library."""
        data = self._library.record(f"{DOCUMENTATION}{name}")
        return None if data is None else data.decode()
