"""The front door: all that holds for the site."""

from collections.abc import Iterator, Sequence

from ..hosts import find_host
from ..messages import Message, count
from ..model import Facts, Found, Page, Run, Scanned, Site
from ..read import links_of
from ..syntax.urls import page_at, resolve
from .base_url import find_base_url, host_folders
from .url_forms import find_forms

_LEAST_DEFAULTS = 10  # pages with one canonical that show a default of the layout
_FEW_PAGES = 20  # whose links are read


def settle(found: Found, scanned: Scanned, facts: Sequence[Facts], run: Run) -> Site:
    """Settles base URL, host and URL forms, from all pages of the site.

    Raises SitemapperError if no base URL is named, and PreviewError for the build of a preview.
    """
    pages = scanned.pages
    base = find_base_url(found, run, scanned, facts)
    host, host_messages = find_host(
        found.folder,
        found.config.settings.host,
        found.config.origin("host"),
        base.url,
        run.environment,
        host_folders(found, run),
    )
    forms, forms_origin, form_messages = find_forms(found, base, host, pages, facts)
    defaults = _canonicals_of_layouts(found, base.url, pages, facts)
    return Site(
        found=found,
        host=host,
        base_url=base.url,
        base_url_origin=base.origin,
        former_base_url=base.former,
        forms=forms,
        forms_origin=forms_origin,
        messages=(*defaults, *base.messages, *host_messages, *form_messages),
    )


def _canonicals_of_layouts(
    found: Found, base_url: str, pages: Sequence[Page], facts: Sequence[Facts]
) -> Iterator[Message]:
    """Warns of a canonical that a layout gives to many pages by mistake, such as the home page.

    All these pages would be left out of the sitemap. It is no mistake if they are copies of one
    page, but copies seldom link to their own URLs. So most of the first pages must do so.
    """
    if not found.config.settings.respect.canonical:  # then the pages are listed
        return
    number_with_canonical = 0
    pages_by_canonical: dict[str, list[Page]] = {}
    for page, fact in zip(pages, facts, strict=True):
        number_with_canonical += fact.canonical is not None
        # Most canonicals that name the page itself are an `OwnUrl`, and no text.
        if isinstance(fact.canonical, str) and fact.refresh is None:
            pages_by_canonical.setdefault(fact.canonical, []).append(page)
    for canonical, sharing in sorted(pages_by_canonical.items()):
        if len(sharing) < max(_LEAST_DEFAULTS, number_with_canonical / 5):
            continue
        first_pages = sharing[:_FEW_PAGES]
        linking = [page for page in first_pages if _links_to_itself(found, base_url, page)]
        if len(linking) * 2 > len(first_pages):
            text = (
                f"{count(len(sharing), 'page')} name {canonical} as their canonical, and are "
                "left out, though they link to themselves"
            )
            help = "let the layout write each page's own URL as its canonical"
            yield Message("warning", "default-canonical", text, help)


def _links_to_itself(found: Found, base_url: str, page: Page) -> bool:
    """Whether a page has a link to its own URL, in any form of it."""
    urls = [resolve(link, base_url + page.path) for link in links_of(found.folder, page.path)]
    return any(page_at(url, base_url, (page.path,)) for url in urls if url)
