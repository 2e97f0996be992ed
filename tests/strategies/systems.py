"""Random small parameterized systems, as `.cub` texts: both verdicts, with and without weak memory."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_VALUES = ("False", "True")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """What a system has: points of control, flags per process, shared variables."""

    points: int
    weak: bool
    has_owner: bool
    has_register: bool
    has_number: bool

    @property
    def shared(self) -> str:
        return "weak " if self.weak else ""


def random_system(random: Random, *, weak: bool) -> str:
    """The text of a random system."""
    words = _Vocabulary(
        points=random.randint(3, 4),
        weak=weak,
        has_owner=random.random() < 0.35,
        has_register=weak and random.random() < 0.4,
        has_number=random.random() < 0.25,
    )
    lines = [f"type loc = {' | '.join(f'L{n}' for n in range(words.points))}", "array PC[proc] : loc"]
    if words.has_register:
        lines.append("array R[proc] : bool")
    lines += [f"{words.shared}var X : bool", f"{words.shared}array F[proc] : bool"]
    if words.has_owner:
        lines.append(f"{words.shared}var T : proc")
    if words.has_number:
        lines.append(f"{words.shared}var N : int")
    lines.append(_init(random, words))
    lines.append(_unsafe(random, words))
    edges = [(n, n + 1) for n in range(words.points - 1)]
    edges += [
        (random.randrange(words.points), random.randrange(words.points)) for _ in range(random.randint(0, 2))
    ]
    lines += [_transition(random, words, n, *edge) for n, edge in enumerate(edges)]
    return "\n".join(lines) + "\n"


def _init(random: Random, words: _Vocabulary) -> str:
    parts = ["PC[i] = L0", "F[i] = False"]
    if random.random() < 0.85:
        parts.append("X = False")
    if words.has_register and random.random() < 0.7:
        parts.append("R[i] = False")
    if words.has_number:
        parts.append("N = 0")
    return f"init (i) {{ {' && '.join(parts)} }}"


def _unsafe(random: Random, words: _Vocabulary) -> str:
    last = f"L{words.points - 1}"
    parts = [f"PC[i] = {last}", f"PC[j] = {last}"]
    if random.random() < 0.3:
        parts[1] = f"PC[j] = L{random.randint(1, words.points - 1)}"
    if words.weak and random.random() < 0.2:
        parts.append(f"i@X = {random.choice(_VALUES)}")
        if random.random() < 0.5:
            parts.append(f"j@F[i] = {random.choice(_VALUES)}")
    if words.has_register and random.random() < 0.4:
        parts.append(f"R[i] = {random.choice(_VALUES)}")
    return f"unsafe (i j) {{ {' && '.join(parts)} }}"


def _transition(random: Random, words: _Vocabulary, number: int, source: int, target: int) -> str:
    second = random.random() < 0.3
    head = "[i]" if words.weak else "i"
    parameters = f"({head} j)" if second else f"({head})"
    guard = [f"PC[i] = L{source}"]
    updates = [f"PC[i] := L{target}"]
    guard += [_condition(random, words, second=second) for _ in range(random.choice((0, 1, 1, 2)))]
    if words.weak and random.random() < 0.2:
        guard.append("fence()")
    written = set[str]()
    for _ in range(random.choice((0, 1, 1, 2))):
        symbol, text = _update(random, words, second=second)
        if symbol not in written:
            written.add(symbol)
            updates.append(text)
    return (
        f"transition t{number} {parameters}\nrequires {{ {' && '.join(guard)} }}\n{{ {'; '.join(updates)} }}"
    )


def _condition(random: Random, words: _Vocabulary, *, second: bool) -> str:
    value = random.choice(_VALUES)
    choices = [f"X = {value}", f"F[i] = {value}", f"(forall_other k. F[k] = {value})"]
    choices.append("(forall_other k. F[k] = False)")
    if second:
        choices += [f"F[j] = {value}"] * 2
    if words.has_owner:
        choices += ["T = i", "T <> i"]
    if words.has_register:
        choices.append(f"R[i] = {value}")
    if words.has_number:
        choices += ["N = 0", "0 < N", "N <= 1"]
    if not words.weak:
        point = f"L{random.randrange(words.points)}"
        choices += [f"(forall_other k. PC[k] <> {point})", "(forall_other k. (k < i || F[k] = False))"]
        choices += [f"(X = True || F[i] = {value})"]
        if second:
            choices += [f"PC[j] = {point}", "i < j"]
    return random.choice(choices)


def _update(random: Random, words: _Vocabulary, *, second: bool) -> tuple[str, str]:
    value = random.choice(_VALUES)
    choices = [("X", f"X := {value}"), ("F", f"F[i] := {value}"), ("F", "F[i] := True")]
    if random.random() < 0.2:
        choices.append(("X", "X := ?"))
    if second:
        choices.append(("F", f"F[j] := {value}"))
    if words.has_owner:
        choices += [("T", "T := i"), ("T", "T := j" if second else "T := i")]
    if words.has_register:
        choices += [("R", "R[i] := X"), ("R", "R[i] := F[j]" if second else "R[i] := F[i]")]
    if words.has_number:
        choices += [
            ("N", "N := 0"),
            ("N", "N := 1"),
            ("N", "N := N + 1" if random.random() < 0.3 else "N := 1"),
        ]
    if words.weak:
        choices.append(("F", "F[k] := case | k = i : True"))
    else:
        choices.append(("F", f"F[k] := case | k = i : True | _ : {random.choice(('F[k]', 'False', 'X'))}"))
    return random.choice(choices)
