"""What a run changes in what was published, what became of each URL, and what stops a run."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, canonical, commit, page, publish, write

from sitemapper.lastmod.ledger import read_rows, render_rows
from sitemapper.messages import SitemapperError
from sitemapper.model import Row

ALL: dict[str, object] = {"max_drop": 100.0}  # the flag
PAGES = "index.html a.html b.html c.html d/index.html e/f.html drafts/g.html"
# No page has a source with front matter.
NO_DATES: dict[str, Any] = {"rules": [], "lastmod": ["front_matter"]}
NOINDEX = page("<meta name=robots content=noindex>")


def refresh(url: str) -> str:
    return page(f'<meta http-equiv="refresh" content="0; url={url}">')


def urlset(*urls: str, date: str = "") -> str:
    """Another tool's sitemap with these URLs."""
    lastmod = f"<lastmod>{date}</lastmod>" if date else ""
    rows = "".join(f"<url><loc>{url}</loc>{lastmod}</url>" for url in urls)
    return f"<urlset>{rows}</urlset>"


def index(*urls: str) -> str:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{rows}</sitemapindex>"


def gone(summary: Any) -> dict[str, str]:
    """What became of the URLs, by path: `fate: target`."""
    found = {}
    for one in summary.plan.gone:
        reason = f" {one.reason.value}" if one.reason else ""
        target = f" {one.target.removeprefix(BASE) or '.'}" if one.target else ""
        found[one.url.removeprefix(BASE)] = f"{one.fate}{reason}{target}"
    return found


# --- Changes


