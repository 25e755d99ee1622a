"""`check`, `validate` and `rule` as a user meets them: what they print, and their exit codes."""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from conftest import BASE, MTIME, NOW, POSIX, Run, Site, settings, write_site
from hypothesis import given
from hypothesis import strategies as st
from test_rules import LOC, index, locs, urlset

import sitemapper
from sitemapper import Severity, SitemapperError, reading
from sitemapper.linter import chosen
from sitemapper.report_findings import annotation

GIVEN = ("--base-url", BASE)
PAGES = {"index.html": "<p>", "a.html": "<p>", "b.html": "<p>"}


@pytest.fixture
def root(site: Site, run: Run) -> Path:
    """A site that is published, with one page that has gone, one that is new and one that changed since."""
    folder = site(PAGES)
    assert run("build", folder, *GIVEN) == 0
    return folder


def change(root: Path) -> None:
    (root / "b.html").unlink()
    write_site(root, {"new.html": "<p>"})
    os.utime(root / "a.html", (MTIME + 9, MTIME + 9))


def test_check_after_build_is_clean_and_writes_nothing(root: Path, run: Run) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.iterdir()}
    assert run("check", root, *GIVEN) == 0
    assert run.out == f"{BASE}sitemap.xml\n  is what a build would write, 3 pages listed\n"
    assert run("check", root, *GIVEN, "--quiet") == 0
    assert run.out == run.err == ""
    assert {path: path.stat().st_mtime_ns for path in root.iterdir()} == before


def test_check_shows_what_a_build_would_change(root: Path, run: Run) -> None:
    change(root)
    (root / "robots.txt").write_text("User-agent: *\n")
    assert run("check", root, *GIVEN) == 1
    assert run.out.splitlines() == [
        f"{BASE}sitemap.xml",
        f"+ {BASE}new.html  2026-01-02T03:04:05+00:00",
        f"- {BASE}b.html  2026-01-02T05:04:05+00:00",
        f"~ {BASE}a.html  2026-01-02T04:04:05+00:00 -> 2026-01-02T03:04:14+00:00",
        "would be updated sitemap.xml  3 URLs",
        "would be updated robots.txt",
        f"         with the line “Sitemap: {BASE}sitemap.xml”",
        "  differs from what a build would write now",
    ]
    assert run("build", root, *GIVEN) == 0
    assert run("check", root, *GIVEN) == 0


def test_check_as_json_and_as_annotations(root: Path, run: Run, tmp_path: Path) -> None:
    change(root)
    assert run("check", root, *GIVEN, "--format", "json") == 1
    told = json.loads(run.out)
    assert (told["version"], told["same"], told["listed"], told["previous"]) == (1, False, 3, 3)
    assert told["changes"]["changed"] == [
        {
            "url": f"{BASE}a.html",
            "before": "2026-01-02T04:04:05+00:00",
            "after": "2026-01-02T03:04:14+00:00",
        }
    ]
    assert run("check", root, *GIVEN, "--format", "github") == 1
    assert run.out == (
        "::error file=public/sitemap.xml,line=1,title=sitemap out of date::would be updated by sitemapper build "
        "(1 added, 1 changed, 1 removed)\n"
    )
    assert run("check", root, *GIVEN, "--changes", tmp_path / "changes", "--excluded", "-") == 1
    assert sorted(line.split("\t")[0] for line in (tmp_path / "changes").read_text().splitlines()) == [
        "added",
        "changed",
        "removed",
    ]


def test_long_differences_are_shortened_unless_asked_for(root: Path, run: Run) -> None:
    write_site(root, {f"new/{n}.html": "<p>" for n in range(25)})
    assert run("check", root, *GIVEN) == 1
    assert run.out.count("\n+ ") == 21
    told = run.out
    assert run("check", root, *GIVEN, "--format", "text") == 1
    assert run.out == told
    assert "+ and 5 more added\n" in run.out
    assert run("check", root, *GIVEN, "--verbose") == 1
    assert run.out.count("\n+ ") == 25


