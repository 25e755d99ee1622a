"""Patterns in gitignore syntax: pathspec translates each line, and this module keeps git's order.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched against one whole entry
at a time. `git check-ignore` is the judge (see tests).
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from ..model import Origin

BUILT_IN = "built-in default"
Value = TypeVar("Value")
_KEPT = 64  # folders that are kept
_VARIABLE = re.compile(r"[*?]|\\.|\[.*", re.DOTALL)  # the texts behind a bracket are not used
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_SET = re.compile(r"\\.|\[(?P<negation>\^)?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# What pathspec writes:
_NO_SLASH = "[^/]"  # for `?`
_STAR = "[^/]*"  # for `*`
_ANY_FOLDER = "^(?:.+/)?"  # for `**/` in front
_LEVELS = "(?:/.+)?"  # for `/**` between others
_END = "(?P<ps_d>/)"  # for the slash of a folder
_BUILT_IN_SYNTAX = re.compile(
    r"""
    (?:\*\*/)?          # at any level
    (?: [^*?\[\\]       # a character
      | \*(?!\*)        # a star
      | \[[\w-]+\]      # a set of letters and digits
    )+
    """,
    re.ASCII | re.VERBOSE,
)


class Line(NamedTuple):
    """A pattern as written, with its origin."""

    text: str
    origin: Origin


@dataclass(frozen=True)
class Pattern:
    """One translated line, with texts that the folder and the name of every match contain."""

    origin: Origin
    negated: bool
    dirs_only: bool
    name_only: bool
    any_case: bool
    expression: str
    in_folder: str = ""
    in_name: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression. Most patterns never need it, because the texts rule them out."""
        return _compile(self.expression, any_case=self.any_case)

    def __getstate__(self) -> dict[str, object]:
        # A compiled expression is pickled as its text, and would be compiled when it is loaded.
        return {name: value for name, value in self.__dict__.items() if name != "regex"}


def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    """The pattern of a line, None for blanks, comments, and brackets that match nothing.

    Raises ValueError if the line is not a pattern.
    """
    text = _without_final_spaces(_raw(line.text))
    if "\0" in text:
        raise ValueError("a pattern must not contain a NUL character")
    body = text.removeprefix("!")
    if text.startswith("#") or not body.strip("/"):
        return None
    if (len(text) - len(text.rstrip("\\"))) % 2:
        raise ValueError("a backslash must precede the character that it escapes")
    written = body.removesuffix("/")
    path = _repair(written.removeprefix("/"))
    is_built_in = line.origin.source.startswith(BUILT_IN)
    if is_built_in and _BUILT_IN_SYNTAX.fullmatch(path):
        expression = _bind_to_first_places(_translate_built_in(path))
    else:
        translated = _translate(path)
        if translated is None:
            return None
        expression = _bind_to_first_places(translated)
        if not _is_read_as_git_does(expression, any_case=any_case):
            return None
    pattern = Pattern(
        origin=line.origin,
        negated=body != text,
        dirs_only=written != body,
        name_only="/" not in written,  # a slash in brackets counts, too
        any_case=any_case,
        expression=expression,
    )
    return pattern if any_case else _with_literals(pattern, path)


def _with_literals(pattern: Pattern, path: str) -> Pattern:
    """The pattern with the texts that everything contains that it matches."""
    folder, _, name = path.rpartition("/")
    in_name = _longest_text(f"/{name}/")
    if pattern.name_only:
        return replace(pattern, in_name=in_name)
    in_folder = _longest_text(f"//{folder}//" if folder else "///")
    return replace(pattern, in_folder=in_folder, in_name=in_name)


def _longest_text(pattern: str) -> str:
    """The longest text between the wildcards of a pattern."""
    return max(_VARIABLE.split(pattern), key=len)


def escape_path(path: str) -> str:
    """A pattern that matches only this path of the site, whatever characters it contains."""
    return "/" + re.sub(r"([\\*?\[ ])", r"\\\1", path)


def _raw(text: str) -> str:
    """The name with one character per byte, as git compares bytes.

    `in` takes five times as long on bytes.
    """
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _without_final_spaces(text: str) -> str:
    """The line without its end and the spaces before it, except an escaped space."""
    text = text.removesuffix("\n").removesuffix("\r")
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + backslashes % 2]


def _repair(path: str) -> str:
    """The path of a pattern, so that pathspec reads it as git does."""
    # To git, three stars or more between slashes are `**` (no issue of pathspec is known).
    *folders, name = _THREE_STARS.sub("**", path).split("/")
    # pathspec takes `a/**` for the folder itself, too: cpburnz/python-pathspec issue 137.
    if name == "**":
        folders.append("**")
        name = "*"
    # It shortens `**/*` to "any path": cpburnz/python-pathspec pull request 133.
    if name == "*":
        name = "?*"
    return "/".join([*folders, name])


def _translate(path: str) -> str | None:
    """pathspec's expression for an entry, which ends with a slash. None if nothing can match."""
    # Imported here: the import costs as much as 80 patterns, and most runs have only built-in ones.
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        # As a folder's pattern: pathspec removes final tabs and no-break spaces of others, and git
        # keeps them (no issue of pathspec is known).
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{path}/")
    except GitIgnorePatternError:
        raise ValueError("a backslash must precede the character that it escapes") from None
    return _SET.sub(_without_slash, expression) if expression else None


