"""The addresses that a site may have: no example, no preview, no address of this machine."""

import os
import re
from collections.abc import Iterable

from ..fs import relative
from ..model import Detected, Origin
from ..syntax.urls import normalise_base, suspicious_base
from .search import LIMIT, start_of

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
_HOST_NAME = r"[\w-]+(?:\.[\w-]+)*\.?"


def of_cname(folders: Iterable[str], cwd: str, path: str = "") -> tuple[Detected | None, str]:
    """The base URL from the first CNAME that names a host, or the reason why it cannot be one."""
    for folder in folders:
        file = os.path.join(folder, "CNAME")
        if host := start_of(folder, file, LIMIT).decode("utf-8", "replace").strip():
            origin = Origin(relative(file, cwd))
            if not re.fullmatch(_HOST_NAME, host):
                return None, f"{origin}: must contain a host name alone, such as www.example.com"
            url, reason = check_base(f"https://{host}/{path}")
            return (Detected("base_url", url, origin), "") if url else (None, f"{origin}: {reason}")
    return None, ""


def check_base(text: str) -> tuple[str, str]:
    """The base URL in a text, or the reason why it cannot be one."""
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    example = "is an example" if re.match(_EXAMPLE, url) else ""
    is_elsewhere = re.match(_NOT_THE_SITE, url) or is_preview(url.split("/")[2])
    elsewhere = "is not the URL of a site" if is_elsewhere else ""
    why = suspicious_base(url) or example or elsewhere
    return ("", f"{url} {why}") if why else (url, "")


def is_placeholder(address: str) -> bool:
    """Whether an address is an example, this machine or a file: none that a site can have."""
    try:
        url = normalise_base(address)
    except ValueError:
        return False
    return bool(re.match(_EXAMPLE, url) or suspicious_base(url))


def is_preview(host: str) -> bool:
    """Whether a host name is a preview's, by the patterns of Netlify, Cloudflare and Vercel."""
    first, _, rest = host.partition(".")
    return (
        first.startswith("deploy-preview-")
        or ("--" in first and rest == "netlify.app")
        or ("-git-" in first and rest == "vercel.app")
        or (rest.endswith(".pages.dev") and re.fullmatch("[0-9a-f]{7,}", first) is not None)
    )
