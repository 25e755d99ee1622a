"""What the file of each host in this folder defines: how its rules are read."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..syntax.urls import UrlForms
from .host import HostRules
from .provider import Hosting


class Manual(NamedTuple):
    """What the documentation says about a host, in Markdown.

    `meaning` explains the value of the setting `host`. `order` says which rule wins. `skipped`
    lists rules that are not read. `production` says how the host differs from its engine for local
    tests.
    """

    meaning: str
    order: str
    skipped: str = ""
    production: str = ""


def _publishes_a_site(_: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """Says that a project file publishes a folder that it does not name, whatever is in the file.

    This is for hosts such as Azure, whose project file has no key for the folder.
    """
    return (Hosting(),)


class Reader(NamedTuple):
    """How the files of a host are read.

    - `read` takes the texts of the host's files by name, the site's base URL, and the time of the
      run in seconds. It raises ValueError for a text that the host rejects.
    - `forms` are the URL forms of the host by the settings that choose them, for the documentation.
    - `hosting` takes the table in a project file and returns what it publishes: nothing if it does
      not describe hosting, more than one item if it has several targets.
    """

    read: Callable[[Mapping[str, str], str, int], HostRules]
    forms: Mapping[str, UrlForms]
    manual: Manual
    hosting: Callable[[Mapping[str, Any]], tuple[Hosting, ...]] = _publishes_a_site


def netloc_of(base_url: str) -> str:
    """The host name of a base URL, with its port: `https://a.example:80/b/` → `a.example:80`."""
    return urlsplit(base_url).netloc or base_url
