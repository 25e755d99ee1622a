"""URLs that are not files: `[[urls]]`."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from ..config.settings import ExtraUrl
from ..errors import ConfigError
from ..model import Excluded, Listed, Origin, Reason
from ..read.facts import ReadOptions
from ..read.server import file_for_url_path
from ..read.walk import SiteRoot
from ..syntax import dates
from ..syntax.urls import comparison_key, normalise_extra, relative_path
from .overrides import first_section, format_priority
from .pages import select_file
from .policy import IndexPolicy


class Extra(NamedTuple):
    """A URL to list that is not a file of the site."""

    listed: Listed
    where: Origin

    def undated(self) -> Self:
        """Gives the same URL without its date."""
        return self._replace(listed=self.listed._replace(lastmod=None))


def read(
    urls: Sequence[ExtraUrl], origins: Sequence[Origin], base_url: str, writer: dates.Writer
) -> dict[str, Extra]:
    """Reads the extra URLs of `[[urls]]`, whose lines are `origins`, and sorts them by URL.

    Returns `{comparison key: extra URL}`. The key is the same for all spellings of a URL, such as
    /%7Ea and /~a. If a URL is given twice, the first one counts. Raises ConfigError with all
    errors.
    """
    extra_by_key: dict[str, Extra] = {}
    problems: list[str] = []
    for entry, where in zip(urls, origins, strict=True):
        try:
            listed = _read_entry(entry, base_url, writer)
        except ValueError as error:
            problems.append(f"{where}: {error}")
        else:
            extra_by_key.setdefault(comparison_key(listed.loc), Extra(listed, where))
    if problems:
        raise ConfigError("\n".join(problems))
    return dict(sorted(extra_by_key.items(), key=lambda item: item[1].listed.loc))


def _read_entry(entry: ExtraUrl, base: str, writer: dates.Writer) -> Listed:
    """Makes the entry to list for an extra URL, with its values in the formats of the sitemap.

    Raises ValueError for a value that is wrong, such as a URL on another host.
    """
    loc = _read_value("loc", normalise_extra, entry.loc, base)
    lastmod = None
    if entry.lastmod is not None:
        lastmod = _read_value("lastmod", dates.read, entry.lastmod, writer)
    priority = None
    if entry.priority is not None:
        priority = format_priority(entry.priority)
    path = relative_path(loc.partition("?")[0], base) or ""
    return Listed(path, loc, lastmod, entry.changefreq, priority)


def _read_value(key: str, read: Callable[..., Any], *arguments: Any) -> Any:
    """Calls `read` with the arguments, and puts the key in front of the message of a ValueError.

    "is not on the site's host" → "loc: is not on the site's host".
    """
    try:
        return read(*arguments)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def select_extra(
    extra: Extra,
    policy: IndexPolicy,
    options: ReadOptions,
    root: SiteRoot,
    owner: str | None = None,
) -> Listed | Excluded:
    """Decides whether an extra URL, which the project lists itself, is listed or excluded.

    `owner` is the file of a listed page that has the same URL, None if there is none. The first of
    these rows decides:

    | the extra URL                                    | result                           |
    |--------------------------------------------------|----------------------------------|
    | is the URL of the `owner`                        | excluded as DUPLICATE            |
    | is closed to crawlers by robots.txt              | excluded as ROBOTS               |
    | leads to a file of the site that is not listed   | excluded, with the file's reason |
    | any other                                        | listed, with its section         |

    The `path` of an exclusion is the extra URL in each case, because users know it by this URL.
    """
    listed = extra.listed._replace(section=first_section(policy.sections, extra.listed.path))
    loc = listed.loc
    if owner:
        origin = extra.where._replace(text=f"is the URL of {owner}")  # the user's line of this URL
        return Excluded(loc, Reason.DUPLICATE, origin)
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
