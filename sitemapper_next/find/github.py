"""What a repository shows of GitHub Pages."""

import re
from glob import glob

from ..files import ancestors, read_inside
from ..git import output

_REMOTE = re.compile(
    r"(?:https://(?:[^/@]+@)?|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?"
)
_DEPLOYMENTS = (b"deploy-pages", b"actions-gh-pages", b"gh-pages", b"pages-deploy-action")


def repository_on_github(folder: str) -> str | None:
    """The name of the repository around a folder, `ann/tea`, if its remote is on github.com."""
    url = output(folder, "config", "--get", "remote.origin.url")
    found = _REMOTE.fullmatch((url or "").strip())
    return found[1] if found else None


def deploys_by_workflow(folder: str) -> bool:
    """Whether a workflow of the repository around a folder deploys to GitHub Pages."""
    top = ancestors(folder)[-1]
    for file in sorted(glob(".github/workflows/*.y*ml", root_dir=top)):
        try:
            text = read_inside(top, file) or b""
        except OSError:
            continue
        if any(word in text for word in _DEPLOYMENTS):
            return True
    return False
