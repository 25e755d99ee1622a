"""Two configurations for one site, built in any order while its pages change: neither harms the other."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from support import Count, Run, locs, write_site

pytestmark = pytest.mark.slow

STEPS = 12
CONFIG = """
site = "public"
base_url = "{base}"
output = "{output}"
lastmod = ["ledger", "mtime"]
max_drop = 100
[sitemap]
name = "{name}.xml"
max_urls = 2
[ledger]
path = "{ledger}"
"""


def rows_of(base: str) -> list[str]:
    """The rows of the list of changes that are for a base URL."""
    file = Path("changes.tsv")
    rows = file.read_text().splitlines() if file.exists() else []
    return [row for row in rows if base in row]


def edit(chances: random.Random, step: int) -> None:
    """Adds, edits or removes a page of the site."""
    pages = sorted(Path("public").glob("*.html"))
    page = chances.choice(pages)
    match chances.randrange(3):
        case 0:
            write_site(Path("public"), {f"new-{step}.html": f"<title>{step}</title><p>{step}"})
        case 1:
            page.write_text(f"<title>{page.stem}</title><p>edited in step {step}")
        case 2 if len(pages) > 3:
            page.unlink()


@pytest.mark.parametrize("ledger", ["own", "shared"])
@pytest.mark.parametrize("place", ["one output", "two outputs"])
def test_two_configurations_of_one_site_leave_each_other_alone(
    tmp_path: Path, run: Run, count: Count, place: str, ledger: str
) -> None:
    chances = random.Random(f"{place} {ledger}")
    write_site(tmp_path / "public", {f"{n}.html": f"<title>{n}</title><p>{n}" for n in range(5)})
    bases = {}
    outputs = {}
    for name in ("a", "b"):
        # One address may have several sitemaps, and two addresses the same pages.
        bases[name] = (
            "https://example.com/" if place == "one output" else f"https://{name}.example/"
        )
        outputs[name] = "public" if place == "one output" else f"out-{name}"
        path = "ledger" if ledger == "shared" else f"ledger-{name}"
        text = CONFIG.format(base=bases[name], output=outputs[name], name=name, ledger=path)
        Path(f"{name}.toml").write_text(text)
    for step in range(STEPS):
        edit(chances, step)
        for name in chances.sample("ab", 2):
            other = "b" if name == "a" else "a"
            rows_of_other = rows_of(bases[other])
            assert run("build", "--config", f"{name}.toml", "--changes", "changes.tsv") == 0, (
                run.err
            )
            if bases[name] != bases[other]:
                assert rows_of(bases[other]) == rows_of_other
        pages = {path.name for path in Path("public").glob("*.html")}
        for name in ("a", "b"):
            assert run("check", "--config", f"{name}.toml") == 0, (step, name, run.out)
            output = Path(outputs[name])
            lines = re.findall("(?m)^Sitemap: (.*)$", (output / "robots.txt").read_text())
            assert lines.count(f"{bases[name]}{name}.xml") == 1
            shards = [url.removeprefix(bases[name]) for url in locs(output, f"{name}.xml")]
            listed = [url for shard in shards for url in locs(output, shard)]
            assert sorted(listed) == sorted(bases[name] + page for page in pages)
    count("builds of one of two configurations", 2 * STEPS)
