"""Prints, as Markdown, how builds compare with `find` and `cat` on the same trees in the same run.

python benchmarks/run.py [--runs N] [PAGES ...]      default: 10000 100000 1000000
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
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
    given = parser.parse_args()
    print("Plain (no page is read), against `find -printf`:\n")
    print("| pages | find, s | build, s | build / find | unchanged / find | peak MiB |")
    print("|---|---|---|---|---|---|")
    for pages in given.pages:
        site = (CACHE / f"t{pages}").resolve()
        make(str(site), pages)
        find = ["find", str(site), "-name", "*.html", "-printf", "%p %T@ %s\\n"]
        print(f"| {pages:,} | {row(site, find, PLAIN, given.runs)}", flush=True)
    print("\nInspecting (every head is read), against `find | xargs cat`:\n")
    print("| site | cat, s | build, s | build / cat | unchanged / cat | peak MiB |")
    print("|---|---|---|---|---|---|")
    rich = CACHE / "rich20000"
    make_rich(str(rich), 20_000)
    for site in [rich, *(Path(tree).resolve() for tree in given.tree)]:
        cat = ["sh", "-c", f"find '{site}' -name '*.html' -type f -print0 | xargs -0 cat"]
        print(f"| {site.name} | {row(site, cat, [], given.runs)}", flush=True)


def row(site: Path, peer: list[str], flags: list[str], runs: int) -> str:
    """The columns of one line: medians of paired runs, warm cache."""
    peers, builds, kept, peaks = [], [], [], []
    for _ in range(runs + 1):
        with tempfile.TemporaryDirectory(dir=CACHE) as out:
            build = [
                sys.executable, "-m", "sitemapper", "build", str(site), "--base-url", "https://example.com",
                "--output", out, "--quiet", *flags,
            ]  # fmt: skip
            peers.append(timed(peer)[0])
            seconds, peak = timed(build)
            builds.append(seconds)
            peaks.append(peak)
            kept.append(timed(build)[0])
    ratio = statistics.median(b / f for b, f in zip(builds[1:], peers[1:], strict=True))
    same = statistics.median(k / f for k, f in zip(kept[1:], peers[1:], strict=True))
    peer_s, build_s = statistics.median(peers[1:]), statistics.median(builds[1:])
    return f"{peer_s:.2f} | {build_s:.2f} | {ratio:.2f} | {same:.2f} | {max(peaks)} |"


if __name__ == "__main__":
    main()
