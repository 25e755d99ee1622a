"""Files of other tools in the output folder: what is in the way, what is replaced, what misleads crawlers."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..config.settings import Settings
from ..errors import PublishError
from ..model import WarningKind
from ..output import published
from ..project import generators


def foreign_error(name: str, settings: Settings) -> PublishError:
    """The error about a sitemap of another tool; its help names the setting of the project's generator."""
    folder = settings.project or settings.site
    known = generators.generators_in(folder, frozenset(os.listdir(folder)))
    help = WarningKind.FOREIGN.help
    if known and not known[0][0].is_weak:
        help = help.replace("turn off the tool that writes it", known[0][0].own_sitemap)
    path = os.path.join(settings.output_dir, name)
    return PublishError(f"{path}: not replaced, because sitemapper did not write it", help)


def foreign_gzip(settings: Settings) -> list[str]:
    """The compressed sitemap of another tool that lies beside ours."""
    name = settings.sitemap.name + ".gz"
    return [name] if settings.sitemap.gzip == "no" and published.is_foreign(name, settings) else []


def replaced_note(foreign: list[str], settings: Settings) -> Iterator[str]:
    """What `--replace` takes over, with the number of its URLs."""
    if foreign and settings.replace:
        counts = (f"{name} ({published.count_locs(name, settings):,} <loc>)" for name in foreign)
        yield f"replaces what another tool wrote: {', '.join(counts)}"
