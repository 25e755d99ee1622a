"""What git says of each page: the last commit of its source files, or of the page's own file."""

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from ..config.settings import GitMap
from ..model import DELETED, NO_DATES, NO_ROW, GitDates, PageRow, PossibleSource, ShownBy
from ..read.walk import LinkedHome
from ..site import Site
from ..syntax.templates import compile_map
from .commits import ALL_PATHS, AskedPaths, ask_about
from .last_commits import FileKind, TrackedFile
from .read_source import SourceReader
from .repository import GitError, git_path, path_below, top_of
from .tracked_files import TrackedFiles


class History:
    """What git says of the pages of a site.

    First set the `possible_sources`, then call `load_files`, then read the history of `tracked`.
    After this, `rows` has the last commits of pages.

    `top` is the root of the repository, in the file system. All other paths begin there:
    `public/tea.html`.
    """

    def __init__(self, site: Site, maps: Iterable[GitMap], home: LinkedHome | None = None) -> None:
        """Finds the repository of a site, and the site's folders in it. No history is read yet.

        `maps` are the user's `[[git.map]]`, which say by templates from which files pages are made.
        `home` is None unless the home page redirects to a symbolic link: the tool mike makes the
        link `latest`, which leads to the folder of the latest version. Raises GitError.
        """
        # The repository.
        self.top = _find_repository(site)  # its root in the file system
        self.source_reader = SourceReader(self.top)
        self.tracked = TrackedFiles(self.top)  # the files that git tracks, and their commits
        # The source files that are named for pages: by the user's templates, or by a plugin, which
        # recorded them when the generator built the site (None without a plugin).
        self.maps = tuple(compile_map(templates.page, templates.source) for templates in maps)
        self.source_files = site.source_files
        # Whether the recorded files may lack text that their pages show.
        self._may_be_stubs = site.source_files is not None and site.source_files.may_be_stubs
        self._linked_home = home
        # Folders, as paths in the repository.
        self.project = path_below(self.top, site.project)
        self.site_folder = path_below(self.top, site.root)  # the built pages, such as `public`
        self._sitemap_folder = path_below(self.top, site.output.folder)
        # The folders from which the generator reads source files.
        self.source_folders = [path_below(self.top, folder) for folder in site.source_folders]
        # The folders into which it writes.
        outputs = [path_below(self.top, folder) for folder in site.output_folders]
        # With `public: .`, the project itself is one of them. It has the source files, too, so it
        # does not count.
        self.output_folders = [
            folder for folder in outputs if not f"{self.project}/".startswith(f"{folder}/")
        ]
        # Set by the caller. Files that may be the source of a page: {"tea.html": [text/tea.md]}.
        self.possible_sources: Mapping[str, Sequence[PossibleSource]] = {}
        # Also set by the caller, and only for messages. Files that have a path like that of a page
        # by chance: {"about.html": "notes/about.md"}.
        self.similar_by_chance: Mapping[str, str] = {}
        # For the warning that git dates no page of the site. It names a source file as an example.
        self._dates_some_page = False
        self._example_of_source = b""

    def load_files(self, paths: Iterable[str]) -> None:
        """Lists the files whose commits may date pages. `paths` are those of all pages of the site.

        For tea.html, the files are the page itself, such as `public/tea.html`, and its possible
        sources, such as `text/tea.md`. Each one is marked as a page or as a source, because a
        commit that touched nearly all pages, or nearly all sources, is no edit. Raises GitError.
        """
        self.tracked.load(self._asked_paths())
        self.tracked.mark(self._files_of_kinds(paths))

    @property
    def may_date(self) -> bool:
        """Whether pages may have dates: by their sources, or by their own commits."""
        has_sources = bool(self.maps or self.source_files or self.possible_sources)
        return has_sources or self.tracked.has_pages()

    def rows(self, paths: Iterable[str]) -> list[PageRow]:
        """Returns a row for each page with what git says of it, in the order of the `paths`.

        A page has the row `NO_ROW` if git tracks neither its own file nor one that may be its
        source.

        Also notes whether git may date any page, for the warning `why_no_dates`.
        """
        rows = [self._row_of(path) for path in paths]
        # A page with possible sources counts, too. Only when it is read, its title shows whether
        # one of them dates it.
        if any(row.sources or row.git.has_date for row in rows):
            self._dates_some_page = True
        return rows

    def _row_of(self, path: str) -> PageRow:
        """Makes the row of a page: the dates that git has for it, and files that may be its source.

        For tea.html, git may have the built page public/tea.html, its source text/tea.md, or both.
        """
        own = self.tracked.find(self._own_path(path))
        names = self.named_paths(path)  # by the user's templates or a plugin
        if names and not self._example_of_source:  # for the warning `why_no_dates`
            self._example_of_source = names[0]
        named = [file for file in map(self.tracked.find, names) if file]
        if named == [own]:  # the page is named as its own source
            named = []
        # A plugin may record a stub: a source that shows text of other files, as by a line such as
        # `::: package.module`.
        may_be_stub = self._may_be_stubs and not self._template_paths(path)
        if named and not may_be_stub:
            return self._row_by_sources(named, own)
        # The page's own file dates it, unless one of these files turns out to be its source when
        # the page is read: by its title and the size of its text.
        possible: Sequence[PossibleSource]
        if named:
            possible = [self._recorded_source(named)]
        elif self._has_no_source(path):  # the user says `source = []`
            possible = ()
        else:
            possible = self.possible_sources.get(path, ())
        row = NO_ROW if own is None else self._row_by_own_file(own)
        if possible:
            row = row._replace(sources=self._with_commits(possible))
        return row

    def _row_by_sources(self, sources: Sequence[TrackedFile], own: TrackedFile | None) -> PageRow:
        """Makes the row of a page whose source files the user or a plugin has named.

        `own` is the built page, None if git does not track it.
        """
        dates = self.tracked.dates_of(sources)
        # The newest change is that a source was deleted. The page is still there, so this says
        # nothing about it.
        if dates.edit == DELETED:
            dates = NO_DATES
        # If the built page is as in the last commit, a checkout may have written its file. So the
        # time of the file is no date.
        is_committed = own is not None and self.tracked.time_of_edit(own) is None
        return PageRow(dates, is_committed)

    def _row_by_own_file(self, own: TrackedFile) -> PageRow:
        """Makes the row of a page from the commits of its own file."""
        dates = self.tracked.dates_of([own])
        is_committed = dates.edit is None  # the file is as in the last commit
        # If only deploys wrote the file, their commits are no dates: each of them writes all pages.
        is_edited_by_commit = own.commits.has_edit
        if not is_edited_by_commit:
            dates = dates._replace(commit=None, is_shallow=False)
        return PageRow(dates, is_committed)

    def _with_commits(self, sources: Iterable[PossibleSource]) -> list[PossibleSource]:
        """Adds to each possible source of a page what git says of it and of the files it includes.

        git has all of these files           their dates
        git lacks one of several files       the source is left out
        git lacks the only file, the source  no dates, and marked as `is_shallow`: its history
                                             cannot be read, as in a broken submodule
        """
        dated = []
        for source in sources:
            names = (source.name, *source.parts)
            files = [file for file in map(self.tracked.find, map(git_path, names)) if file]
            if len(files) == len(names):
                dated.append(source._replace(git=self.tracked.dates_of(files)))
                continue
            is_only_file = len(names) == 1
            if is_only_file:
                dated.append(source._replace(git=GitDates(is_shallow=True)))
        return dated

    def named_paths(self, path: str) -> list[bytes]:
        """Lists the source files that the user's templates and a plugin name for a page."""
        return [*self._template_paths(path), *self._recorded_paths(path)]

    def _template_paths(self, path: str) -> list[bytes]:
        """Lists the files that the user's templates name as sources of a page.

        If the template `{path}.html` has the source `text/{path}.md`, the page tea.html has the
        file `text/tea.md`. Empty if a template says that the page has no source: `source = []`.
        """
        if not self.maps:  # as for most sites; this runs for each page, and should be fast
            return []
        if self._has_no_source(path):
            return []
        names = [name for templates in self.maps for name in templates.names(path)]
        return [git_path(posixpath.normpath(f"{self.project}/{name}")) for name in names]

    def _has_no_source(self, path: str) -> bool:
        """Whether a template of the user says `source = []` for a page, whatever others say."""
        return any(not templates.sources and templates.matches(path) for templates in self.maps)

    def _recorded_paths(self, path: str) -> Iterator[bytes]:
        """Yields the source files that a plugin recorded for a page, as paths in the repository.

        If a plugin recorded `tea.md` in the folder `/srv/shop/text` for tea.html, and the
        repository is `/srv/shop` → `text/tea.md`.
        """
        if self.source_files is None:
            return
        names_by_page = self.source_files.of
        for name in names_by_page.get(path, ()):
            file = os.path.join(self.source_files.folder, name)
            # `path_below` also replaces a symbolic link by the file to which it leads, because git
            # would date the link itself.
            yield git_path(path_below(self.top, file))

    def _own_path(self, path: str) -> bytes:
        """Makes the path of a page's own file in the repository.

        `tea.html` in the site `public` → `public/tea.html`.

        The home page may redirect to a symbolic link, and the pages below it are then listed. If
        the link `latest` leads to the folder `2.1`, `latest/tea.html` → `public/2.1/tea.html`,
        because git tracks no files below a link.
        """
        if self._linked_home:
            path = self._linked_home.without_link(path)
        if self.site_folder == ".":  # the site is the whole repository
            return git_path(path)
        return git_path(f"{self.site_folder}/{path}")

    def _recorded_source(self, files: Sequence[TrackedFile]) -> PossibleSource:
        """Makes one possible source of the files that a plugin recorded for a page.

        The files `a.md` and `b.py` → the source `a.md` with the part `b.py`. Its size is that of
        both files, because the page may show the text of both.
        """
        name, *others = (os.fsdecode(file.path) for file in files)
        source = PossibleSource(
            name=name, size=0, title="", has_own_title=False, shown_by=ShownBy.RECORD
        )
        text = self.source_reader.read(name)
        if text is None:  # the first file is deleted, or a link
            return source
        # `a.md` may include some of the other files. Its size then contains theirs.
        parts = dict.fromkeys((*text.parts, *others))  # each file once, in order
        size = text.size
        for part in parts:
            if part in text.parts:
                continue
            with suppress(OSError):  # a deleted file has no size
                size += os.path.getsize(os.path.join(self.top, part))
        return source._replace(size=size, parts=tuple(parts), is_stub=text.is_stub)

    def _files_of_kinds(self, paths: Iterable[str]) -> Iterator[tuple[FileKind, bytes]]:
        """Yields the own files of pages, and their possible sources, each with its kind.

        For tea.html → `public/tea.html` as `FileKind.PAGE`, then `text/tea.md` as
        `FileKind.SOURCE`. Some of these files may not exist. A page that is named as its own source
        comes twice: the caller keeps the second kind, so it counts as a source.
        """
        for path in paths:
            yield FileKind.PAGE, self._own_path(path)
            for name in self.named_paths(path):
                yield FileKind.SOURCE, name
        for source in chain.from_iterable(self.possible_sources.values()):
            for file in (source.name, *source.parts):  # the parts are files that it includes
                yield FileKind.SOURCE, git_path(file)

    def _asked_paths(self) -> AskedPaths:
        """Chooses the files and folders whose history is read. That of all files may take long.

        They contain the site, its sitemaps, and the possible sources with the files they include.
        `ALL_PATHS` if the site is the whole repository, or if templates or a plugin say what the
        sources are: these may be anywhere.
        """
        folders = (self.site_folder, self._sitemap_folder)
        if self.maps or self.source_files or "." in folders:  # "." is the whole repository
            return ALL_PATHS
        # A folder that begins with `..` is outside of the repository, so git cannot read it.
        names = {f"{folder}/" for folder in folders if not folder.startswith("..")}
        for source in chain.from_iterable(self.possible_sources.values()):
            names |= {source.name, *source.parts}  # the parts are files that it includes
        return ask_about(names)

    def files_for_message(self, path: str) -> tuple[list[str], bool]:
        """Lists the files that may date a page, for a message, and says whether any of them exists.

        These are the source files that templates or a plugin name, or else the page's own file.
        Files that do not exist are left out: (["text/tea.md"], True). If none exists, all are
        listed, and the second value is false.
        """
        names = dict.fromkeys(self.named_paths(path) or [self._own_path(path)])
        top = os.fsencode(self.top)
        present = [name for name in names if os.path.lexists(os.path.join(top, name))]
        return list(map(os.fsdecode, present or names)), bool(present)

    def describe_commit(self, name: str) -> str:
        """Names the last commit of a file: `commit 0123456789ab`, or `not committed`.

        For an edit that is not committed: `edited after commit 0123456789ab`.
        """
        file = self.tracked.find(git_path(name))
        last = file.commits.dating if file else None
        if file is None or last is None:
            return "not committed"
        commit = last.hash[:12].decode()
        if self.tracked.time_of_edit(file) is not None:
            return f"edited after commit {commit}"
        return f"commit {commit}"

    def why_undated(self, name: str) -> str:
        """Says why no commit dates a page's own file, for a person to read. The three answers are:

        - `public/a.html is not committed`
        - `public/a.html is edited after commit 0123456789ab`, if the edit is not committed
        - `commit 0123456789ab changed 95 of the 100 pages that …`, if that commit was a deploy
        """
        last_commit = self.describe_commit(name)
        file = self.tracked.find(git_path(name))
        commit = file.commits.dating if file else None
        deploy = self.tracked.deploys.get(commit.hash) if commit else None
        is_edited_since_commit = file is not None and self.tracked.time_of_edit(file) is not None
        if deploy is None or is_edited_since_commit:
            return f"{name} is {last_commit}"  # `not committed`, or `edited after commit 01234…`
        return (
            f"{last_commit} changed {deploy.written:,} of the {deploy.pages:,} pages that there "
            'were, so it dates none of them; lastmod = ["git"] uses it'
        )

    @property
    def why_no_dates(self) -> str | None:
        """Says why git dates no page of the site, for a warning. None if it dates at least one.

        - `the source files of the pages are not in git, …`, if templates or a plugin name some
        - `no page of the site is in git, …`, if nothing names a source file
        """
        if self._dates_some_page:
            return None
        if self._example_of_source:
            example = os.fsdecode(self._example_of_source)
            return f"the source files of the pages are not in git, such as {example}"
        return "no page of the site is in git, and no [[git.map]] names the source of one"


def _find_repository(site: Site) -> str:
    """Finds the repository whose history dates the pages. Returns its root. Raises GitError.

    It is the first of these that exists:

    1. the repository around the source files that a plugin recorded, or else around the project
    2. the repository around the folder above the site
    """
    # A repository in the site's folder itself does not count: its configuration may name programs,
    # which git would run, and the site may have been written by a stranger.
    try:
        return top_of(site.source_files.folder if site.source_files else site.project)
    except GitError:
        return top_of(os.path.dirname(site.root))
