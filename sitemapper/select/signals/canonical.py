"""The canonical names a URL at which the server shows another file, or none."""

from ...model import Excluded, Reason
from ...read import server
from ...read.metadata import href_of
from ...read.walk import SiteRoot
from ...syntax.html import Tags
from ...syntax.links import base_of
from ...syntax.urls import moved_url, relative_path, resolve
from ..checked_page import Canonical, CheckedPage
from ..policy import IndexPolicy
from .signal import Signal

# Google ignores canonicals with one of these attributes.
_VARIANT = frozenset(("hreflang", "lang", "media", "type"))


def read(tags: Tags) -> str | None:
    """Reads the `href` of `<link rel="canonical">` in the head, as written. None without one.

    Also None if two canonicals name different URLs, because Google ignores both then. If both name
    the same URL, they count as one.
    """
    canonicals = set()
    for link in tags.links:
        rel = link.get("rel")
        if rel and "canonical" in rel.lower().split() and _VARIANT.isdisjoint(link):
            canonicals.add(href_of(link))
    canonicals.discard("")  # a link without an href
    if len(canonicals) != 1:
        return None
    return canonicals.pop()


def find_canonical(page: CheckedPage, policy: IndexPolicy, root: SiteRoot) -> Canonical | None:
    """Finds the URL that a page's canonical names, and the path and the file of the site there.

    For a page of https://a.example/, which was at https://ann.github.io/ before:

        href="/c/"                         path `c/`, file `c/index.html`
        href="https://ann.github.io/c/"    path `c/`, file `c/index.html`: the site's former URL
        href="/gone/"                      path `gone/`, file None: the site has no such file
        href="https://b.test/"             path None, file None: another site

    None if there is nothing to check: no canonical, an invalid one, or the page's own URL
    (`page.loc`). Also None if the setting `[respect] canonical` is off.
    """
    href = page.text_of("canonical")
    if href is None or href == page.loc or not policy.respect.canonical:
        return None
    written_url = resolve(href, base_of(page.facts.metadata, page.loc))
    if written_url is None:
        return None
    # Templates may still name the URLs that the site had before it got its own domain.
    url = moved_url(written_url, policy.locator.former_base, policy.locator.base)
    if url == page.loc:
        return None
    path = relative_path(url, policy.locator.base)
    if path is None:
        return Canonical(url, href, path=None, file=None)
    return Canonical(url, href, path, _file_at(path, page, policy, root))


def _file_at(path: str, page: CheckedPage, policy: IndexPolicy, root: SiteRoot) -> str | None:
    """Finds the file that the server shows at the URL path which a page's canonical names.

    `b/` → `b/index.html`. None if the site has no file there.

    `latest` may be a symbolic link to the folder `2.0`. If the canonical of the page `2.0/a.html`
    is /latest/a.html, it names the page itself, so the result is `2.0/a.html`.
    """
    file = server.file_for_url_path(root, path, policy.locator.served)
    if file is None or file == page.path:
        return file
    is_page_itself = server.leads_to(root, file, page.path)  # through a symbolic link
    return page.path if is_page_itself else file


def check(page: CheckedPage, _policy: IndexPolicy) -> Excluded | None:
    """Excludes a page whose canonical names another page. None if the page may be listed.

    For `b.html`, in a site that also has `b/index.html` (`page.other_file`):

    | the canonical                                     | the page is          |
    |---------------------------------------------------|----------------------|
    | none, or another URL of the page itself           | not excluded         |
    | /b/, at which the server shows `page.other_file`  | excluded, DUPLICATE  |
    | any other, such as /c                             | excluded, CANONICAL  |
    """
    canonical = page.canonical
    if canonical is None or page.names_itself:
        return None
    if canonical.file is not None and canonical.file == page.other_file:
        return page.exclude_for_other_file(canonical.url)
    return page.exclude(Reason.CANONICAL, f'<link rel="canonical" href="{canonical.href}">')


SIGNAL = Signal("canonical", check, words=(b"canonical",), read=read, switch="canonical")
