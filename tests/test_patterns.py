"""Ignore patterns decide as `git check-ignore` decides."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitemapper.model import Origin
from sitemapper.syntax.gitignore import Line, Patterns


def patterns(*texts: str) -> Patterns:
    return Patterns(Line(text, Origin("test", n, text)) for n, text in enumerate(texts, 1))


@pytest.mark.parametrize(
    ("texts", "path", "ignored"),
    [
        (["drafts/"], "drafts/a.html", True),
        (["drafts/"], "drafts", False),
        (["drafts/*", "!drafts/open.html"], "drafts/open.html", False),
        (["drafts/", "!drafts/open.html"], "drafts/open.html", True),
        (["*.html", "!/index.html"], "index.html", False),
        (["*.html", "!/index.html"], "a/index.html", True),
        (["/a.html"], "b/a.html", False),
        (["a/b.html"], "x/a/b.html", False),
        (["**/b.html"], "x/y/b.html", True),
        (["a/**"], "a/b/c.html", True),
        (["a/**/z.html"], "a/z.html", True),
        (["foo/**/"], "foo/x.html", False),
        (["foo/**/"], "foo/bar/x.html", True),
        (["[[:upper:]]*.html"], "Abc.html", True),
        (["[[:upper:]]*.html"], "abc.html", False),
        (["[!a-c].html"], "d.html", True),
        (["[a\\]b].html"], "].html", True),
        (["?.html"], "é.html", False),
        (["??.html"], "é.html", True),
        (["Drafts/"], "drafts/a.html", False),
        (["# comment", "", "  "], "# comment", False),
        (["\\#a.html"], "#a.html", True),
        (["a.html   "], "a.html", True),
        (["a\\ "], "a ", True),
        (["line\nbreak.html"], "line\nbreak.html", True),
        (["*.html"], "new\nline.html", True),
    ],
)
def test_verdicts(texts: list[str], path: str, ignored: bool) -> None:
    assert patterns(*texts).matches(path) is ignored


def test_the_deciding_line_is_named() -> None:
    decided = patterns("*.html", "!keep.html", "keep.*").verdict("a/keep.html")
    assert decided is not None
    assert str(decided.origin) == "test:3: keep.*"


NAMES = st.sampled_from(
    ["a", "b", "ab", "a.html", "b.html", "A", "é", "a b", "a ", "[", "]", "-", "*", "\\", "!a", "#"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PIECES = st.sampled_from(
    [
        *"ab*?/![]-^",
        "**",
        "/**/",
        "**/",
        "/**",
        "*.html",
        "[ab]",
        "[!a]",
        "[^b]",
        "[[:upper:]]",
        "[[:alpha:]-z]",
        "[]a]",
        "[a-b",
        "\\*",
        "\\[",
        "\\ ",
        " ",
        "é",
        ".html",
        "[b-a]",
        "[\\]a]",
    ]
)
LINES = st.lists(PIECES, min_size=1, max_size=5).map("".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def git_ignores(root: Path, lines: list[str], path: str) -> bool:
    (root / ".gitignore").write_bytes("\n".join(lines).encode() + b"\n")
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    # --no-index: the path need not exist; git takes what precedes a slash for folders.
    command = ["git", "-C", str(root), "check-ignore", "-q", "--no-index", "-z", "--stdin"]
    found = subprocess.run(command, input=path.encode() + b"\0", env=environment, check=False)
    return found.returncode == 0


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, min_size=1, max_size=4), path=PATHS)
def test_git_gives_the_same_answer(repository: Path, lines: list[str], path: str) -> None:
    # git compares literal beginnings apart, after which "b**/c" is read like "b" and "**/c"; ours is not.
    lines = [line for line in lines if not line.endswith("\\") and not re.search(r"[^/!]\*\*|\\\*\*", line)]
    assert patterns(*lines).matches(path) == git_ignores(repository, lines, path)


@given(st.lists(LINES, max_size=3), st.lists(NAMES, max_size=5))
def test_the_quick_look_at_a_listing_misses_nothing(lines: list[str], names: list[str]) -> None:
    level = patterns(*(line for line in lines if not line.endswith("\\"))).level("a/")
    if level.none_match(names):
        assert all(level.decide(n, is_dir=d) is None for n in names for d in (True, False))
