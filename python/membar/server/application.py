"""The server: the page's files, what menus and gallery show, and one stream of events per request.

It answers only to its own address and to pages that it has served itself (`Host`, `Origin`), and takes
requests only from browsers that have opened the address with its token.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from membar.diagnostics import InputError
from membar.server.campaigns import Campaigns, NoSuchRunError
from membar.server.contents import page_contents
from membar.server.jobs import BusyError, Jobs
from membar.server.requests import LARGEST, Request, given_options, read_request

STATIC: Final = Path(__file__).parent / "static"
NO_STORE: Final = (
    "This server shows no campaign. `membar litmus DIR --store results.db` writes one,"
    " `membar serve results.db` shows it."
)
BUSY: Final = "membar serve is busy with other checks. Try again in a moment."
_SMALL: Final = 1000  # bytes that need not be compressed
_TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none';"
        b" base-uri 'none'; form-action 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def make_application(
    *,
    hosts: Sequence[str],
    token: str,
    port: int,
    at_once: int = 2,
    waiting: int = 16,
    campaigns: Campaigns | None = None,
) -> Starlette:
    """The server for one address; `hosts` are the values of `Host` that it answers to."""
    jobs: list[Jobs] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        jobs.append(Jobs(at_once=at_once, waiting=waiting))
        jobs[0].prepare()
        loading = asyncio.create_task(asyncio.to_thread(_contents))  # while nobody waits for it
        try:
            yield
        finally:
            await loading
            await jobs.pop().close()

    server = _Server(lambda: jobs[0], token, f"membar-{port}", campaigns)
    routes = [
        Route("/", server.page),
        Route("/static/{name}", server.file),
        Route("/api/alive", server.alive),
        Route("/api/start", server.start),
        Route("/api/campaign", server.campaign),
        Route("/api/campaign/{part}", server.campaign),
        Route("/api/question", server.question, methods=["POST"]),
        Route("/api/run", server.run, methods=["POST"]),
        Route("/api/cancel", server.cancel, methods=["POST"]),
    ]
    guard = Middleware(_Guard, hosts=frozenset(hosts))
    return Starlette(routes=routes, lifespan=lifespan, middleware=[guard])


class _Guard:
    """Refuses what does not come from the server's own page, and adds headers that keep the page apart."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Any) -> None:  # noqa: ANN401 - any message of ASGI
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        problem = self._problem(scope)
        if problem:
            await Response(problem, status_code=403)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _problem(self, scope: Scope) -> str:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        named = [value.lower() for name, value in headers if name == "host"]
        if len(named) != 1 or named[0] not in self._hosts:
            return "This server does not answer to that name."
        origins = [value.lower() for name, value in headers if name == "origin"]
        if any(origin != f"http://{named[0]}" for origin in origins):
            return "This server answers only to its own page."
        sites = [value for name, value in headers if name == "sec-fetch-site"]
        if scope["method"] not in ("GET", "HEAD") and any(s not in ("same-origin", "none") for s in sites):
            return "This server answers only to its own page."
        return ""


