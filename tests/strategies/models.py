"""Random memory models, as cat text: sense is no concern, every operator and kind of check is."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_SETS = ("R", "W", "F", "IW", "FW", "_", "A", "L", "X", "MFENCE")
_RELATIONS = (
    "po", "rf", "co", "fr", "loc", "int", "ext", "addr", "data", "ctrl", "amo", "lxsx", "po-loc",
    "pick-addr", "pick-data", "pick-ctrl",
)  # fmt: skip


def model_texts() -> SearchStrategy[str]:
    """Random models; Hypothesis draws the seed only."""
    return st.integers(0, 2**32 - 1).map(model_text)


def model_text(seed: int) -> str:
    """The random model number `seed`. Half of them have coherence, so that not everything is allowed."""
    return _Writer(Random(seed)).model()


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: list[str] = []

    def model(self) -> str:
        lines = []
        for number in range(self.random.randint(0, 3)):
            name = f"n{number}"
            if self.random.randrange(3) == 0:
                lines.append(f"let rec {name} = {self.relation(2)} | ({name} ; {self.relation(1)})")
            else:
                lines.append(f"let {name} = {self.relation(3)}")
            self.names.append(name)
        if self.random.randrange(2):
            lines.append("acyclic po-loc | rf | co | fr as coherence")
        lines += [self.check(f"c{number}") for number in range(self.random.randint(1, 3))]
        return "\n".join(lines)

    def check(self, name: str) -> str:
        # Most checks are of thin relations: what forbids everything teaches nothing.
        thin = f"({self.relation(2)}) & ({self.relation(1)})"
        body = self.random.choice((thin, thin, self.relation(3)))
        kind = self.random.choice(("acyclic", "irreflexive", "empty"))
        match self.random.randrange(6):
            case 0:
                return f"flag ~{kind} {body} as {name}"
            case 1:
                return f"undefined_unless {kind} {body} as {name}"
            case 2:
                return f"~{kind} {body} as {name}"
            case _:
                return f"{kind} {body} as {name}"

    def relation(self, depth: int) -> str:
        if depth == 0:
            return self.random.choice((*_RELATIONS, *self.names, "rf", "co", "fr", "po"))
        return self.random.choice(
            (
                self.dyadic,
                self.dyadic,
                self.dyadic,
                self.monadic,
                self.monadic,
                self.from_sets,
                self.primitive,
            )
        )(depth - 1)

    def dyadic(self, depth: int) -> str:
        op = self.random.choice(("|", "&", "\\", ";", ";"))
        return f"({self.relation(depth)} {op} {self.relation(depth)})"

    def monadic(self, depth: int) -> str:
        before, after = self.random.choice((("", "^-1"), ("", "+"), ("", "*"), ("", "?"), ("~", "")))
        return f"({before}({self.relation(depth)}){after})"

    def from_sets(self, depth: int) -> str:
        if self.random.randrange(2):
            return f"[{self.set_of(depth)}]"
        return f"({self.set_of(depth)} * {self.set_of(depth)})"

    def primitive(self, _: int) -> str:
        return self.relation(0)

    def set_of(self, depth: int) -> str:
        if depth == 0:
            return self.random.choice(_SETS)
        op = self.random.choice(("|", "&", "\\", "~", "domain", "range", ""))
        if op in ("domain", "range"):
            return f"{op}({self.relation(depth - 1)})"
        if op == "~":
            return f"(~({self.set_of(depth - 1)}))"
        if op:
            return f"({self.set_of(depth - 1)} {op} {self.set_of(depth - 1)})"
        return self.set_of(0)
