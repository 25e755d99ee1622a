"""`sitemapper init`: writes the detected settings of a project, with their origins as comments."""

import json
import os
import re
import secrets
from glob import glob
from typing import NamedTuple
from urllib.parse import urlsplit

import typer

from ..config.layers import COMMAND_LINE, ENV_PREFIX, file_layer
from ..config.messages import key_help
from ..errors import WRITE_ADVICE, SitemapperError
from ..find.checks import CHECKED_PAGES, OtherBase, find_other_base
from ..find.first_look import start_of
from ..find.load import ProjectSearch, Setup, load
from ..find.plan import make_plan
from ..find.project import Project
from ..find.url_forms import SiteUrls, find_urls, may_serve_style
from ..find.versions import note_versions
from ..fs import ancestors, relative
from ..messages import Message
from ..model import Detected, Origin
from ..publish.summary import note_robots_line
from ..read.sitemap import MARK
from ..replace import create
from ..syntax.urls import STYLES
from .console import now
from .parameters import SITE, command
from .termination import end_in_order
from .words import in_words

BASE_URL = typer.Option(None, "--base-url", metavar="URL", help=key_help("base_url"))
INDEXNOW = typer.Option(False, "--indexnow", help="Create a key for `sitemapper submit`.")

_EXAMPLE_BASE = "https://example.com/"  # where nothing names a base URL

_LEDGER = """
# The ledger records when the content of each page changed. Commit sitemapper.ledger, or keep it in
# CI's cache: without it, every build is a first one.
[ledger]
path = "sitemapper.ledger\""""
_DATES = """\
# "auto" asks in this order: the ledger, the committed sitemap, front matter, commits, and the times
# of files that no build or copy wrote. "mtime" takes the times of all files as they are.
lastmod = "auto\""""
_OTHER_NAME = """
# Another tool wrote sitemap.xml, so the new one has another name. To replace it instead, remove
# this name, and run once: sitemapper build --replace
[sitemap]
name = "sitemap-pages.xml\""""


class Proposal:
    """What `init` prints (`messages`), and the lines of the new sitemapper.toml (`toml`).

    Both are in their order. Functions such as `_add_host` add to one or both of them.
    """

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.toml: list[str] = []

    def add_note(self, note: Message) -> None:
        """Adds a note to the messages, and the help for it if there is any."""
        text, help = in_words(note)
        self.messages.append(f"note: {text}")
        if help:
            self.messages.append(f"help: {help}")


class BaseUrl(NamedTuple):
    """The base URL to propose: its value with its origin, None if nothing gives one.

    `other` is another one, if most pages name that. It is not certain then which one is right.
    """

    found: Detected | None
    other: OtherBase | None = None

    @property
    def is_certain(self) -> bool:
        """Whether there is a base URL, and the pages name no other one."""
        return self.found is not None and self.other is None


@command("init", "init public --base-url https://example.com/")
def init(
    site: str | None = SITE, base_url: str | None = BASE_URL, indexnow: bool = INDEXNOW
) -> None:
    """Write a first sitemapper.toml.

    Propose settings for the generator of the project. An existing file is never replaced.
    """
    cwd = os.getcwd()
    # Detect the settings, and propose lines for the file.
    setup = _find_site(site, base_url, cwd)
    config_folder = _choose_config_folder(setup.project, cwd)
    proposal = Proposal()
    next_step = _fill_proposal(
        proposal, setup, config_folder, is_base_url_given=base_url is not None
    )
    key_line = ""
    if indexnow:
        key_line = f'key = "{secrets.token_hex(16)}"'
        proposal.toml.append(f"\n[submit]\n{key_line}  # for IndexNow")
    # Write the file, unless there is one.
    end_in_order()  # from here on, Ctrl-C raises an exception, so that no half file is left
    path = os.path.join(config_folder, "sitemapper.toml")
    name = os.path.relpath(path)
    try:
        create(path, "\n".join(proposal.toml) + "\n")
    except FileExistsError:
        given_base_url = None if base_url is None else setup.site.base_url
        advice = _advise_on_existing_file(given_base_url, key_line)
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(
            f"{name}: cannot be written: {error.strerror}", WRITE_ADVICE
        ) from None
    # Say what was found only now, so that an error stands alone.
    for message in proposal.messages:
        typer.echo(_make_printable(message))
    typer.echo(f"wrote {name}; {next_step}")


def _advise_on_existing_file(base_url: str | None, key_line: str) -> str:
    """Says what to do if there is a sitemapper.toml already: add to it what the user asked for.

    `base_url` is the value of `--base-url`, and `key_line` the line that `--indexnow` proposes.
    They are None and "" without these flags.
    """
    if key_line:
        return f"add the table [submit] to it, with {key_line}"
    advice = "move it away first"
    if base_url is None:
        return advice
    return f"{advice}, or write base_url = {_quote_toml(base_url)} in it"