class _Server:
    def __init__(
        self, jobs: Callable[[], Jobs], token: str, cookie: str, campaigns: Campaigns | None
    ) -> None:
        self._jobs, self._token, self._cookie = jobs, token, cookie
        self._campaigns = campaigns

    async def page(self, request: HttpRequest) -> Response:
        """The page; with the token, which is then kept as a cookie and leaves the address."""
        given = request.query_params.get("token")
        if given is None:
            return _file(STATIC / "index.html")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return Response("This is not the address that membar serve has printed.", status_code=403)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        return answer

    async def file(self, request: HttpRequest) -> Response:
        """A file of the page."""
        name = request.path_params["name"]
        known = {path.name: path for path in STATIC.iterdir() if path.suffix in _TYPES}
        return _file(known[name]) if name in known else Response("There is no such file.", status_code=404)

    async def alive(self, _request: HttpRequest) -> Response:
        """That the server runs."""
        return Response(status_code=204)

    async def start(self, request: HttpRequest) -> Response:
        """What menus and gallery show."""
        refused = self._require_token(request)
        return refused or Response(_contents(), media_type="application/json")

    async def campaign(self, request: HttpRequest) -> Response:
        """What the store of this server says; the page names a run and a test by numbers, and no file."""
        refused = self._require_token(request)
        if refused is not None:
            return refused
        campaigns = self._campaigns
        if campaigns is None:
            return JSONResponse({"store": None, "message": NO_STORE})
        part = request.path_params.get("part", "")
        try:
            run, last, columns, test, other = (
                _number(request, name) for name in ("run", "last", "columns", "test", "other")
            )
        except ValueError as problem:
            return _problem(400, str(problem))
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "": lambda: campaigns.overview(run),
            "changes": lambda: campaigns.changes(run or 0, last or 0, columns or 0),
            "times": lambda: campaigns.times(run or 0),
            "test": lambda: campaigns.test(run or 0, test or 0),
            "other": lambda: campaigns.other_run(run or 0, other or 0),
        }
        if part not in parts:
            return _problem(404, "There is no such part of a campaign.")
        try:
            return _packed(await asyncio.to_thread(parts[part]), request)
        except NoSuchRunError:
            return _problem(404, "The store has no such run or test.")
        except InputError as problem:
            return _problem(503, "; ".join(item.message for item in problem.diagnostics))

    async def cancel(self, request: HttpRequest) -> Response:
        """Cancels a run of the page that asks for it."""
        refused = self._require_token(request)
        if refused is not None:
            return refused
        try:
            name = json.loads(await _body(request))["job"]
        except (ValueError, TypeError, KeyError, RecursionError, ClientDisconnect):
            return _problem(400, "a JSON object with the name of a job was expected")
        return JSONResponse({"cancelled": isinstance(name, str) and self._jobs().cancel(name)})

    async def question(self, request: HttpRequest) -> Response:
        """Whether a question would be taken: the page asks before it shows what a link holds."""
        asked = await self._asked(request)
        return asked if isinstance(asked, Response) else Response(status_code=204)

    async def run(self, request: HttpRequest) -> Response:
        """Answers a request by a stream of events."""
        asked = await self._asked(request)
        if isinstance(asked, Response):
            return asked
        if self._jobs().is_full:
            return _problem(503, BUSY)
        return StreamingResponse(
            self._events(*asked),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _asked(self, request: HttpRequest) -> tuple[bytes, float, int] | Response:
        """The body of a request with its limits of time and memory, or why it is refused."""
        refused = self._require_token(request)
        if refused is not None:
            return refused
        try:
            body = await _body(request)
            return body, *_limits(read_request(body))
        except (ValueError, RecursionError, ClientDisconnect) as problem:
            return _problem(400, str(problem) or "the request was not complete")
        except InputError as problem:
            return _problem(400, "; ".join(item.message for item in problem.diagnostics))

    async def _events(self, body: bytes, seconds: float, memory: int) -> AsyncIterator[str]:
        try:
            async for kind, data in self._jobs().run(body, seconds=seconds, memory=memory):
                yield _event(kind, data)
        except BusyError:  # others were faster
            yield _event("refused", {"message": BUSY})

    def _require_token(self, request: HttpRequest) -> Response | None:
        """Refuses whoever has no token."""
        given = request.cookies.get(self._cookie, "")  # other servers on this host have cookies of their own
        if secrets.compare_digest(given.encode(), self._token.encode()):
            return None
        return _problem(401, "Open the address that membar serve has printed: it has the key to this server.")


def _number(request: HttpRequest, name: str) -> int | None:
    """A number in the address.

    Raises:
        ValueError: it is none.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise ValueError(f"{name}: a number was expected")
    return int(text)


def _packed(data: object, request: HttpRequest) -> Response:
    """JSON, compressed where the browser takes that."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    headers = {"cache-control": "no-store"}
    if len(body) > _SMALL and "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, 6)
        headers["content-encoding"] = "gzip"
    return Response(body, media_type="application/json", headers=headers)


def _event(kind: str, data: object) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def _limits(request: Request) -> tuple[float, int]:
    limits = given_options(request)["limits"]
    return limits.seconds, limits.memory


async def _body(request: HttpRequest) -> bytes:
    """The body of a request.

    Raises:
        ValueError: it is too large, or no JSON.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise ValueError("JSON was expected")
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            raise ValueError(f"the request is larger than {LARGEST // 1024} KiB")
    return bytes(found)


def _problem(status: int, message: str) -> Response:
    return JSONResponse({"message": message}, status_code=status)


def _file(path: Path) -> Response:
    try:
        return Response(
            path.read_bytes(), media_type=_TYPES[path.suffix], headers={"cache-control": "no-cache"}
        )
    except OSError:
        return Response("The page was not built: run `make page`.", status_code=500)


def _contents() -> str:
    return json.dumps(page_contents())