def test_check_wants_the_required_pages(site: Site, run: Run) -> None:
    noindex = '<meta name="robots" content="noindex">'
    root = site(PAGES | {"pricing/index.html": noindex, "team/index.html": "<p>"})
    wanted = ["/", "a.html", "/team", "/pricing/", "/gone/", "https://example.com/b.html"]
    given_values = {"base_url": BASE, "site": str(root), "check": {"required": wanted}}
    sitemapper.build(sitemapper.load(given_values), now=NOW)
    checked = sitemapper.check(sitemapper.load(given_values), now=NOW)
    assert not checked.is_same
    assert checked.missing == (
        f"{BASE}team: is listed as {BASE}team/",
        f"{BASE}pricing/: noindex (pricing/index.html: {noindex})",
        f"{BASE}gone/: there is no such page",
    )
    (root.parent / "sitemapper.toml").write_text('site = "public"\n[check]\nrequired = ["/gone/"]\n')
    assert run("check", *GIVEN) == 1
    assert run.out.splitlines()[1:] == [
        f"required: {BASE}gone/: there is no such page",
        "  lacks required pages",
    ]
    assert run("check", *GIVEN, "--format", "github") == 1
    assert run.out == f"::error title=required page::{BASE}gone/: there is no such page\n"


def test_check_cannot_tell_where_a_build_could_not_run(root: Path, run: Run, tmp_path: Path) -> None:
    for path in root.glob("*.html"):
        path.unlink()
    assert run("check", root, *GIVEN) == 2
    assert run.err.startswith(f"error: a build would stop here: {root}: no page to list")
    assert run("check", root, *GIVEN, "--against", tmp_path / "no.xml") == 2
    assert run.err == f"error: {tmp_path / 'no.xml'}: there is no such file; name a sitemap, a folder or -\n"
    assert run("check", root, *GIVEN, "--format", "json", "--changes", "-") == 2
    assert run.err == "error: --changes - and --format json would both write to stdout; name a file\n"


def test_check_against_another_tools_sitemap(root: Path, run: Run) -> None:
    (root / "theirs.xml").write_text(locs(BASE, f"{BASE}index.html", f"{BASE}a.html", f"{BASE}gone"))
    assert run("check", root, *GIVEN, "--against", root / "theirs.xml") == 1
    name = root / "theirs.xml"
    assert run.out.splitlines() == [
        f"{name}:4: SM508 error: {BASE}index.html: is listed as {BASE} too",
        f"{name}:6: SM501 error: {BASE}gone: no page of the site has this URL",
        f"{name}:1: SM507 error: {BASE}b.html: can be indexed, and is not listed",
        "`sitemapper rule CODE` says why, and how to mend it",
        "3 errors in 1 file, 4 entries",
    ]


def test_validate_names_file_line_rule_and_fault(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(
        urlset(f"{LOC}<lastmod>yesterday</lastmod>", "<loc>https://example.com/über uns</loc>"),
        encoding="utf-8",
    )
    assert run("validate", "sitemap.xml") == 1
    assert run.out.splitlines() == [
        "sitemap.xml:3: SM203 error: lastmod 'yesterday' is no W3C Datetime, such as 2026-03-01T12:00:00+00:00",
        "sitemap.xml:4: SM303 error: https://example.com/über uns holds 'ü', which must be percent-encoded",
        "`sitemapper rule CODE` says why, and how to mend it",
        "2 errors in 1 file, 2 entries",
    ]
    assert run("validate", "sitemap.xml", "--disable", "SM2", "--disable", "sm303") == 0
    assert run.out == "no fault in 1 file, 2 entries\n"
    assert run("validate", "sitemap.xml", "--select", "SM203", "--format", "github") == 1
    assert run.out.startswith("::error file=sitemap.xml,line=3,title=SM203::lastmod 'yesterday' is")
    assert run("validate", "sitemap.xml", "--format", "json") == 1
    told = json.loads(run.out)
    assert (told["version"], told["errors"], told["warnings"]) == (1, 2, 0)
    assert told["files"] == [{"name": "sitemap.xml", "entries": 2}]
    assert told["findings"][0] | {"message": ""} == {
        "code": "SM203",
        "severity": "error",
        "file": "sitemap.xml",
        "line": 3,
        "message": "",
    }


def test_warnings_fail_only_if_that_is_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs(BASE, BASE))
    assert run("validate", "s.xml") == 0
    assert "SM307 warning" in run.out
    assert run("validate", "s.xml", "--strict") == 1
    assert run("validate", "s.xml", "--quiet") == 0
    assert run.out == ""
    assert run("validate", "s.xml", "--strict", "--quiet") == 1
    assert run.out == f"s.xml:4: SM307 warning: {BASE} stands in line 3 already\n"
    (tmp_path / "s.xml").write_text(locs(BASE, BASE, "/a"))
    assert run("validate", "s.xml", "--quiet") == 1
    assert run.out == "s.xml:5: SM301 error: '/a' is no absolute http or https URL\n"


