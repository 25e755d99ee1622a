"""The `Sitemap:` lines of robots.txt: the one for our sitemap, outdated ones, and dead ones."""

import os
from collections.abc import Collection, Iterable
from urllib.parse import unquote

from ..site import Output, Site
from ..syntax import robots
from ..syntax.urls import without_scheme
from . import published


def update_lines(text: bytes, output: Output, replaced: Iterable[str]) -> bytes:
    """Rewrites the `Sitemap:` lines in the text of robots.txt.

    Adds the line of our sitemap, if it is missing. Removes the lines that name it at a former base
    URL, or that name one of the `replaced` sitemaps of another tool, given by their file names.
    """
    first_loc = published.first_loc(output)
    urls = robots.sitemap_lines(text)
    outdated = [url for url in urls if _names_former_sitemap(url, first_loc, output)]
    replaced_urls = {output.base_url + name for name in replaced if name != output.name}
    outdated += [url for url in urls if unquote(url) in replaced_urls]
    return robots.with_sitemap(text, output.sitemap_url, outdated)


def _names_former_sitemap(url: str, first_loc: str, output: Output) -> bool:
    """Whether a line names our sitemap at a base URL that the site had before.

    That is so if it differs from today's line only in `http`, or if the published sitemap was built
    for that base URL. Its first URL, `first_loc`, shows this: with `https://old.example/a`, the
    line of `https://old.example/sitemap.xml` was ours. `first_loc` is "" if no sitemap is there.
    """
    is_other_line = url != output.sitemap_url
    if is_other_line and without_scheme(url) == without_scheme(output.sitemap_url):
        return True
    folder, _, name = url.rpartition("/")
    was_built_for_folder = first_loc.startswith(f"{folder}/")
    has_new_base = not first_loc.startswith(output.base_url)
    return name == output.name and was_built_for_folder and has_new_base


def list_dead_lines(text: bytes, written: Collection[str], site: Site) -> list[str]:
    """The URLs in `Sitemap:` lines that are below our base URL, but for which there is no file.

    Files may be in the output, in the site, or among those that the run writes, `written`. Lines
    for other hosts are not checked.
    """
    output = site.output
    dead = []
    for url in robots.sitemap_lines(text):
        if not url.startswith(output.base_url):
            continue
        path = unquote(url.removeprefix(output.base_url))
        files = (os.path.join(output.folder, path), os.path.join(site.root, path))
        if path not in written and not any(map(os.path.exists, files)):
            dead.append(url)
    return dead
