"""Files of other tools in the output folder: named, replaced only with a flag, never removed."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, notes_of, paths, write_site
from support.git import Repo

from sitemapper import SitemapperError
from sitemapper.cli.words import SENTENCES
from sitemapper.messages import Kind
from sitemapper.protocol import NAMESPACE


def test_a_packed_file_beside_one_of_ours_is_a_note_until_it_has_the_same_contents(
    site: Site,
) -> None:
    """nginx sends it with `gzip_static on`."""
    packed = {
        f"{name}.gz": gzip.compress(b"old") for name in ("sitemap.xml", "robots.txt", "a.html")
    }
    root = site({"a.html": "", **packed})
    note = (
        "this compressed copy is out of date, and some servers send it in place of the plain file: "
        "sitemap.xml.gz; robots.txt.gz\n"
        "help: run your compressor after sitemapper, or delete the copy"
    )
    for _ in range(2):
        assert note in notes_of(build(root))
    for name in ("sitemap.xml", "robots.txt"):
        (root / f"{name}.gz").write_bytes(gzip.compress((root / name).read_bytes()))
    assert not any("compressed" in text or ".gz" in text for text in notes_of(build(root)))


def test_a_packed_sitemap_of_somebody_else_is_not_replaced(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml.gz": gzip.compress(b"<urlset/>")})
    with pytest.raises(
        SitemapperError,
        match=r"sitemap\.xml\.gz: was not written by sitemapper, so it is not replaced",
    ):
        build(root, sitemap={"gzip": "also"})


def test_a_dry_run_shows_what_stands_in_the_way_of_a_build(site: Site, run: Run) -> None:
    theirs = f"<urlset><url><loc>{BASE}old</loc></url></urlset>"
    root = site({"a.html": "", "sitemap.xml": theirs})
    assert run("build", root, "--base-url", BASE, "--dry-run") == 0
    assert "  would be updated sitemap.xml  1 URL\n" in run.out
    assert run.err.splitlines()[:2] == [
        "warning: this file was not written by sitemapper, so a build neither replaces nor removes it: sitemap.xml",
        f"  help: {SENTENCES[Kind.FOREIGN][1]}",
    ]
    for command in ("build", "check"):
        assert run(command, root, "--base-url", BASE) == 2
        said = f"error: {root}/sitemap.xml: was not written by sitemapper, so it is not replaced"
        assert run.err.splitlines() == [said, f"  help: {SENTENCES[Kind.FOREIGN][1]}"]
    assert (root / "sitemap.xml").read_text() == theirs


HUGO = {"hugo.toml": f'baseURL = "{BASE}"', ".gitignore": "public\n", "content/a.md": "A"}
PAGES = {"public/index.html": "<p>a", "public/de/index.html": "<p>b"}


def sitemap(*names: str, root: str = "urlset") -> str:
    tag = "url" if root == "urlset" else "sitemap"
    return (
        f"<{root}>{''.join(f'<{tag}><loc>{BASE}{name}</loc></{tag}>' for name in names)}</{root}>"
    )


def test_the_sitemap_that_each_build_writes_anew_is_replaced(tmp_path: Path, run: Run) -> None:
    """Whatever its index names stays: it may be anybody's."""
    Repo(tmp_path).commit(1, HUGO)
    theirs = {
        "public/de/sitemap.xml": sitemap("de/"),
        "public/feed.xml": "<rss/>",
        "public/products.xml": sitemap(),
        "public/sitemap-0.xml": sitemap("0"),
        "public/sitemap_index.xml": sitemap("products.xml", root="sitemapindex"),
    }
    index = sitemap("de/sitemap.xml", "products.xml", root="sitemapindex")
    robots = f"Sitemap: {BASE}de/sitemap.xml\n"
    write_site(
        tmp_path, {**PAGES, **theirs, "public/sitemap.xml": index, "public/robots.txt": robots}
    )
    assert run("build", "--base-url", BASE, "--strict", "--max-drop", "0") == 0
    assert "  replaced sitemap.xml  2 URLs (was Hugo's)\n" in run.out
    assert paths(tmp_path / "public") == ["", "de/"]
    for name, text in theirs.items():
        assert (tmp_path / name).read_text() == text
    assert (tmp_path / "public/robots.txt").read_text() == (f"{robots}Sitemap: {BASE}sitemap.xml\n")
    assert run("check", "--base-url", BASE) == 0


