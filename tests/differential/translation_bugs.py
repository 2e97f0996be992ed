"""Deliberate mistakes in the translators, each with a random program that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Bug, Rewrite

T = "membar.translation"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A bug, and what shows it: the number of a random program, a model with its bound, and a format."""

    name: str
    bug: Bug
    seed: int
    model: str
    bound: int
    to: str


def _mistake(name: str, module: str, old: str, new: str, shown: tuple[int, str, int, str]) -> Mistake:
    return Mistake(name, Rewrite(f"{T}.{module}", old, new), *shown)


MISTAKES = [
    _mistake(
        "loads never look into the own buffer", "paths",
        "if path.is_drained or high == 0:", "if True:", (0, "", 0, ""),
    ),
    _mistake(
        "loads take the oldest store", "paths",
        "newest = slot_of(self.thread, cell.id, 0).atom",
        "newest = slot_of(self.thread, cell.id, self.layout.bound - 1).atom", (0, "", 0, ""),
    ),
    _mistake(
        "loads do not see stores of the same step", "paths",
        "for where, value in reversed(path.pushes):", "for where, value in []:", (0, "", 0, ""),
    ),
    _mistake(
        "of two stores in a step the first is seen", "paths",
        "for where, value in reversed(path.pushes):", "for where, value in path.pushes:", (0, "", 0, ""),
    ),
    _mistake(
        "older stores do not move up", "paths",
        "values = [*new, *(slot_of(self.thread, cell, n).atom for n in range(self.layout.bound))]",
        "values = [*new, *(FALSE for n in range(self.layout.bound))]", (0, "", 0, ""),
    ),
    _mistake(
        "the newest store is flushed first", "layout",
        "oldest = slot_of(thread, cell, taken - 1)", "oldest = slot_of(thread, cell, 0)", (0, "", 0, ""),
    ),
    _mistake(
        "slots are not reset", "layout",
        "(oldest.key, FALSE),", "(oldest.key, oldest.atom),", (0, "", 0, ""),
    ),
    _mistake(
        "locations are flushed in any order", "layout",
        "guards.append(equals(queue[0].atom, Constant(number_of(layout, thread, cell))))",
        "guards.append(equals(count_of(thread, cell), Constant(taken)))", (0, "", 0, ""),
    ),
    _mistake(
        "one slot more", "paths",
        "if not self._narrow(path, cell.id, (0, bound - 1 - own)):",
        "if not self._narrow(path, cell.id, (0, bound - own)):", (0, "", 0, ""),
    ),
    _mistake(
        "one entry less", "paths",
        "bound - 1 - len(path.pushes))", "bound - 1)", (0, "", 0, ""),
    ),
    _mistake(
        "atomic writes do not wait", "paths",
        "            path.is_drained = True\n", "            path.is_drained = False\n", (0, "", 0, ""),
    ),
    _mistake(
        "stores of the step are lost by its fence", "paths",
        "for cell, value in path.pushes:\n            path.memory",
        "for cell, value in ():\n            path.memory",
        (0, "", 0, ""),
    ),
    _mistake(
        "the rule for all buffers looks at the own one", "paths",
        "for number in range(len(self.program.threads)) if number != self.thread)", "for number in ())",
        (0, "", 0, ""),
    ),
    _mistake(
        "fences do nothing", "paths",
        "if effect is FenceEffect.NOTHING or self._drain(path):", "if True:", (0, "", 0, ""),
    ),
    _mistake(
        "a failed exchange is locked, too", "paths",
        "(LOCKED not in failed_tags or self._drain(failing))", "self._drain(failing)", (0, "", 0, ""),
    ),
    _mistake(
        "locks are taken twice", "paths",
        "path.memory[cell.id] = TRUE", "path.memory[cell.id] = FALSE", (0, "", 0, ""),
    ),
    _mistake(
        "assertions that fail are left out", "paths",
        "if _require(failing, negated(value)):", "if False:", (0, "", 0, ""),
    ),
    _mistake(
        "joining does not wait for the buffer", "paths",
        "guards = [*born, ended, *self.layout.is_empty(other)]", "guards = [*born, ended]", (0, "", 0, ""),
    ),
    _mistake(
        "stores are not truncated", "paths",
        "return rebuilt(Extend(value, 8 * cell.object.size, cell.object.signed), lambda item: item)",
        "return value", (0, "", 0, ""),
    ),
    _mistake(
        "committed points are ordinary", "build",
        "return [*born, *([] if edge.source in thread.committed else others)]", "return [*born]",
        (0, "", 0, ""),
    ),
    _mistake(
        "writes one after the other", "spelling",
        "if not any(_reads(value, key) for other, value in waiting.items() if other != key)", "if True",
        (0, "", 0, ""),
    ),
    _mistake(
        "numbers without sign have one", "spelling",
        'return f"(({a} >= 0) {words.land} ({a} {sign} {b}))"', 'return f"({a} {sign} {b})"', (0, "", 0, ""),
    ),
    _mistake(
        "by zero divided", "spelling",
        "    if not may_be_zero:\n", "    if True:\n", (0, "", 0, ""),
    ),
    _mistake(
        "who may stay is in a deadlock", "dve",
        'yield f"ends {self.memory}.flush;"', 'yield f"ends {self.threads[0]}.{self.points[0][0]};"',
        (0, "", 0, ""),
    ),
    _mistake(
        "points where one may stay are ordinary", "promela",
        'return f"at_{point}" if thread.outgoing[point] and point not in thread.ends else f"end_{point}"',
        'return f"at_{point}" if thread.outgoing[point] else f"end_{point}"', (0, "", 0, ""),
    ),
    _mistake(
        "ended threads are in a deadlock", "promela",
        'return f"at_{point}" if thread.outgoing[point] and point not in thread.ends else f"end_{point}"',
        'return f"at_{point}" if point not in thread.ends else f"end_{point}"', (0, "", 0, ""),
    ),
    _mistake(
        "fairness as printed: again and again empty", "questions",
        "for entries in range(2, most + 1):", "for entries in range(0):", (0, "", 0, ""),
    ),
    _mistake(
        "fairness to some queue", "questions",
        "else And(result, one)", "else Or(result, one)", (0, "", 0, ""),
    ),
    _mistake(
        "release for until", "spelling",
        "return both(left, words.until, right)", "return both(left, words.release, right)", (0, "", 0, ""),
    ),
]  # fmt: skip
