"""Random objects of small operations: what is proved of them holds for their clients.

Every operation accesses memory once, with or without a fence behind, so that many objects are right and the
question is how operations of one thread follow one another. HOLDS is wrong where a client of two threads with
two calls each is VIOLATED; HOLDS WITHIN must then name the waiting of calls.

    python tests/differential/object_answers.py --count 300 --model armv8

`--stores` makes objects whose stores pile up under x86-tso: writers of one or two variables, mostly without
fences, readers, atomic accesses, and annotations about every pending store. Some are wrong.

    python tests/differential/object_answers.py --count 300 --model x86-tso --stores
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from random import Random

import membar
from membar.objects.client import Size
from membar.questions.outcome import HoldsWithin
from membar.source import SourceFile


@dataclass(frozen=True, slots=True)
class Answers:
    """Both answers about one object; `bound` is what a proof that HOLDS WITHIN is about."""

    text: str
    proved: str
    bound: str
    client: str

    @property
    def is_wrong(self) -> bool:
        """Whether the proof says more than is true."""
        says_why = "calls wait" in self.bound
        return self.client == "violated" and self.proved != "unknown" and not says_why


def random_object(random: Random) -> str:
    """Two shared variables, operations that set or add to each, and others that look at them."""
    kinds = [random.choice(("set", "set", "add")), "set", *(random.choice(("get", "wait")) for _ in range(2))]
    parts = [_operation(random, kind, number) for number, kind in enumerate(kinds)]
    code, specified, notes = ("\n".join(each) for each in zip(*parts, strict=True))
    state = "specification {\nstate a = 0, b = 0;\n" + specified + "\n}\nabstraction a == x && b == y;\n"
    return f"object random;\nshared x = 0, y = 0;\n{code}\n{state}{notes}\n"


def _operation(random: Random, kind: str, number: int) -> tuple[str, str, str]:
    """Its code, its specification, and its annotations."""
    place, state = (("x", "a"), ("y", "b"))[number % 2]
    fence = random.choice(("fence;", "fence;", "fence;", "") if kind == "set" else ("fence;", "", "cfence;"))
    name, line = f"{kind}{number}", f"{number + 1}0"
    point = f"linearize {name} at {line}"
    match kind:
        case "set":
            code = f"{line}: {place} = 1; {fence}"
            return (
                f"operation {name}() {{ {code} }}",
                f"operation {name}() {{ {state} = 1; }}",
                f"{point}; invariant pending({line}) -> pending({line}).value == 1;",
            )
        case "get":
            code = f"local t; {line}: t = {place}; {fence} return t;"
            return (
                f"operation {name}() {{ {code} }}",
                f"operation {name}() {{ return {state}; }}",
                f"{point};",
            )
        case "add":
            code = f"local t; {line}: t = fetch_add({place}, 1); return t;"
            added = f"{state} = {state} + 1; return {state} - 1;"
            return f"operation {name}() {{ {code} }}", f"operation {name}() {{ {added} }}", f"{point};"
        case _:
            code = f"local t; do {{ {line}: t = {place}; }} {line}b: while (t == 0); {fence}"
            return (
                f"operation {name}() {{ {code} }}",
                f"operation {name}() {{ await ({state} != 0); }}",
                f"{point} when {place} != 0; invariant at {line}b: linearized == ({name}.t != 0);",
            )


def random_stores(random: Random) -> str:
    """Two shared variables, one of them meant by the state; operations that store to them, one that reads."""
    meant = random.choice("xy")
    parts = [_writer(random, 0, meant)]
    parts.append(_reader(random, meant if random.random() < 0.85 else "xy"[meant == "x"]))
    if random.random() < 0.1:  # three operations have many clients
        parts.append(_exchange(random, meant))
    code, specified, notes = ("\n".join(each) for each in zip(*parts, strict=True))
    state = "specification {\nstate a = 0;\n" + specified + f"\n}}\nabstraction a == {meant};\n"
    return f"object random;\nshared x = 0, y = 0;\n{code}\n{state}{notes}\n"


def _writer(random: Random, number: int, meant: str) -> tuple[str, str, str]:
    """Stores of one or two lines; it takes effect with one that stores what is meant, if there is one."""
    places = [meant, *random.sample("xy", random.choice((0, 0, 1)))]
    random.shuffle(places)
    lines = [(f"{number + 1}{at}", place, random.choice(_VALUES)) for at, place in enumerate(places)]
    body = " ".join(f"{label}: {place} = {value};" for label, place, value in lines)
    body += random.choice((" fence;", "", ""))
    own = [line for line in lines if line[1] == meant]
    label, _, value = random.choice(own)
    specified = value if random.random() < 0.9 else random.choice(_VALUES)
    notes = [f"linearize write{number} at {label};"]
    for line, _, stored in lines:
        notes.append(f"invariant forall s in pending({line}): s.value == {stored.replace('v', 's.v')};")
        notes.append(f"invariant deferred({line}) -> deferred({line}).result1 == deferred({line}).value;")
    return (
        f"operation write{number}(v) {{ {body} }}",
        f"operation write{number}(w) {{ a = {specified.replace('v', 'w')}; }}",
        "\n".join(notes),
    )


_VALUES = ("v", "v", "v", "v + 1", "1")


def _reader(random: Random, place: str) -> tuple[str, str, str]:
    fences = random.choice((("", ""), ("", ""), ("70: fence;", ""), ("", "72: fence;")))
    code = f"local t; {fences[0]} 71: t = {place}; {fences[1]} 73: return t;"
    return f"operation read() {{ {code} }}", "operation read() { return a; }", "linearize read at 71;"


def _exchange(random: Random, place: str) -> tuple[str, str, str]:
    added = random.choice(("1", "1", "2"))
    return (
        f"operation change() {{ local t; 81: t = fetch_add({place}, 1); 82: return t; }}",
        f"operation change() {{ a = a + {added}; return a - {added}; }}",
        "linearize change at 81;",
    )


def answered(seed: int, model: str, *, stores: bool = False) -> Answers:
    """Both answers about the object of a seed."""
    made = random_stores if stores else random_object
    source = SourceFile(f"{seed}.obj", made(Random(seed)))
    proof = membar.prove(source, model=model)
    client = membar.check(source, client=Size(2, 2), model=model)
    bound = proof.outcome.bound if isinstance(proof.outcome, HoldsWithin) else ""
    return Answers(source.text, proof.verdict, bound, client.verdict)


def main() -> int:
    """Asks about many, and prints those with wrong answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", default="armv8")
    parser.add_argument("--stores", action="store_true")
    chosen = parser.parse_args()
    found: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for seed in range(chosen.first, chosen.first + chosen.count):
        answers = answered(seed, chosen.model, stores=chosen.stores)
        found[answers.proved, answers.client] += 1
        if answers.is_wrong:
            wrong += 1
            sys.stdout.write(f"{seed}: proved {answers.proved}, client {answers.client}\n{answers.text}\n")
    for (proved, client), number in sorted(found.items()):
        sys.stdout.write(f"proof {proved}, client {client}: {number}\n")
    sys.stdout.write(f"{chosen.count} objects under {chosen.model}: {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
