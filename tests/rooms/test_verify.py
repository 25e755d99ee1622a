"""A live host, asked as crawlers do: each broken deployment is named by one finding."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from support.rooms import Command, write
from support.sitemaps import index, locs
from support.web import Answer, Web, dropped, silent, truncated, web

from sitemapper import config
from sitemapper.commands.changes import read_changes
from sitemapper.commands.target import Target, find_target
from sitemapper.commands.verify import Verified, verify
from sitemapper.errors import SitemapperError
from sitemapper.model import Run
from sitemapper.net import Client

pytestmark = pytest.mark.slow

NOW = 1_780_272_000  # 2026-06-01
XML = {"Content-Type": "application/xml"}
HTML = {"Content-Type": "text/html"}
GZIP = {"Content-Encoding": "gzip"}
NOINDEX = '<meta name="robots" content="noindex">'
NOT_FOUND = b"<!doctype html><title>Nothing here</title><body><p>There is no such page"
DENIED = (403, XML, b"<Error><Code>AccessDenied</Code></Error>")  # as S3 behind CloudFront


def html(text: str, head: str = "") -> bytes:
    return (
        f"<!doctype html><html><head><title>{text}</title>{head}</head>"
        f"<body><p>{text}</body></html>"
    ).encode()


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


class Host:
    """A live site in good order, until a test breaks something."""

    def __init__(self, server: Web) -> None:
        self.server = server
        self.pages = server.pages
        self.url = server.url
        self.pages["/robots.txt"] = b"User-agent: *\nDisallow: /private/\n"
        self.lists("", "a/", "b/")
        self.page("", "a/", "b/")

    def page(self, *paths: str, head: str = "", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for path in paths:
            self.pages[f"/{path}"] = (200, {**HTML, **named}, html(f"page {path}", head))

    def lists(self, *paths: str) -> None:
        self.sitemap(locs(*(self.url + path for path in paths)))

    def sitemap(self, text: str, name: str = "sitemap.xml") -> None:
        self.pages[f"/{name}"] = (200, XML, text.encode())

    def others(self, other: Answer | Callable[[str], Answer]) -> None:
        """Answers each other path like this."""
        answer = other if isinstance(other, FunctionType) else lambda _: other
        self.server.pages = Fallback(self.pages, answer)

    @property
    def asked(self) -> list[str]:
        return [line.removeprefix("GET ") for line in self.server.asked]

    def verified(self, url: str = "sitemap.xml", at: str = "", **choice: Any) -> Verified:
        """What is found at this host, or at the preview `at`."""
        target = Target(self.url + url, self.url, at or self.url)
        return verify(target, client(), now=NOW, **choice)


class Fallback(dict[str, "Answer | list[Answer]"]):
    """The pages of a server that has an answer for every other path, too."""

    def __init__(
        self, pages: Mapping[str, Answer | list[Answer]], other: Callable[[str], Answer]
    ) -> None:
        super().__init__(pages)
        self.other = other

    def get(self, key: str, default: object = None) -> Answer | list[Answer]:  # type: ignore[override]
        return super().get(key) or self.other(key)


def client() -> Client:
    return Client({}, timeout=0.5, pause=0)


def lines(found: Verified, *hosts: str) -> list[str]:
    """The findings, each in a line, without the URLs of hosts."""
    texts = []
    for finding in found.findings:
        text = f"{finding.file}:{finding.line}: {finding.code} {finding.message}"
        for host in hosts:
            text = text.replace(host, "/")
        texts.append(text)
    return texts


@pytest.fixture
def host() -> Iterator[Host]:
    with web() as server:
        yield Host(server)


def test_a_host_in_good_order(host: Host) -> None:
    found = host.verified()
    assert found == Verified([], [(f"{host.url}sitemap.xml", 3)], 3, 3, True)
    assert host.asked[:2] == ["/robots.txt", "/sitemap.xml"]
    assert sorted(path for path in host.asked if len(path) < 32) == [
        "/", "/a/", "/b/", "/robots.txt", "/sitemap.xml",
    ]  # fmt: skip


BROKEN: dict[str, tuple[str, Answer, str]] = {
    "robots.txt fails": ("/robots.txt", 500, "/robots.txt:1: SM602 answers 500"),
    "robots.txt is dropped": ("/robots.txt", dropped, "/robots.txt:1: SM602 the connection was closed before the answer was complete"),
    "robots.txt is a page": ("/robots.txt", (200, HTML, NOT_FOUND), "/robots.txt:1: SM602 is an HTML page"),
    "robots.txt closes the sitemap": ("/robots.txt", b"User-agent: *\nDisallow: /*.xml", "/robots.txt:1: SM627 disallows the sitemap: robots.txt:2: Disallow: /*.xml"),
    "no sitemap": ("/sitemap.xml", 404, "/sitemap.xml:1: SM611 answers 404"),
    "the sitemap fails": ("/sitemap.xml", 503, "/sitemap.xml:1: SM611 answers 503"),
    "the sitemap redirects": ("/sitemap.xml", (301, {"Location": "/other.xml"}, b""), "/sitemap.xml:1: SM611 redirects to /other.xml"),
    "the sitemap is a page": ("/sitemap.xml", (200, HTML, NOT_FOUND), "/sitemap.xml:1: SM611 is an HTML page"),
    "the sitemap is packed": ("/sitemap.xml", (200, XML, gzip.compress(b"x")), "/sitemap.xml:1: SM611 is compressed twice, or without a Content-Encoding"),
    "the sitemap is said to be packed": ("/sitemap.xml", (200, XML | GZIP, b"<urlset/>"), "/sitemap.xml:1: SM611 the body is not compressed as its Content-Encoding says"),
    "the sitemap is packed twice": ("/sitemap.xml", (200, XML | GZIP, gzip.compress(gzip.compress(b"x"))), "/sitemap.xml:1: SM611 is compressed twice, or without a Content-Encoding"),
    "the sitemap is packed by brotli": ("/sitemap.xml", (200, XML | {"Content-Encoding": "br"}, b"\xa1\x08<"), "/sitemap.xml:1: SM102 the byte 0xa1 is not UTF-8"),
    "half of the sitemap": ("/sitemap.xml", truncated(b"<urlset>"), "/sitemap.xml:1: SM611 the connection was closed before the answer was complete"),
    "the sitemap never comes": ("/sitemap.xml", silent, "/sitemap.xml:1: SM611 did not answer within 0.5 seconds"),
    "a page is missing": ("/a/", 404, "/sitemap.xml:4: SM621 answers 404: /a/"),
    "a page is gone": ("/a/", 410, "/sitemap.xml:4: SM621 answers 410: /a/"),
    "a page without content": ("/a/", 204, "/sitemap.xml:4: SM621 answers 204: /a/"),
    "the home page is closed": ("/", 403, "/sitemap.xml:3: SM621 answers 403: /"),
    "a page has a password": ("/a/", 401, "/sitemap.xml:4: SM621 answers 401: /a/"),
    "a page fails": ("/a/", 503, "/sitemap.xml:4: SM622 answers 503: /a/"),
    "a page is dropped": ("/a/", dropped, "/sitemap.xml:4: SM622 the connection was closed before the answer was complete: /a/"),
    "half of a page": ("/a/", truncated(html("a")), "/sitemap.xml:4: SM622 the connection was closed before the answer was complete: /a/"),
    "a page is said to be packed": ("/a/", (200, HTML | GZIP, html("a")), "/sitemap.xml:4: SM622 the body is not compressed as its Content-Encoding says: /a/"),
    "a page is packed, and broken": ("/a/", (200, HTML | GZIP, b"\x1f\x8bnone"), "/sitemap.xml:4: SM622 the body is not compressed as its Content-Encoding says: /a/"),
    "a page is packed": ("/a/", (200, HTML, gzip.compress(html("a"))), "/sitemap.xml:4: SM622 is compressed twice, or without a Content-Encoding: /a/"),
    "a page is empty": ("/a/", (200, HTML, b" \n"), "/sitemap.xml:4: SM633 answers 200 with an empty body: /a/"),
    "a page is a download": ("/a/", (200, {"Content-Type": "binary/octet-stream"}, html("a")), "/sitemap.xml:4: SM630 its content type is binary/octet-stream: /a/"),
    "a page redirects": ("/a/", (302, {"Location": "/b/"}, b""), "/sitemap.xml:4: SM623 redirects to another page: /a/ -> /b/"),
    "a page redirects to its other form": ("/a/", (301, {"Location": "/a"}, b""), "/sitemap.xml:4: SM623 redirects to another form of its URL: /a/ -> /a"),
    "a page redirects to nothing": ("/a/", (302, {"Location": "http://[/"}, b""), "/sitemap.xml:4: SM623 redirects without a valid Location: /a/"),
    "a page redirects to another host": ("/a/", (308, {"Location": "http://other.example/a/"}, b""), "/sitemap.xml:4: SM623 redirects to http://other.example: /a/ -> http://other.example/a/"),
    "a page redirects to a login": ("/a/", (302, {"Location": "http://other.example/in"}, b""), "/sitemap.xml:4: SM623 redirects to http://other.example: /a/ -> http://other.example/in"),
    "a page refreshes": ("/a/", (200, HTML, html("x", '<meta http-equiv="refresh" content="0; url=/b/">')), "/sitemap.xml:4: SM623 redirects to another page: /a/ -> /b/"),
    "a page is noindex": ("/a/", (200, HTML, html("x", NOINDEX)), '/sitemap.xml:4: SM624 is noindex by <meta name="robots" content="noindex">: /a/'),
    "a packed page is noindex": ("/a/", (200, HTML | GZIP, gzip.compress(NOINDEX.encode())), '/sitemap.xml:4: SM624 is noindex by <meta name="robots" content="noindex">: /a/'),
    "a header is noindex": ("/a/", (200, HTML | {"X-Robots-Tag": "none"}, html("x")), "/sitemap.xml:4: SM624 is noindex by the header X-Robots-Tag: none: /a/"),
    "a header is noindex for Google": ("/a/", (200, HTML | {"X-Robots-Tag": "googlebot: noindex"}, html("x")), "/sitemap.xml:4: SM624 is noindex by the header X-Robots-Tag: googlebot: noindex: /a/"),
    "a page was for last year": ("/a/", (200, HTML | {"X-Robots-Tag": "unavailable_after: 1 Jan 2025 00:00:00 GMT"}, html("x")), "/sitemap.xml:4: SM624 is noindex by the header X-Robots-Tag: unavailable_after: 1 Jan 2025 00:00:00 GMT: /a/"),
    "a page names another": ("/a/", (200, HTML, html("x", canonical("/b/"))), "/sitemap.xml:4: SM625 names another canonical: /a/ -> /b/"),
    "a check for browsers": ("/a/", (503, {"cf-mitigated": "challenge"}, b""), "/sitemap.xml:1: SM603 refuses this program with 503, but may let crawlers in: /a/"),
    "a captcha": ("/a/", (403, HTML, b"<script src=//geo.captcha-delivery.com/c.js></script>"), "/sitemap.xml:1: SM603 refuses this program with 403, but may let crawlers in: /a/"),
    "too many requests": ("/a/", 429, "/sitemap.xml:1: SM603 refuses this program with 429, but may let crawlers in: /a/"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "answer", "finding"), BROKEN.values(), ids=BROKEN)
def test_one_fault_is_one_finding(host: Host, path: str, answer: Answer, finding: str) -> None:
    host.pages[path] = answer
    found = host.verified()
    assert lines(found, host.url) == [finding.replace("xml:1: SM603", "xml:4: SM603")]
    assert found.is_checked


@pytest.mark.parametrize(
    "headers",
    [{"X-Robots-Tag": "bingbot: noindex"}, {"X-Robots-Tag": "max-image-preview: none"}, {"X-Robots-Tag": "unavailable_after: 1 Jan 2030 00:00:00 GMT"}],
    ids=["another bot", "images", "later"],
)  # fmt: skip
def test_headers_that_break_nothing(host: Host, headers: dict[str, str]) -> None:
    host.pages["/a/"] = (200, HTML | headers, html("a"))
    assert lines(host.verified()) == []


def test_nobody_is_there() -> None:
    found = verify(
        Target("http://127.0.0.1:1/s.xml", *["http://127.0.0.1:1/"] * 2), client(), now=NOW
    )
    assert lines(found) == ["http://127.0.0.1:1/robots.txt:1: SM601 nothing answers at 127.0.0.1:1"]
    assert not found.is_checked


def test_a_host_that_refuses_everything_is_there(host: Host) -> None:
    host.pages["/robots.txt"] = dropped
    host.server.pages = Fallback({"/robots.txt": dropped}, lambda _: 403)
    found = host.verified()
    assert [one.code for one in found.findings] == ["SM602", "SM603"]
    assert not found.is_checked


def test_the_linter_sees_the_live_bytes(host: Host) -> None:
    host.sitemap("\n" + locs(host.url))
    assert [finding.code for finding in host.verified().findings] == ["SM101"]
    host.lists("", "")
    assert [finding.code for finding in host.verified().findings] == ["SM307"]


def test_a_packed_sitemap(host: Host) -> None:
    body = locs(host.url).encode()
    for answer, found in (
        ((200, XML, gzip.compress(body)), []),
        ((200, XML, body), []),
        # The server packs what is packed, or says how it is.
        ((200, XML | GZIP, gzip.compress(gzip.compress(body))), []),
        ((200, XML | GZIP, gzip.compress(body)), []),
    ):
        host.pages["/sitemap.xml.gz"] = answer
        assert [one.code for one in host.verified("sitemap.xml.gz").findings] == found


def test_alike_findings_are_one(host: Host) -> None:
    paths = [f"p{number}" for number in range(7)]
    host.lists(*paths)
    host.pages |= {f"/{path}": (301, {"Location": f"/{path}/"}, b"") for path in paths}
    assert lines(host.verified(), host.url) == [
        "/sitemap.xml:3: SM623 redirects to another form of its URL: "
        "/p0 -> /p0/, /p1 -> /p1/, /p2 -> /p2/ and 4 more"
    ]


def test_missing_pages_that_answer_200(host: Host) -> None:
    host.lists("", "a/", "gone/")
    host.others((200, HTML, b"<!doctype html><title>Lost</title><body>Sorry, it is not here"))
    assert lines(host.verified(), host.url) == [
        "/sitemap.xml:1: SM606 answers 200, but no such path exists: /<32 random digits>",
        "/sitemap.xml:5: SM621 shows the “not found” page with status 200: /gone/",
    ]


def test_the_not_found_page_at_a_listed_url(host: Host) -> None:
    host.pages["/a/"] = (200, HTML, NOT_FOUND)
    host.others((404, HTML, NOT_FOUND))
    assert [one.code for one in host.verified().findings] == ["SM621"]


def test_an_app_whose_home_page_answers_for_every_path(host: Host) -> None:
    host.others((200, HTML, html("page ")))
    assert [one.code for one in host.verified().findings] == ["SM606"]


def test_what_robots_txt_closes_is_not_requested(host: Host) -> None:
    host.lists("", "a/", "private/a", "private/b")
    assert lines(host.verified(), host.url) == [
        "/sitemap.xml:5: SM627 is blocked by robots.txt:2: Disallow: /private/: "
        "/private/a, /private/b"
    ]
    assert not any("private" in path for path in host.asked)


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("/seo/robots.txt", ["/robots.txt", "/seo/robots.txt"]),
        ("/robots.txt", ["/robots.txt"] * 6),  # five redirects and no more
        ("mailto:me", ["/robots.txt"]),
        ("https://other.example/robots.txt", ["/robots.txt"]),
    ],
)
def test_robots_txt_may_redirect_on_the_host(host: Host, target: str, asked: list[str]) -> None:
    host.pages["/robots.txt"] = (301, {"Location": target}, b"")
    host.pages["/seo/robots.txt"] = b"User-agent: *\nDisallow: /a/\n"
    codes = [one.code for one in host.verified().findings]
    assert codes == ["SM627"] * ("/seo/robots.txt" in asked)
    assert [path for path in host.asked if "robots" in path] == asked


def test_an_index(host: Host) -> None:
    parts = ("one.xml", "two.xml", "missing.xml", "nested.xml")
    host.sitemap(index(*(f"<loc>{host.url}{part}</loc>" for part in parts)))
    host.sitemap(locs(host.url), "one.xml")
    host.sitemap(locs(f"{host.url}b/", f"{host.url}gone"), "two.xml")
    host.sitemap(index(f"<loc>{host.url}one.xml</loc>"), "nested.xml")
    found = host.verified()
    assert lines(found, host.url) == [
        "/missing.xml:1: SM611 answers 404",
        "/sitemap.xml:1: SM402 /nested.xml is itself an index",
        "/two.xml:4: SM621 answers 404: /gone",
    ]
    assert [entries for _, entries in found.sitemaps] == [4, 1, 2, 1]


def test_a_sample(host: Host) -> None:
    """It is evenly spread."""
    paths = [*(f"p/{number}" for number in range(40)), "q/a", "q/b", "r/", "last"]
    host.lists(*paths)
    host.page(*paths)
    found = host.verified(sample=6)
    assert (found.listed, found.requested, found.findings) == (44, 6, [])
    asked = {path.removeprefix("/") for path in host.asked} & set(paths)
    assert asked == {"p/0", "p/7", "p/14", "p/22", "p/29", "p/36"}
    assert host.verified().requested == 44


FOLDERS = [f"p{number}/" for number in range(12)]
REFUSED = "SM603 refuses this program with 403, but may let crawlers in: "
# What is listed, the answer for all that is not there, and what is found.
WALLS: dict[str, tuple[list[str], Answer, str]] = {
    "a store that denies what is missing": (["", *FOLDERS], DENIED, "SM621 answers 403: /p0/, /p1/, /p2/ and 9 more"),
    "its page is the last one": ([*FOLDERS, ""], DENIED, "SM621 answers 403: /p0/, /p1/, /p2/ and 9 more"),
    "one page is closed": (["", "a/", "p"], DENIED, "SM621 answers 403: /p"),
    "a check in a header": (["", "p"], (403, {"cf-mitigated": "challenge"}, b""), REFUSED + "/p"),
    "a check in the title": (["", "p"], (403, HTML, b"<title>Just a moment...</title>"), REFUSED + "/p"),
    "a limit": (["", "p"], (429, {"Retry-After": "0"}, b""), "SM603 refuses this program with 429, but may let crawlers in: /p"),
    "a password": (["", "p"], 401, "SM621 answers 401: /p"),
}  # fmt: skip


@pytest.mark.parametrize(("listed", "other", "said"), WALLS.values(), ids=WALLS)
def test_what_a_refusal_means(host: Host, listed: list[str], other: Answer, said: str) -> None:
    host.lists(*listed)
    host.others(other)
    [line] = lines(host.verified(), host.url)
    assert line.partition(": ")[2] == said


def test_a_wall_is_named_once_and_left_alone(host: Host) -> None:
    paths = [f"p{number}" for number in range(60)]
    host.lists(*paths)
    host.others(403)
    del host.pages["/"]
    host.server.pages = Fallback(host.pages, lambda _: 403)
    [line] = lines(found := host.verified(), host.url)
    assert REFUSED + "/p0, /p1, /p2 and 2 more" in line
    assert found.is_checked, "the sitemap was read"
    assert len([path for path in host.asked if path.startswith("/p")]) < 30
    host.server.pages["/sitemap.xml"] = 403
    [line] = lines(found := host.verified(), host.url)
    assert line == "/sitemap.xml:1: SM603 refuses this program with 403, but may let crawlers in"
    assert not found.is_checked


def test_a_wall_that_begins_in_the_middle(host: Host) -> None:
    """What was shown is refused later, so nothing is known of the others."""
    host.lists("", *(f"p{number}" for number in range(30)))
    host.server.pages["/"] = [host.pages["/"], *[403] * 9]  # type: ignore[list-item]
    host.others(403)
    assert [one.code for one in host.verified().findings] == ["SM603"]


def test_what_fails_is_requested_three_times(host: Host) -> None:
    host.pages["/a/"] = [dropped, (503, {"Retry-After": "0"}, b""), (200, HTML, html("a"))]
    host.pages["/b/"] = [dropped] * 9
    assert [one.code for one in host.verified().findings] == ["SM622"]
    assert (host.asked.count("/a/"), host.asked.count("/b/")) == (3, 3)


def test_a_canonical_with_https_is_the_page_itself(host: Host) -> None:
    host.page("a/", head=canonical(f"{host.url.replace('http:', 'https:')}a/"))
    assert lines(host.verified()) == []


def test_a_sitemap_for_another_host(host: Host) -> None:
    """That of a development server, or of a site that is tried out here."""
    host.sitemap(locs("http://tea.example/", "http://tea.example/a/"))
    assert lines(found := host.verified(), host.url) == [
        "/sitemap.xml:3: SM305 http://tea.example/ is not below /. To request its pages here: "
        "sitemapper verify http://tea.example/sitemap.xml --at /"
    ]
    assert found.requested == 0


def test_removed_urls_must_be_gone(host: Host) -> None:
    rows = [f"added\t{host.url}a/", f"changed\t{host.url}new/"]
    rows += [
        f"removed\t{host.url}{path}/"
        for path in ("old", "gone", "noindex", "canonical", "to", "denied")
    ]
    host.page("old/")
    host.page("noindex/", head=NOINDEX)
    host.page("canonical/", head=canonical("/a/"))
    host.pages |= {"/b/": 404, "/to/": (301, {"Location": "/a/"}, b""), "/denied/": DENIED}
    changes = read_changes("\n".join(rows), "changes.tsv")
    assert lines(host.verified(changes=changes), host.url) == [
        "/sitemap.xml:1: SM621 answers 404: /new/",
        "/sitemap.xml:1: SM629 was removed, and still answers 200: /old/",
    ]
    assert not {"/b/"} & set(host.asked)
    host.server.asked.clear()
    assert host.verified(changes=[]).requested == 0


def test_a_closed_page_says_something_of_the_host_though_the_sitemap_is_refused(host: Host) -> None:
    host.pages |= {"/sitemap.xml": 403, "/a/": 403}
    changes = read_changes(f"changed\t{host.url}a/", "changes.tsv")
    found = host.verified(changes=changes)
    assert [one.code for one in found.findings] == ["SM603", "SM621"]
    assert found.is_checked


def test_endless_pages_and_bombs_cost_little(host: Host) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 50_000_000))
    host.pages["/a/"] = (200, HTML, b"<!doctype html><p>" + b"tea " * 500_000)
    host.pages["/b/"] = (200, HTML | GZIP, bomb)
    host.pages["/"] = (302, {"Location": "/"}, b"")
    assert [one.code for one in host.verified().findings] == ["SM623", "SM622"]
    host.pages["/sitemap.xml"] = (200, XML | GZIP, bomb)
    assert [one.code for one in host.verified().findings] == ["SM611"]


# --- Compared with the built site.


def built(host: Host, root: Path, files: Mapping[str, str | bytes], settings: str = "") -> Target:
    """Serves what is built in a folder, and finds the target as `verify` does."""
    write(root, {f"public/{name}": content for name, content in files.items()})
    toml = f'base_url = "{host.url}"\nsite = "public"\n{settings}\n'
    write(root, {"sitemapper.toml": toml})
    for name, content in files.items():
        kind = HTML if name.endswith(".html") else XML
        data = content.encode() if isinstance(content, str) else content
        host.pages[f"/{name.removesuffix('index.html')}"] = (200, kind, data)
    return found_target(root)


def found_target(root: Path, url: str | None = None, at: str | None = None) -> Target:
    cwd = os.path.realpath(root)
    return find_target(url, at, config.load({}, cwd, {}), Run(cwd, {}, jobs=1))


def compared(host: Host, target: Target, **choice: Any) -> list[str]:
    return lines(verify(target, client(), now=NOW, **choice), host.url)


TEXT = "<p>We blend twelve teas in a small house by the river, and send them by post each Monday."
PAGE = (
    "<!doctype html><html><head><title>Our teas | Lindenhof</title></head><body><nav>Home</nav>"
    f'<main><h1>Our teas</h1>{TEXT} <a href="/b/">More</a> from tea@example.com</main>'
    "<footer>Lindenhof, since 1924</footer><script src=/a.js></script></body></html>\n"
)
SITE = {
    "index.html": "<!doctype html><title>Home</title><p>Welcome to our house.",
    "a/index.html": PAGE,
    "b/index.html": "<!doctype html><title>Sign in</title><input type=password>",
}
CHANGED = "SM635 shows another text than the built page: /a/"
ANOTHER = "SM633 shows “{}” instead of the built page: /a/"
NGINX = "<title>Welcome to nginx!</title><body><h1>Welcome to nginx!</h1><p>If you see this page, the server works."
SHOWN = {
    "the same": (PAGE, ""),
    # What hosts add and rewrite.
    "a script": (PAGE.replace("</body>", "<script>go()</script><!-- 12 ms --></body>"), ""),
    "minified": (PAGE.replace("\n", "").replace("</body></html>", "").replace("=/a.js", '="/a.1.js"'), ""),
    "quotes": (PAGE.replace('"/b/"', "/b/").replace("<p>", "<P>\n  "), ""),
    "addresses": (PAGE.replace("tea@example.com", '<a href="/cdn-cgi/l/email-protection" class="__cf_email__">[email&#160;protected]</a>'), ""),
    "the footer": (PAGE.replace("since 1924", "since 1925"), ""),
    # The last deployment.
    "older": (PAGE.replace(TEXT, "<p>We blend ten teas in a small house by the river, and send them by post."), CHANGED),
    "another title": (PAGE.replace("<h1>Our", "<h1>All").replace("<title>Our", "<title>All"), ANOTHER.format("All teas | Lindenhof")),
    # Something else.
    "the default page": (f"<!DOCTYPE html>{NGINX}", ANOTHER.format("Welcome to nginx!")),
    "the home page": (SITE["index.html"], ANOTHER.format("Home")),
    "a list of files": ("<!doctype html><title>Index of /a/</title><pre>", ANOTHER.format("Index of /a/")),
    "no title": ("<!doctype html><p>Gone", "SM633 shows a page without a title instead of the built page: /a/"),
    "a login": ("<!doctype html><title>Login</title><form><input name=p type='password'>", ANOTHER.format("Login")),
    "a part of the page": (PAGE[: PAGE.index("teas in")], CHANGED),
}  # fmt: skip


@pytest.mark.parametrize(("shown", "found"), SHOWN.values(), ids=SHOWN)
def test_a_page_is_compared_with_the_built_one(
    host: Host, tmp_path: Path, shown: str, found: str
) -> None:
    target = built(host, tmp_path, SITE)
    host.pages["/a/"] = (200, HTML, shown.encode())
    said = [line.partition(": ")[2] for line in compared(host, target)]
    assert said == ([found] if found else [])


def test_what_never_counts_as_content_may_differ(host: Host, tmp_path: Path) -> None:
    target = built(host, tmp_path, SITE, "[ledger]\ndrop = ['h1 + p']")
    host.pages["/a/"] = (200, HTML, PAGE.replace("twelve teas", "two teas").encode())
    assert compared(host, target) == []


def test_the_last_deployment_is_one_finding(host: Host, tmp_path: Path) -> None:
    files = {f"{path}index.html": PAGE.replace("teas", f"teas {path}") for path in ("", "a/", "b/")}
    target = built(host, tmp_path, files)
    for path in ("a/", "b/"):
        old = PAGE.replace("teas", f"teas {path}").replace("each Monday", "soon")
        host.pages[f"/{path}"] = (200, HTML, old.encode())
    assert compared(host, target) == [
        "/sitemap.xml:4: SM635 shows another text than the built page: /a/, /b/"
    ]


def test_the_live_sitemap_and_robots_txt_are_those_that_were_built(
    host: Host, tmp_path: Path
) -> None:
    sitemap = locs(host.url, f"{host.url}a/", f"{host.url}b/")
    robots = b"User-agent: *\nDisallow: /private/\n"
    target = built(host, tmp_path, {**SITE, "sitemap.xml": sitemap, "robots.txt": robots})
    assert compared(host, target) == []
    host.lists("", "a/", "c/")
    host.page("c/")
    assert compared(host, target) == [
        "/sitemap.xml:1: SM616 is not the built file; only one of them has /b/, /c/"
    ]
    host.lists("", "a/")
    assert compared(host, target) == [
        "/sitemap.xml:1: SM616 is not the built file; only one of them has /b/"
    ]
    host.sitemap(sitemap)
    host.pages["/robots.txt"] = b"User-agent: *\nAllow: /"
    assert compared(host, target) == [
        "/robots.txt:1: SM605 lacks a line of the built file: Disallow: /private/"
    ]
    managed = (
        b"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare\n\n"
    )
    host.pages["/robots.txt"] = managed + robots
    assert compared(host, target) == []


def test_wait_until_the_built_sitemap_is_live(host: Host, tmp_path: Path) -> None:
    sitemap = locs(host.url, f"{host.url}a/", f"{host.url}b/")
    target = built(host, tmp_path, {**SITE, "sitemap.xml": sitemap})
    new = host.pages["/sitemap.xml"]
    host.pages["/sitemap.xml"] = [404, new]  # type: ignore[list-item]
    host.pages["/robots.txt"] = [b"User-agent: *\nDisallow: /", b""]
    assert compared(host, target, wait=0.1) == []
    host.pages["/robots.txt"] = b""
    assert host.asked[:4] == ["/robots.txt", "/sitemap.xml"] * 2, "and no page before"
    host.lists("")
    assert [line.split()[1] for line in compared(host, target, wait=0.1)] == ["SM616"]


def test_a_preview(host: Host, tmp_path: Path) -> None:
    """Its robots.txt and noindex headers do not count; its canonicals are those of production."""
    built(host, tmp_path, SITE)
    with web() as server:
        preview = Host(server)
        preview.pages["/robots.txt"] = b"User-agent: *\nDisallow: /"
        preview.pages["/sitemap.xml"] = host.pages["/sitemap.xml"]
        home = html("Home", canonical(host.url)).replace(b"<p>Home", b"<p>Welcome to our house.")
        preview.pages["/"] = (200, {**HTML, "X-Robots-Tag": "noindex"}, home)
        wrong = PAGE.replace("</head>", canonical(f"{preview.url}a/") + "</head>").encode()
        preview.pages["/a/"] = (200, HTML, wrong)
        preview.pages["/b/"] = (301, {"Location": f"{preview.url}b"}, b"")
        target = found_target(tmp_path, at=preview.url)
        found = [
            f"/sitemap.xml:4: SM625 names another canonical: /a/ -> {preview.url}a/",
            "/sitemap.xml:5: SM623 redirects to another form of its URL: /b/ -> /b",
        ]
        assert compared(host, target) == found
        preview.pages["/robots.txt"] = 500
        assert compared(host, target) == found
        assert host.asked == []


@pytest.mark.parametrize(
    ("moves", "shown", "style"),
    [
        ({"a.html": "a", "b/c.html": "b/c"}, ["", "b/"], "clean"),
        ({"a/": "a"}, ["", "b/"], ""),  # it may be a.html, or a/index.html
        ({"a/": "a", "b.html": "b"}, [""], "bare"),
        ({"a/index.html": "a/", "index.html": ""}, ["b.html"], "directory"),
        ({"a": "a.html"}, ["b/"], "directory"),
        ({"a.html": "a/", "b": "b/"}, ["", "c/"], "slash"),
        ({"a/": "a/index.html"}, ["b.html"], "file"),
        ({"a.html": "a"}, ["b.html"], ""),  # no style lists both
        ({"a.html": "b"}, ["b"], ""),  # another page
    ],
)
def test_the_url_style_that_would_mend(
    host: Host, moves: dict[str, str], shown: list[str], style: str
) -> None:
    host.lists(*moves, *shown)
    host.page(*shown)
    host.pages |= {f"/{path}": (301, {"Location": f"/{to}"}, b"") for path, to in moves.items()}
    assert host.verified().advice == (f'url_style = "{style}"' if style else "")


def test_canonicals_that_the_host_redirects_are_to_be_corrected(host: Host, tmp_path: Path) -> None:
    """A page's own canonical counts before `url_style`, so this would not help."""
    for text, advice in (
        ("", 'url_style = "clean"'),
        (canonical(f"{host.url}c.html"), f"correct the canonicals: c.html names {host.url}c.html, which redirects to {host.url}c"),
    ):  # fmt: skip
        target = built(host, tmp_path, {**SITE, "c.html": f"<!doctype html>{text}<p>Cake"})
        host.lists("", "c.html")
        host.pages["/c.html"] = (301, {"Location": "/c"}, b"")
        assert verify(target, client(), now=NOW).advice == advice


