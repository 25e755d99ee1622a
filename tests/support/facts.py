"""What single pages say, for tests of what is extracted."""

from __future__ import annotations

from sitemapper.extract.content import DigestRule, make_rule
from sitemapper.extract.facts import ReadOptions, extract_facts

ALL = ReadOptions(metadata=True, dates=True, digest=make_rule([]), images=True)
DATES = ReadOptions(metadata=False, dates=True, digest=None, images=False)
METADATA_ONLY = ReadOptions(metadata=True, dates=False, digest=None, images=False)


def digest(data: bytes, rule: DigestRule) -> str:
    """The digest of a page."""
    options = ReadOptions(metadata=False, dates=False, digest=rule, images=False)
    return extract_facts("a.html", data, options).digest or ""


def page_date(data: bytes) -> str | None:
    """The date that a page gives itself."""
    return extract_facts("a.html", data, DATES).date
