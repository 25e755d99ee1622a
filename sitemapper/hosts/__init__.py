"""What static hosts do with pages: redirects and headers, by each host's rules (docs/protocol.md
§5).

A new host is a file here, a line in ALL and its name in config.choices. Pure: texts in, effects
out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms
from . import apache, azure, cloudflare, firebase, netlify, vercel
from .files import HostEffect, Hosting, HostRules, Look, Provider

ALL = (apache.HOST, azure.HOST, cloudflare.HOST, firebase.HOST, netlify.HOST, vercel.HOST)
MARKERS = tuple(sorted({name for host in ALL for name in host.markers}))
# Settings files of hosts and servers that are not supported.
OTHERS = ("render.yaml", "customHttp.yml", "web.config", "nginx.conf")
FILES = tuple(sorted({name for host in ALL for name in host.files}))
# Hosts that are identified only by their files in the site, in any folder.
IN_FOLDERS = tuple(host.name for host in ALL if not host.markers)
SITE_MARKERS = tuple(name for host in ALL if not host.markers for name in host.files)


class Host(NamedTuple):
    """The hosts that the site may be on, with the rules of each. A decision needs all of them.

    `is_known` if the project or the user names them. `notes` list what was not read.
    """

    names: tuple[str, ...]
    rules: tuple[HostRules, ...]
    is_known: bool = True
    notes: tuple[str, ...] = ()

    @property
    def has_rules(self) -> bool:
        """Whether any rule could match a page."""
        return any(rules.redirects or rules.headers for rules in self.rules)

    @property
    def forms(self) -> UrlForms | None:
        """The forms of URLs that all hosts serve.

        None if they are not known, or if there are none.
        """
        every = [rules.forms for rules in self.rules]
        if not self.is_known or not every or None in every:
            return None
        first, *more = filter(None, every)
        folder = tuple(form for form in first.folder if all(form in forms.folder for forms in more))
        page = tuple(form for form in first.page if all(form in forms.page for forms in more))
        if not more:
            return first
        return UrlForms(folder, page) if folder and page else None

    def effects(self, path: str, look: Look = lambda _: "") -> Sequence[HostEffect | None]:
        """The effect of each possible host on the page at a URL path."""
        return [rules.effect(path, look) for rules in self.rules]


def choose(configured: str, texts: Mapping[str, str], netloc: str, now: int) -> Host:
    """The host of a site: the configured one, or for `auto` those with a marker, or else all
    without markers.

    `texts` are the markers that were found and the FILES of the site. `netloc` is the site's host
    name. A date in a header forbids indexing if it is before `now`, in seconds. Raises ValueError
    for a text that a host refuses.
    """
    recognised = [host for host in ALL if not texts.keys().isdisjoint(host.markers or host.files)]
    chosen = [host for host in ALL if host.name == configured]
    if configured == "auto":
        chosen = recognised or [host for host in ALL if host.files and host.markers]
    rules = tuple(host.read(texts, netloc, now) for host in chosen)
    skipped = sum(host.skipped for host in rules)
    count = "1 host rule is" if skipped == 1 else f"{skipped} host rules are"
    notes = (f"{count} ignored: the conditions depend on the request",) if skipped else ()
    return Host(
        tuple(host.name for host in chosen), rules, bool(recognised) or configured != "auto", notes
    )


def of_builder(env: Mapping[str, str]) -> Provider | None:
    """The host whose builder has this environment, None if there is none."""
    return next((host for host in ALL if any(env.get(name) for name in host.variables)), None)


def preview_hosts(env: Mapping[str, str]) -> list[str] | None:
    """The host names of the preview that a builder builds, None if it builds none."""
    builder = of_builder(env)
    if builder is None or not any(env.get(name) == value for name, value in builder.previews):
        return None
    urls = filter(None, map(env.get, builder.addresses))
    return [url.rpartition("://")[2].partition("/")[0].lower() for url in urls]


def of_answer(header: Callable[[str], str]) -> str:
    """The host named in the headers of a live answer, "" if there is none."""
    for host in ALL:
        name, sign = host.answers
        if (value := header(name)) and sign in value:
            return host.name
    return ""


def hosting(name: str, text: str) -> list[tuple[Provider, Hosting]]:
    """What the project file of a host publishes. Empty if it does not describe hosting.

    Raises ValueError, with a message for the user, for a broken file.
    """
    readers = [host for host in ALL if name in host.markers]
    return [(host, target) for host in readers for target in host.hosting(read_table(name, text))]
