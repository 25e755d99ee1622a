"""Patterns in gitignore syntax: pathspec translates each line, and this module keeps git's order.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched against one whole entry
at a time. `git check-ignore` is the judge (see tests).
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

from ..model import Origin

BUILT_IN = "built-in default"
Value = TypeVar("Value")
_KEPT = 64  # folders that are kept
# What matches more than one text. The texts behind a bracket that is no plain set are not used.
_VARIABLE = re.compile(r"[*?]|\\.|\[[a-zA-Z0-9_-]+\]|\[.*", re.DOTALL)
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_SET = re.compile(
    r"""
      \\.                      # an escaped character, perhaps a bracket
    | \[ (?P<negation>\^)? \]?
      (?: \\(?:.|\Z) | [^\]\\] )*+
      (?: \] | \Z )             # pathspec closes all; the end keeps any text in linear time
    """,
    re.DOTALL | re.VERBOSE,
)
_RANGE = re.compile(r"(?=(.)-\\?(.))", re.DOTALL)  # in a set
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
    depth: int | None = None  # the number of folders above each match, None if that varies

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression. Most patterns never need it, because the texts rule them out."""
        return _compile(self.expression, any_case=self.any_case)

    def __getstate__(self) -> dict[str, object]:
        # A compiled expression is pickled as its text, and would be compiled when it is loaded.
        return {name: value for name, value in self.__dict__.items() if name != "regex"}


@lru_cache(1 << 8)  # a generator that serves a site builds it again and again
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
    without_slash = body.removesuffix("/")
    if _escapes_nothing_at_end(without_slash):
        raise ValueError("a backslash must precede the character that it escapes")
    path = _repair(without_slash.removeprefix("/"))
    is_built_in = line.origin.source.startswith(BUILT_IN)
    name_only = "/" not in without_slash  # a slash in brackets counts, too
    depth = None
    if is_built_in and _BUILT_IN_SYNTAX.fullmatch(path):
        if not name_only and not path.startswith("**/"):
            depth = path.count("/")
        expression = _bind_to_first_places(_translate_built_in(path))
    else:
        translated = _translate_as_git_reads(path, any_case=any_case)
        if translated is None:
            return None
        expression = translated
    in_folder, in_name = ("", "") if any_case else _literals(path, name_only=name_only)
    return Pattern(
        origin=line.origin,
        negated=body != text,
        dirs_only=without_slash != body,
        name_only=name_only,
        any_case=any_case,
        expression=expression,
        in_folder=in_folder,
        in_name=in_name,
        depth=depth,
    )


def _ends_in_escape(text: str) -> bool:
    """Whether the last character is a backslash that is not itself escaped.

    True for an odd number of backslashes at the end: two of them are one literal backslash.
    """
    backslashes = len(text) - len(text.rstrip("\\"))
    return backslashes % 2 == 1


def _escapes_nothing_at_end(pattern: str) -> bool:
    """Whether the last backslash of a pattern escapes nothing, so that git never matches it.

    In an open bracket, it is a member.
    """
    without_sets_and_escapes = _SET.sub("", pattern)
    return without_sets_and_escapes.endswith("\\")


def _literals(path: str, *, name_only: bool) -> tuple[str, str]:
    """The literal texts in the folder and the name of a pattern, which rule out most entries.

    `drafts/*.tmp` → `in_folder="//drafts//"`, `in_name=".tmp/"`. The slashes show where a folder or
    a name begins and ends: `Level.decide` looks for `.tmp/` in `/a.tmp/`, and `PatternSets.level`
    for `//drafts//` in the folder. The site's root is `///`.
    """
    folder, _, name = path.rpartition("/")
    in_name = _longest_text(f"/{name}/")
    if name_only:
        return "", in_name
    slashed_folder = f"//{folder}//" if folder else "///"
    return _longest_text(slashed_folder), in_name


def _longest_text(pattern: str) -> str:
    """The longest text between the wildcards of a pattern: `.html` of `a*.html`."""
    return max(_VARIABLE.split(pattern), key=len)


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


def _raw(text: str) -> str:
    """The name with one character per byte, as git compares bytes.

    `in` takes five times as long on bytes.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _without_final_spaces(text: str) -> str:
    """The line without its end and the spaces before it, except an escaped space."""
    line = text.removesuffix("\n").removesuffix("\r")
    bare = line.rstrip(" ")
    if _ends_in_escape(bare):
        return line[: len(bare) + 1]  # with the space that the backslash escapes, if there is one
    return bare


def _repair(path: str) -> str:
    """The path of a pattern, rewritten where pathspec would read it in another way than git.

    `a/***/b` → `a/**/b`, `a/**` → `a/**/?*`, `a/*` → `a/?*`. Other paths stay as they are.
    """
    # To git, three stars or more between slashes are `**` (no issue of pathspec is known).
    repaired = _THREE_STARS.sub("**", path)
    folder, slash, name = repaired.rpartition("/")
    if name == "**":
        # pathspec takes `a/**` for the folder itself, too: cpburnz/python-pathspec issue 137.
        return f"{folder}{slash}**/?*"
    if name == "*":
        # It shortens `**/*` to "any path": cpburnz/python-pathspec pull request 133.
        return f"{folder}{slash}?*"
    return repaired


def _translate(path: str) -> str | None:
    """pathspec's expression for an entry, which ends with a slash: `^a[^/]*/` for `a*`.

    None if nothing can match. Raises ValueError if the path is not a pattern.
    """
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


def _translate_as_git_reads(path: str, *, any_case: bool) -> str | None:
    """The expression of a person's pattern, in linear time. None if git would match nothing."""
    translated = _translate(path)
    if translated is None:
        return None
    expression = _bind_to_first_places(translated)
    if not _is_read_as_git_does(expression, any_case=any_case):
        return None
    return expression


