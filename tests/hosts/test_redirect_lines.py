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
from sitemapper.hosts.host import Host, HostEffect, HostRules, nothing_there
from sitemapper.hosts.redirect_lines import Redirect, RedirectWriter, redirect_writer
from sitemapper.hosts.redirect_syntaxes import BY_HOST
from sitemapper.model import Reason
from sitemapper.syntax.urls import quoted

NOW = 1_780_272_000  # 2026-06-01
ROOT, BELOW = "https://example.com/", "https://example.com/docs/"
# Around the text of a host whose file needs more than the rules.
SERVERS = {
    "nginx": "server {{\nroot /srv;\n{}}}\n",
    "caddy": "example.com {{\nroot * /srv\n{}file_server\n}}\n",
}
NAMES = st.text(
    st.sampled_from("abü日 +*$?#%&'\"\\:;,()[]{}^|~!@=<>`.-_é1"), min_size=1, max_size=6
)
PATHS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "guide/", "guide/a b/"]),
    NAMES.filter(lambda name: set(name) != {"."}),
    st.sampled_from(["/", ".html", ""]),
)


def written(host: str, text: str, base_url: str) -> HostRules:
    """The rules that our reader of a host finds in a text."""
    file = BY_HOST[host].file
    whole = SERVERS.get(host, "{}").format(text)
    return readers()[host].read({file: whole}, base_url, NOW)


def effect_at(rules: HostRules, path: str) -> HostEffect | None:
    """What the host does at a path without a file."""
    find = rules.fallbacks or rules.redirects
    effects = find(path, nothing_there) if find else ()
    return next(iter(effects), None)


def expected(url: str, base_url: str) -> Sequence[str]:
    """How a reader may name a target, decoded: by its URL, or its path below the base URL."""
    return [unquote(url), unquote(url[len(base_url) - 1 :])]


def unlike(paths: Sequence[str]) -> bool:
    """Whether no two paths are the same to a host that compares them loosely."""
    return len({path.removesuffix("/").lower() for path in paths}) == len(paths)


@pytest.mark.parametrize("host", BY_HOST)
@pytest.mark.parametrize("base_url", [ROOT, BELOW])
@given(paths=st.lists(PATHS, min_size=2, max_size=8).filter(unlike))
@example(paths=["a b/", "c d/", "100%/", "50% é/"])
@example(paths=["c++.html", "c-plus-plus/", "$1", "$2/", 'say "hi"/', "it's/"])
@example(paths=["50%41/", "a%20b/", "a.b/", "aXb/"])
@example(paths=["*/", ":_/"])  # neither sign stands for other text in an exact location of nginx
def test_the_host_redirects_the_old_url_to_the_new_one_and_no_other(
    host: str, base_url: str, paths: Sequence[str]
) -> None:
    urls = [base_url + path for path in quoted(paths)]
    pairs = zip(urls[::2], urls[1::2], strict=False)
    moves = [Redirect(*pair) for pair in pairs]
    writer = RedirectWriter(BY_HOST[host], base_url)
    rules = written(host, writer.text(moves), base_url)
    assert not rules.skipped
    with_rule = {move.old: move.new for move in moves if writer.rule(move)}
    for url in urls:
        path = url[len(base_url) - 1 :]
        effect = effect_at(rules, path)
        if url not in with_rule:
            assert effect is None or effect.origin.text == "cleanUrls", (url, effect)
            continue
        assert effect, (url, writer.text(moves))
        assert effect.reason is Reason.REDIRECT
        target = effect.move.target if effect.move else effect.target
        assert unquote(target) in expected(with_rule[url], base_url), effect
        # A name with the signs of a group may not be followed.
        followed = unquote(effect.target_at(path))
        assert followed in ("", *expected(with_rule[url], base_url))


@pytest.mark.parametrize(
    ("host", "rules"),
    [
        ("apache", ['RedirectMatch 301 "^/a\\.html$" "/b/"', 'RedirectMatch 301 "^/é c/$" "/é/"']),
        ("caddy", ["redir /a.html /b/ permanent", "redir `/é c/` /%C3%A9/ permanent"]),
        ("cloudflare", ["/a.html /b/ 301", "/%C3%A9%20c/ /%C3%A9/ 301"]),
        ("netlify", ["/a.html /b/ 301", "/%C3%A9%20c/ /%C3%A9/ 301"]),
        ("nginx", ["location = /a.html { return 301 /b/; }", 'location = "/é c/" { return 301 /%C3%A9/; }']),
        ("azure", ['{"route": "/a.html", "redirect": "/b/", "statusCode": 301}', '{"route": "/%C3%A9%20c/", "redirect": "/%C3%A9/", "statusCode": 301}']),
        ("firebase", ['{"regex": "^/a\\\\.html$", "destination": "/b/", "type": 301}', '{"regex": "^/é c/$", "destination": "/%C3%A9/", "type": 301}']),
        ("serve", ["", '{"source": "/%C3%A9%20c/", "destination": "/%C3%A9/", "type": 301}']),
        ("vercel", ['{"source": "/a.html", "destination": "/b/", "statusCode": 301}', '{"source": "/%C3%A9%20c/", "destination": "/%C3%A9/", "statusCode": 301}']),
        ("iis", ['<rule name="moved /a.html" stopProcessing="true"><match url="^a\\.html$" ignoreCase="false" /><action type="Redirect" url="/b/" redirectType="Permanent" /></rule>', '<rule name="moved /%C3%A9%20c/" stopProcessing="true"><match url="^é c/$" ignoreCase="false" /><action type="Redirect" url="/%C3%A9/" redirectType="Permanent" /></rule>']),
    ],
)  # fmt: skip
def test_names_are_written_as_each_host_compares_them(host: str, rules: Sequence[str]) -> None:
    writer = RedirectWriter(BY_HOST[host], ROOT)
    moves = [
        Redirect(f"{ROOT}a.html", f"{ROOT}b/"),
        Redirect(f"{ROOT}%C3%A9%20c/", f"{ROOT}%C3%A9/"),
    ]
    assert [writer.rule(move) for move in moves] == rules


