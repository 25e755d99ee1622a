"""How hosts write a permanent redirect from one path: the start of a rule, and its end.

Paths and targets are encoded as in URLs. "" stands for a name that a syntax cannot write.
"""

import json
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote
from xml.sax.saxutils import quoteattr

from . import azure, firebase, serve, vercel, web_config
from .matchers import WILDCARD
from .text_files import REDIRECTS

# Characters with a meaning in regular expressions, and in sources of path-to-regexp.
_OF_EXPRESSIONS = ".^$*+?()[]{}|"
_OF_SOURCES = ":(){}*+?\\"
_BARE = re.compile(r"[\w/.~-]+", re.ASCII)


class RedirectSyntax(NamedTuple):
    """How a host writes redirects, and the file of its rules.

    A rule is what `start` makes of a path, and `end` of a target. `opening`, `separator` and
    `closing` are around the rules, and `comment` begins a comment, "" if there are none. Paths
    begin with that of the base URL if it `has_full_paths`. `is_loose` if the host compares paths
    without letter case and final slash.
    """

    file: str
    start: Callable[[str], str]
    end: Callable[[str], str]
    comment: str = "# "
    opening: str = ""
    separator: str = "\n"
    closing: str = "\n"
    has_full_paths: bool = False
    is_loose: bool = False


def _decoded(path: str) -> str:
    """A path without escapes, as servers compare it. "" if it is no text on one line."""
    try:
        text = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


def _escaped(target: str, characters: str) -> str:
    """A target with some characters percent-encoded, but not in its scheme and host."""
    scheme, separator, rest = target.rpartition("://")
    host, slash, path = rest.partition("/")
    encoded = "".join(f"%{ord(one):02X}" if one in characters else one for one in path)
    return f"{scheme}{separator}{host}{slash}{encoded}"


def _expression(text: str) -> str:
    """The regular expression for a text: `/a.b` → `^/a\\.b$`.

    Quotes and backslashes are written by their codes, because files have their own escapes.
    """
    regex = ""
    for character in text:
        if character in '"\\':
            regex += f"\\x{ord(character):X}"
        elif character in _OF_EXPRESSIONS:
            regex += f"\\{character}"
        else:
            regex += character
    return f"^{regex}$"


def _is_bare_url(target: str) -> bool:
    """Whether a target needs no quotes in the configuration of a server."""
    return _BARE.fullmatch(target.rpartition("://")[2].replace("%", "")) is not None


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# Neither Netlify nor Cloudflare can escape a star or a placeholder in `_redirects`
# (docs.netlify.com/routing/redirects, developers.cloudflare.com/pages/configuration/redirects).


def _start_in_redirects(path: str) -> str:
    return "" if re.search(WILDCARD, path) else f"{path} "


def _end_in_redirects(target: str) -> str:
    return f"{_escaped(target, ':')} 301"


# vercel.com/docs/project-configuration#redirects


def _start_in_vercel(path: str) -> str:
    source = "".join(f"\\{one}" if one in _OF_SOURCES else one for one in path)
    return f'{{"source": {_json(source)}, '


def _end_in_vercel(target: str) -> str:
    return f'"destination": {_json(_escaped(target, _OF_SOURCES))}, "statusCode": 301}}'


# serve-handler reads a source with path-to-regexp and as a glob, whose escapes differ. By default,
# it removes endings first (`cleanUrls`).


def _start_in_serve(path: str) -> str:
    has_signs = any(one in "!@:()*+" for one in path)
    if has_signs or path.endswith((".html", "/index")):
        return ""
    return f'{{"source": {_json(path)}, '


def _end_of_type(target: str) -> str:
    return f'"destination": {_json(_escaped(target, _OF_SOURCES))}, "type": 301}}'


# Firebase compares decoded paths with expressions (firebase.google.com/docs/hosting/full-config).


def _start_in_firebase(path: str) -> str:
    text = _decoded(path)
    return f'{{"regex": {_json(_expression(text))}, ' if text else ""


# learn.microsoft.com/azure/static-web-apps/configuration


def _start_in_azure(path: str) -> str:
    return "" if "*" in path else f'{{"route": {_json(path)}, '


def _end_in_azure(target: str) -> str:
    return f'"redirect": {_json(target)}, "statusCode": 301}}'


# RedirectMatch compares the decoded path, and encodes its target (mod_alias). Redirect would be for
# all that is below the path, too.


