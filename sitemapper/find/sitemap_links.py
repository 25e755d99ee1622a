"""The sitemap to which pages link by `<link rel="sitemap">`, held against the one to write."""

import os
from collections.abc import Sequence

from ..errors import with_help
from ..model import Page
from ..site import Output
from .first_pages import FirstPages
from .heads import sitemap_link_of


def note_other_sitemap(
    pages: Sequence[Page], reader: FirstPages, output: Output, *, is_named: bool
) -> str:
    """The note about pages that link to another sitemap of this site, "" if there is none.

    Where the configuration names our sitemap, so that `is_named`, the other one may be there as
    well. It is then deliberate.
    """
    written = reader.path_of(output.sitemap_url, "")
    for page, start in reader.beginnings(pages):
        link = sitemap_link_of(start)
        named = reader.path_of(link, page) if link else None
        if (
            not named
            or named.removesuffix(".gz") == written
            or _is_kept(named, reader, output, is_named=is_named)
        ):
            continue
        advice = 'correct <link rel="sitemap">'
        if output.folder == reader.root.root and "/" not in named and named.endswith(".xml"):
            advice = f'set name = "{named}" under [sitemap], or {advice}'
        what = f"{page} links to {named} as the sitemap, but {output.name} is written"
        return with_help(what, advice)
    return ""


def _is_kept(named: str, reader: FirstPages, output: Output, *, is_named: bool) -> bool:
    """Whether a linked sitemap of another tool is meant to stay."""
    if named in output.options.others:
        return True
    return is_named and os.path.isfile(reader.root.file(named))
