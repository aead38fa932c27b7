"""Properties that are made once."""

from __future__ import annotations

import threading
import time

from tscript.once import once


def test_threads_get_one_value() -> None:
    made: list[int] = []
    found: list[object] = []

    class Maker:
        @once
        def value(self) -> object:
            """Slow to make."""
            made.append(1)
            time.sleep(0.02)
            return object()

    maker = Maker()
    threads = [threading.Thread(target=lambda: found.append(maker.value)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert {*map(id, found)} == {id(maker.value)}
    assert Maker.value.__doc__ == "Slow to make."
