"""The extension of Sphinx in a real build, with both builders of sites."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx.cmd.build import main
from support import write_site
from support.git import Repo, day
from support.ledger import dates

from sitemapper.integrations.sphinx import log

pytestmark = pytest.mark.slow

CONFIG = """
project = "Tea"
html_baseurl = "https://example.com/"
html_theme = "basic"
extensions = ["sphinx.ext.viewcode", "sphinx.ext.autodoc", "sitemapper.integrations.sphinx"]
import sys
sys.path.insert(0, __file__.removesuffix("conf.py") + "../src")
"""
DOCS = {
    "docs/conf.py": CONFIG,
    "docs/index.rst": "Tea\n===\n\nText.\n\n.. toctree::\n\n   guide/boil\n   news\n   api\n",
    "docs/guide/boil.rst": "Boil\n====\n\n.. figure:: cup.svg\n",
    "docs/guide/cup.svg": "<svg xmlns='http://www.w3.org/2000/svg' />",
    "docs/news.rst": "News\n====\n\n.. include:: ../NEWS.txt\n",
    "docs/api.rst": "API\n===\n",
    "NEWS.txt": "A kettle.",
}


def built(root: Path, *, builder: str = "html", code: int = 0, more: str = "") -> Path:
    (root / "docs/conf.py").write_text(CONFIG + more)
    assert main(["-q", "-b", builder, str(root / "docs"), str(root / "out")]) == code
    return root / "out"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Written on the first of January; then an image, an included file and a module are edited."""
    module, text = tmp_path.name, '"""Kettles."""\n\n\ndef boil():\n    """Boils."""\n'
    api = DOCS["docs/api.rst"] + f"\n.. automodule:: {module}\n   :members:\n"
    repo = Repo(
        write_site(tmp_path / "project", DOCS | {"docs/api.rst": api, f"src/{module}.py": text})
    )
    repo.commit(1, {".gitignore": "out\n__pycache__\n"})
    repo.commit(2, {"docs/guide/cup.svg": DOCS["docs/guide/cup.svg"] + "\n"})
    repo.commit(3, {"NEWS.txt": "Two kettles."})
    repo.commit(4, {f"src/{module}.py": text.replace("Boils", "Boils water")})
    return repo.root


@pytest.mark.parametrize(
    ("builder", "pages"),
    [
        ("html", ("index.html", "guide/boil.html", "news.html", "api.html")),
        ("dirhtml", ("", "guide/boil/", "news/", "api/")),
    ],
)
def test_pages_have_the_dates_of_what_they_are_made_from(
    builder: str, pages: tuple[str, ...], project: Path
) -> None:
    out = built(project, builder=builder)
    made_by_sphinx = ("genindex", "search", "py-modindex", "_modules")
    assert [name for name in made_by_sphinx if not list(out.glob(f"{name}*"))] == []
    found = dates(out)
    assert found == dict(zip(pages, map(day, (1, 2, 3, 4)), strict=True))
    assert dates(built(project, builder=builder)) == found


def test_a_page_whose_text_is_in_no_source_has_no_date(tmp_path: Path) -> None:
    directive = (
        "from docutils import nodes\nfrom docutils.parsers.rst import Directive\n"
        "class Usage(Directive):\n"
        "    def run(self):\n"
        "        return [nodes.paragraph('', 'Much text. ' * 99)]\n"
        "def setup(app):\n"
        "    app.add_directive('usage', Usage)\n"
    )
    docs = {
        "docs/index.rst": "Tea\n===\n\n.. toctree::\n\n   a\n   usage\n",
        "docs/a.rst": "A\n=\n\nText.\n",
        "docs/usage.rst": "Usage\n=====\n\n.. usage::\n",
        "docs/conf.py": CONFIG + directive,
    }
    repo = Repo(write_site(tmp_path / "project", docs))
    repo.commit(1, {".gitignore": "out\n__pycache__\n"})
    out = built(repo.root, more=directive)
    assert dates(out) == {"index.html": None, "a.html": day(1), "usage.html": None}


def test_options_are_the_keys_of_the_configuration(project: Path) -> None:
    more = 'sitemapper_options = {"lastmod": [], "ignore": ["!/genindex.html", "/api.html"]}'
    assert set(dates(built(project, more=more))) == {
        "index.html", "guide/boil.html", "news.html", "genindex.html"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('sitemapper_options = {"lastmod": ["gti"]}', "conf.py: sitemapper_options: lastmod: must be one of"),
        ('html_baseurl = "example.com"', "conf.py: html_baseurl: "),
        ('sitemapper_options = {"ignore": ["*"]}', "no page to list"),
    ],
)  # fmt: skip
def test_a_mistake_ends_the_build(
    more: str, message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = built(project, more=more, code=2)
    assert message in capsys.readouterr().err
    assert not (out / "sitemap.xml").exists()


def test_without_html_baseurl_there_is_a_warning_and_no_sitemap(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = built(project, more='html_baseurl = ""')
    assert "WARNING: no sitemap: html_baseurl is not set in conf.py" in capsys.readouterr().err
    assert not (out / "sitemap.xml").exists()
    built(project, more='html_baseurl = ""; suppress_warnings = ["sitemapper"]')
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("1.0", "no sitemap of 1.0: canonical elsewhere (https://example.com/stable/)"),
        ("html", "sitemap.xml: 4 pages listed"),
    ],
)
def test_an_old_version_lists_no_pages_of_another(
    folder: str,
    said: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its sitemap would be in its own folder, and name URLs of another one."""
    # Where another test has imported Pelican, its kind of logger drops what is logged twice.
    monkeypatch.setattr(log.logger, "filters", [])
    out = project / "site" / folder
    flags = ("-D", "html_baseurl=https://example.com/stable/", "-b", "html")
    assert main([*flags, str(project / "docs"), str(out)]) == 0
    assert said in capsys.readouterr().out
    assert (out / "sitemap.xml").exists() == (folder == "html")


def test_warnings_are_of_sphinx(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = 'html_extra_path = ["extra"]'
    write_site(project, {"docs/extra/robots.txt": "Sitemap: https://example.com/old.xml\n"})
    built(project, more=more)
    assert "WARNING: robots.txt lists a sitemap that does not exist" in capsys.readouterr().err
    built(project, more=f'{more}; suppress_warnings = ["sitemapper"]')
    assert capsys.readouterr().err == ""


def test_other_builders_and_failed_builds_write_nothing(project: Path) -> None:
    assert not (built(project, builder="text") / "sitemap.xml").exists()
    fails = "def fail(*_): raise ValueError\ndef setup(app): app.connect('html-page-context', fail)"
    assert not (built(project, more=fails, code=2) / "sitemap.xml").exists()
