"""A request as Apache sees it: its URL, its variables, and the file to which it is mapped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ...syntax.urls import without_scheme
from ..host import FindKind
from .truth import Truth

# Where the site may lie on the server. What depends on this folder is unknown.
ROOTS = ("/var/www/html", "/usr/share/httpd/site")
_VARIABLE = re.compile(r"%\{([^{}]*)\}")
_REFERENCE = re.compile(
    r"""
      \\ (?P<escaped> . )
    | \$ (?P<rule> \d )
    | % (?P<condition> \d )
    | %\{ (?P<variable> [^{}]* ) \}
    | (?P<map> \$\{ | %\{ )
    """,
    re.VERBOSE | re.DOTALL,
)


class Base(NamedTuple):
    """The parts of the base URL."""

    scheme: str
    host: str  # without the port
    port: str
    path: str
    origin: str  # scheme, host and port


def read_base(base_url: str) -> Base:
    """The parts of a base URL. Its path ends with a slash."""
    parts = urlsplit(base_url if "://" in base_url else f"https://{base_url}")
    default = {"https": "443"}.get(parts.scheme, "80")
    return Base(
        parts.scheme,
        (parts.hostname or "").lower(),
        str(parts.port or default),
        (parts.path or "/").rstrip("/") + "/",
        f"{parts.scheme}://{parts.netloc}",
    )


class Located(NamedTuple):
    """The file of a URL: its path as far as it exists, and one segment more if it does not.

    `kind` is "f", "d" or "". `info` is the rest of the URL (PATH_INFO). `folders` are the paths of
    the folders on the way, the site's first.
    """

    file: str
    kind: str
    info: str
    folders: Sequence[str]


class Request(NamedTuple):
    """A request, or one that Apache makes itself.

    `uri` is the decoded path. `asked` is the path as the visitor wrote it. `env` has the known
    variables; an unknown one is None. With `is_ended`, nothing is rewritten any more.
    """

    uri: str
    asked: str
    args: str = ""
    env: Mapping[str, str | None] = {}
    is_internal: bool = False  # after a redirect inside the server
    is_subrequest: bool = False
    is_ended: bool = False


class Files(NamedTuple):
    """The files of the site below the base path."""

    base: str
    look: FindKind

    def kind_of(self, path: str) -> str:
        """The type of an absolute URL path: "f", "d" or ""."""
        if path.rstrip("/") + "/" == self.base:
            return "d"
        if not path.startswith(self.base):
            return ""
        return self.look(path[len(self.base) :].strip("/"))

    def locate(self, uri: str) -> Located | None:
        """The file of a URL path, None outside the site."""
        if not (uri + "/").startswith(self.base):
            return None
        folders = [self.base]
        path = self.base
        segments = uri[len(self.base) :].split("/")
        for number, segment in enumerate(segments):
            is_last = number == len(segments) - 1
            rest = "" if is_last else "/" + "/".join(segments[number + 1 :])
            if not segment:
                continue
            found = path + segment
            kind = self.kind_of(found)
            if kind != "d":
                return Located(found, kind, rest, folders)
            path = found + "/"
            folders.append(path)
        return Located(path if uri.endswith("/") else path[:-1], "d", "", folders)


class Context(NamedTuple):
    """What variables refer to: the request, and the groups of the last patterns (None: unknown)."""

    base: Base
    request: Request
    filename: str  # below the root of the server
    info: str = ""
    root: str = ROOTS[0]
    rule_groups: Sequence[str] | None = ()
    condition_groups: Sequence[str] | None = ()

    def variable(self, name: str) -> str | None:
        """The value of a variable, None if it is not known."""
        request = self.request
        upper = name.upper()
        if upper.startswith("ENV:"):
            return self._environment(name[4:])
        values = {
            "REQUEST_URI": request.uri,
            "REQUEST_FILENAME": self.root + self.filename,
            "SCRIPT_FILENAME": self.root + self.filename,
            "DOCUMENT_ROOT": self.root,
            "CONTEXT_DOCUMENT_ROOT": self.root,
            "CONTEXT_PREFIX": "",
            "PATH_INFO": self.info,
            "THE_REQUEST": f"GET {request.asked} HTTP/1.1",
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": request.args,
            "HTTPS": "on" if self.base.scheme == "https" else "off",
            "REQUEST_SCHEME": self.base.scheme,
            "HTTP_HOST": without_scheme(self.base.origin),
            "HTTP:HOST": without_scheme(self.base.origin),
            "SERVER_NAME": self.base.host,
            "SERVER_PORT": self.base.port,
            "IS_SUBREQ": "true" if request.is_subrequest else "false",
        }
        return values.get(upper)

    def _environment(self, name: str) -> str | None:
        if name == "REDIRECT_STATUS":
            return "200" if self.request.is_internal else ""
        return self.request.env.get(name)

    def expand(self, text: str) -> str | None:
        """A text with the values of its references, None if one is not known."""
        parts = []
        end = 0
        for found in _REFERENCE.finditer(text):
            value = self._value(found)
            if value is None:
                return None
            parts += [text[end : found.start()], value]
            end = found.end()
        return "".join([*parts, text[end:]])

    def _value(self, found: re.Match[str]) -> str | None:
        if found["escaped"] is not None:
            return found["escaped"]
        if found["variable"] is not None:
            return self.variable(found["variable"])
        if found["map"] is not None:
            return None
        groups = self.rule_groups if found["rule"] else self.condition_groups
        number = int(found["rule"] or found["condition"])
        if groups is None:
            return None
        return groups[number] if number < len(groups) else ""


def kind_of_file(files: Files, root: str, text: str) -> str | None:
    """The type of a file that a condition names by its path on the server.

    None if it is beside the site, and so not known. No file has the path of a URL.
    """
    if not text.startswith(f"{root}/"):
        return ""
    path = text[len(root) :]
    if (path + "/").startswith(files.base):
        return files.kind_of(path)
    return None


def is_file_test(test: str, kind: str | None) -> Truth:
    """The result of a test such as `-f` for a type of file. Links are not seen."""
    if kind is None:
        return None
    if test in ("-f", "-s"):
        return kind == "f"
    if test == "-d":
        return kind == "d"
    if test == "-e":
        return kind != ""
    # A link, an accessible file, an executable: nothing of this is true where nothing is.
    return None if kind else False


def why_unknown(name: str) -> str:
    """Why the value of a variable is not known."""
    known = {
        "HTTP_COOKIE": "a cookie",
        "HTTP:COOKIE": "a cookie",
        "HTTP_USER_AGENT": "the browser",
        "HTTP_REFERER": "the referrer",
        "REMOTE_ADDR": "the visitor's address",
        "REMOTE_HOST": "the visitor's address",
        "REMOTE_USER": "the visitor's name",
    }
    upper = name.upper()
    if upper.startswith("TIME"):
        return "depends on the time"
    return f"depends on {known.get(upper, f'%{{{name}}}')}"


def why_text_unknown(text: str) -> str:
    """Why the value of a text with variables is never known, "" if it may be."""
    if "${" in text:
        return "depends on a map"
    context = Context(read_base("https://example.com/"), Request("/", "/"), "/")
    for name in _VARIABLE.findall(text):
        may_be_set = name.upper().startswith("ENV:")
        if not may_be_set and context.variable(name) is None:
            return why_unknown(name)
    return ""
