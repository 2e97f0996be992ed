"""Twenty answers of all kinds as pages of their own, opened in a browser that has no server to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

import membar
from membar.cli.command import main
from membar.source import SourceFile
from unit.reports.test_html import HOSTILE, SB
from unit.server.browser import Browser, missing

EXAMPLES: Final = Path(__file__).parents[3] / "examples"


def answer(path: str, **asked: object) -> str:
    return membar.check(EXAMPLES / path, **asked).render("html")  # type: ignore[arg-type]  # any option


def written(*words: str) -> Callable[[Path], str]:
    """What a command writes as a page."""

    def write(folder: Path) -> str:
        page = folder / "page.html"
        main([*words, "--html", str(page)])
        return page.read_text(encoding="utf-8")

    return write


def hostile(_folder: Path) -> str:
    text = SB.replace("(* Expected:", f"(* {HOSTILE} Expected:")
    return membar.check(SourceFile(f"{HOSTILE}.litmus", text), model="x86-tso").render("html")


def replayed(folder: Path) -> str:
    saved = folder / "saved.json"
    saved.write_text(
        membar.check(EXAMPLES / "c/peterson-release.c", model="x86-tso").render("json"), encoding="utf-8"
    )
    return written("replay", str(saved))(folder)


def compared(_folder: Path) -> str:
    models = ["sc", "x86-tso", "armv8", "power"]
    return membar.compare(EXAMPLES / "litmus/message-passing.litmus", models=models).render("html")


PROMELA: Final = "promela/peterson-repeated-sync.pml"
BUFFERING: Final = "litmus/store-buffering.litmus"
FIGURE: Final = str(EXAMPLES / BUFFERING)
# The page, what it must say, and the tab that it opens with.
PAGES: Final[Mapping[str, tuple[Callable[[Path], str], str, str]]] = {
    "litmus test": (
        lambda _: answer("litmus/store-buffering.litmus", model="x86-tso"),
        "VIOLATED",
        "Execution",
    ),
    "pso": (lambda _: answer("litmus/message-passing-relaxed.litmus", model="pso"), "VIOLATED", "Execution"),
    "no buffers": (lambda _: answer("c/treiber-relaxed.c", model="armv8"), "VIOLATED", "Execution"),
    "store buffers": (lambda _: answer("c/peterson-release.c", model="x86-tso"), "VIOLATED", "Execution"),
    "race": (lambda _: answer("c/peterson-plain.c", properties=["races"]), "VIOLATED", "Execution"),
    "memory": (lambda _: answer("c/heap/treiber-early-free.c", model="sc"), "VIOLATED", "Execution"),
    "holds": (lambda _: answer("c/peterson.c", model="sc"), "HOLDS", "Outcomes"),
    "lasso": (lambda _: answer(PROMELA, ltl="G F p0@inside"), "A run that violates", "Execution"),
    "several properties": (lambda _: answer(PROMELA), "HOLDS WITHIN", "Report"),
    "deadlock": (lambda _: answer("program/wait-forever.mbp"), "VIOLATED", "Execution"),
    "history": (
        lambda _: answer(
            "c/objects/treiber.c", client=(2, 2), model="armv8", defines=["PUSH=memory_order_relaxed"]
        ),
        "No order of the calls explains",
        "History",
    ),
    "processes": (lambda _: answer("cubicle/flags.cub"), "2 processes reach an unsafe state", "Run"),
    "invariant": (lambda _: answer("cubicle/spinlock.cub"), "No error state is reached", "Proof"),
    "any threads": (
        lambda _: membar.prove(EXAMPLES / "c/any-threads/spinlock.c", model="x86-tso").render("html"),
        "HOLDS",
        "Proof",
    ),
    "failed obligation": (lambda _: answer("objects/counter.obj"), "UNKNOWN", "Proof"),
    "proof": (lambda _: answer("objects/lock.obj", model="sc", infer=True), "HOLDS", "Proof"),
    "comparison": (compared, "under all 4 models", "Compare"),
    "repair": (written("repair", FIGURE, "-m", "x86-tso"), "REPAIRED", "Repair"),
    "why not": (written("check", FIGURE, "-m", "sc", "--explain"), "HOLDS", "Why not?"),
    "replay": (replayed, "CONFIRMED", "Execution"),
    "mistake": (written("check", str(EXAMPLES / "README.md")), "NOT CHECKED", "Report"),
    "refused outcome": (written("check", FIGURE, "-m", "sc", "--outcome", "nobody=0"), "W0447", "Outcomes"),
    "hostile text": (hostile, "VIOLATED", "Execution"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        found.resize(1280, 720)
        yield found


@pytest.mark.full
@pytest.mark.skipif(bool(missing()), reason=missing() or "there is a browser")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_alone(name: str, browser: Browser, tmp_path: Path) -> None:
    make, words, tab = PAGES[name]
    page = tmp_path / "answer.html"
    page.write_text(make(tmp_path), encoding="utf-8")
    browser.open(page.as_uri())
    browser.find(".band", words)
    browser.find(".tab[aria-selected=true]", tab)
    number = int(browser.script("return document.querySelectorAll('.tab').length"))
    for place in range(number):
        browser.script("document.querySelectorAll('.tab')[arguments[0]].click()", place)
        for key in ("\ue011", "\ue014", "\ue010"):  # Home, right, End
            browser.press(key)
        assert browser.script("return document.querySelector('.answer-body').textContent.trim().length") > 0
    assert browser.script("return performance.getEntriesByType('resource').map(one => one.name)") == []
    assert browser.complaints() == []


@pytest.mark.full
@pytest.mark.skipif(bool(missing()), reason=missing() or "there is a browser")
def test_steps_lines_and_hidden_characters_are_shown(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "answer.html"
    page.write_text(hostile(tmp_path), encoding="utf-8")
    browser.open(page.as_uri())
    browser.find(".sentence", "It does not see the 1 that P0 stored")
    browser.find(".listing-line.line-now")
    browser.find(".hidden-character", "U+202E")
    browser.press("\ue011")
    browser.find(".sentence", "Nothing has happened yet")
    browser.press("\ue010")
    browser.find(".sentence", "reaches memory")
    browser.resize(390, 844)
    assert browser.script("return document.documentElement.scrollWidth") <= 390
    browser.resize(1280, 720)
