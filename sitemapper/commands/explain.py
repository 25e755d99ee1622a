"""`explain`: why one page is listed or not, from a whole run that writes nothing."""

import os
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from ..config import Config
from ..errors import SitemapperError
from ..files import shown_path, site_file, site_path
from ..find import find
from ..lastmod import explain_date
from ..model import Entry, Excluded, Gone, Origin, Reason, Run, Site
from ..observer import QUIET, Observer
from ..select.rules import PageRules
from ..syntax.urls import in_form, page_at, path_below, quote_path, resolve
from .build import Summary, plan

_MAX_COMPARED = 20_000  # names that are compared with a mistyped one, in some tenths of a second

Rows = Iterator[tuple[str, str, str]]  # of a name, a text and its origin, "" for none


class Explanation(NamedTuple):
    """Why a page or URL is not listed, "" for one that is, and what is known of it."""

    name: str
    reason: str
    rows: tuple[tuple[str, str, str], ...]


def explain(
    config: Config, run: Run, target: str, now: datetime, observer: Observer = QUIET
) -> Explanation:
    """Says why a page is listed or not. `target` is its path or URL, as a person types it.

    It may also be a URL that is gone, or of `[[urls]]`, or a folder that was not entered. Raises
    SitemapperError, with similar names, for any other text.
    """
    summary = plan(find(config, run), run, now, observer)
    one = _find(summary, run, target)
    if isinstance(one, Entry):
        name = one.page.path if one.page else one.loc
        return Explanation(name, "", tuple(_rows_of(one, summary, run, now)))
    if isinstance(one, Excluded):
        name, reason = one.path, one.reason.value
    else:
        name, reason = one.url, f"was published, and is {one.fate}"
    texts = {"decided by": str(one.origin or ""), "url": one.url, "leads to": one.target}
    rows = [(key, text, "") for key, text in texts.items() if text not in ("", name)]
    if isinstance(one, Excluded) and any(gone.url == one.url for gone in summary.plan.gone):
        rows.append(("published", "before", ""))
    return Explanation(name, reason, tuple(rows))


def _find(summary: Summary, run: Run, target: str) -> Entry | Excluded | Gone:
    """Finds what a person means: a path from the site or the working directory, or a URL."""
    folder, base_url = summary.site.found.folder, summary.site.base_url
    known: dict[str, Entry | Excluded | Gone] = {one.url: one for one in summary.plan.gone}
    for one in summary.selected.excluded:
        known[one.url or one.path] = known[one.path] = one
    for entry in summary.dated.entries:
        known[entry.page.path if entry.page else entry.loc] = known[entry.loc] = entry

    urls = [resolve(target, base_url) or target]  # `/a` begins at the root of the host
    for start in (run.cwd, folder) if "://" not in target else ():
        path = site_path(os.path.relpath(os.path.join(start, target.lstrip("/")), folder))
        if not path.startswith(".."):
            urls.insert(0, base_url if path == "." else base_url + quote_path(path))
    for url in urls:
        name = url if url in known else page_at(url, base_url, known)
        if name:
            return known[name]
    for url in urls:
        path = (path_below(url, base_url) or "").rstrip("/")
        above = path  # in a folder that was not entered
        while above:
            if f"{above}/" in known:
                return known[f"{above}/"]
            above = above.rpartition("/")[0]
        if path and os.path.isfile(site_file(folder, path)):
            return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))

    help = "to explain an old URL, pass a sitemap that lists it: --previous FILE"
    similar = get_close_matches(target.lower(), islice(known, _MAX_COMPARED), cutoff=0.5)
    if similar:
        help = f"did you mean {', '.join(similar)}?"
    text = f"{target}: no page of {shown_path(folder, run.cwd)} has this name or URL"
    raise SitemapperError(text, help)


def _rows_of(entry: Entry, summary: Summary, run: Run, now: datetime) -> Rows:
    """Each value of a listed page, with what decided it."""
    site, before = summary.site, summary.before
    config = site.found.config
    origins: dict[str, Origin] = {}
    if entry.page:
        origins = PageRules(config).origins_of(entry.page.path)
    for index, one in enumerate(config.settings.urls):
        if one.loc == entry.loc:
            origin = config.origin(f"urls[{index}]") or Origin("urls")
            origins = dict.fromkeys(("url", "lastmod", "changefreq", "priority"), origin)
    yield "url", entry.loc, str(origins.get("url", ""))
    source = entry.source if entry.lastmod else ""  # else `explain_date` says why
    yield "lastmod", entry.lastmod or "none", str(origins.get("lastmod", source))
    if entry.page:
        rows = explain_date(entry, site, summary.selected, before, run, now)
        yield from ((name, text, "") for name, text in rows)
    for key in ("changefreq", "priority", "section"):
        value = getattr(entry.values, key)
        if value:
            yield key, value, str(origins.get(key, ""))
    for language, url in entry.alternates:
        yield "alternate", f"{language} {url}", ""
    for url in entry.images:
        yield "image", url, ""
    yield from settled(site)
    is_published = any(one.loc == entry.loc for one in before.entries())
    yield "published", f"in {before.label}" if is_published else "not yet", ""


def settled(site: Site) -> Rows:
    """What holds for the whole site, and what decided it."""
    yield "base URL", site.base_url, str(site.base_url_origin)
    forms = (in_form("a/index.html", site.forms.folder), in_form("b.html", site.forms.page))
    yield "URL forms", f"{forms[0]} and {forms[1]}", str(site.forms_origin)
    yield "host", site.host.name, str(site.host.origin or "")
