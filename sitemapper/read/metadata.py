"""A page's own metadata: the signals in its head, its links, and its date.

What signals to look for is handed in. The date is front matter that the generator put into metas or
structured data.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Metadata
from ..syntax.dates import is_date
from ..syntax.html import Attributes, Tags, read_tags

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_REFRESH = r"""(?isx)
    \s*+ (\d*+) [\d.]*+              # seconds, whose fraction does not count
    (?: \s*+ [;,] | (?<=\s) | \s )   # what separates them from the URL
    \s*+ (?: url \s*+ = \s*+ )?+
    (.*)
"""
# A page that refreshes after so long shows something meanwhile, such as news, and loads it again. A
# redirect is faster.
_MIN_SECONDS_OF_RELOAD = 300
_METAS = ("last-modified", "dcterms.modified", "date")
# A page without any of these words contains no date, and need not be parsed.
_WORDS = rb"(?i)modified|[\"'=\s]date[\"'>\s]|&#"
_LINK_WORDS = (b"<base", b"hreflang")  # in the tags that every reading of a head looks at

# Gives the text of a signal in the tags of a head, None if they do not have it.
HeadReader = Callable[[Tags], str | None]


class HeadSignals(NamedTuple):
    """The signals to look for in heads.

    `readers` are functions of modules, by the names of their signals, so that workers get them by
    name. Each tag that one of them looks at contains one of the `words`, in lower case, in the name
    of an attribute, or in the value of `name`, `http-equiv` or `rel`: the quick reader skips other
    tags.
    """

    words: tuple[bytes, ...]
    readers: tuple[tuple[str, HeadReader], ...]

    @property
    def tag_words(self) -> tuple[bytes, ...]:
        """Lists the words of all tags that are needed: those of the signals, and those of links."""
        return (*_LINK_WORDS, *self.words)


def read_metadata(data: bytes, signals: HeadSignals) -> Metadata:
    """Reads the metadata of a page from its bytes. Never raises."""
    return interpret(read_tags(data, signals.tag_words), signals)


def interpret(tags: Tags, signals: HeadSignals) -> Metadata:
    """Makes the metadata of a page from its tags: signals, first base URL, language versions.

    `signals` says which signals to look for, such as `noindex`.
    """
    texts = {}
    for name, read in signals.readers:
        text = read(tags)
        if text:
            texts[name] = text
    urls = filter(None, map(href_of, tags.bases))
    first_base = next(urls, None)
    return Metadata(texts, first_base, _read_alternates(tags.links))


def refresh_target(data: bytes) -> str | None:
    """Reads the URL to which the meta refresh of a page redirects, as written, None without one.

    `data` are the bytes of the page. Never raises.
    """
    return read_refresh(read_tags(data, (b"refresh",)))


def read_refresh(tags: Tags) -> str | None:
    """Finds the URL to which the meta refresh of a page redirects. None if it does not redirect.

    `<meta http-equiv="refresh" content="0; url=/tea/">` → `/tea/`. A refresh in `<noscript>` counts
    only if the text of a script in the head contains the same URL.
    """
    target = _first_refresh(tags.head_metas)
    if target or not tags.noscript:
        return target
    # A refresh in `<noscript>` is only for browsers without scripts. If a script has the same URL,
    # it redirects the others. If not, the page may be an app that leads browsers without scripts to
    # a page on how to allow them.
    noscript_target = _first_refresh(tags.noscript)
    if noscript_target and noscript_target in tags.scripts:
        return noscript_target
    return None


def _first_refresh(metas: Iterable[Attributes]) -> str | None:
    """Finds the URL to which the first meta refresh that redirects leads, None without one.

    - `<meta http-equiv="refresh" content="0; url=/tea/">` → `/tea/`
    - `600; url=/news/` is no redirect: after five minutes or more, a page loads itself again
    - `30` is none either, because it has no URL
    """
    for meta in metas:
        kind = meta.get("http-equiv")
        if not kind or kind.strip().lower() != "refresh":
            continue
        match = re.fullmatch(_REFRESH, meta.get("content") or "")
        if match is None:
            continue
        # No digits, as in "; url=/tea/", are 0. Nine are enough, and `int` refuses thousands.
        seconds = int(match[1][:9] or 0)
        if seconds >= _MIN_SECONDS_OF_RELOAD:
            continue
        url = match[2].strip()
        quote = url[:1]
        if quote in ("'", '"'):
            url = url[1:].partition(quote)[0]  # what follows is ignored (HTML standard)
        url = url.strip()
        if url:
            return url
    return None


def _read_alternates(links: Iterable[Attributes]) -> tuple[tuple[str, str], ...]:
    """Reads the languages and URLs of a page's language versions from its `<link>` tags.

    `<link rel="alternate" hreflang="de" href="/de/">` → `("de", "/de/")`. A link with the type of a
    feed is left out, because feeds may have a language too. A link without a type counts.
    """
    alternates = []
    for link in links:
        language = (link.get("hreflang") or "").strip()
        if not language or "alternate" not in (link.get("rel") or "").lower().split():
            continue
        # A link without a type leads to a page. A `type` without a value is an error: no page.
        is_page = "html" in (link.get("type", "html") or "").lower()
        href = href_of(link)
        if is_page and href:
            # The language versions of a page have the same links, so memory has each string once.
            alternates.append((sys.intern(language), sys.intern(href)))
    return _interned(tuple(alternates)) if alternates else ()


@lru_cache(maxsize=8)
def _interned(alternates: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Returns one object for equal lists of language versions: the first of them that was given.

    `en/a.html` and `de/a.html` list the same versions. So memory has one list for both pages, like
    one string by `sys.intern`. `lru_cache` does this: for an equal argument, it returns the earlier
    result. The versions of a page are mostly read one after the other, so eight lists are enough.
    """
    return alternates


