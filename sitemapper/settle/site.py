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
    """Finds the base URL, the host and the URL forms (`/b.html`, `/b` or `/b/`) of the site.

    `facts` has what each of `scanned.pages` says, in the same order. Raises SitemapperError if
    nothing names a base URL, and PreviewError for the build of a preview.
    """
    pages = scanned.pages
    # Each of these three needs the ones before it.
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

    layout_messages = _canonicals_of_layouts(found, base.url, pages, facts)
    return Site(
        found=found,
        host=host,
        base_url=base.url,
        base_url_origin=base.origin,
        former_base_url=base.former,
        forms=forms,
        forms_origin=forms_origin,
        messages=(*layout_messages, *base.messages, *host_messages, *form_messages),
    )


def _canonicals_of_layouts(
    found: Found, base_url: str, pages: Sequence[Page], facts: Sequence[Facts]
) -> Iterator[Message]:
    """Warns of a canonical that a layout gives to many pages by mistake, such as the home page.

    All these pages are left out of the sitemap. That is right if they are copies of one page. But
    copies seldom link to their own URLs. So the warning is given if most of some pages do so.
    """
    if not found.config.settings.respect.canonical:  # no canonical leaves out a page
        return

    number_with_canonical = 0
    pages_by_canonical: dict[str, list[Page]] = {}
    for page, fact in zip(pages, facts, strict=True):
        number_with_canonical += fact.canonical is not None
        # A canonical that names the page itself is an `OwnUrl`, and only one that names another
        # page is a text. A page with a refresh is left out for that reason.
        if isinstance(fact.canonical, str) and fact.refresh is None:
            pages_by_canonical.setdefault(fact.canonical, []).append(page)

    for canonical, sharing in sorted(pages_by_canonical.items()):
        # A layout gives its canonical to many pages: here to a fifth of those that have one.
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
