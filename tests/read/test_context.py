"""What other files decide: scripts that load pieces, sources that were never built, folders of a search."""

from __future__ import annotations

import os

import pytest
from support import BASE, Run, Site, paths

HOME = '<title>Tea</title><a href="tea.html">Tea</a>{}'
TEA = {"index.html": HOME.format(""), "tea.html": "Oolong"}
PIECE = "<h2>Opening hours</h2>\n<p>On Mondays.</p>"
VITE = '<!doctype html>\n<html><head><title>App</title></head><body><div id="app"></div>\n<script type="module" src="{}"></script></body></html>'
RESULT = '<html><head><link rel="stylesheet" href="../a.css"></head><body class="Results"><p>Searching...</p></body></html>'

# The files beside TEA, and what is left out with the line that decided.
LEFT_OUT = {
    "jQuery": ({"js/hours.js": '$(f);\nfunction f() { $("#hours").load("hours.html"); }', "js/hours.html": PIECE}, {"js/hours.html": 'js/hours.js:2: .load("hours.html"'}),
    "jQuery with a part of the file": ({"a.js": "$('#x').load('./parts/hours.html #a')", "parts/hours.html": PIECE}, {"parts/hours.html": "a.js:1: .load('./parts/hours.html"}),
    "fetch": ({"a.mjs": "const text = await fetch(`/parts/hours.html?v=2`)", "parts/hours.html": PIECE}, {"parts/hours.html": "a.mjs:1: fetch(`/parts/hours.html?"}),
    "XMLHttpRequest": ({"parts/a.js": "r.open('GET', 'hours.html');", "parts/hours.html": PIECE}, {"parts/hours.html": "parts/a.js:1: .open('GET', 'hours.html'"}),
    "templateUrl": ({"app/a.js": 'x = {\n  templateUrl: "app/hours.html" }', "app/hours.html": PIECE}, {"app/hours.html": 'app/a.js:2: templateUrl: "app/hours.html"'}),
    "a script in a page": ({"about.html": '<title>About</title>\n<script>fetch("hours.html")</script>', "hours.html": PIECE}, {"hours.html": 'about.html:2: fetch("hours.html"'}),
    "a script that a page names": ({"about.html": '<title>About</title><script src="/js/a.js"></script>', "js/a.js": 'fetch("parts/hours.html")', "parts/hours.html": PIECE}, {"parts/hours.html": 'js/a.js:1: fetch("parts/hours.html"'}),
    "an app that was never built": ({"app/index.html": VITE.format("/src/main.js")}, {"app/index.html": "app/index.html:3: app shell"}),
    "the result of a search": ({"search/ClassesA.html": RESULT}, {"search/ClassesA.html": "search/ClassesA.html: part of a search to which no page links"}),
    "a file in a workbook": ({"a/b.htm": "<html>\n<head>\n<link rel=Main-File href=c.htm></head><body>"}, {"a/b.htm": "a/b.htm:3: fragment"}),
    "a redirect": ({"old.html": "<title>Moved</title>\n<script>\n  // location = 'a'\n  location.href = 'tea.html';\n</script>"}, {"old.html": "old.html:4: redirect by script"}),
    "a view": ({"view.html": "<p>A pot</p>\n<p ng-repeat='p in pots'>{{ p }}</p>"}, {"view.html": "view.html:2: fragment"}),
    "an app of TypeScript": ({"app/index.html": VITE.format("/src/main.tsx")}, {"app/index.html": "app/index.html:3: app shell"}),
    "an index that Sphinx makes": ({"en/py-modindex.html": '<html><head><title>Modules</title><script src="_static/documentation_options.js"></script></head>'}, {"en/py-modindex.html": "en/py-modindex.html: generated index"}),
}  # fmt: skip
LISTED: dict[str, dict[str, str]] = {
    "a piece that no script names": {"a.js": "fetch('other.html')", "hours.html": PIECE},
    "a page with a title": {"a.js": "fetch('hours.html')", "hours.html": f"<title>Hours</title>{PIECE}"},
    "a page with a body": {"a.js": "fetch('hours.html')", "hours.html": f"<body>{PIECE}"},
    "the file of another folder": {"a.js": "fetch('hours.html')", "b/hours.html": PIECE},
    "a script of another folder": {"a/a.js": "fetch('hours.html')", "b/hours.html": PIECE},
    "a link": {"a.js": "location.href = 'hours.html'; window.open('hours.html')", "hours.html": PIECE},
    "a list of links": {"a.js": "pages = [{url: 'hours.html'}]", "hours.html": PIECE},
    "a piece that loads itself": {"hours.html": f"{PIECE}<script>fetch('hours.html')</script>"},
    "a script that leads nowhere": {"about.html": '<title>A</title><script src="../../a.js"></script>', "hours.html": PIECE},
    "a built app": {"app/index.html": VITE.format("/app/src/main.js"), "app/src/main.js": ""},
    "a built app below another path": {"app/index.html": VITE.format("/shop/app/src/main.js"), "app/src/main.js": ""},
    "an app whose files lie elsewhere": {"app/index.html": VITE.format("https://cdn.example/src/main.js")},
    "a page in search/ with a title": {"search/tips.html": RESULT.replace("<head>", "<head><title>Tips</title>")},
    "a page in search/ to which a page links": {"a.html": '<title>A</title><a href="search/a.html">a</a>', "search/a.html": RESULT},
    "the index of search/": {"search/index.html": RESULT},
}  # fmt: skip