TARGETS: dict[str, tuple[tuple[str | None, str | None], Target]] = {
    "a host": (("https://A.example", None), Target("https://a.example/sitemap.xml", *["https://a.example/"] * 2)),
    "a folder": (("https://a.example/b/", None), Target("https://a.example/b/sitemap.xml", *["https://a.example/"] * 2)),
    "a sitemap": (("https://a.example/b/map.xml", None), Target("https://a.example/b/map.xml", *["https://a.example/"] * 2)),
    "a name with a space": (("https://a.example/my%20map.xml", None), Target("https://a.example/my%20map.xml", *["https://a.example/"] * 2)),
    "a query": (("https://a.example/?sitemap=1", None), Target("https://a.example/?sitemap=1", *["https://a.example/"] * 2)),
    "a preview of it": (("https://a.example/b/", "http://localhost:8000"), Target("https://a.example/b/sitemap.xml", "https://a.example/", "http://localhost:8000/")),
    "the project": ((None, None), Target("https://tea.example/docs/sitemap.xml", *["https://tea.example/docs/"] * 2)),
    "its preview": ((None, "http://p.example"), Target("https://tea.example/docs/sitemap.xml", "https://tea.example/docs/", "http://p.example/docs/")),
    "its preview in a folder": ((None, "http://p.example/7/"), Target("https://tea.example/docs/sitemap.xml", "https://tea.example/docs/", "http://p.example/7/")),
}  # fmt: skip


