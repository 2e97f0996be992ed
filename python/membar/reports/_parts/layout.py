"""Where things go in the picture of an execution: a grid of boxes with free channels between them.

Threads are columns, the k-th event of every thread is in row k. Edges run only in the gutters between
columns and in the gaps between rows, so no arrow passes through a box: neighbours are joined by a curve
across their gutter, far columns through a gap, events of one thread by an arc beside the column, and
initial writes (a row on top) by a lane down the gutter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum

from membar.program.execution import Event, Execution
from membar.records import record
from membar.reports._parts.drawing import DrawnEdge, drawn_edges
from membar.reports._parts.svg_path import Path, Point

BOX_HEIGHT = 44.0
ROW_GAP = 30.0
LANE = 12.0
HEADER = 34.0
MARGIN = 28.0
GUTTER = 64.0  # between two columns with an edge across
EMPTY_GUTTER = 36.0
INIT_HEIGHT = 26.0


@record(frozen=True, slots=True)
class Box:
    """The place of an event."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right side."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower side."""
        return self.top + self.height

    @property
    def middle(self) -> Point:
        """Its centre."""
        return self.left + self.width / 2, self.top + self.height / 2


class EdgeRoute(Enum):
    """How an edge runs."""

    DOWN = "to the next row of the same column"
    ARC = "beside its column"
    ACROSS = "through one gutter"
    FAR = "through a gap between rows"
    INITIAL = "from the row on top down a gutter"


@record(frozen=True, slots=True)
class RoutedEdge:
    """An edge with how it runs.

    Attributes:
        edge: the edge.
        way: how.
        side: -1 if it uses the left side of its (target's) column, 1 for the right.
        gutter: which gutter it runs in; of ARC and INITIAL.
        gap: the row above the gap that a FAR edge runs in (-1 is above the first row).
        lane: position among the edges of its gutter or gap, from 0.
    """

    edge: DrawnEdge
    way: EdgeRoute
    side: int = 0
    gutter: int = 0
    gap: int = 0
    lane: int = 0


@record(frozen=True, slots=True, kw_only=True)
class Layout:
    """The finished picture, without its texts.

    Attributes:
        boxes: the place of each event, by id.
        headers: the place of each thread's name.
        paths: the edges with their curves.
        width: of the grid.
        height: of the grid.
    """

    boxes: dict[int, Box]
    headers: tuple[Box, ...]
    paths: tuple[tuple[DrawnEdge, Path], ...]
    width: float
    height: float


def layout(
    execution: Execution,
    widths: Sequence[float],
    *,
    height: float = BOX_HEIGHT,
    initial_width: float,
    edges: Sequence[DrawnEdge] | None = None,
) -> Layout:
    """Places everything.

    Args:
        execution: what is drawn.
        widths: of the boxes in each column, one for each thread.
        height: of all boxes.
        initial_width: of the boxes of initial writes.
        edges: the arrows; those worth drawing of the execution, if they are not given.
    """
    grid = _Grid(execution, len(widths))
    courses = _route_edges(drawn_edges(execution) if edges is None else edges, grid)
    gutters = _gutter_widths(courses, len(widths))
    lefts: list[float] = []
    x = MARGIN
    for column, box_width in enumerate(widths):
        x += gutters[column]
        lefts.append(x)
        x += box_width
    total = x + gutters[len(widths)] + MARGIN
    shown = grid.initial
    missing = len(shown) * (initial_width + 16) + 2 * MARGIN - total
    if missing > 0:
        lefts = [left + missing / 2 for left in lefts]
        total += missing
    boxes: dict[int, Box] = {}
    y = 0.0
    share = (total - 2 * MARGIN) / max(len(shown), 1)
    for position, event in enumerate(shown):
        left = MARGIN + share * (position + 0.5) - initial_width / 2
        boxes[event.id] = Box(left, y, initial_width, INIT_HEIGHT)
    if shown:
        lanes = sum(c.way is EdgeRoute.INITIAL for c in courses)
        y += INIT_HEIGHT + (26 + min(6.0 * lanes, 40.0) if lanes else 14)
    headers = tuple(Box(left, y, w, HEADER - 8) for left, w in zip(lefts, widths, strict=True))
    tops, bottom = _rows(courses, grid.rows, y + HEADER, height)
    for event in execution.events:
        if not event.is_initial:
            column, row = grid.place[event.id]
            boxes[event.id] = Box(lefts[column], tops[row], widths[column], height)
    frame = _Frame(grid=grid, boxes=boxes, lefts=lefts, widths=list(widths), tops=tops, height=height)
    drawer = _Drawer(frame, courses)
    paths = tuple((course.edge, drawer.path(course)) for course in courses)
    return Layout(boxes=boxes, headers=headers, paths=paths, width=total, height=bottom)


class _Grid:
    """Which column and row each event is in."""

    def __init__(self, execution: Execution, columns: int) -> None:
        self.place: dict[int, tuple[int, int]] = {}
        used = [0] * columns
        for event in execution.events:
            if not event.is_initial:
                self.place[event.id] = (event.thread, used[event.thread])
                used[event.thread] += 1
        self.rows = max(used, default=0)
        self.columns = columns
        self.initial = self._initial(execution)

    def _initial(self, execution: Execution) -> tuple[Event, ...]:
        """The initial writes to draw, each near the columns that read it."""
        readers: dict[int, list[int]] = {}
        users: dict[int, list[int]] = {}
        for write, read in execution.rf:
            readers.setdefault(write, []).append(self.place[read][0])
        for event in execution.events:
            if not event.is_initial and event.cell is not None:
                users.setdefault(event.cell, []).append(self.place[event.id][0])

        def centre(event: Event) -> float:
            columns = readers.get(event.id) or users.get(event.cell or 0, [0])
            return sum(columns) / len(columns)

        return tuple(sorted(initial_writes(execution), key=lambda event: (centre(event), event.id)))


def initial_writes(execution: Execution) -> tuple[Event, ...]:
    """The initial writes of cells that some thread accesses."""
    touched = {event.cell for event in execution.events if not event.is_initial}
    return tuple(event for event in execution.events if event.is_initial and event.cell in touched)


def _route_edges(edges: Sequence[DrawnEdge], grid: _Grid) -> tuple[RoutedEdge, ...]:
    """How each drawn edge runs; lanes are given in order, short arcs inside long ones."""
    result: list[RoutedEdge] = []
    gaps: Counter[int] = Counter()
    initial: Counter[tuple[int, int]] = Counter()
    arcs: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    position = {event.id: index for index, event in enumerate(grid.initial)}
    for edge in sorted(edges, key=lambda e: _span(e, grid)):
        if edge.source in position:
            column, _ = grid.place[edge.target]
            # Twice the distance of the box from the column's centre, in parts of the row's width.
            offset = (2 * position[edge.source] + 1) * grid.columns - (2 * column + 1) * len(grid.initial)
            outer = -1 if 2 * column + 1 < grid.columns else 1
            side = outer if offset == 0 else -1 if offset < 0 else 1
            gutter = column + (side > 0)
            lane = initial[gutter, side]
            initial[gutter, side] += 1
            result.append(RoutedEdge(edge, EdgeRoute.INITIAL, side=side, gutter=gutter, lane=lane))
            continue
        (c1, r1), (c2, r2) = grid.place[edge.source], grid.place[edge.target]
        if c1 == c2 and r2 == r1 + 1 and edge.relation == "po" and not edge.number:
            result.append(RoutedEdge(edge, EdgeRoute.DOWN))
        elif c1 == c2:
            side = _arc_side(edge, c1, grid.columns)
            taken = arcs.setdefault((c1, side), [])
            low, high = min(r1, r2), max(r1, r2)
            busy = {lane for lane, a, b in taken if a < high and low < b}
            lane = next(n for n in range(len(taken) + 1) if n not in busy)
            taken.append((lane, low, high))
            result.append(RoutedEdge(edge, EdgeRoute.ARC, side=side, gutter=c1 + (side > 0), lane=lane))
        elif abs(c1 - c2) == 1:
            result.append(RoutedEdge(edge, EdgeRoute.ACROSS, gutter=max(c1, c2)))
        else:
            low, high = min(r1, r2), max(r1, r2)
            candidates = range(low, high) if low < high else (low - 1, low)
            gap = min(candidates, key=lambda g: (gaps[g], abs(2 * g + 1 - low - high), g))
            result.append(RoutedEdge(edge, EdgeRoute.FAR, gap=gap, lane=gaps[gap]))
            gaps[gap] += 1
    rank = {edge: index for index, edge in enumerate(edges)}
    return tuple(sorted(result, key=lambda course: rank[course.edge]))


def _span(edge: DrawnEdge, grid: _Grid) -> tuple[int, int, int, int]:
    """Short edges first."""
    if edge.source not in grid.place:
        column, row = grid.place[edge.target]
        return 0, row, column, edge.source
    (_, r1), (_, r2) = grid.place[edge.source], grid.place[edge.target]
    return 1, abs(r1 - r2), edge.source, edge.target


def _arc_side(edge: DrawnEdge, column: int, columns: int) -> int:
    """Communication on the outer side of the outer columns, everything else on the other side."""
    outer = -1 if column == 0 and columns > 1 else 1
    return outer if edge.relation in ("rf", "co", "fr") else -outer


def _gutter_widths(courses: Iterable[RoutedEdge], columns: int) -> list[float]:
    """Widths of the gutters 0 … `columns`: wide enough for what runs in them."""
    across: Counter[int] = Counter()
    lanes: Counter[int] = Counter()
    arcs: dict[int, int] = {}
    for course in courses:
        if course.way is EdgeRoute.ACROSS:
            across[course.gutter] += 1
        elif course.way is EdgeRoute.INITIAL:
            lanes[course.gutter] += 1
        elif course.way is EdgeRoute.ARC:
            arcs[course.gutter] = max(arcs.get(course.gutter, 0), course.lane + 1)
    far = any(course.way is EdgeRoute.FAR for course in courses)
    widths: list[float] = []
    for gutter in range(columns + 1):
        inner = 0 < gutter < columns
        wide = GUTTER + 10 * min(across[gutter], 6) if across[gutter] or (far and inner) else 0.0
        wide += 14.0 + LANE * lanes[gutter] if lanes[gutter] else 0.0
        wide += 26.0 + 18.0 * arcs[gutter] if gutter in arcs else 0.0
        widths.append(max(wide, EMPTY_GUTTER if inner else 0.0))
    return widths


def _rows(courses: Iterable[RoutedEdge], rows: int, top: float, height: float) -> tuple[list[float], float]:
    """The top of each row, and the bottom of the grid; gaps are as high as the edges in them need."""
    lanes = Counter(course.gap for course in courses if course.way is EdgeRoute.FAR)
    y = top + (LANE * lanes[-1] + 8 if lanes[-1] else 0.0)
    tops: list[float] = []
    for row in range(rows):
        tops.append(y)
        y += height + ROW_GAP + LANE * max(lanes[row] - 1, 0)
    last = LANE * lanes[rows - 1] + 8 if lanes[rows - 1] else 0.0
    return tops, (tops[-1] + height + last if tops else y)


@record(frozen=True, slots=True, kw_only=True)
class _Frame:
    """The finished grid: boxes, and where columns and rows begin."""

    grid: _Grid
    boxes: dict[int, Box]
    lefts: list[float]
    widths: list[float]
    tops: list[float]
    height: float


def _control_point_distance(course: RoutedEdge) -> float:
    """How far the control points of an arc are from its column; the arc reaches three quarters of it."""
    return 34.0 + 22.0 * course.lane


class _Drawer:
    """Turns courses into curves."""

    def __init__(self, frame: _Frame, courses: Sequence[RoutedEdge]) -> None:
        self.frame = frame
        self.boxes = frame.boxes
        self.ports = self._ports(courses)
        # How far arcs reach into a gutter, beside a column: lanes from the top row stay outside that.
        self.arcs: dict[tuple[int, int], float] = {}
        for course in courses:
            if course.way is EdgeRoute.ARC:
                key = course.gutter, course.side
                self.arcs[key] = max(self.arcs.get(key, 0.0), 0.75 * _control_point_distance(course) - 4)

    def _ports(self, courses: Sequence[RoutedEdge]) -> dict[tuple[RoutedEdge, bool], float]:
        """The height at which each edge leaves (True) and enters (False), spread along the box's side."""
        sides: dict[tuple[int, int], list[tuple[float, int, RoutedEdge, bool]]] = {}
        for number, course in enumerate(courses):
            for leaving in (True, False):
                attached = self._side(course, leaving=leaving)
                if attached is not None:
                    other = self.boxes[course.edge.target if leaving else course.edge.source]
                    sides.setdefault(attached, []).append((other.middle[1], number, course, leaving))
        ports: dict[tuple[RoutedEdge, bool], float] = {}
        for (event, _), items in sides.items():
            box = self.boxes[event]
            step = min(10.0, (box.height - 12) / len(items))
            for index, (_, _, course, leaving) in enumerate(sorted(items, key=lambda item: item[:2])):
                ports[course, leaving] = box.middle[1] + step * (index - (len(items) - 1) / 2)
        return ports

    def _side(self, course: RoutedEdge, *, leaving: bool) -> tuple[int, int] | None:
        """The event and side (-1 left, 1 right) an edge is attached to at one end, if it is at a side."""
        edge = course.edge
        event = edge.source if leaving else edge.target
        if course.way is EdgeRoute.DOWN or (course.way is EdgeRoute.INITIAL and leaving):
            return None
        if course.way in (EdgeRoute.ARC, EdgeRoute.INITIAL):
            return event, course.side
        here, there = (
            self.frame.grid.place[event],
            self.frame.grid.place[edge.target if leaving else edge.source],
        )
        return event, 1 if there[0] > here[0] else -1

    def _end(self, course: RoutedEdge, *, leaving: bool) -> Point:
        attached = self._side(course, leaving=leaving)
        assert attached is not None
        box = self.boxes[attached[0]]
        return (box.right if attached[1] > 0 else box.left), self.ports[course, leaving]

    def path(self, course: RoutedEdge) -> Path:
        """The curve of an edge."""
        match course.way:
            case EdgeRoute.DOWN:
                source, target = self.boxes[course.edge.source], self.boxes[course.edge.target]
                return Path((source.middle[0], source.bottom)).line(target.middle[0], target.top)
            case EdgeRoute.ACROSS:
                start, end = self._end(course, leaving=True), self._end(course, leaving=False)
                return Path(start).across(end)
            case EdgeRoute.ARC:
                return self._arc(course)
            case EdgeRoute.FAR:
                return self._path_across_gutters(course)
            case EdgeRoute.INITIAL:
                return self._initial(course)

    def _arc(self, course: RoutedEdge) -> Path:
        start, end = self._end(course, leaving=True), self._end(course, leaving=False)
        bulge = course.side * _control_point_distance(course)
        return Path(start).curve((start[0] + bulge, start[1]), (end[0] + bulge, end[1]), end)

    def _path_across_gutters(self, course: RoutedEdge) -> Path:
        """Across the first gutter, straight along the gap, across the last gutter."""
        start, end = self._end(course, leaving=True), self._end(course, leaving=False)
        first = self.frame.grid.place[course.edge.source][0]
        last = self.frame.grid.place[course.edge.target][0]
        y = self._gap(course)
        if first < last:
            enter, leave = (
                self.frame.lefts[first + 1],
                self.frame.lefts[last - 1] + self.frame.widths[last - 1],
            )
        else:
            enter, leave = (
                self.frame.lefts[first - 1] + self.frame.widths[first - 1],
                self.frame.lefts[last + 1],
            )
        return Path(start).across((enter, y)).line(leave, y).across(end)

    def _gap(self, course: RoutedEdge) -> float:
        """The height of an edge's lane in its gap between rows."""
        if course.gap < 0:
            return self.frame.tops[0] - 8 - LANE * course.lane
        return self.frame.tops[course.gap] + self.frame.height + ROW_GAP / 2 + LANE * course.lane

    def _initial(self, course: RoutedEdge) -> Path:
        """Down from the row on top into the gutter, along it, and into the side of the read."""
        box = self.boxes[course.edge.source]
        end = self._end(course, leaving=False)
        x = end[0] + course.side * (
            20.0 + self.arcs.get((course.gutter, course.side), 0.0) + LANE * course.lane
        )
        below = self.frame.tops[0] - HEADER
        path = Path((box.middle[0], box.bottom)).down((x, below))
        turn = 12.0
        return path.line(x, end[1] - turn).curve((x, end[1]), (x, end[1]), end)