def _without_slash(found: re.Match[str]) -> str:
    """A set that matches no slash, as in git: `[^a]` → `(?!/)[^a]`, `[*-?]` → `(?!/)[*-?]`.

    No issue of pathspec is known.
    """
    text = found[0]
    if text == _NO_SLASH:
        return text
    is_negated = found["negation"] is not None
    has_slash = any(first < "/" < last for first, last in _RANGE.findall(text[1:-1]))
    if is_negated or has_slash:
        return f"(?!/){text}"
    return text


def _translate_built_in(path: str) -> str:
    """The expression that pathspec has for a path of `_BUILT_IN_SYNTAX` (see tests)."""
    start = _ANY_FOLDER if path.startswith("**/") else "^"
    segments = path.removeprefix("**/").split("/")
    return start + "/".join(map(_translate_built_in_segment, segments)) + _END


def _translate_built_in_segment(segment: str) -> str:
    """The expression for a name: `50*.[a-z]` → `50[^/]*\\.[a-z]`."""
    if segment == "*":
        return "[^/]+"
    expression = ""
    for part in re.split(r"(\[[\w-]+\])", segment):
        if part.startswith("["):
            expression += part
        else:
            expression += re.escape(part).replace(r"\*", _STAR)
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
    """The expression with each text between two `*` or `**` bound to the first place where it fits.

    The result matches the same paths: the second star takes what a later place would leave. Without
    this, `re` tries all combinations of places, in exponential time (cpburnz/python-pathspec issue
    131). `(?>…)` is an atomic group, for which only the first place is tried. `fnmatch.translate`
    does the same.

    `a/**/b/**/c`: `^a(?:/.+)?/b(?:/.+)?/c` → `^a(?>(?:/.+?)??/b(?=/))(?:/.+)?/c`.
    """
    first, *later = (_bind_texts(part) for part in expression.split(_LEVELS))
    if not later:
        return first
    *between, last = later
    if first.startswith(_ANY_FOLDER):
        first = f"^(?>(?:.+?/)??{first.removeprefix(_ANY_FOLDER)}(?=/))"
    bound = "".join(f"(?>(?:/.+?)??{part}(?=/))" for part in between)
    return f"{first}{bound}{_LEVELS}{last}"


def _bind_texts(expression: str) -> str:
    """The part of an expression between two `**`, with the texts between its stars bound.

    `*a*b*`: `[^/]*a[^/]*b[^/]*` → `(?>[^/]*?a)(?>[^/]*?b)[^/]*`.
    """
    first, *later = expression.split(_STAR)
    if not later:
        return first
    *between, last = later
    bound = "".join(f"(?>[^/]*?{part})" for part in between if part)
    return f"{first}{bound}{_STAR}{last}"


class Level(NamedTuple):
    """A folder, with what each set of patterns, given by its number, says about it.

    `above` has the pattern of a set that matches the folder or one above it, which decides for
    everything inside. `patterns` may match an entry; the last one of a set comes first.
    """

    above: dict[int, Pattern]
    directory: str
    patterns: list[tuple[int, Pattern]]

    def decide(self, name: str, *, is_dir: bool) -> dict[int, Pattern]:
        """The last pattern of each set that matches the entry, by the number of the set."""
        entry = f"{_raw(name)}/"
        slashed_entry = f"/{entry}"
        path = self.directory + entry
        decided: dict[int, Pattern] = {}
        # This runs for each entry of a site: the text in the name rules out most patterns.
        for number, pattern in self.patterns:
            if pattern.in_name not in slashed_entry or number in decided:
                continue
            if pattern.dirs_only and not is_dir:
                continue
            if pattern.regex.fullmatch(entry if pattern.name_only else path):
                decided[number] = pattern
        return decided

    def accepts(self, name: str) -> bool:
        """Whether the last pattern of the first set that matches a file is not a negation.

        False if none matches.
        """
        decisive = self.decide(name, is_dir=False).get(0)
        return decisive is not None and not decisive.negated


_NO_PATTERNS = Level({}, "", [])  # in most directories, no pattern may match an entry

# A pattern with the number of its set, and the texts that folder and name of each match contain.
_Placed = tuple[tuple[int, Pattern], str, str]


class _AtDepth(NamedTuple):
    """The patterns that may match below a number of folders. Where none of the `texts` is in the
    folder or in the names, none of them matches.
    """

    placed: list[_Placed]
    texts: tuple[str, ...]


