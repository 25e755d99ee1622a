"""Hostile input: one table of generators, each of input that somebody could find a slow program for.

A generator writes its input into a folder, in a size that it is given, and names the command to run there.
"""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import BASE, write_site
from .sitemaps import LOC, urlset

Command = list[str]
Make = Callable[[Path, int], Command]
ALONE = ["--jobs", "1", "--max-drop", "100"]
BUILD = ["build", "public", "--base-url", BASE, "--quiet", *ALONE]
LEDGER = [*BUILD, "--ledger", "ledger"]
PAGES = {f"pages/{n}.html": f"<title>{n}</title><p>{n}" for n in range(200)}


def site(*flags: str, **files: Callable[[int], str]) -> Make:
    """A build of 200 pages with files of the site."""

    def make(folder: Path, n: int) -> Command:
        written = {name: text(n) for name, text in files.items()}
        write_site(
            folder / "public",
            PAGES | {"robots.txt" if k == "robots" else k: v for k, v in written.items()},
        )
        return [*BUILD, *flags]

    return make


def page(text: Callable[[int], str]) -> Make:
    """A build with a ledger of one page."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder / "public", {"a.html": text(n), "b.html": "<p>"})
        return LEDGER

    return make


def beside(name: str, text: Callable[[int], str]) -> Make:
    """`explain`, which looks at the project's files, with one beside the site."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder, {name: text(n), "public/index.html": "<p>"})
        return ["explain", "public/index.html", "--site", "public", "--base-url", BASE]

    return make


def config(text: Callable[[int], str]) -> Make:
    """A build of 200 pages with a configuration file."""

    def make(folder: Path, n: int) -> Command:
        write_site(
            folder,
            {f"public/{name}": data for name, data in PAGES.items()} | {"sitemapper.toml": text(n)},
        )
        return BUILD

    return make


