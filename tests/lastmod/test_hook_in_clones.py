"""The pre-commit hooks in clones of one repository: eight dates stay eight dates."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from support import BASE, Run, write_site
from support.git import Repo, edit, noon
from support.ledger import dates

RunHook = Callable[[str, Repo], int]
HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
PAGES = tuple("abcdefgh")


@pytest.fixture
def run_hook(run: Run, monkeypatch: pytest.MonkeyPatch) -> RunHook:
    """Runs the command line of a hook in a repository, and returns its exit code."""

    def runs(hook: str, repo: Repo) -> int:
        entries = {entry["id"]: entry["entry"] for entry in yaml.safe_load(HOOKS.read_text())}
        _, *words = shlex.split(entries[hook])
        monkeypatch.chdir(repo.root)
        return run(*words, "site", "--base-url", BASE)

    return runs


def published(repo: Repo) -> list[bytes]:
    """The files that the hook writes."""
    files = [*repo.root.glob("site/sitemap.xml"), *repo.root.glob("*.ledger")]
    return [file.read_bytes() for file in files]


@pytest.mark.slow
@pytest.mark.parametrize("config", ["", '[ledger]\npath = "sitemapper.ledger"\n'])
def test_eight_dates_stay_eight_dates(repo: Repo, run_hook: RunHook, config: str) -> None:
    write_site(repo.root, {"sitemapper.toml": config})
    for number, name in enumerate(PAGES, 1):
        edit(repo.root, f"site/{name}.html", f"<h1>{name}</h1><p>{number}", number)
    assert run_hook("sitemapper-build", repo) == 1, "it writes the first sitemap"
    repo("add", "--all")
    assert run_hook("sitemapper-build", repo) == 0
    repo.commit(9, {})
    files = published(repo)
    assert None not in dates(repo.root / "site").values()
    first = repo.clone()
    second = repo.clone()
    for place in (first, second, repo):
        for hook in ("sitemapper-check", "sitemapper-build", "sitemapper-build"):
            assert run_hook(hook, place) == 0
        assert published(place) == files
        assert place("status", "--porcelain") == ""

    before = dates(repo.root / "site")
    edit(second.root, "site/c.html", "<h1>c</h1><p>12", 12)
    assert run_hook("sitemapper-check", second) == 1
    assert run_hook("sitemapper-build", second) == 1
    assert run_hook("sitemapper-build", second) == 0
    second.commit(13, {})
    assert dates(second.root / "site") == {**before, "c.html": noon(12)}
    first("pull", "-q", "--ff-only", str(second.root), "HEAD")
    for hook in ("sitemapper-check", "sitemapper-build"):
        assert run_hook(hook, first) == 0
    assert published(first) == published(second)
    assert first("status", "--porcelain") == ""
