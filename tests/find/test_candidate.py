"""Which folder is a site, a part of one, or sources of a project, where it is named and where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, locs, write_site

SIGNED = '<head><meta name="generator" content="{}"></head>'
ZOLA = {
    "config.toml": "base_url = 'https://tea.dev'",
    "content/a.md": "# A",
    "templates/a.html": "{{ a }}",
}
MAIN = "<!doctype html><html><p>"


@pytest.mark.parametrize(
    ("cwd", "site"),
    [
        (".", "docs"),
        ("..", "zola/docs"),
        (".", "../docs"),
        ("content", "../out/site"),
    ],
)
def test_naming_a_folder_knows_no_less_than_not_naming_it(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, cwd: str, site: str
) -> None:
    """Zola without public/ said "pass the folder", and then that there is no base URL."""
    root = tmp_path / "zola"
    write_site(root, {**ZOLA, ".git/HEAD": ""})
    write_site(root / cwd, {f"{site}/index.html": MAIN, f"{site}/a/index.html": MAIN})
    monkeypatch.chdir(root)
    assert run("build") == 2
    inside = [name for name in ("docs", "out/site") if (root / name).exists()]
    near = "".join(f"; the site may be {name}" for name in inside)
    first = "help: run zola build first, or pass the folder of the built site"
    assert run.err.endswith(f"{first}{near}\n")
    assert run("explain", "index.html") == 2
    assert run.err.endswith(f"{near} (--site FOLDER)\n")
    monkeypatch.chdir(root / cwd)
    assert run("build", site) == 0
    assert run.out.startswith("https://tea.dev/sitemap.xml\n  base_url https://tea.dev/ (")


@pytest.mark.parametrize("cwd", ["content/deep", "tools"])
def test_a_subfolder_of_an_unbuilt_project_knows_it(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, cwd: str
) -> None:
    """There, the message said that there is no index page, and the base URL was missing."""
    write_site(tmp_path, {**ZOLA, ".git/HEAD": "", f"{cwd}/a.txt": "", "content/deep/b.md": ""})
    monkeypatch.chdir(tmp_path / cwd)
    up = "../" * (1 + cwd.count("/"))
    assert run("build") == 2
    assert run.err == (
        f"error: no built site was found: there is no index.html in {up}public, "
        f"which Zola ({up}config.toml) writes\n"
        "  help: run zola build first, or pass the folder of the built site\n"
    )
    for part in (f"{up}content", f"{up}content/deep"):
        assert run("build", part) == 2
        said = "there is no HTML here; it is a part of the project of Zola (config.toml), not"
        help = f"help: run zola build, then pass the folder that Zola writes: {up}public\n"
        assert said in run.err and run.err.endswith(help)


@pytest.mark.parametrize("conf", ["conf.py", "docs/conf.py", "doc/en/conf.py"])
def test_of_two_output_folders_that_is_the_site_which_the_generator_of_the_project_signed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, conf: str
) -> None:
    """Sphinx may write anywhere; beside its output, the report of a coverage run made it unclear."""
    signed = {"index.html": SIGNED.format("Docutils 0.22"), ".buildinfo": ""}
    write_site(tmp_path, {conf: "html_baseurl = 'https://tea.dev/'", "docs/guide/a.rst": ""})
    write_site(tmp_path, {"htmlcov/index.html": MAIN, ".git/HEAD": ""})
    write_site(tmp_path / "public", signed)
    for folder in ("docs/guide", "."):
        monkeypatch.chdir(tmp_path / folder)
        assert run("build") == 0
        assert run.out.startswith("https://tea.dev/sitemap.xml\n  base_url https://tea.dev/ (")
    assert list(tmp_path.rglob("sitemap.xml")) == [tmp_path / "public/sitemap.xml"]
    write_site(tmp_path / "html", signed)
    assert run("build") == 2
    assert "no built site was found" in run.err and "htmlcov" in run.err


def test_a_named_folder_has_html_and_is_no_source(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, {**ZOLA, "notes/a.txt": "", "content/x.html": MAIN, "old/a.html": MAIN})
    for base in ((), ("--base-url", "https://tea.dev/")):
        assert run("build", "notes", *base) == 2
        assert "there is no HTML here" in run.err
    for part in ("content", "templates"):
        assert run("build", part) == 2
        assert run.err.startswith(
            f"error: {part}: is a part of the project of Zola (config.toml), not the"
        )
    assert run("build", "old") == 0


def test_in_a_part_of_a_built_site_the_whole_site_is_built(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Started there, the folder was published as the root of the host."""
    write_site(tmp_path, {"hugo.toml": "baseURL = 'https://tea.dev/'", ".git/HEAD": ""})
    page = SIGNED.format("Hugo 0.1")
    write_site(tmp_path, {"public/index.html": page, "public/blog/index.html": page})
    monkeypatch.chdir(tmp_path / "public/blog")
    assert run("build", "--no-lastmod") == 0
    assert locs(tmp_path / "public") == ["https://tea.dev/", "https://tea.dev/blog/"]


