"""NuSMV reads the text of a thread's transition system, and finds the states that a plain search finds.

Skipped where there is no `NuSMV` on the path.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Hashable, Iterator
from itertools import product
from pathlib import Path

import pytest

import membar
from membar.objects.algebra import evaluate_term
from membar.objects.systems.moves import Memory, Move, ThreadSystem
from membar.objects.terms import Space, Variable, subterms
from membar.questions.export.object_smv import smv
from membar.questions.proof import parse_object, system_of
from membar.source import SourceFile

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NUSMV = shutil.which("NuSMV")
needs_nusmv = pytest.mark.skipif(NUSMV is None, reason="there is no NuSMV on the path")
AWKWARD = """\
object awkward;
shared next = 5, case = 0, c0 = 0, c1 = 0, X = 0, self = 0;
private mod = -2;
operation f(TRUE) {
    local init, esac;
    1: init = next;
    2: case = (init - 7) % 3;
    3: c0 = (init - 8) / 2;
    4: esac = TRUE;
    5: X = esac;
    mod = (mod - 5) / 3;
    self = 12;
}
operation g() { local t; 6: t = c1; 7: c1 = t + 1; 8: next = 4 - t; }
"""
SYSTEMS = [
    *(("objects/lock.obj", model) for model in ("sc", "x86-tso")),
    *(("objects/counter.obj", model) for model in ("sc", "x86-tso", "xc", "armv8")),
    ("awkward", "sc"),
    ("objects/seqlock.obj", "sc"),
    *(("objects/seqlock-armv8.obj", model) for model in ("sc", "x86-tso", "xc", "armv8")),
]
State = tuple[Hashable, frozenset[tuple[Variable, int]]]


def system(name: str, model: str) -> ThreadSystem:
    text = AWKWARD if name == "awkward" else (EXAMPLES / name).read_text(encoding="utf-8")
    return system_of(parse_object(SourceFile("test.obj", text)), membar.load_model(model))


def reachable(about: ThreadSystem, lowest: int, highest: int) -> set[State]:
    """Every state with values in the range; variables that are 0 are not mentioned."""
    first = dict(Memory.of(about.about).initial())
    first |= {Variable(Space.PRIVATE, name): value for name, value in about.about.private}
    start = (about.start, _written(first))
    seen: set[State] = {start}
    todo: list[State] = [start]
    while todo:
        control, values = todo.pop()
        for move in about.moves(control):
            if about.too_long(move.after):
                continue
            for after in _afterwards(move, dict(values), range(lowest, highest + 1)):
                if (move.after, after) not in seen:
                    seen.add((move.after, after))
                    todo.append((move.after, after))
    return seen


def _written(values: dict[Variable, int]) -> frozenset[tuple[Variable, int]]:
    return frozenset(item for item in values.items() if item[1])


def _afterwards(
    move: Move, values: dict[Variable, int], numbers: range
) -> Iterator[frozenset[tuple[Variable, int]]]:
    terms = (move.guard, *(term for _, term in move.updates))
    parts = (part for term in terms for part in subterms(term) if isinstance(part, Variable))
    arguments = list(dict.fromkeys(part for part in parts if part.operation == "@call"))
    for given in product(numbers, repeat=len(arguments)):
        known = defaultdict(int, values | dict(zip(arguments, given, strict=True)))
        if not evaluate_term(move.guard, known.__getitem__):
            continue
        changes = {variable: evaluate_term(term, known.__getitem__) for variable, term in move.updates}
        if all(value in numbers for value in changes.values()):
            yield _written(values | changes)


def answered(text: str, folder: Path, *commands: str) -> str:
    """What NuSMV says to these commands about a text."""
    assert NUSMV is not None
    model, script = folder / "model.smv", folder / "commands"
    model.write_text(text, encoding="utf-8")
    before = ("set dynamic_reorder 1", f"read_model -i {model}", "flatten_hierarchy", "encode_variables")
    script.write_text("\n".join((*before, "build_model", *commands, "quit", "")), encoding="utf-8")
    words = [NUSMV, "-source", str(script)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert "error" not in done.stderr.lower(), done.stderr
    return done.stdout


def bounds(text: str) -> tuple[int, int]:
    found = re.search(r"values from (-?\d+) to (-?\d+)", text)
    assert found is not None
    return int(found[1]), int(found[2])


@needs_nusmv
@pytest.mark.parametrize(("name", "model"), SYSTEMS, ids=[f"{name}-{model}" for name, model in SYSTEMS])
def test_nusmv_finds_as_many_states_as_a_plain_search(name: str, model: str, tmp_path: Path) -> None:
    about = system(name, model)
    text = smv(about)
    said = answered(text, tmp_path, "print_reachable_states", "check_fsm")
    count = re.search(r"reachable states: (\S+) ", said)
    assert count is not None, said
    assert float(count[1]) == pytest.approx(len(reachable(about, *bounds(text))), rel=1e-5)
    assert "The transition relation is total" in said


@needs_nusmv
@pytest.mark.parametrize(
    ("name", "model"), [("objects/lock.obj", "x86-tso"), ("objects/counter.obj", "armv8")]
)
def test_nusmv_reaches_the_same_controls(name: str, model: str, tmp_path: Path) -> None:
    about = system(name, model)
    text = smv(about)
    words = re.findall(r"^--   (c\d+): (.*)$", text, re.MULTILINE)
    asked = "".join(f"INVARSPEC control != {control}\n" for control, _ in words)
    said = answered(text + asked, tmp_path, "set counter_examples 0", "check_invar")
    reached = set(re.findall(r"invariant control != (c\d+) +is false", said))
    met = {about.described(control) for control, _ in reachable(about, *bounds(text))}
    assert {described for control, described in words if control in reached} == met
    assert len(re.findall(r"invariant .* is (?:true|false)", said)) == len(words)
