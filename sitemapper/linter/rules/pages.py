"""What contradicts the pages, for `check`; SM5xx with `--against`."""

from ..model import rules

(
    NO_PAGE, NOINDEX, REDIRECTS, CANONICAL_ELSEWHERE, DISALLOWED, LEFT_OUT, UNLISTED, OTHER_FORM, WRONG_DATE,
) = ALL = rules("""
SM501 error: A listed URL has no page.
Crawlers get a 404 for it, and trust the sitemap less.
Fix: remove the URL. If it is a page without a file, add it to `extra` or [[urls]].

SM502 error: A listed page is noindex.
The sitemap lists a page that its own tag or a header of its host excludes from search.
Fix: remove one of the two.

SM503 error: A listed page redirects.
A sitemap lists the URLs of pages, not the URLs that lead to them.
Fix: list the target instead.

SM504 error: A listed page names another page as its canonical.
Search engines index the other URL.
Fix: list the canonical URL, or correct the canonical.

SM505 error: robots.txt disallows a listed page.
Search engines report the page as submitted but blocked.
Fix: allow it in robots.txt, or remove it from the sitemap.

SM506 error: Your settings exclude a listed page.
It is ignored, unlisted by a rule, a duplicate, or cannot be read or served.
Fix: run `sitemapper explain` to see the line that decides, then remove the URL or change that line.

SM507 error: A page can be indexed but is not listed.
Crawlers can only find it by links.
Fix: list it, mark it as noindex, or add an ignore pattern.

SM508 error: A page is listed under another form of its URL.
It differs by index.html, .html, a final slash or http in most cases. The server redirects, or serves the
page twice.
Fix: list the form that your canonicals and your server use. `url_style` sets it.

SM509 warning: lastmod is wrong.
The content, the commits or the file time of the page show another date.
Search engines that notice stop trusting the dates of the site.
Fix: date pages by `lastmod = ["ledger", ...]` or git.
""")  # fmt: skip

OUT_OF_DATE, REQUIRED = OF_CHECK = rules("""
out-of-date error: A file of the sitemap is out of date.
Fix: run `sitemapper build`, and publish what it writes.

required error: A required page is not listed.
Fix: run `sitemapper explain` on it, or take it out of `required` under [check].
""")
