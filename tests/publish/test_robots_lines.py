"""The Sitemap: lines of robots.txt: what it keeps, and the one line of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, build, changed, write_site
from support.cost import assert_linear
from support.sitemaps import index


def test_robots_txt_that_names_a_missing_sitemap_is_a_warning(site: Site) -> None:
    root = site(
        {"a.html": "", "robots.txt": f"Sitemap: {BASE}old.xml\nSitemap: https://other.com/x.xml\n"}
    )
    assert [(k.name, examples) for k, examples, _, _ in build(root).warnings] == [
        ("STALE_ROBOTS", (f"{BASE}old.xml",))
    ]


@POSIX
def test_our_line_in_a_linked_robots_txt_is_enough(site: Site) -> None:
    root = site({"a.html": "", "static/robots.txt": f"Sitemap: {BASE}sitemap.xml\n"})
    (root / "robots.txt").symlink_to("static/robots.txt")
    assert changed(build(root))["robots.txt"] == "kept"


@POSIX
def test_a_robots_txt_behind_a_link_out_of_the_site_is_not_published(
    site: Site, tmp_path: Path, run: Run
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "secret").write_text("TOKEN=1")
    (root / "robots.txt").symlink_to(tmp_path / "secret")
    assert run("build", root, "--base-url", BASE, "--output", tmp_path / "out") == 2
    assert run.err == (
        f"error: {root / 'robots.txt'}: a link leads out of {root}\n"
        "  help: replace the link with a copy of the file\n"
    )
    assert not (tmp_path / "out/sitemap.xml").exists()


OTHERS = (
    "User-agent: *\nDisallow:\n\nSitemap: http://old.com/news.xml\nSitemap: {}\n"
    "Sitemap: https://other.com/sitemap.xml\n# end"
)


def test_a_new_base_url_replaces_our_line(site: Site, run: Run) -> None:
    root = site(
        {"a.html": "", "b.html": "", "robots.txt": OTHERS.format("http://old.com/sitemap.xml")}
    )
    for flags in ((), ("--max-urls", 1)):
        assert run("build", root, "--base-url", "http://old.com", *flags) == 0
        assert (root / "robots.txt").read_text() == OTHERS.format("http://old.com/sitemap.xml")
        flags = (*flags, "--max-drop", 100)  # the host is another one
        assert run("check", root, "--base-url", BASE, *flags) == 1
        assert "would be updated robots.txt with the line" in run.out
        assert run("build", root, "--base-url", BASE, *flags) == 0
        assert (root / "robots.txt").read_text() == OTHERS.format(f"{BASE}sitemap.xml")
        assert run("build", root, "--base-url", "http://old.com", *flags) == 0


def test_a_line_that_differs_only_in_its_scheme_is_replaced(site: Site, run: Run) -> None:
    """The site has moved from http to https, with the sitemap of another tool."""
    old = BASE.replace("https:", "http:")
    line = OTHERS.format(f"{old}sitemap.xml")
    root = site({"a.html": "", "sitemap.xml": "<urlset/>", "robots.txt": line})
    assert run("build", root, "--base-url", BASE, "--replace") == 0
    assert (root / "robots.txt").read_text() == OTHERS.format(f"{BASE}sitemap.xml")


def test_a_sitemap_of_the_same_pages_keeps_its_line(site: Site, run: Run, tmp_path: Path) -> None:
    """It may be that of another configuration."""
    root = site({"a.html": "", "b.html": "", "robots.txt": OTHERS.format(f"{BASE}sitemap.xml")})
    assert run("build", root, "--base-url", BASE) == 0
    (tmp_path / "pages.toml").write_text('[sitemap]\nname = "pages.xml"\n')
    other = ("--config", tmp_path / "pages.toml")
    assert run("build", root, "--base-url", BASE, *other) == 0
    both = OTHERS.format(f"{BASE}sitemap.xml") + f"\nSitemap: {BASE}pages.xml\n"
    assert (root / "robots.txt").read_text() == both
    for flags in ((), other):
        assert run("check", root, "--base-url", BASE, *flags, "--strict") == 0


def test_the_sitemaps_of_another_configuration_are_none_of_ours(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"a.html": "", "b.html": "", "c.html": "", "d.html": ""})
    (tmp_path / "docs.toml").write_text(
        'ignore = ["a.html", "d.html"]\n[sitemap]\nname = "sitemap-docs.xml"\nmax_urls = 1\n'
    )
    for _ in range(2):
        assert run("build", root, "--base-url", BASE, "--config", tmp_path / "docs.toml") == 0
        assert run("build", root, "--base-url", BASE, "--no-lastmod", "--strict") == 0
    (root / "robots.txt").write_text(f"Sitemap: {BASE}sitemap.xml\n")
    assert run("build", root, "--base-url", BASE, "--no-lastmod", "--strict") == 1
    assert "this one does not update it: sitemap-docs.xml\n" in run.err


def test_a_sitemap_of_the_same_name_in_another_folder_is_another(site: Site, run: Run) -> None:
    line = f"Sitemap: {BASE}docs/sitemap.xml\n"
    root = site({"docs/a.html": "", "docs/sitemap.xml": "", "robots.txt": line})
    for _ in range(2):
        assert run("build", root, "--base-url", BASE) == 0
        assert (root / "robots.txt").read_text() == f"{line}Sitemap: {BASE}sitemap.xml\n"
    (root / "robots.txt").write_text(line)
    Path("sitemapper.toml").write_text('[sitemap]\nname = "pages.xml"\n')
    assert run("build", root, "--base-url", BASE) == 0
    assert "this one does not update it: sitemap.xml" in run.err


@pytest.mark.slow
def test_many_sitemap_lines_beside_many_files_take_no_time(tmp_path: Path) -> None:
    def prepare(n: int) -> Callable[[], object]:
        lines = "".join(f"Sitemap: {BASE}{i}.xml\n" for i in range(n))
        files = {"a.html": "", "robots.txt": lines} | {f"data{i}.xml": "" for i in range(n)}
        return partial(build, write_site(tmp_path / "public", files))

    assert_linear(prepare, 1_000)


@POSIX
def test_a_file_of_somebody_else_need_not_be_readable(closed_to_us: Path) -> None:
    lines = f"Sitemap: {BASE}news.xml\n"
    root = write_site(
        closed_to_us / "public", {"a.html": "", "feed.xml": "", "news.xml": "", "robots.txt": lines}
    )
    (root / "feed.xml").chmod(0)
    (root / "news.xml").chmod(0)
    assert changed(build(root))["sitemap.xml"] == "created"


@pytest.mark.parametrize("named_by", ["robots.txt", "index.xml"])
def test_a_file_of_another_configuration_is_not_removed(site: Site, named_by: str) -> None:
    root = site({"a.html": "", "b.html": ""})
    build(root)
    other = "sitemap-2024.xml"
    (root / other).write_bytes((root / "sitemap.xml").read_bytes())
    (root / "sitemap-7.xml").write_bytes((root / "sitemap.xml").read_bytes())  # of a killed run
    naming = (
        f"Sitemap: {BASE}{other}\n"
        if named_by == "robots.txt"
        else index(f"<loc>{BASE}{other}</loc>")
    )
    with open(root / named_by, "a") as file:
        file.write(naming)
    (root / "c.html").write_text("")
    assert changed(build(root))["sitemap-7.xml"] == "removed"
    assert ((root / other).exists(), (root / "sitemap-7.xml").exists()) == (True, False)


def test_what_our_own_index_named_is_removed_even_if_robots_names_it_too(site: Site) -> None:
    root = site({"a.html": "", "b.html": ""})
    build(root, sitemap={"max_urls": 1, "gzip": "also"})
    with open(root / "robots.txt", "a") as file:
        file.write(f"Sitemap: {BASE}sitemap-2.xml\n")
    removed = {name for name, change in changed(build(root)).items() if change == "removed"}
    assert removed == {
        "sitemap-1.xml",
        "sitemap-1.xml.gz",
        "sitemap-2.xml",
        "sitemap-2.xml.gz",
        "sitemap.xml.gz",
    }


def test_the_line_for_the_root_of_the_host_is_named_until_robots_txt_is_switched_off(
    site: Site, run: Run
) -> None:
    site({"a.html": ""})
    command = ("build", "public", "--base-url", f"{BASE}tea/")
    line = f"note: add this line to {BASE}robots.txt: Sitemap: {BASE}tea/sitemap.xml\n"
    for _ in range(2):
        assert run(*command) == 0 and line not in run.err
        assert run(*command, "-v") == 0 and line in run.err
    assert not Path("public/robots.txt").exists()
    assert run("init", "public", "--base-url", f"{BASE}tea/") == 0 and line in run.out
    Path("sitemapper.toml").write_text("[robots]\nwrite = false\n")
    assert run(*command, "-v") == 0 and "robots.txt" not in run.err
