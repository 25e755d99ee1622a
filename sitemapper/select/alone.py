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
    """Whether a file of the site is listed, and why not. None if the site has no such file.

    Reads its head at most. It does not matter whether the walk ignores it.
    """
    page = find_page(root, path)
    if page is None:
        return None
    policy = policy._replace(versions=None)
    batch = Batch([page], (), {})
    options = ReadOptions(options.signals, dates=False, digest=None, images=False)
    reader = PageReader(root, options, batch)
    twin = find_twin(page, batch, policy, root)
    return select_page(page, policy.locator.loc(path), twin, policy, reader, checks_of(policy))


def select_extra(
    extra: Extra,
    policy: IndexPolicy,
    options: ReadOptions,
    root: SiteRoot,
    owner: str | None = None,
) -> Listed | Excluded:
    """Whether an extra URL is listed.

    It is not if a page has this URL, if robots.txt closes it, or if the site has a file at it that
    is excluded. `owner` is the path of the page that has this URL, None if there is none.
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
        return selected.result._replace(path=loc)
    return listed
