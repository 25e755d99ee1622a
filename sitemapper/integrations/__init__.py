"""Plugins of generators: one that has built a site gives us its folder, its base URL and the source
files of its pages, and logs what we say. Only the generator imports its plugin.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from ..commands.build import build
from ..config import Config, load
from ..messages import PreviewError, SitemapperError, count
from ..model import Run


def read_options(
    options: Mapping[str, object], file: str, folder: str, values: Mapping[str, object]
) -> Config:
    """Loads the keys of sitemapper.toml that a project sets for us, over what its generator says.

    `options` may also name such a file, as `config`. `file` is where they are set, in `folder`.
    Raises SitemapperError for what is wrong in the options.
    """
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
    # One process: a generator may have threads, for which a forked process would wait.
    run = Run(folder, os.environ, jobs=1, sources=sources)
    try:
        summary = build(config, run, datetime.now(UTC))
    except PreviewError as error:
        inform(f"{error}, so nothing is published")
        return
    for message in summary.messages:
        say = warn if message.severity == "warning" else inform
        say(str(message))
    dates = Counter(entry.source for entry in summary.dated.entries if entry.lastmod)
    by_source = [f"{number:,} by {source}" for source, number in dates.most_common()]
    listed = count(summary.plan.listed, "page")
    excluded = len(summary.selected.excluded)
    dated = ", ".join(by_source) or "none"
    inform(f"{summary.plan.sitemap}: {listed} listed, {excluded:,} excluded; dated: {dated}")
    is_strict = config.settings.strict
    if is_strict and any(message.severity == "warning" for message in summary.messages):
        raise SitemapperError("there are warnings of sitemapper, and its option strict is set")


@contextmanager
def raised_as(kind: type[Exception]) -> Iterator[None]:
    """Raises our errors as an error of the generator, which it shows without a traceback."""
    try:
        yield
    except SitemapperError as error:
        raise kind(str(error)) from None
