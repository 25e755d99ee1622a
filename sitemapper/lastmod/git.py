"""What git says of each page: the last commit of its source files, or of the page's own file."""

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from ..config.settings import GitMap
from ..model import NO_DATES, NO_ROW, GitDates, PageRow, PossibleSource, SourceFiles
from ..read.walk import LinkedHome
from ..site import Site
from ..syntax.templates import compile_map
from .asked_paths import AskedPaths, ask_about
from .last_commits import FileKind, TrackedFile
from .read_source import SourceReader
from .repository import GitError, path_below, raw, top_of
from .tracked_files import TrackedFiles


class History:
    """What git says of the pages of a site.

    First set the `possible_sources`, then call `list_files`, then read the history of `tracked`.
    After this, `rows` has the last commits of pages.
    """

    def __init__(self, site: Site, maps: Iterable[GitMap], home: LinkedHome | None = None) -> None:
        """Opens the repository. Raises GitError.

        `maps` are the user's `[[git.map]]`. With `home`, the home page links to a folder of the
        site, in which its file is.
        """
        # What names the sources of pages: the user's templates, and the files of a plugin.
        self.maps = tuple(compile_map(templates.page, templates.source) for templates in maps)
        self.source_files = site.source_files
        self._home = home
        # The repository. `top` is its root, in the file system.
        self.top = _find_repository(site)
        self.sources = SourceReader(self.top)
        self.tracked = TrackedFiles(self.top)
        # Folders, from the root of the repository: those of the project, of the site and of its
        # sitemap, those in which the generator looks for sources, and those into which it writes.
        self.project = path_below(self.top, site.project)
        self.site = path_below(self.top, site.root)
        self._output = path_below(self.top, site.output.folder)
        self.folders = [path_below(self.top, folder) for folder in site.source_folders]
        outputs = (path_below(self.top, folder) for folder in site.output_folders)
        # An output that contains the project contains its sources, too: `public: .`
        self.outputs = [name for name in outputs if not f"{self.project}/".startswith(f"{name}/")]
        # The folders of the pages, by those of the sources that make them.
        self.routes = {
            path_below(self.top, route.folder): route.pages for route in site.source_routes
        }
        # Set by the caller, from `find_possible_sources`: files by the paths of pages. Those of
        # `nearest` have similar paths, but nothing shows that they made the page.
        self.possible_sources: Mapping[str, Sequence[PossibleSource]] = {}
        self.nearest: Mapping[str, Sequence[PossibleSource]] = {}
        # Filled by `rows`, for the warning of `idle`.
        self.example = b""  # the first source that somebody named
        self.has_dates = False

    def list_files(self, paths: Iterable[str]) -> None:
        """Lists the tracked files that may date pages, and marks them as pages or sources.

        `paths` are those of all pages. Raises GitError.
        """
        self.tracked.list(self._asked_paths())
        self.tracked.mark(self._files_of_kinds(paths))

    @property
    def may_date(self) -> bool:
        """Whether pages may have dates: by their sources, or by their own commits."""
        has_sources = bool(self.maps or self.source_files or self.possible_sources)
        return has_sources or self.tracked.has_pages()

    def rows(self, paths: Iterable[str]) -> list[PageRow]:
        """Makes a row for each page with what git says of it, in order.

        A page without tracked files has `NO_ROW`. Also notes whether git dates any page, for the
        warning of `idle`.
        """
        rows = [self._row_of(path) for path in paths]
        if any(row.sources or row.git.has_date for row in rows):
            self.has_dates = True
        return rows

    def _row_of(self, path: str) -> PageRow:
        """Makes the row of a page: what git says of its sources, or else of the page's own file.

        - A template or a plugin names tracked sources: the row has their commits.
        - It names sources that may be stubs, files of a few words for a page with much text: they
          become possible sources, and the text of the page decides later.
        - Nothing is named, or only the page itself: the row also has the possible sources that
          `Matching` found, and the text of the page decides later.
        """
        names = self.named_paths(path)
        if names and not self.example:
            self.example = names[0]  # for the warning of `idle`
        own = self.tracked.find(self._own_path(path))
        sources = [file for file in map(self.tracked.find, names) if file]
        possible: Sequence[PossibleSource] = ()
        if not sources or sources == [own]:  # nobody named a source but the page itself
            possible = self._possible_sources_of(path)
        elif self._may_be_stub(path):
            possible = [self._recorded_source(sources)]
            sources = []  # the text of the page decides
        row = self._row_of_files(sources, own)
        return row._replace(sources=self._with_commits(possible)) if possible else row

    def _row_of_files(self, sources: Sequence[TrackedFile], own: TrackedFile | None) -> PageRow:
        """Makes the row of a page from its named sources or, without any, from its `own` file.

        - A deleted source dates nothing.
        - Without named sources and a tracked file of its own, the page has `NO_ROW`.
        - A page that only deploys wrote has no commit.
        """
        is_committed = own is not None and self.tracked.time_of_edit(own) is None
        if sources:
            dates = self.tracked.dates_of(sources)
            if dates.edit == 0:  # a source that was deleted says nothing of the page
                dates = NO_DATES
            return PageRow(dates, is_committed)
        if own is None:
            return NO_ROW
        dates = self.tracked.dates_of([own])
        if is_committed and not own.is_edit:  # only deploys wrote it
            dates = dates._replace(commit=None, is_shallow=False)
        return PageRow(dates, is_committed)

    def _with_commits(self, sources: Iterable[PossibleSource]) -> list[PossibleSource]:
        """Adds to each possible source of a page what git says of it and the files it includes.

        A source without a commit that can be read, as in a broken submodule, counts as if its
        history were missing. A source that includes a file which git does not have is left out.
        """
        dated = []
        for source in sources:
            names = (source.name, *source.parts)
            files = [file for file in map(self.tracked.find, map(raw, names)) if file]
            if len(files) == len(names):
                dated.append(source._replace(git=self.tracked.dates_of(files)))
            elif not source.parts:
                dated.append(source._replace(git=GitDates(is_shallow=True)))
        return dated

    def named_paths(self, path: str) -> list[bytes]:
        """Lists the source files that the user's templates and a plugin name for a page."""
        names = self._template_paths(path) or []
        if self.source_files:
            names += self._recorded_paths(path, self.source_files)
        return names

    def _template_paths(self, path: str) -> list[bytes] | None:
        """Lists the files that templates name for a page. None if the page matches no template.

        `{path}.html` with the source `text/{path}.md` → `text/tea.md` for tea.html. Empty if a
        template says that the page has no source: `source = []`.
        """
        if not self.maps:  # asked of each page
            return None
        matching = [templates for templates in self.maps if templates.matches(path)]
        if not matching:
            return None
        if any(not templates.sources for templates in matching):
            return []
        names = [name for templates in matching for name in templates.names(path)]
        return [raw(posixpath.normpath(f"{self.project}/{name}")) for name in names]

    def _recorded_paths(self, path: str, files: SourceFiles) -> Iterator[bytes]:
        """Lists the files that a plugin recorded for a page, from the root of the repository."""
        for name in files.of.get(path, ()):
            # Links are followed, because git would date the link itself.
            yield raw(path_below(self.top, os.path.join(files.folder, name)))

    def _own_path(self, path: str) -> bytes:
        """The path of a page's own file: `public/tea.html` for `tea.html` of the site `public`.

        git tracks none below a link: if `latest` links to `2.1`, `latest/a.html` is `2.1/a.html`.
        """
        if self._home:
            path = self._home.without_link(path)
        return raw(path if self.site == "." else f"{self.site}/{path}")

    def _possible_sources_of(self, path: str) -> Sequence[PossibleSource]:
        """The possible sources of a page, none if a template says that it has no source."""
        if self._template_paths(path) == []:
            return ()
        return self.possible_sources.get(path, ())

    def _may_be_stub(self, path: str) -> bool:
        """Whether the page may show far more text than its source files have.

        A page of API documentation shows text from programs: `::: package.module` in MkDocs. Only
        files that a plugin names are checked for this, not those of the user's templates.
        """
        if not (self.source_files and self.source_files.may_be_stubs):
            return False
        return not self._template_paths(path)

    def _recorded_source(self, files: Sequence[TrackedFile]) -> PossibleSource:
        """Makes one possible source of the files that a plugin recorded for a page.

        It is the first file, with the others as its parts. Its size is that of all, because the
        page may show the text of all.
        """
        name, *others = (os.fsdecode(file.path) for file in files)
        source = PossibleSource(name=name, size=0, title="", has_own_title=False, is_recorded=True)
        text = self.sources.read(name)
        if text is None:  # it is deleted, or a link
            return source
        size = text.size
        for other in set(others) - set(text.parts):
            with suppress(OSError):  # a deleted file has no size
                size += os.path.getsize(os.path.join(self.top, other))
        parts = tuple(dict.fromkeys((*text.parts, *others)))
        return source._replace(size=size, parts=parts, is_stub=text.is_stub)

    def _files_of_kinds(self, paths: Iterable[str]) -> Iterator[tuple[FileKind, bytes]]:
        """Yields the files of pages, and those that may be their sources. Some may not exist.

        For tea.html → `public/tea.html` as a page, and `text/tea.md` as a source. The last kind of
        a file counts. A page that is also a source comes last as a source, because somebody named
        it as one.
        """
        site = "" if self.site == "." else self.site
        has_pages = self.tracked.has_files_below(site)
        for path in paths:
            if has_pages:
                yield FileKind.PAGE, self._own_path(path)
            for name in self._template_paths(path) or ():
                yield FileKind.SOURCE, name
            if self.source_files:
                for name in self._recorded_paths(path, self.source_files):
                    yield FileKind.SOURCE, name
        for source in chain.from_iterable(self.possible_sources.values()):
            for file in (source.name, *source.parts):
                yield FileKind.SOURCE, raw(file)

    def _asked_paths(self) -> AskedPaths:
        """Collects the paths to ask git for: the site, its sitemaps, and the possible sources.

        Also what these include. Everything if templates or a plugin name sources, which may be
        anywhere.
        """
        folders = (self.site, self._output)
        if self.maps or self.source_files or "." in folders:
            return AskedPaths()
        names = {f"{folder}/" for folder in folders if not folder.startswith("..")}
        for source in chain.from_iterable(self.possible_sources.values()):
            names |= {source.name, *source.parts}
        return ask_about(names)

    def files_for_message(self, path: str) -> tuple[list[str], bool]:
        """Lists the files that date a page, for a person to read. Also returns whether they exist.

        They are those that somebody named, or else its own file. Missing ones are left out, unless
        all are missing.
        """
        names = dict.fromkeys(self.named_paths(path) or [self._own_path(path)])
        top = os.fsencode(self.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def describe_commit(self, name: str) -> str:
        """Names the last commit of a file: `commit 0123456789ab`, or `not committed`.

        For an edit that is not committed: `edited after commit 0123456789ab`.
        """
        file = self.tracked.find(raw(name))
        if file is None or not file.commit:
            return "not committed"
        commit = file.commit[:12].decode()
        if self.tracked.time_of_edit(file) is not None:
            return f"edited after commit {commit}"
        return f"commit {commit}"

    def why_undated(self, name: str) -> str:
        """Says why no commit dates a page's own file: `public/a.html is not committed`.

        If its last commit was a deploy, the sentence has the numbers of pages.
        """
        about = self.describe_commit(name)
        own = self.tracked.find(raw(name))
        deploy = self.tracked.deploy_commits.get(own.commit) if own else None
        if deploy is None or not about.startswith("commit"):
            return f"{name} is {about}"
        return (
            f"{about} changed {deploy.touched:,} of the {deploy.files:,} pages that there were, so "
            'it dates none of them; lastmod = ["git"] uses it'
        )

    @property
    def idle(self) -> str | None:
        """Says why git dates no page, for a warning. None if it dates some.

        `no page fits [[git.map]]`, or `[[git.map]] names only files not in git, such as a.md`.
        """
        if self.has_dates:
            return None
        if not self.maps and not self.source_files:
            return "no page of the site is in git, and no [[git.map]] names the sources"
        missing = "not in git"
        if self.example:
            missing = f"not in git, such as {os.fsdecode(self.example)}"
        if self.source_files:
            return f"the sources of the pages are {missing}"
        if self.example:
            return f"[[git.map]] names only files {missing}"
        return "no page fits [[git.map]]"


def _find_repository(site: Site) -> str:
    """Finds the repository of the project, or else the one around the site. Raises GitError.

    A repository in the site itself does not count: whoever wrote the site could name programs in
    its configuration.
    """
    try:
        return top_of(site.source_files.folder if site.source_files else site.project)
    except GitError:
        return top_of(os.path.dirname(site.root))
