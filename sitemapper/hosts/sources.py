"""Sources of rules, such as `/blog/*`: the URL paths that a rule is for."""

import re
from typing import Literal, NamedTuple

from ..syntax.urls import encode_path

# exact: `_redirects` on Cloudflare. loose: the same where letter case and a final slash do not
# count, as on Netlify. vercel: what people write of path-to-regexp.
Syntax = Literal["exact", "loose", "vercel"]

_NAME = r":[A-Za-z_]\w*+"
_WILDCARDS: dict[Syntax, str] = {
    "exact": rf"(\*|{_NAME})",
    "loose": rf"(/?\*|{_NAME})",
    "vercel": rf"(/{_NAME}\*|(?:{_NAME})?\(\.\*\)|{_NAME}(?![*+?(]))",
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
    no path takes long. In the syntax of Vercel, `:x`, `/:x*`, `(.*)` and `:x(.*)` are understood,
    and all else stands for itself, so that it matches no page.
    """
    is_loose = syntax == "loose"
    path = encode_path(text)
    if is_loose:
        path = path.removesuffix("/")
    start, *parts = re.split(_WILDCARDS[syntax], path)
    wildcards = parts[::2]
    texts = parts[1::2]
    if sum("*" in wildcard for wildcard in wildcards) > 1:
        return None
    for between, wildcard in zip(texts, wildcards[1:], strict=False):
        if "/" not in between + wildcard:
            return None

    rest = ""
    for wildcard, after in zip(wildcards, texts, strict=True):
        rest += _regex_of(wildcard) + re.escape(after)
    if is_loose:
        start = start.lower()
        rest = f"(?i:{rest})/?"
    try:
        return Source(start, re.compile(rest), is_loose)
    except re.error:  # a name twice
        return None


def _regex_of(wildcard: str) -> str:
    """The group for a wildcard, with the name by which targets refer to it: `splat` for `*`."""
    if wildcard == "(.*)":
        return wildcard
    written_name = re.search(r"\w+", wildcard)
    name = written_name[0] if written_name else "splat"
    if wildcard.startswith("/"):  # `/a/*` is for `/a`, too, and so is `/a/:x*` on Vercel
        text = "[^/]+(?:/[^/]+)*" if written_name else ".*"
        return f"(?:/(?P<{name}>{text}))?"
    text = ".*" if "*" in wildcard else "[^/]+"
    return f"(?P<{name}>{text})"