def href_of(link: Attributes) -> str:
    """Reads the URL of a link as written, "" if it has none."""
    return (link.get("href") or "").strip()


def mentions_date(data: bytes) -> bool:
    """Whether a page may contain a date. If not, it need not be parsed for one."""
    return re.search(_WORDS, data) is not None


def read_date(tree: LexborHTMLParser, all_metas: Iterable[Attributes]) -> str | None:
    """Reads the date of change that a page states, as written, None without one.

    It is the first valid date in this order:

    1. `<meta property="article:modified_time" content="2026-03-01">`
    2. `"dateModified": "2026-03-01"` in JSON-LD
    3. `<meta name="last-modified" content="2026-03-01">`, and others of `_METAS`
    4. `<time itemprop="dateModified" datetime="2026-03-01">`

    If no date is valid, the first one is returned, so that the caller can warn of it. `all_metas`
    are the `<meta>` tags of the page.
    """
    metas: dict[str, str] = {}  # the first of each name
    for attributes in all_metas:
        name = attributes.get("property") or attributes.get("name") or ""
        content = attributes.get("content") or ""
        metas.setdefault(name.strip().lower(), content.strip())
    # All dates, in the order above.
    scripts = tree.css('script[type="application/ld+json"]')
    dates = [metas.get("article:modified_time")]
    dates += _linked_data(script.text() for script in scripts)
    dates += [metas.get(name) for name in _METAS]
    for element in tree.css('time[itemprop~="dateModified"]'):
        date = element.attributes.get("datetime") or element.text()
        dates.append(date.strip())
    written_dates = [date for date in dates if date]
    for date in written_dates:
        if is_date(date):
            return date
    return written_dates[0] if written_dates else None


def _linked_data(texts: Iterable[str]) -> Iterator[str]:
    """Yields the values of `dateModified` in the JSON-LD scripts of a page.

    `{"@type": "Article", "dateModified": "2026-03-01"}` → `2026-03-01`. Only an object at the top
    counts, or one in an array or a `@graph` there. Objects inside of it may have the date of a
    comment or an author. Scripts that are not JSON are left out.
    """
    for text in texts:
        try:
            pending = [json.loads(text)]
        except (ValueError, RecursionError):
            continue
        while pending:  # objects that count, and lists of them
            thing = pending.pop(0)
            if isinstance(thing, list):
                pending += thing
            elif isinstance(thing, dict):
                if "@graph" in thing:
                    pending.append(thing["@graph"])
                date = thing.get("dateModified")
                if isinstance(date, str):
                    yield date.strip()
