"""Requests to other machines: what comes back whole, what does not, and by which way."""

from __future__ import annotations

import gzip
import ssl
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from io import BytesIO
from pathlib import Path

import pytest
import trustme
from support.web import (
    Answer,
    Handler,
    Web,
    dripping,
    dripping_headers,
    dropped,
    endless_continue,
    silent,
    truncated,
    web,
)

from sitemapper.errors import NetworkError
from sitemapper.net.client import Client


def get(url: str, limit: int = 1000, **proxies: str) -> tuple[int, bytes]:
    body = BytesIO()
    return Client(proxies).download(url, body, limit), body.getvalue()


def test_a_body_comes_whole_and_past_caches(live: Web) -> None:
    live.pages["/a"] = b"body"
    assert get(live.url + "a") == (200, b"body")
    assert live.headers[0]["Cache-Control"] == "no-cache"
    assert live.headers[0]["User-Agent"].startswith("sitemapper/")


@pytest.mark.parametrize("status", [204, 404, 500])
def test_of_other_answers_only_the_status_counts(live: Web, status: int) -> None:
    live.pages["/a"] = (status, {}, b"" if status == 204 else b"<h1>sorry")
    assert get(live.url + "a") == (status, b"")


def test_packed_answers_are_unpacked_and_counted_so(live: Web) -> None:
    live.pages["/a"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 900))
    assert get(live.url + "a") == (200, b"x" * 900)
    with pytest.raises(NetworkError, match="is larger than 899 bytes"):
        get(live.url + "a", limit=899)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"x" * 1001, "/a: is larger than 1,000 bytes"),
        (dropped, "/a: the connection was closed"),
        (silent, r"/a: Read timed out"),
        (
            truncated(b"half"),
            r"/a: Connection broken: IncompleteRead\(4 bytes read, 4 more expected\)",
        ),
        (
            (200, {"Content-Encoding": "gzip"}, b"none"),
            "/a: Received response with content-encoding: gzip",
        ),
        # urllib3 2.2 unpacks as many layers as a header names, each a thousand times as large.
        (
            (200, {"Content-Encoding": "gzip, gzip"}, gzip.compress(gzip.compress(b"x" * 900))),
            "/a: has an unknown content encoding",
        ),
        ((301, {"Location": "http://[/"}, b""), "/a: "),
        ((302, {"Location": "/a"}, b""), "/a: redirects more than 5 times"),
        (
            (302, {"Location": "//127.0.0.1:1/a"}, b""),
            "redirects to http://127.0.0.1:1/a, another host",
        ),
        (
            (302, {"Location": "file:///etc/passwd"}, b""),
            "redirects to file:///etc/passwd, another host",
        ),
    ],
    ids=lambda value: str(getattr(value, "__name__", value))[:30],
)
def test_what_does_not_come_whole_is_an_error_with_its_address(
    live: Web, answer: Answer, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.net.client._READ", 0.2 if answer is silent else 20)
    live.pages["/a"] = answer
    with pytest.raises(NetworkError, match=said):
        get(live.url + "a")


def test_redirects_within_the_host_are_followed(live: Web) -> None:
    live.pages["/a"] = (301, {"Location": "b"}, b"moved")
    live.pages["/b"] = (308, {"Location": live.url + "c"}, b"moved")
    live.pages["/c"] = b"body"
    assert get(live.url + "a") == (200, b"body")


def posted(client: Client, live: Web) -> tuple[int, str, float | None]:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    answer = client.fetch("POST", live.url, 2000, headers=headers, body=b"{}")
    return answer.status, answer.text, answer.retry_after


def test_post_follows_nothing_and_tells_what_was_said(live: Web) -> None:
    live.answers = [
        (302, {"Location": "/b"}, b"elsewhere"),
        (429, {"Retry-After": "7"}, b"slow down"),
        503,
    ]
    client = Client({})
    assert posted(client, live) == (302, "Found", None)
    assert posted(client, live) == (429, "slow down", 7)
    assert posted(client, live) == (503, "Service Unavailable", None)
    assert live.headers[0]["Content-Type"] == "application/json; charset=utf-8"


HOUR = 3600


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("3601", HOUR),
        ("9" * 6000, HOUR),
        (formatdate(32503680000, usegmt=True), HOUR),
        ("Fri, 31 Dec 99999999999 23:59:59 GMT", HOUR),
        (f"Fri, 31 Dec {'9' * 6000} 23:59:59 GMT", None),
        (formatdate(0, usegmt=True), 0),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("\xb2", None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_retry_after_is_an_hour_at_most(live: Web, text: str, seconds: float | None) -> None:
    live.answers = [(503, {"Retry-After": text}, b"")]
    assert posted(Client({}), live) == (503, "Service Unavailable", seconds)


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Encoding": "gzip"}, b"none"),
        ({"Content-Encoding": "gzip, gzip"}, b"none"),
        ({"Content-Length": "1000"}, b"short"),
        ({"Transfer-Encoding": "chunked", "Content-Length": ""}, b"zz\r\n"),
    ],
    ids=["gzip", "nested", "truncated", "chunks"],
)
def test_the_status_decides_whatever_the_body(
    live: Web, status: int, headers: dict[str, str], body: bytes
) -> None:
    live.answers = [(status, {"Connection": "close", **headers}, body)]
    assert posted(Client({}), live)[0] == status


