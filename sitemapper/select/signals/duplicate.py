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
    # A known host shows `a.html` beside `a/index.html` in its own way.
    forms_of_host = policy.locator.served  # its URL forms, None if the host is not known
    if forms_of_host and page.has_clash:
        shown_paths = forms_of_host.paths(page.path, has_clash=True)
        if not shown_paths:
            # With `cleanUrls`, Vercel shows only `a.html`.
            return page.exclude_for_other_file(page.loc)
        lists_urls_of_host = policy.locator.forms is not None
        if lists_urls_of_host:
            return None  # the sitemap has the URLs of the host, which differ for the two files
        is_page_of_folder = folder_of(page.path) is not None
        if is_page_of_folder:
            return None  # all hosts that show both files show `a/index.html` at /a/
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
