"""The base URL of a site: the first of some places that names one."""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ..files import contents, folders_above, shown_path
from ..find.project import is_on_github_pages, pages_address
from ..messages import Message, PreviewError, SitemapperError, count
from ..model import Facts, Found, Origin, OwnUrl, Page, Run, Scanned, Stated
from ..read import links_of
from ..read.sitemap import SitemapEntry, SitemapFault, is_marked, read_sitemap
from ..syntax.robots import sitemap_lines
from ..syntax.urls import (
    host_of,
    is_placeholder,
    is_preview,
    normalize_base,
    origin_of,
    page_at,
    path_below,
    resolve,
)

# Hosts of source code and packages, to which a `homepage` links.
_CODE_HOST = re.compile(r"https?://(?:www\.)?(?:github|gitlab|npmjs)\.com/")
_FEEDS = ("feed.xml", "atom.xml", "rss.xml", "index.xml", "feed.atom", "rss/index.xml")
# The link to the site in a feed: of RSS as text, of Atom as an attribute.
_FEED_LINK = re.compile(
    rb"""<link>\s*(https?://[^<\s]+)\s*</link>|<link(?![^<>]*rel=["']?self)[^<>]*href=["'](https?://[^"']+)"""
)
_SITEMAPS = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml", "sitemap-0.xml")
# The variable that only the builder of one host sets: the one with the address of the site.
_BUILDERS = {
    "NETLIFY": "URL",
    "VERCEL": "VERCEL_PROJECT_PRODUCTION_URL",
    "READTHEDOCS": "READTHEDOCS_CANONICAL_URL",
}
_BUILD_AGAIN = "build the site again for the address at which visitors see it"
# How the sources of flags and of the environment begin, which are set for one run.
_OF_THIS_RUN = ("--", "SITEMAPPER_")
_FEW_PAGES = 20  # whose links are read
_FEW_URLS = 200  # that are read of a sitemap


class BaseUrl(NamedTuple):
    """The base URL, what named it, and an address that the host redirects to it, "" without one."""

    url: str
    origin: Origin
    former: str = ""
    messages: tuple[Message, ...] = ()


class _Votes(NamedTuple):
    """The base URL that most canonicals name, "" if they do not agree, and how many do."""

    url: str
    votes: int  # pages whose canonical is below `url`
    voters: int  # pages with a canonical that names themselves

    @property
    def text(self) -> str:
        """What messages say of the votes."""
        return f"the canonicals name {self.url} ({self.votes} of {self.voters})"


def find_base_url(found: Found, run: Run, scanned: Scanned, facts: Sequence[Facts]) -> BaseUrl:
    """Finds the base URL, such as https://a.example/docs/, at which the site's folder is served.

    First counts what a person wrote, then the canonicals of the pages, and at last other places.
    `facts` has what each of `scanned.pages` says, in the same order. Raises SitemapperError if
    nothing names one or if the pages were built for this machine, and PreviewError if they were
    built for a preview.
    """
    pages = scanned.pages
    written = found.config.settings.base_url
    origin = found.config.origin("base_url")
    votes = _votes_of(scanned, facts)

    # Who passes --base-url for this run knows that it is a preview. A file holds for all runs.
    is_of_this_run = origin is not None and origin.source.startswith(_OF_THIS_RUN)
    if is_preview(votes.url) and not is_of_this_run:
        raise PreviewError(f"the site was built for a preview ({host_of(votes.url)})")
    if written and origin:
        messages = _contradiction(Stated(written, origin), votes, wins=True)
        return BaseUrl(written, origin, "", messages)
    if is_placeholder(votes.url):
        text = f"{votes.text}, which is not the address of a site"
        raise SitemapperError(text, "build the site again with its address")

    # With a CNAME, GitHub redirects the former address, ann.github.io, to the site's own domain.
    address = found.project.address if found.project else None
    cname = _from_cname(found, run)
    if cname and host_of(votes.url).endswith(".github.io"):
        return BaseUrl(cname.value, cname.origin, former=votes.url)

    # The canonicals win over the generator's settings and CNAME if half of the pages vote.
    configured = _usable(address) or cname
    most_pages_vote = votes.voters * 2 >= len(pages)
    if votes.url and (configured is None or most_pages_vote):
        messages = _contradiction(configured, votes, wins=False)
        if configured and not messages:  # both name the same URL, apart from http and https
            return BaseUrl(configured.value, configured.origin)
        by_canonicals = Origin(f"the canonicals of {count(votes.votes, 'page')}")
        return BaseUrl(votes.url, by_canonicals, "", messages)

    # The canonicals do not decide, so the first other place with a usable address does.
    problem = "no canonical names one, and no setting, CNAME or sitemap"
    if votes.voters:
        problem = "the canonicals do not agree, and nothing else names one"
    candidates = chain((address, _from_builder(run), cname), _other_places(found, pages, facts))
    stated = _first_usable(candidates, problem, found.folder)
    messages = _contradiction(stated, votes, wins=True)
    return BaseUrl(stated.value, stated.origin, "", messages)


