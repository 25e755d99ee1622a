"""A meta refresh leads to another page."""

from ...model import Excluded, Reason
from ...read.metadata import read_refresh
from ...syntax.links import base_of
from ...syntax.urls import relative_path, resolve
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that redirects to another one by `<meta http-equiv="refresh">`.

    A page that only reloads itself is listed, as is one with an invalid target.
    """
    target = page.text_of("refresh")
    if target is None:
        return None
    url = resolve(target, base_of(page.facts.metadata, page.loc))
    if url is None or _leads_to_itself(page, url, policy):
        return None
    return page.exclude(Reason.REDIRECT, f'<meta http-equiv="refresh"> to {target}')


def _leads_to_itself(page: CheckedPage, url: str, policy: IndexPolicy) -> bool:
    """Says whether a server may show the page itself at a URL, with or without a query.

    For `b.html`, that is so at /b.html, /b and /b/. But if the site also has `b/index.html`, the
    server shows that other file at /b/.
    """
    path = relative_path(url.partition("?")[0], policy.locator.base)
    if path not in policy.locator.served_paths(page.path):
        return False
    if page.other_file is None:
        return True
    # The first path is the one at which every server shows the file: `b/` for `b/index.html`.
    main_path_of_other = policy.locator.served_paths(page.other_file)[0]
    return path != main_path_of_other


# The home page of a site is followed too, on a lower floor, so read/metadata.py has the reader.
SIGNAL = Signal("refresh", check, words=(b"refresh",), read=read_refresh, switch="refresh")
