"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file of the site at its URL.

    `page.other_file` is that file, None without one. For `a.html` and `a/index.html`:

    | the host                | the sitemap has      | the result                                  |
    |-------------------------|----------------------|---------------------------------------------|
    | shows only `a.html`     | any URLs             | `a/index.html` is excluded                  |
    | shows both, at two URLs | the URLs of the host | both stay listed                            |
    | shows both, at two URLs | other URLs           | `a.html` is excluded, if both would be /a/  |
    | is not known            | any URLs             | `a.html` is excluded, if both would be /a/  |
    """
    if page.other_file is None:
        return None
    loc = page.location.loc
    forms_of_host = policy.locator.served  # None if the host is not known
    if page.has_clash and forms_of_host is not None:  # the files are `a.html` and `a/index.html`
        if not forms_of_host.paths(page.path, has_clash=True):  # the host shows the page nowhere
            return page.exclude_for_other_file(loc)
        lists_urls_of_host = policy.locator.forms is not None
        is_page_of_folder = folder_of(page.path) is not None
        if lists_urls_of_host or is_page_of_folder:
            return None
    has_same_url = policy.locator.loc(page.other_file) == loc
    return page.exclude_for_other_file(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
