"""Lines that apply together, and what they turn on and off."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.layers import Alias, Effective, Layer, Options
from sitemapper.hosts.apache.patterns import Pattern
from sitemapper.model import Origin

LINE = Origin(".htaccess", 1, "")


@pytest.mark.parametrize(
    ("path", "target", "uri", "expected"),
    [
        ("/a", "/b", "/a", "/b"),
        ("/a", "/b", "/a/x", "/b/x"),
        ("/a", "/b", "/ab", None),  # whole segments
        ("/", "https://x.example/", "/a", "https://x.example/a"),
    ],
)
def test_a_redirect_is_for_a_path_and_all_below(
    path: str, target: str, uri: str, expected: str | None
) -> None:
    assert Alias(path, None, 301, target, LINE).find_target(uri) == expected


def test_a_redirect_with_a_pattern_uses_its_groups() -> None:
    alias = Alias("^/(a)", Pattern("^/(a)"), 301, "/new/$1$2", LINE)
    assert (alias.find_target("/a"), alias.find_target("/b")) == ("/new/a", None)


# Asked of Apache 2.4.
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/new y", "/new%20y"),
        ("/new%20y", "/new%2520y"),
        (r"/\$1", "/$1"),
        ("https://x.example/ü?a b#c d", "https://x.example/%C3%BC?a b#c d"),
    ],
)
def test_the_target_of_a_pattern_is_encoded_once_more(target: str, expected: str) -> None:
    assert Alias("^/(a)", Pattern("^/(a)"), 301, target, LINE).find_target("/a") == expected


@pytest.mark.parametrize(
    ("lines", "has_views", "has_links"),
    [
        ([], False, True),
        (["+MultiViews"], True, True),
        (["+MultiViews", "-MultiViews"], False, True),
        (["MultiViews"], True, False),  # replaces all others
        (["None", "+FollowSymLinks"], False, True),
        (["-FollowSymLinks"], False, False),
        (["All"], False, True),
    ],
)
def test_options_add_up_with_signs(lines: list[str], has_views: bool, has_links: bool) -> None:
    layer = Layer("/")
    layer.options = [Options(line.split(), LINE) for line in lines]
    options = Effective([(layer, True)]).options
    assert (options.multiviews is not None, options.links_off is None) == (has_views, has_links)


def test_an_unknown_layer_changes_nothing() -> None:
    layer = Layer("/")
    layer.indexes = ["x"]
    layer.adds_slash = False
    effective = Effective([(layer, None)])
    assert effective.indexes == (None, None)
    assert effective.flag("adds_slash", default=True)
