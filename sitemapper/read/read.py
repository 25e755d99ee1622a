"""Reads the pages of a site: which facts are wanted, and who reads them."""

import os
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..files import ancestors
from ..messages import Message, count, listing
from ..model import NO_FACTS, Facts, Found, Page, Run
from ..observer import Observer
from .executors import call_for_chunks
from .page import Options, read_pages

_CHUNK = 200  # pages


class Read(NamedTuple):
    """The facts of each page, in the order of the pages."""

    facts: list[Facts]
    messages: tuple[Message, ...] = ()


def wanted(found: Found, *, has_sources: bool = False) -> Options:
    """Says which facts a build needs: no more, because most of the time goes into reading."""
    settings = found.config.settings
    sources = set(settings.lastmod)
    is_placed = settings.base_url is not None and settings.url_style != "auto"
    respect = settings.respect
    respects_pages = respect.noindex or respect.canonical or respect.refresh
    # The text shows which file is the source of a page, or that it shows more than its sources.
    top = ancestors(found.project.folder if found.project else found.folder)[-1]
    has_git = os.path.exists(os.path.join(top, ".git"))
    needs_source = not sources.isdisjoint(("auto", "published", "front_matter", "git"))
    has_ledger = found.ledger is not None and not sources.isdisjoint(("auto", "ledger"))
    return Options(
        signals=respects_pages or not is_placed,
        canonical=respect.canonical,
        alternates=settings.hreflang,
        date="page" in sources,
        text=(has_git or has_sources) and needs_source,
        images=settings.images,
        digest=has_ledger,
        drop=settings.ledger.drop if has_ledger else (),
    )


def read(pages: Sequence[Page], found: Found, run: Run, observer: Observer) -> Read:
    """Reads what the pages say: `facts[i]` belongs to `pages[i]`.

    A page that cannot be read has only the fact `error`, and a message names it. Raises
    SitemapperError if other processes or the cluster fail.
    """
    options = wanted(found, has_sources=bool(run.sources))
    if options == Options():
        return Read([NO_FACTS] * len(pages))
    observer.begins("reading", len(pages))
    chunks = [pages[start : start + _CHUNK] for start in range(0, len(pages), _CHUNK)]
    facts: list[Facts] = []
    # The language versions of a page list the same URLs, so memory has them once.
    alternates: dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = {}
    for chunk in call_for_chunks(partial(read_pages, found.folder, options), chunks, run):
        for one in chunk:
            if one.alternates:
                same = alternates.setdefault(one.alternates, one.alternates)
                one = one._replace(alternates=same)
            facts.append(one)
        observer.advances(len(chunk))

    errors = [
        f"{page.path} ({one.error})" for page, one in zip(pages, facts, strict=True) if one.error
    ]
    if not errors:
        return Read(facts)
    verb = "is" if len(errors) == 1 else "are"
    text = (
        f"{count(len(errors), 'page')} cannot be read and so {verb} not listed: {listing(errors)}"
    )
    help = "make them readable, or ignore them"
    return Read(facts, (Message("warning", "unreadable", text, help),))
