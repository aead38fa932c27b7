"""Programs over instances, as CPython, tscript and mypyc run them."""

from __future__ import annotations

import math


class Particle:
    """A point that moves."""

    x: float
    y: float
    vx: float
    vy: float

    def __init__(self, x: float, y: float, vx: float, vy: float) -> None:
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy


def moved(count: int, steps: int) -> float:
    """One field of each instance in a list is updated."""
    particles = [Particle(float(i), 0.5, 1.0, 2.0) for i in range(count)]
    for _ in range(steps):
        for p in particles:
            p.x += p.vx * 0.001
    return particles[3].x


def bounced(count: int, steps: int) -> float:
    """Two fields are, and a third one under a condition."""
    particles = [Particle(float(i), 0.5, 1.0, 2.0) for i in range(count)]
    for _ in range(steps):
        for p in particles:
            p.x += p.vx * 0.001
            p.y += p.vy * 0.001
            if p.x > 100.0:
                p.vx = -p.vx
    total = 0.0
    for p in particles:
        total += p.x
    return total


class Body:
    """One of the bodies that attract each other."""

    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    mass: float

    def __init__(self, at: float, mass: float) -> None:
        self.x = at
        self.y = at * 0.5 - 1.0
        self.z = at * 0.25 + 1.0
        self.vx = 0.01 * at
        self.vy = -0.02 * at
        self.vz = 0.03 * at
        self.mass = mass


def attracted(steps: int, count: int) -> float:
    """n-body over instances."""
    bodies = [Body(1.5 * i - 3.0, 1.0 + 0.1 * i) for i in range(count)]
    for _ in range(steps):
        for i in range(len(bodies)):
            a = bodies[i]
            for j in range(i + 1, len(bodies)):
                b = bodies[j]
                dx = a.x - b.x
                dy = a.y - b.y
                dz = a.z - b.z
                squared = dx * dx + dy * dy + dz * dz + 0.01
                force = 0.001 / (squared * math.sqrt(squared))
                a.vx -= dx * b.mass * force
                a.vy -= dy * b.mass * force
                a.vz -= dz * b.mass * force
                b.vx += dx * a.mass * force
                b.vy += dy * a.mass * force
                b.vz += dz * a.mass * force
        for b in bodies:
            b.x += 0.001 * b.vx
            b.y += 0.001 * b.vy
            b.z += 0.001 * b.vz
    return bodies[0].x


class Heat:
    """A grid in one list."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.cells = [0.5] * (width * height)

    def sweep(self) -> None:
        """Each cell becomes the mean of its neighbours."""
        for y in range(1, self.height - 1):
            for x in range(1, self.width - 1):
                at = y * self.width + x
                self.cells[at] = 0.25 * (
                    self.cells[at - 1] + self.cells[at + 1] + self.cells[at - self.width] + self.cells[at + self.width]
                )


def heated(width: int, steps: int) -> float:
    """Sweeps over a grid."""
    heat = Heat(width, width)
    heat.cells[0] = 4.0
    for _ in range(steps):
        heat.sweep()
    return heat.cells[width + 1]


class Vec:
    """A vector of three components."""

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x = x
        self.y = y
        self.z = z

    def add(self, other: Vec) -> Vec:
        """The sum."""
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def scale(self, by: float) -> Vec:
        """The product with a number."""
        return Vec(self.x * by, self.y * by, self.z * by)

    def dot(self, other: Vec) -> float:
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z


def walked(steps: int, dt: float) -> float:
    """Temporary instances of a small class."""
    place = Vec(0.0, 0.0, 0.0)
    speed = Vec(1.0, 2.0, 3.0)
    for _ in range(steps):
        place = place.add(speed.scale(dt))
        if place.dot(place) > 100.0:
            speed = speed.scale(-1.0)
    return place.x + place.y + speed.z


class Counter:
    """Two sums."""

    def __init__(self) -> None:
        self.total = 0.0
        self.count = 0

    def add(self, x: float) -> None:
        """Count one number."""
        self.total += x
        self.count += 1


def counted(steps: int) -> float:
    """An accumulator with a method."""
    counter = Counter()
    for i in range(steps):
        counter.add(i * 0.5)
    return counter.total + counter.count


WORKLOADS = {
    "p.x += p.vx * dt, 1,000 instances, 100 times": (moved, (1_000, 100)),
    "two fields and a branch": (bounced, (1_000, 100)),
    "n-body over instances": (attracted, (200, 8)),
    "sweep over a grid in a field": (heated, (100, 10)),
    "vectors as instances": (walked, (20_000, 0.001)),
    "counter with a method": (counted, (100_000,)),
}
"""Function and arguments, by name."""
