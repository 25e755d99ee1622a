"""The addresses that a site may have: no example, no preview, no address of this machine."""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from ..model import Detected, Origin
from ..syntax.urls import normalise_base, suspicious_base

# Patterns are compiled when they are used.
# The addresses of new projects: those of RFC 2606, and of starters of several generators.
_EXAMPLE = r"""(?x) https?://([^/]*\.)? (
    example\.(com|net|org)
    | your-docusaurus-test-site\.com
    | yourdomain\.tld | gatsbystarterblogsource\.gatsbyjs\.io
    | yoursite\.com
    | replace-this-with-your-hugo-site\.com
    ) [:/]"""
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


def place_that_names(text: str, name: str, origin: Origin, help: str = "") -> Place:
    """The place that names a text as the base URL, with the reason if it cannot be one."""
    url, reason = check_base(text)
    if not url:
        return Place(name, reason=f"{origin}: {reason}", help=help)
    return Place(name, base_url=Detected("base_url", url, origin))


def check_base(text: str) -> tuple[str, str]:
    """The base URL in a text, or the reason why it cannot be one."""
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    why = _why_no_site_has(url)
    if why:
        return "", f"{url} {why}"
    return url, ""


def _why_no_site_has(url: str) -> str:
    """Why a base URL is not that of a site, "" if it may be."""
    suspicion = suspicious_base(url)
    if suspicion:
        return suspicion
    if re.match(_EXAMPLE, url):
        return "is an example"
    if is_preview(urlsplit(url).netloc):
        return "is a preview"
    if re.match(_NOT_THE_SITE, url):
        return "is not the URL of a site"
    return ""


def is_placeholder(address: str) -> bool:
    """Whether an address is an example, this machine or a file: none that a site can have."""
    try:
        url = normalise_base(address)
    except ValueError:
        return False
    return bool(re.match(_EXAMPLE, url) or suspicious_base(url))


def is_preview(host: str) -> bool:
    """Whether a host name is that of a preview on Netlify, Cloudflare, Vercel or Read the Docs."""
    first, _, rest = host.partition(".")
    return (
        first.startswith("deploy-preview-")
        or ("--" in first and rest == "netlify.app")
        or ("-git-" in first and rest == "vercel.app")
        or (rest.endswith(".pages.dev") and re.fullmatch("[0-9a-f]{7,}", first) is not None)
        or rest.endswith(".readthedocs.build")
    )