@pytest.mark.parametrize(("typed", "target"), TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("is_built", [True, False])
def test_the_target(
    tmp_path: Path, typed: tuple[str | None, str | None], target: Target, is_built: bool
) -> None:
    """A job that verifies need not have built the site."""
    write(tmp_path, {"sitemapper.toml": 'base_url = "https://tea.example/docs"\nsite = "public"\n'})
    if is_built:
        write(tmp_path, {"public/index.html": "<p>"})
    found = found_target(tmp_path, *typed)
    assert found._replace(site=None, facts={}) == target
    assert (found.site is not None) == (is_built and typed[0] is None)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (("https://me:secret@a.example/s.xml", None), "SITEMAP_URL: contains a user name"),
        (("sitemap.xml", None), "SITEMAP_URL: 'sitemap.xml' is not an absolute http or https URL"),
        (("https://[", None), "SITEMAP_URL: "),
        (("https://a.example/s.xml", "nowhere"), "--at: 'nowhere' is not an absolute"),
        ((None, None), "pass the URL of the live sitemap: sitemapper verify SITEMAP_URL"),
    ],
)
def test_wrong_targets(tmp_path: Path, typed: tuple[str | None, str | None], text: str) -> None:
    with pytest.raises(SitemapperError) as raised:
        found_target(tmp_path, *typed)
    assert text in str(raised.value) and "secret" not in str(raised.value)


