"""The base URL on GitHub Pages, where a repository certainly publishes its site there.

A wrong base URL is worse than none, so whatever is not certain gives no answer. Sources:
docs.github.com/pages, and the README of each action for the names of its inputs.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import glob
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..errors import ConfigError
from ..fs import ancestors, open_inside
from ..hosts.choose import of_builder
from ..hosts.find import find_host
from ..lastmod.repository import GitError, configuration, run_git
from ..model import Origin
from ..syntax.yaml_text import read_yaml
from .base_url_files import Place, make_place
from .first_look import LIMIT, PageStart

_NAME = "GitHub Pages"
_ORIGIN = Origin("GitHub Pages; with a domain of your own, set base_url")
_GITHUB = "https://github.com"
_UPLOAD = "actions/upload-pages-artifact"  # it uploads the folder that deploy-pages publishes
_EXPRESSION = "${{"  # only a run of the workflow knows its value
# The address of a repository on GitHub. Compiled when it is used, as the other patterns.
_REMOTE = r"""(?x)
    (?: https://(?:[^/@]+@)? | ssh://git@ | git@ )   # https://, https://TOKEN@, git@
    github\.com [/:]
    (?P<repository> [\w-]+ / [\w.-]+? )              # ann/tea
    (?: \.git )? /?
"""
_REPOSITORY = r"[\w-]+/[\w.-]+"
# A link from the root of the host, such as `href="/assets/a.css"`, but not `href="//cdn.example/"`.
_ROOT_LINK = rb"""(?i)\b(?:href|src)=["']?(/(?!/)[^"'\s<>]*)"""


class _Action(NamedTuple):
    """An action that publishes a site: the names of its inputs, "" for an input that it has not.

    - `folder_input`: the folder that it publishes, such as `publish_dir`
    - `repository_input`: another repository to publish it in
    - `domain_input`: a domain of the user's own
    - `subfolder_input`: a folder of the address, such as `docs` for `/tea/docs/`
    """

    folder_input: str = ""
    repository_input: str = ""
    domain_input: str = ""
    subfolder_input: str = ""


_ACTIONS = {
    "actions/deploy-pages": _Action(),
    "peaceiris/actions-gh-pages": _Action(
        folder_input="publish_dir",
        repository_input="external_repository",
        domain_input="cname",
        subfolder_input="destination_dir",
    ),
    "jamesives/github-pages-deploy-action": _Action(
        folder_input="folder",
        repository_input="repository-name",
        subfolder_input="target-folder",
    ),
}


class _Step(NamedTuple):
    """A step of a workflow: the action that it uses, in lower case, and its inputs."""

    action: str
    inputs: Mapping[str, str]


def find_in_github_pages(
    site: str, env: Mapping[str, str], cwd: str, pages: Iterable[PageStart]
) -> Place | None:
    """Finds the address of a site on GitHub Pages, where it is certain that the site is there.

    | the repository ann/tea | result |
    |---|---|
    | does not certainly publish the site | None |
    | publishes it, but a page links to `/a.js`, not `/tea/a.js` | the reason against the address |
    | publishes it | `https://ann.github.io/tea/` |
    """
    # 1. No repository, or the builder of another host runs.
    top = ancestors(os.path.realpath(site))[-1]
    if not os.path.exists(os.path.join(top, ".git")) or of_builder(env):
        return None
    # 2. The address of the repository.
    try:
        url = _find_address(top, site, env, cwd)
    except (GitError, ConfigError, OSError):  # what cannot be read is not certain
        return None
    if not url:
        return None
    # 3. The links from the root must begin with the path of this address, or the site is built for
    # another one, such as a domain.
    path = urlsplit(url).path
    for page in pages:
        for match in re.finditer(_ROOT_LINK, page.data):
            link = match[1].decode("utf-8", "replace")
            is_below_path = link.startswith(path) or link == path.rstrip("/")
            if not is_below_path:
                # The error shows `/assets/a.css` as `/assets/…`, and `/a.css` in full.
                first, slash, _ = link[1:].partition("/")
                shown = f"/{first}/…" if slash else f"/{first}"
                reason = f"the pages link {shown}, not {path}…: with a custom domain, set base_url"
                return Place(_NAME, reason=reason)
    return make_place(url, _NAME, _ORIGIN)


def find_address_of_checkout(folder: str) -> str:
    """Finds the address on GitHub Pages of the repository around a folder, "" if it is not known.

    A checkout of ann/tea → `https://ann.github.io/tea/`.
    """
    top = ancestors(os.path.realpath(folder))[-1]
    try:
        return _address_of(_find_name_on_github(top, {}))
    except GitError:  # without git, or outside of a repository
        return ""


def _find_address(top: str, site: str, env: Mapping[str, str], cwd: str) -> str:
    """Finds the address at which GitHub Pages publishes a site, "" if that is not certain.

    A site in a checkout of ann/tea → `https://ann.github.io/tea/`. `top` is the folder of the
    checkout.
    """
    # With a CNAME, GitHub serves the site at the domain in this file instead.
    if any(os.path.lexists(os.path.join(folder, "CNAME")) for folder in (site, top)):
        return ""
    # The host that the files show: GitHub by a workflow that publishes the site, Netlify by
    # netlify.toml, or no host.
    host = find_host(site, configured="auto", builder="", base_url="", cwd=cwd)
    has_workflow = host.names == ("github",)
    branch = b"".join(run_git(top, "branch", "--show-current")).strip()
    # 1. The branch `gh-pages`, which GitHub publishes as it is, also without a workflow.
    if branch == b"gh-pages":
        # The site is only a folder of the branch.
        if os.path.realpath(site) != top:
            return ""
        # The branch has netlify.toml, or rules in `_redirects`, which GitHub does not read.
        is_on_other_host = host.is_known and not has_workflow
        if is_on_other_host or host.has_rules:
            return ""
        return _address_of(_find_name_on_github(top, env))
    # 2. Any other branch, which only a workflow publishes.
    if not has_workflow:
        return ""
    return _find_address_in_workflows(list(_list_steps(top)), top, site, env)


def _find_address_in_workflows(
    steps: Sequence[_Step], top: str, site: str, env: Mapping[str, str]
) -> str:
    """Finds the address at which a step of the workflows publishes a site, "" if not certain.

    | the step in a workflow of ann/tea | address |
    |---|---|
    | uses `actions/deploy-pages` | `https://ann.github.io/tea/` |
    | has an input such as `external_repository: bob/cup` | `https://bob.github.io/cup/` |
    | has an input such as `cname: a.example` | `https://a.example/` |
    """
    # 1. The only step that publishes. Of several, either may publish this site.
    publishing = [step for step in steps if step.action in _ACTIONS]
    if len(publishing) != 1:
        return ""
    [step] = publishing
    action = _ACTIONS[step.action]  # has the names of its inputs
    # 2. It may publish another folder, or publish this one at `destination_dir: docs`. The folder
    # is its input, or that of the step that uploads what deploy-pages publishes.
    folders = [step.inputs.get(action.folder_input, "")]
    folders += [upload.inputs.get("path", "") for upload in steps if upload.action == _UPLOAD]
    may_publish_site = all(_may_be_site(folder, site, top) for folder in folders)
    if not may_publish_site or step.inputs.get(action.subfolder_input):
        return ""
    # 3. A domain of the user's own, or else the address of the repository.
    domain = step.inputs.get(action.domain_input, "")
    if _EXPRESSION in domain:  # only the run of the workflow knows it
        return ""
    if domain:
        return f"https://{domain}/"
    repository = step.inputs.get(action.repository_input, "")
    return _address_of(repository or _find_name_on_github(top, env))


def _list_steps(top: str) -> Iterator[_Step]:
    """Yields the steps that use an action, in all files of `.github/workflows`.

    `uses: actions/deploy-pages@v4` → the action `actions/deploy-pages`, with the inputs of `with`.
    """
    for file in sorted(glob(".github/workflows/*.y*ml", root_dir=top)):
        text = open_inside(top, os.path.join(top, file), LIMIT) or b""
        # GitHub does not run a faulty workflow, either. What follows its fault is left out.
        with suppress(ValueError, LookupError, AttributeError, TypeError):
            workflow: Any = read_yaml(text.decode("utf-8", "replace"))
            for job in workflow["jobs"].values():
                for step in job.get("steps", ()):
                    action = step.get("uses", "").partition("@")[0]
                    inputs = step.get("with", {}).items()
                    yield _Step(action.lower(), {key: str(value or "") for key, value in inputs})


def _may_be_site(folder: str, site: str, top: str) -> bool:
    """Whether the folder that a workflow publishes may be the folder of the site.

    `folder` is the input of a step of the workflow: `path: docs` → `docs`. It begins at `top`, the
    folder of the repository. For the site `docs` of the repository ann/tea:

    | `folder` | may be the site |
    |---|---|
    | "", which is not set, or `${{ env.OUT }}` | yes: it may be any folder |
    | `docs` | yes |
    | `.` | no: the site would be at `https://ann.github.io/tea/docs/` |
    """
    if not folder or _EXPRESSION in folder:
        return True
    return os.path.realpath(os.path.join(top, folder)) == os.path.realpath(site)


def _find_name_on_github(top: str, env: Mapping[str, str]) -> str:
    """Finds the name on GitHub of the repository in the folder `top`: `ann/tea`, "" if unknown.

    1. In a workflow, GITHUB_REPOSITORY names it, unless the remote `origin` is another repository.
    2. A checkout with a remote `upstream` is that of a fork, which rarely publishes the site: "".
    3. Otherwise, the remote `origin` names it: `git@github.com:ann/tea.git` → `ann/tea`.

    Raises GitError.
    """
    settings = configuration(top)
    origin_url = settings.get("remote.origin.url", "")
    match = re.fullmatch(_REMOTE, origin_url)
    origin_repository = match["repository"] if match else ""
    workflow_repository = ""
    if env.get("GITHUB_SERVER_URL") == _GITHUB:
        workflow_repository = env.get("GITHUB_REPOSITORY", "")
    is_of_origin = origin_repository.lower() == workflow_repository.lower()
    if workflow_repository and (is_of_origin or not origin_url):
        return workflow_repository
    if "remote.upstream.url" in settings:
        return ""
    return origin_repository


def _address_of(repository: str) -> str:
    """Makes the address of a repository's site: ann/tea → `https://ann.github.io/tea/`.

    The site of ann/ann.github.io is at the root: `https://ann.github.io/`. "" for a text that is no
    repository.
    """
    if not re.fullmatch(_REPOSITORY, repository):
        return ""
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
