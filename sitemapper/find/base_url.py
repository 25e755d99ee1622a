"""The base URL of a site: the places where it may stand, and the one that the built pages have.

Where nobody wrote a base URL, it is that of the first of these places that has one:

1. the settings of the generator
2. CNAME, in the site or beside the project's files
3. `homepage` in package.json
4. the environment of the builder of Netlify, Vercel or Read the Docs
5. the canonicals of the first pages
6. `og:url` of the home page
7. the sitemap that the generator wrote
8. GitHub Pages, where it is certain that the site is there
9. our own sitemap in the site, for commands that do not write it

A place with the address of this machine, an example or a preview is passed over.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from ..fs import relative
from ..model import Origin
from ..read.built_sitemap import find_built_sitemap, folders_of, names_file
from ..read.sitemap import MARK
from ..syntax.urls import is_preview
from .base_url_files import Place, list_places_in_files, make_place
from .first_look import (
    NOWHERE,
    FirstLook,
    PageStart,
    PageUrl,
    find_og_url,
    list_canonicals,
    start_of,
)
from .project import Project

_SET = ("1", "true")  # what builders set their variables to
_BUILDER = "builder's environment"
_BUILD_FOR_VISITORS = "build the site for the address at which visitors see it"


# The variable that only the builder of one host sets: the one with the address of the site.
_ADDRESS_BY_BUILDER = {
    "NETLIFY": "URL",
    "VERCEL": "VERCEL_PROJECT_PRODUCTION_URL",
    "READTHEDOCS": "READTHEDOCS_CANONICAL_URL",
}


def with_base_url(
    project: Project,
    env: Mapping[str, str],
    first_look: FirstLook,
    pages: Iterable[PageStart],
    *,
    reads_own_sitemap: bool = False,
) -> Project:
    """Adds the base URL to a project's settings: that of the first place that has one.

    The places are those at the head of this module, such as CNAME. If none has a base URL, the
    project gets the reasons for the error message instead. `pages` are the first pages of the site.

    With `reads_own_sitemap`, our own sitemap is the last place. A build does not read it, because
    it would keep an old address for ever.
    """
    places: list[Place] = []
    for place in _list_places(project, env, first_look, pages, reads_own_sitemap):
        if place.base_url:
            # Users read the settings in this order: the folder of the site, the base URL, and then
            # all others.
            settings = list(project.settings)
            settings.insert(1, place.base_url)
            return project._replace(settings=tuple(settings))
        places.append(place)
    return project._replace(
        no_base_url=_describe_missing(places),
        base_url_help=next((place.help for place in places if place.help), ""),
    )


def _describe_missing(places: Sequence[Place]) -> str:
    """Says why no place gives the base URL, for the error message.

    `hugo.toml does not set baseURL; no CNAME, canonical or sitemap names one`. The reasons that
    places have come first. The last clause names all places that set nothing.
    """
    clauses = [place.reason for place in places if place.reason]
    empty = [place.name for place in places if not place.reason]
    if empty:
        *first, last = empty
        names = f"{', '.join(first)} or {last}" if first else last
        clauses.append(f"no {names} names one")
    return "; ".join(clauses)


def _list_places(
    project: Project,
    env: Mapping[str, str],
    first_look: FirstLook,
    pages: Iterable[PageStart],
    reads_own_sitemap: bool,
) -> Iterator[Place]:
    """Yields the places where the base URL of a site may stand, the most trusted first.

    1. the settings of the generator, CNAME, and `homepage` in package.json
    2. the environment of a builder such as Netlify
    3. the canonicals of the first pages, which are `pages`
    4. `og:url` of the home page
    5. a sitemap that another tool wrote
    6. GitHub Pages, and with `reads_own_sitemap` the sitemap of our last run

    The caller takes the first place with a base URL. A place is read only when the caller asks for
    it, so a base URL in the settings costs no page.

    Places 1 to 5 are yielded even if they set nothing, since the error names them as searched. Most
    sites are not on GitHub Pages, so its name in the error would only confuse. GitHub Pages is
    yielded only if the site is certainly there, and our sitemap only if it has a base URL.
    """
    yield from list_places_in_files(project, first_look.cwd)
    yield _find_in_builder(env)
    if not project.site:
        return
    home = first_look.home(project.site)
    first_pages = [home, *pages]
    yield _find_in_canonicals(project.site, first_pages)
    yield _find_in_og_url(project.site, home)
    yield _find_in_sitemap(project.site, first_look.cwd, excluded_mark=MARK)
    # Imported here: it runs git, and most sites have their base URL in another place.
    from .github_pages import find_in_github_pages

    address = find_in_github_pages(project.site, env, first_look.cwd, first_pages)
    if address:
        yield address
    if reads_own_sitemap:
        # The sitemaps of other tools had no base URL above, so this one is ours.
        own_sitemap = _find_in_sitemap(project.site, first_look.cwd)
        if own_sitemap.base_url:
            yield own_sitemap


def _find_in_builder(env: Mapping[str, str]) -> Place:
    """Finds the base URL in the environment of the builder that runs.

    With `NETLIFY=true` and `URL=https://a.example`, it is `https://a.example/`. This is the address
    of the published folder, so no path of the settings is appended.
    """
    for builder, variable in _ADDRESS_BY_BUILDER.items():
        address = env.get(variable, "")
        # `URL` and the like may be set anywhere: only `NETLIFY=true` shows that Netlify set it.
        runs = env.get(builder, "").lower() in _SET
        if runs and address:
            # Vercel gives a host without a scheme.
            url = address if "://" in address else f"https://{address}"
            return make_place(url, _BUILDER, Origin(f"environment: {variable}"))
    return Place(_BUILDER)


def _find_in_canonicals(site: str, pages: Sequence[PageStart]) -> Place:
    """Finds the base URL in the home page's canonical, if most canonicals confirm it.

    The base URL of a canonical is what is before the path of its page: `https://a.example/docs/`
    for `https://a.example/docs/b/` on `b/index.html`. The one of the home page is the result, if
    more than half of the canonicals have the same. The first of the `pages` is the home page.
    """
    sets_nothing = Place("canonical")
    canonicals = _list_absolute_canonicals(pages)
    base_of_home = next((page.base_url for page in canonicals if page.path == pages[0].path), "")
    count = sum(page.base_url == base_of_home for page in canonicals)
    # One canonical is not enough: that of an article may say that it first appeared elsewhere.
    is_of_most = count * 2 > len(canonicals)
    if not base_of_home or not is_of_most or _is_of_other_version(base_of_home, site):
        return sets_nothing
    origin = Origin(f"{count} of {len(canonicals)} canonicals that were read")
    return make_place(base_of_home, "canonical", origin, _BUILD_FOR_VISITORS)


def _is_of_other_version(base_url: str, site: str) -> bool:
    """Whether the site is one version of a documentation, and a base URL is that of another one.

    The site is the folder `1.0`, and the base URL `https://a.example/latest/`. The canonicals of an
    old version often name the pages of the newest, so they do not show the URLs of `1.0`.
    """
    folder_above, version = os.path.split(site)
    # The tool mike publishes each version in a folder, and writes versions.json beside them. The
    # file of this name that Docusaurus writes has no key "version".
    versions_file = os.path.join(folder_above, "versions.json")
    is_of_mike = b'"version"' in start_of(folder_above, versions_file)
    version_in_url = base_url.split("/")[-2]  # `latest`
    return is_of_mike and version_in_url != version


def _list_absolute_canonicals(pages: Iterable[PageStart]) -> list[PageUrl]:
    """Lists the absolute canonicals of pages, each with its page: `https://a.example/b/`.

    A relative canonical, such as `/b/`, has no host, so it shows no base URL and is left out.
    """
    by_path = {page.path: page for page in pages}  # the home page may be among the others, too
    # `list_canonicals` makes all canonicals absolute. NOWHERE is then the start of those that were
    # relative: `/b/` becomes `https://site.invalid/b/`.
    canonicals = list_canonicals(by_path.values(), NOWHERE)
    return [page for page in canonicals if not page.url.startswith(NOWHERE)]


def find_preview(
    site: str, first_look: FirstLook, pages: Iterable[PageStart], preview_hosts: Collection[str]
) -> str:
    """Finds the host of a preview for which a site is built, "" if it is built for visitors.

    The host of a preview has a known name, such as `deploy-preview-7--a.netlify.app`, or is one of
    `preview_hosts`, which the builder gives.

    | the first pages | result |
    |---|---|
    | have no canonical, but the home page links to one of `preview_hosts` | this host |
    | have canonicals, more than half of them with the host of a preview | this host |
    | any other | "" |
    """
    home = first_look.home(site)
    hosts = [urlsplit(page.url).netloc for page in _list_absolute_canonicals([home, *pages])]
    if not hosts:
        start = home.data.lower()
        linked = [host for host in preview_hosts if f"//{host}/".encode() in start]
        return linked[0] if linked else ""
    [(host, count)] = Counter(hosts).most_common(1)
    is_of_most = count * 2 > len(hosts)
    if is_of_most and (is_preview(host) or host in preview_hosts):
        return host
    return ""


def _find_in_og_url(site: str, home: PageStart) -> Place:
    """Finds the base URL in the tag `og:url` of the home page, which should name its own URL.

    | `og:url` | base URL |
    |---|---|
    | is missing, or has no host, as `/start` | none |
    | `https://a.example/start`, and the site has start.html | none: it is the URL of start.html |
    | `https://a.example/start`, and the site has no such file | `https://a.example/start/` |
    """
    # A relative URL becomes one below NOWHERE, such as `https://site.invalid/start`.
    found = find_og_url(home, NOWHERE)
    sets_nothing = Place("og:url")
    if found is None or found.url.startswith(NOWHERE):
        return sets_nothing
    base_url = found.base_url  # "" if the URL cannot be that of a home page
    # If the site has start.html, its base URL is probably `https://a.example/`, a folder above
    # `https://a.example/start/`.
    folders_above = folders_of(base_url)[:-1]
    is_of_other_page = any(names_file(found.url, folder, site) for folder in folders_above)
    if not base_url or is_of_other_page:
        return sets_nothing
    return make_place(base_url, "og:url", Origin("the home page's og:url"))


def _find_in_sitemap(site: str, cwd: str, excluded_mark: bytes = b"") -> Place:
    """Finds the base URL of the URLs in a sitemap of the site, such as sitemap.xml.

    Sitemaps that contain `excluded_mark` do not count. With the mark that is in each of our own
    sitemaps, the caller excludes these: they would confirm whatever base URL an earlier build had.
    """
    sitemap = find_built_sitemap(site, excluded_mark)
    if sitemap is None:
        return Place("sitemap")
    origin = Origin(relative(os.path.join(site, sitemap.name), cwd))
    return make_place(sitemap.base_url, "sitemap", origin)
