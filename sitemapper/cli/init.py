"""`init` on the command line."""

import os
from datetime import UTC, datetime

from ..files import shown_path
from .console import emit, shown, tell


def run(site: str | None, base_url: str | None, *, has_key: bool) -> int:
    """Writes a first sitemapper.toml, and prints what was found. Returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    from ..commands.init import NAME, init
    from ..model import Run

    cwd = os.getcwd()
    here = Run(cwd, os.environ)
    start = init(site, base_url, here, datetime.now(UTC), has_key=has_key)
    site_found = start.summary.site
    found = site_found.found
    if found.project:
        emit([shown(f"generator: {found.project.name} ({found.project.file})")])
    emit([shown(f"site: {shown_path(found.folder, cwd)} ({found.origin})")])
    emit([shown(f"base URL: {site_found.base_url} ({site_found.base_url_origin})")])

    done = f"wrote {NAME}"
    if not start.lines:
        done = "a build needs no configuration file"
    if start.summary.problem:
        emit([done])
        tell("warning", f"a build stops: {start.summary.problem.text}", start.summary.problem.help)
    else:
        emit([f"{done}; review what a build writes: sitemapper build --dry-run"])
    return 0
