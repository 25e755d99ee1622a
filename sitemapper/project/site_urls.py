"""Reads the URLs of a site from its first pages:

the base URL, a preview, the style, link targets.
"""

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from html import unescape
from itertools import chain, islice
from urllib.parse import unquote, urlsplit

from ..config.settings import Settings
from ..extract.metadata import refresh_target
from ..hosts.host import Host
from ..model import Detected, Diagnostic, Origin, Page, WarningKind
from ..site import read, server, walk
from ..syntax import urls
from .candidate import INDEX, check_base, is_preview
from .generators import start_of

_PAGES = 200  # that are read
_HEAD = 1 << 16  # bytes of each
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_REFRESH = re.compile(rb"""<meta\s[^<>]*http-equiv=["']?refresh""", re.IGNORECASE)
# No parser, because comments and scripts rarely contain enough links to decide.
_LINK = re.compile(rb"""<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>#?][^"'\s<>]*)""", re.IGNORECASE)
# In links and assets from the root of the host: the first folder, its slash, the rest.
_FROM_ROOT = re.compile(
    rb"""\s(?:href|src)\s*=\s*["']?/(?!/)([^"'\s<>?#/]*)(/?)([^"'\s<>]*)""", re.IGNORECASE
)
_MIN_CANONICALS = 3  # that have another base URL
_FEW = 10  # links of a page that count

Pair = tuple[str, str]  # a file, and its path in a canonical or a link
Starts = Sequence[tuple[str, bytes]]  # of pages


def find_base(site: str) -> Detected | None:
    """The base URL of the home page's canonical, if nine of ten canonicals agree; else None.

    Also None if fewer than half of the pages have a canonical, or if it names a preview or a local
    address.
    """
    above, version = os.path.split(site)
    home, start = home_page(site)
    pages = _canonicals(site) | {home: unquote(canonical_of(start))}
    named = {path: url for path, url in pages.items() if url}
    if home not in named or len(named) * 2 < len(pages):
        return None
    for base in _bases(home, named[home]):
        votes = sum(base in _bases(path, url) for path, url in named.items())
        # With several versions, canonicals of one may name another.
        others = b'"version"' in start_of(os.path.join(above, "versions.json"))
        is_own = base.split("/")[-2] == version or not others
        if votes * 10 >= len(named) * 9 and is_own and check_base(base)[0]:
            return Detected(
                "base_url", base, Origin(f"{votes} of {len(named)} canonicals that were read")
            )
    return None


def find_preview(site: str, own: Collection[str]) -> str:
    """The host of a preview that most canonicals name, recognised by its form or this build, or ""."""
    hosts = [urlsplit(url).netloc.lower() for url in _canonicals(site).values() if url]
    [(host, count)] = Counter(hosts).most_common(1) or [("", 0)]
    return host if count * 2 > len(hosts) and (is_preview(host) or host in own) else ""


def home_page(site: str) -> tuple[str, bytes]:
    """The page that the site's root shows: the index page or the one it redirects to."""
    index = next((name for name in urls.INDEXES if os.path.isfile(os.path.join(site, name))), INDEX)
    page = start_of(os.path.join(site, index), _HEAD)
    if b"http-equiv" not in page.lower():
        return index, page
    target, base = refresh_target(page), "https://site.invalid/"
    path = urls.relative_path(urls.resolve(target, base) or "", base) if target else None
    name = posixpath.normpath(f"/{path}").lstrip("/") if path else ""
    for file in (name, f"{name}.html", f"{name}/{INDEX}") if name else ():
        if os.path.isfile(os.path.join(site, file)):
            return file, start_of(os.path.join(site, file), _HEAD)
    return index, page


def _canonicals(site: str) -> dict[str, str]:
    """The canonicals of the first pages, "" for pages without one.

    Redirecting pages do not count.
    """
    starts = (
        (path, start_of(os.path.join(site, path), _HEAD))
        for path in islice(_page_paths(site), _PAGES)
    )
    return {
        path: unquote(canonical_of(start)) for path, start in starts if not _REFRESH.search(start)
    }


