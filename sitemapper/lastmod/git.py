"""The last commit that changed what a page is made of: its source, or the page itself."""

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from ..config.settings import GitMap
from ..model import NO_DATES, NO_ROW, GitDates, PageRow, SourceCandidate, SourceFiles
from ..read.walk import LinkedHome
from ..site import Site
from ..syntax.templates import compile_map
from .asked_paths import AskedPaths, ask_about
from .no_edits import FileKind
from .read_source import SourceReader
from .repository import GitError, path_below, raw, top_of
from .tracked_files import TrackedFile, TrackedFiles


class _FilesBehind(NamedTuple):
    """The files behind a page that git knows: named sources, and the page's own file."""

    named: list[TrackedFile]
    own: TrackedFile | None


class History:
    """What git knows of the sources of a site's pages. Holds a temporary database; close it.

    `top` is the root of the repository. `project`, the site, `folders`, where the generator looks
    for sources, and `outputs`, where it may write the site, are relative to it. `routes` are
    the folders of sources whose pages' paths are known. `maps` are the templates, `source_files`
    the files that a plugin recorded.
    """

    def __init__(self, site: Site, maps: Iterable[GitMap], home: LinkedHome | None = None) -> None:
        """Opens the repository. `maps` are `[[git.map]]`. Raises GitError.

        `home` is the link to a folder of the site to which the home page leads.
        """
        self._home = home
        self.maps = tuple(compile_map(templates.page, templates.source) for templates in maps)
        self.source_files = site.source_files
        self._is_built_in = any(setting.key == "git.map" for setting in site.found)
        self.top = _find_repository(site)
        self.sources = SourceReader(self.top)
        self.project = path_below(self.top, site.project)
        self.site = path_below(self.top, site.root)
        self._output = path_below(self.top, site.output.folder)
        self.folders = [path_below(self.top, folder) for folder in site.source_folders]
        outputs = (path_below(self.top, folder) for folder in site.output_folders)
        # In a folder that contains the project, there are sources.
        self.outputs = [name for name in outputs if not f"{self.project}/".startswith(f"{name}/")]
        self.routes = {
            path_below(self.top, route.folder): route.pages for route in site.source_routes
        }
        self.candidates: Mapping[str, Sequence[SourceCandidate]] = {}
        self.nearest: Mapping[str, Sequence[SourceCandidate]] = {}
        self.example = b""  # a source that is named
        self.has_dates = False
        self.tracked = TrackedFiles(self.top)

    def _template_paths(self, path: str) -> list[bytes] | None:
        """The files that templates name for a page.

        Empty for a list of pages, None if no template fits.
        """
        if not self.maps:  # asked of each page
            return None
        fitting = [templates for templates in self.maps if templates.matches(path)]
        if not fitting:
            return None
        if any(not templates.sources for templates in fitting):
            return []
        names = [name for templates in fitting for name in templates.names(path)]
        return [raw(posixpath.normpath(f"{self.project}/{name}")) for name in names]

    def named_paths(self, path: str) -> list[bytes]:
        """The files that the configuration and a plugin name for a page."""
        names: list[bytes] = []
        if self.maps and not self._is_built_in:
            names += self._template_paths(path) or ()
        if self.source_files:
            names += self._recorded_paths(path, self.source_files)
        return names

    def _recorded_paths(self, path: str, files: SourceFiles) -> Iterator[bytes]:
        """The files that a plugin names for a page."""
        for name in files.of.get(path, ()):
            # Links are followed, because git would date the link itself.
            yield raw(path_below(self.top, os.path.join(files.folder, name)))

    def _page_path(self, path: str) -> bytes:
        """The file of a page. git knows none behind a link."""
        if self._home:
            path = self._home.without_link(path)
        return raw(path if self.site == "." else f"{self.site}/{path}")

    def list_files(self, paths: Iterable[str]) -> None:
        """Lists the files that may date pages. `paths` are those of all pages. Raises GitError."""
        self.tracked.list(self._asked_paths())
        self.tracked.mark(self._files_of_kinds(paths))

    @property
    def may_date(self) -> bool:
        """Whether pages may have dates: by their sources, or by their own commits."""
        has_sources = bool(self.maps or self.source_files or self.candidates)
        return has_sources or self.tracked.has_pages()

    def _files_of_kinds(self, paths: Iterable[str]) -> Iterator[tuple[FileKind, bytes]]:
        """The files of pages, and those that may be their sources. Some may not exist.

        A file that is both comes last as a source: somebody named it as one.
        """
        site = "" if self.site == "." else self.site
        has_pages = self.tracked.has_files_below(site)
        for path in paths:
            if has_pages:
                yield FileKind.PAGE, self._page_path(path)
            for name in self._template_paths(path) or ():
                yield FileKind.SOURCE, name
            if self.source_files:
                for name in self._recorded_paths(path, self.source_files):
                    yield FileKind.SOURCE, name
        for candidate in chain.from_iterable(self.candidates.values()):
            for file in (candidate.name, *candidate.parts):
                yield FileKind.SOURCE, raw(file)

    def _asked_paths(self) -> AskedPaths:
        """The site, the sitemaps, and the possible sources with what they include.

        Everything if templates or a plugin name sources, which may be anywhere.
        """
        folders = (self.site, self._output)
        if self.maps or self.source_files or "." in folders:
            return AskedPaths()
        names = {f"{folder}/" for folder in folders if not folder.startswith("..")}
        for candidate in chain.from_iterable(self.candidates.values()):
            names |= {candidate.name, *candidate.parts}
        return ask_about(names)

    def rows(self, paths: Sequence[str]) -> list[PageRow]:
        """What git knows of these pages: a row each, `NO_ROW` for a page that it does not know."""
        rows: list[PageRow] = []
        candidates: dict[int, Sequence[SourceCandidate]] = {}
        for place, (path, (named, own)) in enumerate(
            zip(paths, self._files_behind(paths), strict=True)
        ):
            if not named or named == [own]:
                candidates[place] = self._candidates(path)
            elif self._may_be_stub(path):
                candidates[place] = self._recorded(named)
                named = []  # the size of the page decides
            rows.append(_make_row(named, own))
        self._add_sources(rows, candidates)
        if any(row.sources or row.git.has_date for row in rows):
            self.has_dates = True
        return rows

    def _add_sources(
        self, rows: list[PageRow], candidates: Mapping[int, Sequence[SourceCandidate]]
    ) -> None:
        """Adds the possible sources of pages to their rows, with what git knows of them.

        `candidates` are these sources, by the places of the rows.
        """
        names: set[bytes] = set()
        for candidate in chain.from_iterable(candidates.values()):
            names |= {raw(candidate.name), *map(raw, candidate.parts)}
        known = self.tracked.known(sorted(names))
        for place, fitting in candidates.items():
            sources = []
            for candidate in fitting:
                files = [known.get(raw(name)) for name in (candidate.name, *candidate.parts)]
                tracked = [file for file in files if file]
                if len(tracked) == len(files):
                    sources.append(candidate._replace(git=_dates_of(tracked)))
                elif not candidate.parts:
                    sources.append(candidate._replace(git=GitDates(is_shallow=True)))
            if fitting:
                rows[place] = rows[place]._replace(sources=sources)

    def _may_be_stub(self, path: str) -> bool:
        """Whether only a plugin names the files of a page, which may contain less than it shows."""
        if not (self.source_files and self.source_files.may_be_stubs):
            return False
        return self._is_built_in or not self._template_paths(path)

    def _recorded(self, named: Sequence[TrackedFile]) -> list[SourceCandidate]:
        """The source of a page that a plugin named, with the files that belong to it."""
        source, *others = (file.name for file in named)
        text = self.sources.read(source)
        if text is None:  # it is deleted, or there is only a newer one that is not committed
            return [SourceCandidate(source, 0, "", is_named=False, is_recorded=True)]
        size = text.size
        for name in set(others) - set(text.parts):
            with suppress(OSError):
                size += os.path.getsize(os.path.join(self.top, name))
        parts = tuple(dict.fromkeys((*text.parts, *others)))
        candidate = SourceCandidate(source, size, "", is_named=False, is_recorded=True)
        return [candidate._replace(parts=parts, is_stub=text.is_stub)]

    def _candidates(self, path: str) -> Sequence[SourceCandidate]:
        """The files that a generator's template names for a page, else those that fit its path and
        title.
        """
        mapped = self._template_paths(path)
        if mapped is None or (mapped and not self._is_built_in):
            return self.candidates.get(path, ())
        found: list[SourceCandidate] = []
        for name in map(os.fsdecode, mapped):
            text = self.sources.read(name)
            if text:
                candidate = SourceCandidate(name, text.size, "", is_named=False, is_literal=True)
                found.append(candidate._replace(parts=text.parts, is_stub=text.is_stub))
        return found

    def named_files(self, path: str) -> tuple[list[str], bool]:
        """The files that are named for a page:

        the existing ones, or all if none exists; whether any does.
        """
        names = dict.fromkeys(self.named_paths(path) or [self._page_path(path)])
        top = os.fsencode(self.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def commit(self, name: str) -> str:
        """The last commit of a file: `commit 0123456789ab`, or `not committed`."""
        source = self.tracked.known([raw(name)]).get(raw(name))
        if source is None or not source.commit:
            return "not committed"
        if source.edited is not None:
            return f"edited after commit {source.commit[:12]}"
        return f"commit {source.commit[:12]}"

    def why_undated(self, name: str) -> str:
        """Why no commit dates a page's own file, in words."""
        own = self.tracked.known([raw(name)]).get(raw(name))
        deploy = self.tracked.deploys.get(own.commit) if own else None
        if own is None or own.edited is not None or deploy is None:
            return f"{name} is {self.commit(name)}"
        return (
            f"commit {own.commit[:12]} changed {deploy.touched:,} of the {deploy.files:,} pages "
            'that there were, so it dates none of them; lastmod = ["git"] uses it'
        )

    def _files_behind(self, paths: Sequence[str]) -> list[_FilesBehind]:
        """The files behind each page that git knows."""
        named = [self.named_paths(path) for path in paths]
        own = [self._page_path(path) for path in paths]
        known = self.tracked.known(sorted({*own, *chain.from_iterable(named)}))
        if not self.example:
            self.example = next((names[0] for names in named if names), b"")
        behind = []
        for names, own_name in zip(named, own, strict=True):
            named_files = [known[name] for name in names if name in known]
            behind.append(_FilesBehind(named_files, known.get(own_name)))
        return behind

    @property
    def idle(self) -> str | None:
        """The error for templates that found no source of any page."""
        if self.has_dates:
            return None
        if not self.maps and not self.source_files:
            return "no page of the site is in git, and no [[git.map]] names the sources"
        named = f"not in git, such as {os.fsdecode(self.example)}" if self.example else "not in git"
        if self.source_files:
            return f"the sources of the pages are {named}"
        return (
            f"[[git.map]] names only files {named}" if self.example else "no page fits [[git.map]]"
        )


def _find_repository(site: Site) -> str:
    """The repository of the project, or else the one around the site's folder. Raises GitError.

    The site itself may not bring a repository along: its configuration could name programs.
    """
    try:
        return top_of(site.source_files.folder if site.source_files else site.project)
    except GitError:
        return top_of(os.path.dirname(site.root))


def _make_row(named: Sequence[TrackedFile], own: TrackedFile | None) -> PageRow:
    """What git knows of a page: by the files that are named for it, else by its own file.

    A commit dates a page's own file only if it was an edit.
    """
    if not named and own is None:
        return NO_ROW
    dates = _dates_of(named or [own] if own else named)
    is_committed = own is not None and own.edited is None
    if named and dates.edit == 0:
        dates = NO_DATES  # a source that was deleted says nothing of the page
    elif own and is_committed and not (named or own.is_edit):
        dates = GitDates(unchanged=dates.unchanged)
    return PageRow(dates, is_committed)


def _dates_of(files: Sequence[TrackedFile]) -> GitDates:
    """What git knows of several files: the newest commit, an edit of any, unchanged if all are."""
    edits = [file.edited for file in files if file.edited is not None]
    if edits:
        return GitDates(edit=max(edits))
    newest = max(files)
    unchanged = None
    if all(file.is_published for file in files):
        unchanged = max(file.last for file in files)
    if not newest.is_certain:
        return GitDates(is_shallow=True, unchanged=unchanged)
    return GitDates(newest.seconds, unchanged=unchanged)
