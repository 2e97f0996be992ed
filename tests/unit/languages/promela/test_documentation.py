"""docs/reference/promela.md says what there is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import membar
import tiers
from differential import spin
from membar.diagnostics import InputError
from membar.languages.promela.tokens import KEYWORDS
from unit.languages.promela.texts import broken, check, source

TEXT = (Path(__file__).parents[4] / "docs" / "reference" / "promela.md").read_text("utf-8")
# Parts of other words or forms that are documented.
_OBVIOUS = {"fi", "od", "of", "true", "false", "if", "do", "for", "select"}


def test_every_keyword_is_documented() -> None:
    assert [word for word in sorted(KEYWORDS - _OBVIOUS) if not re.search(rf"\b{word}\b", TEXT)] == []


def test_every_error_code_is_documented() -> None:
    sources = (Path(membar.__path__[0]) / "languages" / "promela").glob("*.py")
    used = {code for path in sources for code in re.findall(r"W07\d\d", path.read_text("utf-8"))}
    assert used == set(re.findall(r"^\| (W07\d\d) \|", TEXT, re.MULTILINE))


def test_the_example_does_what_it_says() -> None:
    (example,) = re.findall(r"```\n(/\* Two.*?)```", TEXT, re.DOTALL)
    assert broken(example, model="sc") is None
    assert check(example, model="x86-tso", unbounded=True).verdict == "holds"
    assert check(example.replace("fence;", ""), model="x86-tso").verdict == "violated"


_SECTION = TEXT[TEXT.index("## Differences from SPIN") : TEXT.index("## Linden")]
DIFFERENCES = re.findall(r"```promela\n(.*?)```", _SECTION, re.DOTALL)
# Text, tool, options of `spin`, answer.
EXAMPLES = [
    (text, *line)
    for text in DIFFERENCES
    for line in re.findall(r"^// (membar|SPIN)(.*?): (.*)$", text, re.MULTILINE)
]
_FAILURES = ("assertions", "memory")
_ASKED = " if assertions are asked for"


@pytest.mark.parametrize("text", DIFFERENCES)
def test_every_difference_says_what_both_answer(text: str) -> None:
    said = [tool for example, tool, *_ in EXAMPLES if example == text]
    assert said[:1] == ["membar"]
    assert "SPIN" in said or "SPIN's verifier crashes" in TEXT.split(text)[0][-200:]


@pytest.mark.parametrize(
    ("text", "answer"), [(text, said) for text, tool, _, said in EXAMPLES if tool == "membar"]
)
def test_membar_answers_what_its_differences_say(text: str, answer: str) -> None:
    assert _answer_of_membar(text, answer) == answer


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
@pytest.mark.parametrize(
    ("text", "options", "answer"),
    tiers.rows(10, [(text, options, said) for text, tool, options, said in EXAMPLES if tool == "SPIN"]),
)
def test_spin_answers_what_the_differences_say(text: str, options: str, answer: str, tmp_path: Path) -> None:
    assert _answer_of_spin(text, options.split(), answer, tmp_path) == answer


def _answer_of_membar(text: str, expected: str) -> str:
    """The answer to the question to which this is an answer."""
    question = _question(expected)
    properties = {"assertions": _FAILURES, "acceptance": ("acceptance",), "claim": ("claims",)}
    if expected.endswith(_ASKED):
        properties["states"] = ("assertions",)
    chosen, is_whole = properties.get(question, ("deadlock",)), question == "states"
    try:
        result = membar.check(
            source(text), model="sc", properties=chosen, no_por=is_whole, no_symmetry=is_whole
        )
    except InputError:
        return "refuses acceptance" if question == "acceptance" else "refuses it"
    if question == "states":
        return f"{result.statistics.states} states{_ASKED if expected.endswith(_ASKED) else ''}"
    if question == "claim":
        (claim,) = (finding for finding in result.findings if finding.property == "claims")
        return f"{claim.claim} {_WORDS[question][str(claim.verdict)]}"
    return _WORDS[question][result.verdict]


def _answer_of_spin(text: str, options: Sequence[str], expected: str, folder: Path) -> str:
    """The answer to the question to which this is an answer."""
    question = _question(expected)
    flags = {"acceptance": ("-DNOCLAIM",), "claim": ()}.get(question, ("-DSAFETY", "-DNOCLAIM"))
    chosen = ("-o1", "-o2", "-o3") if question == "states" else options
    found = spin.verifier(text, folder, *flags, options=chosen)
    if found is None:
        return "refuses it"
    match question:
        case "states":
            return f"{found.states()} states"
        case "text":
            return "accepts it"
        case "assertions":
            return "assertions fail" if found.finds_error("-E") else "assertions hold"
        case "deadlock":
            return "deadlock" if found.finds_error("-A") else "no deadlock"
        case "acceptance":
            return "acceptance is violated" if found.finds_error("-a", "-A", "-E") else "acceptance holds"
        case _:
            name = expected.split(maxsplit=1)[0]
            is_violated = found.finds_error("-a", "-E", "-N", name)
            return f"{name} {'is violated' if is_violated else 'holds'}"


def _question(answer: str) -> str:
    """What is asked: the question to which this is an answer."""
    kinds = ("states", "assertions", "acceptance", "deadlock")
    return next((kind for kind in kinds if kind in answer), "text" if " it" in answer else "claim")


_WORDS = {
    "assertions": {"holds": "assertions hold", "violated": "assertions fail"},
    "deadlock": {
        "holds": "no deadlock",
        "violated": "deadlock",
        "holds-within": "no deadlock within a bound",
        "unknown": "UNKNOWN about deadlock",
    },
    "claim": {"holds": "holds", "violated": "is violated"},
    "text": {"holds": "accepts it", "violated": "accepts it"},
}
