"""Firebase: redirects in firebase.json come before files, and the last header counts.

The rules are those of firebase/superstatic, the engine of its emulator.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms
from .headers import header_rules_in_json
from .host import SITE, Hosting, HostRules, Manual, Reader, make_rules
from .path_to_regexp import read_source
from .rule import Pattern, Rule, compile_regex, read_rule
from .tables import Entry, entries, forms_by_setting, tables_of, text_at

CONFIG = "firebase.json"
_PATTERN_KEYS = ("source", "glob", "regex")
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


# A part of a glob, such as `/docs/**/*.html`, and what it matches (superstatic: minimatch). Braces,
# groups such as `@(a|b)`, and negations such as `!a` are not read.
_PART = re.compile(
    r"""
      (?P<folders> (?<=/) \*\*/ )  # any folders, or none
    | (?P<any> \*\*+ )
    | (?P<first> (?<=/) \* )  # not an empty name, nor one with a dot in front
    | (?P<star> \* )
    | (?P<one> \? )
    | (?P<text> [^*?{}()\[\]!]+? )
    """,
    re.VERBOSE,
)
_EXPRESSIONS = {
    "folders": "(?:.*/)?", "any": ".*", "first": "[^/.][^/]*", "star": "[^/]*", "one": "[^/]",
}  # fmt: skip


def _read_firebase_rules(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """Reads the rules of firebase.json: those of its entry whose `public` is the site's folder.

        {"hosting": {"public": "out", "cleanUrls": true,
                     "redirects": [{"source": "/a", "destination": "/b"}],
                     "headers": [{"source": "/c", "headers": [
                         {"key": "X-Robots-Tag", "value": "noindex"}]}]}}

    For the site in `out`: `b.html` is at /b (`cleanUrls`), `/a` is redirected, and `/c` is not
    listed. `texts` has the text of firebase.json, and as the item
    `SITE` the path of the site from the folder of this file.
    """
    text = texts.get(CONFIG, "")
    sites = _settings_of_sites(read_table(CONFIG, text))
    site = _settings_of_folder(texts.get(SITE, ""), sites)
    return make_rules(
        forms_by_setting(site, FORMS),
        _read_redirects(site, text),
        header_rules_in_json(
            site, text, CONFIG, now, translate=_read_source_of_headers, keys=_PATTERN_KEYS
        ),
        spellings_of=_decoded_spelling,
    )


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


def _read_redirects(site: Mapping[str, Any], text: str) -> Iterator[Rule | Origin]:
    """Reads the redirects of a site, whose sources are written in three languages:

    {"source": "/a/**", "destination": "/b"}           a glob
    {"source": "/a/:id", "destination": "/b/:id"}      path-to-regexp, if the target has `/:`
    {"regex": "^/a/(.*)", "destination": "/b/:1"}      a regular expression

    This is how superstatic, Firebase's server, reads them (redirects.js). Of a redirect whose
    source cannot be read, only the `Origin` is yielded.
    """
    for entry in entries(site, text, "redirects", _PATTERN_KEYS):
        target = str(entry.table.get("destination"))
        origin = Origin(CONFIG, entry.line, f"{entry.pattern} -> {target}")
        translate: Callable[[str], Pattern] = _read_glob
        if entry.key == "regex":
            translate = _read_regex
        elif "/:" in target:
            translate = _read_path
        yield read_rule(translate, entry.pattern, Reason.REDIRECT, origin, target)


def _read_source_of_headers(entry: Entry) -> Pattern:
    """Translates the source of a rule for headers, which is a regular expression or a glob.

    Raises ValueError for one that cannot be read.
    """
    if entry.key == "regex":
        return _read_regex(entry.pattern)
    return _read_glob(entry.pattern)


def _read_regex(text: str) -> Pattern:
    """Makes the pattern of a regular expression. Raises ValueError if it cannot be compiled."""
    return Pattern("", compile_regex(text))


def _read_path(source: str) -> Pattern:
    """Translates a source of path-to-regexp: `/a/:id` is for `/a/1`, `/A/1` and `/a/1/`.

    Raises ValueError for a source that cannot be read.
    """
    pattern = read_source(source.removesuffix("/"))
    # Letter case counts in the start of a pattern, here `/a`, but not in its expression. So both
    # are joined to one expression for the whole path: `(?i)^/a(?:/(?P<id>[^/]+))/?$`.
    start = re.escape(pattern.start)
    rest = pattern.regex.text.removeprefix("^").removesuffix("$") if pattern.regex else ""
    whole_path = compile_regex(f"(?i)^{start}{rest}/?$")
    excepted = None
    if pattern.excepted:  # `/a/:path((?!api/).*)`, which is not for paths with `^/a/(?:api/)`
        excepted = compile_regex(f"(?i){pattern.excepted.text}")
    return Pattern(start="", regex=whole_path, excepted=excepted)


def _read_glob(glob: str) -> Pattern:
    """Translates a glob to a pattern: `/**/a?.html` → `^/(?:.*/)?a[^/]\\.html/?$`.

    The result matches paths with or without a final slash. Raises ValueError for a glob that is not
    read, such as `/{a,b}`.
    """
    path = re.sub("//+", "/", "/" + glob)
    regex = ""
    position = 0
    while position < len(path):
        part = _PART.match(path, position)
        if part is None:
            raise ValueError(f"{glob!r}: cannot be read from {path[position:]!r}")
        position = part.end()
        # The group that matched chooses the expression: `star` → `[^/]*`. Text that is no wildcard
        # stands for itself.
        regex += _EXPRESSIONS.get(part.lastgroup or "", re.escape(part[0]))
    return Pattern(start="", regex=compile_regex(f"^{regex}/?$"))


def _decoded_spelling(path: str) -> Sequence[str]:
    """Gives the path without escapes, because superstatic decodes URLs: `/a%20b` → `/a b`."""
    return (unquote(path),)


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


READER = Reader(
    read=_read_firebase_rules,
    forms=FORMS,
    manual=Manual(
        meaning="`firebase.json`",
        order="The first matching redirect is applied, even if there is a file. Of several headers "
        "with the same name, the last is applied.",
        skipped="rewrites, braces, groups and negations in a glob",
        production="escapes such as `%2B` are decoded. The emulator `superstatic` answers 404",
    ),
    hosting=_published_folders,
)
