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
    """The forms of URLs that a site uses, their name, and the evidence in words, "" for none."""

    name: str
    forms: urls.UrlForms
    evidence: str


class SiteUrls(NamedTuple):
    """How the pages of a site are served, from the first look.

    `reader` reads the pages with which a walk begins, whose `beginning` is kept for the run. `host`
    serves them in the forms of `locator`. `proof` is the evidence if these were found and are not
    the default.
    """

    reader: FirstPages
    beginning: walk.Beginning
    host: Host
    style: StyleSetting
    locator: urls.Locator
    proof: str | None


def find_urls(setup: Setup, now: int) -> SiteUrls:
    """The host of a site, and the forms of its URLs. `now` is the time of the run in seconds.

    Raises SiteError if there is no site, ConfigError for a broken file of a host.
    """
    site = setup.site
    settings = setup.settings
    reader = FirstPages(
        root=walk.folder(site.root, site.ignore, site.include, site.label),
        base_url=site.base_url,
        look=setup.look,
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
    locator, proof = choose_locator(style, reader, host, beginning.pages)
    return SiteUrls(reader, beginning, host, style, locator, proof)


def choose_locator(
    setting: StyleSetting,
    reader: FirstPages,
    host: Host,
    pages: Sequence[Page],
) -> tuple[urls.Locator, str | None]:
    """The forms of the site's URLs, and the evidence if they were found and are not the default."""
    pages = pages[:SAMPLE]
    base = reader.base_url
    served = host.forms  # None for an unknown host
    if setting.name == "file":
        return urls.Locator(base, setting.name, served=served), None
    indexes = _index_names(pages, reader)
    if setting.name != "auto" and may_use(setting, host):
        return urls.Locator(base, setting.name, indexes, served=served), None
    style = _prove_style(pages, reader, host)
    listed = served.preferring(style.forms) if served else None
    locator = urls.Locator(base, style.name, indexes, listed, served)
    # Pages are listed as their canonicals anyway. Links and the host change other URLs.
    is_expected = style.forms == urls.STYLES["directory"] or "canonicals" in style.evidence
    if is_expected and not setting.is_set:
        return locator, None
    evidence = style.evidence or "no canonical or link has another form"
    return locator, f"url_style auto: {style.name}, because {evidence}"


def may_use(setting: StyleSetting, host: Host) -> bool:
    """Whether the style is used. One that only the project set must be served by a known host."""
    if not setting.is_found or host.forms is None:
        return True
    return urls.STYLES[setting.name] in host.forms.combinations()


def _prove_style(pages: Sequence[Page], reader: FirstPages, host: Host) -> UrlStyle:
    """The style, or the host's own forms.

    The rules of a known host come first, and canonicals choose if it has several forms. Otherwise,
    canonicals decide if more than half of the pages have one. Then links decide; each page has a
    few votes.
    """
    if host.forms:
        return _prove_host_style(pages, reader, host, host.forms)
    styles = list(urls.STYLES.values())
    default = styles[0]
    what = "canonicals"
    witnesses = list(reader.own_canonicals(pages))
    if len(witnesses) * 2 <= len(pages):
        what = "internal links"
        witnesses = list(reader.telling_links(pages, FEW))
    if not witnesses:
        return _with_name_of_style(default, host, "")
    winner = _most_voted(styles, witnesses)
    count = len(witnesses)
    if winner.votes * 2 > count:
        evidence = f"{winner.votes} of {count} {what} that were read have this form"
        return _with_name_of_style(winner.forms, host, evidence)
    evidence = f"no style fits more than {winner.votes} of the {count} {what} that were read"
    return _with_name_of_style(default, host, evidence)


def _prove_host_style(
    pages: Sequence[Page], reader: FirstPages, host: Host, served: urls.UrlForms
) -> UrlStyle:
    """The form that a known host serves; if it serves several, the one of most canonicals.

    Of some hosts, links choose if most pages have no canonical.
    """
    choices = served.combinations()
    if len(choices) > 1:
        what = "canonicals"
        witnesses = list(reader.own_canonicals(pages))
        if len(witnesses) * 2 <= len(pages):
            what = "internal links"
            witnesses = list(reader.telling_links(pages, FEW)) if served.by_links else []
        winner = _most_voted(choices, witnesses)
        count = len(witnesses)
        if winner.votes * 2 > count:
            evidence = f"{winner.votes} of {count} {what} that were read have this form"
            return _with_name_of_style(winner.forms, host, evidence)
    evidence = f"this is how {' and '.join(host.names)} serves pages"
    return _with_name_of_style(choices[0], host, evidence)


class Winner(NamedTuple):
    """The forms of URLs that most witnesses have, and the number of these witnesses."""

    forms: urls.UrlForms
    votes: int


def _most_voted(choices: Sequence[urls.UrlForms], witnesses: Sequence[UrlPath]) -> Winner:
    """The forms of URLs that most witnesses have; the first ones in a tie.

    A witness is a file and the path at which the site itself names it: `a.html` at `a` is a vote
    for forms without endings.
    """
    candidates = []
    for forms in choices:
        supporters = [file for file, path in witnesses if path == forms.paths(file)[0]]
        candidates.append(Winner(forms, len(supporters)))
    return max(candidates, key=lambda candidate: candidate.votes)


def _with_name_of_style(forms: urls.UrlForms, host: Host, evidence: str) -> UrlStyle:
    """The forms with the name of their style, or of the host if no style has them."""
    for name, style in urls.STYLES.items():
        if style.folder == forms.folder and style.page == forms.page:
            return UrlStyle(name, forms, evidence)
    return UrlStyle(host.names[0], forms, evidence)


def _index_names(pages: Sequence[Page], reader: FirstPages) -> tuple[str, ...]:
    """The names of files that have the URL of their folder.

    Most servers do not show `index.htm` there. It is included only if most canonicals of such
    files, or else most links to them, use the folder's URL.
    """
    only_html = urls.INDEXES[:1]
    others = {}  # pages named index.htm or index.xhtml
    for page in pages:
        if urls.folder_of(page.path, urls.INDEXES[1:]) is not None:
            others[page.path] = page
    if not others:
        return only_html
    witnesses = list(reader.own_canonicals(others.values()))
    if not witnesses:
        links = reader.links(pages, FEW)
        witnesses = [link for link in links if link.file in others]
    with_folder_url = [witness for witness in witnesses if witness.path != witness.file]
    if len(with_folder_url) * 2 > len(witnesses):
        return urls.INDEXES
    return only_html
