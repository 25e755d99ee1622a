"""Sources of rules, such as `/blog/*`: the URL paths that a rule is for."""

import re
from typing import Literal, NamedTuple

from ..syntax.urls import encode_path

# exact: `_redirects` on Cloudflare. loose: the same where letter case and a final slash do not
# count, as on Netlify. vercel: what people write of path-to-regexp.
Syntax = Literal["exact", "loose", "vercel"]

_NAME = r":[A-Za-z_]\w*+"
_WILDCARDS: dict[Syntax, re.Pattern[str]] = {
    "exact": re.compile(rf"(\*|{_NAME})", re.ASCII),
    "loose": re.compile(rf"(/?\*|{_NAME})", re.ASCII),
    "vercel": re.compile(rf"(/{_NAME}\*|(?:{_NAME})?\(\.\*\)|{_NAME}(?![*+?(]))", re.ASCII),
}


class Source(NamedTuple):
    """The URL paths that begin with `start`, and go on as `rest` says."""

    start: str  # in lower case if `is_loose`
    rest: re.Pattern[str]
    is_loose: bool

    def match(self, url_path: str) -> re.Match[str] | None:
        """Compares a URL path. The groups of the match are what the wildcards stand for."""
        start = url_path[: len(self.start)]
        if self.is_loose:
            start = start.lower()
        if start != self.start:
            return None
        return self.rest.fullmatch(url_path, len(start))

    @property
    def is_of_all_paths(self) -> bool:
        """Whether this is a catch-all, such as `/*`."""
        return bool(self.match("/no-such-page") and self.match("/no/such/page"))


def read_source(text: str, syntax: Syntax) -> Source | None:
    """Reads the source of a rule; None if it is not understood.

    At most one of its wildcards stands for any text, and each is in a segment of its own, so that
    no path takes long. In the syntax of Vercel, `:x`, `/:x*`, `(.*)` and `:x(.*)` are understood.
    """
    if syntax == "vercel" and re.search(r"[(){}*+?\\]", _WILDCARDS[syntax].sub("", text)):
        return None
    is_loose = syntax == "loose"
    path = encode_path(text)
    if is_loose:
        path = path.removesuffix("/")
    start, *parts = _WILDCARDS[syntax].split(path)
    wildcards = parts[::2]
    texts = parts[1::2]
    if sum("*" in wildcard for wildcard in wildcards) > 1:
        return None
    for between, wildcard in zip(texts, wildcards[1:], strict=False):
        if "/" not in between + wildcard:
            return None

    rest = ""
    for wildcard, after in zip(wildcards, texts, strict=True):
        rest += _regex_of(wildcard, is_loose=is_loose) + re.escape(after)
    if is_loose:
        start = start.lower()
        rest = f"(?i:{rest})/?"
    try:
        return Source(start, re.compile(rest), is_loose)
    except re.error:  # a name twice
        return None


def _regex_of(wildcard: str, *, is_loose: bool) -> str:
    if wildcard == "(.*)":
        return wildcard
    if wildcard == "/*" and is_loose:  # `/a/*` is for `/a`, too
        return "(?:/(?P<splat>.*))?"
    if wildcard.endswith("*") and wildcard.startswith("/"):
        return f"(?:/(?P<{wildcard[2:-1]}>[^/]+(?:/[^/]+)*))?"
    if wildcard == "*":
        return "(?P<splat>.*)"
    name = wildcard[1:].removesuffix("(.*)")
    text = ".*" if wildcard.endswith("(.*)") else "[^/]+"
    return f"(?P<{name}>{text})"
