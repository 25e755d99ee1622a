"""Whether one file or one URL of the site is listed, apart from a batch and without a date."""

from ..model import Batch, Excluded, Listed, Reason
from ..read.facts import ReadOptions
from ..read.page import PageReader
from ..read.server import file_for_url_path, find_page
from ..read.walk import SiteRoot
from .extra import Extra
from .overrides import first_section
from .pages import SelectedPage, checks_of, find_twin, select_page
from .policy import IndexPolicy


def select_file(
    path: str, policy: IndexPolicy, options: ReadOptions, root: SiteRoot
) -> SelectedPage | None:
    """Decides whether one file of the site is listed, as a build does. None if there is no file.

    Only its signals are read: no date, no images and no language versions. A file that the walk
    ignores is checked like any other.
    """
    page = find_page(root, path)
    if page is None:
        return None
    policy_of_file = policy._replace(versions=None)
    batch = Batch(pages=[page], excluded=(), twins={})
    signals_only = ReadOptions(options.signals, dates=False, digest=None, images=False)
    reader = PageReader(root, signals_only, batch)
    twin = find_twin(page, batch, policy_of_file, root)
    loc = policy.locator.loc(path)
    return select_page(page, loc, twin, policy_of_file, reader, checks_of(policy_of_file))


def select_extra(
    extra: Extra,
    policy: IndexPolicy,
    options: ReadOptions,
    root: SiteRoot,
    owner: str | None = None,
) -> Listed | Excluded:
    """Decides whether an extra URL, which the project lists itself, is listed or excluded.

    a listed page has this URL                       → DUPLICATE; `owner` is the page's path
    robots.txt closes it                             → ROBOTS
    the site has a file there, which is excluded     → the reason of the file, such as NOINDEX
    otherwise                                        → listed, with its section
    """
    listed = extra.listed._replace(section=first_section(policy.sections, extra.listed.path))
    loc = listed.loc
    if owner:
        return Excluded(loc, Reason.DUPLICATE, extra.where._replace(text=f"is the URL of {owner}"))
    if policy.crawling:
        robots_line = policy.crawling.forbids(loc)
        if robots_line:
            return Excluded(loc, Reason.ROBOTS, robots_line)
    path = policy.locator.path_of(loc)
    file = file_for_url_path(root, path) if path is not None else None
    selected = select_file(file, policy, options, root) if file else None
    if selected and isinstance(selected.result, Excluded):
        return selected.result._replace(path=loc)  # it is reported by its URL
    return listed
