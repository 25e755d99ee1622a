"""Which folder is the site, whose generator wrote it, what its settings say, and what is ignored."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitemapper import config
from sitemapper.find import find
from sitemapper.messages import SitemapperError
from sitemapper.model import Found, Run
from sitemapper.syntax.patterns import Patterns

PAGE = "<!doctype html><title>Tea</title><p>Tea."


def tree(root: Path, files: Mapping[str, str] | str) -> Path:
    """Writes files; of those in a list of names, each is a page or an empty file."""
    if isinstance(files, str):
        files = {name: PAGE if name.endswith("html") else "" for name in files.split()}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def run(root: Path, site: str | None = None, **flags: object) -> Found:
    if site is not None:
        flags["site"] = site
    cwd = os.path.realpath(root)
    return find(config.load(flags, cwd, {}), Run(cwd, {}))


def git(root: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", "-C", root, *name, *arguments], check=True, capture_output=True)


# What is there, SITE, and the folder and generator that are found, or the beginning of the error.
SITES: list[tuple[dict[str, str] | str, str | None, str]] = [
    ("hugo.toml public/index.html", None, "public Hugo"),
    ("hugo.toml public/index.html", "public", "public Hugo"),
    ("index.html a.html", None, "."),
    ("index.html a.html", ".", "."),
    ("dist/index.html", None, "dist"),
    ("website/docusaurus.config.ts website/build/index.html", None, "website/build Docusaurus"),
    ("docs/source/conf.py docs/build/html/index.html", "docs/build/html", "docs/build/html"),
    ({"docs/conf.py": "import sphinx", "docs/_build/html/index.html": PAGE}, None,
     "docs/_build/html Sphinx"),
    ({"docs/source/conf.py": "html_theme = 1", "docs/build/html/index.html": PAGE}, None,
     "docs/build/html Sphinx"),
    ({"conf.py": "html_theme = 1", "out/index.html": PAGE}, None, "out Sphinx"),
    ({"svelte.config.js": "export default { kit: {} }", "vite.config.js": "",
      "build/index.html": PAGE}, None, "build SvelteKit"),
    ({"hugo.toml": 'publishDir = "www"', "www/index.html": PAGE}, None, "www Hugo"),
    ({"hugo.toml": 'PUBLISHDIR = "www"', "www/index.html": PAGE}, None, "www Hugo"),
    ({"mkdocs.yml": "site_dir: !ENV [OUT, x]\nplugins: !!python/name:a.b", "site/index.html": PAGE},
     None, "site MkDocs"),
    ("book.toml book/html/index.html book/man/x", None, "book/html mdBook"),
    ({"_config.yml": "# https://hexo.io/docs", "public/index.html": PAGE}, None, "public Hexo"),
    ({"_config.yml": "title: Tea", "_site/index.html": PAGE}, None, "_site Jekyll"),
    ({"netlify.toml": '[build]\npublish = "out/web"', "out/web/index.html": PAGE,
      "hugo.toml": "", "public/index.html": PAGE}, None, "out/web"),
    ({"package.json": '{"dependencies": {"next": "16"}}', "out/index.html": PAGE}, None,
     "out Next"),
    # An index page that is a source.
    ({"index.html": "---\ntitle: Tea\n---\n", "_config.yml": "", "_site/index.html": PAGE}, None,
     "_site Jekyll"),
    ({"index.html": '<script type=module src="/src/main.ts">', "vite.config.ts": "",
      "dist/index.html": PAGE}, None, "dist Vite"),
    # Nearer projects come first, and examples count nowhere.
    ("mkdocs.yml site/index.html docs/mkdocs.yml docs/site/index.html", None, "site MkDocs"),
    ("examples/hugo.toml examples/public/index.html packages/web/astro.config.mjs "
     "packages/web/dist/index.html", None, "packages/web/dist Astro"),
    ("a/hugo.toml a/public/index.html b/c/hugo.toml b/c/public/index.html", None, "a/public Hugo"),
    # A project counts if it wrote the site, or has written nothing.
    ("hugo.toml public/index.html old/index.html", "old", "old"),
    ("hugo.toml old/index.html", "old", "old Hugo"),
    (".buildinfo index.html", ".", ". Sphinx"),
    ("hugo.toml public/en/index.html public/index.html", "public/en", "public/en Hugo"),
    # Errors.
    ("hugo.toml public/index.html mkdocs.yml site/index.html", None,
     "several sites were found: public (hugo.toml) and site (mkdocs.yml)"),
    ("a/hugo.toml a/public/index.html b/hugo.toml b/public/index.html", None,
     "several sites were found: a/public (hugo.toml) and b/public (hugo.toml)"),
    ("hugo.toml content/a.md", None,
     "no built site was found: Hugo (hugo.toml) writes public, which has no index.html"),
    ("notes.txt", None, "no built site was found: there is no index.html here"),
    ("a.html", "a.html", "a.html: there is no such folder"),
    ("a.html", "public", "public: there is no such folder"),
    ("public/style.css", "public", "public: has no HTML pages"),
    ("mkdocs.yml docs/index.md docs/theme/x.html", "docs",
     "docs: has the sources of MkDocs (mkdocs.yml), not its pages"),
    ("hugo.toml public/index.html layouts/x.html", ".",
     ".: has the sources of Hugo (hugo.toml), not its pages"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "site", "expected"), SITES)
def test_the_site_and_its_generator(
    files: dict[str, str] | str, site: str | None, expected: str, tmp_path: Path
) -> None:
    tree(tmp_path, files)
    try:
        found = run(tmp_path, site)
    except SitemapperError as error:
        assert error.text.startswith(expected)
        assert error.help
        return
    folder = os.path.relpath(found.folder, os.path.realpath(tmp_path))
    name = found.project.name if found.project else ""
    assert f"{folder} {name}".strip() == expected


# The settings of a generator, and its base URL with the place.
ADDRESSES: list[tuple[str, str, str]] = [
    ("hugo.toml", 'title = 1\nbaseURL = "https://tea.example"', "https://tea.example/ hugo.toml:2"),
    ("config.yaml", "baseurl: https://tea.example/", "https://tea.example/ config.yaml:1"),
    ("_config.yml", "url: https://tea.example\nbaseurl: /docs", "https://tea.example/docs/ _config.yml:1"),
    ("_config.yml", "url: https://a.example/docs\nbaseurl: /docs", "https://a.example/docs/ _config.yml:1"),
    ("_config.yml", 'url: ""\nbaseurl: /docs', ""),
    ("mkdocs.yml", "site_url: !ENV [URL, x]", ""),
    ("mkdocs.yml", "site_url: https://$HOST/", ""),
    ("_quarto.yml", "website:\n  site-url: https://q.example", "https://q.example/ _quarto.yml:2"),
    ("astro.config.mjs", "export default { site: 'https://tea.example', base: '/docs' }",
     "https://tea.example/docs/ astro.config.mjs:1"),
    ("astro.config.mjs", "// site: 'https://old.example',\nconst a = { site: `https://tea.example` }",
     "https://tea.example/ astro.config.mjs:2"),
    ("astro.config.mjs", "{ site: process.env.URL || 'https://tea.example' }", ""),
    ("astro.config.mjs", "{ site: 'https://a.example', x: { site: 'https://b.example' } }", ""),
    ("astro.config.mjs", "{ site: `https://${host}` }", ""),
    ("astro.config.mjs", "{ site: 'https://a' + '.example' }", ""),
    ("docusaurus.config.js", "const c = {\n  url: 'https://d.example',\n  baseUrl: '/',\n}",
     "https://d.example/ docusaurus.config.js:2"),
    ("publishconf.py", 'SITEURL = "https://p.example"  # mine', "https://p.example/ publishconf.py:1"),
    ("publishconf.py", 'SITEURL = f"https://{host}"', ""),
    ("conf.py", 'html_baseurl = "https://s.example/en/"', "https://s.example/en/ conf.py:1"),
    ("conf.py", 'html_theme = "a"\nhtml_baseurl = os.environ.get("URL", "https://s.example")', ""),
    ("docfx.json", '{"build": {"sitemap": {"baseUrl": "https://x.example"}}}', "https://x.example/ docfx.json:1"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text", "expected"), ADDRESSES)
def test_the_address_in_settings(file: str, text: str, expected: str, tmp_path: Path) -> None:
    tree(tmp_path, {file: text, "built/index.html": PAGE})
    project = run(tmp_path, "built").project
    assert project
    address = project.address
    shown = f"{address.value} {address.origin._replace(text='')}" if address else ""
    assert shown == expected


def test_the_folders_of_sources_that_settings_name(tmp_path: Path) -> None:
    text = '[languages.en]\ncontentDir = "content/en"\n[languages.de]\ncontentDir = "content/de"'
    tree(tmp_path, {"hugo.toml": text, "public/index.html": PAGE})
    project = run(tmp_path).project
    assert project
    root = os.path.realpath(tmp_path)
    assert [os.path.relpath(source, root) for source in project.sources] == [
        "content", "content/en", "content/de",
    ]  # fmt: skip


# Files of a project, a page of its site, and the origin of the line that ignores it.
IGNORED: list[tuple[str, str, str]] = [
    ("", "404.html", "built-in default: 404.html"),
    ("", "de/404.html", "built-in default"),
    ("", "pt-BR/50x.html", "built-in default"),
    ("", "latest/404.html", "built-in default"),
    ("", "v1/500.html", "built-in default"),
    ("", "404/index.html", "built-in default"),
    ("", "errors/404.html", ""),
    ("", ".well-known/", "built-in default"),
    ("", "google0123456789abcdef.html", "built-in default"),
    ("", "a/node_modules/", "built-in default: node_modules/"),
    ("", "search.html", ""),
    ("mkdocs.yml", "search.html", "built-in default for MkDocs: search.html"),
    ("book.toml", "a/print.html", "built-in default for mdBook: print.html"),
    ("", "sitemap-2.xml.gz", "built-in default"),
    ("", "robots.txt", "built-in default"),
    ("", "_old/a.html", ""),
]


@pytest.mark.parametrize(("files", "page", "expected"), IGNORED)
def test_what_is_ignored_by_default(files: str, page: str, expected: str, tmp_path: Path) -> None:
    tree(tmp_path, f"{files} public/index.html")
    line = Patterns(run(tmp_path, "public").ignore).match(page)
    assert str(line.origin if line else "").startswith(expected)
    assert bool(line) is bool(expected)


def test_later_lines_win(tmp_path: Path) -> None:
    tree(tmp_path, {"sitemapper.toml": 'ignore = ["!404.html"]', "public/index.html": PAGE})
    patterns = Patterns(run(tmp_path, "public", ignore=("b.html",)).ignore)
    assert patterns.match("404.html") is None
    assert patterns.match("b.html")


@pytest.mark.parametrize(
    ("more", "ignored"),
    [
        ("CNAME", True),
        ("", False),
        ("CNAME .nojekyll", False),
        ("CNAME .github/workflows/pages.yml", False),
    ],
)
def test_github_pages_from_a_branch_leave_out_names_with_an_underscore(
    more: str, ignored: bool, tmp_path: Path
) -> None:
    tree(tmp_path, f"index.html _old/a.html {more}")
    if "workflows" in more:
        tree(tmp_path, {".github/workflows/pages.yml": "- uses: actions/deploy-pages@v4"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "A site")
    found = run(tmp_path, ".")
    assert (Patterns(found.ignore).match("_old/") is not None) is ignored


@pytest.mark.parametrize(
    ("files", "flags", "ledger"),
    [
        ("public/index.html", {}, None),
        ("public/index.html sitemapper.ledger", {}, "sitemapper.ledger"),
        ("public/index.html", {"ledger.path": "dates.ledger"}, "dates.ledger"),
        ("public/index.html", {"lastmod": ("git", "ledger")}, "sitemapper.ledger"),
        (
            "public/index.html",
            {"ledger.path": "dates.ledger", "lastmod": ("mtime",)},
            "dates.ledger",
        ),
        ("public/index.html sitemapper.ledger", {"lastmod": ("mtime",)}, None),
    ],
)
def test_whether_there_is_a_ledger(
    files: str, flags: dict[str, object], ledger: str | None, tmp_path: Path
) -> None:
    found = run(tree(tmp_path, files), "public", **flags)
    assert (found.ledger and os.path.basename(found.ledger)) == ledger
