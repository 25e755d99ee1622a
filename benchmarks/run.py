"""Prints, as Markdown, what builds cost beside bare loops, `cat` and `find` on the same trees in the same run.

python benchmarks/run.py [--runs N] [--tree SITE ...] [--peers node_modules/.bin] [--only LETTERS]

A row compares CPU time of one process with a floor of benchmarks/floors.py, both without what the same command
takes on ten pages, and with `cat` or `find` as a whole. The rows: A a site that was generated again, B a first run
that reads heads, C one that digests content, D nothing changed, E pages that are not read, F ten pages, G ten pages
of a Hugo project in git, S pages that are dated by their sources in git, M a monorepo, H language versions, I images, T two processes, V `validate`, X the start. Each figure is
the median of runs that follow each other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from trees import make, make_folders, make_hugo, make_rich

CACHE = Path(os.environ.get("BENCH_CACHE", Path(tempfile.gettempdir()) / "sitemapper-bench"))
NOTHING = "respect = { noindex = false, canonical = false, refresh = false, robots = false }"
PLAIN = ["--config", NOTHING, "--url-style", "directory"]  # opens no page
LEDGER = ["--lastmod=ledger", "--lastmod=mtime", "--ledger=ledger"]
ONE, TWO = ["--jobs", "1"], ["--jobs", "2"]


class Cost(NamedTuple):
    """What a command took: seconds on the clock and of CPU, and its peak memory in MiB."""

    wall: float
    cpu: float
    peak: int


def timed(command: list[str], cwd: Path | None = None) -> Cost:
    """Runs a command in a child of its own, so that the figures are its."""
    begun = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_WRONLY, 0) for n in (1, 2)]
    command = ["env", "-C", str(cwd), *command] if cwd else command
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return Cost(
        time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024
    )


def cat(site: Path) -> list[str]:
    return ["sh", "-c", f"find '{site}' -name '*.html' -type f -print0 | xargs -0 cat"]


def find(site: Path) -> list[str]:
    return ["find", str(site), "-name", "*.html", "-printf", "%p %T@ %s\\n"]


def build(site: Path, *flags: str) -> list[str]:
    """Ours, with its output in the working directory."""
    own = ["--base-url", "https://example.com", "--output", "out", "--max-drop", "100", "--quiet"]
    return [sys.executable, "-m", "sitemapper", "build", str(site), *own, *flags]


def regenerate(site: Path, percent: float) -> None:
    """Writes every page again, as generators do: new inodes and times, a few of them with a word more."""
    pages = sorted(site.rglob("*.html"))
    step = int(100 / percent)
    for n, page in enumerate(pages):
        data = page.read_bytes()
        new = page.with_name(".new")
        new.write_bytes(data.replace(b"</p>", b" again</p>", 1) if n % step == 0 else data)
        os.replace(new, page)


Prepare = Callable[[Path, Path], None]  # the site and a work folder


class Row(NamedTuple):
    """A command of ours, what it is compared with, and what happens before each run of it.

    `small` has ten pages: what `floor` and `ours` cost there is not counted; None to count all. `less` is a command of
    ours whose cost is not counted either. `kind` names the cost that is compared.
    """

    name: str
    site: Path
    floor: list[str]
    ours: list[str]
    small: Path | None = None
    beside: list[str] | None = None
    prepare: Prepare = lambda site, work: None
    less: list[str] | None = None
    kind: str = "cpu"


def floor(level: str, site: Path) -> list[str]:
    """A bare loop."""
    return [sys.executable, str(Path(__file__).with_name("floors.py")), level, str(site)]


def emptied(site: Path, work: Path) -> None:
    shutil.rmtree(work / "out", ignore_errors=True)
    (work / "ledger").unlink(missing_ok=True)


def built(*flags: str) -> Prepare:
    """Builds once, so that later runs find its files."""

    def prepare(site: Path, work: Path) -> None:
        if not (work / "out").exists():
            timed(build(site, *flags), work)

    return prepare


def generated_again(site: Path, work: Path) -> None:
    built(*LEDGER, *ONE)(site, work)
    regenerate(site, 1)
    timed(cat(site))


def content_rows(given: argparse.Namespace) -> Iterator[Row]:
    """Pages that are read, on the synthetic site and on those of `--tree`."""
    rich, small = rich_site(20_000), rich_site(10)
    for site in [rich, *map(Path, given.tree)]:

        def row(
            name: str, level: str, *flags: str, prepare: Prepare = emptied, site: Path = site
        ) -> Row:
            return Row(
                f"{name} / {level}",
                site,
                floor(level, site),
                build(site, *flags),
                small,
                cat(site),
                prepare,
            )

        again = "A generated again, 1 % edited, ledger"
        yield row(again, "parse", *LEDGER, *ONE, prepare=generated_again)
        yield row("B first run, heads", "head", *ONE)
        yield row("B first run, heads", "read", *ONE)
        if site == rich:
            single = rich_site(4_000, folders=True)
            yield row("B first run, heads, a folder a page", "head", *ONE, site=single)
        yield row("C first run with a ledger, content", "parse", *LEDGER, *ONE)
        yield row("D unchanged", "head", *ONE, prepare=built(*ONE))
        for name, flags in (("heads", []), ("content", LEDGER)):
            one, two = (build(site, *flags, *jobs) for jobs in (ONE, TWO))
            title = f"T first run, {name}: two processes / one"
            yield Row(title, site, one, two, None, cat(site), emptied, kind="wall")


def image_rows(given: argparse.Namespace) -> Iterator[Row]:
    pictures = rich_site(10_000, images=4)
    plain = build(pictures, *ONE)
    more = [*plain, "--config", configured("images")]
    name = "I four images a page, beyond the build / parse"
    yield Row(name, pictures, floor("parse", pictures), more, None, None, emptied, plain)


def language_rows(given: argparse.Namespace) -> Iterator[Row]:
    for pages in (6_000, 24_000):
        tongues = rich_site(pages, languages=4)
        plain = build(tongues, *ONE)
        more = [*plain, "--config", configured("hreflang")]
        name = f"H four languages, {pages:,} pages: with hreflang / without"
        yield Row(name, tongues, plain, more, rich_site(10), None, emptied)


def unread_rows(given: argparse.Namespace) -> Iterator[Row]:
    for pages in given.pages:
        site = (CACHE / f"t{pages}").resolve()
        make(str(site), pages)
        yield unread_row("E not read / list", site)
    single = (CACHE / "folders20000").resolve()
    make_folders(str(single), 20_000)
    yield unread_row("E not read, a folder a page / list", single)


def unread_row(name: str, site: Path) -> Row:
    """A build that reads no page."""
    ours = build(site, *PLAIN, *ONE)
    return Row(name, site, floor("list", site), ours, rich_site(10), find(site), emptied)


def git_rows(given: argparse.Namespace) -> Iterator[Row]:
    """Hugo projects whose pages are dated by their sources in git."""
    for name in (CACHE / "hugo2000", CACHE / "hugo500", CACHE / "monorepo500"):
        pages = int(name.name[-4:].lstrip("go"))
        make_hugo(str(name), pages, others=40_000 if name.name.startswith("mono") else 0)
    yield Row(
        "S dated by sources in git, a folder a page / parse",
        CACHE / "hugo2000",
        floor("parse", CACHE / "hugo2000" / "blog" / "public"),
        project(CACHE / "hugo2000"),
    )
    yield Row(
        "M 500 posts beside 40,000 other files / alone",
        CACHE / "monorepo500",
        project(CACHE / "hugo500"),
        project(CACHE / "monorepo500"),
    )


def project(root: Path) -> list[str]:
    """A build of a Hugo project by this process's git history, in its own folder."""
    blog = root.resolve() / "blog"
    return ["env", "-C", str(blog), *build(blog / "public", *ONE)]


