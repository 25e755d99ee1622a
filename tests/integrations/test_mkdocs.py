"""The plugin of MkDocs in a real build: one line gives a sitemap with dates of git."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.structure.files import Files, get_files
from support import BASE, locs, paths, settings, write_site
from support.git import Repo, day
from support.ledger import dates

from sitemapper.integrations import find_mismatched_version

CONFIG = """
site_name: Tea
site_url: {url}
theme: {theme}
plugins:
  - search
  - sitemapper{options}
"""
DOCS = {"docs/index.md": "# Tea", "docs/boil.md": "# Boil"}
STALE = "Sitemap: https://example.com/old.xml\n"  # earns a warning
LOGGER = "mkdocs.plugins.sitemapper"


def write(
    root: Path, *, options: str = "", theme: str = "mkdocs", url: str = BASE, **more: str
) -> Path:
    """A project; options stand below the plugin's name, one a line."""
    lines = "".join(f"\n      {line}" for line in options.splitlines())
    config = CONFIG.format(theme=theme, url=url, options=f":{lines}" if lines else "")
    write_site(root, {"mkdocs.yml": config, **DOCS, **more})
    return root


def built(root: Path, *, strict: bool = False, command: str = "build") -> Path:
    config = load_config(str(root / "mkdocs.yml"), strict=strict)
    config.plugins.on_startup(command=command, dirty=False)
    build(config)
    return root / "site"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Written on the first of January, a page edited on the second."""
    repo = Repo(write(tmp_path / "project"))
    repo.commit(1, {".gitignore": "site"})
    repo.commit(2, {"docs/boil.md": "# Boil longer"})
    return repo.root


def test_one_line_gives_dates_of_git_in_place_of_the_own_sitemap(project: Path) -> None:
    site = built(project, strict=True)
    assert dates(site) == {"": day(1), "boil/": day(2)}
    assert sorted(path.name for path in site.glob("*.xml*")) == ["sitemap.xml"]


def test_a_page_that_includes_a_file_has_the_newest_date_of_both(tmp_path: Path) -> None:
    docs = {
        "docs/news.md": '# News\n\n--8<-- "CHANGELOG.md"\n',
        "docs/api.md": "# API\n\n::: tea.kettle\n",
        "CHANGELOG.md": "Text. " * 200,
    }
    root = write(tmp_path / "project", **docs)
    repo = Repo(root)
    repo.commit(1, {".gitignore": "site"})
    repo.commit(3, {"CHANGELOG.md": "Text. " * 201})
    site = built(root)
    assert dates(site) == {"": day(1), "boil/": day(1), "news/": day(3), "api/": None}


def test_the_sources_of_several_builds_in_one_run_count(tmp_path: Path) -> None:
    """mkdocs-static-i18n builds each language, with the pages of this language only."""
    repo = Repo(write(tmp_path / "project", **{"docs/de/boil.md": "# Kochen"}))
    repo.commit(1, {".gitignore": "site"})
    repo.commit(2, {"docs/de/boil.md": "# Kochen und mehr"})
    config = load_config(str(repo.root / "mkdocs.yml"), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    plugin = config.plugins["sitemapper"]
    config = plugin.on_config(config) or config
    for language in ("de/", ""):
        files = get_files(config)
        own = [file for file in files if file.src_uri.startswith("de/") == bool(language)]
        plugin.on_env(None, config=config, files=Files(own))
    assert set(plugin._files.of) == {"index.html", "boil/index.html", "de/boil/index.html"}


def said(project: Path, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.INFO, LOGGER)
    built(project)
    return [record.message for record in caplog.records if record.name == LOGGER]


def test_the_summary_is_one_line(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert said(project, caplog) == [
        f"{BASE}sitemap.xml: 2 pages listed, 1 excluded; dated: 2 by git"
    ]


def test_a_note_names_the_line_that_the_robots_txt_of_the_host_needs(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(project, url=f"{BASE}tea/")
    summary, note = said(project, caplog)
    assert summary.startswith(f"{BASE}tea/sitemap.xml: 2 pages listed")
    assert note.startswith(f"note: add this line to {BASE}robots.txt: Sitemap: {BASE}tea/sitemap")


def test_warnings_fail_a_strict_build(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_site(project, {"docs/robots.txt": STALE})
    built(project)
    (warning,) = (r for r in caplog.records if r.name == LOGGER and r.levelno == logging.WARNING)
    assert "robots.txt lists a sitemap that does not exist" in warning.message
    with pytest.raises(Abort, match="1 warnings in strict mode"):
        built(project, strict=True)


def test_without_git_there_are_no_dates_and_no_word(tmp_path: Path) -> None:
    site = built(write(tmp_path), strict=True)
    assert dates(site) == {"": None, "boil/": None}


def test_a_page_that_tells_its_date_is_believed_before_git(project: Path) -> None:
    html = '<html><head><meta property="article:modified_time" content="2026-01-05T00:00:00+00:00">'
    write_site(project, {"docs/static.html": html})
    assert dates(built(project))["static.html"] == "2026-01-05T00:00:00+00:00"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("lastmod: []", {"": None, "boil/": None}),
        ("ignore: [boil/]", {"": day(1)}),
        # boil.md is written again here, and what differs from the last commit has no date of it
        ("base_url: https://example.com/\nlastmod: [git]", {"": day(1), "boil/": None}),
        ("config: sitemap.toml", {"boil/": None}),
    ],
)
def test_options_are_the_keys_of_the_configuration(
    project: Path, options: str, expected: dict[str, str | None]
) -> None:
    write_site(project, {"sitemap.toml": 'lastmod = ["page"]\nignore = ["/index.html"]\n'})
    assert dates(built(write(project, options=options))) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("lastmod: [gti]", "mkdocs.yml: sitemapper: lastmod: must be one of auto, page, published, front_matter, git, ledger, mtime, not 'gti'"),
        ("ignored: [a]", "mkdocs.yml: sitemapper: ignored: unknown key\nhelp: did you mean 'ignore'?"),
        ("config: 3", "mkdocs.yml: sitemapper: config: must be a path, not 3"),
        ("base_url: example.com", "mkdocs.yml: sitemapper: base_url: "),
    ],
)  # fmt: skip
def test_a_mistake_in_an_option_ends_the_build_before_it_begins(
    tmp_path: Path, options: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Abort):
        built(write(tmp_path, options=options))
    assert message in caplog.text
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("url", ["", "''"])
def test_site_url_is_needed(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Abort):
        built(write(tmp_path, url=url))
    assert "mkdocs.yml: site_url is not set" in caplog.text
    assert "help: set site_url in mkdocs.yml" in caplog.text


@pytest.mark.parametrize(
    ("options", "more", "said"),
    [
        ("ignore: ['*']", {}, "no page to list"),
        ("strict: true", {"docs/robots.txt": STALE}, "robots.txt lists a sitemap that does not exist"),
    ],
    ids=["a guard", "a warning, by `strict`"],
)  # fmt: skip
def test_what_is_an_error_ends_the_build(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, options: str, more: dict[str, str], said: str
) -> None:
    with pytest.raises(Abort):
        built(write(tmp_path, options=options, **more))
    assert said in caplog.text


def test_a_preview_has_the_sitemap_of_mkdocs(tmp_path: Path) -> None:
    site = built(write(tmp_path, options="lastmod: [gti]"), command="serve")
    assert "sitemapper" not in (site / "sitemap.xml").read_text()


def test_the_search_page_of_a_theme_is_not_listed_a_page_of_that_name_is(tmp_path: Path) -> None:
    site = built(write(tmp_path / "a", theme="readthedocs"))
    assert (site / "search.html").exists()
    assert paths(site) == ["", "boil/"]
    root = write(tmp_path / "b", **{"docs/search.html": "<p>"})
    assert locs(built(root)) == [BASE, BASE + "boil/", BASE + "search.html"]


@pytest.mark.parametrize("variable", ["MIKE_DOCS_VERSION", "READTHEDOCS_VERSION"])
def test_an_old_version_lists_no_pages_of_the_newest(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With canonical_version, mike gives every version the site_url of that one."""
    write(tmp_path, url=f"{BASE}latest")
    with caplog.at_level(logging.INFO, LOGGER):
        monkeypatch.setenv(variable, "1.0")
        assert not (built(tmp_path) / "sitemap.xml").exists()
    assert "no sitemap of 1.0: canonical elsewhere (https://example.com/latest" in caplog.text
    monkeypatch.setenv(variable, "latest")
    assert locs(built(tmp_path))[0] == f"{BASE}latest/"


@pytest.mark.parametrize(
    ("folder", "base_url", "on_read_the_docs", "other"),
    [
        ("en/1.0", f"{BASE}en/stable/", "", "1.0"),
        ("v2.x", f"{BASE}v3/", "", "v2.x"),
        ("html", f"{BASE}en/stable/", "1.0", "1.0"),
        ("html", f"{BASE}en/1.0/", "1.0", ""),
        ("html", BASE, "1.0", ""),
        ("html", f"{BASE}stable/", "", ""),
        ("stable", f"{BASE}stable/", "", ""),
        ("1.0", f"{BASE}tea/", "", ""),
    ],
)
def test_which_version_is_another(
    folder: str, base_url: str, on_read_the_docs: str, other: str, tmp_path: Path
) -> None:
    setup = settings(write_site(tmp_path / folder, {"a.html": ""}), base_url=base_url)
    assert find_mismatched_version(setup, {"READTHEDOCS_VERSION": on_read_the_docs}) == other
