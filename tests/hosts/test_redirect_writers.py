"""Redirects for moved pages: our own reader of each host finds what was written, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import BASE, build, locs, write_site
from support.heard import heard

from sitemapper.hosts.choose import readers
from sitemapper.hosts.host import Host, make_rules
from sitemapper.hosts.redirect_writers import Redirect, RedirectWriter, redirect_writer
from sitemapper.model import Reason
from sitemapper.syntax.urls import STYLES, quoted

NOW = 1_780_272_000  # 2026-06-01
ROOT, BELOW = "https://example.com/", "https://example.com/docs/"
NAMES = st.text(
    st.sampled_from("abü日 +*$?#%&'\"\\:;,()[]{}^|~!@=<>`.-_é1"), min_size=1, max_size=6
)
PATHS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "guide/", "guide/a b/"]),
    NAMES.filter(lambda name: set(name) != {"."}),
    st.sampled_from(["/", ".html", ""]),
)


def writer(host: str, base_url: str) -> RedirectWriter:
    """What writes redirects for a host that is known."""
    return redirect_writer(Host((host,), (make_rules(STYLES["directory"]),)), base_url)


def expected(url: str, base_url: str) -> Sequence[str]:
    """How a reader may name a target, decoded: by its URL, or its path below the base URL."""
    return [unquote(url), unquote(url[len(base_url) - 1 :])]


def unlike(paths: Sequence[str]) -> bool:
    """Whether no two paths are the same to a host that compares them loosely."""
    return len({path.removesuffix("/").lower() for path in paths}) == len(paths)


@pytest.mark.parametrize("host", ["cloudflare", "gitlab", "netlify", "vercel"])
@pytest.mark.parametrize("base_url", [ROOT, BELOW])
@given(paths=st.lists(PATHS, min_size=2, max_size=8).filter(unlike))
@example(paths=["a b/", "c d/", "100%/", "50% é/"])
@example(paths=["c++.html", "c-plus-plus/", "$1", "$2/", 'say "hi"/', "it's/"])
@example(paths=["50%41/", "a%20b/", "a.b/", "aXb/"])
@example(paths=["*/", ":_/"])
def test_the_host_redirects_the_old_url_to_the_new_one_and_no_other(
    host: str, base_url: str, paths: Sequence[str]
) -> None:
    urls = [base_url + path for path in quoted(paths)]
    pairs = zip(urls[::2], urls[1::2], strict=False)
    moves = [Redirect(*pair) for pair in pairs]
    redirects = writer(host, base_url)
    text = redirects.text(moves)
    rules = readers()[host].read({redirects.file: text}, base_url, NOW)
    assert not rules.unread
    with_rule = {move.old: move.new for move in moves if redirects.line(move)}
    for url in urls:
        path = url[len(base_url) - 1 :]
        rule = rules.move_at(path, has_file=False)
        if url not in with_rule:
            assert rule is None, (url, rule)
            continue
        assert rule, (url, text)
        assert rule.action is Reason.REDIRECT
        assert unquote(rule.target) in expected(with_rule[url], base_url), rule


@pytest.mark.parametrize(
    ("host", "old", "new", "line"),
    [
        ("netlify", "a.html", "b/", "/a.html /b/ 301"),
        ("netlify", "%C3%A9%20c/", "%C3%A9/", "/%C3%A9%20c/ /%C3%A9/ 301"),
        ("netlify", "10:30", "a:b", "/10:30 /a%3Ab 301"),
        ("vercel", "a.html", "b/", '{"source": "/a.html", "destination": "/b/", "statusCode": 301}'),
        ("vercel", "a:b(c)*", "c++", '{"source": "/a\\\\:b\\\\(c\\\\)\\\\*", "destination": "/c%2B%2B", "statusCode": 301}'),
        ("none", "a*b/", "c:d/", f"{ROOT}a*b/\t{ROOT}c:d/"),
    ],
)  # fmt: skip
def test_names_are_written_as_each_host_compares_them(
    host: str, old: str, new: str, line: str
) -> None:
    assert writer(host, ROOT).line(Redirect(ROOT + old, ROOT + new)) == line


def test_a_target_on_another_port_keeps_its_colons_in_a_folder() -> None:
    base = "https://example.com:80/docs/"
    line = writer("netlify", base).line(Redirect(f"{base}a.html", f"{base}10:30/"))
    assert line == "/a.html https://example.com:80/docs/10%3A30/ 301"


@pytest.mark.parametrize(
    ("old", "new"),
    [("Guide/", "guide/"), ("guide", "guide/"), ("guide/index.html", "guide/")],
)
def test_a_redirect_that_the_host_would_apply_again_and_again_is_not_written(
    old: str, new: str
) -> None:
    redirect = Redirect(ROOT + old, ROOT + new)
    for host in ("gitlab", "netlify"):
        assert writer(host, ROOT).line(redirect) == ""


def test_rules_of_an_earlier_list_stay_unless_their_url_moved_again_or_is_there_again() -> None:
    cloudflare = writer("cloudflare", ROOT)
    first = cloudflare.text(
        [Redirect(f"{ROOT}{old}", f"{ROOT}{new}") for old, new in ("ab", "cd", "ef")]
    )
    second = cloudflare.text(
        [Redirect(f"{ROOT}b", f"{ROOT}a"), Redirect(f"{ROOT}c", f"{ROOT}g")], first
    )
    # `/a` is there again, `/c` has moved elsewhere.
    assert second.splitlines()[1:] == ["/e /f 301", "/b /a 301", "/c /g 301"]
    assert cloudflare.text([], second) == second


@pytest.mark.parametrize(
    ("names", "is_known", "file"),
    [
        (("netlify",), True, "_redirects"),
        (("cloudflare", "netlify"), True, "_redirects"),
        (("cloudflare", "vercel"), True, "other hosts"),
        (("cloudflare", "netlify"), False, "other hosts"),  # no host was found
        (("github",), True, "other hosts"),
        ((), False, "other hosts"),
    ],
)
def test_the_host_decides_about_the_syntax(
    names: tuple[str, ...], is_known: bool, file: str
) -> None:
    rules = tuple(make_rules(STYLES["directory"]) for _ in names)
    assert redirect_writer(Host(names, rules, is_known), ROOT).file == file


def test_a_site_with_a_file_of_rules_gets_such_lines_even_if_two_hosts_may_read_it() -> None:
    rules = readers()["cloudflare"].read({"_redirects": "/x /y 301"}, ROOT, NOW)
    host = Host(("cloudflare", "netlify"), (rules, rules), is_known=False)
    assert redirect_writer(host, ROOT).remedy(Redirect(f"{ROOT}a/", f"{ROOT}b/")) == (
        "_redirects: /a/ /b/ 301"
    )


@pytest.mark.parametrize("old", ["a b/", "a b", "a b.html", "x/ü/"])
def test_without_rules_a_page_at_the_old_url_leads_to_the_new_one(old: str, tmp_path: Path) -> None:
    new = f"{BASE}new/{quoted(['c d'])[0]}/"
    host = Host(("github",), (make_rules(STYLES["directory"]),))
    remedy = redirect_writer(host, BASE).remedy(Redirect(BASE + quoted([old])[0], new))
    file, _, page = remedy.partition(": ")
    root = write_site(tmp_path / "public", {"new/c d/index.html": "<p>x", file: page})
    build(root)
    assert locs(root) == [new]
    assert heard(root).excluded[file][0] is Reason.REDIRECT


def test_no_message_names_a_page_whose_name_is_no_text() -> None:
    redirect = Redirect(f"{ROOT}caf%E9.html", f"{ROOT}new.html")
    assert redirect_writer(Host((), ()), ROOT).remedy(redirect) == ""
    line = redirect_writer(Host((), ()), ROOT).line(redirect)
    assert line == f"{ROOT}caf%E9.html\t{ROOT}new.html"