def test_many_findings_of_one_kind_are_shortened(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs(*(f"{BASE}#{n}" for n in range(30))))
    assert run("validate", "s.xml") == 1
    assert run.out.splitlines()[20:] == [
        "s.xml: and 10 more SM304",
        "`sitemapper rule SM304` says why, and how to mend it",
        "30 errors in 1 file, 30 entries",
    ]
    assert run("validate", "s.xml", "--format", "json") == 1
    assert json.loads(run.out)["more"] == [{"file": "s.xml", "code": "SM304", "count": 10}]
    assert run("validate", "s.xml", "--verbose") == 1
    assert run.out.count("SM304 error") == 30


def test_a_file_that_cannot_be_read_is_told_whatever_is_selected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(urlset(LOC)[:-9])
    assert run("validate", "s.xml", "--select", "SM2") == 1
    assert "SM101" in run.out
    (tmp_path / "s.xml.gz").write_text(urlset(LOC))
    assert run("validate", "s.xml.gz") == 1
    assert run.out.startswith("s.xml.gz:1: SM109 error: is called .gz, and is not packed\n")


def test_robots_txt_beside_a_sitemap_counts_however_it_is_named(run: Run, tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {"robots.txt": f"User-agent: *\nDisallow: /b\nSitemap: {BASE}s.xml", "s.xml": locs(f"{BASE}b")},
    )
    for path in (".", "robots.txt", "s.xml"):
        assert run("validate", path) == 1
        assert "SM406 error: https://example.com/b is disallowed, robots.txt:2: Disallow: /b" in run.out


def test_an_index_that_names_itself_is_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / "i.xml").write_text(index(f"<loc>{BASE}i.xml</loc>"))
    assert run("validate", "i.xml") == 1
    assert run.out.startswith(f"i.xml:3: SM402 error: {BASE}i.xml is an index itself\n")


def test_a_url_of_an_index_means_one_file_only(run: Run, tmp_path: Path) -> None:
    """A query is another document, and what is cut off one URL is cut off all."""
    tree = {
        "sitemap.xml": index(
            f"<loc>{BASE}s-1.xml</loc>",
            f"<loc>{BASE}de/s-1.xml</loc>",
            f"<loc>{BASE}sitemap.xml?page=1</loc>",
        ),
        "s-1.xml": locs(BASE),
    }
    write_site(tmp_path / "site", tree)
    assert run("validate", "site") == 1
    assert [line.split(": ", 2)[1:] for line in run.out.splitlines()[:-2]] == [
        ["SM401 error", f"{BASE}de/s-1.xml: no such file lies beside the index"]
    ]


@pytest.mark.parametrize("loc", ["s-1.xml", "https://Example.com/s-1.xml", "HTTPS://example.com:443/s-1.xml"])
def test_an_index_in_another_spelling_gives_its_sitemaps_no_other_scope(
    run: Run, tmp_path: Path, loc: str
) -> None:
    write_site(tmp_path / "site", {"i.xml": index(f"<loc>{loc}</loc>"), "s-1.xml": locs(f"{BASE}a")})
    run("validate", "site")
    assert "SM306" not in run.out


