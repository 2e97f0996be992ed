"""An automaton → the edges of a thread: `else` resolved, atomic blocks contracted, processes started.

Every way through an atomic block becomes one edge. A way stops inside the block where none of the next
statements can be done, and goes on from there later, in one step again: SPIN's rule. A `d_step` that stops is
an error. Loops inside a block must have a number of turns that is known where the block is read.

In a process that starts others, points are told apart by the known values of its variables, so that each
turn of `do :: i < N -> run P(i); i++ …` starts a process of its own; also where a loop in a block needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from membar.diagnostics import InputError, error
from membar.languages.promela.actions import Kind, Move, Start
from membar.languages.promela.automaton import Automaton
from membar.languages.promela.path import Path, Spawner, none_of
from membar.languages.promela.process import Built
from membar.program.dependencies import registers_written
from membar.program.expr import FALSE, MASK, TRUE, Expr
from membar.program.folding import either, logical_not
from membar.program.operations import Assert, Assume, Send
from membar.program.program import Edge
from membar.records import field, record

_MOST_WAYS = 512
_LONGEST_WAY = 2000
_MOST_POINTS = 10_000

# A point, the known values there, and how many processes were started before (if processes are started).
Node: TypeAlias = tuple[int, tuple[tuple[str, int], ...], int]
# Start, known arguments, how many were started before → the thread's name and number.
StartProcess: TypeAlias = Callable[[Start, tuple[int | None, ...], int], tuple[str, int | None]]


@record(slots=True)
class Steps:
    """The edges of a thread, and where its points come from."""

    entry: int
    edges: list[Edge] = field(default_factory=list)
    points: dict[int, list[int]] = field(default_factory=dict)  # of the automaton → of the thread


def steps_of(built: Built, start: StartProcess) -> Steps:
    """The edges of a process.

    Raises:
        InputError: an atomic block that cannot be contracted.
    """
    starts = any(
        isinstance(effect, Start) for action in built.automaton.all_actions() for effect in action.effects
    )
    if starts:
        return _Stepper(built, start, tracks=True).run()
    try:
        return _Stepper(built, start, tracks=False).run()
    except InputError as problem:
        try:  # known values may say how often a loop in a block turns
            return _Stepper(built, start, tracks=True).run()
        except InputError:
            raise problem from None


class _Stepper:
    """`tracks`: points are told apart by the known values of variables."""

    def __init__(self, built: Built, start: StartProcess, *, tracks: bool) -> None:
        self._built = built
        self._automaton: Automaton = built.automaton
        self._start = start
        self._numbers: dict[Node, int] = {}
        self._todo: list[Node] = []
        actions = built.automaton.all_actions()
        self._tracks = tracks
        written = {
            register
            for action in actions
            for effect in (*action.reads, *action.effects)
            if not isinstance(effect, Start)
            for register in registers_written(effect)
        }
        initial = {name: value for name, value in built.registers.items() if isinstance(value, int)}
        self._fixed = {name: value & MASK for name, value in initial.items() if name not in written}
        self._initial = {name: value & MASK for name, value in initial.items()}

    def run(self) -> Steps:
        known = self._initial if self._tracks else self._fixed
        first = self._node(self._automaton.follow_jumps(self._built.entry), known, 0)
        steps = Steps(self._number(first))
        while self._todo:
            node = self._todo.pop(0)
            if len(self._numbers) > _MOST_POINTS:
                raise error(
                    "W0710",
                    "a process with too many local states",
                    self._automaton.moves(node[0])[0].action.span,
                    f"at most {_MOST_POINTS}",
                )
            steps.edges += self._leaving(node)
        for (point, _, _), number in sorted(self._numbers.items(), key=lambda item: item[1]):
            steps.points.setdefault(point, []).append(number)
        return steps

    def _node(self, point: int, known: Mapping[str, int], started: int) -> Node:
        if not self._tracks:
            return point, (), 0
        named = {name: value for name, value in known.items() if not name.startswith("$")}
        return point, tuple(sorted(named.items())), started

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self._numbers)
            self._todo.append(node)
        return self._numbers[node]

    def _leaving(self, node: Node) -> Iterator[Edge]:
        point, values, started = node
        known = dict(values) if self._tracks else self._fixed
        source = self._number(node)
        moves = self._automaton.moves(point)
        if not moves and point != self._built.end:  # `goto` in a circle: busy forever
            yield Edge(source=source, target=source)
        ways = 0
        for move, path in self._first(moves, known, started):
            for end, way in self._ways(move, path, started):
                ways += 1
                if ways > _MOST_WAYS:
                    raise error(
                        "W0710",
                        "too many paths through an atomic block",
                        move.action.span,
                        f"at most {_MOST_WAYS}",
                    )
                target = self._number(self._node(end, way.known, started + way.spawned))
                yield way.edge(source, target, locked=move.block is not None)
        if moves and not ways:  # a thread without edges would have ended
            yield Edge(
                source=source,
                target=source,
                operations=(Assume(FALSE, waits=True),),
                span=moves[0].action.span,
            )

    def _first(
        self, moves: tuple[Move, ...], known: Mapping[str, int], started: int
    ) -> Iterator[tuple[Move, Path]]:
        may_wait = not any(move.action.kind is Kind.ELSE or move.action.condition == TRUE for move in moves)
        for position, move in enumerate(moves):
            path = Path(dict(known), waits=may_wait)
            self._prefer(path, moves, position)
            if not path.is_dead and self._take(path, move, started):
                yield move, path

    def _prefer(self, path: Path, moves: tuple[Move, ...], position: int) -> None:
        """In a `d_step`, the first statement that can be done is."""
        move = moves[position]
        for other in moves[:position]:
            if move.is_deterministic and other.is_deterministic and other.block == move.block:
                path.assume(logical_not(self._condition(path, other)))

    def _take(self, path: Path, move: Move, started: int) -> bool:
        """Adds a move to a path; whether it can be."""
        action = move.action
        if action.kind is Kind.ELSE:
            path.assume(logical_not(self._condition(path, move, of_else=True)))
        base = path.temporaries
        condition, renamed = path.read(action)
        path.assume(condition)
        if path.is_dead:
            return False
        path.do(action, renamed, base, self._spawner(path, started))
        return not path.is_dead

    def _spawner(self, path: Path, started: int) -> Spawner:
        return lambda start, known: self._start(start, known, started + path.spawned)

    def _condition(self, path: Path, move: Move, *, of_else: bool = False) -> Expr:
        """Whether a move could be done now, in terms of what the path reads for it."""
        action = move.action
        if action.kind is Kind.ELSE:
            result: Expr = FALSE
            for point in action.others:
                for other in self._automaton.moves(point):
                    result = either(result, self._condition(path, other))
            return result if of_else else logical_not(result)
        if action.kind is not Kind.PLAIN:
            what = "a rendezvous" if action.kind is Kind.MEETING else "`sync` or `fence`"
            raise error(
                "W0710",
                f"{what} beside `else`, or inside an atomic block",
                action.span,
                "membar cannot determine statically whether it is enabled",
                help="make it the first statement of the block",
            )
        condition, _ = path.read(action)
        return condition

    # Atomic blocks

    def _ways(self, move: Move, path: Path, started: int) -> Iterator[tuple[int, Path]]:
        """Every way on from a move that was taken: where it ends."""
        todo = [(move, path)]
        while todo:
            last, way = todo.pop()
            ends = last.block is None or not self._automaton.is_inside(last.target)
            if ends or any(isinstance(effect, Send) for effect in last.action.effects):
                yield last.target, way
                continue
            if way.steps > _LONGEST_WAY:
                raise error(
                    "W0710",
                    "a path through an atomic block that is too long",
                    last.action.span,
                    f"at most {_LONGEST_WAY} statements; a waiting loop never ends",
                )
            moves = self._automaton.moves(last.target)
            stop = way.copy()
            stop.assume(none_of([self._condition(stop, other) for other in moves]))
            if not stop.is_dead and last.is_deterministic and moves:
                stop.operations.append(Assert(FALSE, "a `d_step` that blocks"))
            if not stop.is_dead:
                yield last.target, stop
            following = [
                (other, on)
                for position, other in enumerate(moves)
                if (on := self._on(way, moves, position, started))
            ]
            todo += reversed(following)

    def _on(self, way: Path, moves: tuple[Move, ...], position: int, started: int) -> Path | None:
        path = way.copy()
        self._prefer(path, moves, position)
        return path if not path.is_dead and self._take(path, moves[position], started) else None
