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


class Plan(NamedTuple):
    """What a run needs, compiled once. It can be pickled, so every worker process gets a copy.

    The site and its pages:
    - `site` has the settings that hold, and `root` is its folder with the rules of the walk
    - `beginning` are the first folders of the walk, so that no folder is listed twice
    - `read_options` say what is read of a page, and `policy` whether it is listed
    - `extra` are URLs to list that are no files of the site
    - `shared_texts` are texts that pages of a folder share, for folders whose pages were read
    - `robots` is the host's robots.txt, None if the base URL is not the root of the host
    - `project_file` is a file that shows that the folder is a project and not a built site:
      `hugo.toml`; "" if there is none

    Dates:
    - `date_policy` decides which source dates a page, and `git_maps` name sources for pages
    - `ledger` is the one to read, None for none
    - `key_of_thousandth_page` is its key in walk order, or that of the last page of a smaller site.
      The pages up to it show a run whether nearly all pages changed

    The comparison with the published sitemap:
    - `max_drop` is the percentage of URLs that the sitemap may lose

    Messages and processes:
    - `diagnostics` are warnings and `notes` are notes, which were found before the run
    - `origins` are the files and lines of the user's entries
    - `jobs` is the number of processes, and `scheduler` the address of a cluster, None for none
    - `locks` are file descriptors that worker processes close, so that none keeps a lock
    - `wants_details` collects the details of each batch
    """

    site: Site
    root: walk.SiteRoot
    date_policy: DatePolicy
    read_options: ReadOptions
    policy: IndexPolicy
    extra: dict[str, Extra]
    diagnostics: tuple[Message, ...]
    notes: tuple[Message, ...]
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
    key_of_thousandth_page: bytes
    locks: tuple[int, ...] = ()
    wants_details: bool = False


def with_ledger(plan: Plan, ledger: LedgerFile | None) -> Plan:
    """Returns the plan with another ledger to read, such as a copy of the published one.

    A page that differs from its row in the ledger may get the time of this build as its date. But
    if the ledger is missing or empty, all pages seem to be new, though nobody edited them. So no
    page gets that time, as after a change of nearly all pages by a new theme.
    """
    is_first_run_of_ledger = ledger is not None and is_first_run(ledger.path)
    # The policy for such a change: no page gets the time of the build.
    date_policy = plan.date_policy._replace(is_nearly_all_changed=is_first_run_of_ledger)
    return plan._replace(ledger=ledger, date_policy=date_policy)
