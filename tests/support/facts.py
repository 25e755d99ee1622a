"""What single pages say, for tests of what is extracted."""

from __future__ import annotations

from functools import partial

from sitemapper.read import metadata
from sitemapper.read.content import DigestRule, make_rule
from sitemapper.read.facts import ReadOptions, extract_facts
from sitemapper.select import signals
from sitemapper.syntax import html

SIGNALS = signals.head_signals()
interpret = partial(metadata.interpret, signals=SIGNALS)
read_metadata = partial(metadata.read_metadata, signals=SIGNALS)

ALL = ReadOptions(signals=SIGNALS, dates=True, digest=make_rule([]), images=True)
DATES = ReadOptions(signals=None, dates=True, digest=None, images=False)
METADATA_ONLY = ReadOptions(signals=SIGNALS, dates=False, digest=None, images=False)


def head_tags(data: bytes) -> html.Tags | None:
    """The tags of a page, as they are read from its head alone."""
    return html.head_tags(data, SIGNALS.tag_words, html.head_end(data))


def digest(data: bytes, rule: DigestRule, path: str = "a.html") -> str:
    """The digest of a page."""
    options = ReadOptions(signals=None, dates=False, digest=rule, images=False)
    return extract_facts(path, data, options).digest or ""


def page_date(data: bytes) -> str | None:
    """The date that a page gives itself."""
    return extract_facts("a.html", data, DATES).date
