"""The forms of URLs that a Caddyfile serves.

The rules are those of caddyserver.com/docs/caddyfile/directives/try_files.
"""

from collections.abc import Iterator, Sequence

from ...syntax.urls import UrlForms
from ..nginx_text import Directive, named
from .steps import short_form

_FOLDER = ("a/", "a/index.html")
_FORMS = UrlForms(_FOLDER, ("b.html",))
_PLAIN = {"=", "/", "/index.html", ".html"}  # files behind the path of the request
_INDEXES = {"/", "/index.html"}


def forms_of(directives: Sequence[Directive]) -> UrlForms | None:
    """The forms of URLs by the only `try_files`; None if they are not plain."""
    flat = list(_flattened(directives))
    if any(_may_change_files(directive) for directive in flat):
        return None
    tried = named(flat, "try_files")
    if not tried:
        return _FORMS
    if len(tried) > 1 or tried[0].block:
        return None
    files = [short_form(candidate) for candidate in tried[0].arguments]
    is_fallback = files[-1:] == [""]
    if is_fallback:
        files.pop()
        if not _INDEXES.intersection(files):
            return None
    if not _PLAIN.issuperset(files):
        return None
    return _forms_of_files(files)


def _forms_of_files(files: Sequence[str]) -> UrlForms:
    """The forms of URLs if these files are tried, in the short form, in order."""
    is_index_first = "/index.html" in files and "/" not in files[: files.index("/index.html")]
    folder = ("a/", "a", "a/index.html") if is_index_first else _FOLDER
    if ".html" not in files:
        return UrlForms(folder, ("b.html",))
    page = ("b.html", "b")
    before = files[: files.index(".html")]
    if _INDEXES.intersection(before):
        return UrlForms(folder, page, clash=("b.html", " ".join(folder)))
    return UrlForms(folder, page, clash=("b.html b", " ".join(_FOLDER)))


def _may_change_files(directive: Directive) -> bool:
    """Whether a directive may show other files than those of the request's path."""
    if directive.name == "file_server":
        return bool(named(directive.block or [], "index"))
    return directive.name in ("rewrite", "uri", "import", "handle_path")


def _flattened(directives: Sequence[Directive]) -> Iterator[Directive]:
    """The directives of a block and of its groups."""
    for directive in directives:
        if directive.name == "handle_errors":
            continue
        yield directive
        if directive.name in ("handle", "handle_path", "route"):
            yield from _flattened(directive.block or [])
