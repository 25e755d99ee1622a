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
    """Loads our settings from those of a generator.

    `options` are keys of sitemapper.toml that a project has set in `file`, the settings file of its
    generator in `folder`: {"ignore": "drafts/"} in mkdocs.yml. They are stronger than `values`,
    which the generator itself knows: base URL and site. The option `config` is the path of a
    sitemapper.toml to read as well. Raises SitemapperError for wrong options.
    """
    settings = {**values, **options}
    # The null device is an empty file. Without any file, `load` would search for a sitemapper.toml.
    config_file = str(settings.pop("config", os.devnull))
    return load({}, folder, os.environ, (config_file,), settings, file)


def publish(
    config: Config,
    folder: str,
    sources: Mapping[str, Sequence[str]],
    warn: Callable[[str], None],
    inform: Callable[[str], None],
) -> None:
    """Builds the sitemaps of a site that a generator has finished, and logs the result.

    `folder` is that of the project. `sources` has the files from which each page was made:
    {"tea/index.html": ["/project/docs/tea.md"]}. `warn` and `inform` log a text. Raises
    SitemapperError for whatever stops a build; with the option `strict`, warnings raise it at the
    end.
    """
    # No more processes: a forked one would wait for ever for a lock that a thread of the generator
    # holds.
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
