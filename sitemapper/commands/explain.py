"""`explain`: why one page is listed or not, from a whole run that writes nothing."""

import os
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from ..config import Config
from ..files import shown_path, site_file, site_path
from ..lastmod import explain_date
from ..messages import SitemapperError
from ..model import Entry, Excluded, Gone, Origin, Run, Site
from ..publish.losses import excluded_at
from ..select.rules import PageRules
from ..syntax.urls import in_form, page_at, path_below, quote_path, resolve
from .build import Summary, build

_MAX_COMPARED = 20_000  # names that are compared with a mistyped one, in some tenths of a second


class Row(NamedTuple):
    """What is known of a page, or of its site, and what decided it."""

    name: str
    value: str
    origin: str = ""  # "" if the value says it


class Explanation(NamedTuple):
    """Why a page or URL is not listed, "" for one that is, and what is known of it."""

    name: str
    reason: str
    rows: tuple[Row, ...]


def explain(config: Config, run: Run, target: str, now: datetime) -> Explanation:
    """Says why a page is listed or not. `target` is its path or URL, as a person types it.

    It may also be a URL of the earlier sitemap that is gone, a URL of `[[urls]]`, or a folder that
    was not entered. Raises SitemapperError, with similar names, for any other text.
    """
    summary = build(config, run._replace(is_dry=True), now)
    found = _find(summary, run, target)
    if isinstance(found, Entry):
        name = found.page.path if found.page else found.loc
        return Explanation(name, "", tuple(_rows_of(found, summary, run, now)))

    if isinstance(found, Gone):
        name = found.url
        fate = "in another form now" if found.fate == "form" else found.fate
        reason = f"was published, and is {fate}"
    else:
        name = found.path
        reason = found.reason.value

    rows: list[Row] = []
    if found.origin:
        rows.append(Row("decided by", str(found.origin)))
    if found.url not in ("", name):
        rows.append(Row("url", found.url))
    if found.target:
        rows.append(Row("leads to", found.target))
    return Explanation(name, reason, tuple(rows))


def _find(summary: Summary, run: Run, target: str) -> Entry | Excluded | Gone:
    """Finds what is known of the page that a person means by `target`.

    `target` is a URL, or a path from the site or the working directory. Raises SitemapperError if
    there is no such page, with the names of similar ones.
    """
    # All that may be meant, by path, or by URL where there is no file.
    folder = summary.site.found.folder
    base_url = summary.site.base_url
    excluded = {page.path: page for page in summary.selected.excluded}
    known: dict[str, Entry | Excluded | Gone] = {loss.url: loss for loss in summary.plan.gone}
    known |= excluded
    for entry in summary.dated.entries:
        known[entry.page.path if entry.page else entry.loc] = entry

    # The URLs that `target` may stand for. As a URL, `/a` begins at the root of the host.
    urls = [resolve(target, base_url) or target]
    if "://" not in target:
        for start in (run.cwd, folder):
            file = os.path.join(start, target.lstrip("/"))
            path = site_path(os.path.relpath(file, folder))
            if not path.startswith(".."):  # that would be outside of the site
                urls.insert(0, base_url if path == "." else base_url + quote_path(path))

    for url in urls:
        name = page_at(url, base_url, known) or url
        if name in known:
            return known[name]
        path = (path_below(url, base_url) or "").rstrip("/")
        if f"{path}/" in excluded:  # a folder that was not entered
            return excluded[f"{path}/"]
        # A file that is no page of the scan: it lies in such a folder, or has another ending.
        if os.path.isfile(site_file(folder, path)):
            return excluded_at(path, excluded)

    help = "to explain an old URL, pass a sitemap that lists it: --previous FILE"
    similar = get_close_matches(target.lower(), islice(known, _MAX_COMPARED), cutoff=0.5)
    if similar:
        help = f"did you mean {', '.join(similar)}?"
    text = f"{target}: no page of {shown_path(folder, run.cwd)} has this name or URL"
    raise SitemapperError(text, help)


def _rows_of(entry: Entry, summary: Summary, run: Run, now: datetime) -> Iterator[Row]:
    """Yields the values of a listed page, then those of its site, each with what decided it.

    `Row("priority", "0.8", "sitemapper.toml:12")`.
    """
    # The settings that have decided values of this page.
    config = summary.site.found.config
    origins: dict[str, Origin] = {}
    if entry.page:
        origins = PageRules(config).origins_of(entry.page.path)
    for index, extra in enumerate(config.settings.urls):
        if extra.loc == entry.loc:
            origins["url"] = config.origins[f"urls[{index}]"]
    yield Row("url", entry.loc, str(origins.get("url", "")))
    source = entry.source if entry.lastmod else ""  # `explain_date` says why there is no date
    yield Row("lastmod", entry.lastmod or "none", str(origins.get("lastmod", source)))
    if entry.page:
        reasons = explain_date(entry, summary.site, summary.selected, summary.before, run, now)
        for name, text in reasons:
            yield Row(name, text)
    for key in ("changefreq", "priority", "section"):
        value = getattr(entry.values, key)
        if value:
            yield Row(key, value, str(origins.get(key, "")))
    yield from site_rows(summary.site, run.cwd)


def site_rows(site: Site, cwd: str) -> Iterator[Row]:
    """Yields the values that all pages of a site share, each with what decided it.

    They are its folder, generator, base URL, URL forms and host: `Row("base URL",
    "https://tea.example/", "CNAME")`. `cwd` is the folder from which paths are shown.
    """
    yield Row("site", shown_path(site.found.folder, cwd), str(site.found.origin))
    if site.found.project:
        yield Row("generator", site.found.project.name, site.found.project.file)
    yield Row("base URL", site.base_url, str(site.base_url_origin))
    # Two examples say more than the names of the forms: `a/ and b.html`.
    folder = in_form("a/index.html", site.forms.folder)
    page = in_form("b.html", site.forms.page)
    yield Row("URL forms", f"{folder} and {page}", str(site.forms_origin))
    yield Row("host", site.host.name, str(site.host.origin or ""))
