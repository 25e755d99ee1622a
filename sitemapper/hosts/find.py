"""The host of a site, from the files of the site and of its project."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import ConfigError
from ..fs import ancestors, is_inside, open_inside, relative
from ..messages import Kind, Message
from ..syntax.settings_files import read_table
from . import choose
from .choose import Clue
from .host import NO_HOST, SITE, Host, Hosting

# Bytes that are read of a file with rules. Those of real projects have less than a hundredth of it.
_MAX_SIZE = 4 << 20
# Workflows, for example, that are searched for words: each costs the opening of a file.
_MAX_SEARCHED_FILES = 50


class HostFile(NamedTuple):
    """A project file of a host, such as `netlify.toml`, and what it publishes.

    `file` and the folders of `hosting` are absolute paths.
    """

    host: str
    file: str
    hosting: Hosting


def find_host(
    site: str, *, configured: str, builder: str, base_url: str, cwd: str, now: int = 0
) -> Host:
    """Finds the host of a site, and reads its rules: `public/_redirects`, for example.

    `configured` is the setting `host`. With `auto`, the first of these that gives a host:

    1. the `builder`, the host that runs this build, such as Netlify, "" if none does
    2. the domain of the base URL, or files with rules (`choose.choose`)
    3. a clue, such as a workflow that deploys to GitHub Pages

    The result has a note to the user on rules that are not read (`unread`).

    `site` and `cwd`, the working directory, are absolute. `now` is the time of the run in seconds:
    headers such as `X-Robots-Tag: unavailable_after` depend on it. Raises ConfigError for a broken
    file.
    """
    # 1. The builder. Without one, the name stays `auto`.
    name = builder if configured == "auto" and builder else configured
    if name == "none":
        return NO_HOST
    # 2. The domain or files. A host with the name `auto` may be only a guess, or several hosts.
    folders = _lookup_folders(site, cwd)
    texts = _read_rule_files(name, site, folders)
    try:
        host = choose.choose(name, texts, base_url, now)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    # 3. A clue. It does not count if there are files, because it says less than these.
    is_guess = not host.is_known
    if is_guess and not texts:
        host = _host_of_clue(site, folders) or host
    return host._replace(unread=_note_unread(host))


def published_by(folder: str, host: str = "auto") -> list[HostFile]:
    """Reads which folders the project files of hosts publish, such as netlify.toml in `folder`.

    For `/tea` with a `netlify.toml` that has `publish = "out"`: one item, with the folder
    `/tea/out`. With a host such as "netlify", only its files are read; with "auto", those of all
    hosts. Raises ConfigError for a broken file.
    """
    published: list[HostFile] = []
    for provider in choose.providers(host):
        for name in provider.markers:  # the names of its project files
            file = os.path.join(folder, name)
            if not os.path.isfile(file):
                continue
            # A symbolic link that leads out of the repository is not read.
            repository = ancestors(folder)[-1]
            try:
                table = read_table(file, _read_text(repository, file))
            except ValueError as error:
                raise ConfigError(str(error)) from None
            reader = choose.readers()[provider.name]
            for hosting in reader.hosting(table):
                published.append(HostFile(provider.name, file, _make_absolute(hosting, folder)))
    return published


def _make_absolute(hosting: Hosting, start: str) -> Hosting:
    """Makes the folders to publish absolute: `out`, relative to `start` = `/tea` → `/tea/out`."""
    folders = [os.path.normpath(os.path.join(start, folder)) for folder in hosting.folders]
    return hosting._replace(folders=tuple(folders))


def _read_rule_files(host: str, site: str, folders: Sequence[str]) -> dict[str, str]:
    """Reads the files in which a host looks for its rules; with "auto", the files of all hosts.

    For the site `/tea/public`: `{"_redirects": "…", "_headers": "…"}`, by their paths in the site.
    With a netlify.toml in `/tea`, the items of `_read_project_files` are added.

    `folders` are the site's folder and those above it.
    """
    providers = choose.providers(host)
    # 1. Files at the top of the site, such as `_redirects`.
    files_of_site = dict.fromkeys(file for provider in providers for file in provider.files)
    texts: dict[str, str] = {}
    for file in files_of_site:
        text = _read_text(site, os.path.join(site, file))
        if text:
            texts[file] = text
    # 2. Files of the project, such as `netlify.toml`.
    return texts | _read_project_files(host, site, folders)


def _read_project_files(host: str, site: str, folders: Sequence[str]) -> dict[str, str]:
    """Reads the project files of a host, such as netlify.toml, in the first folder that has any.

    For the site `/tea/public` and a netlify.toml in `/tea`:

        {"netlify.toml": "…", SITE: "public"}

    `SITE` is no file, but tells where the site is, as seen from that folder. The file may have
    rules for other folders, too.
    """
    for folder in folders:
        files = [published.file for published in published_by(folder, host)]
        if files:
            repository = ancestors(folder)[-1]  # no link out of it is followed
            texts = {os.path.basename(file): _read_text(repository, file) for file in files}
            return texts | {SITE: _relative_path(site, folder)}
    return {}


def _host_of_clue(site: str, folders: Sequence[str]) -> Host | None:
    """Guesses the host by the words of files: a workflow with `actions/deploy-pages` → github.

    None if no file has such words, or if they are those of several hosts. The files are searched in
    the site and at the top of the project. `folders` are the site's folder and the folders above
    it, up to the top.
    """
    project = folders[-1]
    hosts = set()
    for provider in choose.ALL:
        for clue in provider.clues:
            if _has_words(site, clue) or _has_words(project, clue):
                hosts.add(provider.name)
    if len(hosts) != 1:
        return None
    # No texts: this function is only for sites without files of rules. So the result has no rules,
    # but the URL forms of the host.
    return choose.choose(configured=hosts.pop(), texts={}, base_url="", now=0)


def _has_words(root: str, clue: Clue) -> bool:
    """Says whether the folder `root` has the file of a clue, with one of the clue's words in it.

    If the clue names a folder, such as `.github/workflows`, one of its first 50 files is enough.
    """
    path = os.path.join(root, clue.path)
    files = [path]
    if os.path.isdir(path):
        names = sorted(os.listdir(path))[:_MAX_SEARCHED_FILES]
        files = [os.path.join(path, name) for name in names]
    for file in files:
        if not os.path.isfile(file):
            continue
        text = "\n" + _read_text(root, file)  # a word may begin with a line break
        if any(word in text for word in clue.words):
            return True
    return False


def _note_unread(host: Host) -> Message | None:
    """Makes the note to the user on rules of the host that were not read; None if there are none.

    The note names the first of these lines, such as `/a /b 301 Country=de`, and says how many there
    are.
    """
    # Two hosts may have the same line unread. It counts once.
    lines = list(dict.fromkeys(line for rules in host.rules for line in rules.unread))
    if not lines:
        return None
    return Message(Kind.HOST_RULES_UNREAD, subjects=(str(lines[0]),), cases=len(lines))


def _lookup_folders(site: str, cwd: str) -> list[str]:
    """Lists the folders in which to look for files of the project, from the site's upwards.

    | the site `/srv/tea/public`           | folders                           |
    |--------------------------------------|-----------------------------------|
    | in the repository `/srv/tea`         | the site, `/srv/tea`              |
    | in no repository, run in `/srv`      | the site, `/srv/tea`, `/srv`      |
    | in no repository, run in `/tmp`      | the site, and the folder above it |
    """
    folders = ancestors(site)  # up to the root of the repository; without one, only the site
    is_in_repository = os.path.exists(os.path.join(folders[-1], ".git"))
    if is_in_repository:
        return folders
    if not is_inside(site, cwd):
        return [site, os.path.dirname(site)]
    while folders[-1] != cwd:
        folders.append(os.path.dirname(folders[-1]))
    return folders


def _read_text(root: str, file: str) -> str:
    """Reads a text file in the site or repository `root`; "" if there is no such file.

    Raises OSError if the file cannot be read, has more than 4 MB, or is outside of `root`.
    """
    return (open_inside(root, file, _MAX_SIZE) or b"").decode("utf-8-sig", "replace")


def _relative_path(path: str, start: str) -> str:
    """Makes a path relative to a folder, with slashes: `/tea/a/b` from `/tea` → `a/b`."""
    return relative(path, start).replace(os.sep, "/")