def test_the_order_of_arguments_changes_nothing(run: Run, tmp_path: Path) -> None:
    index_of = index(f"<loc>{BASE}a/s.xml</loc><lastmod>2020</lastmod>")
    write_site(tmp_path, {"i.xml": index_of, "a/s.xml": urlset(f"{LOC}<lastmod>2026-01-01</lastmod>")})
    assert run("validate", "a/s.xml", "i.xml", "--strict") == 1
    first = run.out
    assert run("validate", "i.xml", "a/s.xml", "--strict") == 1
    assert run.out == first
    assert "SM306" in first and "SM403" in first


@pytest.mark.parametrize("names", [("i.xml", "a/s.xml"), ("a/s.xml", "i.xml")])
def test_what_robots_and_an_index_say_of_a_sitemap_is_put_together(
    run: Run, tmp_path: Path, names: tuple[str, str]
) -> None:
    """robots.txt may name a sitemap of any folder, and the index's old date is told all the same."""
    tree = {
        "robots.txt": "".join(f"Sitemap: {BASE}{name}\n" for name in names),
        "i.xml": index(f"<loc>{BASE}a/s.xml</loc><lastmod>2020</lastmod>"),
        "a/s.xml": urlset(f"{LOC}<lastmod>2026-01-01</lastmod>"),
    }
    write_site(tmp_path / "site", tree)
    assert run("validate", "site") == 0
    assert "SM403" in run.out and "SM306" not in run.out


def test_open_comments_and_long_dates_cost_no_time_and_no_memory(tmp_path: Path) -> None:
    entries = "".join(f"<sitemap><loc>{BASE}a.xml</loc></sitemap>" for _ in range(500))
    write_site(
        tmp_path / "site",
        {
            "sitemap.xml": urlset(root="sitemapindex").replace(
                "</sitemapindex>", entries + "</sitemapindex>"
            ),
            "a.xml": "<!--" * 100_000,
            "b.xml": f"<!-- {'x' * 70_000} -->"
            + urlset(f"{LOC}<lastmod>{'9' * 60_000}</lastmod>").split("?>")[1],
        },
    )
    started = time.process_time()
    found = {finding.code for finding in sitemapper.validate([str(tmp_path / "site")], now=0)}
    assert {"SM101", "SM203"} <= found
    assert time.process_time() - started < 5