def _page_paths(site: str) -> Iterator[str]:
    """The paths of pages, those in upper folders first."""
    for folder, folders, names in os.walk(site):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        below = os.path.relpath(folder, site).replace(os.sep, "/")
        yield from (
            os.path.normpath(f"{below}/{name}") for name in sorted(names) if urls.is_page_name(name)
        )


def canonical_of(start: bytes) -> str:
    """The canonical in the first bytes of a page, as written. "" if there is none."""
    # No parser, so that a run with a full cache does not load one.
    match = _CANONICAL.search(_COMMENT.sub(b"", start))
    return unescape(match[1].decode("utf-8", "replace")) if match else ""


def _bases(path: str, canonical: str) -> list[str]:
    """The base URLs for which a page's canonical is its own, in any URL style."""
    stem = os.path.splitext(path)[0]
    folder = (
        stem.removesuffix("index") if stem == "index" or stem.endswith("/index") else f"{stem}/"
    )
    ends = (path, stem, folder, folder.removesuffix("/"))
    found = (canonical.removesuffix(end) for end in ends if canonical.endswith(end))
    bases = []
    for text in found:
        with suppress(ValueError):
            bases += (
                [urls.normalise_base(text)]
                if text.endswith("/") or path.startswith("index.")
                else []
            )
    return bases


def choose_locator(
    settings: Settings, root: walk.SiteRoot, host: Host, first_pages: Callable[[], Sequence[Page]]
) -> tuple[urls.Locator, str | None]:
    """The forms of the site's URLs, and the evidence if they were detected and are not the default."""
    base, style, served = settings.base_url, settings.url_style, host.forms
    if style == "file":
        return urls.Locator(base, style, served=served), None
    pages = first_pages()
    indexes = _index_names(pages, settings, root)
    is_chosen = all(
        setting.key != "url_style" for setting in settings.detected
    )  # not by the generator
    if style != "auto" and (
        is_chosen or served is None or urls.STYLES[style] in served.combinations()
    ):
        return urls.Locator(base, style, indexes, served=served), None
    name, forms, evidence = _prove_style(pages[:_PAGES], settings, root, host)
    # Pages are listed as their canonicals anyway. Links and the host change other URLs.
    is_plain = forms == urls.STYLES["directory"] or "canonicals" in evidence
    is_silent = is_plain and "url_style" not in settings.model_fields_set
    note = f"url_style auto: {name}, because {evidence or 'no canonical or link has another form'}"
    listed = served.preferring(forms) if served else None
    return urls.Locator(base, name, indexes, listed, served), None if is_silent else note


def _prove_style(
    pages: Sequence[Page], settings: Settings, root: walk.SiteRoot, host: Host
) -> tuple[str, urls.UrlForms, str]:
    """The style or the host's name, the forms of URLs, and the evidence in words, "" for the
    default.

    The rules of a known host come first, and canonicals choose if it has several forms. Otherwise,
    canonicals decide if more than half of the pages have one. Then links decide; each page has a
    few votes.
    """
    served = host.forms
    choices = served.combinations() if served else [*urls.STYLES.values()]
    evidence = f"this is how {' and '.join(host.names)} serves pages" if served else ""
    best = choices[0]
    pairs, what = (
        list(_own_canonicals(pages if len(choices) > 1 else (), settings, root)),
        "canonicals",
    )
    is_common = len(pairs) * 2 > len(pages)
    if not (is_common or served):
        pairs, what = list(_links(pages, settings, root, _FEW, is_proof=True)), "internal links"
    if pairs and (is_common or not served):
        votes = [sum(form == forms.paths(path)[0] for path, form in pairs) for forms in choices]
        fit = max(votes)
        if fit * 2 > len(pairs):
            best = choices[votes.index(fit)]
            evidence = f"{fit} of {len(pairs)} {what} that were read have this form"
        elif not served:
            evidence = f"no style fits more than {fit} of the {len(pairs)} {what} that were read"
    names = [name for name, forms in urls.STYLES.items() if forms[:2] == best[:2]]
    return (names or host.names)[0], best, evidence


