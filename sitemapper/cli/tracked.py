"""`--tracked`: the outputs and listed pages that git does not track."""

import os

from .. import git
from ..commands.build import Summary
from ..errors import SitemapperError
from ..files import ancestors, shown_path, site_path


def untracked(summary: Summary, cwd: str) -> list[str]:
    """Lists the outputs and listed pages that git does not track, as seen from the folder `cwd`.

    A site of which git tracks no page is not meant to be committed. Raises SitemapperError without
    git.
    """
    found = summary.site.found
    top = ancestors(found.folder)[-1]
    names = git.output(top, "ls-files", "-z")
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    tracked = set(names.split("\0"))

    missing: list[str] = []
    for file in summary.plan.files:
        path = os.path.join(found.output, file.name)
        if os.path.exists(path) and site_path(os.path.relpath(path, top)) not in tracked:
            missing.append(shown_path(path, cwd))
    pages = [one.page.path for one in summary.selected.listed if one.page]
    folder = os.path.relpath(found.folder, top)
    missing_pages = [
        os.path.join(found.folder, page)
        for page in pages
        if site_path(os.path.normpath(os.path.join(folder, page))) not in tracked
    ]
    if len(missing_pages) < len(pages):
        missing += [shown_path(page, cwd) for page in missing_pages]
    return missing
