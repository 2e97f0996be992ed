"""Where the names of arrows go: on the arrow, hiding no box, no other name and as few arrows as possible."""

from __future__ import annotations

from collections.abc import Iterator

from membar.reports._parts.drawing import DrawnEdge
from membar.reports._parts.layout import Box, Layout
from membar.reports._parts.svg_path import Path, Point

HEIGHT = 14.0
SLACK = 7.0  # arrows nearer than this disturb a label
TILE = 40.0


def place_labels(grid: Layout) -> list[tuple[DrawnEdge, Box]]:
    """The place of each arrow's name; arrows of program order have none."""
    points = _Tiles()
    for number, (_, path) in enumerate(grid.paths):
        for point in path.samples():
            points.add(number, Box(*point, 0, 0))
    taken = _Tiles()
    for box in (*grid.boxes.values(), *grid.headers):
        taken.add(1000, box)
    result: list[tuple[DrawnEdge, Box]] = []
    for number, (edge, path) in enumerate(grid.paths):
        if edge.text:
            box = _cheapest_place(edge, path, number, points, taken)
            taken.add(400, box)
            result.append((edge, box))
    return result


class _Tiles:
    """Numbered boxes (or points), found by the tiles of the plane that they touch."""

    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], list[tuple[int, Box]]] = {}

    def add(self, number: int, box: Box) -> None:
        """Adds a box."""
        for tile in _tiles(box):
            self.tiles.setdefault(tile, []).append((number, box))

    def overlapping_boxes(self, box: Box, slack: float) -> set[tuple[int, Box]]:
        """What overlaps `box` with `slack` around it."""
        wide = Box(box.left - slack, box.top - slack, box.width + 2 * slack, box.height + 2 * slack)
        return {
            (number, other)
            for tile in _tiles(wide)
            for number, other in self.tiles.get(tile, ())
            if _overlap(wide, other)
        }


def _tiles(box: Box) -> Iterator[tuple[int, int]]:
    for x in range(int(box.left // TILE), int(box.right // TILE) + 1):
        for y in range(int(box.top // TILE), int(box.bottom // TILE) + 1):
            yield x, y


def _cheapest_place(edge: DrawnEdge, path: Path, number: int, points: _Tiles, taken: _Tiles) -> Box:
    """The cheapest place along the curve, away from its ends."""
    wide = len(edge.text) * 6.8 + 6
    along: list[Point] = list(path.samples())
    ends = [Box(*along[0], 0, 0), Box(*along[-1], 0, 0)]

    def cost(index: int) -> float:
        box = _box_around(along[index], wide)
        total = abs(index / (len(along) - 1) - 0.5) * 4
        total += sum(weight for weight, _ in taken.overlapping_boxes(box, 1.5))
        for other, point in points.overlapping_boxes(box, SLACK):
            if other != number:
                total += 4 if _overlap(box, point) else 1
        near_ends = Box(box.left - 4, box.top - 4, box.width + 8, box.height + 8)
        return total + 20 * sum(_overlap(near_ends, end) for end in ends)

    return _box_around(along[min(range(5, len(along) - 6), key=cost)], wide)


def _box_around(point: Point, wide: float) -> Box:
    return Box(point[0] - wide / 2, point[1] - HEIGHT / 2, wide, HEIGHT)


def _overlap(one: Box, other: Box) -> bool:
    return (
        one.left <= other.right
        and other.left <= one.right
        and one.top <= other.bottom
        and other.top <= one.bottom
    )
