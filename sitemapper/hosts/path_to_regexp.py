"""Sources of path-to-regexp 6.1, in which Vercel and Firebase match paths.

Matching is strict and in exact letter case, as @vercel/routing-utils asks for.
"""

import re

from ..syntax.urls import encode_path
from .rule import Pattern, checked

# A character that means itself, or one after a backslash.
LETTER = r"(?:[^:(){}*+?\\]|\\.)"
# A regular expression in parentheses, with at most one level of groups in it, which do not capture.
_GROUP = r"\((?!\?)(?P<{name}>(?:[^()\\]|\\.|\(\?(?:[^()\\]|\\.)*\))+)\)"
_PART = re.compile(
    rf"""
    # {{before :name(regex) after}} and how often it may come, such as {{-:name.html}}?
    \{{
        (?P<before>{LETTER}*+)
        (?: : (?P<name_in_braces>\w++) )?
        (?: {_GROUP.format(name="group_in_braces")} )?
        (?P<after>{LETTER}*+)
    \}}
    (?P<often_in_braces>[*+?]?)

    # /:name(regex) or /(regex), and how often it may come with the slash or dot before it
    | (?P<prefix>[/.]?)
      (?:
          : (?P<name>\w+) (?: {_GROUP.format(name="group")} )?
        | {_GROUP.format(name="unnamed")}
      )
      (?P<often>[*+?]?)

    # any other character
    | (?P<letter>{LETTER})
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)

# Plain text (`/docs/`), perhaps a name (`:path`), and the parenthesis before a look-ahead.
_BEFORE_LOOK_AHEAD = re.compile(rf"(?P<plain>{LETTER}*)(?::\w+)?\(")


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
    `/docs/api/`. The look-ahead becomes an expression of its own, which must not match, because
    `LinearRegex` does not support `(?!…)`.

    Raises ValueError for a look-ahead that is not at the beginning of the first group.
    """
    beginning, _, after_opening = source.partition("(?!")
    parts = _BEFORE_LOOK_AHEAD.fullmatch(beginning)  # `plain` is `/docs/`, then comes `:path(`
    forbidden = re.match(r"(?P<text>[^()]*)\)", after_opening)  # `text` is `api/`
    if parts is None or forbidden is None:
        raise ValueError(f"{source!r}: a look-around in another place cannot be read")
    # 1. The pattern without the look-ahead: `/docs/:path(.*)`. Its `start` is only `/docs`, because
    # the next slash belongs to the part `/:path(.*)`.
    rest = after_opening[forbidden.end() :]  # `.*)`
    pattern = _translate(beginning + rest)
    # 2. The exception, which is matched after the start: `^/(?:api/)`. It begins with the plain
    # text that is not in the start, here the slash.
    text_after_start = re.escape(_text_in_urls(parts["plain"]).removeprefix(pattern.start))
    return pattern._replace(excepted=checked(f"^{text_after_start}(?:{forbidden['text']})"))


def _translate(source: str) -> Pattern:
    """Translates a source without look-around to a pattern, part by part.

    `/a/:id.html` → paths that begin with `/a`, and `^(?:/(?P<id>[^/]+))\\.html$` for the rest. A
    source without a name or group, such as `/a`, has no expression.
    """
    start = ""  # the text before the first name or group
    regex = ""  # for that name or group and all that follows; "" until then
    position = 0
    while position < len(source):
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        if part["letter"]:  # one character of plain text
            letter = _text_in_urls(part["letter"])
            if regex:
                regex += re.escape(letter)
            else:
                start += letter
        else:
            regex += _regex_of_name_or_group(part)
    return Pattern(start, checked(f"^{regex}$") if regex else None)


def _regex_of_name_or_group(part: re.Match[str]) -> str:
    r"""Translates a part of a rule's source to a regular expression: a name, a group or braces.

    | part            | regular expression                  | matches                          |
    |-----------------|-------------------------------------|----------------------------------|
    | `/:slug`        | `(?:/(?P<slug>[^/]+))`              | one segment                      |
    | `/:slug?`       | `(?:/(?P<slug>[^/]+))?`             | no segment or one                |
    | `/:slug*`       | `(?:/(?P<slug>[^/]+(?:/[^/]+)*))?`  | any number of segments           |
    | `/:id(\d+)`     | `(?:/(?P<id>\d+))`                  | what the group matches           |
    | `/(\d+)`        | `(?:/(\d+))`                        | the same, for `$1` in the target |
    | `{-:id.html}`   | `(?:\-(?P<id>[^/]+)\.html)`         | a name between two texts         |
    | `{/a}?`         | `(?:/a)?`                           | the text `/a`, or nothing        |

    A name has only letters, digits and underscores, so in `{-:id.html}`, it is `id`. `part` is a
    match of `_PART`, which has some groups twice: for a part in braces, and for one without.
    """
    # By the names of the groups. For `/:slug*`: prefix `/`, name `slug`, often `*`, all others "".
    texts = part.groupdict("")
    # A part is either in braces or not, so at most one text of each `or` is not empty.
    before = re.escape(_text_in_urls(texts["before"] or texts["prefix"]))
    after = re.escape(_text_in_urls(texts["after"]))
    name = texts["name_in_braces"] or texts["name"]
    regex = texts["group_in_braces"] or texts["group"] or texts["unnamed"]
    often = texts["often_in_braces"] or texts["often"]
    has_group = regex != ""
    if name and not has_group:
        regex = "[^/]+"  # a name alone stands for one segment
    if often in ("*", "+"):
        # The texts around a name also stand between its repetitions. For `/:slug*`, that is the
        # slash, as in `/a/b/c`: `[^/]+(?:/[^/]+)*`. For `{-:id.}*`, both `.` and `-`: `-a.-b.`.
        once = f"(?:{regex})" if "|" in regex else regex  # `en|de` is repeated as a whole
        regex = f"{once}(?:{after}{before}{once})*"
    if name:
        regex = f"(?P<{name}>{regex})"
    elif has_group:
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
