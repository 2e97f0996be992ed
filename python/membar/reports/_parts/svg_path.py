"""Curves of straight lines and cubic Béziers, which can be written as SVG and measured."""

from __future__ import annotations

from collections.abc import Iterator

from membar.records import record

Point = tuple[float, float]


@record(frozen=True, slots=True)
class Path:
    """A start and segments after it: each one point (a line) or three (control, control, end)."""

    start: Point
    segments: tuple[tuple[Point, ...], ...] = ()

    @property
    def end(self) -> Point:
        """Where it ends."""
        return self.segments[-1][-1] if self.segments else self.start

    def line(self, x: float, y: float) -> Path:
        """Goes on straight to (x, y)."""
        return Path(self.start, (*self.segments, ((x, y),)))

    def curve(self, one: Point, two: Point, end: Point) -> Path:
        """Goes on by a cubic curve."""
        return Path(self.start, (*self.segments, (one, two, end)))

    def across(self, end: Point) -> Path:
        """Goes on by an S that starts and ends horizontally, never leaving the columns between."""
        here = self.end
        middle = (here[0] + end[0]) / 2
        return self.curve((middle, here[1]), (middle, end[1]), end)

    def down(self, end: Point) -> Path:
        """Goes on by an S that starts and ends vertically."""
        here = self.end
        middle = (here[1] + end[1]) / 2
        return self.curve((here[0], middle), (end[0], middle), end)

    def svg(self) -> str:
        """The `d` attribute."""
        parts = [f"M{_number(self.start)}"]
        parts += [("C" if len(s) == 3 else "L") + " ".join(map(_number, s)) for s in self.segments]
        return " ".join(parts)

    def samples(self, *, per_segment: int = 24) -> Iterator[Point]:
        """Points along it."""
        here = self.start
        yield here
        for segment in self.segments:
            for i in range(1, per_segment + 1):
                yield _at(here, segment, i / per_segment)
            here = segment[-1]


def _at(start: Point, segment: tuple[Point, ...], t: float) -> Point:
    if len(segment) == 1:
        (x, y), (a, b) = segment[0], start
        return a + (x - a) * t, b + (y - b) * t
    one, two, end = segment
    s = 1 - t
    w = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    points = (start, one, two, end)
    return (
        sum(k * p[0] for k, p in zip(w, points, strict=True)),
        sum(k * p[1] for k, p in zip(w, points, strict=True)),
    )


def _number(point: Point) -> str:
    return f"{decimal(point[0])},{decimal(point[1])}"


def decimal(value: float) -> str:
    """A coordinate with at most one decimal, always written the same way."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")
