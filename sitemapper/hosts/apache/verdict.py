"""What Apache's answers mean for the pages of a site, and how its files are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from urllib.parse import unquote

from ...model import Origin, Reason
from ...syntax.urls import UrlForms, encode_path, quoted, without_scheme
from ..host import FindKind, HostEffect, HostRules, Unknown
from ..moves import Move
from ..reader import Manual, Reader
from .layers import Layer
from .reading import FileRules, read_file
from .request import Files, read_base
from .server import NOWHERE, Answer, Server

FILE = ".htaccess"
_REWRITTEN = "MultiViews or RewriteRule"
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _REWRITTEN: UrlForms(("a/", "a/index.html", "a"), ("b.html", "b", "b/")),
}
_INDEX = "index.html"
_PROBES = ("any-page.html",)  # stand for the pages of a site
_MOST_ORIGINS = 3  # of redirects from http to https, and to www


class Site:
    """The rules of a site, as texts until they are needed."""

    def __init__(self, texts: Mapping[str, str], base_url: str, now: int) -> None:
        self._texts = texts
        self._base_url = base_url
        self._now = now

    def __getstate__(self) -> dict[str, object]:
        # A worker reads the texts again, when a page needs them.
        return {"_texts": self._texts, "_base_url": self._base_url, "_now": self._now}

    @cached_property
    def _base_path(self) -> str:
        return read_base(self._base_url).path

    @cached_property
    def _files(self) -> Sequence[FileRules]:
        """The rules of each file."""
        found = []
        for name, text in sorted(self._texts.items()):
            folder = self._base_path + name.removesuffix(FILE)
            found.append(read_file(name, folder, text, self._base_path))
        return found

    @cached_property
    def _layers(self) -> dict[str, tuple[Layer, ...]]:
        """The layers of each folder, by its URL path."""
        return {file.layers[0].folder: file.layers for file in self._files}

    @cached_property
    def _errors(self) -> dict[str, HostEffect | None]:
        """The error pages that any folder names."""
        return {path: effect for file in self._files for path, effect in file.errors}

    @cached_property
    def moved_base(self) -> str:
        """The base URL to which the host redirects the whole site, "" if it does not.

        At that URL, the site must be shown.
        """
        base_url = self._base_url
        for _ in range(_MOST_ORIGINS):
            target = self._redirected_base(base_url)
            if not target:
                return base_url if base_url != self._base_url else ""
            base_url = target
        return ""

    def _redirected_base(self, base_url: str) -> str:
        """Where two pages of a site are redirected: the same path at another origin."""
        base = read_base(base_url)
        server = Server(base, self._layers, self._now)
        files = Files(base.path, _only_probes)
        targets = set()
        for name in ("", *_PROBES):
            path = base.path + name
            target = server.answer(path, files).target
            is_same_path = without_scheme(target).partition("/")[2] == path[1:]
            targets.add(target.removesuffix(name) if is_same_path else "")
        return targets.pop() if len(targets) == 1 else ""

    @cached_property
    def _server(self) -> Server:
        base = read_base(self.moved_base or self._base_url)
        return Server(base, self._layers, self._now)

    @property
    def skipped(self) -> tuple[Unknown, ...]:
        """The lines that are ignored."""
        return tuple(skipped for file in self._files for skipped in file.skipped)

    @property
    def forms(self) -> UrlForms:
        """The forms of URLs that may be served. The rules decide at each URL."""
        for layers in self._layers.values():
            for layer in layers:
                shows = any(rule.target != "-" and not rule.may_leave for rule in layer.rules)
                has_views = any("multiviews" in line.origin.text.lower() for line in layer.options)
                if shows or has_views or layer.adds_slash is False:
                    return FORMS[_REWRITTEN]
        return FORMS[""]

    def find(self, path: str, look: FindKind) -> Sequence[HostEffect | None]:
        """The effects on the page at an encoded path below the base."""
        files = Files(self._base_path, look)
        answer = self._server.answer(self._base_path + path[1:], files)
        decoded = unquote(path, errors="surrogateescape")
        if answer.status == 200:
            return self._effects_of_page(decoded, answer)
        if 300 <= answer.status < 400:
            target = self._below(answer.target)
            origin = _origin(answer, "DirectorySlash")
            return [HostEffect(Reason.REDIRECT, origin, target, Move(answer.source, target))]
        if answer.status == NOWHERE:
            return self._effects_of_nothing(decoded, answer, files)
        return [HostEffect(Reason.CLOSED, _origin(answer, "Require"))]

    def _effects_of_page(self, path: str, answer: Answer) -> Sequence[HostEffect | None]:
        """The effects where a page is shown, which may be another one than the URL's own."""
        shown = "/" + answer.file.removeprefix(self._base_path)
        origin = _origin(answer, f"{path} shows {shown}")
        effects: list[HostEffect | None] = [
            HostEffect(Reason.DUPLICATE, origin, quoted([shown])[0])  # of other pages
        ]
        effects += answer.effects
        error_page = self._errors.get(shown) or self._errors.get(path)
        if error_page is not None:
            effects.append(error_page)
        return effects

    def _effects_of_nothing(
        self, path: str, answer: Answer, files: Files
    ) -> Sequence[HostEffect | None]:
        """The effects where no page is shown: none, unless a page might have been there."""
        stem = self._base_path + path.strip("/")
        pages = (stem, f"{stem}.html", f"{stem.rstrip('/')}/{_INDEX}")
        page = next((page for page in pages if files.kind_of(page) == "f"), "")
        if not page:
            return []
        is_own = page == stem
        if not is_own and answer.doubt and self._leads_here(page, path, files):
            return []
        origin = _origin(answer, f"nothing shows a page at {path}")
        return [HostEffect(Reason.DUPLICATE, origin)]

    def _leads_here(self, page: str, path: str, files: Files) -> bool:
        """Whether the full name of a page is redirected to a path.

        An unknown rule will show the page there.
        """
        answer = self._server.answer(encode_path(page), files)
        return 300 <= answer.status < 400 and self._below(answer.target) == encode_path(path)

    def _below(self, url: str) -> str:
        """The path of a URL below the base, or the URL itself elsewhere."""
        base_url = self.moved_base or self._base_url
        prefix = base_url.rstrip("/") + "/"
        if url.startswith(prefix):
            return "/" + encode_path(url[len(prefix) :])
        return url


def _origin(answer: Answer, text: str) -> Origin:
    """The line that decided, or what is so without one."""
    return answer.origin or Origin(FILE, None, text)


def _only_probes(path: str) -> str:
    return "f" if path in (_INDEX, *_PROBES) else ""


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    own = {name: text for name, text in texts.items() if name.rpartition("/")[2] == FILE}
    if not own:
        return HostRules(None, None, FORMS[""])
    site = Site(own, base_url, now)
    return HostRules(site.find, None, site.forms, site.skipped, moved_base=site.moved_base)


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="Rules run as in Apache, also those of deeper folders.",
        skipped="what more than URL and files decides; RewriteRule in `<Files>`, `<If>`",
    ),
)
