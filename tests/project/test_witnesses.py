"""The base URL that the canonicals agree on, where nothing else says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, write_site


def page(url: str) -> str:
    return f'<html><head><link rel="canonical" href="{url}"></head><body><p>Tea.'


@pytest.mark.parametrize(
    ("base", "count", "is_taken"),
    [
        ("https://tea.dev/", 10, True),
        ("https://tea.dev/shop/", 10, True),
        ("https://tea.dev/", 4, False),
        ("http://localhost:4000/", 10, False),
        ("https://example.com/", 10, False),
        ("https://deploy-preview-7--tea.netlify.app/", 10, False),
        ("https://deploy-preview-7.tea.dev/", 10, False),
        ("https://feature--tea.netlify.app/", 10, False),
        ("https://tea-git-main-ann.vercel.app/", 10, False),
        ("https://0a1b2c3d.tea.pages.dev/", 10, False),
    ],
)
def test_most_canonicals_and_the_home_page_agree(
    tmp_path: Path, run: Run, base: str, count: int, is_taken: bool
) -> None:
    pages = {
        f"public/p{n}/index.html": page(f"{base}p{n}/") if n < count - 1 else "<p>"
        for n in range(9)
    }
    write_site(tmp_path, {"public/index.html": page(base), **pages})
    assert run("build") == (0 if is_taken else 2)
    assert (
        f"base_url {base} ({count} of {count} canonicals that were read)" in run.out
        if is_taken
        else not run.out
    )


def test_pages_that_name_another_base_than_the_home_page_prove_nothing(
    tmp_path: Path, run: Run
) -> None:
    pages = {f"public/p{n}.html": page(f"https://cup.dev/p{n}.html") for n in range(9)}
    write_site(tmp_path, {"public/index.html": page("https://tea.dev/"), **pages})
    assert run("build") == 2


def test_the_home_page_may_redirect_and_redirects_have_no_vote(tmp_path: Path, run: Run) -> None:
    """Antora's home page is one, and each alias of Hugo."""
    base = "https://tea.dev/docs/"
    stub = (
        f'<meta http-equiv="refresh" content="0; url=1.0/"><link rel="canonical" href="{base}1.0/">'
    )
    pages = {f"public/1.0/p{n}.html": page(f"{base}1.0/p{n}.html") for n in range(3)}
    old = {f"public/old{n}/index.html": stub for n in range(9)}
    write_site(
        tmp_path,
        {"public/index.html": stub, "public/1.0/index.html": page(f"{base}1.0/"), **pages, **old},
    )
    assert run("build") == 0
    assert f"base_url {base} (4 of 4 canonicals that were read)" in run.out
    assert run("init") == 0
    assert f"base_url: {base}, from 4 of 4 canonicals that were read" in run.out


def test_the_canonicals_of_a_version_that_name_another_give_it_no_base(
    tmp_path: Path, run: Run
) -> None:
    home = page("https://tea.dev/latest/")
    versions = '[{"version": "1.0", "title": "1.0", "aliases": []}]'
    write_site(
        tmp_path, {"versions.json": versions, "1.0/index.html": home, "latest/index.html": home}
    )
    assert run("build", "latest") == 0
    assert run("build", "1.0") == 2
    assert run("build", "1.0", "--base-url", "https://tea.dev/1.0/") == 2
    assert "1 canonical elsewhere" in run.err


PREVIEW = "deploy-preview-7--tea.netlify.app"
BUILDERS = {
    "Netlify": {"NETLIFY": "true", "CONTEXT": "deploy-preview"},
    "Netlify, with its URL": {
        "NETLIFY": "true",
        "CONTEXT": "branch-deploy",
        "URL": "https://tea.dev",
    },
    "Vercel": {"VERCEL": "1", "VERCEL_ENV": "preview", "VERCEL_URL": PREVIEW},
}


