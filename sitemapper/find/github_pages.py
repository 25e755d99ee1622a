"""The base URL on GitHub Pages, where a repository certainly publishes its site there.

A wrong base URL is worse than none, so whatever is not certain gives no answer. Sources:
docs.github.com/pages, and the README of each action for the names of its inputs.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
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
    """A step of workflows that publishes a site, and the names of its inputs, "" for none.

    `folder` is the folder that it publishes, `repository` another repository to publish it in,
    `domain` the user's own, and `below` a folder of the address.
    """

    name: str
    folder: str = ""
    repository: str = ""
    domain: str = ""
    below: str = ""


_ACTIONS = (
    _Action("actions/deploy-pages"),
    _Action(
        "peaceiris/actions-gh-pages",
        folder="publish_dir",
        repository="external_repository",
        domain="cname",
        below="destination_dir",
    ),
    _Action(
        "jamesives/github-pages-deploy-action",
        folder="folder",
        repository="repository-name",
        below="target-folder",
    ),
)


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

    It does if exactly one step of its workflows deploys there, or if HEAD is its branch `gh-pages`.
    """
    if any(os.path.lexists(os.path.join(folder, "CNAME")) for folder in (site, top)):
        return ""  # a domain that gave no base URL: its path is computed, or the file is faulty
    host = find_host(site, configured="auto", builder="", base_url="", cwd=cwd)
    is_github = host.names == ("github",)
    if b"".join(run_git(top, "branch", "--show-current")).strip() == b"gh-pages":
        # The branch has no mark of GitHub. Files with rules of any host show another one.
        is_other_host = not is_github and (host.is_known or host.has_rules)
        is_published = os.path.realpath(site) == top and not is_other_host
        return _address_of(_find_repository(top, env)) if is_published else ""
    steps = list(_list_steps(top))
    deploying = [(action, step) for step in steps for action in _ACTIONS if _uses(step, action)]
    if not is_github or len(deploying) != 1:
        return ""
    [(action, step)] = deploying
    inputs = _inputs(step)
    folders = [inputs.get(action.folder, "")]
    folders += [_inputs(step).get("path", "") for step in steps if _uses(step, _Action(_UPLOAD))]
    if not all(_may_be(folder, site, top) for folder in folders):
        return ""
    domain = inputs.get(action.domain, "")
    repository = inputs.get(action.repository, "") or _find_repository(top, env)
    if inputs.get(action.below) or _EXPRESSION in domain + repository:
        return ""
    return f"https://{domain}/" if domain else _address_of(repository)


def _list_steps(top: str) -> Iterator[Mapping[str, Any]]:
    """The steps of all workflows of a repository. A workflow that is not YAML has none."""
    folder = os.path.join(top, ".github", "workflows")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if not name.endswith((".yml", ".yaml")):
            continue
        text = open_inside(top, os.path.join(folder, name), LIMIT) or b""
        try:
            jobs = read_yaml(text.decode("utf-8", "replace")).get("jobs")
        except ValueError:  # GitHub does not run it either
            continue
        for job in jobs.values() if isinstance(jobs, dict) else ():
            steps = job.get("steps") if isinstance(job, dict) else None
            yield from (step for step in steps or () if isinstance(step, dict))


def _uses(step: Mapping[str, Any], action: _Action) -> bool:
    """Whether a step of a workflow is an action: `uses: actions/deploy-pages@v4`."""
    return str(step.get("uses")).partition("@")[0].lower() == action.name


def _inputs(step: Mapping[str, Any]) -> dict[str, str]:
    """The inputs of a step, below its key `with`."""
    inputs = step.get("with")
    if not isinstance(inputs, dict):
        return {}
    return {name: str(value) for name, value in inputs.items() if value is not None}


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
