"""What `build` and `check` share: the lists that a run writes while it works, and its summary."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, write_site

from sitemapper.cli.options import RunOptions
from sitemapper.cli.run import ObservedRun
from sitemapper.model import Excluded, Origin, Reason, Summary, UrlChange

SUMMARY = Summary(BASE, BASE, 1, {}, 0, (), (), (), 1, {}, {})


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


def test_names_cannot_break_the_rows_of_a_list(site: Site, tmp_path: Path) -> None:
    lists = {"excluded": str(tmp_path / "excluded"), "changes": str(tmp_path / "changes")}
    with ObservedRun("build", str(site({})), RunOptions(base_url=BASE, **lists)) as observer:
        observer.excluded(
            Excluded("a\tb\n.html", Reason.NOINDEX, Origin("a\tb\n.html", 3, "<meta>"))
        )
        observer.changed(UrlChange.ADDED, f"{BASE}a", "", "2026-01-01")
        written = {path: b"".join(blocks).decode() for path, blocks in observer.files(SUMMARY)}
    assert len(written[lists["excluded"]].splitlines()) == 1
    assert len(written[lists["excluded"]].split("\t")) == 3
    assert written[lists["changes"]] == f"added\t{BASE}a\n"


def test_a_run_that_starts_anew_forgets_what_it_wrote(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with ObservedRun("build", str(site({})), RunOptions(base_url=BASE, excluded="-")) as observer:
        observer.excluded(Excluded("a.html", Reason.NOINDEX, Origin("a.html")))
        observer.restart()
        observer.excluded(Excluded("b.html", Reason.NOINDEX, Origin("b.html")))
        list(observer.files(SUMMARY))
    assert capsys.readouterr().out == "b.html\tnoindex\tb.html\n"
    examples = observer.result().examples
    assert [page.path for page in examples[Reason.NOINDEX]] == ["b.html"]


@pytest.mark.parametrize(
    ("command", "options", "wants"),
    [("build", {}, False), ("check", {}, True), ("build", {"changes": "-"}, True)],
)
def test_changes_are_heard_only_where_somebody_wants_them(
    site: Site, command: str, options: dict[str, str], wants: bool
) -> None:
    with ObservedRun(command, str(site({})), RunOptions(base_url=BASE, **options)) as observer:
        assert observer.wants_changes is wants
