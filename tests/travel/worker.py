"""What a worker process does with a random program that was sent to it."""

from __future__ import annotations

from tests.fuzz.execute import observe
from tscript.runtime.session.process import current
from tscript.travel.making import Maker
from tscript.travel.nodes import unpacked


def outcome(payload: bytes) -> str:
    """What a scripted function does, which is sent with its arguments."""
    function, arguments = Maker(unpacked(payload), current().travelled).root()
    return str(observe(function, arguments))
