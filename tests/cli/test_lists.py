"""The lists of excluded pages and of changed URLs."""

from __future__ import annotations

from pathlib import Path

from support import BASE, POSIX, Run, Site, paths


def test_the_list_of_what_was_left_out(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"a.html": "", "404.html": "", "drafts/x.html": "", "evil\x1b[2J\u202e.htm": ""})
    ignore = ("--ignore", "drafts/", "--ignore", "*.htm")
    assert run("build", root, "--base-url", BASE, *ignore, "--excluded", "list") == 0
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


@POSIX
def test_names_cannot_break_the_rows_of_a_list(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"a.html": "", "a\tb\n.html": '<meta name="robots" content="noindex">'})
    assert run("build", root, "--base-url", BASE, "--excluded", "list", "--changes", "-") == 0
    [row] = (tmp_path / "list").read_text().splitlines()
    assert len(row.split("\t")) == 3
    assert f"added\t{BASE}a.html\n" in run.out
