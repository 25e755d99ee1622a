"""The ledger: a date moves when the content moves, and never otherwise."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import MTIME, NOW, Run, Site, build, locs, settings, write_site
from hypothesis import given
from hypothesis import strategies as st

import sitemapper
from sitemapper import SitemapperError
from sitemapper.lastmod import ledger
from sitemapper.model import LastMod, Page, Row
from sitemapper.syntax.dates import Writer

DAY = 86_400
WITH = ["ledger", "mtime"]
PAGE = (
    "<!doctype html><title>{0}</title><nav>menu</nav><main><h1>{0}</h1><p>{1}</p></main><footer>foot</footer>"
)


def page(name: str, text: str = "text") -> str:
    return PAGE.format(name, text)


def pages(*names: str, **changed: str) -> dict[str, str]:
    return {f"{name}.html": page(name, changed.get(name, "text")) for name in names}


def dates(root: Path) -> dict[str, str | None]:
    rows = re.findall(
        r"<loc>https://example.com/(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?",
        (root / "sitemap.xml").read_text(),
    )
    return {name: date or None for name, date in rows}


def moved(before: dict[str, str | None], after: dict[str, str | None]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@pytest.fixture
def adopted(site: Site) -> Path:
    root = site(pages("a", "b", "c"))
    build(root, lastmod=WITH)
    return root


def rebuilt(root: Path, files: dict[str, str], days: int = 9) -> Path:
    """What a generator does: every file again, all with new times."""
    return write_site(root, files, mtime=MTIME + days * DAY)


def test_the_first_run_takes_the_dates_of_the_other_sources(adopted: Path) -> None:
    assert dates(adopted) == {
        "a.html": "2026-01-02T03:04:05+00:00",
        "b.html": "2026-01-02T04:04:05+00:00",
        "c.html": "2026-01-02T05:04:05+00:00",
    }
    rows = [line.split("\t") for line in (adopted.parent / "sitemapper.ledger").read_text().splitlines()]
    assert [row[:2] for row in rows] == [[name, date] for name, date in dates(adopted).items()]


def test_a_rebuild_moves_no_date_and_writes_nothing(adopted: Path) -> None:
    before = dates(adopted)
    summary = build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before
    assert {file.change.value for file in summary.files} == {"kept"}


def test_an_edit_moves_one_date(adopted: Path) -> None:
    before = dates(adopted)
    build(rebuilt(adopted, pages("a", "b", "c", b="new text")), lastmod=WITH)
    assert moved(before, dates(adopted)) == {"b.html"}
    assert dates(adopted)["b.html"] == "2026-01-11T04:04:05+00:00"


def test_a_new_page_is_dated_by_the_next_source_and_a_deleted_one_leaves(adopted: Path) -> None:
    os.unlink(adopted / "a.html")
    build(rebuilt(adopted, pages("b", "c", "d")), lastmod=WITH)
    assert list(dates(adopted)) == ["b.html", "c.html", "d.html"]
    assert dates(adopted)["d.html"] == "2026-01-11T05:04:05+00:00"
    names = [
        line.partition("\t")[0] for line in (adopted.parent / "sitemapper.ledger").read_text().splitlines()
    ]
    assert names == ["b.html", "c.html", "d.html"]


def test_what_surrounds_the_content_moves_nothing(adopted: Path) -> None:
    before = dates(adopted)
    files = {
        name: text.replace("menu", "menu <a href=/d.html>d</a>")
        .replace("foot", "foot 2027")
        .replace("<title>", "<script src=app.3f9a2c.js nonce=x1></script><title>")
        for name, text in pages("a", "b", "c").items()
    }
    build(rebuilt(adopted, files), lastmod=WITH)
    assert dates(adopted) == before


@pytest.mark.parametrize("count", [12, 30])
def test_adopting_on_a_fresh_build_does_not_claim_that_everything_changed(site: Site, count: int) -> None:
    names = [f"p{n}" for n in range(count)]
    root = site(pages(*names))
    today = NOW.timestamp() - 3600
    for path in root.iterdir():
        os.utime(path, (today, today))
    summary = build(root, lastmod=WITH)
    assert set(dates(root).values()) == {None}
    assert any("the ledger dates a page when it changes" in note for note in summary.notes)
    assert summary.warnings == ()
    # From now on only what changes has a date, though every file has a new time.
    build(rebuilt(root, pages(*names, p7="new text")), lastmod=WITH)
    assert {name: date for name, date in dates(root).items() if date} == {
        "p7.html": "2026-01-11T10:04:05+00:00"
    }


def test_when_all_pages_change_together_the_warning_comes_once(adopted: Path) -> None:
    names = [f"p{n}" for n in range(30)]
    files = pages(*names)
    build(write_site(adopted, files), lastmod=WITH)
    for name, text in files.items():
        (adopted / name).write_text(text.replace("text", "other"))
        os.utime(adopted / name, (MTIME + DAY, MTIME + DAY))
    assert [w[0].name for w in build(adopted, lastmod=WITH).warnings] == ["UNIFORM"]
    assert build(adopted, lastmod=WITH).warnings == ()


def test_a_date_by_rule_and_a_date_of_the_page_are_remembered_too(site: Site) -> None:
    root = site({"a.html": page("a"), "b.html": '<meta name="date" content="2024-05">' + page("b")})
    rules = [{"match": ["a.html"], "lastmod": "2025-01-01"}]
    build(root, lastmod=["page", *WITH], rules=rules)
    build(rebuilt(root, {"a.html": page("a"), "b.html": page("b")}), lastmod=["page", *WITH])
    assert dates(root) == {"a.html": "2025-01-01", "b.html": "2024-05"}


def test_pages_that_are_not_html_count_byte_by_byte(site: Site) -> None:
    root = site({"a.pdf": "1"})
    build(root, lastmod=WITH, include=["*.pdf"])
    build(rebuilt(root, {"a.pdf": "1"}), lastmod=WITH, include=["*.pdf"])
    assert dates(root) == {"a.pdf": "2026-01-02T03:04:05+00:00"}
    build(rebuilt(root, {"a.pdf": "2"}), lastmod=WITH, include=["*.pdf"])
    assert dates(root) == {"a.pdf": "2026-01-11T03:04:05+00:00"}


def test_another_rule_of_comparison_moves_no_date(adopted: Path) -> None:
    before = dates(adopted)
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH, ledger={"drop": [".reading-time"]})
    assert dates(adopted) == before


def test_what_is_dropped_never_counts(site: Site) -> None:
    root = site({"a.html": page("a", '<i class="built">10:00</i>')})
    build(root, lastmod=WITH, ledger={"drop": [".built", "h1 > i"]})
    before = dates(root)
    build(
        rebuilt(root, {"a.html": page("a", '<i class="built">11:00</i>')}),
        lastmod=WITH,
        ledger={"drop": [".built", "h1 > i"]},
    )
    assert dates(root) == before


def test_dates_in_another_form(adopted: Path) -> None:
    build(adopted, lastmod=WITH, dates={"timezone": "Europe/Berlin"})
    assert dates(adopted)["a.html"] == "2026-01-02T04:04:05+01:00"
    build(adopted, lastmod=WITH, dates={"date_only": True})
    assert dates(adopted)["a.html"] == "2026-01-02"


def test_the_ledger_lies_beside_the_configuration(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(pages("a"))
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "https://example.com"\nsite = "public"\nlastmod = {WITH}\n'.replace("'", '"')
    )
    (tmp_path / "below").mkdir()
    assert run("build", "--config", tmp_path / "sitemapper.toml") == 0
    assert "created  sitemapper.ledger\n" in run.out
    assert "sitemapper.ledger" not in os.listdir(root)
    assert run("build", "--ledger", "below/other.ledger") == 0
    assert (tmp_path / "below/other.ledger").read_bytes() == (tmp_path / "sitemapper.ledger").read_bytes()


def test_the_flag_alone_puts_the_ledger_before_the_time_of_the_file(site: Site, run: Run) -> None:
    root = site(pages("a", "b"))
    command = ("build", root, "--base-url", "https://example.com", "--ledger", "x.ledger")
    assert run(*command) == 0
    before = dates(root)
    rebuilt(root, pages("a", "b"))
    assert run(*command) == 0
    assert dates(root) == before


def test_a_dry_run_tells_and_writes_nothing(site: Site) -> None:
    root = site(pages("a"))
    summary = build(root, lastmod=WITH, dry_run=True)
    assert [(f.name, f.change.value) for f in summary.files][-1] == ("sitemapper.ledger", "created")
    assert not (root.parent / "sitemapper.ledger").exists()


def test_another_sites_ledger_is_refused(adopted: Path, tmp_path: Path) -> None:
    other = write_site(tmp_path / "other", {f"{n}.html": page(str(n)) for n in range(5)})
    before = (tmp_path / "sitemapper.ledger").read_bytes()
    with pytest.raises(SitemapperError, match="3 of its 3 pages are not in this site.*one for each"):
        build(other, lastmod=WITH)
    assert (tmp_path / "sitemapper.ledger").read_bytes() == before


def test_a_date_survives_a_wrong_clock(adopted: Path) -> None:
    before = dates(adopted)
    early = datetime(2015, 1, 1, tzinfo=UTC)
    summary = sitemapper.build(settings(adopted, lastmod=WITH), now=early)
    assert [w[0].name for w in summary.warnings] == ["FUTURE"]
    assert set(dates(adopted).values()) == {None}
    build(adopted, lastmod=WITH)
    assert dates(adopted) == before


def test_a_day_that_has_begun_where_the_writer_is_is_no_future(site: Site) -> None:
    root = site({"a.html": page("a")})
    now = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    os.utime(root / "a.html", (now.timestamp() - 60, now.timestamp() - 60))
    values = {"lastmod": WITH, "dates": {"timezone": "Pacific/Auckland", "date_only": True}}
    for minutes in (0, 5):
        summary = sitemapper.build(settings(root, **values), now=now + timedelta(minutes=minutes))
        assert (summary.warnings, dates(root)) == ((), {"a.html": "2026-03-02"})


def test_a_page_that_is_not_listed_for_a_while_keeps_its_line(adopted: Path) -> None:
    before = dates(adopted)
    build(adopted, lastmod=WITH, rules=[{"match": ["a.html"], "list": False}])
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before


@pytest.mark.parametrize("name", ["sitemap.xml", "robots.txt"])
def test_a_ledger_where_another_file_would_be(site: Site, run: Run, name: str) -> None:
    root = site(pages("a"))
    assert run("build", root, "--base-url", "https://example.com", "--ledger", root / name) == 2
    assert run.err == f"error: command line: ledger.path: {name} is another file's name; choose its own\n"


def test_a_ledger_may_be_called_as_one_likes(site: Site, run: Run) -> None:
    root = site(pages("a"))
    command = ("build", root, "--base-url", "https://example.com", "--ledger", "ledger.txt")
    assert run(*command) == 0
    assert "created  ledger.txt\n" in run.out
    write_site(root, pages("b"))
    assert run(*command) == 0
    assert "updated  ledger.txt\n" in run.out


def test_the_ledger_guards_against_losses_where_the_generator_empties_the_folder(adopted: Path) -> None:
    for name in ("b.html", "c.html", "sitemap.xml"):
        os.unlink(adopted / name)
    before = (adopted.parent / "sitemapper.ledger").read_bytes()
    with pytest.raises(SitemapperError, match="1 to list, 3 are published: more than 50 % would be lost"):
        build(adopted, lastmod=WITH)
    assert (adopted.parent / "sitemapper.ledger").read_bytes() == before


GOOD = "a.html\t2026-01-02\t0000-0000000000000000\n"
DAMAGE = {
    "x\n": r"sitemapper\.ledger:2: is not “path TAB lastmod TAB digest”; take the file as it was",
    "b.html\t2026-01-02\n": r":2: is not",
    "b.html\t2026-01-02\t0000-0000": r":2: is not",
    "b.html\tyesterday\t0000-0000000000000000\n": r":2: is not",
    "b.html\t2024-13\t0000-0000000000000000\n": r":2: '2024-13' is no date",
    "b.html\t2024-01-01T99:00Z\t0000-0000000000000000\n": r":2: '2024-01-01T99:00Z' is no date",
    "b.html\t2024-01-01T10:00+99:00\t0000-0000000000000000\n": r":2: ",
    "b.html\t2026-02-30\t0000-0000000000000000\n": r":2: '2026-02-30' is no date",
    "<<<<<<< HEAD\n": r":2: git left a conflict here; keep either side",
    GOOD: r":2: names a page twice",
    "A.html\t-\t0000-0000000000000000\n": r":2: is not in the order of the walk",
    "über.html\t-\t0000-0000000000000000\n": r":2: is not",
    "\n": r":2: is not",
}


@pytest.mark.parametrize(("damage", "said"), DAMAGE.items())
def test_damage_is_told_with_its_line_and_nothing_is_published(site: Site, damage: str, said: str) -> None:
    root = site(pages("a", "z"))
    path = root.parent / "sitemapper.ledger"
    path.write_text(GOOD + damage + "zz.html\t-\t0000-0000000000000000\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(SitemapperError, match=said):
        build(root, lastmod=WITH)
    assert path.read_bytes() == before
    assert not (root / "sitemap.xml").exists()


def test_damage_behind_the_last_page_is_found_too(site: Site) -> None:
    root = site(pages("a"))
    (root.parent / "sitemapper.ledger").write_text(GOOD + "zz.html\t-\t0000-0000000000000000\n=======\n")
    with pytest.raises(SitemapperError, match=":3: git left a conflict"):
        build(root, lastmod=WITH)


def test_line_ends_of_windows_and_no_last_one_are_taken(adopted: Path) -> None:
    path = adopted.parent / "sitemapper.ledger"
    before, text = dates(adopted), path.read_bytes()
    path.write_bytes(text.replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before
    assert path.read_bytes() == text


def test_a_ledger_that_is_a_folder(site: Site) -> None:
    root = site(pages("a"))
    with pytest.raises(SitemapperError, match="is not a regular file; name another"):
        build(root, lastmod=WITH, ledger={"path": str(root)})


def test_explain_tells_whether_the_content_changed(adopted: Path, run: Run) -> None:
    command = (
        "explain",
        "a.html",
        "--site",
        adopted,
        "--base-url",
        "https://example.com",
        "--lastmod",
        "ledger",
        "--lastmod",
        "mtime",
    )
    assert run(*command) == 0
    assert re.search(r"lastmod     2026-01-02T03:04:05\+00:00  \(ledger\)", run.out)
    assert re.search(
        r"content     unchanged since 2026-01-02T03:04:05\+00:00  \(digest [0-9a-f]{8}…\)", run.out
    )
    rebuilt(adopted, pages("a", a="new"))
    assert run(*command) == 0
    assert re.search(r"lastmod     2026-01-11T03:04:05\+00:00  \(mtime\)", run.out)
    assert re.search(r"content     changed: digest [0-9a-f]{8}… has become [0-9a-f]{8}…", run.out)
    write_site(adopted, pages("new"))
    assert run(*("explain", "new.html", *command[2:])) == 0
    assert re.search(r"content     new: not in sitemapper\.ledger  \(digest", run.out)


def test_a_selector_that_is_none(site: Site, run: Run, tmp_path: Path) -> None:
    site(pages("a"))
    (tmp_path / "sitemapper.toml").write_text('base_url = "https://example.com"\n[ledger]\ndrop = ["a["]\n')
    assert run("build") == 2
    assert run.err == "error: sitemapper.toml:3: ledger.drop: 'a[' is no CSS selector\n"


def test_names_of_any_kind_come_back(site: Site) -> None:
    names = ["a\tb", "a\nb", "über", "100%", "a b", "%41"]
    root = site(pages(*names))
    build(root, lastmod=WITH)
    before = dates(root)
    build(rebuilt(root, pages(*names)), lastmod=WITH)
    assert dates(root) == before
    assert len(locs(root)) == len(names)


PATHS = st.lists(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=4),
    min_size=1,
    max_size=3,
).map("/".join)


@given(st.dictionaries(PATHS, st.integers(0, 3), max_size=12), st.sets(PATHS, max_size=6), st.integers(1, 4))
def test_rows_join_their_pages_wherever_batches_end(
    tmp_path_factory: pytest.TempPathFactory, known: dict[str, int], others: set[str], size: int
) -> None:
    digest = "0000-000000000000000{}"
    key = sitemapper.site.walk.path_key
    known = {
        path: n
        for m, (path, n) in enumerate(known.items())
        if key(path) not in {key(p) for p in list(known)[:m]}
    }
    order = sorted(known, key=key)
    date = LastMod(915_148_800, "1999-01-01")
    rows = [(path, date, ledger.Known(None, digest.format(known[path]))) for path in order]
    file = tmp_path_factory.getbasetemp() / "ledger"
    file.write_bytes(ledger.render(rows))
    reader = ledger.Reader(str(file), "ledger", Writer())
    walked = sorted({*known, *others}, key=key)[::2]
    found: dict[str, Row] = {}
    for start in range(0, len(walked), size):
        found |= reader.rows([Page(path, 0, 0) for path in walked[start : start + size]])
    reader.finish()
    assert found == {path: Row(date, digest.format(known[path])) for path in walked if path in known}
