"""The hosts that we know, and how to recognise one: by files, a builder's environment, an answer.

A new host has its place in ALL. No other code enumerates hosts.
"""

from collections.abc import Callable, Mapping, Sequence

from . import apache, azure, cloudflare, firebase, netlify, vercel
from .host import Host, HostRules
from .provider import Provider

ALL: tuple[Provider, ...] = (
    apache.HOST, azure.HOST, cloudflare.HOST, firebase.HOST, netlify.HOST, vercel.HOST,
)  # fmt: skip
# Hosts that may serve a site whose host is not known. Only rules on which all of them agree count.
# Another host in this list changes sites that it does not serve.
GUESSED: tuple[Provider, ...] = (cloudflare.HOST, netlify.HOST)
# Settings files of hosts and servers that are not supported.
UNSUPPORTED_FILES = ("render.yaml", "customHttp.yml", "web.config", "nginx.conf")


def marker_names() -> list[str]:
    """The project files that identify a host."""
    return sorted({name for provider in ALL for name in provider.markers})


def file_names() -> list[str]:
    """The files of a site that contain rules."""
    return sorted({name for provider in ALL for name in provider.files})


def providers_marked_by(name: str) -> list[Provider]:
    """The hosts of a project file."""
    return [provider for provider in ALL if name in provider.markers]


def recognised_in_site() -> list[Provider]:
    """The hosts that only files of the site identify."""
    return [provider for provider in ALL if provider.is_recognised_in_site]


def choose(configured: str, texts: Mapping[str, str], netloc: str, now: int) -> Host:
    """The host of a site: the configured one, or for `auto` those whose files were found, or else
    the GUESSED ones.

    `texts` are the project files that were found and the files of the site with rules, by name.
    `netloc` is the site's host name. A date in a header forbids indexing if it is before `now`, in
    seconds. Raises ValueError for a text that a host refuses.
    """
    names = frozenset(texts)
    chosen: Sequence[Provider]
    if configured == "auto":
        recognised = [provider for provider in ALL if provider.is_recognised(names)]
        chosen = recognised or GUESSED
        is_known = bool(recognised)
    else:
        chosen = [provider for provider in ALL if provider.name == configured]
        is_known = True
    rules = tuple(provider.read(texts, netloc, now) for provider in chosen)
    return Host(tuple(provider.name for provider in chosen), rules, is_known, _notes(rules))


def _notes(rules: Sequence[HostRules]) -> tuple[str, ...]:
    skipped = sum(one.skipped for one in rules)
    if not skipped:
        return ()
    count = "1 host rule is" if skipped == 1 else f"{skipped} host rules are"
    return (f"{count} ignored: the conditions depend on the request",)


def of_builder(env: Mapping[str, str]) -> Provider | None:
    """The host whose builder has this environment, None if there is none."""
    for provider in ALL:
        if any(env.get(name) for name in provider.variables):
            return provider
    return None


def preview_hosts(env: Mapping[str, str]) -> list[str] | None:
    """The host names of the preview that a builder builds, None if it builds none."""
    builder = of_builder(env)
    if builder is None or not any(env.get(name) == value for name, value in builder.previews):
        return None
    addresses = [env[name] for name in builder.addresses if env.get(name)]
    return [url.rpartition("://")[2].partition("/")[0].lower() for url in addresses]


def of_answer(header: Callable[[str], str]) -> str:
    """The host named in the headers of a live answer, "" if there is none."""
    for provider in ALL:
        sign = provider.answer
        value = header(sign.header) if sign else ""
        if sign and value and sign.text in value:
            return provider.name
    return ""