def _find_site(site: str | None, base_url: str | None, cwd: str) -> Setup:
    """Finds the site of the project, and the settings that the files of the project show.

    `site` and `base_url` are those of the command line, None if they are not given. Raises
    SitemapperError if the folder `site` does not exist, or if the project has no built site.
    """
    if site is not None and not os.path.isdir(os.path.join(cwd, site)):
        advice = "build the site first, then pass its folder: sitemapper init DIR"
        raise SitemapperError(f"{site}: there is no such folder", advice)
    # "auto": the style of the links on the pages, even if the generator's settings name another.
    values = {"url_style": "auto"}
    if site is not None:
        values["site"] = site
    if base_url is not None:
        values["base_url"] = base_url
    # A sitemapper.toml or a variable of the environment would hide what the project itself says.
    env = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    return load(
        values,
        label=COMMAND_LINE,
        defaults={"base_url": _EXAMPLE_BASE},  # if it is neither given nor found
        config=os.devnull,  # in place of a sitemapper.toml
        env=env,
        cwd=cwd,
        flags={"base_url": "--base-url"},
        search=ProjectSearch(takes_nearby=True, reads_own_sitemap=True),
    )


def _choose_config_folder(project: Project, cwd: str) -> str:
    """Chooses the folder for the new sitemapper.toml.

    If the site is inside the folder of the project, such as the folder with mkdocs.yml, that folder
    is chosen. Otherwise, the current folder `cwd` is.

    Raises SitemapperError if TOML cannot contain the path of the site, or if the new file would
    hide the settings in a pyproject.toml in the same folder.
    """
    site = project.site or ""
    is_site_in_project = site.startswith(project.folder + os.sep)
    config_folder = project.folder if project.file and is_site_in_project else cwd
    # Python shows bytes that are not UTF-8 as surrogates (PEP 383).
    if re.search("[\ud800-\udfff]", relative(site, config_folder)):
        raise SitemapperError(
            f"{relative(site, cwd)}: has a name that is not UTF-8, which TOML cannot contain",
            "rename the folder, or build without a file: sitemapper build FOLDER",
        )
    # The nearest file with settings, in the folder or above it, None if there is none.
    existing = file_layer(None, config_folder)
    # Only in a pyproject.toml, the keys have a prefix: `tool.sitemapper`.
    if existing and existing.prefix:
        # A pyproject.toml in a folder above is no problem: other projects may use its settings.
        is_in_same_folder = existing.base == os.path.abspath(config_folder)
        if is_in_same_folder:
            raise SitemapperError(
                f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide",
                "edit that table, or remove it and run init again",
            )
    return config_folder


def _fill_proposal(
    proposal: Proposal, setup: Setup, config_folder: str, *, is_base_url_given: bool
) -> str:
    """Fills the proposal: the lines of the new sitemapper.toml, and the messages to print.

    Returns what the user has to do next: "review it, then run: sitemapper build --dry-run".
    """
    project = setup.project
    urls = find_urls(setup, now=0)  # only rules with `unavailable_after` depend on the time
    base_url = _find_base_url(setup, urls, is_given=is_base_url_given)
    # The file has keys first, and then tables.
    _add_generator(proposal, project)
    proposal.messages.append(f"site: {relative(setup.site.root, setup.run.cwd)}")
    _add_base_url(proposal, base_url, project)
    _add_other_keys(proposal, setup, urls, config_folder)
    needs_other_name = _has_foreign_sitemap(project)
    if needs_other_name:
        _add_other_name(proposal, project, setup.run.cwd)
    if _needs_ledger(project, config_folder):
        proposal.toml.append(_LEDGER)
    if not base_url.other:  # with a wrong base URL, canonicals do not show which version is current
        _add_versions(proposal, setup)
    # What the user has to do elsewhere.
    if base_url.is_certain and not needs_other_name:  # robots.txt names the URL of the sitemap
        _add_robots_note(proposal, setup)
    if project.generator.name == "Jekyll":  # which copies all files that are not excluded
        proposal.messages.append(
            "help: keep these files out of the site: "
            "exclude: [sitemapper.toml, sitemapper.ledger] in _config.yml"
        )
    return _choose_next_step(project, base_url)


def _find_base_url(setup: Setup, urls: SiteUrls, *, is_given: bool) -> BaseUrl:
    """Finds the base URL: that of `--base-url` (`is_given`), or else that of the project.

    Only the base URL of the project is compared with the one that most pages name. The pages of a
    preview name another one than `--base-url`, for example, and the user knows that.
    """
    if is_given:
        return BaseUrl(Detected("base_url", setup.site.base_url, Origin("--base-url")))
    found = _find_setting(setup.project, "base_url")
    if found is None:
        return BaseUrl(None)
    pages = urls.beginning.pages[:CHECKED_PAGES]
    return BaseUrl(found, find_other_base(pages, urls.reader, setup.run.cwd))


