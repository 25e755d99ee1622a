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


class _FoundForm(NamedTuple):
    """The URL form of all folder pages or of all flat pages, and what showed it."""

    form: Form
    origin: Origin
    messages: tuple[Message, ...] = ()


def find_forms(
    found: Found, base: BaseUrl, host: Host, pages: Sequence[Page], facts: Sequence[Facts]
) -> tuple[UrlForms, Origin, tuple[Message, ...]]:
    """Finds the URL form of folder pages (`a/index.html`) and that of flat pages (`b.html`).

    A flat page may be at `/b.html`, `/b` or `/b/`. The setting `url_style` decides, or else the
    canonicals, the host and other signs. Returns both forms, warnings, and what showed the form of
    flat pages, or of folder pages if there are no others. `facts` has what each of `pages` says.
    """
    style = found.config.settings.url_style
    if style != "auto":
        return STYLES[style], found.config.origins["url_style"], ()
    folder_pages: dict[str, Facts] = {}
    flat_pages: dict[str, Facts] = {}
    for page, fact in zip(pages, facts, strict=True):
        # The home page and pages such as `b.htm` have the same URL in all forms. They show nothing.
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
) -> _FoundForm:
    """Finds the form of all folder pages, or of all flat pages.

    `pages` are the facts of these pages by their paths. `example` is the path of such a page, and
    warnings quote it: `a/index.html` or `b.html`.
    """
    is_folder = is_folder_page(example)
    # Which forms the host serves (any, if it is not known), and what holds if nothing else shows.
    served: tuple[Form, ...] = FORMS
    default = _FoundForm("slash" if is_folder else "file", Origin("built-in default"))
    if host.forms:
        served = host.forms.folder if is_folder else host.forms.page
        default = _FoundForm(served[0], Origin(f"the host {host.name}"))

    canonical_form = _form_of_most_canonicals(base, pages)
    if canonical_form in served:
        return _FoundForm(canonical_form, _BY_CANONICALS)
    if canonical_form:
        return _other_than_host(canonical_form, served, host, example)

    if not pages or len(served) == 1:  # there is nothing to choose
        return default
    for urls, origin in _urls_of_site(found, base, pages, is_folder=is_folder):
        used_form = _most_used(urls, base, pages)
        if used_form in served:
            return _FoundForm(used_form, origin)
    return default


def _form_of_most_canonicals(base: BaseUrl, pages: Mapping[str, Facts]) -> Form | None:
    """The URL form in which most pages name themselves as canonical, None if few pages do so.

    If `b.html` has the canonical https://a.example/b, this counts for the form `bare`. At least
    half of the pages must have such a canonical, and more than half of these must agree.
    """
    # Of the site, as it is now and as it was named before, with `www.` or without.
    site_addresses = (without_www(base.url), without_www(base.former))
    forms: Counter[Form] = Counter()
    number_of_pages = 0
    for path, fact in pages.items():
        if fact.refresh is not None:  # only leads to another page, and is not listed
            continue
        number_of_pages += 1
        canonical = fact.canonical
        if isinstance(canonical, str):
            # A relative URL, which may name this page, too. `own_url` gives None if it does not.
            url = resolve(canonical, base.url + quote_path(path))
            canonical = own_url(path, url) if url else None
        if canonical and without_www(canonical.base) in site_addresses:
            forms[canonical.form] += 1
    if forms.total() * 2 < number_of_pages:
        return None
    return _majority(forms)


def _majority(forms: Counter[Form]) -> Form | None:
    """The form that more than half of the counted URLs have, None if there is no such form."""
    for form, number in forms.most_common(1):  # empty if nothing was counted
        if number * 2 > forms.total():
            return form
    return None


def _other_than_host(
    canonical_form: Form, served: tuple[Form, ...], host: Host, example: str
) -> _FoundForm:
    """Chooses between the form of the canonicals and those that the host serves, with a warning.

    The host wins if it is certain which host it is. Warnings quote the page `example`, `b.html`, in
    these forms: `b` and `b/`.
    """
    canonical_path = in_form(example, canonical_form)
    served_paths = [in_form(example, form) for form in served]
    text = (
        f"the canonicals have the form {canonical_path}, but {host.name} ({host.origin}) serves "
        f"{joined(served_paths)}"
    )
    if host.is_certain:
        help = f"correct the canonicals; {served_paths[0]} is listed"
        warning = Message("warning", "url-form", text, help)
        return _FoundForm(served[0], Origin(f"the host {host.name}"), (warning,))
    help = f'if the site is on another host, write host = "none"; {canonical_path} is listed'
    warning = Message("warning", "url-form", text, help)
    return _FoundForm(canonical_form, _BY_CANONICALS, (warning,))


def _urls_of_site(
    found: Found, base: BaseUrl, pages: Mapping[str, Facts], *, is_folder: bool
) -> Iterator[tuple[list[str], Origin]]:
    """Yields lists of URLs by which the site names its own pages, each list with its origin.

    First come the sitemaps of the generator. For flat pages, the links in the pages follow, because
    `<a href="tea">` shows another form than `<a href="tea.html">`.
    """
    for name in found.project.sitemaps if found.project else ("sitemap.xml",):
        yield listed_in(found.folder, name, is_ours=False), Origin(name)
    if is_folder:  # people write `<a href="a">` for `a/index.html` on all hosts
        return
    urls: list[str] = []
    for path in islice(pages, _MAX_READ):
        for link in links_of(found.folder, path):
            if not link.startswith("#"):  # a place in the page itself, whose form it does not show
                urls.append(resolve(link, base.url + quote_path(path)) or "")
    yield urls, Origin("the links of most pages")


def _most_used(urls: Sequence[str], base: BaseUrl, pages: Mapping[str, Facts]) -> Form | None:
    """The form that most of the URLs of these pages have, None if no form has more than half.

    URLs that lead elsewhere do not count. `pages` are the facts of the pages by their paths.
    """
    forms: Counter[Form] = Counter()
    for url in urls:
        path = page_at(url, base.url, pages)
        url_parts = own_url(path, url) if path else None
        if url_parts:
            forms[url_parts.form] += 1
    return _majority(forms)
