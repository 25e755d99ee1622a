"""SM2xx: the fields of an entry."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from ... import protocol
from ...read.sitemap_xml import Node, shorten
from ...syntax.dates import moment
from ...syntax.urls import web_origin
from ..model import Document, Fault, LintedEntry, Rule, Severity

_DAY = 86_400
# As the schema's decimal may write a number: 1, 0.5, .5, +0.5, but not 1e-1.
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
# Google's App Indexing puts deep links into apps there. They name no language.
_APP = re.compile("(?:android|ios)-app://")
_RETIRED = ("caption", "title", "geo_location", "license")

NO_LOC = Rule(
    "SM201",
    Severity.ERROR,
    "An entry has no URL.",
    reason="loc is the only required field. Crawlers skip the entry or the whole file.",
    fix="give each <url> and <sitemap> one <loc> with a URL, and each entry of a feed a <link>.",
)
TWICE = Rule(
    "SM202",
    Severity.ERROR,
    "A field appears twice in one entry.",
    reason="The protocol does not say which of the two counts.",
    fix="write loc, lastmod, changefreq and priority at most once in each entry.",
)
BAD_DATE = Rule(
    "SM203",
    Severity.ERROR,
    "lastmod is not a W3C Datetime.",
    reason="Search engines ignore dates that they cannot read. A time needs a time zone.",
    fix="write 2026-03-01 or 2026-03-01T12:00:00+00:00.",
)
FUTURE = Rule(
    "SM204",
    Severity.WARNING,
    "lastmod is in the future.",
    reason=(
        "No page has changed tomorrow. Search engines reject such dates and trust the others less."
    ),
    fix="write the date of the last change of the content, not of a planned event.",
)
BAD_CHANGEFREQ = Rule(
    "SM205",
    Severity.ERROR,
    "changefreq is not one of the seven allowed words.",
    reason=(
        "The schema allows always, hourly, daily, weekly, monthly, yearly and never, in lower case."
    ),
    fix="write one of them, or remove the field. Google ignores it.",
)
BAD_PRIORITY = Rule(
    "SM206",
    Severity.ERROR,
    "priority is not a number from 0.0 to 1.0.",
    reason="The schema allows nothing else.",
    fix="write a decimal number such as 0.8, or remove the field. Google ignores it.",
)
UNIFORM = Rule(
    "SM207",
    Severity.WARNING,
    "Nearly all dates lie within one minute.",
    reason=(
        "They are the time of a build, not of changes. Search engines notice, and trust no date "
        "of the site."
    ),
    fix="date pages by the commits of their sources or by their content, or write no dates.",
)
ORDER = Rule(
    "SM208",
    Severity.WARNING,
    "The fields are not in the order loc, lastmod, changefreq, priority.",
    reason="The published schema requires this order. No crawler is known to.",
    fix="write the fields in this order, then the extensions.",
)
BAD_ALTERNATE = Rule(
    "SM209",
    Severity.ERROR,
    "An alternate is incomplete, so search engines ignore it.",
    reason=(
        'Each xhtml:link needs rel="alternate", a language such as de, pt-BR or x-default, and '
        "an absolute URL."
    ),
    fix="list all versions of the page with their languages and absolute URLs.",
)
BAD_EXTENSION = Rule(
    "SM210",
    Severity.ERROR,
    "An image, video or news element lacks a part, or has an invalid one.",
    reason="Google reads these extensions, and ignores incomplete elements.",
    fix=(
        "write image:loc; video:thumbnail_loc, title, description and content_loc or player_loc;\n"
        "news:publication (name, language), publication_date and title."
    ),
)
MUCH_NEWS = Rule(
    "SM211",
    Severity.ERROR,
    "A file has more than 1,000 news articles.",
    reason="Google reads 1,000 news elements of a sitemap, and only articles of the last two days.",
    fix="split the news sitemap, and remove older articles.",
)
NOT_ITSELF = Rule(
    "SM212",
    Severity.WARNING,
    "The alternates do not include the page itself.",
    reason=(
        "Search engines expect each version to list all versions, itself included. They may "
        "ignore other lists."
    ),
    fix="add the language and URL of the page itself to its alternates.",
)
RETIRED = Rule(
    "SM213",
    Severity.WARNING,
    "An image has a field that Google no longer reads.",
    reason=(
        "Google ignores caption, title, geo_location and license of images since August 2022. "
        "They only make the\n"
        "sitemap larger."
    ),
    fix="write image:loc alone.",
)
BAD_FEED_DATE = Rule(
    "SM214",
    Severity.ERROR,
    "A date of a feed is not in the form of its format.",
    reason=(
        "Google reads RSS and Atom as sitemaps, with the date of an entry as lastmod. It ignores "
        "dates that it cannot\n"
        "read. A time needs a time zone."
    ),
    fix=(
        "write Sun, 01 Mar 2026 12:00:00 +0000 in the pubDate of RSS, and "
        "2026-03-01T12:00:00+00:00 in Atom."
    ),
)
ALL = (
    NO_LOC,
    TWICE,
    BAD_DATE,
    FUTURE,
    BAD_CHANGEFREQ,
    BAD_PRIORITY,
    UNIFORM,
    ORDER,
    BAD_ALTERNATE,
    BAD_EXTENSION,
    MUCH_NEWS,
    NOT_ITSELF,
    RETIRED,
    BAD_FEED_DATE,
)


class Value(NamedTuple):
    """What the text of an element must be."""

    expected: str  # in words: "a number from 0 to 5"
    is_valid: Callable[[str], bool]  # whether a text is that


class Shape(NamedTuple):
    """The parts of an element of an extension, such as of <video:video>."""

    needs: tuple[str, ...]  # all of these must be there
    values: Mapping[str, Value]  # what the text of a part must be, if the part is there
    either: tuple[str, ...] = ()  # at least one of these must be there


def _number(low: float, high: float) -> Value:
    """Makes the `Value` that accepts decimal numbers from `low` to `high`."""

    # A float would take 1.00000000000000000001 for 1.
    def is_valid(text: str) -> bool:
        return _DECIMAL.fullmatch(text) is not None and low <= Decimal(text) <= high

    return Value(f"a number from {low:g} to {high:g}", is_valid)


def _at_most(length: int) -> Value:
    """Makes the `Value` that accepts texts of at most so many characters."""
    return Value(f"at most {length:,} characters", lambda text: len(text) <= length)


_URL = Value("an absolute URL", lambda text: web_origin(text) != "")
_PRIORITY = _number(0, 1)
_YES_NO = Value("yes or no", lambda text: text.lower() in ("yes", "no"))
_DATE = Value("a W3C Datetime", lambda text: moment(text) is not None)
_VIDEO = {
    "thumbnail_loc": _URL,
    "content_loc": _URL,
    "player_loc": _URL,
    "publication_date": _DATE,
    "expiration_date": _DATE,
    "family_friendly": _YES_NO,
    "requires_subscription": _YES_NO,
    "live": _YES_NO,
    "description": _at_most(2048),
    "duration": _number(1, 28_800),
    "rating": _number(0, 5),
    "uploader": _at_most(255),
}
# What Google asks of each element, in its documentation of image, video and news sitemaps.
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


def check_entry(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults of an entry, such as a `<lastmod>` that is no date or an incomplete image.

    Another file has the rules about URLs.
    """
    # Most entries have only a URL and a date in the past. They need no more checks.
    if is_plain(entry):
        return
    yield from _check_fields(entry)
    yield from _check_values(entry)
    yield from _check_order(entry.node)
    yield from _check_extensions(entry)


