"""How a site is served: the linked folders that a walk enters, the host, and the URL forms.

The settings, the host, and the canonicals and links of the first pages decide about the URL forms.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from ..hosts.find import find_host
from ..hosts.host import Host
from ..model import Batch, Page, Reason
from ..read import walk
from ..syntax import urls
from .first_look import CANONICAL, FEW, SAMPLE, FirstPages, UrlPath, find_head_url, list_canonicals
from .load import Setup

_CANONICALS = "canonicals"  # what the URLs are called that showed a style


class StyleSetting(NamedTuple):
    """The setting `url_style`, such as `clean`, and who has set it.

    | who has set it | `is_set` | `is_found` |
    |---|---|---|
    | nobody: it is `auto` | no | no |
    | a person | yes | no |
    | the project, as by `cleanUrls: true` | yes | yes |
    """

    name: str
    is_set: bool = False
    is_found: bool = False


class UrlStyle(NamedTuple):
    """The URL forms of a site, their name such as `clean`, and why the site has them.

    `reason` is `9 of 10 canonicals that were read have this form`, "" if nothing showed the forms.
    `is_by_canonicals` says that more than half of the canonicals show the forms.
    """

    name: str
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

    The most important value of the result is the `locator`, which makes the URL of each page. For
    `b.html`, that is `https://a.example/b` if the host or the canonicals leave `.html` out. The
    result also has the beginning of the walk, which the run continues.

    `now` is the time of the run in seconds. Raises SiteError if there is no site, ConfigError for a
    broken file of a host.
    """
    site = setup.site
    settings = setup.settings
    # 1. The first pages. `root` is the site's folder with the rules of the walk, to which
    # `_begin_walk` adds the linked folders that the walk enters.
    root = walk.folder(site.root, site.ignore, site.include, site.label)
    reader = FirstPages(
        root=root,
        base_url=site.base_url,
        first_look=setup.first_look,
        follows_canonicals=settings.respect.canonical,
    )
    root, beginning = _begin_walk(reader, setup)
    reader = reader._replace(root=root)
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
    # 4. The URL forms, and why the site has them.
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
        locator=locator._replace(former_base=reader.former_base),
        reason=reason,
    )


def _begin_walk(reader: FirstPages, setup: Setup) -> tuple[walk.SiteRoot, walk.Beginning]:
    """Begins the walk of a site, and finds the symbolic link that the walk must enter, if any.

    The pages may be meant to be listed below a symbolic link at the top of the site, such as
    `latest`, which leads to the folder `2.1`. Then the walk enters this link, and leaves `2.1` out
    as a copy. Returns the site's folder with the rules of the walk, and the beginning of the walk.

    Two signs show such a link:

    1. the home page redirects to `latest/`
    2. the canonicals of the pages in `2.1` name URLs below `latest/`
    """
    # 1. The link to which the home page redirects.
    root = reader.root._replace(is_linked=LinkedFolders(reader))
    if setup.settings.respect.refresh:
        home_page = setup.first_look.home(setup.site.root, reader.base_url)
        # `latest/index.html` → `latest`
        link = home_page.path.removesuffix(walk.INDEX).rstrip("/")
        root = root._replace(home=_make_linked_home(link, root))
    beginning = walk.begin(root)
    # 2. The link that canonicals name. They are in the first pages of a walk without this link, so
    # the walk begins once more if there is one.
    link_of_canonicals = None if root.home else _find_link_of_canonicals(reader, beginning)
    if link_of_canonicals:
        root = root._replace(home=link_of_canonicals)
        beginning = walk.begin(root)
    return root, beginning


