"""Patterns in gitignore syntax. pathspec translates each line, and this module matches like git.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched with one entry at a time,
never with a folder above it. The tests compare the results with `git check-ignore`.

Patterns and entries have a dot before the name: `blog/./*.html` and `blog/./a.html`. A line without
a slash, such as `*.tmp`, stands for `**/./*.tmp`. So it matches a name, and nothing above it.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from ..model import Origin
from .linear import linear_matcher

BUILT_IN = "built-in default"
Value = TypeVar("Value")
LIMIT = 1_000  # characters of a pattern
_MAX_KEPT_FOLDERS = 64  # whose matches are kept for the next pages
# Characters of the expressions that are joined into one: some 100 patterns, so that the built-in
# ones are a single group. One for 5,000 patterns takes 4 ms an entry, and the engine refuses 40,000
# characters of `?`.
_LENGTH_OF_GROUP = 4_000
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_FOLDER_END = "(?P<ps_d>/)"  # what pathspec writes for the slash of a folder
# A set, or an escaped character, which may be a bracket.
_SET = re.compile(r"\\. | (?P<start> \[\^? ) (?P<members> \]?[^\]]* ) \]", re.DOTALL | re.VERBOSE)
# The syntax of built-in patterns, and what pathspec writes for it (see tests).
_BUILT_IN_SYNTAX = re.compile(r"(?:[\w ~+./-]|\*(?!\*)|\[[\w-]+\])+", re.ASCII)
_CHARACTERS = str.maketrans({"*": "[^/]*", ".": r"\.", "+": r"\+"})


class Line(NamedTuple):
    """A pattern as written, with its origin."""

    text: str
    origin: Origin


class Pattern(NamedTuple):
    """A translated line: `*.html` has `(?s)\\x00(?:(?:.+/)?\\./[^/]*\\.html/?)\\x00`.

    The expression matches one entry, such as `blog/./a.html`, between two NUL characters, which no
    name contains. `negated` is for a line with `!`.
    """

    origin: Origin
    negated: bool
    expression: str


@lru_cache(1 << 8)  # a generator that serves a site builds it again and again
def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    """Translates a line, such as `*.html`, to a pattern.

    None for a blank line, a comment, and brackets that match nothing. A line that begins with `!`
    is negated, and one that ends with a slash is only for folders. With `any_case`, upper and lower
    case are the same. Raises ValueError, with a message for the user, if the line is not a pattern.
    """
    text = _without_final_spaces(_one_character_per_byte(line.text))
    if "\0" in text:  # which ends an entry when it is matched
        raise ValueError("a pattern must not contain a NUL character")
    body = text.removeprefix("!")
    if text.startswith("#") or not body.strip("/"):
        return None
    is_built_in = line.origin.source.startswith(BUILT_IN)
    if len(line.text) > LIMIT and not is_built_in:  # the path of our output may be longer
        raise ValueError(f"a pattern must not be longer than {LIMIT:,} characters")
    path = body.removesuffix("/")
    if is_built_in and _BUILT_IN_SYNTAX.fullmatch(path):
        translated: str | None = _translate_built_in(path)
    else:
        translated = _translate(path)
    if translated is None:
        return None
    final_slash = "/?" if path == body else "/"  # a folder has a slash at its end, a file has none
    flags = "is" if any_case else "s"
    expression = f"(?{flags})\\x00(?:{translated}{final_slash})\\x00"
    return Pattern(origin=line.origin, negated=body != text, expression=expression)


def _without_final_spaces(text: str) -> str:
    """Removes the end of a line and the spaces before it, except an escaped space: `a\\ `."""
    line = text.removesuffix("\n").removesuffix("\r")
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    if backslashes % 2 == 1:  # two of them are one literal backslash
        return line[: len(bare) + 1]  # with the space that the last one escapes, if there is one
    return bare


def _one_character_per_byte(text: str) -> str:
    """Turns each byte of a text in UTF-8 into one character: `é` has two bytes → `Ã©`.

    git compares bytes, so `?` matches half of an `é`.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _with_dot(path: str) -> str:
    """Writes a pattern with a dot before the name: `/a/b*` → `a/./b*`, `b*` → `**/./b*`.

    Entries are written with the dot, too: `a/./b.html`. It keeps pathspec from shortening `**/*` to
    "any path" (cpburnz/python-pathspec pull request 133).
    """
    folder, slash, name = path.rpartition("/")
    if name == "**":
        # pathspec takes `a/**` for the folder itself, too: cpburnz/python-pathspec issue 137.
        return f"{folder}{slash}**/./*".removeprefix("/")
    if not slash:
        return f"**/./{name}"
    return f"{folder}/./{name}".removeprefix("/")