# --- On the command line.


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return Command(capsys)


def test_what_the_command_prints(host: Host, run: Command) -> None:
    sitemap = f"{host.url}sitemap.xml"
    assert run("verify", sitemap, "--rate", "0") == 0
    assert run.out == "no fault in 1 file, 3 entries, 3 of 3 URLs requested\n"
    assert run("verify", sitemap, "--rate", "0", "--sample", "1") == 0
    assert run.out == "no fault in 1 file, 3 entries, 1 of 3 URLs requested\n"
    host.pages["/a/"] = (301, {"Location": "/a/index.html"}, b"")
    host.pages["/b/"] = (200, HTML | {"X-Robots-Tag": "noindex, \x1b[31m"}, html("b"))
    host.lists("a/", "b/")
    assert run("verify", host.url, "--rate", "0", "--disable", "SM624", "--all") == 1
    line = f"redirects to another form of its URL: {host.url}a/ -> {host.url}a/index.html"
    assert f"{sitemap}:3: SM623 error: {line}\n" in run.out
    assert "SM624" not in run.out
    assert run("verify", host.url, "--rate", "0", "--select", "SM624") == 1
    assert "noindex, \\x1b[31m" in run.out and "\x1b" not in run.out


def test_json_and_the_settings_that_mend(host: Host, run: Command) -> None:
    host.lists("", "c.html")
    host.pages["/c.html"] = (301, {"Location": "/c"}, b"")
    assert run("verify", host.url, "--rate", "0", "--format", "json") == 1
    found = json.loads(run.out)
    assert (found["version"], found["advice"], found["checked"]) == (2, 'url_style = "clean"', True)
    assert (found["listed"], found["requested"], found["errors"]) == (2, 2, 1)
    assert found["findings"][0]["code"] == "SM623"
    assert run("verify", host.url, "--rate", "0") == 1
    assert '  help: url_style = "clean"\n' in run.err
    assert run("verify", host.url, "--rate", "0", "--disable", "SM623") == 0


