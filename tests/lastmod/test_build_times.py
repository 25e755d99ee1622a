"""File times of a build, and dates that cannot be right."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, Run, Site, build, lastmods, settings
from support.cached import cached
from support.heads import NOINDEX
from support.ledger import WITH, dates, page

import sitemapper


def test_the_guard_looks_only_at_dates_that_are_written(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(30)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    assert not build(
        root, rules=[{"match": ["*"], "lastmod": "2025-01-01"}], dates={"guard": "warn"}
    ).warnings
    os.utime(root / "0.html", (NOW.timestamp() + 9, NOW.timestamp() + 9))
    summary = build(
        root,
        rules=[{"match": ["0.html"], "list": False}, {"match": ["*"], "lastmod": "2025-01-01"}],
    )
    assert not summary.warnings


def test_a_page_from_the_far_future(site: Site) -> None:
    root = site({"a.html": "<p>"})
    os.utime(root / "a.html", (10_413_792_000, 10_413_792_000))  # 2300
    assert [w[0].name for w in cached(root).warnings] == ["IMPLAUSIBLE"]


def test_dates_at_the_edges(site: Site) -> None:
    root = site(dict.fromkeys(["a.html", "b.html", "c.html", "d.html"], ""))
    first = 662_688_000  # 1991-01-01
    os.utime(root / "a.html", (first, first))
    os.utime(root / "b.html", (NOW.timestamp(), NOW.timestamp()))
    os.utime(root / "c.html", (NOW.timestamp() + 1, NOW.timestamp() + 1))
    os.utime(root / "d.html", ns=(first * 10**9 - 1, first * 10**9 - 1))
    summary = build(root)
    assert lastmods(root) == ["1991-01-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00", None, None]
    found = [(kind.name, examples) for kind, _, examples in summary.warnings]
    assert found == [("IMPLAUSIBLE", ("c.html", "d.html"))]


@pytest.mark.parametrize("sources", [["page", "mtime"], ["mtime", "page"]])
def test_a_page_with_another_date_is_not_counted_as_one_without(
    site: Site, sources: list[str]
) -> None:
    root = site({"a.html": '<meta name="date" content="2024-03-01">', "b.html": "", "c.html": ""})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    [note] = [note for note in build(root, lastmod=sources).notes if "no date" in note]
    assert note.startswith("2 pages have no date")


@pytest.mark.parametrize(("guard", "dated"), [("warn", 30), ("omit", 0)])
def test_uniform_dates(site: Site, guard: str, dated: int) -> None:
    root = site({f"{n}.html": "" for n in range(30)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    summary = build(root, dates={"guard": guard})
    assert 30 - lastmods(root).count(None) == dated
    assert [kind.name for kind, _, _ in summary.warnings] == (
        ["UNIFORM"] if guard == "warn" else []
    )
    assert any("the last build wrote " in note for note in summary.notes) == (guard == "omit")


@pytest.mark.parametrize(
    ("files", "help"),
    [
        (
            {"a.html": NOINDEX},
            "build the site as for production; --no-respect noindex lists such pages",
        ),
        (
            {"a.html": f'<link rel="canonical" href="{BASE}b">'},
            "correct base_url or the canonicals; --no-respect canonical ignores canonicals",
        ),
        (
            {
                "a.html": "<p>",
                "b.html": "<p>",
                "c.html": NOINDEX,
                "robots.txt": "User-agent: *\nDisallow: /",
            },
            "correct robots.txt; --no-respect robots lists such pages",
        ),
        ({"404.html": "<p>"}, "check the folder, `include` and `ignore`"),
        ({"a.png": ""}, "check the folder, `include` and `ignore`"),
    ],
)
def test_a_site_without_a_page_to_list_tells_where_to_look(
    site: Site, run: Run, files: dict[str, str], help: str
) -> None:
    assert run("build", site(files), "--base-url", BASE) == 2
    assert run.err.endswith(f"\n  help: {help}; --allow-empty publishes an empty sitemap\n")


HUGO = '<meta name="generator" content="Hugo 0.123.7"><p>'


@pytest.mark.parametrize(
    ("home", "built", "seconds", "flags", "dated"),
    [
        (HUGO, 11, 0, [], 0),  # three pages are copied from static/
        (HUGO, 11, 15, [], 0),
        (HUGO, 3, 15, [], 14),
        (HUGO, 11, 300, [], 14),
        (HUGO, 11, 15, ["--lastmod", "mtime"], 14),
        ("<p>", 11, 0, [], 14),  # nobody knows what wrote them
    ],
)
def test_a_known_generator_wrote_most_of_the_files(
    site: Site, run: Run, home: str, built: int, seconds: int, flags: list[str], dated: int
) -> None:
    root = site({"index.html": home, **{f"{n:02}.html": f"<p>{n}" for n in range(13)}})
    for n, path in enumerate(sorted(root.iterdir(), reverse=True)):
        time = MTIME + 86_400 + n * seconds if n < built else MTIME - n * 86_400
        os.utime(path, (time, time))
    assert run("build", root, "--base-url", BASE, *flags) == 0
    assert 14 - lastmods(root).count(None) == dated
    assert ("14 pages have no date: " in run.err) == (not dated)
    if seconds and not dated:
        assert (
            "no date: Hugo wrote most files within three minutes, so their times are not usable, and this is not a "
            "git repository\n  help: run the build in a git repository. Or, to date changes from now on, add --ledger"
            in run.err
        )


def test_where_a_known_generator_wrote_most_of_the_files(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": HUGO, **{f"{n:02}.html": f"<p>{n}" for n in range(13)}})
    files = sorted(root.iterdir(), reverse=True)

    def date(built: int, begin: int) -> None:
        for n, path in enumerate(files):
            time = begin + n * 15 if n < built else MTIME - n * 86_400
            os.utime(path, (time, time))

    def undated(*flags: str) -> int:
        (tmp_path / "ledger").unlink(missing_ok=True)
        assert run("build", root, "--base-url", BASE, "--max-drop", "100", *flags) == 0
        assert run("check", root, "--base-url", BASE, *flags) == 0
        return lastmods(root).count(None)

    date(8, MTIME + 86_400)
    assert undated() == 14, "most of them"
    date(7, MTIME + 86_400)
    assert undated() == 0, "half of them"
    date(11, MTIME + 86_400)
    (tmp_path / "sitemapper.toml").write_text('[dates]\nguard = "warn"\n')
    assert (undated(), "mtime: Hugo wrote most files within three minutes" in run.err) == (0, True)
    (tmp_path / "sitemapper.toml").unlink()
    assert undated("--lastmod", "ledger", "--lastmod", "mtime", "--ledger", "ledger") == 14, (
        "the first run"
    )
    date(11, MTIME - 365 * 86_400)
    assert undated() == 0, "a build of long ago, and edits since"
    (root / "index.html").write_text("<p>")
    (root.parent / "package.json").write_text('{"devDependencies": {"gulp": "4"}}')
    root = root.rename(tmp_path / "dist")
    files = sorted(root.glob("*.html"), reverse=True)
    date(11, MTIME + 86_400)
    assert undated() == 0, "a tool that copies files"


def test_dates_in_the_future_are_not_written_wherever_they_come_from(site: Site) -> None:
    root = site({"a.html": ""})
    rules = [{"match": ["a.html"], "lastmod": "2027-01-01", "priority": 1}]
    summary = build(root, rules=rules, urls=[{"loc": f"{BASE}x", "lastmod": "2027"}])
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00", None]
    assert [(k.name, count) for k, count, _ in summary.warnings] == [("IMPLAUSIBLE", 2)]


def test_a_day_that_has_begun_where_the_writer_is_is_no_future(site: Site) -> None:
    root = site({"a.html": page("a")})
    now = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    os.utime(root / "a.html", (now.timestamp() - 60, now.timestamp() - 60))
    values = {"lastmod": WITH, "dates": {"timezone": "Pacific/Auckland", "date_only": True}}
    for minutes in (0, 5):
        summary = sitemapper.build(settings(root, **values), now=now + timedelta(minutes=minutes))
        assert (summary.warnings, dates(root)) == ((), {"a.html": "2026-03-02"})


@pytest.mark.parametrize(
    ("seconds", "warns"), [((0, 30), 1), ((0, 90), 0), ((0, 30, 90), 0), ((0,), 0)]
)
def test_two_file_times_of_one_minute_are_enough(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, seconds: tuple[int, ...], warns: int
) -> None:
    root = site({f"{n}.html": "" for n in range(len(seconds))})
    for n, second in enumerate(seconds):
        os.utime(root / f"{n}.html", (MTIME + second, MTIME + second))
    monkeypatch.setenv("SITEMAPPER_DATES_GUARD", "warn")
    assert run("build", root, "--base-url", BASE, "--strict") == warns
    assert (
        run.err.splitlines()[: 2 * warns]
        == [
            "warning: dates show when the site was built, not when pages changed: mtime: 100% of 2 dates are within "
            "one minute",
            "  help: name better sources in `lastmod`, such as git or ledger; --no-lastmod writes none",
        ][: 2 * warns]
    )


def uniform(root: Path, *names: str, second: int = MTIME) -> None:
    for name in names:
        os.utime(root / name, (second, second))


def test_file_times_of_a_build_are_not_written_and_a_note_says_what_gives_dates(
    site: Site, run: Run
) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    uniform(root, *(f"{n}.html" for n in range(9)))
    assert run("build", root, "--base-url", BASE, "--strict") == 0
    assert lastmods(root) == [None] * 10
    assert "add --ledger sitemapper.ledger" in run.err
    assert run("check", root, "--base-url", BASE) == 0
    assert run("explain", "1.html", "--site", root, "--base-url", BASE) == 0
    assert "these are the file times of a build" in run.out


def test_a_few_edits_of_many_pages_with_a_ledger_are_news(site: Site) -> None:
    values = {"lastmod": WITH, "strict": True}
    names = [f"{n:02}.html" for n in range(20)]
    root = site({name: page(name) for name in names})
    build(root, **values)
    before = dates(root)
    for name in names[:5]:
        (root / name).write_text(page(f"{name} edited"))
    uniform(root, *names, second=MTIME + 86_400)  # the generator writes all of them
    summary = build(root, **values)
    assert (summary.warnings, summary.notes) == ((), ())
    assert [name for name in names if dates(root)[name] != before[name]] == names[:5]
    for name in names:
        (root / name).write_text(page(f"{name} with another theme"))
    uniform(root, *names, second=MTIME + 2 * 86_400)
    assert any("the last build wrote " in note for note in build(root, **values).notes)


def test_a_sample_that_tells_wrongly_costs_a_second_pass_and_no_date(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.site.walk.SAMPLE", 5)
    root = site({f"{n}.html": "" for n in range(10)})
    uniform(root, *(f"{n}.html" for n in range(5)))
    assert None not in (build(root), *lastmods(root))
    uniform(root, *(f"{n}.html" for n in range(10)))
    os.utime(root / "0.html", (MTIME - 99, MTIME - 99))
    assert build(root).notes and lastmods(root) == [None] * 10


def test_few_dates_of_one_minute_from_pages_are_no_sign_of_a_build(site: Site) -> None:
    root = site(
        {f"{n}.html": '<meta name="date" content="2026-01-01T10:00:00Z">' for n in range(19)}
    )
    assert build(root, lastmod=["page"]).warnings == ()


def test_a_warning_of_explain_says_what_to_do(site: Site, run: Run) -> None:
    root = site({"a.html": '<link rel="canonical" href="http://example.com/a.html">'})
    assert run("explain", "a.html", "--site", root, "--base-url", BASE) == 0
    assert "in http or https: " in run.out and "  help        use one scheme for both\n" in run.out
