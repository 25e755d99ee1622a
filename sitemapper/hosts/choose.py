"""The hosts whose rules are read, and how to recognise one: by files, a builder, an answer.

A new host has its place in ALL, and its reader in `readers`. No other code enumerates hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """The hosts among which the setting `host` lets us choose: "netlify" → it, "auto" → all."""
    return [provider for provider in ALL if host in ("auto", provider.name)]


def choose(configured: str, texts: Mapping[str, str], base_url: str, now: int) -> Host:
    """Chooses the host of a site, and reads its rules from `texts`: the host's files by path.

    `configured` is the setting `host`. For `auto`, the first of these that gives a host:

    1. the domain of the base URL: `https://ann.github.io/` → github
    2. the files of the project and the site: `netlify.toml` → netlify. There may be several hosts
    3. a guess: cloudflare or netlify

    `now` is the time of the run in seconds: a header may forbid indexing after a date. Raises
    ValueError for a text that a host rejects.
    """
    names, is_known = _choose_names(configured, texts, base_url)
    if not texts and not is_known:  # most sites: nothing to read
        return Host(names, rules=(), is_known=False)
    reader_by_host = readers()
    rules = tuple(reader_by_host[name].read(texts, base_url, now) for name in names)
    return Host(names, rules, is_known)


def _choose_names(
    configured: str, texts: Mapping[str, str], base_url: str
) -> tuple[tuple[str, ...], bool]:
    """Chooses the names of the hosts that a site may be on, and says whether they are no guess.

    | setting   | base URL             | files            | result                              |
    |-----------|----------------------|------------------|-------------------------------------|
    | `vercel`  | any                  | any              | `("vercel",)`, True                 |
    | `auto`    | on `ann.github.io`   | any              | `("github",)`, True                 |
    | `auto`    | another              | `netlify.toml`   | `("netlify",)`, True                |
    | `auto`    | another              | none of a host   | `("cloudflare", "netlify")`, False  |
    """
    if configured != "auto":
        return tuple(provider.name for provider in providers(configured)), True
    netloc = urlsplit(base_url).netloc
    hosts_of_domain = tuple(provider.name for provider in ALL if provider.is_at(netloc))
    if hosts_of_domain:
        return hosts_of_domain, True
    files = frozenset(path.rpartition("/")[2] for path in texts)
    hosts_of_files = tuple(provider.name for provider in ALL if provider.is_recognised(files))
    if hosts_of_files:
        return hosts_of_files, True
    return GUESSED, False


def readers() -> Mapping[str, Reader]:
    """The readers of the hosts' files, by the name of the host: `netlify` → `netlify.READER`."""
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
    """The host that runs this build: `NETLIFY=true` in the environment `env` → netlify.

    None if the build runs elsewhere, such as on the user's own computer.
    """
    for provider in ALL:
        if any(env.get(name, "").lower() in _YES for name in provider.variables):
            return provider
    return None


def preview_hosts(env: Mapping[str, str]) -> list[str] | None:
    """Finds out whether this build is for a preview, such as of a pull request, and where that is.

    | environment `env`                                                   | result             |
    |---------------------------------------------------------------------|--------------------|
    | `NETLIFY=true`, `CONTEXT=deploy-preview`, `DEPLOY_URL=https://7.tea` | `["7.tea"]`        |
    | the same without an address of the preview                          | `[]`               |
    | `NETLIFY=true`, `CONTEXT=production`                                | None: no preview   |
    | the user's own computer                                             | None: no preview   |

    The result has the host names of the preview, in lower case.
    """
    builder = of_builder(env)
    if builder is None:
        return None
    is_preview = any(env.get(name) == value for name, value in builder.previews)
    if not is_preview:
        return None
    # From `https://7.tea/a`, or `7.tea` without a scheme, as Vercel has it, to the host name.
    addresses = [env[name] for name in builder.addresses if env.get(name)]
    return [url.rpartition("://")[2].partition("/")[0].lower() for url in addresses]


def of_answer(header: Callable[[str], str]) -> str:
    """The name of the host that sent a live answer: `Server: GitHub.com` → `github`.

    `header` gives the value of a header by its name, "" if the answer does not have it. The result
    is "" if no header is that of a host in `ALL`.
    """
    for provider in ALL:
        answer = provider.answer
        if answer is None:
            continue
        value = header(answer.header)
        if value and answer.text in value:
            return provider.name
    return ""