def small_rows(given: argparse.Namespace) -> Iterator[Row]:
    """`validate`, and what a start takes."""
    small, urls, hugo = rich_site(10), CACHE / "urls50000.xml", CACHE / "hugo10"
    urls.write_text(sitemap(50_000))
    nothing, ours = [sys.executable, "-c", "pass"], [sys.executable, "-m", "sitemapper"]
    floor_of_urls = floor("urls", urls)
    yield Row(
        "V validate 50,000 URLs / expat and a set",
        urls,
        floor_of_urls,
        [*ours, "validate", str(urls)],
    )
    yield Row("X --version / python -c pass", small, nothing, [*ours, "--version"])
    yield Row("F ten pages / python -c pass", small, nothing, build(small, *ONE))
    make_hugo(str(hugo), 10)
    ours = ["env", "-C", str(hugo / "blog"), *build(hugo / "blog" / "public", *ONE)]
    yield Row("G ten pages of a Hugo project in git / python -c pass", small, nothing, ours)


def peer_rows(given: argparse.Namespace) -> Iterator[Row]:
    """Other tools on the same pages. Those that read none are compared with a build that reads none."""
    if not given.peers:
        return
    bin = given.peers.resolve()
    rich, heads = rich_site(20_000), rich_site(16_000)  # of more, the first opens too many files
    tool = ["node", str(bin / "sscli"), "-b", "https://example.com", "--stdout"]
    urls = "find . -name '*.html' | sed 's#^[.]#https://example.com#'"
    xml = f"{urls} | sed 's#.*#<url><loc>&</loc></url>#' > /dev/null"
    for name, site, command in (
        ("static-sitemap-cli", heads, tool),
        ("static-sitemap-cli --no-robots", rich, [*tool, "--no-robots"]),
        (
            "sitemap-static",
            rich,
            ["node", str(bin / "sitemap-static"), "--prefix=https://example.com/", "."],
        ),
        (
            "sitemap.js with a list of URLs",
            rich,
            ["sh", "-c", f"{urls} | node '{bin / 'sitemap'}'"],
        ),
        ("find and sed", rich, ["sh", "-c", xml]),
    ):
        mine = build(site, *ONE, *(PLAIN if site == rich else []))
        for kind in ("cpu", "wall"):
            there = ["env", "-C", str(site), *command]
            yield Row(f"s {name} / ours, {kind}", site, mine, there, None, None, emptied, kind=kind)


