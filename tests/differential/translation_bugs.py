"""Deliberate mistakes in the translators: the texts of `translation_cases` show every one."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Bug, Rewrite

T = "membar.translation"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A bug with its name."""

    name: str
    bug: Bug


def _mistake(name: str, module: str, old: str, new: str) -> Mistake:
    return Mistake(name, Rewrite(f"{T}.{module}", old, new))


MISTAKES = [
    _mistake(
        "loads never look into the own buffer", "paths",
        "if path.is_drained or high == 0:", "if True:",
    ),
    _mistake(
        "loads take the oldest store", "paths",
        "newest = slot_of(self.thread, cell.id, 0).atom",
        "newest = slot_of(self.thread, cell.id, self.layout.bound - 1).atom",
    ),
    _mistake(
        "loads do not see stores of the same step", "paths",
        "for where, value in reversed(path.pushes):", "for where, value in []:",
    ),
    _mistake(
        "of two stores in a step the first is seen", "paths",
        "for where, value in reversed(path.pushes):", "for where, value in path.pushes:",
    ),
    _mistake(
        "older stores do not move up", "paths",
        "values = [*new, *(slot_of(self.thread, cell, n).atom for n in range(self.layout.bound))]",
        "values = [*new, *(FALSE for n in range(self.layout.bound))]",
    ),
    _mistake(
        "the newest store is flushed first", "layout",
        "oldest = slot_of(thread, cell, taken - 1)", "oldest = slot_of(thread, cell, 0)",
    ),
    _mistake(
        "slots are not reset", "layout",
        "(oldest.key, FALSE),", "(oldest.key, oldest.atom),",
    ),
    _mistake(
        "locations are flushed in any order", "layout",
        "guards.append(equals(queue[0].atom, Constant(number_of(layout, thread, cell))))",
        "guards.append(equals(count_of(thread, cell), Constant(taken)))",
    ),
    _mistake(
        "one slot more", "paths",
        "if not self._narrow(path, cell.id, (0, bound - 1 - own)):",
        "if not self._narrow(path, cell.id, (0, bound - own)):",
    ),
    _mistake(
        "one entry more", "paths",
        "bound - 1 - len(path.pushes))", "bound - len(path.pushes))",
    ),
    _mistake(
        "atomic writes do not wait",
        "paths",
        "yield from self.layout.is_empty(self.thread)",
        "yield from ()",
    ),
    _mistake(
        "stores of the step are lost by its fence", "paths",
        "for cell, value in path.pushes:\n            path.memory",
        "for cell, value in ():\n            path.memory",
    ),
    _mistake(
        "the rule for all buffers looks at the own one", "paths",
        "for number in range(len(self.program.threads)) if number != self.thread)", "for number in ())",
    ),
    _mistake(
        "fences do nothing", "paths",
        "if effect is FenceEffect.NOTHING or self._drain(path):", "if True:",
    ),
    _mistake(
        "assertions that fail are left out", "paths",
        "if _require(failing, negated(value)):", "if False:",
    ),
    _mistake(
        "committed points are ordinary", "build",
        "return [*born, *([] if edge.source in thread.committed else others)]", "return [*born]",
    ),
    _mistake(
        "who may stay is in a deadlock", "dve",
        'yield f"ends {self.memory}.flush;"', 'yield f"ends {self.threads[0]}.{self.points[0][0]};"',
    ),
    _mistake(
        "ended threads are in a deadlock", "promela",
        'return f"at_{point}" if thread.outgoing[point] and point not in thread.ends else f"end_{point}"',
        'return f"at_{point}" if point not in thread.ends else f"end_{point}"',
    ),
    _mistake(
        "release for until", "spelling",
        "return both(left, words.until, right)", "return both(left, words.release, right)",
    ),
]  # fmt: skip
