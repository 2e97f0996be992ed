"""The automaton of a process while it is built: points, moves, and jumps that take no step.

A jump (`goto` at the end of a sequence, the way into a loop) costs nothing: who is at its source is as good
as at its target. So a point has the moves of all points that jumps lead to, and a move that ends where only a
jump leaves ends at the target of that jump. Points inside an atomic block are different from those outside
even if a jump connects them: before the first statement of a block others may still act.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import error
from membar.languages.promela.actions import Action, Move
from membar.languages.promela.inlines import OF_INLINE, label_of
from membar.languages.promela.scope import Scope
from membar.records import replace
from membar.source import Span

_MOST_MOVES = 100_000


class Automaton:
    """Points are numbers; those of atomic blocks are known as such."""

    def __init__(self) -> None:
        self.labels: dict[str, int] = {}
        self._places: dict[str, list[tuple[Scope, int]]] = {}
        self._block_of: dict[int, int] = {}  # points inside atomic blocks
        self._d_steps: set[int] = set()  # those blocks that are `d_step`
        self._moves: dict[int, list[Move]] = {}
        self._jumps: dict[int, list[int]] = {}
        self._escapes: list[
            tuple[frozenset[int], int]
        ] = []  # points inside `unless`, where the escape begins
        self._points = 0
        self._count = 0

    def point(self, block: int | None = None) -> int:
        """A new point, inside an atomic block or outside all."""
        self._points += 1
        if block is not None:
            self._block_of[self._points - 1] = block
        return self._points - 1

    def add(self, move: Move) -> None:
        """Adds a move."""
        self._moves.setdefault(move.source, []).append(move)
        self._count += 1
        if self._count > _MOST_MOVES:
            raise error(
                "W0710", f"the process has more than {_MOST_MOVES} steps", move.action.span, "too large"
            )

    @property
    def size(self) -> int:
        """How many points there are."""
        return self._points

    def escape(self, points: frozenset[int], start: int) -> None:
        """Says that from these points the moves at `start` come first; outer statements are told last."""
        self._escapes.append((points, start))

    def jump(self, source: int, target: int) -> None:
        """Adds a jump."""
        self._jumps.setdefault(source, []).append(target)

    def is_inside(self, point: int) -> bool:
        """Whether a point lies inside an atomic block."""
        return point in self._block_of

    def block_of(self, point: int) -> int | None:
        """The atomic block that a point lies inside of."""
        return self._block_of.get(point)

    def d_step(self, block: int) -> None:
        """Says that a block is a `d_step`."""
        self._d_steps.add(block)

    def is_passed(self, point: int) -> bool:
        """Whether a process can be at a point inside an atomic block, if only on its way through."""
        return self.is_inside(point) and self._block_of[point] not in self._d_steps

    def label(self, name: str, point: int, span: Span, scope: Scope) -> None:
        """Names a point. Labels of several blocks may have one name: references mean the first of them."""
        places = self._places.setdefault(name, [])
        if any(other is scope for other, _ in places):
            raise error("W0704", f"label `{name}` is used twice", span, "again here")
        places.append((scope, point))
        self.labels[f"{name}{OF_INLINE}{point}" if name in self.labels else name] = point
        self.labels.setdefault(label_of(name), point)

    def point_of_label(self, name: str, scope: Scope) -> int | None:
        """The point that `goto` means in a block: its own label, the first of those around, or the last."""
        places = self._places.get(name, [])
        own = [point for other, point in places if other is scope]
        around = [point for other, point in places if other in tuple(scope.enclosing_scopes())]
        elsewhere = [point for _, point in reversed(places)]
        return next(iter((*own, *around, *elsewhere)), self.labels.get(name))

    def follow_jumps(self, point: int) -> int:
        """Where one really is who is sent to `point`."""
        seen = {point}
        while point not in self._moves and len(self._jumps.get(point, ())) == 1:
            (target,) = self._jumps[point]
            if target in seen or (self.is_inside(target) and not self.is_inside(point)):
                break
            seen.add(target)
            point = target
        return point

    def moves(self, point: int) -> tuple[Move, ...]:
        """What can happen at a point, in the order of the text, with targets resolved."""
        return tuple(
            replace(move, source=point, target=self.follow_jumps(move.target))
            for move in self._moves_from(point)
        )

    def actions(self, point: int) -> tuple[Action, ...]:
        """The actions that can happen at a point."""
        return tuple(move.action for move in self._moves_from(point))

    def all_actions(self) -> tuple[Action, ...]:
        """The actions of the whole automaton."""
        return tuple(move.action for moves in self._moves.values() for move in moves)

    def all_moves(self) -> tuple[Move, ...]:
        """The moves of the whole automaton."""
        return tuple(move for moves in self._moves.values() for move in moves)

    def _moves_from(self, point: int, *, with_escapes: bool = True) -> Iterator[Move]:
        todo, seen = [point], {point}
        escaped: set[int] = set()
        is_in_d_step = self._block_of.get(point) in self._d_steps  # which no escape leaves
        with_escapes = with_escapes and bool(self._escapes) and not is_in_d_step
        while todo:
            here = todo.pop()
            if not with_escapes or here not in self._moves:
                yield from self._moves.get(here, ())
            else:
                yield from self._moves_and_escapes(here, escaped)
            following = [target for target in self._jumps.get(here, ()) if target not in seen]
            seen.update(following)
            todo += reversed(following)

    def _moves_and_escapes(self, here: int, escaped: set[int]) -> Iterator[Move]:
        """The moves of a point and the escapes around it, without escapes of these, as in SPIN."""
        found = [number for number, (points, _) in enumerate(self._escapes) if here in points]
        regions = tuple(reversed(found))
        for place, number in enumerate(regions):
            if number not in escaped:
                escaped.add(number)
                for move in self._moves_from(self._escapes[number][1], with_escapes=False):
                    yield replace(move, regions=regions[:place], escape=number)
        for move in self._moves[here]:
            yield replace(move, regions=regions)
