"""`sitemapper init`: writes the detected settings of a project, with their origins as comments."""

import json
import os
import re
import secrets
from collections.abc import Iterable
from glob import glob
from urllib.parse import urlsplit

import typer

from ..config.layers import COMMAND_LINE, ENV_PREFIX, file_layer
from ..config.messages import key_help
from ..errors import WRITE_ADVICE, SitemapperError
from ..find.base_url import CHECKED_PAGES, OtherBase, find_other_base
from ..find.first_look import start_of
from ..find.load import load
from ..find.plan import make_plan, note_server_file
from ..find.project import Project
from ..find.settings import ProjectSearch
from ..find.settle import Setup
from ..find.url_forms import SiteUrls, StyleSetting, can_use_style, find_urls
from ..find.versions import note_versions
from ..fs import ancestors, relative
from ..messages import Message
from ..model import Detected, Origin
from ..publish.messages import note_robots_line
from ..read.sitemap import MARK
from ..replace import create
from ..syntax.urls import STYLES
from .console import now
from .parameters import SITE, command
from .termination import end_in_order
from .words import in_words

BASE_URL = typer.Option(None, "--base-url", metavar="URL", help=key_help("base_url"))
INDEXNOW = typer.Option(False, "--indexnow", help="Create a key for `sitemapper submit`.")

_ANY_BASE = "https://example.com/"

_LEDGER = """
# The ledger records when the content of each page changed. Commit sitemapper.ledger, or keep it in
# CI's cache: without it, every build is a first one.
[ledger]
path = "sitemapper.ledger\""""
_DATES = """\
# "auto" asks in this order: the ledger, the committed sitemap, front matter, commits, and the times
# of files that no build or copy wrote. "mtime" takes the times of all files as they are.
lastmod = "auto\""""
_FOREIGN = """
# Another tool wrote sitemap.xml, so the new one has another name. To replace it instead, remove
# this name, and run once: sitemapper build --replace
[sitemap]
name = "sitemap-pages.xml\""""


class Proposal:
    """What `init` says, and the lines of the new sitemapper.toml, in their order."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.toml: list[str] = []

    def add_note(self, note: Message) -> None:
        """Adds a note, and what to do."""
        text, help = in_words(note)
        self.messages.append(f"note: {text}")
        if help:
            self.messages.append(f"help: {help}")


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
    proposal = Proposal()
    next_step = _propose(proposal, setup, place, is_given=base_url is not None)
    advice = "move it away first"
    if base_url is not None:
        advice += f", or write base_url = {_quoted(setup.site.base_url)} in it"
    if indexnow:
        key_line = f'key = "{secrets.token_hex(16)}"'
        proposal.toml.append(f"\n[submit]\n{key_line}  # for IndexNow")
        advice = f"add the table [submit] to it, with {key_line}"
    end_in_order()
    path = os.path.join(place, "sitemapper.toml")
    name = os.path.relpath(path)
    try:
        create(path, "\n".join(proposal.toml) + "\n")
    except FileExistsError:
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(
            f"{name}: cannot be written: {error.strerror}", WRITE_ADVICE
        ) from None
    for message in proposal.messages:
        typer.echo(_plain(message))
    typer.echo(f"wrote {name}; {next_step}")


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
    if re.search("[\ud800-\udfff]", relative(site, place)):
        raise SitemapperError(
            f"{relative(site, cwd)}: has a name that is not UTF-8, which TOML cannot contain",
            "rename the folder, or build without a file: sitemapper build FOLDER",
        )
    existing = file_layer(None, place)  # may also be from a folder above
    is_pyproject = existing is not None and existing.prefix != ""  # the table with its keys
    if existing and is_pyproject and existing.base == os.path.abspath(place):
        raise SitemapperError(
            f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide",
            "edit that table, or remove it and run init again",
        )
    return place


def _propose(proposal: Proposal, setup: Setup, place: str, *, is_given: bool) -> str:
    """Adds the whole proposal, and returns what to do once the file is written.

    With `is_given`, the user named a base URL, whatever the pages say.
    """
    project, site, cwd = setup.project, setup.site.root, setup.run.cwd
    settings = {setting.key: setting for setting in project.settings}
    base_url = settings.get("base_url")
    urls = find_urls(setup, 0)
    other = None
    if is_given:  # the user knows better than the pages, which may be of a preview
        base_url = Detected("base_url", setup.site.base_url, Origin("--base-url"))
    elif base_url:
        other = find_other_base(urls.beginning.pages[:CHECKED_PAGES], urls.reader, cwd)
    _add_generator(proposal, project)
    proposal.messages.append(f"site: {relative(site, cwd)}")
    _add_base_url(proposal, base_url, project, other)
    proposal.toml.append(f"site = {_quoted(relative(site, place))}")
    _add_style(proposal, urls, settings.get("url_style"))
    proposal.toml += [_ignore(project), _DATES]
    _add_host(proposal, urls, setup)
    _keep_own_sitemap(proposal, project, cwd)
    is_in_git = os.path.exists(os.path.join(ancestors(place)[-1], ".git"))
    # The sources are not known for all versions, so commits cannot date all pages.
    if not is_in_git or not project.source_folders:
        proposal.toml.append(_LEDGER)
    if not other:  # else the canonicals of versions show nothing
        _add_versions(proposal, setup)
    # Crawlers read the robots.txt at the root of a host only. The sitemap may have another name.
    is_at_root = urlsplit(setup.site.base_url).path == "/"
    if base_url and not other and not is_at_root and _FOREIGN not in proposal.toml:
        proposal.add_note(note_robots_line(setup.site.output))
    if project.generator.name == "Jekyll":  # which copies all files that are not excluded
        files = "exclude: [sitemapper.toml, sitemapper.ledger] in _config.yml"
        proposal.messages.append(f"help: keep these files out of the site: {files}")
    if base_url and not other:
        return "review it, then run: sitemapper build --dry-run"
    if base_url or not project.base_url_help:
        return "set base_url in it, then run: sitemapper build"
    return f"{project.base_url_help}, then run: sitemapper build"


def _add_generator(proposal: Proposal, project: Project) -> None:
    """Adds the generator with what shows it, and the plugin that it could use instead."""
    generator = project.generator
    name = "not recognised"
    if project.signs:
        certainty = "certain" if len(project.signs) > 1 else "likely"
        name = f"{generator.name}, {certainty} ({' and '.join(project.signs)})"
    proposal.toml += [
        f"# Written by `sitemapper init`; generator: {_plain(name)}.",
        "# `sitemapper build` publishes; `sitemapper explain PAGE` shows why a page is listed or "
        "not.",
    ]
    if generator.plugin:
        advice = f"{generator.name} can run sitemapper itself: {generator.plugin}"
        proposal.messages.append(advice)
        proposal.toml.append(f"# {advice}.")
    proposal.messages.append(f"generator: {name}")


def _add_base_url(
    proposal: Proposal, found: Detected | None, project: Project, other: OtherBase | None
) -> None:
    """Adds the base URL with its origin, or a place for it.

    If the pages have another one, both are comments, from which a person chooses.
    """
    if found and other:
        proposal.messages.append(
            f"base_url: not certain: it is {found.value}, from {found.origin}, but {other.clause}; "
            "set it in sitemapper.toml"
        )
        proposal.toml += [
            "# Set one of these, because they differ:",
            f"# base_url = {_quoted(found.value)}  # from {_plain(str(found.origin))}",
            f"# base_url = {_quoted(other.base_url)}  # {_plain(other.clause)}",
        ]
        return
    if found and found.value:
        proposal.messages.append(f"base_url: {found.value}, from {found.origin}")
        origin = _plain(str(found.origin))
        proposal.toml.append(f"base_url = {_quoted(found.value)}  # from {origin}")
        return
    message = "base_url: not found"
    if project.no_base_url:
        message += f": {project.no_base_url}"
    if project.base_url_help:
        # The pages name the wrong address, too, so a right one in this file would be an error.
        proposal.messages.append(message)
        advice = _plain(project.base_url_help)
        proposal.toml.append(f"# base_url is not known yet: {advice}.")
    else:
        proposal.messages.append(f"{message}; set it in sitemapper.toml")
        proposal.toml.append(f"# base_url = {_quoted(_ANY_BASE)}  # not found: set yours")


def _add_style(proposal: Proposal, urls: SiteUrls, found: Detected | None) -> None:
    """Adds the URL style: `found` in the generator's settings, else the one that pages show."""
    style = urls.locator.style
    reason = f"because {urls.reason}"
    if found and can_use_style(StyleSetting(str(found.value), is_found=True), urls.host):
        style = str(found.value)
        reason = f"from {found.origin}"
    proposal.messages.append(f"url_style: {style}, {reason}")
    if style not in STYLES:  # the host has forms of its own, which each build finds
        style = "auto"
    proposal.toml.append(f"url_style = {_quoted(style)}")


