"""The decision about a page. Pure: everything it needs is an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import NamedTuple, cast

from . import rules
from .model import Excluded, LastMod, Listed, Origin, Page, Reason, Verdict
from .rules import Rule
from .urls import MAX_LENGTH, Locator

# What Listed(...) does, without the Python call in between: 0.13 µs for 0.22.
_new_listed = cast(Callable[[tuple[object, ...]], Listed], partial(tuple.__new__, Listed))


class Law(NamedTuple):
    """What verdicts depend on besides the page."""

    rules: tuple[Rule, ...]
    locator: Locator

    @property
    def lists_all(self) -> bool:
        """True if, URL length and twins aside, no page can be excluded or given a value."""
        return not self.rules


def judge(page: Page, loc: str, lastmod: LastMod | None, law: Law, twin: str | None) -> Verdict:
    """Whether the page is listed, and with which values. `twin` may own the page's URL."""
    said = rules.values(law.rules, page.path)
    if not said.list:
        return Excluded(page.path, Reason.RULE, dict(said.origins)["list"])
    if twin is not None and law.locator.form(twin) == law.locator.form(page.path):
        return Excluded(page.path, Reason.DUPLICATE, Origin(twin, None, f"is what {loc} serves"))
    if len(loc) >= MAX_LENGTH:
        return Excluded(page.path, Reason.TOO_LONG, Origin(f"{len(loc)} characters", None, "at most 2,047"))
    return Listed(page.path, loc, said.lastmod or lastmod, said.changefreq, said.priority)


def verdicts(
    pages: Sequence[Page],
    locs: Sequence[str],
    lastmods: Sequence[LastMod | None],
    law: Law,
    twins: Mapping[str, str],
) -> tuple[list[Listed], list[Excluded]]:
    """The verdicts on a batch, the listed and the excluded each in order."""
    if law.lists_all and not twins and max(map(len, locs), default=0) < MAX_LENGTH:
        plain = zip([page.path for page in pages], locs, lastmods, repeat(None), repeat(None))
        return list(map(_new_listed, plain)), []
    listed: list[Listed] = []
    excluded: list[Excluded] = []
    for page, loc, lastmod in zip(pages, locs, lastmods, strict=True):
        match judge(page, loc, lastmod, law, twins.get(page.path)):
            case Listed() as entry:
                listed.append(entry)
            case Excluded() as verdict:
                excluded.append(verdict)
    return listed, excluded
