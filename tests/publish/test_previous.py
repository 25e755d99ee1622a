"""`previous`: the sitemap that was published before, on the live site, in a file, or nowhere."""

from __future__ import annotations

import gzip
import socket
from pathlib import Path

import pytest
from support import Run, Site, locs
from support.sitemaps import locs as sitemap_of
from support.sitemaps import urlset
from support.web import (
    Answer,
    Web,
    dripping,
    dripping_headers,
    dropped,
    endless_continue,
    silent,
    truncated,
)

from sitemapper.publish import earlier

PAGES = {f"{name}.html": f"<title>{name}</title><p>{name}" for name in ("index", "a", "b", "c")}
NAMES = ("", "a.html", "b.html", "c.html")
FALLBACK = b"<!doctype html><title>Nothing here</title><p>There is no such page"


def index(*parts: str) -> str:
    return urlset(*(f"<loc>{part}</loc>" for part in parts), root="sitemapindex")


class Machine:
    """A machine that builds a site for a live host, and forgets everything in between."""

    def __init__(self, site: Site, server: Web, run: Run) -> None:
        self.site, self.server, self.run = site, server, run
        self.root = site(PAGES)

    def build(self, *flags: str, source: str = "live", base: str = "") -> int:
        for name in ("sitemap.xml", "robots.txt"):
            (self.root / name).unlink(missing_ok=True)
        base_url = base or self.server.url
        at = ("--base-url", base_url, "--no-lastmod")
        return self.run("build", self.root, *at, "--previous", source, *flags)

    def lists(self, *names: str, at: str = "/sitemap.xml") -> None:
        self.server.pages[at] = sitemap_of(*(self.server.url + name for name in names)).encode()

    @property
    def has_published(self) -> bool:
        return (self.root / "sitemap.xml").exists()


@pytest.fixture
def machine(site: Site, live: Web, run: Run) -> Machine:
    return Machine(site, live, run)


def test_the_second_build_on_a_machine_without_memory_knows_the_first(
    machine: Machine, live: Web
) -> None:
    assert machine.build() == 0
    note = f"note: {live.url}sitemap.xml does not exist yet, so there is nothing to compare with\n"
    assert note in machine.run.err
    live.pages["/sitemap.xml"] = (machine.root / "sitemap.xml").read_bytes()
    assert machine.build("--changes", "-") == 0
    assert f"  nothing changed since {live.url}sitemap.xml\n" in machine.run.out
    assert "there is nothing to compare with" not in machine.run.err
    (machine.root / "b.html").rename(machine.root / "d.html")
    assert machine.build("--changes", "-") == 0
    assert machine.run.out.startswith(f"added\t{live.url}d.html\nremoved\t{live.url}b.html\n")
    assert f"  1 added, 1 removed since {live.url}sitemap.xml\n" in machine.run.out


def test_a_build_that_lost_most_pages_stops(machine: Machine, live: Web) -> None:
    machine.lists(*NAMES)
    for name in ("a", "b", "c"):
        (machine.root / f"{name}.html").unlink()
    assert machine.build("--strict") == 2
    assert f"3 published URLs are gone: {live.url}a.html" in machine.run.err
    assert not machine.has_published
    assert machine.build("--max-drop", "100") == 0
    assert machine.build(source="none") == 0


def test_dates_of_the_live_sitemap_are_guarded(machine: Machine, live: Web) -> None:
    dated = [f"<loc>{live.url}{name}</loc><lastmod>2026-01-02</lastmod>" for name in NAMES]
    live.pages["/sitemap.xml"] = urlset(*dated).encode()
    assert machine.build() == 2
    assert "4 of 4 published dates would be lost" in machine.run.err
    assert not machine.has_published


def test_where_nothing_is_published_any_more_a_build_is_the_first(
    machine: Machine, live: Web
) -> None:
    live.pages["/sitemap.xml"] = 410
    assert machine.build() == 0
    assert "sitemap.xml does not exist yet" in machine.run.err


def test_an_empty_sitemap_is_told(machine: Machine, live: Web) -> None:
    machine.lists()
    assert machine.build() == 0
    note = f"note: {live.url}sitemap.xml: lists no URL, so there is nothing to compare with\n"
    assert note in machine.run.err


def test_a_name_that_does_not_exist_yet_is_a_first_publication(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"example.com"}

    def resolve(host: str, *_: object, **__: object) -> list[object]:
        if host in known:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 443))]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert machine.build(base="https://new.test/") == 0
    assert "https://new.test/sitemap.xml does not exist yet" in machine.run.err
    known.clear()  # a machine without a network knows no name
    assert machine.build(base="https://new.test/") == 2
    assert "https://new.test/sitemap.xml: cannot be read: " in machine.run.err
    assert machine.build(base="https://new.invalid/") == 0  # no network knows this name
    assert "https://new.invalid/sitemap.xml does not exist yet" in machine.run.err


