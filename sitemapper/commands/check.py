"""`check`: whether a build would change the published files."""

from datetime import datetime

from ..config import Config
from ..errors import SitemapperError
from ..find import find
from ..model import Run
from ..observer import QUIET, Observer
from ..publish import guard
from .build import Stopped, Summary, plan


def check(config: Config, run: Run, now: datetime, observer: Observer = QUIET) -> Summary:
    """Says what a build would change, and writes nothing.

    Raises SitemapperError for whatever would stop a build.
    """
    summary = plan(find(config, run), run._replace(is_dry=True), now, observer)
    try:
        guard(summary.plan, config.settings)
    except SitemapperError as error:
        raise Stopped(error, summary, "a build would stop here: ") from None
    return summary
