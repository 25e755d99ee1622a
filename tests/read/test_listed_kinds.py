"""Files that are no pages are left out with their kind, unless a pattern lists them."""

from __future__ import annotations

import pytest
from support import BASE, Run, Site, paths

VIEW = '<p ng-if="a">{{ a }}'
INDEX = '<html><head><title>Index</title><script src="_static/documentation_options.js"></script>'
RESULT = "<html><head></head><body><p>Searching...</p></body></html>"
# Files beside `index.html`, and the kind of each that is left out.
FILES = {
    "a/b.htm": (
        "<html>\n<head>\n<link rel=Main-File href=c.htm>",
        "fragment (part of an Office page)",
    ),
    "app.html": ("<title>App</title><script type=module src=/src/main.tsx>", "app shell"),
    "en/py-modindex.html": (INDEX, "generated index"),
    "feed/index.html": ("<rss></rss>", "not HTML"),
    "old.html": ("<title>Old</title><script>location.href = 'tea.html'</script>", "shows nothing"),
    "view.html": (VIEW, "fragment (view of an app)"),
    # These may be pages: a part that a script may load, and a search result without a title.
    "hours.html": ("<h2>Opening hours</h2>\n<p>On Mondays.</p>", ""),
    "search/a.html": (RESULT, ""),
}


@pytest.mark.parametrize("flags", [(), ("--jobs", "2")])
def test_files_that_are_no_pages_are_left_out(flags: tuple[str, ...], site: Site, run: Run) -> None:
    root = site({"index.html": "a", **{name: data for name, (data, _) in FILES.items()}})
    arguments = ("--base-url", BASE, "--url-style", "file", "--excluded", "-")
    assert run("build", root, *arguments, *flags) == 0, run.err
    left_out = {name: kind for name, (_, kind) in FILES.items() if kind}
    rows = [line.split("\t") for line in run.out.splitlines() if "\t" in line]
    assert {path: origin for path, _, origin in rows} == {
        path: f"{path}: {kind}" for path, kind in left_out.items()
    }
    assert sorted(paths(root)) == sorted({"index.html", *FILES} - left_out.keys())


def test_a_pattern_lists_an_index_that_a_generator_made(site: Site, run: Run) -> None:
    root = site({"index.html": "a", "en/genindex.html": INDEX})
    assert run("build", root, "--base-url", BASE, "--ignore", "!genindex.html") == 0, run.err
    assert "en/genindex.html" in paths(root)


@pytest.mark.parametrize("pattern", ["LICENSE", "/license", "docs/*.html", "LICENSE/"])
def test_a_file_that_include_names_is_listed_whatever_is_in_it(
    pattern: str, site: Site, run: Run
) -> None:
    root = site({"index.html": "a", "LICENSE": "MIT", "docs/part.html": VIEW})
    assert run("build", root, "--base-url", BASE, "--include", pattern) == 0
    names_the_file = "*" not in pattern and not pattern.endswith("/")
    assert paths(root) == (["", "LICENSE"] if names_the_file else [""])


def test_what_speaks_against_a_page_speaks_against_a_named_file(site: Site, run: Run) -> None:
    closed = f"{VIEW}<meta name=robots content=noindex>"
    elsewhere = f"<link rel=canonical href={BASE}a.html>{VIEW}"
    names = ("closed.html", "elsewhere.html", "private/part.html")
    files = dict.fromkeys(names, VIEW) | {names[0]: closed, names[1]: elsewhere}
    root = site({"a.html": "a", **files, "robots.txt": "User-agent: *\nDisallow: /private/\n"})
    flags = [part for name in names for part in ("--include", name)]
    assert run("build", root, "--base-url", BASE, "--strict", *flags) == 0
    assert paths(root) == ["a.html"]
    assert "1 disallowed by robots.txt, 1 noindex, 1 canonical elsewhere" in run.out
