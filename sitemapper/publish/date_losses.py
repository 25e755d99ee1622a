"""What a run does to published dates: how many go, and how many become older."""

from collections.abc import Iterator

from ..errors import GuardError
from ..lastmod.undated import FETCH_HISTORY, describe_causes, how_to_date
from ..messages import Kind, Message
from ..model import UrlChange
from ..plan import Plan
from ..syntax.dates import moment
from ..tally import Tally
from .losses import is_loss
from .previous import Previous

_MAX_OLDER = 10  # percent of the published dates
_ONCE = "if this is intended, run once with --max-drop 100"


class DateLosses:
    """Counts the dates that URLs lose while they stay listed, and those that become older."""

    def __init__(self, previous: Previous) -> None:
        self._previous = previous
        self._gone_with_urls = 0
        self._lost = 0
        self._older = 0
        self._first_lost = ""
        self._first_older = ""

    def add(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Counts one change to a URL, with its dates before and after."""
        then = moment(before)
        if then is None:
            return
        if change is UrlChange.REMOVED:
            self._gone_with_urls += 1
        elif change is UrlChange.CHANGED:
            now = moment(after)
            if now is None:
                self._lost += 1
                self._first_lost = self._first_lost or url
            elif now < then:
                self._older += 1
                self._first_older = self._first_older or f"{url}: {before} -> {after}"

    def check(self, tally: Tally, plan: Plan, max_drop: float) -> None:
        """Raises GuardError if more than `max_drop` percent of the published dates would go.

        Where the configuration says that no dates are wanted, none is lost.
        """
        if not self._lost or plan.site.wants_no_dates:
            return
        published = self._count_published()
        if not is_loss(published, published - self._lost, max_drop):
            return
        cause, step = _explain_loss(tally, plan)
        raise GuardError(
            f"{plan.site.root}: {self._lost:,} of {published:,} published dates would go, the "
            f"first of {self._first_lost}, so nothing was published: {cause}",
            f"{step}; {_ONCE}" if step else _ONCE,
        )

    def warnings(self) -> Iterator[Message]:
        """A warning if many published dates become older."""
        if not self._older:
            return
        published = self._count_published()
        if self._older * 100 > _MAX_OLDER * published:
            about = f"{self._older:,} of {published:,}, the first is {self._first_older}"
            yield Message(Kind.OLDER, (about,))

    def _count_published(self) -> int:
        """The number of published dates of URLs that are still listed."""
        return self._previous.count_dates() - self._gone_with_urls


def _explain_loss(tally: Tally, plan: Plan) -> tuple[str, str]:
    """Why pages have lost their dates, and what to do, "" if that is not known."""
    site = plan.site
    if not site.date_sources:
        return "no source of dates was asked for", "leave out --no-lastmod"
    for message in tally.warnings:
        if message.kind is Kind.SHALLOW:
            pages = f"{message.cases:,} pages" if message.cases > 1 else "1 page"
            cause = f"git: this is a shallow clone, without the commits that changed {pages}"
            return cause, FETCH_HISTORY
    if tally.no_git:
        return tally.no_git.cause, tally.no_git.step
    if tally.omitted:
        step = how_to_date(tally.omitted, site, tally.no_git)
        return describe_causes(tally.omitted), step
    step = "if they came from another source, name it in lastmod again"
    return f"no date from {', '.join(site.date_sources)}", step
