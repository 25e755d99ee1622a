"""With -v, a line counts files whose names leave open whether they are pages."""

from __future__ import annotations

from support import BASE, Run, Site

FILES = dict.fromkeys(("index.html", "a.shtml", "b/c.shtml", "index.html~", "a.html.bak", "tabstrip.htm", "a - Copy.html", "+not-found.html", "a.html.gz", "node_modules/b.shtml"), "<title></title>")  # fmt: skip
LINE = "named like pages, but not listed: 2 .shtml files, 2 backup copies; unlike pages, but HTML: 1 backup copy, 1 error page, 1 tab strip"


def test_files_that_look_like_pages_and_are_none_are_counted_and_the_reverse(
    site: Site, run: Run
) -> None:
    root = site(FILES)
    assert run("build", root, "--base-url", BASE, "-v") == 0, run.err
    assert LINE in run.out
    assert run("build", root, "--base-url", BASE) == 0, run.err
    assert "named like" not in run.out


def test_what_include_lists_is_listed(site: Site, run: Run) -> None:
    root = site({name: FILES[name] for name in ("index.html", "a.shtml", "index.html~")})
    assert run("build", root, "--base-url", BASE, "-v", "--include", "*.shtml") == 0, run.err
    assert (
        "named like pages, but not listed: 1 backup copy; unlike pages, but HTML: 1 .shtml file"
        in run.out
    )


def test_a_site_without_such_files_has_no_such_line(site: Site, run: Run) -> None:
    assert run("build", site({"index.html": "", "a.html": ""}), "--base-url", BASE, "-v") == 0, (
        run.err
    )
    assert "named like" not in run.out
