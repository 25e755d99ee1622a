"""Signs in the first pages that the base URL is wrong."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import unquote, urlsplit

from ..model import Diagnostic, Page, WarningKind
from ..project.witnesses import canonical_of
from ..site import server
from ..site.walk import SiteRoot
from ..syntax import urls
from .first_pages import FEW, FirstPages

# In links and assets from the root of the host: the first folder, its slash, the rest.
_FROM_ROOT = re.compile(
    rb"""\s(?:href|src)\s*=\s*["']?/(?!/)([^"'\s<>?#/]*)(/?)([^"'\s<>]*)""", re.IGNORECASE
)
_MIN_CANONICALS = 3  # that have another base URL


def find_doubts(pages: Sequence[Page], reader: FirstPages) -> Iterator[Diagnostic]:
    """Signs in a few pages that the base URL is wrong."""
    starts = list(reader.beginnings(pages))
    problem = _other_base_path(starts, reader)
    if problem is None:
        problem = _missing_base_path(starts, reader.base_url, reader.root)
    if problem:
        yield Diagnostic(WarningKind.BASE_URL, problem)


def _other_base_path(starts: Sequence[tuple[str, bytes]], reader: FirstPages) -> str | None:
    """How the canonicals contradict the base URL, None if they do not.

    They do if most pages, and nine of ten with a canonical, name themselves below one other path of
    the host where this site has no such page.
    """
    if not reader.follows_canonicals:
        return None
    canonicals = 0
    votes_by_base = Counter[str]()
    for path, data in starts:
        canonical = canonical_of(data)
        url = urls.resolve(canonical, reader.base_url) if canonical else None
        if not url:
            continue
        canonicals += 1
        if not _is_page_of_site(url, path, reader):
            votes_by_base.update(_bases_of(url, path))
    if not votes_by_base:
        return None
    [(base, votes)] = votes_by_base.most_common(1)
    own = urlsplit(reader.base_url)
    other = urlsplit(base)
    if other.netloc != own.netloc or other.path == own.path:
        return None
    is_most_canonicals = votes * 10 >= canonicals * 9
    is_most_pages = votes * 2 > len(starts)
    if votes < _MIN_CANONICALS or not is_most_canonicals or not is_most_pages:
        return None
    return (
        f"it is {reader.base_url}, but {votes} of {canonicals} canonicals name their pages "
        f"below {base}"
    )


def _is_page_of_site(url: str, path: str, reader: FirstPages) -> bool:
    """Whether the canonical of a page, a URL, leads to any page of this site."""
    named = reader.path_of(url, path)
    return named is not None and server.file_for_url_path(reader.root, named) is not None


def _bases_of(url: str, path: str) -> set[str]:
    """The base URLs for which a URL is that of the page, in any style of URLs.

    For `a/b.html` and https://example.com/docs/a/b/, this is https://example.com/docs/.
    """
    at_root = urls.Locator("/", "directory")
    bases = set()
    for served in at_root.served_paths(path):
        form = at_root.encoded(served)
        if url.endswith(form):
            bases.add(url[: -len(form)] + "/")
    return bases


def _missing_base_path(
    starts: Sequence[tuple[str, bytes]], base_url: str, root: SiteRoot
) -> str | None:
    """The folder, missing in base URL and site, with which nine of ten links and assets begin."""
    if urlsplit(base_url).path != "/":
        return None
    targets: list[tuple[bytes, bytes, bytes]] = []  # the groups of _FROM_ROOT
    for _, data in starts:
        # Ten votes per page, so that one with very many links does not decide.
        different = dict.fromkeys(_FROM_ROOT.findall(data))
        targets += islice(different, FEW)
    counts = Counter(folder for folder, slash, _ in targets if slash)
    if not counts:
        return None
    [(name, count)] = counts.most_common(1)
    folder = name.decode("utf-8", "replace")
    if count < FEW or count * 10 < len(targets) * 9:
        return None
    if os.path.lexists(root.file(unquote(folder))):
        return None
    what = f"{count} of {len(targets)} links and assets that begin with / begin with /{folder}/"
    return f"{base_url} has no path, but {what}: should it be {base_url}{folder}/?"
