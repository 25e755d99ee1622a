"""The base URL, held against the canonicals and links of the first pages.

A base URL that somebody wrote is doubted if nine of ten pages or links contradict it. One that was
found must not be contradicted by most of them.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import SiteError
from ..model import Detected, Page
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
    (?P<rest> [^"'\s<>]* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
CHECKED_PAGES = 20  # whose canonicals and links are held against the base URL
_LINK = re.compile(rb"""\s(?:href|src)\s*=\s*["']?([^"'\s<>#]+)""", re.IGNORECASE)
_LINKS_OF_A_PAGE = 100  # that are looked at
_MIN_CANONICALS = 3  # that have another base URL
_MIN_LINKS = 5  # that name files of the site below another base URL
_MIN_TARGETS = 3  # files that they name


class Contradiction(NamedTuple):
    """A base URL that pages show in another way than the settings, and the evidence in words."""

    base_url: str
    evidence: str


def find_doubt(pages: Sequence[Page], reader: FirstPages) -> str | None:
    """Why a base URL that somebody wrote may be wrong, None if nothing says so."""
    starts = list(reader.beginnings(pages))
    doubt = _other_base_path(starts, reader)
    if doubt is None:
        doubt = _missing_base_path(starts, reader.base_url, reader.root)
    if doubt is None:
        doubt = _needless_base_path(starts, reader)
    return doubt


def check_found_base(found: Detected, pages: Sequence[Page], reader: FirstPages) -> None:
    """Raises SiteError if most canonicals, or else most links, contradict a base URL that was
    found in the project.
    """
    contradiction = judge_found_base(pages, reader)
    if contradiction is None:
        return
    help = f"build the site again for {reader.base_url}"
    if not urls.suspicious_base(contradiction.base_url):  # no local address
        help = f"if {contradiction.base_url} is right, pass it as --base-url; else {help}"
    raise SiteError(
        f"the base URL is {reader.base_url} ({found.origin}), but {contradiction.evidence}, "
        "so nothing was published",
        help,
    )


def judge_found_base(pages: Sequence[Page], reader: FirstPages) -> Contradiction | None:
    """How most canonicals, or else most links, contradict a base URL, None if they do not."""
    starts = list(reader.beginnings(pages))
    is_confirmed, contradiction = _judge_canonicals(starts, reader)
    if is_confirmed:
        return None
    return contradiction or _judge_full_links(starts, reader) or _judge_links(starts, reader)


def _judge_canonicals(
    starts: Sequence[tuple[str, bytes]], reader: FirstPages
) -> tuple[bool, Contradiction | None]:
    """Whether the canonicals confirm the base URL, and else how they contradict it.

    Each page has a vote, for the base URL below which its canonical names the page itself. Another
    scheme is no contradiction: a site that moves to https keeps its old canonicals for a while. Nor
    are canonicals on other hosts if the home page has its own: those articles appeared there first.
    Nor are those of another version of the site, in a folder beside that of the base URL, unless
    all pages have them.
    """
    if not reader.follows_canonicals:
        return False, None
    own_votes, votes_by_base = _count_canonicals(starts, reader)
    votes = max(votes_by_base.values(), default=0)
    if votes <= own_votes or votes < min(_MIN_CANONICALS, len(starts)):
        return own_votes * 2 > len(starts), None
    # Of several bases with as many votes, the shortest is the one that all canonicals share.
    base = min(base for base in votes_by_base if votes_by_base[base] == votes)
    evidence = f"{votes} of {len(starts)} pages have canonicals below {base}"
    return False, Contradiction(base, evidence)


def _count_canonicals(
    starts: Sequence[tuple[str, bytes]], reader: FirstPages
) -> tuple[int, dict[str, int]]:
    """The votes of canonicals for the base URL, and those for each other one that count."""
    own_votes = 0
    is_home_own = False
    votes_by_base = Counter[str]()
    for path, url in _canonical_urls(starts, reader.base_url):
        bases = _list_bases(url, path)
        is_own = any(_without_scheme(base) == _without_scheme(reader.base_url) for base in bases)
        if is_own or _is_page_of_site(url, path, reader):
            own_votes += 1
            is_home_own = is_home_own or path in urls.INDEXES
        else:
            votes_by_base.update(bases)
    host = urlsplit(reader.base_url).netloc
    counting: dict[str, int] = {}
    for base, votes in votes_by_base.items():
        is_version = _is_beside(base, reader.base_url) and votes < len(starts)
        is_elsewhere = is_home_own and urlsplit(base).netloc != host
        if not is_version and not is_elsewhere:
            counting[base] = votes
    return own_votes, counting


def _is_beside(base: str, base_url: str) -> bool:
    """Whether two base URLs are folders of the same folder: `…/latest/` and `…/dev/`."""
    is_root = urlsplit(base).path == "/" or urlsplit(base_url).path == "/"
    return not is_root and urljoin(base, "..") == urljoin(base_url, "..")


def _without_scheme(url: str) -> str:
    return url.partition("://")[2]


def _judge_full_links(
    starts: Sequence[tuple[str, bytes]], reader: FirstPages
) -> Contradiction | None:
    """How links with a host contradict the base URL, None if they do not.

    Each page has a vote for each file of the site to which it links, for the host that it names. A
    link without a host is a vote for the base URL, so that a menu with pages of a sister site does
    not decide.
    """
    own_host = urlsplit(reader.base_url).netloc
    votes = Counter[str]()
    files: dict[str, set[str]] = {}
    for path, data in starts:
        targets = {match[1] for match in islice(_LINK.finditer(data), _LINKS_OF_A_PAGE)}
        for target in targets:
            url = urls.resolve(target.decode("utf-8", "replace"), reader.base_url + path)
            parts = urlsplit(url or "")
            if not url or not parts.netloc:
                continue
            if parts.netloc == own_host:
                base = reader.base_url
                url = url.replace(parts.scheme, urlsplit(base).scheme, 1)
            else:
                base = urljoin(url, urlsplit(reader.base_url).path)
            below = urls.relative_path(url, base)
            if below and _is_file(below, reader.root):
                votes[base] += 1
                files.setdefault(base, set()).add(below)
    own_votes = votes.pop(reader.base_url, 0)
    if not votes:
        return None
    [(base, count)] = votes.most_common(1)
    if count <= own_votes or count < _MIN_LINKS or len(files[base]) < _MIN_TARGETS:
        return None
    total = count + own_votes
    evidence = f"{count} of {total} links and assets of the first pages name its files below {base}"
    return Contradiction(base, evidence)


def _judge_links(starts: Sequence[tuple[str, bytes]], reader: FirstPages) -> Contradiction | None:
    """How links and assets from the root of the host contradict the base URL, None if they do not.

    One that names a file of this site with exactly one of two base URLs is a vote for that one. So
    links to other parts of the host, which this folder does not have, say nothing.
    """
    links = Counter(_target_of(link) for link in _links_from_root(starts))
    for base in _other_bases(links, reader.base_url):
        other_reader = reader._replace(base_url=base)
        own = {target for target in links if _names_file(target, reader)}
        other = {target for target in links if _names_file(target, other_reader)}
        own_votes = sum(links[target] for target in own - other)
        votes = sum(links[target] for target in other - own)
        # If links lead to files that the site does not have, a neighbouring site is more likely.
        is_explained = len(other) * 10 >= len(links) * 9
        is_enough = votes >= _MIN_LINKS and len(other - own) >= _MIN_TARGETS
        if is_explained and is_enough and votes > own_votes:
            count = f"{votes} of {votes + own_votes} links and assets that begin with /"
            return Contradiction(base, f"{count} name files of this site only below {base}")
    return None


def _target_of(link: re.Match[bytes]) -> str:
    """The path to which a link from the root of the host leads."""
    target = b"/" + link["folder"] + link["slash"] + link["rest"]
    return target.decode("utf-8", "replace")


def _other_bases(links: Mapping[str, int], base_url: str) -> list[str]:
    """The base URLs that links from the root may have instead: the root, and their first folder."""
    root = urljoin(base_url, "/")
    bases = [root]
    folders = Counter[str]()
    for target, count in links.items():
        folder, slash, _ = target[1:].partition("/")
        if slash:
            folders[folder] += count
    for name, _ in folders.most_common(1):
        bases.append(f"{root}{name}/")
    return [base for base in bases if base != base_url]


def _names_file(target: str, reader: FirstPages) -> bool:
    """Whether a link from the root of the host leads to a file of the site."""
    path = reader.path_of(target, "")
    return path is not None and _is_file(path, reader.root)


def _is_file(path: str, root: SiteRoot) -> bool:
    """Whether a server shows a file of the site at a path."""
    if server.file_for_url_path(root, path) is not None:
        return True
    return bool(path) and os.path.isfile(root.file(path))


def _needless_base_path(starts: Sequence[tuple[str, bytes]], reader: FirstPages) -> str | None:
    """Why the path of the base URL may be too much, None if it seems right."""
    if urlsplit(reader.base_url).path == "/":
        return None
    contradiction = _judge_links(starts, reader)
    if contradiction is None:
        return None
    return f"it is {reader.base_url}, but {contradiction.evidence}"


def _canonical_urls(
    starts: Sequence[tuple[str, bytes]], base_url: str
) -> Iterator[tuple[str, str]]:
    """The pages with a canonical, each with its URL."""
    for path, data in starts:
        canonical = canonical_of(data)
        url = urls.resolve(canonical, base_url) if canonical else None
        if url:
            yield path, url


def _other_base_path(starts: Sequence[tuple[str, bytes]], reader: FirstPages) -> str | None:
    """How the canonicals contradict the base URL, None if they do not.

    They do if most pages, and nine of ten with a canonical, name themselves below one other path of
    the host where this site has no such page.
    """
    if not reader.follows_canonicals:
        return None
    canonical_urls = list(_canonical_urls(starts, reader.base_url))
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
