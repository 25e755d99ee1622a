"""`sitemapper init`: writes the detected settings of a project, with their origins as comments."""

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import glob
from typing import NamedTuple

import typer

from ..config.layers import COMMAND_LINE, ENV_PREFIX, file_layer
from ..config.messages import key_help
from ..errors import SitemapperError, write_advice
from ..find.base_url import CHECKED_PAGES, OtherBase, find_other_base
from ..find.first_look import start_of
from ..find.load import load
from ..find.plan import make_plan
from ..find.project import Project
from ..find.server_files import note_server_file
from ..find.settings import ProjectSearch
from ..find.settle import Setup
from ..find.url_forms import SiteUrls, StyleSetting, can_use_style, find_urls
from ..find.versions import note_versions
from ..fs import ancestors, relative
from ..lastmod import git
from ..lastmod.repository import GitError
from ..lastmod.source_files import template
from ..lastmod.source_search import find_possible_sources
from ..model import Detected, Origin, PossibleSource
from ..read.sitemap import MARK
from ..replace import create
from ..syntax.html import all_tags, parse_tree
from ..syntax.urls import STYLES
from .console import now
from .parameters import command
from .termination import end_in_order
from .words import in_words

SITE = typer.Argument(None, metavar="SITE", help="Folder of the built site  [default: found]")
BASE_URL = typer.Option(None, "--base-url", metavar="URL", help=key_help("base_url"))
INDEXNOW = typer.Option(False, "--indexnow", help="Create a key for `sitemapper submit`.")

_MAPS = 5  # templates to print
_ANY_BASE = "https://example.com/"

_LEDGER = """
# The ledger records when the content of each page changed. Commit sitemapper.ledger, or keep it in
# CI's cache: without it, every build is a first one.
[ledger]
path = "sitemapper.ledger\""""
_DATES = """\
# "auto" takes dates from the ledger, from commits, and from files that no build or copy wrote.
# "mtime" takes the times of all files as they are.
lastmod = "auto\""""
_FOREIGN = """
# Another tool wrote sitemap.xml, so the new one has another name. To replace it instead, remove
# this name, and run once: sitemapper build --replace
[sitemap]
name = "sitemap-pages.xml\""""


@command("init", "init public --base-url https://example.com/")
def init(
    site: str | None = SITE, base_url: str | None = BASE_URL, indexnow: bool = INDEXNOW
) -> None:
    """Write a first sitemapper.toml.

    Propose settings for the generator of the project. An existing file is never replaced.
    """
    cwd = os.getcwd()
    setup = _find_site(site, base_url, cwd)
    place = _place(setup.project, cwd)
    proposal = _propose(setup, is_given=base_url is not None, place=place)
    key_line = f'key = "{secrets.token_hex(16)}"' if indexnow else ""
    lines = list(proposal.toml)
    if key_line:
        lines.append(f"\n[submit]\n{key_line}  # for IndexNow")
    end_in_order()
    path = os.path.join(place, "sitemapper.toml")
    name = os.path.relpath(path)
    try:
        create(path, "\n".join(lines) + "\n")
    except FileExistsError:
        advice = "move it away first"
        if base_url is not None:
            advice += f", or write base_url = {_quoted(setup.site.base_url)} in it"
        if key_line:
            advice = f"add the table [submit] to it, with {key_line}"
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(
            f"{name}: cannot be written: {error.strerror}", write_advice(error)
        ) from None
    for message in proposal.messages:
        typer.echo(_plain(message))
    typer.echo(f"wrote {name}; {proposal.next_step}")


def _find_site(site: str | None, base_url: str | None, cwd: str) -> Setup:
    """What a build of a site without a sitemapper.toml would start from.

    Where nothing names a base URL, it has any. Raises SitemapperError.
    """
    if site is not None and not os.path.isdir(os.path.join(cwd, site)):
        advice = "build the site first, then name its folder: sitemapper init DIR"
        raise SitemapperError(f"{site}: there is no such folder", advice)
    values = {"site": site, "base_url": base_url, "url_style": "auto"}
    return load(
        {key: value for key, value in values.items() if value is not None},
        label=COMMAND_LINE,
        defaults={"base_url": _ANY_BASE},
        config=os.devnull,  # no file is read
        env={name: os.environ[name] for name in os.environ if not name.startswith(ENV_PREFIX)},
        cwd=cwd,
        flags={"base_url": "--base-url"},
        search=ProjectSearch(site, takes_nearby=True, reads_own_sitemap=True),
    )


