"""A host's files are read by its reader, which explains in the documentation what it does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sitemapper.hosts import choose
from sitemapper.hosts.host import HostRules
from sitemapper.hosts.provider import Hosting
from sitemapper.hosts.reader import Manual, Reader
from sitemapper.syntax.urls import STYLES


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    return HostRules(None, None, STYLES["directory"])


def test_a_project_file_describes_one_site_unless_the_host_says_more() -> None:
    reader = Reader(_read, {}, Manual("`_moves`", "The first line wins.", "nothing"))
    assert reader.hosting({"anything": 1}) == (Hosting(key="", folders=()),)


def test_every_host_has_a_reader() -> None:
    assert list(choose.readers()) == [provider.name for provider in choose.ALL]


@pytest.mark.parametrize("name", choose.readers())
def test_every_reader_is_explained(name: str) -> None:
    manual = choose.readers()[name].manual
    assert manual.meaning
    assert manual.order