def _find_setting(project: Project, key: str) -> Detected | None:
    """Finds the value of a key, such as `url_style`, in the settings of the project's generator."""
    return next((setting for setting in project.settings if setting.key == key), None)


def _add_other_keys(proposal: Proposal, setup: Setup, urls: SiteUrls, config_folder: str) -> None:
    """Adds the lines of the keys after `base_url`: the site, its URLs, patterns, dates and host."""
    proposal.toml.append(f"site = {_quote_toml(relative(setup.site.root, config_folder))}")
    _add_style(proposal, urls, _find_setting(setup.project, "url_style"))
    proposal.toml += [_ignore_line(setup.project), _DATES]
    _add_host(proposal, urls, setup)


def _add_robots_note(proposal: Proposal, setup: Setup) -> None:
    """Adds a note with the line for robots.txt, if the site is in a folder of its host.

    Crawlers read robots.txt only at the root of a host, where a build cannot write it.
    """
    is_at_root = urlsplit(setup.site.base_url).path == "/"
    if not is_at_root:
        proposal.add_note(note_robots_line(setup.site.output))


def _choose_next_step(project: Project, base_url: BaseUrl) -> str:
    """Chooses what the user has to do after `init`: mostly, to review the new file and run a build.

    - the base URL is certain → `review it, then run: …`
    - it is not found, and the generator has a key for it → set this key, `then run: …`
    - it is not found, or most pages name another one → `set base_url in it, then run: …`
    """
    if base_url.is_certain:
        return "review it, then run: sitemapper build --dry-run"
    if base_url.found is None and project.base_url_help:
        # Without a base URL, this generator writes a wrong address into the pages. So the user has
        # to set it for the generator, for example as `url` in _config.yml: `base_url_help` says so.
        return f"{project.base_url_help}, then run: sitemapper build"
    return "set base_url in it, then run: sitemapper build"


def _add_generator(proposal: Proposal, project: Project) -> None:
    """Adds the generator with the reasons, and the plugin with which it can run sitemapper.

    `generator: Hugo, certain (hugo.toml and the pages' generator tag)`
    """
    generator = project.generator
    name = "not recognised"
    if project.signs:  # with two reasons, a mistake is unlikely
        certainty = "certain" if len(project.signs) > 1 else "likely"
        name = f"{generator.name}, {certainty} ({' and '.join(project.signs)})"
    proposal.toml += [
        f"# Written by `sitemapper init`; generator: {_make_printable(name)}.",
        "# `sitemapper build` publishes; `sitemapper explain PAGE` shows why a page is listed or "
        "not.",
    ]
    if generator.plugin:
        advice = f"{generator.name} can run sitemapper itself: {generator.plugin}"
        proposal.messages.append(advice)
        proposal.toml.append(f"# {advice}.")
    proposal.messages.append(f"generator: {name}")


def _add_base_url(proposal: Proposal, base_url: BaseUrl, project: Project) -> None:
    """Adds the line `base_url = "https://a.example/"` to the new file, and a message to print.

    the base URL is certain                  → the line
    most pages name another one              → two such lines as comments, to choose from
    none is found, but how to set it         → a comment with this advice
    for the generator is known
    none is found                            → the line with an example, as a comment
    """
    found, other = base_url
    if found and not other:
        proposal.messages.append(f"base_url: {found.value}, from {found.origin}")
        proposal.toml.append(_base_url_line(found.value, f"from {found.origin}"))
        return
    if found and other:
        proposal.messages.append(
            f"base_url: not certain: it is {found.value}, from {found.origin}, but {other.clause}; "
            "set it in sitemapper.toml"
        )
        proposal.toml += [
            "# Set one of these, because they differ:",
            f"# {_base_url_line(found.value, f'from {found.origin}')}",
            f"# {_base_url_line(other.base_url, other.clause)}",
        ]
        return
    message = "base_url: not found"
    reason = project.no_base_url  # `hugo.toml does not set baseURL; …`
    if reason:
        message += f": {reason}"
    if project.base_url_help:
        # The generator also writes its base URL into the pages, as their canonicals. If it is set
        # here only, the next build stops, because the pages name another one.
        proposal.messages.append(message)
        advice = _make_printable(project.base_url_help)
        proposal.toml.append(f"# base_url is not known yet: {advice}.")
        return
    proposal.messages.append(f"{message}; set it in sitemapper.toml")
    proposal.toml.append(f"# {_base_url_line(_EXAMPLE_BASE, 'not found: set yours')}")


def _base_url_line(value: object, comment: str) -> str:
    """Writes the line of a base URL: `base_url = "https://a.example/"  # from CNAME:1`."""
    return f"base_url = {_quote_toml(value)}  # {_make_printable(comment)}"


