"""What a repository shows of GitHub Pages."""

import re
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

    None if no workflow shows that it does, or if one deploys to another address.
    """
    repository = repository_on_github(folder)
    deployments = pages_deployments(folder)
    is_elsewhere = any(_ELSEWHERE.search(text) for text in deployments)
    if repository is None or not deployments or is_elsewhere:
        return None
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def pages_deployments(folder: str) -> list[bytes]:
    """The texts of the workflows around a folder that deploy to GitHub Pages."""
    top = ancestors(folder)[-1]
    files = sorted(glob(".github/workflows/*.y*ml", root_dir=top))
    texts = [contents(top, file) for file in files]
    return [text for text in texts if re.search(PAGES_DEPLOYMENT, text)]
