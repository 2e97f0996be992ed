"""A server in a thread of the tests, and requests to it as a browser would make them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from membar.server.application import make_application
from membar.server.campaigns import Campaigns

TOKEN = "the-token-of-the-tests"
SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


class Client:
    """What a browser sends that has opened the address with the token."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, Mapping[str, str]]:
        """Status, text and headers of an answer; a header that is empty is not sent."""
        connection = self._send(method, path, body, headers)
        try:
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())
        finally:
            connection.close()

    def _send(
        self, method: str, path: str, body: object, headers: Mapping[str, str] | None
    ) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": f"membar-{self.port}={TOKEN}",
            "Content-Type": "application/json",
            **(headers or {}),
        }
        text = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        connection.request(method, path, text, {name: value for name, value in given.items() if value})
        return connection

    def run(self, **asked: object) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of a request."""
        request = {"kind": "check", "name": "sb.litmus", "text": SB, **asked}
        connection = self._send("POST", "/api/run", request, None)
        try:
            answer = connection.getresponse()
            assert answer.status == 200, (answer.status, answer.read())
            kind = ""
            for line in answer:
                word, _, rest = line.decode().rstrip("\n").partition(": ")
                if word == "event":
                    kind = rest
                elif word == "data":
                    yield kind, json.loads(rest)
        finally:
            connection.close()

    def answer(self, **asked: object) -> dict[str, Any]:
        """The last event of a request."""
        *_, (kind, data) = self.run(**asked)
        assert kind == "answer", data
        return data


@contextmanager
def server(
    *, at_once: int = 2, waiting: int = 16, store: Path | None = None, port: int = 0
) -> Iterator[Client]:
    """A server on a port, a free one if none is given; `store` are the results of a campaign."""
    listening = uvicorn.Config("", host="127.0.0.1", port=port).bind_socket()
    port = listening.getsockname()[1]
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    application = make_application(
        hosts=hosts,
        token=TOKEN,
        port=port,
        at_once=at_once,
        waiting=waiting,
        campaigns=None if store is None else Campaigns(store),
    )
    running = uvicorn.Server(uvicorn.Config(application, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        yield Client(port)
    finally:
        running.should_exit = True
        thread.join()
