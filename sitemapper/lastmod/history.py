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
    """What git tells of a page, by its sources or else by its built file. Times are in seconds."""

    commit: int | None = None  # of the last edit
    edit: int | None = None  # the file time of an edit that is not committed
    is_committed: bool = False  # the built file is as in the last commit
    # Between these two times lies the last edit: after the last commit but one, and up to the last
    # one. None if the committed sitemap is older than the edit, so that it cannot have its date.
    window: tuple[int, int] | None = None
    published: str = ""  # the date of the page in the committed sitemap
    renamed: str = ""  # the day of its publication, if a rename came after the last edit
    change: str = ""  # the last change that its source states
    files: tuple[File, ...] = ()  # that date it: its sources, or the built file
    is_own: bool = True  # it has no known sources, so only its built file can date it
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
    """Reads from git what dates the listed pages: the commits of their sources and built files.

    For the page `tea/index.html`, these may be the commits of `docs/tea.md`. Returns what git tells
    of each page, by its path. All repositories are read that have the site, its sources, or the
    files that `[[git.map]]` in the configuration names as sources. With `skips`, a commit over
    nearly all files, such as a reformatting, counts as no edit.
    """
    # 1. The repositories, by their root folders (the last of the ancestors). The innermost come
    # first, because a submodule lies in another repository and its files belong to itself.
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

    # 2. The files that may date each page: the built file if it is committed, and its sources. A
    # choice is the sources of one page, with the reason. Paths and titles give a first guess. It
    # is replaced by what a generator's plugin names, and both are replaced by `[[git.map]]`.
    pages = {entry.page.path: entry.facts for entry in selected.listed if entry.page}
    built_files = _built_files(found.folder, pages, repositories)
    sources = _read_sources(site, repositories)
    choices = find_sources(sources, pages)
    for path in pages.keys() & run.sources.keys():
        choices[path] = _judge_files(run.sources[path], pages[path], repositories)
    mapped_choices, messages = _mapped_sources(site, run, pages, repositories)
    choices |= mapped_choices
    sitemaps = files_at(found.output, before.files, repositories)

    # 3. The commits of these files (events), and the edits that are not committed.
    source_files = {file for choice in choices.values() for file in choice.files}
    events: dict[File, Sequence[Event]] = {}
    edits: dict[File, int | None] = {}
    for repository in repositories:
        events |= read_events(repository, source_files, built_files.values(), sitemaps, skips=skips)
        edits |= repository.edits

    # The last commit of each file of the earlier sitemap, and the newest of them. Positions count
    # from the newest commit, so the newest one has the least.
    sitemap_commits = [(top, event) for top, name in sitemaps for event in events[top, name][:1]]
    sitemap = min(sitemap_commits, key=lambda commit: commit[1].position, default=None)

    # 4. What git and the texts of the sources tell of each page.
    history = History({}, events, edits, repositories, sitemap, tuple(messages))
    texts = {source.file: source.text for source in sources}
    import_day = _import_day(texts.values())
    # The dates in the earlier sitemap can only be checked if the sitemap itself is committed.
    earlier_dates = _read_earlier_dates(site, selected, before) if sitemap else {}

    # Pages with no file in git get the reason "no source fits".
    nothing = Choice()
    told = dict.fromkeys(pages, Told(why=nothing.why, cause=nothing.cause))
    for path in built_files.keys() | choices.keys():
        choice = choices.get(path, nothing)
        text = texts.get(choice.files[0], SourceText()) if choice.files else SourceText()
        # The source may state its last change. But an import from another system writes its own day
        # into all sources, and no page changed then.
        change = "" if day_of(text.change) == import_day else text.change
        told_of_page = _find_last_edit(built_files.get(path), choice, text.published, history)
        told[path] = told_of_page._replace(change=change, published=earlier_dates.get(path, ""))
    return history._replace(told=told)


