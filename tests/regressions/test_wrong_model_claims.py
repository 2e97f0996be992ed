"""Wrong claims of a model are caught when it is loaded, or by `membar models test`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.models import load
from tiers import every, models

COHERENT = """acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre ; coe) as atomicity
"""
SC = f"{COHERENT}acyclic po | rf | co | fr | spawn-join as global-order\n"
# No load buffering, but threads see writes in different orders.
CAUSAL = f"{COHERENT}acyclic po & (R * W) | rf as causality\n"


def text_of(name: str) -> str:
    source = membar.load_model(name).source
    assert source is not None
    return source.text


@dataclass(frozen=True)
class Wrong:
    """A model with a wrong claim.

    Attributes:
        name: what is wrong.
        model: its text.
        claims: its claims.
        key: the claim that is found to be wrong.
        code: that of the error when it is loaded; nothing if a program refutes it.
    """

    name: str
    model: str
    claims: str
    key: str
    code: str = ""


WRONG = [
    Wrong("a key that does not exist", SC, "serach: exactly-once", "serach", "W0219"),
    Wrong("a misspelt value", SC, "search: exactly-onec", "search", "W0219"),
    Wrong("exactly-once with load buffering", COHERENT, "search: exactly-once", "search", "W0221"),
    Wrong("no global order", CAUSAL, "search: exactly-once\norder: global", "order", "W0221"),
    Wrong("no such thread order", SC, "search: dependency-aware\nthread-order: lob", "thread-order", "W0221"),
    Wrong("two claims that exclude each other", SC, "kind: language\nmapping: armv8", "mapping", "W0221"),
    Wrong("fences that the model does not know", SC, "mapping: power", "mapping", "W0221"),
    Wrong(
        "exactly-once although a second look is forbidden",
        f"{SC}empty [R] ; po-loc ; [R] as one-look\n",
        "search: exactly-once\nsc-executions: restricted",
        "search",
    ),
    Wrong(
        "load buffering that the relation does not have",
        f"{COHERENT}let never = po & 0\n",
        "load-buffering: never",
        "load-buffering",
    ),
    Wrong(
        "a thread order that forgets dependencies",
        text_of("armv8") + "let none = po & 0\n",
        "search: dependency-aware\nthread-order: none",
        "search",
    ),
    Wrong(
        "load buffering without signs",
        text_of("armv8").replace("let unordered = ", "let unordered = 0 & "),
        "load-buffering: unordered\nbuffered-loads: foreshadowed",
        "buffered-loads",
    ),
    Wrong(
        "the machine of another model",
        text_of("pso"),
        "search: exactly-once\nstore-buffers: tso",
        "store-buffers",
    ),
    Wrong(
        "unfair: a second look is forbidden",
        f"{SC}empty [R] ; po-loc ; [R] as one-look\n",
        "fair: yes\nsc-executions: restricted",
        "fair",
    ),
    Wrong(
        "write-backs that are seen",
        f"{COHERENT}acyclic po | co | fr | (rf \\ ([range(rmw)] ; rf)) as order\n",
        "write-backs: invisible",
        "write-backs",
    ),
    Wrong("values out of thin air", COHERENT, "self-justifying-values: impossible", "self-justifying-values"),
    Wrong(
        "not coherent",
        "acyclic po | rf as causality\nempty rmw & (fre ; coe) as atomicity\n",
        "",
        "coherence",
    ),
    Wrong("not atomic", "acyclic po-loc | rf | co | fr as coherence\n", "", "atomicity"),
    Wrong("stronger than sc", f"{SC}empty rfe & (W * R) as alone\n", "", "sc-executions"),
    Wrong(
        "a fence that allows more",
        f"{COHERENT}acyclic (po & (M * M) \\ (po ; [MFENCE] ; po)) | rf | co | fr as order\n",
        "",
        "fences",
    ),
    Wrong(
        "load buffering through read-modify-writes",
        f"{COHERENT}let rmws = domain(rmw) | range(rmw)\n"
        "acyclic (po \\ (rmws * rmws)) & (R * W) | rf as causality\n",
        "search: exactly-once",
        "search",
    ),
    Wrong(
        "independent reads by read-modify-writes in different orders",
        f"{CAUSAL}let rmws = domain(rmw) | range(rmw)\n"
        "acyclic ([R] ; po) \\ (rmws * rmws) | co | fr | rfe | spawn-join as order\n",
        "search: exactly-once\norder: global",
        "order",
    ),
    Wrong(
        "unknown fences that have an effect",
        f"{COHERENT}let f = po ; [F] ; po\n"
        "acyclic (po & (M * M) \\ (W * R)) | f | rfe | co | fr | spawn-join as order\n",
        "tags: any",
        "tags",
    ),
    Wrong(
        "write-backs that end a release sequence",
        text_of("rc11").replace(" ; (rf ; rmw)*", ""),
        "kind: language\nsearch: exactly-once\nwrite-backs: invisible",
        "write-backs",
    ),
    Wrong(
        "a machine that knows the order of creating threads",
        text_of("x86-tso").replace(" | spawn-join", ""),
        "search: exactly-once\nstore-buffers: tso",
        "store-buffers",
    ),
    Wrong(
        "values out of thin air through read-modify-writes",
        f"{COHERENT}acyclic (data | ctrl | addr) \\ ((domain(rmw) | range(rmw)) * _) | rf as causality\n",
        "self-justifying-values: impossible",
        "self-justifying-values",
    ),
    Wrong(
        "a mapping that is not right",
        f"let no-effect = MFENCE | X\n{COHERENT}",
        "mapping: x86\nright-mappings: x86",
        "right-mappings",
    ),
]


# By default, more programs follow these.
_FIRST = ("--count", "100")


@pytest.mark.parametrize("wrong", every(6, WRONG), ids=lambda wrong: wrong.name)
def test_a_wrong_claim_is_caught(wrong: Wrong, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.cat"
    file.write_text(wrong.model, encoding="utf-8")
    file.with_suffix(".claims").write_text(f"{wrong.claims}\n", encoding="utf-8")
    code = cli.main(["models", "test", str(file), *_FIRST])
    said = capsys.readouterr()
    if wrong.code:
        assert code == 2
        assert f"error[{wrong.code}]" in said.err
        assert wrong.key in said.err
        assert "mine.claims:" in said.err
        return
    assert code == 1, said.out
    assert f"\n{wrong.key} is refuted" in said.out
    assert "thread P0 {" in said.out


@pytest.mark.parametrize("name", models(load.names()))
def test_shipped_claims_are_not_refuted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models", "test", name, "--count", "25", "--seed", "100000"]) == 0
    said = capsys.readouterr()
    assert "none refuted" in said.out
    assert not said.err
