"""Warnings about a verdict: rules of an unknown host, and suspicious canonicals. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from ..messages import Kind, Message
from ..model import Excluded, Reason
from .candidate import Candidate, Canonical
from .policy import IndexPolicy


def warnings_for(
    page: Candidate, excluded: Excluded | None, policy: IndexPolicy
) -> Iterator[Message]:
    """Warnings about the verdict on a page, `excluded` or listed."""
    yield from _about_hosts(page, excluded)
    yield from _about_catch_all(page, excluded)
    if page.is_in_circle and excluded is None:
        yield Message(Kind.CIRCLE, (page.loc,))
    if page.canonical is None:
        return
    if excluded is None:
        yield from _about_listed_form(page, page.canonical, policy)
    elif excluded.reason is Reason.CANONICAL:
        yield from _about_target(page, page.canonical, policy)


def _about_hosts(page: Candidate, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if the verdict on a page depends on which of several possible hosts serves the site.

    A listed page: some hosts would not show it. An excluded page: the first rule of the hosts
    decided.
    """
    rules = [rule.origin for rule in page.rules if rule and rule.action is not Reason.CANONICAL]
    if not rules:
        return
    if excluded is None:
        if None in page.rules:
            yield Message(Kind.HOST, (f"{page.path}, listed ({rules[0]})",))
    elif len(rules) > 1 and excluded.origin == rules[0]:
        yield Message(Kind.HOST, (f"{page.path}, not listed ({rules[0]})",))


def _about_catch_all(page: Candidate, excluded: Excluded | None) -> Iterator[Message]:
    """Warns if a rule that is meant for missing pages, such as `/* / 301`, takes a page away."""
    rule = page.rules[0] if page.rules else None
    if excluded is None or rule is None or rule.action not in (Reason.REDIRECT, Reason.DUPLICATE):
        return
    if rule.source.is_of_all_paths and excluded.origin == rule.origin:
        yield Message(Kind.CATCH_ALL, (f"{page.path} ({rule.origin})",))


def _about_listed_form(
    page: Candidate, canonical: Canonical, policy: IndexPolicy
) -> Iterator[Message]:
    """Warns of a canonical in another form or scheme than the URL that is listed."""
    if not canonical.is_shown:
        yield Message(Kind.FORM, (f"{canonical.url}, listed as {page.loc}",))
    elif not canonical.url.startswith(policy.locator.base):
        yield Message(Kind.SCHEME, (page.path,))


def _about_target(page: Candidate, canonical: Canonical, policy: IndexPolicy) -> Iterator[Message]:
    """Warns of a canonical that names another site, or a page that does not exist."""
    parts = urlsplit(canonical.url)
    if parts.netloc != urlsplit(policy.locator.base).netloc:
        yield Message(Kind.OTHER_ORIGIN, (f"{parts.scheme}://{parts.netloc}",))
    elif canonical.path is not None and canonical.file is None:
        yield Message(Kind.MISSING, (f"{page.path} ({canonical.url})",))
