"""Asking the live host: one finding for each fault that crawlers would meet, over real sockets."""

from __future__ import annotations

import gzip
import json
import socket
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType

import pytest
from support import Run, write_site
from support.sitemaps import index, locs
from support.web import Answer, Handler, Web, dropped, truncated, web

from sitemapper.syntax.urls import Locator

XML = {"Content-Type": "application/xml"}
HTML = {"Content-Type": "text/html"}
NOINDEX = '<meta name="robots" content="noindex">'
NOT_FOUND = b"<!doctype html><title>Nothing here</title><body><p>There is no such page"


def html(text: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{text}</title>{head}</head><body><p>{text}</body></html>".encode()


class Host:
    """A live site in good order, until a test breaks something."""

    def __init__(self, server: Web) -> None:
        self.server = server
        self.pages = server.pages
        self.url = server.url
        self.pages["/robots.txt"] = b"User-agent: *\nDisallow: /private/\n"
        self.paths = ["", "a/", "b/"]
        for path in self.paths:
            self.page(path)
        self.lists(*self.paths)

    def page(self, path: str, head: str = "", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[f"/{path}"] = (200, {**HTML, **named}, html(f"page {path}", head))

    def lists(self, *paths: str) -> None:
        self.sitemap(locs(*(self.url + path for path in paths)))

    def sitemap(self, text: str, name: str = "sitemap.xml") -> None:
        self.pages[f"/{name}"] = (200, XML, text.encode())

    def others(self, other: Answer | Callable[[str], Answer]) -> None:
        """Answers each other path like this."""
        answer = other if isinstance(other, FunctionType) else lambda _: other
        self.server.pages = Fallback(self, answer)

    @property
    def asked(self) -> list[str]:
        return [line.removeprefix("GET ") for line in self.server.asked]


@pytest.fixture
def host(live: Web) -> Host:
    return Host(live)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapper.net.client._PAUSE", 0.01)


def verified(run: Run, host: Host, *flags: str, code: int = 1) -> list[str]:
    """The findings about a host, without its URL."""
    assert run("verify", f"{host.url}sitemap.xml", "--rate", "0", *flags) == code, run.out + run.err
    lines = run.out.replace(host.url, "/").splitlines()
    return [line for line in lines if ": SM" in line]


def test_a_host_in_good_order(host: Host, run: Run) -> None:
    assert verified(run, host, code=0) == []
    assert run.out == "no fault in 1 file, 3 entries, 3 of 3 URLs requested\n"
    assert run.err == ""
    assert host.asked[:2] == ["/robots.txt", "/sitemap.xml"]
    assert sorted(path for path in host.asked if len(path) < 32) == [
        "/", "/a/", "/b/", "/robots.txt", "/sitemap.xml",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "answer", "finding"),
    [
        ("/robots.txt", 500, "/robots.txt:1: SM602 error: answers 500"),
        ("/robots.txt", b"User-agent: *\nDisallow: /*.xml", "/robots.txt:1: SM604 error: disallows the sitemap: robots.txt:2: Disallow: /*.xml"),
        ("/sitemap.xml", 404, "/sitemap.xml:1: SM611 error: answers 404"),
        ("/sitemap.xml", (301, {"Location": "/other.xml"}, b""), "/sitemap.xml:1: SM612 error: redirects to /other.xml"),
        ("/sitemap.xml", (200, HTML, NOT_FOUND), "/sitemap.xml:1: SM613 error: is an HTML page"),
        ("/sitemap.xml", (200, XML, gzip.compress(b"x")), "/sitemap.xml:1: SM614 error: is compressed, but has no Content-Encoding"),
        ("/sitemap.xml", (200, XML | {"Content-Encoding": "gzip"}, b"<urlset/>"), "/sitemap.xml:1: SM614 error: its Content-Encoding is gzip, but it is not compressed"),
        ("/sitemap.xml", (200, XML | {"Content-Encoding": "gzip"}, gzip.compress(gzip.compress(b"x"))), "/sitemap.xml:1: SM614 error: is compressed twice"),
        ("/sitemap.xml", (200, XML | {"Content-Encoding": "br"}, b"x"), "/sitemap.xml:1: SM614 error: its Content-Encoding is br, which the request did not accept"),
        ("/sitemap.xml", truncated(b"<urlset>"), "/sitemap.xml:1: SM617 error: Connection broken: IncompleteRead(8 bytes read, 8 more expected)"),
        ("/robots.txt", (200, HTML, NOT_FOUND), "/robots.txt:1: SM607 error: is an HTML page"),
        ("/a/", (200, {"Content-Type": "text/plain"}, NOINDEX.encode()), "/sitemap.xml:4: SM630 error: its content type is text/plain: /a/"),
        ("/a/", (200, HTML | {"Content-Encoding": "gzip"}, html("a")), "/sitemap.xml:4: SM631 error: its Content-Encoding is gzip, but it is not compressed: /a/"),
        ("/a/", (200, HTML | {"Content-Encoding": "gzip"}, b"\x1f\x8bnone"), "/sitemap.xml:4: SM631 error: its Content-Encoding is gzip, but it cannot be decompressed: /a/"),
        ("/a/", (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(NOINDEX.encode())), '/sitemap.xml:4: SM624 error: is noindex by <meta name="robots" content="noindex">: /a/'),
        ("/a/", (200, HTML, gzip.compress(html("a"))), "/sitemap.xml:4: SM631 error: is compressed, but has no Content-Encoding: /a/"),
        ("/a/", (200, HTML, b""), "/sitemap.xml:4: SM632 error: answers 200 with an empty body: /a/"),
        ("/a/", 404, "/sitemap.xml:4: SM621 error: answers 404: /a/"),
        ("/", 403, "/sitemap.xml:3: SM621 error: answers 403: /"),
        ("/a/", 503, "/sitemap.xml:4: SM622 error: answers 503: /a/"),
        ("/a/", dropped, "/sitemap.xml:4: SM622 error: the connection was closed: /a/"),
        ("/a/", (302, {"Location": "/b/"}, b""), "/sitemap.xml:4: SM623 error: redirects to another page: /a/ -> /b/"),
        ("/a/", (302, {"Location": "http://[/"}, b""), "/sitemap.xml:4: SM623 error: redirects without a valid Location: /a/ -> no valid URL"),
        ("/a/", (200, HTML, html("x", '<meta http-equiv="refresh" content="0; url=/b/">')), "/sitemap.xml:4: SM623 error: redirects to another page: /a/ -> /b/"),
        ("/a/", (200, HTML, html("x", NOINDEX)), '/sitemap.xml:4: SM624 error: is noindex by <meta name="robots" content="noindex">: /a/'),
        ("/a/", (200, HTML | {"X-Robots-Tag": "none"}, html("x")), "/sitemap.xml:4: SM624 error: is noindex by the header X-Robots-Tag: none: /a/"),
        ("/a/", (200, HTML, html("x", '<link rel="canonical" href="/b/">')), "/sitemap.xml:4: SM625 error: names another canonical: /a/ -> /b/"),
        ("/a/", (200, HTML | {"Link": '</b/>; rel="canonical"'}, html("x")), "/sitemap.xml:4: SM625 error: names another canonical: /a/ -> /b/"),
        ("/a/", (503, {"cf-mitigated": "challenge"}, b""), "/sitemap.xml:4: SM603 warning: refuses this program with 503, but may let crawlers in: /a/"),
        ("/a/", 429, "/sitemap.xml:4: SM603 warning: refuses this program with 429, but may let crawlers in: /a/"),
    ],
    ids=lambda value: value if isinstance(value, str) else "answer",  # bytes of gzip hold the time
)  # fmt: skip
def test_one_fault_is_one_finding(
    host: Host, run: Run, path: str, answer: Answer, finding: str
) -> None:
    host.pages[path] = answer
    findings = verified(run, host, code=int("error" in finding))
    assert findings[0] == finding
    assert len(findings) == 1 or "SM614" in finding


@pytest.mark.slow
def test_warnings_fail_only_with_strict(host: Host, run: Run) -> None:
    host.pages["/a/"] = 429
    assert verified(run, host, code=0) == verified(run, host, "--strict")


def test_nobody_there(run: Run) -> None:
    """DNS, a port that is closed."""
    assert run("verify", "http://127.0.0.1:1/sitemap.xml") == 2
    failed = "SM601 error: Failed to establish a new connection"
    assert run.out.startswith(f"http://127.0.0.1:1/robots.txt:1: {failed}")
    assert run("verify", "http://none.invalid/sitemap.xml") == 2
    assert "SM601 error: the host none.invalid does not exist" in run.out


def test_every_rule_of_validate_sees_the_live_bytes(host: Host, run: Run) -> None:
    host.sitemap("\n" + locs(host.url, host.url))
    assert [line.partition(": ")[2][:11] for line in verified(run, host)] == ["SM101 error"]
    host.lists("", "")
    assert [line.partition(": ")[2][:13] for line in verified(run, host, code=0)] == [
        "SM307 warning"
    ]


def test_a_compressed_sitemap(host: Host, run: Run) -> None:
    body = locs(host.url).encode()
    host.pages["/sitemap.xml.gz"] = (200, XML, gzip.compress(body))
    assert run("verify", f"{host.url}sitemap.xml.gz", "--rate", "0") == 0, run.out
    host.pages["/sitemap.xml.gz"] = (200, XML, body)
    assert run("verify", f"{host.url}sitemap.xml.gz", "--rate", "0") == 1
    assert "SM614 error: is named .gz, but it is not compressed" in run.out
    for packed in (
        body,
        gzip.compress(body),
    ):  # the server compresses what is compressed, or says how it is
        answer = (200, XML | {"Content-Encoding": "gzip"}, gzip.compress(packed))
        host.pages["/sitemap.xml.gz"] = answer
        assert run("verify", f"{host.url}sitemap.xml.gz", "--rate", "0") == 0, run.out


def test_alike_findings_are_one(host: Host, run: Run) -> None:
    paths = [f"p{n}" for n in range(7)]
    host.lists(*paths)
    for path in paths:
        host.pages[f"/{path}"] = (301, {"Location": f"/{path}/"}, b"")
    assert verified(run, host) == [
        "/sitemap.xml:3: SM623 error: redirects to another form of its URL: "
        "/p0 -> /p0/, /p1 -> /p1/, /p2 -> /p2/ and 4 more"
    ]


@pytest.mark.parametrize(
    ("path", "to", "what"),
    [
        ("a", "/b", "to another page"),
        ("a", "http://other.example/a", "to http://other.example; set base_url to http://other.example/..."),
        ("a", "http://other.example/login", "to http://other.example"),
    ],
)  # fmt: skip
def test_a_redirect_names_the_setting(host: Host, run: Run, path: str, to: str, what: str) -> None:
    host.lists(path)
    host.pages[f"/{path}"] = (308, {"Location": to}, b"")
    (finding,) = verified(run, host)
    assert f"SM623 error: redirects {what}: /{path} -> {to}" in finding


class Fallback(dict[str, "Answer | list[Answer]"]):
    """The pages of a server that has an answer for every other path, too."""

    def __init__(self, host: Host, other: Callable[[str], Answer]) -> None:
        super().__init__(host.pages)
        self.other = other

    def get(self, key: str, default: object = None) -> Answer | list[Answer]:  # type: ignore[override]
        return super().get(key) or self.other(key)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ({"CF-RAY": "1-FRA", "Server": "cloudflare"}, "cloudflare"),
        ({"x-vercel-id": "fra1::1"}, "vercel"),
        ({"x-nf-request-id": "01"}, "netlify"),
        ({"Server": "GitHub.com"}, "github"),
        ({"Server": "Apache/2.4.57 (Debian)"}, ""),
        ({"X-Other": "1"}, ""),
    ],
)
def test_the_host_of_the_answers_is_proposed(
    host: Host, run: Run, header: dict[str, str], name: str
) -> None:
    host.lists("", "about.html", "b/c.html")
    for path in ("/about", "/b/c"):
        host.pages[f"{path}.html"] = (308, {"Location": path, **header}, b"")
    (finding,) = verified(run, host)
    assert "SM623 error: redirects to another form of its URL" in finding
    assert advised(run) == [*[f'host = "{name}"'] * bool(name), 'url_style = "clean"']