@pytest.mark.slow
@pytest.mark.parametrize("answer", [endless_continue, dripping, dripping_headers, silent])
@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_nothing_lasts_beyond_the_deadline(
    authority: trustme.CA, scheme: str, answer: Callable[[Handler], None]
) -> None:
    ended = threading.Event()

    def watched(handler: Handler) -> None:
        answer(handler)
        ended.set()

    with web(context=tls(authority, "127.0.0.1") if scheme == "https" else None) as server:
        server.pages["/a"] = watched
        started = time.monotonic()
        with pytest.raises(
            NetworkError, match=r"^https?://127\.0\.0\.1:\d+/a: took longer than 0\.3 seconds$"
        ):
            Client({}, deadline=0.3).download(server.url + "a", BytesIO(), 10**9)
        assert time.monotonic() - started < 5
        assert ended.wait(5), "the connection is still open"


@pytest.mark.slow
def test_the_deadline_counts_redirects_too(live: Web) -> None:
    def slow(handler: Handler) -> None:
        time.sleep(0.1)
        handler._answer((302, {"Location": "/a"}, b""))

    live.pages["/a"] = slow
    with pytest.raises(NetworkError, match="took longer than 0.25 seconds"):
        Client({}, deadline=0.25).download(live.url + "a", BytesIO(), 1000)


@pytest.mark.slow
def test_the_deadline_of_one_call_is_not_that_of_the_next(live: Web) -> None:
    live.pages["/a"], live.pages["/b"] = dripping, b"body"
    client, body = Client({}, deadline=0.3), BytesIO()
    assert client.fetch("GET", live.url + "b", 99).status == 200
    with pytest.raises(NetworkError, match="took longer"):
        client.download(live.url + "a", BytesIO(), 10**9)
    assert client.download(live.url + "b", body, 1000) == 200
    assert body.getvalue() == b"body"


def test_ipv6() -> None:
    with web("::1") as server:
        server.pages["/a"] = b"body"
        assert get(server.url + "a") == (200, b"body")


@pytest.mark.parametrize(
    ("no_proxy", "is_proxied"),
    [("", True), ("example.com", False), (".example.com", False), ("ample.com", True), ("*", False),
     ("other.example, example.com", False), ("www.example.com:80", True)],
)  # fmt: skip
def test_hosts_without_a_proxy(live: Web, no_proxy: str, is_proxied: bool) -> None:
    """The proxy answers for a host that does not exist."""
    live.pages["http://none.example.com.invalid/a"] = b"by proxy"
    host = "none.example.com.invalid"
    names = no_proxy.replace(".com", ".com.invalid")
    if is_proxied:
        assert get(f"http://{host}/a", http=live.url, no=names) == (200, b"by proxy")
        return
    with pytest.raises(NetworkError, match="the host none.example.com.invalid does not exist"):
        get(f"http://{host}/a", http=live.url, no=names)


def test_a_proxy_gets_its_password_and_nobody_else(live: Web) -> None:
    live.pages["http://x.invalid/"] = b"by proxy"
    secret = live.url.replace("://", "://me:se%40cret@")
    assert get("http://x.invalid/", all=secret) == (200, b"by proxy")
    assert live.headers[0]["Proxy-Authorization"] == "Basic bWU6c2VAY3JldA=="
    live.pages["/a"] = b"direct"
    assert get(live.url + "a", all=secret, no="127.0.0.1") == (200, b"direct")
    assert "Proxy-Authorization" not in live.headers[1]


@pytest.mark.parametrize(
    "proxy", ["socks5://127.0.0.1:1", "http://127.0.0.1:1", "nonsense", "http://["]
)
def test_a_proxy_that_is_none(proxy: str) -> None:
    with pytest.raises(NetworkError, match="^http://x.invalid/: "):
        get("http://x.invalid/", http=proxy)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def tls(authority: trustme.CA, host: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


def test_a_certificate_of_nobody_that_is_trusted(authority: trustme.CA) -> None:
    with (
        web(context=tls(authority, "127.0.0.1")) as server,
        pytest.raises(
            NetworkError, match="certificate verify failed: unable to get local issuer certificate"
        ),
    ):
        get(server.url + "a")
    assert server.asked == []


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_another_host(authority: trustme.CA) -> None:
    with (
        web(context=tls(authority, "other.example")) as server,
        pytest.raises(NetworkError, match="certificate verify failed: IP address mismatch"),
    ):
        get(server.url + "a")
    assert server.asked == []


@pytest.mark.usefixtures("trusted")
def test_tls_through_a_proxy(authority: trustme.CA) -> None:
    with web() as proxy, web(context=tls(authority, "127.0.0.1")) as server:
        server.pages["/a"] = b"body"
        assert get(server.url + "a", https=proxy.url) == (200, b"body")
        assert proxy.asked == [f"CONNECT {server.authority}"]


@pytest.mark.usefixtures("trusted")
def test_a_redirect_to_https_is_followed_and_none_back(authority: trustme.CA, live: Web) -> None:
    with web(context=tls(authority, "127.0.0.1")) as secure:
        secure.pages["/a"] = b"body"
        live.pages["/a"] = (301, {"Location": secure.url + "a"}, b"")
        assert get(live.url + "a") == (200, b"body")
        secure.pages["/back"] = (301, {"Location": live.url + "b"}, b"")
        with pytest.raises(NetworkError, match="another host"):
            get(secure.url + "back")


@pytest.mark.usefixtures("trusted")
def test_each_hop_goes_through_the_proxy_of_its_own_scheme(authority: trustme.CA) -> None:
    with web() as plain, web() as tunnel, web(context=tls(authority, "127.0.0.1")) as secure:
        secure.pages["/a"] = b"body"
        plain.pages["http://127.0.0.1/a"] = (301, {"Location": secure.url + "a"}, b"")
        assert get("http://127.0.0.1/a", http=plain.url, https=tunnel.url) == (200, b"body")
        assert (plain.asked, tunnel.asked) == (
            ["GET http://127.0.0.1/a"],
            [f"CONNECT {secure.authority}"],
        )