@pytest.mark.parametrize("cwd", [".", "docs"])
def test_an_unbuilt_project_below_is_no_site(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, cwd: str
) -> None:
    """The repository of a Sphinx project was published, where Zola's was not."""
    write_site(
        tmp_path, {"docs/conf.py": "html_baseurl = 'https://tea.dev/'", "htmlcov/index.html": MAIN}
    )
    monkeypatch.chdir(tmp_path / cwd)
    assert run("build") == 2
    assert "_build/html, which Sphinx (" in run.err and "run make html first" in run.err
    assert not list(tmp_path.rglob("sitemap.xml"))


@pytest.mark.parametrize(
    ("name", "text", "site", "line", "language"),
    [
        ("hugo.toml", "title = 'x'\nbaseURL = 'https://tea.dev\n", "public", 2, "TOML"),
        ("hugo.yaml", "title: x\nbaseURL: 'https://tea.dev\n", "public", 2, "YAML"),
        ("hugo.json", '{"title": "x",\n"baseURL": "https://tea.dev}\n', "public", 2, "JSON"),
        ("docfx.json", '/* a\n b */\n{"build":,}', "_site", 3, "JSON"),
    ],
)
def test_settings_that_break_the_rules_of_their_language(
    tmp_path: Path, run: Run, name: str, text: str, site: str, line: int, language: str
) -> None:
    write_site(tmp_path, {name: text, f"{site}/index.html": "<p>Tea."})
    assert run("build") == 2
    assert run.err.startswith(f"error: no base URL: {name}:{line}: is not valid {language}; "), (
        run.err
    )


def test_settings_that_cannot_be_read_do_not_matter_where_the_pages_decide(
    tmp_path: Path, run: Run
) -> None:
    page = '<link rel="canonical" href="https://tea.dev/"><p>Tea.'
    write_site(tmp_path, {"hugo.toml": "baseURL = [", "public/index.html": page})
    assert run("build") == 0


LACKS = "has no setting for the address of a site"
UNSET = [
    ("hugo.toml", "title = 'x'", "public", "hugo.toml does not set baseURL"),
    (".vitepress/config.mts", "export default {}", ".vitepress/dist", ".vitepress/config.mts does not set sitemap.hostname"),
    ("_toc.yml", "root: intro", "_build/html", "_config.yml does not set html.baseurl"),
    ("x.lektorproject", "[project]\nname = x", "build", "x.lektorproject does not set url"),
    ("eleventy.config.js", "export default () => ({})", "_site", f"Eleventy {LACKS}, and no _data/site.json or _data/metadata.js sets url"),
    ("nuxt.config.ts", "export default defineNuxtConfig({})", ".output/public", f"Nuxt {LACKS}"),
    ("next.config.mjs", "export default {output: 'export'}", "out", f"Next {LACKS}: basePath is only its path"),
    ("book.toml", "[output.html]\nsite-url = '/tea/'", "book", f"mdBook {LACKS}: output.html.site-url is only its path"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "site", "said"), UNSET)
def test_a_key_that_is_not_set_is_named_in_full_and_none_that_a_generator_lacks(
    tmp_path: Path, run: Run, name: str, text: str, site: str, said: str
) -> None:
    write_site(tmp_path, {name: text, f"{site}/index.html": "<p>Tea."})
    assert run("build") == 2
    assert run.err == (
        f"error: no base URL: {said}; no CNAME, package.json, builder's environment, canonical, "
        "og:url or sitemap names one\n"
        "  help: pass --base-url https://example.com/, or set base_url in sitemapper.toml\n"
    )


@pytest.mark.parametrize(
    ("homepage", "expected"),
    [
        ("https://ann.dev", "https://ann.dev/blog/"),
        ("https://ann.dev/blog/", "https://ann.dev/blog/"),
        ("https://ann.dev/tea/blog", "https://ann.dev/tea/blog/"),
        ("https://ann.dev/tea/", None),
    ],
)
def test_the_home_page_of_a_package_has_the_path_of_the_settings(
    tmp_path: Path, run: Run, homepage: str, expected: str | None
) -> None:
    write_site(
        tmp_path,
        {
            "eleventy.config.js": "export default () => ({ pathPrefix: '/blog/' })",
            "package.json": f'{{"homepage": "{homepage}"}}',
            "_site/index.html": '<!doctype html><p>Tea, <a href="a/">a</a>',
            "_site/a/index.html": '<!doctype html><p>A pot, <a href="../">home</a>',
        },
    )
    if expected:
        assert run("build") == 0, run.err
        assert run.out.startswith(f"{expected}sitemap.xml\n")
    else:
        assert run("build") == 2
        said = "homepage is https://ann.dev/tea/, but the settings have the path /blog/; "
        assert f"package.json:1: {said}" in run.err
