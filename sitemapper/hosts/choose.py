"""The hosts whose rules are read, and how to recognise one: by files, a builder, an answer.

A new host has its place in ALL, and its reader in `readers`. No other code enumerates hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .host import Host
from .provider import AnswerHeader, Clue, Provider

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
    Provider(
        "apache",
        files=(".htaccess",),
        files_in_folders=(".htaccess",),
        answer=AnswerHeader("server", "Apache"),
    ),
    Provider("azure", markers=("staticwebapp.config.json",)),
    Provider(
        "cloudflare",
        markers=("wrangler.json", "wrangler.jsonc", "wrangler.toml"),
        files=("_redirects", "_headers"),
        unread=("_worker.js", "functions"),
        ignores=(".assetsignore",),
        variables=("CF_PAGES", "WORKERS_CI"),
        answer=AnswerHeader("cf-ray"),
    ),
    Provider("firebase", markers=("firebase.json",)),
    Provider(
        "github",
        answer=AnswerHeader("server", "GitHub.com"),
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
        answer=AnswerHeader("x-nf-request-id"),
    ),
    Provider(
        "vercel",
        markers=("vercel.json",),
        unread=("middleware.js", "middleware.ts", "vercel.ts"),
        ignores=(".vercelignore", "package.json"),  # the latter tells whether it builds
        variables=("VERCEL",),
        previews=(("VERCEL_ENV", "preview"),),
        addresses=("VERCEL_URL", "VERCEL_BRANCH_URL"),
        answer=AnswerHeader("x-vercel-id"),
    ),
)
# Hosts that may serve a site whose host is not known: those that read `_redirects`. Only rules on
# which all of them agree count. One more host in this list would change sites of other hosts.
GUESSED = ("cloudflare", "netlify")
_YES = ("1", "true")  # what builders set their variables to


def providers(host: str) -> list[Provider]:
    """The host of a name, as a list. For "auto", all of them."""
    return [provider for provider in ALL if host in ("auto", provider.name)]


def choose(configured: str, texts: Mapping[str, str], base_url: str, now: int) -> Host:
    """The host of a site, with the rules in `texts`, its files by name.

    It is the configured one. For `auto`, it is the one below whose domain the base URL is, or those
    whose files are there, or else the `GUESSED` ones. `now` is the time of the run in seconds: a
    header may forbid indexing after a date.

    Raises ValueError for a text that a host rejects.
    """
    is_known = True
    names: Sequence[str] = [provider.name for provider in providers(configured)]
    if configured == "auto":
        files = frozenset(name.rpartition("/")[2] for name in texts)
        netloc = urlsplit(base_url).netloc
        names = [provider.name for provider in ALL if provider.is_at(netloc)]
        names = names or [provider.name for provider in ALL if provider.is_recognised(files)]
        is_known = bool(names)
        names = names or GUESSED
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
        if any(env.get(name, "").lower() in _YES for name in provider.variables):
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
    """The name of the host that sent a live answer, as its headers show; "" for other hosts.

    `header` gives the value of a header by its name, "" if the answer does not have it.
    """
    for provider in ALL:
        answer = provider.answer
        if answer is None:
            continue
        value = header(answer.header)
        if value and answer.text in value:
            return provider.name
    return ""
