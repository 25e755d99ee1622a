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
    forms_of_host = policy.locator.served  # the URL forms of the host, None if it is not known
    if forms_of_host and page.has_clash:  # the files are `a.html` and `a/index.html`
        is_shown = forms_of_host.paths(page.path, has_clash=True) != ()
        if not is_shown:  # with `cleanUrls`, Vercel never shows `a/index.html` beside `a.html`
            return page.exclude_for_other_file(page.loc)
        # The host shows the two files at different URLs. If the sitemap has other URLs (`forms` is
        # None), both files may have the same one. Then `a/index.html` keeps it.
        is_page_of_folder = folder_of(page.path) is not None
        if policy.locator.forms is not None or is_page_of_folder:
            return None
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
