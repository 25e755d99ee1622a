"""A table of small sites: the pages that a build lists, and why it leaves out the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from sitemapper import Reason

from . import Site, paths
from .heard import heard


class Case(NamedTuple):
    """A small site, what becomes of its pages, and values of its configuration."""

    name: str
    files: Mapping[str, str]
    listed: Sequence[str]
    excluded: Mapping[str, Reason] = {}
    values: Mapping[str, Any] = {}


def each(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Runs a test with each `case`."""
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


def assert_verdicts(site: Site, case: Case) -> None:
    """Builds the site of a case, and compares what became of its pages."""
    root = site(case.files)
    excluded = heard(root, **case.values).excluded
    assert sorted(paths(root)) == sorted(case.listed)
    assert {path: reason for path, (reason, _) in excluded.items()} == case.excluded