def test_a_path_that_does_not_exist_answers_200(host: Host, run: Run) -> None:
    host.lists("", "a/", "gone/", "404.html")
    lost = "<!doctype html><title>Lost</title><body>Sorry, {} is not here"
    host.others(lambda path: (200, HTML, lost.format(path).encode()))
    assert verified(run, host) == [
        "/sitemap.xml:1: SM606 warning: answers 200, but no such path exists: /<32 random digits>",
        "/sitemap.xml:5: SM626 error: returns the “not found” page with status 200: /gone/",
    ]


def test_the_page_that_is_the_fallback_is_none(host: Host, run: Run) -> None:
    host.others((200, HTML, html("page ")))
    assert [line[:22] for line in verified(run, host, code=0)] == ["/sitemap.xml:1: SM606 "]


def test_a_not_found_page_with_200(host: Host, run: Run) -> None:
    host.pages["/a/"] = (200, HTML, NOT_FOUND)
    host.others((404, HTML, NOT_FOUND))
    assert [line.split()[1] for line in verified(run, host)] == ["SM626"]


def test_closed_urls_are_not_asked(host: Host, run: Run) -> None:
    host.lists("", "a/", "b/", "private/a", "private/b")
    assert verified(run, host) == [
        "/sitemap.xml:6: SM627 error: is blocked by robots.txt:2: Disallow: /private/: /private/a, /private/b"
    ]
    assert not any("private" in path for path in host.asked)
    assert advised(run) == ['ignore = ["/private/"]']