def _add_host(proposal: Proposal, urls: SiteUrls, setup: Setup) -> None:
    """Adds the host whose files are in the project, and notes on what is not read of a host."""
    if urls.host.unread:
        proposal.add_note(urls.host.unread)
    for note in note_server_file(urls.host, setup.site.root, setup.run.cwd):
        proposal.add_note(note)
    if len(urls.host.names) == 1:  # else the default stays: auto
        proposal.toml.append(f'host = "{urls.host.names[0]}"')


def _keep_own_sitemap(proposal: Proposal, project: Project, cwd: str) -> None:
    """Gives the new sitemap another name beside one of another tool.

    Not beside that of the generator, which a build replaces.
    """
    own = os.path.join(project.site or "", "sitemap.xml")
    is_foreign = os.path.isfile(own) and MARK not in start_of(os.path.dirname(own), own)
    is_rebuilt = project.sitemap is not None and not project.sitemap.templates
    if not is_foreign or is_rebuilt:
        return
    name = relative(own, cwd)
    proposal.messages += [
        f"note: another tool wrote {name}, so the new one is named sitemap-pages.xml",
        "help: to replace it, remove this name, then pass --replace to build and "
        f"{project.generator.own_sitemap}",
    ]
    proposal.toml.append(_FOREIGN)


def _add_versions(proposal: Proposal, setup: Setup) -> None:
    """Adds a comment on the versions of a documentation that are all listed."""
    for note in note_versions(make_plan(setup, now(), None), setup.settings):
        text, help = in_words(note)
        proposal.toml += [f"\n# {text}.", f"# {help}"]


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


def _plain(line: str) -> str:
    """A line for the terminal or a comment of TOML: `?` for each control character."""
    return "".join(c if c.isprintable() else "?" for c in line)


def _quoted(text: object) -> str:
    """A string of TOML. Its escapes are those of JSON, and it must also escape U+007F."""
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    """A list of strings in TOML."""
    return f"[{', '.join(map(_quoted, texts))}]"
