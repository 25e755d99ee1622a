"""Prints, as Markdown, what builds cost beside `cat` and `find` on the same trees in the same run.

python benchmarks/run.py [--runs N] [--tree SITE ...] [--peers node_modules/.bin] [--only LETTERS]

The scenarios: A a site that was generated again, B a first run, C a first run with a ledger, D nothing
changed, E a million pages of which none is read, F a build of ten pages. Each figure is the median of
ratios of runs that follow each other: CPU time for one process, wall time for two.
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

from trees import make, make_rich

CACHE = Path(os.environ.get("BENCH_CACHE", Path(tempfile.gettempdir()) / "sitemapper-bench"))
PLAIN = [f"--no-respect={signal}" for signal in ("noindex", "canonical", "refresh", "not_a_page", "robots")]
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
    return Cost(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


def cat(site: Path) -> list[str]:
    return ["sh", "-c", f"find '{site}' -name '*.html' -type f -print0 | xargs -0 cat"]


def find(site: Path) -> list[str]:
    return ["find", str(site), "-name", "*.html", "-printf", "%p %T@ %s\\n"]


def build(site: Path, *flags: str) -> list[str]:
    """Ours, with its output and cache in the working directory."""
    own = ["--base-url", "https://example.com", "--output", "out", "--cache", "cache", "--max-drop", "100"]
    return [sys.executable, "-m", "sitemapper", "build", str(site), *own, "--quiet", *flags]


def regenerate(site: Path, percent: float) -> None:
    """Writes every page again, as generators do: new inodes and times, a few of them with a word more."""
    pages = sorted(site.rglob("*.html"))
    step = int(100 / percent)
    for n, page in enumerate(pages):
        data = page.read_bytes()
        new = page.with_name(".new")
        new.write_bytes(data.replace(b"</p>", b" again</p>", 1) if n % step == 0 else data)
        os.replace(new, page)


Round = Callable[[Path, Path], tuple[Cost, Cost]]  # the site and a work folder: what a peer costs, and ours


def generated_again(site: Path, work: Path) -> tuple[Cost, Cost]:
    if not (work / "out").exists():
        timed(build(site, *LEDGER, *ONE), work)
    regenerate(site, 1)
    timed(cat(site))
    return timed(cat(site)), timed(build(site, *LEDGER, *ONE), work)


def first(*flags: str) -> Round:
    def once(site: Path, work: Path) -> tuple[Cost, Cost]:
        emptied(work)
        return timed(cat(site)), timed(build(site, *flags), work)

    return once


def one_against_two(site: Path, work: Path) -> tuple[Cost, Cost]:
    emptied(work)
    one = timed(build(site, *LEDGER, "--no-cache", *ONE), work)
    emptied(work)
    return timed(build(site, *LEDGER, "--no-cache", *TWO), work), one


def unchanged(site: Path, work: Path) -> tuple[Cost, Cost]:
    if not (work / "out").exists():
        timed(build(site, *ONE), work)
    return timed(cat(site)), timed(build(site, *ONE), work)


def plain(*flags: str) -> Round:
    def once(site: Path, work: Path) -> tuple[Cost, Cost]:
        emptied(work)
        return timed(find(site)), timed(build(site, *PLAIN, *flags), work)

    return once


def ten_pages(site: Path, work: Path) -> tuple[Cost, Cost]:
    return timed([sys.executable, "-c", "pass"]), timed(build(site, *ONE), work)


def emptied(work: Path) -> None:
    for name in ("out", "cache"):
        shutil.rmtree(work / name, ignore_errors=True)
    (work / "ledger").unlink(missing_ok=True)


def peer(bin_: Path, *flags: str) -> Round:
    """static-sitemap-cli: its wall time is the second cost, so that the ratio says how much longer it takes."""

    def once(site: Path, work: Path) -> tuple[Cost, Cost]:
        emptied(work)
        own = PLAIN if flags else []
        mine = timed(build(site, "--no-cache", *own), work)
        node = ["node", str(bin_ / "sscli"), "-b", "https://example.com", "--stdout", *flags]
        return mine, timed(node, site)

    return once


def rows(given: argparse.Namespace) -> Iterator[tuple[str, Path, str, Round]]:
    """The scenario, its site, which of its costs is compared, and how it runs."""
    rich = CACHE / "rich20000"
    make_rich(str(rich), 20_000)
    sites = [rich, *(Path(tree).resolve() for tree in given.tree)]
    for site in sites:
        yield "A generated again, 1 % edited, ledger and cache", site, "cpu", generated_again
    for site in sites:
        yield "B first run, one process", site, "cpu", first("--no-cache", *ONE)
        yield "B first run, two processes", site, "wall", first("--no-cache", *TWO)
        yield "C first run with a ledger: one process / two", site, "wall", one_against_two
        yield "D unchanged", site, "cpu", unchanged
    for pages in given.pages:
        site = (CACHE / f"t{pages}").resolve()
        make(str(site), pages)
        yield "E plain, one process / find", site, "cpu", plain("--no-cache", *ONE)
        if given.peers:
            yield "static-sitemap-cli --no-robots / ours", site, "wall", peer(given.peers, "--no-robots")
    small = CACHE / "t10"
    make(str(small), 10)
    yield "F ten pages / python -c pass", small, "cpu", ten_pages
    if given.peers:
        heads = CACHE / "rich16000"
        make_rich(str(heads), 16_000)
        yield "static-sitemap-cli / ours", heads, "wall", peer(given.peers)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", nargs="*", type=int, default=[1_000_000], help="sizes of the plain trees")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--tree", action="append", default=[], help="a real site too; it is copied; repeatable"
    )
    parser.add_argument("--peers", type=Path, help="a node_modules/.bin with sscli (static-sitemap-cli)")
    parser.add_argument("--only", default="", help="scenarios to run, such as AB; s for the peer")
    given = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    given.tree = [copied(Path(tree)) for tree in given.tree]
    print("| scenario | site | beside, s | ours, s | ratio | peak MiB |\n|---|---|---|---|---|---|")
    for name, site, kind, once in rows(given):
        if given.only and name[0] not in given.only:
            continue
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            pairs = [once(site, Path(work)) for _ in range(given.runs + 1)][1:]
        costs = [(getattr(beside, kind), getattr(ours, kind)) for beside, ours in pairs]
        ratio = statistics.median(ours / beside for beside, ours in costs)
        middle = [statistics.median(column) for column in zip(*costs, strict=True)]
        peak = max(ours.peak for _, ours in pairs)
        print(
            f"| {name} | {site.name} | {middle[0]:.2f} | {middle[1]:.2f} | {ratio:.2f} | {peak} |", flush=True
        )


def copied(tree: Path) -> str:
    """A copy of a real site that may be edited."""
    target = CACHE / f"copy-{tree.resolve().parent.name}"
    if not target.exists():
        shutil.copytree(tree, target, symlinks=True)
    return str(target)


if __name__ == "__main__":
    main()
