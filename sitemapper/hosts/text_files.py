"""The files `_redirects` and `_headers`: what Cloudflare and Netlify have in common."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from ..model import Origin
from ..syntax.settings_files import lines_of
from .headers import Header

REDIRECTS, HEADERS = "_redirects", "_headers"
# `! Name` removes a header. Another line is a name without spaces, a colon and a value.
_HEADER = re.compile(r"! (?P<removed>[^:]*)|(?P<name>[^ :]+) *:\s*(?P<value>.+)")


class RedirectLine(NamedTuple):
    """The words of a line of `_redirects`: a path, a target, perhaps a status and conditions."""

    words: Sequence[str]
    origin: Origin


class HeaderBlock(NamedTuple):
    """A block of `_headers`: a line with a pattern, such as `/blog/*`, and the headers below it."""

    pattern: str
    headers: list[Header]


def redirect_lines(text: str) -> Iterator[RedirectLine]:
    """Splits the lines of `_redirects` into words: `/a /b # moved` → `/a`, `/b`.

    Lines with fewer than two words, such as comments, are left out.
    """
    for number, row in enumerate(lines_of(text), 1):
        words = list(takewhile(lambda word: not word.startswith("#"), row.split()))
        if len(words) > 1:
            yield RedirectLine(words, Origin(REDIRECTS, number, " ".join(words)))


def header_blocks(text: str, begins: str) -> list[HeaderBlock]:
    """Reads the blocks of `_headers`: a line with a pattern, and the headers below it.

        /blog/*                    a pattern: the expression `begins` matches its beginning
          X-Robots-Tag: noindex    sets a header
          ! Link                   removes a header, so its value is None

    Any other line is skipped, and so is a header above the first pattern. The indentation does not
    matter to Cloudflare and Netlify (parseHeaders.ts of workers-sdk; line_parser.js of
    @netlify/headers-parser).
    """
    blocks: list[HeaderBlock] = []
    for number, row in enumerate(lines_of(text), 1):
        line = row.strip()
        if line.startswith("#"):
            continue
        if re.match(begins, line):
            blocks.append(HeaderBlock(line, []))
            continue
        header = _HEADER.fullmatch(line)
        if header and blocks:
            name = (header["removed"] or header["name"]).strip().lower()
            origin = Origin(HEADERS, number, line)
            blocks[-1].headers.append(Header(name, header["value"], origin))
    return blocks