def validated(name: str, data: Callable[[int], str | bytes]) -> Make:
    """A file for `validate`."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder, {name: data(n)})
        return ["validate", name, "--quiet"]

    return make


def sparse(name: str, data: bytes) -> Make:
    """A file for `validate` with a beginning, and a hole of so many bytes."""

    def make(folder: Path, n: int) -> Command:
        write_site(folder, {name: data})
        os.truncate(folder / name, n)
        return ["validate", ".", "--quiet"]

    return make


def members(n: int) -> bytes:
    """So many gzip members of one byte each."""
    packed = {byte: gzip.compress(bytes([byte]), mtime=0) for byte in range(128)}
    text = (
        urlset(*(f"<loc>{BASE}{number}</loc>" for number in range(n // 30))).encode()[:n].ljust(n)
    )
    return b"".join(packed[byte] for byte in text)


def lines(text: str) -> Callable[[int], str]:
    """A line so many times, with its number."""
    return lambda n: "".join(text.replace("{n}", str(number)) + "\n" for number in range(n))


def priorities(number: Callable[[int], str]) -> Callable[[int], str]:
    """A sitemap of nine entries with one priority."""
    return lambda n: urlset(*[f"{LOC}<priority>{number(n)}</priority>"] * 9)


def deep(command: Command, name: str, text: str) -> Make:
    """Folders in folders, made step by step, because no path may be that long."""

    def make(folder: Path, n: int) -> Command:
        write_site(
            folder / "public",
            {"sitemap.xml": urlset(LOC)} if command[0] == "validate" else {"a.html": ""},
        )
        place = os.open(folder / "public", os.O_RDONLY)
        for _ in range(n):
            os.mkdir("d", dir_fd=place)
            place, above = os.open("d", os.O_RDONLY, dir_fd=place), place
            os.close(above)
        with open(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=place), "w") as file:
            file.write(text)
        os.close(place)
        return command

    return make


def docusaurus(folder: Path, n: int) -> Command:
    """Pages so many folders deep, dated by git with the templates that init proposes for Docusaurus."""
    path = "a/" * n
    write_site(folder, {f"public/{path}{number}/index.html": "<p>" for number in range(200)})
    maps = "".join(
        f'[[git.map]]\npage = "{page}"\nsource = ["x/{source}.md"]\n'
        for page, source in (
            ("{base}/{p}/index.html", "{base}/{p}"), ("{p}/index.html", "{p}"),
            ("{p}/{a}/{b}/index.html", "{p}-{a}-{b}"), ("{p}/{p}/index.html", "{p}"),
            ("blog/{y}/{m}/{d}/{p}/index.html", "{y}-{m}-{d}-{p}"),
        )
    )  # fmt: skip
    (folder / "sitemapper.toml").write_text(f'lastmod = ["git"]\n{maps}')
    (folder / "x").write_text("")
    commit = ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qmx")
    for command in (("init", "-q"), ("add", "x"), commit):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return BUILD


def long_path(folder: Path, n: int) -> Command:
    """A page with a path of so many characters, below host rules with many wildcards."""
    path = "/".join(["a" * 200] * (n // 200))
    rules = ("/*:a*:a*:a*:a/zz", f"/{'*a' * 30}b", f"{'/*:a' * 9}/zz", f"/*{':a-*' * 20}zz")
    files = {
        f"{path}/a.html": "<p>",
        "_redirects": "".join(f"{rule} /b 301!\n" for rule in rules),
        "_headers": "".join(f"{rule}\n  X-Robots-Tag: noindex\n" for rule in rules),
    }
    write_site(folder / "public", files)
    return BUILD


def ledger(folder: Path, n: int) -> Command:
    """A ledger whose only line has so many bytes."""
    write_site(folder / "public", {"a.html": "<p>"})
    with open(folder / "ledger", "w") as file:
        for _ in range(n >> 20):
            file.write("x" * (1 << 20))
    return LEDGER


def history(edits: Callable[[int], int], others: Callable[[int], int]) -> Make:
    """A Hugo project of 100 pages in git, with so many edits of its sources, beside so many other files."""

    def make(folder: Path, n: int) -> Command:
        names = [f"content/posts/{number}.md" for number in range(100)]
        pages = {
            f"public/posts/{number}/index.html": f"<title>Post {number}</title><main><h1>Post {number}</h1>"
            for number in range(100)
        }
        write_site(folder, pages | {"hugo.toml": ""})
        written = {name: f"# Post {number}\n" for number, name in enumerate(names)}
        written |= {
            f"other/{number // 100}/{number}.md": "# Other\n" for number in range(others(n))
        }
        commits = [_commit(0, written)]
        for edit in range(edits(n)):
            name = names[edit % 100]
            commits.append(_commit(edit + 1, {name: f"{written[name]}{edit}\n"}))
        git = ["git", "-c", "init.defaultBranch=main", "-C", str(folder)]
        subprocess.run([*git, "init", "-q", "--template="], check=True)
        (folder / ".git/info").mkdir()
        (folder / ".git/info/exclude").write_text("/public/\n/hugo.toml\n")
        stream = "".join(commits).encode()
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
        subprocess.run([*git, "reset", "-q", "--hard"], check=True)
        return [*BUILD, "--lastmod", "git"]

    return make


def _commit(number: int, files: dict[str, str]) -> str:
    """A commit on main for `git fast-import`, a minute after the one before."""
    changes = "".join(
        f"M 644 inline {name}\ndata {len(text)}\n{text}\n" for name, text in files.items()
    )
    return f"commit refs/heads/main\ncommitter x <x@y> {1_700_000_000 + number * 60} +0000\ndata 1\nx\n{changes}\n"


def languages(folder: Path, n: int) -> Command:
    """So many pages in each of four languages, which name each other."""
    tongues = ("de", "en", "fr", "it")
    link = '<link rel=alternate hreflang={0} href="/{0}/{1}.html">'
    pages: dict[str, str] = {}
    for number in range(n):
        head = "".join(link.format(tongue, number) for tongue in tongues)
        pages |= {f"public/{tongue}/{number}.html": f"<head>{head}</head>" for tongue in tongues}
    write_site(folder, pages | {"sitemapper.toml": "hreflang = true\n"})
    return BUILD


def single(folder: Path, n: int) -> Command:
    """So many pages, each in a folder of its own."""
    write_site(folder, {f"public/{number}/index.html": "<p>" for number in range(n)})
    return BUILD


def sections(n: int) -> str:
    return "".join(f'[[sitemaps]]\nname = "s{n}x"\nmatch = ["/pages/{n}*"]\n' for n in range(n))


# Not here: a key of 25,000 parts, for which tomllib takes the square of the time.
# What it is: the size of the first of three runs, and the generator. The third is four times as large.
TABLE: dict[str, tuple[int, Make]] = {
    "_redirects, plain": (1_030, site(_redirects=lines("/a{n} /b 301!"))),
    "_redirects, stars": (1_030, site(_redirects=lines("/a{n}/* /b 301!"))),
    "_redirects, stars first": (1_030, site(_redirects=lines("/*/a{n} /b 301!"))),
    "_redirects, names": (1_030, site(_redirects=lines("/:x/a{n} /b 301!"))),
    "_redirects, many wildcards": (900, long_path),
    "_headers": (1_030, site(_headers=lines("/*/a{n}\n  X-Robots-Tag: noindex"))),
    "robots.txt that closes pages": (1_000, site(robots=lambda n: "User-agent: *\n" + lines("Disallow: /p*{n}")(n) + "Disallow: /pages/1")),
    "robots.txt, one agent many times": (1_000, site(robots=lines("User-agent: *\nDisallow: /a{n}"))),
    "robots.txt, many stars": (1_000, site(robots=lambda n: f"User-agent: *\nDisallow: /{'*a' * n}b\nDisallow: /pages/{'*1' * n}")),
    "robots.txt, one long line": (100_000, site(robots=lambda n: "Sitemap: x" + " " * n + "y\n")),
    "[[urls]]": (500, config(lines(f'[[urls]]\nloc = "{BASE}x/{{n}}"'))),
    "[[rules]]": (500, config(lines('[[rules]]\nmatch = ["/p{n}*"]\npriority = 0.5'))),
    "[[sitemaps]]": (250, config(sections)),
    "ignore": (500, config(lambda n: f"ignore = [\n{lines(chr(34) + '/p{n}*' + chr(34) + ',')(n)}]\n")),
    "ignore, one string twice": (500, config(lambda n: f"ignore = [\n{lines(chr(34) + '/p' + chr(34) + ',')(n)}]\n")),
    "ignore, spaces": (25_000, config(lambda n: f'ignore = ["a{" " * n}b", "{" " * n}", "a{" " * n}"]\n')),
    "ignore, brackets": (25_000, config(lambda n: f'ignore = ["{"[[:" * n}", "{"[" * n}", "[{"a-" * n}"]\n')),
    "ignore, stars": (250, config(lambda n: f'ignore = ["{"*a" * n}b", "{"**/" * n}b", "{"?*" * n}b"]\n')),
    "ledger of one line": (50 << 20, ledger),
    "page, tokens in a link": (50_000, page(lambda n: f'<p><a href="?{"token" * (n // 5)}">x</a><a href="?{"a" * n}token">')),
    "page, fingerprints": (50_000, page(lambda n: f'<p><img src="/{"a1" * n}.png"><img src="/{"-a1b2c3d4" * (n // 9)}">')),
    "page, attributes": (10_000, page(lambda n: f"<p {' '.join(f'a{k}=b' for k in range(n))}>x")),
    "page, attributes of meta": (10_000, page(lambda n: f"<meta {' '.join(f'a{k}=b' for k in range(n))}><p>x")),
    "page, open elements": (7_250, page(lambda n: "<span>" * n)),
    "page, open formatting": (7_250, page(lambda n: "<b><p>" * (n // 2))),
    "page, open tables": (7_250, page(lambda n: "<table>" * n)),
    "page, closed elements": (10_000, page(lambda n: "</x>" * n)),
    "page, open and closed": (7_250, page(lambda n: "<span>" * n + "</x>" * n)),
    "page, links in links": (25_000, page(lambda n: "<a><div>" * (n // 2))),
    "page, unmatched ends": (10_000, page(lambda n: "<span></x>" * n)),
    "page, open comments": (100_000, page(lambda n: "<!--" * n)),
    "page, open tags": (100_000, page(lambda n: "<a " * n)),
    "page, charsets": (100_000, page(lambda n: "<meta" * n + " charset=x>")),
    "page, titles": (10_000, page(lambda n: "<title>a - b</title>" * n)),
    "page, a long title": (100_000, page(lambda n: f"<title>{' - (' * n}</title><h1>{' -' * n}</h1>")),
    "page, a refresh": (100_000, page(lambda n: f'<meta http-equiv=refresh content="{" " * n}0{" " * n};{" " * n}">')),
    "page, a refresh of digits": (100_000, page(lambda n: f'<meta http-equiv=refresh content="{"1" * n}">')),
    "home page, generators": (1_000, site(**{"index.html": lambda n: "<meta generator " * n})),
    "conf.py, an f-string of many parts": (37_500, beside("conf.py", lambda n: f"html_baseurl = f'{'{a}' * n}'  # sphinx")),
    "page, robots": (50_000, page(lambda n: f'<meta name=robots content="{"a," * n}">')),
    "page, unavailable": (50_000, page(lambda n: f'<meta name=robots content="unavailable_after:{"1 " * n}">')),
    "page, JSON-LD": (50_000, page(lambda n: f'<script type="application/ld+json">{"[" * n}</script>')),
    "page, a date": (50_000, page(lambda n: f'<meta name="date" content="{"1" * n}"><meta name="date" content="{"1 " * n}">')),
    "page, a canonical": (50_000, page(lambda n: f'<link rel=canonical href="{"../" * n}{"a/" * n}"><p>')),
    "page, headers": (30_000, page(lambda n: "<article><header>x</header>" * (n // 4) + "<div class=footer>" * (n // 4))),
    "page, links": (10_000, page(lambda n: "<a href=#>.</a>" * n)),
    "commits in git": (500, history(edits=lambda n: n, others=lambda n: 0)),
    "other files in git": (2_500, history(edits=lambda n: 0, others=lambda n: n)),
    "pages in four languages": (250, languages),
    "pages, a folder each": (500, single),
    "folders for build": (375, deep(BUILD, "p.html", "<p>")),
    "folders for validate": (200, deep(["validate", "public", "--quiet"], "sitemap.xml", urlset(LOC))),
    "templates for git": (100, docusaurus),
    "validate, a long priority": (16_250, validated("s.xml", priorities(lambda n: "9" * n))),
    "validate, many decimals": (16_250, validated("s.xml", priorities(lambda n: f"0.{'0' * n}x"))),
    "validate, a long date": (16_250, validated("s.xml", lambda n: urlset(*[f"{LOC}<lastmod>{'9' * n}</lastmod>"] * 9))),
    "validate, a long loc": (16_250, validated("s.xml", lambda n: urlset(*[f"<loc>{BASE}{'a/' * n}</loc>"] * 9))),
    "validate, a long line": (1_000_000, validated("s.txt", lambda n: "x" * n)),
    "validate, comments": (100_000, validated("s.xml", lambda n: "<!--" * n)),
    "validate, closed comments": (100_000, validated("s.xml", lambda n: "<!---->" * n)),
    "validate, gzip members": (125_000, validated("s.xml.gz", members)),
    "validate, an index": (5_000, validated("s.xml", lambda n: urlset(root="sitemapindex").replace("</sitemapindex>", f"<sitemap>{LOC}</sitemap>" * n + "</sitemapindex>"))),
    "validate, a padded gzip file": (32 << 20, sparse("s.xml.gz", gzip.compress(urlset(LOC).encode(), mtime=0))),
    "validate, a huge robots.txt": (5 << 29, sparse("robots.txt", b"Sitemap: https://example.com/a.xml\n")),
}  # fmt: skip


def folders(n: int) -> dict[str, str]:
    return {f"{number}/a.html": "<p>" for number in range(n)}


def cycled(folder: Path, n: int) -> Command:
    """Pages whose n dates come twice, each time in the same order."""
    date = '<meta name="date" content="{}-{:02}-{:02}T{:02}:{:02}">'
    texts = [
        date.format(2000 + k // 9_000 % 20, k // 800 % 12 + 1, k // 40 % 20 + 1, k % 20, k % 59)
        for k in range(n)
    ]
    write_site(folder / "public", {f"{k:05}.html": text for k, text in enumerate(texts + texts)})
    return [*BUILD, "--lastmod", "page"]


def ruled(folder: Path, n: int) -> Command:
    """Pages in n folders that rules are asked about, and canonicals that lead back through them all."""
    names = list(folders(n))
    pages = {
        name: f'<head><link rel=canonical href="/{names[-k]}"></head><body>'
        for k, name in enumerate(names)
    }
    write_site(folder / "public", pages)
    (folder / "sitemapper.toml").write_text('[[rules]]\nmatch = ["/1*/"]\npriority = 0.5\n')
    return BUILD


def remembered(folder: Path, n: int) -> Command:
    """A ledger of n dates that come twice, each time in the same order."""
    write_site(folder / "public", {"a.html": "<p>"})
    dates = [
        f"20{k // 8_640 % 25:02}-0{k // 960 % 9 + 1}-1{k // 96 % 10}T{k % 24:02}:{k // 24 % 4}0:00Z"
        for k in range(n)
    ]
    rows = (f"{k:06}\t{date}\t0000-0123456789abcdef\n" for k, date in enumerate(dates + dates))
    (folder / "ledger").write_text("".join(rows))
    return LEDGER


# Caches: how many items each holds, and a generator of so many items.
CACHES: dict[str, tuple[int, Make]] = {
    "folders of patterns": (4_096, ruled),
    "dates of pages": (4_096, cycled),
    "dates of the ledger": (10_000, remembered),
    "expressions": (512, site(_redirects=lines("/*/a{n} /b 301!"))),
}
