"""A repository, and a site that has a ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site, build
from support.git import Repo
from support.ledger import WITH, pages


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


@pytest.fixture
def adopted(site: Site) -> Path:
    root = site(pages("a", "b", "c"))
    build(root, lastmod=WITH)
    return root
