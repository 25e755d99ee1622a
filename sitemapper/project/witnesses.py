"""The witnesses of a base URL in a built site: canonicals, `og:url`, its sitemap, its feeds."""

import os
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import islice
from urllib.parse import unquote, urlsplit

from ..extract.metadata import refresh_target
from ..fs import files_below
from ..model import Detected, Origin
from ..syntax import urls
from ..syntax.html import unescaped
from .addresses import check_base, is_preview
from .candidate import INDEX
from .published_base import find_feed_base, find_published_base
from .search import start_of

HOME_CANONICAL = "the home page's canonical"  # a witness
_PAGES = 200  # that are read
HEAD = 1 << 16  # bytes of each
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_OG_URL = re.compile(
    rb"""<meta\s(?=[^<>]*\bproperty=["']?og:url["'\s])[^<>]*\bcontent=["']?([^"'\s<>]+)""",
    re.IGNORECASE,
)
_SITEMAP = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?sitemap["'\s/>])[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
# Compiled when it is used.
_REFRESH = rb"""(?i)<meta\s[^<>]*http-equiv=["']?refresh"""


def find_base(site: str) -> Detected | None:
    """The base URL of the home page's canonical, if nine of ten canonicals agree; else None.

    Canonicals on other hosts do not count: they are those of articles that appeared there first.
    Also None if fewer than half of the pages have a canonical, or if it names a preview or a local
    address.
    """
    above, version = os.path.split(site)
    home, start = home_page(site)
    pages = _canonicals(site) | {home: unquote(canonical_of(start))}
    named = {path: url for path, url in pages.items() if url}
    if home not in named or len(named) * 2 < len(pages):
        return None
    home_host = _host_of(named[home])
    voters = {path: url for path, url in named.items() if _host_of(url) == home_host}
    for base in _bases(home, named[home]):
        votes = sum(base in _bases(path, url) for path, url in voters.items())
        # With several versions, canonicals of one may name another.
        others = b'"version"' in start_of(above, os.path.join(above, "versions.json"))
        is_own = base.split("/")[-2] == version or not others
        is_agreed = votes * 10 >= len(voters) * 9 and votes * 2 > len(named)
        if is_agreed and is_own and check_base(base)[0]:
            return Detected(
                "base_url", base, Origin(f"{votes} of {len(named)} canonicals that were read")
            )
    return None


def find_agreed_base(site: str, cwd: str) -> Detected | None:
    """The base URL on which two witnesses agree, and no two others on another one; else None.

    The witnesses are the canonical and the `og:url` of the home page, the sitemap or else its line
    in robots.txt, and a feed. Each alone may be a copy of another site's.
    """
    witnesses: dict[str, list[str]] = {}
    for base, witness in _list_witnesses(site, cwd):
        witnesses.setdefault(base, []).append(witness)
    agreed = [base for base, names in witnesses.items() if len(names) > 1]
    if len(agreed) != 1:
        return None
    [base] = agreed
    return Detected("base_url", base, Origin(" and ".join(witnesses[base][:2])))


def list_claims(site: str, cwd: str, mark: bytes = b"") -> tuple[Detected, ...]:
    """What each witness says by itself. Sitemaps with this `mark` are none."""
    claims = []
    for base, witness in _list_witnesses(site, cwd, mark):
        claims.append(Detected("base_url", base, Origin(witness)))
    return tuple(claims)


def find_local_address(site: str) -> str:
    """The address of this machine that the home page's canonical names, "" for another one."""
    home, start = home_page(site)
    for base in _bases(home, unquote(canonical_of(start)))[:1]:
        if urls.suspicious_base(base):
            return base
    return ""


def _list_witnesses(site: str, cwd: str, mark: bytes = b"") -> Iterator[tuple[str, str]]:
    """What each witness says: a base URL, and the name of the witness."""
    home, start = home_page(site)
    claims = {
        HOME_CANONICAL: canonical_of(start),
        "the home page's og:url": og_url_of(start),
    }
    for name, url in claims.items():
        for base in _bases(home, unquote(url))[:1]:
            if check_base(base)[0]:
                yield base, name
    for published in (find_published_base(site, cwd, mark), find_feed_base(site, cwd)):
        if published:
            yield str(published.value), str(published.origin)


def _host_of(url: str) -> str:
    """The host name of a URL, "" if it has none."""
    with suppress(ValueError):
        return urlsplit(url).netloc.lower()
    return ""


def find_preview(site: str, own: Collection[str]) -> str:
    """The host of a preview that more than half of a site's canonicals name, "" if there is none.

    A host is a preview's if it has the form of one, or if it is among `own`, the preview hosts of
    this build. Without canonicals, the home page may link to one of the latter.
    """
    hosts = [urlsplit(url).netloc.lower() for url in _canonicals(site).values() if url]
    if not hosts:
        _, start = home_page(site)
        linked = [host for host in own if f"//{host}/".encode() in start.lower()]
        return linked[0] if linked else ""
    [(host, count)] = Counter(hosts).most_common(1)
    is_most_named = count * 2 > len(hosts)
    if is_most_named and (is_preview(host) or host in own):
        return host
    return ""


def home_page(site: str) -> tuple[str, bytes]:
    """The page that the site's root shows: the index page or the one it redirects to."""
    index = next((name for name in urls.INDEXES if os.path.isfile(os.path.join(site, name))), INDEX)
    page = start_of(site, os.path.join(site, index), HEAD)
    if b"http-equiv" not in page.lower():
        return index, page
    name = _redirected_path(page)
    if not name:
        return index, page
    for file in (name, f"{name}.html", f"{name}/{INDEX}"):
        if os.path.isfile(os.path.join(site, file)):
            return file, start_of(site, os.path.join(site, file), HEAD)
    return index, page


def _redirected_path(page: bytes) -> str:
    """The path in the site to which the root's index page redirects, "" if to none.

    `<meta http-equiv="refresh" content="0; url=./en/">` → `en`.
    """
    target = refresh_target(page)
    if not target:
        return ""
    any_base = "https://site.invalid/"
    url = urls.resolve(target, any_base) or ""
    path = urls.relative_path(url, any_base)
    if not path:
        return ""
    return posixpath.normpath(f"/{path}").lstrip("/")


def _canonicals(site: str) -> dict[str, str]:
    """The canonicals of the first pages, "" for pages without one.

    Redirecting pages do not count.
    """
    starts = (
        (path, start_of(site, os.path.join(site, path), HEAD))
        for path in islice(_page_paths(site), _PAGES)
    )
    return {
        path: unquote(canonical_of(start))
        for path, start in starts
        if not re.search(_REFRESH, start)
    }


def _page_paths(site: str) -> Iterator[str]:
    """The paths of pages, those of a folder before those of its folders."""
    for file in files_below(site, skipped=(".", "_")):
        if urls.is_page_name(os.path.basename(file)):
            yield os.path.relpath(file, site).replace(os.sep, "/")


def canonical_of(start: bytes) -> str:
    """The canonical in the first bytes of a page, as written. "" if there is none."""
    # No parser, so that a run with a full cache does not load one.
    return _url_of(_CANONICAL, start)


def og_url_of(start: bytes) -> str:
    """The `og:url` in the first bytes of a page, as written (ogp.me). "" if there is none."""
    return _url_of(_OG_URL, start)


def sitemap_link_of(start: bytes) -> str:
    """The sitemap to which the first bytes of a page link by `rel="sitemap"`, "" for none."""
    return _url_of(_SITEMAP, start)


def _url_of(pattern: re.Pattern[bytes], start: bytes) -> str:
    """The URL that a pattern finds outside of comments, "" if it finds none."""
    match = pattern.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    return unescaped(match[1].decode("utf-8", "replace"))


def _bases(path: str, canonical: str) -> list[str]:
    """The base URLs for which a page's canonical is its own, in any URL style.

    `docs/a.html` and `https://a.example/docs/a/` → `https://a.example/`.
    """
    stem = os.path.splitext(path)[0]
    folder = f"{stem}/"
    if stem == "index" or stem.endswith("/index"):
        folder = stem.removesuffix("index")
    own_paths = (path, stem, folder, folder.removesuffix("/"))
    bases = []
    for own_path in own_paths:
        if not canonical.endswith(own_path):
            continue
        base = canonical.removesuffix(own_path)
        if not base.endswith("/") and not path.startswith("index."):
            continue
        with suppress(ValueError):
            bases.append(urls.normalise_base(base))
    return bases