def test_an_index(host: Host, run: Run) -> None:
    parts = ("one.xml", "two.xml", "missing.xml", "nested.xml")
    host.sitemap(index(*(f"<loc>{host.url}{p}</loc>" for p in parts)))
    host.sitemap(locs(host.url), "one.xml")
    host.sitemap(locs(f"{host.url}b/", f"{host.url}gone"), "two.xml")
    host.sitemap(index(f"<loc>{host.url}one.xml</loc>"), "nested.xml")
    assert verified(run, host) == [
        "/missing.xml:1: SM611 error: answers 404",
        "/sitemap.xml:1: SM402 error: /nested.xml is itself an index",
        "/two.xml:4: SM621 error: answers 404: /gone",
    ]
    assert "in 4 files, 8 entries" in run.out


def test_a_sample(host: Host, run: Run) -> None:
    """It has the first page of the largest folders, and the rest is spread."""
    paths = [*(f"p/{n}" for n in range(40)), "q/a", "q/b", "r/", "last"]
    host.lists(*paths)
    for path in paths:
        host.page(path)
    verified(run, host, "--sample", "6", code=0)
    assert ", 6 of 44 URLs requested\n" in run.out
    asked = {path.removeprefix("/") for path in host.asked} & set(paths)
    assert asked == {"p/0", "p/1", "p/21", "q/a", "r/", "last"}
    verified(run, host, "--all", code=0)
    assert ", 44 of 44 URLs requested\n" in run.out


def test_a_wall_against_bots_is_told_once_and_left_alone(host: Host, run: Run) -> None:
    paths = [f"p{n}" for n in range(50)]
    host.lists(*paths)
    host.pages |= dict.fromkeys((f"/{path}" for path in paths), 403)
    (finding,) = verified(run, host, code=0)
    assert (
        "SM603 warning: refuses this program with 403, but may let crawlers in: /p0, /p1, /p2 and 2 more"
        in finding
    )
    assert len([path for path in host.asked if path.startswith("/p")]) < 20
    host.pages["/sitemap.xml"] = 403
    assert len(verified(run, host, code=2)) == 1, "nothing could be checked"


FORBIDDEN = (403, {"Content-Type": "application/xml"}, b"<Error><Code>AccessDenied</Code></Error>")
MISSING = [f"p{n}/" for n in range(12)]
REFUSES = "SM603 warning: refuses this program with 403"
SCRIPT = b"<script src=https://geo.captcha-delivery.com/c.js></script>"
# What a sitemap lists, of which the host shows the home page only, its other answers, and what they mean.
REFUSALS: dict[str, tuple[list[str], Answer, str]] = {
    # S3 behind CloudFront. One page that is there tells it from a wall, wherever it stands.
    "a store that answers 403 for what is missing": (["", *MISSING], FORBIDDEN, "xml:4: SM621 error: answers 403: /p0/, /p1/, /p2/ and 9 more"),
    "the same, with its page at the end": ([*MISSING, ""], FORBIDDEN, "xml:3: SM621 error: answers 403: /p0/, /p1/, /p2/ and 9 more"),
    "a wall that lets only the sitemap through": (MISSING, FORBIDDEN, REFUSES),
    "a challenge in a header": (["", "gone/"], (403, {"cf-mitigated": "challenge"}, b""), REFUSES),
    "a challenge in the title": (["", "gone/"], (403, HTML, b"<title>Just a moment...</title>"), REFUSES),
    "a challenge in a script": (["", "gone/"], (403, HTML, SCRIPT), REFUSES),
}  # fmt: skip