# The letters of rows, and what makes their sites and lists them.
FAMILIES = {
    "ABCDT": content_rows,
    "I": image_rows,
    "H": language_rows,
    "E": unread_rows,
    "VXFG": small_rows,
    "SM": git_rows,
    "s": peer_rows,
}


def rich_site(pages: int, **more: int) -> Path:
    """A synthetic site, made if it is not there yet."""
    kinds = {"languages": "tongues", "images": "pictures", "folders": "single"}
    name = "".join(kinds[key] for key in more) or "rich"
    site = CACHE / f"{name}{pages}"
    make_rich(str(site), pages, **more)
    return site


def configured(key: str) -> str:
    """A configuration file that turns one key on."""
    file = CACHE / f"{key}.toml"
    file.write_text(f"{key} = true\n")
    return str(file)


def sitemap(urls: int) -> str:
    """A sitemap of so many URLs."""
    row = "<url><loc>https://example.com/section-{0}/page-{1}.html</loc><lastmod>2024-03-{2:02}T10:00:00+00:00</lastmod></url>"
    entries = "\n".join(row.format(n // 100, n, n % 28 + 1) for n in range(urls))
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}\n</urlset>\n'


def measure(row: Row, runs: int) -> str:
    """A row of the table."""
    results = []
    with tempfile.TemporaryDirectory(dir=CACHE) as place:
        work = Path(place)
        start = net(row, work, runs) if row.small else (0.0, 0.0)
        for _ in range(runs + 1):
            row.prepare(row.site, work)
            below = timed(row.floor, work)
            row.prepare(row.site, work)
            less = timed(row.less, work) if row.less else None
            beside = timed(row.beside, work) if row.beside else None
            if row.less:
                row.prepare(row.site, work)
            results.append((below, less, beside, timed(row.ours, work)))
    costs = []
    for below, less, beside, ours in results[1:]:
        least, mine = getattr(below, row.kind) - start[0], getattr(ours, row.kind) - start[1]
        mine -= getattr(less, row.kind) if less else 0
        whole = ours.cpu / beside.cpu if beside else 0
        costs.append((least, mine, mine / least, whole, ours.peak))
    least, mine, ratio, whole, _ = (
        statistics.median(column) for column in zip(*costs, strict=True)
    )
    peak = max(cost[-1] for cost in costs)
    name = row.beside[0].replace("sh", "cat") if row.beside else ""
    others = f"{whole:.2f} {name}" if row.beside and row.kind == "cpu" else ""
    return f"| {row.name} | {row.site.name} | {least:.2f} | {mine:.2f} | {ratio:.2f} | {others} | {peak} |"


def net(row: Row, work: Path, runs: int) -> tuple[float, float]:
    """What the floor and ours cost where there is next to nothing to do."""
    assert row.small
    costs: list[list[float]] = [[], []]
    for _ in range(runs + 1):
        for command, column in zip((row.floor, row.ours), costs, strict=True):
            emptied(row.small, work)
            small = [str(row.small) if part == str(row.site) else part for part in command]
            column.append(getattr(timed(small, work), row.kind))
    emptied(row.small, work)
    return statistics.median(costs[0][1:]), statistics.median(costs[1][1:])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages",
        nargs="*",
        type=int,
        default=[100_000, 1_000_000],
        help="sizes of the plain trees",
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--tree", action="append", default=[], help="a real site too; it is copied; repeatable"
    )
    parser.add_argument(
        "--peers",
        type=Path,
        help="a node_modules/.bin with static-sitemap-cli, sitemap-static and sitemap",
    )
    parser.add_argument("--only", default="", help="rows to run, such as AB; s for other tools")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, each start compiles
    CACHE.mkdir(parents=True, exist_ok=True)
    given.tree = [copied(Path(tree)) for tree in given.tree]
    print(f"CPython {sys.version}\n")
    print(
        "| what | site | floor, s | ours, s | ratio | whole / other | peak MiB |\n|---|---|---|---|---|---|---|"
    )
    for letters, family in FAMILIES.items():
        if given.only and set(letters).isdisjoint(given.only):
            continue
        for row in family(given):
            if not given.only or row.name[0] in given.only:
                print(measure(row, given.runs), flush=True)


def copied(tree: Path) -> str:
    """A copy of a real site that may be edited."""
    target = CACHE / f"copy-{tree.resolve().parent.name}"
    if not target.exists():
        shutil.copytree(tree, target, symlinks=True)
    return str(target)


if __name__ == "__main__":
    main()
