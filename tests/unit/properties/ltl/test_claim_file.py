"""`--ltl-file`: named propositions and several claims, in the words of SPIN and NuSMV."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.properties.ltl.claim_file import NamedFormula, claims_text, read_claims
from membar.source import SourceFile

SPIN = """// of SPIN
#define low (x < 2)
#define calm low && \\
    !y
ltl bounded { [] calm }
ltl { <> P.low } # not a proposition: a label
"""
NUSMV = """-- of NuSMV
DEFINE low := x < 2; calm := low & y = 0;
LTLSPEC NAME bounded := G calm;
LTLSPEC F low
LTLSPEC G F y
"""
PROGRAM = SourceFile(
    "test.pml",
    "#define two (x == 2)\nchan q = [1] of { byte };\nbyte x, y;\n"
    "active proctype P() { do :: q!1; x = 1 :: q?_; y = 1; x = 0 od }",
)


def plain(text: str) -> list[tuple[str, str]]:
    return [(claim.name, " ".join(claim.text.split())) for claim in read_claims(text)]


def test_propositions_of_spin_stand_for_their_meaning() -> None:
    text = SPIN.replace("# not", "// not")
    assert plain(text) == [("bounded", "[] (((x < 2)) && !y)"), ("", "<> P.low")]


def test_propositions_of_nusmv_stand_for_their_meaning() -> None:
    assert plain(NUSMV) == [("bounded", "G ((x < 2) & y = 0)"), ("", "F (x < 2)"), ("", "G F y")]


def test_a_formula_may_use_the_propositions_of_a_file() -> None:
    found = read_claims("#define p x > 1\n", formula="G p")
    assert found == (NamedFormula("", "G (x > 1)"),)


def test_a_proposition_that_names_itself_ends() -> None:
    assert plain("#define p q\n#define q p\nltl a { [] p }") == [("a", "[] ((p))")]


@pytest.mark.parametrize("text", [SPIN.replace("# not", "// not"), NUSMV, "G x", "ltl a { G x }"])
def test_claims_are_read_back(text: str) -> None:
    claims = read_claims(text)
    again = read_claims(claims_text(claims))
    assert [(one.name, one.text.split()) for one in again] == [(one.name, one.text.split()) for one in claims]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("ltl a { G x }\nG y\n", 2, 1),
        ("ltl a { G x\n", 1, 1),
        ("\n#define p(x) x > 1\nltl a { p }", 2, 1),
        ("#define p x\n", 1, 1),
        ("ltl a { G x }\nltl b { G (x + ) }", 2, 16),
        ("ltl a {\n  G nothing }", 2, 5),
    ],
)
def test_mistakes_are_shown_where_they_are(tmp_path: Path, text: str, line: int, column: int) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        membar.check(PROGRAM, model="sc", ltl_file=path)
    label = caught.value.diagnostics[0].primary
    assert label is not None
    assert (label.span.path, label.span.line, label.span.column) == (str(path), line, column)


def written(folder: Path, text: str) -> Path:
    path = folder / "claims.ltl"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_claim_has_its_verdict_and_its_witness(tmp_path: Path) -> None:
    path = written(tmp_path, "#define idle len(q) == 0\nltl a { F (x == 2) }\nltl b { G (x -> O idle) }\n")
    found = membar.check(PROGRAM, model="sc", ltl_file=path, ltl="F (two && !idle)")
    verdicts = {item.claim: item.verdict.value for item in found.findings if item.claim}
    assert verdicts == {"a": "violated", "b": "holds", "F (two && !(len(q) == 0))": "violated"}
    shown = [item.witness for item in found.findings if item.verdict.value == "violated"]
    assert all(witness is not None and witness.cycle is not None for witness in shown)
    assert len({witness.message for witness in shown if witness is not None}) == len(shown)


def test_claims_about_dve_keep_their_names(tmp_path: Path) -> None:
    source = SourceFile(
        "test.dve",
        "byte x;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem async;",
    )
    path = written(tmp_path, "#define done x == 1\nltl ends { F done }\nltl stays { G (x == 0) }\n")
    found = membar.check(source, model="sc", ltl_file=path)
    assert {item.claim: item.verdict.value for item in found.findings if item.claim} == {
        "ends": "holds",
        "stays": "violated",
    }


def test_replays_every_witness(tmp_path: Path) -> None:
    path = written(tmp_path, "ltl a { F (x == 2) }\nltl b { F G !x }\nltl c { G !x }\n")
    found = membar.check(PROGRAM, model="sc", ltl_file=path, properties=("claims",))
    saved = tmp_path / "answer.json"
    saved.write_text(found.render("json"), encoding="utf-8")
    replayed = membar.replay(saved)
    assert len(replayed) == 3
    assert all(item.is_confirmed for item in replayed), replayed
