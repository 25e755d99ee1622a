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
    """Yields warnings about what hosts may do with a page, and about its canonical.

    `excluded` says why the page is not listed. It is None for a page that is listed.
    """
    yield from _warn_of_hosts(page, excluded)
    yield from _warn_of_catch_all(page, excluded)
    if page.is_in_circle and excluded is None:
        yield Message(Kind.CIRCLE, (page.loc,))
    if page.canonical is None:
        return
    if excluded is None:
        yield from _warn_of_url_form(page, page.canonical, policy)
    elif excluded.reason is Reason.CANONICAL:
        yield from _warn_of_target(page, page.canonical, policy)


def _warn_of_hosts(page: CheckedPage, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if several hosts may serve the site, and their rules are about this page.

    A listed page is shown by one of them, and taken away by another. An excluded page is taken away
    by all of them, but if the site is on none of these, it should be listed. The message names the
    first rule: `a.html, listed (_redirects:3)`.
    """
    rules = [rule.origin for rule in page.rules if rule and rule.action is not Reason.CANONICAL]
    if not rules:
        return
    is_shown_by_one = None in page.rules
    if excluded is None and is_shown_by_one:
        yield Message(Kind.HOST, (f"{page.path}, listed ({rules[0]})",))
    elif excluded and excluded.origin == rules[0] and len(rules) > 1:
        yield Message(Kind.HOST, (f"{page.path}, not listed ({rules[0]})",))


def _warn_of_catch_all(page: CheckedPage, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if a rule for all paths takes a page away, because it is meant for missing pages.

    `/* / 301` in a `_redirects`, for instance, redirects every page to the home page.
    """
    rule = page.rules[0] if page.rules else None
    if excluded is None or rule is None:
        return
    is_reason = excluded.origin == rule.origin
    leads_elsewhere = rule.action in (Reason.REDIRECT, Reason.DUPLICATE)
    if is_reason and leads_elsewhere and rule.source.is_of_all_paths:
        yield Message(Kind.CATCH_ALL, (f"{page.path} ({rule.origin})",))


def _warn_of_url_form(
    page: CheckedPage, canonical: Canonical, policy: IndexPolicy
) -> Iterator[Message]:
    """Warns if a listed page's own canonical names another URL than the one that is listed.

    The canonical may be a URL from which the host redirects, as from /b.html to /b, or have http in
    place of https.
    """
    if not canonical.is_shown:
        yield Message(Kind.FORM, (f"{canonical.url}, listed as {page.loc}",))
    elif not canonical.url.startswith(policy.locator.base):
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