def test_the_row_of_a_replaced_sitemap_counts_its_urls(tmp_path: Path, run: Run) -> None:
    theirs = sitemap("", "de/").replace(BASE, "https://other.example/tea/")
    write_site(tmp_path, {**HUGO, **PAGES, "public/sitemap.xml": theirs})
    assert run("build", "--base-url", BASE, "--dry-run") == 0
    assert "  would be replaced sitemap.xml  2 URLs (Hugo's: 2)\n" in run.out
    assert run("build", "--base-url", BASE, "--format", "json", "--dry-run") == 0
    assert "note: replaces Hugo's sitemap: sitemap.xml\n" in run.err
    assert "replaces Hugo's sitemap: sitemap.xml" in json.loads(run.out)["notes"]
    assert run("build", "--base-url", BASE) == 0
    assert "  replaced sitemap.xml  2 URLs (Hugo's: 2)\n" in run.out


def test_a_sitemap_of_other_pages_is_no_generators(tmp_path: Path, run: Run) -> None:
    """A flag may turn off Hugo's own, and a shop may write one of the same name."""
    shop = sitemap("", "p/1", "p/2")
    write_site(tmp_path, {**HUGO, **PAGES, "public/sitemap.xml": shop})
    assert_kept(tmp_path, run)
    index = sitemap("products.xml", root="sitemapindex")
    write_site(tmp_path, {"public/sitemap.xml": index, "public/products.xml": shop})
    assert_kept(tmp_path, run)
    write_site(tmp_path, {"public/products.xml": index})
    assert_kept(tmp_path, run)


def test_dates_that_only_the_replaced_sitemap_had_are_a_note(tmp_path: Path, run: Run) -> None:
    day = "</loc><lastmod>2024-05-02</lastmod>"
    theirs = {"public/sitemap.xml": sitemap("", "de/").replace("</loc>", day)}
    note = "note: 2 pages had a date in Hugo's sitemap and have none now\n"
    command = ("build", "--base-url", BASE, "--strict", "--dry-run")
    write_site(tmp_path, {**HUGO, **PAGES, **theirs})
    assert run(*command) == 0 and note in run.err
    assert run(*command, "--no-lastmod") == 0 and note not in run.err
    assert run(*command, "--lastmod", "mtime") == 0 and note not in run.err
    # What Hugo writes for a page without a date.
    no_date = {
        "public/sitemap.xml": theirs["public/sitemap.xml"].replace("2024-05-02", "0001-01-01")
    }
    write_site(tmp_path, no_date)
    assert run(*command) == 0 and "had a date" not in run.err


def test_a_replaced_sitemap_without_urls_is_no_news(tmp_path: Path, run: Run) -> None:
    """MkDocs writes one if site_url is not set."""
    write_site(tmp_path, {**HUGO, **PAGES, "public/sitemap.xml": sitemap()})
    assert run("build", "--base-url", BASE) == 0
    assert "Hugo" not in run.out + run.err


