"""`--report`: what the page of a run shows, and that nothing of the site can change the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from support.rooms import BASE, NOW, decide, page, write

from sitemapper import __version__
from sitemapper.cli.render import Result
from sitemapper.cli.report import render
from sitemapper.commands.build import Summary
from sitemapper.messages import Message
from sitemapper.model import Before, Change, Dated, Entry, File, Gone, Origin, Plan, Reason

NOINDEX = page('<meta name="robots" content="noindex">')
EVIL = "<img src=x onerror=alert(1)>"
DATES = {"": "2026-05-01", "a.html": "2026-05-02T10:00:00+00:00", "c.html": "2025-01-01"}
SITE = {"index.html": page(), "a.html": page(), "b/index.html": page(), "c.html": page()}
SITE |= {"404.html": page(), "gone.html": NOINDEX}


def report(
    root: Path,
    site: Mapping[str, str] = SITE,
    dates: Mapping[str, str] = DATES,
    messages: tuple[Message, ...] = (),
    **changes: Any,
) -> str:
    """The report of a run on a site, with dates by the paths of URLs, and what it changed."""
    _, scanned, facts, settled, selected = decide(
        write(root, site), base_url=BASE, url_style="directory"
    )
    entries: list[Entry] = []
    for one in selected.listed:
        date = dates.get(one.url.removeprefix(BASE))
        entries.append(Entry(one.page, one.url, date, "git" if date else "no source"))
    plan = Plan(settled, f"{BASE}sitemap.xml", **({"files": (), "entries": entries} | changes))
    found = (settled, scanned, facts, Before("sitemap.xml"), selected, Dated(entries))
    summary = Summary(*found, plan, (), messages)
    return render(Result("build", summary, (), str(root), 1.25, False, False), NOW)


def tables(html: str) -> dict[str, list[str]]:
    """The rows of each table, by its title, with ` | ` between the cells."""
    found: dict[str, list[str]] = {}
    for table in LexborHTMLParser(html).css("details"):
        title = table.css_first("h2").text()
        rows = [[cell.text() for cell in row.css("td")] for row in table.css("tr")]
        found[title] = [" | ".join(cells) for cells in rows if cells]
    return found


def test_a_report_shows_what_a_run_found_decided_and_changed(tmp_path: Path) -> None:
    gone = (
        Gone(f"{BASE}gone.html", "excluded", "", Reason.NOINDEX, Origin("gone.html")),
        Gone(f"{BASE}old/", "redirected", f"{BASE}a.html", None, Origin("_redirects", 3)),
        Gone(f"{BASE}lost/", "lost"),
    )
    changes = (
        Change("added", f"{BASE}b/"),
        Change("changed", f"{BASE}a.html", "2026-04-01", "2026-05-02"),
        Change("removed", f"{BASE}lost/", "2025-01-01"),
    )
    files = (File("sitemap.xml", "updated", b"", 50_000), File("robots.txt", "kept"))
    messages = (
        Message("warning", "x", f"{EVIL} is\nwrong", "mend <it>"),
        Message("note", "y", f"{BASE}a/ is new"),
    )
    given = {"gone": gone, "changes": changes, "files": files, "previous": 4}
    html = report(tmp_path, messages=messages, **given)
    assert tables(html) == {
        "Found 4": [
            "site | . | options",
            f"base URL | {BASE} | options",
            "URL forms | a/ and b.html | options",
            "host | none | ",
        ],
        "Gone 3": [
            f"{BASE}gone.html | excluded |  | gone.html",
            f"{BASE}old/ | redirected | {BASE}a.html | _redirects:3",
            f"{BASE}lost/ | lost |  | ",
        ],
        "Changes 3": [
            f"added | {BASE}b/ |  | ",
            f"changed | {BASE}a.html | 2026-04-01 | 2026-05-02",
            f"removed | {BASE}lost/ | 2025-01-01 | ",
        ],
        "Left out: ignored 1": ["404.html | built-in default: 404.html | "],
        "Left out: noindex 1": ['gone.html | gone.html: <meta name="robots" content="noindex"> | '],
        "Listed 4": [
            f"{BASE} | 2026-05-01 | git",
            f"{BASE}a.html | 2026-05-02T10:00:00+00:00 | git",
            f"{BASE}b/ |  | no source",
            f"{BASE}c.html | 2025-01-01 | git",
        ],
    }
    assert [one.text() for one in LexborHTMLParser(html).css("h1, p, li")] == [
        f"Sitemap of {BASE}",
        f"2026-06-01 00:00 UTC, by sitemapper {__version__}",
        *("4listed", "3with a date", "2left out"),
        f"warning: {EVIL} is\nwarning: wrong\n  help: mend <it>",
        f"note: {BASE}a/ is new",
    ]
    printed = LexborHTMLParser(html).css_first("pre").text()
    assert printed.startswith(f"{BASE}sitemap.xml\n  dates: 3 from git\n  4 pages listed\n")
    assert report(tmp_path, messages=messages, **given) == html


def test_long_lists_are_cut_and_counted(tmp_path: Path) -> None:
    html = report(tmp_path, {f"p{n}.html": "<p>" for n in range(1_600)})
    assert len(tables(html)["Listed 1,600"]) == 500
    assert "and 1,100 more" in html
    assert re.findall("<details open>.*?<h2>(.*?)</h2>", html) == [
        "Found <i>4</i>",
    ]


def test_a_report_loads_nothing_and_obeys_no_name_of_a_file(tmp_path: Path) -> None:
    names = (f"{EVIL}.html", '"><script>.html', "a\u202eb.html", "$site.html", "\udcff.html")
    html = report(tmp_path, dict.fromkeys(names, NOINDEX) | {"index.html": "<p>"})
    html.encode()
    parsed = LexborHTMLParser(html)
    assert parsed.css("img, script, iframe, object, [onerror]") == []
    loaded = [node.attributes["href"] for node in parsed.css("link, use, base")]
    assert loaded == ["data:,"]
    assert parsed.css_first("meta[name=robots]").attributes["content"] == "noindex"
    assert not re.search(r"@import|url\(", html)
    shown = {row.partition(" | ")[0] for row in tables(html)["Left out: noindex 5"]}
    assert shown == {*names[:2], r"a\u202eb.html", "$site.html", r"\udcff.html"}
