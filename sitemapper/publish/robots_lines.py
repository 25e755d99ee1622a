"""The `Sitemap:` lines of robots.txt: the one for our sitemap, outdated ones, and dead ones."""

import os
from collections.abc import Collection, Iterable
from urllib.parse import unquote

from ..site import Output, Site
from ..syntax import robots
from ..syntax.urls import without_scheme
from . import published


def update_lines(text: bytes, output: Output, replaced: Iterable[str]) -> bytes:
    """The text of robots.txt with the line of our sitemap, and without outdated lines.

    A line is outdated if it names our sitemap at a former base URL, or a sitemap of another tool
    that is among the `replaced` ones, which are given by name.
    """
    first_loc = published.first_loc(output)
    urls = robots.sitemap_lines(text)
    outdated = [url for url in urls if _names_former_sitemap(url, first_loc, output)]
    replaced_urls = {output.base_url + name for name in replaced if name != output.name}
    outdated += [url for url in urls if unquote(url) in replaced_urls]
    return robots.with_sitemap(text, output.sitemap_url, outdated)


def _names_former_sitemap(url: str, first_loc: str, output: Output) -> bool:
    """Whether a line names our sitemap at a base URL that the site had before.

    `first_loc` is the first URL in the published sitemap, "" if there is none yet. It shows the
    base URL of that build: with https://old.example/a/, the line https://old.example/sitemap.xml is
    ours, and outdated if the base URL is another now. So is a line that differs only in http.
    """
    differs_in_scheme = url != output.sitemap_url
    if differs_in_scheme and without_scheme(url) == without_scheme(output.sitemap_url):
        return True
    folder, _, name = url.rpartition("/")
    was_built_for_line = first_loc.startswith(f"{folder}/")
    has_new_base = not first_loc.startswith(output.base_url)
    return name == output.name and was_built_for_line and has_new_base


def list_dead_lines(text: bytes, written: Collection[str], site: Site) -> list[str]:
    """The URLs of lines below our base for which there is no file.

    `written` are the names of the files that the run writes.
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