def _index_names(pages: Sequence[Page], settings: Settings, root: walk.SiteRoot) -> tuple[str, ...]:
    """The names of files that have the URL of their folder.

    Most servers do not show `index.htm` there. It is included only if most canonicals of such
    files, or else most links to them, use the folder's URL.
    """
    others = {
        page.path: page for page in pages if urls.folder_of(page.path, urls.INDEXES[1:]) is not None
    }
    if not others:
        return urls.INDEXES[:1]
    forms = list(_own_canonicals(others.values(), settings, root))
    if not forms:
        links = _links(pages[:_PAGES], settings, root, _FEW)
        forms = [(file, form) for file, form in links if file in others]
    short = sum(file != form for file, form in forms)
    return urls.INDEXES if short * 2 > len(forms) else urls.INDEXES[:1]


def doubts(pages: Sequence[Page], settings: Settings, root: walk.SiteRoot) -> Iterator[Diagnostic]:
    """Signs in a few pages that the base URL is wrong."""
    starts = list(beginnings(pages, root))
    problem = _other_base_path(starts, settings, root)
    problem = problem or _missing_base_path(starts, settings.base_url, root)
    if problem:
        yield Diagnostic(WarningKind.BASE_URL, problem)


def _other_base_path(starts: Starts, settings: Settings, root: walk.SiteRoot) -> str | None:
    """How the canonicals contradict the base URL, None if they do not.

    They do if most pages, and nine of ten with a canonical, name themselves below one other path of
    the host where this site has no such page.
    """
    at_root = urls.Locator("/", "directory")
    count, bases = 0, Counter[str]()
    for path, data in starts if settings.respect.canonical else ():
        canonical = canonical_of(data)
        if url := canonical and urls.resolve(canonical, settings.base_url):
            count += 1
            below = path_of(url, path, settings)
            if (
                below is None or server.file_for_url_path(root, below) is None
            ):  # no page of this site
                forms = map(at_root.encoded, at_root.served_paths(path))
                bases.update({url[: -len(form)] + "/" for form in forms if url.endswith(form)})
    base, votes = max(bases.items(), key=lambda item: item[1], default=("", 0))
    is_on_host = urlsplit(base).netloc == urlsplit(settings.base_url).netloc
    is_other = is_on_host and urlsplit(base).path != urlsplit(settings.base_url).path
    if (
        not is_other
        or votes < _MIN_CANONICALS
        or votes * 10 < count * 9
        or votes * 2 <= len(starts)
    ):
        return None
    return (
        f"it is {settings.base_url}, but {votes} of {count} canonicals name their pages "
        f"below {base}"
    )


def _missing_base_path(starts: Starts, base_url: str, root: walk.SiteRoot) -> str | None:
    """The folder, missing in base URL and site, with which nine of ten links and assets begin."""
    # Ten votes per page, so that one with very many links does not decide.
    votes = (dict.fromkeys(_FROM_ROOT.findall(data)) for _, data in starts)
    targets = [target for page in votes for target in islice(page, _FEW)]
    counts = Counter(folder for folder, slash, _ in targets if slash)
    if urlsplit(base_url).path != "/" or not counts:
        return None
    [(name, count)] = counts.most_common(1)
    folder = name.decode("utf-8", "replace")
    is_there = os.path.lexists(root.file(unquote(folder)))
    if count < _FEW or count * 10 < len(targets) * 9 or is_there:
        return None
    what = f"{count} of {len(targets)} links and assets that begin with / begin with /{folder}/"
    return f"{base_url} has no path, but {what}: should it be {base_url}{folder}/?"


def _own_canonicals(
    pages: Iterable[Page], settings: Settings, root: walk.SiteRoot
) -> Iterator[Pair]:
    """Pages, with the paths in their canonicals.

    Pages with another canonical or none are left out.
    """
    for path, data in beginnings(pages, root) if settings.respect.canonical else ():
        canonical = canonical_of(data)
        form = path_of(canonical, path, settings) if canonical else None
        if form is not None and server.file_for_url_path(root, form) == path:
            yield path, form


