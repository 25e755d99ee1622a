"""The forms of a site's URLs: by its settings, its host, its canonicals, its links."""

from collections.abc import Sequence
from typing import NamedTuple

from ..hosts.find import find_host
from ..hosts.host import Host
from ..model import Page
from ..read import walk
from ..syntax import urls
from .first_look import SAMPLE
from .first_pages import FEW, FirstPages, UrlPath
from .linked_folders import follow_links
from .settle import Setup


class StyleSetting(NamedTuple):
    """The setting `url_style`:

    whether a person or the project set it, and whether the project did.
    """

    name: str
    is_set: bool = False
    is_found: bool = False

    @property
    def is_written(self) -> bool:
        """Whether a person chose one of the forms."""
        return self.name != "auto" and not self.is_found


class UrlStyle(NamedTuple):
    """The forms of URLs that a site uses, their name, and why it uses them, "" for no reason."""

    name: str
    forms: urls.UrlForms
    reason: str


class SiteUrls(NamedTuple):
    """How the pages of a site are served, from the first look.

    `reader` reads the pages with which a walk begins, whose `beginning` is kept for the run. `host`
    serves them in the forms of `locator`. `reason` says why, "" if they are written or expected.
    """

    reader: FirstPages
    beginning: walk.Beginning
    host: Host
    style: StyleSetting
    locator: urls.Locator
    reason: str


def find_urls(setup: Setup, now: int) -> SiteUrls:
    """The host of a site, and the forms of its URLs. `now` is the time of the run in seconds.

    Raises SiteError if there is no site, ConfigError for a broken file of a host.
    """
    site = setup.site
    settings = setup.settings
    reader = FirstPages(
        root=walk.folder(site.root, site.ignore, site.include, site.label),
        base_url=site.base_url,
        first_look=setup.first_look,
        follows_canonicals=settings.respect.canonical,
    )
    root = follow_links(reader, follows_refresh=settings.respect.refresh)
    reader = reader._replace(root=root)
    host = find_host(
        site.root,
        configured=settings.host,
        builder=setup.run.builder,
        base_url=site.base_url,
        cwd=setup.run.cwd,
        now=now,
    )
    beginning = walk.begin(root)
    style = StyleSetting(
        settings.url_style,
        is_set="url_style" in settings.model_fields_set,
        is_found=any(value.key == "url_style" for value in site.found),
    )
    locator, reason = choose_locator(style, reader, host, beginning.pages)
    return SiteUrls(reader, beginning, host, style, locator, reason)


def choose_locator(
    setting: StyleSetting,
    reader: FirstPages,
    host: Host,
    pages: Sequence[Page],
) -> tuple[urls.Locator, str]:
    """The forms of the site's URLs, and why, "" if they are written or expected."""
    pages = pages[:SAMPLE]
    base = reader.base_url
    served = host.forms  # None for an unknown host
    if setting.name == "file":
        return urls.Locator(base, setting.name, served=served), ""
    indexes = _index_names(pages, reader)
    if setting.name != "auto" and can_use_style(setting, host):
        return urls.Locator(base, setting.name, indexes, served=served), ""
    style = _find_style(pages, reader, host)
    listed = served.preferring(style.forms) if served else None
    locator = urls.Locator(base, style.name, indexes, listed, served)
    # Pages are listed as their canonicals anyway. Links and the host change other URLs.
    is_expected = style.forms == urls.STYLES["directory"] or "canonicals" in style.reason
    if is_expected and not setting.is_set:
        return locator, ""
    return locator, style.reason or "no canonical or link has another form"


def can_use_style(setting: StyleSetting, host: Host) -> bool:
    """Whether the style is used. One that only the project set must be served by a known host."""
    if not setting.is_found or host.forms is None:
        return True
    return urls.STYLES[setting.name] in host.forms.combinations()


def _find_style(pages: Sequence[Page], reader: FirstPages, host: Host) -> UrlStyle:
    """The style that the pages show, or of the forms that a known host serves the one they use.

    Canonicals decide if more than half of the pages have one. Else the links do, a few of each
    page, but not where a host serves one form at the addresses of the other.
    """
    served = host.forms
    choices = served.combinations() if served else list(urls.STYLES.values())
    what = "canonicals"
    named: list[UrlPath] = []
    if len(choices) > 1:
        named = list(reader.own_canonicals(pages))
        if len(named) * 2 <= len(pages):
            what = "internal links"
            are_links_sure = served is None or served.by_links
            named = list(reader.links_showing_style(pages, FEW)) if are_links_sure else []
    # How many have each form: `a.html` at `a` has one without endings. The first wins a tie.
    counts = [sum(path == it.paths(file)[0] for file, path in named) for it in choices]
    most = max(counts)
    forms = choices[0]
    reason = ""
    if most * 2 > len(named):
        forms = choices[counts.index(most)]
        reason = f"{most} of {len(named)} {what} that were read have this form"
    elif served:
        reason = f"this is how {' and '.join(host.names)} serves pages"
    elif named:
        reason = f"no style fits more than {most} of the {len(named)} {what} that were read"
    for name, style in urls.STYLES.items():
        if (style.folder, style.page) == (forms.folder, forms.page):
            return UrlStyle(name, forms, reason)
    return UrlStyle(host.names[0], forms, reason)


def _index_names(pages: Sequence[Page], reader: FirstPages) -> tuple[str, ...]:
    """The names of files that have the URL of their folder.

    Most servers do not show `index.htm` there. It is included only if most canonicals of such
    files, or else most links to them, use the folder's URL.
    """
    only_html = urls.INDEXES[:1]
    others = [p for p in pages if urls.folder_of(p.path, urls.INDEXES[1:]) is not None]
    if not others:
        return only_html
    named = list(reader.own_canonicals(others))
    if not named:
        paths = {page.path for page in others}
        named = [link for link in reader.links(pages, FEW) if link.file in paths]
    with_folder_url = [it for it in named if it.path != it.file]
    return urls.INDEXES if len(with_folder_url) * 2 > len(named) else only_html
