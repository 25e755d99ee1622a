"""robots.txt in the output: the site's own rules, and one line of ours."""

from __future__ import annotations

from pathlib import Path

from support import BASE, POSIX, Site, build, changed


def test_robots_txt_that_names_a_missing_sitemap_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "robots.txt": f"Sitemap: {BASE}old.xml\nSitemap: https://other.com/x.xml\n"})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("STALE_ROBOTS", (f"{BASE}old.xml",))
    ]


def test_robots_txt_of_the_site_is_followed_into_another_output(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\n"})
    build(root, output=str(tmp_path / "out"))
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    build(root, output=str(tmp_path / "out"))
    assert "Disallow: /private/" in (tmp_path / "out" / "robots.txt").read_text()


@POSIX
def test_our_line_in_a_linked_robots_txt_is_enough(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    (tmp_path / "robots.txt").write_text(f"Sitemap: {BASE}sitemap.xml\n")
    (root / "robots.txt").symlink_to(tmp_path / "robots.txt")
    assert changed(build(root))["robots.txt"] == "kept"
