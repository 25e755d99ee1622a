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
from .addresses import Place, make_place
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
    """The names of the inputs of an action that publishes a site, "" for none.

    `folder` is the folder that it publishes, `repository` another repository to publish it in,
    `domain` the user's own, and `below` a folder of the address.
    """

    folder: str = ""
    repository: str = ""
    domain: str = ""
    below: str = ""


_ACTIONS = {
    "actions/deploy-pages": _Action(),
    "peaceiris/actions-gh-pages": _Action(
        folder="publish_dir",
        repository="external_repository",
        domain="cname",
        below="destination_dir",
    ),
    "jamesives/github-pages-deploy-action": _Action(
        folder="folder", repository="repository-name", below="target-folder"
    ),
}


class _Step(NamedTuple):
    """A step of a workflow: the action that it uses, in lower case, and its inputs."""

    action: str
    inputs: Mapping[str, str]


def find_in_github_pages(
    site: str, env: Mapping[str, str], cwd: str, pages: Iterable[PageStart]
) -> Place | None:
    """The address of a site on GitHub Pages, None if it is not certain that the site is there.

    The repository ann/tea gives `https://ann.github.io/tea/`. If links of the `pages` from the root
    do not begin with `/tea/`, the site has another address, and the place has the reason.
    """
    top = ancestors(os.path.realpath(site))[-1]
    if not os.path.exists(os.path.join(top, ".git")) or of_builder(env):
        return None
    try:
        url = _find_address(top, site, env, cwd)
    except (GitError, ConfigError, OSError):  # what cannot be read is not certain
        return None
    if not url:
        return None
    path = urlsplit(url).path
    for link in _root_links(pages) if path != "/" else ():
        if link != path.rstrip("/") and not link.startswith(path):
            first, slash, _ = link[1:].partition("/")
            shown = f"/{first}/…" if slash else f"/{first}"
            reason = f"the pages link {shown}, not {path}…: with a custom domain, set base_url"
            return Place(_NAME, reason=reason)
    return make_place(url, _NAME, _ORIGIN)


def find_address_of_checkout(folder: str) -> str:
    """The address on GitHub Pages of the repository around a folder, "" if it is not known."""
    top = ancestors(os.path.realpath(folder))[-1]
    try:
        return _address_of(_find_repository(top, {})) if os.path.exists(f"{top}/.git") else ""
    except GitError:
        return ""


def _find_address(top: str, site: str, env: Mapping[str, str], cwd: str) -> str:
    """The address at which the repository `top` publishes a site on GitHub Pages, "" if unknown.

    It does if the checked-out branch is `gh-pages`, or if a step of its workflows deploys there.
    """
    if any(os.path.lexists(os.path.join(folder, "CNAME")) for folder in (site, top)):
        return ""  # a domain that gave no base URL: its path is computed, or the file is faulty
    host = find_host(site, configured="auto", builder="", base_url="", cwd=cwd)
    is_github = host.names == ("github",)
    branch = b"".join(run_git(top, "branch", "--show-current")).strip()
    if branch == b"gh-pages":
        # The branch has no mark of GitHub, but files with rules show another host.
        is_other_host = not is_github and (host.is_known or host.has_rules)
        is_published = os.path.realpath(site) == top and not is_other_host
        return _address_of(_find_repository(top, env)) if is_published else ""
    steps = list(_list_steps(top)) if is_github else []
    return _find_address_in_workflows(steps, top, site, env)


def _find_address_in_workflows(
    steps: Sequence[_Step], top: str, site: str, env: Mapping[str, str]
) -> str:
    """The address at which exactly one step of the workflows publishes a site, "" if unknown.

    With two such steps, nobody can say which of them publishes this site.
    """
    deploying = [step for step in steps if step.action in _ACTIONS]
    if len(deploying) != 1:
        return ""
    [step] = deploying
    action = _ACTIONS[step.action]
    folders = [step.inputs.get(action.folder, "")]
    folders += [upload.inputs.get("path", "") for upload in steps if upload.action == _UPLOAD]
    is_of_site = all(_may_be(folder, site, top) for folder in folders)
    if not is_of_site or step.inputs.get(action.below):
        return ""
    domain = step.inputs.get(action.domain, "")
    if _EXPRESSION in domain:
        return ""
    if domain:
        return f"https://{domain}/"
    repository = step.inputs.get(action.repository, "")
    return _address_of(repository or _find_repository(top, env))


def _list_steps(top: str) -> Iterator[_Step]:
    """The steps of all workflows of a repository that use an action."""
    for file in sorted(glob(".github/workflows/*.y*ml", root_dir=top)):
        text = open_inside(top, os.path.join(top, file), LIMIT) or b""
        with suppress(
            ValueError, LookupError, AttributeError, TypeError
        ):  # GitHub does not run it either
            workflow: Any = read_yaml(text.decode("utf-8", "replace"))
            for job in workflow["jobs"].values():
                for step in job.get("steps", ()):
                    action = step.get("uses", "").partition("@")[0]
                    inputs = step.get("with", {}).items()
                    yield _Step(action.lower(), {key: str(value or "") for key, value in inputs})


def _may_be(folder: str, site: str, top: str) -> bool:
    """Whether the folder that a step publishes, as seen from the repository, may be the site.

    Its default and an expression may be. With `path: .`, the site `docs` would be at /tea/docs/.
    """
    if not folder or _EXPRESSION in folder:
        return True
    return os.path.realpath(os.path.join(top, folder)) == os.path.realpath(site)


def _find_repository(top: str, env: Mapping[str, str]) -> str:
    """The repository on GitHub to which the checkout `top` belongs: `ann/tea`, "" if unknown.

    GITHUB_REPOSITORY of a workflow names it, unless `origin` is another one. Otherwise `origin`
    does. A remote `upstream` beside it shows a fork, which rarely publishes the site. Raises
    GitError.
    """
    settings = {setting.key: setting.value for setting in configuration(top)}
    origin = settings.get("remote.origin.url", "")
    match = re.fullmatch(_REMOTE, origin)
    of_origin = match["repository"] if match else ""
    of_workflow = ""
    if env.get("GITHUB_SERVER_URL") == _GITHUB:
        of_workflow = env.get("GITHUB_REPOSITORY", "")
    if of_workflow and (not origin or of_origin.lower() == of_workflow.lower()):
        return of_workflow
    return "" if "remote.upstream.url" in settings else of_origin


def _address_of(repository: str) -> str:
    """The address of a repository's site: ann/tea → `https://ann.github.io/tea/`, "" for a fault.

    The repository ann/ann.github.io has `https://ann.github.io/`.
    """
    if not re.fullmatch(_REPOSITORY, repository):
        return ""
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def _root_links(pages: Iterable[PageStart]) -> Iterator[str]:
    """The links of pages from the root of the host: `/assets/a.css`."""
    for page in pages:
        for link in re.findall(_ROOT_LINK, page.data):
            yield link.decode("utf-8", "replace")