def _find_last_edit(
    built_file: File | None, choice: Choice, publication_day: str, history: History
) -> Told:
    """Finds when the sources of a page were last edited, or says why git does not show it.

    `choice` has the sources, such as `docs/tea.md`. A page without sources is dated by its built
    file, such as `public/tea/index.html`, which is None if git does not track it.
    `publication_day` is the day of publication that the source states, or "". The result has the
    time of the last commit or of a newer edit, or else the cause, such as "not committed".
    """
    # The answer if nothing better is found below. `is_own`: the page's own built file dates it.
    files = choice.files or ((built_file,) if built_file else ())
    told = Told(
        is_committed=built_file is not None and built_file not in history.edits,
        files=files,
        is_own=not choice.files,
        why=choice.why,
        cause="not committed" if files else choice.cause,
    )
    if not files:
        return told

    # An edit that is not committed is newer than all commits, and only the file's time dates it. A
    # deleted file has None instead of a time.
    file_times = [history.edits[file] for file in files if file in history.edits]
    if None in file_times:  # a source is deleted, while the page is still there
        return told
    if file_times:
        return told._replace(edit=max(time or 0 for time in file_times))

    # The last committed edit of any of the files. A rename alone is no edit. If all commits of a
    # file were skipped (such as reformattings), its oldest one counts, which added it.
    events_of_files = [history.events[file] for file in files]
    changes = [event for events in events_of_files for event in events if event.skipped != RENAME]
    if not changes:  # a partial clone lacks them, and a submodule has its own
        return told._replace(cause="file time" if told.is_own else "shallow clone")
    last_edits = [dating(events) or events[-1] for events in events_of_files if events]
    last = max(last_edits, key=attrgetter("seconds"))

    told = told._replace(window=_window_of(last, changes, files, history))

    # A commit that may not have edited the page dates nothing: the oldest one of a shallow clone
    # seems to add all files, and a deploy writes nearly all built pages.
    if not last.is_certain:
        return told._replace(cause="shallow clone")
    if last.skipped == DEPLOY:
        return told._replace(cause="deploy")

    # A rename after the last edit may be the publication: the page was moved out of drafts/. Its
    # day is what the source states, or what its name begins with, such as 2026-05-17-tea.md.
    first_events = events_of_files[0]
    if any(event.skipped == RENAME and event.position < last.position for event in first_events):
        _, first_name = files[0]
        told = told._replace(renamed=publication_day or read_name(first_name).day)
    return told._replace(commit=last.seconds)


def _window_of(
    last: Event, changes: Sequence[Event], files: Sequence[File], history: History
) -> tuple[int, int] | None:
    """Finds between which times a date in the committed sitemap can be that of the last edit.

    These are the times of the commit before it and of the newest one, of those in `changes`. None
    if the sitemap is older than the edit, or in another repository: positions count back from the
    newest commit of one repository.
    """
    if history.sitemap is None or {top for top, _ in files} != {history.sitemap[0]}:
        return None
    _, sitemap_commit = history.sitemap
    if last.position < sitemap_commit.position:
        return None
    older = [event.seconds for event in changes if event.position > last.position]
    return max(older, default=0), max(event.seconds for event in changes)


def files_at(
    folder: str, paths: Iterable[str], repositories: Sequence[Repository]
) -> tuple[File, ...]:
    """Finds the tracked files at paths below a folder, as pairs of repository and name in it.

    `docs/tea.md` in the folder `/site` → `("/site", "docs/tea.md")`. Paths that no repository
    tracks are left out. `repositories` begin with the innermost ones.
    """
    files: list[File] = []
    for path in paths:
        absolute = os.path.normpath(os.path.join(folder, path))
        for repository in repositories:
            name = name_in(repository, absolute)
            if name in repository.names:
                files.append((repository.top, name))
                break  # the innermost repository has the file's commits
    return tuple(files)


