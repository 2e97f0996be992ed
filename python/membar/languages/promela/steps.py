"""An automaton → the edges of a thread: `else` and `unless` resolved, atomic blocks followed step by step.

Each statement is one edge. A process that is inside an atomic block is at a *held* control point
(`Thread.atomic`): nobody else moves. Where none of the next statements can be done it lets go of the block,
by an edge to the ordinary point, and waits there like everybody else: SPIN's rule. A `d_step` that cannot
go on is an error.

A statement may have to wait for others that come first: all options beside an `else`, the escapes of
`unless`, the options before it in a `d_step`. Where these can be done is an expression, which is negated,
but for a rendezvous that sends: then the edge has a rank. A sender looks for somebody who receives at once,
and nothing else counts then: such a receive waits only for those of the same channel, by its rank. So does a
`timeout` for those that come before it.

Held points are then left out where that does not add edges, so that `atomic { x == 0 -> x = 1 }` is one
edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.promela.actions import Kind, Move, Start
from membar.languages.promela.automaton import Automaton
from membar.languages.promela.channels import FULL_FENCE
from membar.languages.promela.contraction import without_held_points
from membar.languages.promela.process import FENCE_OF_ALL
from membar.languages.promela.step_path import Path
from membar.languages.promela.values import GHOST, LAST, CellReference, assignment
from membar.languages.promela.variables import Built
from membar.program.dependencies import registers_written
from membar.program.expr import FALSE, MASK, TRUE, Constant, Expr
from membar.program.folding import both, either, logical_not
from membar.program.operations import Assert, Assume, Fence, Operation, Receive, Send, Store
from membar.program.program import Edge
from membar.records import field, record, replace
from membar.source import Span

# A point of the automaton, and whether the process holds the atomic block around it.
Node: TypeAlias = tuple[int, bool]
# What starts a process: guards, each with the operations that start it there.
Starter: TypeAlias = Callable[[Move, Start], Sequence[tuple[Expr, tuple[Operation, ...]]]]


@record(slots=True)
class Steps:
    """The edges of a thread, and where its points come from."""

    entry: int
    edges: list[Edge] = field(default_factory=list)
    points: dict[int, list[int]] = field(default_factory=dict)  # of the automaton → of the thread
    held: frozenset[int] = frozenset()


@record(slots=True)
class _Order:
    """The moves at a point, and which come before which.

    Attributes:
        before: for each move, those that come before it.
        undecided: for each, those among them of which no expression says whether they can be done.
    """

    moves: Sequence[Move]
    before: list[list[int]]
    undecided: list[list[int]] = field(default_factory=list)

    def rank(self, number: int) -> int:
        """The rank of the edge of a move: above those of the undecided moves before it."""
        return 1 + max(map(self.rank, self.undecided[number]), default=-1)


def steps_of(built: Built, starter: Starter) -> Steps:
    """The edges of a process.

    Raises:
        InputError: statements whose order of precedence cannot be followed.
    """
    return _Stepper(built, starter).run()


def edge_with_last(edge: Edge, number: int | None, span: Span) -> Edge:
    """An edge that also says, in `_last`, which process made the step.

    Raises:
        InputError: the number of the process is not known.
    """
    if number is None:
        message = "`_last` where the number of a process is not constant"
        raise error("W0709", message, span, "it depends on the order in which processes are started")
    return replace(
        edge, operations=(*edge.operations, *assignment(CellReference(LAST, None), Constant(number)))
    )


class _Stepper:
    def __init__(self, built: Built, starter: Starter) -> None:
        self._built = built
        self._automaton: Automaton = built.automaton
        self._starter = starter
        self._numbers: dict[Node, int] = {}
        self._todo: list[Node] = []
        self._edges: list[Edge] = []
        actions = built.automaton.all_actions()
        written = {
            register
            for action in actions
            for effect in (*action.reads, *action.effects)
            if not isinstance(effect, Start)
            for register in registers_written(effect)
        }
        initial = {name: value for name, value in built.registers.items() if isinstance(value, int)}
        self._fixed = {
            name: value & MASK
            for name, value in initial.items()
            if name not in written and name not in built.counters
        }
        self._draining = {
            move.block
            for move in built.automaton.all_moves()
            if move.block is not None and any(map(_uses_buffer, move.action.effects))
        }

    def run(self) -> Steps:
        entry = self._number((self._automaton.follow_jumps(self._built.entry), False))
        while self._todo:
            self._leave(self._todo.pop(0))
        held = frozenset(number for (_, is_held), number in self._numbers.items() if is_held)
        points: dict[int, list[int]] = {}
        for (point, is_held), number in self._numbers.items():
            if not is_held:
                points.setdefault(point, []).append(number)
        edges = without_held_points(self._edges, held)
        left = {entry} | {point for edge in edges for point in (edge.source, edge.target)}
        new = {point: number for number, point in enumerate(sorted(left))}
        return Steps(
            new[entry],
            [replace(edge, source=new[edge.source], target=new[edge.target]) for edge in edges],
            {point: [new[here] for here in known if here in new] for point, known in points.items()},
            frozenset(new[point] for point in held & left),
        )

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self._numbers)
            self._todo.append(node)
        return self._numbers[node]

    def _leave(self, node: Node) -> None:
        """Adds the edges that leave a node."""
        point, is_held = node
        source = self._numbers[node]
        moves = self._automaton.moves(point)
        is_step = bool(moves) and all(move.is_deterministic for move in moves)
        if is_held:  # who holds a block does not wait for a sender
            moves = tuple(move for move in moves if not _receives_at_once(move))
        elif not moves and point != self._built.end:  # `goto` in a circle: busy forever
            self._edges.append(Edge(source=source, target=source))
            return
        order = _Order(moves, [self._before(moves, number) for number in range(len(moves))])
        order.undecided += [self._undecided(number, order) for number in range(len(moves))]
        may_wait = not any(move.action.condition == TRUE and not move.action.idle for move in moves)
        added = len(self._edges)
        for number in range(len(moves)):
            self._add(node, number, order, waits=may_wait)
        if is_held:
            self._leave_atomic_block(node, order, is_step=is_step)
        elif moves and len(self._edges) == added:  # a thread without edges would have ended
            waiting = Assume(FALSE, waits=True)
            span = moves[0].action.span
            self._edges.append(Edge(source=source, target=source, operations=(waiting,), span=span))

    def _before(self, moves: Sequence[Move], number: int) -> list[int]:
        """The moves that come before one: it is done only where none of them can be."""
        move = moves[number]
        channel = _received_from(move)
        options: set[int] = set()
        if move.action.kind is Kind.ELSE:
            others = [
                id(other.action) for point in move.action.others for other in self._automaton.moves(point)
            ]
            options = {place for place, other in enumerate(moves) if id(other.action) in others}
        return [
            place
            for place, other in enumerate(moves)
            if place != number
            and (
                place in options
                or (other.escape in move.regions and channel in (None, _received_from(other)))
                or (place < number and move.is_deterministic and other.is_deterministic
                    and other.block == move.block)
            )
        ]  # fmt: skip

    def _add(self, node: Node, number: int, order: _Order, *, waits: bool) -> None:
        move, before = order.moves[number], order.before[number]
        rank = order.rank(number)
        for place in range(len(order.moves)):
            compete = _enabling_event(order.moves[place]) == _enabling_event(move)
            if rank and place != number and place not in before and compete and order.rank(place) < rank:
                raise _ambiguous_precedence_error(move.action.span)
        path = Path(dict(self._fixed), waits=waits)
        decided = [order.moves[place] for place in before if place not in order.undecided[number]]
        for condition in [self._condition(path, other) for other in decided]:
            path.assume(logical_not(FALSE if condition is None else condition))
        if path.is_dead:
            return
        base = path.temporaries
        condition, renamed = path.read(move.action)
        path.assume(condition)
        if path.is_dead:
            if any(isinstance(done, Assert) for done in path.operations):  # it is asked, and may fail
                path.operations.append(Assume(FALSE, waits=True))
                path.span = move.action.span
                here = self._numbers[node]
                self._edges.append(path.edge(here, here, locked=move.block is not None))
            return
        start = next((effect for effect in move.action.effects if isinstance(effect, Start)), None)
        if start is None:
            path.do(move.action, renamed, base)
            self._finish(node, move, path, rank)
            return
        for guard, operations in self._starter(move, start):
            way = path.copy()
            way.assume(renamed(guard))
            way.do(move.action, renamed, base, operations)
            if not way.is_dead:
                self._finish(node, move, way, rank)

    def _finish(self, node: Node, move: Move, path: Path, rank: int) -> None:
        if path.is_dead:
            return
        goes_on = move.block is not None and self._automaton.is_inside(move.target)
        sends = (
            any(isinstance(effect, Send) for effect in path.operations) and move.action.kind is Kind.MEETING
        )
        is_held = goes_on and not sends
        if is_held and self._automaton.block_of(move.target) in self._draining:
            path.operations.append(FULL_FENCE)
        if node[1] and FENCE_OF_ALL in path.operations:
            message = "`sync` in the middle of an atomic block"
            raise error("W0710", message, move.action.span, "no other process could empty its store buffer")
        target = self._number((move.target, is_held))
        edge = path.edge(self._numbers[node], target, locked=move.block is not None)
        self._edges.append(replace(edge, rank=rank, idle=move.action.idle))

    def _undecided(self, number: int, order: _Order) -> list[int]:
        """Those of the moves before one of which no expression says whether they can be done."""
        before, chance = order.before[number], _enabling_event(order.moves[number])
        path = Path(dict(self._fixed))
        unknown = [
            place
            for place in before
            if self._condition(path, order.moves[place]) is None
            or (any(chance) and _enabling_event(order.moves[place]) == chance)
        ]
        if not unknown:
            return []
        return [place for place in before if place in unknown or not set(order.before[place]) <= set(before)]

    def _condition(self, path: Path, move: Move) -> Expr | None:
        """Whether a move could be done now, in terms of what the path reads for it; None: others decide.

        Nobody who offers to receive at once counts, as in SPIN: only senders look for somebody to meet.
        """
        action = move.action
        if action.idle or _receives_at_once(move):
            return FALSE
        if action.kind is Kind.ELSE:
            result: Expr = FALSE
            for point in action.others:
                for other in self._automaton.moves(point):
                    found = self._condition(path, other)
                    if found is None:
                        return None
                    result = either(result, found)
            own, _ = path.read(action)  # what its process is provided
            return both(own, logical_not(result))
        if action.kind is Kind.MEETING:
            return None
        condition, _ = path.read(action)
        return condition

    def _leave_atomic_block(self, node: Node, order: _Order, *, is_step: bool) -> None:
        """Lets go of an atomic block where none of the moves can be done, which is an error in a `d_step`."""
        moves, before = order.moves, order.before
        for number, move in enumerate(moves):
            action = move.action
            if action.condition == TRUE and not action.idle:
                is_plain = action.kind in (Kind.PLAIN, Kind.FENCE) and not before[number]
                if is_plain or (action.kind is Kind.ELSE and len(before[number]) == len(moves) - 1):
                    return
        path = Path(dict(self._fixed), waits=True)
        conditions = [self._condition(path, move) for move in moves]
        rank = 0
        if None in conditions:
            path = Path(dict(self._fixed), waits=True)
            rank = 1 + max(map(order.rank, range(len(moves))))
        else:
            for condition in conditions:
                path.assume(logical_not(FALSE if condition is None else condition))
        if path.is_dead:
            return
        point, source = node[0], self._numbers[node]
        path.span = _span_of(moves, self._built)
        if is_step:
            path.operations.append(Assert(FALSE, "a `d_step` that blocks"))
        target = self._number((point, False))
        self._edges.append(replace(path.edge(source, target, locked=False), rank=rank))


def _uses_buffer(effect: Operation | Start) -> bool:
    """Whether the own store buffer must be empty for it, inside an atomic block."""
    if isinstance(effect, Store):
        return effect.tags != GHOST
    return isinstance(effect, Fence | Send | Receive)


def _receives_at_once(move: Move) -> bool:
    return _received_from(move) is not None


def _enabling_event(move: Move) -> tuple[str | None, bool]:
    """When a move has its chance: where somebody sends on this channel; where nothing else can happen."""
    return _received_from(move), move.action.idle


def _received_from(move: Move) -> str | None:
    """The channel without room that a move receives from."""
    if move.action.kind is not Kind.MEETING:
        return None
    return next((item.channel for item in move.action.reads if isinstance(item, Receive)), None)


def _span_of(moves: Iterable[Move], built: Built) -> Span:
    return next((move.action.span for move in moves), built.span)


def _ambiguous_precedence_error(span: Span) -> Exception:
    return error(
        "W0710",
        "a statement beside a rendezvous whose precedence is not clear",
        span,
        "membar cannot determine when it is enabled",
        help="move the rendezvous out of `else`, `unless` or the `d_step`",
    )