def _without_slash(found: re.Match[str]) -> str:
    """A set as git reads it: no bracket matches a slash (no issue of pathspec is known)."""
    text = found[0]
    if found["negation"] is None or text == _NO_SLASH:
        return text
    return f"(?!/){text}"


def _translate_built_in(path: str) -> str:
    """The expression that pathspec has for a path of `_BUILT_IN_SYNTAX` (see tests)."""
    start = _ANY_FOLDER if path.startswith("**/") else "^"
    segments = path.removeprefix("**/").split("/")
    return start + "/".join(map(_translate_built_in_segment, segments)) + _END


def _translate_built_in_segment(segment: str) -> str:
    if segment == "*":
        return "[^/]+"
    expression = ""
    for part in re.split(r"(\[[\w-]+\])", segment):
        is_set = part.startswith("[")
        expression += part if is_set else re.escape(part).replace(r"\*", _STAR)
    return expression


def _is_read_as_git_does(expression: str, *, any_case: bool) -> bool:
    """Whether `re` reads the brackets of an expression as git does.

    It does not for `[[:alpha:]]` and `[z-a]`: cpburnz/python-pathspec pull requests 128 and 123.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            _compile(expression, any_case=any_case)
        except (re.error, FutureWarning):
            return False
    return True


def _compile(expression: str, *, any_case: bool) -> re.Pattern[str]:
    flags = re.DOTALL | re.ASCII
    if any_case:
        flags |= re.IGNORECASE
    return re.compile(expression, flags)


def _bind_to_first_places(expression: str) -> str:
    """The expression without combinations to try: linear time for each text between two stars.

    What stands between two stars may keep to the first place where it fits, because the second
    star takes what a later place would leave. So it becomes an atomic group, as in
    `fnmatch.translate`. pathspec's expressions take exponential time without this:
    cpburnz/python-pathspec issue 131.
    """
    start, *inner = (_bind_texts(part) for part in expression.split(_LEVELS))
    if not inner:
        return start
    *between, last = inner
    if start.startswith(_ANY_FOLDER):
        start = f"^(?>(?:.+?/)??{start.removeprefix(_ANY_FOLDER)}(?=/))"
    bound = "".join(f"(?>(?:/.+?)??{part}(?=/))" for part in between)
    return f"{start}{bound}{_LEVELS}{last}"


def _bind_texts(expression: str) -> str:
    """The part of an expression between two `**`, with the texts between its stars bound."""
    start, *inner = expression.split(_STAR)
    if not inner:
        return start
    *between, last = inner
    bound = "".join(f"(?>[^/]*?{part})" for part in between if part)
    return f"{start}{bound}{_STAR}{last}"


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
        entry = f"{_raw(name)}/"
        with_slash = f"/{entry}"
        path = self.directory + entry
        decided: dict[int, Pattern] = {}
        for n, p in self.patterns:
            may_match = p.in_name in with_slash and n not in decided and (is_dir or not p.dirs_only)
            if may_match and p.regex.fullmatch(entry if p.name_only else path):
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
        pairs = [*sets]
        self.values = tuple(value for value, _ in pairs)
        self._last_first: list[tuple[int, Pattern]] = []  # with the number of its set
        for number, (_, lines) in enumerate(pairs):
            patterns = [compile_line(line, any_case=any_case) for line in lines]
            self._last_first += [(number, pattern) for pattern in reversed(patterns) if pattern]
        self._folders = {"": self.level("")}

    def __getstate__(self) -> dict[str, object]:
        # A worker gets other folders.
        return {**self.__dict__, "_folders": {"": self._folders[""]}}

    def matching(self, path: str) -> list[Value]:
        """The values with a line that matches the file or a folder above it, in order."""
        if not self.values:
            return []
        decided = self.decided(path)
        return [self.values[n] for n in sorted(decided) if not decided[n].negated]

    def decided(self, path: str) -> dict[int, Pattern]:
        """The pattern of each set that decides a file's path, or prunes a folder above it."""
        start = path.rfind("/") + 1
        folder = self._folder(path[:start])
        return folder.above | folder.decide(path[start:], is_dir=False)

    def _folder(self, directory: str) -> Level:
        """The level of a directory, by the levels of the directories above it."""
        missing: list[tuple[str, str]] = []  # each directory and its name, the deepest first
        while (level := self._folders.get(directory)) is None:
            parent = directory[: directory.rfind("/", 0, -1) + 1]
            missing.append((directory, directory[len(parent) : -1]))
            directory = parent
        if len(self._folders) > _KEPT:
            self._folders = {"": self._folders[""]}
        for inside, name in reversed(missing):
            decided = level.decide(name, is_dir=True)
            matching = {n: pattern for n, pattern in decided.items() if not pattern.negated}
            level = self.level(inside, above=level.above | matching)
            self._folders[inside] = level
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
        raw = _raw(directory)
        decided = above or {}
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