def _built_files(
    folder: str, paths: Iterable[str], repositories: Sequence[Repository]
) -> dict[str, File]:
    """Finds the HTML files of the pages that git tracks, because their commits may date the pages.

    `folder` is that of the site, and `paths` are those of the pages in it. With the site in
    `public/`, the page `tea/index.html` gets the file `public/tea/index.html`. A page is left out
    if the repository around the site does not track it.
    """
    # The innermost repository around the site, because these come first.
    repository = next(
        (repository for repository in repositories if is_inside(folder, repository.top)), None
    )
    if repository is None:
        return {}

    # What the names of all its files begin with, such as `public/`.
    [prefix] = _prefixes(repository, [folder])
    files: dict[str, File] = {}
    for path in paths:
        name: str | None = prefix + path
        if name not in repository.names:  # untracked, or below a link to another folder
            name = _name_through_link(repository, prefix, path)
        if name is not None:
            files[path] = (repository.top, name)
    return files


def _name_through_link(repository: Repository, prefix: str, path: str) -> str | None:
    """Finds the tracked file of a page whose path leads through a link or into a submodule.

    git tracks the link or the submodule as if it were a file, and nothing below it. With a link
    from `latest` to `2.1`, the page `latest/a.html` has the file `2.1/a.html`. A file in a
    submodule keeps its name: it has no commits here, but it does not count as untracked. Returns
    None for all other pages. `prefix` is the site's folder in the repository, such as `public/`.
    """
    # All folders above the page: `public/a` and `public/a/b` for `public/a/b/c.html`.
    above = (prefix + path[:end] for end, letter in enumerate(path) if letter == "/")
    if repository.names.isdisjoint(above):  # none of the folders is a link or a submodule
        return None

    # Where the path really leads. A link leads to another name, and a submodule to the same one.
    name = prefix + path
    target = name_in(repository, os.path.realpath(os.path.join(repository.top, name)))
    is_in_submodule = target == name
    return target if is_in_submodule or target in repository.names else None


def map_folder(site: Site, run: Run) -> str:
    """Returns the folder from which `[[git.map]]` names sources: that of the configuration file.

    With `/site/sitemapper.toml`, the source `docs/tea.md` is `/site/docs/tea.md`. Without such a
    file, it is the folder in which sitemapper was started.
    """
    file = site.found.config.file
    return os.path.realpath(os.path.dirname(file) if file else run.cwd)


def _mapped_sources(
    site: Site, run: Run, paths: Iterable[str], repositories: Sequence[Repository]
) -> tuple[dict[str, Choice], list[Message]]:
    """Finds the sources that entries of `[[git.map]]` in the configuration name for the pages.

    `page = "api/*.html"` with `source = "src/*.py"` gives `api/tea.html` the source `src/tea.py`.
    Returns the sources as choices (files with the reason), by the paths of the pages, and a warning
    for each entry that names no page or no tracked file.
    """
    config = site.found.config
    folder = map_folder(site, run)
    choices: dict[str, Choice] = {}
    messages: list[Message] = []
    for index, entry in enumerate(config.settings.git.map):
        # What is wrong with the entry if no page uses it. This is so until a page is found.
        problem = f"no listed page is named like {entry.page}"
        is_used = False
        for path, names in map_sources(entry.page, entry.source, paths).items():
            files = files_at(folder, names, repositories)
            # An entry without `source` gives its pages no files, so that nothing in git dates them.
            if files or not names:
                choices[path] = Choice(files, "[[git.map]] says so", "list")
                is_used = True
            else:
                problem = f"git tracks no {' or '.join(names)}"

        # The warning names the line of the entry in the configuration file, if that is known.
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
    """Takes the files that a generator's plugin names as the sources of a page, if they can be.

    `paths` are those of the files, such as `/site/docs/tea.md`, and `facts` say what the page
    shows. The choice that is returned has all the files, or none and the reason why they cannot
    date the page.
    """
    files = files_at("", map(os.path.realpath, paths), repositories)
    # One file that is not tracked may be the one that was edited last.
    if not files or len(files) < len(paths):
        return Choice((), "git does not track all files of the page")
    # If they are much smaller than the page, most of its text comes from elsewhere.
    size = sum(map(os.path.getsize, paths))
    return judge_size(facts, size, "files have") or Choice(files, "the generator says so")


