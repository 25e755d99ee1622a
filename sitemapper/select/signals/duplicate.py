"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    `page.other_file` is this file, None without one. A site may have `a.html` and `a/index.html`,
    a clash of names. On a known host, the first of these that applies decides about such a page:

    1. The host never shows the page: excluded. With `cleanUrls`, Vercel shows only `a.html`.
    2. The site lists pages at the URLs of the host: kept, because each file has a URL of its own.
    3. The page is `a/index.html`: kept. The hosts that show both files prefer this one at /a/.

    In all other cases, the page is excluded if both files would be listed at one URL. `a.html` is,
    if the user has chosen URLs with a slash: both would be at /a/.
    """
    if page.other_file is None:
        return None
    served_forms = policy.locator.served  # the URL forms of the host, None for an unknown host
    if served_forms and page.has_clash:
        own_urls = served_forms.paths(page.path, has_clash=True)
        if not own_urls:
            return page.exclude_for_other_file(page.loc)
        has_urls_of_host = policy.locator.forms is not None  # and not a style of the user
        is_folder_page = folder_of(page.path) is not None
        if has_urls_of_host or is_folder_page:
            return None
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
