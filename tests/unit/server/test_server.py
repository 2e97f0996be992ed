"""The server behind the page: answers, limits, and who may ask."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import tiers
from generated.gallery import gallery_text
from membar.limits import confinement
from membar.limits.workers import process_tree
from membar.questions.options import TABLE
from membar.server.contents import EXAMPLES, page_contents
from membar.server.requests import LARGEST, OPTIONS
from unit.server.serving import SB, TOKEN, Client, server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are ended by signals")
# A search that takes much longer than a test: seven threads that write and read one location.
_ROWS = ("P{0}", "MOV [x],$1{0}", "MOV EAX,[x]", "MOV [x],$2{0}", "MOV EBX,[x]")
_LINES = (" | ".join(row.format(thread) for thread in range(7)) + " ;\n" for row in _ROWS)
LONG = f"X86 long\n{{ x=0; }}\n{''.join(_LINES)}~exists (0:EAX=99)\n"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with server() as found:
        yield found


def test_a_check_is_answered_with_its_drawing(client: Client) -> None:
    found = client.answer()
    assert found["answer"]["verdict"] == "holds"
    assert [step["action"] for step in found["answer"]["drawing"]["steps"]].count("flush") == 2
    assert found["text"].startswith("sb.litmus: HOLDS under x86-tso")
    assert found["svg"].startswith("<svg")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc")
@pytest.mark.skipif(not confinement.version(), reason="this system has no Landlock")
def test_rust_is_read_and_drawn(client: Client) -> None:
    text = next(item["text"] for item in page_contents()["examples"] if item["name"] == "spin-relaxed.rs")
    found = client.answer(name="spin-relaxed.rs", text=text)["answer"]
    assert (found["verdict"], found["model"]) == ("violated", "rc20")
    assert found["drawing"]["failing"]
    wrong = client.answer(name="a.rs", text="fn main() { let x: u8 = 256u16; }\n")["errors"]["errors"]
    assert [(item["line"], item["message"]) for item in wrong] == [
        (1, "mismatched types: expected `u8`, found `u16`")
    ]


def test_a_cancelled_run_keeps_what_was_found(client: Client) -> None:
    events = client.run(name="long.litmus", text=LONG)
    job = next(events)[1]["job"]
    assert next(events)[0] == "progress"
    status, text, _ = client.ask("POST", "/api/cancel", {"job": job})
    assert (status, json.loads(text)) == (200, {"cancelled": True})
    *_, (kind, data) = events
    assert kind == "answer"
    assert data["answer"]["verdict"] == "unknown"
    assert "interrupted" in data["answer"]["reason"]


def test_a_run_that_is_cancelled_at_any_time_gets_an_answer(client: Client) -> None:
    for wait in (0.0, 0.02, 0.1, 0.3):
        events = client.run(name="long.litmus", text=LONG)
        job = next(events)[1]["job"]
        time.sleep(wait)
        for _ in range(2):  # Esc, pressed twice
            client.ask("POST", "/api/cancel", {"job": job})
        *_, (kind, data) = events
        assert kind == "answer"
        assert "error" not in data.get("ended", "")


def test_a_process_that_dies_is_reported_and_the_next_one_answers(client: Client) -> None:
    events = client.run(name="long.litmus", text=LONG)
    next(events)
    next(events)
    mine = [process for process in process_tree(os.getpid())[1:] if _is_worker(process)]
    for process in mine:  # the one that works, and the one that waits for the next request
        os.kill(process, signal.SIGKILL)
    *_, (kind, data) = events
    assert (kind, data["ended"][:28]) == ("answer", "the system killed the process"[:28])
    assert client.answer()["answer"]["verdict"] == "holds"


def _is_worker(process: int) -> bool:
    return b"membar.server.worker" in Path(f"/proc/{process}/cmdline").read_bytes()


def test_why_not_and_mistakes_come_with_their_places(client: Client) -> None:
    found = client.answer(kind="explain", model="sc", outcome={"0:EAX": 0, "1:EAX": 0})["explanation"]
    assert found["allowed"] is False
    assert [edge["relation"] for edge in found["broken"][0]["edges"]] == ["po", "fr", "po", "fr"]
    (error,) = client.answer(kind="syntax", text=SB.replace("MOV [y]", "MOX [y]"))["errors"]["errors"]
    assert (error["line"], error["column"], error["replacement"]) == (4, 16, "MOVZX")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Cookie": ""}, 401),
        ({"Cookie": "membar-1=x"}, 401),
        ({"Cookie": "user@site=1"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_strangers_are_refused(client: Client, headers: dict[str, str], status: int) -> None:
    found, text, _ = client.ask(
        "POST", "/api/run", {"kind": "check", "name": "a.litmus", "text": SB}, headers
    )
    assert found == status, text


@pytest.mark.parametrize("foreign", ["user@site=1", "a(b=1", "{a}=1", "a,b=c", "=", ";;"])
def test_cookies_of_other_servers_do_not_matter(client: Client, foreign: str) -> None:
    cookie = f"{foreign}; membar-{client.port}={TOKEN}"
    found, text, _ = client.ask("GET", "/api/start", headers={"Cookie": cookie})
    assert found == 200, text


def test_the_token_leaves_the_address_and_the_page_has_none(client: Client) -> None:
    status, _, headers = client.ask("GET", f"/?token={TOKEN}", headers={"Cookie": ""})
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=strict" in headers["set-cookie"]
    assert client.ask("GET", "/?token=wrong")[0] == 403
    status, text, headers = client.ask("GET", "/", headers={"Cookie": ""})
    assert status == 200
    assert TOKEN not in text
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert client.ask("GET", "/static/../application.py")[0] == 404


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../a.litmus"},
        {"name": "a.py"},
        {"name": ".litmus"},
        {"model": "/etc/passwd"},
        {"model": "own.cat"},
        {"options": {"-I": "/etc"}},
        {"options": {"--spec": "a.py:A"}},
        {"options": {"--clang": "/bin/sh"}},
        {"options": {"-D": "A=\"/etc/passwd\""}},
        {"options": {"--limit": "time=never"}},
        {"options": {"--limit": "memory=1M,disk=1G"}},
        {"include_dirs": ["/etc"]},
        {"text": "x" * (LARGEST - 200)},
        {"kind": "replay"},
    ],
)  # fmt: skip
def test_files_and_options_of_the_compiler_cannot_be_named(client: Client, change: dict[str, object]) -> None:
    status, text, _ = client.ask(
        "POST", "/api/run", {"kind": "check", "name": "a.litmus", "text": SB} | change
    )
    assert status == 400
    assert json.loads(text)["message"]


def test_damaged_requests_are_refused(client: Client) -> None:
    random = Random(22)
    whole = json.dumps({"kind": "syntax", "name": "a.litmus", "text": SB, "options": {}}).encode()
    for _ in range(tiers.size(500)):
        body = bytearray(whole)
        for _ in range(random.randrange(1, 6)):
            body[random.randrange(len(body))] = random.randrange(256)
        del body[random.randrange(len(body)) :]
        assert 400 <= client.ask("POST", "/api/run", bytes(body))[0] < 500
        assert 400 <= client.ask("POST", "/api/cancel", bytes(body))[0] < 500


@pytest.mark.full
def test_a_busy_server_says_so_and_mixes_nothing_up() -> None:
    with server(at_once=1, waiting=2) as busy:
        found: dict[int, int] = {}

        def ask(number: int) -> None:
            text = SB.replace("$1", f"${number}").replace("EAX=0", f"EAX={number}")
            status, answer, _ = busy.ask(
                "POST", "/api/run", {"kind": "check", "name": f"n{number}.litmus", "text": text}
            )
            if status == 200 and "event: refused" in answer:
                status = 503
            elif status == 200:
                assert f'"file": "n{number}.litmus"' in answer
                assert f'"value": "{number}"' in answer
            found[number] = status

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(found.values()) == {200, 503}
    assert list(found.values()).count(200) >= 3


def test_the_menus_show_what_is_declared() -> None:
    shown = {option["name"] for option in page_contents()["options"]}
    assert shown == OPTIONS.keys() == {option.name for option in TABLE if option.menu}
    assert not any(option.read == "path" or option.is_compiler for option in OPTIONS.values())


def test_the_gallery_is_made_of_the_examples(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        EXAMPLES.write_text(gallery_text(), encoding="utf-8")
    assert EXAMPLES.read_text(encoding="utf-8") == gallery_text()


def test_the_command_serves_until_it_is_interrupted() -> None:
    words = [sys.executable, "-m", "membar", "serve"]
    refused = subprocess.run([*words, "--host", "999.1.1.1"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "W0449" in refused.stderr
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            address = running.stdout.readline()
            assert address.startswith("membar serve: http://127.0.0.1:")
            port = int(address.partition("127.0.0.1:")[2].partition("/")[0])
            _until_alive(Client(port))
        finally:
            running.send_signal(signal.SIGINT)
            running.wait()
    assert running.returncode in (0, 130)


def _until_alive(client: Client) -> None:
    for _ in range(500):
        with suppress(OSError):
            assert client.ask("GET", "/api/alive")[0] == 204
            return
        time.sleep(0.02)
    raise AssertionError("the server does not answer")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"model": "no-such-model"}, "there is no shipped model `no-such-model`"),
        ({"name": "..\u202ecod"}, "a file name"),
        ({"options": {"--older": "1"}}, "the page has no option `--older`"),
        ({"options": {"--unroll": "many"}}, "--unroll many"),
        ({"options": {"--property": "beauty"}}, "beauty"),
    ],
)
def test_what_a_link_asks_is_looked_at_before_it_is_shown(
    client: Client, change: dict[str, object], said: str
) -> None:
    asked = {"kind": "check", "name": "sb.litmus", "text": SB, "options": {}} | change
    status, text, _ = client.ask("POST", "/api/question", asked)
    assert status == (400 if said else 204), text
    assert said in text
    assert client.ask("POST", "/api/question", asked, {"Cookie": ""})[0] == 401
