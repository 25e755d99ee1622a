"""What the history of the sources and of the built pages says of each page."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ..files import ancestors, contents, is_inside, read_regular
from ..messages import Message
from ..model import Before, Facts, Origin, Run, Site
from ..protocol import MAX_BYTES
from ..read.sitemap import SitemapFault, read_sitemap
from ..select import Selected
from ..syntax.patterns import map_sources
from ..syntax.source_text import SourceText, day_of, read_source
from .repository import (
    DEPLOY,
    RENAME,
    Event,
    Repository,
    dating,
    name_in,
    open_repository,
    read_events,
)
from .source import (
    Choice,
    File,
    Source,
    find_sources,
    judge_size,
    likely_sources,
    make_source,
    read_name,
)

_MAX_SOURCE = 1 << 20  # bytes that are read, to know how much a page can show
_BEGINNING = 1 << 15  # bytes in which the front matter and the title are searched
_MIN_IMPORTED = 5  # sources that state one day; a few are often updated together


class Told(NamedTuple):
    """What git says of a page, by its source files or else by its own file. Times are seconds."""

    commit: int | None = None  # of the last edit
    edit: int | None = None  # the file time of an edit that is not committed
    is_committed: bool = False  # the page's own file is as in the last commit
    # Between these two times lies the last edit: after the last commit but one, and up to the last
    # one. None if the committed sitemap is older than the edit, so that it cannot have its date.
    window: tuple[int, int] | None = None
    published: str = ""  # the date of the page in the committed sitemap
    renamed: str = ""  # the day of its publication, if a rename came after the last edit
    change: str = ""  # the last change that its source states
    files: tuple[File, ...] = ()  # that date it: its sources, or its own file
    is_own: bool = True
    why: str = ""  # why these files, or none
    cause: str = "file time"  # of no date


class History(NamedTuple):
    """What git says of the listed pages, by their paths; nothing without a repository."""

    told: Mapping[str, Told] = {}
    events: Mapping[File, Sequence[Event]] = {}
    edits: Mapping[File, int | None] = {}  # file times of what is not committed, None: deleted
    repositories: Sequence[Repository] = ()  # the innermost first
    sitemap: tuple[str, Event] | None = None  # its repository, and its last commit
    messages: tuple[Message, ...] = ()


def read_history(
    site: Site, selected: Selected, before: Before, run: Run, *, skips: bool
) -> History:
    """Reads what the repositories of the sources and of the site say of the listed pages.

    With `skips`, commits over nearly all files are no edits.
    """
    found = site.found
    folders = [found.folder]
    if found.project:
        folders += [found.project.folder, *found.project.sources]
    if found.config.settings.git.map:
        folders.append(map_folder(site, run))
    tops = {ancestors(os.path.realpath(folder))[-1] for folder in folders}
    innermost_first = sorted(tops, reverse=True)
    repositories = list(filter(None, map(open_repository, innermost_first)))
    if not repositories:
        return History()

    # 1. The files that may date each page: its own, and its sources.
    pages = {entry.page.path: entry.facts for entry in selected.listed if entry.page}
    own = _own_files(found.folder, pages, repositories)
    sources = _read_sources(site, repositories)
    choices = find_sources(sources, pages)
    for path in pages.keys() & run.sources.keys():
        choices[path] = _judge_files(run.sources[path], pages[path], repositories)
    named, messages = _named_files(site, run, pages, repositories)
    choices |= named
    sitemaps = files_at(found.output, before.files, repositories)

    # 2. Their commits.
    of_sources = {file for choice in choices.values() for file in choice.files}
    events: dict[File, Sequence[Event]] = {}
    edits: dict[File, int | None] = {}
    for repository in repositories:
        events |= read_events(repository, of_sources, own.values(), sitemaps, skips=skips)
        edits |= repository.edits
    # The last commit of each file of the sitemap, and the newest of them.
    commits = [(file[0], event) for file in sitemaps for event in events[file][:1]]
    sitemap = min(commits, key=lambda commit: commit[1].position, default=None)

    # 3. What they say.
    history = History({}, events, edits, repositories, sitemap, tuple(messages))
    texts = {source.file: source.text for source in sources}
    imported = _import_day(texts.values())
    published = _read_earlier_dates(site, selected, before) if sitemap else {}
    nothing = Choice()
    told = dict.fromkeys(pages, Told(why=nothing.why, cause=nothing.cause))
    for path in own.keys() | choices.keys():
        choice = choices.get(path, nothing)
        text = texts.get(choice.files[0], SourceText()) if choice.files else SourceText()
        # The day of an import is no page's change.
        change = "" if day_of(text.change) == imported else text.change
        of_page = _tell(own.get(path), choice, text.published, history)
        told[path] = of_page._replace(change=change, published=published.get(path, ""))
    return history._replace(told=told)


def _tell(own: File | None, choice: Choice, publication_day: str, history: History) -> Told:
    """Finds the last edit of a page's sources, or else of its own file, or why it is not known.

    `own` is the file of the built page, None if no repository tracks it. `choice` has its sources.
    `publication_day` is what the source states, or "".
    """
    files = choice.files or ((own,) if own else ())
    told = Told(
        is_committed=own is not None and own not in history.edits,
        files=files,
        is_own=not choice.files,
        why=choice.why,
        cause="not committed" if files else choice.cause,
    )
    if not files:
        return told
    uncommitted = [history.edits[file] for file in files if file in history.edits]
    if None in uncommitted:  # a source is deleted, while the page is still there
        return told
    if uncommitted:
        return told._replace(edit=max(filter(None, uncommitted), default=0))

    # The last edit of any of the files.
    events_of_files = [history.events[file] for file in files]
    changes = [event for events in events_of_files for event in events if event.skipped != RENAME]
    if not changes:  # a partial clone lacks them, and a submodule has its own
        return told._replace(cause="file time" if told.is_own else "shallow clone")
    last_edits = [dating(events) or events[-1] for events in events_of_files if events]
    last = max(last_edits, key=attrgetter("seconds"))
    # Positions count from the newest commit of one repository, so others cannot be compared.
    if history.sitemap and {top for top, _ in files} == {history.sitemap[0]}:
        _, sitemap_commit = history.sitemap
        if last.position >= sitemap_commit.position:  # the sitemap was built after the edit
            older = [event.seconds for event in changes if event.position > last.position]
            window = (max(older, default=0), max(event.seconds for event in changes))
            told = told._replace(window=window)
    if not last.is_certain:
        return told._replace(cause="shallow clone")
    if last.skipped == DEPLOY:
        return told._replace(cause="deploy")
    # Out of drafts/, for example, a page is moved on the day of its publication.
    first_events = events_of_files[0]
    if any(event.skipped == RENAME and event.position < last.position for event in first_events):
        _, first_name = files[0]
        told = told._replace(renamed=publication_day or read_name(first_name).day)
    return told._replace(commit=last.seconds)


def files_at(
    folder: str, paths: Iterable[str], repositories: Sequence[Repository]
) -> tuple[File, ...]:
    """The files at paths that begin at a folder, without those that no repository tracks."""
    files: list[File] = []
    for path in paths:
        path = os.path.normpath(os.path.join(folder, path))
        for repository in repositories:
            name = name_in(repository, path)
            if name in repository.names:
                files.append((repository.top, name))
                break
    return tuple(files)


def _own_files(
    folder: str, paths: Iterable[str], repositories: Sequence[Repository]
) -> dict[str, File]:
    """The tracked files of the built pages, by the paths of the pages.

    The path of a page may lead through a link or into a submodule, which git tracks in its place.
    The file is then the one to which the link leads, or one that no commit of the repository edits.
    """
    repository = next(
        (repository for repository in repositories if is_inside(folder, repository.top)), None
    )
    if repository is None:
        return {}
    names = repository.names
    [prefix] = _prefixes(repository, [folder])
    own: dict[str, File] = {}
    for path in paths:
        name = prefix + path
        if name not in names:
            # git tracks a link or a submodule as if it were a file.
            above = (prefix + path[:end] for end, letter in enumerate(path) if letter == "/")
            if names.isdisjoint(above):
                continue
            real = name_in(repository, os.path.realpath(os.path.join(folder, path)))
            if real != name and real not in names:
                continue
            name = real
        own[path] = (repository.top, name)
    return own


def map_folder(site: Site, run: Run) -> str:
    """The folder at which the templates of `[[git.map]]` begin."""
    file = site.found.config.file
    return os.path.realpath(os.path.dirname(file) if file else run.cwd)


def _named_files(
    site: Site, run: Run, paths: Iterable[str], repositories: Sequence[Repository]
) -> tuple[dict[str, Choice], list[Message]]:
    """The files that `[[git.map]]` names as sources of pages, with warnings of its entries.

    An entry without `source` gives its pages no files, so that nothing in git dates them.
    """
    config = site.found.config
    folder = map_folder(site, run)
    choices: dict[str, Choice] = {}
    messages: list[Message] = []
    for index, entry in enumerate(config.settings.git.map):
        problem = f"no listed page is named like {entry.page}"
        is_used = False
        for path, names in map_sources(entry.page, entry.source, paths).items():
            files = files_at(folder, names, repositories)
            if files or not names:
                choices[path] = Choice(files, "[[git.map]] says so", "list")
                is_used = True
            else:
                problem = f"git tracks no {' or '.join(names)}"
        if not is_used:
            origin = config.origin(f"git.map[{index}]") or Origin("[[git.map]]")
            messages.append(
                Message(
                    "warning",
                    "git-map",
                    f"{origin}: {problem}",
                    "correct `page`, or `source`, whose paths begin at the folder of this file",
                )
            )
    return choices, messages


def _judge_files(paths: Sequence[str], facts: Facts, repositories: Sequence[Repository]) -> Choice:
    """Takes the files that a generator names as sources, or says why they cannot date the page."""
    files = files_at("", map(os.path.realpath, paths), repositories)
    if not files or len(files) < len(paths):
        return Choice((), "git does not track all files of the page")
    size = sum(map(os.path.getsize, paths))
    return judge_size(facts, size, "files have") or Choice(files, "the generator says so")


def _read_sources(site: Site, repositories: Sequence[Repository]) -> list[Source]:
    """Reads the tracked files that may be sources: in the generator's folders, or else anywhere."""
    project = site.found.project
    sources: list[Source] = []
    for repository in repositories:
        outputs = _prefixes(repository, [site.found.folder])
        top = _prefixes(repository, [project.folder]) if project else []
        folders = _prefixes(repository, project.sources) if project else []
        names = likely_sources(repository.names, outputs)
        in_folders = [name for name in names if name.startswith(tuple(folders))]
        for name in in_folders or names:
            source = _read_source((repository.top, name), folders, "".join(top))
            if source:
                sources.append(source)
    return sources


