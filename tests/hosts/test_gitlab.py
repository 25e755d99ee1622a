"""GitLab Pages shows a file before it looks at `_redirects`, so no redirect takes a page away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import build, paths, write_site

from sitemapper.hosts.gitlab import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
PAGES = {"index.html": "<p>a", "b.html": "<p>b"}


@pytest.mark.parametrize("status", ["", "301!"])
def test_a_redirect_from_a_page_does_nothing(tmp_path: Path, status: str) -> None:
    write_site(tmp_path / "site", PAGES | {"_redirects": f"/b.html / {status}\n"})
    build(tmp_path / "site", host="gitlab")
    assert set(paths(tmp_path / "site")) == {"", "b.html"}


def test_a_canonical_chooses_the_form_of_a_page(tmp_path: Path) -> None:
    canonical = '<link rel="canonical" href="https://example.com/b">'
    write_site(tmp_path / "site", PAGES | {"b.html": canonical})
    build(tmp_path / "site", host="gitlab")
    assert set(paths(tmp_path / "site")) == {"", "b"}


# From internal/redirects/matching_test.go of gitlab-pages, and its validations.
@pytest.mark.parametrize(
    ("rule", "path", "target"),
    [
        ("/foo/ /bar/", "/foo", "/bar/"),
        ("/foo /bar/ 302", "/FOO/", "/bar/"),
        ("/foo /bar/", "/foo/bar", None),
        ("/foo/* /qux/:splat", "/foo/baz/bar", "/qux/baz/bar"),
        ("/foo/*/bar /new", "/foo/bar/", "/new"),
        ("/foo/:name /qux/:name", "/foo/bar", "/qux/bar"),
        ("/foo/:name /qux/:name", "/foo/", None),
        ("/foo https://new.example/", "/foo", "https://new.example/"),
        ("https://example.com/foo /bar", "/foo", "/bar"),
        ("https://other.example/foo /bar", "/foo", None),
        ("/foo /bar 301!", "/foo", None),
        ("/foo /bar 307", "/foo", None),
        ("/foo /404.html 404", "/foo", None),
        ("/foo id=:id /bar", "/foo", None),
        ("/foo /bar 301 Country=de", "/foo", None),
    ],
)
def test_a_rule_redirects_where_no_file_is(rule: str, path: str, target: str | None) -> None:
    rules = READER.read({"_redirects": f"# moved\n{rule}\n"}, "https://example.com/", NOW)
    rule_at_path = rules.move_at(path, has_file=False)
    if target is None:
        assert rule_at_path is None
        return
    assert rule_at_path
    assert (rule_at_path.action, rule_at_path.target) == (Reason.REDIRECT, target)
    assert rule_at_path.origin.line == 2
    assert rules.move_at(path) is None  # where a file is


def test_rules_of_a_project_begin_with_its_folder() -> None:
    text = "/project/a /project/b\n/c /d\n"
    rules = READER.read({"_redirects": text}, "https://group.gitlab.io/project/", NOW)
    rule = rules.move_at("/a", has_file=False)
    assert rule
    assert rule.target == "https://group.gitlab.io/project/b"
    assert rules.move_at("/c", has_file=False) is None
