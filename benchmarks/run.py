"""Prints, as Markdown, how builds compare with `find` and `cat` on the same trees in the same run.

python benchmarks/run.py [--runs N] [PAGES ...]      default: 10000 100000 1000000
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from trees import make, make_rich

CACHE = Path(os.environ.get("BENCH_CACHE", Path(tempfile.gettempdir()) / "sitemapper-bench"))
PLAIN = [f"--no-respect={signal}" for signal in ("noindex", "canonical", "refresh", "robots", "host")]


def timed(command: list[str]) -> tuple[float, int]:
    """Wall seconds and peak MiB of a command, run in a child of its own so that the peak is its."""
    begun = time.perf_counter()
    child = os.posix_spawnp(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return time.perf_counter() - begun, usage.ru_maxrss // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tree", action="append", default=[], help="a real site to inspect too; repeatable")
    parser.add_argument("--peers", help="a node_modules/.bin with sscli (static-sitemap-cli) and sitemap")
    parser.add_argument("--jobs", type=int, default=1, help="processes of ours, but beside peers")
    given = parser.parse_args()
    os.environ["BENCH_JOBS"] = str(given.jobs)
    plain = []
    for pages in given.pages:
        site = (CACHE / f"t{pages}").resolve()
        make(str(site), pages)
        plain.append((f"{pages:,}", site))
    rich = CACHE / "rich20000"
    make_rich(str(rich), 20_000)
    sites = [(path.name, path) for path in [rich, *(Path(tree).resolve() for tree in given.tree)]]
    table("Plain (no page is read), against `find -printf`", "find", find, plain, PLAIN, given.runs)
    table("Inspecting (every head is read), against `find | xargs cat`", "cat", cat, sites, [], given.runs)
    ledger = ["--lastmod=ledger", "--lastmod=mtime"]
    table("With a ledger (every page's content is digested)", "cat", cat, sites, ledger, given.runs)
    if given.peers:
        peers([*sites, *plain], Path(given.peers).resolve(), given.runs)
    print(
        "\nThe digest of a page, against parsing it with lexbor:\n\n| site | parse, µs | digest / parse |\n|---|---|---|"
    )
    for name, site in sites:
        parse, ratio = digesting(site)
        print(f"| {name} | {parse:.0f} | {ratio:.2f} |", flush=True)


def find(site: Path) -> list[str]:
    return ["find", str(site), "-name", "*.html", "-printf", "%p %T@ %s\\n"]


def cat(site: Path) -> list[str]:
    return ["sh", "-c", f"find '{site}' -name '*.html' -type f -print0 | xargs -0 cat"]


def table(
    title: str,
    peer: str,
    command: Callable[[Path], list[str]],
    sites: list[tuple[str, Path]],
    flags: list[str],
    runs: int,
) -> None:
    """One line a site: seconds of the peer, then ratios to it, medians of paired runs with a warm cache."""
    print(f"\n{title}:\n")
    print(
        f"| site | {peer}, s | first, s | first / {peer} | rebuilt / {peer} | unchanged / {peer} | peak MiB |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, site in sites:
        rounds = [once(site, command(site), flags) for _ in range(runs + 1)][1:]
        seconds, peaks = [r[:4] for r in rounds], [r[4] for r in rounds]
        ratios = [statistics.median(row[n] / row[0] for row in seconds) for n in (1, 2, 3)]
        middle = [statistics.median(row[n] for row in seconds) for n in (0, 1)]
        print(
            f"| {name} | {middle[0]:.2f} | {middle[1]:.2f} | "
            + " | ".join(f"{r:.2f}" for r in ratios)
            + f" | {max(peaks)} |",
            flush=True,
        )


def once(site: Path, peer: list[str], flags: list[str]) -> tuple[float, float, float, float, int]:
    """Seconds of the peer, of a first build, of one through the cache, of one that finds nothing changed; peak."""
    with tempfile.TemporaryDirectory(dir=CACHE) as top:
        out = Path(top, "out")
        build = [
            sys.executable, "-m", "sitemapper", "build", str(site), "--base-url", "https://example.com",
            "--output", str(out), "--quiet", "--jobs", os.environ["BENCH_JOBS"], *flags,
        ]  # fmt: skip
        if flags and flags != PLAIN:
            build += ["--ledger", f"{top}/ledger"]
        os.environ["XDG_CACHE_HOME"] = f"{top}/cache"
        first_peer = timed(peer)[0]
        first, peak = timed(build)
        shutil.rmtree(out)  # as a generator empties its folder
        rebuilt, more = timed(build)
        unchanged, _ = timed(build)
        return first_peer, first, rebuilt, unchanged, max(peak, more)


def peers(sites: list[tuple[str, Path]], bin_: Path, runs: int) -> None:
    """Other tools on the same trees; ours with as many processes as it takes by itself, without its cache."""
    print("\nPeers, as ratios to ours on the same tree:\n")
    print(
        "| site | ours, s (heads / plain) | sscli (heads) | sscli --no-robots (plain) | sitemap (URLs given) | peak MiB |"
    )
    print("|---|---|---|---|---|---|")
    for name, site in sites:
        heads = ours(site, []) if "rich" in name or not name[0].isdigit() else None
        urls = Path(tempfile.gettempdir(), "sitemapper-bench-urls")
        urls.write_text("".join(f"https://example.com/{p.relative_to(site)}\n" for p in site.rglob("*.html")))
        node = ["env", "-C", str(site), "node", str(bin_ / "sscli"), "-b", "https://example.com", "--stdout"]
        theirs = (
            node if heads else None,
            [*node, "--no-robots"],
            ["sh", "-c", f"node '{bin_}/sitemap' < '{urls}'"],
        )
        own = (heads, ours(site, PLAIN), ours(site, PLAIN))
        cells, peaks = [], []
        for n, command in enumerate(theirs):
            mine = own[n]
            if command is None or mine is None:
                cells.append("")
                continue
            ratios = []
            for _ in range(runs):
                seconds, _ = timed(mine)
                found = tried(command)
                if found is None:
                    break
                ratios.append(found[0] / seconds)
                peaks.append(found[1])
            cells.append(f"{statistics.median(ratios):.1f}" if ratios else "failed")
        base = [f"{timed(command)[0]:.2f}" if command else "" for command in own[:2]]
        print(f"| {name} | {' / '.join(base)} | {' | '.join(cells)} | {max(peaks, default=0)} |", flush=True)


def ours(site: Path, flags: list[str]) -> list[str]:
    """A build into the temporary folder, everything anew."""
    out = Path(tempfile.gettempdir(), "sitemapper-bench-out")
    build = f"rm -rf '{out}'; '{sys.executable}' -m sitemapper build '{site}' --base-url https://example.com"
    return ["sh", "-c", f"{build} --output '{out}' --quiet --no-cache {' '.join(flags)}"]


def tried(command: list[str]) -> tuple[float, int] | None:
    """Seconds and MiB of a peer; None if it fails."""
    begun = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_WRONLY, 0) for n in (1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    return None if status else (time.perf_counter() - begun, usage.ru_maxrss // 1024)


def digesting(site: Path) -> tuple[float, float]:
    """Microseconds to parse a page (of 400) and how many times that its digest takes; best of five."""
    from selectolax.lexbor import LexborHTMLParser

    from sitemapper.lastmod.content import digest, rule

    files = sorted(site.rglob("*.html"))
    pages = [path.read_bytes() for path in files[:: max(1, len(files) // 400)] if path.is_file()]
    by, best = rule([]), [1e9, 1e9]
    for _ in range(5):
        for n, work in enumerate((LexborHTMLParser, lambda data: digest(data, by))):
            begun = time.perf_counter()
            for page in pages:
                work(page)
            best[n] = min(best[n], time.perf_counter() - begun)
    return best[0] / len(pages) * 1e6, best[1] / best[0]


if __name__ == "__main__":
    main()
