"""`check`: whether a build would change the published files."""

from datetime import datetime
from typing import NamedTuple

from ..errors import GuardError, PreviousError, SitemapperError
from ..find.load import Setup
from ..model import Change, Summary
from ..observer import Observer
from .build import build
from .explain import list_missing


class Checked(NamedTuple):
    """What a build would change, and a sentence for each URL of `[check] required` not listed."""

    summary: Summary
    missing: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether a build would write nothing, and all required URLs are listed.

        If `previous` names a sitemap from elsewhere, the files in the output folder do not count.
        Then the sitemap from elsewhere has to have the same URLs and dates.
        """
        if self.missing:
            return False
        if self.summary.compared_with:
            return not any(self.summary.changes.values())
        return all(file.change is Change.KEPT for file in self.summary.files)


def check(setup: Setup, *, now: datetime, observer: Observer | None = None) -> Checked:
    """Compares the published files with what `build` would write, by a dry run of `build`.

    `observer` is called for each event. Raises SitemapperError for whatever would stop a build.
    """
    setup = setup._replace(run=setup.run._replace(is_check=True))
    try:
        summary = build(setup, now=now, dry_run=True, observer=observer)
    except PreviousError as error:
        raise SitemapperError(error.problem, error.help) from None
    except GuardError as error:
        raise GuardError(f"a build would stop here: {error}") from None
    return Checked(summary, tuple(list_missing(setup, now)))