def _find_former_base(reader: FirstPages, pages: Sequence[Page]) -> str:
    """Finds the github.io address that most canonicals still have after a domain was added.

    | the base URL is `https://me.example/`, and most canonicals are below | result |
    |---|---|
    | `https://me.github.io/`, the address of this repository | `https://me.github.io/` |
    | `https://me.example/` | "" |
    | `https://you.github.io/`, the address of another repository | "" |

    GitHub Pages redirects the former address to the domain, with the same path. So the caller takes
    such canonicals for the pages' own.
    """
    canonicals = list(list_canonicals(reader.starts(pages), reader.base_url))
    if not canonicals:
        return ""
    bases = [canonical.base_url for canonical in canonicals]
    base, count = Counter(bases).most_common(1)[0]
    is_on_github = urlsplit(base).netloc.endswith(".github.io")
    is_of_most = count * 2 > len(canonicals)
    if not is_on_github or not is_of_most or base == reader.base_url:
        return ""
    # Imported here: it runs git, and few sites have such canonicals.
    from .github_pages import find_address_of_checkout

    # If the canonicals have the address of another repository, they are those of another site.
    # Without a checkout, the address is "". It cannot be compared, so the canonicals are trusted.
    address = find_address_of_checkout(reader.root.root)
    return base if address in ("", base) else ""


def choose_locator(
    setting: StyleSetting,
    reader: FirstPages,
    host: Host,
    pages: Sequence[Page],
) -> tuple[urls.Locator, str]:
    """Chooses in which URL form each page is listed: `b.html` as `b`, `b/` or `b.html`.

    Returns the locator, which makes the URLs in these forms, and the reason for the choice. The
    caller shows the reason as a note, "" for none.

    | the setting `url_style` | chosen by | reason |
    |---|---|---|
    | `file` | the setting | "" |
    | `clean` or the like, if a person wrote it, or if the host serves it | the setting | "" |
    | not set, and the pages have the usual forms | pages and host | "" |
    | not set, and canonicals show the forms | pages and host | "" |
    | any other, such as `auto` in a file | pages and host | `9 of 10 internal links …` |

    The usual forms are `a/` for `a/index.html`, and `b.html` as it is. Forms with rules for rare
    cases, as Netlify has for names with a dot, are not usual.
    """
    pages = pages[:SAMPLE]
    base = reader.base_url
    served = host.forms  # all forms in which the host answers, None for an unknown host
    # 1. The setting.
    if setting.name == "file":  # no file has the URL of its folder, so no index names are needed
        return urls.Locator(base, setting.name, served=served), ""
    indexes = _index_names(pages, reader)
    if setting.name != "auto" and can_use_style(setting, host):
        return urls.Locator(base, setting.name, indexes, served=served), ""
    # 2. The first pages and the host. A host may answer several URLs of a page. The sitemap lists
    # one of them, in the form that comes first.
    style = _find_style(pages, reader, host)
    found_first = served.preferring(style.forms) if served else None
    locator = urls.Locator(base, style.name, indexes, found_first, served)
    # 3. The reason. A page with a canonical is listed at it anyway, so canonicals change no URL and
    # need no note. Links and the host change the URLs of other pages.
    is_usual = style.forms == urls.STYLES["directory"]
    if (is_usual or style.is_by_canonicals) and not setting.is_set:
        return locator, ""
    return locator, style.reason or "no canonical or link has another form"


def can_use_style(setting: StyleSetting, host: Host) -> bool:
    """Whether to use the style of the setting. If not, the caller finds another one.

    | who has set the style | the host | used |
    |---|---|---|
    | a person | any | yes |
    | the project, such as `trailingSlash: false` of Docusaurus | unknown, or serves it | yes |
    | the project | adds slashes | no |
    """
    if not setting.is_found or host.forms is None:
        return True
    return urls.STYLES[setting.name] in host.forms.combinations()


