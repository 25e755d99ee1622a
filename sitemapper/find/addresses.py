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
    contain a host name alone, …`. A place that sets nothing has neither a base URL nor a reason.
    `help` says what a user can change at this place.
    """

    name: str
    base_url: Detected | None = None
    reason: str = ""
    help: str = ""


def make_place(text: str, name: str, origin: Origin, help: str = "") -> Place:
    """Makes the place `name` with the base URL in `text`, or with the reason against this text.

    `https://a.example` gives the base URL `https://a.example/`, `localhost:8000` a reason. `help`
    says what a user can do about a text that is refused.
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
    """Yields the places in the files of a project that may give the base URL of its site.

    For settings with the path `docs`, and the site `public/en` in the output `public`:

    | place | its text | base URL |
    |---|---|---|
    | the generator's settings | `https://a.example` | `https://a.example/docs/en/` |
    | CNAME, in the site or beside the settings | `a.example` | `https://a.example/docs/en/` |
    | `homepage` in package.json | `https://a.example` | `https://a.example/docs/en/` |

    The caller takes the first one that has a base URL. If code computes the path, the settings are
    the only place, and it has the reason. A base URL without its path could be that of another site
    on the same host.
    """
    files = project.files
    if files is None:
        yield Place("setting", reason=project.reason)
        if project.is_ambiguous:  # two projects may have written the site, one with another CNAME
            return
        yield _read_cname([project.site], "", cwd)
        yield Place(PACKAGES)
        return
    # 1. The path in the settings.
    path_setting = _find_path_setting(files)
    if path_setting and path_setting.found.value is NOT_LITERAL:
        reason = project.reason or files.unreadable_file or path_setting.not_literal_reason
        yield Place("setting", reason=reason)
        return
    path = path_setting.found.text.strip("/") if path_setting else ""
    # 2. The folder of the output that is the site, "" for the whole output.
    folder = quote(files.part_of_output(project.site) or "") if project.site else ""
    # 3. The places.
    place = _with_folder_of_output(_read_setting(files, path), folder)
    if project.reason and not place.base_url:  # our plugin has left no record of the settings
        place = place._replace(reason=project.reason)
    yield place
    # Some generators copy the CNAME that is beside the settings into the site.
    cname = _read_cname([project.site, project.folder], path, cwd)
    yield _with_folder_of_output(cname, folder)
    yield _with_folder_of_output(_read_homepage(files, path), folder)


def _find_path_setting(files: ProjectFiles) -> Setting | None:
    """Finds the setting of the path that follows the host: `baseUrl: "/docs/"` of Docusaurus.

    Empty paths are passed over. One that code computes counts, since it may be any path. None if
    no setting is left.
    """
    for setting in files.find_values(files.generator.path):
        if setting.found.value is NOT_LITERAL or setting.found.text.strip("/"):
            return setting
    return None


def _with_folder_of_output(place: Place, folder: str) -> Place:
    """Appends a folder of the output to the base URL of a place: `en` → `https://a.example/en/`.

    With the folder "", the site is the whole output, and the place stays as it is.
    """
    base_url = place.base_url
    if base_url is None or not folder:
        return place
    return place._replace(base_url=base_url._replace(value=f"{base_url.value}{folder}/"))


def _read_setting(project: ProjectFiles, path: str) -> Place:
    """Reads the first usable base URL in the generator's settings, and appends `path` to it.

    If there is none, the place has the reason. The first of these is given, because an address that
    cannot be used explains more than a missing one:

    1. the addresses that are refused, such as `localhost:8000`
    2. a file that cannot be read
    3. a value that code computes
    4. a key that is not set: `hugo.toml does not set baseURL`
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
    """Says that the settings have no address, and names the file in which a user would set it.

    | generator | sentence |
    |---|---|
    | Ember | Ember has no setting for the address of a site |
    | Jupyter Book, which is shown by `_toc.yml` | _config.yml does not set html.baseurl |
    | SvelteKit in package.json | svelte.config.js does not set kit.prerender.origin |
    | Hugo | hugo.toml does not set baseURL |

    For mdBook, the first sentence ends with `: output.html.site-url is only its path`.
    """
    generator = project.generator
    if not generator.address or generator.needs_plugin:
        problem = f"{generator.name} has no setting for the address of a site"
        return f"{problem}{generator.instead_of_address}"
    file = project.file
    if generator.more:
        file = generator.more[0]  # Jupyter Book is shown by `_toc.yml`, and set in `_config.yml`
    elif file == PACKAGES:
        # The dependency only shows the generator. Its settings have a file of their own.
        file = generator.settings[0]
    folder = project.label.removesuffix(project.file)
    key = ".".join(step.rstrip("[]()") for step in generator.address[0].split("."))
    return f"{folder}{file} does not set {key}"


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
    """Reads the base URL in `homepage` of package.json, and appends `path` of the settings to it.

    With the path `docs`:

    | `homepage` | result |
    |---|---|
    | none, or `https://github.com/ann/tea` | nothing: most homepages are the repository |
    | `https://a.example/blog` | the reason against it: it has another path |
    | `https://a.example`, `https://a.example/docs` | `https://a.example/docs/` |
    """
    homepage = project.packages.get("homepage")
    if homepage is None:
        return Place(PACKAGES)
    text = homepage.text
    origin = Setting("homepage", homepage).origin
    place = make_place(_append_path(text, path), PACKAGES, origin)
    if not place.base_url:
        return Place(PACKAGES)
    path_of_text = urlsplit(text).path.rstrip("/")
    has_other_path = path_of_text and not path_of_text.endswith(f"/{path}")
    if path and has_other_path:
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
