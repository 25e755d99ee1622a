"""Ignore patterns decide as `git check-ignore` decides."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import POSIX
from support.cost import seconds
from support.laws import examples

from sitemapper.model import Line, Origin
from sitemapper.syntax.patterns import MAX_LENGTH, Patterns, check


def patterns(*texts: str) -> Patterns:
    return Patterns(Line(text, Origin("test", n, text)) for n, text in enumerate(texts, 1))


def ignoring(some: Patterns, path: str) -> Line | None:
    """The line by which a walk leaves a path out, which enters no ignored folder."""
    for slash in re.finditer("/", path):
        if line := some.match(path[: slash.end()]):
            return line
    return some.match(path)


CASES: list[tuple[list[str], str, bool]] = [
    (["drafts/"], "drafts/a.html", True),
    (["drafts/"], "drafts", False),
    (["a\\\\\\ "], "a\\ ", True),
    (["drafts/*", "!drafts/open.html"], "drafts/open.html", False),
    (["drafts/", "!drafts/open.html"], "drafts/open.html", True),
    (["*.html", "!/index.html"], "index.html", False),
    (["*.html", "!/index.html"], "a/index.html", True),
    (["/a.html"], "b/a.html", False),
    (["a/b.html"], "x/a/b.html", False),
    (["**/b.html"], "x/y/b.html", True),
    (["a/**/z.html"], "a/z.html", True),
    (["foo/**/"], "foo/x.html", False),
    (["foo/**/"], "foo/bar/x.html", True),
    (["[[:upper:]]*.html"], "abc.html", False),
    (["[!a-c].html"], "d.html", True),
    (["/[a\\"], "a", False),
    (["?.html"], "é.html", False),
    (["??.html"], "é.html", True),
    (["Drafts/"], "drafts/a.html", False),
    (["# comment", "", "  "], "# comment", False),
    (["\\#a.html"], "#a.html", True),
    (["a\\   "], "a ", True),
    (["a\\\\ "], "a\\", True),
    (["a\\\\ "], "a\\ ", False),
    (["a\t"], "a\t", True),
    (["!a", "!#a", "\\!b"], "!b", True),
    (["[a/b]"], "x/a", False),
    (["[b-a]"], "a", False),
    (["[a-c", "[[:letter:]]", "[!]"], "b", False),
    (["[]^!-]"], "-", True),
    (["[*-?]"], "?", True),
    (["a[!-~]a"], "a/a", False),  # no set matches a slash
    (["*"], "a/b", True),
    (["**"], "a/b", True),
    (["*/"], "a", False),
    (["/***/b"], "x/y/b", True),
    (["a*****b"], "ab", True),
    (["\\**"], "a", False),
    (["\\[a]"], "[a]", True),
    (["*.html"], "new\nline.html", True),
]


# What git ignores and pathspec 1.1.1 does not, because it hands brackets to `re` almost as they are. Its
# next release mends most of them: https://github.com/cpburnz/python-pathspec/pull/123 and /128.
ONLY_FOR_GIT = [
    ("[[:upper:]]*.html", "Abc.html"),
    ("[![:digit:]]", "a"),
    ("[a\\]b].html", "].html"),
    ("[a/b]", "a"),
    ("[b-a]", "b"),
    ("[!b-a]", "a"),
]


@pytest.mark.parametrize(("texts", "path", "ignored"), CASES)
def test_verdicts(texts: list[str], path: str, ignored: bool) -> None:
    assert (ignoring(patterns(*texts), path) is not None) is ignored


@pytest.mark.parametrize(("pattern", "path"), ONLY_FOR_GIT)
def test_an_odd_bracket_matches_nothing(pattern: str, path: str) -> None:
    assert ignoring(patterns(pattern), path) is None


@pytest.mark.parametrize(
    ("texts", "path", "covered"),
    [
        (["blog/", "!blog/old/"], "blog/a.html", True),
        (["blog/", "!blog/old/"], "blog/old/b.html", False),
        (["blog/", "!blog/old/", "c.html"], "blog/old/c.html", True),
        (["*.html", "!/index.html"], "index.html", False),
    ],
)
def test_a_rule_takes_a_page_unless_a_later_line_gives_it_back(
    texts: list[str], path: str, covered: bool
) -> None:
    assert patterns(*texts).covers(path) is covered


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\\", "backslash"),
        ("a\\/", "backslash"),
        ("a" * (MAX_LENGTH + 1), "1,000"),
    ],
)
def test_what_is_no_pattern(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check(text)


LONG = {  # what stands before, again and again, and behind
    "spaces": ("", " ", ""),
    "spaces before a name": ("", " ", "a"),
    "escaped spaces": ("", "\\ ", ""),
    "classes that never end": ("[", "[:", ""),
    "classes that are none": ("[", "[:", "]"),
    "brackets that never end": ("", "[", ""),
    "ranges": ("[", "a-z", "]"),
    "stars": ("", "*", ""),
    "stars between names": ("", "a**", ""),
    "any levels": ("", "**/", ""),
}


@pytest.mark.parametrize(("start", "text", "end"), LONG.values(), ids=LONG.keys())
def test_a_long_line_takes_no_time(start: str, text: str, end: str) -> None:
    line = (start + text * MAX_LENGTH)[: MAX_LENGTH - len(end)] + end
    assert seconds(lambda: ignoring(patterns(line), "a/b.html")) < 0.5


RETRIES = {
    "stars in a name": ("*a*a*a*a*a*a*[b]", "", "a", ""),
    "stars and sets": ("*[ab]*[ab]*[ab]*[ab]*[ab]*c", "", "a", ""),
    "stars in any folder": ("**/*a*a*a*a*a/b", "", "a", "/c"),
    "any levels": ("**/a/**/a/**/a/**/a/**/a/[b]", "", "a/", "a"),
    "any levels in a folder": ("a/**/a*/**/a*/**/a*/**/b/c", "a/", "a/", "c"),
    "stars that are levels": ("x/***/a/***/a/***/a/***/a/b", "x/", "a/", "c"),
}


@pytest.mark.parametrize(("pattern", "start", "text", "end"), RETRIES.values(), ids=RETRIES.keys())
def test_no_name_takes_a_pattern_long(pattern: str, start: str, text: str, end: str) -> None:
    hostile = patterns(pattern)

    def attempt() -> None:
        assert hostile.match(start + text * (4096 // len(text)) + end) is None

    assert seconds(attempt) < 0.5


# --- git is the judge

NAMES = [
    *(name.encode() for name in ("a", "b", "ab", "a.html", "b.html", "foo", "A", "é", "à", "a b", "a ", " ", "a\t", "[", "]", "-", "^", "*", "*a", "[a]", "\\", "\\ ", "!a", "#", "a\n")),
    b"\xff", b"\xc3", b"\xa0", b"\x85",
]  # fmt: skip
PIECES = [
    *(bytes([byte]) for byte in b"ab*?/![]-^\\ #\t\r&~"),
    *(piece.encode() for piece in (
        "**", "/**/", "**/", "/**", "foo/**/", "***", "*.html", ".html", "é", "à", "\\*", "\\[", "\\\\", "\\ ", "\\\\ ", "  ",
        "[ab]", "[!a]", "[^b]", "[[:upper:]]", "[![:alnum:]]", "[[:alpha:]-z]", "[[:letter:]]", "[[:", ":]", "[[:]]", "[[::]]", "[]a]", "[!]]", "[]-a]",
        "[a-b", "[b-a]", "[\\]a]", "[a/b]", "[\\\\]", "[--a]", "[a-]", "[!-~]", "[[-a]", "[*-?]", "[^^]", "[&&]", "[+--]",
    )),
    b"\xff", b"\xc3", b"\xa0", b"\x85", b"[\xa0]", b"[!\xc3]",
]  # fmt: skip
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(b"/".join)
NAMED = st.lists(
    st.sampled_from([n for n in NAMES if b"\n" not in n] + [b"*", b"**"]), min_size=1, max_size=3
)
LINES = st.tuples(
    st.sampled_from([b"", b"", b"", b"!", b"/", b"!/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(b"".join) | NAMED.map(b"/".join),
    st.sampled_from([b"", b"", b"", b"/", b"/**", b"/**/", b" ", b"  "]),
).map(b"".join)


def text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


# pathspec 1.1.1 hands brackets on almost as they are, which Rust reads otherwise than git: classes,
# escapes, slashes, a first `]-`, and what it takes for operations on sets. Its next release mends most of them
# (cpburnz/python-pathspec pull requests 123 and 128).
_ODD_BRACKET = re.compile(rb"\[[!^]?(\]-|\]?[^\]]*([\[\\/]|--|&&|~~|\|\|))")


def is_comparable(line: bytes) -> bool:
    """Whether git reads the line as its manual says, and we read it at all."""
    if line.endswith(b"\r"):  # the end of a line of a file, for git
        return False
    # git compares a literal beginning by itself, after which "b**/c" is "b" and "**/c".
    if re.match(rb"!?[^*?\[\\]*[^*?\[\\/!]\*\*+(/| *$)", line):
        return False
    ranges = re.findall(rb"(.)-(.)", line, re.DOTALL)
    odd_ranges = [one for one in ranges if one[0] > one[1] or one[0] <= b"/" <= one[1]]
    if _ODD_BRACKET.search(line) or (b"[" in line and odd_ranges):
        return False
    try:
        check(text(line))
    except ValueError:  # a backslash at the end of a name
        return False
    return True


Judge = Callable[[list[bytes], list[bytes]], list[str]]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """The number of the line that decides each path by `git check-ignore`, "" for none.

    One process answers for all sets of lines: each has a folder of its own.
    """
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    # --no-index: the path need not exist; git takes what precedes a slash for folders.
    git = ("git", "-C", str(root), "-c", "core.ignorecase=false")
    command = [*git, "check-ignore", "-v", "-n", "-z", "--no-index", "--stdin"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin and process.stdout
        asked, answers = process.stdin, process.stdout
        folders = iter(range(10**9))

        def decided(lines: list[bytes], paths: list[bytes]) -> list[str]:
            folder = root / str(next(folders))
            folder.mkdir()
            (folder / ".gitignore").write_bytes(b"".join(line + b"\n" for line in lines))
            numbers = []
            for path in paths:
                asked.write(f"{folder.name}/".encode() + path + b"\0")
                asked.flush()
                answer = b""
                while answer.count(b"\0") < 4:  # file, line, pattern, path
                    answer += answers.read1()
                numbers.append(answer.split(b"\0")[1].decode())
            return numbers

        yield decided


@POSIX
def test_git_gives_the_same_verdicts(judge: Judge) -> None:
    for texts, path, ignored in CASES:
        if not any("\n" in text for text in texts):
            (line,) = judge([text.encode() for text in texts], [path.encode()])
            is_ignored = line != "" and texts[int(line) - 1][0] != "!"
            assert is_ignored == ignored, (texts, path)
    for pattern, path in ONLY_FOR_GIT:
        assert (pattern, judge([pattern.encode()], [path.encode()])) == (pattern, ["1"])


@POSIX
@settings(max_examples=examples(300, 10_000), deadline=None)
@given(st.lists(LINES.filter(is_comparable), max_size=5), st.lists(PATHS, min_size=1, max_size=5))
def test_git_ignores_by_the_same_line(judge: Judge, lines: list[bytes], paths: list[bytes]) -> None:
    ours = patterns(*map(text, lines))
    found = [ignoring(ours, text(path)) for path in paths]
    numbers = judge(lines, paths)
    expected = [
        number if number and not lines[int(number) - 1].startswith(b"!") else ""
        for number in numbers
    ]
    assert [str(line.origin.line) if line else "" for line in found] == expected
