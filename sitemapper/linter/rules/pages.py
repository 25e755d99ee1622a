"""SM5xx: a sitemap that disagrees with the pages; found by `check --against`."""

from __future__ import annotations

from sitemapper.linter.facts import Fault
from sitemapper.linter.rule import Rule, Severity


class NoPage(Fault):
    """A URL is listed, but the site has no such page.

    Crawlers get a 404 from it, and stop trusting the sitemap.
    Fix: take the URL out; if it is no file, name it in `extra` or [[urls]].
    """


class Noindex(Fault):
    """A listed page says noindex.

    The sitemap asks to index what the page, or a header of its host, forbids to index.
    Fix: take one of the two away.
    """


class Redirects(Fault):
    """A listed page redirects.

    A sitemap lists addresses where pages are, not where they were.
    Fix: list the target in its place.
    """


class CanonicalElsewhere(Fault):
    """A listed page names another page as its canonical.

    The page itself says that the other URL is the one to index.
    Fix: list the canonical, or mend it.
    """


class Disallowed(Fault):
    """robots.txt keeps crawlers from a listed page.

    It is reported as submitted but blocked.
    Fix: open it in robots.txt, or take it out of the sitemap.
    """


class LeftOut(Fault):
    """A page is listed that your settings leave out.

    It is ignored, unlisted by a rule, a duplicate, or no page that can be read or served.
    Fix: `sitemapper explain` tells which line decides; take the URL out, or change that line.
    """


class Unlisted(Fault):
    """A page can be indexed, but is not listed.

    Crawlers have to find it by links.
    Fix: list it, or say noindex, or add an ignore pattern.
    """


class OtherForm(Fault):
    """A page is listed under another form of its URL.

    Mostly index.html, .html, a final slash or http: the server redirects, or serves the page twice.
    Fix: list the form that your canonicals and your server use; url_style says which that is here.
    """


class WrongDate(Fault):
    """A lastmod that does not hold.

    It claims a change that the page's content, its commits or its file know nothing of, or misses one; search
    engines that notice believe no date of the site.
    Fix: date pages by `lastmod = ["ledger", ...]` or git.
    """


MISMATCHES = (
    Rule("SM501", Severity.ERROR, NoPage),
    Rule("SM502", Severity.ERROR, Noindex),
    Rule("SM503", Severity.ERROR, Redirects),
    Rule("SM504", Severity.ERROR, CanonicalElsewhere),
    Rule("SM505", Severity.ERROR, Disallowed),
    Rule("SM506", Severity.ERROR, LeftOut),
    Rule("SM507", Severity.ERROR, Unlisted),
    Rule("SM508", Severity.ERROR, OtherForm),
    Rule("SM509", Severity.WARNING, WrongDate),
)
