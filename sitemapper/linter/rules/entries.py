"""SM2xx: the fields of an entry."""

import re
from collections.abc import Iterator
from decimal import Decimal

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

NO_LOC = Rule(
    "SM201",
    Severity.ERROR,
    "An entry has no URL.",
    reason="loc is the only required field. Crawlers skip the entry or the whole file.",
    fix="give each <url> and <sitemap> one <loc> with a URL.",
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
ALL = (
    NO_LOC,
    BAD_DATE,
    FUTURE,
    BAD_CHANGEFREQ,
    BAD_PRIORITY,
    UNIFORM,
    BAD_ALTERNATE,
    NOT_ITSELF,
)


def check_entry(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults of an entry, such as a `<lastmod>` that is no date.

    Another file has the rules about URLs.
    """
    # Most entries have only a URL and a date in the past. They need no more checks.
    if is_plain(entry):
        return
    if not entry.loc:
        yield NO_LOC, entry.node.line, f"<{entry.node.name}> has no <loc>"
    yield from _check_values(entry)
    yield from _check_alternates(entry)


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
        # A float would take 1.00000000000000000001 for 1.
        is_valid = _DECIMAL.fullmatch(node.text) and 0 <= Decimal(node.text) <= 1
        if not is_valid:
            text = f"priority {shorten(node.text, 60)!r} must be a number from 0.0 to 1.0"
            yield BAD_PRIORITY, node.line, text


def _check_alternates(entry: LintedEntry) -> Iterator[Fault]:
    """Yields the faults in the language links of an entry.

    The errors come first, such as a link without a language. Then the warning about links to all
    versions but the page itself.
    """
    links = _language_links(entry)
    for link in links:
        for problem in _alternate_problems(link):
            yield BAD_ALTERNATE, link.line, problem
    versions = [link.attributes.get("href") for link in links]
    if versions and entry.loc not in versions:
        text = f"the alternates do not include the page itself, {entry.loc}"
        yield NOT_ITSELF, links[0].line, text


def _alternate_problems(link: Node) -> Iterator[str]:
    """Says in words what is wrong with the attributes of a link to a language version."""
    rel = link.attributes.get("rel", "")
    language = link.attributes.get("hreflang", "")
    href = link.attributes.get("href", "")
    if rel != "alternate":
        yield f'xhtml:link must have rel="alternate", not {shorten(rel, 60)!r}'
    if not protocol.LANGUAGE.fullmatch(language):
        yield f"hreflang {shorten(language, 60)!r} is not a language such as de, pt-BR or x-default"
    if not web_origin(href):
        yield f"the alternate's href {shorten(href, 60)!r} is not an absolute URL"


def _language_links(entry: LintedEntry) -> list[Node]:
    """Lists the links of an entry to its language versions: `<xhtml:link hreflang="de" …/>`.

    A link without an hreflang counts too, so that its fault is found.
    """
    if not entry.has_extensions:
        return []
    return [node for node in entry.node.children if _is_language_link(node)]


def _is_language_link(node: Node) -> bool:
    """Whether a node is an `xhtml:link` for a language, and not for AMP, a device or an app."""
    if (node.space, node.name) != (protocol.XHTML_NAMESPACE, "link"):
        return False
    attributes = node.attributes
    is_for_device = "media" in attributes and "hreflang" not in attributes
    is_for_amp = attributes.get("rel") == "amphtml"
    is_for_app = _APP.match(attributes.get("href", "")) is not None
    return not (is_for_device or is_for_amp or is_for_app)


def check_document(document: Document) -> Iterator[Fault]:
    """Yields the fault of a file with nearly all dates in one minute.

    The dates in an index may be those of one build, so they are not checked.
    """
    dates = document.dates
    if document.root != protocol.SITEMAPINDEX and dates.is_uniform():
        share = f"{dates.share():.0%} of {dates.total:,} dates lie within one minute"
        yield UNIFORM, 1, f"{share}: the time of a build, not of changes"


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