def test_every_host_whose_redirects_are_read_has_a_syntax() -> None:
    without = {name for name in readers() if name not in BY_HOST}
    # They have none, or need a page for each redirect.
    assert without == {"github", "render", "surge"}


def test_a_name_with_the_signs_of_a_pattern_has_no_rule_where_nothing_escapes_them() -> None:
    star = Redirect(f"{ROOT}a*b/", f"{ROOT}c/")
    rules = {
        host: bool(RedirectWriter(syntax, ROOT).rule(star)) for host, syntax in BY_HOST.items()
    }
    assert rules == dict.fromkeys(BY_HOST, True) | dict.fromkeys(
        ("azure", "caddy", "cloudflare", "gitlab", "netlify", "serve"), False
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("Guide/", "guide/"), ("guide", "guide/"), ("guide/index.html", "guide/")],
)
def test_a_redirect_that_the_host_would_apply_again_and_again_is_not_written(
    old: str, new: str
) -> None:
    redirect = Redirect(ROOT + old, ROOT + new)
    for host in ("netlify", "caddy", "serve"):
        assert RedirectWriter(BY_HOST[host], ROOT).rule(redirect) == ""


def test_rules_of_an_earlier_list_stay_unless_their_url_moved_again_or_is_there_again() -> None:
    writer = RedirectWriter(BY_HOST["cloudflare"], ROOT)
    first = writer.text(
        [Redirect(f"{ROOT}{old}", f"{ROOT}{new}") for old, new in ("ab", "cd", "ef")]
    )
    second = writer.text(
        [Redirect(f"{ROOT}b", f"{ROOT}a"), Redirect(f"{ROOT}c", f"{ROOT}g")], first
    )
    # `/a` is there again, `/c` has moved elsewhere.
    assert second.splitlines()[1:] == ["/e /f 301", "/b /a 301", "/c /g 301"]
    assert writer.text([], second) == second


@pytest.mark.parametrize(
    ("names", "is_known", "file"),
    [
        (("netlify",), True, "_redirects"),
        (("cloudflare", "netlify"), True, "_redirects"),
        (("cloudflare", "vercel"), True, "hosts without rules"),
        (("cloudflare", "netlify"), False, "hosts without rules"),  # no host was found
        (("github",), True, "hosts without rules"),
        ((), False, "hosts without rules"),
    ],
)
def test_the_host_decides_about_the_syntax(
    names: tuple[str, ...], is_known: bool, file: str
) -> None:
    rules = tuple(HostRules(None, None) for _ in names)
    assert redirect_writer(Host(names, rules, is_known), ROOT).syntax.file == file


def test_a_site_with_a_file_of_rules_gets_such_lines_even_if_two_hosts_may_read_it() -> None:
    rules = written("cloudflare", "/x /y 301", ROOT)
    host = Host(("cloudflare", "netlify"), (rules, rules), is_known=False)
    assert redirect_writer(host, ROOT).remedy(Redirect(f"{ROOT}a/", f"{ROOT}b/")) == (
        "_redirects: /a/ /b/ 301"
    )


@pytest.mark.parametrize("old", ["a b/", "a b", "a b.html", "x/ü/"])
def test_without_rules_a_page_at_the_old_url_leads_to_the_new_one(old: str, tmp_path: Path) -> None:
    new = f"{BASE}new/{quoted(['c d'])[0]}/"
    host = Host(("github",), (HostRules(None, None),))
    remedy = redirect_writer(host, BASE).remedy(Redirect(BASE + quoted([old])[0], new))
    file, _, page = remedy.partition(": ")
    root = write_site(tmp_path / "public", {"new/c d/index.html": "<p>x", file: page})
    build(root)
    assert locs(root) == [new]
    assert heard(root).excluded[file][0] is Reason.REDIRECT


def test_no_message_names_a_page_whose_name_is_no_text() -> None:
    redirect = Redirect(f"{ROOT}caf%E9.html", f"{ROOT}new.html")
    assert redirect_writer(Host((), ()), ROOT).remedy(redirect) == ""
    assert redirect_writer(Host((), ()), ROOT).rule(redirect) == "/caf%E9.html\t/new.html"