def _start_in_apache(path: str) -> str:
    text = _decoded(path)
    return f'RedirectMatch 301 "{_expression(text)}" ' if text else ""


def _end_in_apache(target: str) -> str:
    text = _decoded(target)
    # `?` would begin a query.
    if not text or any(one in "?#\\" for one in text):
        return ""
    without_groups = re.sub(r"\$(?=\d)", r"\\$", text)
    in_quotes = without_groups.replace('"', '\\"')
    return f'"{in_quotes}"'


# learn.microsoft.com/iis/extensions/url-rewrite-module/url-rewrite-module-configuration-reference


def _start_in_iis(path: str) -> str:
    text = _decoded(path)
    if not text:
        return ""
    name = quoteattr(f"moved {path}")
    pattern = quoteattr(_expression(text.removeprefix("/")))
    match = f'<match url={pattern} ignoreCase="false" />'
    return f'<rule name={name} stopProcessing="true">{match}'


def _end_in_iis(target: str) -> str:
    return f'<action type="Redirect" url={quoteattr(target)} redirectType="Permanent" /></rule>'


# An exact location, whose path is decoded (nginx.org/en/docs/http/ngx_http_core_module.html).


def _start_in_nginx(path: str) -> str:
    text = _decoded(path)
    if _BARE.fullmatch(text):
        return f"location = {text} {{ "
    quote = "'" if '"' in text else '"'
    if not text or quote in text or "\\" in text:
        return ""
    return f"location = {quote}{text}{quote} {{ "


def _end_in_nginx(target: str) -> str:
    # `$` begins a variable.
    encoded = _escaped(target, "$")
    if not _is_bare_url(encoded):
        encoded = f'"{encoded}"'
    return f"return 301 {encoded}; }}"


# A path is decoded, and compared without letter case (caddyserver.com/docs/caddyfile/matchers).


def _start_in_caddy(path: str) -> str:
    text = _decoded(path)
    if _BARE.fullmatch(text):
        return f"redir {text} "
    has_signs = any(one in "%*?[]{}\\`" for one in text)
    return "" if has_signs or not text else f"redir `{text}` "


def _end_in_caddy(target: str) -> str:
    return f"{target} permanent"


def _start_of_row(path: str) -> str:
    return f"{path}\t"


def _end_of_row(target: str) -> str:
    return target


# For hosts without rules that are read here: the old and the new path.
TABLE = RedirectSyntax("hosts without rules", _start_of_row, _end_of_row)
_IN_REDIRECTS = RedirectSyntax(REDIRECTS, _start_in_redirects, _end_in_redirects)


def _in_json(
    file: str, opening: str, start: Callable[[str], str], end: Callable[[str], str], closing: str
) -> RedirectSyntax:
    """A syntax whose rules are in a list of a JSON file, which has no comments."""
    return RedirectSyntax(file, start, end, "", f"{opening}[\n  ", ",\n  ", f"\n]{closing}\n")


BY_HOST = {
    "apache": RedirectSyntax(".htaccess", _start_in_apache, _end_in_apache, has_full_paths=True),
    "azure": _in_json(azure.CONFIG, '{"routes": ', _start_in_azure, _end_in_azure, "}"),
    "caddy": RedirectSyntax("Caddyfile", _start_in_caddy, _end_in_caddy, is_loose=True),
    "cloudflare": _IN_REDIRECTS,
    "firebase": _in_json(
        firebase.CONFIG, '{"hosting": {"redirects": ', _start_in_firebase, _end_of_type, "}}"
    ),
    "gitlab": _IN_REDIRECTS._replace(is_loose=True, has_full_paths=True),
    "iis": RedirectSyntax(
        web_config.CONFIG,
        _start_in_iis,
        _end_in_iis,
        comment="",
        opening="<configuration><system.webServer><rewrite><rules>\n",
        closing="\n</rules></rewrite></system.webServer></configuration>\n",
    ),
    "netlify": _IN_REDIRECTS._replace(is_loose=True),
    "nginx": RedirectSyntax("nginx.conf", _start_in_nginx, _end_in_nginx),
    "serve": _in_json(serve.CONFIG, '{"redirects": ', _start_in_serve, _end_of_type, "}")._replace(
        is_loose=True
    ),
    "vercel": _in_json(vercel.CONFIG, '{"redirects": ', _start_in_vercel, _end_in_vercel, "}"),
}