def test_exit_codes(host: Host, run: Command) -> None:
    assert run("verify", "http://127.0.0.1:1/") == 2
    assert "SM601 error: nothing answers at 127.0.0.1:1\n" in run.out
    host.page("lost/")
    host.others((404, HTML, b""))
    write(Path(), {"changes.tsv": f"removed\t{host.url}lost/\n"})
    changes = ("verify", host.url, "--rate", "0", "--changes", "changes.tsv")
    assert run(*changes) == 0 and "SM629 warning: was removed" in run.out
    assert run(*changes, "--strict") == 1
    host.server.pages["/sitemap.xml"] = DENIED
    assert run("verify", host.url, "--rate", "0") == 2, "all was refused"


def test_a_secret_comes_from_the_environment(
    host: Host, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.setenv("LINES", "a\r\nHost: b")
    assert run("verify", host.url, "--rate", "0", "--header", "X-Bypass=TOKEN") == 0
    assert {headers["X-Bypass"] for headers in host.server.headers} == {"secret"}
    assert "secret" not in run.out + run.err
    for text in ("X-Bypass=LINES", "X-Bypass=NONE", "X Y=TOKEN", "TOKEN"):
        assert run("verify", host.url, "--header", text) == 2
        assert "help: write NAME=ENVVAR" in run.err


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--changes", "none.tsv"), "none.tsv: No such file or directory"),
        (("--select", "SM604"), "SM604: this command has no such rule"),
        (("--timeout", "5"), "No such option: --timeout"),
    ],
)
def test_wrong_command_lines(run: Command, flags: tuple[str, ...], text: str) -> None:
    assert run("verify", "http://127.0.0.1:1/", *flags) == 2
    assert text in run.err
