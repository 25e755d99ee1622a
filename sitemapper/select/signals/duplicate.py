"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    `page.other_file` is the other file, None without one. A known host may treat `a.html` and
    `a/index.html` in its own way:

    1. The host shows only one of the two, such as `a.html`: the other one is excluded.
    2. It shows both, at two URLs, and the sitemap lists these URLs: both stay listed.
    3. It shows both, but the sitemap lists URLs of another style: `a/index.html` stays listed, and
       `a.html` is excluded if both would have the same URL, such as /a/.

    On an unknown host, or for other files, a page is excluded if both would have the same URL.
    """
    if page.other_file is None:
        return None
    loc = page.location.loc
    forms_of_host = policy.locator.served  # None if the host is not known
    if page.has_clash and forms_of_host is not None:  # the files are `a.html` and `a/index.html`
        is_shown = bool(forms_of_host.paths(page.path, has_clash=True))
        if not is_shown:
            return page.exclude_for_other_file(loc)
        lists_urls_of_host = policy.locator.forms is not None
        is_index_page = folder_of(page.path) is not None  # `a/index.html`
        if lists_urls_of_host or is_index_page:
            return None
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
