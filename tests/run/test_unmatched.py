"""Patterns that match nothing today: only those that never can are worth a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site

from sitemapper.cli.words import SENTENCES
from sitemapper.messages import Kind

CANNOT = f"warning: {SENTENCES[Kind.IDLE][0]}: "
PAGES = {"index.html": "a", "Blog/a.html": "b", "docs/c.html": "c"}
# A pattern, and why it cannot match. None for one that may match one day.
PATTERNS = {
    "/drafts/*.html": None,
    "**/public/x": None,
    "public/": None,
    "public/drafts/": "it begins with the site's own folder; write drafts/",
    "/public/drafts/a.html": "it begins with the site's own folder; write drafts/a.html",
    "../x": "no path of the site has a ./ or ../ in it",
    "./docs/": "no path of the site has a ./ or ../ in it",
}
SETTINGS = {
    "ignore": "ignore = ['{}']",
    "rules": "[[rules]]\nmatch = ['{}']\npriority = 0.5",
    "sections": "[[sitemaps]]\nname = 'x'\nmatch = ['{}']",
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(("pattern", "reason"), PATTERNS.items(), ids=PATTERNS)
def test_only_what_cannot_match_is_a_warning(
    pattern: str, reason: str | None, setting: str, site: Site, run: Run, tmp_path: Path
) -> None:
    site(PAGES)
    (tmp_path / "sitemapper.toml").write_text(SETTINGS[setting].format(pattern))
    assert run("build", "public", "--base-url", BASE, "--strict", "-v") == (1 if reason else 0)
    is_listed = f"no page matches, or another line decides: sitemapper.toml:1: {pattern}" in run.out
    assert is_listed == (reason is None)
    if reason:
        assert f"{CANNOT}sitemapper.toml:1: {pattern} ({reason})\n" in run.err


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_matches_a_page_is_not_named(
    setting: str, site: Site, run: Run, tmp_path: Path
) -> None:
    site(PAGES)
    (tmp_path / "sitemapper.toml").write_text(SETTINGS[setting].format("docs/c.html"))
    assert run("build", "public", "--base-url", BASE, "--strict", "-v") == 0
    assert "another line decides" not in run.out


@pytest.mark.parametrize("flag", ["--ignore", "--include"])
def test_a_pattern_of_the_command_line_is_named_with_its_flag(
    flag: str, site: Site, run: Run
) -> None:
    root = site(PAGES)
    place = "--ignore" if flag == "--ignore" else "include:"
    assert run("build", root, "--base-url", BASE, "--strict", "-v", flag, "x/*.pdf") == 0
    assert f"another line decides: {place} x/*.pdf\n" in run.out
    assert run("build", root, "--base-url", BASE, "--strict", flag, "public/x.pdf") == 1
    assert f"{CANNOT}{place} public/x.pdf (it begins with" in run.err


def test_a_folder_named_like_the_site_is_a_place_for_pages(site: Site, run: Run) -> None:
    root = site({"public/b.html": "b"})
    assert run("build", root, "--base-url", BASE, "--strict", "--ignore", "public/drafts/") == 0


def test_a_symbolic_link_to_the_site_is_known_by_both_names(
    site: Site, run: Run, tmp_path: Path
) -> None:
    site(PAGES)
    (tmp_path / "current").symlink_to("public")
    for pattern in ("current/x/", "public/x/"):
        assert run("build", "current", "--base-url", BASE, "--strict", "--ignore", pattern) == 1
        assert f"{CANNOT}--ignore {pattern} (it begins with" in run.err


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("Blgo/", "Blog/"), ("blog/", "Blog/"), ("/dcos", "docs"), ("docs/cc.html", "docs/c.html"),
        ("docs/C.html", "docs/c.html"), ("other/", None),
        ("drafts/", None), ("docs/", None), ("Blgo/*", None), ("no/where/", None),
    ],
)  # fmt: skip
def test_a_typo_in_a_name_is_noted(pattern: str, name: str | None, site: Site, run: Run) -> None:
    assert run("build", site(PAGES), "--base-url", BASE, "--ignore", pattern, "--strict") == 0
    said = f"note: {pattern} matches nothing; did you mean {name}?\n"
    assert (said in run.err) == (name is not None)
    assert ("did you mean" in run.err) == (name is not None)
