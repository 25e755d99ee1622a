"""The client for HTTP: what it sends, what it follows, and how it fails."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from support.web import Answer, Handler, dripping, dropped, silent, truncated, web

from sitemapper import __version__
from sitemapper.messages import SitemapperError
from sitemapper.net import Client

pytestmark = pytest.mark.slow

GZIP = {"Content-Encoding": "gzip"}


def client(environment: dict[str, str] | None = None, **more: Any) -> Client:
    return Client(environment or {}, **{"timeout": 0.3, "pause": 0, **more})


# What a URL answers: status, body and failure. What failed has been requested three times.
ANSWERS: dict[str, tuple[Answer, tuple[int, bytes, str], int]] = {
    "a page": (b"tea", (200, b"tea", ""), 1),
    "missing": (404, (404, b"", ""), 1),
    "a long page": (b"x" * 200, (200, b"x" * 100, ""), 1),
    "packed": ((200, GZIP, gzip.compress(b"tea")), (200, b"tea", ""), 1),
    "a bomb": ((200, GZIP, gzip.compress(bytes(10**8))), (200, bytes(100), ""), 1),
    "no gzip": ((200, GZIP, b"tea"), (200, b"", "the body is not compressed as its Content-Encoding says"), 3),
    "a redirect": ((301, {"Location": "/b"}, b""), (301, b"", ""), 1),
    "broken": (500, (500, b"", ""), 3),
    "busy": ((429, {"Retry-After": "0"}, b""), (429, b"", ""), 3),
    "half": (truncated(b"tea"), (200, b"tea", "the connection was closed before the answer was complete"), 3),
    "dropped": (dropped, (0, b"", "the connection was closed before the answer was complete"), 3),
    "silent": (silent, (0, b"", "did not answer within 0.3 seconds"), 3),
    "dripping": (dripping, (200, b"x", "did not answer within 0.3 seconds"), 3),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "got", "tries"), ANSWERS.values(), ids=ANSWERS)
def test_get(answer: Answer, got: tuple[int, bytes, str], tries: int) -> None:
    with web() as server:
        server.pages["/a"] = answer
        found = client().get(f"{server.url}a", 100)
        failure = found.failure.text if found.failure else ""
        assert (found.status, found.body[: len(got[1]) or None], failure) == got
        assert not found.failure or found.failure.help
        assert server.asked == ["GET /a"] * tries


# URLs that nobody answers, with the environment; what is said, and what to do.
NOBODY = {
    "nothing there": ("http://127.0.0.1:1/", {}, "nothing answers at 127.0.0.1:1", "start the server"),
    "no name": ("http://none.invalid/", {}, "there is no DNS record for none.invalid", "spelling of the address"),
    "no URL": ("http://[::1/", {}, "is no URL that can be requested", "https://tea.example/"),
    "no proxy there": ("http://a.example/", {"HTTP_PROXY": "http://me:secret@127.0.0.1:1"}, "the proxy 127.0.0.1:1 does not connect", "no_proxy"),
    "no HTTP proxy": ("http://a.example/", {"all_proxy": "socks5://127.0.0.1:1"}, "the proxy 127.0.0.1:1 does not connect", "https_proxy"),
}  # fmt: skip


@pytest.mark.parametrize(("url", "environment", "text", "help"), NOBODY.values(), ids=NOBODY)
def test_a_failure_says_what_to_do(
    url: str, environment: dict[str, str], text: str, help: str
) -> None:
    failure = client(environment).get(url).failure
    assert failure and failure.text.startswith(text)
    assert help in failure.help and "secret" not in str(failure)


def test_certificates_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE, which OpenSSL reads itself, names authorities to trust."""
    pem = tmp_path / "pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tea", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", tmp_path / "key", "-out", pem],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, tmp_path / "key")
    with web(context=context) as server:
        server.pages["/"] = b"tea"
        failure = client().get(server.url).failure
        assert failure and failure.text.startswith("TLS fails: ")
        assert "SSL_CERT_FILE" in failure.help
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        assert client().get(server.url).body == b"tea"


def test_what_a_proxy_gets() -> None:
    with web() as proxy, web() as server:
        proxy.pages["http://tea.example/"] = b"by proxy"
        address = f"http://me:se%40cret@{proxy.authority}"
        environment = {
            "http_proxy": address,
            "HTTP_PROXY": "http://none.invalid",
            "NO_PROXY": "127.0.0.1",
        }
        assert client(environment).get("http://tea.example/").body == b"by proxy"
        assert proxy.headers[0]["Proxy-Authorization"] == "Basic bWU6c2VAY3JldA=="
        server.pages["/"] = b"direct"
        assert client(environment).get(server.url).body == b"direct"