def _place(project: Project, cwd: str) -> str:
    """The folder for the new sitemapper.toml.

    It is that of the project if the site is inside, else the current one. Raises SitemapperError if
    TOML cannot contain the path of the site, or if the file would hide settings that are there.
    """
    site = project.site or ""
    is_site_in_project = site.startswith(project.folder + os.sep)
    place = project.folder if project.file and is_site_in_project else cwd
    # Python shows bytes that are not UTF-8 as surrogates (PEP 383).
    is_utf8 = not re.search("[\ud800-\udfff]", relative(site, place))
    if not is_utf8:
        problem = f"{relative(site, cwd)}: has a name that is not UTF-8, which TOML cannot contain"
        raise SitemapperError(
            problem, "rename the folder, or build without a file: sitemapper build FOLDER"
        )
    _check_hides_nothing(place)
    return place


def _check_hides_nothing(place: str) -> None:
    """Raises SitemapperError if a pyproject.toml in this folder has settings of sitemapper."""
    existing = file_layer(None, place)  # may also be from a folder above
    if existing is None or existing.base != os.path.abspath(place):
        return
    is_pyproject = existing.prefix != ""  # the table in which its keys are
    if is_pyproject:
        problem = f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide"
        raise SitemapperError(problem, "edit that table, or remove it and run init again")


class Proposal(NamedTuple):
    """Lines to print, lines of the new sitemapper.toml, and what to do after it is written."""

    messages: Sequence[str] = ()
    toml: Sequence[str] = ()
    next_step: str = ""


def _propose(setup: Setup, *, is_given: bool, place: str) -> Proposal:
    """The whole proposal, in the order of its lines. With `is_given`, the user named a base URL."""
    project = setup.project
    cwd = setup.run.cwd
    site = setup.site.root
    settings = {setting.key: setting for setting in project.settings}
    base_url = settings.get("base_url")
    if is_given:
        base_url = Detected("base_url", setup.site.base_url, Origin("--base-url"))
    urls = find_urls(setup, 0)
    other = None
    if base_url and not is_given:
        other = find_other_base(urls.beginning.pages[:CHECKED_PAGES], urls.reader, cwd)
    parts = (
        _describe_generator(project),
        Proposal(messages=[f"site: {relative(site, cwd)}"]),
        _propose_base_url(base_url, project, other),
        Proposal(toml=[f"site = {_quoted(relative(site, place))}"]),
        _propose_style(urls, settings.get("url_style")),
        Proposal(toml=[_ignore(project)]),
        Proposal(toml=[_DATES]),
        _propose_host(urls, setup),
        _propose_hreflang(setup),
        _keep_own_sitemap(project, cwd),
        _propose_sources(setup, urls, place),
        _describe_versions(setup, other),
        _keep_out_of_site(project),
    )
    next_step = "review it, then run: sitemapper build --dry-run"
    if other or (base_url is None and not project.base_url_help):
        next_step = "set base_url in it, then run: sitemapper build"
    elif base_url is None:
        next_step = f"{project.base_url_help}, then run: sitemapper build"
    return Proposal(
        [message for part in parts for message in part.messages],
        [line for part in parts for line in part.toml],
        next_step,
    )


