"""Settings and lists, as the command line gives them."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Any, get_args

from ..config.choices import Signal
from ..config.layers import COMMAND_LINE, ENV_PREFIX
from ..config.messages import explain_choice
from ..errors import SiteError, SitemapperError
from ..find.base_url import find_preview
from ..find.first_look import sample_pages
from ..find.load import ProjectSearch, Setup, load
from ..fs import with_slashes
from ..hosts.choose import preview_hosts
from ..read.walk import check_root
from .options import STDOUT, SiteOptions
from .parameters import LEFT, flags_of
from .termination import end_in_order


def load_setup(
    site: str | None, options: object, *, site_option: str = "", is_build: bool = False
) -> Setup:
    """Loads the settings and the site of a run, from the file, the environment and the flags.

    `site` is the folder on the command line, None to find the site in the project. `site_option` is
    for the error that no site is found: how to name its folder, such as `--site FOLDER`.

    Raises SitemapperError if there is no site, and for wrong settings or flags.
    """
    if site is not None:
        site = with_slashes(site, os.getcwd())
        _check_folder(site)
    if getattr(options, "output", None) == STDOUT:
        raise SitemapperError(f"--output -: {LEFT['--output -']}")
    search = ProjectSearch(
        site_option=site_option,
        # If nothing else names the base URL, other commands take that of the earlier sitemap. A
        # build does not, because it would keep an old address for ever.
        reads_own_sitemap=not is_build,
    )
    setup = load(
        _settings_of_flags(site, options),
        label=COMMAND_LINE,
        flags=_flag_by_key(options),
        config=getattr(options, "config", None),
        env=os.environ,
        cwd=os.getcwd(),
        search=search,
    )
    # From here on, a signal such as Ctrl-C raises an exception, so that the run can undo what it
    # has begun.
    end_in_order()
    return setup._replace(run=setup.run._replace(**_fields_of_run(options)))


def _flag_by_key(options: object) -> dict[str, str]:
    """Maps each key of the configuration to the flag that sets it, by which messages call it.

    `{"robots.write": "--robots"}`, from the flag `--robots/--no-robots`.
    """
    flags = flags_of(type(options)).values()
    return {flag.key: flag.name.partition("/")[0] for flag in flags if flag.key}


def _fields_of_run(options: object) -> dict[str, Any]:
    """Returns the fields of `Run` that flags set: `--jobs 4` → `{"jobs": 4, …}`.

    Most flags set a key of the configuration, but those with `is_of_run` set the field of `Run`
    that has their name. The flag `--max-drop 100` allows an empty sitemap, which the key `max_drop`
    does not.
    """
    fields: dict[str, Any] = {
        name: getattr(options, name)
        for name, flag in flags_of(type(options)).items()
        if flag.is_of_run and getattr(options, name)
    }
    allows_empty = getattr(options, "max_drop", None) == 100
    return fields | {"allow_empty": allows_empty}


def secret_headers(texts: Sequence[str]) -> dict[str, str]:
    """Returns the headers of `--header`, {name: value}, with values from the environment.

    `--header Authorization=TOKEN` → `{"Authorization": "the value of the variable TOKEN"}`: other
    users of the machine can read a command line, but not its environment. Raises SitemapperError if
    the variable is not set, or if its value or the name cannot be in a header.
    """
    headers = {}
    for text in texts:
        name, _, variable = text.partition("=")
        value = os.environ.get(variable, "")
        # A line break in the name or the value could add another header.
        is_name = re.fullmatch(r"[A-Za-z0-9-]+", name)
        is_one_line = re.fullmatch(r"[ -~]+", value)  # printable ASCII, and not empty
        if not is_name or not is_one_line:
            help = "write NAME=ENVVAR, where the variable contains the value on one line"
            raise SitemapperError(
                f"--header: {name}: is not a header name, or its variable is not set", help
            )
        headers[name] = value
    return headers


def _check_folder(site: str) -> None:
    """Raises SiteError if the site on the command line is no folder, before anything is searched.

    Somebody may pass its URL: `sitemapper build https://a.example`.
    """
    if "://" in site and not os.path.exists(site):
        raise SiteError(f"{site}: is not a folder", f"pass a URL as --base-url {site}")
    check_root(os.path.abspath(site), "")


def find_preview_host(site: str | None, options: SiteOptions) -> str:
    """Returns the host of the preview that Netlify or Vercel builds, "" for any other build.

    For a pull request on Netlify: `deploy-preview-7--a.netlify.app`. A preview needs no sitemap, so
    the caller publishes nothing then. A build is one for a preview if all of this holds:

    1. The variables of the environment are those of a preview on Netlify or Vercel.
    2. No flag and no variable sets the base URL. With one, the user wants a sitemap.
    3. The canonicals of pages name the host of the preview, so the site was built for it.
    """
    preview_names = preview_hosts(os.environ)
    if preview_names is None:  # no builder runs, or it builds no preview
        return ""
    if options.base_url or os.environ.get(f"{ENV_PREFIX}BASE_URL"):
        return ""
    if site is not None:
        _check_folder(site)
    # Some pages are read for their canonicals. The settings say where the site is, and which of its
    # pages are listed.
    setup = load(
        _settings_of_flags(site, options),
        # Any base URL will do, because only the canonicals in the pages are compared.
        defaults={"base_url": "https://preview.invalid/"},
        config=options.config,
        env=os.environ,
        cwd=os.getcwd(),
        search=ProjectSearch(),
    )
    root, first_look = setup.site.root, setup.first_look
    pages = sample_pages(root, setup.site.ignore, setup.site.include, first_look)
    return find_preview(root, first_look, pages, preview_names)


def _settings_of_flags(site: str | None, options: object) -> dict[str, Any]:
    """Turns flags into settings, by key.

    `--strict --max-urls 9` → `{"strict": True, "sitemap.max_urls": 9}`, and `--no-respect
    canonical` → `{"respect.canonical": False}`. `--no-lastmod` → `{"lastmod": ()}`. Raises
    SitemapperError for an unknown signal in --no-respect.
    """
    settings: dict[str, Any] = {}
    if site is not None:
        settings["site"] = site
    for name, flag in flags_of(type(options)).items():
        value = getattr(options, name)
        is_given = value is not None and value != ()
        if flag.key and is_given:
            settings[flag.key] = value
    if isinstance(options, SiteOptions):
        signals = get_args(Signal)
        for signal in options.no_respect:
            given = f"--no-respect {signal}"
            if given in LEFT:
                raise SitemapperError(f"{given}: {LEFT[given]}")
            if signal not in signals:
                raise SitemapperError(f"--no-respect: {explain_choice(signal, signals)}")
            settings[f"respect.{signal}"] = False
        if options.no_lastmod:
            settings["lastmod"] = ()
    return settings


def input_lines(name: str) -> list[str]:
    """Reads the lines of a file that a flag names, or of stdin for `-`, with their line breaks."""
    if name == STDOUT:  # "-", which means stdin for a file that is read
        return list(sys.stdin)
    with open(name, encoding="utf-8", errors="replace") as file:
        return list(file)
