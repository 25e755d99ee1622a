"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of, is_clash
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file, its twin, at its URL.

    `a.html` is excluded in the style /a/, because /a/ shows `a/index.html`. On a known host, its
    URL forms decide which of the two files is shown at all.
    """
    if page.twin is None:
        return None
    served = policy.locator.served
    if served and is_clash(page.path, page.twin):
        own_urls = served.paths(page.path, has_twin=True)
        if not own_urls:  # the host shows only the twin
            return page.exclude_for_twin(page.loc)
        # The forms of a host give the two files different URLs.
        has_form_of_host = policy.locator.forms is not None
        # A style that a person sets may give both files one URL. Then the folder's page has it.
        is_folder_page = folder_of(page.path) is not None
        if has_form_of_host or is_folder_page:
            return None
    loc = page.canonical_loc(policy)
    has_same_url = policy.locator.loc(page.twin) == loc
    return page.exclude_for_twin(loc) if has_same_url else None


SIGNAL = Signal("duplicate", check)