def _first_usable(candidates: Iterable[Stated | None], problem: str, folder: str) -> Stated:
    """The first of the values that can be the address of a site: no preview, no `localhost`.

    Raises SitemapperError if there is none. The error begins with `problem`, and lists the values
    that were refused.
    """
    for stated in candidates:
        usable = _usable(stated)
        if usable:
            return usable
        if stated:
            problem += f"; {stated.origin} names {stated.value}, which is no address of a site"
    likely = pages_address(folder) or "https://tea.example/"
    help = f'write base_url = "{likely}" in sitemapper.toml, or pass --base-url {likely}'
    raise SitemapperError(f"no base URL was found: {problem}", help)


def _votes_of(scanned: Scanned, facts: Sequence[Facts]) -> _Votes:
    """Counts the base URLs of canonicals that name their own pages; two thirds must agree.

    The canonical https://a.example/docs/b/ of `b/index.html` is a vote for
    https://a.example/docs/. If the link `latest` leads to the folder `2.1`, the pages of `2.1` do
    not vote, because their canonicals are at `latest/`.
    """
    targets_of_links = tuple(f"{folder}/" for folder in scanned.links.values())
    bases: Counter[str] = Counter()
    for page, fact in zip(scanned.pages, facts, strict=True):
        if fact.refresh is not None or page.path.startswith(targets_of_links):
            continue
        if isinstance(fact.canonical, OwnUrl):
            bases[normalize_base(fact.canonical.base)] += 1
    voters = bases.total()
    for url, votes in bases.most_common(1):
        if votes * 3 >= voters * 2:
            return _Votes(url, votes, voters)
    return _Votes("", 0, voters)


def _contradiction(stated: Stated | None, votes: _Votes, *, wins: bool) -> tuple[Message, ...]:
    """The warning that the canonicals name another base URL than `stated`; () if they agree.

    `wins` says whether the stated URL is used, and not that of the canonicals.
    """
    if stated is None or not votes.url:
        return ()
    if path_below(votes.url, stated.value) == "":  # the same URL, apart from http and https
        return ()
    text = f"{votes.text}, so the base URL is not {stated.value} ({stated.origin})"
    if wins:
        text = f"the base URL is {stated.value} ({stated.origin}), but {votes.text}"
    return (Message("warning", "base-url", text, f"correct one of them, or {_BUILD_AGAIN}"),)


def _usable(stated: Stated | None) -> Stated | None:
    """The same value as a normalized base URL, None if it cannot be the address of a site.

    Previews, https://example.com, http://localhost:8000 and https://github.com/ann/tea cannot.
    """
    if stated is None:
        return None
    try:
        url = normalize_base(stated.value)
    except ValueError:
        return None
    if is_placeholder(url) or is_preview(url) or _CODE_HOST.match(url):
        return None
    return stated._replace(value=url)


def host_folders(found: Found, run: Run) -> list[str]:
    """The folders in which files such as `netlify.toml` or `CNAME` are looked for, in order.

    They are the site, those above it up to the repository's root, and the generator's project.
    """
    folders = folders_above(found.folder, run.cwd)
    if found.project:
        folders.append(found.project.folder)
    return folders


# --- the places


def _other_places(
    found: Found, pages: Sequence[Page], facts: Sequence[Facts]
) -> Iterator[Stated | None]:
    """Yields the base URLs that pages and files of the site name, the most reliable first.

    None stands for a file that names none. As this is a generator, no file is read in vain.
    """
    for fact in facts:
        if fact.og_url:
            url = fact.og_url.removesuffix("index.html")  # only the home page has this fact
            yield Stated(url, Origin("the home page's og:url"))
    yield _from_sitemap(found, pages)
    yield _from_robots(found)
    for name in _FEEDS:
        link = _FEED_LINK.search(contents(found.folder, name))
        if link:
            yield Stated((link[1] or link[2]).decode("utf-8", "replace"), Origin(name))
    yield _from_github_pages(found, pages)
    # Our own sitemap, so that a second build finds what the first one found.
    yield _first_sitemap(found, pages, is_ours=True)


def _from_builder(run: Run) -> Stated | None:
    """The site's address in the environment, if the builder of a host runs us.

    Netlify sets `NETLIFY` and `URL`. A variable `URL` alone may be of any program.
    """
    for builder, variable in _BUILDERS.items():
        address = run.environment.get(variable, "")
        if address and run.environment.get(builder):
            # Vercel gives a host without a scheme.
            url = address if "://" in address else f"https://{address}"
            return Stated(url, Origin(f"environment: {variable}"))
    return None


def _from_cname(found: Found, run: Run) -> Stated | None:
    """The site's own domain in the file `CNAME` of GitHub Pages, from the first folder with one.

    The file is in the site, beside the project's settings, or at the repository's root.
    """
    for folder in host_folders(found, run):
        host = contents(folder, "CNAME").decode("utf-8", "replace").strip()
        if host:
            place = shown_path(os.path.join(folder, "CNAME"), run.cwd)
            return _usable(Stated(f"https://{host}", Origin(place)))
    return None


