# SPDX-License-Identifier: BSD-3-Clause
"""A real browser without a screen: Chromium by its DevTools protocol, over a WebSocket of the little that this takes.

Reference: Fette and Melnikov, The WebSocket Protocol, RFC 6455 (2011): frames of text, masked on the way out.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request


def found():
    """The browser's program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class WebSocket:
    """Texts to and fro."""

    def __init__(self, address):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", address).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError(head.decode())

    def take(self, count):
        while len(self.rest) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise OSError("the browser has closed the connection")
            self.rest += more
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = (struct.pack(">B", 0x80 | size) if size < 126 else
                  struct.pack(">BH", 0xFE, size) if size < 65536 else struct.pack(">BQ", 0xFF, size))
        self.socket.sendall(b"\x81" + length + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.take(2)
            if size == 126:
                size, = struct.unpack(">H", self.take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.take(8))
            text += self.take(size)
            if first & 0x80:
                return text.decode()


class Browser:
    """A page in a window of its own; `messages` holds what it has said to the console, and refusals of its policy."""

    def __init__(self, width=1200, height=800):
        self.folder = tempfile.mkdtemp(prefix="cotangent-browser-")
        self.process = subprocess.Popen(
            [found(), "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file, patience = pathlib.Path(self.folder) / "DevToolsActivePort", time.monotonic() + 180
        while not (port_file.exists() and port_file.read_text().count("\n") >= 1):
            if time.monotonic() > patience or self.process.poll() is not None:
                self.process.kill()
                self.process.wait()
                raise OSError("the browser doesn't start")
            time.sleep(0.05)
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=30) as answer:
            pages = json.load(answer)
        page = next(page for page in pages if page["type"] == "page")
        self.wire = WebSocket(page["webSocketDebuggerUrl"])
        self.calls, self.messages, self.requests, self.loaded = 0, [], [], False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.wire.socket.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self, event):
        method, given = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.messages.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **given):
        self.calls += 1
        self.wire.send(json.dumps({"id": self.calls, "method": method, "params": given}))
        while True:
            answer = json.loads(self.wire.receive())
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def go(self, address):
        """Waits for this page's own event: one that is still on its way would be taken for the next page's."""
        self.loaded = False
        self.call("Page.navigate", url=address)
        while not self.loaded:
            self.note(json.loads(self.wire.receive()))

    def open(self, path, fragment=""):
        """Opens a file and waits until it is drawn; seconds that this took."""
        start = time.monotonic()
        self.go("about:blank")
        self.messages, self.requests = [], []
        self.go(f"file://{path}{fragment}")
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - start

    def value(self, expression):
        """What an expression of JavaScript comes to, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def processor_seconds(self):
        """Of all processors, what the browser has needed: its own process and all that it began, living and ended."""
        parents, used = {}, {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            number = int(stat.parent.name)
            parents[number], used[number] = int(fields[1]), sum(map(int, fields[11:15]))
        def ours(number):
            return number == self.process.pid or (number in parents and ours(parents[number]))
        return sum(ticks for number, ticks in used.items() if ours(number)) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def busy_seconds():
        """Of all processors, what anybody has needed, and what a virtual machine was kept waiting."""
        user, nice, system, _, _, *more = map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
        return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")

    def until(self, expression, seconds=180):
        """Waits until it holds."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {expression}; {self.messages}")
            time.sleep(0.05)

    # --- hands --------------------------------------------------------------------------------------------------------

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y, modifiers=0):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, modifiers=modifiers)

    def drag(self, x0, y0, x1, y1, steps=5):
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for k in range(1, steps + 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def wheel(self, x, y, by):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)

    def touch(self, kind, *places):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)])

    def press(self, key, code=0, text=""):
        given = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **given, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def picture(self, path=None):
        """A screenshot, as the bytes of a PNG."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data
