"""Patterns in gitignore syntax: pathspec translates each line, and this module keeps git's order.

git decides level by level: each folder above a path, then the path itself. The last line that matches
decides, and git enters no ignored folder. So a pattern is matched against one whole entry at a time.
`git check-ignore` is the judge (see tests).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from ..model import Origin

BUILT_IN = "built-in default"
Value = TypeVar("Value")
_KEPT = 64  # folders that are remembered
_GRAPH = string.ascii_letters + string.digits + string.punctuation
_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": string.digits,
    "graph": _GRAPH,
    "lower": string.ascii_lowercase,
    "print": _GRAPH + " ",
    "punct": string.punctuation,
    "space": string.whitespace,
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
# In brackets: a named class, or a byte and perhaps the end of its range. A bound keeps time linear.
_MEMBER = r"\[:([^\]]{0,20}):\]|\\?(.)(?:-(?!\])\\?(.))?"
# Atomic, so that nothing is read twice; what follows an unclosed bracket does not count. CPython 3.11.2, that
# of Debian 12, mistakes a possessive repeat in which a lookahead fails.
_TOKEN = re.compile(
    r"\\.|(?<![^/])(?P<levels>\*\*++)(?![^/])|(?P<stars>\*+)"
    rf"|\[(?P<negated>[!^]?+)(?P<members>(?>(?:{_MEMBER})(?:(?!\])(?:{_MEMBER}))*))\]|(?P<unclosed>\[.*)",
    re.DOTALL,
)
_LITERAL = re.compile(r"\[\]?[^\]]*+(?:\]|\Z)|((?:[^*?\[\\]|\\.)+)", re.DOTALL)
_NOTHING = "[\0]"  # no name holds a NUL


class Line(NamedTuple):
    """A pattern as it was written, and where."""

    text: str
    origin: Origin


class Pattern(NamedTuple):
    """One compiled line, with texts that the folder and the name of every match contain."""

    origin: Origin
    negated: bool
    dirs_only: bool
    regex: re.Pattern[str]
    in_folder: str
    in_name: str


def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    """The pattern of one line; None for blanks and comments.

    Raises ValueError where the line cannot be a pattern.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    text = _trimmed(_raw(line.text))
    if "\0" in text:
        raise ValueError("a pattern holds a NUL, as no name does")
    body = text.removeprefix("!")
    if text.startswith("#") or not body.strip("/"):
        return None
    *folders, name = _segments(body)
    # pathspec strips white space, and takes the last byte of "à" for some: a final slash protects both.
    regex, _ = GitIgnoreSpecPattern.pattern_to_regex("/".join([*folders, name, ""]))
    assert regex is not None, "only blanks and comments have no expression"
    compiled = re.compile(regex, re.DOTALL | re.ASCII | (re.IGNORECASE if any_case else 0))
    literals = ("", "") if any_case else (_literal(f"/{'/'.join(folders)}//"), _literal(f"/{name}/"))
    return Pattern(line.origin, text != body, body.endswith("/"), compiled, *literals)


def escape_path(path: str) -> str:
    """A pattern that matches one path of the site, whatever characters it has."""
    return "/" + re.sub(r"([\\*?\[ ])", r"\\\1", path)


def _raw(text: str) -> str:
    """Each byte of a name as one character, as git compares bytes; `in` takes bytes five times as long."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _trimmed(text: str) -> str:
    """The line without its line end and trailing spaces; an escaped space stays."""
    text = text.removesuffix("\n").removesuffix("\r")
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + backslashes % 2]


def _segments(body: str) -> list[str]:
    """The repaired pattern, cut at its slashes. It starts at the root ("") or at any level (`**`)."""
    segments = _TOKEN.sub(_repaired, body).removesuffix("/").split("/")
    if segments[0]:
        # To git, a slash in brackets ties a pattern to the root too.
        segments.insert(0, "" if "/" in body[:-1] else "**")
    final = {"*": ["?*"], "**": ["**", "?*"]}  # an entry of any name
    return segments[:-1] + final.get(segments[-1], segments[-1:])


def _repaired(token: re.Match[str]) -> str:
    """The token as pathspec must find it to read what git reads."""
    if token["members"]:
        return _bracket(token["members"], negated=bool(token["negated"]))
    if token["unclosed"]:
        return _NOTHING
    return "**" if token["levels"] else "*" if token["stars"] else token[0]


def _bracket(text: str, *, negated: bool) -> str:
    """A bracket expression of the bytes that git's wildmatch reads; it never matches a slash."""
    members: set[str] = set()
    for name, first, last in re.findall(_MEMBER, text, re.DOTALL):
        if first:
            members |= {first, *map(chr, range(ord(first), ord(last or first) + 1))}
        elif name in _CLASSES:
            members |= {*_CLASSES[name]}
        else:
            return _NOTHING
    members = {*map(chr, range(1, 256))} - members if negated else members
    plain = enumerate(sorted(members - {*"]-/"}))
    runs = [[member for _, member in run] for _, run in groupby(plain, lambda at: ord(at[1]) - at[0])]
    ranges = "".join(f"{run[0]}-{run[-1]}" for run in runs)
    # "]" must come first and "-" last; after a NUL, "!" is no mark.
    return "[" + "]" * ("]" in members) + "\0" + ranges + "-" * ("-" in members) + "]"


