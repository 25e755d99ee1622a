"""Firebase: `cleanUrls`, `trailingSlash` and `public` of firebase.json. Its rules are not read."""

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .host import SITE, Hosting, HostRules, Reader, make_rules
from .tables import forms_by_setting, tables_of, text_at

CONFIG = "firebase.json"
# Asked of superstatic (`make record-hosts`).
FORMS = {
    "": UrlForms(folder=("a/", "a/index.html"), page=("b.html",)),
    "trailingSlash: false": UrlForms(folder=("a", "a/index.html"), page=("b.html",)),
    "trailingSlash: true": UrlForms(folder=("a/", "a/index.html"), page=("b.html",)),
    "cleanUrls": UrlForms(
        folder=("a/", "a"), page=("b",), clash=UrlForms(folder=("a/", "a"), page=())
    ),
    "cleanUrls, trailingSlash: false": UrlForms(
        folder=("a",), page=("b",), clash=UrlForms(folder=("a",), page=())
    ),
    "cleanUrls, trailingSlash: true": UrlForms(
        folder=("a/",), page=("b/",), clash=UrlForms(folder=("a/",), page=())
    ),
}


def _read_firebase_forms(texts: Mapping[str, str], _base_url: str, _now: int) -> HostRules:
    """Gives the URL forms of firebase.json, by its entry whose `public` is the site's folder.

    `{"hosting": {"public": "out", "cleanUrls": true}}`: for the site in `out`, `b.html` is at /b.
    `texts` has the text of firebase.json, and as the item `SITE` the path of the site from the
    folder of this file.
    """
    sites = _settings_of_sites(read_table(CONFIG, texts.get(CONFIG, "")))
    site = _settings_of_folder(texts.get(SITE, ""), sites)
    return make_rules(forms_by_setting(site, FORMS))


def _settings_of_sites(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Lists the settings of each site of a project: `hosting` is one table or a list of them."""
    value = config.get("hosting")
    return tables_of(value if isinstance(value, list) else [value])


def _settings_of_folder(folder: str, sites: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Finds the settings of the site whose `public` is the folder, or else of the only site.

    Empty if there are several sites, and none publishes the folder.
    """
    for site in sites:
        if posixpath.normpath(text_at(site, "public") or ".") == folder:
            return site
    if len(sites) == 1:
        return sites[0]
    return {}


def _published_folders(config: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """Reads which folder each site in firebase.json publishes, as one `Hosting` for each.

    `{"hosting": {"public": "out"}}` → one with the key `hosting.public` and the folder `out`. A
    site without the key `public` gives one without a folder: any folder may be the site.
    """
    published = []
    for site in _settings_of_sites(config):
        folder = text_at(site, "public")
        published.append(Hosting("hosting.public", (folder,)) if folder else Hosting())
    return tuple(published)


READER = Reader(read=_read_firebase_forms, hosting=_published_folders)