def _read_sources(site: Site, repositories: Sequence[Repository]) -> list[Source]:
    """Reads the tracked files that may be sources of pages, such as `docs/tea.md`.

    If a repository has files in the folders that the generator reads, such as `docs/`, only these
    are read. They are returned with their texts and the paths that their pages may have.
    """
    project = site.found.project
    sources: list[Source] = []
    for repository in repositories:
        # The folders as the names of files begin: of the site, which is no source; of the project;
        # and of the sources. They are empty if they lie outside of this repository.
        outputs = _prefixes(repository, [site.found.folder])
        project_folder = _prefixes(repository, [project.folder]) if project else []
        folders = _prefixes(repository, project.sources) if project else []

        # The names that a source may have, if possible only those in the generator's folders.
        names = likely_sources(repository.names, outputs)
        in_folders = [name for name in names if name.startswith(tuple(folders))]
        for name in in_folders or names:
            source = _read_source((repository.top, name), folders, "".join(project_folder))
            if source:
                sources.append(source)
    return sources


def _import_day(texts: Iterable[SourceText]) -> str | None:
    """Finds the day on which the sources were imported from another system, such as "2026-03-01".

    An import may write its own day into all files. So it is the day that more than half of the
    dated sources, and at least five, state as that of their last change. None if there is no such
    day. On that day no page really changed.
    """
    # Only the most common day can be that of more than half.
    sources_by_day = Counter(day_of(text.change) for text in texts if text.change)
    for day, sources in sources_by_day.most_common(1):
        if sources >= _MIN_IMPORTED and sources * 2 > sources_by_day.total():
            return day
    return None


def _prefixes(repository: Repository, folders: Iterable[str]) -> list[str]:
    """Names folders as git's names of the files in them begin, such as `docs/` for `/repo/docs`.

    The root of the repository is "". Folders outside of the repository are left out.
    """
    names = [name_in(repository, os.path.realpath(folder)) for folder in folders]
    return [f"{name}/" if name else "" for name in names if name is not None]


def _read_source(file: File, folders: Sequence[str], project: str) -> Source | None:
    """Reads a file, such as `docs/tea.md`, from which a page may be built.

    `folders` are those that the generator reads, such as `docs/`, and `project` is the folder of
    the generator itself. Returns the file's text with the paths that its page may have; None if it
    is a draft or cannot be read.
    """
    path = os.path.join(*file)
    if os.path.islink(path):  # its commits are not those of the text to which it leads
        return None
    try:
        data = read_regular(path, _MAX_SOURCE)
    except OSError:
        return None
    if data is None:  # somebody deleted it
        return None
    # The title and the front matter stand at the beginning. A draft has no text here.
    text = read_source(data[:_BEGINNING].decode("utf-8", "replace"))
    return text and make_source(file, len(data), text, folders, project)


def _read_earlier_dates(site: Site, selected: Selected, before: Before) -> dict[str, str]:
    """Reads the dates that the earlier sitemap in the output has for the listed pages.

    They are returned by the paths of the pages, and as they are written there:
    `{"tea/index.html": "2026-03-01"}`. They may be right still, if nobody edited the page since.
    """
    # A sitemap has URLs, and the pages are known by their paths.
    path_by_url = {entry.url: entry.page.path for entry in selected.listed if entry.page}
    dates: dict[str, str] = {}
    for name in before.files:
        try:
            for entry in read_sitemap(contents(site.found.output, name, MAX_BYTES)):
                path = path_by_url.get(entry.loc)
                if path and entry.lastmod:
                    dates[path] = entry.lastmod
        except SitemapFault:  # the file is damaged: the dates before the damage are kept
            continue
    return dates
