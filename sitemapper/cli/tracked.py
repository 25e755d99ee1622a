"""`--tracked`: the outputs and listed pages that git does not track."""

import os

from .. import git
from ..commands.build import Summary
from ..errors import SitemapperError
from ..files import ancestors, shown_path


def untracked(summary: Summary, cwd: str) -> list[str]:
    """Lists the outputs and listed pages that git does not track, as seen from the folder `cwd`.

    A site of which git tracks no page is not meant to be committed. Raises SitemapperError without
    git.
    """
    found = summary.site.found
    top = ancestors(found.folder)[-1]
    names = git.output(top, "ls-files", "-z", "--others")
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    others = {os.path.join(top, name) for name in names.split("\0")}
    files = [os.path.join(found.output, file.name) for file in summary.plan.files]
    listed = [one.page.path for one in summary.selected.listed if one.page]
    pages = [os.path.join(found.folder, path) for path in listed]
    missing = [file for file in files if file in others]
    missing_pages = [page for page in pages if page in others]
    if len(missing_pages) < len(pages):
        missing += missing_pages
    return [shown_path(path, cwd) for path in missing]
