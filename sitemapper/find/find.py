"""The front door: from what a person wrote to the site as it was found."""

import os

from ..config.load import Config
from ..model import Found, Run
from .folder import find_folder
from .ignores import ignore_lines


def find(config: Config, run: Run) -> Found:
    """Finds the folder of the site, its generator, and what is ignored in it.

    Raises SitemapperError if there is no site, or more than one, or if SITE is none.
    """
    settings = config.settings
    folder, origin, project = find_folder(config, run.cwd)
    out = os.path.realpath(settings.output or folder)
    ledger = settings.ledger.path
    is_asked_for = config.origin("ledger.path") is not None or "ledger" in settings.lastmod
    has_ledger = is_asked_for or os.path.isfile(ledger)
    return Found(
        config=config,
        folder=folder,
        output=out,
        project=project,
        ignore=tuple(ignore_lines(config, folder, out, project)),
        include=config.include,
        ledger=ledger if has_ledger else None,
        origin=origin,
    )
