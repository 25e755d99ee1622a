"""Patterns in gitignore syntax. pathspec translates each line, and this module matches like git.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched with one entry at a time,
never with a folder above it. The tests compare the results with `git check-ignore`.

The expression of a pattern is searched in a text of entries, which are files or folders:

    \\0blog/./a.html\\0               one file
    \\0blog/./x/\\0blog/./y/\\0        two folders at once

A NUL stands between entries, because no name contains one. A dot stands before the name of each
entry, and before the name in each pattern: `blog/./*.html`. A line without a slash, such as
`*.tmp`, stands for `**/./*.tmp`. So it matches a name, and nothing above it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
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
_MAX_LENGTH_OF_GROUP = 4_000
_ONLY_SET = 0  # the number of the set of `Patterns`, which has no other
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_FOLDER_END = "(?P<ps_d>/)"  # what pathspec writes for the slash of a folder
# A class of characters, such as `[^a]`, or an escaped character, which may be a bracket: `\[`.
_CLASS = re.compile(r"\\. | (?P<start> \[\^? ) (?P<members> \]?[^\]]* ) \]", re.DOTALL | re.VERBOSE)
# The syntax of built-in patterns, and what pathspec writes for it (see tests).
_BUILT_IN_SYNTAX = re.compile(r"(?:[\w ~+./-]|\*(?!\*)|\[[\w-]+\])+", re.ASCII)
_EXPRESSION_BY_CHARACTER = str.maketrans({"*": "[^/]*", ".": r"\.", "+": r"\+"})


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


@lru_cache(1 << 8)  # a plugin in a server such as `mkdocs serve` builds the site many times
def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    """Translates a line to a pattern with a regular expression, which is searched in paths.

        # a note    → None: it matches nothing, like a blank line or a class such as `[b-a]`
        !blog/      → a pattern that is negated, and only for folders
        *.html      → the expression `(?s)\\x00(?:(?:.+/)?\\./[^/]*\\.html/?)\\x00`

    Paths are written in another way to be searched: `blog/a.html` is `\\0blog/./a.html\\0`. A NUL
    marks both ends, a dot is before the name (`_with_dot`), and each byte is one character.

    With `any_case`, upper and lower case are the same. Raises ValueError, with a message for the
    user, if the line is not a pattern.
    """
    text = _without_final_spaces(_one_character_per_byte(line.text))
    if "\0" in text:  # NUL marks where a path begins and ends, so it cannot be in one
        raise ValueError("a pattern must not contain a NUL character")
    body = text.removeprefix("!")
    if text.startswith("#") or not body.strip("/"):
        return None
    is_built_in = line.origin.source.startswith(BUILT_IN)
    # A run excludes its own output by a built-in pattern. Such a path may be long.
    if len(line.text) > LIMIT and not is_built_in:
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
    """Puts a dot before the name in the path of a pattern: `/a/b*` → `a/./b*`.

        a/**     → a/**/./*    all below `a`, but not `a` itself
        b*       → **/./b*     a name without a folder: in any folder
        /a/b*    → a/./b*

    The dot works around a bug of pathspec, which shortens `**/*` to an expression for any path
    (cpburnz/python-pathspec pull request 133). The entries that are compared have the dot, too:
    `a/./b.html`.
    """
    folder, slash, name = path.rpartition("/")
    if name == "**":
        # For pathspec, `a/**` matches `a` itself, too: cpburnz/python-pathspec issue 137.
        return f"{folder}{slash}**/./*".removeprefix("/")
    if not slash:
        return f"**/./{name}"
    return f"{folder}/./{name}".removeprefix("/")


def _translate_built_in(path: str) -> str:
    """Translates the path of a built-in pattern to the regular expression that `_translate` makes.

    Built-in patterns are so simple (`_BUILT_IN_SYNTAX`) that pathspec is not needed, whose import
    costs 4 % of a short run. As in all patterns, a dot is put before the name (`_with_dot`):

        path    with the dot    expression
        a*      **/./a*         (?:.+/)?\\./a[^/]*
        /b.c    ./b.c           \\./b\\.c
    """
    pattern = _with_dot(path)
    any_folder = ""
    if pattern.startswith("**/"):  # the name may be in any folder, or in none
        any_folder = "(?:.+/)?"
        pattern = pattern.removeprefix("**/")
    # `*` becomes `[^/]*`, and `.` becomes `\.`. Letters stay.
    return any_folder + pattern.translate(_EXPRESSION_BY_CHARACTER)


def _translate(path: str) -> str | None:
    """Translates the path of a pattern to a regular expression: `a*` → `(?:.+/)?\\./a[^/]*`.

    pathspec does this, but it reads some patterns otherwise than git. So the path is rewritten
    before, and the expression after. With `[^a]`, for example, pathspec also matches a slash, and
    git does not:

        [^a]                     the path, as a user wrote it
        /**/./[^a]/              the path for pathspec, with a dot before the name (`_with_dot`)
        (?:.+/)?\\./[^a]         the expression of pathspec, without what it puts around it
        (?:.+/)?\\./[[^a]--/]    the result, in which the class has no slash

    None if nothing can match, as for the range `[b-a]`. Raises ValueError if the path is not a
    pattern.
    """
    # Imported here: the import costs as much as 80 patterns, and most runs have only built-in ones.
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    # 1. Rewrite the path. To git, `a/***/b` is `a/**/b` (no issue of pathspec is known).
    pattern = _with_dot(_THREE_STARS.sub("**", path))
    # 2. Translate it, with a slash at each end. With the first, `!a/b` is no negation, and `#a/b`
    # is no comment. With the last, pathspec does not remove a tab or a no-break space at the end of
    # the path, which git keeps (no issue of pathspec is known).
    try:
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{pattern}/")
    except GitIgnorePatternError:
        raise ValueError("a backslash must precede the character that it escapes") from None
    if expression is None:
        return None
    without_ends: str = expression.removeprefix("^").removesuffix(_FOLDER_END)
    # 3. Rewrite the classes of characters in the expression.
    if "[" not in path:
        return without_ends
    without_slashes = _CLASS.sub(_class_without_slash, without_ends)
    try:
        linear_matcher(without_slashes)  # only to see whether the expression is valid
    except ValueError:  # a range such as `[b-a]`, in which nothing is
        return None
    return without_slashes


def _class_without_slash(found: re.Match[str]) -> str:
    """Rewrites a class of characters for Rust's `regex`, so that it does not match the slash.

        [^a]    → [[^a]--/]         to Rust, `[x--/]` is the class x without the slash
        [[&]    → [[\\[\\&]--/]     to Rust, `[`, `]`, `&` and `~` are operators, unless escaped
        \\[      → \\[               an escaped character begins no class

    To git, `[^a]` matches no slash. `found` is a match of `_CLASS` in an expression of pathspec.
    """
    if found["start"] is None:
        return found[0]
    members = re.sub(r"[][&~]", r"\\\g<0>", found["members"])  # a backslash before each operator
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
    """Some 100 patterns, and one expression that matches whatever one of them matches.

    The expression is searched first, because most entries match no pattern at all. Each pattern
    comes with the number of its set: `(0, pattern)` for a line of the first set.
    """

    patterns: Sequence[tuple[int, Pattern]]
    expression: str


def _divide_into_groups(patterns: Iterable[tuple[int, Pattern]]) -> Iterator[_Group]:
    """Divides patterns into groups, in order, each with one expression that is searched first.

    A group ends when its expressions have more than 4,000 characters together. A longer expression
    would be slow, or be refused (`_MAX_LENGTH_OF_GROUP`).
    """
    group: list[tuple[int, Pattern]] = []
    expressions = ""  # those of the group, with a `|` before each; the first `|` is cut off
    for number, pattern in patterns:
        group.append((number, pattern))
        expressions += f"|{pattern.expression}"
        if len(expressions) > _MAX_LENGTH_OF_GROUP:
            yield _Group(group, expressions[1:])
            group = []
            expressions = ""
    if group:
        yield _Group(group, expressions[1:])


class PatternSets(Generic[Value]):
    """Sets of patterns. Each has a value, such as a rule, and the lines that say where it holds.

    With the sets `("news", ["blog/**", "!blog/old.html"])` and `("all", ["*.html"])`, `matching`
    gives `["news", "all"]` for `blog/a.html`, and only `["all"]` for `blog/old.html`. Raises
    ValueError for a line that is not a pattern.

    All sets are matched together, so a set has a number, from 0: `{1: pattern}` says that `pattern`
    of the second set matches. In each set, the last line that matches decides. Pages come folder by
    folder, so what matches a folder is kept for the next pages.
    """

    def __init__(
        self, sets: Iterable[tuple[Value, Iterable[Line]]], *, any_case: bool = False
    ) -> None:
        """Translates the lines of each set to patterns. A set is like `("news", ["blog/**"])`."""
        values: list[Value] = []
        patterns: list[tuple[int, Pattern]] = []  # of all sets, each with the number of its set
        for number, (value, lines) in enumerate(sets):
            values.append(value)
            # The last line that matches decides, so the last line comes first. A comment is None.
            of_set = [compile_line(line, any_case=any_case) for line in lines]
            patterns += [(number, pattern) for pattern in reversed(of_set) if pattern]
        self.values = tuple(values)
        # Each group of patterns has one expression, which is searched before them. Most paths do
        # not match it, and need no search of each pattern.
        self._groups = tuple(_divide_into_groups(patterns))
        # The results of `_ignored_above` for the latest folders.
        self._ignoring_by_folder: dict[str, dict[int, Pattern]] = {}

    def __getstate__(self) -> dict[str, object]:
        # A worker gets the pages of other folders, so it starts without these.
        return {**self.__dict__, "_ignoring_by_folder": {}}

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
        texts = [
            pattern.origin.text
            for group in self._groups
            for set_number, pattern in group.patterns
            if set_number == number
        ]
        return texts[::-1]  # the patterns of a set are kept in reverse order

    def _deciding_patterns(self, path: str) -> dict[int, Pattern]:
        """Finds the pattern of each set that decides about a file, by the number of the set.

        With one set of `blog/` and `!old.html`, for `blog/old.html`: `{0: pattern of blog/}`. git
        does not enter the ignored folder `blog/`, so `!old.html` has no effect there.

        If no folder above the file is ignored, the last pattern that matches the file decides. It
        may be a negation: then the set does not match the file.
        """
        directory = path[: path.rfind("/") + 1]
        of_file = self.last_matches(path)
        of_folders = self._ignored_above(directory)
        return {**of_file, **of_folders}  # in a set that has both, that of the folder counts

    def _ignored_above(self, directory: str) -> dict[int, Pattern]:
        """Finds the pattern in each set that ignores a folder or one above it, by the set's number.

        With `a/` and `b/` in set 0, for the folder `a/b/` → `{0: the pattern a/}`. The pattern of
        the uppermost ignored folder counts, because git does not enter that folder. A negation,
        such as `!a/`, ignores nothing.
        """
        if directory in self._ignoring_by_folder:  # true for all files of a folder but the first
            return self._ignoring_by_folder[directory]
        if len(self._ignoring_by_folder) > _MAX_KEPT_FOLDERS:  # it must not grow with the site
            self._ignoring_by_folder.clear()
        # Level by level: for `a/b/`, first `a/` and then `a/b/`.
        ignoring: dict[int, Pattern] = {}
        for slash in re.finditer("/", directory):
            folder = directory[: slash.end()]
            if folder not in self._ignoring_by_folder:
                matches = self.last_matches(folder)
                of_folder = {
                    number: match for number, match in matches.items() if not match.negated
                }
                # A pattern that ignores a folder above replaces that of this folder in its set.
                self._ignoring_by_folder[folder] = {**of_folder, **ignoring}
            ignoring = self._ignoring_by_folder[folder]
        return ignoring

    def last_matches(self, path: str) -> dict[int, Pattern]:
        """Finds in each set the last pattern that matches a file or folder: {number of set: it}.

        If the first set has `*.html` and `!b.*`, `a/b.html` → `{0: pattern of !b.*}`. The path of a
        folder ends with a slash: `a/b/`.

        The patterns are searched in the path as `compile_line` describes: `\\0a/./b.html\\0`. So a
        pattern that matches the folder `a/` does not match this file.
        """
        name_start = path.rfind("/", 0, -1) + 1
        entry = _one_character_per_byte(f"\0{path[:name_start]}./{path[name_start:]}\0")
        last: dict[int, Pattern] = {}
        for group in self._groups:
            if not linear_matcher(group.expression)(entry):
                continue  # no pattern of the group matches
            # The lines of a set are in reverse order here, so the first match is of the last line.
            for number, pattern in group.patterns:
                if number not in last and linear_matcher(pattern.expression)(entry):
                    last[number] = pattern
        return last

    def may_match(self, directory: str, names: Iterable[str], ending: str) -> bool:
        """Whether a pattern may match one of several entries in a directory, by a single search.

        If not, as for most directories, the caller need not ask for each entry. The folders `x` and
        `y` in `a/` are searched as one text, `\\0a/./x/\\0a/./y/\\0`, in which a NUL stands before
        and after each entry. Patterns have the dot before the name, too. A `**` in a pattern may
        match across two entries, so true is not certain.

        `directory` is "" or has a final slash. `ending` is "/" for folders, else "".
        """
        before_name = f"\0{directory}./"
        after_name = f"{ending}\0{directory}./"
        entries = before_name + after_name.join(names) + f"{ending}\0"
        text = _one_character_per_byte(entries)  # as the patterns are
        for group in self._groups:  # mostly one, for which `any` would take longer
            if linear_matcher(group.expression)(text):
                return True
        return False


class Patterns(PatternSets[None]):
    """The lines of one list of patterns, such as `ignore`, translated and matched as git does.

    Raises ValueError for a line that is not a pattern.
    """

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        super().__init__([(None, lines)], any_case=any_case)

    def last_match(self, path: str) -> Pattern | None:
        """The last pattern that matches one entry. The path of a folder ends with a slash."""
        return self.last_matches(path).get(_ONLY_SET)

    def deciding_pattern(self, path: str) -> Pattern | None:
        """The pattern that decides whether a file is ignored; None if no pattern matches.

        With `blog/` and `!old.html`, `blog/old.html` → `blog/`, because git does not enter an
        ignored folder. Without such a folder, the last pattern that matches the file decides, and
        may be a negation: `old.html` → `!old.html`.
        """
        return self._deciding_patterns(path).get(_ONLY_SET)

    def matches(self, path: str) -> bool:
        """Whether a pattern matches the file or a folder above it."""
        return bool(self.matching(path))
