"""The result of a build or a check, counted once for all formats."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ..commands.build import Summary
from ..messages import Message
from ..model import Change, Excluded, Reason

Key = TypeVar("Key")
KINDS = ("added", "changed", "removed")
# What became of gone URLs: what a person has to mend comes first.
FATES = {
    "lost": "lost",
    "moved": "moved",
    "excluded": "excluded",
    "redirected": "redirected",
    "form": "in another form",
}
FEW = 20  # lines of one kind that a person sees without --verbose


class Result(NamedTuple):
    """What a run found and did. A check `is_dry`, too."""

    command: str
    summary: Summary
    changes: Sequence[Change]  # from nothing at the first build, when all URLs are added
    cwd: str
    seconds: float
    is_dry: bool
    is_verbose: bool
    stopped: str  # why a build would publish nothing, "" if it would

    @property
    def differs(self) -> bool:
        """Whether a build would change a file or, of a sitemap elsewhere, a URL or a date."""
        plan = self.summary.plan
        return bool(plan.changes) if plan.compared_with else plan.is_changed

    @property
    def is_same(self) -> bool:
        """Whether a check found nothing."""
        return not self.differs and not self.summary.missing

    def excluded(self) -> Mapping[Reason, int]:
        """Counts excluded pages by reason. Folders that were not entered are no pages."""
        pages = [one for one in self.summary.selected.excluded if not is_folder(one)]
        return tally((one.reason for one in pages), Reason)

    def changed(self) -> Mapping[str, int]:
        """Counts changed URLs by kind."""
        return tally((one.kind for one in self.changes), KINDS)

    def dated(self, *, has_date: bool) -> Mapping[str, int]:
        """Counts dated URLs by source, or those without a date by cause."""
        entries = self.summary.dated.entries
        sources = [one.source for one in entries if (one.lastmod is not None) is has_date]
        return tally(sources, sorted({*sources} - {""}))

    @property
    def messages(self) -> list[Message]:
        """The messages, warnings first; before all others that of a wrong layout."""
        return sorted(
            self.summary.messages,
            key=lambda one: (one.code != "default-canonical", one.severity != "warning"),
        )


def tally(items: Iterable[Key], order: Iterable[Key]) -> Mapping[Key, int]:
    """Counts items in an order, without zeros."""
    counts = Counter(items)
    return {key: counts[key] for key in order if counts[key]}


def amounts(counts: Mapping[str, int]) -> str:
    """Writes numbers with their names: `2 added, 1 removed`."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def is_folder(one: Excluded) -> bool:
    """Whether this is a folder that was not entered, and no page."""
    return one.path.endswith("/") and "://" not in one.path
