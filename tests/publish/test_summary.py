"""What would be put in place."""

from __future__ import annotations

from support import BASE, Run, Site

from sitemapper.cli.words import SENTENCES
from sitemapper.messages import Kind


def test_a_dry_run_shows_what_stands_in_the_way_of_a_build(site: Site, run: Run) -> None:
    theirs = f"<urlset><url><loc>{BASE}old</loc></url></urlset>"
    root = site({"a.html": "", "sitemap.xml": theirs})
    assert run("build", root, "--base-url", BASE, "--dry-run") == 0
    assert "  would be updated sitemap.xml  1 URL\n" in run.out
    assert run.err.splitlines()[:2] == [
        "warning: sitemapper did not write this file, so a build neither replaces nor removes it: sitemap.xml",
        f"  help: {SENTENCES[Kind.FOREIGN][1]}",
    ]
    for command in ("build", "check"):
        assert run(command, root, "--base-url", BASE) == 2
        said = f"error: {root}/sitemap.xml: not replaced, because sitemapper did not write it"
        assert run.err.splitlines() == [said, f"  help: {SENTENCES[Kind.FOREIGN][1]}"]
    assert (root / "sitemap.xml").read_text() == theirs
