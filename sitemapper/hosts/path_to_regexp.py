"""Sources of path-to-regexp 6.1, in which Vercel and Firebase match paths.

Matching is strict and in exact letter case, as @vercel/routing-utils asks for.
"""

import re
from functools import partial

from ..syntax.linear import linear_matcher
from ..syntax.urls import encode_path
from .matchers import PathPattern

# A character that means itself, or one behind a backslash.
LETTER = r"(?:[^:(){}*+?\\]|\\.)"
# A regular expression in parentheses, with at most one level of groups in it, which do not capture.
_GROUP = r"\((?!\?)(?P<{name}>(?:[^()\\]|\\.|\(\?(?:[^()\\]|\\.)*\))+)\)"
_PART = re.compile(
    rf"""
    # {{before :name(regex) after}} and how often it may come
    \{{
        (?P<before>{LETTER}*+)
        (?: : (?P<name_in_braces>\w++) )?
        (?: {_GROUP.format(name="group_in_braces")} )?
        (?P<after>{LETTER}*+)
    \}}
    (?P<often_in_braces>[*+?]?)

    # /:name(regex) or /(regex), and how often it may come with its slash or dot
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


def read_source(source: str) -> PathPattern:
    """The pattern of a source. Raises ValueError for one that path-to-regexp rejects.

    `/blog/:slug` → paths that begin with `/blog` and match `^/blog(?:/(?:[^/]+))$`. The
    matcher cannot be compiled if a regular expression in the source has look-arounds.
    """
    start = ""  # the letters before the first name or group
    regex = ""
    is_plain = True
    position = 0
    while position < len(source):
        part = _PART.match(source, position)
        if part is None:
            raise ValueError(f"{source!r}: cannot be read from character {position + 1}")
        position = part.end()
        if part["letter"]:
            letter = decoded(part["letter"])
            if is_plain:
                start += letter
            regex += re.escape(letter)
        else:
            is_plain = False
            regex += _expression(part)
    if is_plain:
        return PathPattern(start)
    return PathPattern(start, partial(linear_matcher, f"^{regex}$"))


def _expression(part: re.Match[str]) -> str:
    """The regular expression for a match of `_PART` with a name or a group.

    `/:slug` → `(?:/(?:[^/]+))`, and `/:slug*`, for no, one or more segments, →
    `(?:/(?:[^/]+)(?:/(?:[^/]+))*)?`.
    """
    texts = part.groupdict("")
    # A part is in braces or not. The texts of the other form are empty.
    before = re.escape(decoded(texts["before"] + texts["prefix"]))
    after = re.escape(decoded(texts["after"]))
    name = texts["name_in_braces"] + texts["name"]
    group = texts["group_in_braces"] + texts["group"] + texts["unnamed"]
    repetition = texts["often_in_braces"] + texts["often"]
    if name and not group:
        group = "[^/]+"
    text = f"(?:{group})"
    more_texts = ""
    if repetition in ("*", "+"):
        more_texts = f"(?:{after}{before}{text})*"
    optional = ""
    if repetition in ("*", "?"):
        optional = "?"
    return f"(?:{before}{text}{more_texts}{after}){optional}"


def decoded(text: str) -> str:
    """The text without backslashes before its characters, encoded as in URLs."""
    plain = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    return re.sub(r"[^!-~]+", lambda run: encode_path(run[0]), plain)
