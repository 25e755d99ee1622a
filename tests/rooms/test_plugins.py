"""The plugins, each in a real build of its generator."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import Files
from sphinx.cmd.build import main
from support.days import commit_on, days_in
from support.rooms import BASE, canonical, write

from sitemapper.integrations.mkdocs import SitemapperPlugin
from sitemapper.integrations.sphinx import log as sphinx_log

pytestmark = pytest.mark.slow

WRONG = canonical(f"{BASE}gone/")  # earns a warning


# --- MkDocs


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Written on the first of January, a page edited on the second."""
    files = {"docs/index.md": "# Tea", "docs/boil.md": "# Boil", "docs/api.md": "::: kettle"}
    files["hook.py"] = (
        "def on_page_markdown(markdown, **_): return markdown.replace('::: kettle', 'Text. ' * 99)"
    )
    root = commit_on(1, tmp_path / "docs", files | {".gitignore": "site\n"})
    return commit_on(2, root, {"docs/boil.md": "# Boil longer"})


def mkdocs(
    root: Path, /, *, url: str = BASE, serve: bool = False, **options: Any
) -> SitemapperPlugin:
    """Builds a project with the plugin, and returns it."""
    settings = f"site_name: Tea\nsite_url: {url}\nplugins: [search]\nhooks: [hook.py]\n"
    write(root, {"mkdocs.yml": settings})
    config = load_config(str(root / "mkdocs.yml"), strict=options.pop("mkdocs_strict", False))
    plugin = SitemapperPlugin()
    plugin.load_config(options)
    config.plugins["sitemapper"] = plugin
    config.plugins.on_startup(command="serve" if serve else "build", dirty=False)
    build(config)
    return plugin


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.message for one in caplog.records if one.name == "mkdocs.plugins.sitemapper"]


def test_mkdocs_has_dates_of_git_in_place_of_its_own_sitemap(
    docs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    plugin = mkdocs(docs, mkdocs_strict=True)
    assert days_in(docs / "site") == {"": 1, "api/": 0, "boil/": 2}
    assert [path.name for path in (docs / "site").glob("*.xml*")] == ["sitemap.xml"]
    note, summary = said(caplog)
    assert note.startswith("1 page has no date: the page shows more than its source")
    assert summary == f"{BASE}sitemap.xml: 3 pages listed, 1 excluded; dated: 2 by git"
    # mkdocs-static-i18n builds each language by itself, in one run.
    plugin.on_env(None, config=MkDocsConfig(), files=Files([]))
    assert "boil/index.html" in plugin._sources


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"lastmod": []}, {"": 0, "boil/": 0, "api/": 0}),
        ({"ignore": ["boil/"]}, {"": 1, "api/": 0}),
        ({"config": "sitemap.toml"}, {"boil/": 0, "api/": 0}),
        ({"git": {"map": [{"page": "boil/index.html", "source": []}]}}, {"": 1, "boil/": 0, "api/": 0}),
    ],
)  # fmt: skip
def test_options_are_the_keys_of_the_configuration(
    docs: Path, options: dict[str, object], expected: dict[str, int]
) -> None:
    write(docs, {"sitemap.toml": 'lastmod = ["page"]\nignore = ["/index.html"]\n'})
    mkdocs(docs, **options)
    assert days_in(docs / "site") == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lastmod": ["gti"]}, "mkdocs.yml: lastmod[0]: must be"),
        ({"ignored": ["a"]}, "mkdocs.yml: ignored: unknown key; did you mean ignore?"),
        ({"config": "gone.toml"}, "gone.toml: does not exist"),
        ({"base_url": "tea.example"}, "mkdocs.yml: base_url: "),
        ({"url": ""}, "mkdocs.yml: site_url is not set\nhelp: set site_url in mkdocs.yml"),
    ],
)
def test_a_mistake_ends_the_build_before_it_begins(
    docs: Path, options: dict[str, Any], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Abort):
        mkdocs(docs, **options)
    assert message in caplog.text
    assert not (docs / "site").exists()


