"""Conditions of a rule besides its path, as for the URL of a page: true, false or unknown."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..syntax.linear import linear_matcher
from .host import NOT_UNDERSTOOD
from .tables import tables_of


class Condition(NamedTuple):
    """Whether a condition holds for the pages of the site, None if that is unknown, and why."""

    holds: bool | None
    why: str = ""


ALWAYS = Condition(True)
_OWN_HOST = "is for the host of base_url"


def condition_of(rule: Mapping[str, Any], netloc: str) -> Condition:
    """The condition in `has` and `missing`, as Vercel reads them, for a site with a host name.

    All of `has` must hold, and none of `missing` (vercel.com/docs/project-configuration). A rule
    for the host of base_url counts as unknown: it may take all pages away, if base_url is wrong.
    """
    conditions = list(_conditions(rule, netloc))
    if any(condition.holds is False for condition in conditions):
        return Condition(False)
    reasons = [condition.why for condition in conditions if condition.why]
    if reasons:
        return Condition(None, reasons[0])
    return ALWAYS


def _conditions(rule: Mapping[str, Any], netloc: str) -> Iterator[Condition]:
    """Each condition of a rule."""
    for item in tables_of(rule.get("has")):
        yield _condition(item, netloc)
    for item in tables_of(rule.get("missing")):
        condition = _condition(item, netloc)
        if condition.holds is None:
            yield condition
        else:
            yield Condition(not condition.holds, condition.why)


def _condition(item: Mapping[str, Any], netloc: str) -> Condition:
    """Whether a request has an item: a host name, a query, a cookie or a header."""
    kind = item.get("type")
    value = item.get("value")
    if kind == "query":
        return Condition(False)  # the URL of a page has none
    if kind == "host" and netloc and isinstance(value, str):
        try:
            matches = linear_matcher(f"^(?:{value})$")
        except ValueError:
            return Condition(None, NOT_UNDERSTOOD)
        return Condition(bool(matches(netloc)), _OWN_HOST)
    if kind == "header":
        return Condition(None, f"depends on the header {item.get('key')}")
    if kind == "cookie":
        return Condition(None, "depends on a cookie")
    return Condition(None, "depends on the request")
