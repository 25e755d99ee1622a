"""SM2xx: the fields of an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ... import protocol
from ...syntax.dates import moment
from ..elements import Document, Entry, Node, origin
from ..rule import Message, Severity, rule, shorten

_DAY = 86_400
# 0 with any sign, less than 1, and 1, as the schema's decimal may write them.
_PRIORITY = re.compile(r"[+-]?(?:0++\.?0*|\.0+)|\+?(?:0*\.[0-9]+|0*1(?:\.0*)?)")
_APP = re.compile("(?:android|ios)-app://")
_RETIRED = ("caption", "title", "geo_location", "license")


@rule("SM201", sees_plain=False)
def no_loc(entry: Entry) -> Iterator[Message]:
    """An entry has no URL.

    loc is the only required field. Crawlers skip the entry or the whole file.
    Fix: give each <url> and <sitemap> one <loc> with a URL.
    """
    if not entry.loc:
        yield entry.node.line, f"<{entry.node.name}> has no <loc>"


@rule("SM202", sees_plain=False)
def twice(entry: Entry) -> Iterator[Message]:
    """A field appears twice in one entry.

    The protocol does not say which of the two counts.
    Fix: write loc, lastmod, changefreq and priority at most once in each entry.
    """
    for name, nodes in entry.fields.items():
        if len(nodes) > 1 and name in protocol.FIELDS:
            yield nodes[1].line, f"a second <{name}> in this <{entry.node.name}>"


@rule("SM203", sees_plain=False)
def lastmod(entry: Entry) -> Iterator[Message]:
    """lastmod is not a W3C Datetime.

    Search engines ignore dates that they cannot read. A time needs a time zone.
    Fix: write 2026-03-01 or 2026-03-01T12:00:00+00:00.
    """
    for node in entry.fields.get("lastmod", ()):
        if moment(node.text) is None:
            expected = "a W3C Datetime such as 2026-03-01T12:00:00+00:00"
            yield node.line, f"lastmod {shorten(node.text, 60)!r} is not {expected}"


@rule("SM204", Severity.WARNING, sees_plain=False)
def future(entry: Entry) -> Iterator[Message]:
    """lastmod is in the future.

    No page has changed tomorrow. Search engines reject such dates and trust the others less.
    Fix: write the date of the last change of the content, not of a planned event.
    """
    for node in entry.fields.get("lastmod", ()):
        second = moment(node.text)
        if second is not None and second > entry.context.now + _DAY:
            yield node.line, f"lastmod {node.text} is in the future"


@rule("SM205", sees_plain=False)
def changefreq(entry: Entry) -> Iterator[Message]:
    """changefreq is not one of the seven allowed words.

    The schema allows always, hourly, daily, weekly, monthly, yearly and never, in lower case.
    Fix: write one of them, or remove the field. Google ignores it.
    """
    for node in entry.fields.get("changefreq", ()):
        if node.text not in protocol.CHANGEFREQS:
            expected = ", ".join(protocol.CHANGEFREQS)
            yield node.line, f"changefreq {shorten(node.text, 60)!r} must be one of {expected}"


@rule("SM206", sees_plain=False)
def priority(entry: Entry) -> Iterator[Message]:
    """priority is not a number from 0.0 to 1.0.

    The schema allows nothing else.
    Fix: write a decimal number such as 0.8, or remove the field. Google ignores it.
    """
    for node in entry.fields.get("priority", ()):
        if not _PRIORITY.fullmatch(node.text):
            yield node.line, f"priority {shorten(node.text, 60)!r} must be a number from 0.0 to 1.0"


@rule("SM207", Severity.WARNING)
def uniform(document: Document) -> Iterator[Message]:
    """Nearly all dates lie within one minute.

    They are the time of a build, not of changes. Search engines notice, and trust no date of the site.
    Fix: date pages by the commits of their sources or by their content, or write no dates.
    """
    if document.root != protocol.SITEMAPINDEX and document.dates.is_uniform():
        share, total = document.dates.share(), document.dates.total
        yield 1, f"{share:.0%} of {total:,} dates lie within one minute: the time of a build, not of changes"


@rule("SM208", Severity.WARNING, sees_plain=False)
def order(entry: Entry) -> Iterator[Message]:
    """The fields are not in the order loc, lastmod, changefreq, priority.

    The published schema requires this order. No crawler is known to.
    Fix: write the fields in this order, then the extensions.
    """
    places = [_place(child, entry.node) for child in entry.node.children]
    if places != sorted(places):
        yield entry.node.line, f"fields must be in the order {', '.join(protocol.FIELDS)}, then extensions"


def _place(child: Node, entry: Node) -> int:
    is_field = child.space == entry.space and child.name in protocol.FIELDS
    return protocol.FIELDS.index(child.name) if is_field else len(protocol.FIELDS)


@rule("SM209", sees_plain=False)
def hreflang(entry: Entry) -> Iterator[Message]:
    """An alternate is incomplete, so search engines ignore it.

    Each xhtml:link needs rel="alternate", a language such as de, pt-BR or x-default, and an absolute URL.
    Fix: list all versions of the page with their languages and absolute URLs.
    """
    for link in language_links(entry):
        rel, language, href = (link.attributes.get(name, "") for name in ("rel", "hreflang", "href"))
        if rel != "alternate":
            yield link.line, f'xhtml:link must have rel="alternate", not {shorten(rel, 60)!r}'
        if not protocol.LANGUAGE.fullmatch(language):
            expected = "a language such as de, pt-BR or x-default"
            yield link.line, f"hreflang {shorten(language, 60)!r} is not {expected}"
        if not _URL[1](href):
            yield link.line, f"the alternate's href {shorten(href, 60)!r} is not an absolute URL"


@rule("SM212", Severity.WARNING, sees_plain=False)
def itself(entry: Entry) -> Iterator[Message]:
    """The alternates do not include the page itself.

    Search engines expect each version to list all versions, itself included. They may ignore other lists.
    Fix: add the language and URL of the page itself to its alternates.
    """
    links = language_links(entry)
    if links and entry.loc not in [link.attributes.get("href") for link in links]:
        yield links[0].line, f"the alternates do not include the page itself, {entry.loc}"


def language_links(entry: Entry) -> list[Node]:
    """The links to the language versions of an entry."""
    links = entry.node.named("link", protocol.XHTML_NAMESPACE) if entry.has_more else []
    return [link for link in links if _is_of_language(link.attributes)]


def _is_of_language(attributes: Mapping[str, str]) -> bool:
    """Whether a link is no AMP form, no page for another device, and no page of an app."""
    if attributes.get("rel") == "amphtml" or _APP.match(attributes.get("href", "")):
        return False
    return "hreflang" in attributes or "media" not in attributes


Value = tuple[str, Callable[[str], bool]]  # what a text must be, in words, and whether it is


class Shape(NamedTuple):
    """The parts that an element of an extension must have, their values, and those of which it needs one."""

    needs: tuple[str, ...]
    values: Mapping[str, Value]
    either: tuple[str, ...] = ()


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
    (protocol.IMAGE_NAMESPACE, "image"): Shape(("loc",), {"loc": _URL}),
    (protocol.VIDEO_NAMESPACE, "video"): Shape(
        ("thumbnail_loc", "title", "description"), _VIDEO, ("content_loc", "player_loc")
    ),
    (protocol.NEWS_NAMESPACE, "news"): Shape(
        ("publication", "publication_date", "title"), {"publication_date": _DATE}
    ),
    (protocol.NEWS_NAMESPACE, "publication"): Shape(("name", "language"), {}),
}


@rule("SM210", sees_plain=False)
def extension(entry: Entry) -> Iterator[Message]:
    """An image, video or news element lacks a part, or has an invalid one.

    Google reads these extensions, and ignores incomplete elements.
    Fix: write image:loc; video:thumbnail_loc, title, description and content_loc or player_loc;
    news:publication (name, language), publication_date and title.
    """
    if not entry.has_more:
        return
    images = entry.node.named("image", protocol.IMAGE_NAMESPACE)
    if len(images) > protocol.MAX_IMAGES:
        yield entry.node.line, f"{len(images):,} images; one URL may have {protocol.MAX_IMAGES:,}"
    for node in _tree(entry.node):
        shape = SHAPES.get((node.space, node.name))
        if shape:
            yield from ((node.line, f"<{node.name}>: {problem}") for problem in _problems(node, shape))


def _tree(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from _tree(child)


def _problems(node: Node, shape: Shape) -> Iterator[str]:
    has = {child.name for child in node.children if child.text or child.children}
    yield from (f"{name} is missing" for name in shape.needs if name not in has)
    if shape.either and has.isdisjoint(shape.either):
        yield f"{' or '.join(shape.either)} is missing"
    for child in node.children:
        expected, fits = shape.values.get(child.name, ("", lambda _: True))
        if not fits(child.text):
            yield f"{child.name} must be {expected}, not {shorten(child.text, 60)!r}"


@rule("SM213", Severity.WARNING, sees_plain=False)
def retired(entry: Entry) -> Iterator[Message]:
    """An image has a field that Google no longer reads.

    Google ignores caption, title, geo_location and license of images since August 2022. They only make the
    sitemap larger.
    Fix: write image:loc alone.
    """
    for image in entry.node.named("image", protocol.IMAGE_NAMESPACE) if entry.has_more else ():
        names = [child.name for child in image.children if child.name in _RETIRED]
        if names:
            yield image.line, f"Google no longer reads {', '.join(names)} of an image"


@rule("SM211")
def much_news(document: Document) -> Iterator[Message]:
    """A file has more than 1,000 news articles.

    Google reads 1,000 news elements of a sitemap, and only articles of the last two days.
    Fix: split the news sitemap, and remove older articles.
    """
    if document.news > protocol.MAX_NEWS:
        yield 1, f"{document.news:,} news articles; Google reads {protocol.MAX_NEWS:,} of one sitemap"


def is_plain(entry: Entry) -> bool:
    """Whether an entry has a URL and at most a date in the past besides: no rule here finds anything."""
    children = entry.node.children
    if not entry.loc or not len(children) == len(entry.fields) <= 2:
        return False
    if len(children) == 1:
        return True
    second = moment(children[1].text) if children[1].name == "lastmod" else None
    return second is not None and second <= entry.context.now


OF_ENTRIES = (
    no_loc,
    twice,
    lastmod,
    future,
    changefreq,
    priority,
    order,
    hreflang,
    extension,
    itself,
    retired,
)
OF_DOCUMENTS = (uniform, much_news)
