"""`[[urls]]`: pages that are not files."""

import re
from collections.abc import Sequence

from ..errors import SitemapperError
from ..model import Excluded, Listed, Reason, Site
from ..syntax.urls import SESSION_IDS, comparison_key, resolve
from .page import Policy
from .rules import values_in

# Parameters that create a new URL of the same page for each visit.
_SESSION_ID = re.compile(
    rf";(?:{SESSION_IDS})=[^/;?]*|(?:(?<=\?)|&)(?:{SESSION_IDS})=[^&]*", re.IGNORECASE
)


def select_extra_urls(
    site: Site, listed: Sequence[Listed], policy: Policy
) -> tuple[list[Listed], list[Excluded]]:
    """Lists the entries of `[[urls]]`, unless a page has the URL or robots.txt closes it.

    Raises SitemapperError, with a line for each, for URLs that no sitemap at the base URL may list.
    """
    config = site.found.config
    if not config.settings.urls:
        return [], []
    pages = {comparison_key(one.url): one.page.path for one in listed if one.page}
    kept: list[Listed] = []
    refused: list[Excluded] = []
    faults: list[str] = []
    for index, entry in enumerate(config.settings.urls):
        origin = config.origins[f"urls[{index}]"]
        url = _normalize(entry.loc, site.base_url)
        if url is None or not url.startswith(site.base_url):
            faults.append(f"{origin}: loc: {entry.loc} is not below {site.base_url}")
            continue
        key = comparison_key(url)
        line = policy.crawling.forbids(url)
        if key in pages:
            text = origin._replace(text=f"is the URL of {pages[key]}")
            refused.append(Excluded(url, Reason.DUPLICATE, text, url))
        elif line:
            refused.append(Excluded(url, Reason.ROBOTS, line, url))
        else:
            pages[key] = str(origin)
            kept.append(Listed(None, url, values_in(entry, config)))
    if faults:
        help = "a sitemap may only list URLs of its host, at or below its own folder"
        raise SitemapperError("\n".join(faults), help)
    return sorted(kept, key=lambda one: one.url), refused


def _normalize(text: str, base_url: str) -> str | None:
    """The URL with the scheme of the base URL, without session IDs and fragment."""
    url = resolve(text, "")
    if url is None:
        return None
    url = base_url.partition("://")[0] + "://" + url.partition("://")[2]
    url = _SESSION_ID.sub("", url)
    return url.replace("?&", "?").rstrip("?")
