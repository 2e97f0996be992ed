"""Join points: the immediate post-dominator of a branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from membar.program.program import Edge


def meeting_points(edges: tuple[Edge, ...]) -> tuple[tuple[int, int], ...]:
    """Each branch with the point where its paths join, if a path leads from it to an end."""
    leaving = Counter([edge.source for edge in edges])
    branches = sorted(point for point, count in leaving.items() if count > 1)
    if not branches:
        return ()
    following: dict[int, set[int]] = {}
    for edge in edges:
        following.setdefault(edge.source, set()).add(edge.target)
        following.setdefault(edge.target, set())
    later = _on_every_way(following)
    joins: list[tuple[int, int]] = []
    for branch in branches:
        passed = later[branch] - {branch}
        # What all ways pass lies on a line; the first of it is followed by all the rest.
        joins.extend((branch, point) for point in sorted(passed) if later[point] == passed)
    return tuple(joins)


def _on_every_way(following: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    """For each point, those that every path from it to an end passes, itself included."""
    everything = frozenset(following)
    found = {point: everything if targets else frozenset({point}) for point, targets in following.items()}
    is_stable = False
    while not is_stable:
        is_stable = True
        for point, targets in following.items():
            if targets:
                passed = frozenset({point}).union(everything.intersection(*(found[to] for to in targets)))
                is_stable = is_stable and passed == found[point]
                found[point] = passed
    return found