@POSIX
def test_closed_streams_are_no_traceback(root: Path) -> None:
    program = [sys.executable, "-m", "sitemapper", "validate", str(root)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        command = f"{shlex.join(program)} {closed}"
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_a_url_in_another_spelling_is_disallowed_too(run: Run, tmp_path: Path) -> None:
    write_site(
        tmp_path / "site",
        {"robots.txt": "User-agent: *\nDisallow: /private", "sitemap.xml": locs(f"{BASE}%70rivate/x")},
    )
    assert run("validate", "site") == 1
    assert "SM406" in run.out


def test_an_audit_names_pages_that_include_or_a_link_keeps_out(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"docs/a.html": "<p>", "b.html": "<p>", "b.pdf": "x"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/c.html").write_text("<p>")
    os.symlink(tmp_path / "elsewhere", root / "link")
    (tmp_path / "theirs.txt").write_text(
        "".join(f"{BASE}{name}\n" for name in ("docs/a.html", "b.html", "b.pdf", "link/c.html"))
    )
    (tmp_path / "sitemapper.toml").write_text('site = "public"\ninclude = ["docs/*.html"]\n')
    assert run("check", *GIVEN, "--against", "theirs.txt") == 1
    assert [line.split(": ")[2] for line in run.out.splitlines() if "SM506 error" in line] == [
        f"{BASE}b.html",
        f"{BASE}link/c.html",
    ]
    (tmp_path / "theirs.txt").write_text("https://typo.example/docs/a.html\n")
    assert run("check", *GIVEN, "--against", "theirs.txt") == 2
    assert run.err.startswith(
        f"error: theirs.txt: none of its 1 URLs is below {BASE}, such as https://typo.example/"
    )


def test_a_folder_passes_over_no_broken_sitemap(run: Run, tmp_path: Path) -> None:
    broken = {
        "page-sitemap.xml": "<!DOCTYPE html>",
        "sitemap.xml": "<urlst/>",
        "sitemap-2.xml": "",
        "feed.xml": "<rss/>",
    }
    write_site(tmp_path / "site", broken)
    assert run("validate", "site") == 1
    assert [line.split(":")[0] for line in run.out.splitlines()[:3]] == [
        os.path.join("site", name) for name in ("page-sitemap.xml", "sitemap-2.xml", "sitemap.xml")
    ]


def test_validate_follows_no_link_out_of_a_folder(run: Run, tmp_path: Path) -> None:
    write_site(tmp_path, {"secret": "one: two\n", "site/i.xml": index(f"<loc>{BASE}s.xml</loc>")})
    os.symlink(tmp_path / "secret", tmp_path / "site/s.xml")
    os.symlink(tmp_path / "secret", tmp_path / "site/sitemap.txt")
    assert run("validate", "site") == 1
    assert "two" not in run.out and "SM401" in run.out
    assert run("validate", "site/sitemap.txt") == 1  # what the user names is read
    assert "two" in run.out


def test_a_comment_about_an_index_makes_no_index(run: Run, tmp_path: Path) -> None:
    child = locs(BASE).replace("<urlset", "<!-- part of <sitemapindex> --><urlset")
    write_site(tmp_path / "site", {"i.xml": index(f"<loc>{BASE}s.xml</loc>"), "s.xml": child})
    assert run("validate", "site") == 0


def test_long_locs_of_an_index_and_long_robots_lines_take_no_long_time(tmp_path: Path) -> None:
    write_site(
        tmp_path / "site",
        {
            "i.xml": index(f"<loc>{BASE}{'a/' * 30_000}</loc>"),
            "robots.txt": b"Sitemap: x" + b" " * 200_000 + b"y\n",
        },
    )
    started = time.process_time()
    assert [f.code for f in sitemapper.validate([str(tmp_path / "site")], now=0)] == ["SM404", "SM302"]
    assert time.process_time() - started < 5


def test_partial_dates_mean_the_whole_of_their_time(run: Run, tmp_path: Path) -> None:
    child = urlset(f"{LOC}<lastmod>2026-05-01</lastmod>")
    write_site(
        tmp_path / "site", {"i.xml": index(f"<loc>{BASE}s.xml</loc><lastmod>2026</lastmod>"), "s.xml": child}
    )
    assert run("validate", "site") == 0
    assert "SM403" not in run.out


def test_alternates_for_other_devices_need_no_language(run: Run, tmp_path: Path) -> None:
    link = (
        '<x:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/"/>'
    )
    (tmp_path / "s.xml").write_text(urlset(LOC + link, spaces='xmlns:x="http://www.w3.org/1999/xhtml"'))
    assert run("validate", "s.xml") == 0


def test_nothing_that_check_prints_moves_the_terminal(root: Path, run: Run) -> None:
    path = root / "sitemap.xml"
    path.write_bytes(path.read_bytes().replace(b"2026-01-02T04", b"\x1b]0;x\x07\xff"))
    assert run("check", root, *GIVEN, "--changes", "-", "--color", "never") == 1
    assert run.out.replace("\n", "").replace("\t", "").isprintable()


def test_the_ledgers_annotation_names_the_ledger(root: Path, run: Run) -> None:
    assert run("check", root, *GIVEN, "--lastmod", "ledger", "--lastmod", "mtime", "--format", "github") == 1
    assert "::error file=sitemapper.ledger,line=1," in run.out


def test_robots_txt_that_is_a_folder_is_named(root: Path, run: Run) -> None:
    (root / "robots.txt").unlink()
    (root / "robots.txt").mkdir()
    assert run("check", root, *GIVEN) == 2
    assert run.err.startswith("error: ") and "robots.txt: not a regular file" in run.err


def test_text_between_entries_is_told_where_it_stands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(urlset(LOC).replace("</urlset>", "\n\nhere\n</urlset>"))
    assert run("validate", "s.xml") == 1
    assert run.out.startswith("s.xml:6: SM110 error: text between entries: 'here'\n")


def test_validate_reads_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(locs("/a").encode()))))
    assert run("validate", "-") == 1
    assert run.out.startswith("-:3: SM301 error: '/a' is no absolute http or https URL\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no.xml",), "no.xml: there is no such file; name a sitemap, a folder or -"),
        (("empty",), "empty: holds no sitemap (*.xml, *.xml.gz, sitemap*.txt) and no robots.txt"),
        (
            ("s.xml", "--select", "SM999"),
            "'SM999' is no rule; did you mean SM509? (`sitemapper rule` lists them)",
        ),
        (("s.xml", "--disable", "foo"), "'foo' is no rule (`sitemapper rule` lists them)"),
        (("s.xml", "--select", "S"), "'S' is no rule (`sitemapper rule` lists them)"),
    ],
)
def test_validate_says_what_it_cannot_do(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "s.xml").write_text(urlset(LOC))
    assert run("validate", *arguments) == 2
    assert run.err == f"error: {says}\n"


