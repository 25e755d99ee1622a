"""robots.txt closes the URL to all crawlers (RFC 9309)."""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that robots.txt closes to all crawlers.

    The origin is the line that closes it, such as `Disallow: /drafts/`.
    """
    if policy.crawling is None:
        return None
    line = policy.crawling.forbids(page.loc)
    return Excluded(page.path, Reason.ROBOTS, line) if line else None


def closes_urls(policy: IndexPolicy) -> bool:
    """Says whether the site has a robots.txt that can close URLs."""
    return policy.crawling is not None


SIGNAL = Signal("robots", check, switch="robots", decides_by_path=closes_urls, is_only_of_path=True)
