"""The hosts that we know, and how to recognise one: by files, a builder's environment, an answer.

A new host has its place in ALL, and its reader in `readers`. No other code enumerates hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .host import Host
from .provider import AnswerSign, Clue, Provider

if TYPE_CHECKING:
    from .reader import Reader

# Steps of workflows that deploy to GitHub Pages.
_PAGES_ACTIONS = (
    "actions/deploy-pages",
    "peaceiris/actions-gh-pages",
    "JamesIves/github-pages-deploy-action",
    "mkdocs gh-deploy",
)
ALL = (
    Provider("apache", files=(".htaccess",), answer=AnswerSign("server", "Apache")),
    Provider("azure", markers=("staticwebapp.config.json",)),
    Provider(
        "cloudflare",
        markers=("wrangler.json", "wrangler.jsonc", "wrangler.toml"),
        files=("_redirects", "_headers"),
        unread=("_worker.js", "functions"),
        ignores=(".assetsignore",),
        variables=("CF_PAGES", "WORKERS_CI"),
        answer=AnswerSign("cf-ray"),
    ),
    Provider("firebase", markers=("firebase.json",)),
    Provider(
        "github",
        answer=AnswerSign("server", "GitHub.com"),
        domain="github.io",
        clues=(Clue("CNAME"), Clue(".github/workflows", _PAGES_ACTIONS)),
    ),
    Provider(
        "gitlab",
        shared=("_redirects",),
        domain="gitlab.io",
        clues=(Clue(".gitlab-ci.yml", ("\npages:",)),),
    ),
    Provider(
        "netlify",
        markers=("netlify.toml",),
        files=("_redirects", "_headers"),
        unread=("netlify/edge-functions",),
        variables=("NETLIFY",),
        previews=(("CONTEXT", "deploy-preview"), ("CONTEXT", "branch-deploy")),
        addresses=("DEPLOY_PRIME_URL", "DEPLOY_URL"),
        answer=AnswerSign("x-nf-request-id"),
    ),
    Provider(
        "vercel",
        markers=("vercel.json",),
        unread=("middleware.js", "middleware.ts", "vercel.ts"),
        ignores=(".vercelignore", "package.json"),  # the latter tells whether it builds
        variables=("VERCEL",),
        previews=(("VERCEL_ENV", "preview"),),
        addresses=("VERCEL_URL", "VERCEL_BRANCH_URL"),
        answer=AnswerSign("x-vercel-id"),
    ),
)
# Hosts that may serve a site whose host is not known. Only rules on which all of them agree count.
# Another host in this list changes sites that it does not serve.
GUESSED = ("cloudflare", "netlify")
_SET = ("1", "true")  # what builders set their variables to


def marker_names(host: str) -> list[str]:
    """The project files of a host, or for "auto" of all, which identify it."""
    providers = [provider for provider in ALL if host in ("auto", provider.name)]
    return sorted({name for provider in providers for name in provider.markers})


def file_names(host: str) -> list[str]:
    """The files of a site with rules of a host, or for "auto" of all, or with what is uploaded."""
    names: set[str] = set()
    for provider in ALL:
        if host in ("auto", provider.name):
            names.update(provider.files, provider.ignores, provider.shared)
    return sorted(names)


def providers_marked_by(name: str) -> list[Provider]:
    """The hosts of a project file."""
    return [provider for provider in ALL if name in provider.markers]


def recognised_in_site() -> list[Provider]:
    """The hosts that only files of the site identify."""
    return [provider for provider in ALL if provider.is_recognised_in_site]


def choose(configured: str, texts: Mapping[str, str], base_url: str, now: int) -> Host:
    """The host of a site: the configured one, or for `auto` the one at whose domain it is, or those
    whose files were found, or else the GUESSED ones.

    `texts` are the project files that were found and the files of the site with rules, by name.
    `base_url` is the site's. A date in a header forbids indexing if it is before `now`, in
    seconds. Raises ValueError for a text that a host refuses.
    """
    names: Sequence[str]
    if configured == "auto":
        found = frozenset(name.rpartition("/")[2] for name in texts)
        netloc = urlsplit(base_url).netloc
        at_domain = [provider.name for provider in ALL if provider.is_at(netloc)]
        recognised = [provider.name for provider in ALL if provider.is_recognised(found)]
        names = at_domain or recognised or GUESSED
        is_known = names is not GUESSED
    else:
        names = [provider.name for provider in ALL if provider.name == configured]
        is_known = True
    if not texts and not is_known:  # most sites: nothing to read
        return Host(tuple(names), (), is_known)
    of_host = readers()
    rules = tuple(of_host[name].read(texts, base_url, now) for name in names)
    return Host(tuple(names), rules, is_known)


def readers() -> Mapping[str, Reader]:
    """How the files of each host are read."""
    # Imported here: most sites have no such files, and the readers take long to load.
    from . import (
        apache,
        azure,
        cloudflare,
        firebase,
        github,
        gitlab,
        netlify,
        vercel,
    )

    return {
        "apache": apache.READER,
        "azure": azure.READER,
        "cloudflare": cloudflare.READER,
        "firebase": firebase.READER,
        "github": github.READER,
        "gitlab": gitlab.READER,
        "netlify": netlify.READER,
        "vercel": vercel.READER,
    }


def of_builder(env: Mapping[str, str]) -> Provider | None:
    """The host whose builder has this environment, None if there is none."""
    for provider in ALL:
        if any(env.get(name, "").lower() in _SET for name in provider.variables):
            return provider
    return None


def preview_hosts(env: Mapping[str, str]) -> list[str] | None:
    """The host names of the preview that a builder builds, None if it builds none.

    `env` is the environment of this build.
    """
    builder = of_builder(env)
    if builder is None:
        return None
    is_preview = any(env.get(name) == value for name, value in builder.previews)
    if not is_preview:
        return None
    addresses = [env[name] for name in builder.addresses if env.get(name)]
    return [url.rpartition("://")[2].partition("/")[0].lower() for url in addresses]


def of_answer(header: Callable[[str], str]) -> str:
    """The host named in the headers of a live answer, "" if there is none.

    `header` gives the value of a header by its name, "" if the answer does not have it.
    """
    for provider in ALL:
        sign = provider.answer
        if sign is None:
            continue
        value = header(sign.header)
        if value and sign.text in value:
            return provider.name
    return ""