def _links(
    pages: Iterable[Page],
    settings: Settings,
    root: walk.SiteRoot,
    most: int = 0,
    *,
    is_proof: bool = False,
) -> Iterator[Pair]:
    """The files to which pages link, and the paths in the links, each once and with a limit for
    each page.

    A link to `a/index.html` in full or as `a` proves no style, because most servers show the page
    at `a/`.
    """

    @cache
    def find(target: str, above: str) -> Pair | None:
        path = path_of(target, above, settings)
        file = None if path is None else server.file_for_url_path(root, path)
        if file is None or path is None:
            return None
        if not is_proof:
            return file, path
        folder = urls.folder_of(file)
        is_telling = file.endswith(".html") if folder is None else path == folder
        return (file, path) if path and is_telling else None

    for path, data in beginnings(pages, root):
        folder, seen = path[: path.rfind("/") + 1], set[Pair]()
        for match in _LINK.finditer(data):
            target = match[1].decode("utf-8", "replace").partition("#")[0]
            link = find(target, "" if target[:1] == "/" else folder) if target else None
            if link and link not in seen:
                seen.add(link)
                yield link
                if len(seen) == most:
                    break


def beginnings(pages: Iterable[Page], root: walk.SiteRoot) -> Iterator[tuple[str, bytes]]:
    """Pages with their first bytes. Unreadable pages are left out; the build reports them."""
    for page in pages:
        with suppress(OSError):
            yield page.path, read.read(root, page, _HEAD)


def path_of(reference: str, path: str, settings: Settings) -> str | None:
    """The site path of a reference in a file of the site, None if it is outside."""
    url = urls.resolve(reference, settings.base_url + path)
    return urls.relative_path(url, settings.base_url) if url else None


def with_links(settings: Settings, root: walk.SiteRoot) -> walk.SiteRoot:
    """The folder of a site, with a walk that follows the links of the first pages.

    If its home page redirects to a folder that is a symbolic link, this is followed too.
    """
    home = None
    page = server.find_page(root, walk.INDEX)
    for _, data in beginnings([page] if page and settings.respect.refresh else [], root):
        target = refresh_target(data) if b"refresh" in data.lower() else None
        path = path_of(target, "", settings) if target else None
        folder = (path or "").removesuffix(walk.INDEX).rstrip("/")
        if folder and os.path.islink(root.file(folder)) and os.path.isdir(root.file(folder)):
            behind = os.path.relpath(os.path.realpath(root.file(folder)), root.root).replace(
                os.sep, "/"
            )
            home = None if behind.startswith("..") or behind == "." else (folder, behind)
    return root._replace(is_linked=LinkedFolders(settings, root), home=home)


class LinkedFolders:
    """The folders to which the first pages link. Read when a walk first needs them."""

    def __init__(self, settings: Settings, root: walk.SiteRoot) -> None:
        self._settings, self._root = settings, root

    def __call__(self, folder: str, beside: Sequence[str]) -> bool:
        """Whether these pages, or those beside it, link into a folder, or a pattern includes it.

        True if no page has links.
        """
        above, _, name = folder[:-1].rpartition("/")
        pattern = self._root.ignore.level(above and f"{above}/").decide(name, is_dir=True).get(0)
        if not self._folders or folder in self._folders or (pattern and pattern.negated):
            return True
        pages = filter(None, (server.find_page(self._root, page) for page in beside))
        return folder in self._linked(pages)

    @cached_property
    def _folders(self) -> frozenset[str]:
        root = self._root._replace(is_linked=lambda *_: False)
        pages = chain.from_iterable(run.pages for run in walk.walk(root))
        return self._linked(islice(pages, _PAGES))

    def _linked(self, pages: Iterable[Page]) -> frozenset[str]:
        """The folders to which pages link, with the folders above and the site itself ("")."""
        files = (file for file, _ in _links(pages, self._settings, self._root))
        ends = (
            (file, n) for file in files for n in range(len(file)) if not n or file[n - 1] == "/"
        )
        return frozenset(file[:n] for file, n in ends)