def _add_style(proposal: Proposal, urls: SiteUrls, found: Detected | None) -> None:
    """Adds the line `url_style = "clean"` to the proposed file, and a message with the reason.

    `url_style: clean, from _config.yml:3: permalink`

    The style is one of these two:

    - `found`, the style in the generator's settings, if the host may show pages at such URLs
    - the style of the links on the pages, if the host may not, or if `found` is None
    """
    if found and may_serve_style(urls.host, str(found.value)):
        style = str(found.value)
        reason = f"from {found.origin}"
    else:
        style = urls.locator.style
        reason = f"because {urls.reason}"
    proposal.messages.append(f"url_style: {style}, {reason}")
    # The style of the links may be named after a host, such as `netlify`. The setting `url_style`
    # has no such value. With `auto`, each build finds the host by itself.
    setting = style if style in STYLES else "auto"
    proposal.toml.append(f"url_style = {_quote_toml(setting)}")


def _add_host(proposal: Proposal, urls: SiteUrls, setup: Setup) -> None:
    """Adds the line `host` if the project has files of exactly one host: `host = "netlify"`.

    Also adds a note about rules of the host that sitemapper does not understand.
    """
    if urls.host.unread:
        proposal.add_note(urls.host.unread)
    if len(urls.host.names) == 1:  # else the default stays: auto
        proposal.toml.append(f'host = "{urls.host.names[0]}"')


def _add_other_name(proposal: Proposal, project: Project, cwd: str) -> None:
    """Adds the line `name = "sitemap-pages.xml"`, so that the sitemap.xml of another tool stays.

    Also adds a note that says so, and the help to replace that sitemap.xml instead.
    """
    their_sitemap = relative(os.path.join(project.site or "", "sitemap.xml"), cwd)
    proposal.messages += [
        f"note: another tool wrote {their_sitemap}, so the new one is named sitemap-pages.xml",
        "help: to replace it, remove this name, then pass --replace to build and "
        f"{project.generator.turn_off_sitemap}",
    ]
    proposal.toml.append(_OTHER_NAME)


def _needs_ledger(project: Project, config_folder: str) -> bool:
    """Whether `init` proposes a ledger, because nothing else can date the pages.

    False if commits can date them: the project is in a git repository, and the folders with the
    source files of its pages are known.
    """
    # The last of the ancestors is the root of the repository. Outside of a repository, it is the
    # folder itself, which has no `.git`.
    root_of_repository = ancestors(config_folder)[-1]
    is_in_git = os.path.exists(os.path.join(root_of_repository, ".git"))
    return not is_in_git or not project.source_folders


def _add_versions(proposal: Proposal, setup: Setup) -> None:
    """Adds comments about a documentation that is listed in several versions, such as 1.0 and 2.0.

    They say how to list the current version only.
    """
    for note in note_versions(make_plan(setup, now(), None), setup.settings):
        text, help = in_words(note)
        proposal.toml += [f"\n# {text}.", f"# {help}"]


def _has_foreign_sitemap(project: Project) -> bool:
    """Whether another tool wrote the site's sitemap.xml, so that ours needs another name.

    there is no sitemap.xml                           False
    we wrote it                                       False
    the generator writes it by itself, as Hugo does   False: a build may replace it
    the generator makes it from a template            True: the user wrote the template
    any other                                         True
    """
    path = os.path.join(project.site or "", "sitemap.xml")
    if not os.path.isfile(path):
        return False
    is_ours = MARK in start_of(os.path.dirname(path), path)  # MARK: the comment in our sitemaps
    generator_writes_it = bool(project.sitemap.names)
    is_from_template = bool(project.sitemap.templates)
    return not is_ours and (is_from_template or not generator_writes_it)


def _ignore_line(project: Project) -> str:
    """Writes the line `ignore`, with the generator's patterns for output that is not a page.

    A pattern that matches no file of the site yet is only named in the comment:
    `ignore = ["/tags/"]  # …; if the site gets such pages, add /search/`.
    """
    matching: list[str] = []
    not_matching: list[str] = []
    for pattern in project.generator.ignore:
        if glob(pattern.lstrip("/"), root_dir=project.site):
            matching.append(pattern)
        else:
            not_matching.append(pattern)
    comment = "gitignore syntax, relative to the site"
    if not_matching:
        comment += f"; if the site gets such pages, add {' '.join(not_matching)}"
    return f"ignore = [{', '.join(map(_quote_toml, matching))}]  # {comment}"


def _make_printable(line: str) -> str:
    """Replaces control characters by `?`, so that a line is safe in a terminal and in TOML."""
    return "".join(c if c.isprintable() else "?" for c in line)


def _quote_toml(text: object) -> str:
    """Writes a string of TOML: `a"b` → `"a\\"b"`. Its escapes are those of JSON, and U+007F."""
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")
