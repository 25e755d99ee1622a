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

# Plain text and perhaps a name, before the group of a look-ahead: `/docs/:path(`.
_BEFORE_LOOK_AHEAD = re.compile(rf"(?P<plain>{LETTER}*)(?::\w+)?\(")


def read_source(source: str) -> Pattern:
    """Translates a source to a pattern. Raises ValueError for one that cannot be read.

    `/blog/:slug` → paths that begin with `/blog`, and `^(?:/(?P<slug>[^/]+))$` for the rest.
    """
    if "(?!" in source:
        return _translate_with_look_ahead(source)
    return _translate(source)


def _translate_with_look_ahead(source: str) -> Pattern:
    """Translates a source with a negative look-ahead, `(?!…)`, to a pattern with an exception.

    `/docs/:path((?!api/).*)` → the pattern of `/docs/:path(.*)`, except for paths that begin with
    `/docs/api/`. The engine for expressions has no look-ahead, so this is how it is read.

    Raises ValueError for a look-ahead that is not at the beginning of the first group.
    """
    before_look_ahead, _, after_opening = source.partition("(?!")
    before = _BEFORE_LOOK_AHEAD.fullmatch(before_look_ahead)  # `/docs/:path(`
    forbidden = re.match(r"(?P<text>[^()]*)\)", after_opening)  # `api/)`
    if before is None or forbidden is None:
        raise ValueError(f"{source!r}: a look-around in another place cannot be read")
    pattern = _translate(before_look_ahead + after_opening[forbidden.end() :])
    # An exception is compared with the path after the start of the pattern. The start is `/docs`,
    # so what it is compared with begins with the slash that follows: `^/(?:api/)`.
    between = re.escape(decoded(before["plain"]).removeprefix(pattern.start))
    return pattern._replace(excepted=checked(f"^{between}(?:{forbidden['text']})"))


def _translate(source: str) -> Pattern:
    """Translates a source without look-around to a pattern, part by part.

    `/a/:id.html` → paths that begin with `/a`, and `^(?:/(?P<id>[^/]+))\\.html$` for the rest. A
    source without a name or group, such as `/a`, has no expression.
    """
    start = ""  # the text before the first name or group
    regex = ""  # for all that follows
    is_plain = True  # until the first name or group
    position = 0
    while position < len(source):
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        if part["letter"]:  # one character of plain text
            letter = decoded(part["letter"])
            if is_plain:
                start += letter
            else:
                regex += re.escape(letter)
        else:
            is_plain = False
            regex += _regex_of_name_or_group(part)
    return Pattern(start, None if is_plain else checked(f"^{regex}$"))


def _regex_of_name_or_group(part: re.Match[str]) -> str:
    r"""Translates a part of a source with a name, a group or braces, a match of `_PART`.

    | part            | regular expression                  |                             |
    |-----------------|-------------------------------------|-----------------------------|
    | `/:slug`        | `(?:/(?P<slug>[^/]+))`              | one segment                 |
    | `/:slug?`       | `(?:/(?P<slug>[^/]+))?`             | no segment or one           |
    | `/:slug*`       | `(?:/(?P<slug>[^/]+(?:/[^/]+)*))?`  | any number of segments      |
    | `/:id(\d+)`     | `(?:/(?P<id>\d+))`                  | what the group matches      |
    | `/(\d+)`        | `(?:/(\d+))`                        | a target has it as `$1`     |
    | `{-:id.html}`   | `(?:\-(?P<id>[^/]+)\.html)`         | with text before and after  |
    | `{/a}?`         | `(?:/a)?`                           | only text                   |
    """
    texts = part.groupdict("")  # for `/:slug*`: the prefix `/`, the name `slug`, and often `*`
    # A part is either in braces or not, so of the texts in each line, only one is not empty.
    before = re.escape(decoded(texts["before"] or texts["prefix"]))
    after = re.escape(decoded(texts["after"]))
    name = texts["name_in_braces"] or texts["name"]
    regex = texts["group_in_braces"] or texts["group"] or texts["unnamed"]
    often = texts["often_in_braces"] or texts["often"]
    has_group = regex != ""
    if name and not has_group:
        regex = "[^/]+"  # a name alone stands for one segment
    if often in ("*", "+"):
        # The texts around it also come between the repetitions: `[^/]+(?:/[^/]+)*` for `a/b/c`. An
        # expression with alternatives, such as `en|de`, is repeated as a whole.
        once = f"(?:{regex})" if "|" in regex else regex
        regex = f"{once}(?:{after}{before}{once})*"
    if name:
        regex = f"(?P<{name}>{regex})"
    elif has_group:
        regex = f"({regex})"
    optional = "?" if often in ("*", "?") else ""
    return f"(?:{before}{regex}{after}){optional}"


def decoded(text: str) -> str:
    """Writes a text of a source as it is in URLs: `a\\:b` → `a:b`, `a b` → `a%20b`.

    A backslash makes the next character a plain one, and is removed.
    """
    plain = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    return re.sub(r"[^!-~]+", lambda run: encode_path(run[0]), plain)
