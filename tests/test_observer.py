"""The phases of a run, as an observer hears of them."""

from __future__ import annotations

from pathlib import Path

from support import NOW, Site, settings, with_site
from support.git import Repo

import sitemapper


def phases(root: Path, **values: object) -> list[str]:
    class RunObserver(sitemapper.Observer):
        def phase(self, name: str) -> None:
            found.append(name)

    found: list[str] = []
    options = with_site(settings(root, **values), project=str(root))
    sitemapper.build(options, now=NOW, observer=RunObserver())
    return list(dict.fromkeys(found))


def test_the_phases_of_a_run(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    nothing = dict.fromkeys(("noindex", "canonical", "refresh"), False)
    assert phases(root) == ["reading", "writing"]
    assert phases(root, respect=nothing) == ["listing", "writing"]
    repo = Repo(root)
    repo("add", "-A")
    repo("commit", "-q", "-m", "x")
    assert phases(root, lastmod=["git"]) == ["dating", "reading", "writing"]
