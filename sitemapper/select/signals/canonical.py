"""The canonical names a URL at which the server shows another file, or none."""

from ...model import Excluded, Reason
from ...read import server
from ...read.metadata import href_of
from ...read.walk import SiteRoot
from ...syntax.html import Tags
from ...syntax.links import base_of
from ...syntax.urls import moved_url, relative_path, resolve
from ..checked_page import Canonical, CheckedPage
from ..policy import IndexPolicy
from .signal import Signal

# Google ignores canonicals with one of these attributes.
_VARIANT = frozenset(("hreflang", "lang", "media", "type"))


def read(tags: Tags) -> str | None:
    """The canonical in the head.

    Canonicals that contradict each other are ignored, as by Google.
    """
    canonicals = set()
    for link in tags.links:
        rel = link.get("rel")
        if rel and "canonical" in rel.lower().split() and _VARIANT.isdisjoint(link):
            canonicals.add(href_of(link))
    canonicals.discard("")
    if len(canonicals) != 1:
        return None
    return canonicals.pop()


def find_canonical(page: CheckedPage, policy: IndexPolicy, root: SiteRoot) -> Canonical | None:
    """What a page's canonical names: a URL, its path in the site, and the file that is shown there.

    None if it names just the page's URL, or if canonicals are not respected. Path and file are None
    outside the site, and the file is None if there is none.
    """
    href = page.text_of("canonical")
    if href is None or href == page.loc or not policy.respect.canonical:
        return None
    url = resolve(href, base_of(page.facts.metadata, page.loc))
    if url is not None:
        url = moved_url(url, policy.locator.former_base, policy.locator.base)
    if url is None or url == page.loc:
        return None
    path = relative_path(url, policy.locator.base)
    if path is None:
        return Canonical(url, href, None, None)
    file = server.file_for_url_path(root, path, policy.locator.served)
    if file is None:
        return Canonical(url, href, path, None)
    if file != page.path and server.leads_to(root, file, page.path):
        file = page.path
    is_own = file == page.path
    is_shown = not is_own or policy.is_shown_at(page, url, path)
    return Canonical(url, href, path, file, is_shown)


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page whose canonical names another one."""
    canonical = page.canonical
    if canonical is None or canonical.file == page.path:
        return None
    if canonical.file is not None and canonical.file == page.twin:
        return page.exclude_for_twin(canonical.url)
    return page.exclude(Reason.CANONICAL, f'<link rel="canonical" href="{canonical.href}">')


SIGNAL = Signal("canonical", check, words=(b"canonical",), read=read, switch="canonical")
