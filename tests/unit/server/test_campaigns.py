"""What the server says of a store: to whom, about what, and while it is being written."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from membar.cli.command import main
from membar.cli.commands import serve
from membar.diagnostics import InputError
from membar.server.campaigns import Campaigns
from membar.server.requests import Request
from membar.server.worker import answer_request
from unit.server.serving import SB, Client, server
from unit.store.generated import write_store
from unit.store.test_store import EXAMPLES


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campaign") / "results.db"
    for more in ([], ["--unroll", "1"]):
        words = ["--models", "sc,x86-tso,armv8", "--lines", "none", "--store", str(path), *more]
        main(["litmus", str(EXAMPLES), *words])
    return path


@pytest.fixture(scope="module")
def client(results: Path) -> Iterator[Client]:
    with server(store=results) as found:
        yield found


def get(client: Client, path: str) -> dict[str, Any]:
    status, text, _ = client.ask("GET", f"/api/campaign{path}")
    assert status == 200, text
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_run_is_one_character_per_cell(client: Client) -> None:
    found = get(client, "?run=1")
    assert [name for name, _ in found["models"]] == ["sc", "x86-tso", "armv8"]
    assert [run["id"] for run in found["runs"]] == [1, 2]
    assert found["runs"][1]["command"] == "--unroll 1"
    assert get(client, "")["run"] == 2
    place = found["names"].index("store-buffering")
    assert found["cells"][3 * place : 3 * place + 3] == "FAA"
    assert len(found["cells"]) == 3 * len(found["names"])
    unknown = found["names"].index("lkmm-grace-period")
    reasons = [found["reasons"][ord(sign) - 0x100] for sign in found["cells"][3 * unknown :][:3]]
    assert reasons[0] == "the model sc does not define what `synchronize_rcu` waits for"
    assert len(get(client, "/times?run=1")["times"]) == len(found["cells"])
    assert get(client, "/other?run=1&other=2")["cells"] == get(client, "?run=2")["cells"]
    test = get(client, f"/test?run=1&test={place}")
    assert test["path"].endswith("store-buffering.litmus")
    assert "MOV" in test["text"]
    assert [one["outcome"] for one in test["answers"]] == ["forbidden", "allowed", "allowed"]


def test_who_may_ask_and_for_what(client: Client) -> None:
    status, text, _ = client.ask("GET", "/api/campaign", headers={"Cookie": ""})
    assert (status, "runs" in text) == (401, False)
    assert client.ask("GET", "/api/campaign", headers={"Host": "evil.example"})[0] == 403
    for path, expected in (
        ("?run=99", 404),
        ("?run=-1", 400),
        ("?run=1%20or%201", 400),
        (f"?run={'9' * 30}", 400),
        ("/test?run=1&test=4000", 404),
        ("/test?run=7&test=1", 404),
        ("/nothing", 404),
        ("/..%2f..%2fetc", 404),
    ):
        assert client.ask("GET", f"/api/campaign{path}")[0] == expected, path
    assert client.ask("POST", "/api/campaign", {})[0] == 405


def test_a_server_without_a_store_says_how_to_get_one() -> None:
    with server() as client:
        status, text, _ = client.ask("GET", "/api/campaign")
    assert (status, json.loads(text)["store"]) == (200, None)
    assert "membar litmus DIR --store" in text


def test_a_file_that_is_no_store_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("notes " * 300, encoding="utf-8")
    for name in ("notes", "missing"):
        with pytest.raises(InputError, match="store"):
            serve.make_server("127.0.0.1", 1, "t", results=tmp_path / name)


def test_a_store_is_shown_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    words = ["-m", "membar", "litmus", str(EXAMPLES), "--models", "sc,x86-tso", "--store", str(path)]
    writer = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    campaigns, seen, cells = Campaigns(path), 0, dict[tuple[int, int], str]()
    end = time.monotonic() + 60
    overview: dict[str, Any] = {}
    while "run" not in overview:
        try:
            overview = campaigns.overview(None)
        except InputError:
            assert time.monotonic() < end
            time.sleep(0.01)
    width = len(overview["models"])
    shown = {divmod(n, width): sign for n, sign in enumerate(overview["cells"])}
    last, ended = overview["last"], overview["runs"][0]["ended"]
    while ended is None:
        found = campaigns.changes(1, last, width)
        assert found["last"] >= last
        shown |= {(test, model): sign for test, model, sign in found["cells"]}
        last, ended, seen = found["last"], found["ended"], seen + bool(found["cells"])
        assert time.monotonic() < end
        time.sleep(0.05)
    assert writer.wait() == 3
    cells = {divmod(n, width): sign for n, sign in enumerate(campaigns.overview(1)["cells"])}
    assert shown == cells
    assert "." not in cells.values()
    assert campaigns.changes(1, last + 1, width) == {"again": True}  # another store was there


def test_a_large_campaign_is_small_on_the_way(tmp_path: Path) -> None:
    write_store(tmp_path / "r.db", 500, 12)
    with server(store=tmp_path / "r.db") as client:
        connection = client._send("GET", "/api/campaign", None, {"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
    assert answer.headers["content-encoding"] == "gzip"
    assert len(body) < 500 * 20  # 200 kB for 10,000 tests


def test_without_values_the_condition_of_the_test_is_explained() -> None:
    for model, is_allowed in (("sc", False), ("x86-tso", True)):
        asked = Request(kind="explain", name="sb.litmus", text=SB, model=model)
        found = answer_request(asked, is_confined=True)["explanation"]
        assert found["allowed"] is is_allowed
        assert found["drawing"]["events"]
    required = SB.replace("exists (", "forall ~(")
    asked = Request(kind="explain", name="sb.litmus", text=required, model="x86-tso")
    assert answer_request(asked, is_confined=True)["explanation"]["allowed"] is True


def test_a_store_that_goes_away_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    write_store(path, 3, 2)
    with server(store=path) as client:
        assert get(client, "")["run"] == 1
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 9")
        status, text, _ = client.ask("GET", "/api/campaign")
        assert (status, "schema version 9" in text) == (503, True)
        path.unlink()
        status, text, _ = client.ask("GET", "/api/campaign/changes?run=1&last=0&columns=2")
        assert (status, "cannot open the store" in text) == (503, True)


def test_numbers_that_do_not_fit_are_refused() -> None:
    for value in (1 << 32, str(1 << 64), -(1 << 31) - 1):
        asked = Request(kind="explain", name="sb.litmus", text=SB, model="sc", outcome={"0:EAX": value})
        (error,) = answer_request(asked, is_confined=True)["errors"]["errors"]
        assert error["message"] == f"the number {value} does not fit into 32 bits"
    for one in (1, "1", "0x1", str((1 << 32) - 1), "-1"):
        asked = Request(kind="explain", name="sb.litmus", text=SB, model="sc", outcome={"0:EAX": one})
        found = answer_request(asked, is_confined=True)["explanation"]
        assert found["allowed"] is (one in (1, "1", "0x1"))


def test_a_refused_include_says_only_why() -> None:
    text = '#include "/etc/passwd"\nactive proctype p() { skip }\n'
    found = answer_request(Request(kind="syntax", name="a.pml", text=text), is_confined=True)["errors"]
    (error,) = found["errors"]
    assert error["expected"] == "only files that membar ships may be included here"
    assert "Errno" not in found["text"]