def test_what_is_sent() -> None:
    with web() as server:
        client().get(server.url)
        assert server.headers[0]["User-Agent"] == f"sitemapper/{__version__}"
        assert server.headers[0]["Accept-Encoding"] == "gzip"
        answer = client().post(f"{server.url}a", {"urlList": []})
        assert (answer.status, server.headers[1]["Content-Type"]) == (200, "application/json")
        server.answers = [500, 500]
        assert client().post(server.url, {"urlList": []}).status == 500
        assert len(server.posts) == 2, "a POST is sent once"


@pytest.mark.parametrize(
    ("origin", "url", "is_sent"),
    [
        ("http://127.0.0.1:{0}/", "http://127.0.0.1:{0}/a", True),
        ("http://127.0.0.1:{0}/docs/", "http://127.0.0.1:{0}/robots.txt", True),
        ("http://localhost:{0}/", "http://127.0.0.1:{0}/", False),
        ("http://127.0.0.1:1/", "http://127.0.0.1:{0}/", False),
        ("https://127.0.0.1:{0}/", "http://127.0.0.1:{0}/", False),
    ],
)
def test_a_secret_is_for_one_host_and_never_down_to_http(
    origin: str, url: str, is_sent: bool
) -> None:
    with web() as server:
        secret = {"X-Bypass": "secret"}
        found = client(origin=origin.format(server.port), secret=secret)
        found.get(url.format(server.port))
        assert ("X-Bypass" in server.headers[0]) == is_sent


def test_answers_come_in_order_four_at_a_time() -> None:
    running: list[int] = []
    most: list[int] = []

    def slow(handler: Handler) -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(0.02 if handler.path == "/1" else 0.01)
        running.pop()
        handler._answer(handler.path.encode())

    with web() as server:
        server.pages = {f"/{number}": slow for number in range(12)}
        urls = [f"{server.url}{number}" for number in range(12)]
        assert [answer.body for answer in client().get_all(urls)] == [
            f"/{number}".encode() for number in range(12)
        ]
        assert 1 < max(most) <= 4


def test_the_rest_is_not_requested_if_nobody_wants_it() -> None:
    with web() as server:
        answers = client(rate=100).get_all(f"{server.url}{number}" for number in range(100))
        next(answers)
        answers.close()
        assert len(server.asked) < 20


def test_the_rate_and_the_pause_that_a_host_names() -> None:
    with web() as server:
        server.pages["/"] = b""
        begin = time.monotonic()
        assert len(list(client(rate=100).get_all([server.url] * 9))) == 9
        assert 0.08 <= time.monotonic() - begin < 1
        server.pages["/"] = [(503, {"Retry-After": "9999999"}, b""), b"tea"]
        asked = client()
        assert asked._seconds_to_turn() == 0
        asked._wait("9999999")  # no test waits a minute
        assert 59 < asked._seconds_to_turn() <= 60
        asked = client(pause=0.1)
        asked._wait("soon")
        assert 0 < asked._seconds_to_turn() <= 0.1


@pytest.mark.parametrize(
    ("pages", "got"),
    [
        ({"/a": b"tea"}, b"tea"),
        ({"/a": (301, {"Location": "/b"}, b""), "/b": (302, {"Location": "c"}, b""), "/c": b"tea"}, b"tea"),
        ({"/a": 404}, None),
        ({"/a": 410}, None),
        ({"/a": 403}, "a: answers 403"),
        ({"/a": dropped}, "a: the connection was closed"),
        ({"/a": b"x" * 101}, "a: has more than 100 bytes"),
        ({"/a": (200, GZIP, gzip.compress(bytes(10**8)))}, "a: has more than 100 bytes"),
        ({"/a": (302, {"Location": "https://b.example/"}, b"")}, "a: redirects to https://b.example/, which is not followed"),
        ({"/a": (302, {"Location": "/a"}, b"")}, "a: redirects to "),
    ],
)  # fmt: skip
def test_download(pages: dict[str, Answer], got: bytes | str | None) -> None:
    with web() as server:
        server.pages.update(pages)
        if not isinstance(got, str):
            assert client().download(f"{server.url}a", 100) == got
            return
        with pytest.raises(SitemapperError) as raised:
            client().download(f"{server.url}a", 100)
        assert raised.value.text.startswith(server.url + got) and raised.value.help
