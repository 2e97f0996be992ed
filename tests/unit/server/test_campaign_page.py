"""The campaign in a real browser: filters, keys, drill-down, a store that grows, and its size."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from membar.cli.command import main
from unit.server.browser import Browser, missing
from unit.server.serving import TOKEN, server
from unit.store.generated import write_store
from unit.store.test_store import EXAMPLES

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there is a browser"),
]


HELP = """
const search = document.querySelector('.campaign-search');
const scroll = document.querySelector('.campaign-scroll');
const type = (text) => { search.value = text; search.dispatchEvent(new Event('input')); };
const five = (act) => { for (let n = 0; n < 5; n++) { act(n); document.body.offsetHeight; } };
"""
# Each is done five times.
ACTIONS = {
    "name": "five((n) => type(['m', 'mp', 'mp+', 'mp+a', ''][n]))",
    "pair": "five((n) => document.querySelectorAll('.pair')[n * 7].click())",
    "no pair": "document.querySelector('.pair[aria-pressed=true]').click()",
    "unanswered": "five(() => document.querySelector('[data-key=unanswered]').click())",
    "sort": "five((n) => document.querySelectorAll('.sort')[n + 1].click())",
    "scroll": "five((n) => { scroll.scrollTop = 40000 * n + 999; })",
}


@contextmanager
def shown(store: Path, fragment: str = "#campaign") -> Iterator[Browser]:
    with server(store=store) as client, Browser() as browser:
        browser.resize(1280, 720)
        browser.open(f"http://127.0.0.1:{client.port}/?token={TOKEN}{fragment}")
        browser.find(".campaign")
        yield browser
        assert browser.complaints() == []


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campaign") / "results.db"
    for more in ([], ["--unroll", "1"]):
        words = ["--models", "sc,x86-tso,armv8", "--lines", "none", "--store", str(path), *more]
        main(["litmus", str(EXAMPLES), *words])
    return path


def test_a_difference_is_chosen_explained_and_opened_in_the_editor(results: Path) -> None:
    with shown(results) as page:
        page.find(".count-line", "21 of 21 tests shown")
        page.click(".pair[aria-label^='sc and x86-tso differ on 2']")
        page.find(".count-line", "2 of 21 tests shown")
        assert "differ=sc%2Cx86-tso" in page.script("return location.hash")
        page.click(".test-name", "store-buffering")
        page.find(".drill-sentence", "Allowed by x86-tso and armv8, forbidden by sc.")
        page.find(".drill .why", "It would need a cycle: each of these four")
        page.click(".drill-chips .chip", "x86-tso: an execution")
        page.find(".drill .execution .counter", "Step")
        link = page.script("return location.href")
        page.open("about:blank")
        page.open(link)
        page.find(".drill h2", "store-buffering")
        page.find(".count-line", "2 of 21 tests shown")
        page.script("document.querySelector('.grid').focus()")
        page.press("\ue007")
        page.find(".cm-content", "MOV EAX,[y]")
        page.find(".band", "under sc")
        page.script("history.back()")
        page.find(".drill h2", "store-buffering")


def test_without_a_store_the_page_says_how_to_get_one() -> None:
    with server() as client, Browser(width=390) as page:
        page.resize(390, 844)
        page.open(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
        page.click(".more")
        page.click(".more-campaign")
        page.find(".no-campaign", "membar serve results.db")
        assert page.complaints() == []


def test_filters_keys_and_runs(results: Path) -> None:
    with shown(results) as page:
        page.find(".test-row")
        page.press("/")
        page.press("l")
        page.press("k")
        page.press("m")
        page.find(".count-line", "3 of 21 tests shown")
        page.press("\ue00c")
        page.find(".count-line", "21 of 21 tests shown")
        page.press("\ue00c")
        page.press("\ue015")  # down
        page.press("\ue015")
        page.find(".test-row.chosen")
        page.click(".chip", "Unanswered")
        page.click(".reason", "the model x86-tso does not define the ordering annotation")
        assert page.script("return document.querySelector('.reason[aria-pressed=true]') !== null")
        page.click(".chip", "Unanswered")
        page.click(".chip", "Times")
        page.click(".sort", "Time")
        page.find(".table-head [aria-sort=ascending]")
        page.script(
            "const s = document.querySelector('[data-key=with]'); s.value = '1';"
            "s.dispatchEvent(new Event('change'))"
        )
        page.find(".chip[aria-pressed=true]", "Changed since run 1")
        page.resize(390, 844)
        page.click(".drill-back")
        page.click(".chip", "Changed since run 1")
        page.click(".test-row")
        page.find(".drill-back")
        assert page.script("return document.documentElement.scrollWidth") <= 390
        page.click(".drill-back")
        page.find(".test-row")


def test_answers_appear_while_they_are_found(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    write_store(path, 2, 2, is_ended=False)
    words = ["litmus", str(EXAMPLES), "--models", "sc,x86-tso,armv8,power,rc11", "--store", str(path)]
    with shown(path, "#campaign") as page:
        page.find(".progress", "killed: 4 of 4 answers; the same command looks for the rest")
        subprocess.run([sys.executable, "-m", "membar", *words], stdout=subprocess.DEVNULL, check=False)
        page.script("location.hash = '#campaign?run=2'")
        page.find(".count-line", "21 of 21 tests shown")
    with shown(path, "#campaign?run=2") as page:  # another run, begun while the page is open
        writer = subprocess.Popen(
            [sys.executable, "-m", "membar", *words, "--no-symmetry"], stdout=subprocess.DEVNULL
        )
        page.find(".pick", "--no-symmetry")
        page.script("location.hash = '#campaign?run=3'")
        page.find(".count-line", "21 of 21 tests shown")
        writer.wait()
        page.find(".count-line:not(:has(.progress))")
        waiting = "return [...document.querySelectorAll('.test-row .sign-waiting')].length"
        assert page.script(waiting) == 0


def test_ten_thousand_tests_under_twelve_models(tmp_path: Path) -> None:
    write_store(tmp_path / "r.db", 10_000, 12)
    with shown(tmp_path / "r.db") as page:
        page.find(".count-line", "10,000 of 10,000 tests shown")
        sizes = page.script(
            "return performance.getEntriesByType('resource').filter(e => e.name.endsWith('/api/campaign'))"
            ".map(e => e.encodedBodySize)"
        )
        assert len(sizes) == 1
        assert sizes[0] <= 200_000
        times = {name: page.cpu_seconds(f"{HELP} {text}") / 5 for name, text in ACTIONS.items()}
        assert max(times.values()) <= 0.05, (sizes, times)
        assert page.script("return document.querySelectorAll('.test-row').length") <= 100
