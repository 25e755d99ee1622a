r"""Patterns in gitignore syntax. pathspec translates each line, and this module matches like git.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. So a pattern is matched with one path at a time,
never with a folder above it. The tests compare the results with `git check-ignore`.

The expression of a pattern is searched in a text with a NUL before and after each path. No name
contains a NUL, so the expression matches whole paths only:

    \0blog/a.html\0          one file
    \0blog/x/\0blog/y/\0     two folders at once, each with its final slash
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..model import Origin
from .linear import linear_matcher

BUILT_IN = "built-in default"
LIMIT = 1_000  # characters of a pattern
_MAX_KEPT_FOLDERS = 64  # whose matches are kept for the next pages
# Characters of the expressions that are joined into one: some 100 patterns, so that the built-in
# ones are a single group. One for 5,000 patterns takes 4 ms an entry, and the engine refuses 40,000
# characters of `?`.
_MAX_LENGTH_OF_GROUP = 4_000
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_FOLDER_END = "(?P<ps_d>/)"  # what pathspec writes for the slash of a folder
# A class of characters, such as `[^a]`, or an escaped character, which may be a bracket: `\[`.
_CLASS = re.compile(r"\\. | (?P<start> \[\^? ) (?P<members> \]?[^\]]* ) \]", re.DOTALL | re.VERBOSE)
# The syntax of built-in patterns, and what pathspec writes for it (see tests).
_BUILT_IN_SYNTAX = re.compile(r"(?:[\w ~+./-]|\*(?!\*)|\[[\w-]+\])+", re.ASCII)
_EXPRESSION_BY_CHARACTER = str.maketrans({"*": "[^/]*", "?": "[^/]", ".": r"\.", "+": r"\+"})


class Line(NamedTuple):
    """A pattern as written, with its origin."""

    text: str
    origin: Origin


class Pattern(NamedTuple):
    r"""A translated line: `*.html` has `(?s)\x00(?:(?:.+/)?[^/]*\.html/?)\x00`.

    The expression matches one path between two NUL characters: `\0blog/a.html\0`. `negated` is
    true for a line with `!`.
    """

    origin: Origin
    negated: bool
    expression: str


@lru_cache(1 << 8)  # a plugin in a server such as `mkdocs serve` builds the site many times
def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    r"""Translates a line of gitignore syntax to a regular expression.

        *.html      → `(?s)\x00(?:(?:.+/)?[^/]*\.html/?)\x00`
        !blog/      → `(?s)\x00(?:(?:.+/)?blog/)\x00`, and `negated`
        # a note    → None: it matches nothing, like a blank line or a class such as `[b-a]`

    In the expressions, `\x00` is a NUL. Paths are searched with a NUL at each end, so an expression
    matches whole paths only: `\0blog/a.html\0`.

    With `any_case`, upper and lower case are the same. Raises ValueError, with a message for the
    user, if the line is not a pattern.
    """
    # git compares bytes, so the expression is of bytes, each written as one character.
    text = _without_final_spaces(_one_character_per_byte(line.text))
    if "\0" in text:
        raise ValueError("a pattern must not contain a NUL character")
    # `!blog/` is a negation, for folders only, of the path `blog`.
    is_negated = text.startswith("!")
    is_for_folders = text.endswith("/")
    path = text.removeprefix("!").removesuffix("/")
    is_comment = text.startswith("#")
    is_empty = not path.strip("/")
    if is_comment or is_empty:
        return None
    is_built_in = line.origin.source.startswith(BUILT_IN)
    # A run excludes its own output by a built-in pattern. Such a path may be long.
    if len(line.text) > LIMIT and not is_built_in:
        raise ValueError(f"a pattern must not be longer than {LIMIT:,} characters")
    # Built-in patterns are so simple that they do not need pathspec, whose import costs 4 % of a
    # short run.
    is_simple = is_built_in and _BUILT_IN_SYNTAX.fullmatch(path)
    translated = _translate_simple(path) if is_simple else _translate(path)
    if translated is None:
        return None
    final_slash = "/" if is_for_folders else "/?"  # the path of a folder ends with a slash
    flags = "is" if any_case else "s"
    expression = f"(?{flags})\\x00(?:{translated}{final_slash})\\x00"
    return Pattern(origin=line.origin, negated=is_negated, expression=expression)


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

    git compares bytes, so `?` matches half of an `é`. Patterns and paths are both turned so, and an
    expression then matches bytes.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _with_folder(path: str) -> str:
    """Writes a pattern as a path from the top of the site: `b*` → `**/b*`.

        b*      → **/b*      in any folder
        /b*     → b*         at the top only
        a/*     → a/?*       any name in `a`
        a/**    → a/**/?*    any name below `a`

    `?*` stands for a name, because pathspec has faults with `a/**` and `**/*`
    (cpburnz/python-pathspec issue 137 and pull request 133).
    """
    folder, slash, name = path.rpartition("/")
    if not slash:
        folder = "**"
    elif name == "**":
        folder += "/**"
    if name in ("*", "**"):
        name = "?*"
    return f"{folder}/{name}".removeprefix("/")


def _translate_simple(path: str) -> str:
    r"""Translates a pattern with no other wildcards than `*` and classes to a regular expression.

    a*        → (?:.+/)?a[^/]*    in any folder, or in none
    /b.c      → b\.c
    /[ab]c    → [ab]c
    """
    pattern = _with_folder(path)
    without_any_folder = pattern.removeprefix("**/")
    # `*` becomes `[^/]*`, and `.` becomes `\.`. Letters and classes stay.
    expression = without_any_folder.translate(_EXPRESSION_BY_CHARACTER)
    if without_any_folder == pattern:
        return expression
    return f"(?:.+/)?{expression}"


def _translate(path: str) -> str | None:
    r"""Translates a pattern without `!` and final slash to a regular expression, by pathspec.

        a*      → (?:.+/)?a[^/]*       in any folder, or in none
        [^a]    → (?:.+/)?[[^a]--/]    any character but `a` and the slash: `--/` removes the slash
        [b-a]   → None: nothing can match

    The expression is for Rust's `regex`. Raises ValueError if the path is not a pattern.
    """
    # git reads `a/***/b` as `a/**/b`. pathspec does not (no issue of it is known).
    without_three_stars = _THREE_STARS.sub("**", path)
    expression = _translate_by_pathspec(_with_folder(without_three_stars))
    if expression is None or "[" not in path:
        return expression
    # In git, no class of characters matches a slash. In an expression, `[^a]` does.
    without_slashes = _CLASS.sub(_class_without_slash, expression)
    try:
        linear_matcher(without_slashes)  # only to see whether the expression is valid
    except ValueError:  # a range such as `[b-a]`, in which nothing is
        return None
    return without_slashes


def _translate_by_pathspec(pattern: str) -> str | None:
    """Translates a pattern of a path to a regular expression: `**/a*` → `(?:.+/)?a[^/]*`.

    None for a class of characters without its end, such as `[a`: nothing can match. Raises
    ValueError for a backslash at the end.
    """
    # Imported here: the import costs as much as 80 patterns, and most runs have only built-in ones.
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    # pathspec would read `!a/b` as a negation and `#a/b` as a comment, and it would drop a tab or a
    # no-break space at the end, which git keeps. It does none of this between two slashes.
    try:
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{pattern}/")
    except GitIgnorePatternError:
        raise ValueError("a backslash must precede the character that it escapes") from None
    if expression is None:
        return None
    # Without what pathspec adds: `^`, and an expression for the last of the two slashes.
    expression_of_path: str = expression.removeprefix("^").removesuffix(_FOLDER_END)
    return expression_of_path


def _class_without_slash(found: re.Match[str]) -> str:
    r"""Takes the slash out of a class of characters in a regular expression.

        [^a]     → [[^a]--/]       `--/` means "without the slash" in Rust's `regex`
        [+-9]    → [[+-9]--/]      the slash is one of the characters from `+` to `9`
        [&[]     → [[\&\[]--/]     `[`, `]`, `&` and `~` have a meaning there unless escaped
        \[       → \[              an escaped character stays: it begins no class

    `found` is a match of `_CLASS`: a class, or an escaped character.
    """
    start = found["start"]  # `[` or `[^`
    if start is None:  # an escaped character
        return found[0]
    escaped_members = re.sub(r"([\[\]&~])", r"\\\1", found["members"])
    return f"[{start}{escaped_members}]--/]"


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

    The expression is searched first, because most paths match no pattern at all.
    """

    patterns: Sequence[Pattern]
    expression: str


def _divide_into_groups(patterns: Iterable[Pattern]) -> Iterator[_Group]:
    """Divides patterns into groups, in order, each with one expression that is searched first.

    A group ends when its expressions have more than 4,000 characters together. A longer expression
    would be slow, or be refused (`_MAX_LENGTH_OF_GROUP`).
    """
    group: list[Pattern] = []
    expressions = ""  # those of the group, with a `|` before each; the first `|` is cut off
    for pattern in patterns:
        group.append(pattern)
        expressions += f"|{pattern.expression}"
        if len(expressions) > _MAX_LENGTH_OF_GROUP:
            yield _Group(group, expressions[1:])
            group = []
            expressions = ""
    if group:
        yield _Group(group, expressions[1:])


class Patterns:
    """A list of lines in gitignore syntax, such as `ignore`, which are matched with paths.

    With `blog/` and `!old.html`:

        blog/a.html      ignored
        blog/old.html    ignored: `!old.html` has no effect, because git does not enter `blog/`
        old.html         not ignored: the last line that matches is a negation

    Raises ValueError for a line that is not a pattern.
    """

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        """Translates the lines, and divides them into groups that one search each may rule out.

        With `any_case`, upper and lower case are the same.
        """
        compiled = [compile_line(line, any_case=any_case) for line in lines]
        patterns = [pattern for pattern in compiled if pattern]  # without comments, which are None
        self.texts = [pattern.origin.text for pattern in patterns]  # as written
        # The last line that matches decides, so it is the first to be tried.
        self._groups_last_first = tuple(_divide_into_groups(reversed(patterns)))
        # The results of `_ignoring_pattern` for the last folders. Pages come folder by folder.
        self._ignoring_by_folder: dict[str, Pattern | None] = {}

    def __getstate__(self) -> dict[str, object]:
        # A worker gets the pages of other folders, so these results are of no use to it.
        return {**self.__dict__, "_ignoring_by_folder": {}}

    def matches(self, path: str) -> bool:
        """Whether the lines ignore a file, or a folder above it."""
        pattern = self.deciding_pattern(path)
        return pattern is not None and not pattern.negated

    def deciding_pattern(self, path: str) -> Pattern | None:
        """The pattern that decides whether a file is ignored; None if no pattern matches.

        It may be a negation. Then the file is not ignored.
        """
        directory = path[: path.rfind("/") + 1]
        return self._ignoring_pattern(directory) or self.last_match(path)

    def _ignoring_pattern(self, directory: str) -> Pattern | None:
        """The pattern that ignores a folder, or a folder above it; None if no pattern does.

        With the patterns `a/` and `b/`, the folder `a/b/` is ignored by `a/`: git does not enter
        `a/`, so no pattern is matched with the folders in it.
        """
        results = self._ignoring_by_folder
        if directory in results:  # true for all files of a folder but the first
            return results[directory]
        if len(results) > _MAX_KEPT_FOLDERS:  # it must not grow with the site
            results.clear()
        ignoring = None
        for slash in re.finditer("/", directory):
            folder = directory[: slash.end()]  # for `a/b/`: first `a/`, then `a/b/`
            if folder not in results:
                # What ignores the folder above decides. If nothing does, the last match decides.
                deciding = ignoring or self.last_match(folder)
                is_ignored = deciding is not None and not deciding.negated
                results[folder] = deciding if is_ignored else None
            ignoring = results[folder]
        return ignoring

    def last_match(self, path: str) -> Pattern | None:
        """The last pattern that matches a file or a folder itself, and not a folder above it.

        With `*.html` and `!b.*`, for `a/b.html` → `!b.*`. The path of a folder ends with a slash.
        None if no pattern matches.
        """
        text = _one_character_per_byte(f"\0{path}\0")  # expressions match from NUL to NUL
        for group in self._groups_last_first:
            # Most paths match no pattern of the group. One search for all its patterns shows this.
            if not linear_matcher(group.expression)(text):
                continue
            for pattern in group.patterns:  # the last one comes first
                if linear_matcher(pattern.expression)(text):
                    return pattern
        return None

    def may_match(self, directory: str, names: Iterable[str], ending: str) -> bool:
        r"""Whether a pattern may match one of the names in a directory, by a single search.

        False is certain, and saves the caller a search for each name. True is not: the `*` of a
        pattern may begin in one name and end in another.

        The folders `x` and `y` in `a/`, with the `ending` "/", are searched as one text:
        `\0a/x/\0a/y/\0`. For files, the `ending` is "". `directory` is "" or has a final slash.
        """
        between = f"{ending}\0{directory}"  # the end of one path, and the beginning of the next
        paths = f"\0{directory}{between.join(names)}{ending}\0"
        text = _one_character_per_byte(paths)  # as the patterns are
        for group in self._groups_last_first:  # `any` would take longer: mostly, there is one group
            if linear_matcher(group.expression)(text):
                return True
        return False