@pytest.mark.parametrize("flags", [(), ("--replace",)])
def test_the_other_names_in_the_row_of_a_generator_are_removed(
    tmp_path: Path, run: Run, flags: tuple[str, ...]
) -> None:
    """Astro writes an index of another name. Nothing would keep it up to date."""
    config = "import sitemap from '@astrojs/sitemap'\nexport default {integrations: [sitemap()]}\n"
    write_site(
        tmp_path,
        {
            "astro.config.mjs": config,
            "dist/index.html": "<p>a",
            "dist/b/index.html": "<p>b",
            "dist/sitemap-index.xml": sitemap("sitemap-0.xml", root="sitemapindex"),
            "dist/sitemap-0.xml": sitemap("", "b/"),
            "dist/sitemap-1.xml": sitemap("old"),
            "dist/robots.txt": f"Sitemap: {BASE}sitemap-index.xml\n",
        },
    )
    (tmp_path / "dist/sitemap-0.xml.gz").write_bytes(b"")
    assert run("build", "--base-url", BASE, *flags) == 0
    assert "in place of the plain file: sitemap-0.xml.gz\n" in run.err
    assert "removed  sitemap-index.xml (was Astro's)\n" in run.out
    assert "removed  sitemap-0.xml (Astro's: 2)\n" in run.out
    left = {path.name for path in (tmp_path / "dist").glob("*.xml")}
    assert left == {"sitemap.xml", "sitemap-1.xml"}
    assert (tmp_path / "dist/robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\n"


def assert_kept(root: Path, run: Run, name: str = "public/sitemap.xml") -> None:
    """Neither build nor check takes a sitemap of others without --replace."""
    before = (root / name).read_bytes()
    for command in ("build", "check"):
        assert run(command, "--base-url", BASE) == 2
        assert "not replaced" in run.err
    assert (root / name).read_bytes() == before


@pytest.mark.parametrize("tracked", ["public/sitemap.xml", "static/sitemap.xml"])
def test_a_sitemap_that_git_tracks_is_somebodys_own(tmp_path: Path, run: Run, tracked: str) -> None:
    """Also if the file has been edited since, or has other line ends."""
    Repo(tmp_path).commit(1, {**HUGO, ".gitignore": "", tracked: sitemap("de/")})
    write_site(tmp_path, {**PAGES, "public/sitemap.xml": sitemap("de/") + "\r\n"})
    assert_kept(tmp_path, run)
    problem, help = run.err.splitlines()[-2:]
    assert problem.endswith(
        f" was not written by sitemapper, and git tracks {tracked}, so it is not replaced"
    )
    assert help == (
        '  help: pass --replace and put disableKinds = ["sitemap"] at the top of Hugo\'s '
        'configuration, or choose another name: [sitemap] name = "sitemap-pages.xml"'
    )


@pytest.mark.slow
def test_a_sitemap_with_the_bytes_of_a_tracked_file_is_somebodys_own(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme = Repo(tmp_path / "theme")
    theme.commit(1, {"static/sitemap.xml": sitemap("de/")})
    site = Repo(tmp_path / "site")
    site.commit(1, HUGO)
    site("submodule", "add", "-q", str(theme.root), "themes/tea")
    write_site(site.root, {**PAGES, "public/sitemap.xml": sitemap("de/")})
    monkeypatch.chdir(site.root)
    assert_kept(site.root, run)


def test_a_tracked_sitemap_of_another_folder_and_content_is_no_copy(
    tmp_path: Path, run: Run
) -> None:
    """Such as that of the site before, kept in `static/old/`."""
    Repo(tmp_path).commit(1, {**HUGO, "static/old/sitemap.xml": sitemap("old")})
    write_site(tmp_path, {**PAGES, "public/sitemap.xml": sitemap("", "de/")})
    assert run("build", "--base-url", BASE) == 0


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ("disableKinds = ['RSS', 'sitemap']", sitemap("old")),
        ("disablekinds = ['sitemap']", sitemap("old")),
        ("[sitemap]\nfilename = 'pages.xml'", sitemap("old")),
        ("", f"<!-- made by a tool for sitemaps -->{sitemap('old')}"),
        ("", "<html></html>"),
    ],
)
def test_what_hugo_does_not_write_is_not_taken_for_hugos(
    tmp_path: Path, run: Run, settings: str, text: str
) -> None:
    config = f'baseURL = "{BASE}"\n{settings}\n'
    write_site(tmp_path, {**PAGES, "hugo.toml": config, "public/sitemap.xml": text})
    assert_kept(tmp_path, run)


def test_a_plugin_is_found_beside_a_string_with_another_quote(tmp_path: Path, run: Run) -> None:
    config = """export default { title: "Bob's", integrations: [load("@astrojs/sitemap")] }\n"""
    index = sitemap("sitemap-0.xml", root="sitemapindex")
    files = {"sitemap-index.xml": index, "sitemap-0.xml": sitemap("")}
    write_site(tmp_path, {"astro.config.mjs": config, "dist/index.html": "<p>a"})
    write_site(tmp_path / "dist", files)
    assert run("build", "--base-url", BASE) == 0, run.err
    assert not (tmp_path / "dist/sitemap-index.xml").exists()