def _describe_generator(project: Project) -> Proposal:
    """The generator with the evidence for it, and the plugin that it could use instead."""
    generator = project.generator
    name = "not recognised"
    if project.signs:
        certainty = "certain" if len(project.signs) > 1 else "likely"
        name = f"{generator.name}, {certainty} ({' and '.join(project.signs)})"
    messages = [f"generator: {name}"]
    toml = [
        f"# Written by `sitemapper init`; generator: {_plain(name)}.",
        "# `sitemapper build` publishes; `sitemapper explain PAGE` shows why a page is listed or "
        "not.",
    ]
    if generator.plugin:
        advice = f"{generator.name} can run sitemapper itself: {generator.plugin}"
        messages.insert(0, advice)
        toml.append(f"# {advice}.")
    return Proposal(messages, toml)


def _propose_base_url(
    found: Detected | None, project: Project, other: OtherBase | None
) -> Proposal:
    """The base URL with its origin, or a place for it. Both URLs if the pages name another one."""
    if found and other:
        origin = str(found.origin)
        return Proposal(
            [
                f"base_url: not certain: it is {found.value}, from {origin}, but {other.clause}; "
                "set it in sitemapper.toml"
            ],
            [
                "# Set one of these, because they contradict each other:",
                f"# base_url = {_quoted(found.value)}  # from {_plain(origin)}",
                f"# base_url = {_quoted(other.base_url)}  # {_plain(other.clause)}",
            ],
        )
    if found and found.value:
        origin = str(found.origin)
        return Proposal(
            [f"base_url: {found.value}, from {origin}"],
            [f"base_url = {_quoted(found.value)}  # from {_plain(origin)}"],
        )
    why = f": {project.no_base_url}" if project.no_base_url else ""
    if project.base_url_help:
        # The pages name the wrong address, too, and would contradict one in this file.
        return Proposal(
            [f"base_url: not found{why}"],
            [f"# base_url is not known yet: {_plain(project.base_url_help)}."],
        )
    return Proposal(
        [f"base_url: not found{why}; set it in sitemapper.toml"],
        [f"# base_url = {_quoted(_ANY_BASE)}  # not found: set yours"],
    )


def _propose_style(urls: SiteUrls, found: Detected | None) -> Proposal:
    """The URL style: `found` in the settings of the generator, else the one that the pages show."""
    if found and can_use_style(StyleSetting(str(found.value), is_found=True), urls.host):
        style = str(found.value)
        evidence = f"url_style: {style}, from {found.origin}"
    else:
        style = urls.locator.style
        evidence = f"url_style: {style}, because {urls.reason}"
    if style not in STYLES:  # the host has forms of its own, which each build finds
        style = "auto"
    return Proposal([evidence], [f"url_style = {_quoted(style)}"])


def _propose_host(urls: SiteUrls, setup: Setup) -> Proposal:
    """The host whose files are in the project, and the note about what is not read of a host."""
    host = urls.host
    notes = [host.unread] if host.unread else []
    notes += note_server_file(host, setup.site.root, setup.run.cwd)
    messages = []
    for note in notes:
        text, help = in_words(note)
        messages.append(f"note: {text}")
        if help:
            messages.append(f"help: {help}")
    if len(host.names) != 1:  # the default stays: auto
        return Proposal(messages)
    return Proposal(messages, toml=[f'host = "{host.names[0]}"'])


def _propose_hreflang(setup: Setup) -> Proposal:
    """Links between translations, if the home page has some. Feeds do not count."""
    html = setup.first_look.home(setup.site.root).data
    versions = set()
    for link in all_tags(parse_tree(html)).links:
        is_alternate = "alternate" in (link.get("rel") or "").lower().split()
        is_page = link.get("type", "text/html") == "text/html"
        if is_alternate and is_page and link.get("hreflang"):
            versions.add(link.get("href"))
    if len(versions) < 2:  # the home page lists itself too
        return Proposal()
    return Proposal(toml=["hreflang = true  # pages name their translations"])


def _keep_own_sitemap(project: Project, cwd: str) -> Proposal:
    """What to do about a sitemap of another tool, which a build does not replace."""
    own = os.path.join(project.site or "", "sitemap.xml")
    is_foreign = os.path.isfile(own) and MARK not in start_of(os.path.dirname(own), own)
    is_rebuilt = project.sitemap is not None and not project.sitemap.templates
    if not is_foreign or is_rebuilt:
        return Proposal()
    messages = [
        f"note: another tool wrote {relative(own, cwd)}, so the new one is named sitemap-pages.xml",
        "help: to replace it, remove this name, then pass --replace to build and "
        f"{project.generator.own_sitemap}",
    ]
    return Proposal(messages, [_FOREIGN])


