"""Which URL style the site's own words prove, for `url_style = "auto"`, or contradict."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from urllib.parse import unquote, urlsplit

from ..config.settings import Settings
from ..extract.metadata import read_metadata
from ..model import Diagnostic, Page, WarningKind
from ..site import read, server, walk
from ..syntax.hosts import Host
from ..syntax.html import SIZE_LIMIT
from ..syntax.urls import INDEXES, Locator, folder_of, relative_path, resolve

_MAX_PAGES = 200  # that are looked at for a style
_MAX_LINKS = 500  # of theirs; a fifth of them, where only a contradiction is looked for
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=\W?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
STYLES = ("directory", "clean", "slash", "bare", "file")  # those before win ties
# No parser: what stands in a comment or a script does not lead to pages so often that it decides.
_LINK = re.compile(rb"""<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>#?][^"'\s<>]*)""", re.IGNORECASE)
# Of links and assets from the root of the host: the first folder, its slash, the rest.
_FROM_ROOT = re.compile(
    rb"""\s(?:href|src)\s*=\s*["']?/(?!/)([^"'\s<>?#/]*)(/?)([^"'\s<>]*)""", re.IGNORECASE
)
_MIN_CANONICALS = 3  # that name another base URL
_FEW = 10  # links; a server shows a/index.html at a/ even where some lead to a

Pairs = Iterable[tuple[str, str]]  # of a file and the path by which a canonical or a link names it


def prove_style(canonicals: Pairs, links: Pairs, host: Host) -> tuple[str, str]:
    """The style, and the evidence in words. Links are asked where neither canonicals nor the host tell.

    Where canonicals fit several styles alike, as `b` fits clean and bare, that of the host wins.
    """
    pairs, what = list(canonicals), "canonicals"
    hosts = host.rules[0].style if len(host.rules) == 1 else None
    if not pairs and hosts:
        return hosts
    if not pairs:
        pairs, what = list(links), "internal links"
    if not pairs:
        return "directory", "no canonical or link tells otherwise"
    best, votes = _best_fit(pairs, hosts[0] if hosts else "")
    if votes * 2 > len(pairs):
        return best, f"{votes} of {len(pairs)} {what} looked at are written so"
    return "directory", f"no style fits more than {votes} of {len(pairs)} {what} looked at"


def find_contradiction(style: str, links: Pairs) -> str | None:
    """What nine of ten links that lead to pages say against a style; None if they do not."""
    pairs = list(links)
    best, _ = _best_fit(pairs)
    mine, theirs = Locator("", style), Locator("", best)
    differing = [(path, form) for path, form in pairs if mine.served_path(path) != theirs.served_path(path)]
    against = [(path, form) for path, form in differing if form == theirs.served_path(path)]
    if len(against) * 10 < len(differing) * 9 or len(against) < (_FEW if best == "bare" else 1):
        return None
    path, form = against[0]
    return (
        f"{len(against)} of {len(differing)} are written as in {best}: /{form}, not /{mine.served_path(path)}"
    )


def _best_fit(pairs: Pairs, wins_ties: str = "") -> tuple[str, int]:
    """The style that writes most of the files as they are named, and of how many it does."""
    votes = Counter(s for path, form in pairs for s in STYLES if Locator("", s).served_path(path) == form)
    best = max(STYLES, key=lambda style: (votes[style], style == wins_ties))
    return best, votes[best]


def choose_locator(
    settings: Settings, root: walk.SiteRoot, host: Host, first_pages: Callable[[], Sequence[Page]]
) -> tuple[Locator, str | None]:
    """How the first pages of the site say that their URLs are written, and for `auto` the evidence."""
    base, style = settings.base_url, settings.url_style
    if style == "file":
        return Locator(base, style), None
    pages = first_pages()
    first = pages[:_MAX_PAGES]
    indexes = _index_names(pages, first, settings, root)
    if style != "auto":
        return Locator(base, style, indexes), None
    links = (pair for pair in _links(_starts(first, root), settings, root) if _tells_style(*pair))
    proven, evidence = prove_style(_canonicals(first, settings, root), islice(links, _MAX_LINKS), host)
    return Locator(base, proven, indexes), f"url_style auto: {proven}, because {evidence}"


def _index_names(
    pages: Sequence[Page], first: Sequence[Page], settings: Settings, root: walk.SiteRoot
) -> tuple[str, ...]:
    """The names of files that have the URL of their folder.

    A server that shows index.html there need not show index.htm. Where all canonicals, or else all links,
    name such files in full, only their full URLs are known to work.
    """
    others = {page.path: page for page in pages if folder_of(page.path, INDEXES[1:]) is not None}
    if not others:
        return INDEXES
    forms = list(_canonicals(others.values(), settings, root))
    if not forms:
        links = _links(_starts(first, root), settings, root)
        forms = [(file, form) for file, form in islice(links, _MAX_LINKS) if file in others]
    return INDEXES[:1] if forms and all(file == form for file, form in forms) else INDEXES


def _tells_style(file: str, form: str) -> bool:
    """Whether a link tells the style: not the link to `a/index.html` in full, which is shown at `a/` too."""
    folder = folder_of(file)
    return bool(form) and (file.endswith(".html") or folder is not None) and (folder is None or file != form)


