"""`--tracked`: the outputs and listed pages that git does not track."""

import os
from collections.abc import Iterator

from .. import git
from ..errors import SitemapperError
from ..files import ancestors, shown_path, site_path
from .result import FEW, Result

_IN_CI = "run sitemapper check in CI, after the build of the site, instead of this hook"


def untracked(result: Result) -> Iterator[tuple[str, str]]:
    """Yields a text and a help for each output and listed page that git does not track.

    After 20 pages, one text counts the others. A site of which git tracks no page is not meant to
    be committed. If git ignores an output, nothing can be. Raises SitemapperError without git.
    """
    found = result.summary.site.found
    top = ancestors(found.folder)[-1]
    names = git.output(top, "ls-files", "-z") if os.path.exists(f"{top}/.git") else None
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    tracked = set(names.split("\0"))

    for file in result.summary.plan.files:
        path = os.path.join(found.output, file.name)
        if not os.path.exists(path) or site_path(os.path.relpath(path, top)) in tracked:
            continue
        shown = shown_path(path, result.cwd)
        if git.output(top, "check-ignore", "--", path) is not None:
            yield f"{shown}: git ignores it, so there is nothing to commit", _IN_CI
            return
        yield f"{shown}: is not tracked by git", f"git add {shown}"

    pages = [one.page.path for one in result.summary.selected.listed if one.page]
    start = site_path(os.path.relpath(found.folder, top)).removeprefix(".")
    missing = [page for page in pages if f"{start}/{page}".lstrip("/") not in tracked]
    if len(missing) == len(pages):
        return
    for page in missing[:FEW]:
        shown = shown_path(os.path.join(found.folder, page), result.cwd)
        yield f"{shown}: is listed, but not tracked by git", f"git add {shown}"
    if len(missing) > FEW:
        rest = len(missing) - FEW
        site = shown_path(found.folder, result.cwd)
        yield f"{rest:,} more listed pages are not tracked by git", f"git add {site}"
