"""A sitemap of another tool in our place: whether it may be replaced, and what ours lacks."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from .. import git
from ..files import contents
from ..messages import Message, count, listing
from ..model import Before, Entry, Site
from ..protocol import MAX_BYTES
from ..read.sitemap import SitemapFault, read_sitemap
from ..syntax.urls import origin_of, without_www
from .earlier import is_marked, linked_name, names_in
from .losses import Fates, compare_urls


def may_be_replaced(site: Site, name: str) -> bool:
    """Whether a file of another tool lists this site, and is made again by each build.

    Nine of ten URLs are on the site's host, and git does not track it or the generator's row names
    it. Otherwise, it may be the only copy of somebody's work.
    """
    output, project = site.found.output, site.found.project
    if _share_below(origin_of(site.base_url) + "/", output, name) < 0.9:
        return False
    if project and name in project.sitemaps:
        return True
    return git.output(output, "ls-files", "-z", "--", name) == ""


def removable_parts(site: Site, name: str) -> list[str]:
    """The parts of another tool's index, and its packed copy, that go with it: all with our URLs.

    Those that `others` names stay.
    """
    output, others = site.found.output, site.found.config.settings.sitemap.others
    names = [part for part in (*names_in(output, name), f"{name}.gz") if part != name]
    parts = [part for part in names if part not in others and not is_marked(output, part)]
    return [part for part in parts if _share_below(site.base_url, output, part) == 1]


def _share_below(base_url: str, folder: str, name: str) -> float:
    """The share of the URLs of a sitemap that are below a base URL; 0 for no sitemap."""
    with suppress(SitemapFault):
        entries = list(read_sitemap(contents(folder, name, MAX_BYTES)))
        urls = [without_www(f"{entry.loc}/") for entry in entries]
        below = [url for url in urls if url.startswith(without_www(base_url))]
        return len(below) / len(urls) if urls else 0.0
    return 0.0


def losses_of_foreign(
    site: Site, before: Before, entries: Sequence[Entry], fates: Fates
) -> Iterator[Message]:
    """Warns once of what another tool's sitemap lists and ours does not. Its dates do not count."""
    old = list(before.entries())
    changes = compare_urls(entries, old, site.base_url).changes
    gone = [fates.of(change.url) for change in changes if change.kind == "removed"]
    lost = [one.url for one in gone if one.fate == "lost"]
    forms = [f"{one.url} (now {one.target})" for one in gone if one.fate == "form"]
    lacks_alternates = any(one.alternates for one in old) and not any(
        one.alternates for one in entries
    )
    lacks_images = any(one.images for one in old) and not any(one.images for one in entries)
    settings = site.found.config.settings
    linked = linked_name(site)
    table = (
        (
            "foreign-urls",
            lost,
            f"lists {count(len(lost), 'URL')} that no page has: {listing(lost)}",
            "add them to [[urls]] if they are served",
        ),
        (
            "foreign-forms",
            forms,
            f"lists {count(len(forms), 'page')} in another form: {listing(forms)}",
            "set url_style if the host serves that form",
        ),
        (
            "foreign-hreflang",
            lacks_alternates,
            "has hreflang alternates",
            "add hreflang links to the pages" if settings.hreflang else "write hreflang = true",
        ),
        (
            "foreign-images",
            lacks_images,
            "has images",
            "the pages show none" if settings.images else "write images = true",
        ),
        (
            "foreign-name",
            linked not in ("", before.name),
            f"is not {linked}, to which the home page links",
            f'change the link, or write sitemap = {{ name = "{linked}" }}',
        ),
    )
    for code, is_so, text, help in table:
        if is_so:
            yield Message(
                "warning", code, f"{before.label}, which another tool wrote, {text}", help
            )