def _import_day(texts: Iterable[SourceText]) -> str | None:
    """The day on which the sources were imported from another system, None if they were not.

    An import writes its own day into all files. So most sources state it as that of their last
    change.
    """
    sources_by_day = Counter(day_of(text.change) for text in texts if text.change)
    for day, sources in sources_by_day.most_common(1):
        if sources >= _MIN_IMPORTED and sources * 2 > sources_by_day.total():
            return day
    return None


def _prefixes(repository: Repository, folders: Iterable[str]) -> list[str]:
    """The paths of folders in a repository: `docs/`, or "" for its root.

    Folders outside of it are left out.
    """
    names = [name_in(repository, os.path.realpath(folder)) for folder in folders]
    return [f"{name}/" if name else "" for name in names if name is not None]


def _read_source(file: File, folders: Sequence[str], project: str) -> Source | None:
    """Reads a file; None for a draft, and for a link, whose commits are not those of the text."""
    path = os.path.join(*file)
    if os.path.islink(path):
        return None
    try:
        data = read_regular(path, _MAX_SOURCE)
    except OSError:
        return None
    if data is None:
        return None
    text = read_source(data[:_BEGINNING].decode("utf-8", "replace"))
    return text and make_source(file, len(data), text, folders, project)


def _read_earlier_dates(site: Site, selected: Selected, before: Before) -> dict[str, str]:
    """Reads the dates of listed pages in the earlier sitemap in the output, by the pages' paths."""
    paths = {entry.url: entry.page.path for entry in selected.listed if entry.page}
    dates: dict[str, str] = {}
    for name in before.files:
        try:
            for entry in read_sitemap(contents(site.found.output, name, MAX_BYTES)):
                path = paths.get(entry.loc)
                if path and entry.lastmod:
                    dates[path] = entry.lastmod
        except SitemapFault:
            continue  # the dates before the damage count
    return dates
