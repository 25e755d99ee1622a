"""What may be wrong with a site: what its first pages say that the settings do not, and rules that
are not read.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from ..errors import SiteError
from ..fs import relative
from ..messages import Kind, Message
from ..model import Page
from ..read import server
from ..read.built_sitemap import find_built_sitemap
from ..read.sitemap import MARK
from ..read.walk import SiteRoot
from ..site import Output
from ..syntax.urls import INDEXES, moved_url, relative_path, without_www
from .base_url_files import check_base_url
from .first_look import (
    SITEMAP_LINK,
    FirstPages,
    PageUrl,
    find_head_url,
    find_og_url,
    list_canonicals,
)
from .load import Setup
from .url_forms import SiteUrls

# Pages that are compared with the settings: what a wrong build writes is on all of them.
CHECKED_PAGES = 20


def list_warnings(setup: Setup, urls: SiteUrls, pages: Sequence[Page]) -> Iterator[Message]:
    """Yields warnings about the host and the base URL of a site, or raises SiteError.

    | the site has | result |
    |---|---|
    | netlify.toml and vercel.json, the files of two hosts | a warning to set `host` |
    | a base URL that a person wrote, and another one on its pages | a warning |
    | a base URL from a project file such as hugo.toml, and another one on its pages | SiteError |

    A base URL from a project file may be old, and a wrong one makes all URLs wrong. So the run
    stops: `the base URL is https://a.example/ (hugo.toml:2: baseURL), but the canonicals name
    https://b.example/ (9 of 10), so nothing was published`.

    `pages` are the first pages, none if pages may not be read.
    """
    if urls.host.is_known and len(urls.host.names) > 1:
        yield Message(Kind.HOSTS, (", ".join(urls.host.names),))
    other = find_other_base(pages, urls.reader, setup.run.cwd) if pages else None
    if other is None:
        return
    # The site lists the values that were found in the project. A base URL that is not among them
    # was written by a person.
    found_base_url = next((value for value in setup.site.found if value.key == "base_url"), None)
    if found_base_url is None:
        yield Message(Kind.BASE_URL, (f"it is {setup.site.base_url}, but {other.clause}",))
        return
    base_url = found_base_url.value
    help = f"build the site again for {base_url}"
    usable_base, _ = check_base_url(other.base_url)
    if usable_base:  # it is no preview, and not this machine
        help = f"pass the right one as --base-url, or {help}"
    problem = f"the base URL is {base_url} ({found_base_url.origin}), but {other.clause}"
    raise SiteError(f"{problem}, so nothing was published", help)


def list_notes(setup: Setup, urls: SiteUrls, pages: Sequence[Page]) -> Iterator[Message]:
    """Yields notes about the site, which are no faults, but may surprise a user.

    1. why pages have URLs such as `b` for `b.html`
    2. which rules of the host are there but not read
    3. that a page links to another sitemap than ours by `<link rel="sitemap">`

    `pages` are the first pages, none if pages may not be read.
    """
    # 1. The URLs.
    if urls.reason:
        yield Message(Kind.URL_STYLE, (urls.locator.style, urls.reason))
    # 2. Rules that are not read.
    if urls.host.unread:  # the note, None if all lines of the host's files are read
        yield urls.host.unread
    # 3. Another sitemap.
    is_name_set = "name" in setup.settings.sitemap.model_fields_set
    yield from _note_other_sitemap(pages, urls.reader, setup.site.output, is_name_set=is_name_set)


# --- another base URL


class OtherBase(NamedTuple):
    """A base URL of the built pages that is not the one of the settings.

    `clause` says where it stands: `the canonicals name https://b.example/ (9 of 10)`.
    """

    base_url: str
    clause: str


def find_other_base(pages: Sequence[Page], reader: FirstPages, cwd: str) -> OtherBase | None:
    """Finds the base URL for which the pages were built, None if it is that of the settings.

    The settings have `https://a.example/`, but 9 of 10 canonicals begin with `https://b.example/` →
    `https://b.example/`. The sitemap would then list wrong URLs, so the caller warns or stops.

    Only the first of these that the site has decides:

    1. the canonicals of `pages`
    2. `og:url` of the home page
    3. the sitemap of the generator
    """
    if not reader.follows_canonicals:  # `[respect] canonical = false`
        return None
    # 1. The canonicals. One at the former address of the site counts as one at the base URL, since
    # the host redirects it.
    canonicals = []
    for page in list_canonicals(reader.starts(pages), reader.base_url):
        url = moved_url(page.url, reader.former_base, reader.base_url)
        canonicals.append(page._replace(url=url))
    if canonicals:
        return _find_other_in_canonicals(canonicals, pages, reader)
    # 2. `og:url`.
    site = reader.root.root
    og_url = find_og_url(reader.first_look.home(site, reader.base_url), reader.base_url)
    if og_url:
        if not _shows_other_base(og_url, reader.base_url, reader.root):
            return None
        other = _base_url_of(og_url)
        return OtherBase(other, f"the home page's og:url names {other}")
    # 3. The sitemap.
    sitemap = find_built_sitemap(site, MARK)
    # Most servers redirect http and `www.` to the main address, so they make no other base URL.
    if sitemap is None or without_www(sitemap.base_url) == without_www(reader.base_url):
        return None
    name = relative(os.path.join(site, sitemap.name), cwd)
    return OtherBase(sitemap.base_url, f"{name} names {sitemap.base_url}")


def _find_other_in_canonicals(
    canonicals: Sequence[PageUrl], pages: Sequence[Page], reader: FirstPages
) -> OtherBase | None:
    """Finds the base URL of the canonicals, if most of them cannot be URLs of the site.

    The settings have `https://a.example/`, but 9 of 10 canonicals begin with `https://b.example/` →
    `https://b.example/`, and the clause `the canonicals name https://b.example/ (9 of 10)`.

    `pages` are all pages that were read. Only some of them may have one of the `canonicals`.
    """
    others = [
        canonical
        for canonical in canonicals
        if _shows_other_base(canonical, reader.base_url, reader.root)
    ]
    if len(others) * 2 <= len(canonicals):
        return None
    # If only a few pages have a canonical, these may be articles that first appeared on another
    # site. So the home page must have a canonical with another base URL, or most pages must.
    are_most_pages = len(others) * 2 > len(pages)
    is_on_home_page = any(canonical.path in INDEXES for canonical in others)
    if not is_on_home_page and not are_most_pages:
        return None
    [(other, count)] = Counter(map(_base_url_of, others)).most_common(1)
    return OtherBase(other, f"the canonicals name {other} ({count} of {len(canonicals)})")


def _base_url_of(page: PageUrl) -> str:
    """Finds the base URL for which a page was built, by the URL in its head.

    `https://a.example/docs/b` in `b.html` → `https://a.example/docs/`. If the URL is that of
    another page, its base URL is not certain, so the root of its host is returned:
    `https://a.example/docs/c` in `b.html` → `https://a.example/`.
    """
    base_url = page.base_url  # the URL without `b` at its end, "" if it has another end
    return base_url or urljoin(page.url, "/")


def _shows_other_base(page: PageUrl, base_url: str, root: SiteRoot) -> bool:
    """Whether the URL in a page's head shows that the page was built for another base URL.

    The URL is a canonical or `og:url`. For the page `b.html` and `https://a.example/`:

    | URL in the head of `b.html` | result |
    |---|---|
    | `https://b.example/b/` | yes: it is not below the base URL |
    | `https://a.example/c/` | no: it is the URL of another page, as on a copy of this page |
    | `https://a.example/docs/b/`, for which the site has no file | yes: `https://a.example/docs/` |
    | `https://a.example/b/`, for which the site has a file | no |
    """
    # Most servers redirect http and `www.` to the main address, so these make no difference.
    base = f"https://{without_www(base_url)}"
    url = f"https://{without_www(page.url)}"
    is_below_base = f"{url}/".startswith(base)
    if not is_below_base:
        return True
    is_of_other_page = not page.base_url  # the URL does not end with `b`, `b/` or `b.html`
    if is_of_other_page:
        return False
    path = relative_path(url, base)  # `docs/b/`
    return path is None or server.file_for_url_path(root, path) is None


# --- the sitemap to which pages link by `<link rel="sitemap">`


def _note_other_sitemap(
    pages: Sequence[Page], reader: FirstPages, output: Output, *, is_name_set: bool
) -> Iterator[Message]:
    """Yields a note about the first page whose `<link rel="sitemap">` leads to another sitemap.

    | a page links to | note |
    |---|---|
    | our own `/sitemap.xml` or `/sitemap.xml.gz` | none |
    | one that is listed in `[sitemap] others` | none |
    | another file that exists, if a person chose the name of ours (`is_name_set`) | none |
    | `/sitemap-index.xml` | set this name, or correct the link |
    | `/maps/a.txt`, which the key `name` cannot have | correct the link |
    """
    own_path = reader.path_of(output.sitemap_url, "")
    for page, start in reader.starts(pages):
        link = find_head_url(start, SITEMAP_LINK)
        path = reader.path_of(link, page) if link else None
        if not path or path.removesuffix(".gz") == own_path or path in output.options.others:
            continue
        if is_name_set and os.path.isfile(reader.root.file(path)):  # both are there on purpose
            continue
        advice = 'correct <link rel="sitemap">'
        is_beside_pages = output.folder == reader.root.root and "/" not in path
        # The key `name` takes only the name of an XML file in the folder of the output.
        if is_beside_pages and path.endswith(".xml"):
            advice = f'set name = "{path}" under [sitemap], or {advice}'
        yield Message(Kind.LINKED_SITEMAP, (page, path, output.name), help=advice)
        return
