r"""Patterns in gitignore syntax. pathspec translates each line, and this module matches like git.

git decides level by level: each folder above a path, then the path itself. The last line that
matches decides, and git enters no ignored folder. The walk does the same, and calls `match` for
each level. The tests compare with `git check-ignore`.

An expression is searched in a text with a NUL before and after each path. No name contains a NUL,
so an expression matches whole paths only, and several paths can be searched at once:
`\0blog/\0blog/a.html\0`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ..model import Line

MAX_LENGTH = 1_000  # characters of a pattern
# Patterns that are joined into one expression. Rust's `regex` refuses very long ones.
_GROUP = 50
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")  # of a template
_THREE_STARS = re.compile(r"(?<![^/])\*{3,}(?![^/])")
_FOLDER_END = "(?P<ps_d>/)"  # what pathspec writes for the slash of a folder
_OTHER_CHARACTERS = re.compile(r"\[\^(\]?)")  # the beginning of `[^a]`


def check(text: str) -> str:
    """Returns the text if it is a pattern in gitignore syntax.

    Raises ValueError, with a sentence for the user, if not.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{text[:20]!r}… is longer than {MAX_LENGTH:,} characters")
    _translate(text, any_case=False)
    return text


class Patterns:
    """Lines in gitignore syntax, to be matched with paths; those of folders end with a slash.

    Raises ValueError for a line that is no pattern. With `any_case`, `*.html` matches `A.HTML`.
    """

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        """Translates the lines to regular expressions, each alone, and joined for a quick look."""
        self._patterns: list[tuple[Line, str]] = []  # the last line first, because it decides
        for line in reversed(list(lines)):
            expression = _translate(line.text, any_case=any_case)
            if expression is not None:
                self._patterns.append((line, expression))
        expressions = [expression for _, expression in self._patterns]
        starts = range(0, len(expressions), _GROUP)
        self._joined = ["|".join(expressions[start : start + _GROUP]) for start in starts]

    def match(self, path: str) -> Line | None:
        """Returns the line that ignores a path: the last one that matches the path itself.

        None if that line begins with `!`, or if no line matches. Folders above are not looked at.
        """
        return self._last_match(f"\0{path}\0")

    def covers(self, path: str) -> bool:
        """Whether the lines select a path, alone or with a folder in which it is.

        The line `blog/` selects `blog/a.html`. Of all lines that match the path or one of these
        folders, the last one decides, and it selects nothing if it begins with `!`: after a second
        line `!blog/old/`, `blog/old/b.html` is not selected.
        """
        # The folders from the top, then the path itself: `\0blog/\0blog/old/\0blog/old/b.html\0`.
        # A NUL fences each one, so that an expression matches a whole one.
        folders_and_path = "\0"
        for slash in re.finditer("/", path):
            folder = path[: slash.end()]
            folders_and_path += f"{folder}\0"
        folders_and_path += f"{path}\0"
        return self._last_match(folders_and_path) is not None

    def _last_match(self, text: str) -> Line | None:
        """Returns the last line that matches one of the paths in a text such as `\\0a/\\0a/b\\0`.

        None if that line begins with `!`, or if no line matches.
        """
        encoded = _one_character_per_byte(text)
        # Most paths match nothing, which a few joined expressions show at once.
        if not any(_matcher(expression)(encoded) for expression in self._joined):
            return None
        for line, expression in self._patterns:
            if _matcher(expression)(encoded):
                return None if line.text.startswith("!") else line
        return None


@lru_cache(1 << 13)  # more than the patterns that people write
def _matcher(expression: str) -> Callable[[str], bool]:
    """Compiles a regular expression to a function that says whether a text has a match.

    Rust's library `regex` takes linear time, whatever a user writes, where Python's `re` may take
    hours. pydantic contains that library, to check texts by a pattern; so the function is a
    validator of pydantic. Raises ValueError for an expression that is not valid.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=expression)).isinstance_python
    except SchemaError as error:
        raise ValueError(str(error)) from None


def _one_character_per_byte(text: str) -> str:
    """Makes a character of each byte of a text in UTF-8: `é` → `Ã©`.

    git compares bytes: `?` in a pattern matches one byte, which is half of an `é`.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