def test_changes(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html b.html c.html d.html")
    dates = ["2026-03-01", "2026-03-01T12:00:00+00:00"]
    rules = [{"match": name, "lastmod": date} for name, date in zip("ab", dates, strict=True)]
    rules = [{**rule, "match": f"{rule['match']}.html"} for rule in rules]
    first = publish(root, rules=rules)
    assert (first.plan.changes, first.plan.previous) == ((), None)  # all are added
    (root / "c.html").unlink()
    write(root, {"e.html": page()})
    rules[0]["lastmod"] = "2026-03-02"
    rules[1]["lastmod"] = "2026-03-01T13:00:00+01:00"  # the same moment
    rules.append({"match": "d.html", "lastmod": "2026-03-09"})
    plan = publish(root, rules=rules).plan
    assert [(one.kind, one.url[-6:], one.before, one.after) for one in plan.changes] == [
        ("changed", "a.html", "2026-03-01", "2026-03-02"),
        ("changed", "d.html", "", "2026-03-09"),
        ("added", "e.html", "", ""),
        ("removed", "c.html", "", ""),
    ]
    assert (plan.previous, plan.previous_dates) == (4, 2)


@pytest.mark.parametrize("sitemap", [{"max_urls": 2}, {"max_urls": 2, "gzip": "only"}, {}])
def test_shards_that_are_kept_count_though_they_are_not_read(
    tmp_path: Path, sitemap: dict[str, object]
) -> None:
    root = write(tmp_path, "a.html b.html c.html d.html e.html")
    rules = [{"match": ["*.html"], "lastmod": "2026-03-01"}]
    publish(root, rules=rules, sitemap=sitemap)
    (root / "e.html").unlink()
    write(root, {"f.html": page()})
    plan = publish(root, rules=rules, sitemap=sitemap).plan
    assert [(one.kind, one.url[-6:]) for one in plan.changes] == [
        ("added", "f.html"),
        ("removed", "e.html"),
    ]
    assert (plan.previous, plan.previous_dates) == (5, 4)


def test_other_files_for_the_same_urls_change_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    kinds: list[dict[str, Any]] = [
        {},
        {"max_urls": 1},
        {"gzip": "only", "text": True},
        {"strategy": "stable", "index": "always"},
        {"gzip": "also", "schema_location": True},
    ]
    for sitemap in kinds:
        plan = publish(root, sitemap=sitemap, sitemaps=[{"name": "e", "match": "e/"}]).plan
        assert (plan.changes, plan.gone) == ((), ())
        assert plan.is_changed


# --- What became of URLs


@pytest.mark.parametrize(
    ("change", "settings", "expected"),
    [
        ({"a.html": None}, {}, {"a.html": "lost"}),
        ({"a.html": NOINDEX}, {}, {"a.html": "excluded noindex"}),
        # A default of the layout is no redirect: a published page falls to it.
        ({"a.html": canonical(f"{BASE}b.html")}, {}, {"a.html": "excluded canonical elsewhere b.html"}),
        ({"a.html": refresh("b.html")}, {}, {"a.html": "redirected b.html"}),
        ({"a.html": refresh("https://b.example/x")}, {}, {"a.html": "redirected https://b.example/x"}),
        ({"a.html": refresh("x.pdf"), "x.pdf": ""}, {}, {"a.html": "redirected x.pdf"}),
        ({}, {"ignore": ["a.html"]}, {"a.html": "excluded ignored"}),
        ({}, {"ignore": ["drafts/"]}, {"drafts/g.html": "excluded ignored"}),
        ({}, {"ignore": ["e/*"]}, {"e/f.html": "excluded ignored"}),
        ({}, {"include": ["!e/*"]}, {"e/f.html": "excluded ignored"}),
        ({}, {"rules": [{"match": "a.html", "list": False}]}, {"a.html": "excluded unlisted by a rule"}),
        ({"robots.txt": "User-agent: *\nDisallow: /a"}, {}, {"a.html": "excluded disallowed by robots.txt", "app/": "excluded disallowed by robots.txt"}),
        ({"a.html": None, "a/index.html": page()}, {}, {"a.html": "lost"}),  # no server shows it there
        ({"d/index.html": None, "d.html": page()}, {}, {"d/": "form d.html"}),
        ({"a.html": None, "_redirects": "/a.html /b.html 301"}, {"host": "cloudflare"}, {"a.html": "redirected b.html"}),
        ({"a.html": None, "_redirects": "/a.html /x/ 301\n/x/ /b 301"}, {"host": "cloudflare"}, {"a.html": "redirected x/"}),
        ({"a.html": None, "_redirects": "/a.html https://b.example/x 301"}, {"host": "cloudflare"}, {"a.html": "redirected https://b.example/x"}),
        ({"a.html": None, "_redirects": "/* /b.html 301"}, {"host": "cloudflare"}, {"a.html": "lost"}),
        ({"a.html": None, "_redirects": "/a.html /b.html 200"}, {"host": "cloudflare"}, {"a.html": "lost"}),
        ({"e/f.html": None, "_redirects": "/e/:x /:x 301", "f.html": page()}, {"host": "cloudflare"}, {"e/f.html": "redirected f.html"}),
        ({}, {"urls": []}, {"app/": "lost"}),
        ({}, {"url_style": "slash"}, {"a.html": "form a/", "b.html": "form b/", "c.html": "form c/", "e/f.html": "form e/f/", "drafts/g.html": "form drafts/g/"}),
        ({}, {"base_url": "http://www.tea.example/"}, {"": "form http://www.tea.example/"}),
    ],
)  # fmt: skip
def test_what_became_of_a_url(
    tmp_path: Path,
    change: dict[str, str | None],
    settings: dict[str, Any],
    expected: dict[str, str],
) -> None:
    root = write(tmp_path, PAGES)
    given = {
        "url_style": "file" if settings.get("host") else "directory",
        "urls": [{"loc": f"{BASE}app/"}],
        "max_drop": 99,
    }
    if settings.get("host"):
        # Only the written forms, so that the host's own do not change the URLs.
        given["url_style"] = "directory"
        settings = {**settings, "host": "auto"}
        write(root, {"wrangler.toml": 'assets = { directory = ".", html_handling = "none" }'})
    if "base_url" in settings:
        given["urls"] = []
    publish(root, **{"host": "none", **given})
    for name, content in change.items():
        if content is None:
            (root / name).unlink()
        else:
            write(root, {name: content})
    found = gone(publish(root, flags=ALL, **{**given, **settings}))
    assert {url: fate for url, fate in found.items() if url in expected} == expected
    assert len(found) == len(expected) or "base_url" in settings or "a/index.html" in change


def test_a_redirect_that_leaves_the_site_on_its_host_is_not_followed(tmp_path: Path) -> None:
    root = write(tmp_path, "index.html a.html b.html")
    publish(root, base_url=f"{BASE}docs/")
    write(root, {"a.html": refresh("/shop/"), "b.html": refresh("/docs/x.pdf")})
    found = gone(publish(root, base_url=f"{BASE}docs/", flags=ALL))
    assert found == {"docs/a.html": "redirected shop/", "docs/b.html": "redirected docs/x.pdf"}


def test_the_target_of_a_redirect_is_below_the_base_url(tmp_path: Path) -> None:
    settings = {"base_url": f"{BASE}docs/", "host": "netlify", "url_style": "file"}
    root = write(tmp_path, "index.html a.html b.html")
    publish(root, **settings)
    (root / "a.html").unlink()
    write(root, {"_redirects": "/a.html /new.html 301\n/b.html /docs/x.pdf 301!"})
    found = gone(publish(root, flags=ALL, **settings))
    assert found == {
        "docs/a.html": "redirected docs/new.html",
        "docs/b.html": "redirected docs/x.pdf",
    }


def test_a_file_of_an_ignored_folder_hides_a_redirect_that_is_not_forced(tmp_path: Path) -> None:
    root = write(tmp_path, {**dict.fromkeys(PAGES.split(), page()), "_redirects": "/e/* /no 301"})
    publish(root, host="netlify")
    assert gone(publish(root, host="netlify", ignore=["e/"])) == {"e/f.html": "excluded ignored"}


def test_lost_and_moved_and_other_forms_are_notes(tmp_path: Path) -> None:
    root = write(tmp_path, "index.html a.html b.html c/index.html")
    publish(root)
    (root / "a.html").unlink()
    messages = publish(root, url_style="slash").plan.messages
    assert [(one.severity, one.code, one.text) for one in messages] == [
        ("note", "lost", f"1 earlier URL lost: {BASE}a.html"),
        ("note", "form", f"1 earlier URL listed in another form now: {BASE}b.html → {BASE}b/"),
    ]


# --- Stops


def test_max_drop_is_exact(tmp_path: Path) -> None:
    root = write(tmp_path, " ".join(f"{number}.html" for number in range(10)))
    publish(root)
    for number in range(3):
        (root / f"{number}.html").unlink()
    before = (root / "sitemap.xml").read_bytes()
    with pytest.raises(SitemapperError) as raised:
        publish(root, max_drop=29.9)
    assert raised.value.text == (
        f"3 earlier URLs would go (3 lost): {BASE}0.html, {BASE}1.html, {BASE}2.html; that is more "
        "than 29.9 % of 10, so nothing was published"
    )
    assert raised.value.help.endswith("run once with --max-drop 100")
    assert (root / "sitemap.xml").read_bytes() == before
    assert len(publish(root, max_drop=30).plan.gone) == 3


@pytest.mark.parametrize(
    ("change", "settings", "error"),
    [
        ({"index.html": None}, {"max_drop": 50}, "the home page https://tea.example/ was listed"),
        ({"a.html": NOINDEX, "b.html": None}, {}, r"2 earlier URLs would go \(1 noindex and 1 lost\)"),
        ({"a.html": refresh("c.html"), "b.html": refresh("c.html"), "e/f.html": None}, {}, None),
        ({"index.html": NOINDEX}, {"max_drop": 50}, "is excluded, so nothing was published"),
        ({}, {"ignore": ["/index.html"]}, "is excluded"),
        ({"index.html": refresh("a.html")}, {"max_drop": 50}, None),
        ({}, {"base_url": "https://b.example/"}, "base URL is on b.example, but 7 of 7 earlier URLs are on"),
        ({}, {"base_url": "https://b.example/", "max_drop": 100}, None),
        ({}, {"base_url": "http://www.tea.example:80/"}, None),
        ({}, NO_DATES, r"7 of 7 dates would be lost, such as that of https://tea.example/, so nothing was published: "),
        ({}, {**NO_DATES, "flags": ALL}, None),
        ({"index.html": None, "a.html": None}, {"flags": ALL}, None),
        # A rewrite shows another page in their places.
        ({"b.html": None, "e/f.html": None, "_redirects": "/b.html /c.html 200\n/e/* / 200"}, {"host": "netlify"}, "2 earlier URLs"),
        # Pages that are added do not make up for those that are gone.
        ({"a.html": None, "b.html": None, **{f"n{n}.html": page() for n in range(9)}}, {}, "2 earlier URLs"),
    ],
)  # fmt: skip
def test_what_stops_a_run(
    tmp_path: Path, change: dict[str, str | None], settings: dict[str, Any], error: str | None
) -> None:
    root = write(tmp_path, PAGES)
    dates = [{"match": ["*.html"], "lastmod": "2026-03-01"}]
    given: dict[str, Any] = {"lastmod": ["mtime"], "rules": dates, "max_drop": 20}
    publish(root, **given)
    before = {name: (root / name).read_bytes() for name in ("sitemap.xml", "robots.txt")}
    for name, content in change.items():
        if content is None:
            (root / name).unlink()
        else:
            write(root, {name: content})
    if error is None:
        publish(root, **{**given, **settings})
        return
    with pytest.raises(SitemapperError, match=error):
        publish(root, **{**given, **settings})
    assert before == {name: (root / name).read_bytes() for name in before}
    # The same run without a comparison publishes.
    publish(root, **{**given, **settings, "previous": "none"})


def test_who_asks_for_no_dates_gets_none(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html b.html")
    publish(root, rules=[{"match": ["*.html"], "lastmod": "2026-03-01"}])
    with pytest.raises(SitemapperError, match="2 of 2 dates would be lost"):
        publish(root, lastmod=("front_matter",))
    write(root, "index.html")
    publish(root, rules=[{"match": ["/index.html"], "lastmod": "2026-03-01"}], lastmod=())
    with pytest.raises(SitemapperError, match="1 of 1 dates would be lost") as raised:
        publish(root, lastmod=("front_matter",))
    assert raised.value.help == "if that is intended, run once with --max-drop 100"
    publish(root, lastmod=())
    assert "lastmod" not in (root / "sitemap.xml").read_text()


@pytest.mark.parametrize(
    ("files", "text", "help"),
    [
        ({"a.html": NOINDEX, "b.html": NOINDEX}, "(2 noindex)", "build the site as for production"),
        ({"a.html": NOINDEX, "b.html": page(), "c.html": page()}, "(2 ignored, 1 noindex)", "check the folder"),
        ({"a.html": canonical("https://b.example/a.html")}, "(1 canonical elsewhere)", "correct base_url"),
    ],
)  # fmt: skip
def test_an_empty_sitemap_needs_the_flag(
    tmp_path: Path, files: dict[str, str], text: str, help: str
) -> None:
    root = write(tmp_path, files)
    for key in (50, 100):
        with pytest.raises(SitemapperError) as raised:
            publish(root, ignore=["b.html", "c.html"], max_drop=key)
        assert text in raised.value.text if len(files) != 2 else True
        assert help in raised.value.help or len(files) == 2
        assert "--max-drop 100 publishes an empty sitemap" in raised.value.help
    publish(root, ignore=["b.html", "c.html"], flags=ALL, sitemap={"text": True})
    assert (root / "sitemap.xml").read_bytes().endswith(b".txt -->\n</urlset>\n")
    assert (root / "sitemap.txt").read_bytes() == b""


def test_many_older_dates_are_one_warning(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html b.html c.html")
    publish(root, rules=[{"match": ["*.html"], "lastmod": "2026-03-02"}])
    rules = [
        {"match": ["*.html"], "lastmod": "2026-03-02T05:00:00+09:00"},  # the same day
        {"match": "a.html", "lastmod": "2026-03"},
    ]
    [message] = publish(root, rules=rules, dates={"timezone": "Asia/Tokyo"}).plan.messages
    assert message.text == (f"1 of 3 dates become older: {BASE}a.html: 2026-03-02 → 2026-03")


# --- The earlier sitemap elsewhere


@pytest.mark.parametrize(
    ("files", "count", "expected"),
    [
        ({"old.xml": urlset(BASE, f"{BASE}a.html", f"{BASE}x")}, 3, {"x": "lost"}),
        ({"old.xml": f"{BASE}\n{BASE}a.html\n{BASE}a.html\n"}, 2, {}),
        ({"old.xml": gzip.compress(urlset(BASE, f"{BASE}%61.html").encode())}, 2, {"%61.html": "form a.html"}),
        ({"old.xml": index(f"{BASE}o/p%201.xml"), "p 1.xml": urlset(f"{BASE}b.html")}, 1, {}),
        ({"old.xml": urlset("http://www.tea.example/a.html")}, 1, {"http://www.tea.example/a.html": "form a.html"}),
        ({"old.xml": urlset()}, 0, {}),
    ],
)  # fmt: skip
def test_a_file_is_the_baseline(
    tmp_path: Path, files: dict[str, str | bytes], count: int, expected: dict[str, str]
) -> None:
    write(tmp_path, files)
    write(tmp_path / "site", "index.html a.html b.html")
    summary = publish(tmp_path, "site", previous="old.xml")
    assert (summary.plan.previous, gone(summary)) == (count, expected)
    assert summary.plan.compared_with == "old.xml"


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({}, "old.xml: does not exist"),
        ({"old.xml": ""}, "old.xml:1: is empty"),
        ({"old.xml": "<!doctype html><p>Log in"}, "old.xml:1: "),
        ({"old.xml": urlset(BASE)[:-9]}, "old.xml:1: "),
        ({"old.xml": index(f"{BASE}p.xml")}, "p.xml: does not exist"),
        ({"old.xml": index(f"{BASE}p.xml"), "p.xml": "x"}, "p.xml:1: "),
    ],
)
def test_an_earlier_sitemap_that_cannot_be_read_stops_a_run(
    tmp_path: Path, files: dict[str, str], error: str
) -> None:
    write(tmp_path, files)
    write(tmp_path / "site", "index.html a.html")
    with pytest.raises(SitemapperError, match=error) as raised:
        publish(tmp_path, "site", previous="old.xml")
    assert "--previous none" in raised.value.help
    assert not (tmp_path / "site/sitemap.xml").exists()


# --- The ledger


def rows(**digests: str) -> dict[str, Row]:
    """Rows of pages: {"a": "1"} is the page a.html with a digest of ones."""
    return {
        f"{name}.html": Row("2026-03-01", f"1a2b-{digit * 16}") for name, digit in digests.items()
    }


@pytest.fixture
def dated(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the rows that the next run has; what dates pages is another room's."""
    from sitemapper.commands import build as page_of_build
    from sitemapper.model import Dated, Entry

    def set_rows(new: dict[str, Row]) -> None:
        def date(site: Any, selected: Any, *_: object) -> Dated:
            entries = [Entry(one.page, one.url, "2026-03-01") for one in selected.listed]
            return Dated(entries, new)

        monkeypatch.setattr(page_of_build, "date", date)

    return set_rows


def test_without_a_sitemap_the_ledger_says_what_was_listed(tmp_path: Path, dated: Any) -> None:
    root = write(tmp_path / "site", "index.html a.html b.html new.html")
    unlisted = Row("-", "1a2b-" + "9" * 16, "unlisted")
    old = {
        **rows(a="1", b="2", gone="3", moved="4"),
        "z.html": unlisted,
        f"{BASE}app": Row("-", "0000-" + "0" * 16),
    }
    write(tmp_path, {"sitemapper.ledger": render_rows(old)})
    dated(rows(index="7", a="1", b="5", new="4"))
    summary = publish(tmp_path, "site", ledger={"path": "sitemapper.ledger"}, flags=ALL)
    assert summary.plan.previous == 5
    assert gone(summary) == {"app": "lost", "gone.html": "lost", "moved.html": "moved new.html"}
    kinds = [(one.kind, one.url.removeprefix(BASE)) for one in summary.plan.changes]
    assert kinds == [
        ("added", ""),
        ("added", "new.html"),
        ("removed", "gone.html"),
        ("removed", "moved.html"),
        ("removed", "app"),
        ("changed", "b.html"),  # edited twice on one day
    ]
    assert read_rows((tmp_path / "sitemapper.ledger").read_bytes(), "") == rows(
        a="1", b="5", index="7", new="4"
    )
    assert summary.plan.files[-1].name == os.path.realpath(tmp_path / "sitemapper.ledger")
    assert (root / "sitemap.xml").exists()


@pytest.mark.parametrize(
    ("old", "new", "fate"),
    [
        (rows(a="1", c="3"), rows(a="1", new="3"), "moved new.html"),
        (rows(a="3", c="3"), rows(a="3", new="3"), "lost"),
        (rows(a="1", c="3"), rows(a="3", new="3"), "lost"),
        (rows(a="1", c="3"), rows(a="3", new="4"), "lost"),  # a was listed before
        (rows(c="3"), {"new.html": Row("-", "9999-" + "3" * 16)}, "lost"),
    ],
)
def test_content_that_only_one_new_page_has_has_moved(
    tmp_path: Path, dated: Any, old: dict[str, Row], new: dict[str, Row], fate: str
) -> None:
    root = write(tmp_path / "site", "a.html c.html")
    dated(old)
    publish(tmp_path, "site", ledger={"path": "sitemapper.ledger"})
    os.rename(root / "c.html", root / "new.html")
    dated(new)
    found = gone(publish(tmp_path, "site", ledger={"path": "sitemapper.ledger"}, flags=ALL))
    assert found == {"c.html": fate}


def test_a_ledger_in_the_output_names_only_listed_pages(tmp_path: Path, dated: Any) -> None:
    root = write(tmp_path / "public", "a.html")
    dated({**rows(a="1"), "z.html": Row("-", "1a2b-" + "9" * 16, "unlisted")})
    (tmp_path / "link").symlink_to(root)
    for folder in ("public", "link"):
        publish(tmp_path, "public", ledger={"path": f"{folder}/x.ledger"})
        assert read_rows((root / "x.ledger").read_bytes(), "") == rows(a="1")
        (root / "x.ledger").unlink()


# --- A sitemap of another tool


@pytest.mark.parametrize(
    ("theirs", "is_repository", "files", "error"),
    [
        (urlset(BASE), True, {}, None),  # git does not track it
        (urlset(BASE), False, {}, "sitemap.xml: another tool wrote it"),
        (urlset(BASE), False, {"mkdocs.yml": "site_name: x"}, None),  # the generator's row names it
        (urlset(*[f"http://www.tea.example/{n}" for n in range(9)], "https://b.example/"), True, {}, None),
        (urlset(BASE, "https://b.example/"), True, {}, "sitemap.xml: another tool wrote it"),
        ("<p>", True, {}, "sitemap.xml: another tool wrote it"),
    ],
)  # fmt: skip
def test_another_tools_sitemap_is_replaced_if_something_shows_that_it_may_be(
    tmp_path: Path, theirs: str, is_repository: bool, files: dict[str, str], error: str | None
) -> None:
    root = write(tmp_path / "site", "index.html a.html")
    write(tmp_path, {**files, ".gitignore": "site\n"})
    if is_repository:
        commit(tmp_path)
    for _ in range(2):  # the generator writes it again at each build
        write(root, {"sitemap.xml": theirs})
        if error is None:
            summary = publish(tmp_path, "site")
            assert (summary.plan.previous, summary.plan.changes) == (None, ())
            continue
        with pytest.raises(SitemapperError, match=error) as raised:
            publish(tmp_path, "site")
        assert "--replace" in raised.value.help
        dry = publish(tmp_path, "site", is_dry=True)
        assert dry.problem and dry.problem.text.startswith(error)
        assert (root / "sitemap.xml").read_text() == theirs
        publish(tmp_path, "site", replace=True, is_dry=True)
    publish(tmp_path, "site", replace=True)
    assert (root / "sitemap.xml").read_text() != theirs


def test_one_that_git_tracks_may_be_somebodys_work(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.html": page(), "sitemap.xml": urlset(BASE)})
    commit(root)
    with pytest.raises(SitemapperError, match="another tool wrote it"):
        publish(root)


def test_the_parts_of_another_tools_index_go_with_it(tmp_path: Path) -> None:
    parts = {
        "s-0.xml": urlset(f"{BASE}a.html"),
        "s-1.xml": urlset(f"{BASE}a.html", "https://b.example/"),
        "s-3.xml": urlset(BASE),
    }
    names = ("s-0.xml", "s-1.xml", "s-2.xml")
    theirs = {"sitemap.xml": index(*(BASE + name for name in names)), **parts}
    root = write(tmp_path, {"a.html": page(), **theirs})
    summary = publish(root, replace=True)
    assert [file.name for file in summary.plan.files if file.change == "removed"] == ["s-0.xml"]
    assert sorted(os.listdir(root)) == ["a.html", "robots.txt", "s-1.xml", "s-3.xml", "sitemap.xml"]


def test_the_packed_copy_of_another_tools_sitemap_goes_with_it(tmp_path: Path) -> None:
    """MkDocs writes both; nginx with gzip_static would go on showing the copy."""
    theirs = urlset(f"{BASE}old.html")
    packed = gzip.compress(theirs.encode())
    root = write(tmp_path, {"a.html": page(), "sitemap.xml": theirs, "sitemap.xml.gz": packed})
    publish(root, replace=True)
    assert sorted(os.listdir(root)) == ["a.html", "robots.txt", "sitemap.xml"]


@pytest.mark.parametrize(
    ("entry", "settings", "messages"),
    [
        (f"<loc>{BASE}a.html</loc><lastmod>2026-01-01</lastmod>", {}, []),
        (f"<loc>{BASE}x.html</loc>", {}, [f"1 earlier URL lost: {BASE}x.html"]),
        (f"<loc>{BASE}n.html</loc>", {}, []),  # it has a reason
        (f"<loc>{BASE}a</loc>", {}, [f"1 earlier URL listed in another form now: {BASE}a → {BASE}a.html"]),
        (
            f'<loc>{BASE}a.html</loc><x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" '
            'hreflang="de" href="https://tea.example/de/"/>',
            {},
            ["has hreflang alternates"],
        ),
        (f"<loc>{BASE}a.html</loc><i:image xmlns:i='x'><i:loc>{BASE}i.png</i:loc></i:image>", {}, ["has images"]),
    ],
)  # fmt: skip
def test_what_another_tools_sitemap_has_and_ours_lacks_is_said_once(
    tmp_path: Path, entry: str, settings: dict[str, Any], messages: list[str]
) -> None:
    theirs = f"<urlset><url>{entry}</url></urlset>"
    own = canonical(f"{BASE}a.html")
    root = write(tmp_path, {"a.html": own, "n.html": NOINDEX, "sitemap.xml": theirs})
    found = publish(root, replace=True, **settings).plan.messages
    start = "sitemap.xml, which another tool wrote"
    assert [one.text.removeprefix(start).lstrip(":, ") for one in found] == messages
    assert publish(root).plan.messages == ()


def test_a_link_to_another_name_is_a_warning(tmp_path: Path) -> None:
    link = page('<link rel="sitemap" href="/map.xml">')
    root = write(tmp_path, {"index.html": link, "sitemap.xml": urlset(BASE)})
    [message] = publish(root, replace=True).plan.messages
    assert message.text.endswith(" is not map.xml, to which the home page links")