@pytest.mark.parametrize(("files", "left_out"), LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_what_other_files_show_to_be_no_page_is_left_out(
    files: dict[str, str], left_out: dict[str, str], jobs: str, site: Site, run: Run
) -> None:
    root = site({**TEA, **files})
    flags = ("--base-url", BASE, "--excluded", "-", "--url-style", "file", "--jobs", jobs)
    assert run("build", root, *flags) == 0, run.err
    rows = [line.split("\t") for line in run.out.splitlines() if "\tnot a page\t" in line]
    assert {row[0]: row[2] for row in rows} == left_out
    pages = [
        name for name in {**TEA, **files} if name.endswith(("html", "htm")) and name not in left_out
    ]
    assert sorted(paths(root)) == sorted(pages)


@pytest.mark.parametrize("files", LISTED.values(), ids=LISTED)
def test_what_may_be_a_page_is_listed(files: dict[str, str], site: Site, run: Run) -> None:
    root = site({**TEA, **files})
    assert run("build", root, "--base-url", BASE, "--url-style", "file") == 0, run.err
    assert sorted(paths(root)) == sorted(name for name in {**TEA, **files} if name.endswith("html"))


def test_explain_names_the_line_of_the_script(site: Site, run: Run) -> None:
    root = site({**TEA, "a.js": "\n\nfetch('hours.html')", "hours.html": PIECE})
    assert run("explain", "hours.html", "--site", root, "--base-url", BASE) == 0, run.err
    assert "decided by  a.js:3: fetch('hours.html'" in run.out


def test_a_script_that_changes_changes_the_verdict_although_the_piece_is_remembered(
    site: Site, run: Run
) -> None:
    root = site({**TEA, "a.js": "fetch('hours.html')", "hours.html": PIECE})
    arguments = ("build", root, "--base-url", BASE, "--url-style", "file")
    assert run(*arguments) == 0
    assert "hours.html" not in paths(root)
    (root / "a.js").write_text("fetch('days.html')")
    assert run(*arguments) == 0
    assert "hours.html" in paths(root)


def test_a_pattern_lists_an_index_that_a_generator_made(site: Site, run: Run) -> None:
    page = '<html><head><title>Index</title><script src="_static/documentation_options.js"></script></head>'
    root = site({**TEA, "en/genindex.html": page})
    assert run("build", root, "--base-url", BASE, "--ignore", "!genindex.html") == 0, run.err
    assert "en/genindex.html" in paths(root)


def test_pieces_are_listed_where_nobody_asks_what_is_no_page(site: Site, run: Run) -> None:
    root = site({**TEA, "a.js": "fetch('hours.html')", "hours.html": PIECE})
    assert run("build", root, "--base-url", BASE, "--no-respect", "not_a_page") == 0, run.err
    assert "hours.html" in paths(root)


@pytest.mark.parametrize("source", ["../a.js", "./../a.js", "b/../../a.js"])
def test_no_script_outside_of_the_site_is_read(source: str, site: Site, run: Run) -> None:
    about = f'<title>A</title><script src="{source}"></script>'
    root = site({**TEA, "about.html": about, "b/hours.html": PIECE})
    for folder in (root, root.parent):
        (folder / "a.js").write_text("fetch('b/hours.html')" if folder != root else "")
    assert run("build", root, "--base-url", BASE, "--url-style", "file") == 0, run.err
    assert "b/hours.html" in paths(root)


def test_folders_of_any_depth_are_few_to_look_at(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = "d/" * 40
    pieces = {f"{deep}hours.html": PIECE, f"{deep}days.html": PIECE}
    root = site({**TEA, **pieces, "a.js": f"fetch('{deep}hours.html')"})
    listed: list[str] = []
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: listed.append(str(folder)) or real(folder))
    assert run("build", root, "--base-url", BASE, "--url-style", "file", "--no-cache") == 0, run.err
    assert (f"{deep}hours.html" in paths(root), f"{deep}days.html" in paths(root)) == (False, True)
    assert len([folder for folder in listed if folder.startswith(f"{root}/")]) == 16


@pytest.mark.parametrize("pattern", ["LICENSE", "/license", "docs/*.html", "LICENSE/"])
def test_a_file_that_include_names_is_listed_whatever_is_in_it(
    pattern: str, site: Site, run: Run
) -> None:
    root = site({"index.html": "a", "LICENSE": "MIT", "docs/part.html": "<p ng-if='a'>{{ a }}"})
    assert run("build", root, "--base-url", BASE, "--include", pattern) == 0
    names_the_file = "*" not in pattern and not pattern.endswith("/")
    assert paths(root) == (["", "LICENSE"] if names_the_file else [""])


def test_what_speaks_against_a_page_speaks_against_a_named_file(site: Site, run: Run) -> None:
    closed = '<p ng-if="a">{{ a }}<meta name=robots content=noindex>'
    elsewhere = f'<link rel=canonical href={BASE}a.html><p ng-if="a">{{{{ a }}}}'
    names = ("closed.html", "elsewhere.html", "private/part.html")
    files = dict.fromkeys(names, '<p ng-if="a">{{ a }}') | {names[0]: closed, names[1]: elsewhere}
    root = site({"a.html": "a", **files, "robots.txt": "User-agent: *\nDisallow: /private/\n"})
    flags = [part for name in names for part in ("--include", name)]
    assert run("build", root, "--base-url", BASE, "--strict", *flags) == 0
    assert paths(root) == ["a.html"]
    assert "1 disallowed by robots.txt, 1 noindex, 1 canonical elsewhere" in run.out