@lru_cache(1 << 10)  # a plugin in a server such as `mkdocs serve` builds the site many times
def _translate(text: str, *, any_case: bool) -> str | None:
    r"""Translates a line of a gitignore file to a regular expression that matches the same paths.

    `*.html` → `(?s)\x00(?:(?:.+/)?[^/]*\.html/?)\x00`. None for a line that matches nothing: a
    comment, a blank line and an empty class (`[b-a]`). Raises ValueError for a backslash at the
    end.
    """
    line = _one_character_per_byte(text)
    pattern = line.rstrip(" ")
    # git keeps a space at the end that is escaped, as in `a\ `. Two backslashes are a backslash,
    # so only an odd one escapes the space.
    backslashes = len(pattern) - len(pattern.rstrip("\\"))
    if backslashes % 2 == 1:
        pattern = line[: len(pattern) + 1]
    path = pattern.removeprefix("!").removesuffix("/")
    if pattern.startswith("#") or not path.strip("/"):
        return None
    expression = _translate_path(path)
    if expression is None:
        return None

    final_slash = "/" if pattern.endswith("/") else "/?"  # the path of a folder ends with a slash
    flags = "is" if any_case else "s"
    # A NUL stands before and after each path that is searched, so whole paths match and no parts.
    whole = rf"(?{flags})\x00(?:{expression}{final_slash})\x00"
    try:
        _matcher(whole)
    except ValueError:  # a range from a later to an earlier character, such as `[b-a]`
        return None
    return whole


def _translate_path(path: str) -> str | None:
    """Translates a pattern without `!` and final slash to a regular expression, by pathspec.

    None for an unclosed class such as `[a`. Three differences between pathspec and git are mended:

    - `a/***/b` is `a/**/b` in git.
    - `a/*`, `a/**`: a name is at least one character (cpburnz/python-pathspec issue 137, pull 133).
    - `[!a]` matches no slash in git.
    """
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    folder, slash, name = _THREE_STARS.sub("**", path).rpartition("/")
    if not slash:
        folder = "**"
    elif name == "**":
        folder += "/**"
    if name in ("*", "**"):
        name = "?*"
    # pathspec would read `!a/b` as a negation and `#a/b` as a comment, and drop a tab at the end.
    # It does none of this between two slashes.
    whole = f"{folder}/{name}".removeprefix("/")
    try:
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{whole}/")
    except GitIgnorePatternError:
        raise ValueError(f"{path!r} ends with a backslash, which escapes nothing") from None
    if expression is None:  # a class of characters without its end, such as `[a`
        return None
    expression = expression.removeprefix("^").removesuffix(_FOLDER_END)
    return _OTHER_CHARACTERS.sub(r"[^\1/", expression)


def map_sources(page: str, sources: Sequence[str], paths: Iterable[str]) -> dict[str, list[str]]:
    """Finds the paths of sources for the paths of pages, by an entry of `[[git.map]]`.

    With the page `{folder}/{name}.html` and the source `src/{name}.md`, `a/b/c.html` has the source
    `src/c.md`. A name that stands twice in `page` must stand for the same text. A placeholder that
    `page` lacks stays as it is. Paths that `page` does not match are left out.
    """
    # A regular expression with a named group for each placeholder. The parts of the split are texts
    # and names in turn.
    expression = ""
    seen: set[str] = set()
    for index, part in enumerate(_PLACEHOLDER.split(page)):
        if index % 2 == 0:
            expression += re.escape(part)
        else:
            expression += f"(?P={part})" if part in seen else f"(?P<{part}>.+)"
            seen.add(part)

    found: dict[str, list[str]] = {}
    for path in paths:
        match = re.fullmatch(expression, path, re.DOTALL)
        if match is None:
            continue
        found[path] = list(sources)
        for name, text in match.groupdict().items():
            found[path] = [source.replace(f"{{{name}}}", text) for source in found[path]]
    return found
