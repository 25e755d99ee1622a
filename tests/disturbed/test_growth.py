"""Time grows with hostile input, never with its square: each is run in three sizes by the real command."""

from __future__ import annotations

import gzip
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import BASE, POSIX, SITEMAPPER, write_site
from support.sitemaps import LOC, urlset

pytestmark = [POSIX, pytest.mark.slow]
ENDLESS = 300  # seconds of the processor, after which a run is stopped on any machine
NOISE = 0.15  # seconds
TRIES = 3  # other programs can make a run longer, never shorter

Command = list[str]
Make = Callable[[Path, int], Command]  # writes input of a size, and names the command to run there
BUILD = ["build", "public", "--base-url", BASE, "--quiet", "--jobs", "1", "--max-drop", "100"]
PAGES = {f"public/pages/{n}.html": f"<title>{n}</title><p>{n}" for n in range(200)}


def built(name: str, text: Callable[[int], str]) -> Make:
    """A build of 200 pages beside one more file."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder, PAGES | {name: text(n)})
        return BUILD

    return make


def page(text: Callable[[int], str]) -> Make:
    """A build with a ledger of one page."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder / "public", {"a.html": text(n), "b.html": "<p>"})
        return [*BUILD, "--ledger", "ledger"]

    return make


def validated(name: str, data: Callable[[int], str | bytes]) -> Make:
    """A file for `validate`."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder, {name: data(n)})
        return ["validate", name, "--quiet"]

    return make


def members(n: int) -> bytes:
    """So many gzip members of one byte each."""
    packed = {byte: gzip.compress(bytes([byte]), mtime=0) for byte in range(128)}
    text = urlset(*(f"<loc>{BASE}{number}</loc>" for number in range(n // 30))).encode()
    return b"".join(packed[byte] for byte in text[:n].ljust(n))


def lines(text: str) -> Callable[[int], str]:
    """A line so many times, with its number."""
    return lambda n: "".join(text.replace("{n}", str(number)) + "\n" for number in range(n))


def deep(name: str, text: str, *command: str) -> Make:
    """A file in so many folders, one in the other."""

    def make(folder: Path, n: int) -> Command:
        root = write_site(folder / "public", {"sitemap.xml": urlset(LOC)})
        for depth in range(n):
            (root / ("d/" * (depth + 1))).mkdir()
        (root / ("d/" * n + name)).write_text(text)
        return [*command]

    return make


def history(edits: Callable[[int], int], others: Callable[[int], int]) -> Make:
    """A Hugo project of 100 pages in git, with so many edits of its sources, beside so many other files."""

    def make(folder: Path, n: int) -> Command:
        sources = {f"content/posts/{number}.md": f"# Post {number}\n" for number in range(100)}
        pages = {f"public/posts/{k}/index.html": f"<title>Post {k}</title>" for k in range(100)}
        write_site(folder, pages | {"hugo.toml": ""})
        names = [*sources]
        sources |= {f"other/{k // 100}/{k}.md": "# Other\n" for k in range(others(n))}
        commits = [_commit(0, sources)]
        for edit in range(edits(n)):
            name = names[edit % 100]
            commits.append(_commit(edit + 1, {name: f"{sources[name]}{edit}\n"}))
        git = ["git", "-c", "init.defaultBranch=main", "-C", str(folder)]
        subprocess.run([*git, "init", "-q", "--template="], check=True)
        write_site(folder, {".git/info/exclude": "/public/\n/hugo.toml\n"})
        stream = "".join(commits).encode()
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
        subprocess.run([*git, "reset", "-q", "--hard"], check=True)
        return [*BUILD, "--lastmod", "git"]

    return make


def _commit(number: int, files: dict[str, str]) -> str:
    """A commit on main for `git fast-import`, a minute after the one before."""
    changes = "".join(f"M 644 inline {k}\ndata {len(v)}\n{v}\n" for k, v in files.items())
    return f"commit refs/heads/main\ncommitter x <x@y> {1_700_000_000 + number * 60} +0000\ndata 1\nx\n{changes}\n"


def languages(folder: Path, n: int) -> Command:
    """So many pages in each of four languages, which name each other."""
    tongues = ("de", "en", "fr", "it")
    pages: dict[str, str] = {}
    for number in range(n):
        links = (f'<link rel=alternate hreflang={t} href="/{t}/{number}.html">' for t in tongues)
        text = f"<head>{''.join(links)}</head>"
        pages |= {f"public/{tongue}/{number}.html": text for tongue in tongues}
    write_site(folder, pages | {"sitemapper.toml": "hreflang = true\n"})
    return BUILD


# Not here: a key of 25,000 parts, for which tomllib takes the square of the time. Single texts of each
# language are in test_growth_of_readers.
# What it is: the size of the first of three runs, and the generator. The third is four times as large.
TABLE: dict[str, tuple[int, Make]] = {
    "_redirects, stars first": (1_030, built("public/_redirects", lines("/*/a{n} /b 301!"))),
    "_redirects, names": (1_030, built("public/_redirects", lines("/:x/a{n} /b 301!"))),
    "_headers": (1_030, built("public/_headers", lines("/*/a{n}\n  X-Robots-Tag: noindex"))),
    "robots.txt that closes pages": (1_000, built("public/robots.txt", lambda n: "User-agent: *\n" + lines("Disallow: /p*{n}")(n) + "Disallow: /pages/1")),
    "[[urls]]": (500, built("sitemapper.toml", lines(f'[[urls]]\nloc = "{BASE}x/{{n}}"'))),
    "[[rules]]": (500, built("sitemapper.toml", lines('[[rules]]\nmatch = ["/p{n}*"]\npriority = 0.5'))),
    "[[sitemaps]]": (250, built("sitemapper.toml", lines('[[sitemaps]]\nname = "s{n}x"\nmatch = ["/pages/{n}*"]'))),
    "ignore": (500, built("sitemapper.toml", lambda n: f"ignore = [\n{lines(chr(34) + '/p{n}*' + chr(34) + ',')(n)}]\n")),
    "page, open formatting": (7_250, page(lambda n: "<b><p>" * (n // 2))),
    "page, open tables": (7_250, page(lambda n: "<table>" * n)),
    "page, attributes": (10_000, page(lambda n: f"<p {' '.join(f'a{k}=b' for k in range(n))}>x")),
    "page, attributes of meta": (10_000, page(lambda n: f"<meta {' '.join(f'a{k}=b' for k in range(n))}><p>x")),
    "page, open and closed": (7_250, page(lambda n: "<span>" * n + "</x>" * n)),
    "page, links in links": (25_000, page(lambda n: "<a><div>" * (n // 2))),
    "page, headers": (30_000, page(lambda n: "<article><header>x</header>" * (n // 4) + "<div class=footer>" * (n // 4))),
    "page, links": (10_000, page(lambda n: "<a href=#>.</a>" * n)),
    "commits in git": (500, history(edits=lambda n: n, others=lambda n: 0)),
    "other files in git": (2_500, history(edits=lambda n: 0, others=lambda n: n)),
    "pages in four languages": (250, languages),
    "folders for build": (375, deep("p.html", "<p>", *BUILD, "--replace")),
    "folders for validate": (200, deep("sitemap.xml", urlset(LOC), "validate", "public", "--quiet")),
    "validate, a long priority": (16_250, validated("s.xml", lambda n: urlset(*[f"{LOC}<priority>0.{'9' * n}</priority>"] * 9))),
    "validate, comments": (100_000, validated("s.xml", lambda n: "<!--" * n)),
    "validate, gzip members": (125_000, validated("s.xml.gz", members)),
    "validate, an index": (5_000, validated("s.xml", lambda n: urlset(*[LOC] * n, root="sitemapindex"))),
}  # fmt: skip


def seconds(folder: Path, make: Make, n: int) -> float:
    """The processor time of a run on an input of size n."""
    folder.mkdir()
    command = make(folder, n)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*SITEMAPPER, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["rm", "-rf", folder], check=True)
    assert done.returncode in (0, 1, 2), f"size {n} takes more than {ENDLESS} seconds, or is killed"
    assert "Traceback" not in done.stderr, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What a run takes in any case."""
    return seconds(tmp_path_factory.mktemp("start") / "1", TABLE["page, links"][1], 1)


@pytest.mark.parametrize("name", TABLE)
def test_time_does_not_grow_with_the_square_of(name: str, start: float, tmp_path: Path) -> None:
    size, make = TABLE[name]
    for attempt in range(TRIES):
        took = [seconds(tmp_path / f"{attempt}-{n}", make, n) for n in (size, 2 * size, 4 * size)]
        first, _, last = (max(spent - start, NOISE) for spent in took)
        if last < 9 * first:
            return
    pytest.fail(f"{[round(spent, 2) for spent in (start, *took)]} seconds")
