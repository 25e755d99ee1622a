"""The lists of excluded pages and of changed URLs."""

from __future__ import annotations

from pathlib import Path

from support import BASE, POSIX, Run, Site


@POSIX
def test_a_list_has_a_row_for_each_page_whatever_its_name(
    site: Site, run: Run, tmp_path: Path
) -> None:
    names = ("a.html", "404.html", "drafts/x.html", "evil\x1b[2J\u202e.htm", "t\tb\n.htm")
    flags = ("--ignore", "drafts/", "--ignore", "*.htm", "--excluded", "list", "--changes", "-")
    assert run("build", site(dict.fromkeys(names, "")), "--base-url", BASE, *flags) == 0
    assert (tmp_path / "list").read_text() == (
        "404.html\tignored\tbuilt-in default: 404.html\n"
        "drafts/\tignored\t--ignore: drafts/\n"
        "evil\\x1b[2J\\u202e.htm\tignored\t--ignore: *.htm\n"
        "t\\x09b\\x0a.htm\tignored\t--ignore: *.htm\n"
    )
    assert f"added\t{BASE}a.html\n" in run.out
