"""examples/README.md lists every example with the first sentence and the verdicts of its first comment.

`pytest tests/golden --update-golden` writes the page anew. Other tests check the verdicts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import membar
import tiers
from membar.objects.client import Size

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAGE = EXAMPLES / "README.md"
HEAD = """# Examples

Each file says in its first comment what it shows and which verdict to expect under which model. These tables
are generated from the comments (`pytest tests/golden --update-golden`), and tests check the verdicts.
A name that ends in `-relaxed`, `-release`, `-no-fence` or `-early-free` is a broken variant of another file.
"""
SECTIONS = {
    "litmus": "Litmus tests (X86, AArch64, RISC-V, POWER, C11, Linux kernel)",
    "c": "C programs: locks, barriers, queues, publication",
    "c/heap": "C programs that allocate and free memory",
    "cpp": "C++ programs",
    "cpp/heap": "C++ programs that allocate and free memory",
    "c/any-threads": "C programs for any number of threads: `membar check FILE --threads any`",
    "c/objects": "Concurrent objects in C: `membar check FILE --client 2,3`",
    "rust": "Rust programs: locks, a reference count, a ring, a stack, a channel",
    "rust/heap": "Rust programs that allocate and free memory",
    "promela": "Promela",
    "dve": "DVE",
    "xcfa": "XCFA",
    "cubicle": "Cubicle: systems with any number of processes",
    "objects": "Concurrent objects with specifications and proofs",
    "program": "membar's own program text",
}
COMMENT = re.compile(r"/\*(.*?)\*/|\(\*(.*?)\*\)|((?:^[ \t]*(?://|#)[^\n]*\n)+)", re.DOTALL | re.MULTILINE)
EXPECTED = re.compile(r"Expected(?: with --threads any)?: ([^.]*)\.\s*")
# The verdicts of objects depend on the size of the client, so that no `Expected:` states them.
WITH_CLIENTS = re.compile(r"(?:unchanged|With clients of two threads,)\s+([^\n.(]*(?:HOLDS WITHIN|VIOLATED))")


def comment_of(text: str) -> str:
    """The first comment without its delimiters."""
    found = COMMENT.search(text)
    assert found is not None
    return re.sub(r"(?m)^\s*(?://|#)?\s*", "", found[1] or found[2] or found[3]).strip()


def with_clients(comment: str) -> list[tuple[str, str]]:
    """Models and their verdict about clients; empty for examples that are not objects in C."""
    found = WITH_CLIENTS.search(comment)
    parts = [part.split(": ") for part in found[1].split("; ")] if found else []
    return [(models, verdict) for models, verdict in parts]


def verdicts(comment: str) -> str:
    """Models by verdict, as `HOLDS: sc, x86-tso; VIOLATED: rc11`."""
    if clients := with_clients(comment):
        return "; ".join(f"{verdict}: {models}" for models, verdict in clients)
    expected = EXPECTED.search(comment)
    assert expected is not None, comment
    by_verdict: dict[str, list[str]] = {}
    for claim in re.sub(r"\s+", " ", expected[1]).split(", "):
        model, _, verdict = claim.partition(" ")
        by_verdict.setdefault(verdict, []).append(model)
    return "; ".join(f"{verdict}: {', '.join(models)}" for verdict, models in by_verdict.items())


def first_sentence(comment: str) -> str:
    """What the example shows."""
    prose = WITH_CLIENTS.sub("", EXPECTED.sub("", comment)).lstrip(".; :").strip()
    sentence = re.match(r"(.*?[.?:])(?=(?<!:)\s+[A-Z(`]|\s*$|\s-D)", re.sub(r"\s+", " ", prose))
    assert sentence is not None, comment
    return sentence[1].rstrip(".:")


def page() -> str:
    """The page."""
    parts = [HEAD]
    for folder, title in SECTIONS.items():
        parts.append(f"\n## {title}\n\n| file | what it shows | verdicts |\n| --- | --- | --- |\n")
        for path in sorted((EXAMPLES / folder).glob("*.*")):
            comment = comment_of(path.read_text(encoding="utf-8"))
            link = f"[{path.name}]({folder}/{path.name})"
            parts.append(f"| {link} | {first_sentence(comment)} | {verdicts(comment)} |\n")
    return "".join(parts)


def test_the_page_lists_what_the_examples_say(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_folder_with_examples_is_listed() -> None:
    folders = {str(path.parent.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.*") if path.is_file()}
    assert folders - {"."} == set(SECTIONS)


OBJECTS = [
    (path, model, verdict)
    for path in [*sorted((EXAMPLES / "c/objects").glob("*.c")), EXAMPLES / "objects/seqlock-figure7.obj"]
    for models, verdict in with_clients(comment_of(path.read_text(encoding="utf-8")))
    for model in models.split(", ")
]


@pytest.mark.parametrize(
    ("path", "model", "verdict"), tiers.each_verdict(OBJECTS), ids=lambda v: getattr(v, "stem", str(v))
)
def test_an_object_has_the_verdict_of_the_page_with_small_clients(
    path: Path, model: str, verdict: str
) -> None:
    answer = membar.check(path, client=Size(2, 1), model=model)
    assert answer.verdict.upper().replace("-", " ") == verdict
