"""The hosts whose rules are read, and how to recognise one: by files, a builder, an answer.

A new host has its place in ALL, and its reader in `readers`. No other code enumerates hosts.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from .host import Host, Reader


class Clue(NamedTuple):
    """A file from whose words we guess the host: `.gitlab-ci.yml` with `pages:` → gitlab.

    The file is in the site or the project, and contains one of the `words`. If `path` is a folder,
    one file in the folder has to contain a word. Every text contains the word "", so the file only
    has to exist: `CNAME`.
    """

    path: str
    words: tuple[str, ...] = ("",)


class Provider(NamedTuple):
    """A host, and what identifies it.

    - `markers`: files of a project on this host, such as `netlify.toml`
    - `files`: files with rules at the top of the site, such as `_redirects`
    - `variables`: environment variables that the host's builder sets to a word for yes: `NETLIFY`
    - `previews`: variables and their values in the build of a preview
    - `addresses`: variables with the URLs of a preview
    - `answer`: a header that all answers of the host have, `cf-ray`, or a header and a text that
      its value contains, `server: GitHub.com`
    - `domain`: a domain below which the host serves sites, such as `github.io`
    - `clues`: files with words, which count if nothing else shows the host
    """

    name: str
    markers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    previews: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    answer: str = ""
    domain: str = ""
    clues: tuple[Clue, ...] = ()


# Steps of workflows that deploy to GitHub Pages.
_PAGES_ACTIONS = (
    "actions/deploy-pages",
    "peaceiris/actions-gh-pages",
    "JamesIves/github-pages-deploy-action",
    "mkdocs gh-deploy",
)
ALL = (
    Provider(
        "cloudflare",
        markers=("wrangler.json", "wrangler.jsonc", "wrangler.toml"),
        files=("_redirects", "_headers"),
        variables=("CF_PAGES", "WORKERS_CI"),
        answer="cf-ray",
    ),
    Provider("firebase", markers=("firebase.json",)),
    Provider(
        "github",
        answer="server: GitHub.com",
        domain="github.io",
        clues=(Clue("CNAME"), Clue(".github/workflows", _PAGES_ACTIONS)),
    ),
    Provider(
        "gitlab",
        files=("_redirects",),
        domain="gitlab.io",
        clues=(Clue(".gitlab-ci.yml", ("\npages:",)),),
    ),
    Provider(
        "netlify",
        markers=("netlify.toml",),
        files=("_redirects", "_headers"),
        variables=("NETLIFY",),
        previews=(("CONTEXT", "deploy-preview"), ("CONTEXT", "branch-deploy")),
        addresses=("DEPLOY_PRIME_URL", "DEPLOY_URL"),
        answer="x-nf-request-id",
    ),
    Provider(
        "vercel",
        markers=("vercel.json",),
        variables=("VERCEL",),
        previews=(("VERCEL_ENV", "preview"),),
        addresses=("VERCEL_URL", "VERCEL_BRANCH_URL"),
        answer="x-vercel-id",
    ),
)
# Hosts that may serve a site whose host is not known: those that read `_redirects`. Only rules on
# which all of them agree count. One more host in this list would change sites of other hosts.
GUESSED = ("cloudflare", "netlify")
_YES = ("1", "true")  # what builders set their variables to


def providers(host: str) -> list[Provider]:
    """Lists the hosts that the setting `host` allows: "netlify" → only it, "auto" → all."""
    return [provider for provider in ALL if host in ("auto", provider.name)]


def choose(configured: str, texts: Mapping[str, str], base_url: str, now: int) -> Host:
    """Chooses the host of a site, and reads its rules from `texts`: the host's files by path.

    `configured` is the setting `host`: a name such as "netlify", "none", or "auto". For "auto", the
    first of these that gives a host:

    1. the domain of the base URL: `https://ann.github.io/` → github
    2. the files of the project and the site: `netlify.toml` → netlify. There may be several hosts
    3. a guess: cloudflare or netlify (`GUESSED`)

    `now` is the time of the run in seconds: a header may forbid indexing after a date. Raises
    ValueError for a text that a host rejects.
    """
    if configured == "auto":
        recognised = _recognise(texts, base_url)
        is_known = bool(recognised)
        names = recognised or GUESSED
    else:
        is_known = True
        names = tuple(provider.name for provider in providers(configured))  # empty for "none"
    if not texts and not is_known:  # most sites: nothing to read
        return Host(names, rules=(), is_known=False)
    reader_by_host = readers()
    rules = tuple(reader_by_host[name].read(texts, base_url, now) for name in names)
    return Host(names, rules, is_known)


def _recognise(texts: Mapping[str, str], base_url: str) -> tuple[str, ...]:
    """Names the hosts that serve a site, by the domain of its base URL, or else by its files.

    | base URL                  | files in `texts`                | result                      |
    |---------------------------|---------------------------------|-----------------------------|
    | `https://ann.github.io/`  | any                             | `("github",)`               |
    | `https://a.example/`      | `netlify.toml`                  | `("netlify",)`              |
    | `https://a.example/`      | `netlify.toml`, `vercel.json`   | `("netlify", "vercel")`     |
    | `https://a.example/`      | `_redirects`                    | `()`: several hosts read it |
    """
    netloc = urlsplit(base_url).netloc.lower()
    hosts_of_domain = tuple(
        provider.name
        for provider in ALL
        if provider.domain and netloc.endswith(f".{provider.domain}")
    )
    if hosts_of_domain:
        return hosts_of_domain
    files = {path.rpartition("/")[2] for path in texts}
    return tuple(provider.name for provider in ALL if not files.isdisjoint(provider.markers))


def readers() -> Mapping[str, Reader]:
    """Loads the readers of the hosts' files, by the name of the host: `netlify` → its `READER`."""
    # Imported here: most sites have no such files, and the readers take long to load.
    from . import (
        cloudflare,
        firebase,
        github,
        gitlab,
        netlify,
        vercel,
    )

    return {
        "cloudflare": cloudflare.READER,
        "firebase": firebase.READER,
        "github": github.READER,
        "gitlab": gitlab.READER,
        "netlify": netlify.READER,
        "vercel": vercel.READER,
    }


def of_builder(env: Mapping[str, str]) -> Provider | None:
    """Finds the host that runs this build: `NETLIFY=true` in the environment `env` → netlify.

    None if the build runs elsewhere, such as on the user's own computer.
    """
    for provider in ALL:
        if any(env.get(name, "").lower() in _YES for name in provider.variables):
            return provider
    return None


def preview_hosts(env: Mapping[str, str]) -> list[str] | None:
    """Finds out whether this build is for a preview, such as of a pull request, and where that is.

    | environment `env`                                                    | result            |
    |----------------------------------------------------------------------|-------------------|
    | no builder: the user's own computer                                  | None: no preview  |
    | `NETLIFY=true`, `CONTEXT=production`                                 | None: no preview  |
    | `NETLIFY=true`, `CONTEXT=deploy-preview`                             | `[]`: no address  |
    | `NETLIFY=true`, `CONTEXT=deploy-preview`, `DEPLOY_URL=https://7.tea` | `["7.tea"]`       |

    The result for a preview has its host names, in lower case.
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
    """Names the host that sent a live answer: `Server: GitHub.com` → `github`.

    `header` gives the value of a header by its name, "" if the answer does not have it. The result
    is "" if no header is that of a host in `ALL`.
    """
    for provider in ALL:
        if provider.answer:
            name, _, text = provider.answer.partition(": ")
            value = header(name)
            if value and text in value:
                return provider.name
    return ""
