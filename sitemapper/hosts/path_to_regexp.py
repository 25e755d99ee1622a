"""Sources of path-to-regexp 6.1, in which Vercel and Firebase match paths.

Matching is strict and in exact letter case, as @vercel/routing-utils asks for.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

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
# The beginning of a source whose first group begins with a look-ahead: `/docs/:path((?!api/)`.
_WITH_LOOK_AHEAD = re.compile(
    rf"(?P<text>{LETTER}*+)(?::\w++)?\((?P<look_ahead>\(\?!(?P<forbidden>[^()]*+)\))", re.DOTALL
)


def read_source(source: str) -> Pattern:
    """Translates the source of a rule, in the language of path-to-regexp, to a pattern.

    `/blog/:slug` → a pattern with the start `/blog`, and the expression `^(?:/(?P<slug>[^/]+))$`
    for the rest of the path. Raises ValueError for a source that cannot be read.
    """
    if "(?!" in source:  # a negative look-ahead, as in `/docs/:path((?!api/).*)`
        return _translate_with_look_ahead(source)
    return _translate(source)


def _translate_with_look_ahead(source: str) -> Pattern:
    """Translates a source that leaves paths out by a negative look-ahead, `(?!…)`.

    `/docs/:path((?!api/).*)` is for `/docs/a`, but not for `/docs/api/a`. `LinearRegex` supports no
    look-ahead, so the result is the pattern of `/docs/:path(.*)`, with an exception.

    Raises ValueError for a look-ahead that is not at the beginning of the first group.
    """
    found = _WITH_LOOK_AHEAD.match(source)
    if found is None:
        raise ValueError(f"{source!r}: a look-around in another place cannot be read")
    look_ahead = found["look_ahead"]  # `(?!api/)`
    pattern = _translate(source.replace(look_ahead, "", 1))  # of `/docs/:path(.*)`
    text_before = re.escape(_text_in_urls(found["text"]))  # `/docs/`
    forbidden = found["forbidden"]  # `api/`
    excepted = compile_regex(f"^{text_before}(?:{forbidden})")  # `^/docs/(?:api/)`
    return pattern._replace(excepted=excepted)


def _translate(source: str) -> Pattern:
    """Translates a source to a pattern of URL paths.

    A pattern has the text with which paths begin, and an expression for the rest of a path:

    | source         | beginning  | expression for the rest                  |
    |----------------|------------|------------------------------------------|
    | `/a`           | `/a`       | None: the path ends here                 |
    | `/a/:id.html`  | `/a`       | `^(?:/(?P<id>[^/]+))\\.html$`            |

    Raises ValueError for a source that cannot be read.
    """
    start = ""
    regex = ""
    for part in _split_source(source):
        if isinstance(part, _Wildcard):
            regex += _regex_of_wildcard(part)
        elif regex:  # text after a wildcard
            regex += re.escape(part)
        else:
            start += part
    return Pattern(start, compile_regex(f"^{regex}$") if regex else None)


class _Wildcard(NamedTuple):
    r"""A part of a source that may stand for several texts, such as `/:id` or `{-:id(\d+).html}?`.

    For the latter, `before` is `-`, `name` is `id`, `regex` is `\d+`, and `after` is `.html`, as
    these texts are in URLs. `often` is `?`: at most once. `*` is any number of times, `+` at least
    once, and "" exactly once.

    A name without an expression has the `regex` of one segment, `[^/]+`. In `(\d+)`, the name is
    "", and in `{.html}?`, both are "".
    """

    before: str
    name: str
    regex: str
    after: str
    often: str


def _split_source(source: str) -> Iterator[str | _Wildcard]:
    """Splits a source into single characters of plain text, as in URLs, and wildcards.

    `/a/:id?{.html}` → `/`, `a`, and the wildcards `/:id?` and `{.html}`. A slash or dot in front of
    a name belongs to the wildcard. Raises ValueError for a part that cannot be read.
    """
    position = 0
    while position < len(source):
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        if part["letter"]:
            yield _text_in_urls(part["letter"])
            continue
        content = _CONTENT.fullmatch(part["in_braces"] or part["alone"] or "")
        assert content is not None  # `_PART` takes no other content
        name = content["name"] or ""
        group = content["group"]
        regex = "[^/]+" if name else ""
        yield _Wildcard(
            before=_text_in_urls(content["before"]),
            name=name,
            regex=group[1:-1] if group else regex,  # without the parentheses
            after=_text_in_urls(content["after"]),
            often=part["often"],
        )


def _regex_of_wildcard(wildcard: _Wildcard) -> str:
    r"""Translates a wildcard of a source to a regular expression.

    | wildcard        | regular expression                  |
    |-----------------|-------------------------------------|
    | `/:slug`        | `(?:/(?P<slug>[^/]+))`              |
    | `/:slug?`       | `(?:/(?P<slug>[^/]+))?`             |
    | `/:slug*`       | `(?:/(?P<slug>[^/]+(?:/[^/]+)*))?`  |
    | `/:id(\d+)`     | `(?:/(?P<id>\d+))`                  |
    | `/(\d+)`        | `(?:/(\d+))`                        |
    | `{-:id.html}`   | `(?:\-(?P<id>[^/]+)\.html)`         |
    | `{/a}?`         | `(?:/a)?`                           |
    """
    before = re.escape(wildcard.before)
    after = re.escape(wildcard.after)
    regex = wildcard.regex
    if wildcard.often in ("*", "+"):
        # The texts around a name also stand between its repetitions. For `/:slug*`, that is the
        # slash, as in `/a/b/c`: `[^/]+(?:/[^/]+)*`. For `{-:id.}*`, it is `.-`, as in `-a.-b.`.
        once = f"(?:{regex})" if "|" in regex else regex  # `en|de` is repeated as a whole
        regex = f"{once}(?:{after}{before}{once})*"
    if wildcard.name:
        regex = f"(?P<{wildcard.name}>{regex})"
    elif wildcard.regex:
        regex = f"({regex})"
    optional = "?" if wildcard.often in ("*", "?") else ""
    return f"(?:{before}{regex}{after}){optional}"


def _text_in_urls(text: str) -> str:
    """Turns the plain text of a source into the text of URL paths.

    Backslashes are removed, because they only say that the next character is plain: `/a\\:b` →
    `/a:b`. Spaces and characters outside ASCII are percent-encoded: `/a b` → `/a%20b`.
    """
    without_backslashes = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    spaces_or_beyond_ascii = r"[^!-~]+"
    return re.sub(spaces_or_beyond_ascii, lambda run: encode_path(run[0]), without_backslashes)
