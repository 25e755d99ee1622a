"""Warnings about a page: of rules of an unknown host, and of canonicals that may be wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from ..messages import Kind, Message
from ..model import Excluded, Reason
from .checked_page import Canonical, CheckedPage
from .policy import IndexPolicy


def warnings_for(
    page: CheckedPage, excluded: Excluded | None, policy: IndexPolicy
) -> Iterator[Message]:
    """Yields warnings about the rules of hosts for a page, and about its canonical.

    `excluded` says why the page is not listed. It is None for a page that is listed. A canonical is
    compared with the URL of a listed page. That of an excluded page matters only if the page is
    excluded because of it.
    """
    yield from _warn_of_hosts(page, excluded)
    yield from _warn_of_catch_all(page, excluded)
    if page.location.is_in_circle and excluded is None:
        yield Message(Kind.CIRCLE, (page.loc,))
    if page.canonical is None:
        return
    if excluded is None:
        yield from _warn_of_url_form(page, page.canonical, policy)
    elif excluded.reason is Reason.CANONICAL:
        yield from _warn_of_target(page, page.canonical, policy)


def _warn_of_hosts(page: CheckedPage, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if the decision on a page may be wrong, because it is not certain which host it is on.

    For example, the file `_redirects` has the rule `/a /b 301` for `a.html`. The site may be on
    Netlify or Cloudflare:

    - Only Netlify follows the rule, so `a.html` is listed. That is wrong if the site is on Netlify.
    - Both follow the rule, so `a.html` is not listed. That is wrong if the site is on neither.

    `excluded` says why the page is not listed. It is None for a page that is listed.
    """
    rules = page.location.rules  # an item for each possible host: its rule, None without one
    # A header with a canonical excludes no page.
    origins = [rule.origin for rule in rules if rule and rule.action is not Reason.CANONICAL]
    if not origins:
        return
    is_listed = excluded is None
    does_one_host_show_it = None in rules
    if is_listed and does_one_host_show_it:
        yield Message(Kind.HOST, (f"{page.path}, listed ({origins[0]})",))
    # Another reason, such as a noindex in the page, counts on all hosts.
    is_rule_the_reason = excluded is not None and excluded.origin == origins[0]
    are_several_possible = len(origins) > 1
    if is_rule_the_reason and are_several_possible:
        yield Message(Kind.HOST, (f"{page.path}, not listed ({origins[0]})",))


def _warn_of_catch_all(page: CheckedPage, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if a rule for all paths redirects or replaces a page.

    For example, `/* / 301` in the file `_redirects` sends every page to the home page. Such a rule
    is usually meant only for URLs without a page. `excluded` is the exclusion of the page, None if
    it is listed. The rule excludes it if both have one line as their origin.
    """
    rule = page.location.deciding_rule
    if excluded is None or rule is None:
        return
    is_reason = excluded.origin == rule.origin
    leads_elsewhere = rule.action in (Reason.REDIRECT, Reason.DUPLICATE)
    if is_reason and leads_elsewhere and rule.source.is_of_all_paths:
        yield Message(Kind.CATCH_ALL, (f"{page.path} ({rule.origin})",))


def _warn_of_url_form(
    page: CheckedPage, canonical: Canonical, policy: IndexPolicy
) -> Iterator[Message]:
    """Warns if the canonical of a listed page is not quite the URL at which visitors get the page.

    For example, `b.html` is listed at `https://a.example/b`, and its canonical is /b.html.
    """
    canonical_loc = canonical.loc(policy.locator.base)  # with the scheme of the site
    listed_loc = page.location.loc
    # The canonical is /b.html, another URL than the listed one.
    is_other_url = canonical_loc != listed_loc
    # The host shows the page elsewhere, and redirects from the URL in the canonical.
    is_shown_elsewhere = not policy.is_shown_at(page, canonical_loc)
    # The canonical is `http://a.example/b`, and the site has https.
    has_other_scheme = not canonical.url.startswith(policy.locator.base)
    if is_other_url or is_shown_elsewhere:
        yield Message(Kind.FORM, (f"{canonical.url}, listed as {listed_loc}",))
    elif has_other_scheme:
        yield Message(Kind.SCHEME, (page.path,))


def _warn_of_target(
    page: CheckedPage, canonical: Canonical, policy: IndexPolicy
) -> Iterator[Message]:
    """Warns of a canonical that names another site, or a page that does not exist."""
    parts = urlsplit(canonical.url)
    if parts.netloc != urlsplit(policy.locator.base).netloc:
        yield Message(Kind.OTHER_ORIGIN, (f"{parts.scheme}://{parts.netloc}",))
    elif canonical.path is not None and canonical.file is None:
        yield Message(Kind.MISSING, (f"{page.path} ({canonical.url})",))
