"""Plugins of generators: one that has built a site gives us its folder, its base URL and the source
files of its pages, and logs what we say. Only the generator imports its plugin.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from ..commands.build import build
from ..config import Config, load
from ..errors import SitemapperError
from ..messages import count
from ..model import Run

# A folder that has a version of a documentation: 1.0, v2, 3.x, latest.
_VERSION = re.compile(
    r"v?\d+([._-][^\W_]+)*|latest|stable|main|master|dev|devel|develop|nightly", re.IGNORECASE
)


def read_options(options: object, file: str, folder: str, values: Mapping[str, object]) -> Config:
    """Loads the keys of sitemapper.toml that a project sets for us, over what its generator says.

    `options` may also name such a file, as `config`. `file` is where they are set, in `folder`.
    Raises SitemapperError for what is wrong in the options.
    """
    if not isinstance(options, Mapping):
        raise SitemapperError(
            f"{file}: the options of sitemapper must be a dictionary, not {options!r}",
            'for example: {"ignore": ["drafts/"]}',
        )
    given = {**values, **options}
    config = str(given.pop("config", os.devnull))  # the null device: no file is searched for
    return load({}, folder, os.environ, (config,), given, file)


def publish(
    config: Config,
    folder: str,
    sources: Mapping[str, Sequence[str]],
    warn: Callable[[str], None],
    inform: Callable[[str], None],
) -> None:
    """Builds the sitemaps of a finished site, and logs the result.

    `folder` is that of the project, and `sources` has the absolute paths of the files of pages.
    Raises SitemapperError for whatever stops a build. With `strict`, warnings raise it at the end.
    """
    settings = config.settings
    version = _other_version(settings.base_url or "", settings.site or "")
    if version:
        inform(f"no sitemap of {version}: the base URL is {settings.base_url}")
        return
    # One process: a generator may have threads, for which a forked process would wait.
    run = Run(folder, os.environ, jobs=1, sources=sources)
    summary = build(config, run, datetime.now(UTC))
    for message in summary.messages:
        say = warn if message.severity == "warning" else inform
        say(f"{message.text}\nhelp: {message.help}" if message.help else message.text)
    dates = Counter(entry.source for entry in summary.dated.entries if entry.lastmod)
    by_source = ", ".join(f"{number:,} by {source}" for source, number in dates.most_common())
    listed = count(len(summary.dated.entries), "page")
    excluded = f"{len(summary.selected.excluded):,} excluded"
    inform(f"{summary.plan.sitemap}: {listed} listed, {excluded}; dated: {by_source or 'none'}")
    if settings.strict and any(message.severity == "warning" for message in summary.messages):
        raise SitemapperError("there are warnings of sitemapper, and its option strict is set")


def _other_version(base_url: str, site: str) -> str:
    """The version that is built, if the base URL is that of another one, else "".

    mike builds 1.0 with the base URL of `latest`: a sitemap of 1.0 would list the pages of another
    folder. Read the Docs says which version it builds; elsewhere the site's folder may.
    """
    in_url = os.path.basename(base_url.rstrip("/"))
    built = os.environ.get("MIKE_DOCS_VERSION", "")
    if not built and _VERSION.fullmatch(in_url):
        folder = _VERSION.fullmatch(os.path.basename(site))
        built = os.environ.get("READTHEDOCS_VERSION", "") or (folder[0] if folder else "")
    return built if built != in_url else ""


@contextmanager
def raised_as(kind: type[Exception]) -> Iterator[None]:
    """Raises our errors as an error of the generator, which it shows without a traceback."""
    try:
        yield
    except SitemapperError as error:
        raise kind(str(error)) from None
