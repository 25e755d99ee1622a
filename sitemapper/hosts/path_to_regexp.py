"""Sources of path-to-regexp 6.1, in which Vercel and Firebase match paths.

Matching is strict and in exact letter case, as @vercel/routing-utils asks for.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from ..syntax.urls import encode_path
from .rule import Pattern, compile_regex

# A character that means itself, or one after a backslash.
LETTER = r"(?:[^:(){}*+?\\]|\\.)"
# A regular expression in parentheses, with at most one level of groups in it, which do not capture.
_GROUP = r"\((?!\?)(?:[^()\\]|\\.|\(\?(?:[^()\\]|\\.)*\))+\)"
# A part of a source: `{-:name(regex).html}`, `/:name(regex)`, `/(regex)`, or a character.
_PART = re.compile(
    rf"""
    (?:
        \{{ (?P<in_braces> {LETTER}*+ (?: :\w++ )? (?: {_GROUP} )? {LETTER}*+ ) \}}
      | (?P<alone> [/.]? (?: :\w+ (?: {_GROUP} )? | {_GROUP} ) )
    )
    (?P<often>[*+?]?)  # how often it may come
    | (?P<letter>{LETTER})
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
# What is in braces, or a name or group alone: `-:name(regex).html`, `/:name(regex)`.
_CONTENT = re.compile(
    rf"(?P<before>{LETTER}*+)(?::(?P<name>\w++))?(?P<group>{_GROUP})?(?P<after>{LETTER}*+)",
    re.ASCII | re.DOTALL,
)
# Plain text (`/docs/`), perhaps a name (`:path`), and the parenthesis before a look-ahead.
_PLAIN_TEXT_BEFORE_GROUP = re.compile(rf"(?P<text>{LETTER}*)(?::\w+)?\(")


def read_source(source: str) -> Pattern:
    """Translates the source of a rule, in the language of path-to-regexp, to a pattern.

    `/blog/:slug` → a pattern with the start `/blog`, and the expression `^(?:/(?P<slug>[^/]+))$`
    for the rest of the path. Raises ValueError for a source that cannot be read.
    """
    if "(?!" in source:  # a negative look-ahead, as in `/docs/:path((?!api/).*)`
        return _translate_with_look_ahead(source)
    return _translate(source)


def _translate_with_look_ahead(source: str) -> Pattern:
    """Translates a source with a negative look-ahead, `(?!…)`, to a pattern with an exception.

    `/docs/:path((?!api/).*)` → the pattern of `/docs/:path(.*)`, except for paths that begin with
    `/docs/api/`. `LinearRegex` does not support `(?!…)`, so the exception is an expression of its
    own. Raises ValueError for a look-ahead that is not at the beginning of the first group.
    """
    before, _, after = source.partition("(?!")  # `/docs/:path(` and `api/).*)`
    plain_text = _PLAIN_TEXT_BEFORE_GROUP.fullmatch(before)  # `/docs/`, then comes `:path(`
    forbidden = re.match(r"(?P<text>[^()]*)\)", after)  # `api/`
    if plain_text is None or forbidden is None:
        raise ValueError(f"{source!r}: a look-around in another place cannot be read")
    # 1. The pattern of `/docs/:path(.*)`. Its start is `/docs`, because a slash before a name
    # belongs to the name.
    without_look_ahead = before + after[forbidden.end() :]
    pattern = _translate(without_look_ahead)
    # 2. The exception is compared with what follows the start in a path: `^/(?:api/)`. So it begins
    # with the slash, the text between the start and the look-ahead.
    text_after_start = _text_in_urls(plain_text["text"]).removeprefix(pattern.start)
    excepted = f"^{re.escape(text_after_start)}(?:{forbidden['text']})"
    return pattern._replace(excepted=compile_regex(excepted))


def _translate(source: str) -> Pattern:
    """Translates a source to a pattern of URL paths. No group of the source has a look-ahead.

    A pattern has the text with which paths begin, and an expression for the rest of a path. For
    `/a/:id.html`, these are `/a` and `^(?:/(?P<id>[^/]+))\\.html$`. A source such as `/a`, without
    a name or group, has no expression.
    """
    parts = list(_split_source(source))  # single letters, and names or groups such as `/:id`
    letters = list(takewhile(lambda part: part["letter"], parts))
    start = _text_in_urls("".join(letter[0] for letter in letters))
    rest = parts[len(letters) :]  # from the first name or group on
    if not rest:
        return Pattern(start)
    regex = "".join(map(_regex_of_part, rest))
    return Pattern(start, compile_regex(f"^{regex}$"))


def _split_source(source: str) -> Iterator[re.Match[str]]:
    """Splits a source into its names, groups and braces, and single letters of plain text.

    `/a/:id?{.html}` → `/`, `a`, `/:id?` and `{.html}`, as matches of `_PART`. Raises ValueError for
    a part that cannot be read.
    """
    position = 0
    while position < len(source):
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        yield part


def _regex_of_part(part: re.Match[str]) -> str:
    r"""Translates a match of `_PART`, a part of a source, to a regular expression.

    | part            | regular expression                  |
    |-----------------|-------------------------------------|
    | `.`, a letter   | `\.`                                |
    | `/:slug`        | `(?:/(?P<slug>[^/]+))`              |
    | `/:slug?`       | `(?:/(?P<slug>[^/]+))?`             |
    | `/:slug*`       | `(?:/(?P<slug>[^/]+(?:/[^/]+)*))?`  |
    | `/:id(\d+)`     | `(?:/(?P<id>\d+))`                  |
    | `/(\d+)`        | `(?:/(\d+))`                        |
    | `{-:id.html}`   | `(?:\-(?P<id>[^/]+)\.html)`         |
    | `{/a}?`         | `(?:/a)?`                           |
    """
    letter = part["letter"]
    if letter:
        return re.escape(_text_in_urls(letter))
    content = part["in_braces"] or part["alone"] or ""  # `-:id.html` or `/:slug`
    often = part["often"]  # `?` at most once, `*` any number of times, `+` at least once
    parts = _CONTENT.fullmatch(content)
    assert parts is not None  # `_PART` takes no other content
    before = re.escape(_text_in_urls(parts["before"]))
    after = re.escape(_text_in_urls(parts["after"]))
    name = parts["name"]
    group = parts["group"]
    regex = ""
    if group:
        regex = group[1:-1]  # without the parentheses
    elif name:
        regex = "[^/]+"  # a name alone stands for one segment
    if often in ("*", "+"):
        # The texts around a name also stand between its repetitions. For `/:slug*`, that is the
        # slash, as in `/a/b/c`: `[^/]+(?:/[^/]+)*`. For `{-:id.}*`, it is `.-`, as in `-a.-b.`.
        once = f"(?:{regex})" if "|" in regex else regex  # `en|de` is repeated as a whole
        regex = f"{once}(?:{after}{before}{once})*"
    if name:
        regex = f"(?P<{name}>{regex})"
    elif group:
        regex = f"({regex})"
    optional = "?" if often in ("*", "?") else ""
    return f"(?:{before}{regex}{after}){optional}"


def _text_in_urls(text: str) -> str:
    """Turns the plain text of a source into the text of URL paths.

    Backslashes are removed, because they only say that the next character is plain: `/a\\:b` →
    `/a:b`. Spaces and characters outside ASCII are percent-encoded: `/a b` → `/a%20b`.
    """
    without_backslashes = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    spaces_or_beyond_ascii = r"[^!-~]+"
    return re.sub(spaces_or_beyond_ascii, lambda run: encode_path(run[0]), without_backslashes)