def _check_fields(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults of an entry without a URL, or with a field of the protocol twice."""
    node = entry.node
    if not entry.loc:
        is_of_feed = node.name not in protocol.FIELDS_OF
        field = "link" if is_of_feed else "loc"
        yield NO_LOC, node.line, f"<{node.name}> has no <{field}>"
    for name, nodes in entry.fields.items():
        if len(nodes) > 1 and name in protocol.FIELDS:
            yield TWICE, nodes[1].line, f"a second <{name}> in this <{node.name}>"


def _check_values(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults in the values of lastmod, changefreq and priority.

    A date of tomorrow is allowed, because it may be today where the page was written.
    """
    for node in entry.fields.get("lastmod", ()):
        seconds = moment(node.text)
        if seconds is None:
            expected = "a W3C Datetime such as 2026-03-01T12:00:00+00:00"
            yield BAD_DATE, node.line, f"lastmod {shorten(node.text, 60)!r} is not {expected}"
        elif seconds > entry.context.now + _DAY:
            yield FUTURE, node.line, f"lastmod {node.text} is in the future"
    for node in entry.fields.get("changefreq", ()):
        if node.text not in protocol.CHANGEFREQS:
            words = ", ".join(protocol.CHANGEFREQS)
            text = f"changefreq {shorten(node.text, 60)!r} must be one of {words}"
            yield BAD_CHANGEFREQ, node.line, text
    for node in entry.fields.get("priority", ()):
        if not _PRIORITY.is_valid(node.text):
            text = f"priority {shorten(node.text, 60)!r} must be a number from 0.0 to 1.0"
            yield BAD_PRIORITY, node.line, text


def _check_order(node: Node) -> Iterator[Fault]:
    """Yields the fault of an entry whose fields are not in the order of the schema.

    The order is loc, lastmod, changefreq, priority, and then the extensions.
    """
    fields = protocol.FIELDS
    places = []  # of each child in that order: 0 for loc, and 4 for any extension
    for child in node.children:
        is_field = child.space == node.space and child.name in fields
        places.append(fields.index(child.name) if is_field else len(fields))
    if places != sorted(places):
        yield ORDER, node.line, f"fields must be in the order {', '.join(fields)}, then extensions"


def _check_extensions(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults in the language links, images, videos and news of an entry.

    The errors come first, in the order of the list: a link without a language, too many images, a
    video without a title. Then the warnings: links to all versions but the page itself, and fields
    of images that Google no longer reads.
    """
    node = entry.node
    links = language_links(entry)
    images = node.named("image", protocol.IMAGE_NAMESPACE)
    # Errors.
    for link in links:
        for problem in _alternate_problems(link):
            yield BAD_ALTERNATE, link.line, problem
    if len(images) > protocol.MAX_IMAGES:
        text = f"{len(images):,} images; one URL may have {protocol.MAX_IMAGES:,}"
        yield BAD_EXTENSION, node.line, text
    if entry.has_extensions:
        yield from _check_parts(node)
    # Warnings.
    versions = [link.attributes.get("href") for link in links]
    if versions and entry.loc not in versions:
        text = f"the alternates do not include the page itself, {entry.loc}"
        yield NOT_ITSELF, links[0].line, text
    for image in images:
        retired = [child.name for child in image.children if child.name in _RETIRED]
        if retired:
            yield RETIRED, image.line, f"Google no longer reads {', '.join(retired)} of an image"


def _alternate_problems(link: Node) -> Iterator[str]:
    """Says in words what is wrong with the attributes of a link to a language version."""
    rel = link.attributes.get("rel", "")
    language = link.attributes.get("hreflang", "")
    href = link.attributes.get("href", "")
    if rel != "alternate":
        yield f'xhtml:link must have rel="alternate", not {shorten(rel, 60)!r}'
    if not protocol.LANGUAGE.fullmatch(language):
        yield f"hreflang {shorten(language, 60)!r} is not a language such as de, pt-BR or x-default"
    if not _URL.is_valid(href):
        yield f"the alternate's href {shorten(href, 60)!r} is not an absolute URL"


def language_links(entry: LintedEntry) -> list[Node]:
    """Lists the links of an entry to its language versions: `<xhtml:link hreflang="de" …/>`.

    A link without an hreflang counts too, so that its fault is found.
    """
    if not entry.has_extensions:
        return []
    links = entry.node.named("link", protocol.XHTML_NAMESPACE)
    return [link for link in links if _is_language_link(link)]


def _is_language_link(link: Node) -> bool:
    """Says whether an `xhtml:link` is for a language, and not for AMP, a device or an app."""
    attributes = link.attributes
    is_for_device = "media" in attributes and "hreflang" not in attributes
    is_for_amp = attributes.get("rel") == "amphtml"
    is_for_app = _APP.match(attributes.get("href", "")) is not None
    return not (is_for_device or is_for_amp or is_for_app)


def _check_parts(node: Node) -> Iterator[Fault]:
    """Yields the faults of extensions below a node that lack a part, or have an invalid part.

    `<video:video>` without `<video:title>` → "<video>: title is missing". `SHAPES` says which parts
    an element needs. Elements at any depth are checked.
    """
    for part in node.children:
        shape = SHAPES.get((part.space, part.name))
        if shape:
            for problem in _shape_problems(part, shape):
                yield BAD_EXTENSION, part.line, f"<{part.name}>: {problem}"
        yield from _check_parts(part)


def _shape_problems(node: Node, shape: Shape) -> Iterator[str]:
    """Says what a node lacks or has wrong: "title is missing", for instance.

    A part without any content counts as missing.
    """
    present = {child.name for child in node.children if child.text or child.children}
    for name in shape.needs:
        if name not in present:
            yield f"{name} is missing"
    if shape.either and present.isdisjoint(shape.either):
        yield f"{' or '.join(shape.either)} is missing"
    for child in node.children:
        value = shape.values.get(child.name)
        if value and not value.is_valid(child.text):
            yield f"{child.name} must be {value.expected}, not {shorten(child.text, 60)!r}"


def check_document(document: Document) -> Iterator[Fault]:
    """Yields the faults of a file: nearly all dates in one minute, or too many news articles.

    The dates in an index may be those of one build, so they are not checked.
    """
    dates = document.dates
    if document.root != protocol.SITEMAPINDEX and dates.is_uniform():
        share = f"{dates.share():.0%} of {dates.total:,} dates lie within one minute"
        yield UNIFORM, 1, f"{share}: the time of a build, not of changes"
    if document.news > protocol.MAX_NEWS:
        text = f"{document.news:,} news articles; Google reads {protocol.MAX_NEWS:,} of one sitemap"
        yield MUCH_NEWS, 1, text


def is_plain(entry: LintedEntry) -> bool:
    """Whether an entry has only a URL, or only a URL and a date in the past.

    Such an entry breaks no rule of this file, so the rules need not be checked. Most entries are
    plain, so the time of a check depends on this function.
    """
    children = entry.node.children
    count = len(children)
    has_extension_or_repeats = count != len(entry.fields)
    if not entry.loc or has_extension_or_repeats or count > 2:
        return False
    if count == 1:
        return True
    last = children[1]
    if last.name != "lastmod":
        return False
    seconds = moment(last.text)
    return seconds is not None and seconds <= entry.context.now