def test_rule_prints_a_page(run: Run) -> None:
    assert run("rule", "sm304") == 0
    assert run.out == (
        "SM304  error  A URL with a fragment.\n\n"
        "  Crawlers cut off what stands behind #, so the entry repeats another page.\n"
        "  Fix: list the page once, without #.\n"
    )
    assert run("rule") == 0
    assert run.out.startswith("SM101  error    The file is not well-formed XML.\n")
    assert run("rule", "SM2") == 2
    assert run.err == "error: SM2 is a family of rules; name one, such as SM201\n"


def codes(folder: Path, name: str, data: bytes) -> list[str]:
    (folder / name).write_bytes(data)
    return [finding.code for finding in sitemapper.validate([str(folder / name)], now=0)]


SPACE = b"http://www.sitemaps.org/schemas/sitemap/0.9"
URLSET = b'<urlset xmlns="%s">' % SPACE
BOMB = b"<!DOCTYPE l [<!ENTITY a 'lol'>%s]><urlset>&j;</urlset>" % b"".join(
    b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (BOMB, "SM107"),
        (b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'><urlset/>", "SM107"),
        (b"<!DOCTYPE x [<!ENTITY % p SYSTEM 'http://127.0.0.1/'> %p;]><urlset/>", "SM107"),
        (URLSET + b"<url>" + b"<x:a xmlns:x='x'>" * 100_000, "SM108"),
        (URLSET + b"<url><loc a='" + b"b" * 3_000_000, "SM108"),
        (b"x" * 3_000_000, "SM108"),
        (URLSET + b"<url>" + b"<loc/>" * 30_000, "SM108"),
        (b"\xff\xfe" + "<urlset/>".encode("utf-16-le"), "SM102"),
        (b'<?xml version="1.0" encoding="x-unknown"?><urlset/>', "SM102"),
        (URLSET + b"<url><loc>https://e.com/\xe9</loc></url></urlset>", "SM102"),
        (b"\x00\x01\x02", "SM102"),
        ("<urlset/>".encode("utf-16-le"), "SM102"),
        (b'<?xml version="1.1"?><urlset/>', "SM101"),
        (b"Warning: mysql\n" + URLSET + b"</urlset>", "SM101"),
        (URLSET + b"".join(b"<a%d/>" % n for n in range(2000)), "SM108"),
        (b"<!DOCTYPE html><html><body>404", "SM103"),
        (b"<rss><channel/></rss>", "SM103"),
        (b"", "SM106"),
        (b"PK\x03\x04zip", "SM109"),
        (b"\x1f\x8b\x08nonsense", "SM109"),
        (gzip.compress(gzip.compress(URLSET, mtime=0), mtime=0), "SM109"),
        (gzip.compress(URLSET, mtime=0)[:-1], "SM109"),
        (URLSET + b"<url><loc>&#0;</loc></url></urlset>", "SM101"),
        (URLSET + b"\n<a:url/></urlset>", "SM101"),
    ],
)
def test_what_is_thrown_at_validate_ends_in_a_finding(tmp_path: Path, data: bytes, says: str) -> None:
    assert says in codes(tmp_path, "sitemap.xml", data)


