"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    `page.other_file` is that file, None without one. For `a.html`, it may be `a/index.html`: in
    URLs with a slash, both are at /a/.
    """
    if page.other_file is None:
        return None
    forms_of_host = policy.locator.served  # its URL forms, None if the host is not known
    if forms_of_host and page.has_clash:  # the files are `a.html` and `a/index.html`
        if not forms_of_host.paths(page.path, has_clash=True):
            # The host shows the page nowhere. Vercel with `cleanUrls` shows only `a.html`.
            return page.exclude_for_other_file(page.location.loc)
        if _keeps_url(page, policy):
            return None
    loc = page.location.loc
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


def _keeps_url(page: CheckedPage, policy: IndexPolicy) -> bool:
    """Says whether a page keeps its URL, if the host shows both `a.html` and `a/index.html`.

    It shows them at different URLs. If the sitemap has the URLs of the host, both pages keep
    theirs. If it has other URLs, such as /a/ for both, only `a/index.html` does.
    """
    lists_urls_of_host = policy.locator.forms is not None
    is_page_of_folder = folder_of(page.path) is not None
    return lists_urls_of_host or is_page_of_folder


SIGNAL = Signal("duplicate", check)
