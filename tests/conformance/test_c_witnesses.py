"""Every violation of a C task or example, as a witness of SV-COMP: right by the formats, and confirmed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.questions.expectations import expected_in
from membar.questions.outcome import Violated
from membar.reports import graphml, svcomp_yaml
from membar.source import SourceFile
from strategies.witness_rules import graphml_faults, yaml_faults

ROOT = Path(__file__).resolve().parents[2]
TASKS = sorted((ROOT / "tests/conformance/c_tasks").glob("*/*.c"))
EXAMPLES = sorted([*ROOT.glob("examples/c/*.c"), *ROOT.glob("examples/c/heap/*.c")])
# Models whose searches take long for examples with heaps; `make test-all` asks about all.
QUICK = ("sc", "rc11", "x86-tso", "pso")
# What `make test` asks about: an assertion, memory safety, a deadlock, a weak model, an example.
SHOWN = {
    ROOT / "tests/conformance/c_tasks/pthread/lazy.c",
    ROOT / "tests/conformance/c_tasks/pthread/stack-unchecked.c",
    ROOT / "tests/conformance/c_tasks/pthread/two-locks-crossed.c",
    ROOT / "tests/conformance/c_tasks/pthread-wmm/message-passing-pso.c",
    ROOT / "examples/c/peterson-plain.c",
}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
# Violations for which SV-COMP has no property.
WORDLESS = {"pthread/two-locks-crossed.c"} | {
    f"heap/{name}.c"
    for name in (
        "hash-relaxed",
        "mpmc-relaxed",
        "msqueue-relaxed",
        "rcu-list-relaxed",
        "rcu-list-early-free",
        "treiber-relaxed",
    )
}


def cases(paths: list[Path]) -> list[object]:
    """Each file with each model that it says to be violated under. Few belong to `make test`."""
    found: list[object] = []
    for path in paths:
        models = [
            claim.model
            for claim in expected_in(SourceFile.read(path))
            if claim.verdict == "violated" and not claim.any_threads
        ]
        first = next((model for model in models if model in QUICK or path in TASKS), None)
        for model in models:
            marks = () if model == first and path in SHOWN else (pytest.mark.full,)
            found.append(pytest.param(path, model, marks=marks, id=f"{path.stem}-{model}"))
    return found


def in_one_file(path: Path) -> str:
    """The text with the other examples that it includes."""
    text = path.read_text(encoding="utf-8")
    return re.sub(
        r'^#include "(\w[^"]*\.c)"$',
        lambda found: in_one_file(path.parent / found[1]),
        text,
        flags=re.MULTILINE,
    )


@pytest.mark.parametrize(("path", "model"), cases([*TASKS, *EXAMPLES]))
def test_a_violation_has_witnesses_that_are_confirmed(path: Path, model: str, tmp_path: Path) -> None:
    program = tmp_path / path.name
    program.write_text(in_one_file(path), encoding="utf-8")
    result = membar.check(program, model=model)
    assert isinstance(result.outcome, Violated)
    assert result.witness is not None
    is_assert = result.outcome.property == "assertions" and "reach_error" not in program.read_text("utf-8")
    is_wordless = is_assert or f"{path.parent.name}/{path.name}" in WORDLESS
    digest = sha256(program.read_bytes()).hexdigest()
    for report, faults, ending in ((graphml, graphml_faults, "graphml"), (svcomp_yaml, yaml_faults, "yml")):
        if is_wordless:
            with pytest.raises(InputError, match="it has no property for this violation"):
                report.render(result, result.outcome, result.witness, at=NOON, program_hash=digest)
            continue
        text = report.render(result, result.outcome, result.witness, at=NOON, program_hash=digest)
        assert faults(text, program) == []
        witness = tmp_path / f"w.{ending}"
        witness.write_text(text, encoding="utf-8")
        confirmed = membar.check(program, confirm=witness, model=model)
        assert isinstance(confirmed.outcome, Violated), getattr(confirmed.outcome, "reason", "")
        assert confirmed.outcome.property == result.outcome.property
        assert any("is confirmed" in note for note in confirmed.outcome.run.notes)
