"""From what a person types to a page: a path, or a URL as it is in the browser."""

import os
import posixpath
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain, islice
from urllib.parse import urlsplit

from ..fs import relative
from ..model import Batch, Excluded, Origin, Page, Reason
from ..plan import Plan
from ..read import server, walk
from ..syntax.urls import INDEXES, resolve, web_origin, without_scheme

_MOST_COMPARED = 20_000  # pages that are compared with a mistyped name, in some tenths of a second


def find_file(target: str, plan: Plan, cwd: str) -> str | None:
    """The path in the site of the file that a person means, None if there is no such file.

    They may type a URL in any scheme, or a path that begins in the site or in the shell's folder:
    `https://a.example/blog/`, `blog/index.html` and `public/blog` → `blog/index.html`.
    """
    is_url = "://" in target
    path_from_shell = relative(os.path.join(cwd, target), plan.site.root).replace(os.sep, "/")
    if not is_url and not target.endswith("/"):
        for path in (target, path_from_shell):
            if _is_file(posixpath.normpath(path), plan.root):
                return posixpath.normpath(path)
    for served in _served_paths(target.partition("?")[0] if is_url else target, plan):
        file = server.file_for_url_path(plan.root, served)
        if file is not None:
            return file
    if is_url:
        return None
    for name in INDEXES:
        path = posixpath.normpath(posixpath.join(path_from_shell, name))
        if _is_file(path, plan.root):
            return path
    return None


def _is_file(path: str, root: walk.SiteRoot) -> bool:
    """Whether a path is in the site, and not a folder."""
    if path.startswith(("..", "/")):
        return False
    file = root.file(path)
    return os.path.lexists(file) and not os.path.isdir(file)


def _served_paths(target: str, plan: Plan) -> Iterator[str]:
    """The paths in the site that a URL or path may mean, decoded.

    Below https://example.com/blog/, the path /blog/tea/ means blog/tea/ in the site or, as on the
    host, tea/.
    """
    base_url = plan.site.base_url
    urls = [target]
    if "://" not in target:
        urls = [target.lstrip("/")]
        base_path = urlsplit(base_url).path
        if target.startswith(base_path):
            urls.append(target.removeprefix(base_path))
    for url in urls:
        served = plan.policy.locator.path_of(resolve(url, base_url) or "")
        if served is not None:
            yield served


def find_pruned_folder(target: str, plan: Plan) -> Excluded | None:
    """Why a build does not enter a folder, given by its path or URL.

    None if the target is no folder of the site, or one that a build enters.
    """
    for served in _served_paths(target, plan):
        path = served.rstrip("/")
        leads_outside = ".." in path.split("/")
        if not path or leads_outside or not os.path.isdir(plan.root.file(path)):
            continue
        # The walk stops at an excluded folder on the way to any page in it.
        walked = walk_to(plan.root, f"{path}/{walk.INDEX}")
        if isinstance(walked, Excluded) and walked.is_folder:
            return walked
    return None


def walk_to(root: walk.SiteRoot, path: str) -> Batch | Excluded:
    """What a build's walk finds at a path: a batch with this page alone, or why it is excluded.

    Lists only the folders above it. The exclusion may be that of one of these folders.
    """
    above = ""
    for part in path.split("/"):
        here = above + part
        for entries in walk.list_directory(root, above):
            if isinstance(entries, str):  # the name of a folder, not a group of files
                continue
            for excluded in entries.excluded:
                if excluded.path in (above, here, f"{here}/"):
                    return excluded
            for page in entries.pages:
                if page.path == path:
                    return Batch([page], (), entries.twins)
        above = f"{here}/"
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


def suggest(target: str, plan: Plan) -> str:
    """What a mistyped URL or path may mean, "" if nothing is similar.

    `did you mean blog/a.html?`
    """
    base_url = plan.site.base_url
    host = without_scheme(web_origin(resolve(target, base_url) or ""))
    own_host = without_scheme(web_origin(base_url))
    if host and host != own_host:
        return f"{host} is not the host of base_url, {own_host}"
    path_by_name = _names_of_files(plan.root)
    typed = (plan.policy.locator.path_of(target) or target).strip("/")
    names = get_close_matches(typed.lower(), path_by_name, n=3, cutoff=0.5)
    if not names:
        return ""
    paths = dict.fromkeys(path_by_name[name] for name in names)
    return f"did you mean {', '.join(paths)}?"


def _names_of_files(root: walk.SiteRoot) -> dict[str, str]:
    """The paths of the first files in the site, by their names in lower case.

    An index also has the name of its folder: `guide` stands for `guide/index.html`.
    """
    files: Iterator[Page | Excluded] = chain.from_iterable(
        (*entries.pages, *entries.excluded) for entries in walk.walk(root)
    )
    names = {file.path.lower(): file.path for file in islice(files, _MOST_COMPARED)}
    folders = {name.removesuffix(f"/{walk.INDEX}"): path for name, path in names.items()}
    return names | folders
