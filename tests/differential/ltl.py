"""The LTL translation against the direct evaluator, and against SPIN's own translation.

    python tests/differential/ltl.py [--formulas 5000] [--past 2000] [--spin 300] [--seed 0]

Each random formula and its negation are translated and compared with the evaluator on random runs. SPIN's
automaton (`spin -f`) is a never claim: membar's Promela front end reads it, and it must accept the same runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential import spin
from membar import parse
from membar.program import temporal as t
from membar.program.predicate import Observable
from membar.properties.ltl.automaton import Automaton
from membar.properties.ltl.lasso import Lasso, holds
from membar.properties.ltl.reduction import components
from membar.properties.ltl.translation import automaton_of
from membar.source import SourceFile
from strategies.formulas import NAMES, formula, lasso, text

RUNS = 12
_SECONDS = 20


def disagreement(seed: int, *, past: bool = False) -> str | None:
    """What the translation of the formula of a seed gets wrong; None if nothing."""
    random = Random(seed)
    item = formula(random, random.randint(1, 5 if past else 9), past=past)
    automata = automaton_of(item), automaton_of(item, negated=True)
    for _ in range(RUNS):
        run = lasso(random)
        expected = holds(item, run)
        if (accepts(automata[0], run), accepts(automata[1], run)) != (expected, not expected):
            return f"seed {seed}: {text(item)} on {shown(run)} is {expected}"
    return None


def disagreement_with_spin(seed: int) -> str | None:
    """Where the automaton of SPIN accepts other runs than ours; "skipped" if it has none."""
    random = Random(seed)
    item = formula(random, random.randint(1, 6))
    claim = never_claim(text(item))
    if claim is None:
        return "skipped"
    ours = automaton_of(item)
    for _ in range(RUNS):
        run = lasso(random)
        if accepts(ours, run) is not follows(claim, run):
            return f"seed {seed}: {text(item)} on {shown(run)}: membar says {accepts(ours, run)}"
    return None


def never_claim(formula_text: str) -> t.ForbiddenRuns | None:
    """SPIN's automaton of a formula; None if it does not give one in time."""
    try:
        done = subprocess.run(
            ["spin", "-f", formula_text], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0 or "never" not in done.stdout:
        return None
    variables = "".join(f"byte {name};\n" for name in NAMES)
    program = parse(SourceFile("claim.pml", f"{variables}{done.stdout}\nactive proctype P() {{ skip }}\n"))
    body = program.claims[0].body
    if not isinstance(body, t.ForbiddenRuns):
        raise TypeError("a never claim is an automaton")
    return body


def follows(claim: t.ForbiddenRuns, run: Lasso) -> bool:
    """Whether a claim accepts a run."""
    letters = run.letters
    leaving: dict[int, list[t.AutomatonEdge]] = {}
    for edge in claim.edges:
        leaving.setdefault(edge.source, []).append(edge)
    steps: dict[int, list[int]] = {}
    todo = [claim.initial * len(letters)]
    while todo:
        node = todo.pop()
        if node in steps:
            continue
        state, position = divmod(node, len(letters))
        if claim.ends_are_errors and state not in leaving:
            return True
        true_here = {atom.text for atom in letters[position]}

        def look(seen: Observable, true_here: set[str] = true_here) -> int:
            return int(getattr(seen, "name", "") in true_here)

        steps[node] = [
            edge.target * len(letters) + run.following(position)
            for edge in leaving.get(state, ())
            if edge.guard.holds(look)
        ]
        todo += steps[node]
    accepting = claim.accepting[0]
    for component in components(steps, steps):
        if any(target in component for node in component for target in steps[node]) and any(
            node // len(letters) in accepting for node in component
        ):
            return True
    return False


def shown(run: Lasso) -> str:
    """A run as text."""
    parts = [[sorted(atom.text for atom in letter) for letter in part] for part in (run.prefix, run.cycle)]
    return f"{parts[0]} then {parts[1]} forever"


def main() -> int:
    """Runs the campaign."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--formulas", type=int, default=5000)
    arguments.add_argument("--past", type=int, default=2000)
    arguments.add_argument("--spin", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=0)
    chosen = arguments.parse_args()
    wrong = [found for n in range(chosen.formulas) if (found := disagreement(chosen.seed + n)) is not None]
    say(f"{chosen.formulas} formulas against the evaluator: {len(wrong)} disagree")
    numbers = range(chosen.seed, chosen.seed + chosen.past)
    wrong += [found for n in numbers if (found := disagreement(n, past=True)) is not None]
    say(f"{chosen.past} formulas with past against the evaluator: {len(wrong)} disagreements in all")
    if spin.IS_INSTALLED:
        compared = skipped = 0
        seed = chosen.seed
        while compared < chosen.spin:
            found = disagreement_with_spin(seed)
            seed += 1
            if found == "skipped":
                skipped += 1
                continue
            compared += 1
            wrong += [] if found is None else [found]
        say(f"{compared} formulas against `spin -f` ({skipped} skipped): {len(wrong)} disagreements in all")
    else:
        say(f"`spin -f` not compared: {spin.MISSING}")
    for found in wrong[:10]:
        say(found)
    return 1 if wrong else 0


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())


def accepts(automaton: Automaton, run: Lasso) -> bool:
    """Whether an automaton accepts a run: some cycle of the product has every mark."""
    letters = [
        frozenset(number for number, atom in enumerate(automaton.atoms) if atom in letter)
        for letter in run.letters
    ]
    size = len(letters)
    steps: dict[int, list[tuple[int, frozenset[int]]]] = {}
    todo = [0]
    while todo:
        node = todo.pop()
        if node in steps:
            continue
        state, position = divmod(node, size)
        steps[node] = [
            (step.target * size + run.following(position), step.marks)
            for step in automaton.leaving[state]
            if step.label.takes(letters[position])
        ]
        todo += [target for target, _ in steps[node]]
    following = {node: [target for target, _ in found] for node, found in steps.items()}
    everything = frozenset(range(automaton.sets))
    for component in components(steps, following):
        inside = [marks for node in component for target, marks in steps[node] if target in component]
        if inside and frozenset().union(*inside) == everything:
            return True
    return False
