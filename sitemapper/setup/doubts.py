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

# A link or an asset from the root of the host.
_FROM_ROOT = re.compile(
    rb"""
    \s (?:href|src) \s*=\s* ["']?
    / (?!/)                        # not the // before a host
    (?P<folder> [^"'\s<>?#/]* )   # the first folder, or a file
    (?P<slash> /? )                # after a folder
    ( [^"'\s<>]* )                 # the rest
    """,
    re.IGNORECASE | re.VERBOSE,
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
    canonical_urls: list[tuple[str, str]] = []  # each with the path of its page
    for path, data in starts:
        canonical = canonical_of(data)
        url = urls.resolve(canonical, reader.base_url) if canonical else None
        if url:
            canonical_urls.append((path, url))
    votes_by_base = Counter[str]()
    for path, url in canonical_urls:
        if not _is_page_of_site(url, path, reader):
            votes_by_base.update(_list_bases(url, path))
    if not votes_by_base:
        return None
    [(base, votes)] = votes_by_base.most_common(1)
    if not _has_other_path(base, reader.base_url):
        return None
    is_most_canonicals = votes * 10 >= len(canonical_urls) * 9
    is_most_pages = votes * 2 > len(starts)
    if votes < _MIN_CANONICALS or not is_most_canonicals or not is_most_pages:
        return None
    return (
        f"it is {reader.base_url}, but {votes} of {len(canonical_urls)} canonicals name their "
        f"pages below {base}"
    )


def _has_other_path(url: str, base_url: str) -> bool:
    """Whether a URL is on the host of the base URL, but has another path."""
    parts = urlsplit(url)
    parts_of_base = urlsplit(base_url)
    return parts.netloc == parts_of_base.netloc and parts.path != parts_of_base.path


def _is_page_of_site(url: str, path: str, reader: FirstPages) -> bool:
    """Whether the canonical of a page, a URL, leads to any page of this site."""
    named = reader.path_of(url, path)
    return named is not None and server.file_for_url_path(reader.root, named) is not None


def _list_bases(url: str, path: str) -> set[str]:
    """The base URLs with which the file `path` would have this URL, in any style of URLs.

    A server may show `a/b.html` at `a/b.html`, `a/b` or `a/b/`. If its URL is
    https://example.com/docs/a/b/, the base is https://example.com/docs/.
    """
    at_root = urls.Locator("/", "directory")
    bases = set()
    for served_path in at_root.served_paths(path):
        end_of_url = at_root.encoded(served_path)  # begins with a slash
        if url.endswith(end_of_url):
            host_and_folder = url.removesuffix(end_of_url)
            bases.add(f"{host_and_folder}/")
    return bases


def _missing_base_path(
    starts: Sequence[tuple[str, bytes]], base_url: str, root: SiteRoot
) -> str | None:
    """Why the base URL may lack a folder, None if it seems complete.

    It may if nine of ten links and assets from the root of the host lead into one folder, which the
    site does not have.
    """
    if urlsplit(base_url).path != "/":
        return None
    links = _links_from_root(starts)
    folders = Counter(link["folder"] for link in links if link["slash"])
    if not folders:
        return None
    [(name, count)] = folders.most_common(1)
    folder = name.decode("utf-8", "replace")
    if count < FEW or count * 10 < len(links) * 9:
        return None
    if os.path.lexists(root.file(unquote(folder))):
        return None
    what = f"{count} of {len(links)} links and assets that begin with / begin with /{folder}/"
    return f"{base_url} has no path, but {what}: should it be {base_url}{folder}/?"


def _links_from_root(starts: Sequence[tuple[str, bytes]]) -> list[re.Match[bytes]]:
    """The links and assets from the root of the host, each once a page, and at most ten of one.

    So a page with very many links does not decide alone.
    """
    links: list[re.Match[bytes]] = []
    for _, data in starts:
        by_target: dict[tuple[bytes, ...], re.Match[bytes]] = {}
        for link in _FROM_ROOT.finditer(data):
            by_target.setdefault(link.groups(), link)
        links += islice(by_target.values(), FEW)
    return links
