"""The base URL, held against what the site says of itself.

No page may be listed against its canonical, so canonicals that contradict decide. Else each witness
has a vote: canonicals, links, the `og:url` of the home page, the generator's sitemap, feeds, CNAME.
If most votes disagree, a base URL that was found is not used, and one that was written is doubted.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import SiteError
from ..model import Detected, Page
from ..output.formats import MARK
from ..project.witnesses import HOME_CANONICAL, canonical_of, list_claims
from ..site import server
from ..site.walk import SiteRoot
from ..syntax import urls
from .first_pages import FEW, FirstPages

CHECKED_PAGES = 20  # whose canonicals and links are held against the base URL
# The search begins with `=`, which is rarer than the space before a name: it takes a quarter of the
# time. It allows one space before `=`, because none of 31,572 pages has more.
_LINK = re.compile(
    rb"""
    = (?: (?<= \shref= ) | (?<= \ssrc= ) | (?<= \shref\s= ) | (?<= \ssrc\s= ) )
    \s* ["']? ( [^"'\s<>]+ )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_FOLDER = re.compile(rb"/([^?#/]*)/")  # of a link from the root of the host
_LINKS_OF_A_PAGE = 100  # that are looked at
_MIN_CANONICALS = 3  # that have another base URL
_MIN_LINKS = 5  # that name files of the site below another base URL
_MIN_TARGETS = 3  # files that they name
_SCHEME = 8  # characters of a link in which the // of its host stands: `https://`
_SHOWN_VOTES = 2  # that a message names


class Contradiction(NamedTuple):
    """A base URL that pages show in another way than the settings, and the evidence in words."""

    base_url: str
    evidence: str


class Vote(NamedTuple):
    """The base URL that a witness names, and its words. CNAME names only the host."""

    base_url: str
    evidence: str
    names_path: bool = True

    def is_for(self, base_url: str) -> bool:
        """Whether a base URL fits this vote. Another scheme is no contradiction."""
        if self.names_path:
            return urls.without_scheme(self.base_url) == urls.without_scheme(base_url)
        return _host_of(self.base_url) == _host_of(base_url)


class _Linking(NamedTuple):
    """A page, and the targets of its links and assets as they are written, in their order."""

    path: str
    targets: list[bytes]


def find_doubt(pages: Sequence[Page], reader: FirstPages, cwd: str) -> str | None:
    """Why a base URL that somebody wrote may be wrong, None if no page or file of the site says so.

    Pages whose canonicals are on another host have a warning of their own.
    """
    starts = list(reader.beginnings(pages))
    is_confirmed, contradiction = _judge_canonicals(starts, reader)
    if contradiction and _host_of(contradiction.base_url) != _host_of(reader.base_url):
        return None
    linking = _list_links(starts)
    if contradiction is None:
        contradiction = _judge_witnesses(linking, is_confirmed, reader, cwd)
    if contradiction:
        return f"it is {reader.base_url}, but {contradiction.evidence}"
    return _missing_base_path(linking, reader.base_url, reader.root)


def check_found_base(
    found: Detected,
    pages: Sequence[Page],
    reader: FirstPages,
    cwd: str,
    hosts: Sequence[Detected],
) -> None:
    """Raises SiteError if most witnesses contradict a base URL that was found in the project."""
    contradiction = judge_base(pages, reader, cwd, hosts)
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


def judge_base(
    pages: Sequence[Page], reader: FirstPages, cwd: str, hosts: Sequence[Detected] = ()
) -> Contradiction | None:
    """How the witnesses contradict a base URL, None if they do not.

    `hosts` are what files outside of the pages name as the host, such as CNAME.
    """
    starts = list(reader.beginnings(pages))
    is_confirmed, contradiction = _judge_canonicals(starts, reader)
    if contradiction:
        return contradiction
    return _judge_witnesses(_list_links(starts), is_confirmed, reader, cwd, hosts)


def _judge_witnesses(
    linking: Sequence[_Linking],
    is_confirmed: bool,
    reader: FirstPages,
    cwd: str,
    hosts: Sequence[Detected] = (),
) -> Contradiction | None:
    """How the votes of all witnesses contradict a base URL, None if they do not.

    `is_confirmed` tells whether canonicals confirm it.
    """
    votes = [*_votes_of_links(linking, reader), *_votes_of_files(reader, cwd)]
    votes += [_vote_of(host, names_path=False) for host in hosts]
    if is_confirmed:
        votes.append(Vote(reader.base_url, "most canonicals"))
    return _outvote(votes, reader.base_url)


def _outvote(votes: Sequence[Vote], base_url: str) -> Contradiction | None:
    """The other base URL for which most votes are, if more are for it than for this one.

    Votes that fit both do not count. In a tie, what gave the base URL decides.
    """
    most: list[Vote] = []
    for other in dict.fromkeys(vote.base_url for vote in votes):
        yes = [vote for vote in votes if vote.is_for(other) and not vote.is_for(base_url)]
        no = [vote for vote in votes if vote.is_for(base_url) and not vote.is_for(other)]
        if len(yes) > len(no) and len(yes) > len(most):
            most = yes
    if not most:
        return None
    evidence = " and ".join(vote.evidence for vote in most[:_SHOWN_VOTES])
    return Contradiction(most[0].base_url, evidence)


def _votes_of_files(reader: FirstPages, cwd: str) -> Iterator[Vote]:
    """What the home page's `og:url`, the generator's sitemap and the feeds name.

    A home page that names another page of the site says nothing.
    """
    for claim in list_claims(reader.root.root, cwd, MARK):
        if claim.origin.source == HOME_CANONICAL:  # which has counted with the others
            continue
        named = reader.path_of(str(claim.value), "")
        is_page = bool(named) and server.file_for_url_path(reader.root, named or "") is not None
        if not is_page:
            yield _vote_of(claim)


def _vote_of(claim: Detected, *, names_path: bool = True) -> Vote:
    base_url = str(claim.value)
    return Vote(base_url, f"{claim.origin} names {base_url}", names_path)


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
    canonicals = _count_canonicals(starts, reader)
    votes = max(canonicals.votes_by_base.values(), default=0)
    # Of several bases with as many votes, the shortest is the one that all canonicals share.
    bases = sorted(base for base, count in canonicals.votes_by_base.items() if count == votes)
    is_of_home = not canonicals.home_bases.isdisjoint(bases)
    is_most = votes * 2 > canonicals.total
    is_enough = votes >= min(_MIN_CANONICALS, len(starts)) or (is_of_home and is_most)
    if votes <= canonicals.own_votes or not is_enough:
        return canonicals.own_votes * 2 > len(starts), None
    evidence = f"{votes} of {len(starts)} pages have canonicals below {bases[0]}"
    return False, Contradiction(bases[0], evidence)


class _Canonicals(NamedTuple):
    """The votes of canonicals for the base URL, and those for each other one that count.

    `total` is the number of canonicals, and `home_bases` are those for which the home page is.
    """

    total: int
    own_votes: int
    votes_by_base: Mapping[str, int]
    home_bases: frozenset[str]


def _count_canonicals(starts: Sequence[tuple[str, bytes]], reader: FirstPages) -> _Canonicals:
    own_votes = 0
    home_bases: set[str] = set()
    votes_by_base = Counter[str]()
    own = urls.without_scheme(reader.base_url)
    canonicals = list(_canonical_urls(starts, reader.base_url))
    for path, url in canonicals:
        bases = _list_bases(url, path)
        is_own = own in map(urls.without_scheme, bases)
        is_own = is_own or _is_page_of_site(url, path, reader)
        if is_own:
            own_votes += 1
            bases = {reader.base_url}
        else:
            votes_by_base.update(bases)
        if path in urls.INDEXES:
            home_bases |= bases
    host = _host_of(reader.base_url)
    counting: dict[str, int] = {}
    for base, votes in votes_by_base.items():
        is_version = _is_beside(base, reader.base_url) and votes < len(starts)
        is_elsewhere = reader.base_url in home_bases and _host_of(base) != host
        if not is_version and not is_elsewhere:
            counting[base] = votes
    return _Canonicals(len(canonicals), own_votes, counting, frozenset(home_bases))


def _is_beside(base: str, base_url: str) -> bool:
    """Whether two base URLs are folders of the same folder: `…/latest/` and `…/dev/`."""
    is_root = urlsplit(base).path == "/" or urlsplit(base_url).path == "/"
    return not is_root and urljoin(base, "..") == urljoin(base_url, "..")


def _host_of(url: str) -> str:
    """The host name of a normalised URL."""
    return urls.without_scheme(url).partition("/")[0]


def _list_links(starts: Iterable[tuple[str, bytes]]) -> list[_Linking]:
    """Pages with the targets of their links and assets, from their first bytes."""
    return [_Linking(path, _LINK.findall(data)) for path, data in starts]


def _votes_of_links(linking: Sequence[_Linking], reader: FirstPages) -> Iterator[Vote]:
    """What links with a host and links from the root of the host name."""
    # Pages share most of their links, and a search for a file costs system calls.
    is_file = cache(partial(_is_file, reader.root))
    full = _judge_full_links(linking, reader, is_file)
    if full:
        yield full
    from_root = _judge_links(linking, reader, is_file)
    if from_root:
        yield from_root


def _judge_full_links(
    linking: Sequence[_Linking], reader: FirstPages, is_file: Callable[[str], bool]
) -> Vote | None:
    """The base URL that links with a host name, None if they say nothing.

    Each page has a vote for each file of the site to which it links, for the host that it names. A
    link without a host speaks against another host, so that a menu with pages of a sister site does
    not decide.
    """
    own_base = reader.base_url
    full_votes = Counter[str]()
    files: dict[str, set[str]] = {}
    for link in _links_to_files(linking, reader, is_file, _has_host):
        full_votes[link.base] += 1
        files.setdefault(link.base, set()).add(link.path)
    if not full_votes:
        return None
    # Of bases with as many votes, our own counts, or else the first one of the pages.
    base = max(full_votes, key=lambda name: (full_votes[name], name == own_base))
    count = full_votes[base]
    if count < _MIN_LINKS or len(files[base]) < _MIN_TARGETS:
        return None
    if base == own_base:
        return Vote(base, "most links with a host")
    # Only another base needs the links without a host, of which most have their own file to find.
    plain_votes = sum(1 for _ in _links_to_files(linking, reader, is_file, _has_no_host))
    total = full_votes[own_base] + plain_votes + count
    if count * 2 <= total:
        return None
    evidence = f"{count} of {total} links and assets of the first pages name its files below {base}"
    return Vote(base, evidence)


def _has_host(target: bytes) -> bool:
    """Whether the host of a link is written in it."""
    return b"//" in target[:_SCHEME]


def _has_no_host(target: bytes) -> bool:
    return not _has_host(target)


class _Link(NamedTuple):
    """A link to a file of the site: the base URL with its host, and the path below it."""

    base: str
    path: str


def _links_to_files(
    linking: Iterable[_Linking],
    reader: FirstPages,
    is_file: Callable[[str], bool],
    wants: Callable[[bytes], bool],
) -> Iterator[_Link]:
    """The wanted links of pages that name files of the site, each once a page."""

    @cache
    def find_link(target: bytes, folder: str) -> _Link | None:
        url = urls.resolve(target.decode("utf-8", "replace"), reader.base_url + folder)
        base = _base_of_link(url, reader.base_url) if url else None
        if not url or not base:
            return None
        below = urls.relative_path(url, base)
        if not below or not is_file(below):
            return None
        return _Link(base, below)

    for path, targets in linking:
        folder = path[: path.rfind("/") + 1]
        without_fragments = (target.partition(b"#")[0] for target in targets)
        named = islice(filter(None, without_fragments), _LINKS_OF_A_PAGE)
        for target in filter(wants, dict.fromkeys(named)):
            # For links from the root, one entry of the cache serves all folders.
            is_from_root = target.startswith(b"/")
            link = find_link(target, "" if is_from_root else folder)
            if link:
                yield link


def _base_of_link(url: str, own_base: str) -> str | None:
    """The base URL with the host of a link and the path of ours, None without a host."""
    host = _host_of(url)
    if not host:
        return None
    if host == _host_of(own_base):
        return own_base
    return urljoin(url, urlsplit(own_base).path)


def _judge_links(
    linking: Sequence[_Linking], reader: FirstPages, is_file: Callable[[str], bool]
) -> Vote | None:
    """The other base URL that links and assets from the root of the host show, None for none.

    One that names a file of this site with exactly one of two base URLs is a vote for that one. So
    links to other parts of the host, which this folder does not have, say nothing.
    """
    links = Counter(link.decode("utf-8", "replace") for link in _links_from_root(linking))
    for base in _other_bases(links, reader.base_url):
        other_reader = reader._replace(base_url=base)
        # If links lead to files that the site does not have, a neighbouring site is more likely.
        misses = (target for target in links if not _names_file(target, other_reader, is_file))
        most_misses = len(links) // 10
        missed = set(islice(misses, most_misses + 1))
        if len(missed) > most_misses:
            continue
        other = links.keys() - missed
        own = {target for target in links if _names_file(target, reader, is_file)}
        own_votes = sum(links[target] for target in own - other)
        votes = sum(links[target] for target in other - own)
        is_enough = votes >= _MIN_LINKS and len(other - own) >= _MIN_TARGETS
        if is_enough and votes > own_votes:
            count = f"{votes} of {votes + own_votes} links and assets that begin with /"
            return Vote(base, f"{count} name files of this site only below {base}")
    return None


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


def _names_file(target: str, reader: FirstPages, is_file: Callable[[str], bool]) -> bool:
    """Whether a link from the root of the host leads to a file of the site."""
    path = reader.path_of(target, "")
    return path is not None and is_file(path)


def _is_file(root: SiteRoot, path: str) -> bool:
    """Whether a server shows a file of the site at a path."""
    if server.file_for_url_path(root, path) is not None:
        return True
    return bool(path) and os.path.isfile(root.file(path))


def _canonical_urls(
    starts: Sequence[tuple[str, bytes]], base_url: str
) -> Iterator[tuple[str, str]]:
    """The pages with a canonical, each with its URL."""
    for path, data in starts:
        canonical = canonical_of(data)
        url = urls.resolve(canonical, base_url) if canonical else None
        if url:
            yield path, url


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


def _missing_base_path(linking: Sequence[_Linking], base_url: str, root: SiteRoot) -> str | None:
    """Why the base URL may lack a folder, None if it seems complete.

    It may if nine of ten links and assets from the root of the host lead into one folder, which the
    site does not have.
    """
    if urlsplit(base_url).path != "/":
        return None
    links = _links_from_root(linking)
    into_folders = filter(None, map(_FIRST_FOLDER.match, links))
    folders = Counter(match[1] for match in into_folders)
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


def _links_from_root(linking: Iterable[_Linking]) -> list[bytes]:
    """The links and assets from the root of the host, each once a page, and at most ten of one.

    So a page with very many links does not decide alone.
    """
    links: list[bytes] = []
    for page in linking:
        from_root = dict.fromkeys(target for target in page.targets if _is_from_root(target))
        links += islice(from_root, FEW)
    return links


def _is_from_root(target: bytes) -> bool:
    """Whether a target begins at the root of the host, and not with the // before another host."""
    return target.startswith(b"/") and not target.startswith(b"//")
