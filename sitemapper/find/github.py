"""What a repository shows of GitHub Pages."""

import re
from collections.abc import Iterator
from glob import glob

from ..files import ancestors, contents
from ..git import output
from ..hosts.table import PAGES_DEPLOYMENT

_REMOTE = re.compile(
    r"(?:https://(?:[^/@]+@)?|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?"
)
# Inputs of actions that deploy to another address than that of the repository.
_ELSEWHERE = re.compile(
    rb"(?m)^[ \t]*(?:cname|external_repository|repository-name|destination_dir|target-folder):"
)


def repository_on_github(folder: str) -> str | None:
    """The name of the repository around a folder, `ann/tea`, if its remote is on github.com."""
    url = output(folder, "config", "--get", "remote.origin.url")
    found = _REMOTE.fullmatch((url or "").strip())
    return found[1] if found else None


def pages_address(folder: str) -> str | None:
    """The address at which GitHub Pages publishes the repository around a folder.

    None if neither a workflow nor the branch `gh-pages` shows that it does, or if a workflow
    deploys to another address.
    """
    repository = repository_on_github(folder)
    if repository is None:
        return None
    deployments = list(_deployments(folder))
    branch = output(folder, "branch", "--show-current") or ""
    is_published = deployments or branch.strip() == "gh-pages"
    if not is_published or any(_ELSEWHERE.search(text) for text in deployments):
        return None
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def deploys_by_workflow(folder: str) -> bool:
    """Whether a workflow of the repository around a folder deploys to GitHub Pages."""
    return any(_deployments(folder))


def _deployments(folder: str) -> Iterator[bytes]:
    """Yields the texts of workflows that deploy to GitHub Pages."""
    top = ancestors(folder)[-1]
    for file in sorted(glob(".github/workflows/*.y*ml", root_dir=top)):
        text = contents(top, file)
        if re.search(PAGES_DEPLOYMENT, text):
            yield text
