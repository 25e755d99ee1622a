"""`--tracked`: the outputs and listed pages that git does not track."""

import os

from .. import git
from ..commands.build import Summary
from ..errors import SitemapperError
from ..files import shown_path

_UNTRACKED = ("ls-files", "-z", "--others")


def untracked(summary: Summary, cwd: str) -> list[str]:
    """Lists the outputs and listed pages that git does not track, as seen from the folder `cwd`.

    A site of which git tracks no page is not meant to be committed. Raises SitemapperError without
    git.
    """
    found = summary.site.found
    names = git.output(found.folder, *_UNTRACKED)
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    others = set(names.split("\0"))
    pages = [one.page.path for one in summary.selected.listed if one.page]
    untracked_pages = [page for page in pages if page in others]

    missing: list[str] = []
    for file in summary.plan.files:
        if git.output(found.output, *_UNTRACKED, "--", file.name):
            missing.append(os.path.join(found.output, file.name))
    if len(untracked_pages) < len(pages):
        missing += [os.path.join(found.folder, page) for page in untracked_pages]
    return [shown_path(path, cwd) for path in missing]
