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
    start = init(site, base_url, Run(cwd, os.environ), datetime.now(UTC), has_key=has_key)
    found = start.summary.site
    lines = [
        f"site: {shown_path(found.found.folder, cwd)} ({found.found.origin})",
        f"base URL: {found.base_url} ({found.base_url_origin})",
    ]
    if found.found.project:
        lines.insert(0, f"generator: {found.found.project.name} ({found.found.project.file})")
    done = f"wrote {NAME}" if start.lines else "a build needs no configuration file"
    problem = start.summary.problem  # for which a build stops all the same
    step = "" if problem else "; review what a build writes: sitemapper build --dry-run"
    emit([*map(shown, lines), done + step])
    if problem:
        tell("warning", f"a build stops: {problem.text}", problem.help)
    return 0
