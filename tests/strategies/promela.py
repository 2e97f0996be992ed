"""Random Promela texts: small, finite, and of a kind that SPIN reads as well."""

from __future__ import annotations

from random import Random

_GLOBALS = ("x", "y", "b", "a[0]", "a[1]", "a[x % 2]", "r.f")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_MOST_DEPTH = 2


class _Writer:
    """Writes one program; what it may use depends on the seed."""

    def __init__(self, random: Random, *, scopes: bool) -> None:
        self.random = random
        self.scopes = scopes
        self.names = 0
        self.visible: list[str] = []  # variables of inner scopes
        self.labels = 0
        self.channel = random.choice((None, None, 0, 1, 2))
        self.is_wide = random.random() < 0.4
        self.in_atomic = False
        self.in_step = False
        self.loops = 0

    def program(self) -> str:
        parts = ["mtype = { red, green };", "typedef R { byte f; bit g[2] };"]
        parts += ["byte x = 1;", "short y;", "bit b;", "byte a[2];", "R r;"]
        parts.append("#define LOW(v) ((v) & 3)")
        parts.append("inline bump(v) { v = LOW(v + 1) }")
        if self.scopes:
            parts.append("inline count(v) { byte t; t = LOW(t + 1); v = LOW(v + t); assert(t == 1) }")
        if self.channel is not None:
            fields = "byte, mtype" if self.is_wide else "byte"
            parts.append(f"chan c = [{self.channel}] of {{ {fields} }};")
        processes = self.random.choice((2, 2, 2, 3))
        starts = self.random.random() < 0.3
        for number in range(processes):
            head = f"proctype P{number}(byte n)" if starts else f"active proctype P{number}()"
            count = self.random.randint(2, 4)
            body = self.sequence(count, 0)
            self.visible = []
            local = "byte k;" if starts else f"byte n = {number}; byte k;"
            end = self.random.choice(("", "", "end: "))
            parts.append(f"{head} {{ {local} {body}; {end}skip }}")
        if starts:
            parts.append(self.starter(processes))
        return "\n".join(parts) + "\n"

    def starter(self, processes: int) -> str:
        runs = [f"run P{number}({self.random.randint(0, 3)})" for number in range(processes)]
        if self.random.random() < 0.5:
            return f"init {{ atomic {{ {'; '.join(runs)} }} }}"
        if self.random.random() < 0.5:
            loop = "byte i; do :: i < 2 -> run P0(i); i++ :: else -> break od"
            return f"init {{ {loop}; {'; '.join(runs[1:2])} }}"
        return f"init {{ {'; '.join(runs)}; x = {self.random.randint(0, 3)} }}"

    def sequence(self, count: int, depth: int) -> str:
        return "; ".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        if self.scopes and depth < _MOST_DEPTH and self.random.random() < 0.25:
            return self.scope(depth + 1)
        if depth >= _MOST_DEPTH or self.random.random() < 0.55:
            return self.simple()
        kinds = [self.choice, self.choice, self.loop, self.labelled]
        if not self.in_step:
            kinds += [self.atomic, self.step]
        return self.random.choice(kinds)(depth + 1)

    def scope(self, depth: int) -> str:
        """A block, a loop or a choice with variables of its own."""
        outside = list(self.visible)
        guard, other = self.condition(), self.condition()
        head = self.declaration()
        body = self.sequence(self.random.randint(1, 2), depth)
        kinds = ["block", "block", "block", "for"]
        if not self.in_step:
            kinds += ["head", "option", "loop"]
        match self.random.choice(kinds):
            case "block":
                text = f"{{ {head}; {body}; {self.simple()} }}"
            case "for" if not self.in_step and "k" not in outside:
                own = self.visible[-1]
                text = f"for (k : 0 .. {self.random.randint(0, 1)}) {{ {head}; {own}++; {self.bounded()} }}"
            case "head":  # a declaration is a statement: nothing else can be chosen where this can
                text = f"if :: {head}; {body} :: else -> assert(false) fi"
            case "option":
                text = f"if :: {guard} -> {head}; {body} :: {other} -> skip fi"
            case "loop" if not self.in_atomic:
                text = f"do :: {guard} -> {head}; {body} :: break od"
            case _:
                text = f"{{ {head}; {body} }}"
        self.visible = outside
        return text

    def declaration(self) -> str:
        parts = []
        for _ in range(self.random.choice((1, 1, 2))):
            self.names += 1
            name = f"v{self.names}"
            pick = self.random.random()
            if pick < 0.15:
                parts.append(f"byte {name}[2]")
                self.visible += [f"{name}[0]", f"{name}[1]"]
                continue
            kind = self.random.choice(("byte", "byte", "bit", "short"))
            parts.append(f"{kind} {name}" if pick < 0.6 else f"{kind} {name} = {self.value()}")
            self.visible.append(name)
        return "; ".join(parts)

    def simple(self) -> str:
        pick = self.random.random()
        if self.scopes and pick > 0.85:
            choices = [f"count({self.random.choice(('x', 'k', 'b'))})"] * 2
            if not self.in_step and not self.in_atomic:
                choices.append(
                    f"select (x : {self.random.choice('01')} .. {self.random.choice(('LOW(k)', '2'))})"
                )
            if self.visible:
                own = self.random.choice(self.visible)
                choices += [f"{own} = LOW({own} + 1)", f"assert({own} < 3)"]
            return self.random.choice(choices)
        is_meeting = self.in_atomic and self.channel == 0
        can_send = self.channel is not None and not self.in_step and not is_meeting
        if can_send and pick < 0.25:
            return self.message()
        if pick < 0.35:
            return f"bump({self.random.choice(('x', 'k', 'a[1]'))})"
        if pick < 0.70:
            return f"{self.target()} = {self.value()}"
        if pick < 0.78 and not self.in_step:
            return self.condition(asks=True)
        if pick < 0.86:
            return f"assert({self.condition()})"
        if pick < 0.90:
            return self.random.choice(("skip", 'printf("%d\\n", x)', "true"))
        if pick < 0.94:
            return "select (k : 0 .. 2)" if not self.in_step else "k++"
        return self.random.choice(("k++", "b = !b", "k--"))

    def message(self) -> str:
        if self.random.random() < 0.5:
            value = self.value()
            rest = f", {self.random.choice(('red', 'green'))}" if self.is_wide else ""
            sign = "!!" if self.channel and self.random.random() < 0.3 else "!"
            return f"c{sign}{value}{rest}"
        pattern = self.random.choice(("k", "x", str(self.random.randint(0, 3)), "eval(k)", "_"))
        rest = f", {self.random.choice(('red', 'green', '_'))}" if self.is_wide else ""
        sign = "??" if self.channel and self.random.random() < 0.3 else "?"
        if self.channel and self.random.random() < 0.2:
            return f"c{sign}<{pattern}{rest}>"
        return f"c{sign}{pattern}{rest}"

    def target(self) -> str:
        return self.random.choice((*_GLOBALS, "k", "k", "r.g[1]", *self.visible, *self.visible))

    def value(self) -> str:
        pick = self.random.random()
        if pick < 0.4:
            return str(self.random.choice((0, 1, 2, 3, 5, 254)))
        if pick < 0.7:
            name = self.random.choice((*_GLOBALS, "k", "n", *self.visible))
            return f"LOW({name} + {self.random.randint(0, 2)})"
        if pick < 0.8:
            return f"({self.condition()} -> {self.random.randint(0, 3)} : k)"
        if pick < 0.9:
            return f"-{self.random.randint(1, 3)}"
        return f"{self.random.choice((*_GLOBALS, 'k'))} * {self.random.randint(1, 3)} % 7"

    def condition(self, *, asks: bool = False) -> str:
        pick = self.random.random()
        if self.channel and pick < 0.12 and asks:  # SPIN refuses these beside `else`
            question = self.random.choice(("len(c) > 0", "full(c)", "nempty(c)", "empty(c)", "nfull(c)"))
            return f"({question})"
        left = self.random.choice((*_GLOBALS, "k", "n", "LOW(x + y)", "r.g[0]", *self.visible))
        sign = self.random.choice(_COMPARISONS)
        simple = f"({left} {sign} {self.random.randint(0, 3)})"
        if pick < 0.75:
            return simple
        other = self.random.choice(("b", "!b", "x", "k < 2", "a[k % 2] == 1"))
        return f"({simple} {self.random.choice(('&&', '||'))} {other})"

    def choice(self, depth: int) -> str:
        options = [self.option(depth) for _ in range(self.random.choice((1, 2, 2)))]
        if self.in_step or self.random.random() < 0.5:
            options.append(f"else -> {self.statement(depth)}")
        return f"if {' '.join(f':: {option}' for option in options)} fi"

    def option(self, depth: int) -> str:
        tail = self.sequence(self.random.randint(1, 2), depth)
        head = self.condition()
        if not self.in_step and self.random.random() < 0.2:
            head = f"{self.target()} = {self.value()}"
            if self.random.random() < 0.5:
                head = f"true -> {head}"
        return f"{head} -> {tail}"

    def loop(self, depth: int) -> str:
        if self.in_step:  # SPIN has no loops there
            return self.simple()
        if self.in_atomic or self.random.random() < 0.4:
            return f"for (k : 0 .. {self.random.randint(0, 1)}) {{ {self.bounded()} }}"
        body = self.sequence(1, depth)
        exits = self.random.choice(
            ("break", f"{self.condition()} -> break", f"else -> {self.simple()}; break")
        )
        return f"do :: {self.condition()} -> {body} :: {exits} od"

    def bounded(self) -> str:
        """Statements that leave `k` alone: it counts."""
        text = "k"
        while "k" in text.replace("skip", ""):
            text = self.simple()
        return text

    def labelled(self, depth: int) -> str:
        if self.in_step or self.in_atomic:
            return self.simple()
        self.labels += 1
        label = f"L{self.labels}"
        again = f"{self.condition()} && k == 3 -> k = 0; goto {label}"
        return f"{label}: skip; {self.statement(depth)}; if :: {again} :: else fi"

    def atomic(self, depth: int) -> str:
        if self.in_atomic:
            return self.simple()
        self.in_atomic = True
        head = self.condition() if self.random.random() < 0.5 else self.simple()
        text = f"atomic {{ {head}; {self.sequence(self.random.randint(1, 2), depth)} }}"
        self.in_atomic = False
        return text

    def step(self, depth: int) -> str:
        was_atomic, self.in_atomic, self.in_step = self.in_atomic, True, True
        head = f"{self.target()} = {self.value()}"
        if not was_atomic and self.random.random() < 0.4:
            head = self.condition()
        text = f"d_step {{ {head}; {self.sequence(self.random.randint(1, 2), depth)} }}"
        self.in_atomic, self.in_step = was_atomic, False
        return text


def promela(seed: int, *, scopes: bool = False) -> str:
    """The text for a seed; with `scopes`, also variables of blocks, loops, options and inlines."""
    return _Writer(Random(seed), scopes=scopes).program()
