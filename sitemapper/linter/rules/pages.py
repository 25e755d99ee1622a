"""Rules about what does not agree with the pages, for `check`; SM5xx with `--against`."""

from ..model import Rule, Severity

NO_PAGE = Rule(
    "SM501",
    Severity.ERROR,
    "A listed URL has no page.",
    reason="Crawlers get a 404 for it, and trust the sitemap less.",
    fix="remove the URL. If it is a page without a file, add it to `extra` or [[urls]].",
)
NOINDEX = Rule(
    "SM502",
    Severity.ERROR,
    "A listed page is noindex.",
    reason=(
        "The sitemap lists a page that its own tag or a header of its host excludes from search."
    ),
    fix="remove the noindex, or remove the URL from the sitemap.",
)
REDIRECTS = Rule(
    "SM503",
    Severity.ERROR,
    "A listed page redirects.",
    reason="A sitemap lists the URLs of pages, not the URLs that lead to them.",
    fix="list the target instead.",
)
CANONICAL_ELSEWHERE = Rule(
    "SM504",
    Severity.ERROR,
    "A listed page names another page as its canonical.",
    reason="Search engines index the other URL.",
    fix="list the canonical URL, or correct the canonical.",
)
DISALLOWED = Rule(
    "SM505",
    Severity.ERROR,
    "The site's robots.txt disallows a listed page.",
    reason=(
        "The other tool's sitemap contradicts it. Search engines report the page as submitted but "
        "blocked."
    ),
    fix="allow it in robots.txt, or remove it from the sitemap.",
)
LEFT_OUT = Rule(
    "SM506",
    Severity.ERROR,
    "Your settings exclude a listed page.",
    reason="It is ignored, unlisted by a rule, a duplicate, or cannot be read or served.",
    fix=(
        "run `sitemapper explain` to see the line that decides, then remove the URL or change "
        "that line."
    ),
)
UNLISTED = Rule(
    "SM507",
    Severity.ERROR,
    "A page can be indexed but is not listed.",
    reason="Crawlers can only find it by links.",
    fix="list it, mark it as noindex, or add an ignore pattern.",
)
OTHER_FORM = Rule(
    "SM508",
    Severity.ERROR,
    "A page is listed under another form of its URL.",
    reason=(
        "The two URLs usually differ in index.html, .html, a final slash or http. The server "
        "redirects from\n"
        "one to the other, or serves the page twice."
    ),
    fix="list the form that your canonicals and your server use. `url_style` sets it.",
)
WRONG_DATE = Rule(
    "SM509",
    Severity.WARNING,
    "lastmod is wrong.",
    reason=(
        "The content, the commits or the file time of the page show another date.\n"
        "Search engines that notice stop trusting the dates of the site."
    ),
    fix='date pages by `lastmod = ["ledger", ...]` or git.',
)
ALL = (
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

OUT_OF_DATE = Rule(
    "out-of-date",
    Severity.ERROR,
    "A file of the sitemap is out of date.",
    fix="run `sitemapper build`, and publish what it writes.",
)
REQUIRED = Rule(
    "required",
    Severity.ERROR,
    "A required page is not listed.",
    fix="run `sitemapper explain` on it, or take it out of `required` under [check].",
)
LOST = Rule(
    "lost",
    Severity.WARNING,
    "A published URL leads nowhere now.",
    fix="redirect it, or list it in `gone` under [check].",
)
MOVED = Rule(
    "moved",
    Severity.WARNING,
    "A published page has another URL now, without a redirect.",
    fix="redirect the old URL to the new one.",
)
OF_CHECK = (
    OUT_OF_DATE,
    REQUIRED,
    LOST,
    MOVED,
)
