"""What every stage of a run needs: the site, and its rules compiled."""

from typing import NamedTuple

from .config.settings import GitMap
from .lastmod.ledger import LedgerFile, is_first_run
from .lastmod.sources import DatePolicy
from .messages import Message
from .read import walk
from .read.facts import ReadOptions
from .read.shared_text import SharedTexts
from .select.extra import Extra
from .select.policy import IndexPolicy
from .site import Origins, RobotsFile, Site
from .syntax.gitignore import Patterns


class Plan(NamedTuple):
    """What a run needs, compiled once; picklable, so that any worker can use it.

    `started` is the time of the run in ns. `gone` are the patterns of URLs that are gone on
    purpose, and `max_drop` is the percentage of URLs that the sitemap may lose. `project_file` is a
    file in the site's folder that shows that it is a project and not a built site, "" if there is
    none. `robots` is the host's robots.txt, None if the base URL is not the root of the host.
    `ledger` is the one to read. `origins` tell where the user's entries stand. `locks` are
    descriptors that no other process may keep open. With `wants_details`, the details of each batch
    are collected. `shared_texts` are those of folders of which pages were read. `beginning` is that
    of the walk, so that no folder is listed twice. `last_compared` is the place in walk order of
    the last page that tells whether nearly all pages changed.
    """

    site: Site
    root: walk.SiteRoot
    date_policy: DatePolicy
    read_options: ReadOptions
    policy: IndexPolicy
    extra: dict[str, Extra]
    diagnostics: tuple[Message, ...]
    notes: tuple[Message, ...]
    started: int
    gone: Patterns
    max_drop: float
    project_file: str
    robots: RobotsFile | None
    ledger: LedgerFile | None
    git_maps: tuple[GitMap, ...]
    origins: Origins
    jobs: int
    scheduler: str | None
    shared_texts: SharedTexts
    beginning: walk.Beginning
    last_compared: bytes
    locks: tuple[int, ...] = ()
    wants_details: bool = False


def with_ledger(plan: Plan, ledger: LedgerFile | None) -> Plan:
    """Replaces the ledger of a plan, as by the copy of the live one.

    What the plan knows of the first run of a ledger is adapted, because a first run has no earlier
    contents to compare with.
    """
    date_policy = plan.date_policy._replace(is_nearly_all_changed=is_first_run_of(ledger))
    return plan._replace(ledger=ledger, date_policy=date_policy)


def is_first_run_of(file: LedgerFile | None) -> bool:
    """Whether a ledger is used, and this run is the first to write it: it is missing or empty."""
    return file is not None and is_first_run(file.path)
