"""URLs that are not files: `[[urls]]` and the lists in `extra`."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple, Self

from ..config.settings import ExtraUrl
from ..errors import ConfigError
from ..fs import regular, relative
from ..model import Excluded, Listed, Origin, Reason
from ..read.facts import ReadOptions
from ..read.server import file_for_url_path
from ..read.walk import SiteRoot
from ..syntax import dates
from ..syntax.urls import comparison_key, normalise_extra, relative_path
from .overrides import first_section, format_priority, read_changefreq
from .pages import select_file
from .policy import IndexPolicy

_COLUMNS = ("loc", "lastmod", "changefreq", "priority")


class RawUrl(NamedTuple):
    """A URL as written by the user, with its origin."""

    where: Origin
    loc: str
    lastmod: date | str | None = None
    changefreq: str | None = None
    priority: str | float | None = None


class Extra(NamedTuple):
    """A URL to list that is not a file of the site."""

    listed: Listed
    where: Origin

    def undated(self) -> Self:
        """Gives the same URL without its date."""
        return self._replace(listed=self.listed._replace(lastmod=None))


class ExtraSource(NamedTuple):
    """Where extra URLs come from: `[[urls]]` with their origins, and the files of `extra`."""

    urls: Sequence[ExtraUrl]
    origins: Sequence[Origin]
    files: Sequence[str]


def read(source: ExtraSource, base_url: str, cwd: str, writer: dates.Writer) -> dict[str, Extra]:
    """Reads the extra URLs of `[[urls]]` and of the lists in `extra`, sorted by URL.

    Returns `{comparison key: extra URL}`. The key is the same for all spellings of a URL, such as
    /%7Ea and /~a. If a URL is given twice, the first one counts. Messages name files relative to
    `cwd`. Raises ConfigError with the errors of all lists.
    """
    extra_by_key: dict[str, Extra] = {}
    problems: list[str] = []
    for raw in _read_all(source, cwd, problems):
        try:
            listed = _read_entry(raw, base_url, writer)
        except ValueError as error:
            problems.append(f"{raw.where}: {error}")
        else:
            extra_by_key.setdefault(comparison_key(listed.loc), Extra(listed, raw.where))
    if problems:
        raise ConfigError("\n".join(problems))
    return dict(sorted(extra_by_key.items(), key=lambda item: item[1].listed.loc))


def _read_all(source: ExtraSource, cwd: str, problems: list[str]) -> Iterator[RawUrl]:
    """Yields the URLs of `[[urls]]`, then those of the files of `extra`, as the user wrote them.

    A file whose name ends in .csv is a table, and any other file has a URL on each line. If a file
    is wrong, adds a message to `problems`, and goes on with the next file.
    """
    for entry, where in zip(source.urls, source.origins, strict=True):
        yield RawUrl(where, entry.loc, entry.lastmod, entry.changefreq, entry.priority)
    for path in source.files:
        label = relative(path, cwd)
        try:
            data = regular(path)
            if data is None:
                raise FileNotFoundError(0, "there is no such file")
            text = io.StringIO(data.decode("utf-8-sig"), newline="")
            if path.lower().endswith(".csv"):
                yield from _read_csv(text, label, problems)
            else:
                yield from _read_lines(text, label)
        except csv.Error as error:
            problems.append(f"{label}: is not CSV: {error}")
        except OSError as error:
            problems.append(f"{label}: cannot be read: {error.strerror}; check `extra`")
        except UnicodeDecodeError:
            problems.append(f"{label}: is not UTF-8; save it as UTF-8")


def _read_lines(file: Iterable[str], label: str) -> Iterator[RawUrl]:
    """Yields the URLs of a list with one on each line. A line that begins with "#" is a comment.

    `label` names the file in messages, as in `more.txt:3`.
    """
    for number, line in enumerate(file, 1):
        if line.strip() and not line.startswith("#"):
            yield RawUrl(Origin(label, number), line.strip())


def _read_csv(file: Iterable[str], label: str, problems: list[str]) -> Iterator[RawUrl]:
    """Yields the URLs of a CSV table, which must have the column `loc`.

    It may also have the columns `lastmod`, `changefreq` and `priority`, in any order. With the
    header `loc,priority`, the row `/a,0.8` → the URL `/a` with the priority `0.8`.

    Adds to `problems` a message on a wrong header, for which no URL is read, and on each row with
    too many cells, which is left out. Raises csv.Error if the text is no table. `label` names the
    file in messages.
    """
    rows = csv.DictReader(file)
    header = [name.strip() for name in rows.fieldnames or ()]
    unknown = sorted(set(header) - set(_COLUMNS))
    if unknown or "loc" not in header:
        fault = f"unknown column {unknown[0]!r}" if unknown else "no column 'loc'"
        problems.append(f"{label}:1: {fault}; valid columns are {', '.join(_COLUMNS)}")
        return
    rows.fieldnames = header
    for row in rows:
        if None in row:  # DictReader's key of the cells without a column
            problems.append(f"{label}:{rows.line_num}: has more cells than the header has columns")
            continue
        # A short row has None in its last cells.
        texts = {name: (text or "").strip() for name, text in row.items()}
        cells: dict[str, Any] = {name: text for name, text in texts.items() if text}
        loc = cells.pop("loc", "")
        yield RawUrl(Origin(label, rows.line_num), loc, **cells)


def _read_entry(raw: RawUrl, base: str, writer: dates.Writer) -> Listed:
    """Makes the entry to list for an extra URL, with its values in the formats of the sitemap.

    Raises ValueError for a value that is wrong, with a message such as "priority: must be between
    0.0 and 1.0, not 2".
    """
    loc = _read_value("loc", normalise_extra, raw.loc, base)
    lastmod = None
    if raw.lastmod is not None:
        lastmod = _read_value("lastmod", dates.read, raw.lastmod, writer)
    frequency = None
    if raw.changefreq is not None:
        frequency = read_changefreq(raw.changefreq)
    priority = None
    if raw.priority is not None:
        priority = format_priority(raw.priority)
    path = relative_path(loc.partition("?")[0], base) or ""
    return Listed(path, loc, lastmod, frequency, priority)


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
