"""Where pages lead decides what a package is, and under which name a linked folder is listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, paths
from support.heads import canonical

HOME = '<title>Tea</title><p><a href="./">Tea</a>'
CASES = {
    "a vendored editor": ({"index.html": HOME, "lib/ck/package.json": "{}", "lib/ck/samples/a.html": ""}, ["lib/ck/"]),
    "a package in a package": ({"index.html": HOME, "lib/x/bower.json": "{}", "lib/x/y/package.json": "{}", "lib/x/y/demo.html": ""}, ["lib/x/"]),
    "a package that comes first": ({"aa/package.json": "{}", "aa/a.html": "<a href=a.html>a</a>", "index.html": HOME}, ["aa/"]),
    "a package that a page links into": ({"index.html": HOME + '<a href="/game/">', "game/package.json": "{}", "game/index.html": ""}, []),
    "a package that a page links into, deeply": ({"index.html": HOME, "a.html": "<a href='lib/x/doc/a.html'>", "lib/x/package.json": "{}", "lib/x/doc/a.html": ""}, []),
    "a site with a package file": ({"index.html": HOME, "package.json": "{}", "a.html": ""}, []),
    "nothing but a package": ({"app/package.json": "{}", "app/index.html": ""}, []),
    "a home page without links": ({"index.html": "<title>Tea</title>", "game/package.json": "{}", "game/index.html": ""}, []),
}  # fmt: skip


@pytest.mark.parametrize(("files", "left_out"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_packages_are_left_out_unless_a_page_links_into_them(
    files: dict[str, str], left_out: list[str], jobs: str, site: Site, run: Run
) -> None:
    root = site(files)
    flags = ("--base-url", BASE, "--excluded", "-", "--url-style", "file", "--jobs", jobs)
    assert run("build", root, *flags) == 0, run.err
    assert [
        line.partition("\t")[0] for line in run.out.splitlines() if "\tignored\t" in line
    ] == left_out
    kept = [name for name in files if not name.startswith(tuple(left_out) or "-")]
    assert sorted(paths(root)) == sorted(name for name in kept if name.endswith(".html"))


def test_explain_names_the_file_that_decided_and_a_pattern_brings_it_back(
    site: Site, run: Run
) -> None:
    page = "lib/ck/samples/a.html"
    root = site({"index.html": HOME, "lib/ck/package.json": "{}", page: ""})
    assert run("explain", page, "--site", root, "--base-url", BASE) == 0, run.err
    assert "decided by  lib/ck/package.json: a package that no page links to" in run.out
    assert run("build", root, "--base-url", BASE, "--ignore", "!lib/ck/") == 0, run.err
    assert page in paths(root)


def linked(site: Site, target: str, home: str, link: str = "stable") -> Path:
    """A site with a folder, and a link to it in another one."""
    files = (f"{target}/index.html", f"{target}/a/b.html", "dev/index.html", "en/a.html")
    root = site({"index.html": home, **dict.fromkeys(files, "<title>{}</title><p>Tea")})
    (root / link).symlink_to(Path(*[".."] * link.count("/"), target), target_is_directory=True)
    return root


TO_STABLE = '<title>Tea</title><meta http-equiv="refresh" content="0; url={}">'


@POSIX
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("target", "url", "link"),
    [
        ("v0.10.16", "./stable/", "stable"),
        ("versions/1.0", "stable/index.html", "stable"),
        ("v1", "/en/stable/", "en/stable"),
    ],
)
def test_a_linked_folder_is_listed_where_the_home_page_leads(
    target: str, url: str, link: str, jobs: str, site: Site, run: Run
) -> None:
    root = linked(site, target, TO_STABLE.format(url), link)
    assert run("build", root, "--base-url", BASE, "--excluded", "-", "--jobs", jobs) == 0, run.err
    assert f"{target}/\tnot followed\t{link}/: is the link to this folder" in run.out
    assert sorted(paths(root)) == sorted(["dev/", "en/a.html", f"{link}/", f"{link}/a/b.html"])
    assert run("explain", f"{link}/a/b.html", "--site", root, "--base-url", BASE) == 0, run.err
    assert "is listed" in run.out


@POSIX
@pytest.mark.parametrize("url", ["stable/", "/docs/stable/", "https://example.com/docs/stable/"])
def test_the_home_page_may_name_the_linked_folder_by_any_url(
    url: str, site: Site, run: Run
) -> None:
    root = linked(site, "1.0", TO_STABLE.format(url))
    assert run("build", root, "--base-url", f"{BASE}docs/") == 0, run.err
    assert f"<loc>{BASE}docs/stable/a/b.html</loc>" in (root / "sitemap.xml").read_text()


@POSIX
@pytest.mark.parametrize("host", ["auto", "github"])
def test_a_linked_folder_is_listed_where_its_canonicals_name_it(
    host: str, site: Site, run: Run
) -> None:
    """As with mike before 2, whose home page goes there by a script."""
    pages = {
        f"{version}/{page}": canonical(f"{BASE}stable/{page}")
        for version in ("0.9", "1.0")
        for page in ("a.html", "b.html")
    }
    root = site(pages | {"index.html": "<title>Tea</title><script>go('stable/')</script>"})
    (root / "old").symlink_to("0.9")
    (root / "stable").symlink_to("1.0")
    (root.parent / "sitemapper.toml").write_text(f'host = "{host}"\n')
    arguments = ("--base-url", BASE, "--excluded", "-", "--config", root.parent / "sitemapper.toml")
    assert run("build", root, *arguments) == 0, run.err
    assert "1.0/\tnot followed\tstable/: is the link to this folder" in run.out
    assert "redirects" not in run.err
    assert [path for path in paths(root) if path] == ["stable/a.html", "stable/b.html"]


@POSIX
@pytest.mark.parametrize(
    "home",
    [
        "<title>Tea</title><p>Tea",
        TO_STABLE.format("dev/"),
        TO_STABLE.format("https://example.org/stable/"),
    ],
)
def test_a_link_to_a_folder_is_not_followed_otherwise(home: str, site: Site, run: Run) -> None:
    root = linked(site, "v1", home)
    assert run("build", root, "--base-url", BASE) == 0, run.err
    assert paths(root)[-3:] == ["en/a.html", "v1/", "v1/a/b.html"]


@POSIX
def test_a_link_out_of_the_site_is_not_followed_though_the_home_page_leads_there(
    site: Site, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.html").write_text("<title>a</title>")
    root = site({"index.html": TO_STABLE.format("stable/"), "b.html": ""})
    (root / "stable").symlink_to(outside, target_is_directory=True)
    assert run("build", root, "--base-url", BASE) == 0, run.err
    assert paths(root) == ["b.html"]