def at(monkeypatch: pytest.MonkeyPatch, **env: str) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("env", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("toml", ["", 'base_url = "https://tea.dev/"\n'])
def test_a_preview_publishes_nothing_and_fails_no_command(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], toml: str
) -> None:
    at(monkeypatch, **env)
    write_site(tmp_path, {"public/index.html": page(f"https://{PREVIEW}/")})
    (tmp_path / "sitemapper.toml").write_text(f'{toml}site = "public"\n')
    assert run("build") == 0
    assert (run.out, run.err) == (
        "", f"note: the pages name the preview {PREVIEW}, so nothing is published\n"
    )  # fmt: skip
    assert not (tmp_path / "public/sitemap.xml").exists()
    assert run("check") == 2
    assert run("build", "--base-url", f"https://{PREVIEW}/") == 0
    assert (tmp_path / "public/sitemap.xml").exists()
    monkeypatch.setenv("SITEMAPPER_BASE_URL", f"https://{PREVIEW}/")
    assert run("build") == 0 and "kept     sitemap.xml" in run.out


def test_links_of_the_home_page_show_a_preview_without_canonicals(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only those to the address of this build: an article may link to any preview."""
    at(monkeypatch, **BUILDERS["Vercel"])
    home = f"<title>Tea</title><a href='https://{PREVIEW}/a/'>a</a>"
    write_site(tmp_path, {"hugo.toml": 'baseURL = "https://tea.dev/"', "public/index.html": home})
    assert run("build") == 0
    assert run.err.startswith(f"note: the pages name the preview {PREVIEW}, so nothing")
    monkeypatch.setenv("VERCEL_URL", "tea-7.vercel.app")
    assert run("build") == 0
    assert run.out.startswith("https://tea.dev/sitemap.xml\n")


def test_a_preview_with_the_canonicals_of_production_is_built(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, **BUILDERS["Netlify, with its URL"])
    write_site(tmp_path, {"public/index.html": page("https://tea.dev/")})
    assert run("build") == 0
    assert run.out.startswith("https://tea.dev/sitemap.xml\n")


@pytest.mark.parametrize(
    ("env", "origin"),
    [
        ({"NETLIFY": "true", "URL": "https://tea.dev"}, "URL"),
        (
            {"VERCEL": "1", "VERCEL_PROJECT_PRODUCTION_URL": "tea.dev"},
            "VERCEL_PROJECT_PRODUCTION_URL",
        ),
    ],
)
def test_the_production_url_of_the_builder_is_the_last_source(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], origin: str
) -> None:
    at(monkeypatch, **env)
    write_site(tmp_path, {"public/index.html": "<p>"})
    assert run("build") == 0
    assert f"  base_url https://tea.dev/ (environment: {origin})\n" in run.out
    write_site(tmp_path, {"public/index.html": page("https://pot.dev/")})
    assert run("build", "--dry-run") == 0
    assert run.out.startswith("https://pot.dev/sitemap.xml\n")


@pytest.mark.parametrize("url", ["", "https://", "/"])
def test_a_builder_without_a_production_url_gives_none(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    at(monkeypatch, NETLIFY="true", URL=url)
    write_site(tmp_path, {"public/index.html": "<p>"})
    assert run("build") == 2
    assert run.err.startswith("error: no base URL")


def test_canonicals_of_articles_that_appeared_elsewhere_do_not_count(
    tmp_path: Path, run: Run
) -> None:
    pages = {f"public/p{n}.html": page(f"https://tea.dev/p{n}.html") for n in range(7)}
    pages |= {f"public/q{n}.html": page(f"https://paper.dev/tea-{n}") for n in range(3)}
    write_site(tmp_path, {"public/index.html": page("https://tea.dev/"), **pages})
    assert run("build") == 0
    assert "base_url https://tea.dev/ (8 of 11 canonicals that were read)" in run.out


SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{0}</loc></url>'
    "<url><loc>{0}a.html</loc></url></urlset>"
)
FEED = '<rss version="2.0"><channel><item><link>{0}a.html</link></item></channel></rss>'


@pytest.mark.parametrize(
    ("files", "witnesses"),
    [
        ({"sitemap-x.xml": SITEMAP}, ""),
        ({"old.xml": SITEMAP, "robots.txt": "Sitemap: {0}old.xml"}, ""),
        ({"og": "{0}"}, ""),
        ({"og": "{0}", "sitemap.xml": SITEMAP}, "the home page's og:url and public/sitemap.xml"),
        ({"og": "{0}", "sitemap.xml": SITEMAP.format("https://cup.dev/")}, ""),
        (
            {"og": "{0}", "robots.txt": "Sitemap: {0}x.xml"},
            "the home page's og:url and public/robots.txt",
        ),
        ({"feed.xml": FEED, "sitemap.xml": SITEMAP}, "public/sitemap.xml and public/feed.xml"),
        (
            {"canonical": "{0}", "feed.xml": FEED},
            "the home page's canonical and public/feed.xml",
        ),
        ({"canonical": "https://cup.dev/", "feed.xml": FEED}, ""),
    ],
)
def test_two_other_witnesses_decide_together(
    tmp_path: Path, run: Run, files: dict[str, str], witnesses: str
) -> None:
    base = "https://tea.dev/"
    head = ""
    if "og" in files:
        head += f'<meta property="og:url" content="{files.pop("og").format(base)}">'
    if "canonical" in files:
        head += f'<link rel="canonical" href="{files.pop("canonical").format(base)}">'
    pages = {
        "public/index.html": f"<html><head>{head}</head><p>Tea.",
        "public/a.html": "<p>A",
        "public/b.html": "<p>B",
    }
    texts = {f"public/{name}": text.format(base) for name, text in files.items()}
    write_site(tmp_path, pages | texts)
    code = run("build", "--replace")
    assert code == (0 if witnesses else 2), run.err
    if witnesses:
        assert f"base_url {base} ({witnesses})" in run.out


@pytest.mark.parametrize(
    ("files", "help"),
    [
        (
            {"sitemap.xml": SITEMAP},
            "public/sitemap.xml names https://tea.dev/; if that is right, pass --base-url "
            "https://tea.dev/, or set",
        ),
        (
            {"feed.xml": FEED},
            "public/feed.xml names https://tea.dev/; if that is right, pass --base-url "
            "https://tea.dev/, or set",
        ),
        (
            {"index.html": '<meta property="og:url" content="{0}">'},
            "the home page's og:url names https://tea.dev/; if that is right, pass --base-url "
            "https://tea.dev/, or set",
        ),
        (
            {"sitemap.xml": SITEMAP, "feed.xml": FEED.format("https://cup.dev/")},
            "public/sitemap.xml names https://tea.dev/, public/feed.xml names https://cup.dev/; "
            "pass the right one as --base-url, or set",
        ),
        ({"sitemap.xml": SITEMAP.format("http://localhost/")}, "pass --base-url https://example"),
    ],
)
def test_a_single_witness_is_named_and_does_not_decide(
    tmp_path: Path, run: Run, files: dict[str, str], help: str
) -> None:
    pages = {"index.html": "<p>Tea.", "a.html": "<p>A"}
    texts = {name: text.format("https://tea.dev/") for name, text in files.items()}
    site = pages | texts
    write_site(tmp_path, {f"public/{name}": text for name, text in site.items()})
    assert run("build") == 2
    assert run.err.startswith("error: no base URL: ")
    assert f"\n  help: {help}" in run.err


def test_a_site_that_was_built_for_this_machine_is_to_be_built_again(
    tmp_path: Path, run: Run
) -> None:
    """Another base URL would contradict all pages."""
    write_site(
        tmp_path, {"_site/index.html": page("http://localhost:8080/"), "eleventy.config.js": ""}
    )
    assert run("build") == 2
    assert run.err == (
        "error: no base URL: Eleventy has no setting for the address of a site, and there is no CNAME; "
        "the home page's canonical names http://localhost:8080/\n"
        "  help: build the site for the address at which visitors see it\n"
    )
