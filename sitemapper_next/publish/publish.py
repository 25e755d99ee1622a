"""The front doors: lock, load, compare, guard, write."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..config import Settings
from ..model import Before, Dated, Plan, Run, Site
from ..select import Selected


@contextmanager
def lock(output: str, run: Run) -> Iterator[None]:
    """Locks the output folder during the block, unless the run is dry. Makes the folder."""
    yield


def load(site: Site, run: Run) -> Before:
    """Finds the earlier sitemap, and reads the ledger's rows.

    Raises SitemapperError if it is damaged, or cannot be reached.
    """
    return Before(site.found.config.settings.sitemap.name)


def compare(site: Site, selected: Selected, dated: Dated, before: Before, run: Run) -> Plan:
    """Renders the files, and compares them, and their URLs, with what is there."""
    return Plan(site, site.base_url + before.name, ())


def guard(plan: Plan, settings: Settings) -> None:
    """Raises SitemapperError if the run would lose too much of what was published."""


def write(plan: Plan, run: Run) -> None:
    """Publishes the files of the plan, all in one burst at the end."""
