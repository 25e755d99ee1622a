"""SM2xx: the fields of an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple, get_args

from sitemapper.config.settings import ChangeFreq
from sitemapper.linter.facts import Document, Entry, Node, origin
from sitemapper.linter.rule import Rule, Said, Severity
from sitemapper.output.extensions.hreflang import LANGUAGE
from sitemapper.syntax.dates import moment

ORDER = ("loc", "lastmod", "changefreq", "priority")
_DAY = 86_400
_XHTML = "http://www.w3.org/1999/xhtml"
_GOOGLE = "http://www.google.com/schemas/sitemap-"
_MAX_IMAGES = _MAX_NEWS = 1000  # of one URL; of one file


def no_loc(entry: Entry) -> Iterator[Said]:
    """An entry without a URL.

    loc is the one field that must be there; crawlers skip the entry or the whole file.
    Fix: give each <url> and <sitemap> one <loc> that is not empty.
    """
    if not entry.loc:
        yield entry.node.line, f"<{entry.node.name}> has no <loc>"


def twice(entry: Entry) -> Iterator[Said]:
    """A field stands twice in one entry.

    Which of the two counts is left to the crawler.
    Fix: one loc, lastmod, changefreq and priority in each entry.
    """
    for name, nodes in entry.fields.items():
        if len(nodes) > 1 and name in ORDER:
            yield nodes[1].line, f"a second <{name}> in one <{entry.node.name}>"


def lastmod(entry: Entry) -> Iterator[Said]:
    """lastmod is no W3C Datetime.

    Search engines drop dates that they cannot read. A time must have its zone.
    Fix: 2026-03-01 or 2026-03-01T12:00:00+00:00.
    """
    for node in entry.fields.get("lastmod", ()):
        if moment(node.text) is None:
            yield (
                node.line,
                f"lastmod {_short(node.text)} is no W3C Datetime, such as 2026-03-01T12:00:00+00:00",
            )


def future(entry: Entry) -> Iterator[Said]:
    """lastmod lies in the future.

    No page has changed tomorrow; search engines reject such dates and trust the others less.
    Fix: take the date of the last change of the content, not that of a planned event.
    """
    for node in entry.fields.get("lastmod", ()):
        second = moment(node.text)
        if second is not None and second > entry.context.now + _DAY:
            yield node.line, f"lastmod {node.text} lies in the future"


def changefreq(entry: Entry) -> Iterator[Said]:
    """changefreq is none of the seven words.

    The schema allows always, hourly, daily, weekly, monthly, yearly, never, in small letters.
    Fix: use one of them, or leave the field out; Google ignores it.
    """
    for node in entry.fields.get("changefreq", ()):
        if node.text not in get_args(ChangeFreq):
            yield (
                node.line,
                f"changefreq {_short(node.text)} must be one of {', '.join(get_args(ChangeFreq))}",
            )


def priority(entry: Entry) -> Iterator[Said]:
    """priority is no number from 0.0 to 1.0.

    The schema allows nothing else.
    Fix: a decimal number such as 0.8, or leave the field out; Google ignores it.
    """
    for node in entry.fields.get("priority", ()):
        is_number = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", node.text)
        if not is_number or not 0 <= Decimal(node.text) <= 1:
            yield node.line, f"priority {_short(node.text)} must be a number from 0.0 to 1.0"


def uniform(document: Document) -> Iterator[Said]:
    """Nearly all dates lie in the same minute.

    They tell when the site was built, not when its pages changed. Search engines notice, and stop
    believing any date of the site.
    Fix: date pages by their sources' commits or by their content, or write no dates.
    """
    if document.root != "sitemapindex" and document.dates.is_uniform():
        share, total = document.dates.share(), document.dates.total
        yield 1, f"{share:.0%} of {total:,} dates are all but the same: that of a build, not of changes"


def order(entry: Entry) -> Iterator[Said]:
    """The fields stand in another order than loc, lastmod, changefreq, priority.

    The published schema wants this order, though crawlers are not known to.
    Fix: write the fields in the order of the protocol, extensions behind them.
    """
    places = [_place(child, entry.node) for child in entry.node.children]
    if places != sorted(places):
        yield entry.node.line, f"fields must stand in the order {', '.join(ORDER)}, then extensions"


def _place(child: Node, entry: Node) -> int:
    known = child.space == entry.space and child.name in ORDER
    return ORDER.index(child.name) if known else len(ORDER)


def hreflang(entry: Entry) -> Iterator[Said]:
    """An alternate that search engines will ignore.

    Each xhtml:link needs rel="alternate", a language such as de, pt-BR or x-default, and an absolute URL.
    Fix: list all versions of the page with their languages and whole URLs.
    """
    for link in _alternates(entry):
        rel, language, href = (link.attributes.get(name, "") for name in ("rel", "hreflang", "href"))
        if rel != "alternate":
            yield link.line, f'xhtml:link must have rel="alternate", not {_short(rel)}'
        if not LANGUAGE.fullmatch(language):
            yield link.line, f"hreflang {_short(language)} is no language such as de, pt-BR, x-default"
        if not _URL[1](href):
            yield link.line, f"the alternate's href, {_short(href)}, is no absolute URL"


def itself(entry: Entry) -> Iterator[Said]:
    """The alternates do not name the page itself.

    Search engines want each version to list all versions, itself too; else they may ignore the list.
    Fix: add the page's own language and URL to its alternates.
    """
    links = _alternates(entry)
    if links and entry.loc not in [link.attributes.get("href") for link in links]:
        yield links[0].line, f"the alternates do not name the page itself, {entry.loc}"


def _alternates(entry: Entry) -> list[Node]:
    found = entry.node.named("link", _XHTML) if entry.has_more else []
    # With media and without a language it is another device's page.
    return [link for link in found if "hreflang" in link.attributes or "media" not in link.attributes]


Value = tuple[str, Callable[[str], bool]]  # what it must be, in words, and whether a text is that
_ANY: Mapping[str, Value] = {}


class Shape(NamedTuple):
    """What an element of an extension must hold, one of what, and which values its parts may have."""

    needs: tuple[str, ...]
    either: tuple[str, ...] = ()
    values: Mapping[str, Value] = _ANY


def _number(low: float, high: float) -> Value:
    fits = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?").fullmatch
    return f"a number from {low:g} to {high:g}", lambda text: bool(fits(text)) and low <= float(text) <= high


def _at_most(length: int) -> Value:
    return f"at most {length:,} characters", lambda text: len(text) <= length


_URL: Value = ("an absolute URL", lambda text: origin(text) != "")
_YES_NO: Value = ("yes or no", lambda text: text.lower() in ("yes", "no"))
_DATE: Value = ("a W3C Datetime", lambda text: moment(text) is not None)
_VIDEO = {
    "thumbnail_loc": _URL,
    "content_loc": _URL,
    "player_loc": _URL,
    "description": _at_most(2048),
    "duration": _number(1, 28_800),
    "rating": _number(0, 5),
    "family_friendly": _YES_NO,
    "requires_subscription": _YES_NO,
    "live": _YES_NO,
    "publication_date": _DATE,
    "expiration_date": _DATE,
    "uploader": _at_most(255),
}
SHAPES = {
    (f"{_GOOGLE}image/1.1", "image"): Shape(("loc",), values={"loc": _URL}),
    (f"{_GOOGLE}video/1.1", "video"): Shape(
        ("thumbnail_loc", "title", "description"), ("content_loc", "player_loc"), _VIDEO
    ),
    (f"{_GOOGLE}news/0.9", "news"): Shape(
        ("publication", "publication_date", "title"), values={"publication_date": _DATE}
    ),
    (f"{_GOOGLE}news/0.9", "publication"): Shape(("name", "language")),
}


def extension(entry: Entry) -> Iterator[Said]:
    """An image, video or news element that lacks a part, or has a wrong one.

    Google reads these extensions, and drops elements that are not complete.
    Fix: image:loc; video:thumbnail_loc, title, description and content_loc or player_loc; news:publication
    (name, language), publication_date and title.
    """
    if not entry.has_more:
        return
    images = entry.node.named("image", f"{_GOOGLE}image/1.1")
    if len(images) > _MAX_IMAGES:
        yield entry.node.line, f"{len(images):,} images; one URL may have {_MAX_IMAGES:,}"
    for node in _tree(entry.node):
        shape = SHAPES.get((node.space, node.name))
        if shape:
            yield from ((node.line, f"<{node.name}>: {fault}") for fault in _faults(node, shape))


def _tree(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from _tree(child)


def _faults(node: Node, shape: Shape) -> Iterator[str]:
    has = {child.name for child in node.children if child.text or child.children}
    yield from (f"{name} is missing" for name in shape.needs if name not in has)
    if shape.either and has.isdisjoint(shape.either):
        yield f"{' or '.join(shape.either)} is missing"
    for child in node.children:
        wanted, fits = shape.values.get(child.name, ("", lambda _: True))
        if not fits(child.text):
            yield f"{child.name} must be {wanted}, not {_short(child.text)}"


def much_news(document: Document) -> Iterator[Said]:
    """More than 1,000 news articles in one file.

    Google reads 1,000 news elements of a sitemap, of articles of the last two days.
    Fix: split the news sitemap, and take out what is older.
    """
    if document.news > _MAX_NEWS:
        yield 1, f"{document.news:,} news; Google reads {_MAX_NEWS:,} of one sitemap"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


OF_ENTRIES = (
    Rule("SM201", Severity.ERROR, no_loc),
    Rule("SM202", Severity.ERROR, twice),
    Rule("SM203", Severity.ERROR, lastmod),
    Rule("SM204", Severity.WARNING, future),
    Rule("SM205", Severity.ERROR, changefreq),
    Rule("SM206", Severity.ERROR, priority),
    Rule("SM208", Severity.WARNING, order),
    Rule("SM209", Severity.ERROR, hreflang),
    Rule("SM210", Severity.ERROR, extension),
    Rule("SM212", Severity.WARNING, itself),
)
OF_DOCUMENTS = (Rule("SM207", Severity.WARNING, uniform), Rule("SM211", Severity.ERROR, much_news))
