"""The base URL of a site: the places that may name one, and what the built pages say of it.

Where nobody wrote a base URL, it is that of the first place that names one:

1. the settings of the generator
2. CNAME, in the site or beside the project's files
3. `homepage` in package.json
4. the environment of the builder of Netlify, Vercel or Read the Docs
5. the canonicals of the first pages
6. `og:url` of the home page
7. the sitemap that the generator wrote

A place that names this machine, an example or a preview is passed over.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ..fs import relative
from ..model import Origin, Page
from ..read import server
from ..read.sitemap import MARK
from ..read.walk import SiteRoot
from ..syntax import urls
from ..syntax.urls import is_preview
from .addresses import Place, make_place
from .built_sitemap import find_built_sitemap, folders_of, names_file
from .first_look import LIMIT, NOWHERE, FirstLook, PageStart, start_of
from .first_pages import FirstPages, PageUrl, find_og_url, list_canonicals
from .project import Project

CHECKED_PAGES = 20  # whose canonicals are compared with the base URL
_HOST_NAME = r"[\w-]+(?:\.[\w-]+)*\.?"  # compiled when it is used
_SET = ("1", "true")  # what builders set their variables to
_BUILDER = "builder's environment"
_BUILD_FOR_VISITORS = "build the site for the address at which visitors see it"


# For each variable that only the builder of one host sets, the one with the address of the site.
_ADDRESS_BY_BUILDER = {
    "NETLIFY": "URL",
    "VERCEL": "VERCEL_PROJECT_PRODUCTION_URL",
    "READTHEDOCS": "READTHEDOCS_CANONICAL_URL",
}


def with_base_url(
    project: Project, env: Mapping[str, str], first_look: FirstLook, pages: Iterable[PageStart]
) -> Project:
    """The project, with the base URL of the first place that names one, or why none does.

    `pages` are the sample of the site.
    """
    places: list[Place] = []
    for place in _list_places(project, env, first_look, pages):
        if place.base_url:
            first, rest = project.settings[:1], project.settings[1:]  # the site comes first
            return project._replace(settings=(*first, place.base_url, *rest))
        places.append(place)
    return project._replace(
        no_base_url=_describe_missing(places),
        base_url_help=next((place.help for place in places if place.help), ""),
    )


def _describe_missing(places: Sequence[Place]) -> str:
    """Why no place gives the base URL: the reasons, and the places that name none.

    `hugo.toml does not set baseURL; no CNAME, canonical or sitemap names one`
    """
    parts = [place.reason for place in places if place.reason]
    silent = [place.name for place in places if not place.reason]
    if silent:
        *first, last = silent
        names = f"{', '.join(first)} or {last}" if first else last
        parts.append(f"no {names} names one")
    return "; ".join(parts)


def _list_places(
    project: Project, env: Mapping[str, str], first_look: FirstLook, pages: Iterable[PageStart]
) -> Iterator[Place]:
    """What each place says, in their order."""
    path = project.address.path
    yield project.address.setting
    if path is not None:
        folders = [project.site, project.folder if project.file else None]
        yield _find_in_cname([folder for folder in folders if folder], path, first_look.cwd)
        yield project.address.homepage
    yield _find_in_builder(env)
    if project.site:
        yield _find_in_canonicals(project.site, first_look, pages)
        yield _find_in_og_url(project.site, first_look)
        yield find_in_sitemap(project.site, first_look.cwd, MARK)


def _find_in_cname(folders: Sequence[str], path: str, cwd: str) -> Place:
    """The host in the first CNAME that is not empty, with the path of the settings."""
    for folder in folders:
        file = os.path.join(folder, "CNAME")
        host = start_of(folder, file, LIMIT).decode("utf-8", "replace").strip()
        if not host:
            continue
        origin = Origin(relative(file, cwd))
        if not re.fullmatch(_HOST_NAME, host):
            reason = f"{origin}: must contain a host name alone, such as www.example.com"
            return Place("CNAME", reason=reason)
        return make_place(f"https://{host}/{path}", "CNAME", origin)
    return Place("CNAME")


def _find_in_builder(env: Mapping[str, str]) -> Place:
    """The address in the environment of the builder that runs.

    It is that of the published folder, whatever the path in the settings is.
    """
    for builder, variable in _ADDRESS_BY_BUILDER.items():
        address = env.get(variable, "")
        runs = env.get(builder, "").lower() in _SET
        if runs and address:
            url = address if "://" in address else f"https://{address}"
            return make_place(url, _BUILDER, Origin(f"environment: {variable}"))
    return Place(_BUILDER)


def _find_in_canonicals(site: str, first_look: FirstLook, pages: Iterable[PageStart]) -> Place:
    """The base URL of the home page's canonical, if most canonicals of the sample have it."""
    nothing = Place("canonical")
    home = first_look.home(site)
    canonicals = _list_absolute_canonicals(home, pages)
    base_of_home = next((page.base_url for page in canonicals if page.path == home.path), "")
    count = sum(page.base_url == base_of_home for page in canonicals)
    if not base_of_home or count * 2 <= len(canonicals):
        return nothing
    # Where mike keeps versions of a documentation, `1.0/` may have the canonicals of `latest/`.
    above, version = os.path.split(site)
    has_versions = b'"version"' in start_of(above, os.path.join(above, "versions.json"))
    if has_versions and base_of_home.split("/")[-2] != version:
        return nothing
    origin = Origin(f"{count} of {len(canonicals)} canonicals that were read")
    return make_place(base_of_home, "canonical", origin, _BUILD_FOR_VISITORS)


