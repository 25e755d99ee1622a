"""The front door: all that holds for the site."""

from collections.abc import Sequence

from ..hosts import find_host
from ..model import Facts, Found, Run, Scanned, Site
from .base_url import default_canonical, find_base_url, host_folders
from .url_forms import find_forms


def settle(found: Found, scanned: Scanned, facts: Sequence[Facts], run: Run) -> Site:
    """Settles base URL, host and URL forms, from all pages of the site.

    Raises SitemapperError if no base URL is named, and PreviewError for the build of a preview.
    """
    pages = scanned.pages
    base = find_base_url(found, run, pages, facts, scanned.links)
    host, host_messages = find_host(
        found.folder,
        found.config.settings.host,
        found.config.origin("host"),
        base.url,
        run.environment,
        host_folders(found, run),
    )
    forms, forms_origin, form_messages = find_forms(found, base, host, pages, facts)
    defaults = default_canonical(found, base.url, pages, facts)
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
