"""A web server on the loopback address: a site, a search engine or a proxy, as a test says."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# A body, a status, a status with headers and a body, or a function that answers by itself.
Answer = bytes | int | tuple[int, dict[str, str], bytes] | Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the server's tables, and notes what was asked."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits 40 ms for its headers
    server: Web

    def do_GET(self) -> None:
        self.server.asked.append(f"GET {self.path}")
        self.server.headers.append({k.title(): v for k, v in self.headers.items()})
        answer = self.server.pages.get(self.path, 404)
        self._answer(answer.pop(0) if isinstance(answer, list) else answer)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(f"POST {self.path}")
        self.server.headers.append({k.title(): v for k, v in self.headers.items()})
        self.server.posts.append(json.loads(body))
        answer = self.server.answers.pop(0) if self.server.answers else 200
        if isinstance(answer, int) and 200 <= answer < 300:
            self.server.accepted += self.server.posts[-1]["urlList"]
        self._answer(answer)

    def do_CONNECT(self) -> None:
        """Joins the caller with whom it asks for, as a proxy does."""
        self.server.asked.append(f"CONNECT {self.path}")
        self.server.headers.append({k.title(): v for k, v in self.headers.items()})
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port))) as there:
            self.send_response(200)
            self.end_headers()
            joined(self.connection, there)
        self.close_connection = True

    def _answer(self, answer: Answer) -> None:
        if callable(answer):
            answer(self)
            self.close_connection = True
            return
        if isinstance(answer, bytes):
            answer = 200, {}, answer
        status, headers, body = (answer, {}, b"") if isinstance(answer, int) else answer
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def joined(one: socket.socket, other: socket.socket) -> None:
    """Copies both ways until one end is closed."""

    def copy(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):  # either end may be gone
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=copy, args=(other, one), daemon=True)
    thread.start()
    copy(one, other)
    thread.join()


class Web(ThreadingHTTPServer):
    """`pages` maps paths to answers, or to lists of them in order; `answers` are those to POSTs in order (200 when they run out)."""

    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), Handler)
        self.pages: dict[str, Answer | list[Answer]] = {}
        self.answers: list[Answer] = []
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.posts: list[dict[str, Any]] = []
        self.accepted: list[str] = []
        self.scheme = "http"

    def handle_error(self, *_: Any) -> None:
        """A caller that goes away is part of the test."""

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def authority(self) -> str:
        host = str(self.server_address[0])
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The root, with its final slash."""
        return f"{self.scheme}://{self.authority}/"


@contextmanager
def web(host: str = "127.0.0.1", context: ssl.SSLContext | None = None) -> Iterator[Web]:
    """A running server, with TLS if a context is given."""
    with Web(host) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
            server.scheme = "https"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def dropped(handler: Handler) -> None:
    """Ends the connection without a word."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def silent(handler: Handler) -> None:
    """Never answers; ends when the caller does."""
    handler.connection.recv(1)


def truncated(body: bytes) -> Callable[[Handler], None]:
    """Half of a body, of which all is promised."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(2 * len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def dripping(handler: Handler) -> None:
    """A body without an end, byte by byte."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b"x")
            time.sleep(0.02)
