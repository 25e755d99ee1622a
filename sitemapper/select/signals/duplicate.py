"""Two files have one URL, and the server prefers the other."""

from ...model import Excluded
from ...syntax.urls import folder_of
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page if the server shows another file at its URL.

    The other file of `a.html` is `a/index.html`, and the other way round.

    | page           | excluded                                                                   |
    |----------------|----------------------------------------------------------------------------|
    | either of them | if the host never shows it: with `cleanUrls`, Vercel shows only `a.html`   |
    | either of them | not if the site takes its URLs as the host has them: each file has its own |
    | `a/index.html` | not on any other host that we know, so this file keeps the URL             |
    | any other page | if the other file has its URL: `a.html`, if the user lists both at /a/     |

    Only the last row counts on an unknown host, and for another file such as `a/index.htm`.
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