class PatternSets(Generic[Value]):
    """Values, such as rules, each with the lines that say for which paths it is.

    With `("news", ["blog/**", "!blog/old.html"])` and `("all", ["*.html"])`, `matching` gives
    `["news", "all"]` for `blog/a.html`, and only `["all"]` for `blog/old.html`. Raises ValueError
    for a line that is not a pattern.

    The sets are matched together. Pages come folder by folder, so the state of a folder is kept for
    the next pages.
    """

    def __init__(
        self, sets: Iterable[tuple[Value, Iterable[Line]]], *, any_case: bool = False
    ) -> None:
        """Compiles the lines of each set. `sets` are values, each with the lines that give it."""
        values: list[Value] = []
        # Each pattern with the number of its set: the place of its value. The last pattern of a
        # set comes first, because it decides.
        self._numbered_patterns: list[tuple[int, Pattern]] = []
        for number, (value, lines) in enumerate(sets):
            values.append(value)
            patterns = [compile_line(line, any_case=any_case) for line in lines]
            for pattern in reversed(patterns):
                if pattern is not None:
                    self._numbered_patterns.append((number, pattern))
        self.values = tuple(values)
        self._by_depth: dict[int, _AtDepth] = {}
        self._folders = {"": self.level("")}  # what is known of folders, the site's root first

    def __getstate__(self) -> dict[str, object]:
        # A worker gets other folders.
        return {**self.__dict__, "_folders": {"": self._folders[""]}, "_by_depth": {}}

    def matching(self, path: str) -> list[Value]:
        """The values whose lines match the file or a folder above it, in the order of the sets."""
        if not self.values:
            return []
        decided = self.decided(path)
        return [self.values[number] for number in sorted(decided) if not decided[number].negated]

    def texts(self, number: int) -> list[str]:
        """The lines of a set, given by its number, in order. Comments are none of them."""
        patterns = [pattern for of_set, pattern in self._numbered_patterns if of_set == number]
        return [pattern.origin.text for pattern in reversed(patterns)]

    def decided(self, path: str) -> dict[int, Pattern]:
        """The pattern of each set that decides a file's path, or prunes a folder above it.

        By the number of the set. A negation decides too: then the set does not match.
        """
        name_start = path.rfind("/") + 1
        folder = self._folder(path[:name_start])
        return folder.above | folder.decide(path[name_start:], is_dir=False)

    def _folder(self, directory: str) -> Level:
        """The level of a directory ("" or with a final slash).

        It is made from those of the directories above it, beginning with the deepest that is kept.
        """
        missing: list[str] = []  # the deepest first
        kept = directory
        while kept not in self._folders:  # the root, "", is always there
            missing.append(kept)
            parent_end = kept.rfind("/", 0, -1) + 1
            kept = kept[:parent_end]
        level = self._folders[kept]
        if len(self._folders) > _KEPT:
            self._folders = {"": self._folders[""]}
        for folder in reversed(missing):
            name = folder[:-1].rpartition("/")[2]
            decided = level.decide(name, is_dir=True)
            matching = {n: pattern for n, pattern in decided.items() if not pattern.negated}
            level = self.level(folder, above=level.above | matching)
            self._folders[folder] = level
        return level

    def level(
        self,
        directory: str,
        names: Iterable[str] | None = None,
        above: dict[int, Pattern] | None = None,
    ) -> Level:
        """The patterns that may match an entry of `directory` ("" or with a final slash).

        With `names`, only patterns that may match one of these names; in most directories, there
        are none. `above` are the patterns that already match the folder, by the number of the set.
        """
        raw_directory = _raw(directory)
        decided = above or {}
        # This runs for each folder of a site: the texts of a pattern rule out most of them.
        slashed_folder = f"//{raw_directory}/"
        placed, texts = self._patterns_at(raw_directory.count("/"))
        if names is None:
            possible = [
                numbered for numbered, in_folder, _ in placed if in_folder in slashed_folder
            ]
        else:
            listing = f"/{_raw('/'.join(names))}/"
            folder_and_names = slashed_folder + listing
            if not (decided or [text for text in texts if text in folder_and_names]):
                return _NO_PATTERNS
            possible = [
                numbered
                for numbered, in_folder, in_name in placed
                if in_name in listing and in_folder in slashed_folder
            ]
        if decided:
            possible = [numbered for numbered in possible if numbered[0] not in decided]
        return Level(decided, raw_directory, possible)

    def _patterns_at(self, depth: int) -> _AtDepth:
        """The patterns that may match below a number of folders, with their literal texts."""
        if depth not in self._by_depth:
            placed = [
                ((number, pattern), pattern.in_folder, pattern.in_name)
                for number, pattern in self._numbered_patterns
                if pattern.depth in (None, depth)
            ]
            # The longer text of a pattern is in fewer places. Many patterns share it.
            texts = {max(in_folder, in_name, key=len) for _, in_folder, in_name in placed}
            self._by_depth[depth] = _AtDepth(placed, tuple(texts))
        return self._by_depth[depth]


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