def test_a_sitemap_of_others_that_the_index_names_is_not_replaced(tmp_path: Path, run: Run) -> None:
    ours = '[sitemap]\nname = "sitemap-index.xml"\nothers = ["sitemap-0.xml"]\n'
    write_site(
        tmp_path,
        {
            "astro.config.mjs": "import sitemap from '@astrojs/sitemap'\n",
            "sitemapper.toml": ours,
            "dist/index.html": "<p>a",
            "dist/sitemap-index.xml": sitemap("sitemap-0.xml", root="sitemapindex"),
            "dist/sitemap-0.xml": sitemap("a").replace("<urlset", f"<urlset xmlns='{NAMESPACE}'"),
        },
    )
    assert_kept(tmp_path, run, "dist/sitemap-index.xml")


def test_no_link_is_followed_to_a_sitemap_of_others(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a link in place of the sitemap, nor one in place of the output folder."""
    other = tmp_path / "other/sitemap.xml"
    write_site(tmp_path, {"other/sitemap.xml": sitemap("old"), "other/index.html": "<p>a"})
    write_site(tmp_path / "site", {**HUGO, **PAGES})
    (tmp_path / "site/public/sitemap.xml").symlink_to(other)
    monkeypatch.chdir(tmp_path / "site")
    for flags in ((), ("--replace",)):
        assert run("build", "--base-url", BASE, *flags) == 2
        assert "not a regular file" in run.err
    shutil.rmtree("public")
    Path("public").symlink_to("../other")
    assert run("build", "--base-url", BASE) == 2
    assert other.read_text() == sitemap("old")


@pytest.mark.parametrize(
    ("template", "is_replaced"),
    [
        ("src/sitemap.xml.njk", True),
        ("src/sitemap.njk", True),
        ("docs/sitemap.md", False),
        ("static/sitemap.xml", False),
        ("sitemap-notes.txt", False),
    ],
)
def test_a_tracked_template_counts_as_a_writer(
    tmp_path: Path, run: Run, template: str, is_replaced: bool
) -> None:
    Repo(tmp_path).commit(1, {".eleventy.js": "", ".gitignore": "_site\n", template: ""})
    write_site(tmp_path, {"_site/index.html": "<p>", "_site/sitemap.xml": sitemap("")})
    assert run("build", "--base-url", BASE) == (0 if is_replaced else 2)


def test_without_a_repository_the_plugin_decides(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {"_site/index.html": "<p>", "_site/sitemap.xml": sitemap("")})
    off = "# plugins: [jekyll-sitemap]\n"
    for plugins, code in (("", 2), (off, 2), ("plugins: [jekyll-sitemap]\n", 0)):
        write_site(tmp_path, {"_config.yml": f"url: {BASE}\n{plugins}"})
        assert run("build", "--base-url", BASE) == code


def test_replace_takes_over_the_sitemap_of_a_generator(site: Site, run: Run) -> None:
    image = (
        f"<image:image><image:loc>{BASE}a.png</image:loc></image:image>"  # which is no listed URL
    )
    spaces = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    theirs = f"<urlset {spaces}><url><loc>{BASE}old</loc>{image}</url></urlset>"
    root = site({"a.html": "", "sitemap.xml": theirs})
    command = ("build", root, "--base-url", BASE, "--replace", "--strict")
    assert run(*command, "--dry-run") == 0
    assert (root / "sitemap.xml").read_text() == theirs
    assert "  would be replaced sitemap.xml  1 URL (was another tool's)\n" in run.out
    assert run(*command) == 0
    assert "  replaced sitemap.xml  1 URL (was another tool's)\n" in run.out
    assert paths(root) == ["a.html"]
    assert run(*command) == 0
    assert "another tool" not in run.out and "nothing to do" in run.out


def test_replace_takes_over_nothing_but_sitemaps(site: Site, run: Run) -> None:
    root = site({"a.html": "", "sitemap-extra.xml": "<urlset/>", "sitemap-2.xml": "<urlset/>"})
    (root / "sitemap.xml").mkdir()
    assert run("build", root, "--base-url", BASE, "--replace") == 2
    assert "not a regular file" in run.err
    (root / "sitemap.xml").rmdir()
    # This one is damaged, so the URLs in it are not counted.
    (root / "sitemap.xml").write_text(f"<urlset><url><loc>{BASE}old</loc>")
    assert run("build", root, "--base-url", BASE, "--replace") == 0
    assert "replaced sitemap.xml  1 URL (was another tool's)\n" in run.out
    assert {"sitemap-extra.xml", "sitemap-2.xml"} <= set(os.listdir(root))
