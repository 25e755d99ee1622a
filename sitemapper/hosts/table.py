"""The hosts that are known, a row each. Forms as the hosts' own engines answered."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..syntax.tables import value_at
from .files import (
    HostFiles,
    HostRules,
    read_cloudflare,
    read_gitlab,
    read_netlify,
    read_nothing,
    read_unknown,
    read_vercel,
)
from .host import ServedForms


class HostRow(NamedTuple):
    """What shows a host, and what it does.

    - `files` are the configuration of a project on this host. One is for a site if it has one of
      `site_keys`. If the row has no `site_keys`, it is for a site if it is empty or has a key that
      is not in `other_keys`
    - `folder_keys` name the folder that is published
    - `variables` are set by the builder of the host, and sites are below `domain`
    - `signs` are patterns of files that count last, and what stands in such a file
    - `forms` by the setting that chooses them, "" without one
    """

    name: str
    files: tuple[str, ...] = ()
    site_keys: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()
    folder_keys: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    domain: str = ""
    signs: tuple[tuple[str, bytes], ...] = ()
    forms: Mapping[str, ServedForms | None] = {"": None}
    read: Callable[[HostFiles], HostRules] = read_nothing

    def describes_site(self, table: Mapping[str, Any]) -> bool:
        """Whether the contents of a host's file are for a site.

        A wrangler.toml without `assets` is for an API, and so is a vercel.json with only `crons`.
        """
        if self.site_keys:
            return any(value_at(table, key) for key in self.site_keys)
        if not table:
            return True
        return any(key not in self.other_keys for key in table)


# `b.html` is served at `b`, too: canonicals or links choose.
_SLASH_AND_BOTH = {"": ServedForms(("slash", "file"), ("file", "bare"))}
# By `cleanUrls` and `trailingSlash`.
_BY_SETTINGS = {
    "": ServedForms(("slash", "file"), ("file",)),
    "no slash": ServedForms(("bare", "file"), ("file",)),
    "slash": ServedForms(("slash", "file"), ("file",)),
    "clean": ServedForms(("slash", "bare"), ("bare",)),
    "clean, no slash": ServedForms(("bare",), ("bare",)),
    "clean, slash": ServedForms(("slash",), ("slash",)),
}
# What stands in workflows that deploy to GitHub Pages: names of actions, and `mkdocs gh-deploy`.
PAGES_DEPLOYMENT = rb"deploy-pages|gh-pages|pages-deploy-action|gh-deploy"

TABLE = (
    HostRow(
        "cloudflare",
        files=("wrangler.toml", "wrangler.json", "wrangler.jsonc"),
        site_keys=("pages_build_output_dir", "assets"),
        folder_keys=("pages_build_output_dir", "assets.directory"),
        variables=("CF_PAGES", "WORKERS_CI"),
        domain="pages.dev",
        forms={
            "": ServedForms(("slash",), ("bare",)),
            "force-trailing-slash": ServedForms(("slash",), ("slash",)),
            "drop-trailing-slash": ServedForms(("bare",), ("bare",)),
            "none": ServedForms(("file",), ("file",)),
        },
        read=read_cloudflare,
    ),
    HostRow(
        "firebase",
        files=("firebase.json",),
        site_keys=("hosting.public",),
        folder_keys=("hosting.public",),
        forms=_BY_SETTINGS,
    ),
    HostRow(
        "github",
        domain="github.io",
        signs=(("CNAME", b""), (".github/workflows/*.y*ml", PAGES_DEPLOYMENT)),
        forms=_SLASH_AND_BOTH,
    ),
    HostRow(
        "gitlab",
        domain="gitlab.io",
        signs=((".gitlab-ci.yml", rb"(?m)^pages:"),),
        forms=_SLASH_AND_BOTH,
        read=read_gitlab,
    ),
    HostRow(
        "netlify",
        files=("netlify.toml",),
        folder_keys=("context.production.publish", "build.publish"),
        variables=("NETLIFY",),
        domain="netlify.app",
        forms=_SLASH_AND_BOTH,
        read=read_netlify,
    ),
    HostRow(
        "vercel",
        files=("vercel.json",),
        other_keys=("$schema", "crons", "functions", "git", "ignoreCommand", "regions"),
        folder_keys=("outputDirectory",),
        variables=("VERCEL",),
        forms={
            **_BY_SETTINGS,
            "": ServedForms(("slash", "bare", "file"), ("file",)),
            "clean": ServedForms(("slash", "bare"), ("bare", "slash")),
        },
        read=read_vercel,
    ),
)
UNKNOWN = HostRow("none", read=read_unknown)
