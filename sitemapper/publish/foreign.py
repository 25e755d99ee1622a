"""Files of other tools in the output folder: what is in the way, what is replaced, what misleads crawlers."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..config.settings import Settings
from ..errors import PublishError
from ..model import WarningKind
from ..output import published


def foreign_error(name: str, settings: Settings) -> PublishError:
    """The error about a sitemap of another tool; its help names the setting of the project's generator."""
    help = WarningKind.FOREIGN.help
    if settings.generator:
        own = settings.detected_project.generator.own_sitemap
        help = help.replace("turn off the tool that writes it", own)
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
