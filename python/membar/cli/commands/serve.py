"""`membar serve`: the web page, for browsers on this machine."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

from membar.cli.arguments import Chosen
from membar.cli.command import HOLDS
from membar.diagnostics import reason_of, refusal
from membar.reports import streams

if TYPE_CHECKING:
    from uvicorn import Server

PORT: Final = 8642
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def run(chosen: Chosen) -> int:
    """Serves the page until Ctrl-C."""
    results = None if chosen.store is None else Path(chosen.store)
    listening = _listen(chosen.host, chosen.port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    server = make_server(chosen.host, port, token, results=results)
    shown = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
    address = f"http://{shown}:{port}/?token={token}{'' if results is None else '#campaign'}"
    if chosen.host not in _LOOPBACK:
        streams.write_message(
            "warning: others on the network can reach this address; whoever has it can run checks here,"
            " and the connection is not encrypted\n"
        )
    streams.write(f"membar serve: {address}\n(Ctrl-C stops it)\n")
    streams.flush()
    if chosen.open:
        import webbrowser  # noqa: PLC0415 - only where asked for

        webbrowser.open(address)
    server.run(sockets=[listening])
    return HOLDS


def make_server(host: str, port: int, token: str, *, results: Path | None = None) -> Server:
    """The server for an address; `results` is the store of a campaign.

    Raises:
        InputError: what it needs is not installed, or there is no such store.
    """
    try:
        from uvicorn import Config, Server  # noqa: PLC0415 - an extra

        from membar.server.application import make_application  # noqa: PLC0415
        from membar.server.campaigns import Campaigns  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if missing.name is not None and missing.name.partition(".")[0] == "membar":
            raise
        raise refusal(
            "W0448", f"`membar serve` needs the package {missing.name}", help="pip install 'membar[serve]'"
        ) from None
    names = {host, *_LOOPBACK} if host in _LOOPBACK else {host}
    if host in ("0.0.0.0", "::"):
        names = {socket.gethostname(), *_LOOPBACK, *_own_addresses()}
    hosts = [f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in sorted(names)]
    campaigns = None if results is None else Campaigns(results)
    if campaigns is not None:
        campaigns.check()
    application = make_application(
        hosts=[name.lower() for name in hosts], token=token, port=port, campaigns=campaigns
    )
    return Server(
        Config(
            application,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            lifespan="on",
        )
    )


def _own_addresses() -> list[str]:
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)})
    except OSError:
        return []


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket at an address; without a port, at the usual one or a free one.

    Raises:
        InputError: the address cannot be used.
    """
    tried = (PORT, 0) if port is None else (port,)
    problem: Exception = OSError()
    for one in tried:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, one))
        except (OSError, OverflowError) as error:
            problem = error
            found.close()
        else:
            return found
    message = f"cannot listen on {host} port {tried[0]}: {reason_of(problem)}"
    raise refusal("W0449", message, help="choose another: --port N")
