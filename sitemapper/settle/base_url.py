"""The base URL of a site: the first of some places that names one."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..errors import PreviewError, SitemapperError
from ..files import contents, folders_above, shown_path
from ..find.github import pages_address
from ..messages import Message, count
from ..model import Facts, Found, Origin, OwnUrl, Page, Run, Stated
from ..read import links_of
from ..syntax.urls import (
    host_of,
    is_placeholder,
    is_preview,
    normalize_base,
    origin_of,
    page_at,
    resolve,
    without_www,
)
from .sitemap import base_of_sitemap, listed_in

_HOST_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")
# Hosts of source code and packages, to which a `homepage` links.
_CODE_HOST = re.compile(r"https?://(?:www\.)?(?:github|gitlab|npmjs)\.com/")
_FEEDS = ("feed.xml", "atom.xml", "rss.xml", "index.xml", "feed.atom", "rss/index.xml")
# The link to the site in a feed: of RSS as text, of Atom as an attribute.
_FEED_LINK = re.compile(
    rb"""<link>\s*(https?://[^<\s]+)\s*</link>|<link(?![^<>]*rel=["']?self)[^<>]*href=["'](https?://[^"']+)"""
)
_SITEMAPS = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml", "sitemap-0.xml")
_SITEMAP_LINE = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:[ \t]*(https?://\S+)")
# The variable that only the builder of one host sets: the one with the address of the site.
_BUILDERS = {
    "NETLIFY": "URL",
    "VERCEL": "VERCEL_PROJECT_PRODUCTION_URL",
    "READTHEDOCS": "READTHEDOCS_CANONICAL_URL",
}
_BUILD_AGAIN = "build the site again for the address at which visitors see it"
_ROOT_LINK = re.compile("/(?!/)")
_LEAST_DEFAULTS = 10  # pages with one canonical that show a default of the layout
_FEW_PAGES = 20  # whose links are read


class BaseUrl(NamedTuple):
    """The base URL, what named it, and an address that the host redirects to it, "" without one."""

    url: str
    origin: Origin
    former: str = ""
    messages: tuple[Message, ...] = ()


class _Votes(NamedTuple):
    """What the canonicals that name their own pages say: the base URL of most, "" without one."""

    url: str
    votes: int
    voters: int


def find_base_url(
    found: Found, run: Run, pages: Sequence[Page], facts: Sequence[Facts], links: Mapping[str, str]
) -> BaseUrl:
    """Finds the base URL: what a person wrote, then what the pages say, then other places.

    Raises SitemapperError if none is named or if the pages were built for this machine, and
    PreviewError if they were built for a preview.
    """
    setting = found.config.settings.base_url
    written = Stated(setting, found.config.origins["base_url"]) if setting else None
    votes = _votes_of(pages, facts, links)
    is_said_now = written is not None and written.origin.line is None  # a flag, the environment
    if is_preview(votes.url) and not is_said_now:
        raise PreviewError(f"the site was built for a preview ({host_of(votes.url)})")
    if written:
        return BaseUrl(written.value, written.origin, "", _contradiction(written, votes, wins=True))
    if is_placeholder(votes.url):
        raise SitemapperError(
            f"the canonicals name {votes.url} ({votes.votes} of {votes.voters}), "
            "which is not the address of a site",
            "build the site again with its address",
        )
    cname = _cname(found, run)
    if cname and host_of(votes.url).endswith(".github.io"):
        return BaseUrl(cname.value, cname.origin, votes.url)
    stated = _usable(_address(found)) or cname
    if stated and without_www(votes.url) == without_www(stated.value):
        return BaseUrl(stated.value, stated.origin)  # http and https are no difference
    if votes.url and (votes.voters * 2 >= len(pages) or stated is None):
        origin = Origin(f"the canonicals of {count(votes.votes, 'page')}")
        return BaseUrl(votes.url, origin, "", _contradiction(stated, votes, wins=False))
    tried: list[str] = []
    for named in _places(found, run, pages, facts):
        usable = _usable(named)
        if usable:
            return BaseUrl(usable.value, usable.origin)
        if named:
            tried.append(f"{named.origin} names {named.value}, which is no address of a site")
    likely = pages_address(found.folder) or "https://tea.example/"
    text = "no base URL was found: no canonical names one, and no setting, CNAME or sitemap"
    if votes.voters:
        text = "no base URL was found: the canonicals do not agree, and nothing else names one"
    raise SitemapperError(
        "; ".join([text, *tried]),
        f'write base_url = "{likely}" in sitemapper.toml, or pass --base-url {likely}',
    )


def _votes_of(pages: Sequence[Page], facts: Sequence[Facts], links: Mapping[str, str]) -> _Votes:
    """Counts the base URLs of canonicals that name their own pages; two thirds must agree.

    Below a folder for which a link stands, only the pages below the link vote: the canonicals of
    `2.1/` name `latest/`.
    """
    linked = tuple(f"{folder}/" for folder in links.values())
    written: Counter[str] = Counter()
    for page, fact in zip(pages, facts, strict=True):
        if fact.refresh is not None or page.path.startswith(linked):
            continue
        if isinstance(fact.canonical, OwnUrl):
            written[fact.canonical.base] += 1
    bases: Counter[str] = Counter()
    for base, number in written.items():
        bases[normalize_base(base)] += number
    voters = bases.total()
    for url, votes in bases.most_common(1):
        if votes * 3 >= voters * 2:
            return _Votes(url, votes, voters)
    return _Votes("", 0, voters)


def _contradiction(stated: Stated | None, votes: _Votes, *, wins: bool) -> tuple[Message, ...]:
    """The warning that the pages name another base URL; http, https and www. are no difference."""
    if stated is None or not votes.url or without_www(votes.url) == without_www(stated.value):
        return ()
    said = f"the canonicals name {votes.url} ({votes.votes} of {votes.voters})"
    text = f"{said}, so the base URL is not {stated.value} ({stated.origin})"
    if wins:
        text = f"the base URL is {stated.value} ({stated.origin}), but {said}"
    return (Message("warning", "base-url", text, f"correct one of them, or {_BUILD_AGAIN}"),)


def _usable(stated: Stated | None) -> Stated | None:
    """The place with its base URL normalized; None for an example, a preview or a code host."""
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
    """Where files of the host may lie: in the site and above it, and in the project."""
    folders = folders_above(found.folder, run.cwd)
    if found.project:
        folders.append(found.project.folder)
    return folders


# --- the places


def _places(
    found: Found, run: Run, pages: Sequence[Page], facts: Sequence[Facts]
) -> Iterator[Stated | None]:
    """Yields what each place names, in the order in which they count."""
    yield _address(found)
    yield _builder(run)
    yield _cname(found, run)
    yield _og_url(facts)
    yield _sitemap(found, pages)
    yield _robots(found)
    yield _feed(found)
    yield _github_pages(found, pages)
    # Our own sitemap, so that a second build finds what the first one found.
    yield _first_sitemap(found, pages, is_ours=True)


def _address(found: Found) -> Stated | None:
    return found.project.address if found.project else None


def _builder(run: Run) -> Stated | None:
    for builder, variable in _BUILDERS.items():
        address = run.environment.get(variable, "")
        runs = run.environment.get(builder, "").lower() in ("1", "true")
        if runs and address:
            url = address if "://" in address else f"https://{address}"
            return Stated(url, Origin(f"environment: {variable}"))
    return None


def _cname(found: Found, run: Run) -> Stated | None:
    """The host in CNAME, in the site, beside the project's settings or at the repository's root."""
    for folder in host_folders(found, run):
        host = contents(folder, "CNAME").decode("utf-8", "replace").strip()
        if _HOST_NAME.fullmatch(host):
            place = shown_path(os.path.join(folder, "CNAME"), run.cwd)
            return Stated(normalize_base(f"https://{host}"), Origin(place))
    return None


def _og_url(facts: Sequence[Facts]) -> Stated | None:
    for fact in facts:
        if fact.og_url:
            return Stated(fact.og_url.removesuffix("index.html"), Origin("the home page's og:url"))
    return None


def _sitemap(found: Found, pages: Sequence[Page]) -> Stated | None:
    """The generator's own sitemap. Raises SitemapperError if links show a path that it lacks."""
    stated = _first_sitemap(found, pages, is_ours=False)
    if stated is None:
        return None
    path = _common_folder(found, _root_links(found, pages))
    if path and not stated.value.endswith(path):
        likely = f"{origin_of(stated.value)}{path}"
        raise SitemapperError(
            f"the base URL is not certain: {stated.origin} names {stated.value}, but all links of "
            f"the pages begin with {path}",
            f'write base_url = "{likely}", or pass --base-url {likely}',
        )
    return stated


def _first_sitemap(found: Found, pages: Sequence[Page], *, is_ours: bool) -> Stated | None:
    """The base URL of the first sitemap in the output that has one."""
    paths = {page.path for page in pages}
    names = found.project.sitemaps if found.project else ()
    for name in (*names, found.config.settings.sitemap.name, *_SITEMAPS):
        base = base_of_sitemap(listed_in(found.output, name, is_ours=is_ours), paths)
        if base:
            return Stated(base, Origin(name))
    return None


def _root_links(found: Found, pages: Sequence[Page]) -> list[str]:
    """The root-relative links of a few pages, such as `/docs/a/`."""
    links: list[str] = []
    for page in pages[:_FEW_PAGES]:
        links += [link for link in links_of(found.folder, page.path) if _ROOT_LINK.match(link)]
    return links


def _common_folder(found: Found, links: Sequence[str]) -> str:
    """The first folder of all links, `/docs/`, if the site itself has no such folder."""
    if not links or any(link.count("/") < 2 for link in links):
        return ""
    first, *others = {link.split("/")[1] for link in links}
    is_folder = os.path.isdir(os.path.join(found.folder, first))
    return "" if others or is_folder else f"/{first}/"


def _robots(found: Found) -> Stated | None:
    """The folder of the sitemap that robots.txt names, if the sitemap is there."""
    for line in _SITEMAP_LINE.findall(contents(found.output, "robots.txt")):
        base, _, name = line.decode("utf-8", "replace").rpartition("/")
        if os.path.isfile(os.path.join(found.output, name)):
            return Stated(f"{base}/", Origin("robots.txt"))
    return None


def _feed(found: Found) -> Stated | None:
    for name in _FEEDS:
        link = _FEED_LINK.search(contents(found.output, name))
        if link:
            return Stated((link[1] or link[2]).decode("utf-8", "replace"), Origin(name))
    return None


def _github_pages(found: Found, pages: Sequence[Page]) -> Stated | None:
    """The address of the repository, unless the pages link to the root of another address."""
    address = pages_address(found.folder)
    if address is None:
        return None
    path = address.removeprefix(origin_of(address))
    links = _root_links(found, pages)
    if links and not any(link.startswith(path) for link in links):
        return None
    return Stated(address, Origin("GitHub Pages; with a domain of your own, set base_url"))


def default_canonical(
    found: Found, base_url: str, pages: Sequence[Page], facts: Sequence[Facts]
) -> Iterator[Message]:
    """Warns of a canonical that a layout gives to many pages, though they link to themselves."""
    with_canonical = 0
    pages_by_target: dict[str, list[Page]] = {}
    for page, fact in zip(pages, facts, strict=True):
        with_canonical += fact.canonical is not None
        if isinstance(fact.canonical, str) and fact.refresh is None:
            pages_by_target.setdefault(fact.canonical, []).append(page)
    for target, named in sorted(pages_by_target.items()):
        if len(named) < max(_LEAST_DEFAULTS, with_canonical / 5):
            continue
        some = named[:_FEW_PAGES]
        linking = [page for page in some if _links_to_itself(found, base_url, page)]
        if len(linking) * 2 > len(some):
            text = (
                f"{count(len(named), 'page')} name {target} as their canonical, and are left out, "
                "though they link to themselves"
            )
            help = "let the layout write each page's own URL as its canonical"
            yield Message("warning", "default-canonical", text, help)


def _links_to_itself(found: Found, base_url: str, page: Page) -> bool:
    for link in links_of(found.folder, page.path):
        url = resolve(link, base_url + page.path)
        if url and page_at(url, base_url, (page.path,)):
            return True
    return False
