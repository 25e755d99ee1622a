"""`explain`: for one page what a build would do, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.rooms import BASE, Command, git, page, write

CONFIG = f"""\
base_url = "{BASE}"
site = "public"
ignore = ["drafts/"]
lastmod = []
max_drop = 100
[[rules]]
match = ["blog/"]
changefreq = "weekly"
lastmod = 2026-03-01
[[rules]]
match = ["blog/a.html"]
priority = 0.8
[[urls]]
loc = "{BASE}app/?x=1"
priority = 1
"""
SITE = """\
  site        public  (sitemapper.toml:2)
  base URL    https://tea.example/  (sitemapper.toml:1)
  URL forms   a/ and b.html  (built-in default)
  host        none
"""
A_PAGE = f"""\
blog/a.html is listed
  url         {BASE}blog/a.html
  lastmod     2026-03-01  (sitemapper.toml:6: blog/)
  changefreq  weekly  (sitemapper.toml:6: blog/)
  priority    0.8  (sitemapper.toml:10: blog/a.html)
{SITE}"""
HOME = f"index.html is listed\n  url         {BASE}\n  lastmod     none\n{SITE}"
DRAFTS = "drafts/ is not listed: ignored\n  decided by  sitemapper.toml:3: drafts/\n"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {
        "sitemapper.toml": CONFIG,
        "public/index.html": page(),
        "public/blog/a.html": page(),
        "public/blog/index.html": page(),
        "public/drafts/b.html": page(),
        "public/thanks.html": page('<meta name="robots" content="noindex">'),
        "public/old.html": page('<meta http-equiv="refresh" content="0; url=/blog/">'),
        "public/x.png": "",
    })  # fmt: skip
    return Command(capsys)


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ("blog/a.html public/blog/a.html https://tea.example/blog/a.html /blog/a.html ./blog/a.html blog/../blog/a.html blog//a.html https://tea.example/blog/a", A_PAGE),
        ("public/ https://tea.example/ / index.html", HOME),
        ("drafts/b.html https://tea.example/drafts/b.html drafts/ drafts public/drafts https://tea.example/drafts/", DRAFTS),
        ("thanks.html", f'thanks.html is not listed: noindex\n  decided by  thanks.html: <meta name="robots" content="noindex">\n  url         {BASE}thanks.html\n'),
        ("https://tea.example/old.html", f'old.html is not listed: redirect\n  decided by  old.html: <meta http-equiv="refresh"> to /blog/\n  url         {BASE}old.html\n  leads to    {BASE}blog/\n'),
        ("x.png public/x.png", "x.png is not listed: ignored\n  decided by  include: no pattern matches\n"),
        (f"{BASE}app/?x=1", f"{BASE}app/?x=1 is listed\n  url         {BASE}app/?x=1  (sitemapper.toml:13)\n  lastmod     none\n  priority    1.0\n{SITE}"),
    ],
)  # fmt: skip
def test_answers(run: Command, targets: str, said: str) -> None:
    for target in targets.split():
        assert run("explain", target) == 0, run.err
        assert run.out == said, target
        assert run.err == ""


@pytest.mark.parametrize("target", ["public/blog", "blog/", "/blog/", "public//blog/", f"{BASE}blog/", f"{BASE}blog"])  # fmt: skip
def test_a_folder_means_its_index_page(run: Command, target: str) -> None:
    assert run("explain", target) == 0
    assert run.out.startswith("blog/index.html is listed\n")


@pytest.mark.parametrize(
    ("target", "help"),
    [
        ("BLOG/AA.html", "did you mean blog/a.html, "),
        ("abuot", "pass a sitemap that lists it: --previous FILE"),
        ("public/none/", ""),
        ("../other/", ""),
        ("https://[", ""),
        ("//[x", ""),
        ("\udcff", ""),
    ],
)
def test_an_unknown_target_gets_the_nearest_names(run: Command, target: str, help: str) -> None:
    assert run("explain", target) == 2
    assert "no page of public has this name or URL\n  help: " in run.err
    assert help in run.err
    assert run.out == ""


def test_a_url_that_is_gone_has_a_fate(run: Command, tmp_path: Path) -> None:
    assert run("build", "-q") == 0
    (tmp_path / "public/blog/a.html").unlink()
    write(tmp_path, {"public/blog/index.html": page('<meta name="robots" content="noindex">')})
    (tmp_path / "public/_redirects").write_text("/blog/a.html /other 301\n")
    assert run("explain", f"{BASE}blog/a.html") == 0
    assert run.out.startswith(
        f"{BASE}blog/a.html is not listed: was published, and is redirected\n"
    )
    old = "http://www.tea.example/"
    (tmp_path / "old.xml").write_text(f"{old}\n")
    assert run("explain", old, "--previous", "old.xml") == 0
    assert "is not listed: was published, and is in another form now\n" in run.out
    assert run("explain", "blog/") == 0
    assert run.out.startswith("blog/index.html is not listed: noindex\n")
    assert not (tmp_path / "public/.sitemapper.lock").exists()


def test_a_path_on_the_host_counts_below_a_base_with_a_path(run: Command) -> None:
    """As a person copies it from the address bar. A path in the site comes first."""
    base = "https://tea.example/docs/"
    for target in ("/docs/blog/a.html", "/blog/a.html", "docs/blog/a.html"):
        code = run("explain", target, "--base-url", base, "--config", "urls = []")
        assert (code, "blog/a.html is listed\n" in run.out) == (
            (0, True) if target[0] == "/" else (2, False)
        )


def test_a_date_comes_with_its_source_and_commit(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    for day, name in enumerate("abc", 1):
        write(tmp_path, {f"content/{name}.md": f"# Tea {name}\n\nText."})
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-03-0{day}T12:00:00Z")
        git(tmp_path, "add", "content")
        git(tmp_path, "commit", "-qm", f"Write {name}")
        write(tmp_path, {f"public/{name}.html": page().replace(">Tea<", f">Tea {name}<")})
    assert run("explain", "b.html", "--lastmod", "git") == 0
    lines = run.out.splitlines()
    assert lines[2] == "  lastmod     2026-03-02T12:00:00+00:00  (git)"
    assert re.match(
        r"  source      content/b\.md: .+; commit [0-9a-f]{12} of 2026-03-02$", lines[3]
    )


def test_json(run: Command) -> None:
    assert run("explain", "thanks.html", "--format", "json") == 0
    assert json.loads(run.out) == {
        "version": 2,
        "name": "thanks.html",
        "reason": "noindex",
        "listed": False,
        "rows": [
            {"name": "decided by", "value": 'thanks.html: <meta name="robots" content="noindex">', "origin": ""},
            {"name": "url", "value": f"{BASE}thanks.html", "origin": ""},
        ],
    }  # fmt: skip


def test_explain_agrees_with_the_build_about_every_page(run: Command, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "public/dup.html": page(f'<link rel="canonical" href="{BASE}blog/">'),
            "public/feed.html": "<rss>",
        },
    )
    assert run("build", "--excluded", "left", "-q") == 0
    left = dict(line.split("\t")[:2] for line in (tmp_path / "left").read_text().splitlines())
    assert len(left) == 5
    for file in sorted((tmp_path / "public").rglob("*.html")):
        path = file.relative_to(tmp_path / "public").as_posix()
        assert run("explain", path) == 0
        reason = left.get(path) or left.get(f"{path.partition('/')[0]}/")
        name, _, verdict = run.out.partition("\n")[0].partition(" is ")
        assert verdict == (f"not listed: {reason}" if reason else "listed"), name
