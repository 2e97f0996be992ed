"""Maps the waypoints of a witness to steps of a program's threads."""

from __future__ import annotations

from collections.abc import Iterator

from membar.evidence.svcomp import SvcompWitness, Waypoint
from membar.program.operations import Assert, Assume, Choose, Set, Spawn
from membar.program.program import Edge, Program
from membar.records import record, replace

MOST_ROUTES = 24


class UnfollowableError(Exception):
    """A guide that no execution of the program follows, or none that can be searched for; says why."""


@record(frozen=True, slots=True, kw_only=True)
class Passing:
    """One of some edges of a thread is taken, while these cells have these values (words)."""

    thread: int
    edges: frozenset[int]
    before: tuple[tuple[int, int], ...] = ()
    after: tuple[tuple[int, int], ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Route:
    """A guide in a program: the waypoints, in order, and then the targets."""

    steps: tuple[Passing, ...]
    targets: tuple[Passing, ...]


def routes(program: Program, path: str, guide: SvcompWitness) -> Iterator[Route]:
    """The possible routes of a guide: they differ in which thread is which, if one line creates many.

    Raises:
        UnfollowableError: there is none.
    """
    started = [number for number, thread in enumerate(program.threads) if thread.started]
    if len(started) != 1:
        raise UnfollowableError("the program begins with several threads")
    yield from _routes(_PlaceFinder(program, path), guide, started[0])


class _PlaceFinder:
    """A program, and the file that the guide is about."""

    def __init__(self, program: Program, path: str) -> None:
        self.program = program
        self.path = path
        self.numbers = {thread.name: number for number, thread in enumerate(program.threads)}
        self.cells = {
            cell.object.name: cell
            for cell in program.cells
            if cell.object.count == 1 and not cell.object.is_array
        }

    def edges(self, thread: int, point: Waypoint) -> list[int]:
        """The edges of a thread that are where a waypoint is."""
        return [
            number
            for number, edge in enumerate(self.program.threads[thread].edges)
            if self._is_there(edge, point)
        ]

    def _is_there(self, edge: Edge, point: Waypoint) -> bool:
        span = edge.span
        if span is None or span.source.path != self.path or span.line != point.line:
            return False
        last = max(span.start, span.end - 1)
        is_behind = point.start is not None and last < point.start
        return not is_behind and not (point.end is not None and span.start > point.end)

    def values(self, told: tuple[tuple[str, int], ...]) -> tuple[tuple[int, int], ...]:
        """Cells with words, from variables with values."""
        found = []
        for name, value in told:
            if name not in self.cells:
                raise UnfollowableError(f"`{name}` is not a scalar global variable")
            cell = self.cells[name]
            found.append((cell.id, value & ((1 << 8 * cell.object.size) - 1)))
        return tuple(found)

    def created_threads(self, edge: Edge) -> Iterator[int]:
        """The threads that an edge creates."""
        for operation in edge.operations:
            if isinstance(operation, Spawn):
                yield self.numbers[operation.thread]


def _routes(placing: _PlaceFinder, guide: SvcompWitness, main: int) -> Iterator[Route]:
    """The routes, depth first, in the order in which the program lists its threads."""
    todo: list[tuple[int, dict[str, int], tuple[Passing, ...]]] = [(0, {guide.main: main}, ())]
    failure: UnfollowableError | None = None
    found = 0
    while todo and found < MOST_ROUTES:
        position, names, steps = todo.pop()
        try:
            if position == len(guide.waypoints):
                is_failing = len(guide.targets) == 1
                targets = tuple(
                    _passing(placing, point, names, is_failing=is_failing) for point in guide.targets
                )
                found += 1
                yield Route(steps=steps, targets=targets)
                continue
            ways = _ways(placing, guide.waypoints[position], names)
        except UnfollowableError as wrong:
            failure = failure or wrong
            continue
        todo += [(position + 1, new, (*steps, *more)) for new, more in reversed(ways)]
    if not found:
        raise failure or UnfollowableError("no thread matches")


def _acts(edge: Edge) -> bool:
    return any(not isinstance(operation, Set | Assume | Assert | Choose) for operation in edge.operations)


def _ways(
    placing: _PlaceFinder, point: Waypoint, names: dict[str, int]
) -> list[tuple[dict[str, int], tuple[Passing, ...]]]:
    """The possible meanings of a waypoint: the threads that exist then, and what is passed."""
    if point.line is None:
        _check_unplaced(placing, point, names)
        return [(names, ())]
    passing = _passing(placing, point, names)
    children = [
        (child, edge)
        for edge in sorted(passing.edges)
        for child in placing.created_threads(placing.program.threads[passing.thread].edges[edge])
        if child not in names.values()
    ]
    if point.creates is None and not (point.enters and children):
        return [(names, (passing,))]
    if not children:
        raise UnfollowableError(f"no thread is created at line {point.line}")
    name = point.creates if point.creates is not None else str(len(names))
    return [
        ({**names, name: child}, (replace(passing, edges=frozenset({edge})),)) for child, edge in children
    ]


def _check_unplaced(placing: _PlaceFinder, point: Waypoint, names: dict[str, int]) -> None:
    """Checks a waypoint without a location: the function with which a thread begins."""
    if point.creates is not None:
        raise UnfollowableError(f"the creation of thread {point.creates} has no location")
    if point.thread not in names:
        raise UnfollowableError(f"thread {point.thread} was not created")
    function = placing.program.threads[names[point.thread]].name.partition("#")[0]
    if point.function not in (None, function):
        raise UnfollowableError(f"thread {point.thread} begins with {function}, not {point.function}")


def _passing(
    placing: _PlaceFinder, point: Waypoint, names: dict[str, int], *, is_failing: bool = False
) -> Passing:
    """The edges of a waypoint: those that act on memory or threads, if there are any."""
    if point.thread not in names:
        raise UnfollowableError(f"thread {point.thread} was not created")
    thread = names[point.thread]
    edges = placing.edges(thread, point)
    if not edges:
        who = placing.program.threads[thread].name
        raise UnfollowableError(f"{who} has no step at line {point.line}")
    all_edges = placing.program.threads[thread].edges
    acting = [] if is_failing else [number for number in edges if _acts(all_edges[number])]
    return Passing(
        thread=thread,
        edges=frozenset(acting or edges),
        before=placing.values(point.before),
        after=placing.values(point.after),
    )
