"""Random Promela texts with the whole language, for SPIN as the oracle.

All values stay below 4 and loops are short, so that SPIN visits every state; what SPIN refuses (a message
beside `else`, a loop or another process's variable in a `d_step`, a loop that ends at one) is not written.
Nor is `_last`: SPIN does not store it, so that it takes states that differ in it for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

_COMPARISONS = ("==", "!=", "<", ">")
_MOST_DEPTH = 2
_GLOBALS = ("x", "y", "b", "a[0]", "a[1]", "a[b]", "r.f", "r.g[1]", "m")
# What one text may have; a text has some of them, so that each meets all others often.
_PARTS = (
    "scopes", "inlines", "rendezvous", "buffer", "values", "atomic", "d_step", "unless", "timeout", "run",
    "records", "loops", "provided", "count", "labels", "wide", "asserts", "remote", "returns", "priorities",
    "enabled",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Whole:
    """A text without claims, and the claims: `ltl` formulas by name."""

    text: str
    claims: dict[str, str]

    @property
    def with_claims(self) -> str:
        """The text with its claims."""
        return self.text + "".join(f"ltl {name} {{ {body} }}\n" for name, body in self.claims.items())


class _Writer:
    """Writes one text."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.parts = {part for part in _PARTS if random.random() < 0.45}
        if self.parts & {"rendezvous", "values", "wide"}:  # SPIN has neither of these beside a rendezvous
            self.parts -= {"priorities", "enabled"}
        if "provided" in self.parts:  # which SPIN's `enabled` does not look at
            self.parts -= {"enabled"}
        self.names = 0
        self.visible: list[str] = []  # variables of inner scopes
        self.in_atomic = False
        self.in_step = False
        self.in_escape = False
        self.processes = random.choice((2, 2, 2, 3))
        self.has_parameters = False
        self.are_active = True
        self.labels: dict[int, list[str]] = {}
        self.number = 0

    def has(self, part: str, chance: float = 1.0) -> bool:
        return part in self.parts and self.random.random() < chance

    # The whole

    def text(self) -> str:
        parts = [
            "mtype = { red, green, blue };",
            "typedef R { byte f; bit g[2] };",
            "byte x = 1; unsigned y : 2; bit b; byte a[2]; R r; mtype m = green;",
            "#define LOW(v) ((v) & 3)",
            "inline bump(v) { v = LOW(v + 1) }",
            "inline swap(v, w) { byte t; t = v; v = LOW(w); w = LOW(t) }",
            "inline least(v, w) { if :: v < w -> return LOW(v) :: else -> return LOW(w) fi }",
        ]
        if "rendezvous" in self.parts or "values" in self.parts:
            parts.append("chan meet = [0] of { byte };")
        if "buffer" in self.parts or "values" in self.parts:
            parts.append(f"chan queue = [{self.random.choice((1, 2, 2))}] of {{ byte }};")
        if "wide" in self.parts:
            fields = "mtype, R" if "records" in self.parts else "mtype, byte, bit"
            parts.append(f"chan wide = [{self.random.choice((0, 1, 2))}] of {{ {fields} }};")
        if "run" in self.parts:
            given = "; chan q" if "values" in self.parts else ""
            if "records" in self.parts:
                given += "; S s"
                parts.append("typedef S { byte h; bit i };\nS u;")
            self.number = -1
            tail = "q!LOW(n)" if "values" in self.parts else self.simple()
            if "records" in self.parts:
                tail += "; k = LOW(s.h + s.i); u.h = LOW(s.h + 1)"
            parts.append(f"proctype W(byte n{given}) {{ byte k; {tail}; {self.sequence(1, 1)} }}")
        self.has_parameters = self.random.random() < 0.3
        self.are_active = not self.has_parameters
        parts += [self.process(number) for number in range(self.processes)]
        if self.has_parameters:
            runs = [
                f"run P{number}({self.random.randint(0, 3)}){self.priority()}"
                for number in range(self.processes)
            ]
            if self.random.random() < 0.6:
                parts.append(f"init {{ atomic {{ {'; '.join(runs)} }} }}")
            else:
                parts.append(f"init {{ {'; '.join(runs)}; x = {self.random.randint(0, 3)} }}")
        return "\n".join(parts) + "\n"

    def process(self, number: int) -> str:
        self.number = number
        self.labels[number] = []
        head = f"proctype P{number}(byte n)" if self.has_parameters else f"active proctype P{number}()"
        if self.are_active:
            head += self.priority()
        if self.has("provided", 0.4):
            head += f" provided ({self.random.choice(('x < 3', 'b == 0', 'y != 2', 'a[0] == 0'))})"
        body = self.sequence(self.random.randint(2, 4), 0)
        if number and self.has("enabled", 0.7):
            asked = f"enabled({self.random.randrange(number) + self.has_parameters})"
            use = self.random.choice((f"k = {asked}", f"({asked} || x == 2)", f"(!{asked})"))
            body = f"{body}; {use}; {self.statement(1)}"
        self.visible = []
        local = "byte k;" if self.has_parameters else f"byte n = {number}; byte k;"
        end = self.random.choice(("skip", "skip", "end: skip", "end: (x > 3)"))
        return f"{head} {{ {local} {body}; {end} }}"

    def priority(self) -> str:
        """The priority of a process, if it has one."""
        return f" priority {self.random.randint(1, 3)}" if self.has("priorities", 0.6) else ""

    def change_priority(self) -> str:
        number = self.random.choice(("_pid", "0", "1", "LOW(x)"))
        if self.random.random() < 0.3:
            return f"_priority = {self.random.randint(1, 3)}"
        return f"set_priority({number}, {self.random.randint(1, 3)})"

    def claims(self, count: int) -> dict[str, str]:
        """Formulas about the text."""
        return {f"f{number}": self.formula(2) for number in range(count)}

    def formula(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            return self.proposition()
        kind = self.random.choice(("[]", "<>", "[]<>", "<>[]", "U", "W", "V", "->", "&&", "||", "!", "[]"))
        if kind in ("[]", "<>", "[]<>", "<>[]", "!"):
            return f"{kind} ({self.formula(depth - 1)})"
        return f"(({self.formula(depth - 1)}) {kind} ({self.formula(depth - 1)}))"

    def proposition(self) -> str:
        known = [(number, label) for number, labels in self.labels.items() for label in labels]
        if known and self.random.random() < 0.4:
            number, label = self.random.choice(known)
            pid = number + self.has_parameters
            return self.random.choice((f"P{number}[{pid}]@{label}", f"P{number}@{label}"))
        if "count" in self.parts and self.random.random() < 0.2:
            return f"(_nr_pr {self.random.choice(_COMPARISONS)} {self.random.randint(1, 4)})"
        if "buffer" in self.parts and self.random.random() < 0.15:
            return self.random.choice(("(len(queue) > 0)", "(len(queue) == 1)"))
        left = self.random.choice(_GLOBALS)
        return f"({left} {self.random.choice(_COMPARISONS)} {self.random.randint(0, 3)})"

    # Statements

    def sequence(self, count: int, depth: int) -> str:
        return "; ".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        kinds: list[Callable[[int], str]] = []
        if depth < _MOST_DEPTH:
            kinds += [self.choice, self.choice]
            if "scopes" in self.parts:
                kinds += [self.scope, self.scope]
            if not self.in_step:
                kinds += self.nested()
        if not kinds or self.random.random() < 0.5:
            return self.simple()
        return self.random.choice(kinds)(depth + 1)

    def nested(self) -> list[Callable[[int], str]]:
        kinds: list[Callable[[int], str]] = []
        if "unless" in self.parts:
            kinds += [self.escape, self.escape]
        if "loops" in self.parts:
            kinds += [self.loop, self.loop]
        if "labels" in self.parts and not self.in_atomic and self.number >= 0:
            kinds += [self.labelled]
        if "atomic" in self.parts and not self.in_atomic:
            kinds += [self.atomic, self.atomic]
        if "d_step" in self.parts and not self.in_atomic:
            kinds += [self.step]
        return kinds

    def simple(self) -> str:
        kinds = [f"{self.target()} = {self.value()}"] * 3
        if "asserts" in self.parts:
            kinds.append(f"assert({self.condition()})")
        if "inlines" in self.parts:
            kinds.append(f"bump({self.random.choice(('x', 'k', 'a[1]'))})")
            if "scopes" in self.parts:
                kinds.append(f"swap({self.random.choice(('x', 'k'))}, {self.random.choice(('y', 'a[0]'))})")
        if "returns" in self.parts:
            target = self.random.choice(("x", "k", "a[1]"))
            kinds.append(f"{target} = least({self.random.choice(('k', 'y', '2'))}, x)")
        if "priorities" in self.parts and not self.in_step:
            kinds.append(self.change_priority())
        kinds += [self.random.choice(("skip", 'printf("%d\\n", x)', "b = !b", "k = LOW(k + 1)"))]
        if self.in_step:
            return self.random.choice(kinds)
        kinds.append(self.condition())
        if self.has("loops", 0.5):
            high = self.random.choice(("LOW(n)", "2", "x"))
            kinds.append(f"select ({self.random.choice(('k', 'x'))} : 0 .. {high})")
        messages = self.messages()
        if messages:
            kinds += messages * 2
        if "timeout" in self.parts:
            kinds.append("timeout" if self.random.random() < 0.3 else f"(timeout || {self.condition()})")
        if "run" in self.parts and self.number >= 0:
            kinds.append(self.start())
        return self.random.choice(kinds)

    def start(self) -> str:
        given = f", {self.random.choice(('meet', 'queue'))}" if "values" in self.parts else ""
        if "records" in self.parts:
            given += ", u"
        started = f"run W({self.random.randint(0, 3)}{given}){self.priority()}"
        if self.random.random() < 0.3:
            started = f"k = {started}"
        return f"if :: (_nr_pr < {self.random.choice((4, 4, 5))}) -> {started} :: else fi"

    def messages(self) -> list[str]:
        found = []
        pattern = self.random.choice(("k", "x", "a[1]", str(self.random.randint(0, 3)), "eval(k)", "eval(x)"))
        if "rendezvous" in self.parts:
            found += [f"meet!{self.value()}", f"meet?{pattern}"]
        if "buffer" in self.parts:
            send = self.random.choice(("!", "!", "!!"))
            receive = self.random.choice(("?", "?", "??"))
            found += [f"queue{send}{self.value()}", f"queue{receive}{pattern}"]
            found += [
                f"queue{receive}<{pattern}>",
                f"(queue{receive}[{self.random.choice(('1', 'eval(k)'))}])",
            ]
            found.append(f"({self.random.choice(('len(queue) > 0', 'full(queue)', 'nempty(queue)'))})")
        if "values" in self.parts and self.number >= 0 and not self.in_atomic:
            name = self.fresh("q")
            other = f"if :: {self.condition()} -> {name} = meet :: true fi"
            use = self.random.choice((f"{name}?k", f"{name}!LOW(k)"))
            found.append(f"{{ chan {name}; {name} = queue; {other}; {use} }}")
        if "wide" in self.parts:
            color = self.random.choice(("red", "green", "m", "blue"))
            if "records" in self.parts:
                found += [f"wide!{color},r", f"wide?{self.random.choice(('m', 'red', '_'))},r"]
            else:
                tail = self.random.choice(("b", "_", "1"))
                found.append(f"wide!{color}({self.value()},{self.random.choice(('b', '1', '0'))})")
                found.append(f"wide?{self.random.choice(('m', 'red', '_'))}({pattern},{tail})")
        return found

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def target(self) -> str:
        return self.random.choice((*_GLOBALS[:8], "k", "k", *self.visible, *self.visible))

    def value(self) -> str:
        names = (*_GLOBALS, "k", "n", *self.visible)
        kinds = [
            str(self.random.randint(0, 3)),
            f"LOW({self.random.choice(names)} + {self.random.randint(0, 2)})",
        ]
        kinds.append(f"({self.condition()} -> {self.random.randint(0, 3)} : LOW(k))")
        if "count" in self.parts:
            kinds.append("LOW(_nr_pr)")
        kinds.append("LOW(_pid)")
        return self.random.choice(kinds)

    def condition(self) -> str:
        left = self.random.choice((*_GLOBALS, "k", "n", *self.visible))
        if self.number > 0 and not self.in_step and self.has("remote", 0.3):
            return self.remote()
        if self.has("count", 0.15):
            left = "_nr_pr"
        if self.has("priorities", 0.2):
            left = self.random.choice(("_priority", f"get_priority({self.random.randint(0, 2)})"))
        simple = f"({left} {self.random.choice(_COMPARISONS)} {self.random.randint(0, 3)})"
        if self.random.random() < 0.75:
            return simple
        return (
            f"({simple} {self.random.choice(('&&', '||'))} {self.random.choice(('b', '!b', 'x', 'k < 2'))})"
        )

    def remote(self) -> str:
        """Something of a process that was written before: whether it is at a label, or its variable."""
        other = self.random.randrange(self.number)
        name = f"P{other}[{other + self.has_parameters}]"
        if self.labels[other] and self.random.random() < 0.6:
            return f"({self.random.choice(('', '!'))}{name}@{self.random.choice(self.labels[other])})"
        return f"({name}:k {self.random.choice(_COMPARISONS)} {self.random.randint(0, 3)})"

    def choice(self, depth: int) -> str:
        has_else = self.in_step or self.random.random() < 0.5
        options = [self.option(depth, is_quiet=has_else) for _ in range(self.random.choice((1, 2, 2)))]
        if has_else:
            options.append(f"else -> {self.statement(depth)}")
        return f"if {' '.join(f':: {option}' for option in options)} fi"

    def option(self, depth: int, *, is_quiet: bool) -> str:
        head = self.condition()
        if not is_quiet and self.random.random() < 0.5:
            head = self.random.choice([*self.messages(), self.simple()])
        return f"{head} -> {self.sequence(self.random.randint(1, 2), depth)}"

    def loop(self, depth: int) -> str:
        if self.random.random() < 0.5 and "k" not in self.visible:
            name = self.fresh("i")
            kind = self.random.choice(("plain", "array"))
            body = self.statement(depth)
            if kind == "array":
                return f"{{ byte {name}; for ({name} in a) {{ {body} }} }}"
            return f"{{ byte {name}; for ({name} : 0 .. {self.random.randint(0, 1)}) {{ {body} }} }}"
        leave = self.random.choice(("break", f"{self.condition()} -> break", "else -> break"))
        first = self.option(depth, is_quiet=leave.startswith("else"))
        if not self.in_atomic:
            return f"do :: {first} :: {leave} od"
        name = self.fresh("i")  # SPIN never ends where a loop stays inside an atomic block
        body = f"if :: {first} :: {leave} fi"
        return f"{{ byte {name}; do :: {name} < 2 -> {name}++; {body} :: else -> break od }}"

    def escape(self, depth: int) -> str:
        if self.in_escape:
            return self.simple()
        self.in_escape = True
        kind = self.random.choice(("", "", "atomic ")) if not self.in_atomic else ""
        head = self.random.choice([self.condition(), self.condition(), *self.messages()])
        body = self.sequence(2, depth)
        if body.startswith("L"):  # SPIN refuses a label there
            body = f"skip; {body}"
        text = f"{{ {body} }} unless {kind}{{ {head} -> {self.simple()} }}"
        self.in_escape = False
        return text

    def labelled(self, depth: int) -> str:
        label = self.fresh("L")
        self.labels[self.number].append(label)
        again = f"({self.condition()} && k == 3) -> k = 0; goto {label}"
        return f"{label}: {self.simple()}; {self.statement(depth)}; if :: {again} :: else fi"

    def scope(self, depth: int) -> str:
        outside = list(self.visible)
        names = [self.fresh("v") for _ in range(self.random.choice((1, 1, 2)))]
        kinds = ["byte", "byte", "bit", "unsigned"]
        head = ""
        for name in names:
            kind = self.random.choice(kinds)
            width = " : 2" if kind == "unsigned" else ""
            first = "" if self.random.random() < 0.5 else f" = {self.value()}"
            head += f"{kind} {name}{width}{first}; "
            self.visible.append(name)
        body = self.sequence(self.random.randint(1, 2), depth)
        text = f"{{ {head}{body}; {self.simple()} }}"
        self.visible = outside
        return text

    def atomic(self, depth: int) -> str:
        self.in_atomic = True
        text = f"atomic {{ {self.simple()}; {self.sequence(self.random.randint(1, 3), depth)} }}"
        self.in_atomic = False
        return text

    def step(self, depth: int) -> str:
        self.in_atomic = self.in_step = True
        head = self.condition() if self.random.random() < 0.4 else self.simple()
        text = f"d_step {{ {head}; {self.sequence(self.random.randint(1, 2), depth)} }}"
        self.in_atomic = self.in_step = False
        # Where a loop ends at a `d_step`, SPIN refuses the jump into it.
        return f"skip; {text}" if "loops" in self.parts else text


def whole_promela(seed: int) -> Whole:
    """The text for a seed, with its claims."""
    writer = _Writer(Random(f"whole {seed}"))
    text = writer.text()
    return Whole(text, writer.claims(4))
