"""The URL forms of a site: `/b.html`, `/b` or `/b/` for the same page.

Folder pages (`a/index.html`) and flat pages (`b.html`) each have a form of their own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..hosts.host import Host
from ..messages import Message, joined
from ..model import STYLES, Facts, Form, Found, Origin, Page, UrlForms
from ..read import links_of
from ..syntax.urls import (
    FORMS,
    in_form,
    is_folder_page,
    own_url,
    page_at,
    quote_path,
    resolve,
    without_www,
)
from .base_url import BaseUrl, listed_in

_MAX_READ = 200  # pages whose links are read
_BY_CANONICALS = Origin("the canonicals of most pages")


class _Found(NamedTuple):
    """A URL form of one kind of pages, and what showed it."""

    form: Form
    origin: Origin
    messages: tuple[Message, ...] = ()


def find_forms(
    found: Found, base: BaseUrl, host: Host, pages: Sequence[Page], facts: Sequence[Facts]
) -> tuple[UrlForms, Origin, tuple[Message, ...]]:
    """Finds in which form the URLs of folder pages (`a/index.html`) and flat pages (`b.html`) are.

    The setting `url_style` decides, or else the canonicals, the host and other signs. Returns both
    forms, what showed that of flat pages, or of folder pages if there are no others, and warnings.
    """
    style = found.config.settings.url_style
    if style != "auto":
        return STYLES[style], found.config.origins["url_style"], ()
    folder_pages: dict[str, Facts] = {}
    flat_pages: dict[str, Facts] = {}
    for page, fact in zip(pages, facts, strict=True):
        # The home page and pages such as `b.htm` have one form in all styles, which shows nothing.
        if page.path.endswith(".html") and page.path != "index.html":
            pages_of_kind = folder_pages if is_folder_page(page.path) else flat_pages
            pages_of_kind[page.path] = fact
    of_folders = _find_form(found, base, host, folder_pages, "a/index.html")
    of_flat = _find_form(found, base, host, flat_pages, "b.html")
    forms = UrlForms(of_folders.form, of_flat.form)
    origin = of_flat.origin if flat_pages else of_folders.origin
    return forms, origin, of_folders.messages + of_flat.messages


def _find_form(
    found: Found, base: BaseUrl, host: Host, pages: Mapping[str, Facts], example: str
) -> _Found:
    """Finds the form of all folder pages, or of all flat pages: `example` is the path of one.

    `pages` are the facts of these pages by their paths.
    """
    is_folder = is_folder_page(example)
    served: tuple[Form, ...] = FORMS  # by the host; any, if it is not known
    default = _Found("slash" if is_folder else "file", Origin("built-in default"))
    if host.forms:
        served = host.forms.folder if is_folder else host.forms.page
        default = _Found(served[0], Origin(f"the host {host.name}"))

    canonical_form = _of_canonicals(base, pages)
    if canonical_form in served:
        return _Found(canonical_form, _BY_CANONICALS)
    if canonical_form:
        return _other_than_host(canonical_form, served, host, example)
    if not pages or len(served) == 1:  # there is nothing to choose
        return default
    for urls, origin in _urls_of_site(found, base, pages, is_folder=is_folder):
        used_form = _most_used(urls, base, pages)
        if used_form in served:
            return _Found(used_form, origin)
    return default


def _of_canonicals(base: BaseUrl, pages: Mapping[str, Facts]) -> Form | None:
    """The form of more than half of the canonicals; None if few pages have one.

    At least half of the pages must have a canonical that names the page itself.
    """
    bases = (without_www(base.url), without_www(base.former))
    forms: Counter[Form] = Counter()
    total = 0
    for path, fact in pages.items():
        if fact.refresh is not None:
            continue
        total += 1
        own = fact.canonical
        if isinstance(own, str):  # a relative one, or one of another page
            url = resolve(own, base.url + quote_path(path))
            own = own_url(path, url) if url else None
        if own and without_www(own.base) in bases:
            forms[own.form] += 1
    return _majority(forms) if forms.total() * 2 >= total else None


def _majority(forms: Counter[Form]) -> Form | None:
    """The form of more than half of the URLs that were counted, None if there is no such form."""
    for form, urls in forms.most_common(1):
        if urls * 2 > forms.total():
            return form
    return None


def _other_than_host(form: Form, served: tuple[Form, ...], host: Host, example: str) -> _Found:
    """Chooses between the form of the canonicals and that of the host, with a warning.

    The host wins if it is certain.
    """
    shown = in_form(example, form)
    text = (
        f"the canonicals have the form {shown}, but {host.name} ({host.origin}) serves "
        f"{joined([in_form(example, served_form) for served_form in served])}"
    )
    listed = form
    origin = _BY_CANONICALS
    help = f'if the site is on another host, write host = "none"; {shown} is listed'
    if host.is_certain:
        listed = served[0]
        origin = Origin(f"the host {host.name}")
        help = f"correct the canonicals; {in_form(example, listed)} is listed"
    return _Found(listed, origin, (Message("warning", "url-form", text, help),))


def _urls_of_site(
    found: Found, base: BaseUrl, pages: Mapping[str, Facts], *, is_folder: bool
) -> Iterator[tuple[list[str], Origin]]:
    """Yields lists of URLs in which the site itself names its pages, each with its origin.

    The first ones are in the sitemap of the generator. For flat pages, the links in the pages
    follow: `<a href="tea">` shows another form than `<a href="tea.html">`.
    """
    for name in found.project.sitemaps if found.project else ("sitemap.xml",):
        yield listed_in(found.folder, name, is_ours=False), Origin(name)
    if is_folder:
        return
    urls: list[str] = []
    for path in islice(pages, _MAX_READ):
        for link in links_of(found.folder, path):
            if not link.startswith("#"):  # which names no form
                urls.append(resolve(link, base.url + quote_path(path)) or "")
    yield urls, Origin("the links of most pages")


def _most_used(urls: Sequence[str], base: BaseUrl, pages: Mapping[str, Facts]) -> Form | None:
    """The form of more than half of those URLs that name one of the pages, in whatever form."""
    forms: Counter[Form] = Counter()
    for url in urls:
        path = page_at(url, base.url, pages)
        own = own_url(path, url) if path else None
        if own:
            forms[own.form] += 1
    return _majority(forms)
