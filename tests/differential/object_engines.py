"""Random objects: bounded clients by execution graphs and by states of store-buffer machines must agree.

The operations of an object are a few accesses each, which should be one step: some are, and some are not.

    python tests/differential/object_engines.py FIRST LAST
"""

from __future__ import annotations

import sys
from random import Random

import membar
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.questions.task import Options
from membar.source import SourceFile

CASES = (("sc", "causal"), ("x86-tso", "causal"), ("x86-tso", "flush"))
_BUFFERS = 8  # more than a client stores
_REGISTERS = 0.3
_LOOPS = ("while", "await", "goto", "do {")


def random_object(random: Random) -> str:
    """Two or three operations of one to three accesses, which its specification makes at once."""
    if random.random() < _REGISTERS:
        return _registers(random)
    code, meant = [], []
    for number in range(random.choice((2, 3, 3))):
        lines, steps, has_read = [], [], False
        for place in range(random.choice((1, 1, 1, 2, 2, 3))):
            label, (name, state) = f"{number + 1}{place}", random.choice((("x", "a"), ("y", "b")))
            match random.choice(("load", "load", "store", "store", "swap", "fence", "wait")):
                case "load" if not has_read:
                    has_read = True
                    lines.append(f"{label}: r = {name};")
                    steps.append(f"s{number} = {state};")
                case "swap" if not has_read:
                    has_read = True
                    lines.append(f"{label}: r = swap({name}, {place + 1});")
                    steps.append(f"s{number} = {state}; {state} = {place + 1};")
                case "fence":
                    lines.append(f"{label}: fence;")
                case "wait" if not steps:
                    lines.append(f"do {{ {label}: w = {name}; }} {label}b: while (w == 0);")
                    steps.append(f"await ({state} != 0);")
                case _:
                    lines.append(f"{label}: {name} = {place + 1};")
                    steps.append(f"{state} = {place + 1};")
        code.append(f"operation f{number}() {{ local r, w; {' '.join(lines)} return r; }}")
        result = f"s{number}" if has_read else "0"
        meant.append(f"operation f{number}() {{ {' '.join(steps)} return {result}; }}")
    state = "state a = 0, b = 0, s0 = 0, s1 = 0, s2 = 0;"
    return "\n".join(["object o; shared x = 0, y = 0;", *code, "specification {", state, *meant, "}\n"])


def _registers(random: Random) -> str:
    """Two variables, one written and one read by each thread: right under sc, and elsewhere if fenced."""
    fences = [random.choice(("", "fence;")) for _ in range(2)]
    return (
        "object o; shared x = 0, y = 0;\n"
        f"operation wx() {{ x = 1; {fences[0]} }}\noperation ry() {{ local r; r = y; return r; }}\n"
        f"operation wy() {{ y = 1; {fences[1]} }}\noperation rx() {{ local r; r = x; return r; }}\n"
        "specification {\nstate a = 0, b = 0;\noperation wx() { a = 1; }\noperation ry() { return b; }\n"
        "operation wy() { b = 1; }\noperation rx() { return a; }\n}\n"
        "// membar: operation wx() by 0\n// membar: operation ry() by 0\n"
        "// membar: operation wy() by 1\n// membar: operation rx() by 1\n"
    )


def disagreement(seed: int) -> str | None:
    """What two engines say differently about a random object."""
    random = Random(seed)
    text = random_object(random)
    model, order = CASES[seed % len(CASES)]
    size = Size(2, random.choice((1, 2)))

    def asked(engine: str) -> membar.Answer:
        return membar.check(
            SourceFile("random.obj", text),
            client=size,
            model=model,
            order=Ordering(order),
            engine=engine,
            options=Options(buffers=_BUFFERS if engine == "states" else None),
        )

    graphs, states = asked("graphs"), asked("states")
    same = graphs.verdict == states.verdict
    if same and graphs.verdict == "holds-within" and not any(word in text for word in _LOOPS):
        same = graphs.outcome.run.notes == states.outcome.run.notes  # as many histories and searches
    if same:
        return None
    return f"seed {seed}, {model}, {order}, {size.text}: {graphs.outcome} and {states.outcome}\n{text}"


def main() -> int:
    """Compares a range of seeds."""
    first, last = map(int, sys.argv[1:3])
    found = [why for seed in range(first, last) if (why := disagreement(seed)) is not None]
    sys.stdout.write("\n".join([*found, f"{last - first} objects, {len(found)} disagreements"]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