@pytest.mark.parametrize(("listed", "other", "said"), REFUSALS.values(), ids=REFUSALS)
def test_what_a_refusal_means(
    host: Host, run: Run, listed: list[str], other: Answer, said: str
) -> None:
    host.lists(*listed)
    host.others(other)
    (finding,) = verified(run, host, code=int("error" in said))
    assert said in finding


def test_a_wall_that_begins_in_the_middle(host: Host, run: Run) -> None:
    """A limit of requests: what was let in is refused later, so nothing is known of the others."""
    host.lists("", *(f"p{n}" for n in range(30)))
    host.pages["/"] = [host.pages["/"], *[403] * 9]  # type: ignore[list-item]
    host.others(403)
    assert [line.split()[1] for line in verified(run, host, code=0)] == ["SM603"]


def test_a_made_up_path_is_asked_for_once_in_a_folder_and_in_ten_at_most(
    host: Host, run: Run
) -> None:
    paths = [f"{n}/{name}" for n in range(12) for name in "ab"]
    host.lists("", *paths)
    host.others(lambda path: 403 if path.count("/") == 2 else 404)
    findings = verified(run, host)
    assert "SM621 error: answers 403: /0/a, /0/b, /1/a and 15 more" in findings[0]
    assert "SM603 warning: refuses this program with 403" in findings[1]
    assert findings[1].endswith("/9/a, /9/b, /10/a and 3 more")
    made_up = [path for path in host.asked if len(path) > 32]
    assert len(made_up) == 10


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("/seo/robots.txt", ["/robots.txt", "/seo/robots.txt"]),
        ("/robots.txt", ["/robots.txt"] * 6),  # five redirects and no more
        ("mailto:me", ["/robots.txt"]),
    ],
)
def test_robots_txt_may_redirect_on_the_host(
    host: Host, run: Run, target: str, asked: list[str]
) -> None:
    host.pages["/robots.txt"] = (301, {"Location": target}, b"")
    host.pages["/seo/robots.txt"] = b"User-agent: *\nDisallow: /a/\n"
    is_found = "/seo/robots.txt" in asked
    findings = verified(run, host, code=int(is_found))
    assert [line.split()[1] for line in findings] == ["SM627"] * is_found
    assert [path for path in host.asked if "robots" in path] == asked


@pytest.mark.slow
def test_what_fails_is_asked_three_times_at_the_end(host: Host, run: Run) -> None:
    host.pages["/a/"] = [429, (503, {"Retry-After": "0"}, b""), (200, HTML, html("a"))]
    host.pages["/b/"] = [dropped] * 9
    assert verified(run, host) == ["/sitemap.xml:5: SM622 error: the connection was closed: /b/"]
    assert (host.asked.count("/a/"), host.asked.count("/b/")) == (3, 3)
    assert sorted(host.asked[-4:]) == ["/a/", "/a/", "/b/", "/b/"]


@pytest.mark.slow
def test_the_rate(host: Host, run: Run) -> None:
    start = time.monotonic()
    assert verified(run, host, "--rate", "10", code=0) == []
    assert time.monotonic() - start > 0.5, "six requests"


def test_a_header_without_a_name_or_a_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "a\r\nHost: b")
    for text in ("X-Bypass=TOKEN", "X-Bypass=NONE", "X Y=TOKEN", "TOKEN"):
        assert run("verify", "http://127.0.0.1:1/sitemap.xml", "--header", text) == 2
        assert "help: write NAME=ENVVAR" in run.err


@pytest.fixture
def built(host: Host, tmp_path: Path, run: Run) -> Host:
    """A host that serves what was built here."""
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{host.url}"\nsite = "public"\nlastmod = []\n[robots]\nwrite = false\n'
    )
    write_site(
        tmp_path / "public", {"index.html": "<p>", "a/index.html": "<p>", "b/index.html": "<p>"}
    )
    (tmp_path / "public/robots.txt").write_bytes(b"User-agent: *\nDisallow: /private/\n")
    assert run("build") == 0, run.err
    host.sitemap((tmp_path / "public/sitemap.xml").read_text())
    return host


def findings_of(run: Run, host: Host, *flags: str, code: int = 1) -> list[str]:
    assert run("verify", "--rate", "0", *flags) == code, run.out + run.err
    return [line for line in run.out.replace(host.url, "/").splitlines() if ": SM" in line]


def test_what_is_live_is_what_was_built(built: Host, run: Run, tmp_path: Path) -> None:
    assert findings_of(run, built, code=0) == []
    old = built.pages["/sitemap.xml"]
    built.lists("", "a/", "c/")
    built.page("c/")
    assert findings_of(run, built) == [
        "/sitemap.xml:5: SM616 error: is not the built file: entry 3 is /c/, not /b/"
    ]
    built.pages["/robots.txt"] = b"User-agent: *\nAllow: /"
    built.pages["/sitemap.xml"] = old
    assert findings_of(run, built, code=0) == [
        "/robots.txt:1: SM605 warning: is not the built file: line 2 is 'Allow: /', not 'Disallow: /private/'"
    ]
    block = (
        b"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare\n\n"
    )
    built.pages["/robots.txt"] = block + (tmp_path / "public/robots.txt").read_bytes()
    assert findings_of(run, built, code=0) == []
    (tmp_path / "public/robots.txt").unlink()
    assert findings_of(run, built, code=0) == []


PAGES = {
    "index.html": "<title>Home</title><p>",
    "a/index.html": "<title>About</title><p>",
    "b/index.html": "<title>Sign in</title><input type=password>",
}


@pytest.mark.parametrize(
    ("shown", "what"),
    [
        ("<title>Home</title>", "the page of /"),
        ("<title>Index of /a/</title><pre>", "a list of files"),
        ("<title>Directory listing for /a/</title>", "a list of files"),
        ("<title>Login</title><form><input name=p type='password'>", "a login form"),
    ],
)
def test_something_else_in_the_place_of_a_page(
    built: Host, run: Run, tmp_path: Path, shown: str, what: str
) -> None:
    write_site(tmp_path / "public", PAGES)
    for name, body in PAGES.items():
        path = name.removesuffix("index.html")
        built.pages[f"/{path}"] = (200, HTML, f"<!doctype html>{body}".encode())
    built.pages["/a/"] = (200, HTML, b"<!doctype html>" + shown.encode())
    assert findings_of(run, built) == [
        f"/sitemap.xml:5: SM633 error: shows {what} instead of the built page: /a/"
    ]


