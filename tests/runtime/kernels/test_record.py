"""Callbacks' native half over checked memory: who is due, records, unwinding, statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tscript.abi.layout import CALLBACK, HISTOGRAM, MAX_ACTIVE, RECORD_SITE, SCOPES, THREAD
from tscript.abi.record import NEVER, RecordScope, Route
from tscript.dialect import memory_model
from tscript.dialect.memory_model import Pointer, allocate, bind, to_address
from tscript.runtime.kernels import record, record_due, record_statistics
from tscript.types import I64, StructType

OPERATOR = int(RecordScope.OPERATOR)


class World:
    """A registry, one thread, and callbacks that write a log."""

    def __init__(self) -> None:
        memory_model.reset()
        self.registry: Any = memory_model._symbol("ts_registry_v1", StructType("Registry"))
        self.slots = self.zeroed(8 * CALLBACK.size, StructType("Callback"))
        self.registry.callbacks = self.slots
        self.log: list[tuple[Any, ...]] = []
        self.clock = 0
        self.added = 0
        self.bindings: dict[str, Callable[..., Any]] = {
            "call_enter": self.enter,
            "call_exit": self.exit,
            "python_enter": lambda r, c: self.enter(c.enter, r, c.data),
            "python_exit": lambda r, c, x, last: self.log.append(
                ("python exit", c._region is not None, int(x), int(last))
            ),
            "ticks": self.ticks,
        }

    def zeroed(self, nbytes: int, kind: StructType) -> Any:
        p = allocate(nbytes, kind)
        memory_model._memset(p, 0, nbytes)
        return p

    def run(self, name: str, *args: Any) -> Any:
        return bind(getattr(record, name), **self.bindings)(*args)

    def enter(self, f: Pointer, r: Any, data: Pointer) -> int:
        self.log.append(("enter", to_address(f), int(r.id)))
        return 100 + to_address(f)

    def exit(self, f: Pointer, r: Any, context: int, data: Pointer) -> None:
        self.log.append(("exit", to_address(f), context, int(r.failed)))

    def ticks(self) -> int:
        self.clock += 1000
        return self.clock

    def thread(self, seed: int = 88172645463325252) -> Any:
        t = self.zeroed(THREAD.size, StructType("ThreadState"))
        t.generation = -1
        t.random = seed
        return t

    def site(self, scope: int = OPERATOR) -> Any:
        site = self.zeroed(RECORD_SITE.size, StructType("RecordSite"))
        site.scope = scope
        return site

    def add(
        self, probability: float = 1.0, scopes: int = 1 << OPERATOR, route: Route = Route.NATIVE, **fields: Any
    ) -> Any:
        from math import log1p

        c = self.slots + self.added
        self.added += 1
        self.registry.count = self.added
        # Addresses without memory behind them: the doubles above only look at the numbers.
        name = memory_model.from_address(0, StructType("Void")) if fields.pop("silent", False) else allocate(8, I64)
        c.enter = name
        c.exit = name
        c.route = int(route)
        c.scopes = scopes
        c.probability = probability
        c.inverse = 1 / log1p(-probability) if 0 < probability < 1 else 0.0
        c.enabled = 1
        c.order = self.added
        for field, value in fields.items():
            setattr(c, field, value)
        self.run("callback_publish", c, c.generation[0] + 1)
        return c

    def event(self, t: Any, site: Any) -> Any:
        """What happens at the entry of a function, and before an operator."""
        scope = int(site.scope)
        self.run("thread_refresh", t)
        t.countdown[scope] = t.countdown[scope] - 1
        if t.countdown[scope] > 0:
            return None
        r = self.run("record_enter", t, site, memory_model.from_address(0, I64), memory_model.from_address(0, I64), 0)
        return r if to_address(r) else None

    def leave(self, t: Any, r: Any, failed: int = 0) -> None:
        null = memory_model.from_address(0, I64)
        self.run("record_exit", t, r, failed, null, null, 0)


@pytest.fixture
def world() -> World:
    return World()


def test_a_callback_of_probability_one_is_called_each_time_and_its_pair_shares_a_context(world: World) -> None:
    c, t, site = world.add(), world.thread(), world.site()
    for n in range(1, 4):
        r = world.event(t, site)
        world.leave(t, r, failed=n == 2)
        enter, exit_ = world.log[-2:]
        assert enter[:2] == ("enter", to_address(c.enter))
        assert exit_ == ("exit", to_address(c.exit), 100 + to_address(c.enter), int(n == 2))
        assert t.seen[0] == t.sampled[0] == n


def test_a_callback_of_probability_zero_is_never_called(world: World) -> None:
    world.add(0.0)
    t, site = world.thread(), world.site()
    world.event(t, site)
    assert t.countdown[OPERATOR] == NEVER - 1 and not world.log


def test_scopes_are_counted_apart(world: World) -> None:
    world.add(scopes=1 << int(RecordScope.USER))
    t = world.thread()
    assert world.event(t, world.site()) is None
    assert world.event(t, world.site(int(RecordScope.USER))) is not None
    assert t.countdown[OPERATOR] == NEVER - 1


@pytest.mark.parametrize("probability", [0.5, 0.1, 0.01])
def test_gaps_are_geometric(world: World, probability: float) -> None:
    c, t = world.add(probability), world.thread()
    draw = bind(record_due.draw, **world.bindings)
    gaps = [int(draw(t, c)) for _ in range(4000)]
    mean = sum(gaps) / len(gaps)
    assert min(gaps) >= 1
    assert mean == pytest.approx(1 / probability, rel=0.1)
    # The geometric distribution forgets: a gap of 1 comes with the probability itself.
    assert gaps.count(1) / len(gaps) == pytest.approx(probability, abs=0.03)


def test_callbacks_are_sampled_independently(world: World) -> None:
    world.add(0.5)
    world.add(0.25)
    t, site = world.thread(), world.site()
    for _ in range(600):
        r = world.event(t, site)
        if r is not None:
            world.leave(t, r)
    record_due.settle(t, OPERATOR)
    assert t.seen[0] == t.seen[1] == 600
    assert t.sampled[0] == pytest.approx(300, abs=60) and t.sampled[1] == pytest.approx(150, abs=50)


def test_an_exit_is_not_delivered_to_the_next_owner_of_a_slot(world: World) -> None:
    c, t, site = world.add(), world.thread(), world.site()
    r = world.event(t, site)
    world.run("callback_publish", c, c.generation[0] + 1)
    world.run("callback_publish", c, c.generation[0] + 1)
    world.leave(t, r)
    assert [entry[0] for entry in world.log] == ["enter"]


def test_the_last_python_exit_of_a_record_says_so(world: World) -> None:
    world.add(route=Route.PYTHON)
    c = world.add(route=Route.PYTHON)
    t, site = world.thread(), world.site()
    r = world.event(t, site)
    world.run("callback_publish", c, c.generation[0] + 1)
    world.leave(t, r)
    # The exits run in the other order; the removed one only gives its context back.
    assert [(e[1], e[3]) for e in world.log if e[0] == "python exit"] == [(False, 0), (True, 1)]


def test_a_change_of_the_registry_keeps_the_countdown_of_others(world: World) -> None:
    world.add(0.001)
    t = world.thread()
    world.run("thread_refresh", t)
    left = t.countdown[OPERATOR]
    t.countdown[OPERATOR] = left - 1  # an event that nobody sampled
    world.add(0.0)
    world.run("thread_refresh", t)
    assert t.countdown[OPERATOR] == left - 1 and t.seen[0] == 1


def test_counts_of_a_disabled_callback_are_kept_in_its_slot(world: World) -> None:
    c, t, site = world.add(), world.thread(), world.site()
    world.leave(t, world.event(t, site))
    c.enabled = 0
    world.run("callback_publish", c, c.generation[0])
    world.run("thread_refresh", t)
    assert t.count == 0 and (c.totals[0], c.totals[1]) == (1, 1)


def test_a_callback_of_another_thread_or_of_an_ended_one_is_not_active(world: World) -> None:
    mine, other = world.thread(), world.thread()
    c = world.add(owner=other, owner_epoch=0)
    world.run("thread_refresh", mine)
    world.run("thread_refresh", other)
    assert (mine.count, other.count) == (0, 1)
    other.epoch = 1
    world.run("callback_publish", c, c.generation[0])
    world.run("thread_refresh", other)
    assert other.count == 0


def test_only_so_many_are_active(world: World) -> None:
    world.slots = world.zeroed((MAX_ACTIVE + 3) * CALLBACK.size, StructType("Callback"))
    world.registry.callbacks = world.slots
    for _ in range(MAX_ACTIVE + 3):
        world.add()
    t = world.thread()
    world.run("thread_refresh", t)
    assert t.count == MAX_ACTIVE


def test_what_raised_is_ended_as_failed_down_to_a_record(world: World) -> None:
    world.add()
    t, site = world.thread(), world.site()
    null = memory_model.from_address(0, I64)
    opened = []
    world.run("thread_refresh", t)
    for _ in range(3):
        t.countdown[OPERATOR] = 0
        opened.append(world.run("record_begin", t, site, null))
    assert to_address(t.open) == to_address(opened[2])
    world.run("record_unwind", t, opened[0])
    assert to_address(t.open) == to_address(opened[0])
    assert [e[3] for e in world.log if e[0] == "exit"] == [1, 1]
    world.run("record_end", t, opened[0], null)
    assert to_address(t.open) == 0 and world.log[-1][3] == 0


def test_records_are_used_again(world: World) -> None:
    world.add()
    t, site = world.thread(), world.site()
    first = world.event(t, site)
    world.leave(t, first)
    second = world.event(t, site)
    assert to_address(first) == to_address(second)
    assert world.log[-1][2] != world.log[0][2]  # with another id


def test_sections_are_odd_while_a_callback_runs(world: World) -> None:
    world.add()
    t, site = world.thread(), world.site()
    during: list[tuple[int, int]] = []

    def enter(*_: Any) -> int:
        during.append((t.section[0] & 1, t.guard))
        return 0

    world.bindings["call_enter"] = enter
    world.leave(t, world.event(t, site))
    assert during == [(1, 1)] and t.section[0] & 1 == 0 and t.guard == 0


def test_statistics_count_everything_and_time_what_is_due(world: World) -> None:
    world.add(route=Route.STATISTICS)
    world.registry.timing_gap = 4
    world.registry.tick_scale = 0.5
    t = world.thread()
    sites = [world.site() for _ in range(100)]  # more than the first table takes
    for n in range(4):
        for site in sites:
            r = world.event(t, site)
            if r is not None:
                world.leave(t, r)
            assert n or record_statistics.statistic_of(t, site).count == 1
    found = [record_statistics.statistic_of(t, site) for site in sites]
    assert [s.count for s in found] == [4] * 100
    timed = sum(s.timed for s in found)
    assert 60 <= timed <= 140
    assert sum(s.total for s in found) == timed * 500  # 1000 ticks of half a nanosecond
    histogram = [sum(s.histogram[i] for s in found) for i in range(HISTOGRAM)]
    assert histogram == [timed if i == 8 else 0 for i in range(HISTOGRAM)]  # 2^8 <= 500 < 2^9


@pytest.mark.parametrize(("ticks", "bucket"), [(0, 0), (1, 1), (2, 1), (3, 2), (1023, 10), (1 << 60, HISTOGRAM - 1)])
def test_buckets_of_the_histogram(world: World, ticks: int, bucket: int) -> None:
    world.registry.tick_scale = 1.0
    t, site = world.thread(), world.site()
    world.bindings["ticks"] = lambda: ticks
    world.run("statistics_exit", t, site, 0)
    found = record_statistics.statistic_of(t, site)
    assert [found.histogram[i] for i in range(HISTOGRAM)] == [int(i == bucket) for i in range(HISTOGRAM)]


def test_no_scope_is_beyond_the_room_for_them() -> None:
    assert max(RecordScope) < SCOPES
