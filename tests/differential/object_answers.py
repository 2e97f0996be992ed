"""Random objects of small operations: what is proved of them holds for their clients.

Every operation accesses memory once, with or without a fence behind, so that many objects are right and the
question is how operations of one thread follow one another. HOLDS is wrong where a client of two threads with
two calls each is VIOLATED; HOLDS WITHIN must then name the waiting of calls.

    python tests/differential/object_answers.py --count 300 --model armv8
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from random import Random

from membar.linearizability import check_object
from membar.object_proofs import prove_object
from membar.objects.client import Size
from membar.outcome import HoldsWithin
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


def answered(seed: int, model: str) -> Answers:
    """Both answers about the object of a seed."""
    source = SourceFile(f"{seed}.obj", random_object(Random(seed)))
    proof = prove_object(source, model=model)
    client = check_object(source, size=Size(2, 2), model=model)
    bound = proof.outcome.bound if isinstance(proof.outcome, HoldsWithin) else ""
    return Answers(source.text, proof.verdict, bound, client.verdict)


def main() -> int:
    """Asks about many, and prints those with wrong answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", default="armv8")
    chosen = parser.parse_args()
    found: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for seed in range(chosen.first, chosen.first + chosen.count):
        answers = answered(seed, chosen.model)
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
