"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file, its twin, at its URL.

    | where a site has `a.html` and `a/index.html`           | excluded                            |
    |--------------------------------------------------------|-------------------------------------|
    | on a host that shows only one of them                  | the other                           |
    | on a known host, whose URL forms the site takes        | none: they have different URLs      |
    | on a known host, if the user chose a style, such as    | `a.html`, because `a/index.html`    |
    | /a/ for both                                           | keeps the URL                       |
    | on an unknown host, if both have one URL               | the one whose twin is shown there:  |
    |                                                        | `a.html` for /a/                    |
    """
    if page.twin is None:
        return None
    served = policy.locator.served
    if served and page.has_clash:
        own_urls = served.paths(page.path, has_twin=True)
        if not own_urls:  # the host shows only the twin
            return page.exclude_for_twin(page.loc)
        if policy.locator.forms is not None:  # those of the host
            return None
        is_folder_page = folder_of(page.path) is not None
        if is_folder_page:
            return None
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.twin) == loc
    return page.exclude_for_twin(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