CUT = sitemap_of("https://a.test/", "https://a.test/b").encode()[:-30]
BAD: dict[str, tuple[Answer, str]] = {
    "it refuses": (403, "answers 403"),
    "a page": (FALLBACK, "is an HTML page, not a sitemap"),
    "nothing": (b" \n", "is empty"),
    "a text": (b"It works!\n", "sitemap.xml:1: is neither XML nor a list with one URL per line"),
    "a word": (b"ok\n", "sitemap.xml:1: names no URL"),
    "a feed": (b"<rss version='2.0'><channel><item><link>https://a.test/</link></item></channel></rss>",
               "<rss> is not urlset or sitemapindex"),
    "cut off": (CUT, "the file ends"),
    "cut off while packed": (gzip.compress(CUT)[:-20], "ends in the middle of the compressed data"),
    "cut off on the way": (truncated(CUT), "cannot be read: "),
    "another host": ((302, {"Location": "https://other.test/sitemap.xml"}, b""), "another host"),
    "a dropped connection": (dropped, "cannot be read: "),
    "paths": (sitemap_of("/a.html", "/b.html").encode(), "lists '/a.html', which is no URL"),
    "another site": (sitemap_of("https://a.test/").encode(), "lists https://a.test/, which is not"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_read_stops_the_build(machine: Machine, live: Web, what: str) -> None:
    answer, told = BAD[what]
    live.pages["/sitemap.xml"] = answer
    assert machine.build() == 2
    assert machine.run.err.startswith(f"error: {live.url}sitemap.xml")
    assert told in machine.run.err
    assert ", so nothing was published\n" in machine.run.err
    assert "--previous FILE" in machine.run.err and "--previous none" in machine.run.err
    assert not machine.has_published


@pytest.mark.slow
@pytest.mark.parametrize("answer", [silent, endless_continue, dripping_headers, dripping])
def test_a_server_that_hangs_stops_the_build(
    machine: Machine, live: Web, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "_MAX_SECONDS_PER_SITEMAP", 0.3)
    live.pages["/sitemap.xml"] = answer
    assert machine.build() == 2
    assert "took longer than 0.3 seconds, so nothing was published" in machine.run.err
    assert not machine.has_published


def test_an_index_of_another_tool_and_packed_parts_are_read(machine: Machine, live: Web) -> None:
    parts = [f"{live.url}pages-{n}.xml.gz" for n in (1, 2)]
    # The index names one of its parts twice, and by another scheme.
    https = parts[0].replace("http:", "https:")
    live.pages["/sitemap.xml"] = index(https, *parts[1:], https).encode()
    # Both parts list a page, in an order of their own.
    for part, names in (("1", NAMES[:2]), ("2", NAMES[:0:-1])):
        urls = sitemap_of(*(live.url + name for name in names)).encode()
        live.pages[f"/pages-{part}.xml.gz"] = gzip.compress(urls)
    assert machine.build() == 0
    assert "nothing changed since" in machine.run.out
    assert len(live.asked) == len(set(live.asked)) == 3


def test_the_sitemaps_of_others_in_our_index_are_not_ours(machine: Machine, live: Web) -> None:
    (machine.root / "other.xml").write_text(sitemap_of(f"{live.url}shop/"))
    Path("sitemapper.toml").write_text('[sitemap]\nothers = ["other.xml"]\ngzip = "only"\n')
    assert machine.build(source="none") == 0
    for path in machine.root.glob("sitemap*"):
        live.pages[f"/{path.name}"] = path.read_bytes()
    live.asked.clear()
    assert machine.build() == 0
    assert "nothing changed since" in machine.run.out
    assert live.asked == ["GET /sitemap.xml", "GET /sitemap-1.xml.gz"]


def test_bad_indexes_stop_the_build(
    machine: Machine, live: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    itself = f"{live.url}sitemap.xml"
    live.pages["/sitemap.xml"] = index(itself).encode()
    assert machine.build() == 2
    assert f"{itself}: is itself an index, and an index may not list another" in machine.run.err
    live.pages["/sitemap.xml"] = index("https://other.test/sitemap-1.xml").encode()
    assert machine.build() == 2
    assert "lists https://other.test/sitemap-1.xml, which is on another host" in machine.run.err
    live.pages["/sitemap.xml"] = index(f"{live.url}sitemap-1.xml").encode()
    assert machine.build() == 2
    assert f"{live.url}sitemap-1.xml: answers 404, so nothing was published" in machine.run.err
    monkeypatch.setattr(earlier, "MAX_URLS", 2)
    live.pages["/sitemap.xml"] = index(*(f"{live.url}{n}.xml" for n in range(3))).encode()
    assert machine.build() == 2
    assert "lists 3 sitemaps, more than 2" in machine.run.err
    assert not machine.has_published


def test_a_text_sitemap_is_one(machine: Machine, live: Web) -> None:
    live.pages["/old.txt"] = "".join(f"{live.url}{name}\n" for name in NAMES).encode()
    assert machine.build(source=f"{live.url}old.txt") == 0
    assert f"nothing changed since {live.url}old.txt" in machine.run.out


def test_urls_outside_the_base_are_told_and_not_compared(machine: Machine, tmp_path: Path) -> None:
    copy = tmp_path / "old.xml"
    at_host = [f"https://site.test/docs/{name}" for name in NAMES]
    copy.write_text(sitemap_of(*at_host, "https://site.test/shop/"))
    assert machine.build(source=str(copy), base="https://site.test/docs/") == 0
    assert "nothing changed since old.xml" in machine.run.out
    told = (
        "old.xml: skipped 1 URL not below https://site.test/docs/, such as https://site.test/shop/"
    )
    assert f"note: {told}\n" in machine.run.err


def test_the_parts_of_a_file_lie_beside_it(machine: Machine, live: Web, tmp_path: Path) -> None:
    (tmp_path / "old.xml").write_text(index(f"{live.url}part.xml"))
    assert machine.build(source=str(tmp_path / "old.xml")) == 2
    assert "part.xml: cannot be read: No such file" in machine.run.err
    (tmp_path / "part.xml").write_text(sitemap_of(*(live.url + name for name in NAMES)))
    assert machine.build(source=str(tmp_path / "old.xml")) == 0
    assert "nothing changed since old.xml" in machine.run.out
    assert live.asked == []


@pytest.mark.parametrize("source", ["ftp://x/y.xml", "file:///y.xml", "http://", "http://[::1"])
def test_what_is_no_web_url_is_refused_at_once(machine: Machine, source: str) -> None:
    assert machine.build(source=source) == 2
    assert machine.run.err.startswith(f"error: --previous: {source!r} is not an http or https URL")


def test_a_path_in_the_file_starts_at_the_file(
    machine: Machine, live: Web, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.xml").write_text(sitemap_of(*(live.url + name for name in NAMES)))
    config = tmp_path / "sitemapper.toml"
    config.write_text(f'base_url = "{live.url}"\nsite = "public"\nprevious = "old.xml"\n')
    monkeypatch.chdir(machine.root)
    assert run("build", "--config", config, "--no-lastmod") == 0
    assert "nothing changed since" in run.out


def test_check_compares_with_the_live_sitemap(machine: Machine, live: Web, run: Run) -> None:
    at = ("--base-url", live.url, "--no-lastmod", "--previous", "live")
    machine.lists(*NAMES)
    assert run("check", machine.root, *at) == 0
    assert f"has the URLs and dates of {live.url}sitemap.xml" in run.out
    machine.lists(*NAMES[:-1])
    assert run("check", machine.root, *at) == 1
    assert f"+ {live.url}c.html\n" in run.out
    assert f"differs from {live.url}sitemap.xml" in run.out
    assert run("check", machine.root, *at, "--format", "github") == 1
    assert f"differs from {live.url}sitemap.xml (1 added)" in run.out


def test_all_live_urls_can_be_submitted(machine: Machine, live: Web, run: Run) -> None:
    key = "0123456789abcdef"
    machine.lists(*NAMES[:2])
    flags = ("--all", "--dry-run", "--key", key, "--base-url", live.url, "--previous", "live")
    assert run("submit", machine.root, *flags) == 0
    assert run.out == f"added\t{live.url}\nadded\t{live.url}a.html\n"


def test_what_a_generator_wrote_protects_nothing(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"index.html": "<title>a</title><p>a"})
    (tmp_path / "hugo.toml").write_text('baseURL = "https://tea.dev/"\n')
    (root / "sitemap.xml").write_text(
        sitemap_of(*["https://tea.dev/"] * 9, "https://tea.dev/gone/")
    )
    assert run("build", "--no-lastmod", "-v") == 0
    told = "the sitemap in the output folder was written by Hugo, so lost URLs cannot be counted"
    assert run.err.count(told) == 1
    assert locs(root) == ["https://tea.dev/"]
