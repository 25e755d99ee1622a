"""Prints, as Markdown, the instructions that a page costs, by layout: ours and those of a bare loop.

python benchmarks/instructions.py

Instructions do not depend on what else the machine does: two runs differ by 0.1 %. A figure is the difference of
builds of 2,100 and 1,100 pages, by valgrind's cachegrind, without the instructions of the system.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from run import CACHE, LEDGER, ONE, PLAIN, build, floor, project, rich_site
from trees import make, make_folders, make_hugo

SMALL, LARGE = 1_100, 2_100  # pages
COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


class Layout(NamedTuple):
    """A kind of tree: what makes one of so many pages, the bare loop, and the flags of a build."""

    name: str
    site: Callable[[int], Path]
    floor: str
    ours: Callable[[Path], list[str]]


def plain(pages: int) -> Path:
    site = (CACHE / f"t{pages}").resolve()
    make(str(site), pages)
    return site


def folders(pages: int) -> Path:
    site = (CACHE / f"folders{pages}").resolve()
    make_folders(str(site), pages)
    return site


def sources(pages: int) -> Path:
    root = (CACHE / f"hugo{pages}").resolve()
    make_hugo(str(root), pages)
    return root / "blog" / "public"


def unread(site: Path) -> list[str]:
    return build(site, *PLAIN, *ONE)


def heads(site: Path) -> list[str]:
    return build(site, *ONE)


def ledger(site: Path) -> list[str]:
    return build(site, *LEDGER, *ONE)


def dated(site: Path) -> list[str]:
    return project(site.parent.parent)


LAYOUTS = (
    Layout("not read, 190 pages a folder", plain, "list", unread),
    Layout("not read, a folder a page", folders, "list", unread),
    Layout("heads, 100 pages a folder", rich_site, "head", heads),
    Layout("heads, a folder a page", lambda pages: rich_site(pages, folders=True), "head", heads),
    Layout("first run with a ledger, 100 pages a folder", rich_site, "parse", ledger),
    Layout("dated by sources in git, a folder a page", sources, "parse", dated),
)


def count(command: list[str]) -> int:
    """The instructions of a command, of which each run starts without output."""
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        at = command.index(sys.executable)
        counted = [*command[:at], *COUNT, *command[at:]]
        counted = [f"{work}/out" if part == "out" else part for part in counted]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        ended = subprocess.run(
            counted, cwd=work, env=environment, check=True, capture_output=True, text=True
        )
    found = re.search(r"I\s+refs:\s+([\d,]+)", ended.stderr)
    if found is None:
        sys.exit(f"valgrind counted nothing: {ended.stderr}")
    return int(found[1].replace(",", ""))


def a_page(command: Callable[[Path], list[str]], layout: Layout) -> float:
    """The instructions of a command for one page more, in thousands."""
    few, many = (count(command(layout.site(pages))) for pages in (SMALL, LARGE))
    return (many - few) / (LARGE - SMALL) / 1000


def main() -> None:
    if shutil.which("valgrind") is None:
        print("Instructions are not counted, because valgrind is not installed.")
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, each start compiles
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run(unread(rich_site(10)), cwd=CACHE, check=True)  # compiles the package
    print("| layout | floor, k a page | ours, k a page | ratio |\n|---|---|---|---|")
    for layout in LAYOUTS:
        least = a_page(lambda site, level=layout.floor: floor(level, site), layout)
        ours = a_page(layout.ours, layout)
        print(
            f"| {layout.name} / {layout.floor} | {least:.1f} | {ours:.1f} | {ours / least:.2f} |",
            flush=True,
        )
    nothing = count([sys.executable, "-c", "pass"])
    start = count(heads(rich_site(10)))
    print(
        f"| start, ten pages / python -c pass, million | {nothing / 1e6:.0f} | {start / 1e6:.0f} | {start / nothing:.1f} |"
    )


if __name__ == "__main__":
    main()
