"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    `page.other_file` is that file, None without one. If the site has both `a.html` and
    `a/index.html`, and the host is known, the first of these that applies decides:

    1. The host shows only the other file: excluded. With `cleanUrls`, Vercel shows only `a.html`.
    2. The URLs in the sitemap are those of the host: kept, because the two files have different
       ones.
    3. The page is `a/index.html`: kept. All hosts that show both files show this one at /a/.

    All other pages are excluded only if both files would be listed at the same URL (4). For
    `a.html`, that is so if the user has chosen URLs with a slash: both would be at /a/.
    """
    if page.other_file is None:
        return None
    served_forms = policy.locator.served  # the URL forms of the host, None for an unknown host
    if served_forms and page.has_clash:
        shown_paths = served_forms.paths(page.path, has_clash=True)
        if not shown_paths:
            return page.exclude_for_other_file(page.loc)  # 1.
        lists_urls_of_host = policy.locator.forms is not None
        if lists_urls_of_host:
            return None  # 2.
        is_page_of_folder = folder_of(page.path) is not None
        if is_page_of_folder:
            return None  # 3.
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None  # 4.


SIGNAL = Signal("duplicate", check)
