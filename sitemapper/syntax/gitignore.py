"""Patterns in gitignore syntax, and git's order of decision.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched against one whole entry
at a time. `git check-ignore` is the judge (see tests).
"""

import re
from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from ..model import Origin

BUILT_IN = "built-in default"
Value = TypeVar("Value")
_KEPT = 64  # folders that are kept
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\0-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\t-\r ",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
# In brackets: a named class, or a byte with an optional end of a range. A limit keeps time linear.
_MEMBER = r"\[:([^\]]{0,20}):\]|\\?(.)(?:-(?!\])\\?(.))?"
# Atomic, so that nothing is read twice. Text after an unclosed bracket does not count.
_TOKEN = re.compile(
    r"\\(?P<escaped>[^/])|(?<![^/])(?:\*\*+(?P<levels>/))+|(?P<stars>\*+)|(?P<one>\?)"
    rf"|\[(?P<negated>[!^]?+)(?P<members>(?>(?:{_MEMBER})(?:(?!\])(?:{_MEMBER}))*))\]|(?P<unclosed>\[.*)|[^*?\[\\]+|\\",
    re.DOTALL,
)
_FINAL_LEVELS = re.compile(r"(?<![^/])\*\*+\Z")
_LEVELS, _NOTHING = "(?:(?<![^/]).+/)?", "(?!)"


class Line(NamedTuple):
    """A pattern as written, with its origin."""

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
    """The pattern of a line, None for blanks and comments.

    Raises ValueError if the line is not a pattern.
    """
    text = _raw(line.text).removesuffix("\n").removesuffix("\r")
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    text = text[: len(bare) + backslashes % 2]  # an escaped space is kept
    if "\0" in text:
        raise ValueError("a pattern must not contain a NUL character")
    body = text.removeprefix("!")
    if text.startswith("#") or not body.strip("/"):
        return None
    path = _FINAL_LEVELS.sub("**/*", body.removesuffix("/"))
    # For git, a slash in brackets also anchors a pattern to the root.
    expression, plain = ("", "//") if "/" in path else (_LEVELS, "\0/")
    for token in _TOKEN.finditer(path.removeprefix("/")):
        piece, literal = _translated(token)
        expression += piece
        plain += literal
    flags = re.DOTALL | re.ASCII | (re.IGNORECASE if any_case else 0)
    compiled = re.compile(expression + "(?<=[^/])/", flags)
    folder, _, name = plain.rpartition("/")
    in_folder = max(f"{folder}//".split("\0"), key=len)
    in_name = max(f"/{name}/".split("\0"), key=len)
    literals = ("", "") if any_case else (in_folder, in_name)
    return Pattern(line.origin, text != body, body.endswith("/"), compiled, *literals)


def escape_path(path: str) -> str:
    """A pattern that matches only this path of the site, whatever characters it contains."""
    return "/" + re.sub(r"([\\*?\[ ])", r"\\\1", path)


def _raw(text: str) -> str:
    """The name with one character per byte, as git compares bytes.

    `in` takes five times as long on bytes.
    """
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _translated(token: re.Match[str]) -> tuple[str, str]:
    """The expression for a token, and its text.

    A NUL stands for text that varies between matches.
    """
    if token["levels"]:
        return _LEVELS, "\0/"
    if token["stars"]:
        return "[^/]*", "\0"
    if token["one"]:
        return "[^/]", "\0"
    if token["members"]:
        return _bracket(token["members"], negated=bool(token["negated"])), "\0"
    if token["unclosed"]:
        return _NOTHING, "\0"
    if token[0] == "\\":
        raise ValueError("a backslash must precede the character that it escapes")
    literal = token["escaped"] or token[0]
    return re.escape(literal), literal


def _bracket(text: str, *, negated: bool) -> str:
    """The expression for the bytes in a bracket, as in git's wildmatch.

    It never matches a slash.
    """
    inside = ""
    for name, first, last in re.findall(_MEMBER, text, re.DOTALL):
        if not first and name not in _CLASSES:
            return _NOTHING
        end = f"-{re.escape(last)}" if last >= first else ""
        inside += f"{re.escape(first)}{end}" if first else _CLASSES[name]
    if negated:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if re.match(f"[{inside}]", "/") else f"[{inside}]"


class Level(NamedTuple):
    """A folder: for each set, the pattern that matches it or a folder above, and those that may
    match inside.

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
        """Whether the last match of a file in the first set is not a negation."""
        decided = self.decide(name, is_dir=False).get(0)
        return decided is not None and not decided.negated


class PatternSets(Generic[Value]):
    """Values with their lines, matched together. Raises ValueError for a line that is not a
    pattern.

    Pages come folder by folder, so the state of a folder is kept for the next pages.
    """

    def __init__(
        self, sets: Iterable[tuple[Value, Iterable[Line]]], *, any_case: bool = False
    ) -> None:
        pairs = [
            (value, [compile_line(line, any_case=any_case) for line in lines])
            for value, lines in sets
        ]
        self.values = tuple(value for value, _ in pairs)
        self._last_first = [
            (n, pattern)
            for n, (_, compiled) in enumerate(pairs)
            for pattern in reversed(compiled)
            if pattern
        ]
        self._folders = {"": self.level("")}

    def matching(self, path: str) -> list[Value]:
        """The values with a line that matches the file or a folder above it, in order."""
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
            level = self._folders[inside] = self.level(inside, above=level.above | taken)
        return level

    def level(
        self,
        directory: str,
        names: Iterable[str] | None = None,
        above: dict[int, Pattern] | None = None,
    ) -> Level:
        """The patterns that may match an entry of `directory` ("" or with a final slash).

        With `names`, only patterns that may match one of these names; in most directories, there
        are none. `above` are the patterns that already match the folder.
        """
        raw, decided = _raw(directory), above or {}
        folder = f"//{raw}/"
        inside = [(n, p) for n, p in self._last_first if p.in_folder in folder and n not in decided]
        if names is not None and inside:
            listing = f"/{_raw('/'.join(names))}/"
            inside = [(n, p) for n, p in inside if p.in_name in listing]
        return Level(decided, raw, inside)


class Patterns(PatternSets[None]):
    """Compiled lines, matched level by level.

    Raises ValueError for a line that is not a pattern.
    """

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        super().__init__([(None, lines)], any_case=any_case)

    def verdict(self, path: str) -> Pattern | None:
        """The pattern that decides a file's path, or the one that prunes a folder above it."""
        return self.decided(path).get(0)

    def matches(self, path: str) -> bool:
        """Whether a pattern matches the file or a folder above it."""
        return bool(self.matching(path))
