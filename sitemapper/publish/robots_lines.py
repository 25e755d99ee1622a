"""The `Sitemap:` lines of robots.txt: the one for our sitemap, outdated ones, and dead ones."""

import os
from collections.abc import Collection, Iterable
from urllib.parse import unquote

from ..site import Output, Site
from ..syntax import robots
from ..syntax.urls import without_scheme
from . import published


def update_lines(text: bytes, output: Output, replaced: Iterable[str]) -> bytes:
    """Rewrites the `Sitemap:` lines in the text of robots.txt, and returns the new text.

    Adds the line of our sitemap, if it is missing. Removes the lines that name our sitemap at a
    former base URL, and those of `replaced`, the file names of another tool's sitemaps. With
    `https://new.example/` as the base URL and `sitemap-0.xml` replaced:

    `Sitemap: https://old.example/sitemap.xml`    → removed
    `Sitemap: https://new.example/sitemap-0.xml`  → removed
    `Sitemap: https://new.example/sitemap.xml`    → added
    `Sitemap: https://new.example/news.xml`       → kept
    """
    first_loc = published.first_loc(output)
    urls = robots.sitemap_lines(text)
    outdated = [url for url in urls if _names_former_sitemap(url, first_loc, output)]
    replaced_urls = {output.base_url + name for name in replaced if name != output.name}
    outdated += [url for url in urls if unquote(url) in replaced_urls]
    return robots.with_sitemap(text, output.sitemap_url, outdated)


def _names_former_sitemap(url: str, first_loc: str, output: Output) -> bool:
    """Whether a line of robots.txt names our sitemap at a base URL that the site had before.

    The caller then removes the line. `url` is the URL in it. `first_loc` is the first URL in the
    published sitemap, "" if there is none. With the base URL `https://new.example/`:

    | url | first_loc | result |
    |---|---|---|
    | `https://new.example/sitemap.xml` | any | False: it is today's line |
    | `http://new.example/sitemap.xml` | any | True: only the scheme differs |
    | `https://old.example/sitemap.xml` | `https://old.example/a` | True: built for this base URL |
    | `https://old.example/sitemap.xml` | `https://new.example/a` | False: another tool's line |
    """
    is_other_line = url != output.sitemap_url
    if is_other_line and without_scheme(url) == without_scheme(output.sitemap_url):
        return True
    folder, _, name = url.rpartition("/")
    was_built_for_folder = first_loc.startswith(f"{folder}/")
    has_new_base = not first_loc.startswith(output.base_url)
    return name == output.name and was_built_for_folder and has_new_base


def list_dead_lines(text: bytes, written: Collection[str], site: Site) -> list[str]:
    """Lists the URLs in `Sitemap:` lines of robots.txt for which there is no file: dead lines.

    `text` is that of robots.txt, and `written` the names of the files that the run writes. A file
    may also be in the output or in the site. URLs that are not below our base URL are not checked.
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
