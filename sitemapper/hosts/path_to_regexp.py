"""Sources of path-to-regexp 6.1, in which Vercel and Firebase match paths.

Matching is strict and in exact letter case, as @vercel/routing-utils asks for.
"""

import re

from ..syntax.urls import encode_path
from .rule import Pattern, checked

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
    # 1. The pattern without the look-ahead, that of `/docs/:path(.*)`. It is for paths that begin
    # with `/docs`: a slash before a name belongs to the name.
    without_look_ahead = before + after[forbidden.end() :]
    pattern = _translate(without_look_ahead)
    # 2. The exception, `^/(?:api/)`, for what follows `/docs` in a path. It begins with the end of
    # the plain text, here the slash.
    end_of_plain_text = _text_in_urls(plain_text["text"]).removeprefix(pattern.start)
    excepted = f"^{re.escape(end_of_plain_text)}(?:{forbidden['text']})"
    return pattern._replace(excepted=checked(excepted))


def _translate(source: str) -> Pattern:
    """Translates a source without look-around to a pattern.

    A pattern has the text with which paths begin, and an expression for the rest of a path. For
    `/a/:id.html`, these are `/a` and `^(?:/(?P<id>[^/]+))\\.html$`. A source such as `/a`, without
    a name or group, has no expression.
    """
    start = ""  # the text before the first name or group
    regex = ""  # for that name or group and all that follows; "" until then
    position = 0
    while position < len(source):
        # A name, a group or braces, such as `/:id`, or one character of plain text.
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        if not part["letter"]:
            content = part["in_braces"] or part["alone"] or ""
            regex += _regex_of_part(content, often=part["often"])
            continue
        letter = _text_in_urls(part["letter"])
        if regex:
            regex += re.escape(letter)
        else:
            start += letter
    return Pattern(start, checked(f"^{regex}$") if regex else None)


def _regex_of_part(content: str, often: str) -> str:
    r"""Translates a name or a group, with the text around it, to a regular expression.

    | part            | content      | often | regular expression                  |
    |-----------------|--------------|-------|-------------------------------------|
    | `/:slug`        | `/:slug`     |       | `(?:/(?P<slug>[^/]+))`              |
    | `/:slug?`       | `/:slug`     | `?`   | `(?:/(?P<slug>[^/]+))?`             |
    | `/:slug*`       | `/:slug`     | `*`   | `(?:/(?P<slug>[^/]+(?:/[^/]+)*))?`  |
    | `/:id(\d+)`     | `/:id(\d+)`  |       | `(?:/(?P<id>\d+))`                  |
    | `/(\d+)`        | `/(\d+)`     |       | `(?:/(\d+))`                        |
    | `{-:id.html}`   | `-:id.html`  |       | `(?:\-(?P<id>[^/]+)\.html)`         |
    | `{/a}?`         | `/a`         | `?`   | `(?:/a)?`                           |

    `often` says how often the content may come: `?` at most once, `*` any number of times, `+` at
    least once.
    """
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