def test_a_canonical_with_http_is_the_page_itself(host: Host, run: Run) -> None:
    host.page("a/", f'<link rel="canonical" href="{host.url.replace("http:", "https:")}a/">')
    assert verified(run, host, code=0) == []


@pytest.mark.parametrize("built", [{}, {"public/index.html": "<p>"}], ids=["not built", "built"])
def test_a_project_needs_no_configuration(
    host: Host, run: Run, tmp_path: Path, built: dict[str, str]
) -> None:
    """A job that verifies need not have built the site."""
    write_site(tmp_path, {"hugo.toml": 'baseURL = "https://tea.example/"\n', **built})
    host.sitemap(locs("https://tea.example/", "https://tea.example/a/"))
    assert run("verify", "--at", host.url, "--rate", "0") == 0, run.out + run.err
    assert "no fault in 1 file, 2 entries" in run.out


def test_wait_until_the_built_sitemap_is_live(
    built: Host, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(
        "sitemapper.net.client.Fetcher.wait", lambda _, seconds: waits.append(seconds)
    )
    new = built.pages["/sitemap.xml"]
    built.lists("", "a/")
    old = built.pages["/sitemap.xml"]
    built.pages["/sitemap.xml"] = [404, old, (200, HTML, NOT_FOUND), new]  # type: ignore[list-item]
    assert findings_of(run, built, "--wait", "120", code=0) == []
    assert waits == [2, 4, 8]
    assert built.asked[:5] == ["/robots.txt", *["/sitemap.xml"] * 4], (
        "while waiting, only the sitemap"
    )
    built.pages["/sitemap.xml"] = old
    waits.clear()
    assert len(findings_of(run, built, "--wait", "7")) == 1
    assert waits == [2, 4, 1]


def test_the_changes_of_a_build(built: Host, run: Run, tmp_path: Path) -> None:
    (tmp_path / "changes.tsv").write_text(
        f"added\t{built.url}a/\n"
        + "".join(
            f"removed\t{built.url}{path}/\n" for path in ("old", "gone", "noindex", "canonical")
        )
    )
    built.page("old/")
    built.page("noindex/", NOINDEX)
    built.page("canonical/", '<link rel="canonical" href="/a/">')
    built.pages["/b/"] = 404
    assert findings_of(run, built, "--changes", "changes.tsv", code=0) == [
        "/sitemap.xml:1: SM629 warning: was removed, and still answers 200: /old/"
    ]
    assert not {"/", "/b/"} & set(built.asked)
    (tmp_path / "changes.tsv").write_text("")
    built.server.asked.clear()
    assert findings_of(run, built, "--changes", "changes.tsv", code=0) == []
    assert not {"/", "/a/", "/b/"} & set(built.asked)


SITE = {
    name: f"<title>{name}</title><p>{name}"
    for name in ("index.html", "a.html", "b/index.html", "b/c.html")
}


@pytest.mark.parametrize("style", ["directory", "clean", "slash"])
@pytest.mark.parametrize("served", ["directory", "clean", "slash"])
def test_a_site_under_the_styles_of_servers(
    host: Host, run: Run, tmp_path: Path, served: str, style: str
) -> None:
    """Only the style of the server gives no finding; the others name it."""
    write_site(tmp_path, SITE)
    locator = Locator("/", served)
    for name, body in SITE.items():
        own = locator.loc(name)
        forms = dict.fromkeys((f"/{form}" for form in locator.served_paths(name)), own)
        host.pages |= {form: (301, {"Location": own}, b"") for form in forms}
        host.pages[own] = (200, HTML, body.encode())
    assert (
        run("build", "--base-url", host.url, "--no-lastmod", "--no-robots", "--url-style", style)
        == 0
    )
    host.sitemap((tmp_path / "sitemap.xml").read_text())
    findings = verified(run, host, code=int(served != style))
    assert len(findings) == (served != style)
    assert all(
        "SM623 error: redirects to another form of its URL" in finding for finding in findings
    )
    assert advised(run) == [f'url_style = "{served}"'] * len(findings)


def test_a_preview(built: Host, run: Run) -> None:
    """Its robots.txt and noindex headers do not count, its canonicals are those of production."""
    with web() as server:
        preview = Host(server)
        preview.pages["/robots.txt"] = b"User-agent: *\nDisallow: /"
        preview.pages["/sitemap.xml"] = built.pages["/sitemap.xml"]
        preview.page("", f'<link rel="canonical" href="{built.url}">', X_Robots_Tag="noindex")
        preview.page("a/", f'<link rel="canonical" href="{preview.url}a/">')
        preview.pages["/b/"] = (301, {"Location": f"{preview.url}b"}, b"")
        assert findings_of(run, built, "--at", preview.url.rstrip("/")) == [
            f"/sitemap.xml:5: SM625 error: names another canonical: /a/ -> {preview.url}a/",
            "/sitemap.xml:6: SM623 error: redirects to another form of its URL: /b/ -> /b",
        ]
        assert "is a preview, so its robots.txt and noindex headers do not count" in run.err
        assert built.asked == []


def test_a_private_address_is_refused_unless_it_is_named(
    host: Host, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda name, *more, **kw: resolve("127.0.0.1", *more, **kw)
    )
    port = host.server.port
    assert run("verify", f"http://public.example:{port}/sitemap.xml") == 2
    assert "SM601 error: public.example is a private address" in run.out
    assert run("verify", f"http://localhost:{port}/sitemap.xml") == 2
    assert "is not below http://localhost" in run.out
    assert (
        f"no URL was requested: all 3 are on {host.url}, not on http://localhost:{port}/\n  help: to request them "
        f"from http://localhost:{port}/: sitemapper verify {host.url}sitemap.xml --at http://localhost:{port}/"
    ) in run.err


def test_other_formats(host: Host, run: Run) -> None:
    host.pages["/a/"] = 404
    verified(run, host, "--format", "github")
    assert "::error file=" in run.out and "title=SM621::answers 404" in run.out
    assert verified(run, host, "--disable", "SM621", code=0) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("https://me:secret@a.example/s.xml",), "SITEMAP_URL: contains a user name or password"),
        (("sitemap.xml",), "SITEMAP_URL: 'sitemap.xml' is not an absolute http or https URL"),
        (("https://[",), "error: SITEMAP_URL: Invalid IPv6 URL\n"),
        (("https://example.com/s.xml", "--at", "nowhere"), "--at: "),
        (
            ("https://a.example/s.xml", "--all", "--sample", "5"),
            "--sample cannot be used with --all",
        ),
        ((), "help: pass the sitemap's URL, or set base_url in sitemapper.toml"),
    ],
)
def test_wrong_command_lines(run: Run, command: tuple[str, ...], message: str) -> None:
    assert run("verify", *command) == 2
    assert message in run.err and "secret" not in run.err


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"<p>" * 20_000)
    except OSError:
        pass