def _translate_built_in(path: str) -> str:
    """Translates the path of a simple pattern as `_translate` does: `a*` → `(?:.+/)?\\./a[^/]*`.

    For the built-in patterns, this does not need pathspec, whose import costs 4 % of a short run.
    """
    pattern = _with_dot(path)
    name = pattern.removeprefix("**/")
    any_folder = "(?:.+/)?" if name != pattern else ""
    return any_folder + name.translate(_CHARACTERS)


def _translate(path: str) -> str | None:
    """Translates the path of a pattern to a regular expression: `a*` → `(?:.+/)?\\./a[^/]*`.

    pathspec translates it, but reads some patterns otherwise than git. So the path is rewritten
    before, and the expression after. For `[^a]`, in this order:

        [^a]                     the path, as a user wrote it
        /**/./[^a]/              for pathspec: a dot before the name, and a slash at each end
        (?:.+/)?\\./[^a]         from pathspec, without its ends: `[^a]` matches a slash, too
        (?:.+/)?\\./[[^a]--/]    the result: no set matches a slash, as in git

    None if nothing can match, as for the range `[b-a]`. Raises ValueError if the path is not a
    pattern.
    """
    # Imported here: the import costs as much as 80 patterns, and most runs have only built-in ones.
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    # 1. Rewrite the path. To git, `a/***/b` is `a/**/b` (no issue of pathspec is known).
    pattern = _with_dot(_THREE_STARS.sub("**", path))
    # 2. Translate it. The slash at the end keeps tabs and no-break spaces before it: pathspec
    # removes them at the end of a pattern, and git does not (no issue of pathspec is known).
    try:
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{pattern}/")
    except GitIgnorePatternError:
        raise ValueError("a backslash must precede the character that it escapes") from None
    if expression is None:
        return None
    without_ends: str = expression.removeprefix("^").removesuffix(_FOLDER_END)
    # 3. Rewrite the sets in the expression.
    if "[" not in path:
        return without_ends
    without_slashes = _SET.sub(_set_without_slash, without_ends)
    try:
        linear_matcher(without_slashes)  # only to see whether it is valid
    except ValueError:  # a range such as `[b-a]`, in which nothing is
        return None
    return without_slashes


def _set_without_slash(found: re.Match[str]) -> str:
    """Returns a set of characters without the slash: `[^a]` → `[[^a]--/]`.

    To git, `[^a]` matches any character but `a` and the slash. To Rust's `regex`, which matches the
    expression later, `[x--/]` is the set x without the slash.

    In the sets of pathspec, `[`, `]`, `&` and `~` are characters like others. To Rust they are
    operators, so they are escaped: `[[&]` → `[[\\[\\&]--/]`. `found` is a match of `_SET`.
    """
    if found["start"] is None:  # an escaped character, such as `\[`, which begins no set
        return found[0]
    members = re.sub(r"[][&~]", r"\\\g<0>", found["members"])
    return f"[{found['start']}{members}]--/]"


def escape_path(path: str) -> str:
    """A pattern that matches only this path of the site: `a[1].html` → `/a\\[1].html`."""
    return "/" + re.sub(r"([\\*?\[ ])", r"\\\1", path)


def literal_path(pattern: str) -> str | None:
    """The path that a pattern without wildcards names: `/a\\[1].html` → `a[1].html`.

    None if it has wildcards.
    """
    without_escapes = re.sub(r"\\.", "", pattern)
    if re.search(r"[*?\[]", without_escapes):
        return None
    return re.sub(r"\\(.)", r"\1", pattern).strip().removeprefix("/")


class _Group(NamedTuple):
    """Some patterns, and one expression for all of them, which rules most entries out at once.

    Each pattern comes with the number of the set to which its line belongs.
    """

    patterns: Sequence[tuple[int, Pattern]]
    expression: str


