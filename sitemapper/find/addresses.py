"""The address of a site: what the settings of its project say, and which addresses it may have.

None is an example, a preview, or an address of this machine.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ..model import NOT_LITERAL, Detected, Origin
from ..syntax.urls import is_placeholder, is_preview, normalise_base, suspicious_base
from .project_files import PACKAGES, ProjectFiles, Setting

# Patterns are compiled when they are used.
_NOT_THE_SITE = r"https?://(www\.)?(github|gitlab|npmjs)\.com/"


class Place(NamedTuple):
    """What a place says of the base URL: the one that it names, or why it cannot be that one.

    `name` is the word for the place in a message. Both are missing if it says nothing. `help` says
    what to do at this place.
    """

    name: str
    base_url: Detected | None = None
    reason: str = ""
    help: str = ""


class Address(NamedTuple):
    """What the files of a project say of the base URL.

    `setting` is from the settings of the generator, `homepage` from package.json. `path` belongs
    behind a host that another place names, such as `docs` behind that of CNAME. None if only code
    knows it.
    """

    setting: Place = Place("setting")
    homepage: Place = Place("package.json")
    path: str | None = ""


def make_place(text: str, name: str, origin: Origin, help: str = "") -> Place:
    """The place that names a text as the base URL, with the reason if it cannot be one."""
    url, reason = check_base_url(text)
    if not url:
        return Place(name, reason=f"{origin}: {reason}", help=help)
    return Place(name, base_url=Detected("base_url", url, origin))


def check_base_url(text: str) -> tuple[str, str]:
    """The base URL in a text, or the reason why it cannot be one."""
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    why = _reason_against(url)
    if why:
        return "", f"{url} {why}"
    return url, ""


def _reason_against(url: str) -> str:
    """Why a base URL is not that of a site, "" if it may be."""
    suspicion = suspicious_base(url)
    if suspicion:
        return suspicion
    if is_placeholder(url):
        return "is an example"
    if is_preview(urlsplit(url).netloc):
        return "is a preview"
    if re.match(_NOT_THE_SITE, url):
        return "is not the URL of a site"
    return ""


# --- of a project


def read_address(project: ProjectFiles, site: str) -> Address:
    """What a project's files say of the base URL of a folder of its output."""
    path = ""
    for setting in project.find(project.generator.path):
        if setting.found.value is NOT_LITERAL:
            # Any base URL without its path could be that of another site on the same host.
            reason = project.unreadable_file or setting.not_literal_reason
            help = _help_for_example_address(project)
            return Address(setting=Place("setting", reason=reason, help=help), path=None)
        path = setting.found.text.strip("/")
        if path:
            break
    part = quote(project.part_of_output(site) or "")
    return Address(
        setting=_with_folder_of_output(_read_address_setting(project, path), part),
        homepage=_with_folder_of_output(_read_homepage(project, path), part),
        path=f"{path}/{part}".strip("/"),
    )


def _with_folder_of_output(place: Place, part: str) -> Place:
    """The place with the base URL of a folder of the output: `https://a.example/en/` for `en`."""
    base_url = place.base_url
    if base_url is None or not part:  # the site is the whole output
        return place
    return place._replace(base_url=base_url._replace(value=f"{base_url.value}{part}/"))


def _read_address_setting(project: ProjectFiles, path: str) -> Place:
    """The first address in the settings that can be one, or why there is none."""
    refused: list[str] = []
    unknown: list[str] = []
    for setting in project.find(project.generator.address, is_address=True):
        if setting.found.value is NOT_LITERAL:
            unknown.append(setting.not_literal_reason)
            continue
        place = make_place(_append_path(setting.found.text, path), "setting", setting.origin)
        if place.base_url:
            return place
        refused.append(place.reason)
    reason = "; ".join(refused) or project.unreadable_file
    if not reason:
        reason = unknown[0] if unknown else _describe_unset_address(project)
    return Place("setting", reason=reason, help=_help_for_example_address(project))


def _describe_unset_address(project: ProjectFiles) -> str:
    """Says that the settings do not set the address, or that the generator has no key for it.

    Where other settings files are read as well, the first of those contains the address.
    """
    generator = project.generator
    if not generator.has_address:
        return f"{generator.name} has no setting for the address of a site"
    name = project.file
    if generator.more:
        name = generator.more[0]
    elif name == PACKAGES:
        name = generator.settings[0]
    key = ".".join(step.rstrip("[]()") for step in generator.address[0].split("."))
    return f"{project.label.removesuffix(project.file)}{name} does not set {key}"


def _help_for_example_address(project: ProjectFiles) -> str:
    """What to do if the settings still have the address of a new project, "" otherwise.

    The pages contain it, too, so that another base URL alone would contradict them.
    """
    for setting in project.find(project.generator.address, is_address=True):
        if is_placeholder(setting.found.text):
            return f"set {setting.shown_key} in {setting.place}, and build the site again"
    return ""


def _read_homepage(project: ProjectFiles, path: str) -> Place:
    """The base URL by the key of package.json for the home page of a package.

    Or why it cannot be one: it has another path than the settings.
    """
    homepage = project.packages.get("homepage")
    text = homepage.text if homepage else ""
    url, _ = check_base_url(_append_path(text, path))
    if homepage is None or not url:  # most name the repository
        return Place(PACKAGES)
    origin = Setting("homepage", homepage).origin
    is_whole = not urlsplit(text).path.strip("/") or url.rstrip("/") == text.rstrip("/")
    if path and not is_whole:
        reason = f"{origin} is {text}, but the settings have the path /{path}/"
        return Place(PACKAGES, reason=reason)
    return Place(PACKAGES, base_url=Detected("base_url", url, origin))


def _append_path(address: str, path: str) -> str:
    """An address with the path below it, if it does not end with it."""
    start = address.rstrip("/")
    if not path or start.endswith(f"/{path}"):
        return address
    return f"{start}/{path}"
