"""A headless browser that tells what became of a page; spoken to through a pair of pipes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def browser() -> str | None:
    """The command of a browser, where this machine has one."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class Page:
    """One page of a browser, by Chrome's DevTools protocol."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._pending = b""
        self._last = 0
        self._session: str | None = None
        self.messages: list[str] = []
        """What the page wrote to its console, and the errors that nobody caught."""
        self.requests: list[str] = []
        """What the page asked for."""

    def open(self, path: Path) -> None:
        """Show a file, and wait until it is there."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.navigate", url=path.as_uri())
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        given = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in given, given["exceptionDetails"]
        return given["result"].get("value")

    def look(self, scheme: str = "light", media: str = "") -> None:
        """Prefer a scheme of colours, and be on a screen or on paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._last:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser is gone"
            self._pending += data
        text, _, self._pending = self._pending.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, params: dict[str, Any]) -> None:
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


@contextmanager
def opened(path: Path, profile: Path) -> Iterator[Page]:
    """A page that shows a file, in a browser that is closed afterwards.

    Args:
        path: the file.
        profile: a folder for what the browser keeps.
    """
    command = browser()
    assert command is not None
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()
    words = [
        command,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1400,1000",
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
    ]
    # The browser reads from its descriptor 3 and writes to its descriptor 4.
    script = f'exec 3<&{to_browser} 4>&{to_us}; exec "$@"'
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", *words],
        pass_fds=(to_browser, to_us),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(to_us)
    page = Page(from_browser, from_us)
    try:
        page.open(path)
        yield page
    finally:
        process.terminate()
        process.wait(20)
        os.close(from_browser)
        os.close(from_us)
