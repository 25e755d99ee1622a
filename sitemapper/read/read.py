"""Reads the pages of a site: which facts are wanted, and who reads them."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..messages import Message, Observer, count, listing
from ..model import NO_FACTS, Facts, Found, Page, Run
from .executors import call_for_chunks
from .page import Options, read_pages, wanted

_CHUNK = 200  # pages


class Read(NamedTuple):
    """The facts of each page, in the order of the pages."""

    facts: list[Facts]
    messages: tuple[Message, ...] = ()


def read(pages: Sequence[Page], found: Found, run: Run, observer: Observer) -> Read:
    """Reads what the pages of the site say, as far as the settings ask for it.

    The facts come in the order of the pages: `facts[i]` belongs to `pages[i]`. A page that cannot
    be read has only the fact `error`, and a message names it. Raises SitemapperError if other
    processes or the cluster fail.
    """
    options = wanted(found, has_sources=bool(run.sources))
    if options == Options():  # nothing is asked for, so no page is opened
        return Read([NO_FACTS] * len(pages))
    observer.begins("reading", len(pages))
    chunks = [pages[start : start + _CHUNK] for start in range(0, len(pages), _CHUNK)]
    facts: list[Facts] = []
    # All language versions of a page list the same alternates. Of equal tuples, only the first one
    # is kept, so that memory has each once.
    alternates: dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = {}
    for chunk in call_for_chunks(partial(read_pages, found.folder, options), chunks, run):
        for facts_of_page in chunk:
            if facts_of_page.alternates:
                first = alternates.setdefault(facts_of_page.alternates, facts_of_page.alternates)
                facts_of_page = facts_of_page._replace(alternates=first)
            facts.append(facts_of_page)
        observer.advances(len(chunk))

    errors: list[str] = []
    for page, facts_of_page in zip(pages, facts, strict=True):
        if facts_of_page.error:
            errors.append(f"{page.path} ({facts_of_page.error})")
    if not errors:
        return Read(facts)
    verb = "is" if len(errors) == 1 else "are"
    number = count(len(errors), "page")
    text = f"{number} cannot be read and so {verb} not listed: {listing(errors)}"
    help = "make them readable, or ignore them"
    return Read(facts, (Message("warning", "unreadable", text, help),))
