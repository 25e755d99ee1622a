"""The base URL in the files of a project: the generator's settings, CNAME, and package.json.

A URL of an example, a preview or this machine is none.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ..fs import relative
from ..model import NOT_LITERAL, Detected, Origin
from ..syntax.urls import is_placeholder, is_preview, normalise_base, problem_of_base
from .first_look import LIMIT, start_of
from .project import Project
from .project_files import PACKAGES, ProjectFiles, Setting

# Patterns are compiled when they are used.
_HOST_NAME = r"[\w-]+(?:\.[\w-]+)*\.?"
# Hosts of source code and packages, to which many settings link.
_NOT_THE_SITE = r"https?://(www\.)?(github|gitlab|npmjs)\.com/"


class Place(NamedTuple):
    """A place where the base URL may stand, such as CNAME, with the base URL that was read there.

    `name` is what messages call the place. `reason` says why its text is not used: `CNAME: must
    contain a host name alone, …`. `help` says what a user can change at this place.

    `Place("CNAME")`, with neither a base URL nor a reason, is a place that sets nothing. The error
    for a missing base URL names it as one that was searched.
    """

    name: str
    base_url: Detected | None = None
    reason: str = ""
    help: str = ""


def make_place(text: str, name: str, origin: Origin, help: str = "") -> Place:
    """Makes the `Place` with a text that should be the base URL, such as `baseURL` in hugo.toml.

    `name` is what messages call the place. `origin` is the file and line of the text. `help` says
    what a user can change there. It is kept only for a text that cannot be used.

    | `text` | the place has |
    |---|---|
    | `https://a.example` | the `base_url` `https://a.example/`, with its origin |
    | `http://localhost:3000` | the `reason` `hugo.toml:2: … is this machine`, and the `help` |
    """
    url, reason = check_base_url(text)
    if not url:
        return Place(name, reason=f"{origin}: {reason}", help=help)
    return Place(name, base_url=Detected("base_url", url, origin))


def check_base_url(text: str) -> tuple[str, str]:
    """Reads the base URL in a text. Returns it with "", or "" with the reason against it.

    | text | base URL | reason |
    |---|---|---|
    | `https://a.example/docs` | `https://a.example/docs/` | "" |
    | `docs` | "" | `'docs' is not an absolute URL` |
    | `https://example.com` | "" | `https://example.com/ is an example` |
    """
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    reason = problem_of_base(url)  # this machine, or a file
    if reason:
        return "", f"{url} {reason}"
    if is_placeholder(url):
        return "", f"{url} is an example"
    if is_preview(urlsplit(url).netloc):
        return "", f"{url} is a preview"
    if re.match(_NOT_THE_SITE, url):
        return "", f"{url} is not the URL of a site"
    return url, ""


# --- in the files of a project


def list_places_in_files(project: Project, cwd: str) -> Iterator[Place]:
    """Yields the places in a project's files where the base URL of its site may stand.

    The caller takes the first place with a base URL. The others are yielded, too, since the error
    for a missing base URL names all of them.

    | place | its text | base URL |
    |---|---|---|
    | hugo.toml or another settings file | `baseURL = "https://a.example"` | `https://a.example/` |
    | CNAME, in the site or beside the settings | `b.example` | `https://b.example/` |
    | package.json | `"homepage": "https://c.example"` | `https://c.example/` |

    Two parts are appended to each base URL: `https://a.example/docs/en/`.

    1. the path in the settings, such as `baseUrl: "/docs/"` of Docusaurus
    2. the folder of the site in the output, such as `en` for the site `build/en`
    """
    files = project.files
    if files is None:
        yield Place("setting", reason=project.no_setting_reason)
        # A CNAME may have been written by either of two projects.
        if not project.is_ambiguous:
            yield _read_cname([project.site], path="", cwd=cwd)
            yield Place(PACKAGES)
        return
    # The folder of the site in the output, "" if the site is the whole output.
    folder = quote(files.part_of_output(project.site) or "") if project.site else ""
    for place in _list_places_of_output(project, files, cwd):
        base_url = place.base_url
        if base_url and folder:
            place = place._replace(base_url=base_url._replace(value=f"{base_url.value}{folder}/"))
        yield place


def _list_places_of_output(project: Project, files: ProjectFiles, cwd: str) -> Iterator[Place]:
    """Yields the places where a project may have its base URL: settings, CNAME and package.json.

    For `baseURL = "https://a.example"` in hugo.toml, the first place has `https://a.example/`. Each
    is the base URL of the whole output.
    """
    path, path_problem = _read_path(files)  # `docs`, which is appended to each base URL
    if path_problem:
        # Without the path, `a.example` in CNAME may mean another site: the one at the root.
        yield Place("setting", reason=path_problem)
        return
    # 1. The settings.
    yield _read_setting(files, path)
    # 2. CNAME in the site, or beside the settings: some generators copy it from there.
    yield _read_cname([project.site, project.folder], path, cwd)
    # 3. package.json.
    yield _read_homepage(files, path)


def _read_path(files: ProjectFiles) -> tuple[str, str]:
    """Reads the path that follows the host in the settings of a generator, such as Docusaurus.

    Returns the path with "", or "" with the reason why it is not known.

    | settings | path | reason |
    |---|---|---|
    | `baseUrl: "/docs/"` | `docs` | "" |
    | `baseUrl: findPath()` | "" | `baseUrl is not a literal at docusaurus.config.js:8` |
    | `baseUrl: "/"`, or no such key | "" | "" |
    """
    for setting in files.find_values(files.generator.path):
        if setting.found.value is NOT_LITERAL:
            return "", files.unreadable_file or setting.not_literal_reason
        path = setting.found.text.strip("/")
        if path:
            return path, ""
    return "", ""


def _read_setting(project: ProjectFiles, path: str) -> Place:
    """Reads the first usable base URL in the generator's settings, and appends `path` to it.

    `baseURL = "https://a.example"` and the path `docs` → `https://a.example/docs/`. If no base URL
    is usable, the place has the first of these reasons that applies. An address that cannot be used
    explains more than a missing one:

    1. the addresses are refused, such as `localhost:8000`
    2. a settings file cannot be read
    3. code computes a value
    4. no key is set: `hugo.toml does not set baseURL`
    """
    refused: list[str] = []
    computed: list[str] = []
    help = ""
    for setting in project.find_values(project.generator.address, is_address=True):
        if setting.found.value is NOT_LITERAL:
            computed.append(setting.not_literal_reason)
            continue
        text = setting.found.text
        place = make_place(_append_path(text, path), "setting", setting.origin)
        if place.base_url:
            return place
        refused.append(place.reason)
        if is_placeholder(text) and not help:
            # The pages have the example of the starter too, so another base URL alone would not
            # match them.
            help = f"set {setting.shown_key} in {setting.place}, and build the site again"
    reason = "; ".join(refused) or project.unreadable_file
    if not reason:
        reason = computed[0] if computed else _describe_unset_address(project)
    return Place("setting", reason=reason, help=help)


def _describe_unset_address(project: ProjectFiles) -> str:
    """Says which file does not set the address of the site: `hugo.toml does not set baseURL`.

    For a generator without such a key: `mdBook has no setting for the address of a site`.
    """
    generator = project.generator
    # mdBook has no key for it. That of Nuxt is only read by plugins, which few projects have.
    if not generator.address or generator.needs_plugin:
        problem = f"{generator.name} has no setting for the address of a site"
        # What a user may take for the address: `: output.html.site-url is only its path`.
        return f"{problem}{generator.instead_of_address}"
    # Hugo was found by hugo.toml, which also has the key.
    file = project.file
    # Jupyter Book was found by `_toc.yml`, but its key is in `_config.yml`.
    if generator.address_file:
        file = generator.address_file
    # SvelteKit was found by package.json, but its key is in svelte.config.js.
    elif file == PACKAGES:
        file = generator.settings[0]
    folder = project.label.removesuffix(project.file)  # `docs/`
    return f"{folder}{file} does not set {generator.address[0]}"


def _read_cname(folders: Sequence[str | None], path: str, cwd: str) -> Place:
    """Reads the base URL in the first CNAME of the folders that is not empty, and appends `path`.

    The file contains one host name: `a.example` → `https://a.example/`. Any other text gives a
    reason instead.
    """
    for folder in filter(None, folders):
        file = os.path.join(folder, "CNAME")
        host = start_of(folder, file, LIMIT).decode("utf-8", "replace").strip()
        if not host:
            continue
        origin = Origin(relative(file, cwd))
        if not re.fullmatch(_HOST_NAME, host):
            reason = f"{origin}: must contain a host name alone, such as www.example.com"
            return Place("CNAME", reason=reason)
        return make_place(f"https://{host}/{path}", "CNAME", origin)
    return Place("CNAME")


def _read_homepage(project: ProjectFiles, path: str) -> Place:
    """Reads the base URL in the key `homepage` of package.json.

    `path` is the path of the site in the generator's settings. If that is `docs`:

    | `homepage` | base URL |
    |---|---|
    | `https://a.example` | `https://a.example/docs/` |
    | `https://a.example/docs`, which has the path already | `https://a.example/docs/` |
    | `https://a.example/blog` | none, and the reason that the settings have another path |
    | is missing, or `https://github.com/ann/tea`, a repository | none |
    """
    sets_nothing = Place(PACKAGES)
    homepage = project.packages.get("homepage")
    if homepage is None:
        return sets_nothing
    text = homepage.text
    origin = Setting("homepage", homepage).origin
    place = make_place(_append_path(text, path), PACKAGES, origin)
    if not place.base_url:
        # Most homepages are repositories, which `make_place` refuses. A reason for each of them
        # would only make the error longer.
        return sets_nothing
    path_in_homepage = urlsplit(text).path.rstrip("/")  # `/blog`
    has_same_path = path_in_homepage.endswith(f"/{path}")
    if path and path_in_homepage and not has_same_path:
        reason = f"{origin} is {text}, but the settings have the path /{path}/"
        return Place(PACKAGES, reason=reason)
    return place


def _append_path(address: str, path: str) -> str:
    """Appends the path to the address, unless the address ends with it already.

    `https://a.example` and `docs` → `https://a.example/docs`.
    """
    start = address.rstrip("/")
    if not path or start.endswith(f"/{path}"):
        return address
    return f"{start}/{path}"