def _from_sitemap(found: Found, pages: Sequence[Page]) -> Stated | None:
    """The base URL in a sitemap that another tool has written into the site.

    Raises SitemapperError if all links begin with a path that this URL lacks, such as `/docs/`.
    """
    stated = _first_sitemap(found, pages, is_ours=False)
    if stated is None:
        return None
    folders = _linked_folders(found, pages)
    if len(folders) != 1:
        return stated
    [path] = folders
    # If the site has a folder `docs`, the links lead there, and `/docs/` is not in the base URL.
    if os.path.isdir(found.folder + path) or stated.value.endswith(path):
        return stated
    likely = f"{origin_of(stated.value)}{path}"
    raise SitemapperError(
        f"the base URL is not certain: {stated.origin} names {stated.value}, but all links of "
        f"the pages begin with {path}",
        f'write base_url = "{likely}", or pass --base-url {likely}',
    )


def _first_sitemap(found: Found, pages: Sequence[Page], *, is_ours: bool) -> Stated | None:
    """Finds the base URL in the first sitemap whose URLs are pages of the site, None without one.

    A sitemap with https://a.example/docs/b/ gives https://a.example/docs/ for `b/index.html`.
    `is_ours` chooses sitemaps that sitemapper wrote into the output folder. Otherwise, those count
    that other tools wrote into the site.
    """
    paths = frozenset(page.path for page in pages)
    folder = found.output if is_ours else found.folder

    # Try the names that the generator writes, then the one in the settings, then the usual ones.
    of_generator = found.project.sitemaps if found.project else ()
    for name in (*of_generator, found.config.settings.sitemap.name, *_SITEMAPS):
        base_url = _base_of(listed_in(folder, name, is_ours=is_ours), paths)
        if base_url:
            return Stated(base_url, Origin(name))
    return None


def _linked_folders(found: Found, pages: Sequence[Page]) -> set[str]:
    """The first folders in the links of some pages: `/docs/` for `<a href="/docs/a/">`.

    Relative links such as `a/`, and those to another host, such as `//b.example/`, do not count.
    """
    folders: set[str] = set()
    for page in pages[:_FEW_PAGES]:
        for link in links_of(found.folder, page.path):
            if link.startswith("/") and not link.startswith("//"):
                folders.add(link[: link.find("/", 1) + 1])
    return folders


def _from_robots(found: Found) -> Stated | None:
    """The URL of the folder that has the sitemap, as robots.txt names it.

    `Sitemap: https://a.example/docs/sitemap.xml` gives https://a.example/docs/, if the site has a
    file `sitemap.xml`. A site without it may have the robots.txt of another one.
    """
    for url in sitemap_lines(contents(found.folder, "robots.txt")):
        base, slash, name = url.rpartition("/")
        if os.path.isfile(os.path.join(found.folder, name)):
            return Stated(base + slash, Origin("robots.txt"))
    return None


def _from_github_pages(found: Found, pages: Sequence[Page]) -> Stated | None:
    """The address that GitHub Pages gives the repository: https://ann.github.io/tea/.

    None if it is not published there, or if no link of the pages begins with `/tea/`: then the site
    has a domain of its own.
    """
    address = pages_address(found.folder)
    if address is None or not is_on_github_pages(found.folder):
        return None
    path = address.removeprefix(origin_of(address))  # `/tea/`
    folders = _linked_folders(found, pages)
    if path != "/" and folders and path not in folders:
        return None
    return Stated(address, Origin("GitHub Pages; with a domain of your own, set base_url"))


# --- Sitemaps in the output


def listed_in(folder: str, name: str, *, is_ours: bool) -> list[str]:
    """The first URLs in a sitemap, or in the first part of a sitemap index.

    The list is empty if there is no such file, or if it is damaged. It is also empty if sitemapper
    wrote the file and `is_ours` is false, or the other way round.
    """
    entries: list[SitemapEntry] = []
    for _ in range(2):  # if the first file is an index, the second one is its first part
        data = contents(folder, name)
        if is_marked(data) is not is_ours:
            return []
        try:
            entries = list(islice(read_sitemap(data), _FEW_URLS))
        except SitemapFault:
            return []
        if not entries or not entries[0].is_sitemap:
            break
        name = os.path.basename(entries[0].loc)
    return [resolve(entry.loc, "") or "" for entry in entries]


def _base_of(urls: Sequence[str], paths: Collection[str]) -> str | None:
    """The base URL below which nine of ten URLs are pages of the site, None if there is none.

    `urls` are those of a sitemap, and `paths` those of all pages. For https://a.example/docs/b/ and
    the page `b/index.html`, it is https://a.example/docs/. All beginnings of the first URL are
    tried, from https://a.example/ on.
    """
    if not urls:
        return None
    parts = urls[0].split("/")
    for end in range(3, len(parts)):  # three parts are `https:`, an empty one, and the host
        base_url = "/".join(parts[:end]) + "/"
        number_of_pages = sum(page_at(url, base_url, paths) is not None for url in urls)
        if number_of_pages * 10 >= len(urls) * 9:
            return base_url
    return None
