"""The lists of excluded pages and of changed URLs."""

from __future__ import annotations

from pathlib import Path

from support import BASE, Run, Site, paths

from sitemapper.cli.build import BuildOptions
from sitemapper.cli.run import ObservedRun
from sitemapper.model import Excluded, Origin, Reason, Summary, UrlChange

SUMMARY = Summary(BASE, BASE, 1, {}, 0, (), (), (), 1, {}, {})


def test_the_list_of_what_was_left_out(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"a.html": "", "404.html": "", "drafts/x.html": "", "evil\x1b[2J\u202e.htm": ""})
    assert (
        run(
            "build",
            root,
            "--base-url",
            BASE,
            "--ignore",
            "drafts/",
            "--ignore",
            "*.htm",
            "--excluded",
            "list",
        )
        == 0
    )
    assert (tmp_path / "list").read_text() == (
        "404.html\tignored\tbuilt-in default: 404.html\n"
        "drafts/\tignored\t--ignore: drafts/\n"
        "evil\\x1b[2J\\u202e.htm\tignored\t--ignore: *.htm\n"
    )


def test_the_list_of_what_was_left_out_is_no_page_and_destroys_nothing(
    site: Site, run: Run
) -> None:
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", BASE, "--excluded", root / "list.html") == 0
    assert paths(root) == ["a.html"]
    (root / "list.html").unlink()


def test_names_cannot_break_the_rows_of_a_list(site: Site, tmp_path: Path) -> None:
    lists = {"excluded": str(tmp_path / "excluded"), "changes": str(tmp_path / "changes")}
    with ObservedRun("build", str(site({})), BuildOptions(base_url=BASE, **lists)) as observer:
        observer.excluded(
            Excluded("a\tb\n.html", Reason.NOINDEX, Origin("a\tb\n.html", 3, "<meta>"))
        )
        observer.changed(UrlChange.ADDED, f"{BASE}a", "", "2026-01-01")
        written = {path: b"".join(blocks).decode() for path, blocks in observer.files(SUMMARY)}
    assert len(written[lists["excluded"]].splitlines()) == 1
    assert len(written[lists["excluded"]].split("\t")) == 3
    assert written[lists["changes"]] == f"added\t{BASE}a\n"
