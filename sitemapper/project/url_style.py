"""Which URL style the site's own words prove, for `url_style = "auto"`, or contradict."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from urllib.parse import unquote, urlsplit

from ..config.settings import Settings
from ..extract.metadata import read_metadata
from ..model import Diagnostic, Page, WarningKind
from ..site import read, server, walk
from ..syntax.hosts import Host
from ..syntax.html import SIZE_LIMIT
from ..syntax.urls import Locator, relative_path, resolve

_MAX_PAGES = 200  # that are looked at for a style
_MAX_LINKS = 500  # of theirs; a fifth of them, where only a contradiction is looked for
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=\W?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
STYLES = ("directory", "clean", "slash", "bare", "file")  # those before win ties
# No parser: what stands in a comment or a script does not lead to pages so often that it decides.
_LINK = re.compile(rb"""<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>#?][^"'\s<>]*)""", re.IGNORECASE)
# Of links and assets from the root of the host: the first folder, its slash, the rest.
_FROM_ROOT = re.compile(
    rb"""\s(?:href|src)\s*=\s*["']?/(?!/)([^"'\s<>?#/]*)(/?)([^"'\s<>]*)""", re.IGNORECASE
)
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


def _link_targets(data: bytes) -> Iterator[str]:
    """The targets of a page's links, each once."""
    yield from dict.fromkeys(target.decode("utf-8", "replace") for target in _LINK.findall(data))


def choose_style(settings: Settings, root: walk.SiteRoot, host: Host) -> tuple[str, str | None]:
    """The URL style, and for `auto` the evidence: the canonicals of the walk's first pages, host, links."""
    if settings.url_style != "auto":
        return settings.url_style, None
    pages = list(islice(chain.from_iterable(run.pages for run in walk.walk(root)), _MAX_PAGES))
    forms = (_canonical_form(path, data, settings, root) for path, data in _starts(pages, root, SIZE_LIMIT))
    style, evidence = prove_style(filter(None, forms), _links(_starts(pages, root), settings, root), host)
    return style, f"url_style auto: {style}, because {evidence}"


def doubts(pages: Sequence[Page], settings: Settings, root: walk.SiteRoot) -> Iterator[Diagnostic]:
    """What the links of a few pages say against the base URL and against the default URL style."""
    starts = list(_starts(pages, root))
    if problem := _missing_base_path([data for _, data in starts], settings.base_url, root):
        yield Diagnostic(WarningKind.BASE_URL, problem)
    if problem := _contradiction(starts, settings, root):
        yield Diagnostic(WarningKind.LINKS, problem)


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
    return find_contradiction(settings.url_style, islice(_links(starts, settings, root), _MAX_LINKS // 5))


def _canonical_form(
    path: str, data: bytes, settings: Settings, root: walk.SiteRoot
) -> tuple[str, str] | None:
    """A page and the path that its canonical gives it; None where that is another file or nothing."""
    canonical = read_metadata(data).canonical
    form = _path(canonical, path, settings) if canonical else None
    return (path, form) if form is not None and server.file_for_url_path(root, form) == path else None


def _links(
    starts: Iterable[tuple[str, bytes]], settings: Settings, root: walk.SiteRoot
) -> Iterator[tuple[str, str]]:
    """Pages to which links lead, with the paths that name them.

    Not the home page, which has no name, and not `a/index.html` in full, which servers show at `a/` too.
    """

    @cache
    def linked_page(target: str, above: str) -> tuple[str, str] | None:
        path = _path(target, above, settings)
        is_full = f"/{path}".endswith(f"/{walk.INDEX}")
        file = server.file_for_url_path(root, path) if path and not is_full else None
        return (file, path) if path and file and file.endswith(".html") else None

    links = ((path, target) for path, data in starts for target in _link_targets(data))
    pages = (linked_page(to, "" if to[0] == "/" else path[: path.rfind("/") + 1]) for path, to in links)
    return islice(filter(None, pages), _MAX_LINKS)


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