def test_a_byte_order_mark_crlf_and_a_split_character_are_no_fault(tmp_path: Path) -> None:
    crlf = b"\xef\xbb\xbf" + urlset(LOC).replace("\n", "\r\n").encode()
    assert codes(tmp_path, "s.xml", crlf) == []
    assert (
        codes(tmp_path, "s.txt", b"\xef\xbb\xbfhttps://example.com/\r\n\r\n https://example.com/a\r\n") == []
    )
    padded = (
        urlset(LOC)
        .encode()
        .replace(b"<url>", b"<!--" + b"x" * (65_535 - 120) + "é".encode() * 9 + b"--><url>", 1)
    )
    assert all(codes(tmp_path, "s.xml", padded.replace(b"x", b"x" * n, 1)) == [] for n in (1, 2, 3, 4))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak of memory")
def test_memory_of_validate_is_bounded(tmp_path: Path) -> None:
    row = b"<url><loc>https://example.com/%d/" + b"x" * 900 + b"</loc><lastmod>x</lastmod></url>\n"
    rows = b"".join(row % n for n in range(50_000))
    (tmp_path / "big.xml").write_bytes(URLSET + rows + b"</urlset>")
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(tmp_path / "bomb.xml.gz", "wb") as file:
        file.write(pack.compress(URLSET))
        for _ in range(200):
            file.write(pack.compress(b" " * 10_000_000))
        file.write(pack.flush())
    program = (
        "import re, sys\nfrom sitemapper.__main__ import main\nmain(['validate', *sys.argv[1:]])\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    argv = [sys.executable, "-c", program, str(tmp_path / "big.xml"), str(tmp_path / "bomb.xml.gz")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    *_, peak = subprocess.run(argv, env=environment, capture_output=True, text=True).stdout.split()
    assert int(peak) < 80 << 10  # kilobytes


@given(st.text(), st.text())
def test_annotations_are_one_line_whatever_they_say(message: str, file: str) -> None:
    line = annotation("error", message, file=file)
    assert line.isprintable()
    head, _, _ = line.removeprefix("::error ").partition("::")
    assert head.count("=") >= 1 and "," not in head and ":" not in head.removeprefix("file=")


def test_select_and_disable_take_families() -> None:
    stops = {"SM101", "SM102", "SM103", "SM105", "SM107", "SM108", "SM109"}
    assert chosen(["SM1"], ["SM10"]) == {"SM110"}
    assert chosen(["SM203,SM30"], []) == {"SM203", *(f"SM30{n}" for n in range(1, 9)), *stops}
    for select, disable in ((["SM501"], []), (["SM2"], ["SM2"])):
        with pytest.raises(SitemapperError):
            chosen(select, disable)
    assert len(chosen([], [])) == 36
    with pytest.raises(SitemapperError):
        chosen(["SM"], [])


def test_the_api_gives_findings(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs("/a"))
    (finding,) = sitemapper.validate([str(tmp_path / "s.xml")], now=0)
    assert (finding.code, finding.severity, finding.line) == ("SM301", Severity.ERROR, 3)


def test_nothing_outside_the_site_is_read_through_an_alternate(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.html").write_text("<p>secret")
    link = '<html><head><link rel="alternate" hreflang="de" href="https://example.com/link.html"></head>'
    root = site({"a.html": link})
    os.symlink(tmp_path / "secret.html", root / "link.html")
    read: list[str] = []
    real = reading.read

    def noted(folder: Any, page: Any, limit: int) -> bytes:
        read.append(page.path)
        return real(folder, page, limit)

    monkeypatch.setattr(reading, "read", noted)
    sitemapper.build(settings(root, hreflang=True), now=NOW)
    assert set(read) == {"a.html"}
