"""Sites of kinds that hold more than pages: the exact lists of what is listed, and of what is not and why.

A file of tests/data/sites is one site, reduced from a real one to what its verdicts depend on, with a text
of our own. The first lines say what it is, `$ flags` what its owner has to write, `+ URL` and `- verdict` what
a build must say, and each `--- path` begins a file of the site.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import BASE, Run, Site, locs

SITES = sorted((Path(__file__).parents[1] / "data/sites").glob("*.txt"))
assert len(SITES) >= 11


@pytest.mark.parametrize("archive", SITES, ids=[path.stem for path in SITES])
def test_a_site_of_this_kind_is_listed_exactly(archive: Path, site: Site, run: Run) -> None:
    head, *parts = re.split(r"(?m)^--- (.+)\n", archive.read_text("utf-8"))
    root = site(dict(zip(parts[::2], map(str.encode, parts[1::2]), strict=True)))
    flags = [word for line in re.findall(r"(?m)^\$ (.+)", head) for word in line.split()]
    assert run("build", root, "--base-url", BASE, "--excluded", "-", *flags) == 0, run.err
    verdicts = sorted(line.replace("\t", ", ") for line in run.out.splitlines() if "\t" in line)
    found = [*(f"+ {loc}" for loc in locs(root)), *(f"- {verdict}" for verdict in verdicts)]
    assert found == [line for line in head.splitlines() if line[:2] in ("+ ", "- ")]