def _find_style(pages: Sequence[Page], reader: FirstPages, host: Host) -> UrlStyle:
    """Finds the URL style that most canonicals or internal links of the first pages have.

    | the first pages | style |
    |---|---|
    | most have a canonical such as `https://a.example/b` for `b.html` | `clean` |
    | few have a canonical, and most links to `b.html` are to `/b` | `clean` |
    | no style has more than half of these | the first that the host serves, or `directory` |

    Only the styles that a known host serves are possible. If it serves only one, no page is read.

    A style is two URL forms: that of `b.html`, and that of `b/index.html`.
    """
    # 1. The URL forms that are possible, and the URLs of pages, which show a form.
    served = host.forms  # None for an unknown host
    possible_forms = served.combinations() if served else list(urls.STYLES.values())
    what = ""
    url_paths: list[UrlPath] = []
    if len(possible_forms) > 1:
        what, url_paths = _list_urls_that_show_style(pages, reader, host)
    # 2. Count the URLs that have each of the possible forms.
    counts = []
    for forms in possible_forms:
        # `paths` gives all paths at which a file is shown, first the one that a sitemap lists.
        counts.append(sum(path == forms.paths(file)[0] for file, path in url_paths))
    count = max(counts)
    total = len(url_paths)
    # 3. These forms if more than half of the URLs have them, or else the first possible ones.
    is_of_most = count * 2 > total
    if is_of_most:
        used_forms = possible_forms[counts.index(count)]
        reason = f"{count} of {total} {what} that were read have this form"
    else:
        used_forms = possible_forms[0]
        reason = ""
        if served:
            reason = f"pages are served like this by {' and '.join(host.names)}"
        elif url_paths:
            reason = f"no style fits more than {count} of the {total} {what} that were read"
    is_by_canonicals = is_of_most and what == _CANONICALS
    return UrlStyle(_name_forms(used_forms, host), used_forms, reason, is_by_canonicals)


def _name_forms(forms: urls.UrlForms, host: Host) -> str:
    """Finds what messages call the URL forms of a site: the name of a style, or else of the host.

    | URL of `a/index.html` | URL of `b.html` | name |
    |---|---|---|
    | `a/` | `b` | `clean`, a style |
    | `a` | `b.html` | `firebase`, as no style has these forms, and Firebase serves them |

    A style has only these two forms. What a host does in rare cases, as with names that have a dot,
    is not compared.
    """
    for name, style in urls.STYLES.items():
        if (style.folder, style.page) == (forms.folder, forms.page):
            return name
    return host.names[0]


def _list_urls_that_show_style(
    pages: Sequence[Page], reader: FirstPages, host: Host
) -> tuple[str, list[UrlPath]]:
    """Lists the URLs of pages that show a URL style: canonicals, or else internal links.

    Returns the word for these URLs in a message, and the URLs:

    | case | result |
    |---|---|
    | more than half of the pages have their own URL as canonical | `canonicals`, and these |
    | the host is known, and its forms do not depend on links | `internal links`, but no URL |
    | any other | `internal links`, and some links of each page |
    """
    canonicals = list(reader.own_canonicals(pages))
    # Canonicals on half of the pages or fewer may be exceptions, so the links decide.
    if len(canonicals) * 2 > len(pages):
        return _CANONICALS, canonicals
    # On a host that serves both `b` and `b.html`, links to either work, so they show no style.
    if host.forms and not host.forms.by_links:
        return "internal links", []
    return "internal links", list(reader.links(pages, FEW, only_showing_style=True))


def _index_names(pages: Sequence[Page], reader: FirstPages) -> tuple[str, ...]:
    """Finds the names of the files that the server shows at the URL of their folder.

    Servers show `a/index.html` at `a/`. Many do not show `a/index.htm` or `a/index.xhtml` there. So
    these names are added only if more than half of the canonicals of such files are like `a/`. If
    the files have no canonicals, the links to them decide.
    """
    # `index.html`, and the other names such as `index.htm`.
    only_html, other_names = urls.INDEXES[:1], urls.INDEXES[1:]
    other_indexes = [page for page in pages if page.path.rpartition("/")[2] in other_names]
    if not other_indexes:
        return only_html
    url_paths = list(reader.own_canonicals(other_indexes))
    if not url_paths:
        paths = {page.path for page in other_indexes}
        url_paths = [link for link in reader.links(pages, FEW) if link.file in paths]
    # A URL that does not end in the file's name is that of the folder: `a/` of `a/index.htm`.
    of_folders = [url_path for url_path in url_paths if url_path.path != url_path.file]
    return urls.INDEXES if len(of_folders) * 2 > len(url_paths) else only_html


# --- linked folders


