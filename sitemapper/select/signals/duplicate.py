"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    For example, the site has `a.html` and `a/index.html`, and lists both at /a/. Servers show
    `a/index.html` there, so `a.html` is excluded.
    """
    if page.other_file is None:
        return None
    loc = page.location.loc
    forms_of_host = policy.locator.served  # None if the host is not known
    if page.has_clash and forms_of_host is not None:  # the files are `a.html` and `a/index.html`
        # The host shows only one of them, such as `a.html`: the other one is excluded.
        is_shown = bool(forms_of_host.paths(page.path, has_clash=True))
        if not is_shown:
            return page.exclude_for_other_file(loc)
        # It shows both, and the sitemap lists the URLs at which it does: both stay listed.
        lists_urls_of_host = policy.locator.forms is not None
        if lists_urls_of_host:
            return None
        # The sitemap lists URLs of another style: `a/index.html` keeps the URL of both.
        is_index_page = folder_of(page.path) is not None
        if is_index_page:
            return None
    # Any other page is excluded if the other file has the same URL.
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
