"""Drives the system's Chromium by the WebDriver protocol, with nothing but the standard library."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_KEYS = {"Control": "\ue009", "Shift": "\ue008"}
PATIENCE = 20.0


def missing() -> str:
    """Why there is no browser to test with; "" if there is one."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(programs)} not found" if programs else ""


class Browser:
    """One window of a browser without a screen."""

    def __init__(self, *, width: int = 1280, height: int = 720) -> None:
        # Paths of sockets are short: not in the folders of pytest.
        self._folder = folder = Path(tempfile.mkdtemp(prefix="membar-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)}
        driver = shutil.which("chromedriver") or ""
        self._driver = subprocess.Popen(
            [driver, f"--port={self._port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        options = {
            "binary": shutil.which("chromium"),
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                f"--window-size={width},{height}", f"--user-data-dir={folder}/profile", "--hide-scrollbars",
            ],
        }  # fmt: skip
        logs = {"browser": "ALL"}
        wanted = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": logs}}
        self._session = ""
        try:
            found = self._until(lambda: self._call("POST", "/session", {"capabilities": wanted}))
        except BaseException:
            self._end()
            raise
        self._session = f"/session/{found['sessionId']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _problem: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._call("DELETE", self._session)
        self._end()

    def _end(self) -> None:
        self._driver.terminate()
        self._driver.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _call(self, method: str, path: str, body: object | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            found = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(found, dict) and "error" in found:
            raise AssertionError(f"{found['error']}: {found['message'][:300]}")
        return found

    def _until(self, what: Callable[[], Any]) -> Any:
        """The first result that is neither empty nor an error."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                found = what()
                if found:
                    return found
                problem: Exception = AssertionError("it did not come true")
            except (OSError, AssertionError) as error:
                problem = error
            if time.monotonic() > end:
                raise problem
            time.sleep(0.03)

    def open(self, address: str) -> None:
        """Opens an address."""
        self._call("POST", f"{self._session}/url", {"url": address})

    def resize(self, width: int, height: int) -> None:
        """Sets the size of the page."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._command("Emulation.setDeviceMetricsOverride", metrics)

    def _command(self, name: str, parameters: object) -> Any:
        """Tells the browser something that the WebDriver protocol has no word for."""
        return self._call("POST", f"{self._session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def cpu_seconds(self, text: str) -> float:
        """The time that the page's own thread takes for a function's body, its layout included."""
        self._command("Performance.enable", {"timeDomain": "threadTicks"})

        def used() -> float:
            metrics = self._command("Performance.getMetrics", {})["metrics"]
            return float(next(item["value"] for item in metrics if item["name"] == "TaskDuration"))

        start = used()
        self.script(text)
        return used() - start

    def script(self, text: str, *arguments: object) -> Any:
        """The result of a function's body."""
        return self._call("POST", f"{self._session}/execute/sync", {"script": text, "args": list(arguments)})

    def find(self, selector: str, text: str = "") -> str:
        """The element that a selector finds, waited for; with some text in it."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].find("
            "e => e.checkVisibility() && (e.textContent + (e.value ?? '')).includes(arguments[1])) ?? null"
        )
        try:
            element = self._until(lambda: self.script(script, selector, text))
        except AssertionError as problem:
            seen = self.script("return document.body.innerText")
            raise AssertionError(f"no {selector} with {text!r}: {problem}; the page says {seen}") from None
        found: str = element[_ELEMENT]
        return found

    def text(self, selector: str) -> str:
        """What an element shows."""
        element = self.find(selector)
        return str(self._call("GET", f"{self._session}/element/{element}/text"))

    def click(self, selector: str, text: str = "") -> None:
        """Clicks an element; once more if the page has just put another one in its place."""
        try:
            self._call("POST", f"{self._session}/element/{self.find(selector, text)}/click", {})
        except AssertionError as problem:
            if not str(problem).startswith("stale element"):
                raise
            self._call("POST", f"{self._session}/element/{self.find(selector, text)}/click", {})

    def type(self, selector: str, text: str) -> None:
        """Types a text into an element."""
        element = self.find(selector)
        self._call("POST", f"{self._session}/element/{element}/value", {"text": text})

    def press(self, *keys: str) -> None:
        """Presses keys together, wherever the focus is."""
        codes = [_KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": code} for code in codes]
        actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        body = {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        self._call("POST", f"{self._session}/actions", body)

    def picture(self, path: Path) -> None:
        """Saves what the window shows."""
        path.write_bytes(base64.b64decode(self._call("GET", f"{self._session}/screenshot")))

    def complaints(self) -> list[str]:
        """Errors on the console."""
        found = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [item["message"] for item in found if item["level"] == "SEVERE"]
