"""A run of `build` or `check`, and what follows it."""

from __future__ import annotations

import pytest
from support import BASE, Site

from sitemapper.cli.build import BuildOptions
from sitemapper.cli.run import ObservedRun


@pytest.mark.parametrize(
    ("command", "options", "wants"),
    [("build", {}, False), ("check", {}, True), ("build", {"changes": "-"}, True)],
)
def test_changes_are_heard_only_where_somebody_wants_them(
    site: Site, command: str, options: dict[str, str], wants: bool
) -> None:
    with ObservedRun(command, str(site({})), BuildOptions(base_url=BASE, **options)) as observer:
        assert observer.wants_changes is wants