def test_warnings_fail_a_strict_build(docs: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(docs, {"docs/static.html": WRONG})
    mkdocs(docs)
    [warning] = said(caplog)
    assert "names a page that is not there" in warning
    assert "\nhelp: correct the canonical" in warning
    for is_strict in (True, False):
        with pytest.raises(Abort):
            mkdocs(docs, strict=not is_strict, mkdocs_strict=is_strict)


def test_a_preview_has_the_sitemap_of_mkdocs(docs: Path) -> None:
    mkdocs(docs, lastmod=["gti"], serve=True)
    assert "sitemapper" not in (docs / "site/sitemap.xml").read_text()


def test_mkdocs_publishes_nothing_for_a_preview(
    docs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    mkdocs(docs, url="https://deploy-preview-7--tea.netlify.app/")
    assert said(caplog) == [
        "the site was built for a preview (deploy-preview-7--tea.netlify.app), so nothing is published"
    ]
    assert not (docs / "site/sitemap.xml").exists()


# --- Sphinx

CONFIG = """
project = "Tea"; html_theme = "basic"; html_baseurl = "https://tea.example/"
extensions = ["sphinx.ext.viewcode", "sphinx.ext.autodoc", "sitemapper.integrations.sphinx"]
import sys
sys.path.insert(0, __file__.removesuffix("conf.py") + "../src")
"""
RST = "{}\n========\n\nText.\n{}"
SOURCES = {
    ".gitignore": "out\n__pycache__\n",
    "docs/index.rst": RST.format("Tea", "\n.. toctree::\n\n   guide/boil\n   news\n   api\n"),
    "docs/guide/boil.rst": RST.format("Boil", "\n.. figure:: cup.svg\n"),
    "docs/guide/cup.svg": "<svg xmlns='http://www.w3.org/2000/svg' />",
    "docs/news.rst": RST.format("News", "\n.. include:: ../NEWS.txt\n"),
    "docs/extra/static.html": WRONG,
    "NEWS.txt": "A kettle.",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Written on the first of January; then an image, an included file and a module are edited."""
    # Where another test has imported Pelican, its kind of logger drops what is logged twice.
    monkeypatch.setattr(sphinx_log.logger, "filters", [])
    module = tmp_path.name  # Sphinx remembers where a module was
    api = RST.format("API", f"\n.. automodule:: {module}\n   :members:\n")
    sources = SOURCES | {"docs/api.rst": api, f"src/{module}.py": 'def boil():\n    """Boils."""\n'}
    root = commit_on(1, tmp_path / "project", sources)
    for day, name in enumerate(("docs/guide/cup.svg", "NEWS.txt", f"src/{module}.py"), 2):
        commit_on(day, root, {name: sources[name] + "\n"})
    return root


def sphinx(root: Path, more: str = "", *, builder: str = "html", code: int = 0) -> Path:
    write(root, {"docs/conf.py": CONFIG + more})
    assert main(["-q", "-b", builder, str(root / "docs"), str(root / "out")]) == code
    return root / "out"


@pytest.mark.parametrize(
    ("builder", "expected"),
    [
        ("html", {"index.html": 1, "guide/boil.html": 2, "news.html": 3, "api.html": 4}),
        ("dirhtml", {"": 1, "guide/boil/": 2, "news/": 3, "api/": 4}),
        ("text", {}),
    ],
)
def test_pages_of_sphinx_have_the_dates_of_what_they_are_made_from(
    builder: str, expected: dict[str, int], project: Path
) -> None:
    assert days_in(sphinx(project, builder=builder)) == expected


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ('sitemapper_options = {"lastmod": ["gti"]}', 2, "conf.py: lastmod[0]: must be"),
        ('html_baseurl = "tea.example"', 2, "conf.py: base_url: "),
        ('sitemapper_options = {"check": {"required": ["/gone/"]}}', 2, "/gone/ is not listed"),
        ('html_baseurl = ""', 0, "WARNING: no sitemap: html_baseurl is not set in conf.py"),
        ('html_extra_path = ["extra"]', 0, "WARNING: not listed, because the canonical names"),
        ('html_extra_path = ["extra"]; suppress_warnings = ["sitemapper"]', 0, ""),
        ("def setup(app): app.connect('html-page-context', None)", 2, "error"),
    ],
)
def test_what_sphinx_says(
    more: str, code: int, message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = sphinx(project, more, code=code)
    said = capsys.readouterr().err
    assert message in said
    assert bool(message) == bool(said)
    assert (out / "sitemap.xml").exists() == ("extra" in more)


# --- Pelican, in a process of its own: it changes how all others log

PELICAN = """
SITENAME = "Tea"; SITEURL = "https://tea.example"; TIMEZONE = "UTC"
STATIC_PATHS = ARTICLE_EXCLUDES = ["static"]
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
DIRECT_TEMPLATES = ["index", "archives"]
PLUGINS = ["sitemapper.integrations.pelican"]
"""
TEXT = "{}\n########\n\n:date: 2026-01-01\n{}\n\nText.\n"
CONTENTS = {
    ".gitignore": "output\n",
    "content/boil.rst": TEXT.format("Boil", ""),
    "content/brew.rst": TEXT.format("Brew", ":slug: brewing"),
    "content/pages/about.rst": TEXT.format("About", ""),
    "content/pages/secret.rst": TEXT.format("Secret", ":status: hidden\n:save_as: a [1].html"),
    "content/draft.rst": TEXT.format("Draft", ":status: draft"),
    "content/static/static.html": "<p>Static.",
}


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    """Written on the first of January, an article edited on the second."""
    root = commit_on(1, tmp_path / "blog", CONTENTS)
    return commit_on(2, root, {"content/brew.rst": CONTENTS["content/brew.rst"] + "\nMore.\n"})


def pelican(root: Path, more: str = "", *, code: int = 0) -> str:
    """Builds a site, and returns what was said."""
    write(root, {"pelicanconf.py": PELICAN + more})
    environment = os.environ | {"COLUMNS": "1000", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = (sys.executable, "-m", "pelican", "content", "--verbose", "--fatal=errors")
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", env=environment)
    said = done.stdout + done.stderr
    assert (done.returncode, "Traceback" in said) == (code, False), said
    return said


def test_articles_and_pages_of_pelican_have_dates_of_git(blog: Path) -> None:
    said = pelican(blog)
    written = {"boil.html": 1, "brewing.html": 2, "pages/about.html": 1, "static/static.html": 1}
    lists = {"": 0, "archives.html": 0, "category/misc.html": 0}
    assert days_in(blog / "output") == written | lists
    assert "https://tea.example/sitemap.xml: 7 pages listed, 2 excluded; dated: 4 by git" in said
    assert (blog / "output/a [1].html").exists()
    assert (blog / "output/drafts/draft.html").exists()


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ("RELATIVE_URLS = True", 0, "no sitemap without SITEURL or with RELATIVE_URLS"),
        ('SITEMAPPER = {"config": "gone.toml"}', 1, "gone.toml: does not exist"),
        ('SITEMAPPER = {"check": {"required": ["/gone/"]}}', 1, "/gone/ is not listed"),
    ],
)
def test_what_pelican_says(more: str, code: int, message: str, blog: Path) -> None:
    assert message in pelican(blog, more, code=code)
    assert not (blog / "output/sitemap.xml").exists()
