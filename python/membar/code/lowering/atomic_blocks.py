"""Makes each way through an atomic block one step.

The ways begin at one point, and each assumes the conditions that lead along it: one can be taken. Where there
are many of them, one step does the arms of all branches, if it can. Of a loop in a block a few iterations are
followed; what goes on is left out. A loop that only waits cannot see what others do meanwhile: its block
blocks until it would not wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from membar.code import ir
from membar.code.lowering.automaton import Automaton, as_one_step, is_warning
from membar.code.lowering.flat_blocks import flatten_block
from membar.code.lowering.refusal import NotSupportedError
from membar.program.dependencies import registers_read, registers_written, writes_memory
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Expr, is_truth, registers_of
from membar.program.operations import Assume, Fence, Load, Set
from membar.program.program import Edge
from membar.records import replace
from membar.source import Span

_MOST_ITERATIONS = 4
_MOST_WAYS = 256
_MANY_WAYS = 16
"""So many ways are tried one by one before the arms of branches are done together."""


def merge_atomic_blocks(
    flow: Automaton, begins: Mapping[int, ir.Call], ends: frozenset[int], spans: Mapping[int, Span | None]
) -> bool:
    """Replaces the steps of atomic blocks; whether one of them may wait forever.

    Args:
        flow: the automaton of a thread.
        begins: the points where blocks begin, with the calls that begin them.
        ends: the points where blocks end.
        spans: the text of those calls.

    Raises:
        NotSupportedError: a block has too many ways.
    """
    leaving: dict[int, list[Edge]] = {}
    for edge in flow.edges:
        leaving.setdefault(edge.source, []).append(edge)
    gone: set[int] = set()
    made: list[Edge] = []
    may_wait = False
    for begin, call in begins.items():
        ways = list(islice(_ways(begin, leaving, ends), _MOST_WAYS + 1))
        flat = flatten_block(begin, leaving, ends, flow, spans[begin]) if len(ways) > _MANY_WAYS else None
        if flat is not None:
            gone |= {id(edge) for edge in flat.replaced}
            for step in (flat.step, *flat.left_out):
                made += _as_steps([step], flow, spans[begin], set(), is_cut=False)
            continue
        if len(ways) > _MOST_WAYS:
            raise NotSupportedError(f"an atomic block with more than {_MOST_WAYS} paths", call.place)
        loops = [_endless_loop(way) for way in ways]
        waiting = {edge.source for loop in loops for edge in loop}
        may_wait |= bool(waiting)
        for way, loop in zip(ways, loops, strict=True):
            gone |= {id(edge) for edge in way}
            if not loop:
                made += _as_steps(way, flow, spans[begin], waiting, is_cut=_is_cut(way, ends))
    flow.edges = [edge for edge in flow.edges if id(edge) not in gone] + made
    return may_wait


def _ways(begin: int, leaving: Mapping[int, Sequence[Edge]], ends: frozenset[int]) -> Iterator[list[Edge]]:
    """The ways from the beginning of a block to its ends, or to where nothing follows."""
    todo: list[list[Edge]] = [[edge] for edge in leaving.get(begin, ())]
    while todo:
        way = todo.pop()
        following = leaving.get(way[-1].target, ())
        is_left_out = any(edge.unexplored for edge in following) or bool(_endless_loop(way))
        if way[-1].target in ends or not following or is_left_out or _is_cut(way, ends):
            yield way
        else:
            todo += [[*way, edge] for edge in following]


def _endless_loop(way: list[Edge]) -> list[Edge]:
    """The iteration with which a way ends, if everything is then as before it; otherwise nothing."""
    start = next((at for at, edge in enumerate(way) if edge.source == way[-1].target), None)
    if start is None:
        return []
    written: set[str] = set()
    read_before: set[str] = set()
    for edge in way[start:]:
        read_before |= set(registers_of(edge.guard)) - written
        for item in edge.operations:
            if writes_memory(item) or not isinstance(item, Load | Set | Assume | Fence):
                return []
            read_before |= registers_read(item).all - written
            written |= set(registers_written(item))
    return [] if read_before & written else way[start:]


def _is_cut(way: list[Edge], ends: frozenset[int]) -> bool:
    """Whether a way is in a loop that is not followed further."""
    most = max(Counter(map(id, way)).values())
    return most > _MOST_ITERATIONS and way[-1].target not in ends


def _as_steps(
    way: list[Edge], flow: Automaton, span: Span | None, waiting: set[int], *, is_cut: bool
) -> list[Edge]:
    first, *others = way
    steps = [first, *(_assuming(edge, waits=edge.source in waiting) for edge in others)]
    done = as_one_step(steps, span)
    if is_cut:
        point = flow.point()
        return [
            replace(done, target=point),
            Edge(source=point, target=point, span=span, unexplored="more iterations in an atomic block"),
        ]
    warnings = [(item, edge.span) for edge in way for item in edge.operations if is_warning(item)]
    found, end = [done], done.target
    for warning, place in warnings:  # they end no execution, and may as well be asked after the step
        point = flow.point()
        found[-1] = replace(found[-1], target=point)
        found.append(Edge(source=point, target=end, operations=(warning,), span=place))
    return found


def _assuming(edge: Edge, *, waits: bool) -> Edge:
    """A step that assumes its guard when it comes to it, or waits for it."""
    if edge.guard == TRUE:
        return edge
    guard: Expr = edge.guard if is_truth(edge.guard) else Binary(BinaryOp.NE, edge.guard, FALSE)
    return replace(edge, guard=TRUE, operations=(Assume(guard, waits=waits), *edge.operations))