def _propose_sources(setup: Setup, urls: SiteUrls, place: str) -> Proposal:
    """A ledger where commits cannot date all pages, and the sources that git has."""
    is_in_git = os.path.exists(os.path.join(ancestors(place)[-1], ".git"))
    toml = []
    # The sources are not known for all versions, so commits cannot date all pages.
    if not is_in_git or not setup.project.source_folders:
        toml.append(_LEDGER)
    if is_in_git:
        toml += _proved_maps(setup, urls, place)
    return Proposal(toml=toml)


def _keep_out_of_site(project: Project) -> Proposal:
    """Jekyll copies all files of a project that its settings do not exclude."""
    if project.generator.name != "Jekyll":
        return Proposal()
    files = "exclude: [sitemapper.toml, sitemapper.ledger] in _config.yml"
    return Proposal([f"help: keep these files out of the site: {files}"])


def _describe_versions(setup: Setup, other: OtherBase | None) -> Proposal:
    """A comment on the versions of a documentation that are all listed.

    None if the pages name another base URL, because their canonicals then show nothing.
    """
    if other:
        return Proposal()
    toml = []
    for note in note_versions(make_plan(setup, now(), None), setup.settings):
        text, help = in_words(note)
        toml += [f"\n# {text}.", f"# {help}"]
    return Proposal(toml=toml)


def _ignore(project: Project) -> str:
    """The `ignore` line: patterns for output that is not a page.

    Patterns for folders that do not exist yet become a remark.
    """
    found: list[str] = []
    later: list[str] = []
    for pattern in project.generator.ignore:
        if glob(pattern.lstrip("/"), root_dir=project.site):
            found.append(pattern)
        else:
            later.append(pattern)
    remark = f"; once there are such pages, add {' '.join(later)}" if later else ""
    return f"ignore = {_list(found)}  # gitignore syntax, relative to the site{remark}"


def _proved_maps(setup: Setup, urls: SiteUrls, place: str) -> Iterator[str]:
    """The `[[git.map]]` tables for folders of sources that titles of pages prove.

    They are comments, because each build finds them.
    """
    try:
        history = git.History(setup.site._replace(project=place), ())
        candidates = find_possible_sources(history, urls.reader.root).by_page
        top = history.top
    except GitError:
        return
    root = os.path.realpath(place)
    for (page_template, source_template), count in _count_maps(candidates).most_common(_MAPS):
        source = relative(os.path.join(top, source_template), root).replace(os.sep, "/")
        yield (
            f"\n# {count:,} pages have these sources. Each build finds them; edit this to "
            "choose others."
        )
        yield f"# [[git.map]]\n# page = {_quoted(page_template)}\n# source = {_list([source])}"


def _count_maps(candidates: Mapping[str, Sequence[PossibleSource]]) -> Counter[tuple[str, str]]:
    """The pairs of templates, of a page and of its source, with the number of pages for each.

    The page `guide/a/index.html` with the only and proved source `docs/guide/a.md` counts for
    ("{path}/index.html", "docs/{path}.md").
    """
    pages: Counter[tuple[str, str]] = Counter()
    for page, sources in candidates.items():
        counts_without_title = len(sources) == 1 and sources[0].titled_pages > 0
        if not counts_without_title:
            continue
        templates = template(page, sources[0].name)
        if templates:
            pages[templates] += 1
    return pages


def _plain(line: str) -> str:
    """A line for the terminal or a comment of TOML: `?` for each control character."""
    return "".join(c if c.isprintable() else "?" for c in line)


def _quoted(text: object) -> str:
    """A string of TOML. Its escapes are those of JSON, and it must also escape U+007F."""
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    """A list of strings in TOML."""
    return f"[{', '.join(map(_quoted, texts))}]"
