"""Pages that are read although their path has decided."""

from __future__ import annotations

from support import Site, build
from support.heads import NOINDEX


def test_a_page_behind_robots_txt_is_read_for_a_noindex_that_crawlers_cannot_see(
    site: Site, reads: list[str]
) -> None:
    root = site({"a.html": "", "p/b.html": NOINDEX, "robots.txt": "User-agent: *\nDisallow: /p/\n"})
    summary = build(root)
    assert sorted(set(reads)) == ["a.html", "p/b.html"]
    assert [(kind.name, names) for kind, names, _, _ in summary.warnings] == [
        ("HIDDEN", ("p/b.html",))
    ]
