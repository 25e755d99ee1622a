"""How a site is served: the linked folders that a walk enters, the host, and the URL forms.

The settings, the host, and the canonicals and links of the first pages decide about the URL forms.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, islice
from posixpath import dirname
from typing import NamedTuple
from urllib.parse import urlsplit

from ..hosts.find import find_host
from ..hosts.host import Host
from ..model import Page
from ..read import walk
from ..syntax import urls
from .first_look import FEW, SAMPLE, FirstPages, UrlPath, list_canonicals
from .load import Setup

_CANONICALS = "canonicals"  # as messages call the URLs that showed a style


class StyleSetting(NamedTuple):
    """The setting `url_style`, such as `clean`, and who has set it.

    | who has set it | `is_set` | `is_found` |
    |---|---|---|
    | nobody: it is `auto` | no | no |
    | a person | yes | no |
    | the project, as by `permalink: /:title` | yes | yes |
    """

    name: str
    is_set: bool
    is_found: bool


class UrlStyle(NamedTuple):
    """The URL forms of a site, and why it has them: `9 of 10 canonicals … have this form`.

    `is_by_canonicals` says that more than half of the canonicals show the forms.
    """

    forms: urls.UrlForms
    reason: str
    is_by_canonicals: bool


class SiteUrls(NamedTuple):
    """How the pages of a site are served, as far as the first look shows it.

    - `reader` reads the first pages
    - `beginning` is the beginning of the walk, with these pages, which the run continues
    - `host` is the host, with its redirects and the URL forms that it serves
    - `style` is the setting `url_style`
    - `locator` makes the URL of a page in the site's URL forms
    - `reason` says why the site has these forms, "" if a person wrote them or if they are usual
    """

    reader: FirstPages
    beginning: walk.Beginning
    host: Host
    style: StyleSetting
    locator: urls.Locator
    reason: str


def find_urls(setup: Setup, now: int) -> SiteUrls:
    """Finds at which URLs the pages of a site are served, by its first pages and its host's files.

    `b.html` has the URL `https://a.example/b` if the host or the canonicals leave `.html` out. The
    `locator` of the result makes these URLs.

    `now` is the time of the run in seconds. Raises SiteError if there is no site, ConfigError for a
    broken file of a host.
    """
    site = setup.site
    settings = setup.settings
    # 1. The first pages, of which `reader` reads the canonicals and links. The run continues the
    # walk that finds these pages, so its beginning is kept.
    reader, beginning = _begin_walk(setup)
    # 2. The host, by its files and the environment.
    host = find_host(
        site.root,
        configured=settings.host,
        builder=setup.run.builder,
        base_url=site.base_url,
        cwd=setup.run.cwd,
        now=now,
    )
    # 3. The former base URL. When a site on GitHub Pages gets a domain, its pages often keep
    # canonicals at `https://ann.github.io/`. No other host redirects these by itself.
    if host.names == ("github",):
        reader = reader._replace(former_base=_find_former_base(reader, beginning.pages))
    # 4. The URLs, such as `b` for `b.html`, and why the site has them.
    style = StyleSetting(
        settings.url_style,
        is_set="url_style" in settings.model_fields_set,
        is_found=any(value.key == "url_style" for value in site.found),
    )
    locator, reason = choose_locator(style, reader, host, beginning.pages)
    return SiteUrls(
        reader=reader,
        beginning=beginning,
        host=host,
        style=style,
        locator=locator,
        reason=reason,
    )


def _begin_walk(setup: Setup) -> tuple[FirstPages, walk.Beginning]:
    """Finds the first pages of a site, by which its URLs are chosen.

    Returns their reader, and the beginning of the walk, which the run continues.

    A site may show the same pages twice: in its folder `2.1`, and at the symbolic link `latest`,
    which leads to this folder. The walk enters only one of them, usually `2.1`. It enters
    `latest` if the home page redirects to `latest/`, or if most canonicals in `2.1` are below it.
    """
    site = setup.site
    reader = FirstPages(
        root=walk.make_site_root(site.root, site.ignore, site.include, site.label),
        base_url=site.base_url,
        first_look=setup.first_look,
        follows_canonicals=setup.settings.respect.canonical,
    )
    root = reader.root._replace(
        # A package, such as an editor with a package.json, is entered only if pages link into it.
        enters_package=LinkedFolders(reader),
        linked_home=_find_symlink_of_home_page(setup, reader.root),
    )
    beginning = walk.begin(root)
    # The home page redirects to no symbolic link. If the canonicals of the first pages are below
    # `latest`, the walk begins again, and enters `latest`.
    if root.linked_home is None:
        symlink = _find_symlink_of_canonicals(reader, beginning.pages)
        if symlink:
            root = root._replace(linked_home=symlink)
            beginning = walk.begin(root)
    return reader._replace(root=root), beginning


def _find_former_base(reader: FirstPages, pages: Sequence[Page]) -> str:
    """Finds the github.io address that most canonicals still have after a site got a domain.

    GitHub Pages redirects this address to the domain, so the caller counts such canonicals as URLs
    of this site. For the base URL `https://tea.example/` of the repository ann/tea:

    | most canonicals begin with | result |
    |---|---|
    | `https://ann.github.io/tea/` | this address |
    | `https://bob.github.io/`, the address of another repository | "" |
    | `https://tea.example/`, or any other address | "" |
    """
    canonicals = list_canonicals(reader.starts(pages), reader.base_url)
    bases = Counter(canonical.base_url for canonical in canonicals)
    if not bases:
        return ""
    [(base, count)] = bases.most_common(1)
    is_on_github = urlsplit(base).netloc.endswith(".github.io")
    is_of_most = count * 2 > bases.total()
    if not is_on_github or not is_of_most or base == reader.base_url:
        return ""
    # Imported here: it runs git, and few sites have such canonicals.
    from .github_pages import find_address_of_checkout

    # "" outside of a repository. Nothing then speaks against the canonicals.
    address = find_address_of_checkout(reader.root.root)
    is_of_other_repository = address not in ("", base)
    return "" if is_of_other_repository else base


def choose_locator(
    setting: StyleSetting,
    reader: FirstPages,
    host: Host,
    pages: Sequence[Page],
) -> tuple[urls.Locator, str]:
    """Chooses the URLs in the sitemap: `b.html` is listed as `b`, `b/` or `b.html`.

    Returns the locator, which makes the URLs, and the reason for them: `9 of 10 internal links that
    were read have this form`. The reason is "" if the user needs no note.
    """
    pages = pages[:SAMPLE]
    # With `url_style = "file"`, an index page is listed at its own name: `a/index.htm`. With any
    # other style, the first pages show whether `a/` is its URL.
    lists_own_names = setting.name == "file"
    indexes = urls.INDEXES if lists_own_names else _find_index_names(pages, reader)
    locator = urls.Locator(
        base=reader.base_url,
        style=setting.name,
        indexes=indexes,
        served=host.forms,
        former_base=reader.former_base,
    )
    # 1. A person has chosen a style such as `clean`, or the project has, and the host may serve it.
    if _is_chosen_by_setting(setting, host):
        return locator, ""
    # 2. Otherwise, most canonicals or links of the first pages decide, among the host's styles.
    found_style = _find_style(pages, reader, host)
    # A host may show `b.html` at `b`, too. Of the two URLs, that of the style is listed.
    forms = host.forms.preferring(found_style.forms) if host.forms else None
    chosen = locator._replace(style=_name_forms(found_style.forms, host), forms=forms)
    return chosen, found_style.reason if _needs_note(found_style, setting) else ""


def _is_chosen_by_setting(setting: StyleSetting, host: Host) -> bool:
    """Whether the setting `url_style` alone decides in which URL forms pages are listed.

    | `url_style` is | result |
    |---|---|
    | `auto` | no |
    | `clean`, which a person wrote | yes |
    | `clean`, which was found in the project | yes, unless the host shows no pages at such URLs |
    """
    if setting.name == "auto":
        return False
    return not setting.is_found or may_serve_style(host, setting.name)


def may_serve_style(host: Host, style: str) -> bool:
    """Whether a host may show pages at the URLs of a style.

    The style `clean` has the URL `a/` for `a/index.html`, and the URL `b` for `b.html`:

    | the host | result |
    |---|---|
    | is not known | yes |
    | shows these files at these URLs, perhaps also at others | yes |
    | shows `b.html` only at `b/` | no |
    """
    if host.forms is None:  # the host is not known
        return True
    for file in ("a/index.html", "b.html"):
        [path] = urls.STYLES[style].paths(file)
        if path not in host.forms.paths(file):
            return False
    return True


def _needs_note(style: UrlStyle, setting: StyleSetting) -> bool:
    """Whether a note tells the user why pages are listed at `/b` or at `/b.html`.

    The caller has found this `style`, because the setting `url_style` did not decide.
    """
    # Somebody has set `url_style`, but to `auto`, or to a style that the host does not serve.
    if setting.is_set:
        return True
    # Nobody is surprised by the URLs that most sites have: `a/` for a folder, `b.html` for a page.
    usual = urls.STYLES["directory"]
    has_usual_urls = (style.forms.folder, style.forms.page) == (usual.folder, usual.page)
    # Nor by the URLs that most pages have as their canonicals.
    return not has_usual_urls and not style.is_by_canonicals


def _find_style(pages: Sequence[Page], reader: FirstPages, host: Host) -> UrlStyle:
    """Finds the URL style that most canonicals or internal links of the first pages have.

    A style is two URL forms: that of `b.html`, and that of `b/index.html`.

    | the first pages | style |
    |---|---|
    | most have a canonical such as `https://a.example/b` for `b.html` | `clean` |
    | few have a canonical, and most links to `b.html` are to `/b` | `clean` |
    | no style has more than half of these | the first that the host serves, or `directory` |

    Only the styles that a known host serves are possible. If it serves only one, no page is read.
    """
    # 1. The possible styles. For an unknown host, `directory` is the first.
    served = host.forms  # None for an unknown host
    possible = served.combinations() if served else list(urls.STYLES.values())
    # 2. The URLs that the pages use, and how many of them a sitemap would list in each style.
    kind = ""  # of these URLs: `canonicals` or `internal links`
    url_paths: list[UrlPath] = []
    if len(possible) > 1:
        kind, url_paths = _list_urls_in_pages(pages, reader, host)
    counts = {forms: _count_listed(url_paths, forms) for forms in possible}
    most_used = max(possible, key=counts.__getitem__)
    count = counts[most_used]
    total = len(url_paths)
    # 3. The style of more than half of the URLs, or else the first possible one.
    if count * 2 > total:
        reason = f"{count} of {total} {kind} that were read have this form"
        return UrlStyle(most_used, reason, is_by_canonicals=kind == _CANONICALS)
    if served:
        reason = f"pages are served like this by {' and '.join(host.names)}"
    elif url_paths:
        reason = f"no style fits more than {count} of the {total} {kind} that were read"
    else:
        reason = "no canonical or link has another form"
    return UrlStyle(possible[0], reason, is_by_canonicals=False)


def _count_listed(url_paths: Sequence[UrlPath], forms: urls.UrlForms) -> int:
    """Counts the URL paths that a sitemap with these URL forms lists: `b` for `b.html`."""
    # `paths` gives all paths at which a file is shown, first the one that a sitemap lists.
    return sum(path == forms.paths(file)[0] for file, path in url_paths)


def _name_forms(forms: urls.UrlForms, host: Host) -> str:
    """Finds a name for URL forms, for messages: that of the style with these forms, or of the host.

    | `forms.folder`, for `a/index.html` | `forms.page`, for `b.html` | name |
    |---|---|---|
    | `a/` | `b` | `clean`, a style |
    | `a` | `b.html` | `firebase`, a host: no style has this pair |

    A host may have other URL forms for rare cases, such as names with a dot. They do not count.
    """
    for name, style in urls.STYLES.items():
        if (style.folder, style.page) == (forms.folder, forms.page):
            return name
    return host.names[0]


def _list_urls_in_pages(
    pages: Sequence[Page], reader: FirstPages, host: Host
) -> tuple[str, list[UrlPath]]:
    """Lists URLs in the first pages that show how the site writes its URLs: `b` for `b.html`.

    They are the canonicals, if more than half of the pages have their own URL as canonical.
    Otherwise, they are internal links, at most ten of each page. Returns the word for these URLs in
    a message, `canonicals` or `internal links`, and the URLs.
    """
    canonicals = list(reader.own_canonicals(pages))
    # Canonicals on half of the pages or fewer may be exceptions, so the links decide.
    if len(canonicals) * 2 > len(pages):
        return _CANONICALS, canonicals
    # On a host that shows a page at `b` and at `b.html`, links to both work, so they show nothing.
    links: Iterable[UrlPath] = ()
    if host.forms is None or host.forms.by_links:
        links = reader.links(pages, FEW, counts=_shows_url_form)
    return "internal links", list(links)


def _shows_url_form(link: UrlPath) -> bool:
    """Whether a link shows in which URL form a site has its pages, so that it counts for the style.

    | link to the file | with the URL path | counts |
    |---|---|---|
    | the home page | "" | no: it has the same URL in all forms |
    | `a/index.html` | `a/` | yes |
    | `a/index.html` | `a` or `a/index.html` | no: most servers show the page at `a/` as well |
    | `b.html` | any, such as `b` or `b.html` | yes |
    | `tea.pdf` | any | no: it is no page |
    """
    if not link.path:
        return False
    folder = urls.folder_of(link.file)
    if folder is None:
        return link.file.endswith(".html")
    return link.path == folder


def _find_index_names(pages: Sequence[Page], reader: FirstPages) -> tuple[str, ...]:
    """Finds the names of the files that the server shows at the URL of their folder.

    All servers show `a/index.html` at `a/`. Only some show `a/index.htm` or `a/index.xhtml` there.
    Such files are taken for the page of `a/` if most of their canonicals are `a/`. Without
    canonicals, the links to them count.
    """
    only_html, other_names = urls.INDEXES[:1], urls.INDEXES[1:]
    # 1. The files such as `a/index.htm`.
    other_indexes = [page for page in pages if page.path.rpartition("/")[2] in other_names]
    if not other_indexes:
        return only_html
    # 2. Their canonicals, or else the links to them. At most ten links of each page count, so that
    # no page with many links decides alone.
    url_paths = list(reader.own_canonicals(other_indexes))
    if not url_paths:
        files = {page.path for page in other_indexes}
        url_paths = [link for link in reader.links(pages, FEW) if link.file in files]
    # 3. Each of these is either `a/index.htm`, the path of the file, or `a/`, that of its folder.
    count_of_folders = sum(path != file for file, path in url_paths)
    are_mostly_folders = count_of_folders * 2 > len(url_paths)
    return urls.INDEXES if are_mostly_folders else only_html


# --- linked folders


def _find_symlink_of_home_page(setup: Setup, root: walk.SiteRoot) -> walk.LinkedHome | None:
    """Finds the symbolic link to which the home page redirects, with the folder of this link.

    Tools that publish several versions of a documentation write an index.html that redirects to
    `latest/`, and `latest` is a symbolic link to the folder `2.1`.

    | the home page | result |
    |---|---|
    | redirects to `latest/`, a link to the folder `2.1` | `latest` and `2.1` |
    | redirects to a folder or a page | None |
    | does not redirect, or redirects do not count, by `[respect] refresh = false` | None |
    """
    if not setup.settings.respect.refresh:
        return None
    home_page = setup.first_look.home(root.root, setup.site.base_url)
    # `latest/index.html` → `latest`. Of a home page that does not redirect, "" is left, the site
    # itself, which is no link.
    link = home_page.path.removesuffix(walk.INDEX).rstrip("/")
    return _make_linked_home(link, root)


def _make_linked_home(link: str, root: walk.SiteRoot) -> walk.LinkedHome | None:
    """Finds the folder of the site to which a symbolic link leads: `2.1` for `latest -> 2.1`.

    Returns both, the link and the folder. None if `link` is no symbolic link to a folder below the
    site.
    """
    file = root.file(link)
    if not (os.path.islink(file) and os.path.isdir(file)):
        return None
    target = os.path.relpath(os.path.realpath(file), root.root).replace(os.sep, "/")
    is_outside = target.startswith("..")
    is_site_itself = target == "."  # the walk would list each page twice
    return None if is_outside or is_site_itself else walk.LinkedHome(link, target)


def _find_symlink_of_canonicals(
    reader: FirstPages, pages: Sequence[Page]
) -> walk.LinkedHome | None:
    """Finds a symbolic link of which the canonicals show that pages are to be listed below it.

    With the link `stable -> v1.0`, the pages of `v1.0` can also be read at `stable/`. Their
    canonicals say which of the two URLs counts: `https://a.example/stable/a.html` for
    `v1.0/a.html`. If more than half of the canonicals in `v1.0` are below `stable/`, the result is
    this link. None if this is true of no link.
    """
    links = _list_symlinks_at_top(reader.root)
    if not links:  # the case of most sites, whose pages need not be read for this
        return None
    canonicals = list(reader.canonicals(pages))
    for linked in links:
        start_of_folder = f"{linked.folder}/"
        paths = [path for page, path in canonicals if page.startswith(start_of_folder)]
        count_below_link = sum(path.startswith(f"{linked.link}/") for path in paths)
        if count_below_link * 2 > len(paths):
            return linked
    return None


def _list_symlinks_at_top(root: walk.SiteRoot) -> list[walk.LinkedHome]:
    """Lists the symbolic links at the top of a site that lead to other folders of the site.

    `stable -> v1.0` → the link `stable` and its folder, `v1.0`.
    """
    with os.scandir(root.root) as entries:
        names = sorted(entry.name for entry in entries if entry.is_symlink())
    links = [_make_linked_home(name, root) for name in names]
    return [link for link in links if link]


class LinkedFolders:
    """Decides which packages a walk enters. It reads the first pages only if it is asked.

    A package is a folder with a `package.json`, such as an editor that a site contains. A walk does
    not enter it, unless pages of the site lead there.
    """

    def __init__(self, reader: FirstPages) -> None:
        self._reader = reader

    def __call__(self, folder: str) -> bool:
        """Whether a walk enters the folder of a package, such as `lib/editor/` with a package.json.

        Such a folder mostly has demos of a library, which are no pages of the site. A walk enters
        it in each of these cases:
        - the first pages have no links at all, so they do not show whether it belongs to the site
        - one of the first pages links into it
        - a pattern such as `!lib/editor/` includes it
        """
        have_no_links = not self._folders_with_links
        if have_no_links or folder.removesuffix("/") in self._folders_with_links:
            return True
        pattern = self._reader.root.ignore.last_match(folder)
        return pattern is not None and pattern.negated

    @cached_property
    def _folders_with_links(self) -> frozenset[str]:
        """Lists the folders of the site into which its first 200 pages outside of packages link.

        A link to `a/b/c.html` gives `a/b`, and the folders above it: `a`, and "" for the site. So
        the list is empty only if the pages have no links.

        The links of pages in packages, folders with a package.json, do not count. Demos in a
        package link to each other, which does not show that the site uses the package.
        """
        root = self._reader.root._replace(enters_package=lambda _package: False)
        pages = chain.from_iterable(batch.pages for batch in walk.walk(root))
        folders = set()
        for path, _ in self._reader.links(islice(pages, SAMPLE)):
            while path:  # `a/b/c.html`, then `a/b`, then `a`
                path = dirname(path)
                folders.add(path)
        return frozenset(folders)
