"""The base URL in the files of a project: in the settings of its generator, or in package.json.

A URL of an example, a preview or this machine is none.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ..model import NOT_LITERAL, Detected, Origin
from ..syntax.urls import is_placeholder, is_preview, normalise_base, problem_of_base
from .project_files import PACKAGES, ProjectFiles, Setting

# Hosts of source code and packages, to which many settings link. Compiled when it is used.
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


class Address(NamedTuple):
    """The base URLs in the files of a project.

    - `setting` is the base URL in the generator's settings, and `homepage` that in package.json
    - `path` is the path in the settings, None if code computes it. It is appended to a host that
      stands elsewhere: with `docs`, the host of CNAME gives `https://a.example/docs/`
    """

    setting: Place = Place("setting")
    homepage: Place = Place("package.json")
    path: str | None = ""


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
    """
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    reason = _reason_against(url)
    if reason:
        return "", f"{url} {reason}"
    return url, ""


def _reason_against(url: str) -> str:
    """Says why a URL cannot be the base URL of a public site: `is an example`; "" if it can."""
    reason = problem_of_base(url)  # this machine, or a file
    if reason:
        return reason
    if is_placeholder(url):
        return "is an example"
    if is_preview(urlsplit(url).netloc):
        return "is a preview"
    if re.match(_NOT_THE_SITE, url):
        return "is not the URL of a site"
    return ""


# --- of a project


def read_address(project: ProjectFiles, site: str) -> Address:
    """Reads the base URLs that a project's files give for the folder `site` of its output.

    Settings with `https://a.example` and the path `docs` give `https://a.example/docs/`, and
    `https://a.example/docs/en/` if the site is the folder `en` of the output.
    """
    # 1. The path in the settings: the first one that is not empty.
    path = ""
    for setting in project.find_values(project.generator.path):
        if setting.found.value is NOT_LITERAL:
            # Without its path, a base URL could be that of another site on the same host.
            reason = project.unreadable_file or setting.not_literal_reason
            help = _help_for_example_address(project)
            return Address(setting=Place("setting", reason=reason, help=help), path=None)
        path = setting.found.text.strip("/")
        if path:
            break
    # 2. The folder of the output that is the site.
    folder = quote(project.part_of_output(site) or "")
    return Address(
        setting=_with_folder_of_output(_read_address_setting(project, path), folder),
        homepage=_with_folder_of_output(_read_homepage(project, path), folder),
        path=f"{path}/{folder}".strip("/"),
    )


def _with_folder_of_output(place: Place, folder: str) -> Place:
    """Appends a folder of the output to the base URL of a place: `en` → `https://a.example/en/`.

    With the folder "", the site is the whole output, and the place stays as it is.
    """
    base_url = place.base_url
    if base_url is None or not folder:
        return place
    return place._replace(base_url=base_url._replace(value=f"{base_url.value}{folder}/"))


def _read_address_setting(project: ProjectFiles, path: str) -> Place:
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
    for setting in project.find_values(project.generator.address, is_address=True):
        if setting.found.value is NOT_LITERAL:
            computed.append(setting.not_literal_reason)
            continue
        address = _append_path(setting.found.text, path)
        place = make_place(address, "setting", setting.origin)
        if place.base_url:
            return place
        refused.append(place.reason)
    reason = "; ".join(refused) or project.unreadable_file
    if not reason:
        reason = computed[0] if computed else _describe_unset_address(project)
    return Place("setting", reason=reason, help=_help_for_example_address(project))


def _describe_unset_address(project: ProjectFiles) -> str:
    """Says that the settings have no address, and names the file in which a user would set it.

    | generator | sentence |
    |---|---|
    | Hugo | hugo.toml does not set baseURL |
    | Eleventy, whose templates read files of data | … has no setting for …, and no … sets url |
    | mdBook, whose `site-url` has no host | … has no setting for …: … is only its path |
    """
    generator = project.generator
    folder = project.label.removesuffix(project.file)
    if not generator.has_address:
        reason = f"{generator.name} has no setting for the address of a site"
        if generator.data_files:
            files = " or ".join(folder + name for name in generator.data_files[:2])
            return f"{reason}, and no {files} sets {generator.address[0]}"
        if generator.path and not generator.address:
            return f"{reason}: {generator.path[0]} is only its path"
        return reason
    file = project.file
    if generator.more:
        file = generator.more[0]  # Jupyter Book is shown by `_toc.yml`, and set in `_config.yml`
    elif file == PACKAGES:
        # The dependency only shows the generator. Its settings have a file of their own.
        file = generator.settings[0]
    key = ".".join(step.rstrip("[]()") for step in generator.address[0].split("."))
    return f"{folder}{file} does not set {key}"


def _help_for_example_address(project: ProjectFiles) -> str:
    """Says what to do if the key of the address still has the example of a starter, else "".

    `url: https://example.com` → `set url in _config.yml:3, and build the site again`.
    """
    for setting in project.find_values(project.generator.address, is_address=True):
        if is_placeholder(setting.found.text):
            # The pages contain the example too, so another base URL alone would not match them.
            return f"set {setting.shown_key} in {setting.place}, and build the site again"
    return ""


def _read_homepage(project: ProjectFiles, path: str) -> Place:
    """Reads the base URL in `homepage` of package.json, and appends `path` of the settings to it.

    With the path `docs`, `https://a.example` gives `https://a.example/docs/`. A homepage with
    another path, such as `https://a.example/blog`, gives a reason and no base URL.
    """
    homepage = project.packages.get("homepage")
    text = homepage.text if homepage else ""
    url, _ = check_base_url(_append_path(text, path))
    if homepage is None or not url:  # most homepages are the repository, which needs no message
        return Place(PACKAGES)
    origin = Setting("homepage", homepage).origin
    has_no_path = not urlsplit(text).path.strip("/")
    has_same_path = url.rstrip("/") == text.rstrip("/")
    if path and not (has_no_path or has_same_path):
        reason = f"{origin} is {text}, but the settings have the path /{path}/"
        return Place(PACKAGES, reason=reason)
    return Place(PACKAGES, base_url=Detected("base_url", url, origin))


def _append_path(address: str, path: str) -> str:
    """Appends the path to the address, unless the address ends with it already.

    `https://a.example` and `docs` → `https://a.example/docs`.
    """
    start = address.rstrip("/")
    if not path or start.endswith(f"/{path}"):
        return address
    return f"{start}/{path}"