def test_endless_answers_and_bombs_cost_little(host: Host, run: Run) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 50_000_000))
    host.pages["/a/"] = endless
    host.pages["/b/"] = (200, HTML | {"Content-Encoding": "gzip"}, bomb)
    host.pages["/"] = (302, {"Location": "/"}, b"")
    assert [line.split()[1] for line in verified(run, host, "--timeout", "5")] == ["SM623", "SM631"]
    host.pages["/robots.txt"] = (302, {"Location": "/robots.txt"}, b"")
    host.pages["/sitemap.xml"] = (200, XML | {"Content-Encoding": "gzip"}, bomb)
    assert "SM614" in verified(run, host)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [b"<title>", b"<title", b"<a", b'<link rel="canonical" href="', b"<!--", b"<div>"]
)
def test_hostile_pages_take_no_long_time(host: Host, run: Run, piece: bytes) -> None:
    headers = HTML | {"Link": "<>;" * 20_000, "X-Robots-Tag": "," * 60_000}
    host.pages["/a/"] = (200, headers, piece * (256 * 1024 // len(piece)))
    start = time.process_time()
    assert run("verify", f"{host.url}sitemap.xml", "--rate", "0") in (0, 1), run.err
    assert time.process_time() - start < 5


def test_what_is_kept_of_a_sitemap_is_bounded(
    host: Host, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.commands.live_sitemaps._MAX_ENTRIES", 10)
    monkeypatch.setattr("sitemapper.commands.live_sitemaps._MAX_FINDINGS", 5)
    host.lists(*[""] * 1000)
    assert len(verified(run, host, code=0)) == 5
    assert "1 of 1,000 URLs requested" in run.out


def test_the_project_in_the_working_folder_is_another_site(
    host: Host, run: Run, tmp_path: Path
) -> None:
    files = {"hugo.toml": 'baseURL = "https://tea.example/"', "public/a/index.html": BUILT_PAGE}
    write_site(tmp_path, files | {"robots.txt": "User-agent: *\nDisallow: /x"})
    assert verified(run, host, code=0) == []


def test_control_characters_are_not_printed(host: Host, run: Run) -> None:
    host.pages["/a/"] = (301, {"Location": "/\x1b[31m"}, b"")
    host.pages["/b/"] = (200, HTML | {"X-Robots-Tag": "noindex\x1b[31m"}, html("b"))
    verified(run, host)
    assert "\x1b" not in run.out + run.err


TEXT = "<p>We blend twelve teas in a small house by the river, and send them by post each Monday."
HEAD = "<!doctype html><html><head><title>Our teas | Lindenhof</title></head><body><nav>Home</nav>"
BUILT_PAGE = (
    f'{HEAD}<main><h1>Our teas</h1>{TEXT} <a href="/b/">More</a> from tea@example.com</main>'
    "<footer>Lindenhof, since 1924</footer><script src=/a.js></script></body></html>\n"
)
NOT_THIS_BUILD = "SM635 warning: 1 of 3 pages are not those of this build: /a/"
ANOTHER = "SM633 error: shows another page instead of the built page: /a/"
CUT_OFF = "SM633 error: is cut off before the last tag </html> of the built page: /a/"


def live_page(text: str) -> str:
    return BUILT_PAGE.replace(TEXT, text)


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (BUILT_PAGE, ""),
        # What hosts add and rewrite does not count.
        (BUILT_PAGE.replace("</body>", "<script>go()</script><!-- 12 ms --></body>"), ""),
        (BUILT_PAGE.replace("\n", "").replace("</body></html>", "").replace("=/a.js", '="/a.1.js"'), ""),
        (BUILT_PAGE.replace('"/b/"', "/b/").replace("<p>", "<P>\n  "), ""),
        (BUILT_PAGE.replace("tea@example.com", '<a href="/cdn-cgi/l/email-protection" class="__cf_email__">[email&#160;protected]</a>'), ""),
        (BUILT_PAGE.replace("since 1924", "since 1925"), ""),  # the footer of all pages
        # The last deployment.
        (live_page("<p>We blend ten teas in a small house by the river, and send them by post."), NOT_THIS_BUILD),
        (BUILT_PAGE.replace("<h1>Our", "<h1>All").replace("<title>Our", "<title>All"), NOT_THIS_BUILD),
        # Something else.
        ("<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1><p>If you see this page, the web server is installed.</p></body></html>", ANOTHER),
        # A part of the page.
        (BUILT_PAGE[: BUILT_PAGE.index("teas in")], CUT_OFF),
        (BUILT_PAGE[: BUILT_PAGE.index(" src=/a.js")], CUT_OFF),
    ],
    ids=[
        "same", "script", "minified", "quotes", "addresses", "footer", "older", "other title", "nginx",
        "cut in the text", "cut in a script",
    ],
)  # fmt: skip
def test_a_page_is_compared_with_its_built_file(
    built: Host, run: Run, tmp_path: Path, shown: str, found: str
) -> None:
    write_site(tmp_path / "public", {"a/index.html": BUILT_PAGE})
    built.pages["/a/"] = (200, HTML, shown.encode())
    lines = findings_of(run, built, code=int("error" in found))
    assert [line.partition(": ")[2] for line in lines] == ([found] if found else [])


def test_half_of_the_pages_are_of_the_last_deployment(
    built: Host, run: Run, tmp_path: Path
) -> None:
    for path in ("", "a/", "b/"):
        teas = f"teas {path}"
        shown = live_page("<p>Opening soon.") if path else BUILT_PAGE
        write_site(tmp_path / "public", {f"{path}index.html": BUILT_PAGE.replace("teas", teas)})
        built.pages[f"/{path}"] = (200, HTML, shown.replace("teas", teas).encode())
    assert findings_of(run, built, code=0) == [
        "/sitemap.xml:5: SM635 warning: 2 of 3 pages are not those of this build: /a/, /b/"
    ]


def test_a_folder_without_its_index_is_missing_and_made_up_paths_are_beside_it(
    host: Host, run: Run
) -> None:
    host.lists("", "shop/tea/", "shop/cups/")
    host.page("shop/cups/")
    host.pages["/shop/tea/"] = 403
    assert verified(run, host) == ["/sitemap.xml:4: SM621 error: answers 403: /shop/tea/"]
    assert not [
        path for path in host.asked if path.startswith("/shop/tea/") and path != "/shop/tea/"
    ]


def test_a_password_for_some_pages_is_an_error_and_for_all_a_refusal(host: Host, run: Run) -> None:
    host.lists("", "members/a", "members/b")
    host.pages |= {"/members/a": 401, "/members/b": 401}
    assert verified(run, host) == [
        "/sitemap.xml:4: SM621 error: answers 401: /members/a, /members/b"
    ]
    host.pages["/"] = 401
    assert [line.split()[1] for line in verified(run, host, code=0)] == ["SM603"]


def test_a_sitemap_of_a_local_build_is_an_error(host: Host, run: Run) -> None:
    body = locs("http://localhost:1313/", "http://localhost:1313/a/").encode()
    host.pages["/sitemap.xml"] = (200, XML, body)
    assert (
        "/sitemap.xml:3: SM305 error: http://localhost:1313/ is on the machine that built the site, not on /"
        in verified(run, host)
    )


def test_the_usual_name_is_tried(host: Host, run: Run) -> None:
    for url in (host.url, host.url.rstrip("/")):
        assert run("verify", url, "--rate", "0") == 0, run.out + run.err
    assert host.asked.count("/sitemap.xml") == 2


def advised(run: Run) -> list[str]:
    """The lines for sitemapper.toml at the end of the output."""
    _, _, lines = run.out.partition("above the first table:\n")
    return lines.splitlines()


def redirects(host: Host, moves: Mapping[str, str]) -> None:
    for path, target in moves.items():
        host.pages[f"/{path}"] = (301, {"Location": f"/{target}"}, b"")


@pytest.mark.parametrize(
    ("moves", "shown", "style"),
    [
        ({"a.html": "a", "b/c.html": "b/c"}, ["", "b/"], "clean"),
        ({"a/": "a"}, ["", "b/"], "clean"),
        ({"a/": "a", "b.html": "b"}, [""], "bare"),
        ({"a/index.html": "a/", "index.html": ""}, ["b.html"], "directory"),
        ({"a/index.html": "a/"}, ["b/index.html/"], "directory"),
        ({"a": "a.html"}, ["b/"], "directory"),
        ({"a.html": "a/", "b": "b/"}, ["", "c/"], "slash"),
        ({"a/": "a/index.html"}, ["b.html"], "file"),
        ({"a.html": "a"}, ["b.html"], ""),  # no style lists both
    ],
)
def test_redirects_to_other_forms_of_pages_give_the_url_style(
    host: Host, run: Run, moves: dict[str, str], shown: list[str], style: str
) -> None:
    host.lists(*moves, *shown)
    redirects(host, moves)
    for path in shown:
        host.page(path)
    verified(run, host)
    assert advised(run) == [f'url_style = "{style}"'] * bool(style)


CLOSED = [f"closed/{n}.html" for n in range(3)]
OLD = {"old/x": "a/", "old/y/z": "b/"}


def with_faults(host: Host, *more: str) -> None:
    """Pages that are closed, redirected or noindex, and at least as many others."""
    shown = [f"good/{n}" for n in range(12)]
    for path in [*shown, *more]:
        host.page(path)
    host.page("drafts/", NOINDEX)
    host.page("tags/%C3%A9%20%5B1%5D.html", X_Robots_Tag="noindex")
    redirects(host, OLD)
    host.pages |= dict.fromkeys((f"/{path}" for path in CLOSED), 401)
    host.lists("", "a/", *OLD, *CLOSED, "drafts/", "tags/%C3%A9%20%5B1%5D.html", *shown, *more)


def test_pages_that_are_closed_redirected_or_noindex_are_left_out(host: Host, run: Run) -> None:
    with_faults(host)
    verified(run, host)
    line = r'ignore = ["/closed/", "/old/", "/drafts/index.html", "/tags/é\\ \\[1].html"]'
    assert advised(run) == [line]
    assert tomllib.loads(line)["ignore"][3] == r"/tags/é\ \[1].html"
    verified(run, host, "--format", "json")
    found = json.loads(run.out)
    assert found["settings"] == [line]
    assert found["notes"][0].startswith("21 of 21 URLs requested")


def test_a_pattern_leaves_out_no_other_listed_page(host: Host, run: Run) -> None:
    with_faults(host, "closed/open", "old")  # the latter may be old/index.html
    verified(run, host)
    assert advised(run) == [
        'ignore = ["/old/x.html", "/old/y/z.html", "/closed/0.html", "/closed/1.html", "/closed/2.html"]'
    ]
    assert "note: the 5 proposed `ignore` patterns match 5 of 7 faulty pages\n" in run.err


@pytest.mark.parametrize(
    ("answer", "looks"),
    [
        ((200, {**HTML, "X-Robots-Tag": "noindex"}, b"<p>"), "are noindex: this looks like a preview"),
        ((302, {"Location": "/login"}, b""), "redirect elsewhere: this looks like another address or a login"),
        (401, "are blocked: this looks like a login or a preview"),
    ],
)  # fmt: skip
def test_what_most_pages_have_is_no_reason_to_leave_them_out(
    host: Host, run: Run, answer: Answer, looks: str
) -> None:
    with_faults(host)
    paths = [f"most/{n}" for n in range(24)]
    host.pages |= dict.fromkeys((f"/{path}" for path in paths), answer)
    host.lists("", "a/", "b/", *OLD, "drafts/", *paths)
    verified(run, host)
    assert f" of 30 requested pages {looks}\n  help: correct base_url" in run.err
    assert "most" not in "".join(advised(run))
    assert len(advised(run)) == 1, "the other faults are mended"
    verified(run, host, "--at", host.url.replace("127.0.0.1", "localhost"))
    assert advised(run) == [] and "looks like" not in run.err


@pytest.mark.parametrize("answer", [404, 503, 403, (200, HTML, b"")])
def test_nothing_is_left_out_for_what_is_missing_fails_or_refuses(
    host: Host, run: Run, answer: Answer
) -> None:
    host.lists("", "a/", "b/", "c/x")
    host.pages["/c/x"] = answer
    assert run("verify", f"{host.url}sitemap.xml", "--rate", "0", "--timeout", "2") in (0, 1)
    assert ": SM6" in run.out
    assert advised(run) == []


def test_a_closed_folder_is_left_out_but_not_what_a_store_does_not_have(
    host: Host, run: Run
) -> None:
    shown = [f"good/{n}" for n in range(5)]
    host.lists("", *shown, *(f"closed/{n}" for n in range(7)), "other")
    for path in shown:
        host.page(path)
    host.others(lambda path: 403 if path.startswith("/closed/") or path == "/other" else 404)
    assert verified(run, host) == [
        "/sitemap.xml:9: SM621 error: answers 403: /closed/0, /closed/1, /closed/2 and 4 more",
        "/sitemap.xml:16: SM603 warning: refuses this program with 403, but may let crawlers in: /other",
    ]
    assert advised(run) == ['ignore = ["/closed/"]']
    host.others(FORBIDDEN)
    assert "SM621 error: answers 403: /closed/0, /closed/1" in verified(run, host)[0]
    assert advised(run) == []


def test_a_folder_is_left_out_if_all_its_listed_pages_were_requested(host: Host, run: Run) -> None:
    shown = [f"good/{n}" for n in range(30)]
    drafts = [f"drafts/{n}" for n in range(12)]
    host.lists("", *drafts, *shown)
    for path in shown:
        host.page(path)
    for path in drafts:
        host.page(path, NOINDEX)
    verified(run, host, "--sample", "20")
    [line] = advised(run)
    patterns = tomllib.loads(line)["ignore"]
    assert 1 < len(patterns) <= 5
    assert set(patterns) <= {f"/{path}.html" for path in drafts}
    assert (
        "note: an `ignore` pattern for a folder is proposed only if all its pages were requested\n"
        "  help: pass --all to request every page\n"
    ) in run.err
    verified(run, host, "--all")
    assert advised(run) == ['ignore = ["/drafts/"]']
    assert "--all" not in run.err


def test_the_lines_are_for_the_files_and_the_settings_of_the_project(
    built: Host, run: Run, tmp_path: Path
) -> None:
    config = tmp_path / "sitemapper.toml"
    config.write_text(f'url_style = "slash"\nignore = ["x/"]\n{config.read_text()}')
    write_site(tmp_path / "public", {"c.html": "<p>", "d/e.html": "<p>"})
    assert run("build") == 0, run.err
    built.sitemap((tmp_path / "public/sitemap.xml").read_text())
    built.page("c/", NOINDEX)
    built.page("d/e/")
    findings_of(run, built)
    assert advised(run) == ['ignore = ["x/", "/c.html"]']
    config.write_text(config.read_text().replace('ignore = ["x/"]', advised(run)[0]))
    assert run("build") == 0, run.err
    built.sitemap((tmp_path / "public/sitemap.xml").read_text())
    assert findings_of(run, built, code=0) == []


def test_a_style_that_is_set_already_is_no_advice(built: Host, run: Run, tmp_path: Path) -> None:
    config = tmp_path / "sitemapper.toml"
    config.write_text(f'url_style = "clean"\n{config.read_text()}')
    write_site(tmp_path / "public", {"c.html": "<p>"})
    built.lists("", "a/", "b/", "c.html")
    redirects(built, {"c.html": "c"})
    findings_of(run, built)
    assert advised(run) == []


def test_findings_that_nobody_wants_give_no_advice(host: Host, run: Run) -> None:
    with_faults(host)
    verified(run, host, "--disable", "SM623")
    assert "/old/" not in advised(run)[0] and "/closed/" in advised(run)[0]
    verified(run, host, "--quiet")
    assert advised(run) == []
    verified(run, host, "--select", "SM1", code=0)
    assert advised(run) == []
