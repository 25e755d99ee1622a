"""Reads the title and other metadata from the text of a source file. Pure; nothing is rendered."""

import re
from html import unescape
from typing import NamedTuple
from unicodedata import normalize

SOURCE_LIMIT = 1 << 15  # bytes of a source that are read

# Metadata between marks, or else in the lines before the first blank line (Hexo, Lektor, Pelican).
_FRONT = re.compile(
    r"\s*+(?:(---|\+\+\+)[^\n]*\n(.*?)\n(?:\1|\.\.\.)[^\n]*(?:\n|\Z)|((?:[^\n]+\n)+))", re.S
)
_KEYS = "title|slug|id|permalink|url|save_as|date|draft|published|status"
_PLAIN = re.compile(rf"""(?mi)^["']?({_KEYS})["']?[ \t]*[:=][ \t]*(\S.*)$""")
# Fields of reStructuredText, comments of Nikola, keywords of Org, attributes of AsciiDoc.
_MARKED = re.compile(rf"(?mi)^(?:\.\. |:|#\+)(?:page-)?({_KEYS}):[ \t]*(\S.*)$")
_HEADING = re.compile(
    r"""(?mx) ^\#[ \t]+(\S.*)$ | ^=[ \t]+(\S.*)$ | ^(?![-=\#*~ \t])(\S.*)\n([-=\#*~])\4{2,}[ \t]*$
    | <h1[^<>]*>([^<{]{1,300})</h1> | <title>([^<{]{1,300})</title> | "\#[ ]([^"\\]+)
    | ^\\title\{([^}]{1,300})\} | \btitle\s?=\s?["']([^"'{]+)["']"""
)
_MARKUP = re.compile(r"\]\([^)]{0,999}\)|\{[#:.][^{}]*\}|<[^<>]+>|:[\w:.+-]{1,99}:(?=`)")
# Code blocks, and the targets of links.
_CODE = re.compile(
    r"(?ms)^[ \t]*(```|~~~).*?^[ "
    r"\t]*\1|`[^`\n]+`|\]\([^()\s]*\)|\{%-?\s?raw\b.*?(?:\{%-?\s?endraw\b|\Z)"
)
# Signs of a template that lists other pages.
_LISTS = re.compile(
    r"\{%-?\s?(?:for|tablerow)\s|\{\{-?\s?range\s|\{\{[#~ "
    r"]{1,2}each\s|\{#each\s|<%[^%>]*\b(?:for|each|map)\b"
    r"|\b(?:getCollection|Astro\.glob|import\.meta\.glob|createContentLoader)\b|(?<![#$])\{\s?[\w.]+\.map\(|\.map\([^<>]{0,200}=>[\s(]*<"
    r"|<[^<>]+\sv-for="
    r"|^\.\. post-list::|^(?:listing|pagination|paginate):",
    re.M | re.I,
)
_LIST_SIGNS = (
    "{%", "{{", "{#each", "<%", "getCollection", ".glob", "createContentLoader", ".map(", "v-for=",
    ".. post-list::", "listing:", "pagination:", "paginate:",
)  # fmt: skip
_LITERAL = re.compile(r"[^:{}<>%$*\[\]]*[/.][^:{}<>%$*\[\]]*")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_DRAFT = {("draft", "true"), ("published", "false"), ("status", "draft")}
_WORD = re.compile(r"[^\W_]+")


class SourceFacts(NamedTuple):
    """The facts in a source about its page.

    `title` is in words. With `is_named`, it comes from the metadata. `permalink` is a path without
    placeholders. `names` may replace the file's name in a path. `day` contains the parts of the
    date.
    """

    title: str = ""
    is_named: bool = False
    permalink: str = ""
    names: tuple[str, ...] = ()
    day: tuple[str, ...] = ()


def words(text: str) -> str:
    """A text as lower-case words without punctuation and accents, so that similar titles are equal."""
    return " ".join(_WORD.findall((text if text.isascii() else normalize("NFKD", text)).lower()))


def read_source(data: bytes) -> SourceFacts | None:
    """The facts in the beginning of a file. None if it makes no page, or lists other pages."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff").replace("\r", "")
    front = _FRONT.match(text)
    block = (front[2] or front[3] or "") if front else ""
    found = reversed(
        [*_MARKED.findall(text), *_PLAIN.findall(block)]
    )  # the first value of a key counts
    fields = {key.lower(): value.strip(" \t\"',") for key, value in found}
    # The signs are searched first, because most sources have none, and the expressions take far
    # longer.
    is_list = any(sign in text for sign in _LIST_SIGNS) and _LISTS.search(_CODE.sub("", text))
    if is_list or b"\0" in data or not _DRAFT.isdisjoint(fields.items()):
        return None
    named = fields.get("title", "")
    heading = None if named else _HEADING.search(text, front.end() if front and front[1] else 0)
    shown = (
        next(filter(None, (heading[n] for n in (1, 2, 3, 5, 6, 7, 8, 9))), "") if heading else ""
    )
    permalinks = (fields.get(key, "") for key in ("permalink", "url", "save_as"))
    day = _DAY.search(fields.get("date", ""))
    return SourceFacts(
        words(_MARKUP.sub("", unescape(named or shown))),
        bool(named),
        next(filter(_LITERAL.fullmatch, permalinks), ""),
        tuple(filter(None, (fields.get("slug"), fields.get("id")))),
        day.groups() if day else (),
    )
