"""The page in a real browser, and that the built page is that of its sources."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from membar.languages.registry import load_model
from membar.server.application import STATIC
from unit.server.browser import Browser, missing
from unit.server.serving import SB, TOKEN, Client, server
from unit.server.test_server import LONG

ROOT = Path(__file__).parents[3]
needs_browser = pytest.mark.skipif(bool(missing()), reason=missing() or "there is a browser")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with server() as found:
        yield found


@pytest.fixture
def page(client: Client) -> Iterator[Browser]:
    with Browser() as browser:
        browser.resize(1280, 720)
        browser.open(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
        browser.find(".gallery-row")
        browser.find(".cm-content")
        yield browser
        assert browser.complaints() == []


def write(page: Browser, text: str) -> None:
    """Types a program into the editor, in the place of what is there."""
    page.click(".cm-content")
    page.press("Control", "a")
    page.script("document.execCommand('insertText', false, arguments[0])", text)
    page.find(".cm-content", text.split()[1])


@needs_browser
@pytest.mark.full
def test_a_program_is_typed_run_and_stepped_through(page: Browser) -> None:
    write(page, SB)
    page.press("Control", "\ue007")
    page.find(".band.holds", "HOLDS")
    assert page.text(".sentence").startswith("P1 reads x = 0 from memory (line 5). It does not see the 1")
    page.press("\ue00c")  # leave the editor
    page.press("\ue010")  # the last step
    page.find(".counter", "Step 6 of 6")
    assert "reaches memory" in page.text(".sentence")
    page.find(".cm-line.line-now")
    page.press("\ue012")
    page.find(".counter", "Step 5 of 6")


@needs_browser
@pytest.mark.full
def test_the_step_and_the_relations_are_kept_while_another_tab_is_looked_at(page: Browser) -> None:
    page.click(".gallery-row", "store-buffering.litmus")
    page.find(".band.violated")
    page.press("\ue00c")
    page.press("\ue011")  # the beginning
    page.press("\ue014")
    page.find(".counter", "Step 1 of 6")
    page.press("r")
    page.press("f")
    page.find('.toggle[aria-pressed="false"]', "fr")
    page.press("2")
    page.find(".outcomes")
    page.press("1")
    page.find(".counter", "Step 1 of 6")
    page.find('.toggle[aria-pressed="false"]', "fr")
    page.click(".run")  # another answer, even if it is the same
    page.find(".counter", "Step 4 of 6")


@needs_browser
@pytest.mark.full
def test_on_a_phone_examples_are_shown_and_a_cycle_of_two_threads_fits(client: Client) -> None:
    with Browser() as page:
        page.resize(390, 844)
        page.open(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
        page.find(".gallery-row", "store-buffering.litmus")
        page.click(".segment", "Program")
        page.find(".cm-content")
        assert "left" not in page.script("return document.querySelector('.lead').textContent")
        page.click(".nav-button", "Examples")
        page.click(".gallery-row", "store-buffering.litmus")
        page.find(".band.violated")
        page.click(".tab", "Compare")
        page.click(".dot.impossible")
        page.find(".drawing")
        script = "return [...document.querySelectorAll('.drawing')].map(e => e.getBoundingClientRect().right)"
        assert 0 < max(page.script(script)) <= 390
        assert page.complaints() == []


@needs_browser
@pytest.mark.full
def test_models_outcomes_repairs_and_links(page: Browser) -> None:
    page.click(".gallery-row", "store-buffering.litmus")
    page.find(".band.violated", "VIOLATED")
    page.click(".menu-model .menu-button")
    page.click(".menu-item", load_model("sc").title)
    page.find(".band.stale")
    page.click(".run")
    page.find(".band.holds", "explored every execution")
    page.click(".tab", "Outcomes")
    page.click("button", "Explain")
    page.find(".why", "It would need a cycle: each of these four")
    page.click(".tab", "Compare")
    page.find(".compare th", "not under sc")
    page.find(".band.violated", "of 6 models")
    page.click(".tab", "Repair")
    page.find(".repair", "Nothing to repair.")
    page.click(".menu-model .menu-button")
    page.click(".menu-item", load_model("x86-tso").title)
    page.click(".run")
    page.find(".band.violated")
    page.click(".tab", "Repair")
    page.click("button", "Apply and run again")
    page.find(".band.holds")
    page.click(".menu-share .menu-button")
    page.find(".link", "#p=")
    link = page.script("return document.querySelector('.link').value")
    assert TOKEN not in link
    page.open("about:blank")
    page.open(link)
    page.find(".band.holds")
    page.find(".cm-content", "MFENCE")
    page.resize(390, 844)
    page.click(".segment", "Program")
    page.find(".cm-content")
    assert page.script("return document.documentElement.scrollWidth") <= 390


@needs_browser
@pytest.mark.full
def test_a_long_run_is_cancelled_and_mistakes_are_shown(page: Browser) -> None:
    write(page, LONG)
    page.click(".run")
    page.find(".band.running")
    time.sleep(0.5)
    page.click(".run", "Cancel")
    page.find(".band.unknown", "This is not a proof")
    write(page, SB.replace("MOV [y]", "MOX [y]"))
    page.find(".problem-line", "MOX")  # without a run
    page.click(".run")
    page.find(".band.not-checked", "error at line 4")
    page.find(".problem", "Line 4, column 16")
    page.click(".problem-line button", "Replace")


@needs_browser
@pytest.mark.full
def test_a_model_of_ones_own_is_written_beside_the_program(page: Browser) -> None:
    page.click(".gallery-row", "store-buffering.litmus")
    page.find(".band.violated")
    page.click(".menu-model .menu-button")
    page.click(".menu-item", "own.cat")
    page.click(".own-model .cm-content")
    page.press("Control", "a")
    page.script("document.execCommand('insertText', false, 'acyclic po | rff | co | fr as sc')")
    page.find(".own-model .problem-line", "Unknown name rff")  # without a run
    page.click(".run")
    page.find(".band.not-checked", "Your model has an error at line 1")
    page.click(".own-model .problem-line button", "Replace")
    page.click(".run")
    page.find(".band.holds")
    page.click(".own-model button", "Close")
    page.find(".menu-model .menu-button", "x86-tso")
    page.click(".nav-button", "Examples")
    page.click(".gallery-row", "spinlock.cub")  # far below
    page.find(".band.holds")
    page.click(".nav-button", "Examples")
    page.click(".gallery-row", "seqlock.obj")
    page.find(".proof", "Discharged by z3")
    page.open(f"{page.script('return location.origin')}/#p=damaged")
    page.find(".notice", "This link is damaged")


@needs_browser
@pytest.mark.full
def test_a_lost_server_is_reported_and_the_program_kept() -> None:
    with Browser() as browser:
        with server() as first:
            browser.open(f"http://127.0.0.1:{first.port}/?token={TOKEN}")
            browser.find(".cm-content")
            write(browser, SB)
        browser.click(".run")
        browser.find(".notice", "membar serve has stopped")
        assert "MOV EAX" in browser.text(".cm-content")
        with server(port=first.port):
            browser.find(".notice", "membar serve runs again.")
            browser.click(".run")
            browser.find(".band.holds")


@pytest.mark.full
@pytest.mark.skipif(
    shutil.which("npm") is None or not (ROOT / "page/node_modules").is_dir(),
    reason="npm, or page/node_modules (npm ci), is missing",
)
def test_the_built_page_is_that_of_its_sources(tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=ROOT / "page", check=True)
    built = sorted(path.name for path in tmp_path.iterdir())
    assert built == sorted(path.name for path in STATIC.iterdir() if path.suffix != ".json")
    for name in built:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), f"{name}: run `make page`"


def test_the_page_is_small() -> None:
    parts = [gzip.compress((STATIC / name).read_bytes(), 6) for name in ("index.html", "app.js")]
    assert sum(map(len, parts)) <= 40_000  # the style is in the first


def test_the_lock_file_names_no_address() -> None:
    text = (ROOT / "page/package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert "://" not in text.replace("https://opencollective.com", "").replace("https://github.com", "")


@needs_browser
@pytest.mark.full
def test_links_that_ask_what_this_server_does_not_know_are_refused_and_nothing_is_shown(
    page: Browser,
) -> None:
    page.click(".gallery-row", "store-buffering.litmus")
    page.find(".band.violated")
    make = """
      const text = JSON.stringify(arguments[0]);
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      return new Response(stream).arrayBuffer().then((packed) =>
        btoa(String.fromCharCode(...new Uint8Array(packed)))
          .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, ""))
    """
    shared: dict[str, object] = {"name": "other.litmus", "text": SB}
    for change, said in (
        ({"model": "tso\u202e68x"}, "there is no shipped model"),
        ({"options": {"--older": "1"}}, "the page has no option"),
        ({"options": {"--unroll": "many"}}, "--unroll many"),
        ({"name": "../../a.litmus"}, "a file name with one of the endings"),
    ):
        packed = page.script(make, shared | change)
        page.script("location.hash = '#p=' + arguments[0]", packed)
        page.find(".notice", said)
        assert page.script("return document.querySelector('.file-name').value") == "store-buffering.litmus"
        assert page.text(".menu-model strong") == "x86-tso"
        assert "\u202e" not in page.text(".notice")
    page.script("location.hash = '#p=' + arguments[0]", page.script(make, shared))
    page.find(".band.holds")
    assert page.script("return document.querySelector('.file-name').value") == "other.litmus"
    kept = page.script("return JSON.parse(localStorage.getItem('membar')).program.name")
    assert kept == "store-buffering.litmus"  # the link is not what new tabs begin with
    assert {message.rpartition(" - ")[0].rpartition("/")[2] for message in page.complaints()} == {"question"}
