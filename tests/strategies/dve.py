"""Random DVE texts: small, with every construct of the language, and with run-time errors now and then."""

from __future__ import annotations

from random import Random

from membar.program.expr import Constant, Register, equals
from membar.program.predicate import AtPoint, CellValue, Observable, StatePredicate
from membar.program.program import Program
from membar.questions.programs import parse_with_options
from membar.records import replace
from membar.source import SourceFile
from strategies.loose import claims_about

_BINARY = ("imply", "or", "and", "||", "&&", "|", "&", "^", "==", "!=", "<", "<=", ">", ">=", "-", "+", "*")


def dve_program(seed: int, claims: int = 4) -> Program:
    """The program of a text, with claims without X about its global variables and where its processes are."""
    text = "".join(
        line for line in DveTexts(seed).text().splitlines(keepends=True) if not line.startswith("error ")
    )
    read = parse_with_options(SourceFile(f"dve-{seed}.dve", text), error=None, ltl=None, words={})[1]
    random = Random(f"claims {seed}")
    points = [(number, point) for number, thread in enumerate(read.threads) for point in thread.outgoing]

    def seen() -> Observable:
        thread, point = random.choice(points)
        return random.choice((CellValue("g"), CellValue("h"), AtPoint(thread, frozenset({point}))))

    predicates = [
        StatePredicate(
            equals(Register("v"), Constant(random.randrange(2))), (("v", seen()),), text=f"p{number}"
        )
        for number in range(2 * claims)
    ]
    return replace(read, name=f"dve-{seed}", errors=(), claims=claims_about(random, predicates))


class DveTexts:
    """One text per seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.synchronous = self._chance(12)
        self.committed = not self.synchronous and self._chance(30)
        self.looks = self._chance(15)
        self.processes = self.random.randint(2, 3)
        self.states = 3
        self.channels: list[tuple[str, int, int]] = []  # name, number of values, capacity
        self.locals = ["l", "m[2]"]
        self.writable = ["g", "h", "a", "l", "m"]

    def text(self) -> str:
        """A whole text."""
        lines = [
            f"byte g = {self.random.randint(0, 2)}, a[{self.random.randint(1, 3)}] = {{1, 0, 2}};",
            f"int h = {self.random.choice(['0', '-1', '32767'])};",
            "const byte K = 2; const int T[2] = {1, -1};",
        ]
        self._declare_channels(lines)
        lines += [self._process(number) for number in range(self.processes)]
        lines.append(f"system {'sync' if self.synchronous else 'async'};")
        if self._chance(40):
            lines.append(f"error {self._state_expression()};")
        return "\n".join(lines) + "\n"

    def _chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def _declare_channels(self, lines: list[str]) -> None:
        for name in ("c", "d"):
            if not self._chance(60):
                continue
            kind = self.random.randrange(3)
            if kind == 0:
                width = self.random.randint(0, 2)
                lines.append(f"channel {name};")
                self.channels.append((name, width, 0))
            else:
                types = [self.random.choice(["byte", "int"]) for _ in range(self.random.randint(1, 2))]
                capacity = self.random.randint(0, 2) if kind == 2 else 0
                lines.append(f"channel {{{', '.join(types)}}} {name}[{capacity}];")
                self.channels.append((name, len(types), capacity))

    def _process(self, number: int) -> str:
        states = [f"s{n}" for n in range(self.states)]
        head = [f"process P_{number} {{", f"byte l = {self.random.randint(0, 1)}; int m[2];"]
        head.append(f"state {', '.join(states)}; init {self.random.choice(states)};")
        if self.committed and self._chance(60):
            head.append(f"commit {self.random.choice(states)};")
        if self._chance(25):
            head.append(f"assert {self.random.choice(states)}: {self._expression(number, 1)};")
        pairs = zip(states, states[1:] + states[:1], strict=True)
        ring = [self._transition(number, [state], [after]) for state, after in pairs]
        more = [self._transition(number, states, states) for _ in range(self.random.randint(0, 2))]
        transitions = [*ring, *more]
        return "\n".join([*head, "trans", ",\n".join(transitions) + ";", "}"])

    def _transition(self, number: int, sources: list[str], targets: list[str]) -> str:
        parts = []
        if self._chance(35):
            parts.append(f"guard {self._expression(number, 2)};")
        if self.channels and self._chance(40):
            parts.append(f"sync {self._sync(number)};")
        if self._chance(75):
            effects = [self._effect(number) for _ in range(self.random.randint(1, 3))]
            parts.append(f"effect {', '.join(effects)};")
        source, target = self.random.choice(sources), self.random.choice(targets)
        return f"{source} -> {target} {{ {' '.join(parts)} }}"

    def _sync(self, number: int) -> str:
        name, width, _ = self.random.choice(self.channels)
        if self._chance(50):
            values = [self._expression(number, 1) for _ in range(width)]
            return f"{name}!{_message(values)}"
        return f"{name}?{_message([self._target(number) for _ in range(width)])}"

    def _target(self, number: int) -> str:
        name = self.random.choice(self.writable)
        return f"{name}[{self._index(number)}]" if name in ("a", "m") else name

    def _index(self, number: int) -> str:
        if self._chance(6):
            return self._expression(number, 1)
        return self.random.choice(["0", "0", "0", "l * 0", "g * l * 0"])

    def _effect(self, number: int) -> str:
        small = f"({self._expression(number, 1)}) & {self.random.randint(1, 3)}"
        value = self._expression(number, 2) if self._chance(6) else small
        return f"{self._target(number)} = {value}"

    def _atom(self, number: int) -> str:
        if self.looks and self._chance(20):
            other = self.random.randrange(self.processes)
            return f"P_{other}.s{self.random.randrange(self.states)}"
        if self._chance(6):
            index = self.random.choice(["l", "g", "1"])
            number = self.random.randint(0, 300)
            return self.random.choice([f"a[{index}]", f"m[{index}]", f"T[{index}]", f"{number}"])
        choices = ["g", "h", "l", "K", "0", "1", "2", "true", "a[0]", "m[1]", "m[l & 1]", "T[g & 1]", "T[1]"]
        return self.random.choice([*choices, f"P_{number}.s0"])

    def _expression(self, number: int, depth: int) -> str:
        if depth == 0 or self._chance(25):
            return self._atom(number)
        if self._chance(15):
            return f"{self.random.choice(['not ', '-', '~'])}({self._expression(number, depth - 1)})"
        if self._chance(10):
            sign = self.random.choice(["/", "%", "<<", ">>"])
            right = self.random.choice(["1", "2", "3"]) if sign in ("<<", ">>") else self._atom(number)
            return f"{self._expression(number, depth - 1)} {sign} {right}"
        left, right = self._expression(number, depth - 1), self._expression(number, depth - 1)
        return f"{left} {self.random.choice(_BINARY)} {right}"

    def _state_expression(self) -> str:
        tests = [f"P_{n}.s{self.random.randrange(self.states)}" for n in range(self.processes)]
        about = self.random.choice(["g > 1", "P_0->l == 1", "P_1->m[0] != 0", "a[0] == 2", "a[g] == 1"])
        return self.random.choice([" + ".join(tests) + " > 1", f"{tests[0]} && {about}", about])


def _message(values: list[str]) -> str:
    return values[0] if len(values) == 1 else "{" + ", ".join(values) + "}" if values else ""
