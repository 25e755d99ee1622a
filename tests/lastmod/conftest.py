"""A repository, and a site that has a ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site, build
from support.git import Repo
from support.ledger import WITH, pages


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository, in whose folder commands run."""
    repo = Repo(tmp_path / "project")
    monkeypatch.chdir(repo.root)
    return repo


@pytest.fixture
def adopted(site: Site) -> Path:
    root = site(pages("a", "b", "c"))
    build(root, lastmod=WITH)
    return root