def _make_linked_home(link: str, root: walk.SiteRoot) -> walk.LinkedHome | None:
    """Finds the folder of the site to which a symbolic link leads: `2.1` for `latest -> 2.1`.

    Returns both, the link and the folder. None if `link` is no symbolic link to a folder below the
    site.

    Tools that publish several versions of a documentation write index.html with a refresh to
    `latest/`, and `latest` is a symbolic link to `2.1`. The caller lists the pages at `latest/`.
    """
    file = root.file(link)
    if not link or not (os.path.islink(file) and os.path.isdir(file)):
        return None
    target = os.path.relpath(os.path.realpath(file), root.root).replace(os.sep, "/")
    is_outside = target.startswith("..")
    is_site_itself = target == "."  # the walk would list each page twice
    return None if is_outside or is_site_itself else walk.LinkedHome(link, target)


def _find_link_of_canonicals(
    reader: FirstPages, beginning: walk.Beginning
) -> walk.LinkedHome | None:
    """Finds a symbolic link of which the canonicals show that pages are to be listed below it.

    With the link `stable -> v1.0`, the pages of `v1.0` can also be read at `stable/`. Their
    canonicals say which of the two URLs counts: `https://a.example/stable/a.html` for
    `v1.0/a.html`. If more than half of the canonicals are below `stable/`, the result is this link.
    None if this is true of no link.

    `beginning` has the first pages of the site and its links, which were not followed.
    """
    links = list(_list_links_at_top(beginning, reader.root))
    # A user may turn canonicals off, by `[respect] canonical = false`.
    if not links or not reader.follows_canonicals:
        return None
    starts = list(reader.starts(beginning.pages))
    for linked in links:
        count = 0  # canonicals of the pages in the folder `v1.0`
        count_below_link = 0  # those of them that are below `stable/`
        for page, data in starts:
            if not page.startswith(f"{linked.folder}/"):
                continue
            canonical = find_head_url(data, CANONICAL)
            path = reader.path_of(canonical, page) if canonical else None
            if path is not None:
                count += 1
                count_below_link += path.startswith(f"{linked.link}/")
        if count_below_link * 2 > count:
            return linked
    return None


def _list_links_at_top(beginning: walk.Beginning, root: walk.SiteRoot) -> Iterator[walk.LinkedHome]:
    """Yields the symbolic links at the top of a site that lead to other folders of the site.

    The beginning of a walk has them among the excluded files, as "not followed".
    """
    for stretch in (*beginning.stretches, *beginning.pending):
        if not isinstance(stretch, Batch):  # a folder that is not walked yet
            continue
        for excluded in stretch.excluded:
            link = excluded.path.removesuffix("/")
            if excluded.reason is Reason.NOT_FOLLOWED and "/" not in link:
                home = _make_linked_home(link, root)
                if home:
                    yield home


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
        - one of the first pages links into it
        - a pattern such as `!lib/editor/` includes it
        - the first pages have no links at all, so they do not show whether it belongs to the site
        """
        if not self._linked_by_first_pages or folder in self._linked_by_first_pages:
            return True
        pattern = self._reader.root.ignore.last_match(folder)
        return pattern is not None and pattern.negated

    @cached_property
    def _linked_by_first_pages(self) -> frozenset[str]:
        """Lists the folders of the site into which its first pages link, each with those above it.

        A link to `a/b/c.html` gives `a/b/`, `a/`, and "" for the site. So any link gives at least
        "", and the list is empty only if the first pages have no links. They are the first 200
        pages of a walk. Later pages are not asked, as the walk needs the answer before them.
        """
        # A walk asks `__call__` whether it enters a folder with a package.json, and that reads this
        # list. The walk for the list asks nothing: it enters no such folder.
        root = self._reader.root._replace(is_linked=lambda _folder: False)
        pages = chain.from_iterable(stretch.pages for stretch in walk.walk(root))
        folders = set()
        for file, _ in self._reader.links(islice(pages, SAMPLE)):
            folder = file
            while folder:  # `a/b/c.html`, then `a/b/`, then `a/`
                folder = folder[: folder.rstrip("/").rfind("/") + 1]
                folders.add(folder)
        return frozenset(folders)
