"""The robots.txt of a site is read from its folder, and written to the output."""

from __future__ import annotations

from pathlib import Path

from support import Site, build


def test_robots_txt_of_the_site_is_followed_into_another_output(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\n"})
    build(root, output=str(tmp_path / "out"))
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    build(root, output=str(tmp_path / "out"))
    assert "Disallow: /private/" in (tmp_path / "out" / "robots.txt").read_text()