def _list_absolute_canonicals(home: PageStart, pages: Iterable[PageStart]) -> list[PageUrl]:
    """The canonicals of the home page and of others that name a host."""
    by_path = {home.path: home} | {page.path: page for page in pages}
    canonicals = list_canonicals(by_path.values(), NOWHERE)
    return [page for page in canonicals if not page.url.startswith(NOWHERE)]


def find_preview(
    site: str, first_look: FirstLook, pages: Iterable[PageStart], own: Collection[str]
) -> str:
    """The host of a preview that more than half of a site's canonicals name, "" if there is none.

    A host is a preview's if it has the form of one, or if it is among `own`, the preview hosts of
    this build. Without canonicals, the home page may link to one of the latter.
    """
    home = first_look.home(site)
    hosts = [urlsplit(page.url).netloc for page in _list_absolute_canonicals(home, pages)]
    if not hosts:
        start = home.data.lower()
        linked = [host for host in own if f"//{host}/".encode() in start]
        return linked[0] if linked else ""
    [(host, count)] = Counter(hosts).most_common(1)
    is_most_named = count * 2 > len(hosts)
    if is_most_named and (is_preview(host) or host in own):
        return host
    return ""


def _find_in_og_url(site: str, first_look: FirstLook) -> Place:
    """The base URL of the home page's `og:url`, unless it names another page of the site."""
    nothing = Place("og:url")
    page = find_og_url(first_look.home(site), NOWHERE)
    if page is None or not page.base_url or page.url.startswith(NOWHERE):
        return nothing
    folders_above = folders_of(page.base_url)[:-1]
    # `https://a.example/start` is no base URL, but the page start.html of https://a.example/.
    if any(names_file(page.url, folder, site) for folder in folders_above):
        return nothing
    return make_place(page.base_url, "og:url", Origin("the home page's og:url"))


def find_in_sitemap(site: str, cwd: str, mark: bytes = b"") -> Place:
    """The base URL that a sitemap in the site shows. One with this `mark` does not count."""
    sitemap = find_built_sitemap(site, mark)
    if sitemap is None:
        return Place("sitemap")
    origin = Origin(relative(os.path.join(site, sitemap.name), cwd))
    return make_place(sitemap.base_url, "sitemap", origin)


class OtherBase(NamedTuple):
    """Another base URL that the built pages name, and a clause that says where."""

    base_url: str
    clause: str


def find_other_base(pages: Sequence[Page], reader: FirstPages, cwd: str) -> OtherBase | None:
    """The base URL that the built pages name instead of this one, None if they name no other.

    It asks the canonicals of these pages. Without any, it asks `og:url` of the home page, and then
    the sitemap that the generator wrote. A setting that is misread, or pages that were built for
    another address, would give wrong URLs.
    """
    if not reader.follows_canonicals:
        return None
    canonicals = list(list_canonicals(reader.starts(pages), reader.base_url))
    if canonicals:
        return _find_other_of_canonicals(canonicals, pages, reader)
    site = reader.root.root
    og_url = find_og_url(reader.first_look.home(site), reader.base_url)
    if og_url:
        if _is_url_of_site(reader.base_url, og_url, reader.root):
            return None
        other = _base_url_of(og_url)
        return OtherBase(other, f"the home page's og:url names {other}")
    sitemap = find_built_sitemap(site, MARK)
    if sitemap is None or urls.without_www(sitemap.base_url) == urls.without_www(reader.base_url):
        return None
    name = relative(os.path.join(site, sitemap.name), cwd)
    return OtherBase(sitemap.base_url, f"{name} names {sitemap.base_url}")


def _find_other_of_canonicals(
    canonicals: Sequence[PageUrl], pages: Sequence[Page], reader: FirstPages
) -> OtherBase | None:
    """The other base URL that most canonicals name, None if most are of this site."""
    others = [
        page for page in canonicals if not _is_url_of_site(reader.base_url, page, reader.root)
    ]
    is_most = len(others) * 2 > len(canonicals)
    # Where pages have no canonical, that of an article may say that it appeared elsewhere first.
    is_of_home = any(page.path in urls.INDEXES for page in others)
    is_of_most_pages = len(others) * 2 > len(pages)
    if not is_most or not (is_of_home or is_of_most_pages):
        return None
    [(other, count)] = Counter(map(_base_url_of, others)).most_common(1)
    return OtherBase(other, f"the canonicals name {other} ({count} of {len(canonicals)})")


def _base_url_of(page: PageUrl) -> str:
    """The base URL that the URL of a page shows, or else the root of its host."""
    return page.base_url or urljoin(page.url, "/")


def _is_url_of_site(base_url: str, page: PageUrl, root: SiteRoot) -> bool:
    """Whether the URL that a page names is one of the site at a base URL.

    Scheme and `www.` do not matter: most servers redirect one form to the other. At
    `https://a.example/`, `https://a.example/docs/b/` for `b.html` shows another base URL, unless
    the site has such a page.
    """
    base = f"https://{urls.without_www(base_url)}"
    url = f"https://{urls.without_www(page.url)}"
    if not f"{url}/".startswith(base):
        return False
    shown = page._replace(url=url).base_url
    if shown in ("", base):
        return True
    path = urls.relative_path(url, base)
    return path is not None and server.file_for_url_path(root, path) is not None