def _literal(glob: str) -> str:
    """The longest text that everything matched by the pattern contains."""
    return re.sub(r"\\(.)", r"\1", max(_LITERAL.findall(glob), key=len), flags=re.DOTALL)


class Level(NamedTuple):
    """A folder: the pattern that matches it, or one above it, in each set; and those that may match inside.

    The last pattern of a set comes first.
    """

    above: dict[int, Pattern]
    directory: str
    patterns: list[tuple[int, Pattern]]

    def decide(self, name: str, *, is_dir: bool) -> dict[int, Pattern]:
        """The last pattern of each set that matches the entry."""
        entry = f"/{_raw(name)}/"
        decided: dict[int, Pattern] = {}
        for n, p in self.patterns:
            may_match = p.in_name in entry and n not in decided and (is_dir or not p.dirs_only)
            if may_match and p.regex.fullmatch(self.directory + entry[1:]):
                decided[n] = p
        return decided

    def accepts(self, name: str) -> bool:
        """Whether the last match of a file in the first set is no negation."""
        decided = self.decide(name, is_dir=False).get(0)
        return decided is not None and not decided.negated


class PatternSets(Generic[Value]):
    """Values, each with lines, which are matched together. Raises ValueError for a line that is no pattern.

    Pages come folder by folder, so what is known of a folder is kept for the next ones.
    """

    def __init__(self, sets: Iterable[tuple[Value, Iterable[Line]]], *, any_case: bool = False) -> None:
        pairs = [(value, [compile_line(line, any_case=any_case) for line in lines]) for value, lines in sets]
        self.values = tuple(value for value, _ in pairs)
        self._last_first = [
            (n, pattern) for n, (_, compiled) in enumerate(pairs) for pattern in reversed(compiled) if pattern
        ]
        self._folders = {"": self._level("", {})}

    def matching(self, path: str) -> list[Value]:
        """The values of which a line matches the file, or a folder above it, in order."""
        decided = self.decided(path) if self.values else {}
        return [self.values[n] for n in sorted(decided) if not decided[n].negated]

    def decided(self, path: str) -> dict[int, Pattern]:
        """The pattern of each set that decides a file's path, or prunes a folder above it."""
        start = path.rfind("/") + 1
        folder = self._folder(path[:start])
        return folder.above | folder.decide(path[start:], is_dir=False)

    def _folder(self, directory: str) -> Level:
        below: list[tuple[str, str]] = []
        while (level := self._folders.get(directory)) is None:
            parent = directory[: directory.rfind("/", 0, -1) + 1]
            below.append((directory, directory[len(parent) : -1]))
            directory = parent
        if len(self._folders) > _KEPT:
            self._folders = {"": self._folders[""]}
        for inside, name in reversed(below):
            taken = {n: p for n, p in level.decide(name, is_dir=True).items() if not p.negated}
            level = self._folders[inside] = self._level(inside, level.above | taken)
        return level

    def _level(self, directory: str, above: dict[int, Pattern]) -> Level:
        raw = _raw(directory)
        folder = f"//{raw}/"
        inside = [(n, p) for n, p in self._last_first if p.in_folder in folder and n not in above]
        return Level(above, raw, inside)


class Patterns(PatternSets[None]):
    """Compiled lines, matched level by level. Raises ValueError for a line that is no pattern."""

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        super().__init__([(None, lines)], any_case=any_case)

    def level(self, directory: str, names: Iterable[str] | None = None) -> Level:
        """The patterns that may match an entry of `directory` ("" or with a final slash).

        With `names`, only those that may match one of these: none in most directories.
        """
        level = self._level(directory, {})
        if names is None or not level.patterns:
            return level
        listing = f"/{_raw('/'.join(names))}/"
        return level._replace(patterns=[(n, p) for n, p in level.patterns if p.in_name in listing])

    def verdict(self, path: str) -> Pattern | None:
        """The pattern that decides a file's path, or the one that prunes a folder above it."""
        return self.decided(path).get(0)

    def matches(self, path: str) -> bool:
        """Whether the file, or a folder above it, is matched."""
        decided = self.verdict(path)
        return decided is not None and not decided.negated
