"""What `build` and `check` share: the lists that a run writes while it works, and its summary."""

from __future__ import annotations

import io

from support import BASE, Run, Site, write_site

from sitemapper.cli.progress import Bar
from sitemapper.cli.run import RunObserver
from sitemapper.model import Excluded, Origin, Reason
from sitemapper.summary import UrlChange


def test_check_and_a_dry_run_have_one_summary_but_for_the_verdict(site: Site, run: Run) -> None:
    root = site({"a.html": "", "b.html": "", "404.html": ""})
    assert run("build", root, "--base-url", BASE) == 0
    write_site(root, {"c.html": ""})
    (root / "b.html").unlink()
    assert run("check", root, "--base-url", BASE, "-v") == 1
    *checked, verdict = run.out.splitlines()
    assert verdict.startswith("  differs from what a build would write now, ")
    assert run("build", root, "--base-url", BASE, "-v", "--dry-run") == 0
    *dry, end = run.out.splitlines()
    assert end.startswith("  nothing was written (--dry-run), ")
    assert checked == dry
    assert f"- {BASE}b.html" in " ".join(dry) and f"+ {BASE}c.html" in " ".join(dry)
    assert "    ignored: 404.html (built-in default: 404.html)" in dry


def test_names_cannot_break_the_rows_of_a_list() -> None:
    excluded, changes = io.StringIO(), io.StringIO()
    observer = RunObserver(excluded, changes, keep=0, bar=Bar(lambda: None, quiet=True))
    observer.excluded(Excluded("a\tb\n.html", Reason.NOINDEX, Origin("a\tb\n.html", 3, "<meta>")))
    observer.changed(UrlChange.ADDED, f"{BASE}a", "", "2026-01-01")
    assert len(excluded.getvalue().splitlines()) == 1
    assert len(excluded.getvalue().split("\t")) == 3
    assert changes.getvalue() == f"added\t{BASE}a\n"


def test_a_run_that_starts_anew_forgets_what_it_wrote() -> None:
    excluded = io.StringIO()
    observer = RunObserver(excluded, None, keep=1, bar=Bar(lambda: None, quiet=True))
    observer.excluded(Excluded("a.html", Reason.NOINDEX, Origin("a.html")))
    observer.restart()
    observer.excluded(Excluded("b.html", Reason.NOINDEX, Origin("b.html")))
    assert excluded.getvalue() == "b.html\tnoindex\tb.html\n"
    assert [page.path for page in observer.examples[Reason.NOINDEX]] == ["b.html"]


def test_changes_are_heard_only_where_somebody_wants_them() -> None:
    bar = Bar(lambda: None, quiet=True)
    wants = [
        RunObserver(None, changes, keep=keep, bar=bar).wants_changes
        for changes, keep in ((None, 0), (None, 3), (io.StringIO(), 0))
    ]
    assert wants == [False, True, True]