class PatternSets(Generic[Value]):
    """Values, such as rules, each with the lines that say for which paths it is.

    With `("news", ["blog/**", "!blog/old.html"])` and `("all", ["*.html"])`, `matching` gives
    `["news", "all"]` for `blog/a.html`, and only `["all"]` for `blog/old.html`. Raises ValueError
    for a line that is not a pattern.

    The sets are matched together. Pages come folder by folder, so what matches a folder is kept for
    the next pages.
    """

    def __init__(
        self, sets: Iterable[tuple[Value, Iterable[Line]]], *, any_case: bool = False
    ) -> None:
        """Translates the lines of each set. A set is a value, such as a rule, with its lines.

        The patterns of all sets are put into groups, the last line of each set first. A group ends
        when its expressions have more than 4,000 characters together.
        """
        values: list[Value] = []
        groups: list[list[tuple[int, Pattern]]] = [[]]
        length = 0  # of the expressions in the last group
        for number, (value, lines) in enumerate(sets):
            values.append(value)
            patterns = [compile_line(line, any_case=any_case) for line in lines]
            # The last line that matches a path decides, so it is asked first.
            for pattern in filter(None, reversed(patterns)):
                if length > _LENGTH_OF_GROUP:
                    groups.append([])
                    length = 0
                groups[-1].append((number, pattern))
                length += len(pattern.expression)
        self.values = tuple(values)
        self._groups = tuple(
            _Group(group, "|".join(pattern.expression for _, pattern in group))
            for group in groups
            if group
        )
        self._folders: dict[str, dict[int, Pattern]] = {}

    def __getstate__(self) -> dict[str, object]:
        # A worker gets other folders.
        return {**self.__dict__, "_folders": {}}

    def matching(self, path: str) -> list[Value]:
        """Finds the values of the sets that match a file or a folder above it, in order.

        With the sets `("news", ["blog/"])` and `("all", ["*.html"])`: `blog/a.html` →
        `["news", "all"]`. A set whose deciding line is a negation, such as `!blog/old.html`, does
        not match.
        """
        deciding = sorted(self._deciding_patterns(path).items())
        return [self.values[number] for number, pattern in deciding if not pattern.negated]

    def texts(self, number: int) -> list[str]:
        """The lines of a set, given by its number, in order, without comments and blank lines."""
        patterns = chain.from_iterable(group.patterns for group in self._groups)
        texts = [pattern.origin.text for set_number, pattern in patterns if set_number == number]
        return texts[::-1]  # the patterns of a set are kept in reverse order

    def _deciding_patterns(self, path: str) -> dict[int, Pattern]:
        """Finds the pattern of each set that decides about a file: `{number of the set: pattern}`.

        The uppermost folder above the file that a pattern matches decides, else the last pattern
        that matches the file itself. It may be a negation: then the set does not match the file.
        """
        directory = path[: path.rfind("/") + 1]
        # git enters no ignored folder, so what matches a folder goes before what matches the file.
        return self.last_matches(path) | self._ignored_above(directory)

    def _ignored_above(self, directory: str) -> dict[int, Pattern]:
        """Finds the patterns that ignore a folder or one above it: `{number of the set: pattern}`.

        For `a/b/`, with `a/` and `b/` in a set, it is `a/`: the uppermost folder counts. A negation
        does not count, because git enters the folder then.
        """
        if directory in self._folders:
            return self._folders[directory]
        if len(self._folders) > _MAX_KEPT_FOLDERS:
            self._folders.clear()
        # Level by level: for `a/b/`, first `a/` and then `a/b/`.
        above: dict[int, Pattern] = {}
        end = directory.find("/") + 1
        while end:
            folder = directory[:end]
            if folder not in self._folders:
                matches = self.last_matches(folder)
                positive = {number: found for number, found in matches.items() if not found.negated}
                self._folders[folder] = positive | above  # a match further above wins
            above = self._folders[folder]
            end = directory.find("/", end) + 1
        return above

    def last_matches(self, path: str) -> dict[int, Pattern]:
        """Finds the last pattern of each set that matches an entry: `{number of the set: pattern}`.

        Folders above the entry do not count. The path of a folder ends with a slash: `a/b/`. The
        entry that is compared has a dot before its name: `a/b.html` → `\\0a/./b.html\\0`.
        """
        name_start = path.rfind("/", 0, -1) + 1
        entry = _one_character_per_byte(f"\0{path[:name_start]}./{path[name_start:]}\0")
        found: dict[int, Pattern] = {}
        for group in self._groups:
            if not linear_matcher(group.expression)(entry):
                continue
            for number, pattern in group.patterns:
                if number not in found and linear_matcher(pattern.expression)(entry):
                    found[number] = pattern  # the first one, because the last line comes first
        return found

    def may_match(self, directory: str, names: Iterable[str], ending: str) -> bool:
        """Whether a pattern may match one of some entries in a directory.

        If not, as for most directories, the caller need not ask for each entry: all names are
        compared at once. In `a/`, the folders `x` and `y` become `\\0a/./x/\\0a/./y/\\0`.
        `directory` is "" or has a final slash. `ending` is "/" for folders, else "".
        """
        start = f"\0{directory}./"
        entries = _one_character_per_byte(start + f"{ending}{start}".join(names) + f"{ending}\0")
        for group in self._groups:
            if linear_matcher(group.expression)(entries):
                return True
        return False


class Patterns(PatternSets[None]):
    """Translated lines, matched level by level.

    Raises ValueError for a line that is not a pattern.
    """

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        super().__init__([(None, lines)], any_case=any_case)

    def last_match(self, path: str) -> Pattern | None:
        """The last pattern that matches one entry. The path of a folder ends with a slash."""
        return self.last_matches(path).get(0)

    def deciding_pattern(self, path: str) -> Pattern | None:
        """The pattern that decides whether a file is ignored; None if no pattern matches.

        It is that of the uppermost folder that is ignored, or else the last one that matches the
        file. It may be a negation.
        """
        return self._deciding_patterns(path).get(0)

    def matches(self, path: str) -> bool:
        """Whether a pattern matches the file or a folder above it."""
        return bool(self.matching(path))
