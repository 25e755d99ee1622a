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

_MAX_COMPARED = 20_000  # pages that are compared with a mistyped name, in some tenths of a second


def find_file(target: str, plan: Plan, cwd: str) -> str | None:
    """Finds the file that a person means, and returns its path in the site. None if there is none.

    With the site in `public`, they may type, in this order:

    1. a file, as seen from the site or from the shell's folder: `a.html`, `public/a.html`
    2. a URL in any scheme, or its path: `https://a.example/blog`, `/blog/`
    3. a folder, as seen from the shell's folder: `public/blog`
    """
    is_url = "://" in target
    path_from_shell = relative(os.path.join(cwd, target), plan.site.root).replace(os.sep, "/")
    # 1.
    if not is_url and not target.endswith("/"):
        for path in (target, path_from_shell):
            if _is_file(posixpath.normpath(path), plan.root):
                return posixpath.normpath(path)
    # 2.
    typed_url = target.partition("?")[0] if is_url else target
    for served_path in _served_paths(typed_url, plan):
        file = server.file_for_url_path(plan.root, served_path)
        if file is not None:
            return file
    if is_url:
        return None
    # 3.
    for index_name in INDEXES:
        index_path = posixpath.normpath(posixpath.join(path_from_shell, index_name))
        if _is_file(index_path, plan.root):
            return index_path
    return None


def _is_file(path: str, root: walk.SiteRoot) -> bool:
    """Whether a path in the site leads to a file or a link.

    A link that leads nowhere counts, too, because it can be explained.
    """
    is_outside = path.startswith(("..", "/"))
    if is_outside:
        return False
    file = root.file(path)
    return os.path.lexists(file) and not os.path.isdir(file)


def _served_paths(target: str, plan: Plan) -> Iterator[str]:
    """Yields the decoded paths below the base URL that a typed URL or path may mean.

    With the base URL `https://a.example/blog/`:

    the URL `https://a.example/blog/tea/`  → `tea/`
    the URL `https://b.example/`           → nothing: it is on another site
    the path `/blog/tea/`                  → `blog/tea/` and `tea/`
    """
    base_url = plan.site.base_url
    urls = [target]
    if "://" not in target:
        urls = [target.lstrip("/")]  # the path of a file in the site
        base_path = urlsplit(base_url).path
        if target.startswith(base_path):
            urls.append(target.removeprefix(base_path))  # the path of a URL
    for url in urls:
        served_path = plan.policy.locator.path_of(resolve(url, base_url) or "")
        if served_path is not None:
            yield served_path


def find_pruned_folder(target: str, plan: Plan) -> Excluded | None:
    """Finds the folder at which a build stops on its way to a folder, given by its path or URL.

    With `ignore = ["/drafts"]`, `drafts/old` → the folder `drafts/`, and this pattern. None if the
    target is no folder of the site, or one that a build enters.
    """
    for served_path in _served_paths(target, plan):
        path = served_path.rstrip("/")
        leads_outside = ".." in path.split("/")
        if not path or leads_outside or not os.path.isdir(plan.root.file(path)):
            continue
        # The build walks to any page in the folder, such as its index, and may stop on the way.
        walked = walk_to(plan.root, f"{path}/{walk.INDEX}")
        if isinstance(walked, Excluded) and walked.is_folder:
            return walked
    return None


def walk_to(root: walk.SiteRoot, path: str) -> Batch | Excluded:
    """Finds a page as the walk of a build does: returns a batch with this page, or why it is none.

    For `a/b/c.html`, only the site's folder, `a/` and `a/b/` are listed. An `Excluded` is for the
    page, or for the folder or link on the way to it that a build does not enter.
    """
    folder = ""  # then `a/`, then `a/b/`
    for name in path.split("/"):
        next_path = folder + name  # `a`, then `a/b`, then `a/b/c.html`
        # The walk ends here if one of these is excluded: `folder`, because it cannot be read, or
        # the next path, which is a file, a link (`a`) or a folder (`a/`).
        paths_on_way = {folder, next_path, f"{next_path}/"}
        for entries in walk.list_directory(root, folder):
            if isinstance(entries, str):  # the name of a folder; others are groups of files
                continue
            for excluded in entries.excluded:
                if excluded.path in paths_on_way:
                    return excluded
            for page in entries.pages:
                if page.path == path:
                    return Batch([page], (), entries.other_files)
        folder = f"{next_path}/"
    # No list has the page, and no pattern excluded it.
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


def suggest(target: str, plan: Plan) -> str:
    """Suggests what a mistyped URL or path may mean: `did you mean blog/a.html?`

    For a URL on another host, the result is `b.example is not the host of base_url, a.example`. ""
    if no name is similar.
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
    """Maps what a person may type, in lower case, to paths of files: `{typed: path}`.

    `Guide/index.html` is there twice: by `guide/index.html`, and by its folder, `guide`. Only the
    first 20,000 files of the site are there, because a comparison with more takes too long.
    """
    files: Iterator[Page | Excluded] = chain.from_iterable(
        (*entries.pages, *entries.excluded) for entries in walk.walk(root)
    )
    path_by_name = {file.path.lower(): file.path for file in islice(files, _MAX_COMPARED)}
    path_by_folder = {
        name.removesuffix(f"/{walk.INDEX}"): path for name, path in path_by_name.items()
    }
    return path_by_name | path_by_folder