def doubts(pages: Sequence[Page], settings: Settings, root: walk.SiteRoot) -> Iterator[Diagnostic]:
    """Signs in a few pages that the base URL is wrong, or that the URL style is not the default."""
    starts = list(_starts(pages, root))
    problem = _other_base_path(starts, settings, root)
    if problem := problem or _missing_base_path([data for _, data in starts], settings.base_url, root):
        yield Diagnostic(WarningKind.BASE_URL, problem)
    if problem := _contradiction(starts, settings, root):
        yield Diagnostic(WarningKind.LINKS, problem)


def _other_base_path(
    starts: Sequence[tuple[str, bytes]], settings: Settings, root: walk.SiteRoot
) -> str | None:
    """How the canonicals contradict the base URL; None if they do not.

    They do if most pages, and nine of ten that have a canonical, name themselves below one other path of the
    host, where this site has no such page.
    """
    at_root = Locator("/", "directory")
    count, bases = 0, Counter[str]()
    for path, data in starts if settings.respect.canonical else ():
        match = _CANONICAL.search(_COMMENT.sub(b"", data))
        url = resolve(match[1].decode("utf-8", "replace"), settings.base_url) if match else None
        if url:
            count += 1
            below = _path(url, path, settings)
            if below is None or server.file_for_url_path(root, below) is None:  # no page of this site
                forms = map(at_root.encoded, at_root.served_paths(path))
                bases.update({url[: -len(form)] + "/" for form in forms if url.endswith(form)})
    base, votes = max(bases.items(), key=lambda item: item[1], default=("", 0))
    is_on_host = urlsplit(base).netloc == urlsplit(settings.base_url).netloc
    is_other = is_on_host and urlsplit(base).path != urlsplit(settings.base_url).path
    if not is_other or votes < _MIN_CANONICALS or votes * 10 < count * 9 or votes * 2 <= len(starts):
        return None
    return f"it is {settings.base_url}, but {votes} of {count} canonicals name their pages below {base}"


def _missing_base_path(starts: Sequence[bytes], base_url: str, root: walk.SiteRoot) -> str | None:
    """With which folder nine of ten links and assets begin that neither the base URL nor the site has."""
    targets = [target for data in starts for target in dict.fromkeys(_FROM_ROOT.findall(data))]
    counts = Counter(folder for folder, slash, _ in targets if slash)
    if urlsplit(base_url).path != "/" or not counts:
        return None
    [(name, count)] = counts.most_common(1)
    folder = name.decode("utf-8", "replace")
    is_there = os.path.lexists(root.file(unquote(folder)))
    if count < _FEW or count * 10 < len(targets) * 9 or is_there:
        return None
    what = f"{count} of {len(targets)} links and assets that begin with / begin with /{folder}/"
    return f"{base_url} has no path, but {what}: is it {base_url}{folder}/?"


def _contradiction(
    starts: Sequence[tuple[str, bytes]], settings: Settings, root: walk.SiteRoot
) -> str | None:
    """What links say against the default URL style; None if a page has a canonical."""
    for path, data in starts:  # not parsed, so that runs in which all pages are known need no parser
        match = _CANONICAL.search(data)
        form = _path(match[1].decode("utf-8", "replace"), path, settings) if match else None
        if form is not None and server.file_for_url_path(root, form) == path:
            return None
    links = (pair for pair in _links(starts, settings, root) if _tells_style(*pair))
    return find_contradiction(settings.url_style, islice(links, _MAX_LINKS // 5))


def _canonicals(pages: Iterable[Page], settings: Settings, root: walk.SiteRoot) -> Iterator[tuple[str, str]]:
    """The pages whose canonicals name their own file, with the paths that these give them."""
    for path, data in _starts(pages, root, SIZE_LIMIT):
        canonical = read_metadata(data).canonical
        form = _path(canonical, path, settings) if canonical else None
        if form is not None and server.file_for_url_path(root, form) == path:
            yield path, form


def _links(
    starts: Iterable[tuple[str, bytes]], settings: Settings, root: walk.SiteRoot
) -> Iterator[tuple[str, str]]:
    """The files of the site to which links lead, with the paths that name them."""

    @cache
    def linked_file(target: str, above: str) -> tuple[str, str] | None:
        path = _path(target, above, settings)
        file = None if path is None else server.file_for_url_path(root, path)
        return (file, path or "") if file else None

    for path, data in starts:
        folder = path[: path.rfind("/") + 1]
        for target in dict.fromkeys(target.decode("utf-8", "replace") for target in _LINK.findall(data)):
            if linked := linked_file(target, "" if target[0] == "/" else folder):
                yield linked


def _starts(
    pages: Iterable[Page], root: walk.SiteRoot, limit: int = 64 * 1024
) -> Iterator[tuple[str, bytes]]:
    """Pages with their first bytes, but for those that cannot be read, which the build itself reports."""
    for page in pages:
        with suppress(OSError):
            yield page.path, read.read(root, page, limit)


def _path(reference: str, path: str, settings: Settings) -> str | None:
    """The path that a reference in a file of the site names; None outside of the site."""
    url = resolve(reference, settings.base_url + path)
    return relative_path(url, settings.base_url) if url else None
