"""SM5xx: a sitemap that contradicts the pages, for `check --against`."""

from __future__ import annotations

from ..rule import Rule, Severity

NO_PAGE = Rule(
    "SM501",
    """A listed URL has no page.

    Crawlers get a 404 for it, and trust the sitemap less.
    Fix: remove the URL. If it is a page without a file, add it to `extra` or [[urls]].
    """,
)

NOINDEX = Rule(
    "SM502",
    """A listed page is noindex.

    The sitemap lists a page that its own tag or a header of its host excludes from search.
    Fix: remove one of the two.
    """,
)

REDIRECTS = Rule(
    "SM503",
    """A listed page redirects.

    A sitemap lists the URLs of pages, not the URLs that lead to them.
    Fix: list the target instead.
    """,
)

CANONICAL_ELSEWHERE = Rule(
    "SM504",
    """A listed page names another page as its canonical.

    Search engines index the other URL.
    Fix: list the canonical URL, or correct the canonical.
    """,
)

DISALLOWED = Rule(
    "SM505",
    """robots.txt disallows a listed page.

    Search engines report the page as submitted but blocked.
    Fix: allow it in robots.txt, or remove it from the sitemap.
    """,
)

LEFT_OUT = Rule(
    "SM506",
    """Your settings exclude a listed page.

    It is ignored, unlisted by a rule, a duplicate, or cannot be read or served.
    Fix: run `sitemapper explain` to see the line that decides, then remove the URL or change that line.
    """,
)

UNLISTED = Rule(
    "SM507",
    """A page can be indexed but is not listed.

    Crawlers can only find it by links.
    Fix: list it, mark it as noindex, or add an ignore pattern.
    """,
)

OTHER_FORM = Rule(
    "SM508",
    """A page is listed under another form of its URL.

    It differs by index.html, .html, a final slash or http in most cases. The server redirects, or serves the
    page twice.
    Fix: list the form that your canonicals and your server use. `url_style` sets it.
    """,
)

WRONG_DATE = Rule(
    "SM509",
    """lastmod is wrong.

    The content, the commits or the file time of the page show another date.
    Search engines that notice stop trusting the dates of the site.
    Fix: date pages by `lastmod = ["ledger", ...]` or git.
    """,
    Severity.WARNING,
)


OF_PAGES = (
    NO_PAGE,
    NOINDEX,
    REDIRECTS,
    CANONICAL_ELSEWHERE,
    DISALLOWED,
    LEFT_OUT,
    UNLISTED,
    OTHER_FORM,
    WRONG_DATE,
)
